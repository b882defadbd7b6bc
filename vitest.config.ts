import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./tests/longest-first.ts";
import { prebuilt } from "./tests/prebuilt.ts";

// a core more than vitest takes by itself: on two cores it would run one file at a time. Files share a worker's modules, as loading the compilers for each of
// them would take a third of the time; a test leaves nothing behind in a module.
// The corpus is compiled as one program, within the first test that wants it: the limit is for a busy machine. What compilers make is kept long enough: with a young generation of the usual
// 16 MB its collections take a tenth of the processor's time. Optimised later, they take less, too (transformer/hosts/optimise-later.ts)
export default defineConfig({
  plugins: [prebuilt()],
  test: {
    include: ["tests/**/*.test.ts"],
    globalSetup: "tests/package/once.ts",
    sequence: { sequencer: LongestFirst },
    testTimeout: 400_000,
    hookTimeout: 400_000,
    maxWorkers: Math.min(4, availableParallelism()),
    isolate: false,
    execArgv: [
      "--interrupt-budget=800000",
      "--min-semi-space-size=64",
      "--max-semi-space-size=128",
    ],
  },
});
