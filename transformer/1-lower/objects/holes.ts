// Which arrays may have holes: elements never stored, which callback methods skip.
// Input: an array expression. Output: whether it may have holes. An array from elsewhere may have
// some only if a file that its file imports creates such an array of its type.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { resolvedSymbol, type Names } from "../checker.ts";
import type { TypeScript } from "../typescript.ts";
import type { Frame } from "../frame.ts";
import { nodesOfFile } from "../nodes-of-file.ts";
import { isArrayConstruction, leavesHoles, type Store } from "./dense-fill.ts";
import { storesBeyond } from "./stores-beyond.ts";

/** Why a method is refused. */
export const HOLES =
  "its list may have holes, as one by `new Array(n)` has until each element is written (`new Array(n).fill(0)` has none)";

export function mayHaveHoles(f: Frame, expression: ts.Expression): boolean {
  const names: Names = { api: f.api, checker: f.ctx.checker };
  const node = bare(expression, f.api);
  if (isArrayConstruction(node, f.api)) return true;
  if (f.api.isArrayLiteralExpression(node) || f.api.isNewExpression(node)) return false;
  if (f.api.isCallExpression(node) && isOfLibrary(node, names) && !givesElement(node, f.api))
    return preservesHoles(node, f.api) && mayHaveHoles(f, node.expression.expression);
  const symbol = listOf(node, names);
  const known = symbol === null ? null : holesOf(f, symbol, node.getSourceFile());
  if (known !== null) return known;
  const type = f.ctx.checker.getTypeAtLocation(node);
  return seenFrom(node.getSourceFile(), f).some((file) =>
    holedIn(file, names).some((each) => f.ctx.checker.isTypeAssignableTo(each, type)),
  );
}

/** Whether a variable or field has holes; null where others may store into its list. */
function holesOf(f: Frame, symbol: ts.Symbol, file: ts.SourceFile): boolean | null {
  const names: Names = { api: f.api, checker: f.ctx.checker };
  const made = initialOf(symbol, f.api);
  if (getsHoles(symbol, made, file, names)) return true;
  if (made === null || !(isMade(made, f.api) || isConstant(symbol, f.api))) return null;
  if (!isMade(made, f.api) && mayHaveHoles(f, made)) return true;
  return isPassedOn(symbol, file, names) ? null : false;
}

const isMade = (made: ts.Expression, api: TypeScript): boolean =>
  isArrayConstruction(made, api) || api.isArrayLiteralExpression(made);

/** Whether stores into a variable or field, by its name, leave holes. */
const getsHoles = (
  symbol: ts.Symbol,
  made: ts.Expression | null,
  file: ts.SourceFile,
  names: Names,
): boolean =>
  made !== null && isMade(made, names.api)
    ? isHoled(symbol, made, names)
    : storedLists(file, names).get(symbol)?.isBeyond === true;

const isConstant = ({ valueDeclaration: declaration }: ts.Symbol, api: TypeScript): boolean =>
  declaration !== undefined &&
  api.isVariableDeclaration(declaration) &&
  (api.getCombinedNodeFlags(declaration) & api.NodeFlags.Const) !== 0;

/** Methods that give an element, which may be a list. */
const GIVING: ReadonlySet<string> = new Set(["get", "at", "pop", "shift", "find", "findLast"]);

const givesElement = ({ expression }: ts.CallExpression, api: TypeScript): boolean =>
  api.isPropertyAccessExpression(expression) && GIVING.has(expression.name.text);

/** Methods that preserve holes. */
const PRESERVING: ReadonlySet<string> = new Set([
  "map",
  "slice",
  "reverse",
  "sort",
  "concat",
  "splice",
  "copyWithin",
]);

const preservesHoles = (
  node: ts.Expression,
  api: TypeScript,
): node is ts.CallExpression & { readonly expression: ts.PropertyAccessExpression } =>
  api.isCallExpression(node) &&
  api.isPropertyAccessExpression(node.expression) &&
  PRESERVING.has(node.expression.name.text);

const isOfLibrary = (node: ts.CallExpression, { checker }: Names): boolean =>
  checker.getResolvedSignature(node)?.declaration?.getSourceFile().isDeclarationFile === true;

