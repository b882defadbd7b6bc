// Linear maps in differentiated functions: `linearize(g)(x)[1]`, its `apply`, `transpose`, ….
// Input: the form, or a method call. Output: a map known at compile time, or a value.
// As in runtime/linear-map.ts, a map is a pair of functions, forward and transposed.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { field, num, NUM } from "../../ir/build.ts";
import { hasNumbers } from "../../ir/shadow.ts";
import type { Atom, Type } from "../../ir/types.ts";
import { isFn, type Arg, type Fn, type LinearFn, type LinearSpace } from "../function-values.ts";
import { deepCopy } from "../builtins/clone.ts";
import { UNDEFINED } from "../coerce.ts";
import { lowerExpr } from "../lowering.ts";
import type { Frame } from "../frame.ts";
import { memberAt } from "../functions/known-members.ts";
import { forwardCall, liftedTarget, buildTuple, type Derived, shadowOf } from "./nested.ts";
import { applyPullback, pullbackFn } from "./pullbacks.ts";
import { requirePlain } from "./dense.ts";
import {
  forEachNumber,
  forEachNumberOnce,
  loadPath,
  mapNumbers,
  mayRepeat,
  type Path,
  storePath,
  zerosOf,
} from "./numbers.ts";

type Linear = Fn & { readonly kind: "linear" };

/** `[value, map]` of `linearize(g)(x)`, at the arguments as they are now. */
export function linearized(
  f: Frame,
  derived: Derived,
  args: readonly Arg[],
  at: ts.Node,
): Fn & { readonly kind: "members" } {
  const { of, aux } = liftedTarget(f, derived, args, at, "TSG1009");
  const { options } = derived;
  const value = f.let("value", of.result, { kind: "call", callee: of.name, args: of.args });
  const pullback = pullbackFn(f, derived, of, at);
  const listed = options.argnums.length === 0 ? [...of.positions.values()] : pullback.asked;
  const isList = options.tuple || options.argnums.length === 0;
  const isNumeric = (i: number): boolean => hasNumbers(of.params[i]?.type ?? NUM, f.ctx.types);
  const zeros = (frame: Frame): readonly Atom[] =>
    listed.map((i) => (isNumeric(i) ? zerosOf(frame, of.args[i] ?? num(0)) : UNDEFINED));
  const map: LinearFn = {
    apply: (frame, tangent) => {
      const parts = isList
        ? listed.flatMap((i, k): Atom[] =>
            isNumeric(i)
              ? [
                  frame.b.load(
                    "t",
                    shadowOf(frame, of.params[i]?.type ?? NUM),
                    tangent,
                    field(String(k)),
                  ),
                ]
              : [],
          )
        : [tangent];
      const directions = { active: listed.filter(isNumeric), tangents: parts };
      const both = forwardCall(frame, of, directions, "t");
      return frame.b.load("t", shadowOf(frame, of.result), both, field("1"));
    },
    pull: (frame, cotangent) => applyPullback(frame, pullback, [cotangent], at, "t"),
    // each argument has a cotangent of its own
    from: {
      like: (frame) =>
        isList ? buildTuple(frame, zeros(frame), "t") : (zeros(frame)[0] ?? num(0)),
      isShared: false,
    },
    to: { like: () => value, isShared: true },
  };
  return {
    kind: "members",
    parts: new Map<string, Arg>([
      ["0", value],
      ["1", { kind: "linear", map }],
      ...(aux === null ? [] : [["2", aux] as const]),
    ]),
    isList: true,
    isWhole: true,
  };
}

export const isLinearMap = (f: Frame, node: ts.Expression): boolean =>
  f.ctx.checker.getTypeAtLocation(node).getSymbol()?.name === "LinearMap";

/** The map that an expression denotes; null where it is unknown. */
export function linearOf(f: Frame, expression: ts.Expression): Linear | null {
  const { api } = f;
  const node = bare(expression, f.api);
  if (api.isCallExpression(node)) {
    const callee = bare(node.expression, f.api);
    return api.isPropertyAccessExpression(callee) && isLinearMap(f, callee.expression)
      ? derivedMap(f, callee, node)
      : null;
  }
  const symbol = api.isIdentifier(node) ? f.symbolOf(node) : null;
  const bound = symbol === null ? null : f.env.lookup(symbol);
  const part =
    bound?.kind === "fn"
      ? bound.fn
      : api.isPropertyAccessExpression(node) || api.isElementAccessExpression(node)
        ? memberAt(f, node)
        : null;
  return part !== null && isFn(part) && part.kind === "linear" ? part : null;
}

const made = (map: LinearFn): Linear => ({ kind: "linear", map });

