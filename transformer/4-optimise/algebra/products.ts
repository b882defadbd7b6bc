// Reassociates products of cotangents to share a product that is computed anyway.
//   ~ t = a * b; ~ y = t * c; q = b * c   ->   q = b * c; ~ y = a * q, where only y reads t
// Invariant: only cotangent code changes, and each rewrite removes one product.

import type { Types } from "../../ir/shadow.ts";
import type { Atom, Body, Func, Let, Stmt } from "../../ir/types.ts";
import { mapBodies } from "../../ir/visit.ts";
import { atomKey, countReads } from "../atoms.ts";
import { dce } from "../dce.ts";

export function products(func: Func, types: Types): Func {
  const state: State = { reads: countReads(func.body), changed: false };
  const body = inBody(func.body, { ofPair: new Map(), byName: new Map(), own: new Map() }, state);
  return state.changed ? dce({ ...func, body }, types) : func;
}

interface State {
  readonly reads: Map<string, number>;
  changed: boolean;
}

function count(atom: Atom, by: 1 | -1, { reads }: State): void {
  if (atom.kind === "var") reads.set(atom.name, (reads.get(atom.name) ?? 0) + by);
}

/** The products in scope: by factors, and those of cotangent code by name. */
interface Made {
  readonly ofPair: Map<string, Let>;
  readonly byName: Map<string, Let>;
  /** By factors: the products of the body itself. */
  readonly own: ReadonlyMap<string, Let>;
}

function inBody(body: Body, outer: Made, state: State): Body {
  const own = new Map(
    body.stmts.flatMap((stmt) => {
      const factors = factorsOf(stmt);
      return stmt.kind === "let" && factors !== null ? [[pairKey(factors), stmt] as const] : [];
    }),
  );
  const known: Made = { ofPair: new Map(outer.ofPair), byName: new Map(outer.byName), own };
  const waiting = [...body.stmts];
  const stmts: Stmt[] = [];
  for (let stmt = waiting.shift(); stmt !== undefined; stmt = waiting.shift()) {
    const factors = factorsOf(stmt);
    if (stmt.kind !== "let" || factors === null) {
      stmts.push(mapBodies(stmt, (inner) => inBody(inner, known, state)));
      continue;
    }
    const better = stmt.adjoint === true ? associated(stmt, factors, known, state) : null;
    if (better !== null && !known.ofPair.has(pairKey([better.b, better.c]))) {
      // Moves `known` up: its factors are available here.
      waiting.splice(waiting.indexOf(better.known), 1);
      waiting.unshift(better.known, stmt);
      continue;
    }
    const changed = better === null ? stmt : rewritten(stmt, better, state);
    for (const key of [pairKey(factors), pairKey(factorsOf(changed) ?? factors)])
      if (!known.ofPair.has(key)) known.ofPair.set(key, changed);
    if (changed.adjoint === true) known.byName.set(changed.bind.name, changed);
    stmts.push(changed);
  }
  return { ...body, stmts };
}

type Factors = readonly [Atom, Atom];

/** `(a * b) * c`, where `known` is `b * c`. */
interface Better {
  readonly a: Atom;
  readonly b: Atom;
  readonly c: Atom;
  readonly known: Let;
}

function associated(
  stmt: Let,
  [x, z]: Factors,
  { ofPair, byName, own }: Made,
  { reads }: State,
): Better | null {
  for (const [product, c] of [
    [x, z],
    [z, x],
  ] as const) {
    const inner =
      product.kind === "var" && reads.get(product.name) === 1
        ? byName.get(product.name)
        : undefined;
    const [first, second] = inner === undefined ? [] : (factorsOf(inner) ?? []);
    if (first === undefined || second === undefined) continue;
    for (const [a, b] of [
      [first, second],
      [second, first],
    ] as const) {
      const key = pairKey([b, c]);
      const known = ofPair.get(key) ?? own.get(key);
      if (known !== undefined && known !== inner && known !== stmt) return { a, b, c, known };
    }
  }
  return null;
}

/** `a * known`; dce drops the inner product. */
function rewritten(stmt: Let, { a, b, c, known }: Better, state: State): Let {
  state.changed = true;
  count(known.bind, 1, state);
  for (const atom of [b, c]) count(atom, -1, state);
  return { ...stmt, expr: { kind: "op", op: "mul", args: [a, known.bind] } };
}

function factorsOf(stmt: Stmt): Factors | null {
  const [x, z] =
    stmt.kind === "let" && stmt.expr.kind === "op" && stmt.expr.op === "mul" ? stmt.expr.args : [];
  return x === undefined || z === undefined ? null : [x, z];
}

const pairKey = (factors: Factors): string => factors.map(atomKey).sort().join(" ");
