// Writes goldens and generated documents anew: `npm run accept [test file]...` (absent: all tests that hold a golden). Out: changed files, to be
// read before they are committed. Never runs in CI.

import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { root } from "./load.mjs";

/** Tests that hold goldens say so themselves. */
const holdsGoldens = (file) =>
  /TSGRAD_ACCEPT|toMatchFileSnapshot|expectFile|expectGolden/.test(readFileSync(file, "utf8"));

const tests = readdirSync(path.join(root, "tests"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => path.join(root, "tests", name));
const wanted =
  process.argv.length > 2
    ? process.argv.slice(2)
    : tests.filter(holdsGoldens).map((file) => path.relative(root, file));
const done = spawnSync("npx", ["vitest", "run", ...wanted, "--update"], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, TSGRAD_ACCEPT: "1" },
});
if (process.argv.length === 2) await import("./life.mjs");
process.exit(done.status ?? 1);
