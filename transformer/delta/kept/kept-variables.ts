// Finds variables in which an earlier execution may have left an active number (TSG0015).
// In: a variable. Out: a condition that is true while it holds its initial or a plain value.
//   let last = NaN, value = 0;             // stale unless last is NaN and value is 0
//   function f(x) { if (x !== last) { last = x; value = x * x; } return value; }

import type ts from "typescript";
import { ANYTHING, type Given } from "../plan/activity.ts";
import type { AssignedVariables } from "../assigned.ts";
import { type KeptFields, keptFields } from "./kept-fields.ts";
import { isKeyOf } from "./guards.ts";
import { contentLooksIn } from "./kept-contents.ts";
import { looksBeside } from "./kept-beside.ts";
import { getterLooksIn } from "./kept-getters.ts";
import { type Access, KeptMemos, type Left, type Look, pathOf, rootOf } from "./kept-memos.ts";
import { type KeptPlaces, keptPlaces, type ObjectHost } from "./kept-objects.ts";
import { bare, blockOf } from "../plan/places.ts";
import type { Puts } from "./puts.ts";
import { COMPARISONS, Varying, within, type Write, writesTo } from "./varying.ts";

export interface KeptHost {
  readonly ts: typeof ts;
  readonly checker: ts.TypeChecker;
  readonly assigned: AssignedVariables;
  readonly isRewritten: (node: ts.Node) => boolean;
  readonly files: readonly ts.SourceFile[];
  /** The functions that are rewritten; null where any may be. */
  readonly rewritten: () => Iterable<ts.Node> | null;
  /** Every write to a property in the program. */
  readonly puts: Puts;
  /** What the calls of a function pass for a parameter, as far as it is known. */
  readonly given: (node: ts.SignatureDeclaration, place: number) => Given;
}

export class KeptVariables {
  readonly #host: KeptHost;
  readonly #varying: Varying;
  readonly #objects = new Map<ts.Symbol, boolean>();
  readonly #places = new Map<ts.Symbol, KeptPlaces | null>();
  readonly #fields = new Map<ts.ClassLikeDeclaration, readonly KeptFields[]>();
  readonly #looks = new Map<ts.SourceFile, ReadonlyMap<ts.Node, readonly Look[]>>();

  constructor(host: KeptHost) {
    this.#host = host;
    this.#varying = new Varying(host);
  }

  /** Whether it may hold stale objects or functions. Pessimistic, since the plan is incomplete. */
  keepsObjects(symbol: ts.Symbol): boolean {
    const known = this.#objects.get(symbol);
    if (known !== undefined) return known;
    const made = this.#mayKeepObjects(symbol);
    this.#objects.set(symbol, made);
    return made;
  }

