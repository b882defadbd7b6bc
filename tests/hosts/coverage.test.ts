// Derivatives are left out of coverage: each generated function has a comment before it, and maps stay as they are.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { uncovered } from "../../transformer/hosts/coverage.ts";
import { programOf } from "../program.ts";

const TEXT = `import { grad } from "tsgrad";
function f(x: number): number {
  return x > 1 ? Math.sin(x) * x : x * x;
}
export const g = grad(f);
export const h = (k: number) => {
  const inner = (x: number): number => Math.cos(x) * k;
  return grad(inner);
};
function tried(x: number): number {
  try {
    return f(x);
  } catch {
    return 0;
  }
}
export const d = grad(tried, { engine: "delta" });
`;

const MARK = "/* istanbul ignore next -- @preserve */ /* v8 ignore next -- @preserve */ ";

const plain = analyse(programOf({ "a.ts": TEXT })).edits.get("/src/a.ts") ?? [];

test("a comment stands before each function, on its line", () => {
  const edited = (edits: typeof plain): string => applyEdits("/src/a.ts", TEXT, edits).text;
  const [before, after] = [edited(plain), edited(uncovered(plain))];
  expect(after.replaceAll(MARK, "")).toBe(before);
  const functions = (text: string): string[] => text.match(/^.*\bfunction .*$/gm) ?? [];
  const generated = functions(after).filter((line) => line.trimStart().startsWith(MARK));
  expect(generated.length).toBe(functions(before).length - functions(TEXT).length);
  expect(generated.length).toBeGreaterThan(2);
});

test("lines keep their origins", () => {
  const origins = (one: typeof plain): string[] =>
    one.flatMap(({ text, mappings }) =>
      mappings.map(({ offset, origin }) => {
        const code = text.slice(offset).replace(MARK, "").slice(0, 12);
        return `${code} from ${origin.start}`;
      }),
    );
  expect(origins(uncovered(plain))).toEqual(origins(plain));
});
