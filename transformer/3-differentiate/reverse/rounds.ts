// Loops that are reversed by a schedule: nothing of their rounds is recorded, their state before the first one is copied.
//
// FWD{ s = loop(x) }  =  x' = copy of what the rounds write ; s = loop(x)
// REV{ s = loop(x) }  =  x$bar += rewind(0, rounds, x', x$bar, s$bar)

import { type Builder, BOOL, field, num, NUM } from "../../ir/build.ts";
import { isCall } from "../../ir/calls.ts";
import { hasNumbers, isPlain, isScalarType, resolve, shadowType } from "../../ir/shadow.ts";
import type { Atom, Expr, Let, Stmt, Var } from "../../ir/types.ts";
import { walkStmts } from "../../ir/visit.ts";
import { copyOf } from "./nested.ts";
import type { RewindSignature, RoundsFunc } from "./checkpoint-schedule.ts";
import type { Cotangents, Rank } from "./cotangents.ts";
import { addInto, zeroInto } from "./structure.ts";
import type { BodySweep, Step } from "./sweep.ts";

type Call = Expr & { kind: "call" };

export function roundsStep(
  stmt: Let,
  expr: Call,
  loop: RoundsFunc,
  active: readonly number[],
  body: BodySweep,
): Step {
  const { sweep } = body;
  const signature = sweep.nested.rewind(loop, active);
  for (const text of problemsOf(stmt, expr, loop, signature, body))
    sweep.problems.push({ kind: "scheduled", origin: loop.origin, text });
  // what holds no number may be written as well
  const copies = expr.args.map((arg, i): Let | null =>
    i < signature.first ||
    shadowType(arg.type, sweep.types) === null ||
    isScalarType(arg.type) ||
    sweep.facts.unchanging(arg)
      ? null
      : copyOf(arg, stmt, body),
  );
  const isList = stmt.bind.type.kind === "tuple";
  const counted: Let = {
    kind: "let",
    bind: { kind: "var", name: sweep.names.fresh("rounds"), type: NUM },
    expr: isList
      ? { kind: "load", object: stmt.bind, key: field(String(loop.rounds.carried)) }
      : { kind: "copy", atom: stmt.bind },
    origin: stmt.origin,
  };
  body.frame.define(counted.bind);
  const shadow = isList && signature.carried.length > 0 ? sweep.shadowVar(stmt.bind) : null;
  if (shadow !== null) body.frame.define(shadow);
  const rank = body.rank;
  return {
    forward: () => {
      const zeros: Stmt[] =
        shadow === null
          ? []
          : [
              {
                kind: "let",
                bind: shadow,
                expr: { kind: "zeros", like: stmt.bind },
                origin: stmt.origin,
                adjoint: true,
              },
            ];
      return [
        ...copies.flatMap((copy): Stmt[] => (copy === null ? [] : [copy])),
        stmt,
        counted,
        ...zeros,
        ...copies.flatMap((copy, i) =>
          copy === null ? [] : sameLength(expr.args[i] ?? copy.bind, copy.bind, body, stmt),
        ),
      ];
    },
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      const args = expr.args.map((arg, i): Atom => {
        const copy = copies[i] ?? null;
        if (copy === null) return body.value(arg);
        // rounds that are run again write it
        return sweep.repeatable
          ? rev.let(copy.bind.name, copy.bind.type, {
              kind: "clone",
              object: body.value(copy.bind),
            })
          : body.value(copy.bind);
      });
      reverseRounds(
        { expr, loop, signature, args, counted: counted.bind, shadow },
        rank,
        rev,
        env,
        body,
      );
      if (shadow !== null && sweep.repeatable)
        zeroInto(rev, stmt.bind.type, body.value(shadow), sweep.types);
    },
  };
}

interface Rewound {
  readonly expr: Call;
  readonly loop: RoundsFunc;
  readonly signature: RewindSignature;
  readonly args: readonly Atom[];
  readonly counted: Var;
  readonly shadow: Var | null;
}

function reverseRounds(
  { expr, loop, signature, args, counted, shadow }: Rewound,
  rank: Rank,
  rev: Builder,
  env: Cotangents,
  body: BodySweep,
): void {
  const { facts, types } = body.sweep;
  const typeAt = (i: number): Var["type"] => loop.params[i]?.type ?? NUM;
  const given = shadow === null ? null : body.value(shadow);
  const seeds = signature.carried.map((i): Atom =>
    given === null
      ? num(0)
      : rev.load(
          "t",
          shadowType(typeAt(i), types) ?? NUM,
          given,
          field(String(i - signature.first)),
        ),
  );
  const shadows = signature.shadows.map((i): Atom =>
    body.value(body.sweep.shadow(expr.args[i] ?? num(0))),
  );
  const sums = signature.sums.map((i): Atom => {
    const arg = expr.args[i];
    return (arg?.kind === "var" && facts.active(arg) ? env.take(rev, arg.name) : null) ?? num(0);
  });
  const from = loop.rounds.step === null ? [] : args.slice(0, 1);
  const call: Expr = {
    kind: "call",
    callee: signature.name,
    args: [
      num(0),
      body.value(counted),
      ...from,
      ...args.slice(signature.first),
      ...shadows,
      ...seeds,
      ...sums,
    ],
  };
  const bars = rev.let("bars", signature.result, call);
  const part = (k: number, i: number): Atom =>
    rev.load(
      "t",
      k < signature.carried.length ? (shadowType(typeAt(i), types) ?? NUM) : NUM,
      bars,
      field(String(k)),
    );
  [...signature.carried, ...signature.sums].forEach((i, k) => {
    const arg = expr.args[i];
    if (arg === undefined || arg.kind === "const") return;
    if (!isScalarType(arg.type))
      return facts.shadowed(arg)
        ? addInto(rev, arg.type, body.value(body.sweep.shadow(arg)), part(k, i), types)
        : undefined;
    if (!facts.active(arg)) return;
    const bar = part(k, i);
    env.add(arg, rank, () => bar);
  });
}

