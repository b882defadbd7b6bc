// Finds derivatives that need only the small runtime (`runtime/delta/lean.ts`): of programs of
// numbers, or of numbers, arrays and records. In: a site and its items. Out: which, or null.
// Invariant: unsure means null; runtime entries that are not listed here need the whole runtime.

import type ts from "typescript";
import { SMOOTH } from "../../rules/scalar.ts";
import { holdsData, isArray, isData } from "../types/data-types.ts";
import type { DeltaSite } from "./engine-sites.ts";
import type { Item } from "./items.ts";
import { isNumber } from "../types/leaves.ts";

/** Runtime entries for numbers; operators among them need more only for other operands. */
const OF_NUMBERS: readonly string[] = [
  "id",
  "ret",
  "setId",
  "noObject",
  "noObjects",
  "numberless",
  "step",
  "stepInto",
  "stepOfNumbers",
  "linear1",
  "linear2",
  "linear3",
  "thrown",
  "caught",
  "text",
  "add",
  "sub",
  "mul",
  "div",
  "rem",
  "neg",
  "plus",
  "max2",
  "min2",
  ...SMOOTH,
];
/** Runtime entries that handle arrays and fields, too. */
const OF_DATA: readonly string[] = [
  "get",
  "set",
  "setAt",
  "setIdAt",
  "idsOf",
  "idAt",
  "fieldIds",
  "array",
  "record",
  "object",
  "spread",
  "spreadOf",
  "hole",
  "each",
  "mapped",
  "reduced",
  "visited",
  "listOf",
  "largest",
  "smallest",
  "stepOf",
  "invoke",
  "varId",
  "setVar",
  "letId",
  "setLet",
];

const NUMBERS: ReadonlySet<string> = new Set(OF_NUMBERS);
const DATA: ReadonlySet<string> = new Set([...OF_NUMBERS, ...OF_DATA]);

export type Lean = "numbers" | "data";

/** The program around a call site. `hasAccessors`: whether it has any. */
export interface Surroundings {
  readonly ts: typeof ts;
  readonly checker: ts.TypeChecker;
  readonly hasAccessors: () => boolean;
  /** Options of the derivative besides positions. */
  readonly spec: string;
}

export function leanOf(
  site: DeltaSite,
  node: ts.FunctionLikeDeclaration,
  items: ReadonlySet<Item>,
  around: Surroundings,
): Lean | null {
  const { ts: api, checker } = around;
  const { form, argnums, hasAux, into } = site;
  if (
    (form !== "grad" && form !== "valueAndGrad") ||
    hasAux ||
    into ||
    !isNumberResult(api, checker, node)
  )
    return null;
  const own = ownParameters(node, api);
  const asked = (argnums.length === 0 ? [0] : argnums).map((place) => own[place]);
  const all = [...items];
  if (
    asked.every((parameter) => parameter !== undefined && isNumber(api, checker, parameter)) &&
    all.every((item) => knows(item, NUMBERS))
  )
    return "numbers";
  const isOfData = own.every(
    (parameter) =>
      parameter.dotDotDotToken === undefined &&
      holdsData(checker.getTypeAtLocation(parameter), parameter, api, checker),
  );
  return isOfData &&
    around.spec === "" &&
    all.every((item) => knows(item, DATA) && readsData(item, api, checker)) &&
    !around.hasAccessors()
    ? "data"
    : null;
}

/** The parameters without `this`. */
export const ownParameters = (
  node: ts.FunctionLikeDeclaration,
  api: typeof ts,
): readonly ts.ParameterDeclaration[] =>
  node.parameters.filter(({ name }) => !(api.isIdentifier(name) && name.text === "this"));

function isNumberResult(
  api: typeof ts,
  checker: ts.TypeChecker,
  node: ts.FunctionLikeDeclaration,
): boolean {
  const signature = checker.getSignatureFromDeclaration(node);
  return (
    signature !== undefined &&
    (checker.getReturnTypeOfSignature(signature).flags & api.TypeFlags.NumberLike) !== 0
  );
}

const ENTRIES = /\$d\.([\w$]+)/g;

