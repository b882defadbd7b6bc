// Fields of BOGs that hold what another field of the same BOG holds, or that nobody reads: two loops ask for one length, a result's shadow is recorded, too; what is recorded is read by a
// reverse sweep that does nothing. In: all that is emitted for a group, and the names of functions that other code calls. Out: the same, where each value that is read is in its BOG once, in
// the first of its fields. Invariant: BOGs that one function makes, in one place; where other code calls that, the first fields stay where they are.
//
//   f$revf(x) { … return [y, n, x$bar, n, k] }   ->   f$revf(x) { … return [y, n, x$bar] }
//   f$revr(bog) { … bog[1] … bog[3] … }          ->   f$revr(bog) { … bog[1] … }

import { isCall } from "../../ir/calls.ts";
import type { Derived } from "../../ir/facts.ts";
import { Names } from "../../ir/names.ts";
import { sameType } from "../../ir/print.ts";
import { mapList, rebuilt, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Body, Expr, Func, Let, Stmt, Type } from "../../ir/types.ts";
import { mapBodies, walkAtoms, walkStmts } from "../../ir/visit.ts";
import { mentionedIn } from "../arena/bogs.ts";
import { sameAtom } from "../atoms.ts";
import { cse } from "../cse.ts";
import { dce } from "../dce.ts";

type Tuple = Type & { kind: "tuple" };

/** What is left of a BOG. */
interface Slim {
  readonly maker: Func;
  readonly type: Tuple;
  /** By position: where the value is afterwards; -1 where nobody reads it. */
  readonly places: readonly number[];
  /** The positions that are left. */
  readonly kept: readonly number[];
}

export function withSlimBogs(
  items: readonly Derived[],
  isAsked: (name: string) => boolean,
  types: Types,
): readonly Derived[] {
  for (let current = items; ;) {
    const next = slimmedOnce(current, isAsked, types);
    if (next === current) return withoutEmpty(current, isAsked);
    // what was read for a field that is gone may be a field, too
    current = next;
  }
}

