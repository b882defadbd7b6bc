// Follows an object through its names (variables, parameters, fields) to its allocation.
// In: an expression; files. Out: the constants that it holds initially, and whether plain code may
// write anything else into it. Invariant: unsure means null.

import type ts from "typescript";
import { isTarget } from "../assigned.ts";
import type { ObjectHost } from "./kept-objects.ts";
import { constantOf, isOfRuns, type KeptHost } from "./kept-variables.ts";
import { bare } from "../plan/places.ts";
import { isOfConstructor, valueOf } from "./puts.ts";

/** The aliases of an object: variables, and fields of objects. */
interface Found {
  readonly constants: Set<string>;
  readonly symbols: Set<ts.Symbol>;
  readonly fields: Map<string, ts.Type>;
}

/** The maximum number of aliases followed. */
const MOST = 12;

/** An object's constants, from its allocation and plain writes. `own`: uses that are checked. */
export function contentOf(
  node: ts.Expression,
  own: ReadonlySet<ts.Node>,
  host: ObjectHost,
): readonly string[] | null {
  const found: Found = { constants: new Set(), symbols: new Set(), fields: new Map() };
  if (!comesFrom(node, found, host)) return null;
  const uses = [
    ...[...found.symbols].map((symbol) => mentionsOf(symbol, host)),
    ...[...found.fields].map(([key, type]) => host.puts.accesses(key, type)),
  ];
  return isOurs(found, uses, own, host) ? [...found.constants] : null;
}

/** Whether plain code may write into an object, under any of its aliases. */
export function isFilledByOthers(uses: readonly ts.Expression[], host: ObjectHost): boolean {
  const found: Found = { constants: new Set(), symbols: new Set(), fields: new Map() };
  return !isOurs(found, [uses], null, host) || found.constants.size > 0;
}

/** Whether plain code may write a non-constant to a property. `known`: writes that are checked. */
export function isPutByOthers(
  key: string,
  type: ts.Type,
  known: ReadonlySet<ts.Node>,
  { ts: api, puts, isRewritten }: ObjectHost,
): boolean {
  const isPlain = (node: ts.Node): boolean => api.findAncestor(node, isRewritten) === undefined;
  return (
    puts
      .of(key, type)
      .some(
        ({ at, value, isFirst }) =>
          !isFirst &&
          isPlain(at) &&
          !known.has(at) &&
          (value === null || value === undefined || constantOf(value, api) === null),
      ) || puts.unnamed(key, type).some(({ at, isMade }) => !isMade && isPlain(at))
  );
}

/** Whether plain code uses it other than to read or write one of its properties. */
export function isHandedOn(
  uses: readonly ts.Expression[],
  { ts: api, isRewritten }: ObjectHost,
): boolean {
  return uses.some((use) => {
    let at: ts.Node = use;
    while (
      api.isParenthesizedExpression(at.parent) ||
      api.isNonNullExpression(at.parent) ||
      api.isAsExpression(at.parent)
    )
      at = at.parent;
    const { parent } = at;
    const isNamed = ("name" in parent && parent.name === at) || api.isTypeNode(parent);
    return (
      !isNamed &&
      !(
        (api.isPropertyAccessExpression(parent) || api.isElementAccessExpression(parent)) &&
        parent.expression === use
      ) &&
      api.findAncestor(use, isRewritten) === undefined
    );
  });
}

