// What lowering of one function body sees of the program around it. In: nothing. Out: the interface between `index.ts`, which
// makes a context per function, and the files that lower bodies.
// Invariant: everything a body needs of the checker's world beyond its own syntax goes through here, so that it is recorded.

import type ts from "typescript";
import type { Code } from "../diagnostics/registry.ts";
import type { Derivation, Form } from "../ir/facts.ts";
import type { Func, NamedType, Origin, Type } from "../ir/types.ts";
import type { Definition } from "./sites/definitions.ts";
import type { Operator, Solver } from "./sites/forms.ts";
import type { ClosureField } from "./functions/closure-fields.ts";
import type { Classes, ClassNode, Found, MemberKind } from "./classes/classes.ts";
import type { TypeArguments } from "./types/type-arguments.ts";

export type TypeScript = typeof ts;

/** A member of a class as a function of its own. */
export type MemberUse =
  /** What `o.m` runs on instances of exactly the class `receiver`; `isSuper`: asked for by `super.m`. */
  | {
      readonly kind: MemberKind;
      readonly receiver: ClassNode;
      readonly found: Found;
      readonly isSuper: boolean;
    }
  | { readonly kind: "static"; readonly found: Found }
  | { readonly kind: "new"; readonly receiver: ClassNode };

export interface LowerContext {
  readonly ts: TypeScript;
  readonly checker: ts.TypeChecker;
  readonly program: ts.Program;
  /** Whether types say which values may be `null` or `undefined`: `strictNullChecks`. */
  readonly saysMissing: boolean;
  /** Definitions of the named types met so far; grows while types are lowered. */
  readonly types: ReadonlyMap<string, NamedType>;
  /** IR type of an expression or a declaration. */
  typeOf(node: ts.Node): Type;
  /** `given`: what type parameters in it stand for. */
  typeFrom(type: ts.Type, at: ts.Node, given?: TypeArguments): Type;
  originOf(node: ts.Node): Origin;
  readonly classes: Classes;
  /** The type of instances of exactly this class; of a generic one, with these arguments. */
  exact(node: ClassNode, at: ts.Node, args?: readonly Type[]): Type;
  /** What the type parameters of a class, and of those it derives from, stand for in instances of this type. */
  givenIn(type: Type, node: ClassNode): TypeArguments;
  /** The type of what stands for the functions of such a field, or list. */
  tagsType(field: ClosureField, at: ts.Node): Type;
  /** Key into Program.homes of a class. */
  homeOf(node: ClassNode): string;
  /** The class whose instances, and no subclass's, have this type. */
  classOf(type: Type): ClassNode | null;
  /** Whether objects that are of no class of the program may have this type. */
  isOpen(type: Type): boolean;
  /** Registers a member of a class for lowering and returns its name in Program.funcs, or null after reporting why it has none. */
  member(use: MemberUse, at: ts.Node): string | null;
  /** Registers a called function for lowering and returns its name in Program.funcs, or null after reporting why it has none. */
  callee(symbol: ts.Symbol, at: ts.Node): string | null;
  /** The form of tsgrad that a symbol stands for. */
  formOf(symbol: ts.Symbol): Form | null;
  /** The operator of tsgrad that a symbol stands for. */
  operatorOf(symbol: ts.Symbol): Operator | null;
  /** The solver of tsgrad/implicit that a symbol stands for. */
  solverOf(symbol: ts.Symbol): Solver | null;
  /** Asks for a derivative that the body calls by that name. */
  derive(name: string, derivation: Derivation): void;
  /** A name of its own for a function that the body makes of a closure. */
  reserve(wanted?: string): string;
  /** Adds such a function. */
  lifted(func: Func): void;
  /** The rule that `defineDerivative` gives what a symbol stands for at a node, and the rule that a statement of that gives. */
  definitionOf(symbol: ts.Symbol, at: ts.Node): Definition | null;
  definitionAt(call: ts.CallExpression): Definition | null;
  /** Registers a function with such a rule, and gives its name in Program.funcs; null where it cannot be differentiated, which is reported. */
  defined(call: ts.CallExpression, at: ts.Node): string | null;
  /** Adds a function that the module at hand can name, and the build does not see, as `imported` does. */
  outside(text: string, func: Pick<Func, "params" | "result" | "body">, at: ts.Node): string;
  /** Adds an export of a module that emitted code imports, and gives its name in Program.funcs. Its body stands in for the real one and is never emitted. */
  imported(
    exported: string,
    specifier: string,
    func: Pick<Func, "params" | "result" | "body" | "rule">,
    at: ts.Node,
  ): string;
  /** The declaration with a body that a function's symbol leads to (aliases followed, `const f = …` opened), or null; reports nothing. */
  bodyOf(symbol: ts.Symbol): ts.FunctionLikeDeclaration | null;
  /** The same, or a declaration whose derivatives are shipped. */
  headOf(symbol: ts.Symbol, at: ts.Node): ts.FunctionLikeDeclaration | null;
  /** Reports with the chain of calls that requested this function. An error fails the function, which may still be read to its end. */
  report(code: Code, at: ts.Node, ...args: readonly string[]): void;
  /** Reports and abandons this function. */
  reject(code: Code, at: ts.Node, ...args: readonly string[]): never;
}

/** Thrown by `reject`, caught where a function's lowering starts. */
export class Rejected extends Error {
  override readonly name = "Rejected";
}