function slimmedOnce(
  items: readonly Derived[],
  isAsked: (name: string) => boolean,
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
          (i < LEADING && isAsked(maker.name)) || read.has(placeOf(item.name, String(i))),
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

/** Functions without a BOG, whose BOG has no fields left, where nobody else names it. */
function withoutEmpty(
  items: readonly Derived[],
  isAsked: (name: string) => boolean,
): readonly Derived[] {
  const funcs = items.flatMap((item) => (item.kind === "func" ? [item.func] : []));
  const empty = new Set(
    items.flatMap((item) =>
      item.kind === "type" && item.type.kind === "tuple" && item.type.elems.length === 0
        ? [item.name]
        : [],
    ),
  );
  const isEmpty = (type: Type): boolean => type.kind === "named" && empty.has(type.name);
  for (const { name, params, body, result } of funcs) {
    if (result.kind === "named" && isAsked(name)) empty.delete(result.name);
    const kept = params.map(({ type }) => type);
    walkAtoms({ stmts: body.stmts, result: [] }, ({ type }) => kept.push(type));
    for (const type of kept)
      for (const mentioned of mentionedIn(type, empty)) empty.delete(mentioned);
  }
  if (empty.size === 0) return items;
  const given = (stmt: Stmt): Stmt =>
    isCall(stmt) && isEmpty(stmt.bind.type)
      ? { ...stmt, bind: { ...stmt.bind, type: VOID } }
      : mapBodies(stmt, inBody);
  const inBody = (body: Body): Body => withStmts(body, mapList(body.stmts, given));
  return items.flatMap((item): Derived[] => {
    if (item.kind === "type") return empty.has(item.name) ? [] : [item];
    const { func } = item;
    const made = isEmpty(func.result) ? madeBy(func) : null;
    const body = inBody(
      made === null
        ? func.body
        : {
            stmts: func.body.stmts.filter(
              (stmt) => !(stmt.kind === "let" && stmt.bind.name === made.bind.name),
            ),
            result: [],
          },
    );
    return [
      rebuilt(item, {
        func: rebuilt(withBody(func, body), { result: made === null ? func.result : VOID }),
      }),
    ];
  });
}

const VOID: Type = { kind: "void" };

/** A BOG's first fields, which are told to those who call its maker from outside: the value and its shadow. */
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

/** Null where each field is read and none holds what another one does, or where somebody else makes such BOGs. */
function slimOf(
  name: string,
  type: Tuple,
  funcs: readonly Func[],
  isWanted: (maker: Func, i: number) => boolean,
): Slim | null {
  const [maker, ...others] = funcs.filter(({ result }) => mentions(result, name));
  const made =
    maker === undefined || others.length > 0 || maker.result.kind !== "named"
      ? null
      : madeBy(maker);
  if (
    maker === undefined ||
    made === null ||
    made.expr.elems.length !== type.elems.length ||
    funcs.some((func) => func !== maker && makes(func, name))
  )
    return null;
  const { elems } = made.expr;
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

/** `t$bar1` is `t$bar` where that is gone. */
function renumbered(labels: readonly string[]): readonly string[] {
  const names = new Names();
  return labels.map((label) => names.fresh(/^(.*\$(?:bar|bog))\d+$/.exec(label)?.[1] ?? label));
}

type Made = Let & { readonly expr: Expr & { kind: "tuple" } };

/** The BOG that a function makes at its end. */
function madeBy({ body }: Func): Made | null {
  const [result] = body.result;
  const made = body.stmts.findLast(
    (stmt) => stmt.kind === "let" && result?.kind === "var" && stmt.bind.name === result.name,
  );
  return made?.kind === "let" && made.expr.kind === "tuple" ? { ...made, expr: made.expr } : null;
}

/** Whether the function puts such a BOG together itself. */
function makes({ body }: Func, name: string): boolean {
  let found = false;
  walkStmts(body, (stmt) => {
    found ||=
      stmt.kind === "let" &&
      stmt.expr.kind === "tuple" &&
      stmt.bind.type.kind === "named" &&
      stmt.bind.type.name === name;
  });
  return found;
}

const mentions = (type: Type, name: string): boolean =>
  mentionedIn(type, new Set([name])).length > 0;

function slimmed(func: Func, slims: ReadonlyMap<string, Slim>, types: Types): Func {
  const own = func.result.kind === "named" ? slims.get(func.result.name) : undefined;
  const made = own?.maker === func ? madeBy(func) : null;
  let isRead = false;
  const inStmt = (stmt: Stmt): Stmt => {
    if (stmt.kind !== "let" || stmt.expr.kind === "lambda") return mapBodies(stmt, inBody);
    if (made !== null && own !== undefined && stmt.bind.name === made.bind.name)
      return {
        ...stmt,
        bind: { ...stmt.bind, type: own.type },
        expr: { ...made.expr, elems: own.kept.flatMap((i) => made.expr.elems[i] ?? []) },
      };
    const { expr } = stmt;
    const slim =
      expr.kind === "load" && expr.object.type.kind === "named"
        ? slims.get(expr.object.type.name)
        : undefined;
    if (expr.kind !== "load" || expr.key.kind !== "field" || slim === undefined) return stmt;
    isRead = true;
    return {
      ...stmt,
      expr: { ...expr, key: { ...expr.key, name: String(slim.places[Number(expr.key.name)]) } },
    };
  };
  const inBody = (body: Body): Body => withStmts(body, body.stmts.map(inStmt));
  const body = inBody(func.body);
  const given =
    own === undefined || made === null ? body.result : [{ ...made.bind, type: own.type }];
  const changed = withBody(func, withStmts(body, body.stmts, given));
  return changed === func ? func : dce(isRead ? cse(changed, types) : changed, types);
}
