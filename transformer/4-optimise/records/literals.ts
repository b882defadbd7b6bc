// Turns shadows of short arrays with known places into array literals. A loop appends the zeros of
// the places that the primal has beyond those written.
//   ~ s = zeros a; …; ~ s[0] += x; ~ s[1] += y; return s
//     ->   n = length a; …; ~ s = [x, y]; for i = 2 < n { ~ append s 0 }; return s
// Invariant: the last place of the literal is written in any case, so `zeros` would have it, too.

import { Builder, NUM, num } from "../../ir/build.ts";
import type { Names } from "../../ir/names.ts";
import { resolve, type Types } from "../../ir/shadow.ts";
import type { Atom, Body, Expr, Func, Key, Let, Stmt, Var } from "../../ir/types.ts";
import { mapBodies, namesOf, stmtAtoms, stmtBodies } from "../../ir/visit.ts";
import { atomKey, isNumber } from "../atoms.ts";
import { LONGEST, placeIn } from "./candidates.ts";
import { cse } from "../cse.ts";
import { dce } from "../dce.ts";
import { scalarReplace } from "./scalar-replace.ts";
import { simplify } from "../simplify.ts";

export function literals(func: Func, types: Types): Func {
  const names = namesOf(func);
  const chosen = new Map<string, Chosen>();
  const body = written(func.body, { types, names, chosen });
  if (chosen.size === 0) return func;
  const inNames = scalarReplace({ ...func, body }, types);
  return dce(
    cse(simplify({ ...inNames, body: padded(inNames.body, chosen, names) }, types), types),
    types,
  );
}

interface Chosen {
  readonly count: number;
  /** The length of the primal where the shadow was allocated. */
  readonly length: Var;
}

interface Context {
  readonly types: Types;
  readonly names: Names;
  /** By name of a shadow. */
  readonly chosen: Map<string, Chosen>;
}

/** Literals of zeros instead of the shadows, not yet padded. */
function written(body: Body, context: Context): Body {
  const { types, names, chosen } = context;
  const lengths = new Map<string, Var>();
  return {
    ...body,
    stmts: body.stmts.flatMap((stmt, at) => {
      if (stmt.kind !== "let" || stmt.expr.kind !== "zeros" || !isNumbers(stmt, types))
        return [mapBodies(stmt, (inner) => written(inner, context))];
      const { like } = stmt.expr;
      const source = like.kind === "var" ? chosen.get(like.name)?.length : undefined;
      const count = placesOf(stmt.bind.name, body.stmts.slice(at + 1));
      if (count === 0)
        return [
          source === undefined
            ? stmt
            : { ...stmt, expr: { kind: "alloc", length: source, fill: num(0) } },
        ];
      const b = new Builder(names, stmt.origin, true);
      const length = source ?? lengths.get(atomKey(like)) ?? b.length(like);
      lengths.set(atomKey(like), length);
      chosen.set(stmt.bind.name, { count, length });
      return [
        ...b.stmts,
        {
          ...stmt,
          expr: {
            kind: "array",
            parts: Array.from({ length: count }, () => ({ atom: num(0), spread: false })),
          },
        },
      ];
    }),
  };
}

/** Adds the padding after the literals: one loop per group of equal lengths allocated together. */
function padded(body: Body, chosen: ReadonlyMap<string, Chosen>, names: Names): Body {
  const stmts: Stmt[] = [];
  const waiting: Let[] = [];
  const pad = (): void => {
    const shapeOf = ({ bind }: Let): string => {
      const one = chosen.get(bind.name);
      return `${one?.count} of ${one?.length.name}`;
    };
    const rows = waiting.splice(0);
    for (const shape of new Set(rows.map(shapeOf)))
      stmts.push(
        ...padding(
          rows.filter((row) => shapeOf(row) === shape),
          chosen,
          names,
        ),
      );
  };
  for (const stmt of body.stmts) {
    const isLiteral = stmt.kind === "let" && chosen.has(stmt.bind.name);
    if (isLiteral) waiting.push(stmt);
    else pad();
    stmts.push(isLiteral ? stmt : mapBodies(stmt, (inner) => padded(inner, chosen, names)));
  }
  pad();
  return { ...body, stmts };
}

// s, 2 of n   ->   for i = 2 < n { append s 0 }
function padding(
  rows: readonly Let[],
  chosen: ReadonlyMap<string, Chosen>,
  names: Names,
): readonly Stmt[] {
  const [first] = rows;
  const shape = first === undefined ? undefined : chosen.get(first.bind.name);
  if (first === undefined || shape === undefined) return [];
  const index: Var = { kind: "var", name: names.fresh("i"), type: NUM };
  const stmts = rows.map(({ bind, origin }): Stmt => ({
    kind: "append",
    object: bind,
    value: num(0),
    origin,
    adjoint: true,
  }));
  return [
    {
      kind: "for",
      index,
      from: num(shape.count),
      test: "<",
      to: shape.length,
      step: 1,
      carried: [],
      body: { stmts, result: [] },
      binds: [],
      origin: first.origin,
      adjoint: true,
    },
  ];
}

/** Whether the array and its primal are arrays of numbers. */
const isNumbers = ({ bind, expr }: Let, types: Types): boolean =>
  expr.kind === "zeros" &&
  [bind.type, expr.like.type]
    .map((type) => resolve(type, types))
    .every((type) => type.kind === "array" && type.store === "Array" && type.elem.kind === "num");

/** The places that later statements write at least; 0 if they use the array in any other way. */
function placesOf(name: string, stmts: readonly Stmt[]): number {
  const isIt = (atom: Atom): boolean => atom.kind === "var" && atom.name === name;
  const placeOf = (stmt: Stmt): Key | null => {
    const place = placeIn(stmt);
    return place !== null && isIt(place.object) ? place.key : null;
  };
  const count = Math.max(
    0,
    ...stmts.map((stmt) => {
      const key = stmt.kind === "let" ? null : placeOf(stmt);
      return key === null ? 0 : (placeAt(key) ?? LONGEST) + 1;
    }),
  );
  if (count > LONGEST) return 0;
  const isFixed = (stmt: Stmt): boolean => {
    const key = placeOf(stmt);
    const at = key === null ? 0 : placeAt(key);
    const rest =
      key === null
        ? stmtAtoms(stmt)
        : stmt.kind === "store" || stmt.kind === "accum"
          ? [stmt.value]
          : [];
    return (
      at !== null &&
      at < count &&
      !rest.some(isIt) &&
      stmtBodies(stmt).every((body) => !body.result.some(isIt) && body.stmts.every(isFixed))
    );
  };
  const firstAt = stmts.findIndex((stmt) => placeOf(stmt) !== null || stmtBodies(stmt).length > 0);
  const isFine = (stmt: Stmt, at: number): boolean =>
    isFixed(stmt) ||
    (stmt.kind === "let" && (holds(stmt.expr) || (at < firstAt && stmt.expr.kind === "zeros")));
  return stmts.every(isFine) ? count : 0;
}

/** Whether the expression only puts its operands into a new object. */
const holds = (expr: Expr): boolean => expr.kind === "tuple" || expr.kind === "record";

const placeAt = (key: Key): number | null =>
  key.kind === "index" && isNumber(key.at) && Number.isInteger(key.at.value) && key.at.value >= 0
    ? key.at.value
    : null;
