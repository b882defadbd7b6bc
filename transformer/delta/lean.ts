// Programs of numbers. In: a call site and all that its function needs. Out: whether it asks for the gradient of a number by numbers, and nothing else has a
// derivative on the way: then its derivative is one of `runtime/delta/lean.ts`, and the bundle holds nothing of what objects, functions and natives need.
// Invariant: what is not certain is a no; every entry of the run time is one unless it stands here.

import type ts from "typescript";
import type { DeltaSite } from "./engine-sites.ts";
import type { Item } from "./items.ts";
import { isNumber } from "./leaves.ts";

/** Entries that know numbers only, or (operators) need more only where an operand may be something else. */
const OF_NUMBERS: ReadonlySet<string> = new Set([
  "id", "ret", "setId", "linear1", "linear2", "linear3", "newSums", "sum1", "sum2", "thrown", "caught", "text", "add", "sub", "mul", "div", "rem", "pow", "neg", "plus",
  "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "exp", "expm1", "fround", "hypot", "log", "log10", "log1p", "log2", "max", "max2", "min", "min2",
  "sin", "sinh", "sqrt", "tan", "tanh",
]);

export function isLean(site: DeltaSite, items: ReadonlySet<Item>, api: typeof ts, checker: ts.TypeChecker): boolean {
  return (site.form === "grad" || site.form === "valueAndGrad") && !site.hasAux && !site.into && isOfNumbers(site, api, checker) && [...items].every(knowsNumbersOnly);
}

function isOfNumbers({ node, argnums }: DeltaSite, api: typeof ts, checker: ts.TypeChecker): boolean {
  const signature = checker.getSignatureFromDeclaration(node);
  const own = node.parameters.filter(({ name }) => !(api.isIdentifier(name) && name.text === "this"));
  const asked = (argnums.length === 0 ? [0] : argnums).map((place) => own[place]);
  return signature !== undefined && isNumberResult(api, checker, signature) && asked.every((parameter) => parameter !== undefined && isNumber(api, checker, parameter));
}

const isNumberResult = (api: typeof ts, checker: ts.TypeChecker, signature: ts.Signature): boolean =>
  (checker.getReturnTypeOfSignature(signature).flags & api.TypeFlags.NumberLike) !== 0;

const knowsNumbersOnly = (item: Item): boolean => item.usesPackages !== true && item.converts !== true
  && item.lines.every(({ text }) => [...text.matchAll(/\$d\.([\w$]+)/g)].every(([, name]) => OF_NUMBERS.has(name ?? "")));
