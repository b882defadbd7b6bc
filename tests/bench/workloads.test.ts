// The workloads of the bench, without timing: tsgrad's derivatives and those by hand agree, both are derivatives, and what tsgrad emits is what was read
// (fixtures/bench/goldens). Peers are not installed here.

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { problemsOf } from "../5-emit/type-check.ts";
import { expectFile, root } from "../golden.ts";
import { all, emitted, loaded, workloads } from "./compiled.ts";

const GOLDENS = "fixtures/bench/goldens";

describe("compiled", () => {
  test("there are no errors", () => {
    expect(all.errors).toEqual([]);
  });

  test.each(workloads)("%s", (name) => {
    const { text, errors, files } = emitted(name);
    expect(errors).toEqual([]);
    expectFile(`${GOLDENS}/${name}.ts.expect`, text);
    // user code exports what it infers and indexes as strict mode alone allows
    expect(problemsOf(files, { isolatedDeclarations: false, declaration: false, noUncheckedIndexedAccess: false })).toEqual([]);
  });

  test("no golden without a workload", () => {
    const goldens = readdirSync(path.join(root, GOLDENS)).map((file) => file.replace(/\.ts\.expect$/, ""));
    expect(goldens.sort()).toEqual([...workloads].sort());
  });
});

test("the bench's lock file names no server", () => {
  const lock = readFileSync(path.join(root, "fixtures/bench/package-lock.json"), "utf8");
  expect(lock).not.toContain('"resolved"');
  expect(lock).not.toMatch(/https?:\/\/[^"]*\.tgz/);
});

const entry = `
import { seeded } from "./random.ts";
import { differenceErrors, disagreements } from "./harness/check.ts";
${workloads.map((name, k) => `import { workload as w${k} } from "./workloads/${name}/index.ts";`).join("\n")}
const workloads = [${workloads.map((_, k) => `w${k}`).join(", ")}];
export const names = workloads.map(({ name }) => name);
export const wrong = workloads.map((workload) => {
  const args = workload.inputOf(workload.sizes.small, seeded(20));
  return [...disagreements(workload, args), ...differenceErrors(workload, args)];
});
// the checks themselves: a derivative with one number off is not let through
const broken = (workload, by) => ({ ...workload, delta: undefined, derivative: (...args) => by(workload.derivative(...args)) });
const dot = workloads.find(({ name }) => name === "dot");
const dotArgs = dot.inputOf(dot.sizes.small, seeded(20));
export const caught = {
  number: disagreements(broken(dot, ([value, [a, b]]) => [value, [a.map((x, k) => (k === 2 ? x * (1 + 1e-6) : x)), b]]), dotArgs),
  kind: disagreements(broken(dot, ([value, [a, b]]) => [value, [Array.from(a), b]]), dotArgs),
  hand: differenceErrors({ ...dot, hand: (...args) => { const [value, [a, b]] = dot.hand(...args); return [value, [a, b.map((x) => -x)]]; } }, dotArgs),
};
`;

describe("run", async () => {
  const { names, wrong, caught } = await loaded(entry);

  test("a folder is named as its workload", () => {
    expect(names).toEqual(workloads);
  });

  test("derivatives agree with each other and with differences", () => {
    expect(wrong).toEqual(workloads.map(() => []));
  });

  test("a wrong derivative would be seen", () => {
    expect(caught).toEqual({
      number: [expect.stringMatching(/tsgrad and hand differ by 1\.0e-6/)],
      kind: [expect.stringMatching(/Array and Float64Array/)],
      hand: [expect.stringMatching(/hand and differences/), expect.anything(), expect.anything()],
    });
  });
});
