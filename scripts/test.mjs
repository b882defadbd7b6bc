// What `npm test` runs: types, layout, lint and unused code in one lane, the tests beside it in
// another, as two cores have room for both. In: words for vitest, which then runs alone. Out: the
// output of each command as it ends, and an exit code that is 0 only if all of them succeed.

import { spawn } from "node:child_process";
import path from "node:path";
import { root } from "./load.mjs";

const bin = (name, file) => path.join(root, "node_modules", name, file);

const TYPES = ["types", bin("typescript", "bin/tsc"), "--noEmit", "-p", "."];
const LAYOUT = ["layout", bin("prettier", "bin/prettier.cjs"), "--check", "."];
const LINT = ["lint", bin("eslint", "bin/eslint.js"), "."];
const UNUSED = ["unused code", bin("knip", "bin/knip.js")];
const TESTS = ["tests", bin("vitest", "vitest.mjs"), "run"];

/** Runs one command; prints what it said when it ends, or at once where it is the long one. */
function run([name, file, ...words], { isShownAtOnce = false, env = {} } = {}) {
  const start = performance.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [file, ...words], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ["ignore", isShownAtOnce ? "inherit" : "pipe", isShownAtOnce ? "inherit" : "pipe"],
    });
    const said = [];
    child.stdout?.on("data", (chunk) => said.push(chunk));
    child.stderr?.on("data", (chunk) => said.push(chunk));
    child.on("close", (code) => {
      process.stdout.write(Buffer.concat(said));
      const seconds = ((performance.now() - start) / 1000).toFixed(0);
      console.log(`${code === 0 ? "ok" : "FAILED"}: ${name} (${seconds} s)`);
      resolve(code === 0);
    });
  });
}

async function inOrder(commands) {
  let isFine = true;
  for (const command of commands) isFine = (await run(command)) && isFine;
  return isFine;
}

const words = process.argv.slice(2);
const tests = run([...TESTS, ...words], { isShownAtOnce: true });
const results = await Promise.all(
  words.length > 0 ? [tests] : [tests, inOrder([TYPES, LAYOUT, LINT, UNUSED])],
);
process.exitCode = results.every(Boolean) ? 0 : 1;
