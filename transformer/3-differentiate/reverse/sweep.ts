// Writes the forward and the reverse sweep of one body, statement by statement. In: an ssa function, its facts. Out: forward statements with
// shadows and records, reverse statements. Each construct's FWD and REV stand side by side in their own file.
// Invariant: reverse code is written from the last statement to the first; forward bodies are assembled after their reverse, when their records are known.

import { Builder, num } from "../../ir/build.ts";
import type { FunctionFacts } from "../../ir/facts.ts";
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
import { type Problem, Shadows } from "../shadows.ts";
import { stepOf } from "./constructs.ts";
import { namedElsewhere } from "./late-shadows.ts";
import { Cotangents, type Rank } from "./cotangents.ts";
import { type Earlier, Frame, NOTHING_EARLIER, type Residual } from "./frame.ts";
import { mergePlan, type MergePlan, mergesCall } from "./immediate-reversal.ts";
import type { Nested } from "../nested.ts";
import type { Signature } from "./signature.ts";

/** One statement's two sweeps. */
export interface Step {
  /** The forward statements; called once, after `reverse`. */
  forward(): readonly Stmt[];
  /** Writes the reverse statements and contributions. */
  reverse(rev: Builder, env: Cotangents): void;
}

/** State of writing one derived function (or one `revf`/`revr` pair). */
export class Sweep {
  readonly func: Func;
  readonly facts: FunctionFacts;
  readonly types: Types;
  readonly names: Names;
  readonly signature: (callee: string, active: readonly number[]) => Signature;
  readonly residuals: Residual[] = [];
  /** What a recursive function hands numbers on in (reverse/merged.ts); null where it does not. */
  numbers: Var | null = null;
  /** Names of the BOGs of calls: where one is there, its call has run. */
  readonly bogs = new Set<string>();
  readonly earlier: Earlier;
  /** By name: whether a next run should record a value of a round, or compute it again. */
  readonly chosen = new Map<string, boolean>();
  /** Loops that are reversed backwards in any case. */
  readonly barred: ReadonlySet<Stmt>;
  /** Loops that should have been barred. */
  readonly stuck = new Set<Stmt>();
  /** Whether the reverse sweep is a function of its own, which has of the forward sweep what a BOG holds. */
  readonly isSplit: boolean;
  /** Whether a pullback may run the reverse sweep twice: shadows made by the forward sweep are left clean. */
  readonly repeatable: boolean;
  readonly merges: boolean;
  readonly nested: Nested;
  /** Names of numbers that loops count, whole at first and so for ever. */
  readonly whole = new Set<string>();
  /** The shadow of data. */
  readonly absent: Atom = {
    kind: "const",
    type: { kind: "leaf", text: "undefined" },
    value: undefined,
  };
  #known: ReadonlySet<string> | null = null;
  readonly #shadows: Shadows;
  /** Shadows of arguments and globals that share memory with active data without being asked for. */
  readonly entry: Builder;
  readonly #positions = new Map<Append, Var>();
  readonly #tapes = new Map<"num" | "ref", Var>();
  readonly root: Frame;
  /** Reverse-side readers of the tapes. */
  readonly #readers = new Map<"num" | "ref", Atom>();

