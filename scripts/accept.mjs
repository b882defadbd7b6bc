// Writes goldens and generated documents anew: `npm run accept [test file or folder]...`. In: the tests that hold a golden. Out: changed files, to be
// read before they are committed. Never runs in CI.

import { spawnSync } from "node:child_process";
import { root } from "./load.mjs";

const GOLDENS = ["tests/goldens.test.ts", "tests/explain", "tests/house", "tests/1-lower/ssa.test.ts", "tests/4-optimise/golden.test.ts", "tests/diagnostics/registry.test.ts"];
const wanted = process.argv.length > 2 ? process.argv.slice(2) : GOLDENS;
const done = spawnSync("npx", ["vitest", "run", "--update", ...wanted], { cwd: root, stdio: "inherit", env: { ...process.env, TSGRAD_ACCEPT: "1" } });
process.exit(done.status ?? 1);
