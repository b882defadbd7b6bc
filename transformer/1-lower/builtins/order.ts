// Lowers array methods that reorder elements: `reverse`, `sort` with a comparison, and their
// copying forms.
// `sort` finds a permutation with the user's own comparison, and then moves elements by it.
// Equal elements keep their order.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { NUM, index, num } from "../../ir/build.ts";
import type { Atom, Type } from "../../ir/types.ts";
import { extern, isStringType, externWith } from "../coerce.ts";
import { emitFor } from "../control/emit-loop.ts";
import type { Frame } from "../frame.ts";
import { sealedIn } from "../classes/private-instances.ts";
import { isPure } from "./purity.ts";
import { isTypedArray, orderByKeys } from "./sort-keys.ts";

interface Ordered {
  readonly node: ts.CallExpression;
  readonly array: Atom;
  readonly elem: Type;
  readonly hint: string;
}

/** The type of a position in the order: a number that no derivative passes through. */
const PLACE: Type = { kind: "leaf", text: "number" };

const copyOf = (f: Frame, array: Atom, hint = "t"): Atom =>
  f.let(hint, array.type, { kind: "slice", object: array, from: num(0), to: null });
const load = (f: Frame, call: Ordered, array: Atom, at: Atom): Atom =>
  f.let("t", call.elem, { kind: "load", object: array, key: index(at) });

/** Swaps elements from both ends; `copying` reverses a copy. */
export function reverse(f: Frame, call: Ordered, copying: boolean): Atom {
  const array = copying ? copyOf(f, call.array, call.hint) : call.array;
  const length = f.b.length(array);
  const half = f.b.op("floor", f.b.op("div", length, num(2)));
  emitFor(f, f.label("loop"), half, (at) => {
    const other = f.b.op("sub", f.b.op("sub", length, num(1)), at);
    const low = load(f, call, array, at);
    const high = load(f, call, array, other);
    f.b.store(array, index(at), high);
    f.b.store(array, index(other), low);
  });
  return array;
}

/** `xs.sort((a, b) => …)`; `xs.sort()` of strings or of a typed array. */
export function sort(f: Frame, call: Ordered, copying: boolean): Atom {
  const [comparison] = call.node.arguments;
  const arrow = comparison === undefined ? null : bare(comparison, f.api);
  const from = copyOf(f, call.array);
  const array = copying ? copyOf(f, call.array, call.hint) : call.array;
  const refused = (): never => f.refuse("TSG1208", call.node, f.textOf(call.node));
  if (
    arrow !== null &&
    f.api.isArrowFunction(arrow) &&
    isSelfContained(f, arrow) &&
    sealedIn(call.elem, f.ctx.types) === null
  ) {
    permute(f, call, from, array, orderAsWritten(f, arrow, from));
    return array;
  }
  if (comparison === undefined && !isText(f, call) && !isTypedArray(f, call.array))
    return refused();
  // JavaScript compares nothing where there is at most one element.
  f.when(f.b.op("gt", f.b.length(from), num(1)), () =>
    permute(f, call, from, array, orderByKeys(f, from, comparison ?? null, PLACE) ?? refused()),
  );
  return array;
}

function isText(f: Frame, { elem, node }: Ordered): boolean {
  const list = f.ctx.checker.getTypeAtLocation(node);
  const type = f.ctx.checker.isArrayType(list)
    ? f.ctx.checker.getTypeArguments(list as ts.TypeReference)[0]
    : undefined; // isArrayType has no type guard
  return f.shape(elem).kind === "leaf" && type !== undefined && isStringType(f, type);
}

function permute(f: Frame, call: Ordered, from: Atom, array: Atom, order: Atom): void {
  emitFor(f, f.label("loop"), f.b.length(array), (at) => {
    const leaf = f.let("t", PLACE, { kind: "load", object: order, key: index(at) });
    const place = extern(f, "t", NUM, ["", ""], [leaf]);
    f.b.store(array, index(at), load(f, call, from, place));
  });
}

/** An extern that sorts positions with the comparison's source text. */
function orderAsWritten(f: Frame, arrow: ts.ArrowFunction, from: Atom): Atom {
  const captured = capturedBy(f, arrow);
  const source = arrow.getSourceFile().text;
  const typed = isTypedArray(f, from);
  const text: string[] = [typed ? "Array.from(Float64Array.from(" : "Array.from("];
  let piece = typed ? ".keys()).sort((i$, j$) => (" : ".entries()).sort(([, a$], [, b$]) => (";
  let position = arrow.getStart();
  for (const name of captured) {
    text.push(piece + source.slice(position, name.node.getStart()));
    piece = "";
    position = name.node.end;
  }
  const rest = `${piece}${source.slice(position, arrow.end)})(`;
  const args = [from, ...captured.map((name) => name.atom)];
  text.push(...(typed ? [rest, "[i$]!, ", "[j$]!)))"] : [`${rest}a$, b$)).map(([i$]) => i$)`]));
  return externWith(
    f,
    "order",
    { kind: "array", store: "Array", elem: PLACE },
    { text: text, args: typed ? [...args, from, from] : args, effect: "reads" },
  );
}

/** Whether the comparison is one pure expression that calls only `Math`. */
function isSelfContained(f: Frame, { body, parameters }: ts.ArrowFunction): boolean {
  const { api } = f;
  const walk = (node: ts.Node): boolean => {
    if (
      api.isFunctionLike(node) ||
      api.isShorthandPropertyAssignment(node) ||
      (api.isCallExpression(node) && !isMathCall(f, node))
    )
      return false;
    const symbol = api.isIdentifier(node) ? f.symbolOf(node) : null;
    return (
      (symbol === null || f.env.lookup(symbol)?.kind !== "fn") &&
      api.forEachChild(node, (child) => !walk(child) || undefined) !== true
    );
  };
  return !api.isBlock(body) && parameters.length === 2 && walk(body) && isPure(f, body);
}

/** The local variables that the comparison captures, with their values, in source order. */
function capturedBy(
  f: Frame,
  arrow: ts.ArrowFunction,
): { readonly node: ts.Identifier; readonly atom: Atom }[] {
  const found: { node: ts.Identifier; atom: Atom }[] = [];
  const walk = (node: ts.Node): void => {
    if (!f.api.isIdentifier(node)) return f.api.forEachChild(node, walk);
    const symbol = f.symbolOf(node);
    const bound = symbol === null ? null : f.env.lookup(symbol);
    if (bound?.kind === "value") found.push({ node, atom: bound.atom });
    if (bound?.kind === "variable")
      found.push({
        node,
        atom: f.let("t", bound.variable.type, { kind: "copy", atom: bound.variable }),
      });
  };
  walk(arrow.body);
  return found;
}

const isMathCall = (f: Frame, node: ts.Node): boolean =>
  f.api.isCallExpression(node) &&
  f.api.isPropertyAccessExpression(node.expression) &&
  node.expression.expression.getText() === "Math";
