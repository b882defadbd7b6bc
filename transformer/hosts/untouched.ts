// The files that derivatives leave as they are: the first program checks them while derivatives are made, and answers for them. In: the first program, and which files may be edited. Out: an
// overlay program that has the others checked and emitted by the first one. Invariant: nobody sees a difference but in time. Where a checker's history shows in what it writes (declarations, and
// what builders keep), or a program is emitted as one, the overlay program checks everything itself.

import type ts from "typescript";
import type { TypeScript } from "../analyse.ts";

/** What of a program is replaced; builders call the second. */
type Checks = Record<"getSemanticDiagnostics" | "getBindAndCheckDiagnostics", ((file?: ts.SourceFile, ...rest: unknown[]) => readonly ts.Diagnostic[]) | undefined>;

const CHECKS = ["getSemanticDiagnostics", "getBindAndCheckDiagnostics"] as const;

export class Untouched {
  readonly #first: ts.Program;
  /** Files that the first program has checked. */
  readonly #checked = new Set<string>();

  private constructor(first: ts.Program) {
    this.#first = first;
  }

  /** Null where the overlay program is to check everything. */
  static of(first: ts.Program): Untouched | null {
    const { declaration, composite, incremental, watch, outFile, noEmitOnError, noCheck, plugins } = first.getCompilerOptions();
    // another transformer sees the overlay program's checker only
    const isAlone = !Array.isArray(plugins) || plugins.length <= 1;
    return declaration === true || composite === true || incremental === true || watch === true || outFile !== undefined || noEmitOnError === true || noCheck === true || !isAlone ? null : new Untouched(first);
  }

  /** What else there is to do while derivatives are made. */
  check(edited: ReadonlySet<string>): void {
    for (const file of this.#first.getSourceFiles()) {
      if (edited.has(file.fileName)) continue;
      this.#first.getSemanticDiagnostics(file);
      this.#checked.add(file.fileName);
    }
  }

  /** `edited`: the files that are others in the overlay program. */
  answerIn(made: ts.Program, edited: (file: string) => boolean, api: TypeScript): void {
    if (this.#checked.size === 0) return;
    const own = ({ fileName }: ts.SourceFile): boolean => !this.#checked.has(fileName) || edited(fileName);
    const checks = made as unknown as Checks, known = this.#first as unknown as Checks; // the second is internal
    for (const name of CHECKS) {
      const [there, here] = [known[name]?.bind(this.#first), checks[name]?.bind(made)];
      if (there === undefined || here === undefined) continue;
      const of = (file: ts.SourceFile, rest: readonly unknown[]): readonly ts.Diagnostic[] => (own(file) ? here : there)(file, ...rest);
      checks[name] = (file, ...rest) => (file === undefined ? api.sortAndDeduplicateDiagnostics(made.getSourceFiles().flatMap((each) => of(each, rest))) : of(file, rest));
    }
    // emits nothing, and says so of a program and of a file in different words
    if (made.getCompilerOptions().noEmit === true) return;
    const emit = made.emit.bind(made);
    const emitted = (file: ts.SourceFile, rest: EmitRest): ts.EmitResult => (own(file) ? emit(file, ...rest) : this.#first.emit(file, ...rest));
    made.emit = (file, ...rest) => (file === undefined ? united(made.getSourceFiles().filter(({ isDeclarationFile }) => !isDeclarationFile).map((each) => emitted(each, rest))) : emitted(file, rest));
  }
}

type EmitRest = Parameters<ts.Program["emit"]> extends [unknown?, ...infer Rest] ? Rest : never;

const united = (results: readonly ts.EmitResult[]): ts.EmitResult => {
  const files = results.flatMap(({ emittedFiles }) => emittedFiles ?? []);
  return { emitSkipped: results.some(({ emitSkipped }) => emitSkipped), diagnostics: results.flatMap(({ diagnostics }) => diagnostics), ...(results.some(({ emittedFiles }) => emittedFiles !== undefined) ? { emittedFiles: files } : {}) };
};
