// Our own mistakes, as opposed to the user's. In: a condition that must hold. Out: nothing, or an InvariantError.
// Leaf: imported by every phase. Invariant: never thrown because of what a user wrote.

export class InvariantError extends Error {
  constructor(message: string) {
    super(`tsgrad internal error: ${message}`);
    this.name = "InvariantError";
  }
}

export function invariant(cond: boolean, message: string | (() => string)): asserts cond {
  if (!cond) throw new InvariantError(typeof message === "string" ? message : message());
}
