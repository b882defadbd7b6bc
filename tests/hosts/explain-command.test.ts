// `tsgrad explain` of words that name nothing.

import { expect, test } from "vitest";
import { command } from "./command.ts";
import { sandbox } from "./sandbox.ts";

const box = sandbox(
  { "a.ts": "export const loss = (x: number): number => x * x;\n", "tsconfig.json": "{}" },
  { stubs: true },
);
const file = box.at("a.ts");

test.each<[string, string]>([
  ["foo", "'foo' is neither a function, <file>#fn, nor the code of a diagnostic"],
  [file, `'${file}' names no function: write ${file}#fn`],
  [`${file}#los`, "differentiate.\nFunctions of the file: loss; did you mean 'loss'?\n"],
  [`${file}#other`, "differentiate.\nFunctions of the file: loss\n"],
])("%s", async (words, message) => {
  const { code, out } = await command("explain", words);
  expect(out).toContain(message);
  expect(code).toBe(1);
});
