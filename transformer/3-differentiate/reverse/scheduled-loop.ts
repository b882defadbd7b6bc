// Loops that are reversed by a checkpoint schedule. Nothing of their iterations is recorded; the
// state before the first one is copied.
//
// FWD{ s = loop(x) }  =  x' = copy of what the iterations write ; s = loop(x)       saves x'
// REV{ s = loop(x) }  =  x$bar += rewind(0, count, x', x$bar, s$bar)

import { BOOL, field, num, NUM } from "../../ir/build.ts";
import { isCall } from "../../ir/calls.ts";
import { hasNumbers, isPlain, isScalarType, resolve, shadowType } from "../../ir/shadow.ts";
import type { Atom, Let, Stmt, Var } from "../../ir/types.ts";
import { walkStmts } from "../../ir/visit.ts";
import { adjointLet, freshNumber, when } from "../fragments.ts";
import type { ActiveCall } from "../nested.ts";
import type { RewindSignature, ScheduledLoop } from "./checkpoint-schedule.ts";
import { copyIfWritten } from "./nested.ts";
import { addInto, zeroInto } from "./structure.ts";
import type { BodySweep, Reversing, Step } from "./sweep.ts";

/** A call of a loop that has a checkpoint schedule. */
interface ScheduledCall extends ActiveCall {
  readonly callee: ScheduledLoop;
}

export function scheduledLoopStep(call: ScheduledCall, body: BodySweep): Step {
  const { sweep, rank } = body;
  const { stmt, expr, callee: loop, active } = call;
  const { bind, origin } = stmt;
  const signature = sweep.nested.rewind(loop, active);
  for (const text of problemsOf(call, signature, body))
    sweep.problems.push({ kind: "scheduled", origin: loop.origin, text });
  const copies = expr.args.map((arg, i): Let | null =>
    i < signature.first ? null : copyIfWritten(arg, stmt, body),
  );
  const isTuple = bind.type.kind === "tuple";
  const counted: Let = {
    kind: "let",
    bind: freshNumber(sweep.names, "rounds"),
    expr: isTuple
      ? { kind: "load", object: bind, key: field(String(loop.outlined.carried)) }
      : { kind: "copy", atom: bind },
    origin,
  };
  body.frame.define(counted.bind);
  const shadow = isTuple && signature.carried.length > 0 ? sweep.shadowVar(bind) : null;
  if (shadow !== null) body.frame.define(shadow);
  return {
    forward: () => [
      ...copies.flatMap((copy): Stmt[] => (copy === null ? [] : [copy])),
      stmt,
      counted,
      ...(shadow === null ? [] : [adjointLet(shadow, { kind: "zeros", like: bind }, origin)]),
      ...copies.flatMap((copy, i) =>
        copy === null ? [] : sameLength(expr.args[i] ?? copy.bind, copy.bind, body, stmt),
      ),
    ],
    reverse: (rev, env) => {
      rev.origin = origin;
      const args = expr.args.map((arg, i): Atom => {
        const copy = copies[i] ?? null;
        if (copy === null) return body.value(arg);
        const object = body.value(copy.bind);
        // the schedule writes its arguments, so a second execution needs another copy
        return sweep.repeatable
          ? rev.let(copy.bind.name, copy.bind.type, { kind: "clone", object })
          : object;
      });
      const rewound = { call, signature, args, counted: counted.bind, shadow };
      reverseIterations(rewound, { rev, env, rank, body });
      if (shadow !== null && sweep.repeatable)
        zeroInto(rev, bind.type, body.value(shadow), sweep.types);
    },
  };
}

interface Rewound {
  readonly call: ScheduledCall;
  readonly signature: RewindSignature;
  readonly args: readonly Atom[];
  readonly counted: Var;
  readonly shadow: Var | null;
}

function reverseIterations(rewound: Rewound, reversing: Reversing): void {
  const { signature, args, counted, shadow } = rewound;
  const { expr, callee: loop } = rewound.call;
  const { rev, env, body } = reversing;
  const { facts, types } = body.sweep;
  const given = shadow === null ? null : body.value(shadow);
  const seeds = signature.carried.map((i): Atom => {
    if (given === null) return num(0);
    const type = shadowType(loop.params[i]?.type ?? NUM, types) ?? NUM;
    return rev.load("t", type, given, field(String(i - signature.first)));
  });
  const shadows = signature.shadows.map((i): Atom =>
    body.value(body.sweep.shadow(expr.args[i] ?? num(0))),
  );
  const sums = signature.sums.map((i): Atom => {
    const arg = expr.args[i];
    return (arg?.kind === "var" && facts.active(arg) ? env.take(rev, arg.name) : null) ?? num(0);
  });
  const from = loop.outlined.step === null ? [] : args.slice(0, 1);
  const state = args.slice(signature.first);
  const bars = rev.let("bars", signature.result, {
    kind: "call",
    callee: signature.name,
    args: [num(0), body.value(counted), ...from, ...state, ...shadows, ...seeds, ...sums],
  });
  contributeParts(rewound, bars, reversing);
}

