// Many random programs at once. In: programs of one file each. Out: each with its original and its derived exports, from one ts.Program, one analysis and one
// type check. Invariant: a compiler crash on one leaves the others alone; what tsgrad refuses is told by its codes.

import { fileURLToPath } from "node:url";
import { buildSync, transformSync } from "esbuild";
import type ts from "typescript";
import * as captured from "../../runtime/captured.ts";
import * as higher from "../../runtime/delta/higher/index.ts";
import * as delta from "../../runtime/delta/index.ts";
import * as runtime from "../../runtime/index.ts";
import { analyse, type Analysis } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf, type TestHost } from "../program.ts";
import type { Source } from "../programs/corpus.ts";
import type { Exports } from "../programs/modules.ts";
import { errorsOf, newProblems } from "../programs/strict.ts";
import { disguised, javascriptOf, withInnerDerivatives } from "./disguise.ts";

export interface Compiled {
  readonly name: string;
  readonly text: string;
  /** With derivatives; null where there are none. */
  readonly edited: string | null;
  readonly original: Exports;
  /** Whether the original computes closed forms, which round in another order than the derivatives in their places. */
  readonly isClosedForm: boolean;
  /** `vg` and `v`, one of them; `j`; `h`; `captured`, `pulled` and `pushed`, of some. */
  readonly derived: Exports | null;
  /** Codes with which tsgrad refuses it. */
  readonly refused: readonly string[];
  /** What is wrong already: it crashes the compiler, or what is emitted does not load or type-check. */
  readonly problems: readonly string[];
}

const seedOf = ({ name }: Source): number => Number(/\d+$/.exec(name)?.[0] ?? 0);
/** The module of a program: TypeScript, or now and then JavaScript. */
function moduleOf(
  source: Source,
  options: string,
  flags: ts.CompilerOptions,
): { readonly file: string; readonly text: string } {
  const seed = seedOf(source);
  const text = disguised(withCall(source, options), seed, flags);
  const plain = seed % 11 === 5 ? javascriptOf(text) : null;
  const file = `/src/programs/${source.name}`;
  return plain === null ? { file: `${file}.ts`, text } : { file: `${file}.js`, text: plain };
}

/** The form of reverse mode that a program is compiled with: both, in turn. Every `EVERY`th program goes forwards, too, and every second of these to second order. */
const CALLS = ["export const vg = valueAndGrad(f, { argnums });", "export const v = vjp(f);"];

/** 1 runs all of them, and takes twice the time: `FORWARD=1 npm run fuzz`. */
const EVERY = Number(process.env["FORWARD"] ?? 2);

/** 1: what functions ask for that capture all arguments but one, and derivatives of derivatives, of all programs. `COMPOSED=1 npm run fuzz`. */
const COMPOSED = Number(process.env["COMPOSED"] ?? 10);

