// The programs of four papers. In: fixtures/papers, compiled as one program; each export `K5`,
// `D12`, … gives values with what they should be. Out: they agree, and what a row says about
// emitted code holds. docs/papers.md lists the rows.

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { PAPERS, rowsOf } from "../../scripts/papers.ts";
import { root } from "../golden.ts";
import { programOf, typeErrors } from "../program.ts";
import { variantsOf } from "../programs/variants.ts";

type Check = readonly [got: unknown, wanted: unknown, tolerance?: number];

const folder = path.join(root, PAPERS);
const texts = Object.fromEntries(
  readdirSync(folder)
    .filter((name) => name.endsWith(".ts"))
    .map((name) => [name, readFileSync(path.join(folder, name), "utf8")]),
);
const programs = variantsOf(texts);
const rows = rowsOf(root);

/** The places at which a value is not what it should be. */
function faults(got: unknown, wanted: unknown, tolerance: number, at = "it"): readonly string[] {
  if (typeof wanted === "number" && typeof got === "number") {
    const isNear = Math.abs(got - wanted) <= tolerance * Math.max(1, Math.abs(wanted));
    return isNear || Object.is(got, wanted) ? [] : [`${at} is ${got}, not ${wanted}`];
  }
  if (typeof wanted !== "object" || typeof got !== "object" || wanted === null || got === null)
    return Object.is(got, wanted) ? [] : [`${at} is ${String(got)}, not ${String(wanted)}`];
  const keys = new Set([...Object.keys(wanted), ...Object.keys(got)]);
  return [...keys].flatMap((key) =>
    faults(Reflect.get(got, key), Reflect.get(wanted, key), tolerance, `${at}.${key}`),
  );
}

test.each(Object.keys(texts))("%s compiles", (name) => {
  expect(programs(name).errors).toEqual([]);
});

test("what is written and what is emitted type-checks", () => {
  expect(typeErrors(programOf(texts))).toEqual([]);
  const emitted = Object.keys(texts).map((name) => [name, programs(name).text]);
  expect(typeErrors(programOf(Object.fromEntries(emitted)))).toEqual([]);
});

test("each program has a row", () => {
  const exported = Object.values(texts).flatMap((text) =>
    [...text.matchAll(/^export const ([KDHE]\d+)\b/gm)].map(([, id]) => id),
  );
  expect(rows.map(({ id }) => id).toSorted()).toEqual(exported.toSorted());
});

describe.each(rows)("$id ($file): $states", ({ id, file, emits }) => {
  test("values", () => {
    const run = programs(file).exports()[id];
    if (typeof run !== "function") throw new Error(`${file} has no ${id}`);
    const checks = run() as readonly Check[];
    expect(checks.length).toBeGreaterThan(0);
    const found = checks.map(([got, wanted, tolerance = 1e-12], i) =>
      faults(got, wanted, tolerance, `value ${i}`),
    );
    expect(found.flat()).toEqual([]);
  });
  test.runIf(emits.length > 0)("emitted code", () => {
    const { text } = programs(file);
    // the user's part stands before
    const added = text.slice(text.lastIndexOf("export const "));
    expect(emits.filter((code) => !added.includes(code))).toEqual([]);
  });
});
