// How the reverse sweep gets at primal values. A frame belongs to one forward body. Asked for a
// value, it gives a name that holds the value in reverse code.
// The name is the value itself where it is in scope, else a recomputation where that is cheap, else
// a residual.
// Invariant: a frame restores each value at most once, before its reverse code.

import { Builder } from "../../ir/build.ts";
import { invariant } from "../../ir/invariant.ts";
import { OPS } from "../../ir/ops.ts";
import type { Atom, Expr, For, Let, Origin, Stmt, Type, Var, While } from "../../ir/types.ts";
import { exprAtoms, mapExpr } from "../../ir/visit.ts";
import { BUDGET, isTest, LOGISTIC, ownCost, recordCost, STATEMENT } from "./recomputation-costs.ts";
import { type Candidate, minimumRecords } from "./residual-min-cut.ts";
import { type EarlierPass, MOST_SHOWN, type Residual, type Storage } from "./residuals.ts";

/** A value that the body binds. `expr`: null for joins, loops and parameters. */
interface Definition {
  readonly expr: Expr | null;
  readonly type: Type;
  /** Whether a read of memory gives the same value in the reverse sweep. */
  readonly rereadable: boolean;
  /** Null where only the body that binds it is known. */
  readonly origin: Origin | null;
}

export interface FrameOptions {
  readonly storage: Storage;
  readonly earlier: EarlierPass;
  /** For "hoist": binds a value of the branch after the `if`. */
  readonly hoist?: (value: Var) => Var;
  /** The loop whose body this is. */
  readonly loop?: For | While;
}

export class Frame {
  readonly parent: Frame | null;
  readonly storage: Storage;
  /** Reverse code that recomputes values; stands after the pops. */
  readonly prelude: Builder;
  readonly records: { readonly value: Var; readonly restored: Var; readonly record: symbol }[] = [];
  readonly residuals: Residual[];
  /** Reads of the loop body that reverse code needs and that are hoisted before the loop. */
  readonly hoisted: Let[] = [];
  readonly #restored = new Map<string, Atom>();
  /** Values that the reverse code has by another name. */
  readonly #aliased = new Set<string>();
  /** Own values that reverse code reads, other than to recompute another own value. */
  readonly #requested = new Set<string>();
  readonly #earlier: EarlierPass;
  /** Values in scope that `residuals` already lists. */
  readonly #listed = new Set<string>();
  readonly #lazy = new Map<string, (b: Builder) => Atom>();
  /** Values that the reverse code needs in any case (indices of active reads). */
  readonly #required = new Set<string>();
  readonly #owned = new Map<string, Definition>();
  /** By value: the last test of whether it is defined. */
  readonly #definedTests = new Map<string, Var>();
  readonly #homes = new Map<string, Frame>();
  /** Values of inner loops that are computed before these loops. */
  readonly #invariants = new Map<string, Atom>();
  readonly #hoist: ((value: Var) => Var) | null;
  readonly loop: For | While | null;
  readonly #origin: Origin;

  constructor(
    parent: Frame | null,
    prelude: Builder,
    residuals: Residual[],
    { storage, earlier, hoist, loop }: FrameOptions,
  ) {
    this.parent = parent;
    this.storage = storage;
    this.prelude = prelude;
    this.residuals = residuals;
    this.#earlier = earlier;
    this.#hoist = hoist ?? null;
    this.loop = loop ?? null;
    this.#origin = prelude.origin;
  }

