// Compiles many programs at once. In: modules that export `f` and `args`, by name. Out: per program the original and the derived exports,
// and what TypeScript says about the edited files. Invariant: one ts.Program for all; a compiler crash on one leaves the others alone.

import ts from "typescript";
import { analyse, type Analysis } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { type Compiled, derivativesOf } from "../../transformer/pipeline.ts";
import { cloned } from "./clone.ts";
import { programOf, type TestHost } from "../program.ts";
import { isForModes } from "./sources.ts";
import { numberPaths } from "./numbers.ts";
import { type Exports, javascriptOfAll, loader, type Ready } from "./modules.ts";

/** A program as its files stand on disk: texts by path below the corpus, the one that exports `f`. */
export interface Source {
  readonly name: string;
  readonly main: string;
  readonly files: Readonly<Record<string, string>>;
}

/** What a program says about itself. */
export interface Traits {
  readonly args: readonly (readonly unknown[])[];
  /** Arguments to differentiate with respect to: those that the module names, else all that hold numbers. */
  readonly argnums: readonly number[];
  /** `vjp` alone, where the result is not a number. */
  readonly scalar: boolean;
  readonly hasAux: boolean;
  readonly expected: ((...args: readonly unknown[]) => unknown) | null;
  /** Relative error allowed, for a reason that stands beside it in the program. */
  readonly tolerance: number;
  /** Numbers that choose and are not differentiated (paths below the arguments): their gradient is 0, and differences say nothing. */
  readonly integers: readonly string[];
  /** Numbers that tell the members of a union apart (paths below the arguments): their gradient has the same number, so that it can be told, too. */
  readonly tags: readonly string[];
}

export interface Built {
  readonly source: Source;
  readonly traits: Traits;
  readonly f: (...args: readonly unknown[]) => unknown;
  /** The caller's exports, compiled; or why there are none. */
  readonly derived:
    | {
        readonly exports: Exports;
        /** Of the compiled files, which are not the original's. */ readonly classes: Exports;
      }
    | { readonly failure: string };
  /** Edited texts by file. */
  readonly edited: ReadonlyMap<string, string>;
}

export interface Corpus {
  readonly programs: ReadonlyMap<string, Built>;
  readonly original: TestHost;
  readonly options: ts.CompilerOptions;
  readonly edits: Analysis["edits"];
}

/** "run": every form of reverse mode of each program, `vjp` of those alone whose pullbacks modes.test.ts leaves out: who keeps no pullback gets other code. "few": `valueAndGrad` and `vjp`. "modes": `jvp` and `hvp`, too. "type-check": what "few" has, and nothing is loaded. */
export type Purpose = "run" | "few" | "modes" | "type-check";

/** Where the programs stand. */
export const DIRECTORY = "/src/programs/";
export const callerOf = (source: Source): string => `${DIRECTORY}${source.name}.caller.ts`;

/**
 * What each form asks for: the Delta engine, or ("within") a function around `f` that only that engine takes; beside them stands `other.chosen`, a `valueAndGrad` of `f` itself whose engine the compiler
 * chooses. Null: it chooses all.
 */
export type Through = "delta" | "within" | null;

/** `see` is shown what all of them were compiled to. */
export function corpusOf(
  sources: readonly Source[],
  options: ts.CompilerOptions = {},
  purpose: Purpose = "run",
  engine: Through = null,
  see: (compiled: Compiled) => void = () => {},
): Corpus {
  const texts = new Map(
    sources.flatMap((source) =>
      Object.entries(source.files).map(([path, text]): [string, string] => [
        `${DIRECTORY}${path}`,
        text,
      ]),
    ),
  );
  const load = loaderOf(texts, javascriptOfAll(texts.values()));
  const loaded = sources.map((source) => ({ source, ...originalOf(source, load) }));
  for (const { source, traits } of loaded)
    texts.set(callerOf(source), callerText(source, traits, purpose, engine));
  const original = programOf(Object.fromEntries(texts), options);
  const analyses = analysed(original, see);
  const programs = new Map<string, Built>();
  const edits = new Map<
    string,
    Analysis["edits"] extends ReadonlyMap<string, infer E> ? E : never
  >();
  const found = loaded.map((one) => ({ ...one, analysis: analyses(callerOf(one.source)) }));
  for (const { analysis } of found)
    for (const [file, list] of analysis.edits) edits.set(file, list);
  if (purpose === "type-check") return { programs, original, options, edits };
  const ready = javascriptOfAll(
    found.flatMap(({ source, analysis }) =>
      analysis.failure === null
        ? [...filesOf(source), callerOf(source)].map((file) => editedText(file, texts, analysis))
        : [],
    ),
  );
  for (const { source, traits, f, analysis } of found)
    programs.set(source.name, built(source, traits, f, analysis, texts, ready));
  return { programs, original, options, edits };
}

