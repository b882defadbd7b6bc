// Drops parameters of derivatives that nothing reads, or that are only passed on to such
// parameters.
//   g(a, b) { … g(x, b) … }; f(…) { … g(y, c) … }   ->   g(a) { … g(x) … }; f(…) { … g(y) … }
// Input: all functions that are emitted. Functions that other code calls (`isCalledOutside`) stay
// as they are.

import { callsIn } from "../../ir/calls.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Atom, Body, Func, Stmt } from "../../ir/types.ts";
import { mapBodies, walkAtoms } from "../../ir/visit.ts";
import { withBody, withStmts } from "../../ir/rebuilt.ts";
import { dce } from "../dce.ts";

export function dropDeadParams(
  funcs: readonly Func[],
  isCalledOutside: (name: string) => boolean,
  types: Types,
): readonly Func[] {
  const own = new Map(
    funcs
      .filter(
        (func) =>
          func.isSweep === true &&
          func.shipped !== true &&
          func.ships !== true &&
          func.into === undefined &&
          !isCalledOutside(func.name),
      )
      .map((func) => [func.name, func]),
  );
  const read = readPlaces(funcs, own);
  const unread = new Map(
    [...own].flatMap(([name, { params }]): [string, ReadonlySet<number>][] => {
      const positions = params.flatMap((_, i) => (read.has(placeOf(name, i)) ? [] : [i]));
      return positions.length === 0 ? [] : [[name, new Set(positions)]];
    }),
  );
  return unread.size === 0 ? funcs : funcs.map((func) => without(func, unread, types));
}

const placeOf = (name: string, i: number): string => `${name} ${i}`;

/** The parameters that are read, or passed to one that is. */
function readPlaces(funcs: readonly Func[], own: ReadonlyMap<string, Func>): ReadonlySet<string> {
  const read = new Set<string>();
  const links: { readonly from: string; readonly to: string }[] = [];
  for (const { name, params, body } of funcs) {
    const places = new Map(params.map((param, i) => [param.name, placeOf(name, i)]));
    const otherReads = new Map<string, number>();
    const count = (atom: Atom, by: number): void => {
      if (atom.kind === "var" && places.has(atom.name))
        otherReads.set(atom.name, (otherReads.get(atom.name) ?? 0) + by);
    };
    walkAtoms(body, (atom) => count(atom, 1));
    for (const { expr } of callsIn(body)) {
      const { callee, args } = expr;
      if (!own.has(callee)) continue;
      args.forEach((arg, i) => {
        const from = arg.kind === "var" ? places.get(arg.name) : undefined;
        if (from === undefined) return;
        links.push({ from, to: placeOf(callee, i) });
        count(arg, -1);
      });
    }
    for (const [param, reads] of otherReads) if (reads > 0) read.add(places.get(param) ?? "");
  }
  for (let before = -1; before !== read.size;) {
    before = read.size;
    for (const { from, to } of links) if (read.has(to)) read.add(from);
  }
  return read;
}

type Unread = ReadonlyMap<string, ReadonlySet<number>>;

function without(func: Func, unread: Unread, types: Types): Func {
  const positions = unread.get(func.name);
  const isLeft = (_: unknown, i: number): boolean => positions?.has(i) !== true;
  const body = callsIn(func.body).some(({ expr }) => unread.has(expr.callee))
    ? inBody(func.body, unread)
    : func.body;
  if (positions === undefined && body === func.body) return func;
  const { paramText } = func;
  const changed: Func = {
    ...withBody(func, body),
    params: func.params.filter(isLeft),
    ...(paramText === undefined ? {} : { paramText: paramText.filter(isLeft) }),
  };
  // Drops the computations whose results were only passed on.
  return dce(changed, types);
}

const inBody = (body: Body, unread: Unread): Body =>
  withStmts(
    body,
    body.stmts.map((stmt): Stmt => {
      const gone =
        stmt.kind === "let" && stmt.expr.kind === "call" ? unread.get(stmt.expr.callee) : undefined;
      if (gone !== undefined && stmt.kind === "let" && stmt.expr.kind === "call")
        return {
          ...stmt,
          expr: { ...stmt.expr, args: stmt.expr.args.filter((_, i) => !gone.has(i)) },
        };
      return mapBodies(stmt, (nested) => inBody(nested, unread));
    }),
  );
