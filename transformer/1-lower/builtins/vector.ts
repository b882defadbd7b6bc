// Lowers functions of `tsgrad/vector` to loops with the bodies of their arguments inlined.
// Operations, their order and exceptions are those of runtime/vector.
// Each loop is marked `For.vector`.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { NUM, index, num } from "../../ir/build.ts";
import type { Atom, Body, For, Stmt, Type, Var } from "../../ir/types.ts";
import { applyFn } from "../lowering.ts";
import { isFn, type Arg, type Fn } from "../function-values.ts";
import { externCall, str, unwrap } from "../coerce.ts";
import type { VectorOp } from "../sites/forms.ts";
import type { Frame } from "../frame.ts";
import { tupleAsArray } from "../objects/tuples.ts";
import { maybeShrinks } from "./callbacks.ts";
import { knownArrayType } from "./construct.ts";

export interface VectorCall {
  readonly op: VectorOp | "vmap" | "scan";
  readonly args: readonly Arg[];
  readonly at: ts.Node;
  /** The call if its callee is this function; null where its types are another function's. */
  readonly node: ts.CallExpression | null;
  readonly hint: string;
}

export function applyVector(
  f: Frame,
  op: VectorOp,
  args: readonly Arg[],
  at: ts.Node,
  hint: string,
): Atom | null {
  const isOwn = f.api.isCallExpression(at) && isNamed(f, at.expression, op);
  return OPERATIONS[op](f, { op, args, at, hint, node: isOwn ? at : null });
}

const OPERATIONS: Readonly<Record<VectorOp, (f: Frame, call: VectorCall) => Atom | null>> = {
  build: (f, call) => built(f, call, null, count(f, call, 0), (i) => given(f, call, 1, [i])),
  size: (f, call) => f.let(call.hint, NUM, { kind: "length", object: list(f, call, 0).array }),
  sum: (f, call) => fold(f, call, list(f, call, 0), num(0), (s, x) => f.b.add(s, x)),
  prod: (f, call) => fold(f, call, list(f, call, 0), num(1), (s, x) => f.b.mul(s, x)),
  dot: (f, call) => dot(f, call),
  map: (f, call) => map(f, call, [list(f, call, 1)]),
  map2: (f, call) => map(f, call, sameSize(f, call, list(f, call, 1), list(f, call, 2))),
  reduce: (f, call) => foldWith(f, call),
  foldl: (f, call) => foldWith(f, call),
  scanl: (f, call) => scan(f, call, list(f, call, 2), value(f, call, 1)),
  scanr: (f, call) => scan(f, call, list(f, call, 2), value(f, call, 1)),
  shift1L: (f, call) => shift(f, call, list(f, call, 0)),
  shift1R: (f, call) => shift(f, call, list(f, call, 0)),
  zerosLike: (f, call) => like(f, call, list(f, call, 0), num(0), call.hint),
  onesLike: (f, call) => like(f, call, list(f, call, 0), num(1), call.hint),
  nTimes: (f, call) => repeat(f, call, (_i, s) => given(f, call, 2, [s])),
  ccl: (f, call) => repeat(f, call, (i, s) => given(f, call, 2, [i, s])),
  add: (f, call) => arithmetic(f, call, "add"),
  mul: (f, call) => arithmetic(f, call, "mul"),
  sameSize: (f, call) => (sameSize(f, call, list(f, call, 0), list(f, call, 1)), null),
};

function arithmetic(f: Frame, call: VectorCall, op: "add" | "mul"): Atom {
  const args = [scalar(f, call, 0), scalar(f, call, 1)];
  return f.let(call.hint, NUM, { kind: "op", op, args });
}

const isNamed = (f: Frame, callee: ts.Expression, op: VectorOp): boolean => {
  const name = bare(callee, f.api);
  const symbol = f.symbolOf(f.api.isPropertyAccessExpression(name) ? name.name : name);
  return symbol !== null && f.ctx.operatorOf(symbol) === op;
};

interface List {
  readonly array: Atom;
  readonly elem: Type;
}

export function value(f: Frame, { args, at, op }: VectorCall, position: number): Atom {
  const arg = args[position];
  if (arg === undefined) return f.refuse("TSG1211", at, op, `${args.length} arguments`);
  return isFn(arg) ? f.refuse("TSG1124", at, f.textOf(at)) : unwrap(f, arg);
}