const filesOf = (source: Source): readonly string[] =>
  Object.keys(source.files).map((path) => `${DIRECTORY}${path}`);
const editedText = (file: string, texts: ReadonlyMap<string, string>, { edits }: Found): string =>
  applyEdits(file, texts.get(file) ?? "", edits.get(file) ?? []).text;
const loaderOf = (texts: ReadonlyMap<string, string>, ready: Ready): ((file: string) => Exports) =>
  loader(texts, undefined, {}, ready);

function built(
  source: Source,
  traits: Traits,
  f: Built["f"],
  analysis: Found,
  texts: ReadonlyMap<string, string>,
  ready: Ready,
): Built {
  const edited = new Map(texts);
  for (const file of analysis.edits.keys()) edited.set(file, editedText(file, texts, analysis));
  const own = new Map([...analysis.edits.keys()].map((file) => [file, edited.get(file) ?? ""]));
  if (analysis.failure !== null)
    return { source, traits, f, derived: { failure: analysis.failure }, edited: own };
  try {
    const load = loaderOf(edited, ready);
    return {
      source,
      traits,
      f,
      derived: { exports: load(callerOf(source)), classes: classesOf(source, load) },
      edited: own,
    };
  } catch (error) {
    return {
      source,
      traits,
      f,
      derived: { failure: `the emitted code does not load: ${String(error)}` },
      edited: own,
    };
  }
}

/** Exported classes and functions of all the program's files, by name. */
function classesOf(source: Source, load: (file: string) => Exports): Exports {
  const all = filesOf(source).map(load);
  const exported = Object.fromEntries(
    all.flatMap((exports) =>
      Object.entries(exports).filter(([, value]) => typeof value === "function"),
    ),
  );
  return { ...classesIn(all.map(({ args }) => args)), ...exported };
}

/** Classes of instances, by name: of those that a module keeps to itself. */
function classesIn(value: unknown, met = new Set<unknown>()): Exports {
  if (typeof value !== "object" || value === null || met.has(value)) return {};
  met.add(value);
  const own: unknown = Reflect.get(value, "constructor");
  const below = Object.assign({}, ...Object.values(value).map((inner) => classesIn(inner, met)));
  return typeof own === "function" && /^class\b/.test(String(own))
    ? { ...below, [own.name]: own }
    : below;
}

interface Found {
  readonly edits: Analysis["edits"];
  readonly failure: string | null;
}

/** Analyses all callers together; one by one where that crashes. */
function analysed(host: TestHost, see: (compiled: Compiled) => void): (caller: string) => Found {
  try {
    const { compiled, emitted } = derivativesOf(host);
    see(compiled);
    const all: Parts = { edits: emitted.edits, diagnostics: compiled.diagnostics };
    return (caller) => foundIn(all, caller);
  } catch {
    return (caller) => {
      try {
        return foundIn(analyse(host, { files: [caller] }), caller);
      } catch (error) {
        return {
          edits: new Map(),
          failure: `the compiler crashed: ${error instanceof Error ? (error.stack ?? error.message).slice(0, 1500) : String(error)}`,
        };
      }
    };
  }
}

type Parts = Pick<Analysis, "edits" | "diagnostics">;

/** The part of an analysis that belongs to one program. */
function foundIn(all: Parts, caller: string): Found {
  const prefix = caller.slice(0, -".caller.ts".length);
  const mine = (file: string): boolean =>
    file === caller || file === `${prefix}.ts` || file.startsWith(`${prefix}/`);
  const errors = all.diagnostics.filter((one) => one.severity === "error" && mine(one.span.file));
  return {
    edits: new Map([...all.edits].filter(([file]) => mine(file))),
    failure:
      errors.length === 0
        ? null
        : errors
            .map((one) => `${one.code} ${one.message} (${one.span.file}:${one.span.start})`)
            .join("\n"),
  };
}

// --------------------------------------------------------------------------------------------------- originals

type AnyCall = (...args: readonly unknown[]) => unknown;
const isCall = (value: unknown): value is AnyCall => typeof value === "function";
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

function originalOf(
  source: Source,
  load: (file: string) => Exports,
): { readonly traits: Traits; readonly f: AnyCall } {
  const main = load(`${DIRECTORY}${source.main}`);
  const f = main["f"] ?? main["default"];
  if (!isCall(f)) throw new Error(`${source.name} exports no function f`);
  return { f, traits: traitsOf(source.name, main, f) };
}

