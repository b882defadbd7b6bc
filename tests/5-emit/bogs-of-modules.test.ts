import { expect, it } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";

// `reach` calls itself, so it keeps a BOG, whose types `main.ts` has no names for
const ARM = `type Side = readonly [weight: number, phase: number];
export type Arm = readonly Side[];
export function reach(arm: Arm, angle: number, turns: number): number {
  const [first, ...rest] = arm;
  if (first === undefined || turns <= 0) return Math.sin(angle);
  return first[0] * Math.cos(angle + first[1]) * reach(rest, angle, turns - 1);
}
`;
const main = (form: string): string => `import { derivativeSource, grad } from "tsgrad";
import { reach, type Arm } from "./arm.ts";
const arm: Arm = [[1, 0.1], [0.3, 0.2]];
function f(angle: number): number {
  let x = angle;
  if (angle > 0) x = reach(arm, x, 2);
  return x * Math.sin(x);
}
export const df = ${form}(f);
`;

function edited(form: string): string {
  const text = main(form);
  const { edits, diagnostics } = analyse(programOf({ "arm.ts": ARM, "main.ts": text }));
  expect(diagnostics).toEqual([]);
  return applyEdits("/src/main.ts", text, edits.get("/src/main.ts") ?? []).text;
}

it("a BOG of another module has the type of what gives it", () => {
  expect(edited("grad")).toContain(
    "let reach$bog: ReturnType<typeof reach$revf$angle> | undefined;",
  );
});

it("a snapshot says so, too", () => {
  expect(edited("derivativeSource")).toContain(
    "let reach$bog: ReturnType<typeof reach$revf$angle> | undefined;",
  );
});
