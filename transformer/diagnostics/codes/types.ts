// Codes 2: types of arguments, results and values. In: nothing. Out: rows of the registry.

import type { Entry } from "../entry.ts";

export const TYPES = {
  TSG2001: {
    severity: "error", raisedBy: "lower", slug: "any-target",
    message: "cannot differentiate `{0}`: its type is `any`",
    help: "give it a function type and a body in this program",
    page: "`any` says neither what the function takes nor where its source is.",
    bad: "const f: any = (x: number) => x * x;\nconst g = grad(f);", good: "const f = (x: number) => x * x;",
  },
  TSG2002: {
    severity: "error", raisedBy: "lower", delta: true, slug: "any-value",
    message: "cannot differentiate `{0}`: {1} has type `{2}`",
    help: "write its type, as a number, an array, a tuple or a plain object",
    page: "Which derivative an operation has depends on the types of its operands.",
    bad: "function f(x: any) { return x * x; }", good: "function f(x: number) { return x * x; }",
  },
  TSG2003: {
    severity: "error", raisedBy: "lower", slug: "result-not-number",
    message: "`{0}` needs a function that returns a number, but `{1}` returns `{2}`",
    help: "return a number, or use `vjp({1})`",
    page: "A gradient is the derivative of one number.",
    bad: "function f(x: number) { return [x, x]; }\nconst g = grad(f);", good: "const g = vjp(f);",
  },
  TSG2004: {
    severity: "error", raisedBy: "lower", slug: "argument-without-numbers",
    message: "cannot differentiate `{0}` with respect to `{1}`: its type `{2}` holds no numbers",
    help: "choose another argument with `argnums`",
    page: "Strings, booleans and the like have no cotangent.",
    bad: "function f(s: string, x: number) { return x * s.length; }\nconst g = grad(f);", good: "const g = grad(f, { argnums: 1 });",
  },
  TSG2005: {
    severity: "error", raisedBy: "lower", slug: "result-without-numbers",
    message: "cannot differentiate `{0}`: its result of type `{1}` holds no numbers",
    help: "return what the derivative is wanted of",
    page: "Without a number in the result there is nothing to seed the backward pass with.",
    bad: "function f(x: number) { return x > 0; }\nconst g = vjp(f);", good: "function f(x: number) { return x; }",
  },
  TSG2006: {
    severity: "error", raisedBy: "lower", slug: "aux-result",
    message: "`hasAux` needs a function that returns `[number, aux]`, but `{0}` returns `{1}`",
    help: "return a tuple of the number and the rest, with the type written out",
    page: "With `hasAux` the first element is differentiated and the second one is handed through.",
    bad: "function f(x: number) { return x * x; }\nconst g = grad(f, { hasAux: true });", good: "function f(x: number): [number, string] { return [x * x, \"ok\"]; }",
  },
  TSG2007: {
    severity: "error", raisedBy: "lower", delta: true, slug: "opaque-argument",
    message: "cannot differentiate `{0}` with respect to `{1}`: {2} are not accepted yet",
    help: "use numbers, arrays, tuples and plain objects",
    page: "The shadow of a value has its shape, so the shape must be one that tsgrad knows.",
    bad: "function f(m: { k: number; rest: number | { a: number } }) { return m.k; }", good: "function f(m: { k: number; rest: { a: number } }) { return m.k; }",
  },
  TSG2008: {
    severity: "error", raisedBy: "lower", delta: true, slug: "opaque-result",
    message: "cannot differentiate `{0}`: its result is of type `{1}`, and {2} are not accepted yet",
    help: "return numbers, arrays, tuples and plain objects",
    page: "The cotangent of a value has its shape, so the shape must be one that tsgrad knows.",
    bad: "function f(x: number) { return new Map([[\"a\", x]]); }", good: "function f(x: number) { return { a: x }; }",
  },
} as const satisfies Record<string, Entry>;