function mapAt(f: Frame, node: ts.Expression | undefined, at: ts.Node): LinearFn {
  const found = node === undefined ? null : linearOf(f, node);
  return found === null
    ? f.refuse(
        "TSG1009",
        at,
        `linearize: which map \`${f.textOf(node ?? at)}\` is, is not known at build time`,
      )
    : found.map;
}

/** `m.transpose()`, `m.compose(n)`, `m.add(n)`, `m.scale(k)` */
function derivedMap(
  f: Frame,
  callee: ts.PropertyAccessExpression,
  call: ts.CallExpression,
): Linear | null {
  const [argument] = call.arguments;
  const method = callee.name.text;
  if (method !== "transpose" && method !== "compose" && method !== "add" && method !== "scale")
    return null;
  const m = mapAt(f, callee.expression, call);
  if (method === "transpose") return made({ apply: m.pull, pull: m.apply, from: m.to, to: m.from });
  if (method === "scale") {
    const k =
      argument === undefined ? f.refuse("TSG1124", call, f.textOf(call)) : lowerExpr(f, argument);
    return made({
      apply: (frame, s) => scaled(frame, k, m.apply(frame, s), call),
      pull: (frame, t) => scaled(frame, k, m.pull(frame, t), call),
      from: m.from,
      to: m.to,
    });
  }
  const n = mapAt(f, argument, call);
  return method === "add"
    ? made({
        apply: (frame, s) => sum(frame, m.apply(frame, s), n.apply(frame, s), call),
        pull: (frame, t) => sum(frame, m.pull(frame, t), n.pull(frame, t), call),
        from: m.from,
        to: m.to,
      })
    : made({
        apply: (frame, r) => m.apply(frame, n.apply(frame, r)),
        pull: (frame, t) => n.pull(frame, m.pull(frame, t)),
        from: n.from,
        to: m.to,
      });
}

const scaled = (f: Frame, k: Atom, x: Atom, at: ts.CallExpression): Atom =>
  combined(f, x, at, (path) => f.b.mul(k, loadPath(f, x, path)));
const sum = (f: Frame, x: Atom, z: Atom, at: ts.CallExpression): Atom =>
  combined(f, x, at, (path) => f.b.add(loadPath(f, x, path), loadPath(f, z, path)));

/** A value like `x`, with its aliases, where `make` gives each number. */
function combined(f: Frame, x: Atom, at: ts.CallExpression, make: (path: Path) => Atom): Atom {
  plain(f, x, at);
  if (!mayRepeat(f, x.type)) return mapNumbers(f, x.type, x, make, { keepsViews: true });
  const copy = deepCopy(f, at, x, "t");
  forEachNumberOnce(f, copy, (path) => {
    storePath(f, copy, path, make(path));
  });
  return copy;
}

/** A method call of a map that gives a value; null for other calls. */
export function lowerLinear(
  f: Frame,
  node: ts.CallExpression,
  callee: ts.PropertyAccessExpression,
  wanted: string,
): Atom | null {
  const method = callee.name.text;
  if (!isLinearMap(f, callee.expression)) return null;
  const map = mapAt(f, callee.expression, node);
  const [argument] = node.arguments;
  if (method === "toMatrix") return matrixOf(f, map, wanted, node);
  if (argument === undefined || (method !== "apply" && method !== "applyReverse"))
    return f.refuse("TSG1124", node, f.textOf(node));
  const given = lowerExpr(f, argument);
  return method === "apply" ? map.apply(f, given) : map.pull(f, given);
}

/** The value, refused if its numbers cannot be visited by type. */
function plain(f: Frame, value: Atom, at: ts.Node): Atom {
  requirePlain(f, value.type, { form: "linearize" }, at);
  return value;
}

/** The matrix, one row for each number of the result: one execution of the pullback each. */
function matrixOf(f: Frame, map: LinearFn, wanted: string, at: ts.Node): Atom {
  const row: Type = { kind: "array", store: "Array", elem: NUM };
  const rows = f.let(
    wanted,
    { kind: "array", store: "Array", elem: row },
    { kind: "array", parts: [] },
  );
  const [from, to] = [plain(f, map.from.like(f), at), plain(f, map.to.like(f), at)];
  const eachIn = ({ isShared }: LinearSpace): typeof forEachNumber =>
    isShared ? forEachNumberOnce : forEachNumber;
  eachIn(map.to)(f, to, (path) => {
    let seed: Atom = num(1);
    if (path.length > 0) {
      seed = zerosOf(f, to);
      storePath(f, seed, path, num(1));
    }
    const cotangent = plain(f, map.pull(f, seed), at);
    const own = f.let("row", row, { kind: "array", parts: [] });
    eachIn(map.from)(f, from, (place) => {
      f.b.emit({ kind: "append", object: own, value: loadPath(f, cotangent, place) });
    });
    f.b.emit({ kind: "append", object: rows, value: own });
  });
  return rows;
}
