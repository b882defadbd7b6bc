// Finds writes to properties by name (`model.scale = k`, `{ scale: 2 }`, class fields) and without
// (`Object.assign(model, saved)`, `model[key] = v`, untyped values). In: files. Out: place, value,
// and the object's type. Invariant: objects match their types, except for what is found here.

import type ts from "typescript";
import { stringText } from "../../code/quote.ts";
import { isTarget } from "../assigned.ts";
import type { Put as PathPut } from "./kept-beside.ts";
import { valuesGiven } from "./parameter-properties.ts";
import { bare } from "../plan/places.ts";

export interface PutsHost {
  readonly ts: typeof ts;
  readonly checker: ts.TypeChecker;
  readonly files: readonly ts.SourceFile[];
}

/** A write. `value`: null if unknown or partial, undefined if absent; `isFirst`: it allocates. */
export interface Put {
  readonly type: ts.Type;
  readonly at: ts.Node;
  readonly value: ts.Expression | null | undefined;
  readonly isFirst: boolean;
}

/** `keys`: null where any key is possible; `isMade`: the object comes from there. */
export interface UnnamedPut {
  readonly at: ts.Node;
  readonly types: readonly ts.Type[];
  readonly keys: readonly string[] | null;
  readonly isMade: boolean;
}

/** The maximum depth to which an object's inner objects are considered. */
const DEPTH = 3;

export class Puts {
  readonly #host: PutsHost;
  readonly #related = new Map<ts.Type, Map<ts.Type, boolean>>();
  /** Mentions of variables, cached by handed.ts. */
  readonly mentions = new Map<ts.Symbol, readonly ts.Identifier[]>();
  /** Writes into objects by path, cached by kept-beside.ts. */
  readonly intoObjects = new Map<ts.SourceFile, readonly PathPut[]>();
  readonly #puts = new Map<string, readonly Put[]>();
  #byName: ReadonlyMap<string, readonly ts.Node[]> | undefined;
  #unnamed: readonly UnnamedPut[] | undefined;

  constructor(host: PutsHost) {
    this.#host = host;
  }

  /** Whether an object of one type may have the other. */
  isRelated(one: ts.Type, other: ts.Type): boolean {
    const known = this.#related.get(one) ?? new Map<ts.Type, boolean>();
    const before = known.get(other);
    if (before !== undefined) return before;
    const made = this.#areRelated(one, other);
    this.#related.set(one, known.set(other, made));
    return made;
  }

  #areRelated(one: ts.Type, other: ts.Type): boolean {
    const { ts: api, checker } = this.#host;
    const [a, b] = [one, other].map((type) =>
      checker.getNonNullableType(checker.getBaseConstraintOfType(type) ?? type),
    );
    if (
      a === undefined ||
      b === undefined ||
      a === b ||
      ((a.flags | b.flags) & (api.TypeFlags.Any | api.TypeFlags.Unknown)) !== 0
    )
      return true;
    return checker.isTypeAssignableTo(a, b) || checker.isTypeAssignableTo(b, a);
  }

  /** `o.key` for objects of a related type, in all files. */
  accesses(key: string, type: ts.Type): readonly Field[] {
    return this.#named(key).flatMap((node) =>
      isField(node, this.#host.ts) &&
      this.isRelated(this.#host.checker.getTypeAtLocation(node.expression), type)
        ? [node]
        : [],
    );
  }

  /** All writes to a property of such objects. */
  of(key: string, type: ts.Type): readonly Put[] {
    const known = this.#puts.get(key) ?? this.#named(key).flatMap((node) => this.#putsAt(node));
    this.#puts.set(key, known);
    return known.filter((put) => this.isRelated(put.type, type));
  }

  /** Writes that may reach a property without naming it. */
  unnamed(key: string, type: ts.Type): readonly UnnamedPut[] {
    this.#unnamed ??= unnamedPuts(this.#host);
    return this.#unnamed.filter(
      ({ types, keys }) =>
        (keys === null || keys.includes(key)) && types.some((each) => this.isRelated(each, type)),
    );
  }

  #putsAt(node: ts.Node): readonly Put[] {
    const put = this.#putAt(node);
    const given =
      put !== null && this.#host.ts.isParameter(node) ? valuesGiven(node, this.#host) : null;
    return put === null ? [] : given === null ? [put] : given.map((value) => ({ ...put, value }));
  }

  #putAt(node: ts.Node): Put | null {
    const { ts: api, checker } = this.#host;
    const { parent } = node;
    if (isField(node, api)) {
      if (!isTarget(api, node)) return null;
      return {
        type: checker.getTypeAtLocation(node.expression),
        at: node,
        value: isAssigned(node, api) ? valueOf(node, api) : null,
        isFirst: isOfConstructor(bare(node.expression, api), api),
      };
    }
    if (api.isObjectLiteralExpression(parent)) {
      const type = checker.getContextualType(parent) ?? checker.getTypeAtLocation(parent);
      return {
        type,
        at: node,
        value: api.isPropertyAssignment(node) ? node.initializer : null,
        isFirst: true,
      };
    }
    const of = api.isClassLike(parent) ? parent : parent.parent;
    const isStatic =
      api.isPropertyDeclaration(node) &&
      (node.modifiers ?? []).some(({ kind }) => kind === api.SyntaxKind.StaticKeyword);
    if (!api.isClassLike(of)) return null;
    const symbol = of.name === undefined ? undefined : checker.getSymbolAtLocation(of.name);
    const type =
      symbol === undefined
        ? undefined
        : isStatic
          ? checker.getTypeOfSymbolAtLocation(symbol, of)
          : checker.getDeclaredTypeOfSymbol(symbol);
    return type === undefined
      ? null
      : {
          type,
          at: node,
          value: api.isPropertyDeclaration(node) ? node.initializer : null,
          isFirst: true,
        };
  }

  #named(key: string): readonly ts.Node[] {
    this.#byName ??= namesIn(this.#host);
    return this.#byName.get(key) ?? [];
  }
}

