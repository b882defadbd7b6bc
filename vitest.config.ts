import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { isLong, ONLY_LONG, SAMPLED } from "./tests/breadth.ts";
import { LongestFirst } from "./tests/longest-first.ts";
import { prebuilt } from "./tests/prebuilt.ts";

export default defineConfig({
  plugins: [prebuilt()],
  test: {
    include: isLong ? [...ONLY_LONG, ...SAMPLED] : ["tests/**/*.test.ts"],
    exclude: isLong ? configDefaults.exclude : [...configDefaults.exclude, ...ONLY_LONG],
    globalSetup: "tests/package/once.ts",
    sequence: { sequencer: LongestFirst },
    // The first test of a file may compile hundreds of programs; the limit is for a busy machine.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // Vitest leaves a core free, and would run one file at a time on two.
    maxWorkers: Math.min(4, availableParallelism()),
    // Loading the compilers for each file would take a third of the time.
    isolate: false,
    // Compilers allocate much that dies late: the default young generation costs a tenth more.
    execArgv: ["--max-semi-space-size=128"],
  },
});
