// An error of the static engine about a call that the Delta engine takes is no error, but the
// reason why the call is not compiled to plain code.

const REFUSAL = "cannot differentiate ";

/** "cannot differentiate `f`: …" -> "the static engine does not take `f`: …" */
export const reasonForDelta = (message: string): string =>
  message.startsWith(REFUSAL)
    ? `the static engine does not take ${message.slice(REFUSAL.length)}`
    : `the static engine does not take it: ${message}`;
