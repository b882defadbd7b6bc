// Who may leave files for a later build. In: a file with its place, owner and modes. Out: its
// content, or null where somebody else could have written it.

import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
} from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import {
  cacheFolder,
  readCacheFile,
  writeCacheFile,
} from "../../transformer/hosts/cache-folder.ts";
import { startCompileCache } from "../../transformer/hosts/compile-cache.ts";
import { sandbox, type Sandbox } from "./sandbox.ts";

const bare = (files: Record<string, string>): Sandbox => sandbox(files, { stubs: false });
const KEPT = "node_modules/.cache/tsgrad";

test.each<[string, Record<string, string>, string, string | null]>([
  ["package.json", {}, "", ""],
  ["package.json above the sources", {}, "src/deep", ""],
  ["package.json of a member", { "packages/a/package.json": "{}" }, "packages/a/src", "packages/a"],
  ["a lock file", { "a/package-lock.json": "{}" }, "a", "a"],
  ["a lock file of pnpm", { "a/pnpm-lock.yaml": "" }, "a/src", "a"],
  ["a lock file of yarn", { "a/yarn.lock": "" }, "a/src", "a"],
  ["a lock file of bun", { "a/bun.lock": "" }, "a/src", "a"],
  [
    "no node_modules of a folder above",
    { "node_modules/x/index.js": "", "a/package.json": "{}" },
    "a",
    "a",
  ],
])("the folder of a project: %s", (_, files, from, project) => {
  const box = bare(files);
  mkdirSync(box.at(from), { recursive: true });
  const wanted = project === null ? null : path.join(box.dir, project, KEPT);
  expect(cacheFolder(box.at(from), {})).toBe(wanted);
  expect(cacheFolder(box.at(from), { TSGRAD_CACHE: "off" })).toBe(null);
});

/** A cache with one file, as a build leaves it. */
function kept(): { readonly folder: string; readonly file: string } {
  const folder = bare({}).at(KEPT);
  writeCacheFile(folder, "analysis-", "one", Buffer.from("content"), 3);
  return { folder, file: path.join(folder, "analysis-one") };
}

test("what is written is private, and is read", () => {
  const { folder, file } = kept();
  expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
  expect(readCacheFile(file)?.toString()).toBe("content");
});

const isRoot = process.getuid?.() === 0;
type Plant = (at: { readonly folder: string; readonly file: string }) => void;
const mode =
  (name: "folder" | "file", bits: number): Plant =>
  (at) =>
    chmodSync(at[name], bits);

test.each<[string, Plant, boolean]>([
  ...[0o700, 0o711, 0o750, 0o755].map((bits): [string, Plant, boolean] => [
    `folder ${bits.toString(8)}`,
    mode("folder", bits),
    true,
  ]),
  ...[0o770, 0o775, 0o777, 0o720, 0o702, 0o1777].map((bits): [string, Plant, boolean] => [
    `folder ${bits.toString(8)}`,
    mode("folder", bits),
    false,
  ]),
  ...[0o600, 0o400, 0o700].map((bits): [string, Plant, boolean] => [
    `file ${bits.toString(8)}`,
    mode("file", bits),
    true,
  ]),
  // as git checks files out, and those that others can write
  ...[0o644, 0o664, 0o755, 0o620, 0o602, 0o666, 0o777].map((bits): [string, Plant, boolean] => [
    `file ${bits.toString(8)}`,
    mode("file", bits),
    false,
  ]),
  [
    "a link in place of the folder",
    ({ folder }) => {
      renameSync(folder, `${folder}-other`);
      symlinkSync(`${folder}-other`, folder);
    },
    false,
  ],
  ...(isRoot
    ? [
        ["somebody else's folder", ({ folder }) => chownSync(folder, 4321, 4321), false] as [
          string,
          Plant,
          boolean,
        ],
        ["somebody else's file", ({ file }) => chownSync(file, 4321, 4321), false] as [
          string,
          Plant,
          boolean,
        ],
      ]
    : []),
])("%s", (_, plant, isRead) => {
  const at = kept();
  plant(at);
  expect(readCacheFile(at.file)?.toString() ?? null).toBe(isRead ? "content" : null);
});

test("nothing is written where others can write", () => {
  const { folder } = kept();
  chmodSync(folder, 0o777);
  writeCacheFile(folder, "analysis-", "two", Buffer.from("more"), 3);
  expect(readdirSync(folder)).toEqual(["analysis-one"]);
});

test("compiled code lies in the user's folder, or nowhere", () => {
  const box = bare({});
  const home = box.at("home");
  expect(startCompileCache({ XDG_CACHE_HOME: home, TSGRAD_CODE_CACHE: "off" })).toBe(null);
  expect(startCompileCache({ XDG_CACHE_HOME: home, TSGRAD_CACHE: "off" })).toBe(null);
  expect(startCompileCache({ XDG_CACHE_HOME: "relative" })).toBe(null);
  expect(existsSync(home)).toBe(false);
  mkdirSync(path.join(home, "tsgrad"), { recursive: true });
  chmodSync(path.join(home, "tsgrad"), 0o777);
  expect(startCompileCache({ XDG_CACHE_HOME: home })).toBe(null);
  expect(existsSync(box.at("node_modules"))).toBe(false);
});
