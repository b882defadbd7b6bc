// Codes 3 and 8: what the analyses and the engines find. In: nothing. Out: rows of the registry.

import type { Entry } from "../entry.ts";

export const DIFFERENTIATION = {
  TSG3001: {
    severity: "error", raisedBy: "pipeline", slug: "opaque-code",
    message: "cannot differentiate `{0}`: a value that the derivative depends on passes through it",
    help: "write it with accepted code, or keep such values out of it",
    page: "tsgrad runs this code as it stands and cannot see what it does with its arguments. Taking its derivative as zero would be wrong silently.",
    bad: "return Number(JSON.stringify(x));", good: "return x;",
  },
  TSG3002: {
    severity: "error", raisedBy: "pipeline", delta: true, slug: "argument-rearranged",
    message: "cannot differentiate with respect to `{0}` yet: arrays or objects in it are replaced",
    help: "replace them in a copy",
    page: "What belongs to an argument at the beginning and what it holds at the end are different objects then. Numbers in it may be written, and the elements of an array that is itself the argument may change places.",
    bad: "state.v = state.v.map((e) => 2 * e);", good: "const next = { ...state, v: state.v.map((e) => 2 * e) };",
  },
  TSG3003: {
    severity: "error", raisedBy: "pipeline", slug: "rule-captures",
    message: "cannot differentiate with respect to `{0}`, which the function in `{1}` sees outside of itself: its rule has no derivative for that",
    help: "pass `{0}` as an argument, and return its cotangent from the rule",
    page: "A rule of `customVjp` or `customJvp` is about arguments. Of what a function sees besides it says nothing, and a zero would be wrong silently.",
    bad: "const g = (k: number) => customVjp((x: number) => k * x, (x) => [k * x, (bar) => [k * bar]])(2);",
    good: "const g = customVjp((k: number, x: number) => k * x, (k, x) => [k * x, (bar) => [x * bar, k * bar]]);",
  },
  TSG3004: {
    severity: "error", raisedBy: "pipeline", slug: "schedule",
    message: "cannot reverse this loop by a schedule: {0}",
    help: "keep the state of the loop in numbers, in arrays and records of one shape that are written in place, or in variables that are assigned new ones; or leave `schedule` away",
    page: "`checkpoint(f, { schedule: \"log\" })` runs rounds of a loop again from copies of its state. A copy has to be made of everything that a round changes, and running a round twice must do nothing but compute.",
    bad: "const f = checkpoint((x: number): number => {\n  const seen: number[] = [];\n  let s = x;\n  for (let i = 0; i < 9; i++) { s = Math.sin(s); seen.push(s); }\n  return s + seen[0];\n}, { schedule: \"log\" });",
    good: "const f = checkpoint((x: number): number => {\n  let s = x;\n  for (let i = 0; i < 9; i++) s = Math.sin(s);\n  return s;\n}, { schedule: \"log\" });",
  },
  TSG3005: {
    severity: "error", raisedBy: "pipeline", slug: "stopped-written",
    message: "cannot differentiate a write through `{0}`, which is the object itself",
    help: "write the object by its own name, or write a copy",
    page: "`stopGradient(a)` is `a`, seen without derivative. A write in place, `stopGradient(a)[0] = x`, is a write of `a`. Where a variable that is assigned, or a function that is called, does the writing, tsgrad does not follow it.",
    bad: "let b = stopGradient(a);\nb[0] = x;", good: "a[0] = x;",
  },
  TSG3006: {
    severity: "error", raisedBy: "pipeline", slug: "beyond-rule",
    message: "cannot use the rule for `{0}`: the function {1}",
    help: "let the function write copies, and return something of its own",
    page: "A rule of `customVjp`, `customJvp`, `defineDerivative` or of a solver of `tsgrad/implicit` says how the result depends on the arguments. What the function writes besides, or a result that is an argument itself, would have a derivative of which the rule says nothing.",
    bad: "const f = customVjp((xs: number[]): number => { xs[0] = 2 * xs[0]; return xs[0]; }, rule);", good: "const f = customVjp((xs: number[]): number => 2 * xs[0], rule);",
  },
  TSG3007: {
    severity: "error", raisedBy: "pipeline", slug: "nested-write",
    message: "cannot take a derivative of this function inside of a function that is differentiated: it writes `{0}`",
    help: "let it write a copy",
    page: "Inside of a differentiated function the derivative of another one is made from the arguments as they are, and may run it more than once. What it writes besides would be seen by the code behind, with a derivative of its own. `jvp` runs the function once and is accepted where its tangents are written in place, as in `jvp(g)([x], [[1, 0]])`: a tangent that has a name would be written, too.",
    bad: "const g = (a: number[]): number => { a[0] *= 2; return a[0] * a[1]; };\nconst f = (x: number): number => grad(g)([x, x])[1];",
    good: "const g = (a: number[]): number => { const b = a.slice(); b[0] *= 2; return b[0] * b[1]; };\nconst f = (x: number): number => grad(g)([x, x])[1];",
  },
  TSG3008: {
    severity: "error", raisedBy: "lower", slug: "own-derivative",
    message: "cannot differentiate `{0}`: it calls a derivative of itself",
    help: "give what is called there a function of its own, one for each order",
    page: "The derivative of such a function calls its second derivative, that one the third, and so on: a build would never be done writing them. `{ engine: \"delta\" }` takes one while the program runs, and throws where it would have to be differentiated.",
    bad: "const f = (x: number): number => (x < 1 ? x * x : x * df(x / 2));\nconst df = grad(f);", good: "const f = (x: number): number => x * x;\nconst df = grad(f);\nconst h = (x: number): number => x * df(x / 2);\nconst dh = grad(h);",
  },
  TSG3009: {
    severity: "error", raisedBy: "pipeline", delta: true, slug: "value-of-any-kind",
    message: "cannot differentiate `{0}`: a number that the derivative depends on is kept where values of other types may be, too",
    help: "keep the number in a variable, a field or an array of its own",
    page: "Memory has a cotangent of the same shape, which its type has to say. A place of type `number | string` or `unknown` has none.",
    bad: "const cells: (number | string)[] = [\"a\", x];\nconst [, cell] = cells;\nreturn typeof cell === \"number\" ? cell : 0;", good: "const cells = { name: \"a\", value: x };\nreturn cells.value;",
  },
  TSG8001: {
    severity: "warning", raisedBy: "pipeline", slug: "only-indexes",
    message: "the derivative with respect to `{0}` is always zero: `{0}` is only used as an index, in a comparison or in integer arithmetic",
    help: "leave it out of `argnums`, or compute with it",
    page: "An index or a comparison does not change when its operand changes a little.",
    bad: "function f(i: number, xs: number[]) { return xs[i]; }\nconst g = grad(f);", good: "const g = grad(f, { argnums: 1 });",
  },
  TSG8002: {
    severity: "warning", raisedBy: "pipeline", slug: "independent-result",
    message: "the derivative of `{0}` with respect to `{1}` is always zero: the result does not depend on it",
    help: "leave it out of `argnums`, or use it",
    page: "Asking for a derivative that is always zero is nearly always a mistake.",
    bad: "function f(x: number, y: number) { return y * y; }\nconst g = grad(f);", good: "const g = grad(f, { argnums: 1 });",
  },
  TSG8003: {
    severity: "warning", raisedBy: "pipeline", slug: "argument-written",
    message: "the derivative of `{0}` writes its argument `{1}`, as `{0}` does",
    help: "copy the argument first if the caller still needs it",
    page: "The derivative runs the function with the same effects.",
    bad: "function f(xs: number[]) { xs[0] = 2; return xs[1]; }\nconst g = grad(f);", good: "",
  },
} as const satisfies Record<string, Entry>;