function comesFrom(wrapped: ts.Expression, found: Found, host: KeptHost): boolean {
  const { ts: api, checker } = host;
  const node = bare(wrapped, api);
  const also = (one: ts.Expression | undefined): boolean =>
    one === undefined || comesFrom(one, found, host);
  if (constantOf(node, api) !== null) return true;
  if (isMaking(node, api)) return holdsConstants(node, found, api);
  if (api.isIdentifier(node)) return ofName(node, found, host);
  if (api.isPropertyAccessExpression(node) && !api.isPrivateIdentifier(node.name))
    return ofField(node.name.text, checker.getTypeAtLocation(node.expression), found, host);
  if (api.isElementAccessExpression(node)) return also(node.expression);
  if (
    api.isCallExpression(node) &&
    api.isPropertyAccessExpression(node.expression) &&
    /^(get|at)$/.test(node.expression.name.text)
  )
    return also(node.expression.expression);
  if (api.isConditionalExpression(node)) return also(node.whenTrue) && also(node.whenFalse);
  return (
    api.isBinaryExpression(node) &&
    /^(\?\?|\|\|)=?$/.test(node.operatorToken.getText()) &&
    also(node.left) &&
    also(node.right)
  );
}

function ofName(node: ts.Identifier, found: Found, host: KeptHost): boolean {
  const { ts: api, checker, assigned } = host;
  const symbol = meantBy(node, host);
  const declaration = symbol?.valueDeclaration;
  if (
    symbol === undefined ||
    declaration === undefined ||
    !host.files.includes(declaration.getSourceFile())
  )
    return false;
  if (found.symbols.has(symbol)) return true;
  if (found.symbols.size + found.fields.size > MOST) return false;
  found.symbols.add(symbol);
  const values = assigned
    .targets(symbol)
    .map((target) =>
      api.isBinaryExpression(target.parent) && target.parent.left === target
        ? valueOf(target, api)
        : null,
    );
  if (!values.every((value) => value !== null && comesFrom(value, found, host))) return false;
  if (api.isBindingElement(declaration)) {
    const { parent: pattern } = declaration;
    const from = api.isVariableDeclaration(pattern.parent) ? pattern.parent.initializer : undefined;
    const key = declaration.propertyName ?? declaration.name;
    if (
      from === undefined ||
      declaration.dotDotDotToken !== undefined ||
      declaration.initializer !== undefined
    )
      return false;
    return api.isArrayBindingPattern(pattern)
      ? comesFrom(from, found, host)
      : api.isIdentifier(key) && ofField(key.text, checker.getTypeAtLocation(from), found, host);
  }
  if (api.isParameter(declaration)) return ofParameter(declaration, found, host);
  if (!api.isVariableDeclaration(declaration)) return false;
  const first = api.isForOfStatement(declaration.parent.parent)
    ? declaration.parent.parent.expression
    : declaration.initializer;
  return first === undefined || comesFrom(first, found, host);
}

/** Follows the arguments of all calls. */
function ofParameter(declaration: ts.ParameterDeclaration, found: Found, host: KeptHost): boolean {
  const { ts: api, checker } = host;
  const node = declaration.parent;
  const place = node.parameters.indexOf(declaration);
  const name = api.isFunctionDeclaration(node)
    ? node.name
    : api.isVariableDeclaration(node.parent) && api.isIdentifier(node.parent.name)
      ? node.parent.name
      : undefined;
  const own = name === undefined ? undefined : checker.getSymbolAtLocation(name);
  if (
    own === undefined ||
    declaration.dotDotDotToken !== undefined ||
    !api.isIdentifier(declaration.name)
  )
    return false;
  const mentions = mentionsOf(own, host).filter(
    (node) =>
      node !== name && !api.isImportSpecifier(node.parent) && !api.isExportSpecifier(node.parent),
  );
  return (
    mentions.length > 0 &&
    mentions.every(({ parent, ...rest }) => {
      if (!api.isCallExpression(parent)) return false;
      const arg = parent.arguments[place] ?? declaration.initializer;
      return (
        parent.expression.pos === rest.pos &&
        arg !== undefined &&
        !parent.arguments.some(api.isSpreadElement) &&
        comesFrom(arg, found, host)
      );
    })
  );
}