  constructor(options: {
    func: Func;
    facts: FunctionFacts;
    types: Types;
    forwardNames: Names;
    reverseNames: Names;
    isSplit: boolean;
    repeatable: boolean;
    earlier: Earlier;
    barred: ReadonlySet<Stmt>;
    /** Whether a loop may be reversed where it stands; not where its result's cotangent comes later. */
    merges: boolean;
    nested: Nested;
    signature: (callee: string, active: readonly number[]) => Signature;
  }) {
    this.func = options.func;
    // what nobody reads is not there
    this.facts = {
      ...options.facts,
      shadowed: (atom) => options.facts.absence(atom) !== "always" && options.facts.shadowed(atom),
    };
    this.types = options.types;
    this.names = options.forwardNames;
    this.signature = options.signature;
    this.isSplit = options.isSplit;
    this.repeatable = options.repeatable;
    this.earlier = options.earlier;
    this.barred = options.barred;
    this.merges = options.merges;
    this.nested = options.nested;
    this.entry = new Builder(options.forwardNames, options.func.origin, true);
    this.#shadows = new Shadows({
      func: options.func,
      facts: options.facts,
      types: options.types,
      names: options.forwardNames,
      entry: this.entry,
      nameOf: bar,
      onEntry: (made) => {
        this.root.define(made);
      },
    });
    this.root = new Frame(
      null,
      options.isSplit ? "bog" : "scope",
      new Builder(options.reverseNames, options.func.origin, true),
      this.residuals,
      options.earlier,
    );
    for (const param of options.func.params) this.root.define(param);
  }

  /** Where an append puts its element; `measured`: the array's length in front of it, where the body has that. */
  positionOf(append: Append, measured: Var | null = null): Var {
    const known = this.#positions.get(append) ??
      measured ?? { kind: "var", name: this.names.fresh("n"), type: num(0).type };
    this.#positions.set(append, known);
    return known;
  }

  shadowTypeOf(type: Type): Type {
    return this.#shadows.typeOf(type);
  }

  /** A fresh name for the shadow of `value`, known from here on. */
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
    return this.facts.absence(atom) === "always" ? this.absent : this.#shadows.of(atom);
  }

  /** Shadow of an atom that may be inactive within an active whole: zeros then. */
  shadowOrZeros(b: Builder, atom: Atom): Atom {
    return this.#shadows.orZeros(b, atom);
  }

  /** Whether the forward sweep has no use for the shadow of an array of numbers: no name but this one, no object and no callee knows the array. */
  staysInReverse(array: Var): boolean {
    this.#known ??= namedElsewhere(this.func.body, this.facts);
    return !this.#known.has(array.name);
  }

  get problems(): Problem[] {
    return this.#shadows.problems;
  }

  /** The statement whose sweeps are being written. */
  set at(origin: Origin) {
    this.#shadows.at = origin;
  }

  /** Forward-sweep name of the tape for values of that type. */
  tape(type: Type): Var {
    const of = type.kind === "num" || type.kind === "bool" ? "num" : "ref";
    const known = this.#tapes.get(of);
    if (known !== undefined) return known;
    const tape: Var = {
      kind: "var",
      name: this.names.fresh(of === "num" ? "tape" : "refs"),
      type: { kind: "tape", of },
    };
    this.root.define(tape);
    this.#tapes.set(of, tape);
    return tape;
  }

  /** Reverse-sweep name of the same tape. */
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

  /** Statements that stand before everything else in the forward sweep. */
  opening(): readonly Stmt[] {
    const tapes = [...this.#tapes.values()].map((bind): Stmt => ({
      kind: "let",
      bind,
      expr: { kind: "newTape" },
      origin: this.func.origin,
      adjoint: true,
    }));
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
  /** Reverse statements that go in front of the first merged statement. */
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
      this.#steps.push(stepOf(stmt, this, this.#plan?.merged.has(within) ?? false));
      if (stmt.kind !== "let" || !stmt.bind.name.startsWith("t")) statement = within + 1;
    });
  }

  /** Where contributions of the statement being constructed stand in their sums. */
  get rank(): Rank {
    return this.#rank;
  }

  /** Shorthand: the primal value in the reverse code of this body. */
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

  /** A contribution that nobody takes would be a zero that nobody sees. */
  noteLeft(bind: Var | undefined): void {
    if (bind !== undefined)
      this.sweep.problems.push({
        kind: "left",
        origin: this.sweep.at ?? this.sweep.func.origin,
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

  /** Forward statements in order, with what a merged statement needs moved in front of the first one. */
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

  /** The reverse statements with what restores their residuals in front. */
  reverseBody(rev: Builder, result: readonly Atom[]): Body {
    // later runs do as the first one has found
    if (this.sweep.earlier === NOTHING_EARLIER)
      for (const [name, isRecorded] of this.frame.choose()) this.sweep.chosen.set(name, isRecorded);
    const pops = this.frame.pops((restored, record): Stmt => ({
      kind: "let",
      bind: restored,
      expr: { kind: "pop", tape: this.sweep.tapeReader(restored.type), record },
      origin: rev.origin,
      adjoint: true,
    }));
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
            origin: this.sweep.func.origin,
            adjoint: true,
          }));
    // what reverse code computes once, where that stands behind the forward statements
    const prelude = this.frame.storage === "scope" ? this.frame.prelude.stmts : [];
    return { stmts: [...stmts, ...prelude, ...extra, ...pushes], result };
  }

  /** A forward statement that binds a shadow; its value can be asked for like any other. */
  shadowLet(bind: Var, expr: Expr, origin: Origin, rereadable: boolean): Let {
    const stmt: Let = { kind: "let", bind, expr, origin, adjoint: true };
    this.frame.defineLet(stmt, rereadable);
    return stmt;
  }
}
