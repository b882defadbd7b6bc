// Linear systems in rules of solvers: a call of `solveLinear` with its rule.
// Input: a square matrix by rows, and a right-hand side. The rule calls the same function, so
// derivatives of every order have it.
//
// FWD{ y = solveLinear(a, b) }  =  y = solveLinear(a, b)                   saves a, b
// FWD{ y = solveLinear(a, b) }  =  y$dot = solveLinear(a, b$dot - a$dot y)    forward mode
// REV{ y = solveLinear(a, b) }  =  w = solveLinear(a^T, y$bar)
//                                  a$bar[i][j] -= w[i] y[j] ; b$bar += w

import type ts from "typescript";
import { index, NUM } from "../../ir/build.ts";
import * as names from "../../ir/names.ts";
import type { Atom, Body, Type, Var } from "../../ir/types.ts";
import { emitFor } from "../control/emit-loop.ts";
import type { Frame } from "../frame.ts";
import { freshState } from "./implicit.ts";

export const ROW: Type = { kind: "array", store: "Array", elem: NUM };
const MATRIX: Type = { kind: "array", store: "Array", elem: ROW };

interface System {
  readonly matrix: Atom;
  readonly right: Atom;
  /** Type of the right-hand side and of the solution. */
  readonly type: Type & { readonly kind: "array" };
}

export function linearSolver(
  f: Frame,
  { matrix, right, type }: System,
  at: ts.Node,
  wanted: string,
): Atom {
  const [a, b, seed] = [MATRIX, type, type].map((each, i): Var => ({
    kind: "var",
    name: f.names.fresh(["a", "b", "seed"][i] ?? "t"),
    type: each,
  }));
  if (a === undefined || b === undefined || seed === undefined) return right;
  const name = f.ctx.addImport(
    "solveLinear",
    "tsgrad/implicit",
    { params: [a, b], result: type, body: freshState(f, type), rule: { mode: "both", given: 2 } },
    at,
  );
  const own = f.ctx.reserveName(names.pull(name, { names: null, tuple: false }));
  const body = pulledBack(f, name, a, b, seed);
  f.ctx.addLifted({
    name: own,
    home: own,
    params: [a, b, seed],
    result: body.result[0]?.type ?? NUM,
    body,
    origin: f.ctx.originOf(at),
  });
  pushForward(f, name, a, b, at);
  return f.let(wanted, type, { kind: "call", callee: name, args: [matrix, right] });
}

function pushForward(f: Frame, name: string, a: Var, b: Var, at: ts.Node): void {
  const dots = [a, b].map((each): Var => ({
    kind: "var",
    name: f.names.derivative(names.dot(each.name)),
    type: each.type,
  }));
  const [aDot, bDot] = dots;
  if (aDot === undefined || bDot === undefined) return;
  const type: Type = { kind: "tuple", elems: [b.type, b.type] };
  const body = f.nested(() => {
    const y = f.let("y", b.type, { kind: "call", callee: name, args: [a, b] });
    const size = f.b.length(b, "n");
    const right = f.let("right", b.type, { kind: "clone", object: bDot });
    emitFor(f, f.label("loop"), size, (i) => {
      const row = f.b.load("row", ROW, aDot, index(i));
      emitFor(
        f,
        f.label("loop"),
        size,
        (j) => {
          f.b.store(
            right,
            index(i),
            f.b.sub(entry(f, right, i), f.b.mul(entry(f, row, j), entry(f, y, j))),
          );
        },
        "j",
      );
    });
    const yDot = f.let(names.dot(y.name), b.type, { kind: "call", callee: name, args: [a, right] });
    return [f.let("t", type, { kind: "tuple", elems: [y, yDot] })];
  });
  const own = f.ctx.reserveName(names.fwd(name, null));
  f.ctx.addLifted({
    name: own,
    home: own,
    params: [a, b, ...dots],
    result: type,
    body,
    origin: f.ctx.originOf(at),
  });
}

function pulledBack(f: Frame, name: string, a: Var, b: Var, seed: Var): Body {
  return f.nested(() => {
    const y = f.let("y", b.type, { kind: "call", callee: name, args: [a, b] });
    const size = f.b.length(b, "n");
    const transposed = square(f, "transposed", size, (i, j) =>
      entry(f, f.b.load("row", ROW, a, index(j)), i),
    );
    const w = f.let("w", b.type, { kind: "call", callee: name, args: [transposed, seed] });
    const aBar = square(f, names.bar(a.name), size, (i, j) =>
      f.b.neg(f.b.mul(entry(f, w, i), entry(f, y, j))),
    );
    const bars: Type = { kind: "tuple", elems: [MATRIX, b.type] };
    const list = f.let("t", bars, { kind: "tuple", elems: [aBar, w] });
    return [
      f.let("t", { kind: "tuple", elems: [b.type, bars] }, { kind: "tuple", elems: [y, list] }),
    ];
  });
}

const entry = (f: Frame, list: Atom, i: Atom): Atom => f.b.load("t", NUM, list, index(i));

/** A square matrix by rows. */
export function square(
  f: Frame,
  wanted: string,
  size: Atom,
  entryAt: (i: Var, j: Var) => Atom,
): Atom {
  const matrix = f.let(wanted, MATRIX, { kind: "alloc", length: size, fill: null });
  emitFor(f, f.label("loop"), size, (i) => {
    const row = f.let("row", ROW, { kind: "alloc", length: size, fill: null });
    emitFor(
      f,
      f.label("loop"),
      size,
      (j) => {
        f.b.emit({
          kind: "store",
          object: row,
          key: index(j),
          value: entryAt(i, j),
          initial: true,
        });
      },
      "j",
    );
    f.b.emit({ kind: "store", object: matrix, key: index(i), value: row, initial: true });
  });
  return matrix;
}
