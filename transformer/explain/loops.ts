// Rows of `tsgrad explain` about the loops of a function: what each iteration pushes onto tapes.
// Counts pushes in the emitted code, after optimisation.

import type { Body, For, Func, Origin, Stmt, Type, While } from "../ir/types.ts";
import { walkStmts } from "../ir/visit.ts";
import type { Places } from "./places.ts";

/** Bytes of a number or a reference on a tape and in a BOG. */
export const BYTES = 8;

/** What one iteration pushes, without inner loops. */
export interface Pushes {
  readonly numbers: Range;
  readonly references: Range;
  /** Type names of the BOGs among the references. */
  readonly bogs: readonly string[];
}

/** The least and the most values that one iteration pushes. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

/** A loop of the primal with the emitted loops: several if its function is inlined repeatedly. */
interface LoopStack {
  readonly loop: For | While;
  readonly emitted: readonly { readonly loop: For | While; readonly pushes: Pushes }[];
}

const isLoop = (stmt: Stmt): stmt is For | While => stmt.kind === "for" || stmt.kind === "while";
const keyOf = (origin: Origin): string => `${origin.file}:${origin.start}:${origin.end}`;

function loopsOf(body: Body): readonly (For | While)[] {
  const loops: (For | While)[] = [];
  walkStmts(body, (stmt) => {
    if (isLoop(stmt)) loops.push(stmt);
  });
  return loops;
}

/** One per loop, in the order of the primal. */
export function stacksOf(primal: Func, derived: readonly Func[]): readonly LoopStack[] {
  const found = new Map<string, LoopStack["emitted"]>();
  for (const func of derived) {
    for (const loop of loopsOf(func.body))
      found.set(keyOf(loop.origin), [
        ...(found.get(keyOf(loop.origin)) ?? []),
        { loop, pushes: pushesIn(loop.body) },
      ]);
  }
  const loops = new Map(loopsOf(primal.body).map((loop) => [keyOf(loop.origin), loop]));
  return [...loops].map(([key, loop]) => ({ loop, emitted: found.get(key) ?? [] }));
}

const ZERO: Range = { least: 0, most: 0 };
const NONE: Pushes = { numbers: ZERO, references: ZERO, bogs: [] };
const ONE: Range = { least: 1, most: 1 };

function pushesIn(body: Body): Pushes {
  return body.stmts.reduce((sum, stmt) => {
    if (stmt.kind === "push")
      return plus(
        sum,
        pushOf(stmt.tape.type.kind === "tape" && stmt.tape.type.of === "ref", stmt.value.type),
      );
    if (stmt.kind !== "if") return sum;
    const [then, otherwise] = [pushesIn(stmt.then), pushesIn(stmt.else)];
    return plus(sum, {
      numbers: either(then.numbers, otherwise.numbers),
      references: either(then.references, otherwise.references),
      bogs: [...then.bogs, ...otherwise.bogs],
    });
  }, NONE);
}

const pushOf = (isReference: boolean, type: Type): Pushes =>
  isReference
    ? {
        ...NONE,
        references: ONE,
        bogs: type.kind === "named" && type.name.includes("$Bog") ? [type.name] : [],
      }
    : { ...NONE, numbers: ONE };

const either = (x: Range, z: Range): Range => ({
  least: Math.min(x.least, z.least),
  most: Math.max(x.most, z.most),
});
const both = (x: Range, z: Range): Range => ({ least: x.least + z.least, most: x.most + z.most });
const plus = (x: Pushes, z: Pushes): Pushes => ({
  numbers: both(x.numbers, z.numbers),
  references: both(x.references, z.references),
  bogs: [...x.bogs, ...z.bogs],
});

const isReverse = (loop: For | While): boolean => {
  let found = false;
  walkStmts(loop.body, (stmt) => {
    if (stmt.kind === "accum" || (stmt.adjoint === true && stmt.kind !== "push")) found = true;
  });
  return found;
};

/** One row per loop, in the order of the primal. `fieldsOf`: the number of fields of a BOG. */
export function loopRows(
  primal: Func,
  derived: readonly Func[],
  places: Places,
  fieldsOf: (bog: string) => number,
): readonly (readonly string[])[] {
  return stacksOf(primal, derived).map(({ loop, emitted }, i) => [
    `loop${i + 1}`,
    places.line(loop.origin),
    places.head(loop.origin),
    stackText(emitted, fieldsOf),
  ]);
}

function stackText(emitted: LoopStack["emitted"], fieldsOf: (bog: string) => number): string {
  const kept = emitted
    .map(({ pushes }) => pushes)
    .filter(({ numbers, references }) => numbers.most + references.most > 0);
  if (kept.length > 0) {
    const texts = [...new Set(kept.map((pushes) => pushesText(pushes, fieldsOf)))];
    const times = kept.length === 1 ? "" : `, each of the ${kept.length} times that it is written`;
    return `stack: ${texts.join(", or ")}${times}`;
  }
  const reverse = emitted.filter(({ loop }) => isReverse(loop));
  if (emitted.length === 0) return "not in the derivative: nothing reads what it computes";
  if (reverse.length === 0) return "runs forward only: no derivative passes through it";
  if (reverse.length === emitted.length)
    return emitted.length === 1
      ? "fused: forward and reverse in one pass, no stack"
      : "fused: no stack";
  return "no stack: what its reverse reads is computed or read again";
}

/** `24 bytes per iteration (2 numbers, 1 reference)` */
function pushesText(
  { numbers, references, bogs }: Pushes,
  fieldsOf: (bog: string) => number,
): string {
  const total = both(numbers, references);
  const parts = [
    ...(numbers.most > 0 ? [`${rangeText(numbers)} number${numbers.most === 1 ? "" : "s"}`] : []),
    ...(references.most > 0
      ? [`${rangeText(references)} reference${references.most === 1 ? "" : "s"}`]
      : []),
  ];
  const held = bogs.map((bog) => `a BOG of ${fieldsOf(bog)} fields`);
  const bytes = rangeText({ least: total.least * BYTES, most: total.most * BYTES });
  const targets = held.length === 0 ? "" : `, to ${held.join(" and ")}`;
  return `${bytes} bytes per iteration (${parts.join(", ")}${targets})`;
}

const rangeText = ({ least, most }: Range): string =>
  least === most ? String(most) : `${least} to ${most}`;