type Field = ts.PropertyAccessExpression | ts.ElementAccessExpression;

const isField = (node: ts.Node, api: typeof ts): node is Field =>
  api.isPropertyAccessExpression(node) || api.isElementAccessExpression(node);

function namesIn(host: PutsHost): ReadonlyMap<string, readonly ts.Node[]> {
  const { ts: api, files } = host;
  const all = new Map<string, ts.Node[]>();
  const look = (node: ts.Node): void => {
    const name = nameAt(node, host);
    const known = name === null ? undefined : all.get(name);
    if (known !== undefined) known.push(node);
    else if (name !== null) all.set(name, [node]);
    api.forEachChild(node, look);
  };
  files.forEach(look);
  return all;
}

/** The property name that a node defines or reads. */
export function nameAt(node: ts.Node, host: Pick<PutsHost, "ts" | "checker">): string | null {
  const { ts: api } = host;
  if (api.isPropertyAccessExpression(node)) return node.name.text;
  if (api.isElementAccessExpression(node)) return nameSaid(node.argumentExpression, host);
  const isNamed =
    api.isPropertyAssignment(node) ||
    api.isShorthandPropertyAssignment(node) ||
    api.isPropertyDeclaration(node) ||
    (api.isParameter(node) && api.isParameterPropertyDeclaration(node, node.parent));
  if (!isNamed) return null;
  if (api.isComputedPropertyName(node.name)) return nameSaid(node.name.expression, host);
  return api.isIdentifier(node.name) || api.isStringLiteral(node.name) ? node.name.text : null;
}

/** The name of `"k"`, of a constant of literal type, or of a module's symbol as `[CACHE]`. */
function nameSaid(
  key: ts.Expression,
  { ts: api, checker }: Pick<PutsHost, "ts" | "checker">,
): string | null {
  if (!api.isStringLiteral(key) && !api.isIdentifier(key) && !api.isPropertyAccessExpression(key))
    return null;
  const type = api.isStringLiteral(key) ? null : checker.getTypeAtLocation(key);
  const text = api.isStringLiteral(key)
    ? key.text
    : type?.isStringLiteral() === true
      ? type.value
      : null;
  if (text !== null || type === null) return text?.startsWith("[") === true ? null : text;
  const declaration =
    (type.flags & api.TypeFlags.UniqueESSymbol) === 0 ? undefined : type.symbol.valueDeclaration;
  const isOfModule =
    declaration !== undefined &&
    api.isVariableDeclaration(declaration) &&
    api.isSourceFile(declaration.parent.parent.parent);
  return isOfModule && api.isIdentifier(key) && key.text === type.symbol.name
    ? `[${key.text}]`
    : null;
}

/** The source text of such a name in brackets. */
export const keyText = (key: string): string =>
  /^\d+$/.test(key) ? key : key.startsWith("[") ? key.slice(1, -1) : stringText(key);

export function valueOf(node: ts.Node, api: typeof ts): ts.Expression | null {
  let at: ts.Node = node.parent;
  while (
    !api.isStatement(at) &&
    !(api.isBinaryExpression(at) && isAssignment(at, api)) &&
    !api.isPrefixUnaryExpression(at) &&
    !api.isPostfixUnaryExpression(at)
  )
    at = at.parent;
  return api.isBinaryExpression(at) ? at.right : api.isForOfStatement(at) ? at.expression : null;
}