function ofField(key: string, type: ts.Type, found: Found, host: KeptHost): boolean {
  const { ts: api, puts, isRewritten } = host;
  if (found.fields.has(key)) return true;
  if (found.symbols.size + found.fields.size > MOST) return false;
  found.fields.set(key, type);
  const all = puts.of(key, type);
  const unnamed = puts
    .unnamed(key, type)
    .some(({ at, isMade }) => isMade || api.findAncestor(at, isRewritten) === undefined);
  return (
    all.length > 0 &&
    !unnamed &&
    all.every(
      ({ value }) => value === undefined || (value !== null && comesFrom(value, found, host)),
    )
  );
}

/** Whether it allocates: `{}`, `new Map()`, `new Array(8).fill(NaN)`, `Object.create(null)`. */
function isMaking(
  node: ts.Expression,
  api: typeof ts,
): node is
  ts.ObjectLiteralExpression | ts.ArrayLiteralExpression | ts.NewExpression | ts.CallExpression {
  if (api.isObjectLiteralExpression(node) || api.isArrayLiteralExpression(node)) return true;
  if (api.isNewExpression(node))
    return /^(Map|WeakMap|Set|WeakSet|Array|Float(16|32|64)Array)$/.test(node.expression.getText());
  if (!api.isCallExpression(node)) return false;
  const { expression } = node;
  if (
    /^(Array|Object\.(create|seal|preventExtensions))$/.test(expression.getText()) ||
    isOfLength(node, api)
  )
    return true;
  return (
    api.isPropertyAccessExpression(expression) &&
    /^(fill|map)$/.test(expression.name.text) &&
    isMaking(bare(expression.expression, api), api)
  );
}

/** `Array.from({ length: n }, …)` */
function isOfLength({ expression, arguments: args }: ts.CallExpression, api: typeof ts): boolean {
  const of = args[0];
  return (
    expression.getText() === "Array.from" &&
    of !== undefined &&
    api.isObjectLiteralExpression(of) &&
    of.properties.length === 1 &&
    of.properties[0]?.name?.getText() === "length"
  );
}

/** Records the constants of a literal; false where it holds anything else. */
function holdsConstants(wrapped: ts.Expression, { constants }: Found, api: typeof ts): boolean {
  const walk = (inner: ts.Expression): boolean => {
    const node = bare(inner, api);
    const text = constantOf(node, api);
    if (text !== null) {
      constants.add(text);
      return true;
    }
    if (api.isObjectLiteralExpression(node))
      return node.properties.every(
        (property) => api.isPropertyAssignment(property) && walk(property.initializer),
      );
    if (api.isArrayLiteralExpression(node))
      return node.elements.every((each) =>
        walk(api.isSpreadElement(each) ? each.expression : each),
      );
    if (api.isArrowFunction(node)) return !api.isBlock(node.body) && walk(node.body);
    if (!isMaking(node, api)) return false;
    if (api.isNewExpression(node)) {
      const isCount =
        /Array$/.test(node.expression.getText()) &&
        (node.arguments ?? []).every((arg) => !api.isArrayLiteralExpression(bare(arg, api)));
      if (isCount && /^F/.test(node.expression.getText())) constants.add("0");
      return isCount || (node.arguments ?? []).every(walk);
    }
    if (!api.isCallExpression(node)) return false;
    const { expression } = node;
    if (isOfLength(node, api)) return node.arguments.slice(1).every(walk);
    if (api.isPropertyAccessExpression(expression) && /^(fill|map)$/.test(expression.name.text))
      return walk(expression.expression) && node.arguments.slice(0, 1).every(walk);
    return expression.getText() === "Array" || node.arguments.every(walk);
  };
  return walk(wrapped);
}