function scalar(f: Frame, call: VectorCall, position: number): Atom {
  const atom = value(f, call, position);
  return f.shape(atom.type).kind === "num"
    ? atom
    : f.refuse("TSG1210", call.at, call.op, "an argument is no number");
}

/** The number of iterations, read once. */
function count(f: Frame, call: VectorCall, position: number): Atom {
  const atom = scalar(f, call, position);
  return atom.kind === "var" ? f.let("n", NUM, { kind: "copy", atom }) : atom;
}

/** An array argument as a copy of the reference: reassigning its variable has no effect. */
export function list(f: Frame, call: VectorCall, position: number): List {
  const atom = value(f, call, position);
  const copied = atom.kind === "var" ? f.let("t", atom.type, { kind: "copy", atom }) : atom;
  const shape = f.shape(copied.type);
  const array = shape.kind === "tuple" ? tupleAsArray(f, call.at, copied, shape.elems) : copied;
  const arrayShape = f.shape(array.type);
  if (
    arrayShape.kind !== "array" ||
    (arrayShape.store !== "Array" && arrayShape.store !== "Float64Array")
  )
    return f.refuse(
      "TSG1210",
      call.at,
      call.op,
      "an argument is neither an array nor a `Float64Array`",
    );
  const fn = call.args.find(isFn);
  const node = call.node?.arguments[position];
  if (
    fn !== undefined &&
    node !== undefined &&
    arrayShape.store === "Array" &&
    maybeShrinks(f, fn, node)
  )
    return f.refuse("TSG1209", call.at, "it may take elements off the array");
  return { array, elem: arrayShape.elem };
}

/** The result of the function argument at `position`. */
export function given(
  f: Frame,
  { args, at, op }: VectorCall,
  position: number,
  values: readonly Atom[],
): Atom {
  const fn: Arg | undefined = args[position];
  if (fn === undefined || !isFn(fn))
    return f.refuse("TSG1209", at, "which function it is, is not known here");
  return (
    applyFn(f, fn, values, at) ??
    f.refuse("TSG1209", at, `it returns nothing, and \`${op}\` wants a value`)
  );
}

const lengthOf = (f: Frame, { array }: List): Atom => f.b.length(array);

const elementAt = (f: Frame, { array, elem }: List, at: Atom, hint = "t"): Atom =>
  f.let(hint, elem, { kind: "load", object: array, key: index(at) });

/** The name that the function argument gives its parameter. */
function parameterOf(f: Frame, call: VectorCall, position: number, otherwise: string): string {
  const fn = call.args.find(isFn);
  const name = fn?.kind === "closure" ? fn.node.parameters[position]?.name : undefined;
  return name !== undefined && f.api.isIdentifier(name) ? name.text : otherwise;
}

/** `for (i = 0; i < to; i++)`, or downwards from `to - 1`. */
function loop(f: Frame, to: Atom, body: (i: Var) => readonly Stmt[], down = false): void {
  const i = indexVariable(f);
  const bounds = down
    ? ({ from: f.b.sub(to, num(1)), test: ">=", to: num(0), step: -1 } as const)
    : upTo(to);
  emitLoop(f, i, bounds, body(i));
}

const upTo = (to: Atom): Bounds => ({ from: num(0), test: "<", to, step: 1 });

type Bounds = Pick<For, "from" | "test" | "to" | "step">;

function indexVariable(f: Frame): Var {
  const i: Var = { kind: "var", name: f.names.fresh("i"), type: NUM };
  f.integers.add(i.name);
  return i;
}

function emitLoop(f: Frame, i: Var, bounds: Bounds, stmts: readonly Stmt[]): void {
  const counted: For = {
    kind: "for",
    origin: f.b.origin,
    index: i,
    ...bounds,
    vector: true,
    carried: [],
    body: { stmts, result: [] },
    binds: [],
  };
  f.b.emit({ kind: "loop", label: f.label("loop"), loop: counted, update: null });
}

