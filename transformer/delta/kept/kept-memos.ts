// Finds memoisation: `cache.value ??= x * x`, `if (model.last !== x) …` on persistent objects.
// In: a file. Out: places where the runtime checks for stale numbers, and the condition for none.
// Invariants: a check precedes every write of an execution; unsure means that nothing is stale.

import type ts from "typescript";
import { isTarget } from "../assigned.ts";
import { isKeyOf } from "./guards.ts";
import { OWN } from "./kept-fields.ts";
import { isIn, type ObjectHost } from "./kept-objects.ts";
import { constantOf, decides, isOfRuns } from "./kept-variables.ts";
import { bare } from "../plan/places.ts";
import { isOfConstructor, keyText, nameAt, valueOf } from "./puts.ts";

/** A check before a statement, or before an expression that is a function's body. */
export interface Look {
  readonly at: ts.Node;
  readonly object: ts.Expression;
  /** The node that owns the cell, and the cell's name. */
  readonly of: ts.Node;
  readonly name: string;
  /** For a WeakMap, whose entries cannot be listed: the entry's key. */
  readonly key: ts.Expression | null;
  /** The properties that may be stale; null: any number that the object holds. */
  readonly places: readonly string[] | null;
  /** What the condition tests, if not the object: `owner`, or (null) the variable `home`. */
  readonly beside?: { readonly owner: ts.Expression | null; readonly home: ts.Node | null };
  /** Evaluated again when all functions are rewritten; null where nothing is stale. */
  readonly left: (host: ObjectHost) => Left | null;
}

/** The properties that may be stale (null: all), and the condition under which they are not. */
export interface Left {
  readonly places: readonly string[] | null;
  readonly beginning: string;
}

/** Accesses to one object. `of`: the first. */
interface Memo {
  readonly of: Access;
  readonly all: readonly Access[];
}

/** `node`: `o.k`, or the `k` of `const { k } = o`. */
export interface Access {
  readonly node: ts.PropertyAccessExpression | ts.ElementAccessExpression | ts.BindingElement;
  readonly object: ts.Expression;
  readonly key: string;
  readonly inside: ts.SignatureDeclaration;
}

export class KeptMemos {
  readonly #host: ObjectHost;

  constructor(host: ObjectHost) {
    this.#host = host;
  }

