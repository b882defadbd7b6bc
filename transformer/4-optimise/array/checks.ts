// Checks of array sizes. Removes those that another check, or a `map2`, makes anyway. The input has
// the checks of the user's function and of the copies that differentiation made of it. Invariant:
// the program throws on the same inputs as before.

import {
  type ArrayBody,
  type ArrayExpr,
  type ArrayLet,
  bodiesOf,
  freeVars,
  mapExpr,
  readsOf,
} from "../../ir/array.ts";
import { num } from "../../ir/build.ts";
import type { Atom } from "../../ir/types.ts";

export const hasCheck = (expr: ArrayExpr): boolean =>
  bodiesOf(expr).some((inner) =>
    inner.lets.some((each) => each.expr.kind === "check" || hasCheck(each.expr)),
  );

// checks in dead code -----------------------------------------------------------------------------

// map(x => { check(x, b); … }, a); … map(x => { check(x, b); … }, a)   ->   … map(…, a)
// map(x => { check(x, b); const t = e; return t }, a)   ->   map(x => { check(x, b); return 0 }, a)
// Both where the (first) result is not read.
export function checksAlone(body: ArrayBody): ArrayBody {
  const needed = neededFor(body);
  const known = new Map(body.lets.map(({ bind, expr }) => [bind.name, expr]));
  const checked = new Set(
    body.lets.flatMap((each) => (needed.has(each.bind.name) ? placesIn(each.expr, known) : [])),
  );
  const lets = body.lets.flatMap((each): ArrayLet[] => {
    if (needed.has(each.bind.name) || !hasCheck(each.expr)) return [each];
    const own = placesIn(each.expr, known);
    if (own.every((place) => checked.has(place))) return [];
    for (const place of own) checked.add(place);
    return [{ ...each, expr: mapExpr(each.expr, (atom) => atom, onlyChecks) }];
  });
  return { lets, result: body.result };
}

/** The names that the result depends on; checks do not count. */
function neededFor(body: ArrayBody): ReadonlySet<string> {
  const needed = new Set(freeVars({ lets: [], result: body.result }).keys());
  for (const each of [...body.lets].reverse())
    if (needed.has(each.bind.name)) for (const name of readsOf(each).keys()) needed.add(name);
  return needed;
}

function onlyChecks(body: ArrayBody): ArrayBody {
  const needed = new Set<string>();
  const remaining: ArrayLet[] = [];
  for (const each of [...body.lets].reverse()) {
    if (each.expr.kind !== "check" && !needed.has(each.bind.name) && !hasCheck(each.expr)) continue;
    const one = needed.has(each.bind.name)
      ? each
      : { ...each, expr: mapExpr(each.expr, (atom) => atom, onlyChecks) };
    for (const name of readsOf(one).keys()) needed.add(name);
    remaining.push(one);
  }
  return { lets: remaining.reverse(), result: num(0) };
}

/** Strings for what the checks in an expression compare: `w = xs[*]`. */
function placesIn(
  expr: ArrayExpr,
  defs: ReadonlyMap<string, ArrayExpr>,
  names: ReadonlyMap<string, string> = new Map(),
  context = "",
): readonly string[] {
  const arrays =
    expr.kind === "map"
      ? expr.arrays
      : expr.kind === "fold" || expr.kind === "scan"
        ? [expr.array]
        : [];
  const params =
    expr.kind === "map"
      ? expr.fn.params
      : expr.kind === "fold" || expr.kind === "scan"
        ? expr.fn.params.slice(1)
        : [];
  const inner = new Map([
    ...names,
    ...params.map((param, i): [string, string] => [
      param.name,
      `${placeOf(arrays[i], defs, names)}[*]`,
    ]),
  ]);
  return bodiesOf(expr).flatMap((body, side) => {
    const all = new Map([
      ...defs,
      ...body.lets.map(({ bind, expr: own }): [string, ArrayExpr] => [bind.name, own]),
    ]);
    const head =
      expr.kind === "choose"
        ? `${placeOf(expr.cond, defs, names)}?${side}`
        : placeOf(arrays[0], defs, names);
    const around = `${context}${head}:`;
    return body.lets.flatMap(({ expr: own }) => {
      if (own.kind !== "check") return placesIn(own, all, inner, around);
      const pair = [own.a, own.b].map((atom) => placeOf(atom, all, inner)).sort();
      // A comparison of elements with another array runs wherever the elements do.
      const elements = pair.filter((text) => text.includes("[*]")).length;
      const isMixed = elements === 1 && expr.kind !== "choose";
      return [`${isMixed ? "" : around}${pair.join(" = ")}`];
    });
  });
}

/** A string for an array, shared by arrays of its size. */
function placeOf(
  atom: Atom | undefined,
  defs: ReadonlyMap<string, ArrayExpr>,
  names: ReadonlyMap<string, string>,
): string {
  if (atom?.kind !== "var") return "";
  const expr = defs.get(atom.name);
  if (expr?.kind === "map") return placeOf(expr.arrays[0], defs, names);
  if (expr?.kind === "copy" || (expr?.kind === "fill" && expr.value.type.kind === "num"))
    return placeOf(expr.kind === "copy" ? expr.of : expr.like, defs, names);
  if (expr?.kind === "field") return `${placeOf(expr.of, defs, names)}.${expr.name}`;
  return names.get(atom.name) ?? atom.name;
}

// checks that `map2` makes anyway -----------------------------------------------------------------

/** Classes of arrays of one size, by name. */
class Sizes {
  readonly #same: Map<string, string>;

  constructor(outer: Sizes | null) {
    this.#same = new Map(outer === null ? [] : outer.#same);
  }

  of(name: string): string {
    const next = this.#same.get(name);
    return next === undefined ? name : this.of(next);
  }

  join(x: Atom, y: Atom): void {
    if (x.kind !== "var" || y.kind !== "var") return;
    const [p, q] = [this.of(x.name), this.of(y.name)];
    if (p !== q) this.#same.set(p, q);
  }
}

// check(a, b); … map2(f, a, b)   ->   … map2(f, a, b)
export function dropChecks(body: ArrayBody, outer: Sizes | null = null): ArrayBody {
  const sizes = new Sizes(outer);
  const needed = neededFor(body);
  for (const { bind, expr } of body.lets) {
    // What only a check needs may go with it.
    if (!needed.has(bind.name)) continue;
    if (expr.kind === "map" && expr.arrays[0] !== undefined) {
      sizes.join(bind, expr.arrays[0]);
      if (expr.arrays[1] !== undefined) sizes.join(expr.arrays[0], expr.arrays[1]);
    }
    if (expr.kind === "fill" && expr.value.type.kind === "num") sizes.join(bind, expr.like);
    if (expr.kind === "copy") sizes.join(bind, expr.of);
  }
  const remaining: ArrayLet[] = [];
  for (const each of body.lets) {
    const expr = mapExpr(
      each.expr,
      (atom) => atom,
      (inner) => dropChecks(inner, sizes),
    );
    if (expr.kind === "check") {
      const [p, q] = [expr.a, expr.b].map((atom) =>
        atom.kind === "var" ? sizes.of(atom.name) : "",
      );
      if (p === q) continue;
      sizes.join(expr.a, expr.b);
    }
    remaining.push({ ...each, expr });
  }
  return { lets: remaining, result: body.result };
}
