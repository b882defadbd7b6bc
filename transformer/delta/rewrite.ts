// The entries of the rewriter. In: a node of user code and a context. Out: lines of Delta code and what was not understood.
// Invariant: with problems the lines must not be emitted.

import type ts from "typescript";
import type { RewriteContext, Rewritten } from "./scope.ts";

/** `function f(x) …`, also an arrow or function expression or a method -> `function name($: any, x: any): any { … }`. */
export declare function rewriteFunction(node: ts.FunctionLikeDeclaration, name: string, context: RewriteContext): Rewritten;
/** `class C …` -> `class name …`, without its static fields: they are those of the class itself. */
export declare function rewriteClass(node: ts.ClassLikeDeclaration, name: string, context: RewriteContext): Rewritten;
/** Text of the value alone: for consts that are evaluated once. */
export declare function rewriteExpression(node: ts.Expression, context: RewriteContext): Rewritten;
/** Statements of a package's module (no imports, no exports): their names stay. */
export declare function rewriteModuleStatements(nodes: readonly ts.Statement[], context: RewriteContext): Rewritten;
