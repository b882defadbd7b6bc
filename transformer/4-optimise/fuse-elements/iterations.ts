// Writes a run as one loop. The result also names the arrays of which a loop now gets from a name
// what another one has written.
//   for i = 0 < n { a[i] = v }; for k = 0 < n { b[k] = w(load a[k]) }
//     ->   for i = 0 < n { a[i] = v; b[i] = w(v) }
//   for i = 0 < n { a[i] = v }; for k = 1 < n { b[k] = w(load a[k - 1]) }
//     ->   if n > 0 { a[0] = v; for i = 1 < n carry (e = v) { a[i] = v; b[i] = w(e); yield v } }
// Invariant: every load gives what it gave, and each iteration writes an element once, with its
// last value.

import { BOOL, NUM, num } from "../../ir/build.ts";
import { invariant } from "../../ir/invariant.ts";
import { baseName, type Names } from "../../ir/names.ts";
import type { Atom, Carried, Expr, For, Let, Stmt, Store, Var } from "../../ir/types.ts";
import { renameBody, renameVars } from "../../ir/rename.ts";
import { mapAtoms, mapStmt, stmtBinds } from "../../ir/visit.ts";
import { isNumber, isValue } from "../atoms.ts";
import { isInside, type Item, isTyped, type Known, placeOf, type Run, storesIn } from "./run.ts";

export interface Written {
  readonly stmts: readonly Stmt[];
  readonly passed: ReadonlySet<string>;
}

/** An element of the previous iteration that is read: what `array` holds there after `item`. */
interface Carry {
  readonly array: Var;
  readonly item: Item;
  readonly key: string;
  readonly param: Var;
}

interface Context {
  readonly run: Run;
  readonly names: Names;
  readonly known: Known;
  readonly carries: readonly Carry[];
  /** The carry that replaces a load of the previous element. */
  readonly carryOf: ReadonlyMap<Expr, Carry>;
}

export function writeRun(run: Run, names: Names, known: Known): Written {
  const context: Context = { run, names, known, ...carriesOf(run, names, known) };
  const [first] = run.items.flatMap((item) => (item.kind === "loop" ? [item.loop] : []));
  invariant(first !== undefined, "a run without loops");
  const isPeeled = run.items.some((item) => item.kind === "first" || isValue(item.loop.from, 1));
  const peeled = isPeeled ? new Iteration(context, null) : null;
  peeled?.all();
  const main = new Iteration(context, { index: first.index, peeled });
  main.all();
  const written =
    peeled === null || isNumber(run.bound)
      ? [...(peeled?.stmts ?? []), loopOf(context, main, peeled, first, (bind) => bind)]
      : ifAny(context, main, peeled, first);
  const { stmts } = renameVars(
    { stmts: written, result: [] },
    new Map([...(peeled?.better ?? []), ...main.better]),
  );
  return { stmts: [...run.before, ...stmts], passed: main.passed };
}

function carriesOf(
  { items, arrays }: Run,
  names: Names,
  known: Known,
): Pick<Context, "carries" | "carryOf"> {
  const versions = new Map<string, number>();
  const carries: Carry[] = [];
  const carryOf = new Map<Expr, Carry>();
  for (const item of items) {
    for (const { object } of storesIn(stmtOf(item)))
      if (object.kind === "var") versions.set(object.name, (versions.get(object.name) ?? 0) + 1);
    for (const stmt of item.kind === "loop" ? item.loop.body.stmts : []) {
      const place =
        stmt.kind === "let" && item.kind === "loop"
          ? placeOf(stmt.expr, item.loop, arrays, known)
          : null;
      if (stmt.kind !== "let" || place?.at !== "previous") continue;
      const { array } = place;
      const key = `${array.name} ${versions.get(array.name) ?? 0}`;
      const carry = carries.find((one) => one.key === key) ?? {
        array,
        item,
        key,
        param: fresh(names, array),
      };
      if (!carries.includes(carry)) carries.push(carry);
      carryOf.set(stmt.expr, carry);
    }
  }
  return { carries, carryOf };
}

const fresh = (names: Names, { name }: Var): Var => ({
  kind: "var",
  name: names.fresh(name),
  type: NUM,
});

/** What an element holds, and the item that wrote it; null for the content before the run. */
interface Element {
  readonly value: Atom;
  readonly by: Item | null;
}

