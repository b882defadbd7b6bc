// Codes 12xx: expressions outside the accepted subset. In: nothing. Out: rows of the registry.

import type { Entry } from "../entry.ts";

export const EXPRESSIONS = {
  TSG1201: {
    severity: "error", raisedBy: "lower", delta: true, slug: "expression",
    message: "cannot differentiate this {0} yet",
    help: "write it with the expressions that are listed in the README",
    page: "Expressions of this kind are not accepted yet.",
    bad: "return new.target;", good: "",
  },
  TSG1202: {
    severity: "error", raisedBy: "lower", delta: true, slug: "dynamic-key",
    message: "cannot differentiate `{0}`: the field is chosen while the program runs",
    help: "name the field, or use an array",
    page: "The shadow of an object has the fields of its type.",
    bad: "return m[k];", good: "return m.a;",
  },
  TSG1203: {
    severity: "error", raisedBy: "lower", slug: "no-rule", delta: true,
    message: "cannot differentiate `{0}`: it has no derivative rule",
    help: "write it out",
    page: "tsgrad knows the derivatives of the standard library's arithmetic. This function is not among them yet.",
    bad: "return Math.f16round(x);", good: "return x;",
  },
  TSG1204: {
    severity: "error", raisedBy: "lower", delta: true, slug: "optional-call",
    message: "cannot differentiate this optional call",
    help: "test the function before: `if (f) f(x)`",
    page: "Which function is called, if any, is known only at run time.",
    bad: "return h?.(x) ?? 0;", good: "return h(x);",
  },
  TSG1205: {
    severity: "error", raisedBy: "lower", delta: true, slug: "assignment-target",
    message: "cannot differentiate the assignment to `{0}`",
    help: "assign to a variable, an element or a field",
    page: "Only local variables and memory whose type is known can be followed.",
    bad: "Object.prototype.k = x;", good: "",
  },
  TSG1206: {
    severity: "error", raisedBy: "lower", delta: true, slug: "new",
    message: "cannot differentiate `new {0}`",
    help: "make the value with a literal or a function",
    page: "Only `Array` and the typed arrays can be made with `new` so far.",
    bad: "const d = new DataView(b);", good: "",
  },
  TSG1207: {
    severity: "error", raisedBy: "lower", delta: true, slug: "maybe-missing",
    message: "cannot differentiate `{0}`: it may be missing here",
    help: "test it, or give it a default with `??`",
    page: "A value that is not there has no cotangent.",
    bad: "return m.k * x;", good: "return (m.k ?? 1) * x;",
  },
  TSG1208: {
    severity: "error", raisedBy: "lower", delta: true, slug: "array-shape",
    message: "cannot differentiate `{0}`: it changes the order or the number of elements in place",
    help: "make a new array, with `slice`, `concat` or a loop",
    page: "This is said of a `sort` whose comparison is not one expression written in place, and of methods that change a tuple.",
    bad: "xs.sort();", good: "",
  },
  TSG1209: {
    severity: "error", raisedBy: "lower", delta: true, slug: "callback",
    message: "cannot differentiate this callback: {0}",
    help: "pass an arrow function written in place",
    page: "An array method is written out as a loop around the callback's body.",
    bad: "return xs.map(fs[0]);", good: "return xs.map((x) => x * x);",
  },
  TSG1210: {
    severity: "error", raisedBy: "lower", delta: true, slug: "element-type",
    message: "cannot differentiate the array method `{0}` here: {1}",
    help: "write the loop out",
    page: "The method's result type is not one that derivatives can pass through.",
    bad: "", good: "",
  },
  TSG1211: {
    severity: "error", raisedBy: "lower", delta: true, slug: "argument-count",
    message: "cannot differentiate the call of `{0}`: it has {1}",
    help: "pass exactly the arguments that the parameters take",
    page: "The derivative is called with one argument per parameter.",
    bad: "return f(x, x);", good: "",
  },
  TSG1212: {
    severity: "error", raisedBy: "lower", delta: true, slug: "bigint",
    message: "cannot differentiate `bigint` arithmetic",
    help: "use `number`",
    page: "Derivatives are defined for `number` only.",
    bad: "return Number(1n * 2n) * x;", good: "return 2 * x;",
  },
  TSG1301: {
    severity: "error", raisedBy: "pipeline", slug: "delta",
    message: "cannot differentiate `{0}` with the Delta engine: {1}",
    help: "write it with other code",
    page: "The Delta engine rewrites whole functions as they stand; this it does not know.",
    bad: "eval(\"x\");", good: "",
  },
  TSG1302: {
    severity: "error", raisedBy: "lower", slug: "delta-second",
    message: "cannot differentiate `{1}` twice, as `{0}` has to: the Delta engine records first derivatives only",
    help: "leave out what only the Delta engine accepts, and its option, or take differences of `grad`",
    page: "`hessian` and `hvp` are derivatives of a derivative. The tape of the Delta engine holds numbers, so what it recorded cannot be differentiated again.",
    bad: "const h = hessian(f, { engine: \"delta\" });", good: "const h = hessian(f);",
  },
} as const satisfies Record<string, Entry>;
