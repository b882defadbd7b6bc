// Internal errors as diagnostics. Input: what was thrown, and the function that it concerns.
// Output: a diagnostic at the function. Invariant: no internal error goes by unreported.

import type { ChainLink, Diagnostic, Span } from "./report.ts";
import type { Sink } from "./sink.ts";

/** Where an internal error is reported: `name` is the function as the user wrote it. */
export interface Concerned {
  readonly name: string;
  readonly span: Span;
  readonly chain?: readonly ChainLink[];
}

/** Reports what was thrown. Code that exhausts the stack is the only cause that a user can mend. */
export function reportInternal(
  sink: Sink,
  error: unknown,
  { name, span, chain = [] }: Concerned,
): Diagnostic {
  if (isStackOverflow(error)) return sink.report("TSG9003", span, chain, name);
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return sink.report("TSG9001", span, chain, name, what);
}

export const isInternal = ({ code }: Diagnostic): boolean =>
  code === "TSG9001" || code === "TSG9003";

/** Whether an error, or its cause, is an exhausted stack. */
export const isStackOverflow = (error: unknown): boolean =>
  error instanceof Error &&
  ((error instanceof RangeError && /call stack/i.test(error.message)) ||
    isStackOverflow(error.cause));
