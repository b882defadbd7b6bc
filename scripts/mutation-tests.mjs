// The child of scripts/mutate.mjs that runs tests, in a copy of the checkout whose sources hold all mutants. Input: names of test
// files and the number of the active mutant, -1 for none. Output: the first test that fails, and which mutants the files meet.
// Each question has a process of its own below this one, so no module remembers an earlier mutant. Goldens are not compared.

import fs from "node:fs";
import path from "node:path";
import { createVitest } from "vitest/node";

const copy = process.argv[2];
const met = path.join(copy, "met.jsonl");

class AsGiven {
  sort(files) {
    return files;
  }
  shard(files) {
    return files;
  }
}

const vitest = await createVitest("test", {
  root: copy,
  watch: false,
  bail: 1,
  maxWorkers: 1,
  include: ["tests/**/*.test.ts"],
  exclude: [],
  reporters: [{}],
  setupFiles: [path.join(copy, "scripts/mutation-setup.mjs")],
  sequence: { sequencer: AsGiven, setupFiles: "list" },
});
const found = new Map(
  (await vitest.globTestSpecifications()).map((one) => [path.relative(copy, one.moduleId), one]),
);

/** The first failure in a module, of a test or outside of all. */
function failureIn(module) {
  for (const test of module.children.allTests("failed"))
    return `${test.fullName}: ${test.result().errors?.[0]?.message ?? ""}`;
  return module.errors()[0]?.message ?? (module.ok() ? null : "fails");
}

async function answer({ files, active }) {
  fs.rmSync(met, { force: true });
  Object.assign(process.env, { TSGRAD_MUTANT: String(active), TSGRAD_MET: met });
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
    files.map((file) => found.get(file)),
  );
  process.exitCode = 0;
  const problems = testModules.flatMap((module) => {
    const problem = failureIn(module);
    return problem === null ? [] : [`${module.relativeModuleId}: ${problem}`];
  });
  const lines = fs.existsSync(met) ? fs.readFileSync(met, "utf8").split("\n").slice(0, -1) : [];
  const metBy = new Map(lines.map((line) => JSON.parse(line)));
  const results = testModules.map((module) => {
    const { collectDuration, duration, prepareDuration } = module.diagnostic();
    return {
      name: module.relativeModuleId,
      seconds: (collectDuration + duration + prepareDuration) / 1000,
      met: metBy.get(module.moduleId) ?? [],
    };
  });
  return {
    problem: problems[0] ?? (unhandledErrors.length > 0 ? String(unhandledErrors[0]) : null),
    results: results.filter(({ met: ids }) => ids.length > 0),
  };
}

process.on("message", async (question) => {
  process.send(await answer(question).catch((error) => ({ problem: String(error), results: [] })));
});
process.send({ isReady: true });
