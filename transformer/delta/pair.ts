// The two source texts of an expression, with the parentheses they need. Invariant: `i`, evaluated
// directly after `v`, is the id of the value; "0" where it never has one.

import { code, type Code, ZERO } from "../code/code.ts";
import type { Linear } from "./linear.ts";

export const ID: Code = code`$d.id`;

export interface Pair {
  readonly v: Code;
  readonly i: Code;
  /** 2 a call, member or name; 1 an operator; 0 a comma. */
  readonly level: 0 | 1 | 2;
  /** Evaluating it changes nothing: no call, no assignment. */
  readonly pure: boolean;
  /** The emitted expression has a type of its own, not `any`. */
  readonly typed?: boolean;
  /** It has no id and may be an object, which an operator would convert to a number. */
  readonly object?: boolean;
  /** It has no id and may be a string that a number was converted to. */
  readonly text?: boolean;
  /** The objects of its value have no recorded ids at any depth. */
  readonly inert?: boolean;
  /** Its type is `number`. */
  readonly number?: boolean;
  /** What evaluating it may write: 1 state that called functions see, 2 also locals. */
  readonly noise?: 0 | 1 | 2;
  /** It is arithmetic of numbers. */
  readonly linear?: Linear;
  /** The same as statements, when the value is unused. */
  readonly parts?: readonly Code[];
}

export const plain = (v: Code, level: 0 | 1 | 2 = 2, pure = true): Pair => ({
  v,
  i: ZERO,
  level,
  pure,
});
export const called = (v: Code): Pair => ({ v, i: ID, level: 2, pure: false });

/** `object` and `text` of a value that is one of the pairs. */
export const objectOf = (...pairs: readonly Pair[]): Pick<Pair, "object" | "text"> => ({
  object: pairs.some((pair) => pair.object === true),
  text: pairs.some((pair) => pair.text === true),
});

export const asArgument = (pair: Pair): Code => (pair.level === 0 ? code`(${pair.v})` : pair.v);
export const flat = (pair: Pair): Code => code`${asArgument(pair)}, ${pair.i}`;
/** The value with its id in the register. */
export const returned = (pair: Pair): Code =>
  pair.i === ID ? asArgument(pair) : code`$d.ret(${flat(pair)})`;
