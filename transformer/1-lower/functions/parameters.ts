// Binds the parameters of an inlined function to arguments: defaults, patterns, rest parameters,
// functions, and the `arguments` array.
// A parameter that is a known function becomes a name for it and has no value.
// Only a rest parameter can take an array that is spread as it is. The array may be longer than its
// tuple type says; elements without a parameter are ignored.

import type ts from "typescript";
import { assignable } from "../../ir/assignable.ts";
import { index, NUM, num } from "../../ir/build.ts";
import { printType } from "../../ir/print.ts";
import type { ArrayPart, Atom } from "../../ir/types.ts";
import { valueOfMembers } from "../classes/members-as-value.ts";
import { UNDEFINED } from "../coerce.ts";
import { isMutable } from "../effects.ts";
import { mayAssign } from "../assignments.ts";
import type { Frame } from "../frame.ts";
import { type Fn, isFn, type Arg } from "../function-values.ts";
import { bindName, withDefault } from "../objects/patterns.ts";
import { sameType } from "../objects/tuples.ts";
import { argumentOf } from "./known-functions.ts";
import { bindMembers } from "./member-patterns.ts";
import { isMissing } from "./known-members.ts";
import { isThis } from "./specialisation.ts";

export function bindParameters(
  f: Frame,
  parameters: readonly ts.ParameterDeclaration[],
  given: readonly Arg[],
): void {
  const real = parameters.filter((parameter) => !isThis(f, parameter));
  const args = parted(f, real, given);
  for (const [at, parameter] of real.entries()) {
    if (parameter.dotDotDotToken === undefined) bindOne(f, parameter, args[at] ?? UNDEFINED);
    else bindRest(f, parameter, args.slice(at), real);
  }
}

function bindOne(f: Frame, parameter: ts.ParameterDeclaration, passed: Arg): void {
  const { initializer, name } = parameter;
  const hasFnDefault =
    initializer !== undefined &&
    isMissing(passed) &&
    f.ctx.checker.getTypeAtLocation(initializer).getCallSignatures().length > 0;
  const arg = hasFnDefault ? argumentOf(f, initializer) : passed;
  if (isSpread(arg)) return refuseSpread(f, arg);
  if (isFn(arg)) return bindFn(f, parameter, arg);
  const value = initializer === undefined ? arg : withDefault(f, arg, initializer, "t", parameter);
  bindName(f, name, value);
}

/** Binds `...rest` to a list of functions, or to an array of values. */
function bindRest(
  f: Frame,
  parameter: ts.ParameterDeclaration,
  rest: readonly Arg[],
  parameters: readonly ts.ParameterDeclaration[],
): void {
  if (rest.length > 0 && rest.every(isFn) && !rest.some(isSpread)) {
    const parts = new Map(rest.map((arg, i) => [String(i), arg]));
    return bindFn(f, parameter, { kind: "members", parts, isList: true, isWhole: true });
  }
  // A default value with an effect could change an array that JavaScript spreads before it.
  const mayChange = parameters.some(
    ({ initializer }) => initializer !== undefined && mayAssign(f.api, initializer),
  );
  const spread = mayChange ? rest.find(isSpread) : undefined;
  if (spread !== undefined) return refuseSpread(f, spread);
  const parts = rest.map((arg): ArrayPart => {
    if (isSpread(arg)) return { atom: arg.list, spread: true };
    return isFn(arg)
      ? f.refuse("TSG1124", parameter, parameter.getText())
      : { atom: arg, spread: false };
  });
  bindName(f, parameter.name, restOf(f, parameter, parts));
}

