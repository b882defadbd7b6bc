// What lowering of one function body sees of the program around it. In: nothing. Out: the interface between `index.ts`, which
// makes a context per function, and the files that lower bodies.
// Invariant: everything a body needs of the checker's world beyond its own syntax goes through here, so that it is recorded.

import type ts from "typescript";
import type { Code } from "../diagnostics/registry.ts";
import type { NamedType, Origin, Type } from "../ir/types.ts";

export type TypeScript = typeof ts;

export interface LowerContext {
  readonly ts: TypeScript;
  readonly checker: ts.TypeChecker;
  readonly program: ts.Program;
  /** Definitions of the named types met so far; grows while types are lowered. */
  readonly types: ReadonlyMap<string, NamedType>;
  /** IR type of an expression or a declaration. */
  typeOf(node: ts.Node): Type;
  typeFrom(type: ts.Type, at: ts.Node): Type;
  originOf(node: ts.Node): Origin;
  /** Registers a called function for lowering and returns its name in Program.funcs, or null after reporting why it has none. */
  callee(symbol: ts.Symbol, at: ts.Node): string | null;
  /** The declaration with a body that a function's symbol leads to (aliases followed, `const f = …` opened), or null; reports nothing. */
  bodyOf(symbol: ts.Symbol): ts.FunctionLikeDeclaration | null;
  /** Reports with the chain of calls that requested this function. An error fails the function, which may still be read to its end. */
  report(code: Code, at: ts.Node, ...args: readonly string[]): void;
  /** Reports and abandons this function. */
  reject(code: Code, at: ts.Node, ...args: readonly string[]): never;
}

/** Thrown by `reject`, caught where a function's lowering starts. */
export class Rejected extends Error {
  override readonly name = "Rejected";
}