function traitsOf(name: string, main: Exports, f: AnyCall): Traits {
  const { args, argnums, expected, tolerance, integers, tags, hasAux } = main;
  const tuples = isList(args) ? args.filter(isList) : [];
  if (tuples.length === 0) throw new Error(`${name} exports no args`);
  const result = resultOf(f, tuples);
  const named = isList(argnums) ? argnums.filter((one) => typeof one === "number") : null;
  const longest = Math.max(...tuples.map((tuple) => tuple.length));
  const numeric = [...Array(longest).keys()].filter((at) =>
    tuples.some((tuple) => typeof tuple[at] === "number" || numberPaths(tuple[at]).length > 0),
  );
  return {
    args: tuples,
    argnums: named ?? numeric,
    scalar: typeof result === "number",
    hasAux: hasAux === true,
    expected: isCall(expected) ? expected : null,
    tolerance: typeof tolerance === "number" ? tolerance : 1e-7,
    integers: isList(integers) ? integers.map(String) : [],
    tags: isList(tags) ? tags.map(String) : [],
  };
}

/** The result for the first arguments on which f does not throw. */
function resultOf(f: AnyCall, tuples: readonly (readonly unknown[])[]): unknown {
  for (const tuple of tuples) {
    try {
      return f(...cloned(tuple));
    } catch {
      continue;
    }
  }
  return undefined;
}

function callerText(source: Source, traits: Traits, purpose: Purpose, engine: Through): string {
  const local = source.main.slice(source.main.indexOf("/") + 1);
  const specifier = source.main.includes("/") ? `./${source.name}/${local}` : `./${local}`;
  const own = engine === "within" ? "within" : "f";
  const imported = /export default/.test(source.files[source.main] ?? "") ? "f" : "{ f }";
  const aux =
    (traits.hasAux ? ", hasAux: true" : "") + (engine === "delta" ? `, engine: "${engine}"` : "");
  const all = `{ argnums: [${traits.argnums.join(", ")}]${aux} }`;
  const lines = [
    `import { grad, valueAndGrad, vjp } from "tsgrad";`,
    `import ${imported} from "${specifier}";`,
    ...(engine === "within" ? [withinText(traits)] : []),
  ];
  if (traits.scalar || traits.hasAux) {
    lines.push(`export const vg = valueAndGrad(${own}, ${all});`);
    if (engine !== null)
      lines.push(
        `export const other = { chosen: valueAndGrad(f, { argnums: [${traits.argnums.join(", ")}]${traits.hasAux ? ", hasAux: true" : ""} }) };`,
      );
    if (purpose === "run")
      lines.push(
        `export const g = grad(f, ${all});`,
        ...traits.argnums.map(
          (argnum) => `export const g${argnum} = grad(f, { argnums: ${argnum}${aux} });`,
        ),
      );
    else lines[0] = `import { valueAndGrad, vjp } from "tsgrad";`;
  } else {
    lines[0] = `import { vjp } from "tsgrad";`;
  }
  if (purpose === "modes") return modesText(traits, all, imported, specifier);
  const keepsPullback =
    !traits.hasAux && (purpose !== "run" || !traits.scalar || !isForModes(source.name));
  if (keepsPullback)
    lines.push(
      `export const v = vjp(${own}${engine === "delta" ? `, { engine: "${engine}" }` : ""});`,
    );
  else lines[0] = `import { ${purpose === "run" ? "grad, " : ""}valueAndGrad } from "tsgrad";`;
  return `${lines.join("\n")}\n`;
}

/** A call of `f` in a \`try\`. */
function withinText({ args }: Traits): string {
  const names = [...Array(Math.max(...args.map(({ length }) => length))).keys()].map(
    (k) => `a${k}`,
  );
  return `function within(${names.map((name, k) => `${name}: Parameters<typeof f>[${k}]`).join(", ")}): ReturnType<typeof f> { try { return f(${names.join(", ")}); } finally { void 0; } }`;
}

/** Value, pullback and pushforward for all arguments; gradient and Hessian-vector product where the result is a number. */
function modesText(traits: Traits, all: string, imported: string, specifier: string): string {
  const aux = traits.hasAux ? ", { hasAux: true }" : "";
  const second =
    traits.scalar || traits.hasAux
      ? [`export const vg = valueAndGrad(f, ${all}), h = hvp(f, ${all});`]
      : [];
  return [
    `import { jvp, vjp${second.length > 0 ? ", hvp, valueAndGrad" : ""} } from "tsgrad";`,
    `import ${imported} from "${specifier}";`,
    `export const j = jvp(f${aux}), v = vjp(f${aux});`,
    ...second,
    "",
  ].join("\n");
}
