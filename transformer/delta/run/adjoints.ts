// Accumulates a number's partials towards leaves with ids, in one reverse walk. In: graph and
// number. Out: partials by source text of the id. Invariant: unbounded slopes, and factors under an
// unchosen side, are not multiplied with adjoint 0, as on the tape. Other factors are: `1 / (x *
// Infinity)` has no slope.

import { num, NUM } from "../../ir/build.ts";
import type { ScalarOp } from "../../ir/ops.ts";
import type { Atom } from "../../ir/types.ts";
import { isConstant, partialOf, type Partial, type RuleValues } from "../../rules/rule.ts";
import { SCALAR } from "../../rules/scalar.ts";
import { isFlatAtInfinity, isUnbounded, mayOverflow, slopeOf } from "../../rules/slopes.ts";
import type { Graph, Num } from "./graph.ts";

/** Keyed by the source text of an id. */
export type Partials = ReadonlyMap<string, Num>;

export function partialsOf(graph: Graph, of: Num): Partials {
  const adjoints = new Map<Num, Num>();
  const found = new Map<string, Num>();
  /** Numbers that count only where a choice selects them. */
  const conditional = new Set<Num>();
  /** Numbers whose adjoint is 0 where they are infinite. */
  const vanishing = new Set<Num>();
  const add = <Key>(into: Map<Key, Num>, key: Key, amount: Num): void => {
    const known = into.get(key);
    into.set(key, known === undefined ? amount : graph.guards.sum(known, amount));
  };
  add(adjoints, of, graph.literal(1));
  for (const node of varyingIn(of)) {
    const adjoint = adjoints.get(node);
    if (adjoint === undefined) continue;
    if (node.op === null) add(found, node.id, adjoint);
    else
      node.args.forEach((arg, k) => {
        const given = arg.varies
          ? contribution(graph, node, k, {
              adjoint,
              isConditional: conditional.has(node),
              isVanishing: vanishing.has(node),
            })
          : null;
        if (given === null) return;
        if (vanishing.has(node) || isFlattened(node, k)) vanishing.add(arg);
        if (!given.isConditional) conditional.delete(arg);
        else if (!adjoints.has(arg)) conditional.add(arg);
        add(adjoints, arg, given.amount);
      });
  }
  return found;
}

const partialAt = ({ op, args }: Num, place: number): Partial | null =>
  op === null ? null : partialOf(SCALAR[op], place, args.length);

/** The operands that a derivative flows to. */
export const passedTo = (node: Num): readonly Num[] =>
  node.args.filter((arg, k) => arg.varies && partialAt(node, k) !== null);

/** Active numbers that it depends on, youngest first. */
function varyingIn(of: Num): readonly Num[] {
  const met = new Set(of.varies ? [of] : []);
  for (const node of met) for (const arg of passedTo(node)) met.add(arg);
  return [...met].sort((a, b) => b.at - a.at);
}

/** Rows that choose. Elsewhere a `select` is a factor that the program has chosen. */
const CHOOSING: ReadonlySet<ScalarOp> = new Set<ScalarOp>(["abs", "hypot", "max", "min", "pow"]);

/** `c ? s : 0`, `-(c ? s : 0)` */
const isChoice = ({ op, args: [inner] }: Num): boolean =>
  op === "select" || (op === "neg" && inner?.op === "select");

/** What is known of a number. */
interface Reached {
  readonly adjoint: Num;
  readonly isConditional: boolean;
  readonly isVanishing: boolean;
}

/** A term of an adjoint. `isConditional`: only where a choice selects it. */
interface Contribution {
  readonly amount: Num;
  readonly isConditional: boolean;
}