/** The variable or field that an expression names. */
function listOf(node: ts.Expression, names: Names): ts.Symbol | null {
  const { api } = names;
  return api.isIdentifier(node)
    ? resolvedSymbol(node, names)
    : api.isPropertyAccessExpression(node)
      ? resolvedSymbol(node.name, names)
      : null;
}

/** The initializer of a variable or field. */
function initialOf(
  { valueDeclaration: declaration }: ts.Symbol,
  api: TypeScript,
): ts.Expression | null {
  if (
    declaration === undefined ||
    !(
      api.isVariableDeclaration(declaration) ||
      api.isPropertyDeclaration(declaration) ||
      api.isPropertyAssignment(declaration)
    )
  )
    return null;
  return declaration.initializer === undefined ? null : bare(declaration.initializer, api);
}

/** The file and its transitive imports. */
function seenFrom(file: ts.SourceFile, { ctx }: Frame): readonly ts.SourceFile[] {
  const found = new Set([file]);
  for (const each of found) {
    for (const name of IMPORTS(each, ctx.ts)) {
      const target = ctx.checker.getSymbolAtLocation(name)?.valueDeclaration;
      if (target !== undefined && ctx.ts.isSourceFile(target) && !target.isDeclarationFile)
        found.add(target);
    }
  }
  return [...found];
}

const IMPORTS = nodesOfFile(
  null,
  (node, api): node is ts.StringLiteral =>
    api.isStringLiteral(node) &&
    (api.isImportDeclaration(node.parent) || api.isExportDeclaration(node.parent)) &&
    node.parent.moduleSpecifier === node &&
    // tsgrad's own source has no list of the user's
    !/^tsgrad(\/|$)/.test(node.text),
);

const HOLED = new WeakMap<
  ts.SourceFile,
  { readonly checker: ts.TypeChecker; readonly types: readonly ts.Type[] }
>();

/** Types of the arrays with holes that a file creates. */
function holedIn(file: ts.SourceFile, names: Names): readonly ts.Type[] {
  const before = HOLED.get(file);
  if (before?.checker === names.checker) return before.types;
  const types = [...storedLists(file, names)].flatMap(([list, { type, isBeyond }]) =>
    (typeof list === "string" ? isBeyond : isHoledElsewhere(list, file, names)) ? [type] : [],
  );
  HOLED.set(file, { checker: names.checker, types });
  return types;
}

/** Whether a variable or field gets holes in a list that others may see. */
function isHoledElsewhere(symbol: ts.Symbol, file: ts.SourceFile, names: Names): boolean {
  const { api } = names;
  const made = initialOf(symbol, api);
  if (!getsHoles(symbol, made, file, names)) return false;
  const isFresh =
    made !== null &&
    (isMade(made, api) || (api.isCallExpression(made) && isOfLibrary(made, names)));
  return !isFresh || escapes(symbol, file, names);
}

/** Whether a list may be seen under another name: not all uses are `list[k]`, `list.length`. */
function escapes(symbol: ts.Symbol, file: ts.SourceFile, { api, checker }: Names): boolean {
  const { valueDeclaration: declaration } = symbol;
  if (
    declaration === undefined ||
    !api.isVariableDeclaration(declaration) ||
    !api.isIdentifier(declaration.name) ||
    (api.getCombinedModifierFlags(declaration) & api.ModifierFlags.Export) !== 0
  )
    return true;
  return IDENTIFIERS(file, api).some((node) => {
    if (node.text !== symbol.name || node === declaration.name) return false;
    const { parent } = node;
    const isElement =
      (api.isElementAccessExpression(parent) && parent.expression === node) ||
      (api.isPropertyAccessExpression(parent) &&
        (parent.name === node || parent.name.text === "length"));
    return !isElement && resolvedSymbol(node, { api, checker }) === symbol;
  });
}

/** Whether a list may get another name: it is an argument, or a variable or field is it. */
function isPassedOn(symbol: ts.Symbol, file: ts.SourceFile, { api, checker }: Names): boolean {
  return IDENTIFIERS(file, api).some((node) => {
    if (node.text !== symbol.name || node === declarationName(symbol, api)) return false;
    const use =
      api.isPropertyAccessExpression(node.parent) && node.parent.name === node ? node.parent : node;
    const { parent } = use;
    return (
      !api.isElementAccessExpression(parent) &&
      !api.isPropertyAccessExpression(parent) &&
      !api.isReturnStatement(parent) &&
      resolvedSymbol(node, { api, checker }) === symbol
    );
  });
}

