// Fuses arithmetic of numbers into one node. In: operand pairs of type `number`. Out: the plain
// value; its id has inlined partials: `r * x  ->  $d.linear2(r$id, x, x$id, r)`. Invariant: the
// primal keeps its bits; partials read unchanged operands or temporaries. A quotient is not
// multiplied on: a factor 0 must mask its unbounded slope.

import { type Code, code, NOTHING, unchecked, ZERO } from "../code/code.ts";
import type { Variable } from "./binding.ts";
import { capturesOf } from "./captures.ts";
import { asArgument, type Pair } from "./pair.ts";
import { ifRead, put, shown } from "../code/temporaries.ts";
import { operand, temporary, type Work } from "./work.ts";

/** A factor of a partial. `kind`: 0 a sum, 1 a product, 2 a name or number. */
interface Factor {
  readonly text: string;
  readonly kind: 0 | 1 | 2;
}

/** The value of a pair as a function of its operands. */
export interface Linear {
  /** The value, when it has been computed before. */
  readonly again: Factor;
  /** Keyed by the source text of an operand's id. */
  readonly partials: ReadonlyMap<string, Factor>;
  /** `v` stores a temporary that `i` reads. */
  readonly isLater: boolean;
  /** Locals that are read again. */
  readonly reads: readonly Variable[];
  /** Whether memory is read again. */
  readonly readsMemory: boolean;
  /** Partials may be unbounded where the value is not. */
  readonly hasPole: boolean;
}

const ONE: Factor = { text: "1", kind: 2 };
/** Parents of one node, at most: `$d.linear3` takes three. */
const MOST_PARENTS = 3;
/** Longest partial: beyond it, recomputing costs more than a node. */
const LONGEST = 120;

const inside = (factor: Factor): string => (factor.kind === 0 ? `(${factor.text})` : factor.text);

function negated(factor: Factor): Factor {
  if (factor.kind > 0 && factor.text.startsWith("-"))
    return { ...factor, text: factor.text.slice(1) };
  return { text: `-${inside(factor)}`, kind: 1 };
}

function times(a: Factor, b: Factor): Factor {
  if (a.text === "1") return b;
  if (b.text === "1") return a;
  if (a.text === "-1") return negated(b);
  if (b.text === "-1") return negated(a);
  return {
    text: `${inside(a)} * ${b.text.startsWith("-") ? `(${b.text})` : inside(b)}`,
    kind: 1,
  };
}

/** `a / b`, where `b` is a name or parenthesised. */
const over = (a: Factor, b: Factor): Factor => ({
  text: `${inside(a)} / ${b.kind === 2 ? b.text : `(${b.text})`}`,
  kind: 1,
});

const plus = (a: Factor, b: Factor): Factor => ({
  text:
    b.kind > 0 && b.text.startsWith("-")
      ? `${a.text} - ${b.text.slice(1)}`
      : `${a.text} + ${b.text}`,
  kind: 0,
});

/** A leaf: its value is `text`, which can be read again. */
export const leafOf = (
  text: string,
  id: string,
  reads: readonly Variable[],
  readsMemory: boolean,
): Linear => ({
  again: { text, kind: 2 },
  partials: id === "0" ? new Map() : new Map([[id, ONE]]),
  isLater: false,
  reads,
  readsMemory,
  hasPole: false,
});

const NUMBER = /^\d[\w.]*$/;
/** A name, a length or a number: as fast to read again as a temporary. */
const PLACE = /^[\p{ID_Continue}$.]+$/u;

/** `e  ->  (t = e, t1 = id of e, t)` */
function putAside(work: Work, pair: Pair): Pair {
  const value = temporary(work);
  if (pair.i === "0")
    return {
      ...pair,
      v: code`(${put(value, asArgument(pair))})`,
      level: 2,
      pure: false,
      linear: { ...leafOf(value, "0", [], false), isLater: true },
    };
  const id = temporary(work);
  return {
    ...pair,
    v: code`(${put(value, asArgument(pair))}${ifRead(id, code`, ${put(id, pair.i)}`)}, ${value})`,
    i: id,
    level: 2,
    pure: false,
    linear: { ...leafOf(value, id, [], false), isLater: true },
  };
}

/** Whether a partial is a number. */
const isSteady = ({ text }: Factor): boolean => NUMBER.test(text) || text === "-1";

interface Operand {
  readonly pair: Pair;
  readonly linear: Linear;
}

/** Stores an operand in a temporary. One with a single partial needs no node for that. */
function aside(work: Work, { pair, linear }: Operand): Operand {
  const [only, ...others] = linear.partials;
  return only === undefined || others.length > 0 || linear.hasPole
    ? asOperand(work, putAside(work, pair))
    : withPartialAside(work, pair, only);
}

