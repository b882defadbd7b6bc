// The tables of scripts/entries.mjs and `exports` of package.json name the same files.

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ALONE, RUNTIME, STARTERS, TOOLS } from "../../scripts/entries.mjs";
import { repository } from "../hosts/sandbox.ts";

type Target = string | { readonly types: string; readonly default: string };

const manifest: {
  readonly exports: Readonly<Record<string, Target>>;
  readonly main: string;
  readonly bin: Readonly<Record<string, string>>;
} = JSON.parse(readFileSync(path.join(repository, "package.json"), "utf8"));

const entry = (name: string, ending: string, types: string): [string, Target] => [
  name === "index" ? "." : `./${name}`,
  { types: `./dist/${name}${types}`, default: `./dist/${name}${ending}` },
];

test("each entry is a line of the tables", () => {
  const named = Object.entries(manifest.exports).filter(([name]) => name !== "./package.json");
  const modules = Object.keys({ ...RUNTIME, ...ALONE }).map((n) => entry(n, ".js", ".d.ts"));
  const tools = [...Object.keys(TOOLS), "transform", "register"].map((n) =>
    entry(n, ".cjs", ".d.cts"),
  );
  expect(Object.fromEntries(named)).toEqual(Object.fromEntries([...modules, ...tools]));
  expect(manifest.bin).toEqual({ tsgrad: "./dist/tsgrad.cjs" });
  expect(Object.keys(STARTERS)).toEqual(
    expect.arrayContaining(["transform", "webpack-loader", "tsgrad", "plugin"]),
  );
  // tsserver, which loads the plugin, knows no `exports`
  expect(manifest.main).toBe("./dist/plugin.cjs");
});
