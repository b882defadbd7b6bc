// Removes the fields of BOGs that duplicate another field, or that nothing reads.
//   f$revf(x) { … return [y, n, x$bar, n, k] }   ->   f$revf(x) { … return [y, n, x$bar] }
//   f$revr(bog) { … bog[1] … bog[3] … }          ->   f$revr(bog) { … bog[1] … }
// Input and output: all that is emitted for a group. Invariant: only BOGs that one function
// constructs, in one place. If other code (`isCalledOutside`) calls that function, the leading
// fields stay.

import type { Derived } from "../../ir/facts.ts";
import { Names } from "../../ir/names.ts";
import { sameType } from "../../ir/print.ts";
import { rebuilt, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Body, Expr, Func, Let, Stmt, Type } from "../../ir/types.ts";
import { mapBodies, walkStmts } from "../../ir/visit.ts";
import { mentionedBogs } from "../arena/bogs.ts";
import { sameAtom } from "../atoms.ts";
import { cse } from "../cse.ts";
import { dce } from "../dce.ts";
import { someStmt } from "../stmts.ts";

type Tuple = Type & { kind: "tuple" };

/** The remaining fields of a BOG. */
interface Slim {
  readonly maker: Func;
  readonly type: Tuple;
  /** By old position: the new one, or -1 where nothing reads the field. */
  readonly places: readonly number[];
  /** The old positions that remain. */
  readonly kept: readonly number[];
}

export function pruneBogs(
  items: readonly Derived[],
  isCalledOutside: (name: string) => boolean,
  types: Types,
): readonly Derived[] {
  for (let current = items; ;) {
    const next = slimmedOnce(current, isCalledOutside, types);
    if (next === current) return current;
    // A value that was loaded only for a removed field may itself be a field.
    current = next;
  }
}

function slimmedOnce(
  items: readonly Derived[],
  isCalledOutside: (name: string) => boolean,
  types: Types,
): readonly Derived[] {
  const funcs = items.flatMap((item) => (item.kind === "func" ? [item.func] : []));
  const read = fieldsRead(funcs);
  const slims = new Map(
    items.flatMap((item): [string, Slim][] => {
      if (item.kind !== "type" || item.type.kind !== "tuple") return [];
      const slim = slimOf(
        item.name,
        item.type,
        funcs,
        (maker, i) =>
          (i < LEADING && isCalledOutside(maker.name)) || read.has(placeOf(item.name, String(i))),
      );
      return slim === null ? [] : [[item.name, slim]];
    }),
  );
  if (slims.size === 0) return items;
  return items.map((item): Derived =>
    item.kind === "type"
      ? rebuilt(item, { type: slims.get(item.name)?.type ?? item.type })
      : rebuilt(item, { func: slimmed(item.func, slims, types) }),
  );
}

/** The first fields of a BOG, the value and its shadow, are known to callers outside the group. */
const LEADING = 2;

const placeOf = (bog: string, field: string): string => `${bog} ${field}`;

function fieldsRead(funcs: readonly Func[]): ReadonlySet<string> {
  const read = new Set<string>();
  for (const { body } of funcs) {
    walkStmts(body, (stmt) => {
      if (stmt.kind !== "let" || stmt.expr.kind !== "load") return;
      const { object, key } = stmt.expr;
      if (object.type.kind === "named" && key.kind === "field")
        read.add(placeOf(object.type.name, key.name));
    });
  }
  return read;
}

