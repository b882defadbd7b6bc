// Lists that are spread into calls. In: the arguments, and the parameters that take them. Out: arguments of which a rest parameter alone takes a list.
// Invariant: a list is as long as it is, whatever its type says; what no parameter takes of it nobody sees.

import type ts from "typescript";
import { index, num } from "../../ir/build.ts";
import type { Arg } from "./closures.ts";
import type { Fn, Frame } from "../frame.ts";

type Spread = Fn & { readonly kind: "spread" };

export const isSpread = (arg: Arg): arg is Spread => arg.kind === "spread";

export const refuseSpread = (f: Frame, { node }: Spread): never =>
  f.refuse("TSG1111", node, f.textOf((node.parent as ts.CallExpression).expression)); // an argument's parent is its call

/** `g(...xs)`, where the code says that the list is a tuple: what the parameters take of it, and for a rest parameter all that is left. */
export function parted(
  f: Frame,
  parameters: readonly ts.ParameterDeclaration[],
  args: readonly Arg[],
): readonly Arg[] {
  const at = args.findIndex(isSpread);
  const spread = args[at];
  if (spread === undefined || !isSpread(spread)) return args;
  const { list, node } = spread;
  const said = f.shape(f.ctx.typeOf(node.expression));
  const shape = f.shape(list.type);
  const rest = parameters.findIndex(({ dotDotDotToken }) => dotDotDotToken !== undefined);
  const takers = parameters.slice(at, rest < 0 ? undefined : rest);
  if (
    takers.length === 0 ||
    shape.kind !== "array" ||
    said.kind !== "tuple" ||
    takers.length > said.elems.length ||
    (rest >= 0 && shape.store !== "Array")
  )
    return args;
  // what is left out of a list that is shorter than the code says, no default stands in for
  if (
    takers.some(
      ({ initializer, questionToken }) => initializer !== undefined || questionToken !== undefined,
    )
  )
    return args;
  const elems = takers.map((_, k) =>
    f.let("t", shape.elem, { kind: "load", object: list, key: index(num(k)) }),
  );
  if (rest < 0) return [...args.slice(0, at), ...elems, ...args.slice(at + 1)];
  return [
    ...args.slice(0, at),
    ...elems,
    {
      ...spread,
      list: f.let("t", list.type, {
        kind: "slice",
        object: list,
        from: num(takers.length),
        to: null,
      }),
    },
    ...args.slice(at + 1),
  ];
}
