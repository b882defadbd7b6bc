// The interface through which the lowering of one function body sees the program around it.
// lowering-context.ts makes one per function. Invariant: all requests for other functions go
// through here, so that they are registered.

import type ts from "typescript";
import type { Lowering } from "./lowering.ts";
import type { TypeScript } from "./typescript.ts";
import type { Code } from "../diagnostics/registry.ts";
import type { Derivation, Form } from "../ir/facts.ts";
import type { Func, NamedType, Origin, Type } from "../ir/types.ts";
import type { Definition, ClosureField } from "./function-values.ts";
import type { Operator, Solver } from "./sites/forms.ts";
import type { Classes } from "./classes/classes.ts";
import type { MemberKind, Found, ClassNode } from "./classes/class-declarations.ts";
import type { TypeArguments } from "./types/type-arguments.ts";
import type { Names } from "./checker.ts";
import type { CopiedCode } from "./services.ts";

/** A class member as a function. */
export type MemberUse =
  /** The member for instances of exactly the class `receiver`; `isSuper`: called as `super.m`. */
  | {
      readonly kind: MemberKind;
      readonly receiver: ClassNode;
      readonly found: Found;
      readonly isSuper: boolean;
    }
  | { readonly kind: "static"; readonly found: Found }
  | { readonly kind: "new"; readonly receiver: ClassNode };

export interface LowerContext {
  /** Entry points of lowering that files reach through the frame. */
  readonly lowering: Lowering;
  readonly ts: TypeScript;
  readonly checker: ts.TypeChecker;
  readonly program: ts.Program;
  /** Whether types include `null` and `undefined`: `strictNullChecks`. */
  readonly hasStrictNulls: boolean;
  /** Definitions of the named types so far; grows while types are lowered. */
  readonly types: ReadonlyMap<string, NamedType>;
  /** The IR type of an expression or a declaration. */
  typeOf(node: ts.Node): Type;
  /** The IR type of a checker's type; `given` instantiates its type parameters. */
  typeFrom(type: ts.Type, at: ts.Node, given?: TypeArguments): Type;
  originOf(node: ts.Node): Origin;
  /** Whether types are not true there. */
  isFaulty(node: ts.Node): boolean;
  readonly classes: Classes;
  /** The type of instances of exactly this class, with these type arguments. */
  exact(node: ClassNode, at: ts.Node, args?: readonly Type[]): Type;
  /** The type arguments of a class and of its bases, in instances of this type. */
  givenIn(type: Type, node: ClassNode): TypeArguments;
  /** The type of the tags for the functions of a field or array. */
  tagsType(field: ClosureField, at: ts.Node): Type;
  /** The key of a class in Program.homes. */
  homeOf(node: ClassNode): string;
  /** The class of exactly whose instances this is the type. */
  classOf(type: Type): ClassNode | null;
  /** Whether objects of no class of the program may have this type. */
  isOpen(type: Type): boolean;
  /** Whether instances of a base of the declared class may have this type. */
  hasBases(type: Type): boolean;
  /** Registers a class member; gives its name in Program.funcs, or null after an error. */
  member(use: MemberUse, at: ts.Node): string | null;
  readonly packageCode: CopiedCode | undefined;
  /** The copy of a package's function that an expression means. */
  copied(node: ts.Expression): ts.Symbol | null;
  /** Registers a called function; gives its name in Program.funcs, or null after an error. */
  callee(symbol: ts.Symbol, at: ts.Node): string | null;
  /** The form of tsgrad that a symbol means. */
  formOf(symbol: ts.Symbol): Form | null;
  /** The operator of tsgrad that a symbol means. */
  operatorOf(symbol: ts.Symbol): Operator | null;
  /** The solver of tsgrad/implicit that a symbol means. */
  solverOf(symbol: ts.Symbol): Solver | null;
  /** Requests a derivative that the body calls by that name. */
  derive(name: string, derivation: Derivation): void;
  /** Reserves a name for a function lifted out of a closure. */
  reserveName(wanted?: string): string;
  /** Adds a lifted function. */
  addLifted(func: Func): void;
  /** The `defineDerivative` rule of a function, by its symbol or by the statement. */
  definitionOf(symbol: ts.Symbol, at: ts.Node): Definition | null;
  definitionAt(call: ts.CallExpression): Definition | null;
  /** Registers a function with such a rule; gives its name, or null after an error. */
  addDefined(call: ts.CallExpression, at: ts.Node): string | null;
  /** Adds a function that the module can name but whose code the build does not see. */
  addExternal(text: string, func: Pick<Func, "params" | "result" | "body">, at: ts.Node): string;
  /** Adds a module's export that emitted code imports. Its body is a model and is never emitted. */
  addImport(
    exported: string,
    specifier: string,
    func: Pick<Func, "params" | "result" | "body" | "rule">,
    at: ts.Node,
  ): string;
  /** The declaration with a body of a function, through aliases and `const f = …`, or null. */
  bodyOf(symbol: ts.Symbol): ts.FunctionLikeDeclaration | null;
  /** The declaration with a body, or one whose derivatives are shipped. */
  declarationOf(symbol: ts.Symbol, at: ts.Node): ts.FunctionLikeDeclaration | null;
  /** Reports with the chain of calls that requested this function; an error fails the function. */
  report(code: Code, at: ts.Node, ...args: readonly string[]): void;
  /** Reports and abandons the function. */
  reject(code: Code, at: ts.Node, ...args: readonly string[]): never;
}

/** Thrown by `reject`, caught where a function's lowering starts. */
export class Rejected extends Error {
  override readonly name = "Rejected";
}

/** The program and place for which a question about it is asked. */
export interface Asking extends Names {
  readonly program: ts.Program;
  readonly classes: Classes;
  /** The code that depends on the answer. */
  readonly at: ts.Node;
}
