// What an editor knows of a project: diagnostics and call sites, file by file. A file with call
// sites is one unit of work; it is done again if a file changes that it can see.
// Invariant: nothing is thrown, so that a mistake of ours does not break an editor.

import type ts from "typescript";
import { type FileFacts, SiteReader } from "../../explain/sites.ts";
import type { TypeScript } from "../../analyse.ts";
import { reportInternal } from "../../diagnostics/internal.ts";
import type { Diagnostic, Span } from "../../diagnostics/report.ts";
import { Sink } from "../../diagnostics/sink.ts";
import { mentionsTsgrad, withFiles } from "../core.ts";
import { Closures } from "./closure.ts";

/** The last result for a file with call sites. */
interface Reading {
  readonly facts: FileFacts;
  /** What it was read from. */
  readonly files: ReadonlySet<ts.SourceFile>;
  /** How long that took, in milliseconds. */
  readonly time: number;
}

/** The outcome of a piece of work. */
interface Step {
  /** Whether all is known about the file. */
  readonly isDone: boolean;
  /** Whether its diagnostics are worth showing again. */
  readonly isNew: boolean;
}

const NONE: FileFacts = { diagnostics: [], sites: [] };

/** Work that is done at once, in milliseconds: nobody notices it while typing. */
const UNNOTICED_MS = 40;

export class Session {
  readonly #ts: TypeScript;
  readonly #readers = new Map<string, SiteReader>();
  readonly #readings = new Map<string, Reading>();
  readonly #closures = new WeakMap<ts.Program, Closures>();

  constructor(api: TypeScript) {
    this.#ts = api;
  }

