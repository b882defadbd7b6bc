// The workloads of the bench, without timing: tsgrad's derivatives and those by hand agree, both are derivatives, and what tsgrad emits is what was read
// (fixtures/bench/goldens). Peers are not installed here.

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { problemsOf } from "../5-emit/type-check.ts";
import { expectFile, root } from "../golden.ts";
import { stacksOf } from "../../transformer/explain/loops.ts";
import { all, emitted, loaded, rewritten, workloads } from "./compiled.ts";
import { counted, counting, loopKey, type Kept } from "./tapes.ts";

const GOLDENS = "fixtures/bench/goldens";

describe("compiled", () => {
  test("there are no errors", () => {
    expect(all.errors).toEqual([]);
  });

  test.each(workloads)("%s", (name) => {
    const { text, errors, files } = emitted(name);
    expect(errors).toEqual([]);
    expect(text).not.toBe("");
    expectFile(`${GOLDENS}/${name}.ts.expect`, text);
    // user code exports what it infers and indexes as strict mode alone allows
    expect(
      problemsOf(files, {
        isolatedDeclarations: false,
        declaration: false,
        noUncheckedIndexedAccess: false,
      }),
    ).toEqual([]);
  });

  test("no golden without a workload", () => {
    const goldens = readdirSync(path.join(root, GOLDENS)).map((file) =>
      file.replace(/\.ts\.expect$/, ""),
    );
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

/** What `explain` says that one round keeps at most, by derivative and loop; several where a function is inlined more than once. */
function explained(): ReadonlyMap<string, readonly Kept[]> {
  const { derived, inlined } = all.derivatives.compiled;
  const found = new Map<string, readonly Kept[]>();
  for (const item of derived) {
    if (item.kind !== "func") continue;
    for (const primal of inlined.funcs.values()) {
      for (const { loop, emitted: loops } of primal.home === item.home
        ? stacksOf(primal, [item.func])
        : []) {
        // functions of one name in several files have names of their own in the program
        const written = `${inlined.homes.get(item.home)?.name ?? ""}${item.func.name.slice(primal.name.length)}`;
        found.set(
          loopKey(written, loop.origin),
          loops.flatMap(({ pushes }) => [
            { numbers: pushes.numbers.most, references: pushes.references.most },
            { numbers: pushes.numbers.least, references: pushes.references.least },
          ]),
        );
      }
    }
  }
  return found;
}

const bytes = ({ numbers, references }: Kept): number => 8 * (numbers + references);
const runs = `
import { seeded } from "./random.ts";
${workloads.map((name, k) => `import { workload as w${k} } from "./workloads/${name}/index.ts";`).join("\n")}
export const runs = [${workloads.map((_, k) => `w${k}`).join(", ")}].map((workload) => ({ name: workload.name, sizes: Object.values(workload.sizes).slice(0, 2).map((size) => {
  const args = workload.inputOf(size, seeded(20));
  return () => workload.derivative(...args);
}) }));
`;

describe("what rounds of loops keep", async () => {
  const said = explained();
  const { runs: found } = await loaded(runs, rewritten(counting));
  const cases = (Array.isArray(found) ? found : []).map(
    ({ name, sizes }: { name: string; sizes: readonly (() => unknown)[] }) =>
      [name, sizes] as const,
  );

  test.each(cases)("%s: as explain says, byte for byte, at two sizes", (_, sizes) => {
    for (const run of sizes) {
      for (const [loop, rounds] of counted(run).rounds) {
        const most = Math.max(...rounds.map(bytes));
        const own = said.get(loop)?.map(bytes) ?? [0];
        expect([loop, most]).toEqual([loop, Math.max(...own)]);
        for (const kept of rounds) expect(bytes(kept)).toBeLessThanOrEqual(Math.max(...own));
      }
    }
  });

  test.each(cases)("%s: the second call makes no tape", (_, sizes) => {
    for (const run of sizes) {
      run();
      // a recursion keeps what its calls leave in their BOGs
      expect(counted(run).made.filter((tape) => !tape.includes("$revf"))).toEqual([]);
    }
  });
});