/** What a schedule cannot be made for. */
function problemsOf(
  stmt: Let,
  expr: Call,
  loop: RoundsFunc,
  signature: RewindSignature,
  body: BodySweep,
): readonly string[] {
  const { sweep } = body;
  const { types, nested } = sweep;
  const round = nested.func(loop.rounds.round);
  const found: string[] = [];
  if (loop.original !== undefined) found.push("a round writes an object of the module");
  if (
    !loop.params
      .slice(signature.first, signature.free)
      .every(({ type }) => isScalarType(type) || isPlain(type, types))
  )
    found.push("what goes from round to round is no number, array or plain record");
  if (expr.args.some(({ kind }) => kind === "undef"))
    found.push(
      "an array or object that goes from round to round is not there before the first one",
    );
  const carried = expr.args
    .slice(signature.first, signature.free)
    .filter(({ type }) => !isScalarType(type) && hasNumbers(type, types));
  const isWritten = nested.writtenIn(sweep.func);
  if (carried.length > 0 && [...carried, stmt.bind].some(isWritten))
    found.push("a variable that is assigned anew holds an object that is written");
  const whole = expr.args.flatMap((arg, i) =>
    i >= signature.first && !isScalarType(arg.type)
      ? [{ arg, isWritten: i >= signature.free && nested.writtenIn(loop)(loop.params[i] ?? arg) }]
      : [],
  );
  if (
    whole.some(
      ({ arg, isWritten: writes }, k) =>
        writes && whole.some((other, j) => j !== k && sweep.facts.overlap(arg, other.arg)),
    )
  )
    found.push("an object that a round writes has two names in it");
  if (isRearranging(round, body))
    found.push("a round makes an array longer or shorter, or puts an object elsewhere");
  if (isActing(round.name, body)) found.push("a round does something that cannot be done twice");
  return found;
}

/** Whether arrays that a round does not make itself get another length. */
function isRearranging(round: RoundsFunc | { readonly name: string }, body: BodySweep): boolean {
  return some(
    round.name,
    body,
    (stmt, made) =>
      (stmt.kind === "append" && !made.has(nameOf(stmt.object))) ||
      (stmt.kind === "let" &&
        stmt.expr.kind === "removeLast" &&
        !made.has(nameOf(stmt.expr.object))) ||
      (stmt.kind === "store" &&
        stmt.initial !== true &&
        !made.has(nameOf(stmt.object)) &&
        !isScalarType(stmt.value.type) &&
        hasNumbers(stmt.value.type, body.sweep.types)),
  );
}

/** Whether a function, or one that it calls, does something that is seen outside. */
export const isActing = (name: string, body: BodySweep): boolean =>
  some(
    name,
    body,
    (stmt) => stmt.kind === "let" && stmt.expr.kind === "extern" && stmt.expr.effect === "io",
  );

const nameOf = (atom: Atom): string => (atom.kind === "var" ? atom.name : "");

/** Whether a function, or one that it calls, has such a statement; `made`: what it has made itself. */
function some(
  name: string,
  body: BodySweep,
  test: (stmt: Stmt, made: ReadonlySet<string>) => boolean,
  seen = new Set<string>(),
): boolean {
  if (seen.has(name)) return false;
  seen.add(name);
  const func = body.sweep.nested.func(name);
  const made = new Set<string>();
  let found = false;
  walkStmts(func.body, (stmt) => {
    if (
      stmt.kind === "let" &&
      ["array", "alloc", "slice", "clone", "zeros", "record", "tuple"].includes(stmt.expr.kind)
    )
      made.add(stmt.bind.name);
    if (test(stmt, made) || (isCall(stmt) && some(stmt.expr.callee, body, test, seen)))
      found = true;
  });
  return found;
}

/** The shadow of an array is as long as the array was before the rounds. */
function sameLength(array: Atom, copy: Atom, body: BodySweep, { origin }: Let): readonly Stmt[] {
  const shape = resolve(array.type, body.sweep.types);
  if (shape.kind !== "array" || shape.store !== "Array") return [];
  const b = body.sweep.entry.nested();
  b.origin = origin;
  const [now, before] = [array, copy].map((object) => b.let("t", NUM, { kind: "length", object }));
  const isOther = b.let("t", BOOL, {
    kind: "op",
    op: "ne",
    args: [now ?? num(0), before ?? num(0)],
  });
  const then = b.nested();
  then.raise(
    "Error",
    "TSG3004: an array got another length in a loop that is reversed by a schedule",
  );
  b.emit({ kind: "if", cond: isOther, then: then.body(), else: b.nested().body(), binds: [] });
  return b.stmts;
}
