// Writes the forward and the reverse sweep of one body, statement by statement. Input: an ssa
// function and its facts. Output: forward statements with shadows and records, reverse statements.
// Invariant: reverse code is written from the last statement to the first. Forward bodies are
// assembled after their reverse, when their records are known.

import { Builder, NUM } from "../../ir/build.ts";
import type { FunctionFacts, SeedOrigin } from "../../ir/facts.ts";
import { bar, type Names } from "../../ir/names.ts";
import type { Types } from "../../ir/shadow.ts";
import type {
  Append,
  Atom,
  Body,
  Expr,
  Func,
  Let,
  Origin,
  Stmt,
  Type,
  Var,
} from "../../ir/types.ts";
import { stmtBinds } from "../../ir/visit.ts";
import { adjointLet, freshNumber, UNDEFINED } from "../fragments.ts";
import type { Nested } from "../nested.ts";
import type { Problem } from "../unsupported.ts";
import { Shadows } from "../shadows.ts";
import type { Cotangents, Rank } from "./cotangents.ts";
import { Frame } from "./frame.ts";
import { mergePlan, type MergePlan, mergesCall } from "./immediate-reversal.ts";
import { escapingNames } from "./late-shadows.ts";
import { type EarlierPass, FIRST_PASS, type Residual } from "./residuals.ts";
import { shadowParam, type Signature } from "./signature.ts";

/** One statement's two sweeps. */
export interface Step {
  /** The forward statements; called once, after `reverse`. */
  forward(): readonly Stmt[];
  /** Writes the reverse statements and contributions. */
  reverse(rev: Builder, env: Cotangents): void;
}

/** Gives the step of a statement; `merged`: one whose reverse runs right after it. */
export type StepOf = (stmt: Stmt, body: BodySweep, merged: boolean) => Step;

/** The reverse sweep of one statement while it is written. */
export interface Reversing {
  readonly rev: Builder;
  readonly env: Cotangents;
  readonly rank: Rank;
  readonly body: BodySweep;
}

/** The function to derive. */
export interface SweepRequest {
  readonly func: Func;
  readonly facts: FunctionFacts;
  readonly types: Types;
  readonly signatureOf: (callee: string, active: readonly number[]) => Signature;
  readonly nested: Nested;
}

export interface SweepOptions {
  readonly forwardNames: Names;
  readonly reverseNames: Names;
  /** Whether the reverse sweep is a function of its own that only has the BOG. */
  readonly isSplit: boolean;
  /** Who gives the cotangent of the result. */
  readonly seed: SeedOrigin;
  /** Whether a pullback may run the reverse sweep twice: it leaves the BOG's shadows zero. */
  readonly repeatable: boolean;
  /** Whether a statement may be reversed right after it; not if its cotangent comes later. */
  readonly merges: boolean;
  readonly earlier: EarlierPass;
  readonly stepOf: StepOf;
}

/** State of writing one derived function, or one `revf`/`revr` pair. */
export class Sweep {
  readonly func: Func;
  readonly facts: FunctionFacts;
  readonly types: Types;
  readonly nested: Nested;
  readonly signature: SweepRequest["signatureOf"];
  readonly names: Names;
  readonly isSplit: boolean;
  readonly seed: SeedOrigin;
  readonly repeatable: boolean;
  readonly merges: boolean;
  readonly earlier: EarlierPass;
  readonly stepOf: StepOf;
  readonly residuals: Residual[] = [];
  /** The array in which recursive calls pass numbers (merged.ts), if the function has one. */
  numbers: Var | null = null;
  /** Names of the BOGs of calls. A BOG is defined where its call has run. */
  readonly bogs = new Set<string>();
  /** By name of a value in a loop: whether the next pass should record or recompute it. */
  readonly chosen = new Map<string, boolean>();
  /** Loops reversed in forward order that turned out to need a tape. */
  readonly stuck = new Set<Stmt>();
  /** Names of loop counters that are always integers. */
  readonly integers = new Set<string>();
  /** Names of dicts whose shadows have no prototype. */
  readonly bareDicts = new Set<string>();
  #known: ReadonlySet<string> | null = null;
  readonly #shadows: Shadows;
  /** Shadows of arguments and globals that alias active data without being requested. */
  readonly entry: Builder;
  readonly #positions = new Map<Append, Var>();
  readonly #tapes = new Map<"num" | "ref", Var>();
  readonly root: Frame;
  /** Reverse-side readers of the tapes. */
  readonly #readers = new Map<"num" | "ref", Atom>();

