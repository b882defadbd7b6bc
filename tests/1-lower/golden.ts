// Goldens of the control flow passes: one folder per program under fixtures/1-lower. In: a folder's `raw.ir` and a pass.
// A golden that is missing fails; `TSGRAD_ACCEPT=1` writes them instead.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect } from "vitest";
import { parse } from "../../transformer/ir/parse.ts";
import type { Program } from "../../transformer/ir/types.ts";

const ROOT = new URL("../../fixtures/1-lower/", import.meta.url);

export const goldenNames: readonly string[] = readdirSync(ROOT, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(new URL(`${entry.name}/raw.ir`, ROOT)))
  .map((entry) => entry.name);

export const rawGolden = (name: string): Program =>
  parse(readFileSync(new URL(`${name}/raw.ir`, ROOT), "utf8"));

export function expectGolden(name: string, file: string, text: string): void {
  const path = new URL(`${name}/${file}`, ROOT);
  if (process.env["TSGRAD_ACCEPT"] === "1") writeFileSync(path, text);
  expect(existsSync(path), `missing golden ${name}/${file}`).toBe(true);
  expect(text).toBe(readFileSync(path, "utf8"));
}
