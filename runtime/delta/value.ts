// The one type of values in rewritten code, which is untyped, and of what is kept about it.
// Invariant: a value is exactly what the user's own code would hold; its id travels beside it.

/** `any`, because rewritten code has no types: it must accept every operation that the user's own, checked code did. */
export type Value = any;

/** Index of a node on the tape; 0 is `Zero`: no derivative passes. */
export type Id = number;

/** The rewritten form of a function: the ids of its arguments, then the arguments. */
export type DeltaFunction = (ids: Id[], ...args: Value[]) => Value;

/** Computes what a native computes, moves the ids along and leaves that of the result in the register (`ret`). */
export type Handler = (self: Value, args: Value[], ids: Id[]) => Value;

/** What a run remembers of errors. */
export interface Memory {
  failed: Error | null;
  readonly outer: Memory | undefined;
}

let memory: Memory | undefined;

/** The run that errors belong to from now on. */
export function rememberIn(own: Memory): void {
  memory = own;
}

/** An error of a derivative at run time. The run that is being recorded remembers it, so that a `catch` of the user's does not make a zero of it. */
export function failure(code: string, text: string): Error {
  const error = new Error(`${code}: ${text}`);
  if (memory !== undefined) memory.failed ??= error;
  return error;
}

/** The same of an error that there would be none of in a run that nothing is recorded around: those around it remember it, too. */
export function failureAround(code: string, text: string): Error {
  const error = failure(code, text);
  for (let at = memory; at !== undefined; at = at.outer) at.failed ??= error;
  return error;
}

/** A gradient of what is no number. */
export const noNumber = (value: Value): Error =>
  failure(
    "TSG0013",
    `a gradient is asked of a function that returned ${value === null ? "null" : `a value of type ${typeof value}`} in place of a number`,
  );

/** The user's code may have caught an error of the derivative, and gone on without. */
export function throwCaught({ failed }: Memory): void {
  if (failed !== null) throw failed;
}
