// Codes 0: set-up and run time; 9: internal. In: nothing. Out: rows of the registry.

import type { Entry } from "../entry.ts";

export const SETUP = {
  TSG0001: {
    severity: "error", raisedBy: "runtime", slug: "not-compiled",
    message: "`{0}` was called, but no build step has replaced this call",
    help: "build with `npx tspc -p .` (TypeScript 5.9 or 6 and ts-patch), `npx tsgrad build -p .`, or the esbuild or Vite plugin; `tsc` of TypeScript 7 ignores plugins",
    page: "tsgrad works at build time: the build puts the derivative behind the call's last argument. Without that step the call has nothing to return, so it throws instead of giving a wrong number.",
    bad: "npx tsc -p .   # no plugin ran", good: "npx tspc -p .",
  },
  TSG0002: {
    severity: "error", raisedBy: "lower", slug: "form-not-called",
    message: "`{0}` is used without being called",
    help: "call it where the function is known, `{0}(f)`; it exists at build time only, so it cannot be stored, passed on or called with `apply`",
    page: "`grad`, `valueAndGrad`, `vjp` and `derivativeSource` are forms that the build replaces. The build has to see the call and the function in it.",
    bad: "const d = grad;\nconst g = d(f);", good: "const g = grad(f);",
  },
  TSG0003: {
    severity: "error", raisedBy: "lower", slug: "dynamic-import",
    message: "`{0}` is imported with `{1}`, which the build does not follow",
    help: "write `import { grad } from \"{0}\"` at the top of the file",
    page: "The build finds calls through import declarations, aliases and re-exports. What a dynamic import or a `require` call returns is a run-time value.",
    bad: "const { grad } = await import(\"tsgrad\");", good: "import { grad } from \"tsgrad\";",
  },
  TSG0004: {
    severity: "error", raisedBy: "runtime", slug: "aliased-arguments",
    message: "argument {0} and argument {1} are the same object, and the function writes it",
    help: "pass a copy, for instance `a.slice()`",
    page: "The derivative keeps one cotangent per place of each argument. Where two arguments, or an argument and an object of an enclosing scope, are one object that the function writes, it is not defined which of the two a contribution belongs to, so the derived function throws instead of choosing. What is only read has a part for each place, and so has what is written by way of one and neither read nor written by way of the other, as a counter in a layer that stands in a list twice; the Delta engine, which has one shadow for each object, throws there as well. An argument that is an object of the module, too, which the function only reads under its own name (`grad(f)(W)` where `f` reads `W`), is a constant there: static code gives the derivative in the argument alone, the Delta engine in the object under both names, so pass a copy. Two names that a module has for one object are known when the derivative runs only: `{ engine: \"delta\" }` follows the object itself. Objects of recursive types (trees, graphs) may stand anywhere: each has one shadow, in which the contributions of all its places meet.",
    bad: "const d = grad((out: number[], a: number[]) => { out[0] = a[0] * 2; return out[0] * a[0]; });\nd(xs, xs);", good: "d(xs, xs.slice());",
  },
  TSG0005: {
    severity: "error", raisedBy: "host", slug: "transform-program",
    message: "`tsgrad/transform` is named in tsconfig.json as a transformer of single files, which cannot add derivatives",
    help: "write `{ \"transform\": \"tsgrad/transform\", \"transformProgram\": true }`",
    page: "A derivative is type-checked and stands beside its function, whichever file that is in, so the plugin has to see the whole program.",
    bad: "{ \"plugins\": [{ \"transform\": \"tsgrad/transform\" }] }", good: "{ \"plugins\": [{ \"transform\": \"tsgrad/transform\", \"transformProgram\": true }] }",
  },
  TSG9001: {
    severity: "error", raisedBy: "internal", slug: "internal",
    message: "tsgrad failed on this code: {0}",
    help: "this is a mistake in tsgrad, please report it with the function that is named here",
    page: "A check inside tsgrad did not hold. No derivative is emitted for the call.",
    bad: "", good: "",
  },
  TSG9002: {
    severity: "error", raisedBy: "host", slug: "emitted-code",
    message: "the code that tsgrad emitted for `{0}` does not type-check: {1}",
    help: "this is a mistake in tsgrad, please report it with the function that is named here",
    page: "Emitted code is type-checked with your settings. An error in it is never yours.",
    bad: "", good: "",
  },
} as const satisfies Record<string, Entry>;