const declarationName = (
  { valueDeclaration: declaration }: ts.Symbol,
  api: TypeScript,
): ts.Node | undefined =>
  declaration !== undefined &&
  (api.isVariableDeclaration(declaration) ||
    api.isPropertyDeclaration(declaration) ||
    api.isPropertyAssignment(declaration))
    ? declaration.name
    : undefined;

const IDENTIFIERS = nodesOfFile(null, (node, api): node is ts.Identifier => api.isIdentifier(node));

/** `list[k] = v` */
const STORES = nodesOfFile(
  null,
  (node, api): node is Store =>
    api.isBinaryExpression(node) &&
    node.operatorToken.kind === api.SyntaxKind.EqualsToken &&
    api.isElementAccessExpression(node.left),
);

interface StoredList {
  readonly type: ts.Type;
  /** Whether it may get holes if its length is unknown. */
  readonly isBeyond: boolean;
}
type Lists = ReadonlyMap<ts.Symbol | string, StoredList>;
const LISTS = new WeakMap<
  ts.SourceFile,
  { readonly checker: ts.TypeChecker; readonly lists: Lists }
>();

/** The lists that a file stores into, by variable or field, or else by text. */
function storedLists(file: ts.SourceFile, names: Names): Lists {
  const before = LISTS.get(file);
  if (before?.checker === names.checker) return before.lists;
  const { api, checker } = names;
  const all = new Map<ts.Symbol | string, ts.ElementAccessExpression[]>();
  for (const access of ACCESSES(file, api)) {
    const list = bare(access.expression, api);
    const key = listOf(list, names) ?? list.getText();
    const known = all.get(key);
    if (known === undefined) all.set(key, [access]);
    else known.push(access);
  }
  const targets = new Set<ts.Node>(STORES(file, api).map(({ left }) => left));
  const lists = new Map(
    [...all].flatMap(([key, accesses]): [ts.Symbol | string, StoredList][] => {
      const [first] = accesses;
      const stores = accesses.filter((access) => targets.has(access));
      if (first === undefined || stores.length === 0) return [];
      const reads = accesses.filter((access) => !targets.has(access));
      const type = checker.getTypeAtLocation(first.expression);
      return [[key, { type, isBeyond: storesBeyond(stores, reads, names) }]];
    }),
  );
  LISTS.set(file, { checker, lists });
  return lists;
}

/** `list[k]` */
const ACCESSES = nodesOfFile(null, (node, api): node is ts.ElementAccessExpression =>
  api.isElementAccessExpression(node),
);

/** Methods that append or insert elements. */
const GROWS: ReadonlySet<string> = new Set(["push", "unshift", "splice", "fill"]);

const GROWTH = nodesOfFile(
  null,
  (node, api): node is ts.CallExpression & { readonly expression: ts.PropertyAccessExpression } =>
    api.isCallExpression(node) &&
    api.isPropertyAccessExpression(node.expression) &&
    GROWS.has(node.expression.name.text),
);

/** Whether an array may be written past its end before it is filled. */
function isHoled(symbol: ts.Symbol, made: ts.Expression, names: Names): boolean {
  const { api, checker } = names;
  const file = made.getSourceFile();
  const isEmpty = isArrayConstruction(made, api);
  if (
    (!isEmpty && !api.isArrayLiteralExpression(made)) ||
    !checker.isArrayType(checker.getTypeOfSymbol(symbol))
  )
    return false;
  const isOfList = (node: ts.Expression): boolean => listOf(bare(node, api), names) === symbol;
  const grown = Math.min(
    ...GROWTH(file, api)
      .filter((call) => isOfList(call.expression.expression))
      .map(({ pos }) => pos),
  );
  const stores = STORES(file, api).filter((store) => isOfList(store.left.expression));
  const elements = api.isArrayLiteralExpression(made) ? made.elements : [];
  return leavesHoles(
    {
      stores: stores.filter(({ pos }) => pos < grown),
      known: elements.length,
      isFilled: grown < Infinity || elements.some(api.isSpreadElement),
      isEmpty,
      made,
      isOfList,
    },
    names,
  );
}
