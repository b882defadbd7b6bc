// Functions of users that are called like parts of derivatives: `f$revf`, `f$Bog`. In: one program,
// its functions under other names. Oracle: the emitted code is that of plain names, renamed.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";

const SOURCE = `import { grad, hvp, jvp, vjp } from "tsgrad";
function cube(x: number): number { return x * x * x; }
function loop(x: number, n: number): number { return n === 0 ? x : loop(x * x, n - 1) * Math.sin(x); }
export function all(x: number): number { return grad(cube)(x) * x + grad(loop)(x, 2); }
export const a = grad(all), b = grad(cube), c = grad(loop), d = hvp(loop), e = vjp(cube), f = jvp(all);
`;

function emitted(names: readonly [string, string]): string {
  const source = SOURCE.replaceAll("cube", names[0]).replaceAll("loop", names[1]);
  const { edits, diagnostics } = analyse(programOf({ "input.ts": source }));
  expect(diagnostics).toEqual([]);
  return applyEdits("/src/input.ts", source, edits.get("/src/input.ts") ?? []).text;
}

test.each([
  ["Cube$revf", "Loop"],
  ["Cube", "Loop$revf"],
  ["Cube$Bog", "Loop$Bog"],
  ["Cube$revf$x", "Loop$Bog$x"],
  ["Cube$revr", "Loop$merged"],
])("%s, %s", (cube, loop) => {
  const renamed = emitted([cube, loop]).replaceAll(cube, "CUBE").replaceAll(loop, "LOOP");
  const plain = emitted(["CUBE", "LOOP"]);
  // names may have another length: so have lines, and where they end
  const words = (text: string): string => text.replace(/\s+/g, "");
  expect(words(renamed)).toBe(words(plain));
});
