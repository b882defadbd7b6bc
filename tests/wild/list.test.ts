// The list of the wild project, as it is written down before any function is tried: in, functions.json and package.json of the project;
// checked, its form. The packages are not installed here, so nothing is said about gradients.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Pick {
  readonly package: string;
  readonly function: string;
  readonly adapter: string;
}

const project = new URL("../../fixtures/projects/wild/", import.meta.url);
const picks: readonly Pick[] = JSON.parse(readFileSync(new URL("functions.json", project), "utf8"));
const manifest: { dependencies: Record<string, string> } = JSON.parse(
  readFileSync(new URL("package.json", project), "utf8"),
);

test("at least 100 functions of at least 15 packages", () => {
  expect(picks.length).toBeGreaterThanOrEqual(100);
  expect(new Set(picks.map((pick) => pick.package)).size).toBeGreaterThanOrEqual(15);
});

test("adapters are named once, by identifiers", () => {
  expect(new Set(picks.map((pick) => pick.adapter)).size).toBe(picks.length);
  expect(picks.filter((pick) => !/^[A-Za-z]\w*$/.test(pick.adapter))).toEqual([]);
});

test("every package is a dependency with an exact version", () => {
  expect(picks.filter((pick) => !(pick.package in manifest.dependencies))).toEqual([]);
  expect(
    Object.entries(manifest.dependencies).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version)),
  ).toEqual([]);
});
