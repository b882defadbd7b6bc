// Whether another package may call a package: by what the ones that are installed depend on.

import { expect, test } from "vitest";
import { dependentsOf, packagesIn } from "../../transformer/driver/package-code/dependents.ts";

const FILE = "/p/node_modules/lib/dist/state.js";
const installed = (manifests: Readonly<Record<string, object>>) => {
  const texts = new Map(
    Object.entries(manifests).map(([name, manifest]): [string, string] => [
      `/p/node_modules/${name}/package.json`,
      JSON.stringify({ name, ...manifest }),
    ]),
  );
  return { readFile: (file: string): string | undefined => texts.get(file) };
};

test.each<[what: string, packages: readonly string[], Readonly<Record<string, object>>, boolean]>([
  ["itself alone", ["lib"], {}, false],
  ["one without dependencies", ["lib", "a"], { a: {} }, false],
  ["one that depends on it", ["a"], { a: { dependencies: { lib: "1" } } }, true],
  ["one that is used with it", ["@s/a"], { "@s/a": { peerDependencies: { lib: "1" } } }, true],
  [
    "one whose dependency does",
    ["a"],
    { a: { dependencies: { b: "1" } }, b: { dependencies: { lib: "1" } } },
    true,
  ],
  [
    "two that depend on each other",
    ["a"],
    { a: { dependencies: { b: "1" } }, b: { dependencies: { a: "1" } } },
    false,
  ],
  ["one that is not to be found", ["a"], {}, true],
])("%s", (_, packages, manifests, expected) => {
  expect(dependentsOf(packages, installed(manifests)).has(FILE)).toBe(expected);
});

test("the packages that a text imports", () => {
  const text = `import a from "a"; import "./own"; export { b } from '@s/b/sub'; const c = require("c/d"); await import("e"); import fs from "node:fs"; import { grad } from "tsgrad";`;
  expect(packagesIn(text)).toEqual(["a", "@s/b", "c", "e"]);
});