/** Calls within functions: `f` as a function of one argument, the others captured. */
function composed(text: string, argnum: number): readonly string[] {
  const params =
    /^export function f\((.*)\): number \{$/m.exec(text)?.[1]?.split(/, (?=[\w$]+\??:)/) ?? [];
  const own = params[argnum];
  if (own === undefined) return [];
  const [name, ...type] = own.split(/\??: /);
  const passed = params.map((param, i) =>
    i === argnum ? "own" : (/^[\w$]+/.exec(param)?.[0] ?? ""),
  );
  const arrow = `(own: ${type.join(": ")}) => f(${passed.join(", ")})`;
  const made = (of: string, body: string): string =>
    `export function ${of}(${params.join(", ")}) { ${body} }`;
  return [
    made("captured", `return grad(${arrow})(${name});`),
    made(
      "pulled",
      `const alone = ${arrow}; const slope = grad(alone); return vjp(slope)(${name});`,
    ),
    made(
      "pushed",
      `return (v: Parameters<typeof f>[${argnum}]) => jvp(grad(${arrow}))([${name}], [v as never]);`,
    ),
  ];
}

/** In place of options: the call is of a function around `f`, in which `f` is one step of Delta's tape where it can be. */
export const WITHIN = "within";

/** `function within(x: number, k: number): number { try { return f(x, k); } finally { void 0; } }` */
function within(text: string): string {
  const params = /^export function f\((.*)\): number \{$/m.exec(text)?.[1] ?? "";
  const names = params.split(/, (?=[\w$]+\??:)/).map((param) => /^[\w$]+/.exec(param)?.[0] ?? "");
  return `function within(${params}): number { try { return f(${names.join(", ")}); } finally { void 0; } }`;
}

/** A program and the call that asks for its derivative, in one module. `options`: further options of the call, as text. */
function withCall(source: Source, options: string): string {
  const { main, files } = source;
  const text = withInnerDerivatives(files[main] ?? "");
  const argnums = /^export const argnums = (\[.*\]);$/m.exec(text)?.[1] ?? "[0]";
  if (options === WITHIN)
    return `import { valueAndGrad } from "tsgrad";\n${text}${within(text)}\nexport const vg = valueAndGrad(within, { argnums: ${argnums} });\n`;
  const call = options === "" ? (CALLS[seedOf(source) % CALLS.length] ?? "") : (CALLS[0] ?? "");
  const number = seedOf(source);
  const more: string[] =
    options !== "" || number % EVERY !== 0 || text.includes("customVjp")
      ? []
      : [
          "export const j = jvp(f);",
          ...(number % (2 * EVERY) === 0
            ? [`export const h = hvp(f, { argnums: ${argnums} });`]
            : []),
        ];
  if (options === "" && number % COMPOSED === Math.floor(COMPOSED / 2))
    more.push(...composed(text, Number(/\d+/.exec(argnums)?.[0] ?? 0)));
  return `import { grad, hvp, jvp, valueAndGrad, vjp } from "tsgrad";\n${text}${[call.replace("{ argnums }", `{ argnums: ${argnums}${options} }`), ...more].join("\n")}\n`;
}

/** `options`: of the call, as text. `flags`: of the compiler. */
export function compiled(
  sources: readonly Source[],
  options = "",
  flags: ts.CompilerOptions = {},
): readonly Compiled[] {
  const modules = new Map(sources.map((source) => [source.name, moduleOf(source, options, flags)]));
  const texts = new Map([...modules.values()].map(({ file, text }) => [file, text]));
  const original = programOf(Object.fromEntries(texts), { allowJs: true, ...flags });
  const invalid = new Map(
    errorsOf(original.program).map(({ file, message }) => [file.fileName, message]),
  );
  const found = analysed(original, texts);
  const edits = new Map(
    [...texts.keys()].flatMap((file) =>
      [...found(file).edits].filter(([edited]) => edited === file),
    ),
  );
  const strict = newProblems({ programs: new Map(), original, options: flags, edits });
  return sources.map(({ name, main, files }) => {
    const { file = "", text = "" } = modules.get(name) ?? {};
    const own = found(file);
    const wrong = invalid.get(file);
    const problems = [
      ...own.problems,
      ...strict.filter((one) => one.startsWith(`${file}:`)),
      ...(wrong === undefined ? [] : [`${INVALID}: ${wrong}`]),
    ];
    const edited = applyEdits(file, text, edits.get(file) ?? []).text;
    const source = files[main] ?? "";
    const base = {
      name,
      text,
      edited,
      original: run(source),
      isClosedForm: withInnerDerivatives(source) !== source,
      refused: own.refused,
    };
    if (own.refused.length > 0 || own.problems.length > 0)
      return { ...base, derived: null, problems };
    try {
      return { ...base, derived: run(edited), problems };
    } catch (error) {
      return {
        ...base,
        derived: null,
        problems: [...problems, `the emitted code does not load: ${String(error)}`],
      };
    }
  });
}

/** Types are stripped, nothing else: a module that imports nothing but `tsgrad`. */
function run(text: string): Exports {
  const module: { exports: Record<string, unknown> } = { exports: {} };
  const { code } = transformSync(text, {
    loader: "ts",
    format: "cjs",
    target: "node20",
    logLevel: "silent",
  });
  const own = /\$d\.(?:g|valueAndG)radOf\(/.test(text) ? fresh() : { delta, higher, runtime };
  new Function("require", "module", "exports", code)(
    (name: string) =>
      name === "tsgrad/delta"
        ? own.delta
        : name === "tsgrad/delta-higher"
          ? own.higher
          : name === "tsgrad/captured"
            ? captured
            : own.runtime,
    module,
    module.exports,
  );
  return module.exports;
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
let bundle = "";

/** A run time of its own, for a program that says what it needs: nothing is there that another one has used. */
function fresh(): {
  readonly delta: Exports;
  readonly higher: Exports;
  readonly runtime: Exports;
} {
  const contents = `export * as delta from "./runtime/delta/index.ts"; export * as higher from "./runtime/delta/higher/index.ts"; export * as runtime from "./runtime/index.ts";`;
  bundle ||=
    buildSync({
      stdin: { contents, resolveDir: ROOT },
      bundle: true,
      write: false,
      format: "iife",
      globalName: "made",
      target: "node20",
    }).outputFiles[0]?.text ?? "";
  return new Function(`${bundle}; return made;`)();
}

/** The generator's fault, not the compiler's. */
export const INVALID = "no valid TypeScript";

interface Found {
  readonly edits: Analysis["edits"];
  readonly refused: readonly string[];
  readonly problems: readonly string[];
}

/** Analyses all files together; one by one where that crashes. */
function analysed(host: TestHost, texts: ReadonlyMap<string, string>): (file: string) => Found {
  try {
    const all = analyse(host);
    return (file) => foundIn(all, file);
  } catch {
    return (file) => {
      try {
        return foundIn(analyse(host, { files: [file] }), file);
      } catch (error) {
        return {
          edits: new Map(),
          refused: [],
          problems: [
            `the compiler crashed on ${texts.get(file)?.length ?? 0} characters: ${error instanceof Error ? (error.stack ?? error.message).slice(0, 800) : String(error)}`,
          ],
        };
      }
    };
  }
}

/** Range 9 is tsgrad's own: an internal error, however well reported. */
function foundIn(all: Analysis, file: string): Found {
  const errors = all.diagnostics.filter(
    (one) => one.severity === "error" && one.span.file === file,
  );
  const internal = errors.filter(({ code }) => code.startsWith("TSG9"));
  return {
    edits: all.edits,
    refused: [...new Set(errors.map(({ code }) => code))],
    problems: internal.map(({ code, message }) => `${code} ${message}`),
  };
}
