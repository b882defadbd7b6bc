// The loops of a function and their stacks. In: the function that was differentiated, its optimised derivatives. Out: what a round of each leaves on tapes, and
// rows of text that say it. Invariant: bytes are counted in the code that is emitted, not in what differentiation asked for.

import type { Body, For, Func, Origin, Stmt, Type, While } from "../ir/types.ts";
import { walkStmts } from "../ir/visit.ts";
import type { Places } from "./places.ts";

/** What a number or a reference takes on a tape, and in a BOG. */
export const BYTES = 8;

/** What a round of a loop leaves on tapes, inner loops' rounds not counted. */
export interface Pushes {
  readonly numbers: Range;
  readonly references: Range;
  /** Names of the types of BOGs among the references. */
  readonly bogs: readonly string[];
}

/** Least and most values that one round pushes. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

/** A loop of the primal with what became of it: more than one loop where its function is inlined more than once. */
export interface LoopStack {
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

/** One a loop, in the order of the primal. */
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

const NONE: Pushes = {
  numbers: { least: 0, most: 0 },
  references: { least: 0, most: 0 },
  bogs: [],
};
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

/** One row a loop, in the order of the primal; `loop1` is its stack. `fieldsOf`: how many fields a BOG has. */
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
    return `stack: ${texts.join(", or ")}${kept.length === 1 ? "" : `, each of the ${kept.length} times that it is written`}`;
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

/** `24 bytes per round (2 numbers, 1 reference)` */
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
  return `${rangeText({ least: total.least * BYTES, most: total.most * BYTES })} bytes per round (${parts.join(", ")}${held.length === 0 ? "" : `, to ${held.join(" and ")}`})`;
}

const rangeText = ({ least, most }: Range): string =>
  least === most ? String(most) : `${least} to ${most}`;
