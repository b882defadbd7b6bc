// What each name may point to, and which memory a statement reads or writes. In: an ssa function. Out: a Memory to ask.
// A site is one `let` that makes an object (its name), all that hangs below a shadow (`x/`), or the world outside (`out0`
// primal, `out1` shadows, …). Flow-insensitive: a name points to all it ever may. Note [Shadows outside].

import { baseName } from "../../ir/names.ts";
import { resolve } from "../../ir/shadow.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Atom, Body, Expr, Func, Stmt, Type, Var } from "../../ir/types.ts";
import { isFresh } from "../../ir/effects.ts";
import { unreachable, walkAtoms, walkStmts } from "../../ir/visit.ts";

type Site = string;
type Sites = ReadonlySet<Site>;
const NONE: Sites = new Set();

/** Memo of `Memory.of`: functions are never written. */
const KNOWN = new WeakMap<Func, Memory>();

export class Memory {
  readonly types: Types;
  readonly #points = new Map<string, Set<Site>>();
  readonly #contents = new Map<Site, Set<Site>>();
  readonly #outside: readonly Site[];
  /** Sites that code outside this function may reach while it runs, the outside itself included. */
  readonly #escaped = new Set<Site>();
  /** Sites reachable from what the function gives back. */
  readonly #returned = new Set<Site>();
  /** `#contents` the other way round, once somebody has asked. */
  #holders: ReadonlyMap<Site, readonly Site[]> | null = null;
  #changed = true;

  /** A pass that changes nothing leaves the next one what it knows. */
  static of(func: Func, types: Types): Memory {
    const known = KNOWN.get(func);
    if (known?.types === types) return known;
    const made = new Memory(func, types);
    KNOWN.set(func, made);
    return made;
  }

  /** What is known of one function holds of another one that has the same statements, in another order or in other loops. */
  static hand(from: Func, to: Func): void {
    const known = KNOWN.get(from);
    if (known !== undefined) KNOWN.set(to, known);
  }

  constructor(func: Func, types: Types) {
    this.types = types;
    const depths = new Set([0, 1]);
    walkAtoms(func.body, (atom) => {
      const depth = barDepth(atom);
      if (depth > 1) depths.add(depth);
    });
    this.#outside = [...depths].map((depth) => `out${depth}`);
    for (const site of this.#outside) {
      this.#escaped.add(site);
      this.#contents.set(site, new Set([site]));
    }
    for (const param of func.params) this.#join(this.#of(param), this.#outsideOf(param));
    const stmts = this.#pointing(func.body);
    while (this.#changed) {
      this.#changed = false;
      for (const stmt of stmts) this.#stmt(stmt);
      for (const site of [...this.#escaped]) this.#escape(site);
    }
    this.#markReturned(func.body.result.flatMap((atom) => [...this.sites(atom)]));
  }

  /** What the atom may point to; empty for a scalar. */
  sites(atom: Atom): Sites {
    if (atom.kind === "global") return this.#outsideOf(atom);
    return atom.kind === "var" ? (this.#points.get(atom.name) ?? NONE) : NONE;
  }

  /** Whether others may read or write the object while the function runs. */
  escapes(site: Site): boolean {
    return this.#escaped.has(site);
  }

  /** Whether what the object holds at the end matters to others. */
  outlives(site: Site): boolean {
    return this.#escaped.has(site) || this.#returned.has(site);
  }

  /** The sites reachable from these, themselves included. */
  reach(sites: Iterable<Site>): ReadonlySet<Site> {
    const reached = new Set(sites);
    for (const site of reached)
      for (const inner of this.#contents.get(site) ?? NONE) reached.add(inner);
    return reached;
  }

  /** The sites that hold a reference to this one. */
  holders(site: Site): readonly Site[] {
    return (this.#holders ??= this.#reversed()).get(site) ?? [];
  }

  #reversed(): ReadonlyMap<Site, readonly Site[]> {
    const holders = new Map<Site, Site[]>();
    for (const [holder, held] of this.#contents) {
      for (const site of held) {
        const known = holders.get(site);
        if (known === undefined) holders.set(site, [holder]);
        else known.push(holder);
      }
    }
    return holders;
  }

  /** The one object the atom stands for, if it was made here and nothing else can be meant. */
  only(atom: Atom): Site | null {
    const [site, ...others] = this.sites(atom);
    return site === undefined ||
      others.length > 0 ||
      this.#outside.includes(site) ||
      site.endsWith("/")
      ? null
      : site;
  }

  isAggregate(type: Type): boolean {
    return isAggregate(type, this.types);
  }

  // solving ------------------------------------------------------------------------------------------------------

  #of(bind: Var): Set<Site> {
    const known = this.#points.get(bind.name);
    if (known !== undefined) return known;
    const made = new Set<Site>();
    this.#points.set(bind.name, made);
    return made;
  }

  #holds(site: Site): Set<Site> {
    const known = this.#contents.get(site);
    if (known !== undefined) return known;
    const made = new Set<Site>();
    this.#contents.set(site, made);
    return made;
  }

  #join(into: Set<Site>, from: Iterable<Site>): void {
    if (into === from) return;
    for (const site of from) {
      if (into.has(site)) continue;
      into.add(site);
      this.#changed = true;
    }
  }

  #flow(into: Var, from: Atom | undefined): void {
    if (from !== undefined && this.isAggregate(into.type))
      this.#join(this.#of(into), this.sites(from));
  }

