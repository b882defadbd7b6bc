// Coverage of a project whose tests run all of its own code, by both providers of vitest: derivatives do not count.

import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { Sandbox } from "../hosts/sandbox.ts";
import { install, pack } from "./install.ts";

const FILES = {
  "tsconfig.json": JSON.stringify({
    compilerOptions: {
      target: "es2022",
      module: "esnext",
      moduleResolution: "bundler",
      strict: true,
      types: [],
    },
    include: ["src"],
  }),
  "vitest.config.ts": `import { defineConfig } from "vitest/config";
import tsgrad from "tsgrad/vite";
const coverage = { include: ["src/*.ts"], exclude: ["**/*.test.ts"], reporter: ["json-summary"] };
export default defineConfig({ plugins: [tsgrad()], test: { coverage } });
`,
  "src/helper.ts": `export function power(x: number, n: number): number {
  return n <= 0 ? 1 : x * power(x, n - 1);
}
`,
  "src/main.ts": `import { grad } from "tsgrad";
import { power } from "./helper.js";
export function f(x: number): number {
  if (x > 100) {
    return x;
  }
  return x * x + power(x, 3);
}
export const g = grad(f);
export const scaled = (k: number) => {
  const inner = (x: number): number => {
    if (x < -50) return k;
    return x * k;
  };
  return [inner, grad(inner)] as const;
};
`,
  "src/main.test.ts": `import { expect, test } from "vitest";
import { f, scaled } from "./main.js";
test("values", () => {
  expect([f(101), f(2), scaled(2)[0](-60), scaled(2)[0](3)]).toEqual([101, 12, 2, 6]);
});
`,
};

let box: Sandbox;
beforeAll(() => {
  const packages = ["vitest", "@vitest/coverage-v8", "@vitest/coverage-istanbul"];
  box = install(
    pack(),
    [...packages.map((name) => `${name}@4.1.12`), "vite@8.3.8", "typescript@6.0.3"],
    FILES,
  );
});

test.each(["v8", "istanbul"])("%s", (provider) => {
  const vitest = box.at("node_modules/vitest/vitest.mjs");
  const words = ["run", "--coverage.enabled", "--coverage.provider", provider];
  const { code, out } = box.run(vitest, ...words);
  expect(code, out).toBe(0);
  const summary: Record<string, Record<string, { readonly pct: number }>> = JSON.parse(
    box.read("coverage/coverage-summary.json"),
  );
  const found = Object.entries(summary).map(([file, { lines, branches, functions }]) => [
    path.basename(file),
    [lines?.pct, branches?.pct, functions?.pct],
  ]);
  const all = [100, 100, 100];
  expect(Object.fromEntries(found)).toEqual({ total: all, "helper.ts": all, "main.ts": all });
});