  #mayKeepObjects(symbol: ts.Symbol): boolean {
    const { ts: api, checker } = this.#host;
    const { valueDeclaration: declaration } = symbol;
    const isObject = (type: ts.Type): boolean =>
      type.isUnion()
        ? type.types.some(isObject)
        : (type.flags & (api.TypeFlags.Object | api.TypeFlags.Any | api.TypeFlags.Unknown)) !== 0;
    if (
      declaration === undefined ||
      !isObject(checker.getTypeOfSymbolAtLocation(symbol, declaration))
    )
      return false;
    return this.#pessimist().beginning(symbol) !== null;
  }

  /** The properties of a constant's object that may be stale. Pessimistic, as above. */
  keptPlaces(symbol: ts.Symbol): KeptPlaces | null {
    const known = this.#places.get(symbol);
    if (known !== undefined) return known;
    const made = keptPlaces(symbol, this.#pessimist().#objectHost());
    this.#places.set(symbol, made);
    return made;
  }

  /** The fields of a class that may be stale. Pessimistic, as above. */
  mayKeepFields(node: ts.ClassLikeDeclaration): readonly KeptFields[] {
    const known = this.#fields.get(node);
    if (known !== undefined) return known;
    const made = this.#pessimist().keepsFields(node);
    this.#fields.set(node, made);
    return made;
  }

  /** The same, exactly: called when all functions are rewritten. */
  keepsFields(node: ts.ClassLikeDeclaration): readonly KeptFields[] {
    return keptFields(node, this.#objectHost());
  }

  /** The checks of a file for properties that belong to no known variable or class. */
  looksIn(file: ts.SourceFile): ReadonlyMap<ts.Node, readonly Look[]> {
    const known = this.#looks.get(file);
    if (known !== undefined) return known;
    const host = this.#pessimist().#objectHost();
    const made = new Map<ts.Node, Look[]>();
    const own = [
      ...new KeptMemos(host).looksIn(file, (access) => this.#isKnown(access)),
      ...contentLooksIn(file, host, (object) => this.#isKnownTable(object)),
    ];
    const isSeen = (object: ts.Expression): boolean =>
      this.#isKnownTable(object) ||
      own.some(
        (look) =>
          pathOf(look.object, host.ts) === pathOf(object, host.ts) &&
          rootOf(look.object, host) === rootOf(object, host),
      );
    for (const look of [...own, ...looksBeside(file, host, isSeen), ...getterLooksIn(file, host)])
      made.set(look.at, [...(made.get(look.at) ?? []), look]);
    this.#looks.set(file, made);
    return made;
  }

  leftAt(look: Look): Left | null {
    return look.left(this.#objectHost());
  }

  /** Whether the object is a constant or a class field that is analysed as a whole. */
  #isKnown({ object, key }: Access): boolean {
    const { ts: api, checker } = this.#host;
    if (api.isIdentifier(object)) {
      const symbol = checker.getSymbolAtLocation(object);
      return (
        symbol !== undefined &&
        (this.#host.assigned.has(symbol)
          ? this.keepsObjects(symbol)
          : this.keptPlaces(symbol) !== null)
      );
    }
    const around =
      object.kind === api.SyntaxKind.ThisKeyword
        ? api.findAncestor(object, api.isClassLike)
        : undefined;
    return (
      around !== undefined &&
      this.mayKeepFields(around).some(({ of, places }) => of === null && places.includes(key))
    );
  }

  #isKnownTable(object: ts.Expression): boolean {
    const { ts: api, checker } = this.#host;
    const symbol = api.isIdentifier(object) ? checker.getSymbolAtLocation(object) : undefined;
    if (symbol !== undefined)
      return this.#host.assigned.has(symbol)
        ? this.keepsObjects(symbol)
        : this.keptPlaces(symbol) !== null;
    const around =
      api.isPropertyAccessExpression(object) &&
      object.expression.kind === api.SyntaxKind.ThisKeyword
        ? api.findAncestor(object, api.isClassLike)
        : undefined;
    return (
      around !== undefined &&
      api.isPropertyAccessExpression(object) &&
      this.mayKeepFields(around).some(({ of }) => of?.name.text === object.name.text)
    );
  }

  /** Assumes that any function may be rewritten and receive any argument. */
  #pessimist(): KeptVariables {
    return new KeptVariables({
      ...this.#host,
      isRewritten: this.#host.ts.isFunctionLike,
      rewritten: () => null,
      given: () => ANYTHING,
    });
  }

  #objectHost(): ObjectHost {
    return { ...this.#host, mayVary: (node) => this.#varying.mayVary(node) };
  }

  /** The condition for nothing stale; null if nothing ever is. Needs all functions rewritten. */
  beginning(symbol: ts.Symbol): string | null {
    if (!this.#host.assigned.has(symbol))
      return keptPlaces(symbol, this.#objectHost())?.beginning ?? null;
    const { valueDeclaration: declaration } = symbol;
    if (declaration === undefined) return null;
    const host = within(declaration, this.#host);
    const writes = this.#writesTo(symbol).filter(({ isRewritten }) => isRewritten);
    const isRead = (node: ts.Node): boolean =>
      !writes.some(({ target, isWhole }) => target === node && isWhole);
    if (
      !writes.some(
        ({ target, value }) =>
          value !== null &&
          isOfRuns(target, host.assigned.mentions(symbol), isRead, host) &&
          this.#varying.mayVary(value),
      )
    )
      return null;
    const own = this.#constants(symbol, () => true);
    const deciding = this.#decidingIn(
      new Set(writes.flatMap(({ inside }) => inside ?? [])),
      symbol,
    );
    // a variable that plain code sets is a setting, unless it is a memo's key
    const asked =
      own === null ? deciding.filter((other) => this.#isKeyOf(other, symbol, false)) : deciding;
    const others = asked.flatMap((other) => {
      const values =
        this.#constants(other, ({ isRewritten }) => !isRewritten) ??
        (this.#isKeyOf(other, symbol, true)
          ? this.#constants(other, ({ isRewritten }) => !isRewritten, true)
          : null);
      return values === null ? [] : [[other, values] as const];
    });
    const text = ([{ name }, values]: readonly [ts.Symbol, readonly string[]]): string =>
      `$d.holds(${[name, ...values].join(", ")})`;
    const tests = [...(own === null ? [] : [[symbol, own] as const]), ...others];
    return tests.length === 0 ? null : tests.map(text).join(" && ");
  }

  #writesTo(symbol: ts.Symbol): readonly Write[] {
    const { valueDeclaration: declaration } = symbol;
    return declaration === undefined ? [] : writesTo(symbol, within(declaration, this.#host));
  }

  /** Whether `key` decides when `value` is recomputed. `isEqual`: only a matching key uses it. */
  #isKeyOf(key: ts.Symbol, value: ts.Symbol, isEqual: boolean): boolean {
    const { ts: api, assigned } = this.#host;
    const keys = this.#writesTo(key);
    if (
      !keys.some(
        (write) =>
          write.isRewritten &&
          write.isWhole &&
          write.value !== null &&
          this.#varying.mayVary(write.value),
      )
    )
      return false;
    return isKeyOf(
      assigned.mentions(key, (name) => decides(name, api)),
      keys.map(({ target }) => target),
      this.#writesTo(value).map(({ target }) => target),
      isEqual,
      this.#host,
    );
  }

  /** Its initial and selected values, if constants. `isKey`: other code restores saved keys. */
  #constants(
    symbol: ts.Symbol,
    isAsked: (write: Write) => boolean,
    isKey = false,
  ): readonly string[] | null {
    const { ts: api } = this.#host;
    const { valueDeclaration: declaration } = symbol;
    // a variable of a loop head is out of scope at the end of its block
    if (
      declaration === undefined ||
      !api.isVariableDeclaration(declaration) ||
      !api.isVariableStatement(declaration.parent.parent)
    )
      return null;
    const first =
      declaration.initializer === undefined
        ? "undefined"
        : constantOf(declaration.initializer, api);
    const texts = first === null ? [] : [first];
    const isObject =
      declaration.initializer !== undefined && isMade(bare(declaration.initializer, api), api);
    for (const write of this.#writesTo(symbol)) {
      const text = write.value === null || !write.isWhole ? null : constantOf(write.value, api);
      if (text === null && !write.isRewritten && !isKey) return null;
      if (text !== null && isAsked(write)) texts.push(text);
    }
    return first === null && !isObject ? null : [...new Set(texts)];
  }

  /** Other variables of the block that these functions assign and branch on. */
  #decidingIn(inside: ReadonlySet<ts.Node>, symbol: ts.Symbol): readonly ts.Symbol[] {
    const { ts: api, checker, assigned } = this.#host;
    const found = new Set<ts.Symbol>();
    const home =
      symbol.valueDeclaration === undefined ? null : blockOf(symbol.valueDeclaration, api);
    const look = (node: ts.Node): void => {
      const meant =
        api.isIdentifier(node) && decides(node, api)
          ? checker.getSymbolAtLocation(node)
          : undefined;
      const declaration = meant?.valueDeclaration;
      if (
        meant !== undefined &&
        meant !== symbol &&
        declaration !== undefined &&
        api.isVariableDeclaration(declaration) &&
        blockOf(declaration, api) === home &&
        assigned
          .targets(meant)
          .some((target) => api.findAncestor(target, (each) => inside.has(each)) !== undefined)
      )
        found.add(meant);
      api.forEachChild(node, look);
    };
    for (const node of inside) look(node);
    return [...found];
  }
}

/** Whether executions may read this write: its function reads it or is called by rewritten code. */
export function isOfRuns(
  target: ts.Node,
  mentions: readonly ts.Node[],
  isRead: (node: ts.Node) => boolean,
  { ts: api, checker, assigned, isRewritten, given }: KeptHost,
): boolean {
  const writer = api.findAncestor(target, api.isFunctionLike);
  if (writer === undefined) return false;
  if (
    mentions.some(
      (node) => isRead(node) && api.findAncestor(node, (each) => each === writer) !== undefined,
    )
  )
    return true;
  // every caller of a private method is in its class
  if (api.isMethodDeclaration(writer) && api.isPrivateIdentifier(writer.name)) return true;
  const name =
    api.isFunctionDeclaration(writer) ||
    (api.isMethodDeclaration(writer) && api.isIdentifier(writer.name))
      ? writer.name
      : api.isVariableDeclaration(writer.parent) && api.isIdentifier(writer.parent.name)
        ? writer.parent.name
        : undefined;
  const meant = name === undefined ? undefined : checker.getSymbolAtLocation(name);
  const isCalled = ({ parent }: ts.Node): boolean =>
    api.isCallExpression(parent) ||
    (api.isPropertyAccessExpression(parent) && api.isCallExpression(parent.parent));
  if (meant === undefined) return false;
  // a differentiated function receives numbers that have ids
  const isAsked =
    (api.isFunctionDeclaration(writer) || api.isArrowFunction(writer)) &&
    api.findAncestor(target, isRewritten) !== undefined &&
    writer.parameters.some((_, place) => given(writer, place).isLive);
  return (
    isAsked ||
    assigned
      .mentions(meant, isCalled)
      .some((node) => api.findAncestor(node, isRewritten) !== undefined)
  );
}

/** `0`, `-1`, `NaN`, `null`, `true`, `""` */
export function constantOf(wrapped: ts.Expression, api: typeof ts): string | null {
  const node = bare(wrapped, api);
  if (api.isPrefixUnaryExpression(node))
    return node.operator === api.SyntaxKind.MinusToken && constantOf(node.operand, api) !== null
      ? node.getText()
      : null;
  const { NullKeyword, TrueKeyword, FalseKeyword } = api.SyntaxKind;
  const isConstant =
    api.isNumericLiteral(node) ||
    api.isStringLiteral(node) ||
    node.kind === NullKeyword ||
    node.kind === TrueKeyword ||
    node.kind === FalseKeyword ||
    (api.isIdentifier(node) && /^(NaN|Infinity|undefined)$/.test(node.text));
  return isConstant ? node.getText() : null;
}

/** Whether it allocates an object: `[]`, `{ at: NaN }`, `new Map()`. */
export const isMade = (node: ts.Expression, api: typeof ts): boolean =>
  api.isObjectLiteralExpression(node) ||
  api.isArrayLiteralExpression(node) ||
  api.isNewExpression(node);

/** Whether the value is branched on: `if (known)`, `x === last`, `last ?? …`. */
export function decides(node: ts.Expression, api: typeof ts): boolean {
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- files have no parent
  for (let at: ts.Node = node; at.parent !== undefined && !api.isStatement(at); at = at.parent) {
    const { parent } = at;
    if (
      (api.isIfStatement(parent) || api.isWhileStatement(parent) || api.isDoStatement(parent)) &&
      parent.expression === at
    )
      return true;
    if (api.isConditionalExpression(parent) && parent.condition === at) return true;
    if (
      api.isBinaryExpression(parent) &&
      (COMPARISONS.includes(parent.operatorToken.getText()) ||
        (parent.left === at && /^(&&|\|\||\?\?)=?$/.test(parent.operatorToken.getText())))
    )
      return true;
  }
  return false;
}
