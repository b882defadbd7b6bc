// Which memory of its surroundings a function may read before it writes there in the same run. In: a function, those that it calls, their memory. Out: for each such read where it leads,
// and what the function surely writes. Invariants: a round of a loop counts as run, and a write of any element for all of them, unless what an earlier run left decides whether it is made;
// what is reached by no known way is not told.

import type {
  Atom,
  Body,
  Expr,
  For,
  Func,
  Global,
  If,
  Let,
  Origin,
  Stmt,
  Var,
  While,
} from "../../ir/types.ts";
import { resolve, type Types } from "../../ir/shadow.ts";
import { variableOf } from "../../ir/names.ts";
import { walkStmts } from "../../ir/visit.ts";
import { activityOf } from "../activity/activity.ts";
import { chosenStores, type KeyTest } from "../elements/chosen-place.ts";
import { joins } from "./flow.ts";
import type { Memory } from "./memory.ts";
import { ELEMENTS, isAggregate } from "./region.ts";
import {
  ANY_ENTRY,
  anyOf,
  anywhereIn,
  atFirst,
  isEarlier,
  MADE,
  mayHaveStored,
  OUTSIDE,
  unmarked,
  textOf,
  type Way,
  Written,
} from "./written.ts";

export interface ReadFirst {
  readonly way: Way;
  readonly origin: Origin;
}

export interface OutsideUse {
  readonly reads: readonly ReadFirst[];
  readonly writes: Written;
  /** All that it may write. */
  readonly stores: readonly Way[];
  /** What it returns stands there already. */
  readonly result: readonly Way[];
  readonly globals: ReadonlyMap<string, Global>;
  /** It looks at what an earlier run may have left. */
  readonly remembers: boolean;
}

interface Around {
  readonly funcs: ReadonlyMap<string, Func>;
  readonly graphs: ReadonlyMap<string, Memory>;
  readonly types: Types;
}

const NO_USE: OutsideUse = {
  reads: [],
  writes: new Written(),
  stores: [],
  result: [],
  globals: new Map(),
  remembers: false,
};
/** Ways that one name may stand for. */
const MOST = 16;

/** Of a function that recurs, what the calls in its body do is not asked. */
export function outsideUseOf(
  func: Func,
  around: Around,
  known: Map<string, OutsideUse> = new Map(),
): OutsideUse {
  const before = known.get(func.name);
  if (before !== undefined) return before;
  known.set(func.name, NO_USE);
  const memory = around.graphs.get(func.name);
  if (memory === undefined) return NO_USE;
  const made = new Reader(func, memory, around, (callee) => {
    const of = around.funcs.get(callee);
    return of === undefined ? NO_USE : outsideUseOf(of, around, known);
  }).use();
  known.set(func.name, made);
  return made;
}

class Reader {
  /** By name, where the object stands that it means. */
  readonly #ways = new Map<string, readonly Way[]>();
  readonly #globals = new Map<string, Global>();
  /** Names that an earlier run may have had a hand in. */
  readonly #remembered = new Set<string>();
  readonly #useful: ReadonlySet<string>;
  /** Lists that elements are taken off: what is taken is what was put there. */
  readonly #stacks = new Set<string>();
  readonly #stores = new Map<string, Way>();
  /** By place of an object that is made here, the objects outside that stand there. */
  readonly #held = new Map<string, readonly Way[]>();
  #reads: ReadFirst[] = [];
  #writes = new Written();
  #changed = false;
  readonly #func: Func;
  readonly #types: Types;
  readonly #useOf: (callee: string) => OutsideUse;