/** The value of `...rest: number[]` or `...rest: [number, number[]]`. */
function restOf(f: Frame, parameter: ts.ParameterDeclaration, parts: readonly ArrayPart[]): Atom {
  const type = f.ctx.typeOf(parameter.name);
  const shape = f.shape(type);
  if (shape.kind === "tuple" && !parts.some(({ spread }) => spread)) {
    const elems = parts.map(({ atom }) => atom);
    return f.let(
      "t",
      { kind: "tuple", elems: elems.map((atom) => atom.type) },
      { kind: "tuple", elems },
    );
  }
  const elem = shape.kind === "array" ? shape.elem : null;
  const kind = elem === null ? "leaf" : f.shape(elem).kind;
  const fits = ({ atom, spread }: ArrayPart): boolean => {
    const list = f.shape(atom.type);
    if (spread)
      return (
        elem !== null &&
        list.kind === "array" &&
        (sameType(list.elem, elem) ||
          (kind === "record" &&
            f.shape(list.elem).kind === kind &&
            f.ctx.classOf(elem) === null &&
            assignable(list.elem, elem, f.ctx.types)))
      );
    return (kind !== "num" && kind !== "leaf") || list.kind === kind;
  };
  const other = parts.find((part) => !fits(part));
  if (other !== undefined)
    return f.refuse(
      "TSG2002",
      f.here ?? parameter,
      f.name,
      `what it hands to \`${f.textOf(parameter)}\``,
      other.atom.type.kind === "leaf" ? other.atom.type.text : printType(other.atom.type),
    );
  return f.let("t", type, { kind: "array", parts });
}

/** Binds a parameter that is never reassigned to a function, or a pattern to members. */
function bindFn(f: Frame, parameter: ts.ParameterDeclaration, fn: Fn): void {
  const value = fn.kind === "members" ? valueOfMembers(f, parameter.name, fn) : null;
  if (value !== null) return bindName(f, parameter.name, value);
  if (fn.kind === "members" && bindMembers(f, parameter.name, fn)) return;
  const symbol = f.api.isIdentifier(parameter.name) ? f.symbolOf(parameter.name) : null;
  if (symbol === null || isMutable(f, symbol))
    return f.refuse("TSG1124", parameter, parameter.getText());
  f.env.bind(symbol, { kind: "fn", fn });
}

/** `arguments` as an array; as a tuple where the arguments have different types. */
export function listOf(f: Frame, args: readonly Arg[], at: ts.Node): Atom {
  const atoms = args.map((arg) => (isFn(arg) ? f.refuse("TSG1105", at, f.textOf(at)) : arg));
  const [first] = atoms;
  if (atoms.every((atom) => sameType(atom.type, first?.type ?? NUM))) {
    return f.let(
      "list",
      { kind: "array", store: "Array", elem: first?.type ?? NUM },
      { kind: "array", parts: atoms.map((atom) => ({ atom, spread: false })) },
    );
  }
  return f.let(
    "list",
    { kind: "tuple", elems: atoms.map((atom) => atom.type) },
    { kind: "tuple", elems: atoms },
  );
}

type Spread = Fn & { readonly kind: "spread" };

const isSpread = (arg: Arg): arg is Spread => arg.kind === "spread";

// The parent of an argument is its call.
export const refuseSpread = (f: Frame, { node }: Spread): never =>
  f.refuse("TSG1111", node, f.textOf((node.parent as ts.CallExpression).expression));

/** `g(...xs)` with a tuple type: the elements for parameters, and a slice for a rest parameter. */
function parted(
  f: Frame,
  parameters: readonly ts.ParameterDeclaration[],
  args: readonly Arg[],
): readonly Arg[] {
  const at = args.findIndex(isSpread);
  const spread = args[at];
  if (spread === undefined || !isSpread(spread)) return args;
  const { list, node } = spread;
  const declared = f.shape(f.ctx.typeOf(node.expression));
  const shape = f.shape(list.type);
  const rest = parameters.findIndex(({ dotDotDotToken }) => dotDotDotToken !== undefined);
  const takers = parameters.slice(at, rest < 0 ? undefined : rest);
  if (
    takers.length === 0 ||
    shape.kind !== "array" ||
    declared.kind !== "tuple" ||
    takers.length > declared.elems.length ||
    (rest >= 0 && shape.store !== "Array")
  )
    return args;
  // The array may be shorter than its type, and a default would not apply to the absent elements.
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
  const tail = { kind: "slice", object: list, from: num(takers.length), to: null } as const;
  const others = { ...spread, list: f.let("t", list.type, tail) };
  return [...args.slice(0, at), ...elems, others, ...args.slice(at + 1)];
}
