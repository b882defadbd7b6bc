// The two texts of an expression. In: texts. Out: pairs and the parentheses they need. Invariant: `i`, evaluated directly after
// `v`, is the id of the value; "0" where it never has one.

import type { Linear } from "./linear.ts";

export const ID = "$d.id";

export interface Pair {
  readonly v: string;
  readonly i: string;
  /** 2 a call, member or name; 1 an operator; 0 a comma. */
  readonly level: 0 | 1 | 2;
  /** Evaluating it changes nothing: no call, no assignment. */
  readonly pure: boolean;
  /** Has a type of its own in the emitted text, not `any`. */
  readonly typed?: boolean;
  /** Without an id, and perhaps an object: an operator would ask it for its number. */
  readonly object?: boolean;
  /** Without an id, and perhaps text that a number was written as. */
  readonly text?: boolean;
  /** In the objects that it stands for no ids are kept, at any depth. */
  readonly inert?: boolean;
  /** Its type is `number`. */
  readonly number?: boolean;
  /** What evaluating it may write: 1 what functions that it calls see, 2 locals, too. */
  readonly noise?: 0 | 1 | 2;
  /** It is arithmetic of numbers. */
  readonly linear?: Linear;
  /** The same as statements, the value being dropped. */
  readonly parts?: readonly string[];
}

export const plain = (v: string, level: 0 | 1 | 2 = 2, pure = true): Pair => ({
  v,
  i: "0",
  level,
  pure,
});
export const called = (v: string): Pair => ({ v, i: ID, level: 2, pure: false });

/** What `object` and `text` are of a value that one of the pairs becomes. */
export const objectOf = (...pairs: readonly Pair[]): Pick<Pair, "object" | "text"> => ({
  object: pairs.some((pair) => pair.object === true),
  text: pairs.some((pair) => pair.text === true),
});

export const asArgument = (pair: Pair): string => (pair.level === 0 ? `(${pair.v})` : pair.v);
export const flat = (pair: Pair): string => `${asArgument(pair)}, ${pair.i}`;
/** The value with its id in the register. */
export const returned = (pair: Pair): string =>
  pair.i === ID ? asArgument(pair) : `$d.ret(${flat(pair)})`;
