// What V8 holds the numbers of a list in. In: lists of doubles, beside lists of objects, derived again and again until the run time is compiled. Out: how their elements are kept. Invariant: a list
// of doubles stays one; else every number in it is an object, and what the user's code does with the list is slower for good. In a process of its own: what other tests have run decides what is compiled.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildSync } from "esbuild";
import { afterAll, expect, test } from "vitest";

const dir = mkdtempSync(path.join(tmpdir(), "tsgrad-doubles-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test("lists of arguments, asked for or not, what `map` goes through and what it makes: none is held in another way", () => {
  const outfile = path.join(dir, "run.mjs");
  buildSync({
    entryPoints: [path.join(import.meta.dirname, "doubles-run.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "warning",
  });
  // the last one is none of doubles: what is counted can be found
  expect(JSON.parse(execFileSync(process.execPath, [outfile], { encoding: "utf8" }))).toEqual({
    arguments: [60, 0],
    maps: [40, 0],
    mixed: [1, 1],
  });
});