/** Whether plain code only writes constants (recorded). Active writes: in `own`; null: anywhere. */
function isOurs(
  found: Found,
  all: readonly (readonly ts.Expression[])[],
  own: ReadonlySet<ts.Node> | null,
  host: ObjectHost,
): boolean {
  const { ts: api, isRewritten, mayVary } = host;
  const { constants, symbols } = found;
  const done = new Set<ts.Symbol>();
  let group: readonly ts.Node[] = [];
  const isRead = (node: ts.Node): boolean => !isPutting(node, api);
  const isPlain = (node: ts.Expression): boolean =>
    api.findAncestor(node, isRewritten) === undefined ||
    !isOfRuns(node, group, isRead, host) ||
    (api.isPropertyAccessExpression(node) && isOfConstructor(bare(node.expression, api), api));
  const areQuiet = (uses: readonly ts.Expression[]): boolean => {
    const before = group;
    group = uses;
    const isSo = uses.every((use) =>
      isPlain(use)
        ? isQuiet(use)
        : own === null ||
          own.has(use) ||
          valuesPut(use, api).every((value) => mayVary(value) || note(value)),
    );
    group = before;
    return isSo;
  };
  const isQuiet = (node: ts.Node): boolean => {
    let at = node;
    while (
      api.isParenthesizedExpression(at.parent) ||
      api.isNonNullExpression(at.parent) ||
      api.isAsExpression(at.parent) ||
      api.isSatisfiesExpression(at.parent)
    )
      at = at.parent;
    const { parent } = at;
    if (
      ("name" in parent && parent.name === at && !api.isPropertyAccessExpression(parent)) ||
      api.isImportSpecifier(parent) ||
      api.isExportSpecifier(parent) ||
      api.isTypeNode(parent) ||
      api.isTypeQueryNode(parent)
    )
      return true;
    if (api.isVariableDeclaration(parent))
      return !api.isIdentifier(parent.name)
        ? api.isObjectBindingPattern(parent.name) || api.isArrayBindingPattern(parent.name)
        : isQuietName(parent.name);
    if (
      api.isForOfStatement(parent) ||
      api.isSpreadElement(parent) ||
      api.isExpressionStatement(parent) ||
      api.isTypeOfExpression(parent)
    )
      return true;
    if (api.isBinaryExpression(parent))
      return !/^[^=!<>]*=$/.test(parent.operatorToken.getText()) || parent.left === at;
    if (api.isCallExpression(parent))
      return (
        parent.expression !== at &&
        /^(JSON\.stringify|console\.\w+|structuredClone|Object\.(keys|values|entries|hasOwn|freeze)|Array\.from|Array\.isArray|String)$/.test(
          parent.expression.getText(),
        )
      );
    return (
      (api.isPropertyAccessExpression(parent) || api.isElementAccessExpression(parent)) &&
      parent.expression === at &&
      isQuietUse(parent)
    );
  };
  const isQuietName = (name: ts.Identifier): boolean => {
    const symbol = host.checker.getSymbolAtLocation(name);
    if (symbol === undefined || symbols.has(symbol) || done.has(symbol))
      return symbol !== undefined;
    done.add(symbol);
    return areQuiet(mentionsOf(symbol, host));
  };
  // an inner object that is read may be passed through, which is rare
  const isQuietUse = (use: ts.PropertyAccessExpression | ts.ElementAccessExpression): boolean => {
    const { parent } = use;
    if (
      api.isCallExpression(parent) &&
      parent.expression === use &&
      api.isPropertyAccessExpression(use)
    ) {
      return argumentsPut(use.name.text, parent).every((value) => note(value));
    }
    if (
      (api.isPropertyAccessExpression(parent) || api.isElementAccessExpression(parent)) &&
      parent.expression === use
    )
      return isQuietUse(parent);
    if (!isTarget(api, use) || (api.isPropertyAccessExpression(use) && use.name.text === "length"))
      return true;
    return api.isBinaryExpression(parent) && parent.left === use && note(parent.right);
  };
  const note = (value: ts.Expression): boolean => {
    const made = bare(value, api);
    const text = constantOf(made, api);
    const symbol = api.isIdentifier(made) ? host.checker.getSymbolAtLocation(made) : undefined;
    if (text !== null) constants.add(text);
    return (
      text !== null ||
      (symbol !== undefined && symbols.has(symbol)) ||
      (isMaking(made, api) && holdsConstants(made, found, api))
    );
  };
  return all.every(areQuiet);
}

