// Types for JavaScript of the program, so that the static engine sees it. In: a program. Out: one
// in which types that follow from use stand in the text as JSDoc, and nodes whose types are not
// true. Invariant: text is only put in, so that each place has one in the user's file.

import type ts from "typescript";
import { isPackageFile, mentionsTsgrad } from "../../1-lower/index.ts";
import type { Edit } from "../../ir/facts.ts";
import type { Origin } from "../../ir/types.ts";
import type { Compiled, CompileHost, Emitted } from "../compiled.ts";
import { programWith } from "../package-code/program-with.ts";
import { reachedBy } from "../package-code/reached.ts";
import { type Change, render, type Rendered, toPackage } from "../package-code/rendered.ts";
import { anchorOf, typesByUse, type Untyped } from "./calls.ts";
import { faultsOf } from "./faults.ts";
import { isJavaScript, JAVASCRIPT } from "./files.ts";

type Api = typeof ts;

/** Each iteration types what the functions that were typed before call. */
const MOST_ITERATIONS = 8;

interface TypedJavaScript {
  readonly host: CompileHost;
  /** Files whose code gives types to JavaScript. */
  readonly files: ReadonlySet<string>;
  /** The offset in the user's file of one in the program with types. */
  place(file: string, offset: number): number;
  /** Code without the types that were put in. */
  without(edit: Edit): Pick<Edit, "text" | "mappings">;
}

const NOTHING: ts.ModuleResolutionHost = { fileExists: () => false, readFile: () => undefined };

/** Null where derivatives reach no JavaScript. */
export function typedJavaScriptOf(given: CompileHost): TypedJavaScript | null {
  const { ts: api, program: plain, system = NOTHING } = given;
  const files = plain.getSourceFiles().filter((file) => isOwn(plain, file));
  if (files.length === 0 || !mentionsTsgrad(plain)) return null;
  let reached = reachedBy(api, plain);
  if (![...reached].some((node) => isJavaScript(node.getSourceFile()))) return null;
  const texts = new Texts(api, files);
  let program = programWith(api, plain, texts.all(), system, { checkJs: true });
  if (program.getSourceFiles().length !== plain.getSourceFiles().length) return null;
  for (let iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
    reached = reachedBy(api, program);
    const checker = program.getTypeChecker();
    const isStrict = checksMissing(program);
    if (!texts.add(typesByUse({ api, checker, isStrict }, reached))) break;
    program = programWith(api, plain, texts.all(), system, { checkJs: true });
  }
  reached = reachedBy(api, program);
  const faults = faultsOf(api, program, reached);
  return {
    host: { ...given, program, javascript: { faults } },
    files: new Set([...reached].map((node) => node.getSourceFile().fileName)),
    place: (file, offset) => texts.place(file, offset),
    without: (edit) => texts.without(edit),
  };
}

const isOwn = (program: ts.Program, file: ts.SourceFile): boolean =>
  isJavaScript(file) && !file.fileName.includes("/node_modules/") && !isPackageFile(program, file);

const checksMissing = (program: ts.Program): boolean => {
  const { strict = false, strictNullChecks = strict } = program.getCompilerOptions();
  return strictNullChecks;
};

/** The files' texts, with the types that are known so far. */
class Texts {
  readonly #api: Api;
  readonly #files: ReadonlyMap<string, ts.SourceFile>;
  readonly #changes = new Map<string, Map<number, readonly Change[]>>();
  readonly #rendered = new Map<string, Rendered>();

  constructor(api: Api, files: readonly ts.SourceFile[]) {
    this.#api = api;
    this.#files = new Map(files.map((file) => [file.fileName, file]));
    for (const file of files) this.#render(file);
  }

