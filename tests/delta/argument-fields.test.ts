// Arguments whose numbers are inherited, hidden or behind accessors, alone and in containers. In: objects by kind. Out: closed forms of x² y, with y an ordinary field, or of x².

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

const SOURCE = `import { grad, jvp } from "tsgrad";
interface P { x: number; y: number }
const of = (o: P): number => o.x * o.x * o.y;
export const both = grad(of, { engine: "delta" });
export const alone = grad((o: { x: number }): number => o.x * o.x, { engine: "delta" });
export const list = grad((os: P[]): number => of(os[0]!), { engine: "delta" });
export const map = grad((os: Map<string, P>): number => of(os.get("k")!), { engine: "delta" });
export const record = grad((r: { p: P; v: Float64Array }): number => of(r.p) + r.v[0]!, { engine: "delta" });
export const pushed = jvp(of, { engine: "delta" });
`;
const file = "/src/input.ts";
const { edits } = analyse(programOf({ "input.ts": SOURCE }));
const made = loader(new Map([[file, applyEdits(file, SOURCE, edits.get(file) ?? []).text]]))(
  file,
) as Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;

const KINDS: Readonly<Record<string, (more: object) => object>> = {
  inherited: (more) => Object.assign(Object.create({ x: 3 }) as object, more),
  "inherited twice": (more) =>
    Object.assign(Object.create(Object.create({ x: 3 }) as object) as object, more),
  hidden: (more) => Object.defineProperty({ ...more }, "x", { value: 3 }),
  frozen: (more) => Object.freeze({ x: 3, ...more }),
  "without prototype": (more) => Object.assign(Object.create(null) as object, { x: 3 }, more),
};

test.each(Object.entries(KINDS))("%s", (_, kind) => {
  const p = (): object => kind({ y: 2 });
  const slope = { x: 12, y: 9 };
  expect(made["alone"]?.(kind({}))).toEqual({ x: 6 });
  expect(made["both"]?.(p())).toEqual(slope);
  expect(made["list"]?.([p()])).toEqual([slope]);
  expect(made["map"]?.(new Map([["k", p()]]))).toEqual(new Map([["k", slope]]));
  expect(made["record"]?.({ p: p(), v: Float64Array.of(1) })).toEqual({
    p: slope,
    v: Float64Array.of(1),
  });
  expect(made["pushed"]?.([p()], [{ x: 1, y: 1 }])).toEqual([18, 21]);
});

test("accessors: the derivative, or an error", () => {
  const accessor = (more: object): object =>
    Object.defineProperty({ ...more }, "x", { get: () => 3, enumerable: true });
  expect(made["alone"]?.(accessor({}))).toEqual({ x: 6 });
  expect(() => made["both"]?.(accessor({ y: 2 }))).toThrow(/TSG0010/);
});