const knows = (item: Item, entries: ReadonlySet<string>): boolean =>
  item.packageUses === undefined &&
  item.beyond !== true &&
  item.lines.every(({ text }) =>
    [...text.matchAll(ENTRIES)].every(([, name]) => entries.has(name ?? "")),
  );

/** Whether its code reads, writes and iterates over nothing but arrays and records. */
function readsData(item: Item, api: typeof ts, checker: ts.TypeChecker): boolean {
  if (/\.[cm]?jsx?$/.test(item.file.fileName)) return false;
  const is = (node: ts.Node): boolean => isData(checker.getTypeAtLocation(node), api, checker);
  const isList = (node: ts.Node): boolean => isArray(checker.getTypeAtLocation(node), checker);
  const isFine = (node: ts.Node): boolean => {
    if (api.isPropertyAccessExpression(node) || api.isElementAccessExpression(node))
      return isOfGlobal(node.expression, api) || is(node.expression);
    if (api.isForOfStatement(node))
      return isList(node.expression) && api.isVariableDeclarationList(node.initializer);
    if (api.isSpreadElement(node)) return isList(node.expression);
    if (api.isSpreadAssignment(node)) return is(node.expression);
    if (api.isArrayBindingPattern(node)) return isList(node);
    if (api.isObjectBindingPattern(node) || api.isObjectLiteralExpression(node)) return is(node);
    return (
      !api.isBinaryExpression(node) ||
      !api.isArrayLiteralExpression(node.left) ||
      isList(node.right)
    );
  };
  const visit = (node: ts.Node): boolean =>
    api.isTypeNode(node) ||
    (isFine(node) && api.forEachChild(node, (child) => (visit(child) ? undefined : true)) !== true);
  return !item.lines.some(({ text }) => text.includes("$d.")) || visit(item.node);
}

/** `Math.PI`, `Number.EPSILON`: calls of these use none of the entries above. */
const isOfGlobal = (node: ts.Expression, api: typeof ts): boolean =>
  api.isIdentifier(node) && (node.text === "Math" || node.text === "Number");

/** Whether code of the program declares accessors, or may define them at run time. */
export const hasAccessors = (files: readonly ts.SourceFile[], api: typeof ts): boolean =>
  files.some((file) => {
    const known = definers.get(file) ?? definesAccessor(file, api);
    definers.set(file, known);
    return known;
  });

/** Each file is searched once. */
const definers = new WeakMap<ts.SourceFile, boolean>();

const definesAccessor = (node: ts.Node, api: typeof ts): boolean =>
  api.isAccessor(node) ||
  (isDefiner(node, api) && !definesData(node.parent, api)) ||
  (api.forEachChild(node, (child) => definesAccessor(child, api) || undefined) ?? false);

/** What defines accessors, or answers for them. */
const DEFINERS: ReadonlySet<string> = new Set([
  "defineProperty",
  "defineProperties",
  "__defineGetter__",
  "__defineSetter__",
  "Proxy",
]);

/** `defineProperty`, `o.defineProperty`, `o["defineProperty"]`, `Object.create(o, descriptors)` */
function isDefiner(node: ts.Node, api: typeof ts): boolean {
  if (api.isCallExpression(node))
    return node.arguments.length > 1 && /^Object\s*\.\s*create$/.test(node.expression.getText());
  const isKey =
    api.isStringLiteralLike(node) &&
    (api.isElementAccessExpression(node.parent) || api.isBindingElement(node.parent));
  return (api.isIdentifier(node) || isKey) && DEFINERS.has(node.text);
}

/** `Object.defineProperty(o, key, { value: … })` */
function definesData(callee: ts.Node, api: typeof ts): boolean {
  const call = callee.parent;
  if (
    !api.isPropertyAccessExpression(callee) ||
    !api.isCallExpression(call) ||
    call.expression !== callee ||
    callee.name.text !== "defineProperty"
  )
    return false;
  const [, , descriptor] = call.arguments;
  return (
    descriptor !== undefined &&
    api.isObjectLiteralExpression(descriptor) &&
    descriptor.properties.every(
      ({ name }) => name !== undefined && api.isIdentifier(name) && !/^[gs]et$/.test(name.text),
    )
  );
}
