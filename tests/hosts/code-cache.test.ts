// Compiled code that is kept between processes: whatever lies in the folder, the exports are those of the file.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildSync } from "esbuild";
import { afterEach, beforeEach, expect, test } from "vitest";
import { codeCacheFolder, loadThrough } from "../../transformer/hosts/code-cache.ts";
import { repository } from "./sandbox.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), "tsgrad-code-cache-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const folder = (): string => path.join(dir, "kept");
const only = (): string => path.join(folder(), readdirSync(folder())[0] ?? "");

/** A file that exports a number and where it stands. */
function program(value: string): string {
  const file = path.join(dir, "program.cjs");
  writeFileSync(
    file,
    `exports.value = () => ${value};\nexports.place = __filename;\nexports.sep = require("node:path").sep;\n`,
  );
  return file;
}

function load(
  file: string,
  from: string | null = folder(),
): { readonly value: unknown; readonly isFromCache: boolean; readonly keep: () => void } {
  const { exports, isFromCache, keep } = loadThrough(from, file);
  const { value, place, sep } = exports as { value: () => unknown; place: string; sep: string }; // what `program` writes
  expect([place, sep]).toEqual([file, path.sep]);
  return { value: value(), isFromCache, keep };
}

const loaded = (file: string): readonly unknown[] => {
  const { value, isFromCache } = load(file);
  return [value, isFromCache];
};

test("the second process finds what the first one kept, and one that keeps nothing leaves nothing", () => {
  const file = program("1");
  expect(loaded(file)).toEqual([1, false]);
  expect(loaded(file)).toEqual([1, false]);
  load(file).keep();
  expect(loaded(file)).toEqual([1, true]);
});

test("another text of the same length is another program", () => {
  load(program("1")).keep();
  expect(loaded(program("2"))).toEqual([2, false]);
});

test.each<[string, (bytes: Buffer) => Buffer]>([
  ["empty", () => Buffer.alloc(0)],
  ["shorter than a digest", (bytes) => bytes.subarray(0, 7)],
  ["cut off", (bytes) => bytes.subarray(0, bytes.length - 9)],
  [
    "one bit other",
    (bytes) => {
      const other = Buffer.from(bytes);
      other[bytes.length - 40] = (bytes[bytes.length - 40] ?? 0) ^ 4;
      return other;
    },
  ],
  [
    "its digest other",
    (bytes) => {
      const other = Buffer.from(bytes);
      other[3] = (bytes[3] ?? 0) ^ 1;
      return other;
    },
  ],
])("a damaged file (%s) is not believed, and mended", (_what, damaged) => {
  const file = program("1");
  load(file).keep();
  writeFileSync(only(), damaged(readFileSync(only())));
  const again = load(file);
  expect([again.value, again.isFromCache]).toEqual([1, false]);
  again.keep();
  expect(loaded(file)).toEqual([1, true]);
});

test("processes share what they compile, but for what another V8 has made", () => {
  const file = program("1");
  const script = path.join(dir, "load.cjs");
  buildSync({
    stdin: {
      contents: `import { loadThrough } from "./code-cache.ts";\nconst { exports, isFromCache, keep } = loadThrough(process.argv[2], process.argv[3]);\nkeep();\nconsole.log(exports.value(), isFromCache);`,
      resolveDir: path.join(repository, "transformer/hosts"),
    },
    outfile: script,
    bundle: true,
    platform: "node",
    format: "cjs",
  });
  const run = (): string =>
    execFileSync(process.execPath, [script, folder(), file], { encoding: "utf8" }).trim();
  expect([run(), run()]).toEqual(["1 false", "1 true"]);
  const code = readFileSync(only()).subarray(20);
  // V8's version stands behind a magic number
  code[4] = (code[4] ?? 0) ^ 1;
  writeFileSync(only(), Buffer.concat([createHash("sha1").update(code).digest(), code]));
  expect([run(), run()]).toEqual(["1 false", "1 true"]);
});

test("where nothing can be written, or no folder is wanted, the file is loaded as it is", () => {
  const file = program("1");
  writeFileSync(path.join(dir, "kept"), "a file where the folder would be");
  const { value, isFromCache, keep } = load(file);
  keep();
  expect([value, isFromCache, loaded(file)]).toEqual([1, false, [1, false]]);
  expect(load(file, null).value).toBe(1);
  rmSync(path.join(dir, "kept"));
  load(file, null).keep();
  expect(readdirSync(dir)).toEqual(["program.cjs"]);
});

test("two processes that keep at once leave one whole file", () => {
  const file = program("1");
  const [one, other] = [load(file), load(file)];
  one.keep();
  other.keep();
  expect(readdirSync(folder())).toHaveLength(1);
  expect(loaded(file)).toEqual([1, true]);
});

test("code of older versions goes", () => {
  for (let version = 1; version <= 6; version++) load(program(String(version))).keep();
  expect(readdirSync(folder())).toHaveLength(3);
  expect(loaded(program("6"))).toEqual([6, true]);
});

test("the folder is that of the nearest node_modules, unless it is switched off", () => {
  mkdirSync(path.join(dir, "node_modules"));
  mkdirSync(path.join(dir, "src/deep"), { recursive: true });
  expect(codeCacheFolder(path.join(dir, "src/deep"), {})).toBe(
    path.join(dir, "node_modules/.cache/tsgrad"),
  );
  expect(codeCacheFolder(dir, { TSGRAD_CODE_CACHE: "off" })).toBe(null);
  expect(codeCacheFolder(dir, { TSGRAD_CACHE: "off" })).toBe(null);
});
