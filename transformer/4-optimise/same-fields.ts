// Fields of BOGs that hold what another field of the same BOG holds: two loops ask for one length, a result's shadow is recorded, too. In: all that is emitted for a group. Out: the
// same, where each such value is in its BOG once, in the first of its fields. Invariant: BOGs that one function makes, in one place; the first fields, which callers read, stay where they are.
//
//   f$revf(x) { … return [y, n, x$bar, n] }      ->   f$revf(x) { … return [y, n, x$bar] }
//   f$revr(bog) { … bog[1] … bog[3] … }          ->   f$revr(bog) { … bog[1] … }

import type { Derived } from "../ir/facts.ts";
import { sameType } from "../ir/print.ts";
import { rebuilt, withBody, withStmts } from "../ir/rebuilt.ts";
import type { Types } from "../ir/shadow.ts";
import type { Body, Expr, Func, Let, Stmt, Type } from "../ir/types.ts";
import { mapBodies, walkStmts } from "../ir/visit.ts";
import { mentionedIn } from "./arena/bogs.ts";
import { sameAtom } from "./atoms.ts";
import { cse } from "./cse.ts";
import { dce } from "./dce.ts";

type Tuple = Type & { kind: "tuple" };

/** What is left of a BOG with fields that hold the same. */
interface Slim {
  readonly maker: Func;
  readonly type: Tuple;
  /** By position: where the value is afterwards. */
  readonly places: readonly number[];
  /** The positions that are left. */
  readonly kept: readonly number[];
}

export function withoutSameFields(items: readonly Derived[], types: Types): readonly Derived[] {
  const funcs = items.flatMap((item) => (item.kind === "func" ? [item.func] : []));
  const slims = new Map(items.flatMap((item): [string, Slim][] => {
    if (item.kind !== "type" || item.type.kind !== "tuple") return [];
    const slim = slimOf(item.name, item.type, funcs);
    return slim === null ? [] : [[item.name, slim]];
  }));
  if (slims.size === 0) return items;
  return items.map((item): Derived => (item.kind === "type" ? rebuilt(item, { type: slims.get(item.name)?.type ?? item.type }) : rebuilt(item, { func: slimmed(item.func, slims, types) })));
}

/** Null where no two fields hold the same, or somebody else makes such BOGs. */
function slimOf(name: string, type: Tuple, funcs: readonly Func[]): Slim | null {
  const [maker, ...others] = funcs.filter(({ result }) => mentions(result, name));
  const made = maker === undefined || others.length > 0 || maker.result.kind !== "named" ? null : madeBy(maker);
  if (maker === undefined || made === null || made.expr.elems.length !== type.elems.length || funcs.some((func) => func !== maker && makes(func, name))) return null;
  const { elems } = made.expr;
  const first = elems.map((elem, i) => elems.findIndex((other, k) => sameAtom(other, elem) && sameType(type.elems[k] ?? type, type.elems[i] ?? type)));
  const kept = first.flatMap((at, i) => (at === i ? [i] : []));
  if (kept.length === elems.length) return null;
  return { maker, kept, places: first.map((at) => kept.indexOf(at)), type: only(type, kept) };
}

function only(type: Tuple, kept: readonly number[]): Tuple {
  const isKept = (_: unknown, i: number): boolean => kept.includes(i);
  return { ...type, elems: type.elems.filter(isKept), ...(type.labels === undefined ? {} : { labels: type.labels.filter(isKept) }) };
}

type Made = Let & { readonly expr: Expr & { kind: "tuple" } };

/** The BOG that a function makes at its end. */
function madeBy({ body }: Func): Made | null {
  const [result] = body.result, made = body.stmts.findLast((stmt) => stmt.kind === "let" && result?.kind === "var" && stmt.bind.name === result.name);
  return made?.kind === "let" && made.expr.kind === "tuple" ? { ...made, expr: made.expr } : null;
}

/** Whether the function puts such a BOG together itself. */
function makes({ body }: Func, name: string): boolean {
  let found = false;
  walkStmts(body, (stmt) => { found ||= stmt.kind === "let" && stmt.expr.kind === "tuple" && stmt.bind.type.kind === "named" && stmt.bind.type.name === name; });
  return found;
}

const mentions = (type: Type, name: string): boolean => mentionedIn(type, new Set([name])).length > 0;

function slimmed(func: Func, slims: ReadonlyMap<string, Slim>, types: Types): Func {
  const own = func.result.kind === "named" ? slims.get(func.result.name) : undefined;
  const made = own?.maker === func ? madeBy(func) : null;
  let isRead = false;
  const inStmt = (stmt: Stmt): Stmt => {
    if (stmt.kind !== "let" || stmt.expr.kind === "lambda") return mapBodies(stmt, inBody);
    if (made !== null && own !== undefined && stmt.bind.name === made.bind.name) return { ...stmt, bind: { ...stmt.bind, type: own.type }, expr: { ...made.expr, elems: own.kept.flatMap((i) => made.expr.elems[i] ?? []) } };
    const { expr } = stmt, slim = expr.kind === "load" && expr.object.type.kind === "named" ? slims.get(expr.object.type.name) : undefined;
    if (expr.kind !== "load" || expr.key.kind !== "field" || slim === undefined) return stmt;
    isRead = true;
    return { ...stmt, expr: { ...expr, key: { ...expr.key, name: String(slim.places[Number(expr.key.name)]) } } };
  };
  const inBody = (body: Body): Body => withStmts(body, body.stmts.map(inStmt));
  const changed = withBody(func, inBody(func.body));
  return isRead ? dce(cse(changed, types), types) : changed;
}