  /** The frame of a body inside this one. */
  nested(options: Partial<FrameOptions> & Pick<FrameOptions, "storage">): Frame {
    const prelude = new Builder(this.prelude.names, this.#origin, true);
    return new Frame(this, prelude, this.residuals, { earlier: this.#earlier, ...options });
  }

  define({ name, type }: Var, expr: Expr | null = null, rereadable = false, origin?: Origin): void {
    this.#owned.set(name, { expr, rereadable, type, origin: origin ?? null });
  }

  defineLet(stmt: Let, rereadable: boolean): void {
    this.define(stmt.bind, stmt.expr, rereadable, stmt.origin);
    if (stmt.expr.kind === "present" && stmt.expr.value.kind === "var")
      this.#definedTests.set(stmt.expr.value.name, stmt.bind);
  }

  /** The body's own test of whether a value is defined. */
  definedTestOf(value: Var): Var | null {
    return this.#definedTests.get(value.name) ?? null;
  }

  /** The reverse code has the value already (a loop's index). */
  restoreAs(value: Var, restored: Atom): void {
    this.#restored.set(value.name, restored);
    this.#aliased.add(value.name);
  }

  /** The caller passes the value to the reverse code, as `param`. */
  restoreGiven(value: Var, param: Var): void {
    this.restoreLazily(value, () => {
      this.residuals.push({
        value,
        storage: "given",
        reason: "each call that recurs hands it on as it came in",
        again: 0,
      });
      return param;
    });
  }

  /** The reverse code can compute the value by `make`; it does so at the first use. */
  restoreLazily(value: Var, make: (b: Builder) => Atom): void {
    this.#lazy.set(value.name, make);
  }

  require(atom: Atom): void {
    if (atom.kind === "var") this.#required.add(atom.name);
  }

  owns(name: string): boolean {
    return this.#owned.has(name);
  }

  /** Whether this body, or one around it, binds the name. */
  isInScope(name: string): boolean {
    return this.#ownerOf(name) !== null;
  }

  /** Whether a residual of this frame is pushed once per loop iteration. */
  get inLoop(): boolean {
    return this.storage === "tape" || (this.parent?.inLoop ?? false);
  }

  #ownerOf(name: string): Frame | null {
    return this.#owned.has(name) ? this : this.parent === null ? null : this.parent.#ownerOf(name);
  }

  /** Whether the reverse code would have to record a value to read it. */
  wouldRecord(atom: Atom): boolean {
    if (atom.kind !== "var") return false;
    const owner = this.#ownerOf(atom.name);
    if (
      owner === null ||
      owner.storage === "scope" ||
      owner.#restored.has(atom.name) ||
      owner.#lazy.has(atom.name)
    )
      return false;
    return (
      owner.#earlier.chosen.get(atom.name) ??
      (owner.#costAgain(atom, BUDGET[owner.storage]) === null &&
        owner.#frameAround(atom.name) === null)
    );
  }

  /** The atom that holds `atom`'s primal value in the reverse code of this frame. */
  value(atom: Atom): Atom {
    if (atom.kind === "var") this.#ask(atom.name);
    return this.#held(atom);
  }

  #ask(name: string): void {
    const owner = this.#ownerOf(name);
    if (owner !== null) owner.#requested.add(name);
  }

  #held(atom: Atom): Atom {
    if (atom.kind !== "var") return atom;
    const owner = this.#ownerOf(atom.name);
    if (owner !== null && owner.storage !== "scope") return owner.#restore(atom);
    if (owner !== null) owner.#noteInScope(atom);
    return atom;
  }

  #noteInScope(value: Var): void {
    if (this.#listed.has(value.name)) return;
    this.#listed.add(value.name);
    this.residuals.push({ value, storage: "scope", reason: "still in scope", again: 0 });
  }

  #restore(value: Var): Atom {
    const known = this.#restored.get(value.name);
    if (known !== undefined) return known;
    const lazy = this.#lazy.get(value.name);
    if (lazy !== undefined) {
      this.residuals.push({ value, storage: "elsewhere", reason: "", again: null });
      const made = lazy(this.prelude);
      this.#restored.set(value.name, made);
      return made;
    }
    const restored = this.#restoredBy(value, this.#earlier.chosen.get(value.name) ?? null);
    this.#restored.set(value.name, restored);
    return restored;
  }

  #restoredBy(value: Var, isRecorded: boolean | null): Atom {
    if (isRecorded !== null) return isRecorded ? this.#record(value) : this.#computeAgain(value);
    if (this.#costAgain(value, BUDGET[this.storage]) !== null) return this.#computeAgain(value);
    const outer = this.#frameAround(value.name);
    return outer === null ? this.#record(value) : this.#computeOnce(value, outer);
  }

