// Finds the key of a memo in a comparison: `x !== last`, `e.x === model.last`. In: an operand. Out:
// what may be kept beside it, for the runtime to mark where an active number finds itself there.
// Invariant: a key outlives calls and functions write it; local variables and settings are none.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { isAssigned } from "../../syntax/assignments.ts";
import { type AssignedVariables } from "../assigned.ts";

/** What lies beside a key: the object that has it, or the variables of its block. */
export type Key =
  | { readonly kind: "field"; readonly owner: ts.Expression }
  | { readonly kind: "variable"; readonly siblings: readonly ts.VariableDeclaration[] };

export interface KeysHost {
  readonly ts: typeof ts;
  readonly checker: ts.TypeChecker;
  readonly files: readonly ts.SourceFile[];
  readonly assigned: AssignedVariables;
}

export class Keys {
  readonly #host: KeysHost;
  readonly #siblings = new Map<ts.Node, readonly ts.VariableDeclaration[]>();
  #written: ReadonlyMap<string, readonly ts.Node[]> | undefined;

  constructor(host: KeysHost) {
    this.#host = host;
  }

  /** The key that an operand reads, directly or by a constant of the function. */
  at(operand: ts.Expression): Key | null {
    const { ts: api } = this.#host;
    const node = bare(operand, api);
    if (api.isPropertyAccessExpression(node))
      return this.#isWritten(node, node.name.text) ? fieldOf(node.expression, api) : null;
    if (api.isElementAccessExpression(node) && api.isNumericLiteral(node.argumentExpression))
      return this.#isFilled(node.expression) ? fieldOf(node.expression, api) : null;
    return api.isIdentifier(node) ? this.#ofVariable(node) : null;
  }

  #ofVariable(node: ts.Identifier): Key | null {
    const { ts: api, checker, assigned } = this.#host;
    const symbol = checker.getSymbolAtLocation(node);
    const declaration = symbol?.valueDeclaration;
    if (symbol === undefined || declaration === undefined) return null;
    if (api.isBindingElement(declaration)) return this.#boundBy(declaration);
    if (!api.isVariableDeclaration(declaration)) return null;
    const isOwn = isBefore(declaration, node, api);
    if (!assigned.has(symbol))
      return isOwn && declaration.initializer !== undefined
        ? this.at(declaration.initializer)
        : null;
    return isOwn ? null : { kind: "variable", siblings: this.#siblingsOf(declaration, node) };
  }

  /** `const { last } = this` */
  #boundBy(node: ts.BindingElement): Key | null {
    const { ts: api } = this.#host;
    const { parent: pattern } = node;
    const name = node.propertyName ?? node.name;
    const from = api.isVariableDeclaration(pattern.parent) ? pattern.parent.initializer : undefined;
    return api.isObjectBindingPattern(pattern) &&
      api.isIdentifier(name) &&
      from !== undefined &&
      this.#isWritten(node, name.text)
      ? fieldOf(from, api)
      : null;
  }

  /** The variables of a block that may hold what a key stands for, at a comparison. */
  #siblingsOf(key: ts.VariableDeclaration, at: ts.Node): readonly ts.VariableDeclaration[] {
    const { ts: api } = this.#host;
    const block = api.isVariableStatement(key.parent.parent) ? key.parent.parent.parent : undefined;
    if (block === undefined || !(api.isSourceFile(block) || api.isBlock(block))) return [key];
    const known = this.#siblings.get(block) ?? this.#keeping(block.statements);
    this.#siblings.set(block, known);
    // a later variable of a function may not be initialised yet
    return known.filter(({ pos }) => api.isSourceFile(block) || pos < at.pos);
  }

  #keeping(statements: readonly ts.Statement[]): readonly ts.VariableDeclaration[] {
    const { ts: api, checker, assigned } = this.#host;
    return statements
      .flatMap((one) => (api.isVariableStatement(one) ? one.declarationList.declarations : []))
      .filter(({ name, initializer }) => {
        const symbol = api.isIdentifier(name) ? checker.getSymbolAtLocation(name) : undefined;
        return (
          symbol !== undefined &&
          (assigned.has(symbol) ||
            (initializer !== undefined &&
              isMade(bare(initializer, api), api) &&
              this.#fills(symbol)))
        );
      });
  }

  /** Whether functions write a property of this name and declaration. */
  #isWritten(node: ts.PropertyAccessExpression | ts.BindingElement, name: string): boolean {
    const { ts: api } = this.#host;
    this.#written ??= writesIn(this.#host);
    const meant = this.#declarationOf(api.isBindingElement(node) ? node : node.name, name);
    return (this.#written.get(name) ?? []).some((one) => {
      const other = this.#declarationOf(one, name);
      return meant === undefined || other === undefined || meant === other;
    });
  }

  #declarationOf(node: ts.Node, name: string): ts.Declaration | undefined {
    const { ts: api, checker } = this.#host;
    const literal = api.isObjectLiteralElement(node) ? node.parent : undefined;
    const type =
      literal !== undefined && api.isObjectLiteralExpression(literal)
        ? checker.getContextualType(literal)
        : api.isBindingElement(node)
          ? checker.getTypeAtLocation(node.parent)
          : undefined;
    const symbol =
      literal === undefined && !api.isBindingElement(node)
        ? checker.getSymbolAtLocation(node)
        : type === undefined
          ? undefined
          : checker.getPropertyOfType(checker.getNonNullableType(type), name);
    const found = symbol?.declarations?.[0];
    // `Object.assign(s, { last: x })` says nothing of the type of `s`
    return found === node ? undefined : found;
  }

  #isFilled(object: ts.Expression): boolean {
    const { ts: api, checker } = this.#host;
    const node = bare(object, api);
    const symbol = checker.getSymbolAtLocation(
      api.isPropertyAccessExpression(node) ? node.name : node,
    );
    return (
      symbol !== undefined &&
      (api.isPropertyAccessExpression(node) ||
        this.#host.assigned.has(symbol) ||
        this.#fills(symbol))
    );
  }

  /** Whether functions write into the object of a constant: `out[0] = v`, `out.push(v)`. */
  #fills(symbol: ts.Symbol): boolean {
    const { ts: api, assigned } = this.#host;
    const isFilling = (name: ts.Identifier): boolean => {
      if (api.findAncestor(name, api.isFunctionLike) === undefined) return false;
      let at: ts.Node = name;
      while (isStep(at.parent, at, api)) at = at.parent;
      const isCall = api.isCallExpression(at.parent) && at.parent.expression === at;
      return at !== name && (isCall || isAssigned(at, api));
    };
    return assigned.mentions(symbol, isFilling).length > 0;
  }
}

