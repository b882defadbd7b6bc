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

test("a comment stands before each function, on its line", () => {
  const { edits } = analyse(programOf({ "a.ts": TEXT }));
  const plain = edits.get("/src/a.ts")!;
  const [before, after] = [plain, uncovered(plain)].map((one) =>
    applyEdits("/src/a.ts", TEXT, one),
  );
  expect(after!.text.replaceAll(MARK, "")).toBe(before!.text);
  const functions = (text: string): string[] => text.match(/^.*\bfunction .*$/gm)!;
  const own = functions(TEXT).length;
  const generated = functions(after!.text).filter((line) => line.trimStart().startsWith(MARK));
  expect(generated.length).toBe(functions(before!.text).length - own);
  expect(generated.length).toBeGreaterThan(2);
});

test("lines keep their origins", () => {
  const { edits } = analyse(programOf({ "a.ts": TEXT }));
  const plain = edits.get("/src/a.ts")!;
  const origins = (one: typeof plain): string[] =>
    one.flatMap(({ text, mappings }) =>
      mappings.map(({ offset, origin }) => {
        const code = text.slice(offset).replace(MARK, "").slice(0, 12);
        return `${code} from ${origin.start}`;
      }),
    );
  expect(origins(uncovered(plain))).toEqual(origins(plain));
});
