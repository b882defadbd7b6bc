// Bounds checks of loops. In: steps. Out: a condition on bounds and lengths, tested after the loop;
// "false" where unknown. Bounds need not be integers, since a fraction is no index.

import type { Num } from "../run/graph.ts";
import { plainly } from "../run/expression.ts";
import type { List, Place } from "../run/values.ts";
import type { Loop, Step, Swept, Write } from "./loop.ts";

/** The sum of a source text and an integer. `isOpen`: exclusive. */
interface Edge {
  readonly text: string;
  readonly plus: number;
  readonly isOpen: boolean;
}
interface Range {
  readonly low: Edge;
  readonly high: Edge;
}

type Sweep = Pick<Swept, "places" | "counters" | "kept">;

export function insideOf(steps: readonly Step[], swept: Sweep, lists: ReadonlySet<List>): string {
  const conditions = new Set<string>();
  const reading = new Reading(swept, lists, conditions);
  return reading.all(steps, new Map()) ? [...conditions].join(" && ") || "true" : "false";
}

class Reading {
  readonly #swept: Sweep;
  readonly #lists: ReadonlySet<List>;
  readonly #conditions: Set<string>;

  constructor(swept: Sweep, lists: ReadonlySet<List>, conditions: Set<string>) {
    this.#swept = swept;
    this.#lists = lists;
    this.#conditions = conditions;
  }

  all(steps: readonly Step[], around: ReadonlyMap<string, Range>): boolean {
    return steps.every((step) => {
      if (step.kind === "write") return this.#write(step, around);
      if (step.kind === "strip") return false;
      const range = this.#rounds(step, around);
      return range !== null && this.all(step.steps, new Map([...around, [step.counter, range]]));
    });
  }

  #rounds({ range: { from, below } }: Loop, around: ReadonlyMap<string, Range>): Range | null {
    const low = this.#range(from, around, []);
    const high = this.#range(below, around, []);
    return low === null || high === null
      ? null
      : { low: low.low, high: { ...high.high, isOpen: true } };
  }

  #write(write: Write, around: ReadonlyMap<string, Range>): boolean {
    const found: Place[] = write.isPushed ? [] : [write.place];
    const visit = (node: Num): void => {
      const place = this.#swept.places.get(node);
      if (place !== undefined) found.push(place);
      node.args.forEach(visit);
    };
    visit(write.value);
    return found.every(({ list, index }) => {
      if (!this.#lists.has(list)) return true;
      const range = this.#range(index, around, write.counted);
      return range !== null && this.#require(range, list);
    });
  }

  #require({ low, high }: Range, { name }: List): boolean {
    const length = `${name}.length`;
    const least = low.isOpen ? low.plus + 1 : low.plus;
    if (low.text !== "") this.#conditions.add(`${low.text} >= ${-least}`);
    else if (least < 0) return false;
    const behind = high.plus + (high.isOpen ? 0 : 1);
    if (this.#swept.kept.get(high.text) !== length || behind > 0)
      this.#conditions.add(`${sum(high.text, behind)} <= ${length}`);
    return true;
  }

  #range(
    number: Num,
    around: ReadonlyMap<string, Range>,
    counted: readonly string[],
  ): Range | null {
    const {
      op,
      args: [a, b],
      text,
      value,
    } = number;
    if (op === null) {
      const rounds = around.get(text);
      if (rounds !== undefined) return rounds;
      // the counter of `at++` starts at 0 or above
      if (this.#swept.counters.has(text))
        return { low: edge("", 0), high: { ...edge(text, 0), isOpen: counted.includes(text) } };
      if (value !== null)
        return Number.isInteger(value) ? { low: edge("", value), high: edge("", value) } : null;
      return this.#swept.places.has(number)
        ? null
        : { low: edge(plainly(number), 0), high: edge(plainly(number), 0) };
    }
    const left = a === undefined ? null : this.#range(a, around, counted);
    const right = b === undefined ? null : this.#range(b, around, counted);
    if (left === null || right === null) return null;
    if (op === "add")
      return { low: added(left.low, right.low), high: added(left.high, right.high) };
    return op === "sub"
      ? { low: taken(left.low, right.high), high: taken(left.high, right.low) }
      : null;
  }
}

const edge = (text: string, plus: number): Edge => ({ text, plus, isOpen: false });

const added = (a: Edge, b: Edge): Edge => ({
  text: a.text === "" || b.text === "" ? a.text + b.text : `${a.text} + ${b.text}`,
  plus: a.plus + b.plus,
  isOpen: a.isOpen || b.isOpen,
});

function taken(a: Edge, b: Edge): Edge {
  const plus = a.plus - b.plus;
  const isOpen = a.isOpen || b.isOpen;
  if (b.text === "" || a.text === b.text)
    return { text: b.text === "" ? a.text : "", plus, isOpen };
  return {
    text: `${a.text === "" ? "0" : a.text} - ${/^[\p{ID_Continue}$.]+$/u.test(b.text) ? b.text : `(${b.text})`}`,
    plus,
    isOpen,
  };
}

const sum = (text: string, plus: number): string =>
  text === ""
    ? String(plus)
    : plus === 0
      ? text
      : `${text} ${plus < 0 ? "-" : "+"} ${Math.abs(plus)}`;