  /** `into` holds a reference to what `value` points to. */
  #hold(into: Iterable<Site>, value: Atom): void {
    const sites = this.sites(value);
    if (sites.size > 0) for (const site of into) this.#join(this.#holds(site), sites);
  }

  #leak(atom: Atom): void {
    for (const site of this.sites(atom)) this.#escape(site);
  }

  /** The outside knows the object: it may hold it, and put any of its own objects into it. */
  #escape(site: Site): void {
    if (!this.#escaped.has(site)) {
      this.#escaped.add(site);
      this.#changed = true;
    }
    for (const outside of this.#outside) this.#join(this.#holds(outside), [site]);
    this.#join(this.#holds(site), this.#outside);
    for (const inner of [...this.#holds(site)]) if (!this.#escaped.has(inner)) this.#escape(inner);
  }

  #outsideOf(atom: Atom): Sites {
    return this.isAggregate(atom.type) ? new Set([`out${barDepth(atom)}`]) : NONE;
  }

  #markReturned(sites: Iterable<Site>): void {
    for (const site of this.reach(sites)) this.#returned.add(site);
  }

  /** The statements that may make names or objects point to anything: most only compute numbers. */
  #pointing(body: Body): readonly Stmt[] {
    const found: Stmt[] = [];
    walkStmts(body, (stmt) => {
      if (mayPoint(stmt)) found.push(stmt);
    });
    return found;
  }

  #stmt(stmt: Stmt): void {
    switch (stmt.kind) {
      case "let":
        this.#let(stmt.bind, stmt.expr);
        return;
      case "store":
      case "accum":
      case "append":
      case "fill":
        this.#hold(this.sites(stmt.object), stmt.value);
        return;
      case "push":
        this.#hold(this.sites(stmt.tape), stmt.value);
        return;
      case "reserve":
        return;
      case "if":
        stmt.binds.forEach((bind, k) => {
          this.#flow(bind, stmt.then.result[k]);
          this.#flow(bind, stmt.else.result[k]);
        });
        return;
      case "for":
      case "while":
        stmt.carried.forEach((one, k) => {
          this.#flow(one.param, one.init);
          this.#flow(one.param, stmt.body.result[k]);
          const bind = stmt.binds[k];
          if (bind !== undefined) this.#flow(bind, one.param);
        });
        return;
      case "throw":
        this.#leak(stmt.value);
        return;
      case "declare":
      case "assign":
      case "break":
      case "continue":
      case "return":
      case "scope":
      case "loop":
        return;
      default:
        return unreachable(stmt);
    }
  }

  #let(bind: Var, expr: Expr): void {
    const own = this.#of(bind);
    const aggregate = this.isAggregate(bind.type);
    if (
      isFresh(expr) &&
      aggregate &&
      expr.kind !== "call" &&
      expr.kind !== "extern" &&
      expr.kind !== "rewind"
    )
      this.#join(own, [bind.name]);
    switch (expr.kind) {
      case "copy":
        this.#flow(bind, expr.atom);
        return;
      case "unwrap":
        this.#flow(bind, expr.value);
        return;
      case "op":
        for (const arg of expr.args) this.#flow(bind, arg);
        return;
      case "rewind":
        this.#flow(bind, expr.tape);
        return;
      case "load":
      case "removeLast":
        if (aggregate) this.#read(bind, expr.object);
        return;
      case "pop":
        if (aggregate) this.#read(bind, expr.tape);
        return;
      case "tuple":
        for (const elem of expr.elems) this.#hold(own, elem);
        return;
      case "record":
        for (const field of expr.fields) this.#hold(own, field.value);
        return;
      case "array":
        for (const part of expr.parts)
          part.spread ? this.#holdContents(own, part.atom) : this.#hold(own, part.atom);
        return;
      case "alloc":
        if (expr.fill !== null) this.#hold(own, expr.fill);
        return;
      case "slice":
        this.#holdContents(own, expr.object);
        return;
      case "zeros":
      case "clone": {
        const below = `${bind.name}/`;
        this.#join(this.#holds(bind.name), [below]);
        this.#join(this.#holds(below), [below]);
        return;
      }
      case "call":
      case "extern":
        // what a pure call is given it does not keep
        if (expr.kind === "call" && expr.pure === true) return;
        for (const arg of expr.args) this.#leak(arg);
        if (aggregate) this.#join(own, this.#foreign(bind));
        return;
      case "lambda":
        walkAtoms(expr.body, (atom) => this.#leak(atom));
        return;
      case "length":
      case "present":
      case "newTape":
        return;
      default:
        return unreachable(expr);
    }
  }

  #holdContents(into: Iterable<Site>, source: Atom): void {
    for (const site of into)
      for (const from of this.sites(source)) this.#join(this.#holds(site), this.#holds(from));
  }

  #read(bind: Var, object: Atom): void {
    const own = this.#of(bind);
    // a BOG brings both primals and shadows, and so does a tape
    const { kind } = resolve(object.type, this.types);
    const isMixed = kind === "tuple" || kind === "tape";
    for (const site of this.sites(object)) {
      this.#join(own, this.#holds(site));
      if (this.#outside.includes(site) && (isMixed || barDepth(bind) > barDepth(object)))
        this.#join(own, this.#foreign(bind));
    }
  }

  /** What a value from elsewhere may point to: shadows if it is named as one, else anything outside. */
  #foreign(bind: Var): Iterable<Site> {
    const depth = barDepth(bind);
    return depth > 0 ? this.#escapedBut(`out0`) : this.#escaped;
  }

  #escapedBut(site: Site): Iterable<Site> {
    return [...this.#escaped].filter((other) => other !== site);
  }
}