/** A fresh array of `item(i)`. Without `type`, the call or the items determine it. */
function built(
  f: Frame,
  call: VectorCall,
  type: Type | null,
  length: Atom,
  item: (i: Var) => Atom,
): Var {
  const i = indexVariable(f);
  const body = f.nested(() => [item(i)]);
  const known = type ?? (call.node === null ? null : knownArrayType(f, call.node));
  const elem = body.result[0]?.type ?? NUM;
  return filled(f, known ?? { kind: "array", store: "Array", elem }, length, i, {
    body,
    hint: call.hint,
  });
}

/** Allocates an array, each element of which an iteration of `body` computes and stores. */
function filled(
  f: Frame,
  type: Type,
  length: Atom,
  i: Var,
  { body, hint }: { readonly body: Body; readonly hint: string },
): Var {
  const object = f.let(hint, type, { kind: "alloc", length, fill: null });
  const value = body.result[0] ?? num(0);
  const { origin } = f.b;
  const store: Stmt = { kind: "store", origin, object, key: index(i), value, initial: true };
  emitLoop(f, i, upTo(length), [...body.stmts, store]);
  return object;
}

/** `Float64Array` for a result from one; null where the items determine its type. */
function sameKind(f: Frame, { array }: List): Type | null {
  const shape = f.shape(array.type);
  return shape.kind === "array" && shape.store === "Float64Array"
    ? { kind: "array", store: "Float64Array", elem: NUM }
    : null;
}

function map(f: Frame, call: VectorCall, lists: readonly List[]): Atom {
  const [first] = lists;
  if (first === undefined) return f.refuse("TSG1211", call.at, call.op, "no arguments");
  return built(f, call, sameKind(f, first), lengthOf(f, first), (i) =>
    given(
      f,
      call,
      0,
      lists.map((each, at) =>
        elementAt(f, each, i, parameterOf(f, call, at, at === 0 ? "x" : "y")),
      ),
    ),
  );
}

/** Calls `vmap(g)`: `g` for each element of the arrays. */
export function applyMapped(
  f: Frame,
  { fn, axes }: Fn & { readonly kind: "mapped" },
  args: readonly Arg[],
  at: ts.Node,
  hint: string,
): Atom {
  const call: VectorCall = { op: "vmap", args, at, hint, node: null };
  const lists = args.map((_, k) => (axes[k] === true ? null : list(f, call, k)));
  const [first, ...others] = lists.filter((each) => each !== null);
  if (first === undefined) return f.refuse("TSG1211", at, "vmap", "no array");
  for (const other of others) sameSize(f, call, first, other);
  return built(f, call, null, lengthOf(f, first), (i) => {
    const example = args.map((arg, k) => {
      const each = lists[k] ?? null;
      return each === null ? arg : elementAt(f, each, i);
    });
    return (
      applyFn(f, fn, example, at) ??
      f.refuse("TSG1209", at, "it returns nothing, and `vmap` wants a value")
    );
  });
}

function sameSize(f: Frame, call: VectorCall, a: List, b: List): readonly List[] {
  const [m, n] = [lengthOf(f, a), lengthOf(f, b)];
  f.when(f.b.op("ne", m, n), () => {
    f.b.emit({
      kind: "throw",
      value: externCall(f, "t", { kind: "leaf", text: "RangeError" }, "new RangeError", [
        str("arrays of different sizes"),
      ]),
    });
  });
  return call.op === "dot" || call.op === "map2" ? [a, b] : [];
}

function dot(f: Frame, call: VectorCall): Atom {
  const [a, b] = [list(f, call, 0), list(f, call, 1)];
  sameSize(f, call, a, b);
  const total = f.declare("total", NUM, num(0));
  loop(
    f,
    lengthOf(f, a),
    (i) =>
      f.nested(() => {
        const product = f.b.mul(elementAt(f, a, i, "x"), elementAt(f, b, i, "y"));
        f.assign(total, f.b.add(former(f, total), product));
        return [];
      }).stmts,
  );
  return f.let(call.hint, NUM, { kind: "copy", atom: total });
}

const former = (f: Frame, variable: Var): Atom =>
  f.let("t", variable.type, { kind: "copy", atom: variable });

