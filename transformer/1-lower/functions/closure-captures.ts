// Finds what an unnamed function in a field captures: outer variables that it reads, and `this`.
// Null where a captured variable may be reassigned, holds an unknown function or has an opaque
// type, and where the function mutates what it captures.
/* eslint-disable @typescript-eslint/no-unnecessary-condition --
   closures assign, symbols may be undefined */

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { contains, functionDeclared, scopeOf } from "./captures.ts";
import { isFixedInIteration, isMutable, REPLACERS, RESIZERS } from "../effects.ts";
import { forEachTarget } from "../assignments.ts";
import type { Frame } from "../frame.ts";
import type { TypeScript } from "../typescript.ts";
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
      (this.values.size === 0 || isQuiet(this.#f, this.#own))
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
    const { api, ctx } = this.#f;
    const symbol = api.isShorthandPropertyAssignment(node.parent)
      ? ctx.checker.getShorthandAssignmentValueSymbol(node.parent)
      : ctx.checker.getSymbolAtLocation(node);
    const declaration = symbol?.declarations?.[0];
    if (symbol !== undefined && isOfModule(symbol, api)) this.ofModule = true;
    if (
      symbol === undefined ||
      declaration === undefined ||
      !this.#isCapture(node, symbol, declaration) ||
      this.values.has(symbol) ||
      this.functions.has(symbol)
    )
      return true;
    const isMoving =
      isMutable(this.#f, symbol) && !isFixedInIteration(this.#f, declaration, symbol, node);
    if (isMoving || (symbol.flags & (api.SymbolFlags.Class | api.SymbolFlags.Enum)) !== 0)
      return false;
    const fn = functionDeclared(declaration, api);
    if (fn === null) return this.#takesValue(symbol, declaration);
    this.functions.set(symbol, fn);
    this.#own.push(fn);
    return this.isPlain(fn);
  }

  /** Whether a name means what a scope around the function declares. */
  #isCapture(node: ts.Node, symbol: ts.Symbol, declaration: ts.Declaration): boolean {
    const { api } = this.#f;
    const { Variable, Function, Class, Enum } = api.SymbolFlags;
    return (
      (symbol.flags & (Variable | Function | Class | Enum)) !== 0 &&
      declaration.getSourceFile() === node.getSourceFile() &&
      !this.#own.some((own) => contains(own, declaration)) &&
      !api.isSourceFile(scopeOf(declaration, api))
    );
  }

  /** The value of a type that is known, with the functions that it may hold. */
  #takesValue(symbol: ts.Symbol, node: ts.Declaration): boolean {
    const {
      api: { TypeFlags },
      ctx: { checker, classes },
      root,
    } = this.#f;
    const type = checker.getTypeOfSymbol(symbol);
    const element = checker.getNonNullableType(elementOf(type, checker) ?? type);
    const hasFunctions = element.getCallSignatures().length > 0;
    const tags = hasFunctions ? classes.closures.ofName(symbol, root) : undefined;
    const isOpaque =
      (type.flags & (TypeFlags.Any | TypeFlags.Unknown | TypeFlags.TypeParameter)) !== 0;
    if (tags === null || isOpaque) return false;
    const name = this.#freeName(symbol.name);
    this.values.set(symbol, { name, symbol, node, ...(tags === undefined ? {} : { tags }) });
    return true;
  }

  #freeName(wanted: string): string {
    const taken = new Set(["fn", "self", ...[...this.values.values()].map(({ name }) => name)]);
    let name = wanted;
    for (let copy = 2; taken.has(name); copy++) name = `${wanted}${copy}`;
    return name;
  }
}

/** Whether functions write only to their own arrays, and assign no variable but their own. */
export const isQuiet = (f: Frame, own: readonly ts.Node[]): boolean =>
  own.every((each) => !writesOuter(f, own, each, true));

/** Whether functions write to arrays or objects that they do not allocate. */
export const writesOuterObjects = (f: Frame, own: readonly ts.Node[]): boolean =>
  own.some((each) => writesOuter(f, own, each, false));

function writesOuter(
  f: Frame,
  own: readonly ts.Node[],
  node: ts.Node,
  alsoVariables: boolean,
): boolean {
  const { api } = f;
  let writes = false;
  forEachTarget(api, node, (target) => {
    writes ||= api.isIdentifier(target)
      ? alsoVariables && !isWithin(f, own, target)
      : !(api.isElementAccessExpression(target) || api.isPropertyAccessExpression(target)) ||
        !isOwn(f, own, target.expression);
  });
  const callee = api.isCallExpression(node) ? bare(node.expression, f.api) : null;
  const called = callee !== null && api.isPropertyAccessExpression(callee) ? callee : null;
  if (
    called !== null &&
    (RESIZERS.has(called.name.text) ||
      REPLACERS.has(called.name.text) ||
      WRITERS.has(called.name.text)) &&
    !isOwn(f, own, called.expression)
  )
    return true;
  return (
    writes ||
    api.forEachChild(node, (child) => writesOuter(f, own, child, alsoVariables) || undefined) ===
      true
  );
}

function isWithin(f: Frame, own: readonly ts.Node[], name: ts.Identifier): boolean {
  const declaration = f.symbolOf(name)?.valueDeclaration;
  return declaration !== undefined && own.some((each) => contains(each, declaration));
}

/** What they allocate themselves. */
function isOwn(f: Frame, own: readonly ts.Node[], object: ts.Expression): boolean {
  const { api } = f;
  const node = bare(object, f.api);
  const declaration =
    api.isIdentifier(node) && isWithin(f, own, node)
      ? f.symbolOf(node)?.valueDeclaration
      : undefined;
  if (api.isElementAccessExpression(node)) return isOwn(f, own, node.expression);
  const made =
    declaration !== undefined &&
    api.isVariableDeclaration(declaration) &&
    declaration.initializer !== undefined
      ? bare(declaration.initializer, f.api)
      : null;
  return made !== null && (api.isArrayLiteralExpression(made) || api.isNewExpression(made));
}

/** Whether a name means an import, or a value at the top of a module of the program. */
function isOfModule({ flags, declarations }: ts.Symbol, api: TypeScript): boolean {
  const { Alias, Value, Property } = api.SymbolFlags;
  const declaration = declarations?.[0];
  return (
    (flags & Alias) !== 0 ||
    ((flags & Value & ~Property) !== 0 &&
      declaration?.getSourceFile().isDeclarationFile === false &&
      scopeOf(declaration, api).parent === undefined)
  );
}

const WRITERS: ReadonlySet<string> = new Set([
  "set",
  "delete",
  "clear",
  "add",
  "assign",
  "defineProperty",
]);