  /** The body around the outermost loop in which an operation is invariant, if any. */
  #frameAround(name: string): Frame | null {
    const home = this.#owned.get(name)?.expr?.kind === "op" ? this.#homeOf(name) : null;
    if (home === null) return null;
    let around: Frame | null = null;
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- the walk starts here
    for (let frame: Frame = this; frame !== home && frame.parent !== null; frame = frame.parent)
      if (frame.loop !== null) around = frame.parent;
    return around;
  }

  /** The outermost body in which operations alone could compute a value, if known. */
  #homeOf(name: string): Frame | null {
    const owner = this.#ownerOf(name);
    if (owner === null) return null;
    const known = owner.#homes.get(name);
    if (known !== undefined) return known;
    const expr = owner.#owned.get(name)?.expr ?? null;
    let home: Frame = owner;
    if (expr?.kind === "op") {
      const homes = exprAtoms(expr).flatMap((atom) =>
        atom.kind === "const" ? [] : [atom.kind === "var" ? this.#homeOf(atom.name) : null],
      );
      const isWithin = (frame: Frame): boolean =>
        homes.every((one) => one !== null && frame.#isInside(one));
      while (home.parent !== null && isWithin(home.parent)) home = home.parent;
    }
    owner.#homes.set(name, home);
    return home;
  }

  #isInside(outer: Frame): boolean {
    return this === outer || (this.parent !== null && this.parent.#isInside(outer));
  }

  /** Recomputes a loop invariant before the loop, together with its operands. */
  #computeOnce(atom: Atom, outer: Frame): Atom {
    if (atom.kind !== "var") return atom;
    const owner = this.#ownerOf(atom.name);
    const known = outer.#invariants.get(atom.name);
    if (owner === null || outer.#isInside(owner)) return outer.value(atom);
    if (known !== undefined) return known;
    const expr = owner.#owned.get(atom.name)?.expr ?? null;
    invariant(expr !== null, `${atom.name} is computed by operations`);
    this.residuals.push({
      value: atom,
      storage: "again",
      reason: "the same in every iteration",
      again: this.#priceAgain(atom, MOST_SHOWN),
    });
    const again = mapExpr(expr, (operand) => this.#computeOnce(operand, outer));
    const made = outer.#computed(atom, again, owner);
    outer.#invariants.set(atom.name, made);
    return made;
  }

  #computeAgain(value: Var): Atom {
    const expr = this.#owned.get(value.name)?.expr;
    if (expr === undefined || expr === null) return this.#record(value);
    this.residuals.push({
      value,
      storage: "again",
      reason: reasonAgain(expr),
      again: this.#priceAgain(value, MOST_SHOWN),
    });
    // in a loop, `choose` requests the operands once it has settled that this value is recomputed
    const again = mapExpr(expr, (atom) =>
      this.storage === "tape" ? this.#held(atom) : this.value(atom),
    );
    return this.#computed(value, again);
  }

  /** Computes a value in the prelude, with the origin of its definition. */
  #computed(value: Var, expr: Expr, owner: Frame = this): Var {
    this.prelude.origin = owner.originOf(value);
    return this.prelude.let(value.name, value.type, expr);
  }

  /** Where a value of this body is defined. */
  originOf({ name }: Var): Origin {
    return this.#owned.get(name)?.origin ?? this.loop?.origin ?? this.#origin;
  }

  #record(value: Var): Atom {
    this.residuals.push({
      value,
      storage: this.storage,
      reason: this.#reason(value),
      again: this.#priceAgain(value, MOST_SHOWN),
    });
    if (this.#hoist !== null && this.parent !== null && !this.inLoop)
      return this.#hoisted(value, this.parent, this.#hoist);
    const restored: Var = { ...value, name: this.prelude.names.fresh(value.name) };
    this.records.push({ value, restored, record: Symbol(value.name) });
    return restored;
  }

  /** Binds the value after the `if`; an object is undefined when the other side ran. */
  #hoisted(value: Var, parent: Frame, hoist: (value: Var) => Var): Atom {
    if (value.type.kind === "num" || value.type.kind === "bool" || value.type.kind === "opt")
      return parent.value(hoist(value));
    const bind = hoist({ ...value, type: { kind: "opt", of: value.type } });
    return this.#computed(value, { kind: "unwrap", value: parent.value(bind) });
  }

  #reason(value: Var): string {
    const definition = this.#owned.get(value.name);
    if (definition === undefined || definition.expr === null)
      return "there is nothing to compute it from";
    const { expr } = definition;
    if (expr.kind === "load")
      return definition.rereadable
        ? "its index or object would have to be recorded"
        : "the memory it was read from may be overwritten";
    if (expr.kind === "op")
      return OPS[expr.op].expensive
        ? "dearer to compute than to store"
        : "its operands would have to be recorded";
    return "made anew by the forward sweep";
  }

  /** Cost of recomputing `value` from available values; null if impossible or over `most`. */
  #costAgain(value: Var, most: number): number | null {
    const definition = this.#owned.get(value.name);
    if (definition === undefined || definition.expr === null) return null;
    const { expr, rereadable } = definition;
    if (isTest(expr) && !this.inLoop && exprAtoms(expr).every((atom) => this.#isFree(atom)))
      return 0;
    const own = this.#isLogistic(expr) ? LOGISTIC : ownCost(expr, rereadable);
    if (own === null || own > most) return null;
    let total = own;
    for (const atom of exprAtoms(expr)) {
      // the limit shrinks: `y = y * y` repeated n times would be visited 2^n times
      const operand = this.#costOf(atom, most - total);
      if (operand === null) return null;
      total += operand;
    }
    return total;
  }

  /** Whether reverse code has the value, or reads it from an object that it has. */
  #isFree(atom: Atom): boolean {
    const owner = atom.kind === "var" ? this.#ownerOf(atom.name) : null;
    if (
      atom.kind !== "var" ||
      owner === null ||
      owner.storage === "scope" ||
      owner.#isAtHand(atom.name) ||
      owner.#required.has(atom.name)
    )
      return true;
    const { expr = null, rereadable = false } = owner.#owned.get(atom.name) ?? {};
    return (
      expr !== null &&
      ownCost(expr, rereadable) === 0 &&
      exprAtoms(expr).every((operand) => owner.#isFree(operand))
    );
  }

  /** 1 / (1 + e) */
  #isLogistic(expr: Expr): boolean {
    const [one, sum] = expr.kind === "op" && expr.op === "div" ? expr.args : [];
    const below = sum?.kind === "var" ? this.#owned.get(sum.name)?.expr : null;
    return (
      one?.kind === "const" &&
      below?.kind === "op" &&
      below.op === "add" &&
      below.args.some(({ kind }) => kind === "const")
    );
  }

  #costOf(atom: Atom, most: number): number | null {
    if (atom.kind !== "var") return 0;
    const owner = this.#ownerOf(atom.name);
    // an outer body records the value at most once per iteration of its loop
    if (
      owner !== this ||
      this.storage === "scope" ||
      this.#restored.has(atom.name) ||
      this.#lazy.has(atom.name)
    )
      return 0;
    if (this.#required.has(atom.name) || this.#earlier.demanded.has(atom.name)) return 0;
    // an argument of the function costs one field of its BOG, once
    if (this.storage === "bog" && this.#owned.get(atom.name)?.expr === null) return 0;
    return this.#costAgain(atom, most);
  }

  /** Cost of recomputing `value` at any price, counted up to `most`; null if impossible. */
  #priceAgain(value: Var, most: number): number | null {
    const definition = this.#owned.get(value.name);
    if (definition === undefined || definition.expr === null) return null;
    const { expr, rereadable } = definition;
    let total = ownCost(expr, rereadable, true);
    for (const atom of exprAtoms(expr)) {
      if (total === null || total >= most) break;
      const operand =
        atom.kind !== "var" || this.#isAtHand(atom.name) ? 0 : this.#priceAgain(atom, most - total);
      total = operand === null ? null : total + operand;
    }
    return total === null ? null : Math.min(total, most);
  }

  /** Decides, by name, whether each iteration records (true) or recomputes a needed value. */
  choose(): ReadonlyMap<string, boolean> {
    const chosen = new Map<string, boolean>();
    if (this.storage !== "tape") return chosen;
    const candidates = this.#candidates();
    const recorded = minimumRecords(candidates, this.#requested);
    const needed = new Set(this.#requested);
    for (const name of needed) {
      const candidate = candidates.get(name);
      if (candidate === undefined) continue;
      chosen.set(name, recorded.has(name));
      if (recorded.has(name)) continue;
      for (const operand of candidate.operands) needed.add(operand);
      for (const operand of this.#operandsOf(name))
        if (!this.#owned.has(operand)) this.#ask(operand);
    }
    return chosen;
  }

  #operandsOf(name: string): readonly string[] {
    const expr = this.#owned.get(name)?.expr ?? null;
    return expr === null
      ? []
      : exprAtoms(expr).flatMap((atom) => (atom.kind === "var" ? [atom.name] : []));
  }

  /** The values that lead to a needed one and are not available otherwise. */
  #candidates(): ReadonlyMap<string, Candidate> {
    const candidates = new Map<string, Candidate>();
    const open = [...this.#requested];
    for (const name of open) {
      const definition = this.#owned.get(name);
      if (
        definition === undefined ||
        candidates.has(name) ||
        this.#aliased.has(name) ||
        this.#lazy.has(name)
      )
        continue;
      const { expr, rereadable, type } = definition;
      if (expr?.kind === "op" && this.#frameAround(name) !== null) continue;
      const again =
        expr === null ? null : this.#isLogistic(expr) ? LOGISTIC : ownCost(expr, rereadable);
      const operands =
        again === null ? [] : this.#operandsOf(name).filter((operand) => this.#owned.has(operand));
      candidates.set(name, {
        again: again === null ? null : again + STATEMENT,
        record: recordCost(type, expr),
        operands,
      });
      open.push(...operands);
    }
    return candidates;
  }

  #isAtHand(name: string): boolean {
    return (
      this.#ownerOf(name) !== this ||
      this.#restored.has(name) ||
      this.#lazy.has(name) ||
      this.#earlier.demanded.has(name)
    );
  }

  /** The statements that restore the frame's records, to stand before its reverse code. */
  pops(pop: (record: Frame["records"][number]) => Stmt): readonly Stmt[] {
    return [...this.records].reverse().map(pop);
  }
}

function reasonAgain(expr: Expr): string {
  if (expr.kind === "load") return "nothing overwrites the memory it was read from";
  if (expr.kind === "length") return "nothing changes the length";
  return "cheaper to compute than to store";
}
