// Points-to analysis of one function: the objects that each name may point to. Flow-insensitive, in
// the style of Andersen. A site is a `let` that allocates (its name), all that is below a shadow
// (`x/`), or the outside (`out0` for primals, `out1` for shadows, …). See Note [Shadows outside].

import { baseName } from "../../ir/names.ts";
import { resolve, type Types } from "../../ir/shadow.ts";
import type { Atom, Body, Expr, Func, Stmt, Type, Var } from "../../ir/types.ts";
import { isAllocation } from "../../ir/effects.ts";
import { stmtBodies, unreachable, walkAtoms } from "../../ir/visit.ts";
import { isRaw } from "../stmts.ts";

type Site = string;
type Sites = ReadonlySet<Site>;
const NONE: Sites = new Set();

/** Cache of `Memory.of`. */
const KNOWN = new WeakMap<Func, Memory>();

export class Memory {
  readonly types: Types;
  readonly #points = new Map<string, Set<Site>>();
  readonly #contents = new Map<Site, Set<Site>>();
  readonly #outside: readonly Site[];
  readonly #aggregates = new Map<Type, boolean>();
  /** Sites that outside code may reach while the function runs, the outside itself included. */
  readonly #escaped = new Set<Site>();
  /** Sites reachable from the result. */
  readonly #returned = new Set<Site>();
  /** `#contents` reversed, computed on demand. */
  #holders: ReadonlyMap<Site, readonly Site[]> | null = null;
  #changed = true;

  /** The analysis of a function, cached: a pass without changes leaves it to the next one. */
  static of(func: Func, types: Types): Memory {
    const known = KNOWN.get(func);
    if (known?.types === types) return known;
    const analysis = new Memory(func, types);
    KNOWN.set(func, analysis);
    return analysis;
  }

  /** Passes the analysis on to a function with the same statements in another order or nesting. */
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
    const stmts = pointing(func.body);
    while (this.#changed) {
      this.#changed = false;
      for (const stmt of stmts) this.#stmt(stmt);
      for (const site of [...this.#escaped]) this.#escape(site);
    }
    this.#markReturned(func.body.result.flatMap((atom) => [...this.sites(atom)]));
  }

  /** The sites that the atom may point to; none for a scalar. */
  sites(atom: Atom): Sites {
    if (atom.kind === "global") return this.#outsideOf(atom);
    return atom.kind === "var" ? (this.#points.get(atom.name) ?? NONE) : NONE;
  }

  /** Whether outside code may read or write the object while the function runs. */
  escapes(site: Site): boolean {
    return this.#escaped.has(site);
  }

  /** Whether the final content of the object matters outside. */
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

  /** The one object that the atom can point to, if it is allocated here; else null. */
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
    const known = this.#aggregates.get(type);
    if (known !== undefined) return known;
    const found = isAggregate(type, this.types);
    this.#aggregates.set(type, found);
    return found;
  }

  // solving ---------------------------------------------------------------------------------------

  #of(bind: Var): Set<Site> {
    const known = this.#points.get(bind.name);
    if (known !== undefined) return known;
    const fresh = new Set<Site>();
    this.#points.set(bind.name, fresh);
    return fresh;
  }

  #holds(site: Site): Set<Site> {
    const known = this.#contents.get(site);
    if (known !== undefined) return known;
    const fresh = new Set<Site>();
    this.#contents.set(site, fresh);
    return fresh;
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

  /** Outside code has the object: it may store it anywhere, and store any of its objects in it. */
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
      default:
        if (!isRaw(stmt)) unreachable(stmt);
    }
  }

  // eslint-disable-next-line complexity -- flat exhaustive switch over Expr kinds
  #let(bind: Var, expr: Expr): void {
    const own = this.#of(bind);
    const aggregate = this.isAggregate(bind.type);
    if (aggregate && isAllocation(expr) && expr.kind !== "rewind") this.#join(own, [bind.name]);
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
      case "record":
      case "array":
      case "alloc":
      case "slice":
      case "zeros":
      case "clone":
        return this.#fill(bind.name, own, expr);
      case "call":
      case "extern":
        // A pure call does not retain its arguments.
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

  /** The references in an object that `expr` allocates. */
  #fill(name: string, own: Set<Site>, expr: Allocation): void {
    switch (expr.kind) {
      case "tuple":
        for (const elem of expr.elems) this.#hold(own, elem);
        return;
      case "record":
        for (const field of expr.fields) this.#hold(own, field.value);
        return;
      case "array":
        for (const part of expr.parts)
          if (part.spread) this.#holdContents(own, part.atom);
          else this.#hold(own, part.atom);
        return;
      case "alloc":
        if (expr.fill !== null) this.#hold(own, expr.fill);
        return;
      case "slice":
        this.#holdContents(own, expr.object);
        return;
      case "zeros":
      case "clone": {
        const below = `${name}/`;
        this.#join(this.#holds(name), [below]);
        this.#join(this.#holds(below), [below]);
        return;
      }
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
    // BOGs and tapes hold primals and shadows.
    const { kind } = resolve(object.type, this.types);
    const isMixed = kind === "tuple" || kind === "tape";
    for (const site of this.sites(object)) {
      this.#join(own, this.#holds(site));
      if (this.#outside.includes(site) && (isMixed || barDepth(bind) > barDepth(object)))
        this.#join(own, this.#foreign(bind));
    }
  }

  /** The sites that an outside value may point to: shadows if its name is a shadow's, else any. */
  #foreign(bind: Var): Iterable<Site> {
    const depth = barDepth(bind);
    return depth > 0 ? this.#escapedBut(`out0`) : this.#escaped;
  }

  #escapedBut(site: Site): Iterable<Site> {
    return [...this.#escaped].filter((other) => other !== site);
  }
}

/**
 * The statements that may create references, in the order in which these flow: a branch after its
 * arms, a loop on both sides of its body.
 */
function pointing(body: Body, found: Stmt[] = []): readonly Stmt[] {
  for (const stmt of body.stmts) {
    const isFound = mayPoint(stmt);
    if (isFound && stmt.kind !== "if") found.push(stmt);
    const bodies = stmtBodies(stmt);
    for (const inner of bodies) pointing(inner, found);
    if (isFound && bodies.length > 0) found.push(stmt);
  }
  return found;
}

/** Whether the statement may create references. */
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
      return false;
    default:
      return !isRaw(stmt) && unreachable(stmt);
  }
}

type Allocation = Extract<
  Expr,
  { readonly kind: "tuple" | "record" | "array" | "alloc" | "slice" | "zeros" | "clone" }
>;

const isScalar = ({ kind }: Type): boolean => kind === "num" || kind === "bool";

/** Whether values of the type are objects, or may be. */
export const isAggregate = (type: Type, types: Types): boolean =>
  !isScalar(type) && mayBeObject(resolve(type, types), types);

function mayBeObject(resolved: Type, types: Types): boolean {
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

/** The number of `$bar` in the name: 0 for a primal, 1 for a shadow. */
const barDepth = (atom: Atom): number =>
  (atom.kind === "var" || atom.kind === "global") && atom.name.includes("$bar")
    ? baseName(atom.name).split("$bar").length - 1
    : 0;

// Note [Shadows outside]
// A shadow and a primal are never the same object: only derivative code creates shadows, and only
// ir/names.ts creates names with `$bar`. So a parameter `a$bar` may alias `b$bar`, but not `a`, and
// accumulating into `a$bar` does not affect a load of `a[i]`. A value without `$bar` in its name
// that comes from a call or a BOG may be either.