  constructor(request: SweepRequest, options: SweepOptions) {
    const { func, facts, types } = request;
    this.func = func;
    // an object that is always undefined has no shadow
    this.facts = {
      ...facts,
      shadowed: (atom) => facts.absence(atom) !== "always" && facts.shadowed(atom),
    };
    this.types = types;
    this.nested = request.nested;
    this.signature = request.signatureOf;
    this.names = options.forwardNames;
    this.isSplit = options.isSplit;
    this.seed = options.seed;
    this.repeatable = options.repeatable;
    this.merges = options.merges && func.checked === undefined;
    this.earlier = options.earlier;
    this.stepOf = options.stepOf;
    this.entry = new Builder(this.names, func.origin, true);
    this.#shadows = new Shadows({
      func,
      facts,
      types,
      names: this.names,
      entry: this.entry,
      nameOf: bar,
      onEntry: (made) => {
        this.root.define(made);
      },
    });
    this.root = new Frame(
      null,
      new Builder(options.reverseNames, func.origin, true),
      this.residuals,
      { storage: options.isSplit ? "bog" : "scope", earlier: options.earlier },
    );
    for (const param of func.params) this.root.define(param);
  }

  /** Where an append puts its element. `measured`: the array's length before it, if known. */
  positionOf(append: Append, measured: Var | null = null): Var {
    const known = this.#positions.get(append) ?? measured ?? freshNumber(this.names, "n");
    this.#positions.set(append, known);
    return known;
  }

  /** Parameters for the shadows of the active aggregate arguments. */
  shadowParams({ aggregates }: Signature): readonly Var[] {
    return aggregates.map((position) => {
      const param = this.func.params[position] ?? { kind: "var", name: `x${position}`, type: NUM };
      const name = this.names.fresh(bar(param.name));
      const shadow: Var = { ...shadowParam(param, this.types), name };
      this.root.define(shadow);
      this.setShadow(param, shadow);
      return shadow;
    });
  }

  shadowTypeOf(type: Type): Type {
    return this.#shadows.typeOf(type);
  }

  /** A fresh name for the shadow of `value`, used from here on. */
  shadowVar(value: Var): Var {
    const shadow = this.#shadows.fresh(value);
    if (this.facts.absence(value) !== "maybe") return shadow;
    const absent: Var = { ...shadow, type: orAbsent(shadow.type) };
    this.#shadows.set(value, absent);
    return absent;
  }

  setShadow(value: Var, shadow: Atom): void {
    this.#shadows.set(value, shadow);
  }

  /** The forward-sweep name of an aggregate's shadow. */
  shadow(atom: Atom): Atom {
    return this.facts.absence(atom) === "always" ? UNDEFINED : this.#shadows.of(atom);
  }

  /** The shadow of an atom; zeros if it is inactive within an active whole. */
  shadowOrZeros(b: Builder, atom: Atom): Atom {
    return this.#shadows.orZeros(b, atom);
  }

  /** Whether nothing else refers to an array of numbers, so that forward code needs no shadow. */
  staysInReverse(array: Var): boolean {
    this.#known ??= escapingNames(this.func.body, this.facts);
    return !this.#known.has(array.name);
  }

  get problems(): Problem[] {
    return this.#shadows.problems;
  }

  /** The statement whose sweeps are being written. */
  set at(origin: Origin) {
    this.#shadows.at = origin;
  }

  /** The forward sweep's tape for values of that type. */
  tape(type: Type): Var {
    const of = type.kind === "num" || type.kind === "bool" ? "num" : "ref";
    const known = this.#tapes.get(of);
    if (known !== undefined) return known;
    const name = this.names.fresh(of === "num" ? "tape" : "refs");
    const tape: Var = { kind: "var", name, type: { kind: "tape", of } };
    this.root.define(tape);
    this.#tapes.set(of, tape);
    return tape;
  }

  /** The reverse sweep's reader of the same tape. */
  tapeReader(type: Type): Atom {
    const tape = this.tape(type);
    if (this.root.storage === "scope") return tape;
    const of = tape.type.kind === "tape" ? tape.type.of : "num";
    const known = this.#readers.get(of);
    if (known !== undefined) return known;
    const reader = this.root.prelude.let(tape.name, tape.type, {
      kind: "rewind",
      tape: this.root.value(tape),
    });
    this.#readers.set(of, reader);
    return reader;
  }

  /** The first statements of the forward sweep: they make the tapes and the entry's shadows. */
  opening(): readonly Stmt[] {
    const tapes = [...this.#tapes.values()].map((bind): Stmt =>
      adjointLet(bind, { kind: "newTape" }, this.func.origin),
    );
    return [...tapes, ...this.entry.stmts];
  }
}

const orAbsent = (type: Type): Type => (type.kind === "opt" ? type : { kind: "opt", of: type });