/** One iteration of all loops, written item by item: the first one, peeled, or any later one. */
class Iteration {
  readonly stmts: Stmt[] = [];
  readonly passed = new Set<string>();
  /** Names of arrays, for temporaries that hold their elements. */
  readonly better = new Map<string, string>();
  /** The carried elements after the iteration, by key, and the carried values of the loops. */
  readonly elements = new Map<string, Atom>();
  readonly results = new Map<For, readonly Atom[]>();
  readonly #context: Context;
  readonly #index: Var | null;
  readonly #at = new Map<string, Element>();
  /** Replacements of names whose binders are gone. */
  readonly #values = new Map<string, Atom>();
  readonly #last: ReadonlySet<Stmt>;

  /** Null for the peeled iteration; else the name of the index, and the peeled iteration. */
  constructor(
    context: Context,
    later: { readonly index: Var; readonly peeled: Iteration | null } | null,
  ) {
    this.#context = context;
    this.#index = later?.index ?? null;
    const { items } = context.run;
    for (const item of items)
      if (item.kind === "first")
        for (const bind of stmtBinds(item.stmt))
          this.#stands(bind, later?.peeled?.resolve(bind) ?? bind);
    const last = new Map<string, Stmt>();
    for (const item of items)
      if (this.#runs(item))
        for (const store of storesIn(stmtOf(item)))
          if (store.object.kind === "var") last.set(store.object.name, store);
    this.#last = new Set(last.values());
  }

  #runs(item: Item): boolean {
    return this.#index === null
      ? item.kind === "first" || isValue(item.loop.from, 0)
      : item.kind === "loop";
  }

  all(): void {
    for (const item of this.#context.run.items) {
      if (this.#runs(item)) {
        if (item.kind === "loop") this.#loop(item, item.loop);
        else this.#stmt(item.stmt, item);
      }
      for (const { array, key } of this.#context.carries.filter((one) => one.item === item)) {
        const element = this.#element(array, item);
        this.elements.set(key, element.value);
        this.#notePassed(array, element, item);
      }
    }
  }