const isStep = (parent: ts.Node, at: ts.Node, api: typeof ts): boolean =>
  api.isNonNullExpression(parent) ||
  ((api.isPropertyAccessExpression(parent) || api.isElementAccessExpression(parent)) &&
    parent.expression === at);

/** Whether the function that uses a variable declares it, so that it is new in each call. */
const isBefore = (declaration: ts.Node, use: ts.Node, api: typeof ts): boolean =>
  api.findAncestor(declaration, api.isFunctionLike) === api.findAncestor(use, api.isFunctionLike);

/** Whether it allocates an object: `[]`, `{ at: NaN }`, `new Map()`. */
const isMade = (node: ts.Expression, api: typeof ts): boolean =>
  api.isObjectLiteralExpression(node) ||
  api.isArrayLiteralExpression(node) ||
  api.isNewExpression(node) ||
  api.isCallExpression(node);

/** The owner of a key, if it is a path of names, which can be read again: `this`, `o.all[0]`. */
function fieldOf(object: ts.Expression, api: typeof ts): Key | null {
  const owner = bare(object, api);
  return isPath(owner, api) ? { kind: "field", owner } : null;
}

function isPath(wrapped: ts.Expression, api: typeof ts): boolean {
  const node = bare(wrapped, api);
  if (api.isPropertyAccessExpression(node)) return isPath(node.expression, api);
  if (api.isElementAccessExpression(node))
    return isPath(node.expression, api) && isSaid(node.argumentExpression, api);
  return api.isIdentifier(node) || node.kind === api.SyntaxKind.ThisKeyword;
}

const isSaid = (key: ts.Expression, api: typeof ts): boolean =>
  api.isIdentifier(key) || api.isNumericLiteral(key) || api.isStringLiteral(key);

/** Where functions write properties, or give them to a new object, by name. */
function writesIn({ ts: api, files }: KeysHost): ReadonlyMap<string, readonly ts.Node[]> {
  const all = new Map<string, ts.Node[]>();
  const look = (node: ts.Node, isInside: boolean): void => {
    const name =
      api.isPropertyAccessExpression(node) && isAssigned(node, api)
        ? node.name
        : (api.isPropertyAssignment(node) || api.isShorthandPropertyAssignment(node)) &&
            api.isIdentifier(node.name)
          ? node.name
          : null;
    if (isInside && name !== null) {
      const one = api.isPropertyAccessExpression(node) ? name : node;
      const known = all.get(name.text);
      if (known === undefined) all.set(name.text, [one]);
      else known.push(one);
    }
    const inside = isInside
      ? !api.isConstructorDeclaration(node)
      : api.isFunctionLike(node) && !api.isConstructorDeclaration(node);
    api.forEachChild(node, (child) => {
      look(child, inside);
    });
  };
  for (const file of files) look(file, false);
  return all;
}