  all(): ReadonlyMap<string, string> {
    return new Map([...this.#rendered].map(([file, { text }]) => [file, text]));
  }

  /** Puts types in; whether there was a new one. */
  add(found: ReadonlyMap<Untyped, string>): boolean {
    const changed = new Set<ts.SourceFile>();
    for (const [node, text] of found) {
      const { fileName } = node.getSourceFile();
      const file = this.#files.get(fileName);
      if (file === undefined) continue;
      const known = this.#changes.get(fileName) ?? new Map<number, readonly Change[]>();
      const isResult = "body" in node;
      const key = this.place(fileName, node.getStart()) * 2 + (isResult ? 1 : 0);
      if (known.has(key)) continue;
      known.set(key, this.#changesFor(node, text));
      this.#changes.set(fileName, known);
      changed.add(file);
    }
    for (const file of changed) this.#render(file);
    return changed.size > 0;
  }

  #changesFor(node: Untyped, text: string): readonly Change[] {
    const { fileName } = node.getSourceFile();
    const put = (offset: number, more: string): Change => {
      const at = this.place(fileName, offset);
      return { start: at, end: at, text: more };
    };
    if ("body" in node) {
      const anchor = anchorOf(this.#api, node);
      return anchor === null ? [] : [put(anchor.getStart(), `/** @returns {${text}} */ `)];
    }
    const type = `/** @type {${text}} */ `;
    // `x => …` needs brackets for a type
    const isBare =
      this.#api.isArrowFunction(node.parent) && node.parent.getStart() === node.getStart();
    return isBare
      ? [put(node.getStart(), `(${type}`), put(node.end, ")")]
      : [put(node.getStart(), type)];
  }

  #render(file: ts.SourceFile): void {
    const changes = [...(this.#changes.get(file.fileName)?.values() ?? [])].flat();
    const rendered = render(file, { start: 0, end: file.end }, changes, ["", ""]);
    // of the same length, so that errors are seen that the user does not ask for
    const text = rendered.text.replace(/@ts-(?:nocheck|ignore|expect-error)\b/g, (word) =>
      word.replace("ts-", "no-"),
    );
    this.#rendered.set(file.fileName, { ...rendered, text });
  }

  place(file: string, offset: number): number {
    const rendered = this.#rendered.get(file);
    return rendered === undefined ? offset : toPackage(rendered, offset);
  }

  without({ text, mappings }: Edit): Pick<Edit, "text" | "mappings"> {
    const comments = new Set(
      [...this.#changes.values()].flatMap((of) =>
        [...of.values()].flat().flatMap((change) => change.text.replace(/^\(|^\)$/, "")),
      ),
    );
    const gone = [...comments].flatMap((comment) =>
      comment === "" ? [] : placesOf(comment, text).map((at) => ({ at, end: at + comment.length })),
    );
    if (gone.length === 0) return { text, mappings };
    const without = (offset: number): number =>
      gone.reduce((sum, { at, end }) => sum - Math.max(0, Math.min(offset, end) - at), offset);
    const kept = [...comments].reduce(
      (left, each) => left.replaceAll(each === "" ? "\0" : each, ""),
      text,
    );
    return {
      text: kept,
      mappings: mappings.map((one) => ({ ...one, offset: without(one.offset) })),
    };
  }
}

function placesOf(part: string, text: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length))
    found.push(at);
  return found;
}

interface Results {
  readonly compiled: Compiled;
  readonly emitted: Emitted;
}

/** Edits and diagnostics at the places of the user's files. */
export function restoredTypes(typed: TypedJavaScript, { compiled, emitted }: Results): Results {
  const placed = <T extends Origin>(one: T): T => ({
    ...one,
    start: typed.place(one.file, one.start),
    end: typed.place(one.file, one.end),
  });
  const edits = (given: Emitted["edits"]): Emitted["edits"] =>
    new Map(
      [...given].map(([file, own]) => [
        file,
        own.map((edit) => ({
          ...edit,
          start: typed.place(file, edit.start),
          end: typed.place(file, edit.end),
          ...withPlaces(typed.without(edit), placed),
        })),
      ]),
    );
  return {
    compiled: {
      ...compiled,
      diagnostics: compiled.diagnostics.map((one) => ({
        ...one,
        span: placed(one.span),
        chain: one.chain.map((link) => ({ ...link, span: placed(link.span) })),
      })),
      dependencies: new Map(
        [...compiled.dependencies].map(([file, others]) => [
          file,
          [file, ...others].some((each) => JAVASCRIPT.test(each))
            ? [...new Set([...others, ...typed.files])].filter((each) => each !== file)
            : others,
        ]),
      ),
      isWhole: false,
    },
    emitted: { ...emitted, edits: edits(emitted.edits), parts: emitted.parts.map(edits) },
  };
}

const withPlaces = (
  { text, mappings }: Pick<Edit, "text" | "mappings">,
  placed: (origin: Origin) => Origin,
): Pick<Edit, "text" | "mappings"> => ({
  text,
  mappings: mappings.map((one) => ({ ...one, origin: placed(one.origin) })),
});