// x$bar += s y'(x)
function contribution(
  graph: Graph,
  node: Num,
  place: number,
  { adjoint, isConditional, isVanishing }: Reached,
): Contribution | null {
  const { guards } = graph;
  const args = node.args.map((arg) => graph.atom(arg));
  const partial = partialAt(node, place);
  if (node.op === null || partial === null) return null;
  const { op } = node;
  const values = valuesOf(graph, node, args);
  const slope = slopeOf(op, place, args);
  const isExponent = op === "pow" && place === 1;
  const hasPole = isUnbounded(slope) || isExponent || op === "hypot" || op === "asinh";
  const isPlain = slope === "total" || isByLiteral(node);
  let chooses = VANISHING.has(op) || (op === "pow" && hasPole);
  const scaled = (seed: Num): Num => {
    const from = graph.atom(seed);
    const amount = partial(graph, values, from);
    const isUntaken = guards.mayBeUntaken(seed);
    const isMasked =
      seed.value === null &&
      graph.node(amount) !== seed &&
      (hasPole ||
        (op === "mul" && (isConditional || (isVanishing && factorOverflows(node, place)))) ||
        (isUntaken && !isPlain));
    chooses ||= CHOOSING.has(op) && isChoice(graph.node(amount));
    const own = graph.node(
      isMasked ? graph.select(graph.op("eq", from, ZERO), ZERO, amount) : amount,
    );
    return isUntaken ? guards.handedOn(own) : own;
  };
  const given = op === "select" ? (seed: Num) => sideOf(graph, node, place, seed) : scaled;
  const amount = guards.isOfOneSide(adjoint) ? guards.mapped(adjoint, given) : given(adjoint);
  return amount.value === 0 ? null : { amount, isConditional: isConditional || chooses };
}

/** Asks the operands first, in a loop: a chain of numbers may be long. */
const memoised = (find: (node: Num) => boolean): ((node: Num) => boolean) => {
  const known = new WeakMap<Num, boolean>();
  return (node) => {
    const open = [node];
    for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
      const next = last.args.find((arg) => !known.has(arg));
      if (next !== undefined) open.push(next);
      else {
        if (!known.has(last)) known.set(last, find(last));
        open.pop();
      }
    }
    return known.get(node) === true;
  };
};

const operand = ({ value, at }: Num): Atom =>
  value === null ? { kind: "var", name: `x${at}`, type: NUM } : num(value);

/** Whether a number may be infinite by overflow. Nothing is known of those from outside. */
const overflows = memoised(({ op, args, varies }) =>
  op === null
    ? varies
    : args.some(overflows) || args.some((_, i) => mayOverflow(op, i, args.map(operand))),
);

const factorOverflows = ({ args }: Num, place: number): boolean => {
  const other = args[1 - place];
  return other !== undefined && overflows(other);
};

/** Whether it passes a slope of 0 to an operand that is infinite. */
const isFlattened = ({ op, args }: Num, place: number): boolean => {
  const arg = args[place];
  return (
    op !== null &&
    arg !== undefined &&
    isFlatAtInfinity(op, place, args.map(operand)) &&
    overflows(arg)
  );
};

/** Slopes that are 0 where the operand is infinite. They count as choices. */
const VANISHING: ReadonlySet<ScalarOp> = new Set<ScalarOp>([
  "acosh",
  "asinh",
  "atan2",
  "cbrt",
  "log10",
  "log2",
]);

/** `2 x`, `x / 2` */
const isByLiteral = ({ op, args }: Num): boolean =>
  (op === "mul" && args.some(isSmall)) ||
  (op === "div" && args[1] !== undefined && isSmall(args[1]));
const isSmall = ({ value }: Num): boolean =>
  value !== null && value !== 0 && Number.isFinite(value);

/** `c ? s : 0`, as its row says, with separate sides. */
function sideOf(graph: Graph, { args: [condition] }: Num, place: number, seed: Num): Num {
  const none = graph.literal(0);
  return condition === undefined
    ? none
    : graph.guards.of(condition, place === 1 ? seed : none, place === 1 ? none : seed);
}

const ZERO: Atom = { kind: "const", type: { kind: "num" }, value: 0 };

function valuesOf(graph: Graph, node: Num, args: readonly Atom[]): RuleValues {
  const arg = (k: number): Atom => args[k] ?? ZERO;
  return {
    isLast: true,
    get x() {
      return arg(0);
    },
    get z() {
      return arg(1);
    },
    get y() {
      return graph.atom(node);
    },
    arg,
    isConstant: (k, value) => isConstant(args[k], value),
  };
}
