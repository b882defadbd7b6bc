// Types of rewritten code. A value is exactly what the user's code would hold; its id is passed
// beside it.

import { codedError } from "../coded-error.ts";

/** `any`, since rewritten code is untyped and must allow all that the checked code did. */
export type Value = any;

/** Index of a node on the tape. 0 is `Zero`: no derivative. */
export type Id = number;

/** The rewritten form of a function: the ids of its arguments, then the arguments. */
export type DeltaFunction = (ids: Id[], ...args: Value[]) => Value;

/** Runs a native, moves ids accordingly and leaves the result's id in the register. */
export type Handler = (self: Value, args: Value[], ids: Id[]) => Value;

export interface Memory {
  failed: Error | null;
  readonly outer: Memory | undefined;
}

let memory: Memory | undefined;

/** Sets the run that errors belong to. */
export function setErrorOwner(own: Memory): void {
  memory = own;
}

/** An error of a derivative. The run remembers it, since user code may catch it. */
export function failure(code: string, text: string): Error {
  const error = codedError(`${code}: ${text}`);
  if (memory !== undefined) memory.failed ??= error;
  return error;
}

/** An error that only occurs within other runs; these remember it, too. */
export function failureAround(code: string, text: string): Error {
  const error = failure(code, text);
  for (let at = memory; at !== undefined; at = at.outer) at.failed ??= error;
  return error;
}

/** The error for a gradient of a non-number. */
export const noNumber = (value: Value): Error =>
  failure(
    "TSG0013",
    `a gradient is asked of a function that returned ${value === null ? "null" : `a value of type ${typeof value}`} in place of a number`,
  );

/** Throws an error that user code may have caught. */
export function throwCaught({ failed }: Memory): void {
  if (failed !== null) throw failed;
}

/** Where a stack is in rewritten code: `, in f at main.js:7`; nothing where names are minified. */
export function placeIn({ stack }: Error = new Error()): string {
  const [, name, at] =
    /(?:^|at )(?:new )?([^\s@]*\$delta[^\s@]*)(?: \[.*?\])?(?: \(|@)(.*:\d+):\d+\)?$/m.exec(
      stack ?? "",
    ) ?? [];
  return name === undefined
    ? ""
    : `, in \`${name.replace(/\$delta/g, "").replace(/^Object\./, "")}\` at ${String(at).replace(/^file:\/\//, "")}`;
}
