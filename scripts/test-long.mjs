// What `npm run test:long` runs: the whole corpus and many random programs, then the tests of the
// package under each supported version of Node. In: `--nodes` for the second part alone, `--corpus`
// for the first. Out: an exit code. The versions come from the npm package `node`.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "./load.mjs";

/** Versions that are supported, and the newest one. */
const MAJORS = [20, 22, 24, 26];
const PACKAGE_TESTS = ["tests/package/package.test.ts", "tests/package/vector.test.ts"];

/** The binary of a version, installed beside the caches of the tests. */
function binary(major) {
  const dir = path.join(root, "node_modules/.cache/node", String(major));
  const file = path.join(dir, "node_modules/node/bin/node");
  if (!existsSync(file)) {
    mkdirSync(dir, { recursive: true });
    writeFileSync(path.join(dir, "package.json"), `{ "private": true }`);
    const words = ["install", "--no-save", "--no-audit", "--no-fund", "--silent", `node@${major}`];
    execFileSync("npm", words, { cwd: dir, stdio: "inherit" });
  }
  return file;
}

function vitest(node, words, env) {
  const script = path.join(root, "node_modules/vitest/vitest.mjs");
  const options = { cwd: root, stdio: "inherit", env: { ...process.env, ...env } };
  return spawnSync(node, [script, "run", ...words], options).status === 0;
}

const { TSGRAD_LONG = "1" } = process.env;
const [own] = process.versions.node.split(".");
const only = process.argv[2];
let isFine = true;
if (only !== "--nodes") isFine = vitest(process.execPath, [], { TSGRAD_LONG });
if (only !== "--corpus") {
  // The first part has run these tests with the version that runs this script.
  for (const major of MAJORS.filter((one) => only === "--nodes" || String(one) !== own)) {
    const node = binary(major);
    const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
    console.log(`\nThe package on Node ${version}`);
    // Tests start `node` and `npx` by name: they must find this version first.
    const PATH = `${path.dirname(node)}${path.delimiter}${process.env.PATH ?? ""}`;
    isFine = vitest(node, PACKAGE_TESTS, { PATH, TSGRAD_LONG }) && isFine;
  }
}
process.exitCode = isFine ? 0 : 1;
