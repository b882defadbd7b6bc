// Copies of modules without instrumentation: they must be what the packages are, and no more than what is needed of them.

import ts from "typescript";
import { describe, expect, test } from "vitest";
import { copyOf, evaluated, textOf } from "./copies.ts";

const call = (f: unknown, ...args: unknown[]): unknown => {
  if (typeof f !== "function") throw new Error("not a function");
  return Reflect.apply(f, undefined, args);
};

const VALUES: readonly (readonly [
  specifier: string,
  exportName: string,
  args: readonly unknown[],
  result: unknown,
])[] = [
  ["esm-flat", "square", [3], 9],
  ["esm-flat", "half", [3], 1.5],
  ["esm-flat", "default", [4], 8],
  ["esm-stars", "a", [1], 2],
  ["esm-stars", "renamed", [2], 6],
  ["esm-stars", "fromDefault", [2], 1],
  ["esm-outward", "both", [2], 12],
  // 2x, 3x and x: what a module does to a shared registry, unless it is marked as pure; the default of a module in a cycle
  ["esm-registers", "all", [2], 12],
  // 3 (2x + 3): what is done to a prototype under other names
  ["esm-prototypes", "tree", [2], 21],
  ["cjs-plain", "sum", [[1, 2, 3]], 6],
  ["cjs-function", "default", [2, 1, 1, 1], 7],
  ["cjs-flat", "near", [3], 4],
  ["cjs-flat", "far", [3], 4],
  ["umd", "lerp", [1, 3, 0.5], 2],
  ["dual", "which", [], "import"],
  ["requires-dual", "which", [], "require"],
  ["dual/deep/inner", "inner", [3], 10],
  ["@scope/source", "power", [3], 9],
  ["@scope/source", "head", [[3, 4]], 6],
  ["circular", "even", [3, 2], -25],
  ["across", "mean", [[1, 2, 6]], 3],
  ["across", "platform", [], "/"],
];

describe("a copy behaves as the module", () => {
  test.each(VALUES)("%s: %s", async (specifier, exportName, args, result) => {
    const { value } = await copyOf(specifier, exportName);
    expect(call(value, ...args)).toEqual(result);
  });

  test("constants, JSON, enums, globals of hosts", async () => {
    expect((await copyOf("cjs-plain", "scale")).value).toBe(2.5);
    expect((await copyOf("umd", "host")).value).toBe("none");
    expect((await copyOf("@scope/source", "Mode")).value).toEqual({ 1: "A", 2: "B", A: 1, B: 2 });
  });

  test("namespaces", async () => {
    const { value } = await copyOf("esm-stars", "*");
    expect(
      Object.keys(Object(value))
        .filter((key) => key !== "__esModule")
        .sort(),
    ).toEqual(["a", "fromDefault", "math", "never", "renamed"]);
    expect(call(Reflect.get(Object((await copyOf("esm-stars", "math")).value), "b"), 2)).toBe(6);
  });

  test("exported variables are live", async () => {
    const { text } = textOf({ wanted: [{ specifier: "esm-flat", exportName: "*" }] });
    const [all] = await evaluated(text);
    expect(Reflect.get(Object(all), "calls")).toBe(0);
    call(Reflect.get(Object(all), "square"), 2);
    expect(Reflect.get(Object(all), "calls")).toBe(1);
  });

  test("what is imported for its effect is evaluated", async () => {
    const { value } = await copyOf("augmented", "Box");
    expect(Object(Reflect.construct(Object(value), [4])).twice()).toBe(8);
  });
});

test("a module that is imported for its effect and has none", async () => {
  const { value } = await copyOf("imports-nothing", "half");
  expect(call(value, 6)).toBe(3);
});

describe("pruning", () => {
  test.each([
    ["esm-flat", "square", ["cube"], ["Unused", "neverAsked", "twice", "unusedEffect", "HALF"]],
    ["esm-flat", "half", ["HALF"], ["cube", "square", "Unused"]],
    ["esm-stars", "renamed", ["x * 3"], ["x - 1", "x + 1", "never"]],
    ["cjs-flat", "near", ["ONE", "cjs-plain/lib/add"], ["far", "cjs-function", "twice"]],
    ["cjs-flat", "P", ["twice"], ["near", "require("]],
    ["cjs-flat", "default", ["twice", "near", "far"], []],
    ["esm-classes", "Vec", ["prototype.scale", "class Shape"], ["Unit", "isVec", "neverKept"]],
  ] as const)("%s: %s", async (specifier, exportName, kept, gone) => {
    const { text } = await copyOf(specifier, exportName);
    for (const part of kept) expect(text).toContain(part);
    for (const part of gone) expect(text).not.toContain(part);
  });

  test("one copy of a module for all its imports", () => {
    const { text } = textOf({
      wanted: [
        { specifier: "esm-stars", exportName: "a" },
        { specifier: "esm-stars", exportName: "math" },
      ],
    });
    expect(text.statements.filter((s) => s.includes("esm-stars/a.js#"))).toHaveLength(1);
    expect(text.statements.filter((s) => s.startsWith("$d.linkModule"))).toHaveLength(1);
    expect([...text.dependencies].sort()).toContain("/app/node_modules/esm-stars/a.js");
  });
});

describe("what cannot be followed", () => {
  test("types are needed, or the package's name in the options", () => {
    const wanted = [{ specifier: "untyped", exportName: "cube" }];
    expect(textOf({ wanted }).values).toEqual([
      { kind: "refused", why: "untyped", specifier: "untyped" },
    ]);
    expect(textOf({ wanted, untyped: ["untyped"] }).values).toEqual([
      { kind: "linked", cell: null },
    ]);
  });

  test("no source", () => {
    expect(
      textOf({
        wanted: [
          { specifier: "native", exportName: "f" },
          { specifier: "not-there", exportName: "f" },
        ],
      }).values.map((v) => v.kind === "refused" && v.why),
    ).toEqual(["no-source", "no-source"]);
  });

  test("no such export", () => {
    expect(textOf({ wanted: [{ specifier: "esm-stars", exportName: "nothing" }] }).values).toEqual([
      { kind: "refused", why: "no-export", specifier: "esm-stars", exportName: "nothing" },
    ]);
  });

  test("modules of Node and JSON have no derivative", () => {
    expect(
      textOf({
        wanted: [
          { specifier: "node:fs", exportName: "*" },
          { specifier: "path", exportName: "join" },
          { specifier: "cjs-plain/data.json", exportName: "default" },
        ],
      }).values,
    ).toEqual([{ kind: "inert" }, { kind: "inert" }, { kind: "inert" }]);
  });

  test("what runs: the compiled file, not its source beside it", () => {
    const wanted = [{ specifier: "sources-beside", exportName: "f" }];
    expect(textOf({ wanted }).text.dependencies).toEqual([
      "/app/node_modules/sources-beside/index.js",
      "/app/node_modules/sources-beside/inner.js",
    ]);
  });

  test("what runs: Node's choice for Node, a bundler's elsewhere", () => {
    const wanted = [{ specifier: "two-builds", exportName: "f" }];
    const node = {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
    };
    expect(textOf({ wanted, options: node }).text.dependencies).toEqual([
      "/app/node_modules/two-builds/main.js",
    ]);
    expect(textOf({ wanted }).text.dependencies).toEqual([
      "/app/node_modules/two-builds/module.js",
    ]);
  });
});