  constructor(
    func: Func,
    memory: Memory,
    { graphs, types }: Around,
    useOf: (callee: string) => OutsideUse,
  ) {
    this.#func = func;
    this.#types = types;
    this.#useOf = useOf;
    this.#useful = activityOf({
      func,
      memory,
      types,
      graphs,
      active: [],
      writesAreOutputs: true,
      isData: () => false,
    }).usefulNames;
  }

  use(): OutsideUse {
    this.#func.params.forEach((param, i) => this.#ways.set(param.name, [[String(i)]]));
    do {
      this.#changed = false;
      this.#reads = [];
      this.#writes = new Written();
      this.#body(this.#func.body);
    } while (this.#changed);
    return {
      reads: this.#reads,
      writes: this.#writes,
      stores: [...this.#stores.values()],
      result: this.#func.body.result.flatMap((atom) => this.#waysTo(atom)),
      globals: this.#globals,
      remembers: this.#remembered.size > 0,
    };
  }

  #waysTo(atom: Atom): readonly Way[] {
    if (atom.kind === "var") return this.#ways.get(atom.name) ?? [];
    if (atom.kind !== "global") return [];
    const variable = variableOf(atom);
    this.#globals.set(variable, atom);
    return [[`${OUTSIDE}${variable}`]];
  }

  #means(name: Var, ways: readonly Way[]): void {
    const told = new Map(ways.map((way) => [textOf(way), way]));
    this.#ways.set(name.name, [...told.values()].slice(0, MOST));
  }

  #isRemembered(atom: Atom | undefined): boolean {
    return atom?.kind === "var" && this.#remembered.has(atom.name);
  }

  #remember(name: Var): void {
    if (this.#remembered.has(name.name)) return;
    this.#remembered.add(name.name);
    this.#changed = true;
  }

  #placesIn(object: Atom, key: string): readonly Way[] {
    return this.#waysTo(object).map((way) => [...way, key]);
  }

  /** The objects outside that stand at a place of what is made here: those of a tuple each at its own, unless a computed one is asked for. */
  #heldAt(way: Way): readonly Way[] {
    const found = [this.#held.get(heldAs(way))];
    const last = way.at(-1) ?? "";
    const of = way.slice(0, -1);
    if (/^\d+$/.test(last)) found.push(this.#held.get(heldAs([...of, ELEMENTS])));
    for (
      let i = 0, at;
      last === ELEMENTS && (at = this.#held.get(heldAs([...of, String(i)]))) !== undefined;
      i++
    )
      found.push(at);
    return found.flatMap((ways) => ways ?? []);
  }

  #isStack(way: Way): boolean {
    return this.#stacks.has(textOf(way.slice(0, -1)));
  }

  /** The objects that stand at a place. */
  #standingAt(way: Way): readonly Way[] {
    return [...this.#writes.standingAt(way, this.#isStack(way)), ...this.#heldAt(way)];
  }

  #isMade(name: Var): void {
    this.#means(name, [[`${MADE}${name.name}`]]);
  }

  #hold(way: Way, value: Atom): void {
    const text = heldAs(way);
    const known = this.#held.get(text) ?? [];
    const texts = new Set(known.map(textOf));
    const more =
      isAggregate(value.type) && way[0]?.startsWith(MADE) === true
        ? this.#waysTo(value).filter((one) => !texts.has(textOf(one)) && !one[0]?.startsWith(MADE))
        : [];
    if (more.length === 0 || known.length + more.length > MOST) return;
    this.#held.set(text, [...known, ...more]);
    this.#changed = true;
  }

  #stored(to: Way): void {
    const way = atFirst(to);
    const text = textOf(way);
    if (this.#stores.has(text) || way[0]?.startsWith(MADE) === true) return;
    this.#stores.set(text, way);
    this.#changed = true;
  }

  /** A key as ways have it: an element of a list is known by its position, an entry of a dict is any. */
  #keyOf(object: Atom, key: Extract<Expr, { kind: "load" }>["key"]): string {
    const shape = this.#shapeOf(object);
    if (shape === "dict") return ANY_ENTRY;
    if (key.kind === "field") return key.name;
    const at = key.at.kind === "const" ? String(key.at.value) : null;
    return at === null ? ELEMENTS : shape === "array" ? `[${at}]` : at;
  }

  #shapeOf({ type }: Atom): string {
    const shape = resolve(type, this.#types);
    return (shape.kind === "opt" ? resolve(shape.of, this.#types) : shape).kind;
  }

  #body(body: Body): void {
    for (const stmt of body.stmts) this.#stmt(stmt);
  }

  #stmt(stmt: Stmt): void {
    switch (stmt.kind) {
      case "let":
        return this.#let(stmt);
      case "store":
        return this.#store(
          this.#placesIn(stmt.object, this.#keyOf(stmt.object, stmt.key)),
          stmt.value,
        );
      case "fill":
        return this.#store(this.#placesIn(stmt.object, ELEMENTS), stmt.value);
      case "append":
        for (const way of this.#placesIn(stmt.object, ELEMENTS)) {
          this.#stored(way);
          this.#hold(way, stmt.value);
          this.#writes.append(way);
        }
        return;
      case "if":
        return this.#if(stmt);
      case "for":
      case "while":
        return this.#loop(stmt);
      case "throw":
        return this.#writes.leave();
      case "accum":
      case "push":
      case "reserve":
      case "declare":
      case "assign":
      case "break":
      case "continue":
      case "return":
      case "scope":
      case "loop":
        return;
    }
  }

  /** What is moved there from another place of the same surroundings counts as written where something in it is. */
  #store(ways: readonly Way[], value: Atom): void {
    for (const way of ways) {
      this.#stored(way);
      this.#hold(way, value);
    }
    const way = oneOf(ways);
    if (way === null) return;
    const from = isAggregate(value.type) ? this.#waysTo(value) : [];
    const moved = from.filter(([root = ""]) => root.startsWith(OUTSIDE) || root === way[0]);
    if (moved.length > 0 && moved.length === from.length && this.#writes.move(way, from)) return;
    if (moved.every((from) => this.#writes.hasBelow(from))) this.#writes.store(way);
  }

  #if(stmt: If): void {
    const { cond, then, else: otherwise } = stmt;
    const before = this.#writes;
    const branch = (body: Body): Written => {
      this.#writes = before.copy();
      this.#body(body);
      return this.#writes;
    };
    const one = branch(then);
    const other = branch(otherwise);
    const isChosen = this.#isRemembered(cond);
    this.#writes = Written.either(one, other, isChosen);
    if (isChosen)
      for (const way of Written.lacking(one, other, before))
        this.#reads.push({ way, origin: stmt.origin });
    this.#join(stmt);
    if (isChosen) for (const bind of stmt.binds) this.#remember(bind);
    else
      for (const { object, key } of chosenStores(stmt, (at) =>
        at.kind === "var" ? (this.#tests.get(at.name) ?? null) : null,
      ))
        for (const way of this.#placesIn(object, this.#keyOf(object, key))) this.#writes.store(way);
  }

  /** What a round hands on to the next one is read there behind what that round has written. */
  #loop(stmt: For | While): void {
    const before = this.#writes.copy();
    const { carried } = stmt;
    for (const { param, init } of carried) this.#means(param, this.#waysTo(init));
    for (
      let known = -1, count = 0, moves = this.#writes.moves;
      count > known || moves < this.#writes.moves;
    ) {
      known = count;
      moves = this.#writes.moves;
      if (stmt.kind === "while") this.#body(stmt.test);
      this.#body(stmt.body);
      carried.forEach(({ param }, i) => {
        const next = stmt.body.result[i];
        if (next !== undefined) this.#means(param, [...this.#waysTo(param), ...this.#waysTo(next)]);
      });
      count = carried.reduce((sum, { param }) => sum + this.#waysTo(param).length, 0);
    }
    this.#join(stmt);
    const isChosen =
      stmt.kind === "for"
        ? this.#isRemembered(stmt.to) || this.#isRemembered(stmt.from)
        : this.#isRemembered(stmt.test.result[0]);
    const cleared = this.#clearedBy(stmt);
    if (isChosen && cleared.length === 0) {
      for (const way of Written.lacking(this.#writes, before, before))
        this.#reads.push({ way, origin: stmt.origin });
      this.#writes = Written.either(this.#writes, before, true);
    }
    for (const way of cleared) this.#writes.store(way);
  }

  #join(stmt: Stmt): void {
    const ways = new Map<Var, Way[]>();
    for (const [from, to] of joins(stmt)) {
      if (to.kind !== "var") continue;
      ways.set(to, [...(ways.get(to) ?? []), ...this.#waysTo(from)]);
      if (this.#isRemembered(from)) this.#remember(to);
    }
    for (const [to, all] of ways) this.#means(to, all);
  }

  /** `for (i < xs.length) xs.pop()`, which is `xs.length = 0`, and `while (xs.length > 0) xs.pop()`. */
  #clearedBy(stmt: For | While): readonly Way[] {
    const taken: Way[] = [];
    const measured = new Set<string>();
    walkStmts(stmt.body, (inner) => {
      if (inner.kind === "let" && inner.expr.kind === "removeLast")
        taken.push(...this.#waysTo(inner.expr.object));
    });
    if (taken.length === 0) return [];
    if (stmt.kind === "for")
      for (const name of stmt.to.kind === "var" ? (this.#lengths.get(stmt.to.name) ?? []) : [])
        measured.add(name);
    else
      walkStmts(stmt.test, (inner) => {
        if (inner.kind === "let" && inner.expr.kind === "length")
          for (const way of this.#waysTo(inner.expr.object)) measured.add(textOf(way));
      });
    return taken.filter((way) => measured.has(textOf(way)));
  }

  /** By name of a length, the lists that it is of. */
  readonly #lengths = new Map<string, readonly string[]>();

  readonly #tests = new Map<string, KeyTest>();

  #let(stmt: Let): void {
    const { bind, expr } = stmt;
    if (
      expr.kind === "op" &&
      expr.op === "eq" &&
      expr.args[0] !== undefined &&
      expr.args[1]?.kind === "const"
    )
      this.#tests.set(bind.name, { key: expr.args[0], is: String(expr.args[1].value) });
    switch (expr.kind) {
      case "copy":
        this.#means(bind, this.#waysTo(expr.atom));
        break;
      case "unwrap":
        this.#means(bind, this.#waysTo(expr.value));
        break;
      case "load":
        return this.#read(stmt, this.#placesIn(expr.object, this.#keyOf(expr.object, expr.key)));
      case "removeLast":
        for (const way of this.#waysTo(expr.object)) this.#stacks.add(textOf(way));
        return this.#read(stmt, this.#placesIn(expr.object, ELEMENTS));
      case "slice":
        return this.#read(stmt, this.#placesIn(expr.object, ELEMENTS));
      case "array":
        for (const { atom, spread } of expr.parts)
          if (spread) this.#read(stmt, this.#placesIn(atom, ELEMENTS));
        this.#isMade(bind);
        for (const { atom, spread } of expr.parts)
          for (const way of this.#waysTo(bind)) if (!spread) this.#hold([...way, ELEMENTS], atom);
        return;
      case "tuple":
      case "record":
        this.#isMade(bind);
        for (const way of this.#waysTo(bind))
          for (const { name, value } of expr.kind === "record"
            ? expr.fields
            : expr.elems.map((value, i) => ({ name: String(i), value })))
            this.#hold([...way, name], value);
        return;
      case "alloc":
        return this.#isMade(bind);
      case "length":
        this.#lengths.set(
          bind.name,
          this.#waysTo(expr.object).map((way) => textOf(way)),
        );
        return this.#look(bind, expr.object);
      case "extern":
        if (expr.effect === "io" && expr.text.some((text) => text.includes(".clear()")))
          for (const arg of expr.args) for (const way of this.#waysTo(arg)) this.#writes.store(way);
        for (const arg of expr.args) this.#look(bind, arg);
        break;
      case "call":
        return this.#call(stmt, expr);
      default:
        break;
    }
    if (operandsOf(expr).some((atom) => this.#isRemembered(atom))) this.#remember(bind);
  }

  /** What a list's length or a question about a dict says. */
  #look(bind: Var, object: Atom): void {
    const isChanged = (way: Way): boolean =>
      [ELEMENTS, ANY_ENTRY].some((key) => mayHaveStored([...way, key], this.#stores.values()));
    if (this.#waysTo(object).some((way) => isChanged(way) && !this.#writes.hasBelow(way)))
      this.#remember(bind);
  }

  #read({ bind, expr, origin }: Let, ways: readonly Way[]): void {
    if (isAggregate(bind.type))
      this.#means(
        bind,
        ways.flatMap((way) => this.#standingAt(way)),
      );
    const isStack = (way: Way): boolean => this.#isStack(way);
    const isOfNumber =
      this.#useful.has(bind.name) || expr.kind === "slice" || expr.kind === "array";
    const reached = new Set(
      ways
        .filter((way) => this.#writes.reaches(way, isStack(way)))
        .map((way) => textOf(anywhereIn(way))),
    );
    for (const way of ways) {
      if (isOfNumber && !reached.has(textOf(anywhereIn(way)))) this.#reads.push({ way, origin });
      if (
        mayHaveStored(way, this.#stores.values()) &&
        !this.#writes.covers(way) &&
        !(isStack(way) && this.#writes.reaches(way, true))
      )
        this.#remember(bind);
    }
    if (
      expr.kind === "load" &&
      (this.#isRemembered(expr.object) ||
        (expr.key.kind === "index" && this.#isRemembered(expr.key.at)))
    )
      this.#remember(bind);
  }

  #call({ bind }: Let, expr: Expr & { kind: "call" }): void {
    const { reads, writes, stores, result, remembers, globals } = this.#useOf(expr.callee);
    for (const [name, global] of globals) this.#globals.set(name, global);
    const before = this.#writes.copy();
    const here = ([root = "", ...keys]: Way): readonly Way[] => {
      const arg = root.startsWith(OUTSIDE) ? undefined : expr.args[Number(root)];
      let ways = root.startsWith(OUTSIDE) ? [[root]] : arg === undefined ? [] : this.#waysTo(arg);
      for (const key of keys) {
        const inside = ways.map((way) => [...way, unmarked(key)]);
        ways = isEarlier(key)
          ? inside.flatMap((way) => [
              ...before.standingAt(way, this.#isStack(way)),
              ...this.#heldAt(way),
            ])
          : inside;
      }
      return ways.slice(0, MOST);
    };
    for (const { way, origin } of reads)
      for (const one of here(way))
        if (!this.#writes.reaches(one, this.#isStack(one))) this.#reads.push({ way: one, origin });
    for (const way of stores) for (const one of here(way)) this.#stored(one);
    this.#writes.add(writes, here);
    this.#means(bind, result.flatMap(here));
    if (remembers || expr.args.some((arg) => this.#isRemembered(arg))) this.#remember(bind);
  }
}

/** Ways that differ in positions of tuples alone are one, of any position: what stands at a computed one is a choice among all of them. */
function oneOf([way, ...others]: readonly Way[]): Way | null {
  if (way === undefined || others.length === 0) return way ?? null;
  const text = textOf(anywhereIn(way));
  return others.every((other) => textOf(anywhereIn(other)) === text) ? anyOf(way) : null;
}

/** What is made here tells the places of its tuples apart. */
const heldAs = (way: Way): string =>
  textOf(way.map((key) => (key.startsWith("[") ? (anyOf(["", key])[1] ?? key) : key)));

const operandsOf = (expr: Expr): readonly Atom[] => {
  switch (expr.kind) {
    case "copy":
      return [expr.atom];
    case "op":
    case "extern":
      return expr.args;
    case "present":
    case "unwrap":
      return [expr.value];
    default:
      return [];
  }
};
