// Finds what an unnamed function in a field captures: outer variables that it reads, and `this`.
// Null where a captured variable may be reassigned, holds an unknown function or has an opaque
// type, and where the function mutates what it captures.
/* eslint-disable @typescript-eslint/no-unnecessary-condition --
   closures assign, symbols may be undefined */

import type ts from "typescript";
import { contains, scopeOf } from "./captures.ts";
import { isFixedInIteration, isMutable, REPLACERS, RESIZERS } from "../effects.ts";
import { forEachTarget } from "../assignments.ts";
import type { Frame } from "../frame.ts";
import { opened } from "../unwrap.ts";
import { elementOf } from "../types/type-shapes.ts";
import type { Captured, Captures } from "../function-values.ts";

type Literal = ts.ArrowFunction | ts.FunctionExpression;

export function capturedBy(f: Frame, literal: Literal): Captures | null {
  const walk = new Walk(f, literal);
  return walk.isPlain(literal)
    ? { values: [...walk.values.values()], functions: walk.functions, ofModule: walk.ofModule }
    : null;
}

class Walk {
  readonly values = new Map<ts.Symbol | null, Captured>();
  readonly functions = new Map<ts.Symbol, ts.FunctionLikeDeclaration>();
  ofModule = false;
  readonly #f: Frame;
  readonly #own: ts.Node[];

  constructor(f: Frame, literal: Literal) {
    this.#f = f;
    this.#own = [literal];
  }

