// What every test file of a mutation run begins with (scripts/mutation-tests.mjs). Input: the environment names the active mutant
// and a file. Output: the mutant stands where instrumented code looks for it; the file has a line for each test file that ran, with
// the mutants it met. Code that runs when a module is loaded is met by the first file of a process alone.

import { appendFileSync } from "node:fs";
import { afterAll, expect } from "vitest";

const met = new Set();
Object.assign(globalThis, { $active: Number(process.env.TSGRAD_MUTANT), $met: met });

afterAll(() => {
  const line = JSON.stringify([expect.getState().testPath, [...met]]);
  appendFileSync(process.env.TSGRAD_MET, `${line}\n`);
});