/** `e  ->  (t = e, t1 = id of x, t2 = partial, t)` of what has one operand x. */
function withPartialAside(
  work: Work,
  pair: Pair,
  [id, partial]: readonly [string, Factor],
): Operand {
  const value = temporary(work);
  const own = temporary(work);
  const steady = isSteady(partial);
  const slope = steady ? unchecked(partial.text) : temporary(work);
  const factor: Factor = steady ? partial : { text: slope, kind: 2 };
  const v = code`(${put(value, asArgument(pair))}${ifRead(own, code`, ${put(own, unchecked(id))}`)}${steady ? NOTHING : ifRead(slope, code`, ${put(slope, unchecked(partial.text))}`)}, ${value})`;
  return {
    pair: { ...pair, v, level: 2, pure: false },
    linear: { ...leafOf(value, "0", [], false), partials: new Map([[own, factor]]), isLater: true },
  };
}

function asOperand(work: Work, pair: Pair): Operand {
  if (pair.linear !== undefined) return { pair, linear: pair.linear };
  if (pair.i === "0" && pair.pure) {
    const text = operand(work, pair);
    if (PLACE.test(shown(text))) return { pair, linear: leafOf(text, "0", [], !NUMBER.test(text)) };
  }
  return asOperand(work, putAside(work, pair));
}

/** Whether code of this noise may change what is read again. 1: it calls; 2: it assigns. */
const isUnsafe = (work: Work, { linear }: Operand, noise: 0 | 1 | 2): boolean =>
  noise > 0 &&
  (linear.readsMemory ||
    linear.reads.some(
      (variable) => variable.written && (noise === 2 || capturesOf(work.api, variable)),
    ));

/** The operands, simplified until each partial is short and the parents are few. */
function combinable(
  work: Work,
  left: Pair,
  right: Pair,
  operator: string,
): readonly [Operand, Operand] {
  let l = asOperand(work, left);
  let r = asOperand(work, right);
  if (isUnsafe(work, l, right.noise ?? 0)) l = aside(work, l);
  const isFactor = operator === "*" || operator === "/";
  if (isFactor && l.linear.hasPole) l = aside(work, l);
  if (isFactor && r.linear.hasPole) r = aside(work, r);
  const isMany = (): boolean =>
    new Set([...l.linear.partials.keys(), ...r.linear.partials.keys()]).size > MOST_PARENTS ||
    lengthOf(l) + lengthOf(r) > LONGEST;
  // The larger one first. A temporary has one operand and is short.
  if (isMany()) {
    if (
      l.linear.partials.size < r.linear.partials.size ||
      (l.linear.partials.size === r.linear.partials.size && lengthOf(l) < lengthOf(r))
    )
      r = aside(work, r);
    else l = aside(work, l);
  }
  if (isMany()) {
    if (l.linear.partials.size > 1 || lengthOf(l) >= lengthOf(r)) l = aside(work, l);
    else r = aside(work, r);
  }
  return [l, r];
}

const lengthOf = ({ linear }: Operand): number =>
  [...linear.partials.values()].reduce(
    (sum, { text }) => sum + shown(unchecked(text)).length,
    shown(unchecked(linear.again.text)).length,
  );

export const isLinear = (work: Work, left: Pair, right: Pair, operator: string): boolean =>
  work.context.perOperation !== true &&
  left.number === true &&
  right.number === true &&
  (left.i !== "0" || right.i !== "0") &&
  (operator === "+" ||
    operator === "-" ||
    operator === "*" ||
    operator === "/" ||
    (operator === "**" && right.v === "2"));

/** Longer arithmetic without ids gets a temporary where it is read again. */
const SHORT = 40;

/** Whether an operation of two numbers without ids is cheap enough to repeat. */
export const isAgain = (work: Work, left: Pair, right: Pair, operator: string): boolean =>
  work.context.perOperation !== true &&
  left.number === true &&
  right.number === true &&
  left.i === "0" &&
  right.i === "0" &&
  (operator === "+" || operator === "-" || operator === "*") &&
  [left, right].every((one) => one.linear !== undefined || PLACE.test(shown(operand(work, one)))) &&
  shown(left.v).length + shown(right.v).length < SHORT;

