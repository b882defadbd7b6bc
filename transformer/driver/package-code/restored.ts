// Takes the copies out of a compilation's results. In: edits and places in files with copies. Out:
// edits of the user's files, with the constants that they mention, and places in the package's
// files. Invariant: no offset is beyond the user's text.

import type { Diagnostic } from "../../diagnostics/report.ts";
import type { Edit } from "../../ir/facts.ts";
import type { Origin } from "../../ir/types.ts";
import { importText } from "../../code/quote.ts";
import { firstStatement } from "../../5-emit/edits.ts";
import { wordSet } from "../../5-emit/names/module-names.ts";
import type { Compiled, CompileHost, Emitted } from "../compiled.ts";
import { packageOf } from "./dependents.ts";
import type { FileCode, PackageCode } from "./package-code.ts";
import { type Copy, type Placed, placeOf } from "./copies.ts";
import { importsOf } from "./uses.ts";

type Edits = ReadonlyMap<string, readonly Edit[]>;

export const withCode = (host: CompileHost, code: PackageCode): CompileHost => ({
  ...host,
  program: code.program,
  packageCode: code,
});

interface Results {
  readonly compiled: Compiled;
  readonly emitted: Emitted;
}

export function restoredFrom(code: PackageCode, { compiled, emitted }: Results): Results {
  return {
    compiled: {
      ...compiled,
      diagnostics: compiled.diagnostics.map((one) => diagnosticIn(code, one)),
      dependencies: new Map(
        [...compiled.dependencies].map(([file, others]) => [
          file,
          code.files.has(file) ? [...new Set([...others, ...code.read.keys()])] : others,
        ]),
      ),
      // an edit of a package goes unseen by those who reuse parts
      isWhole: false,
    },
    emitted: {
      ...emitted,
      edits: withoutCopies(code, emitted.edits),
      parts: emitted.parts.map((part) => withoutCopies(code, part)),
    },
  };
}

export const errorCount = ({ diagnostics }: Compiled): number =>
  diagnostics.filter(({ severity }) => severity === "error").length;

/** Packages whose state two engines would have twice (TSG1303): by the names that import them. */
export function dividedPackages(
  { ts: api, program }: CompileHost,
  { diagnostics }: Compiled,
): readonly string[] {
  return diagnostics.flatMap(({ code, span }) => {
    const file = code === "TSG1303" ? program.getSourceFile(span.file) : undefined;
    if (file === undefined) return [];
    const [name = ""] = /^[\w$]+/.exec(file.text.slice(span.start, span.end)) ?? [];
    const from = importsOf(api, file, program.getTypeChecker()).get(name);
    return from === undefined ? [] : [packageOf(from.specifier)];
  });
}

const withoutCopies = (code: PackageCode, edits: Edits): Edits =>
  new Map(
    [...edits].map(([file, own]) => {
      const known = code.files.get(file);
      return [file, known === undefined ? own : restored(code, known, own)];
    }),
  );

function restored(code: PackageCode, file: FileCode, edits: readonly Edit[]): readonly Edit[] {
  const mapped = edits.map((edit): Edit => ({
    ...edit,
    start: Math.min(edit.start, file.length),
    end: Math.min(edit.end, file.length),
    mappings: edit.mappings.map((one) => ({ ...one, origin: placeIn(code, one.origin) })),
  }));
  const wanted = valuesIn(file, mapped);
  const functions = wanted.filter(({ copy }) => copy.kind === "function");
  const values = wanted.filter((one) => !functions.includes(one));
  const start = firstStatement(file.text);
  return [
    { at: start, text: values.map((one) => `${inOneLine(textOf(one))} `).join("") },
    { at: file.length, text: functions.map((one) => `\n${textOf(one)}\n`).join("") },
  ].reduce(withText, mapped);
}

/** Adds text behind what an edit inserts at a place. */
function withText(edits: readonly Edit[], { at, text }: { at: number; text: string }): Edit[] {
  if (text === "") return [...edits];
  const there = edits.find(({ start, end }) => start === at && end === at);
  if (there !== undefined)
    return edits.map((edit) => (edit === there ? { ...edit, text: edit.text + text } : edit));
  const next = edits.findIndex(({ start }) => start >= at);
  return edits.toSpliced(next < 0 ? edits.length : next, 0, {
    ...{ start: at, end: at, text },
    mappings: [],
  });
}

/** Values stand before the user's first statement, which may need them, and move no line. */
const inOneLine = (text: string): string =>
  text.replace(
    /("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)|\/\/.*|\/\*[^]*?\*\/|\s+/g,
    (_, string: string | undefined) => string ?? " ",
  );

/** The package's own class stands for its copy. */
const textOf = ({ copy: { shape, name, specifier }, rendered }: Placed): string =>
  shape === undefined
    ? rendered.text
    : importText([`${shape.exportName} as ${name}`], specifier, false);

/** The copies that generated code mentions and does not declare itself. */
function valuesIn({ placed }: FileCode, edits: readonly Edit[]): readonly Placed[] {
  const words = new Set(edits.flatMap(({ text }) => [...wordSet(text)]));
  const isDeclared = ({ name, kind }: Copy): boolean =>
    kind === "class"
      ? edits.some(({ text }) => text.includes(` as ${name} `))
      : kind === "function" &&
        edits.some(
          ({ text }) => text.includes(`function ${name}(`) || text.includes(`const ${name} `),
        );
  const wanted = new Set<Copy>(
    placed.flatMap(({ copy }) => (words.has(copy.name) && !isDeclared(copy) ? [copy] : [])),
  );
  for (const { uses, shape } of wanted)
    if (shape === undefined)
      for (const used of uses.values()) if (!isDeclared(used)) wanted.add(used);
  return placed.filter(({ copy }) => wanted.has(copy));
}

/** The place in the package's file for one in a copy. */
export function placeIn(code: PackageCode, origin: Origin): Origin {
  const file = code.files.get(origin.file);
  if (file === undefined || origin.start < file.length) return origin;
  const start = placeOf(file.placed, origin.start);
  const end = placeOf(file.placed, origin.end);
  return start === null
    ? { ...origin, start: file.length, end: file.length }
    : {
        file: start.module.file,
        start: start.start,
        end: Math.max(start.start, end?.start ?? 0),
      };
}

const diagnosticIn = (code: PackageCode, diagnostic: Diagnostic): Diagnostic => ({
  ...diagnostic,
  span: placeIn(code, diagnostic.span),
  chain: diagnostic.chain.map((link) => ({ ...link, span: placeIn(code, link.span) })),
});