export const isAssignment = (
  { operatorToken: { kind } }: ts.BinaryExpression,
  api: typeof ts,
): boolean => kind >= api.SyntaxKind.FirstAssignment && kind <= api.SyntaxKind.LastAssignment;

/** `o.k = …`, `o.k ??= …`: the property then holds the assigned or its previous value. */
const isAssigned = (node: ts.Node, api: typeof ts): boolean =>
  api.isBinaryExpression(node.parent) &&
  node.parent.left === node &&
  /^(\?\?|\|\||&&)?=$/.test(node.parent.operatorToken.getText());

export const isOfConstructor = (use: ts.Expression, api: typeof ts): boolean => {
  const around = api.findAncestor(use, (at) => api.isFunctionLike(at) && !api.isArrowFunction(at));
  return (
    around !== undefined &&
    api.isConstructorDeclaration(around) &&
    use.kind === api.SyntaxKind.ThisKeyword
  );
};

function unnamedPuts(host: PutsHost): readonly UnnamedPut[] {
  const { ts: api, checker, files } = host;
  const found: UnnamedPut[] = [];
  const look = (node: ts.Node): void => {
    if (api.isTypeNode(node)) return;
    const put = writtenAt(node) ?? madeAt(node);
    if (put !== null) found.push(put);
    api.forEachChild(node, look);
  };
  const writtenAt = (node: ts.Node): UnnamedPut | null => {
    if (api.isElementAccessExpression(node) && nameAt(node, host) === null && isTarget(api, node)) {
      const key = checker.getTypeAtLocation(node.argumentExpression);
      const all = key.isUnion() ? key.types : [key];
      if (all.every(({ flags }) => (flags & api.TypeFlags.NumberLike) !== 0)) return null;
      return {
        at: node,
        types: [checker.getTypeAtLocation(node.expression)],
        keys: all.every((each) => each.isStringLiteral())
          ? all.flatMap((each) => (each.isStringLiteral() ? [each.value] : []))
          : null,
        isMade: false,
      };
    }
    const into =
      api.isCallExpression(node) &&
      /^(Object\.(assign|definePropert(y|ies)|setPrototypeOf)|Reflect\.(set|defineProperty))$/.test(
        node.expression.getText(),
      )
        ? node.arguments[0]
        : undefined;
    return into === undefined
      ? null
      : { at: node, types: [checker.getTypeAtLocation(into)], keys: null, isMade: false };
  };
  // a cast from an untyped value may bring in any property
  const madeAt = (node: ts.Node): UnnamedPut | null => {
    if (
      !api.isExpression(node) ||
      !(
        api.isCallExpression(node) ||
        api.isIdentifier(node) ||
        api.isPropertyAccessExpression(node) ||
        api.isElementAccessExpression(node) ||
        api.isAwaitExpression(node)
      )
    )
      return null;
    const { parent } = node;
    const isTaken =
      (api.isAsExpression(parent) ||
        api.isVariableDeclaration(parent) ||
        api.isReturnStatement(parent) ||
        api.isArrowFunction(parent) ||
        api.isBinaryExpression(parent) ||
        api.isPropertyAssignment(parent) ||
        api.isPropertyDeclaration(parent) ||
        ((api.isCallExpression(parent) || api.isNewExpression(parent)) &&
          parent.arguments?.includes(node) === true)) &&
      !("name" in parent && parent.name === node);
    if (!isTaken || !isVague(checker.getTypeAtLocation(node))) return null;
    const as = api.isAsExpression(parent)
      ? checker.getTypeFromTypeNode(parent.type)
      : checker.getContextualType(node);
    return as === undefined || isVague(as)
      ? null
      : { at: node, types: typesWithin(as, DEPTH), keys: null, isMade: true };
  };
  const isVague = (type: ts.Type): boolean =>
    (type.flags & (api.TypeFlags.Any | api.TypeFlags.Unknown)) !== 0 ||
    (type.getStringIndexType() !== undefined && type.getProperties().length === 0);
  const typesWithin = (type: ts.Type, depth: number): readonly ts.Type[] => {
    if (type.isUnionOrIntersection()) return type.types.flatMap((each) => typesWithin(each, depth));
    if ((type.flags & api.TypeFlags.Object) === 0 || type.getCallSignatures().length > 0) return [];
    const own = [
      type,
      ...(depth === 0
        ? []
        : [type.getNumberIndexType(), type.getStringIndexType()].flatMap((each) =>
            each === undefined ? [] : typesWithin(each, depth - 1),
          )),
    ];
    if (depth === 0 || type.getNumberIndexType() !== undefined) return own;
    return [
      ...own,
      ...type
        .getProperties()
        .flatMap((property) => typesWithin(checker.getTypeOfSymbol(property), depth - 1)),
    ];
  };
  files.forEach(look);
  return found;
}