  /** The checks of a file. `isKnown`: the object is analysed elsewhere. */
  looksIn(file: ts.SourceFile, isKnown: (access: Access) => boolean): readonly Look[] {
    const { ts: api } = this.#host;
    return this.#memosIn(file).flatMap((memo) => {
      const places = this.#placesOf(memo)?.places ?? null;
      const { node, key, object } = memo.of;
      if (
        places === null ||
        memo.all.some((access) => places.includes(access.key) && isKnown(access))
      )
        return [];
      const left = (host: ObjectHost): Left | null => new KeptMemos(host).#placesOf(memo);
      return placesOf(memo.all, !api.isPropertyAccessExpression(object), api).map(
        ({ at, one }) => ({ at, object: one.object, of: node, name: key, key: null, places, left }),
      );
    });
  }

  /** Null where nothing may be stale. */
  #placesOf({ of, all }: Memo): Left | null {
    const { ts: api, checker } = this.#host;
    const type = checker.getNonNullableType(checker.getTypeAtLocation(of.object));
    const isRun = ({ node }: Access): boolean => this.#isOfRun(node, type, of.key);
    const written = all.filter(
      (access) =>
        isTarget(api, access.node) && !isOfConstructor(access.object, api) && isRun(access),
    );
    const keys = new Set(written.map(({ key }) => key));
    const asked = [
      ...new Set(
        all
          .filter((access) => keys.has(access.key) && isRun(access) && this.#isAsked(access))
          .map(({ key }) => key),
      ),
    ];
    if (asked.length === 0) return null;
    const varying = this.#varyingOf(written);
    const places = [...varying];
    if (places.length === 0) return null;
    const tests = [...new Set([...asked, ...places])].map(
      (key) => [key, this.#constants(key, type, varying.has(key), all)] as const,
    );
    const texts: string[] = [];
    const under = this.#keysOf(asked, places, varying, all);
    for (const [key, own] of tests) {
      // a property that plain code sets is a setting, unless it is a memo's key
      const constants =
        own ?? (under.has(key) ? this.#constants(key, type, true, all, true) : null);
      if (constants === null && places.includes(key) && [...under].some((other) => other !== key))
        continue;
      if (constants === null) return null;
      texts.push(`$d.holds(${[`${OWN}[${keyText(key)}]`, ...constants].join(", ")})`);
    }
    return { places, beginning: texts.join(" && ") };
  }

  /** The keys that guard the writes of all active values. */
  #keysOf(
    asked: readonly string[],
    places: readonly string[],
    varying: ReadonlySet<string>,
    all: readonly Access[],
  ): ReadonlySet<string> {
    const { ts: api } = this.#host;
    const at = (key: string, isAsked: (access: Access) => boolean): readonly ts.Node[] =>
      all.filter((access) => access.key === key && isAsked(access)).map(({ node }) => node);
    const isPut = ({ node }: Access): boolean => isTarget(api, node);
    return new Set(
      asked.filter(
        (key) =>
          varying.has(key) &&
          places.length > 1 &&
          places.every(
            (place) =>
              place === key ||
              isKeyOf(
                at(key, (access) => !isPut(access)),
                at(key, isPut),
                at(place, isPut),
                true,
                this.#host,
              ),
          ),
      ),
    );
  }

  /** The properties written with active values or with values derived from those. */
  #varyingOf(written: readonly Access[]): ReadonlySet<string> {
    const { ts: api, mayVary } = this.#host;
    const found = new Set<string>();
    for (let before = -1; before < found.size;) {
      before = found.size;
      for (const { node, key } of written) {
        const value = valueOf(node, api);
        if (
          value !== null &&
          (mayVary(value) ||
            this.readsVarying(value) ||
            written.some((other) => found.has(other.key) && mentions(value, other, this.#host)))
        )
          found.add(key);
      }
    }
    return found;
  }

  /** Whether it reads a field, of any object, that executions write with active values. */
  readsVarying(node: ts.Node): boolean {
    const { ts: api, checker, puts, mayVary, isRewritten } = this.#host;
    const runs = (at: ts.Node, type: ts.Type, key: string): boolean => {
      const writer = api.findAncestor(at, api.isFunctionLike);
      return (
        this.#isOfRun(at, type, key) ||
        (writer !== undefined &&
          (api.isFunctionDeclaration(writer) || api.isVariableDeclaration(writer.parent)) &&
          isRewritten(writer))
      );
    };
    if (
      api.isPropertyAccessExpression(node) &&
      !(api.isCallExpression(node.parent) && node.parent.expression === node)
    ) {
      const { text } = node.name;
      const type = checker.getTypeAtLocation(node.expression);
      if (
        puts
          .of(text, type)
          .some(
            ({ at, value, isFirst }) =>
              !isFirst &&
              value !== null &&
              value !== undefined &&
              runs(at, type, text) &&
              mayVary(value),
          )
      )
        return true;
    }
    return api.forEachChild(node, (child) => this.readsVarying(child) || undefined) === true;
  }

  #memosIn(file: ts.SourceFile): readonly Memo[] {
    const { ts: api } = this.#host;
    const groups = new ByObject<Access>();
    const written = new Set<string>();
    const note = (node: ts.Node): void => {
      const name = nameAt(node, this.#host);
      if (name !== null && isTarget(api, node)) written.add(name);
      api.forEachChild(node, note);
    };
    note(file);
    const look = (node: ts.Node): void => {
      if (api.isTypeNode(node)) return;
      const access =
        written.has(nameAt(node, this.#host) ?? "") || api.isBindingElement(node)
          ? this.#accessAt(node)
          : null;
      const root = access === null ? null : rootOf(access.object, this.#host);
      if (access !== null && root !== null) groups.add(root, pathOf(access.object, api), access);
      api.forEachChild(node, look);
    };
    look(file);
    return groups
      .all()
      .flatMap((accesses) =>
        accesses[0] !== undefined && accesses.some(({ node }) => isTarget(api, node))
          ? [{ of: accesses[0], all: accesses }]
          : [],
      );
  }

  /** `o.k` or `o["k"]` inside a function, where `o` is a path of names. */
  #accessAt(node: ts.Node): Access | null {
    const { ts: api, checker } = this.#host;
    if (api.isBindingElement(node)) return this.#boundAt(node);
    const isField = api.isPropertyAccessExpression(node) && !api.isPrivateIdentifier(node.name);
    const name = nameAt(node, this.#host);
    if (name === null || (!isField && !api.isElementAccessExpression(node))) return null;
    const inside = api.findAncestor(node, api.isFunctionLike);
    const object = bare(node.expression, api);
    const { parent } = node;
    if (
      inside === undefined ||
      pathOf(object, api) === "" ||
      (api.isCallExpression(parent) && parent.expression === node)
    )
      return null;
    const declarations =
      checker.getSymbolAtLocation(isField ? node.name : node)?.declarations ?? [];
    // a property of a library type or of a module
    if (
      declarations.some(
        (each) =>
          !this.#host.files.includes(each.getSourceFile()) ||
          api.isVariableDeclaration(each) ||
          api.isFunctionDeclaration(each) ||
          api.isEnumMember(each),
      )
    )
      return null;
    return { node, object, key: name, inside };
  }

  #boundAt(node: ts.BindingElement): Access | null {
    const { ts: api } = this.#host;
    const { parent: pattern } = node;
    const declaration = pattern.parent;
    const name = node.propertyName ?? node.name;
    const inside = api.findAncestor(node, api.isFunctionLike);
    const object =
      api.isVariableDeclaration(declaration) &&
      declaration.initializer !== undefined &&
      api.isObjectBindingPattern(pattern)
        ? bare(declaration.initializer, api)
        : null;
    return object === null ||
      inside === undefined ||
      pathOf(object, api) === "" ||
      !api.isIdentifier(name) ||
      !api.isIdentifier(node.name) ||
      node.dotDotDotToken !== undefined
      ? null
      : { node, object, key: name.text, inside };
  }

  /** Whether it is branched on: `if (o.k)`, `const k = o.k; if (k)`. */
  #isAsked({ node, inside }: Access): boolean {
    return decidesLater(node, inside, this.#host);
  }

  /** Whether derivatives may execute it. A setter for others is no memo. */
  #isOfRun(node: ts.Node, type: ts.Type, key: string): boolean {
    const { ts: api, isRewritten, puts } = this.#host;
    if (api.findAncestor(node, isRewritten) === undefined) return false;
    return isOfRuns(node, puts.accesses(key, type), (each) => !isWritten(each, api), this.#host);
  }

  /** Its values before active writes; null unless constants. `isKey`: others restore saved keys. */
  #constants(
    key: string,
    type: ts.Type,
    isVarying: boolean,
    own: readonly Access[],
    isKey = false,
  ): readonly string[] | null {
    const { ts: api, checker, puts, isRewritten } = this.#host;
    const texts = new Set<string>();
    const property = checker.getPropertyOfType(type, key);
    if (property === undefined || (property.flags & api.SymbolFlags.Optional) !== 0)
      texts.add("undefined");
    for (const { at, value, isFirst } of puts.of(key, type)) {
      const text =
        value === undefined ? "undefined" : value === null ? null : constantOf(value, api);
      const isRun = !isFirst && this.#isOfRun(at, type, key);
      if (text === null && (isFirst || !isKey) && (!isRun || !own.some(({ node }) => node === at)))
        return null;
      if (text !== null && (!isRun || isVarying)) texts.add(text);
    }
    const isPut = puts
      .unnamed(key, type)
      .some(({ at, isMade }) => isMade || api.findAncestor(at, isRewritten) === undefined);
    return texts.size === 0 || isPut ? null : [...texts];
  }
}

/** The statements that need a check before them. `isSteady`: one check covers what follows. */
export function placesOf<
  T extends { readonly node: ts.Node; readonly inside: ts.SignatureDeclaration },
>(
  all: readonly T[],
  isSteady: boolean,
  api: typeof ts,
): readonly { readonly at: ts.Node; readonly one: T }[] {
  const found: { readonly at: ts.Node; readonly one: T }[] = [];
  // a nested function may execute without the statements before it
  for (const one of all) {
    const at = placeOf(one.node, one.inside, api);
    if (
      at === null ||
      api.isConstructorDeclaration(one.inside) ||
      found.some(
        (other) =>
          other.at === at ||
          (isSteady &&
            other.one.inside === one.inside &&
            isIn(at, other.at.parent) &&
            api.isBlock(other.at.parent) &&
            other.at.pos <= at.pos),
      )
    )
      continue;
    found.push({ at, one });
  }
  return found;
}

/** Whether its value is branched on, directly or by a variable: `const k = o.k; if (k) …`. */
export function decidesLater(
  node: ts.Expression | ts.BindingElement,
  inside: ts.Node,
  { ts: api, checker, assigned }: ObjectHost,
): boolean {
  if (!api.isBindingElement(node) && decides(node, api)) return true;
  let at: ts.Node = node;
  while (
    api.isParenthesizedExpression(at.parent) ||
    api.isNonNullExpression(at.parent) ||
    api.isAsExpression(at.parent)
  )
    at = at.parent;
  const { parent } = at;
  const name = api.isBindingElement(node)
    ? node.name
    : api.isVariableDeclaration(parent) && parent.initializer === at
      ? parent.name
      : undefined;
  if (name === undefined || !api.isIdentifier(name)) return false;
  const symbol = checker.getSymbolAtLocation(name);
  return (
    symbol !== undefined &&
    assigned.mentions(symbol, (name) => decides(name, api)).some((name) => isIn(name, inside))
  );
}

/** The statement, where lines can precede it, or the expression body. */
function placeOf(node: ts.Node, inside: ts.SignatureDeclaration, api: typeof ts): ts.Node | null {
  let at: ts.Node = node;
  for (;;) {
    const { parent } = at;
    if (parent === inside) return api.isArrowFunction(inside) && inside.body === at ? at : null;
    if (api.isBlock(parent) || api.isCaseOrDefaultClause(parent))
      return api.isStatement(at) ? at : null;
    at = parent;
  }
}

/** The class, literal or function that `this` belongs to. */
export function ownerOf(node: ts.Node, api: typeof ts): ts.Node | null {
  const around = api.findAncestor(
    node,
    (at) =>
      (api.isFunctionLike(at) && !api.isArrowFunction(at)) ||
      api.isPropertyDeclaration(at) ||
      api.isClassStaticBlockDeclaration(at),
  );
  if (around === undefined) return null;
  const isOfClass = api.isClassLike(around.parent);
  const isStatic =
    api.canHaveModifiers(around) &&
    (api.getModifiers(around) ?? []).some(({ kind }) => kind === api.SyntaxKind.StaticKeyword);
  return isOfClass && !isStatic
    ? around.parent
    : api.isObjectLiteralExpression(around.parent)
      ? around.parent
      : around;
}

/** The source text of a path `o`, `this`, `o.a.b`; otherwise empty. */
export function pathOf(node: ts.Expression, api: typeof ts): string {
  if (api.isIdentifier(node)) return node.text;
  if (node.kind === api.SyntaxKind.ThisKeyword) return "this";
  if (!api.isPropertyAccessExpression(node) || api.isPrivateIdentifier(node.name)) return "";
  const before = pathOf(bare(node.expression, api), api);
  return before === "" ? "" : `${before}?.${node.name.text}`;
}

/** The identity of a path's first object; null if the function itself allocates it. */
export function rootOf(object: ts.Expression, host: ObjectHost): ts.Node | ts.Symbol | null {
  const { ts: api, checker } = host;
  let root = object;
  while (api.isPropertyAccessExpression(root)) root = bare(root.expression, api);
  if (root.kind === api.SyntaxKind.ThisKeyword) return ownerOf(root, api);
  const symbol = checker.getSymbolAtLocation(root);
  return symbol === undefined || isMadeInside(symbol, root, host) ? null : symbol;
}

/** Groups uses of objects by the root of their path, and by the path. */
export class ByObject<T> {
  readonly #groups = new Map<ts.Node | ts.Symbol, Map<string, T[]>>();

  add(root: ts.Node | ts.Symbol, path: string, one: T): void {
    const own = this.#groups.get(root) ?? new Map<string, T[]>();
    const before = own.get(path);
    this.#groups.set(root, own);
    if (before === undefined) own.set(path, [one]);
    else before.push(one);
  }

  all(): readonly (readonly T[])[] {
    return [...this.#groups.values()].flatMap((group) => [...group.values()]);
  }
}

/** Whether the function itself allocates the object, so that no earlier execution knows it. */
function isMadeInside(symbol: ts.Symbol, use: ts.Node, host: ObjectHost): boolean {
  const { ts: api, assigned } = host;
  const { valueDeclaration: declaration } = symbol;
  const around = api.findAncestor(use, api.isFunctionLike);
  if (
    declaration === undefined ||
    !api.isVariableDeclaration(declaration) ||
    declaration.initializer === undefined ||
    around === undefined ||
    api.findAncestor(declaration, api.isFunctionLike) !== around
  )
    return false;
  const given = assigned
    .mentions(symbol, (name) => isTarget(api, name))
    .map((name) => valueOf(name, api));
  return [declaration.initializer, ...given].every(
    (value) => value !== null && isNew(bare(value, api), host),
  );
}

const MAKING =
  /^(map|filter|slice|concat|flat|flatMap|toSorted|toReversed|toSpliced|with|split|from|of|keys|entries)$/;

/** Whether it allocates: a literal, an instance, the result of an array method. */
function isNew(node: ts.Expression, host: ObjectHost): boolean {
  const { ts: api, checker } = host;
  if (
    api.isObjectLiteralExpression(node) ||
    api.isArrayLiteralExpression(node) ||
    api.isNewExpression(node) ||
    api.isFunctionLike(node) ||
    api.isClassLike(node)
  )
    return true;
  if (!api.isCallExpression(node) || !api.isPropertyAccessExpression(node.expression)) return false;
  const {
    expression: object,
    name: { text },
  } = node.expression;
  const isOfLibrary =
    checker
      .getSymbolAtLocation(node.expression.name)
      ?.declarations?.every((each) => each.getSourceFile().isDeclarationFile) === true;
  return (
    isOfLibrary &&
    (MAKING.test(text) || (/^(fill|sort|reverse)$/.test(text) && isNew(bare(object, api), host)))
  );
}

/** `o.k = …` */
const isWritten = (node: ts.Node, api: typeof ts): boolean =>
  api.isBinaryExpression(node.parent) &&
  node.parent.left === node &&
  node.parent.operatorToken.kind === api.SyntaxKind.EqualsToken;

function mentions(value: ts.Node, { key, object }: Access, host: ObjectHost): boolean {
  const { ts: api } = host;
  const isMentioned = (node: ts.Node): boolean =>
    (nameAt(node, host) === key &&
      (api.isPropertyAccessExpression(node) || api.isElementAccessExpression(node)) &&
      pathOf(bare(node.expression, api), api) === pathOf(object, api)) ||
    api.forEachChild(node, (child) => isMentioned(child) || undefined) === true;
  return isMentioned(value);
}