function mayPoint(stmt: Stmt): boolean {
  switch (stmt.kind) {
    case "let":
      return !isScalar(stmt.bind.type) || stmt.expr.kind === "call" || stmt.expr.kind === "extern";
    case "store":
    case "accum":
    case "append":
    case "fill":
    case "push":
      return !isScalar(stmt.value.type);
    case "if":
      return stmt.binds.length > 0;
    case "for":
    case "while":
      return stmt.carried.length > 0;
    case "throw":
      return true;
    case "reserve":
    case "declare":
    case "assign":
    case "break":
    case "continue":
    case "return":
    case "scope":
    case "loop":
      return false;
    default:
      return unreachable(stmt);
  }
}

const isScalar = ({ kind }: Type): boolean => kind === "num" || kind === "bool";

/** Whether values of the type are objects, or may be. */
export function isAggregate(type: Type, types: Types): boolean {
  if (isScalar(type)) return false;
  const resolved = resolve(type, types);
  switch (resolved.kind) {
    case "array":
    case "tuple":
    case "record":
    case "dict":
    case "union":
    case "tape":
    case "named":
    case "cotangent":
      return true;
    case "opt":
      return isAggregate(resolved.of, types);
    case "num":
    case "bool":
    case "leaf":
    case "func":
    case "void":
      return false;
    default:
      return unreachable(resolved);
  }
}

/** How many times `$bar` ends the name: 0 for a primal, 1 for a shadow. */
const barDepth = (atom: Atom): number =>
  (atom.kind === "var" || atom.kind === "global") && atom.name.includes("$bar")
    ? baseName(atom.name).split("$bar").length - 1
    : 0;

/** Whether any statement changes how many elements some array has. */
export function changesLengths(body: Body): boolean {
  let changes = false;
  walkStmts(body, (stmt) => {
    if (
      stmt.kind === "append" ||
      (stmt.kind === "store" &&
        (stmt.lengthens === true || (stmt.adjoint !== true && stmt.initial !== true)))
    )
      changes = true;
    if (
      stmt.kind === "let" &&
      (stmt.expr.kind === "removeLast" || stmt.expr.kind === "call" || stmt.expr.kind === "extern")
    )
      changes = true;
  });
  return changes;
}

// Note [Shadows outside]
// A shadow and a primal are never the same object: shadows are made by derivative code only, and only ir/names.ts makes
// names with `$bar`. So a parameter `a$bar` may alias `b$bar` but not `a`, and reading `a[i]` is not disturbed by
// accumulating into `a$bar`. A value that comes out of a call or a BOG without `$bar` in its name may be either.