  /** Whether the function's code and all its captures are known. */
  isPlain(fn: ts.FunctionLikeDeclaration): boolean {
    const { api } = this.#f;
    return (
      fn.asteriskToken === undefined &&
      (fn.modifiers ?? []).length === 0 &&
      fn.typeParameters === undefined &&
      !(api.isFunctionExpression(fn) && fn.name !== undefined) &&
      this.#within(fn, api.isArrowFunction(fn)) &&
      (this.values.size === 0 || this.#own.every((each) => this.#isQuiet(each)))
    );
  }

  /** `hasThis`: whether `this` is that of the surrounding code. */
  #within(node: ts.Node, hasThis: boolean): boolean {
    const { api } = this.#f;
    if (api.isTypeNode(node)) return true;
    if (
      node.kind === api.SyntaxKind.SuperKeyword ||
      api.isClassLike(node) ||
      (api.isIdentifier(node) && node.text === "arguments")
    )
      return false;
    if (node.kind === api.SyntaxKind.ThisKeyword && !(hasThis && this.#takesThis(node)))
      return false;
    if (api.isIdentifier(node) && !this.#takes(node)) return false;
    return (
      api.forEachChild(
        node,
        (child) =>
          !this.#within(
            child,
            hasThis && !(api.isFunctionLike(child) && !api.isArrowFunction(child)),
          ) || undefined,
      ) === undefined
    );
  }

  #takesThis(node: ts.Node): boolean {
    const { api } = this.#f;
    const around = api.findAncestor(
      node,
      (each) =>
        (api.isFunctionLike(each) && !api.isArrowFunction(each)) ||
        (api.isPropertyDeclaration(each) && !this.#f.ctx.classes.isStatic(each)),
    );
    if (
      around === undefined ||
      !api.isClassLike(around.parent) ||
      around.parent.typeParameters !== undefined
    )
      return false;
    if (!this.values.has(null)) this.values.set(null, { name: "self", symbol: null, node });
    return true;
  }

  #takes(node: ts.Identifier): boolean {
    const {
      api,
      ctx: { checker },
    } = this.#f;
    const { SymbolFlags, TypeFlags } = api;
    const symbol = api.isShorthandPropertyAssignment(node.parent)
      ? checker.getShorthandAssignmentValueSymbol(node.parent)
      : checker.getSymbolAtLocation(node);
    const declaration = symbol?.declarations?.[0];
    if (
      symbol !== undefined &&
      ((symbol.flags & SymbolFlags.Alias) !== 0 ||
        (declaration?.getSourceFile().isDeclarationFile === false &&
          scopeOf(declaration, api).parent === undefined &&
          (symbol.flags & SymbolFlags.Value & ~SymbolFlags.Property) !== 0))
    )
      this.ofModule = true;
    if (
      symbol === undefined ||
      declaration === undefined ||
      (symbol.flags &
        (SymbolFlags.Variable | SymbolFlags.Function | SymbolFlags.Class | SymbolFlags.Enum)) ===
        0
    )
      return true;
    if (
      declaration.getSourceFile() !== node.getSourceFile() ||
      this.#own.some((own) => contains(own, declaration)) ||
      api.isSourceFile(scopeOf(declaration, api))
    )
      return true;
    if (this.values.has(symbol) || this.functions.has(symbol)) return true;
    const held =
      api.isVariableDeclaration(declaration) && declaration.initializer !== undefined
        ? opened(this.#f, declaration.initializer)
        : declaration;
    const isFunction =
      api.isFunctionDeclaration(held) ||
      api.isArrowFunction(held) ||
      api.isFunctionExpression(held);
    const type = checker.getTypeOfSymbol(symbol);
    if (
      (symbol.flags & (SymbolFlags.Class | SymbolFlags.Enum)) !== 0 ||
      (isMutable(this.#f, symbol) && !isFixedInIteration(this.#f, declaration, symbol, node))
    )
      return false;
    if (isFunction) {
      this.functions.set(symbol, held);
      this.#own.push(held);
      return this.isPlain(held);
    }
    const tags =
      checker.getNonNullableType(elementOf(type, checker) ?? type).getCallSignatures().length > 0
        ? this.#f.ctx.classes.closures.ofName(symbol, this.#f.root)
        : undefined;
    if (
      tags === null ||
      (type.flags & (TypeFlags.Any | TypeFlags.Unknown | TypeFlags.TypeParameter)) !== 0
    )
      return false;
    this.values.set(symbol, {
      name: this.#freeName(symbol.name),
      symbol,
      node: declaration,
      ...(tags === undefined ? {} : { tags }),
    });
    return true;
  }

  #freeName(wanted: string): string {
    const taken = new Set(["fn", "self", ...[...this.values.values()].map(({ name }) => name)]);
    let name = wanted;
    for (let copy = 2; taken.has(name); copy++) name = `${wanted}${copy}`;
    return name;
  }

  /** Whether it writes only to its own variables and arrays. */
  #isQuiet(node: ts.Node): boolean {
    const { api } = this.#f;
    let isQuiet = true;
    forEachTarget(api, node, (target) => {
      isQuiet &&= api.isIdentifier(target)
        ? this.#isWithin(target)
        : (api.isElementAccessExpression(target) || api.isPropertyAccessExpression(target)) &&
          this.#isOwn(target.expression);
    });
    const callee = api.isCallExpression(node) ? opened(this.#f, node.expression) : null;
    const called = callee !== null && api.isPropertyAccessExpression(callee) ? callee : null;
    if (
      called !== null &&
      (RESIZERS.has(called.name.text) ||
        REPLACERS.has(called.name.text) ||
        WRITERS.has(called.name.text)) &&
      !this.#isOwn(called.expression)
    )
      return false;
    return (
      isQuiet && api.forEachChild(node, (child) => !this.#isQuiet(child) || undefined) === undefined
    );
  }

  #isWithin(name: ts.Identifier): boolean {
    const declaration = this.#f.symbolOf(name)?.valueDeclaration;
    return declaration !== undefined && this.#own.some((own) => contains(own, declaration));
  }

  /** What it allocates itself. */
  #isOwn(object: ts.Expression): boolean {
    const { api } = this.#f;
    const node = opened(this.#f, object);
    const declaration =
      api.isIdentifier(node) && this.#isWithin(node)
        ? this.#f.symbolOf(node)?.valueDeclaration
        : undefined;
    if (api.isElementAccessExpression(node)) return this.#isOwn(node.expression);
    const made =
      declaration !== undefined &&
      api.isVariableDeclaration(declaration) &&
      declaration.initializer !== undefined
        ? opened(this.#f, declaration.initializer)
        : null;
    return made !== null && (api.isArrayLiteralExpression(made) || api.isNewExpression(made));
  }
}

const WRITERS: ReadonlySet<string> = new Set([
  "set",
  "delete",
  "clear",
  "add",
  "assign",
  "defineProperty",
]);