/** The type of the loop-carried value. */
function carriedType(f: Frame, call: VectorCall, first: Atom): Type {
  const type =
    call.node === null || call.op === "scanl" || call.op === "scanr"
      ? first.type
      : f.ctx.typeOf(call.node);
  return f.shape(type).kind === "leaf" ? first.type : type;
}

const accumulator = (f: Frame, call: VectorCall): string =>
  parameterOf(f, call, call.op === "ccl" ? 1 : 0, "s");

function foldWith(f: Frame, call: VectorCall): Atom {
  return fold(f, call, list(f, call, 2), value(f, call, 1), (s, x) => given(f, call, 0, [s, x]));
}

function fold(
  f: Frame,
  call: VectorCall,
  items: List,
  first: Atom,
  next: (s: Atom, x: Atom) => Atom,
): Atom {
  const s = f.declare(accumulator(f, call), carriedType(f, call, first), first);
  loop(
    f,
    lengthOf(f, items),
    (i) =>
      f.nested(() => {
        const x = elementAt(f, items, i, parameterOf(f, call, 1, "x"));
        f.assign(s, next(former(f, s), x));
        return [];
      }).stmts,
  );
  return f.let(call.hint, s.type, { kind: "copy", atom: s });
}

/** `scanl`, `scanr`. The array is filled with the first value, which stays first or last. */
function scan(f: Frame, call: VectorCall, items: List, first: Atom): Atom {
  const length = lengthOf(f, items);
  const known = call.node === null ? null : knownArrayType(f, call.node);
  const type = (f.shape(first.type).kind === "num" ? sameKind(f, items) : null) ??
    known ?? { kind: "array", store: "Array", elem: first.type };
  const shape = f.shape(type);
  const result = f.let(call.hint, type, {
    kind: "alloc",
    length: f.b.add(length, num(1)),
    fill: first,
  });
  const s = f.declare(
    accumulator(f, call),
    shape.kind === "array" ? shape.elem : first.type,
    first,
  );
  const isLeft = call.op === "scanl";
  loop(
    f,
    length,
    (i) =>
      f.nested(() => {
        const value = given(f, call, 0, [
          former(f, s),
          elementAt(f, items, i, parameterOf(f, call, 1, "x")),
        ]);
        f.assign(s, value);
        f.b.store(result, index(isLeft ? f.b.add(i, num(1)) : i), value);
        return [];
      }).stmts,
    !isLeft,
  );
  return result;
}

function shift(f: Frame, { op, hint }: VectorCall, { array }: List): Atom {
  return op === "shift1L"
    ? f.let(hint, array.type, { kind: "slice", object: array, from: num(1), to: null })
    : f.let(hint, array.type, { kind: "slice", object: array, from: num(0), to: num(-1) });
}

/** `zerosLike`, `onesLike`; also of nested arrays. */
function like(f: Frame, call: VectorCall, { array, elem }: List, fill: Atom, hint: string): Var {
  const shape = f.shape(elem);
  const length = lengthOf(f, { array, elem });
  const type: Type =
    f.shape(array.type).kind === "array" ? withoutNames(f, array.type) : array.type;
  if (shape.kind === "num") return f.let(hint, type, { kind: "alloc", length, fill });
  if (shape.kind !== "array")
    return f.refuse("TSG1210", call.at, call.op, "its argument holds something else than numbers");
  const i = indexVariable(f);
  const body = f.nested(() => [
    like(f, call, { array: elementAt(f, { array, elem }, i), elem: shape.elem }, fill, "t"),
  ]);
  return filled(f, type, length, i, { body, hint });
}

/** The array type without names: a named type of the user may be readonly. */
function withoutNames(f: Frame, type: Type): Type {
  const shape = f.shape(type);
  return shape.kind === "array" ? { ...shape, elem: withoutNames(f, shape.elem) } : shape;
}

/** `nTimes`, `ccl` */
function repeat(f: Frame, call: VectorCall, next: (i: Atom, s: Atom) => Atom): Atom {
  const n = count(f, call, 0);
  const first = value(f, call, 1);
  const s = f.declare(accumulator(f, call), carriedType(f, call, first), first);
  loop(f, n, (i) => f.nested(() => (f.assign(s, next(i, former(f, s))), [])).stmts);
  return f.let(call.hint, s.type, { kind: "copy", atom: s });
}
