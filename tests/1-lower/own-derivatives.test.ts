// Functions that call derivatives of themselves are refused, and only those.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { programOf } from "../program.ts";

const HEAD = `import { grad, hessian, jvp, vjp } from "tsgrad";\n`;

test.each<[string, string, readonly string[]]>([
  [
    "by its own name",
    `function f(x: number): number { return x < 1 ? x : x * grad(f)(x / 2); }\nexport const d = grad(f);`,
    ["grad(f)(x / 2)"],
  ],
  [
    "through another function",
    `function f(x: number): number { return x < 1 ? x : g(x); }\nfunction g(x: number): number { return grad(f)(x / 2); }\nexport const d = vjp(f);`,
    ["grad(f)(x / 2)"],
  ],
  [
    "through a function in place",
    `function f(x: number): number { return x < 1 ? x : grad((y: number) => f(y) * x)(x / 2); }\nexport const d = hessian(f);`,
    ["grad((y: number) => f(y) * x)(x / 2)"],
  ],
  [
    "in forward mode",
    `function f(x: number): number { return x < 1 ? x : jvp(f)([x / 2], [1])[1]; }\nexport const d = grad(f);`,
    ["jvp(f)([x / 2], [1])"],
  ],
  [
    "of what does not call it",
    `function f(x: number): number { return x < 1 ? x : grad((y: number) => y * y * x)(x / 2) * f(x / 2); }\nexport const d = grad(f);`,
    [],
  ],
  [
    "one after another",
    `const f = (x: number): number => x ** 4;\nconst g = (x: number): number => grad(f)(x) * x;\nconst h = (x: number): number => grad(g)(x) * f(x);\nexport const d = grad(h);`,
    [],
  ],
])("%s", (_, body, places) => {
  const text = `${HEAD}${body}\n`;
  const { diagnostics } = analyse(programOf({ "a.ts": text }));
  expect(diagnostics.map(({ code, span }) => [code, text.slice(span.start, span.end)])).toEqual(
    places.map((place) => ["TSG3008", place]),
  );
});
