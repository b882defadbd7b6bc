// When V8 optimises. The flag is set in processes of their own: this one's would stay changed.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildSync } from "esbuild";
import { expect, test } from "vitest";
import { isCompilerProcess } from "../../transformer/hosts/optimise-later.ts";
import { repository } from "./sandbox.ts";

test.each([
  [["node", "/p/node_modules/.bin/tspc"], true],
  [["node", "/p/node_modules/ts-patch/bin/tspc.js", "-p", "."], true],
  [["node", "/p/node_modules/typescript/lib/tsc.js"], true],
  [["node", "/p/node_modules/.bin/tsc"], true],
  [["node", "/p/node_modules/typescript/lib/tsserver.js"], false],
  [["node", "/p/node_modules/.bin/webpack"], false],
  [["node", "/p/tsp.js"], false],
  [["node"], false],
])("%j is a compiler's process: %s", (words, is) => {
  expect(isCompilerProcess(words)).toBe(is);
});

/** Some 200,000 bytes of bytecode: beyond V8's own budget, far below ours. Bit 4 of the status: TurboFan has compiled it (V8's runtime-test.h). */
const ASKED = `
function f(x) { let s = 0; for (let i = 0; i < 10; i++) s += i * x; return s; }
for (let i = 0; i < 1000; i++) f(i);
setTimeout(() => { f(1); console.log((%GetOptimizationStatus(f) & 16) !== 0); }, 200);
`;

test("a process that optimises later runs for longer as it began", () => {
  const dir = mkdtempSync(path.join(tmpdir(), "tsgrad-optimise-later-"));
  try {
    buildSync({
      entryPoints: [path.join(repository, "transformer/hosts/optimise-later.ts")],
      outfile: path.join(dir, "later.cjs"),
      bundle: true,
      platform: "node",
      format: "cjs",
    });
    const isOptimised = (first: string): string => {
      writeFileSync(path.join(dir, "asked.cjs"), `${first}${ASKED}`);
      return execFileSync(
        process.execPath,
        ["--allow-natives-syntax", path.join(dir, "asked.cjs")],
        { encoding: "utf8" },
      );
    };
    expect([isOptimised(""), isOptimised(`require("./later.cjs").optimiseLater();`)]).toEqual([
      "true\n",
      "false\n",
    ]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