/** Adds what `rewind` returns to the cotangents of the loop's arguments. */
function contributeParts(
  { call: { expr, callee: loop }, signature: { carried, sums } }: Rewound,
  bars: Var,
  { rev, env, rank, body }: Reversing,
): void {
  const { facts, types } = body.sweep;
  const part = (k: number, i: number): Atom => {
    const type = shadowType(loop.params[i]?.type ?? NUM, types) ?? NUM;
    return rev.load("t", k < carried.length ? type : NUM, bars, field(String(k)));
  };
  [...carried, ...sums].forEach((i, k) => {
    const arg = expr.args[i];
    if (arg === undefined || arg.kind === "const") return;
    if (!isScalarType(arg.type)) {
      if (facts.shadowed(arg))
        addInto(rev, arg.type, body.value(body.sweep.shadow(arg)), part(k, i), types);
      return;
    }
    if (!facts.active(arg)) return;
    const bar = part(k, i);
    env.add(arg, rank, () => bar);
  });
}

/** Why a loop cannot have a schedule. */
function problemsOf(
  { stmt, expr, callee: loop }: ScheduledCall,
  signature: RewindSignature,
  body: BodySweep,
): readonly string[] {
  const { sweep } = body;
  const { types, nested } = sweep;
  const iteration = nested.func(loop.outlined.iteration);
  const found: string[] = [];
  if (loop.original !== undefined) found.push("an iteration writes an object of the module");
  const isCopied = (arg: Atom, i: number): boolean =>
    i < signature.free
      ? i >= signature.first
      : shadowType(arg.type, types) !== null && !sweep.facts.isUnchanged(arg);
  const isRepeatable = ({ type }: Atom): boolean => isScalarType(type) || isPlain(type, types);
  if (expr.args.some((arg, i) => isCopied(arg, i) && !isRepeatable(loop.params[i] ?? arg)))
    found.push("what iterations change is no number, array or plain record");
  if (expr.args.some(({ kind }) => kind === "undef"))
    found.push(
      "an array or object that goes from iteration to iteration is not there before the first one",
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
        writes && whole.some((other, j) => j !== k && sweep.facts.mayOverlap(arg, other.arg)),
    )
  )
    found.push("an object that an iteration writes has two names in it");
  if (isRearranging(iteration, body))
    found.push("an iteration makes an array longer or shorter, or puts an object elsewhere");
  if (hasVisibleEffect(iteration.name, body))
    found.push("an iteration does something that cannot be done twice");
  return found;
}

/** Whether an iteration changes the length of an array that it does not allocate itself. */
function isRearranging(
  iteration: ScheduledLoop | { readonly name: string },
  body: BodySweep,
): boolean {
  return some(
    iteration.name,
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

/** Whether a function, or one that it calls, has an effect that is visible outside. */
export const hasVisibleEffect = (name: string, body: BodySweep): boolean =>
  some(
    name,
    body,
    (stmt) => stmt.kind === "let" && stmt.expr.kind === "extern" && stmt.expr.effect === "io",
  );

const nameOf = (atom: Atom): string => (atom.kind === "var" ? atom.name : "");

/** Whether a function or a callee has such a statement. `made`: what it allocates. */
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

/** A run-time test that the array is as long as before the loop, as its shadow is. */
function sameLength(array: Atom, copy: Atom, body: BodySweep, { origin }: Let): readonly Stmt[] {
  const shape = resolve(array.type, body.sweep.types);
  if (shape.kind !== "array" || shape.store !== "Array") return [];
  const b = body.sweep.entry.nested();
  b.origin = origin;
  const [now, before] = [array, copy].map((object) => b.length(object));
  const isOther = b.let("t", BOOL, {
    kind: "op",
    op: "ne",
    args: [now ?? num(0), before ?? num(0)],
  });
  when(b, isOther, (then) =>
    then.raise(
      "Error",
      "TSG3004: an array got another length in a loop that is reversed by a schedule",
    ),
  );
  return b.stmts;
}
