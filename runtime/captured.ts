// What functions capture, for derivatives that are emitted outside of their scope. In: a function
// that another function constructs, with accessors of its captured variables. Out: these, by the
// function. Invariant: a function keeps its own variables, so each instance has others.

import { codedError } from "./coded-error.ts";
import { Itself } from "./delta/object-data.ts";

class Capturing extends Itself {
  readonly #code: string;
  readonly #variables: object;

  constructor(f: object, code: string, variables: object) {
    super(f);
    this.#code = code;
    this.#variables = variables;
  }

  static has(f: unknown, code: string): boolean {
    return typeof f === "function" && #code in f && f.#code === code;
  }

  /** Null of other functions. */
  static of(f: unknown, code: string): object | null {
    return typeof f === "function" && #code in f && f.#code === code ? f.#variables : null;
  }
}

/**
 * Returns the function. `code`: names its source text; `variables`: accessors of what it captures;
 * `name`: its name without the call around it.
 */
export function capturing<F extends object>(
  f: F,
  code: string,
  variables: object,
  name?: string,
): F {
  if (name !== undefined) Object.defineProperty(f, "name", { value: name, configurable: true });
  if (!Capturing.has(f, code)) new Capturing(f, code, variables);
  return f;
}

/** The same for a method of a new object, which it returns. */
export function capturingMember<T extends object>(
  object: T,
  name: keyof T,
  code: string,
  variables: object,
): T {
  const method = object[name];
  if (typeof method === "function") capturing(method, code, variables);
  return object;
}

/** Whether the function has that source text. */
export const isCapturing = (f: unknown, code: string): boolean => Capturing.has(f, code);

/** The variables that a function captures; throws if its source text is another one. */
export function captured<T>(f: unknown, code: string): T;
export function captured(f: unknown, code: string): unknown {
  if (Capturing.has(f, code)) return Capturing.of(f, code);
  const name = typeof f === "function" ? f.name : String(f);
  throw codedError(
    `TSG0022: \`${name}\` is none of the functions that code of the program puts there (${code})`,
  );
}