export function combined(work: Work, left: Pair, right: Pair, operator: string): Pair {
  const [l, r] = combinable(work, left, right, operator);
  const v = `${operand(work, l.pair)} ${operator} ${operand(work, r.pair)}`;
  const text = `${inner(l, operator, false)} ${operator} ${inner(r, operator, true)}`;
  const again: Factor =
    operator === "**"
      ? { text: `(${text})`, kind: 2 }
      : { text, kind: operator === "+" || operator === "-" ? 0 : 1 };
  const partials = new Map<string, Factor>();
  const add = (from: Operand, chained: (partial: Factor) => Factor): void => {
    for (const [id, partial] of from.linear.partials) {
      const own = chained(partial);
      const known = partials.get(id);
      partials.set(id, known === undefined ? own : plus(known, own));
    }
  };
  const common = {
    isLater: l.linear.isLater || r.linear.isLater,
    reads: [...l.linear.reads, ...r.linear.reads],
    readsMemory: l.linear.readsMemory || r.linear.readsMemory,
  };
  const noise = Math.max(l.pair.noise ?? 0, r.pair.noise ?? 0) as 0 | 1 | 2; // one of the two
  const pure = l.pair.pure && r.pair.pure;
  switch (operator) {
    // z = x + y          x' = 1, y' = 1
    case "+":
      add(l, (p) => p);
      add(r, (p) => p);
      break;
    // z = x - y          x' = 1, y' = -1
    case "-":
      add(l, (p) => p);
      add(r, negated);
      break;
    // z = x y            x' = y, y' = x
    case "*":
      add(l, (p) => times(p, r.linear.again));
      add(r, (p) => times(p, l.linear.again));
      break;
    // z = x ** 2         x' = 2 x
    case "**":
      add(l, (p) => times({ text: "2", kind: 2 }, times(l.linear.again, p)));
      break;
    // z = x / y          x' = 1 / y, y' = -z / y
    default: {
      add(l, (p) => over(p, r.linear.again));
      if (r.linear.partials.size === 0) break;
      const z = temporary(work);
      const value: Factor = { text: z, kind: 2 };
      add(r, (p) => {
        const slope = over(negated(times(value, p)), r.linear.again);
        // the quotient is 0 where an infinite `y` has an infinite slope
        return isSteady(p) ? slope : { text: `(${z} && ${slope.text})`, kind: 2 };
      });
      return paired(
        { v: code`(${put(z, unchecked(v))})`, level: 2, pure: false, noise },
        { ...common, isLater: true, hasPole: true, again: value, partials },
      );
    }
  }
  return paired(
    { v: unchecked(v), level: 1, pure, noise },
    { ...common, again, partials, hasPole: l.linear.hasPole || r.linear.hasPole },
  );
}

/** An operand inside a repeated value. `-` and `/` are not associative. */
function inner({ linear: { again } }: Operand, operator: string, isRight: boolean): string {
  if (again.kind === 2) return again.text;
  const needsNone =
    operator === "+" ||
    (operator === "-" && !isRight) ||
    (operator === "*" && again.kind === 1 && !isRight);
  return needsNone && !again.text.startsWith("-") ? again.text : `(${again.text})`;
}

/** `-x` of a number */
export function opposite(work: Work, pair: Pair): Pair {
  const own = asOperand(work, pair);
  const { linear } = own;
  const text = operand(work, own.pair);
  return paired(
    {
      v: unchecked(`-${/^[-+]/.test(text) ? `(${text})` : text}`),
      level: 1,
      pure: own.pair.pure,
      noise: pair.noise ?? 0,
    },
    {
      ...linear,
      again: {
        text: `-${linear.again.kind === 2 && !linear.again.text.startsWith("-") ? linear.again.text : `(${linear.again.text})`}`,
        kind: 1,
      },
      partials: new Map([...linear.partials].map(([id, p]) => [id, negated(p)])),
    },
  );
}

function paired(pair: Pick<Pair, "v" | "level" | "pure" | "noise">, linear: Linear): Pair {
  const all = [...linear.partials];
  const [first] = all;
  const i =
    first === undefined
      ? "0"
      : all.length === 1 && first[1].text === "1"
        ? first[0]
        : `$d.linear${all.length}(${all.map(([id, partial]) => `${id}, ${partial.text}`).join(", ")})`;
  return { ...pair, i: idOfText(i), linear, number: true };
}

/** Parts of the engine compare ids with that of what has none. */
const idOfText = (text: string): Code => (text === ZERO ? ZERO : unchecked(text));

/** Stores value and id. A partial that reads the old local is evaluated before the write. */
export function storing(work: Work, variable: Variable, value: Pair): readonly Code[] {
  const { name } = variable;
  const first = code`${name} = ${asArgument(value)}`;
  const second = code`${variable.id} = ${value.i}`;
  const { linear } = value;
  if (
    linear === undefined ||
    !linear.reads.includes(variable) ||
    !shown(value.i)
      .split(/[^\p{ID_Continue}$]+/u)
      .includes(name)
  )
    return [first, second];
  if (!linear.isLater) return [second, first];
  const t = temporary(work);
  return [put(t, asArgument(value)), second, code`${name} = ${t}`];
}