  /** Diagnostics in a file, as far as they are known. Those before an edit keep their places. */
  diagnosticsIn(program: ts.Program, file: string): readonly Diagnostic[] {
    const found = this.#sitesSeeing(program, file).flatMap((name) =>
      this.#moved(program, this.#readings.get(name)).diagnostics.flatMap((one) =>
        placed(one, file),
      ),
    );
    const keys = found.map(({ code, span }) => `${code} ${span.start} ${span.end}`);
    return found.filter((_, i) => keys.indexOf(keys[i] ?? "") === i);
  }

  /** Call sites of a file, read now if that has not been done. */
  sitesOf(program: ts.Program, file: string): FileFacts["sites"] {
    if (!this.#hasSites(program, file)) return [];
    if (!this.#isFresh(program, file)) this.#read(program, file);
    return this.knownSitesOf(program, file);
  }

  /** Those call sites of a file that are known without work. */
  knownSitesOf(program: ts.Program, file: string): FileFacts["sites"] {
    return this.#moved(program, this.#readings.get(file)).sites;
  }

  /** Whether all is known about a file, or is quickly found. */
  settle(program: ts.Program, file: string): boolean {
    const stale = this.#staleFor(program, file);
    const known = stale.map((name) => this.#readings.get(name)?.time ?? Infinity);
    if (known.reduce((sum, time) => sum + time, 0) > UNNOTICED_MS) return false;
    for (const name of stale) this.#read(program, name);
    return true;
  }

  /** Reads one file that the diagnostics of `file` wait for, itself first. */
  step(program: ts.Program, file: string): Step {
    const [next, ...rest] = this.#staleFor(program, file);
    if (next !== undefined) this.#read(program, next);
    return { isDone: rest.length === 0, isNew: rest.length === 0 || next === file };
  }

  /** The file itself comes first. */
  #staleFor(program: ts.Program, file: string): readonly string[] {
    return this.#sitesSeeing(program, file)
      .filter((name) => !this.#isFresh(program, name))
      .sort((x, z) => Number(z === file) - Number(x === file));
  }

  /** Files with call sites that can see a file. */
  #sitesSeeing(program: ts.Program, file: string): readonly string[] {
    const source = program.getSourceFile(file);
    if (source === undefined) return [];
    return program
      .getSourceFiles()
      .map(({ fileName }) => fileName)
      .filter((name) => this.#hasSites(program, name) && this.#closure(program, name).has(source));
  }

  #hasSites(program: ts.Program, file: string): boolean {
    const source = program.getSourceFile(file);
    return (
      source !== undefined &&
      !source.isDeclarationFile &&
      !file.includes("/node_modules/") &&
      mentionsTsgrad(source.text)
    );
  }

  #isFresh(program: ts.Program, file: string): boolean {
    const reading = this.#readings.get(file);
    const now = this.#closure(program, file);
    if (reading === undefined || reading.files.size !== now.size) return false;
    return [...now].every((source) => reading.files.has(source));
  }

  #closure(program: ts.Program, file: string): ReadonlySet<ts.SourceFile> {
    const known = this.#closures.get(program) ?? new Closures(this.#ts, program);
    this.#closures.set(program, known);
    return known.of(file);
  }

  #read(program: ts.Program, file: string): void {
    const files = this.#closure(program, file);
    const begin = performance.now();
    const facts = this.#isBroken(program, files)
      ? this.#moved(program, this.#readings.get(file)) // what was known before, until it is mended
      : this.#facts(program, file);
    this.#readings.set(file, { facts, files, time: performance.now() - begin });
  }

  #facts(program: ts.Program, file: string): FileFacts {
    const reader = this.#readers.get(file) ?? new SiteReader();
    this.#readers.set(file, reader);
    try {
      return reader.read(withFiles({ ts: this.#ts, program }), file);
    } catch (error) {
      this.#readers.delete(file);
      return { ...NONE, diagnostics: [failed(error, file)] };
    }
  }

  /** Whether there is a syntax error, as often while somebody types. */
  #isBroken(program: ts.Program, files: ReadonlySet<ts.SourceFile>): boolean {
    return [...files].some(
      (source) => !source.isDeclarationFile && program.getSyntacticDiagnostics(source).length > 0,
    );
  }

  /** Facts at the places of the program's texts; without those where the text changed. */
  #moved(program: ts.Program, reading: Reading | undefined): FileFacts {
    if (reading === undefined) return NONE;
    const olds = new Map([...reading.files].map((source) => [source.fileName, source]));
    const move = (span: Span): Span | null => {
      const old = olds.get(span.file);
      const now = program.getSourceFile(span.file);
      if (old === now) return span;
      return old === undefined || now === undefined ? null : movedSpan(span, old.text, now.text);
    };
    return {
      diagnostics: reading.facts.diagnostics.flatMap((one) => {
        const span = move(one.span);
        const chain = one.chain.map((link) => ({ ...link, span: move(link.span) ?? link.span }));
        return span === null ? [] : [{ ...one, span, chain }];
      }),
      sites: reading.facts.sites.flatMap((site) => {
        const span = move(site.span);
        return span === null ? [] : [{ ...site, span }];
      }),
    };
  }
}

/** A diagnostic as a file shows it: the code that it speaks of, or the call that asks for it. */
function placed(diagnostic: Diagnostic, file: string): readonly Diagnostic[] {
  if (diagnostic.span.file === file) return [diagnostic];
  const call = diagnostic.chain.find(({ span }) => span.file === file);
  if (call === undefined) return [];
  const cause = { text: diagnostic.message, span: diagnostic.span };
  return [{ ...diagnostic, span: call.span, chain: [cause] }];
}

/** The span after one edit; null if the edit is in it. */
function movedSpan(span: Span, before: string, after: string): Span | null {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  if (span.end <= head) return span;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  if (span.start < before.length - tail) return null;
  const shift = after.length - before.length;
  return { ...span, start: span.start + shift, end: span.end + shift };
}

const failed = (error: unknown, file: string): Diagnostic =>
  reportInternal(new Sink(), error, { name: "this file", span: { file, start: 0, end: 0 } });