  #notePassed({ name }: Var, { by }: Element, item: Item): void {
    if (by !== null && by !== item) this.passed.add(name);
  }

  #stands({ name }: Var, value: Atom): void {
    if (value.kind !== "var" || value.name !== name) this.#values.set(name, value);
  }

  readonly resolve = (atom: Atom): Atom => {
    let at = atom;
    for (
      let next: Atom | undefined = at;
      next !== undefined;
      next = at.kind === "var" ? this.#values.get(at.name) : undefined
    )
      at = next;
    return at;
  };

  #loop(item: Item, loop: For): void {
    this.#stands(loop.index, this.#index ?? num(0));
    if (this.#index === null) for (const { param, init } of loop.carried) this.#stands(param, init);
    for (const stmt of loop.body.stmts) this.#stmt(stmt, item);
    this.results.set(loop, loop.body.result.map(this.resolve));
  }

  #stmt(stmt: Stmt, item: Item): void {
    if (stmt.kind === "store") this.#store(stmt, item);
    else if (stmt.kind === "let" && this.#isElement(stmt, item)) this.#load(stmt, item);
    else this.#emit(stmt, item.kind === "loop" && this.#index === null);
  }

  #isElement({ expr }: Let, item: Item): boolean {
    const { known } = this.#context;
    const { arrays } = this.#context.run;
    if (item.kind === "loop") return placeOf(expr, item.loop, arrays, known) !== null;
    return expr.kind === "load" && expr.object.kind === "var" && arrays.has(expr.object.name);
  }

  #load(stmt: Let, item: Item): void {
    const { expr, bind } = stmt;
    if (expr.kind !== "load" || expr.object.kind !== "var") return;
    const carry = this.#context.carryOf.get(expr);
    if (carry !== undefined) {
      this.#stands(bind, carry.param);
      return;
    }
    const element = this.#element(
      expr.object,
      item,
      baseName(bind.name) === "t" ? expr.object : bind,
    );
    this.#notePassed(expr.object, element, item);
    this.#stands(bind, element.value);
  }

  /** What the element of the iteration holds at this point. */
  #element(array: Var, item: Item, named = array): Element {
    const known = this.#at.get(array.name);
    if (known !== undefined) return known;
    const value = this.#bind(
      named,
      { kind: "load", object: array, key: { kind: "index", at: this.#index ?? num(0) } },
      item,
    );
    this.#at.set(array.name, { value, by: null });
    return { value, by: null };
  }

  #store(stmt: Store, item: Item): void {
    const { object } = stmt;
    if (object.kind !== "var") return;
    const value = this.#stored(stmt, object, item);
    if (
      value.kind === "var" &&
      baseName(value.name) === "t" &&
      this.stmts.some((one) => stmtBinds(one).some(({ name }) => name === value.name)) &&
      !this.better.has(value.name)
    )
      this.better.set(value.name, this.#context.names.fresh(object.name));
    this.#at.set(object.name, { value, by: item });
    if (this.#last.has(stmt))
      this.stmts.push({ ...stmt, key: { kind: "index", at: this.#index ?? num(0) }, value });
  }

  /** What a load after the store gives: a typed array converts every value to a number. */
  #stored({ value }: Store, array: Var, item: Item): Atom {
    const { defs } = this.#context.known;
    const expr = value.kind === "var" ? defs.get(value.name) : undefined;
    const isNumeric =
      isNumber(value) ||
      (expr?.kind === "op" && expr.op !== "select") ||
      (expr !== undefined && this.#isNumeric(expr, item));
    return isNumeric || !isTyped(array)
      ? this.resolve(value)
      : this.#bind(array, { kind: "op", op: "plus", args: [this.resolve(value)] }, item);
  }

  #isNumeric(expr: Expr, item: Item): boolean {
    const { run, known } = this.#context;
    if (
      isInside(expr, item.kind === "loop" ? item.loop.index : 0, run, known) ||
      isInside(expr, 0, run, known)
    )
      return true;
    return (
      expr.kind === "load" &&
      isTyped(expr.object) &&
      (item.kind === "loop"
        ? placeOf(expr, item.loop, run.arrays, known) !== null
        : expr.object.kind === "var" && run.arrays.has(expr.object.name))
    );
  }

  #bind(named: Var, expr: Expr, item: Item): Var {
    const bind = fresh(this.#context.names, named);
    this.stmts.push({ kind: "let", bind, expr, origin: stmtOf(item).origin });
    return bind;
  }

  /** `copied`: the statement also stands in the loop, so the peeled copy gets fresh names. */
  #emit(stmt: Stmt, copied: boolean): void {
    const mapped = mapStmt(stmt, this.resolve, (body) => mapAtoms(body, this.resolve));
    const stmts = copied
      ? renameBody({ stmts: [mapped], result: [] }, this.#context.names).stmts
      : [mapped];
    const binds = stmts.flatMap(stmtBinds);
    if (copied) stmtBinds(stmt).forEach((bind, k) => this.#stands(bind, binds[k] ?? bind));
    this.stmts.push(...stmts);
  }
}

const stmtOf = (item: Item): Stmt => (item.kind === "loop" ? item.loop : item.stmt);
const loopsOf = ({ items }: Run): readonly For[] =>
  items.flatMap((item) => (item.kind === "loop" ? [item.loop] : []));

/** The loop over all iterations that are not peeled; `named` gives the names of its results. */
function loopOf(
  { run, carries, names }: Context,
  main: Iteration,
  peeled: Iteration | null,
  { index, origin }: For,
  named: (bind: Var) => Var,
): For {
  const loops = loopsOf(run);
  const sums = loops.flatMap((loop) =>
    loop.carried.map(({ param, init }, k): Carried => ({
      param,
      init: peeled?.results.get(loop)?.[k] ?? init,
    })),
  );
  const elements = carries.flatMap(({ param, key }): Carried[] => {
    const init = peeled?.elements.get(key);
    return init === undefined ? [] : [{ param, init }];
  });
  const result = [
    ...loops.flatMap((loop) => main.results.get(loop) ?? []),
    ...carries.flatMap(({ key }) => main.elements.get(key) ?? []),
  ];
  return {
    kind: "for",
    index,
    from: num(peeled === null ? 0 : 1),
    test: "<",
    to: run.bound,
    step: 1,
    carried: [...sums, ...elements],
    body: { stmts: main.stmts, result },
    binds: [
      ...loops.flatMap(({ binds }) => binds.map(named)),
      ...carries.map(({ array }) => fresh(names, array)),
    ],
    origin,
  };
}

/** The peeled iteration and the loop, guarded by a test for an empty array. */
function ifAny(context: Context, main: Iteration, peeled: Iteration, first: For): readonly Stmt[] {
  const { run, names } = context;
  const cond: Var = { kind: "var", name: names.fresh("t"), type: BOOL };
  const loop = loopOf(context, main, peeled, first, (bind) => ({
    ...bind,
    name: names.fresh(bind.name),
  }));
  const loops = loopsOf(run);
  const binds = loops.flatMap((each) => each.binds);
  return [
    {
      kind: "let",
      bind: cond,
      expr: { kind: "op", op: "gt", args: [run.bound, num(0)] },
      origin: first.origin,
    },
    {
      kind: "if",
      cond,
      binds,
      origin: first.origin,
      then: { stmts: [...peeled.stmts, loop], result: loop.binds.slice(0, binds.length) },
      else: { stmts: [], result: loops.flatMap((each) => each.carried.map(({ init }) => init)) },
    },
  ];
}
