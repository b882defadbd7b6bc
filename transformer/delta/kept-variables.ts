// Variables of modules and closures in which rewritten code keeps what may vary from one run to the next. In: a variable, where it is assigned. Out: when what it holds is neither what it
// began with nor what plain code assigns: then an earlier run has left it there, be it of the function itself, as users call it (TSG0015). Invariant: unsure means that it is not left.
//   let last = NaN, value = 0;                      value is left there    unless last is NaN and value is 0
//   function f(x) { if (x !== last) { last = x; value = x * x; } return value; }

import type ts from "typescript";
import { ANYTHING, type Given } from "./activity.ts";
import type { AssignedVariables } from "./assigned.ts";
import { type KeptFields, keptFields } from "./kept-fields.ts";
import { mentionsOf } from "./handed.ts";
import { contentLooksIn } from "./kept-contents.ts";
import { type Access, KeptMemos, type Left, type Look } from "./kept-memos.ts";
import { isIn, type KeptPlaces, keptPlaces, type ObjectHost, writesOf } from "./kept-objects.ts";
import { bare, blockOf } from "./places.ts";
import { isAssignment, type Puts } from "./puts.ts";

export interface KeptHost {
  readonly ts: typeof ts;
  readonly checker: ts.TypeChecker;
  readonly assigned: AssignedVariables;
  readonly isRewritten: (node: ts.Node) => boolean;
  /** The user's own. */
  readonly files: readonly ts.SourceFile[];
  /** What is rewritten; null: anything may be. */
  readonly rewritten: () => Iterable<ts.Node> | null;
  /** What code puts under names. */
  readonly puts: Puts;
  /** What a function is given for a parameter, as far as it is known. */
  readonly given: (node: ts.SignatureDeclaration, place: number) => Given;
}

/** `value`: null where it is counted on; `isWhole`: it is what is written. */
interface Write { readonly target: ts.Identifier; readonly value: ts.Expression | null; readonly isWhole: boolean; readonly inside: ts.SignatureDeclaration | null; readonly isRewritten: boolean }

export class KeptVariables {
  readonly #host: KeptHost;
  readonly #varies = new Map<ts.Symbol, boolean>();
  readonly #objects = new Map<ts.Symbol, boolean>();
  readonly #places = new Map<ts.Symbol, KeptPlaces | null>();
  readonly #fields = new Map<ts.ClassLikeDeclaration, readonly KeptFields[]>();
  readonly #looks = new Map<ts.SourceFile, ReadonlyMap<ts.Node, readonly Look[]>>();

  constructor(host: KeptHost) {
    this.#host = host;
  }

  /** Whether it may hold objects, and those be left there: asked while functions are written, so that any of them may be, and be given anything. */
  keepsObjects(symbol: ts.Symbol): boolean {
    const known = this.#objects.get(symbol);
    if (known !== undefined) return known;
    const made = this.#mayKeepObjects(symbol);
    this.#objects.set(symbol, made);
    return made;
  }

