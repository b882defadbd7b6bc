// Errors of derivatives while they run. In: nothing. Out: rows of the registry. Invariant: each says where a derivative would
// have been lost; the runtime throws it in place of a gradient that is silently wrong.

import type { Entry } from "../entry.ts";

export const RUN = {
  TSG0010: {
    severity: "error", raisedBy: "runtime", slug: "unknown-derivative",
    message: "{0} is called with a number that a derivative has to pass through, but nothing is known of its derivative",
    help: "write it in the program, or mark it `differentiable(f)`",
    page: "The Delta engine follows numbers through functions of the program, of packages and of the language. What it meets while it runs and cannot follow, code of `new Function`, native add-ons, a method that is put on `Number.prototype`, code of a package that could not be rewritten, may run with numbers that no derivative depends on, and throws where one does.",
    bad: "const twice = new Function(\"x\", \"return 2 * x\");\nconst d = grad((x: number): number => twice(x));", good: "const twice = (x: number): number => 2 * x;\nconst d = grad((x: number) => twice(x));",
  },
  TSG0011: {
    severity: "error", raisedBy: "runtime", slug: "called-from-outside",
    message: "`{0}` was called by code that tsgrad does not know, and gave it a number that a derivative has to pass through",
    help: "call it from code that is differentiated as well",
    page: "A callback of rewritten code was called by a function that nothing is known of. What that function does with the number cannot be followed.",
    bad: "const d = grad((x: number): number => unknown(() => x * x));", good: "const d = grad((x: number): number => { const square = () => x * x; return square(); });",
  },
  TSG0012: {
    severity: "error", raisedBy: "runtime", slug: "through-text-or-bits",
    message: "a number with a derivative was written as text or as bits and is read back",
    help: "use the number itself, and `Math.round` where it has to be rounded",
    page: "`parseFloat(x.toFixed(2))`, `JSON.parse(JSON.stringify(x))`, and floats taken apart into 32-bit words: digits and bits have no derivative.",
    bad: "const d = grad((x: number) => Number(x.toFixed(2)) * x);", good: "const d = grad((x: number) => (Math.round(x * 100) / 100) * x);",
  },
  TSG0013: {
    severity: "error", raisedBy: "runtime", slug: "no-number-returned",
    message: "a gradient is asked of a function that returned {0} in place of a number",
    help: "return a number on every path",
    page: "The types promised a number, and the function returned something else when it ran.",
    bad: "const d = grad((x: number): number => (x > 0 ? x : (undefined as never)));", good: "const d = grad((x: number): number => (x > 0 ? x : 0));",
  },
  TSG0014: {
    severity: "error", raisedBy: "runtime", slug: "derivative-inside",
    message: "a derivative is taken inside of a function that is itself being differentiated, with respect to something that both depend on",
    help: "take the inner derivative outside of the function",
    page: "The Delta engine records first derivatives only; the static engine differentiates derivatives, too. An inner derivative that nothing outside depends on is allowed.",
    bad: 'const d = grad((x: number) => grad((y: number) => x * y * y)(x), { engine: "delta" });',
    good: "const d = grad((x: number) => grad((y: number) => x * y * y)(x));",
  },
  TSG0015: {
    severity: "error", raisedBy: "runtime", slug: "kept-from-earlier",
    message: "a variable or an object that a closure or a module keeps still holds a number that an earlier call computed",
    help: "compute it again, write it before it is read, or keep it where every call begins anew; what is meant to be a constant of later calls can be kept as `stopGradient(…)`",
    page: "A number that is remembered from one call to the next would be a constant in the next derivative, which would silently be zero. It makes no difference whether a derivative has computed it or the function itself, called as it stands: a memo of the last result is found filled either way. What comes with the arguments is the caller's, whoever computed it. A variable, a record or a table that a constant holds counts as new where it holds what it began with, or a constant that other code assigns (`total = 0` between calls); where other code assigns anything else, what it holds is a setting, but for a value that goes with a key which nobody else sets (`if (x !== last) { last = x; value = x * x; }`). The same holds of fields that no other file can write (private ones, and those of a class that is not exported), of elements of a list at constant places, and of whatever the code looks for before it writes it, in any object that it has not been given as an argument: a field (`cache.value ??= x * x`), an element or an entry under a computed name (`if (!known.has(x)) …`), a promise. Other fields and elements are followed between derivatives alone. State that is meant to be given, as that of a simulation that goes on, comes with the arguments: `grad((u: number, body: Body) => …)(u, body)`. Whether a result depends on where an iteration began is not known to tsgrad: one that begins where the last one ended, and a running mean, say what is a constant, `guess = stopGradient(y)`.",
    bad: "const memo = once((x: number) => x * x);\nconst d = grad((x: number) => memo(x));\nd(1);\nd(1);", good: "const d = grad((x: number) => once((y: number) => y * y)(x));",
  },
  TSG0016: {
    severity: "error", raisedBy: "runtime", slug: "not-converged",
    message: "`{0}` has not converged: after {1} steps {2}",
    help: "begin nearer to the solution, allow more steps (`maxSteps`), or ask for less (`tolerance`)",
    page: "The solvers of `tsgrad/implicit` return solutions only: of anything else there is no derivative by the implicit function theorem.",
    bad: "const d = grad((a: number) => rootFind((x) => x * x + a, 1));\nd(1);", good: "const d = grad((a: number) => rootFind((x) => x * x - a, 1));\nd(1);",
  },
  TSG0017: {
    severity: "error", raisedBy: "runtime", slug: "singular-solution",
    message: "a matrix is singular, so the solution of its system, or the one whose Jacobian it is, is not a function of the parameters there",
    help: "add equations, or a small multiple of the squared norm to what is minimised",
    page: "The implicit function theorem needs a Jacobian (of `argmin`: a Hessian; of `fixedPoint`: 1 less the Jacobian) that can be inverted. Where it cannot, the solution is not unique, or not smooth in the parameters.",
    bad: "const d = grad((a: number) => argmin((x) => (x[0] + x[1] - a) ** 2, [0, 0])[0]);\nd(1);", good: "const d = grad((a: number) => argmin((x) => (x[0] + x[1] - a) ** 2 + 1e-3 * (x[0] ** 2 + x[1] ** 2), [0, 0])[0]);\nd(1);",
  },
  TSG0018: {
    severity: "error", raisedBy: "runtime", slug: "solver-meets-nan",
    message: "`{0}` meets NaN or Infinity: {1}",
    help: "begin where the function is defined",
    page: "What the function of a solver of `tsgrad/implicit` returns has to be finite, or nothing is solved.",
    bad: "const d = grad((a: number) => rootFind((x) => Math.log(x) - a, -1));\nd(1);", good: "const d = grad((a: number) => rootFind((x) => Math.log(x) - a, 1));\nd(1);",
  },
  TSG0019: {
    severity: "error", raisedBy: "runtime", slug: "state-size",
    message: "`{0}` has a state of {1} numbers, and the function returns {2}",
    help: "return as many numbers as the state has",
    page: "As many equations as unknowns: with more there is no solution in general, with fewer it is not unique. The matrix of `solveLinear` is square.",
    bad: "rootFind((x) => [x[0] - x[1]], [1, 2]);", good: "rootFind((x) => [x[0] - x[1], x[0] + x[1] - 2], [1, 2]);",
  },
  TSG0020: {
    severity: "error", raisedBy: "runtime", slug: "into-shape",
    message: "what the derivative is to be written into {0}",
    help: "give an object of the shape that the derivative has: what an earlier call without `into` gave",
    page: "With `into: true` each number is written to its place in an object that the caller gives. An object of another shape would keep numbers that mean nothing.",
    bad: "const d = grad((x: number[]) => x[0] * x[1], { into: true });\nd([0], [1, 2]);", good: "const d = grad((x: number[]) => x[0] * x[1], { into: true });\nd([0, 0], [1, 2]);",
  },
  TSG0021: {
    severity: "error", raisedBy: "runtime", slug: "unforeseen",
    message: "{0} is met where the types say that there is none, so the bundle has no code for it",
    help: "give values the types that they have, without `any` and `as` on their way",
    page: "A bundle holds those parts of the Delta engine that the rewritten code needs by its types. A value of another kind is no constant: a derivative may have to pass through it.",
    bad: "const d = grad((x: number): number => { try { return x * x; } catch { return 0; } });\nd([3] as any);", good: "const d = grad((x: number): number => { try { return x * x; } catch { return 0; } });\nd(3);",
  },
  TSG0022: {
    severity: "error", raisedBy: "runtime", slug: "function-in-field",
    message: "`{0}` is none of the functions that code of the program puts there ({1})",
    help: "put a function there that stands at the top of a module of the program or is the library's, or ask for `{ engine: \"delta\" }`",
    page: "A call of a function that a field holds is a choice among all functions that code of the program puts into such fields. Of any other the derivative is not known.",
    bad: "interface Layer { w: number; act: (x: number) => number }\nconst net: Layer[] = [{ w: 2, act: Math.tanh }];\nconst given: Layer = Object.fromEntries([[\"w\", 1], [\"act\", (x: number) => x]]) as unknown as Layer;\nconst d = grad((l: Layer) => l.act(l.w));\nd(net[0]!);\nd(given);",
    good: "interface Layer { w: number; act: (x: number) => number }\nconst net: Layer[] = [{ w: 2, act: Math.tanh }];\nconst same = (x: number): number => x;\nconst given: Layer = { w: 1, act: same };\nconst d = grad((l: Layer) => l.act(l.w));\nd(net[0]!);\nd(given);",
  },
  TSG0023: {
    severity: "error", raisedBy: "runtime", slug: "place-not-listed",
    message: "a place is none of those that the type of its tuple or record lists",
    help: "stay within the places that the type lists, take an array for the tuple, or ask for `{ engine: \"delta\" }`",
    page: "An element of a tuple, or a field of a record, by a key that is computed is a choice among those that the type lists. Of any other the derivative has no place.",
    bad: "const d = grad((x: number, k: number): number => {\n  const pair: [number, number] = [x, 1];\n  pair[k] = x * x;\n  return pair[0] * pair[1];\n});\nd(3, 1);\nd(3, 2);",
    good: "const d = grad((x: number, k: number): number => {\n  const list: number[] = [x, 1];\n  list[k] = x * x;\n  return list[0] * list[1];\n});\nd(3, 1);\nd(3, 2);",
  },
} as const satisfies Record<string, Entry>;
