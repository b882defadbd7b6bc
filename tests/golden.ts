// Goldens as files. In: a path below the repository and a text. A golden that is missing fails; `TSGRAD_ACCEPT=1` (npm run accept) writes it instead.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";

export const root = path.resolve(import.meta.dirname, "..");

export function expectFile(name: string, text: string): void {
  const file = path.join(root, name);
  if (process.env["TSGRAD_ACCEPT"] === "1") {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return;
  }
  expect(existsSync(file), `${name} is missing: npm run accept`).toBe(true);
  expect(text).toBe(readFileSync(file, "utf8"));
}