  #mayKeepObjects(symbol: ts.Symbol): boolean {
    const { ts: api, checker } = this.#host, { valueDeclaration: declaration } = symbol;
    const isObject = (type: ts.Type): boolean => (type.isUnion() ? type.types.some(isObject) : (type.flags & (api.TypeFlags.Object | api.TypeFlags.Any | api.TypeFlags.Unknown)) !== 0 && type.getCallSignatures().length === 0);
    if (declaration === undefined || !isObject(checker.getTypeOfSymbolAtLocation(symbol, declaration))) return false;
    return this.#pessimist().beginning(symbol) !== null;
  }

  /** What a constant holds, in whose places that may be left: asked while functions are written. */
  keptPlaces(symbol: ts.Symbol): KeptPlaces | null {
    const known = this.#places.get(symbol);
    if (known !== undefined) return known;
    const made = keptPlaces(symbol, this.#pessimist().#objectHost());
    this.#places.set(symbol, made);
    return made;
  }

  /** The same of the fields of a class. */
  mayKeepFields(node: ts.ClassLikeDeclaration): readonly KeptFields[] {
    const known = this.#fields.get(node);
    if (known !== undefined) return known;
    const made = this.#pessimist().keepsFields(node);
    this.#fields.set(node, made);
    return made;
  }

  /** Asked when all functions are written. */
  keepsFields(node: ts.ClassLikeDeclaration): readonly KeptFields[] {
    return keptFields(node, this.#objectHost());
  }

  /** In front of what a file's code asks whether something is left in places that no variable and no class of its own holds. */
  looksIn(file: ts.SourceFile): ReadonlyMap<ts.Node, readonly Look[]> {
    const known = this.#looks.get(file);
    if (known !== undefined) return known;
    const host = this.#pessimist().#objectHost(), made = new Map<ts.Node, Look[]>();
    const all = [...new KeptMemos(host).looksIn(file, (access) => this.#isKnown(access)), ...contentLooksIn(file, host, (object) => this.#isKnownTable(object))];
    for (const look of all) made.set(look.at, [...(made.get(look.at) ?? []), look]);
    this.#looks.set(file, made);
    return made;
  }

  /** Asked when all functions are written. */
  leftAt(look: Look): Left | null {
    return look.left(this.#objectHost());
  }

  /** A constant, or a field of a class, of which all is known. */
  #isKnown({ object, key }: Access): boolean {
    const { ts: api, checker } = this.#host;
    if (api.isIdentifier(object)) {
      const symbol = checker.getSymbolAtLocation(object);
      return symbol !== undefined && (this.#host.assigned.has(symbol) ? this.keepsObjects(symbol) : this.keptPlaces(symbol) !== null);
    }
    const around = object.kind === api.SyntaxKind.ThisKeyword ? api.findAncestor(object, api.isClassLike) : undefined;
    return around !== undefined && this.mayKeepFields(around).some(({ of, places }) => of === null && places.includes(key));
  }

  #isKnownTable(object: ts.Expression): boolean {
    const { ts: api, checker } = this.#host, symbol = api.isIdentifier(object) ? checker.getSymbolAtLocation(object) : undefined;
    if (symbol !== undefined) return this.#host.assigned.has(symbol) ? this.keepsObjects(symbol) : this.keptPlaces(symbol) !== null;
    const around = api.isPropertyAccessExpression(object) && object.expression.kind === api.SyntaxKind.ThisKeyword ? api.findAncestor(object, api.isClassLike) : undefined;
    return around !== undefined && api.isPropertyAccessExpression(object) && this.mayKeepFields(around).some(({ of }) => of?.name.text === object.name.text);
  }

  /** Any function may be rewritten, and be given anything. */
  #pessimist(): KeptVariables {
    return new KeptVariables({ ...this.#host, isRewritten: this.#host.ts.isFunctionLike, rewritten: () => null, given: () => ANYTHING });
  }

  #objectHost(): ObjectHost {
    return { ...this.#host, mayVary: (node) => this.#mayVary(node, []) };
  }

  /** Asked when all functions are written. The condition under which it still holds what it began with, or plain code put there; null where nothing is ever left. */
  beginning(symbol: ts.Symbol): string | null {
    if (!this.#host.assigned.has(symbol)) return keptPlaces(symbol, this.#objectHost())?.beginning ?? null;
    const { valueDeclaration: declaration } = symbol, writes = this.#writes(symbol).filter(({ isRewritten }) => isRewritten);
    const isRead = (node: ts.Node): boolean => !writes.some(({ target, isWhole }) => target === node && isWhole);
    if (declaration === undefined || !writes.some(({ target, value }) => value !== null && isOfRuns(target, this.#host.assigned.mentions(symbol), isRead, this.#host) && this.#mayVary(value, []))) return null;
    const own = this.#constants(symbol, () => true), deciding = this.#decidingIn(new Set(writes.flatMap(({ inside }) => inside ?? [])), symbol);
    // what others may set is a setting, unless it goes with a key that nobody else sets
    const asked = own === null ? deciding.filter((other) => this.#isKeyOf(other, symbol)) : deciding;
    const others = asked.flatMap((other) => { const values = this.#constants(other, ({ isRewritten }) => !isRewritten); return values === null ? [] : [[other, values] as const]; });
    const text = ([{ name }, values]: readonly [ts.Symbol, readonly string[]]): string => `$d.holds(${[name, ...values].join(", ")})`;
    const tests = [...(own === null ? [] : [[symbol, own] as const]), ...others];
    return tests.length === 0 ? null : tests.map(text).join(" && ");
  }

  /** `if (x !== key) { key = x; value = … }`, `if (x === key) return value; key = x; value = …` */
  #isKeyOf(key: ts.Symbol, value: ts.Symbol): boolean {
    const { ts: api, assigned } = this.#host, isSet = this.#writes(key).some((write) => write.isRewritten && write.isWhole && write.value !== null && this.#mayVary(write.value, []));
    return isSet && assigned.mentions(key, (name) => decides(name, api)).some((name) => {
      const guard = api.findAncestor(name, api.isIfStatement);
      if (guard === undefined || !isIn(name, guard.expression)) return false;
      const returns = api.isReturnStatement(guard.thenStatement) || (api.isBlock(guard.thenStatement) && guard.thenStatement.statements.some(api.isReturnStatement));
      const isMeant = ({ target }: Pick<Write, "target">): boolean => isIn(target, guard) || (returns && guard.parent === api.findAncestor(target, api.isBlock) && target.pos >= guard.end);
      return this.#writes(key).some(isMeant) && this.#writes(value).some(isMeant);
    });
  }

  #writes(symbol: ts.Symbol): readonly Write[] {
    const { ts: api, isRewritten } = this.#host;
    return this.#host.assigned.targets(symbol).map((target) => {
      let at: ts.Node = target.parent;
      while (!api.isStatement(at) && !(api.isBinaryExpression(at) && isAssignment(at, api)) && !api.isPrefixUnaryExpression(at) && !api.isPostfixUnaryExpression(at)) at = at.parent;
      const value = api.isBinaryExpression(at) ? at.right : api.isForOfStatement(at) ? at.expression : null;
      const isWhole = api.isBinaryExpression(at) && at.operatorToken.kind === api.SyntaxKind.EqualsToken && bare(at.left, api) === target;
      return { target, value, isWhole, inside: api.findAncestor(target, api.isFunctionLike) ?? null, isRewritten: api.findAncestor(target, isRewritten) !== undefined };
    });
  }

  /** What stands there before any of the writes and behind those that are asked for; null where that is no constant. */
  #constants(symbol: ts.Symbol, isAsked: (write: Write) => boolean): readonly string[] | null {
    const { ts: api } = this.#host, { valueDeclaration: declaration } = symbol;
    // one of a loop's head is not known where its block ends
    if (declaration === undefined || !api.isVariableDeclaration(declaration) || !api.isVariableStatement(declaration.parent.parent)) return null;
    const first = declaration.initializer === undefined ? "undefined" : constantOf(declaration.initializer, api), texts = first === null ? [] : [first];
    const isObject = declaration.initializer !== undefined && isMade(bare(declaration.initializer, api), api);
    for (const write of this.#writes(symbol)) {
      const text = write.value === null || !write.isWhole ? null : constantOf(write.value, api);
      if (text === null && !write.isRewritten) return null;
      if (text !== null && isAsked(write)) texts.push(text);
    }
    return first === null && !isObject ? null : [...new Set(texts)];
  }

  /** Variables beside it that these functions assign and that decide what they do. */
  #decidingIn(inside: ReadonlySet<ts.Node>, symbol: ts.Symbol): readonly ts.Symbol[] {
    const { ts: api, checker, assigned } = this.#host, found = new Set<ts.Symbol>(), home = symbol.valueDeclaration === undefined ? null : blockOf(symbol.valueDeclaration, api);
    const look = (node: ts.Node): void => {
      const meant = api.isIdentifier(node) && decides(node, api) ? checker.getSymbolAtLocation(node) : undefined, declaration = meant?.valueDeclaration;
      if (meant !== undefined && meant !== symbol && declaration !== undefined && api.isVariableDeclaration(declaration) && blockOf(declaration, api) === home
        && assigned.targets(meant).some((target) => api.findAncestor(target, (each) => inside.has(each)) !== undefined)) found.add(meant);
      api.forEachChild(node, look);
    };
    for (const node of inside) look(node);
    return [...found];
  }

  /** Whether a number that varies with what a derivative is asked for may reach the value. `within`: functions that it stands in, whose parameters are their own. */
  #mayVary(node: ts.Node, within: readonly ts.Node[]): boolean {
    const { ts: api } = this.#host;
    if (api.isTypeNode(node) || isFixed(node, api)) return false;
    if (api.isIdentifier(node)) return this.#nameMayVary(node, within);
    if (api.isPropertyAccessExpression(node)) return this.#mayVary(node.expression, within);
    if (api.isPropertyAssignment(node)) return this.#mayVary(node.initializer, within);
    if (api.isShorthandPropertyAssignment(node)) return this.#mayVary(node.name, within);
    if (api.isConditionalExpression(node)) return this.#mayVary(node.whenTrue, within) || this.#mayVary(node.whenFalse, within);
    if (api.isVariableDeclaration(node)) return node.initializer !== undefined && this.#mayVary(node.initializer, within);
    const inner = api.isFunctionLike(node) ? [...within, node] : within;
    return api.forEachChild(node, (child) => this.#mayVary(child, inner) || undefined) ?? false;
  }

  /** A text, or what is true or false. */
  #isText(node: ts.Node): boolean {
    const { ts: api, checker } = this.#host, type = checker.getNonNullableType(checker.getTypeAtLocation(node)), { StringLike, BooleanLike, BigIntLike, ESSymbolLike } = api.TypeFlags;
    return (type.isUnion() ? type.types : [type]).every(({ flags }) => (flags & (StringLike | BooleanLike | BigIntLike | ESSymbolLike)) !== 0);
  }

  /** Whether all calls give constants of modules, in which nobody puts what varies. */
  #isGivenData(node: ts.SignatureDeclaration, place: number): boolean {
    const { ts: api, checker } = this.#host, name = api.isFunctionDeclaration(node) ? node.name : api.isVariableDeclaration(node.parent) && api.isIdentifier(node.parent.name) ? node.parent.name : undefined;
    const meant = name === undefined ? undefined : checker.getSymbolAtLocation(name);
    if (name === undefined || meant === undefined) return false;
    return mentionsOf(meant, this.#objectHost()).every((at) => {
      const { parent } = at, arg = api.isCallExpression(parent) && parent.expression === at ? parent.arguments[place] : undefined;
      return ("name" in parent && parent.name === at) || api.isExportSpecifier(parent) || (arg !== undefined && isOfModule(arg, this.#objectHost()));
    });
  }

  #nameMayVary(node: ts.Identifier, within: readonly ts.Node[]): boolean {
    const { ts: api, checker } = this.#host, { parent } = node;
    const symbol = api.isShorthandPropertyAssignment(parent) ? checker.getShorthandAssignmentValueSymbol(parent) : checker.getSymbolAtLocation(node), declaration = symbol?.valueDeclaration;
    if (symbol === undefined || declaration === undefined) return false;
    const owner = api.isBindingElement(declaration) ? api.walkUpBindingElementsAndPatterns(declaration) : declaration;
    if (api.isParameter(owner)) {
      if (within.includes(owner.parent)) return false;
      const place = owner.parent.parameters.indexOf(owner), { isLive, holds } = this.#host.given(owner.parent, place);
      return !this.#isText(node) && !isEachOfModule(owner, this.#objectHost()) && (isLive || (holds && !this.#isGivenData(owner.parent, place)));
    }
    const known = this.#varies.get(symbol);
    if (known !== undefined) return known;
    this.#varies.set(symbol, false);
    const isOfLoop = api.isVariableDeclaration(owner) && api.isForOfStatement(owner.parent.parent) ? owner.parent.parent.expression : null;
    const first = isOfLoop ?? (api.isVariableDeclaration(owner) ? owner.initializer : undefined), isInside = api.findAncestor(owner, api.isFunctionLike) !== undefined;
    const made = (first !== undefined && isInside && this.#mayVary(first, within)) || (api.isFunctionDeclaration(owner) && isInside && this.#mayVary(owner, within))
      || this.#writes(symbol).some(({ value, isRewritten }) => isRewritten && value !== null && this.#mayVary(value, within));
    this.#varies.set(symbol, made);
    return made;
  }
}

/** `DATA`, `DATA[0].points`, the `each` of `DATA.map((each) => …)`: a constant of a module, in whose places no rewritten code writes by its name, or a part of it. */
function isOfModule(wrapped: ts.Expression, host: ObjectHost): boolean {
  const { ts: api, checker, assigned } = host, node = bare(wrapped, api);
  if (api.isPropertyAccessExpression(node) || api.isElementAccessExpression(node)) return isOfModule(node.expression, host);
  const symbol = api.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined, meant = symbol !== undefined && (symbol.flags & api.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(symbol) : symbol, declaration = meant?.valueDeclaration;
  if (meant === undefined || declaration === undefined) return false;
  if (api.isParameter(declaration)) return isEachOfModule(declaration, host);
  if (!api.isVariableDeclaration(declaration) || (declaration.parent.flags & api.NodeFlags.Const) === 0) return false;
  if (api.isForOfStatement(declaration.parent.parent)) return isOfModule(declaration.parent.parent.expression, host);
  if (api.findAncestor(declaration, api.isFunctionLike) !== undefined) return declaration.initializer !== undefined && isOfModule(declaration.initializer, host);
  return !writesOf({ uses: assigned.mentions(meant), isTable: false }, host).some(({ isRewritten }) => isRewritten);
}

/** The first parameter of what such a list calls for each of its elements. */
function isEachOfModule(declaration: ts.ParameterDeclaration, host: ObjectHost): boolean {
  const { ts: api } = host, { parent: around } = declaration, call = around.parent;
  return around.parameters[0] === declaration && api.isArrowFunction(around) && api.isCallExpression(call) && call.arguments[0] === around && api.isPropertyAccessExpression(call.expression)
    && /^(map|forEach|filter|some|every|flatMap|find|findIndex)$/.test(call.expression.name.text) && isOfModule(call.expression.expression, host);
}

/**
 * Whether what is written there may come back to a run: the function that writes reads it, too, or is called by name in rewritten code. What does neither is there for others to set it.
 */
export function isOfRuns(target: ts.Node, mentions: readonly ts.Node[], isRead: (node: ts.Node) => boolean, { ts: api, checker, assigned, isRewritten }: KeptHost): boolean {
  const writer = api.findAncestor(target, api.isFunctionLike);
  if (writer === undefined) return false;
  if (mentions.some((node) => isRead(node) && api.findAncestor(node, (each) => each === writer) !== undefined)) return true;
  // whatever calls a private method is of its class
  if (api.isMethodDeclaration(writer) && api.isPrivateIdentifier(writer.name)) return true;
  const name = api.isFunctionDeclaration(writer) || (api.isMethodDeclaration(writer) && api.isIdentifier(writer.name)) ? writer.name : api.isVariableDeclaration(writer.parent) && api.isIdentifier(writer.parent.name) ? writer.parent.name : undefined;
  const meant = name === undefined ? undefined : checker.getSymbolAtLocation(name);
  const isCalled = ({ parent }: ts.Node): boolean => api.isCallExpression(parent) || (api.isPropertyAccessExpression(parent) && api.isCallExpression(parent.parent));
  return meant !== undefined && assigned.mentions(meant, isCalled).some((node) => api.findAncestor(node, isRewritten) !== undefined);
}

/** `0`, `-1`, `NaN`, `null`, `true`, `""` */
export function constantOf(wrapped: ts.Expression, api: typeof ts): string | null {
  const node = bare(wrapped, api);
  if (api.isPrefixUnaryExpression(node)) return node.operator === api.SyntaxKind.MinusToken && constantOf(node.operand, api) !== null ? node.getText() : null;
  const { NullKeyword, TrueKeyword, FalseKeyword } = api.SyntaxKind;
  const isConstant = api.isNumericLiteral(node) || api.isStringLiteral(node) || node.kind === NullKeyword || node.kind === TrueKeyword || node.kind === FalseKeyword || (api.isIdentifier(node) && /^(NaN|Infinity|undefined)$/.test(node.text));
  return isConstant ? node.getText() : null;
}

/** `[]`, `{ at: NaN }`, `new Map()` */
export const isMade = (node: ts.Expression, api: typeof ts): boolean => api.isObjectLiteralExpression(node) || api.isArrayLiteralExpression(node) || api.isNewExpression(node);

const COMPARISONS = "< <= > >= == != === !== in instanceof".split(" "), WHOLE = "& | ^ << >> >>>".split(" ");
const FIXED_CALL = /^(stopGradient|Math\.(floor|ceil|round|trunc|sign|random)|performance\.now|Date\.now|String|Boolean|BigInt)$/;

/** What no derivative passes through, whatever stands in it. */
function isFixed(node: ts.Node, api: typeof ts): boolean {
  if (api.isBinaryExpression(node)) return [...COMPARISONS, ...WHOLE].includes(node.operatorToken.getText());
  if (api.isPrefixUnaryExpression(node)) return node.operator === api.SyntaxKind.ExclamationToken || node.operator === api.SyntaxKind.TildeToken;
  if (api.isCallExpression(node)) return FIXED_CALL.test(node.expression.getText());
  if (api.isPropertyAccessExpression(node)) return node.name.text === "length" || node.name.text === "size";
  return api.isTypeOfExpression(node) || api.isVoidExpression(node) || api.isDeleteExpression(node) || api.isTemplateExpression(node) || api.isStringLiteral(node);
}

/** `if (known)`, `x === last`, `last ?? …` */
export function decides(node: ts.Expression, api: typeof ts): boolean {
  for (let at: ts.Node = node; at.parent !== undefined && !api.isStatement(at); at = at.parent) {
    const { parent } = at;
    if ((api.isIfStatement(parent) || api.isWhileStatement(parent) || api.isDoStatement(parent)) && parent.expression === at) return true;
    if (api.isConditionalExpression(parent) && parent.condition === at) return true;
    if (api.isBinaryExpression(parent) && (COMPARISONS.includes(parent.operatorToken.getText()) || (parent.left === at && /^(&&|\|\||\?\?)=?$/.test(parent.operatorToken.getText())))) return true;
  }
  return false;
}
