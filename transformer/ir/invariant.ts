// Internal errors. What a user writes never causes one.

export class InvariantError extends Error {
  constructor(message: string) {
    super(`tsgrad internal error: ${message}`);
    this.name = "InvariantError";
  }
}

export function invariant(cond: boolean, message: string | (() => string)): asserts cond {
  if (!cond) throw new InvariantError(typeof message === "string" ? message : message());
}