/** The two sweeps of one body. */
export class BodySweep {
  readonly sweep: Sweep;
  readonly body: Body;
  readonly frame: Frame;
  readonly #steps: Step[] = [];
  readonly #plan: MergePlan | null;
  /** Reverse statements that stand before the first merged statement. */
  #ahead: readonly Stmt[] = [];
  #rank: Rank = { statement: 0, within: 0 };

  constructor(sweep: Sweep, body: Body, frame: Frame) {
    this.sweep = sweep;
    this.body = body;
    this.frame = frame;
    this.#plan =
      frame.storage === "scope" && sweep.merges
        ? mergePlan(body, sweep.facts, (stmt) => mergesCall(stmt, sweep.facts, sweep.nested))
        : null;
    let statement = 0;
    body.stmts.forEach((stmt, within) => {
      this.#rank = { statement, within };
      sweep.at = stmt.origin;
      this.#steps.push(sweep.stepOf(stmt, this, this.#plan?.merged.has(within) ?? false));
      if (stmt.kind !== "let" || !stmt.bind.name.startsWith("t")) statement = within + 1;
    });
  }

  /** The rank in their sums of the contributions of the statement at hand. */
  get rank(): Rank {
    return this.#rank;
  }

  /** The primal value in the reverse code of this body. */
  value(atom: Atom): Atom {
    return this.frame.value(atom);
  }

  reverse(rev: Builder, env: Cotangents): void {
    this.#reverse(rev, env);
    this.noteLeft(
      this.body.stmts
        .flatMap(stmtBinds)
        .find((bind) => this.sweep.facts.active(bind) && env.has(bind)),
    );
  }

  /** Reports a contribution that no step consumes. It would be lost without a trace. */
  noteLeft(bind: Var | undefined): void {
    if (bind !== undefined)
      this.sweep.problems.push({
        kind: "left",
        origin: this.sweep.func.origin,
        text: bind.name,
      });
  }

  #reverse(rev: Builder, env: Cotangents): void {
    const plan = this.#plan;
    if (plan === null || plan.merged.size === 0) {
      for (let at = this.#steps.length - 1; at >= 0; at--) this.#steps[at]?.reverse(rev, env);
      return;
    }
    const ahead = rev.nested();
    for (let at = this.#steps.length - 1; at >= 0; at--)
      if (plan.ahead.has(at)) this.#steps[at]?.reverse(ahead, env);
    for (let at = this.#steps.length - 1; at >= 0; at--) {
      if (!plan.ahead.has(at)) this.#steps[at]?.reverse(plan.merged.has(at) ? ahead : rev, env);
    }
    this.#ahead = ahead.stmts;
  }

  /** Forward statements; operands of merged statements move before the first of these. */
  #forwardStmts(): readonly Stmt[] {
    const plan = this.#plan;
    return this.#steps.flatMap((step, at) => {
      if (plan?.early.has(at) === true) return [];
      if (at !== plan?.first) return step.forward();
      const early = this.#steps
        .filter((_, i) => plan.early.has(i))
        .flatMap((moved) => moved.forward());
      return [...early, ...this.#ahead, ...step.forward()];
    });
  }

  /** The reverse statements after the code that restores their residuals. */
  reverseBody(rev: Builder, result: readonly Atom[]): Body {
    // the first pass decides for the later ones
    if (this.sweep.earlier === FIRST_PASS)
      for (const [name, isRecorded] of this.frame.choose()) this.sweep.chosen.set(name, isRecorded);
    const pops = this.frame.pops(({ value, restored, record }): Stmt => {
      const tape = this.sweep.tapeReader(restored.type);
      return adjointLet(restored, { kind: "pop", tape, record }, this.frame.originOf(value));
    });
    return { stmts: [...pops, ...this.frame.prelude.stmts, ...rev.stmts], result };
  }

  /** The forward statements; records are pushed last. */
  forwardBody(result: readonly Atom[], extra: readonly Stmt[] = []): Body {
    const stmts = this.#forwardStmts();
    const pushes =
      this.frame.storage === "bog" || this.frame.storage === "scope"
        ? []
        : this.frame.records.map(({ value, record }): Stmt => ({
            kind: "push",
            tape: this.sweep.tape(value.type),
            value,
            record,
            origin: this.frame.originOf(value),
            adjoint: true,
          }));
    // values that reverse code computes once, where it stands after the forward statements
    const prelude = this.frame.storage === "scope" ? this.frame.prelude.stmts : [];
    return { stmts: [...stmts, ...prelude, ...extra, ...pushes], result };
  }

  /** A forward statement that binds a shadow. Reverse code may read its value like any other. */
  shadowLet(bind: Var, expr: Expr, origin: Origin, rereadable: boolean): Let {
    const stmt = adjointLet(bind, expr, origin);
    this.frame.defineLet(stmt, rereadable);
    return stmt;
  }
}