const argumentsPut = (method: string, call: ts.CallExpression): readonly ts.Expression[] =>
  /^(set|add|push|unshift|fill|splice|copyWithin)$/.test(method)
    ? call.arguments.slice(method === "set" ? 1 : 0, method === "fill" ? 1 : undefined)
    : [];

/** The values written into an object or its inner objects at a use. */
export function valuesPut(node: ts.Node, api: typeof ts): readonly ts.Expression[] {
  let at = node;
  while (
    ((api.isPropertyAccessExpression(at.parent) || api.isElementAccessExpression(at.parent)) &&
      at.parent.expression === at) ||
    api.isNonNullExpression(at.parent) ||
    api.isParenthesizedExpression(at.parent)
  )
    at = at.parent;
  const { parent } = at;
  if (at === node) return [];
  if (api.isCallExpression(parent) && parent.expression === at)
    return api.isPropertyAccessExpression(at) ? argumentsPut(at.name.text, parent) : [];
  const value = isTarget(api, at) ? valueOf(at, api) : null;
  return value === null ? [] : [value];
}

/** Whether the use writes without reading. */
const isPutting = (node: ts.Node, api: typeof ts): boolean =>
  valuesPut(node, api).some(
    ({ parent }) =>
      !api.isBinaryExpression(parent) || parent.operatorToken.kind === api.SyntaxKind.EqualsToken,
  );

function meantBy(node: ts.Identifier, { ts: api, checker }: KeptHost): ts.Symbol | undefined {
  const symbol = api.isShorthandPropertyAssignment(node.parent)
    ? checker.getShorthandAssignmentValueSymbol(node.parent)
    : checker.getSymbolAtLocation(node);
  return symbol !== undefined && (symbol.flags & api.SymbolFlags.Alias) !== 0
    ? checker.getAliasedSymbol(symbol)
    : symbol;
}

/** All mentions of a variable, including imports, in all files. */
export function mentionsOf(symbol: ts.Symbol, host: KeptHost): readonly ts.Identifier[] {
  const known = host.puts.mentions.get(symbol) ?? mentionsIn(symbol, host);
  host.puts.mentions.set(symbol, known);
  return known;
}

function mentionsIn(symbol: ts.Symbol, host: KeptHost): readonly ts.Identifier[] {
  const { ts: api, files } = host;
  const found: ts.Identifier[] = [];
  const own = symbol.valueDeclaration?.getSourceFile();
  const isOfModule =
    symbol.valueDeclaration !== undefined &&
    api.findAncestor(symbol.valueDeclaration, api.isFunctionLike) === undefined;
  const names = isOfModule ? namesOf(symbol, host) : new Set([symbol.name]);
  const look = (node: ts.Node): void => {
    if (api.isIdentifier(node) && names.has(node.text) && meantBy(node, host) === symbol)
      found.push(node);
    api.forEachChild(node, look);
  };
  for (const file of files)
    if (file === own || (isOfModule && [...names].some((name) => file.text.includes(name))))
      look(file);
  return found;
}

/** The names that a module's variable has in its own file, in exports and in imports. */
function namesOf(symbol: ts.Symbol, host: KeptHost): ReadonlySet<string> {
  const { ts: api, files } = host;
  const names = new Set([symbol.name]);
  const look = (node: ts.Node): void => {
    const isAlias =
      api.isImportSpecifier(node) || api.isExportSpecifier(node) || api.isImportClause(node);
    if (isAlias && node.name !== undefined && api.isIdentifier(node.name)) {
      if (!names.has(node.name.text) && meantBy(node.name, host) === symbol)
        names.add(node.name.text);
    } else if (api.isExportAssignment(node) && api.isIdentifier(node.expression)) {
      if (meantBy(node.expression, host) === symbol) names.add("default");
    }
    if (!api.isStatement(node) || api.isImportDeclaration(node) || api.isExportDeclaration(node))
      api.forEachChild(node, look);
  };
  for (const file of files) file.statements.forEach(look);
  return names;
}
