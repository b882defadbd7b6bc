import { expect, test } from "vitest";
import { errorLines, lowerHeads } from "./heads.ts";

const IMPORT = `import { grad } from "tsgrad";\n`;

// name, module text with a mark where the home is to be (none: the module's end), expected name and scope
const CASES: readonly [string, string, string, "module" | "block"][] = [
  ["declaration", "export function f(x: number) { return x; }\ngrad(f);", "f", "module"],
  ["arrow in a module", "const slope = grad((x: number) => x * x);", "slope", "module"],
  [
    "arrow without captures in a function",
    "function main() { const slope = grad((x: number) => x * x); return slope; }",
    "slope",
    "module",
  ],
  [
    "arrow with captures",
    "function main(k: number) {\n  const slope = grad((x: number) => k * x);\n  return slope;\n/*here*/}",
    "slope",
    "block",
  ],
  [
    "arrow that captures a loop's variable",
    "for (const k of [1]) { grad((x: number) => k * x); /*here*/}",
    "f",
    "block",
  ],
  [
    "arrow that captures a local type",
    "function main() { interface P { a: number }\n  return grad((p: P) => p.a);\n/*here*/}",
    "f",
    "block",
  ],
  [
    "field names are no captures",
    "function main() { const o = { a: 1 };\n  return [o, grad((x: { a: number }) => x.a)]; }",
    "f",
    "module",
  ],
  [
    "nested function",
    "function main(k: number) {\n  function f(x: number) { return k * x; }\n  return grad(f);\n/*here*/}",
    "f",
    "block",
  ],
  [
    "nested const",
    "function main() {\n  if (true) {\n    const f = (x: number) => x;\n    return grad(f);\n  /*here*/}\n  return null;\n}",
    "f",
    "block",
  ],
  [
    "arrow in an argument of a call",
    "function solve(h: unknown) { return h; }\nsolve(grad((x: number) => x));",
    "f",
    "module",
  ],
  [
    "name of a function expression",
    "const s = grad(function named(x: number) { return x; });",
    "named",
    "module",
  ],
  [
    "made name that is a function already",
    "function slope(x: number) { return x; }\nfunction main() { const slope = grad((x: number) => x); return slope; }\ngrad(slope);",
    "slope2",
    "module",
  ],
  [
    "field of an object",
    "export const api = { slope: grad((x: number) => x) };",
    "slope",
    "module",
  ],
  [
    "case of a switch",
    "function main(k: number) { switch (k) { case 1: const j = k; return grad((x: number) => j * x); /*here*/} return null; }",
    "f",
    "block",
  ],
];

test.each(CASES)("home: %s", (_name, module, name, scope) => {
  const text = IMPORT + module;
  const lowered = lowerHeads({ "a.ts": text });
  expect(errorLines(lowered)).toEqual([]);
  const homes = [...lowered.program.homes.values()];
  const marked = text.indexOf("/*here*/");
  expect(homes[0]).toMatchObject({
    name,
    scope,
    at: marked < 0 ? text.length : marked + "/*here*/".length,
  });
});

test("two arrows that would get one name", () => {
  const lowered = lowerHeads({
    "a.ts": `${IMPORT}grad((x: number) => x);\ngrad((x: number) => x * x);`,
  });
  expect([...lowered.program.homes.values()].map((home) => home.name)).toEqual(["f", "f2"]);
});

test("indentation of a block", () => {
  const lowered = lowerHeads({
    "a.ts": `${IMPORT}function main(k: number) {\n    return grad((x: number) => k * x);\n}`,
  });
  expect([...lowered.program.homes.values()][0]?.indent).toBe("    ");
});

test("captures of an expression-bodied arrow have no place", () => {
  const lowered = lowerHeads({
    "a.ts": `${IMPORT}export const h = (k: number) => grad((x: number) => k * x);`,
  });
  expect(errorLines(lowered)).toEqual([
    "TSG1008 cannot differentiate this function in place: it captures `k`, and no block in which `k` is known can hold its derivative",
  ]);
});

test("export names", () => {
  const exported = (declaration: string): string | undefined =>
    lowerHeads({ "a.ts": `${IMPORT}${declaration}\ngrad(f);` }).program.homes.get("f")?.exportName;
  expect(exported("export function f(x: number) { return x; }")).toBe("f");
  expect(exported("function f(x: number) { return x; }\nexport { f as h };")).toBe("h");
  expect(exported("export default function f(x: number) { return x; }")).toBe("default");
  expect(exported("function f(x: number) { return x; }")).toBeUndefined();
});