/** Null if every field is needed, or if several places construct such BOGs. */
function slimOf(
  name: string,
  type: Tuple,
  funcs: readonly Func[],
  isWanted: (maker: Func, i: number) => boolean,
): Slim | null {
  const [maker, ...others] = funcs.filter(({ result }) => mentions(result, name));
  const def =
    maker === undefined || others.length > 0 || maker.result.kind !== "named"
      ? null
      : constructedBy(maker);
  if (
    maker === undefined ||
    def === null ||
    def.expr.elems.length !== type.elems.length ||
    funcs.some((func) => func !== maker && constructs(func, name))
  )
    return null;
  const { elems } = def.expr;
  const first = elems.map((elem, i) =>
    elems.findIndex(
      (other, k) => sameAtom(other, elem) && sameType(type.elems[k] ?? type, type.elems[i] ?? type),
    ),
  );
  const isLeft = (at: number): boolean =>
    first.some((other, i) => other === at && isWanted(maker, i));
  const kept = first.flatMap((at, i) => (at === i && isLeft(i) ? [i] : []));
  if (kept.length === elems.length) return null;
  return { maker, kept, places: first.map((at) => kept.indexOf(at)), type: only(type, kept) };
}

function only(type: Tuple, kept: readonly number[]): Tuple {
  const isKept = (_: unknown, i: number): boolean => kept.includes(i);
  return {
    ...type,
    elems: type.elems.filter(isKept),
    ...(type.labels === undefined ? {} : { labels: renumbered(type.labels.filter(isKept)) }),
  };
}

/** Removes the number from `t$bar1` where no `t$bar` remains. */
function renumbered(labels: readonly string[]): readonly string[] {
  const names = new Names();
  return labels.map((label) => names.fresh(/^(.*\$(?:bar|bog))\d+$/.exec(label)?.[1] ?? label));
}

type Construction = Let & { readonly expr: Expr & { kind: "tuple" } };

/** The BOG that a function constructs at its end. */
function constructedBy({ body }: Func): Construction | null {
  const [result] = body.result;
  const def = body.stmts.findLast(
    (stmt) => stmt.kind === "let" && result?.kind === "var" && stmt.bind.name === result.name,
  );
  return def?.kind === "let" && def.expr.kind === "tuple" ? { ...def, expr: def.expr } : null;
}

/** Whether the function constructs such a BOG anywhere. */
const constructs = ({ body }: Func, name: string): boolean =>
  someStmt(
    body,
    (stmt) =>
      stmt.kind === "let" &&
      stmt.expr.kind === "tuple" &&
      stmt.bind.type.kind === "named" &&
      stmt.bind.type.name === name,
  );

const mentions = (type: Type, name: string): boolean =>
  mentionedBogs(type, new Set([name])).length > 0;

function slimmed(func: Func, slims: ReadonlyMap<string, Slim>, types: Types): Func {
  const own = func.result.kind === "named" ? slims.get(func.result.name) : undefined;
  const def = own?.maker === func ? constructedBy(func) : null;
  const loads: Let[] = [];
  const inStmt = (stmt: Stmt): Stmt => {
    if (stmt.kind !== "let" || stmt.expr.kind === "lambda") return mapBodies(stmt, inBody);
    if (def !== null && own !== undefined && stmt.bind.name === def.bind.name)
      return {
        ...stmt,
        bind: { ...stmt.bind, type: own.type },
        expr: { ...def.expr, elems: own.kept.flatMap((i) => def.expr.elems[i] ?? []) },
      };
    const { expr } = stmt;
    const slim =
      expr.kind === "load" && expr.object.type.kind === "named"
        ? slims.get(expr.object.type.name)
        : undefined;
    if (expr.kind !== "load" || expr.key.kind !== "field" || slim === undefined) return stmt;
    loads.push(stmt);
    return {
      ...stmt,
      expr: { ...expr, key: { ...expr.key, name: String(slim.places[Number(expr.key.name)]) } },
    };
  };
  const inBody = (body: Body): Body => withStmts(body, body.stmts.map(inStmt));
  const body = inBody(func.body);
  const given = own === undefined || def === null ? body.result : [{ ...def.bind, type: own.type }];
  const changed = withBody(func, withStmts(body, body.stmts, given));
  return changed === func ? func : dce(loads.length > 0 ? cse(changed, types) : changed, types);
}
