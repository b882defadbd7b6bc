// Dense derivatives where an object that may hold numbers by its type holds none when they run. Oracle: the derivative by hand.

import { describe, expect, it } from "vitest";
import { built, emittedErrors } from "./compiled.ts";

const DECLARATIONS = `import { jacfwd, jacrev, hessian, linearize } from "tsgrad";
interface Options { decay?: number; inner: { rate?: number }; list: (number | null)[] }
const f = (o: Options, x: number): number => x * x * (o.decay ?? 3) + x * (o.inner.rate ?? 5) + o.list.reduce<number>((s, v) => s + (v ?? x * x * x), 0);
const g = (x: number, on: boolean): { only: { v?: number }; list: (number | null)[]; b: number } => ({ only: on ? { v: x * x } : {}, list: [on ? x : null], b: x * x * x });
const none: Options = { inner: {}, list: [null] };
`;

describe.each([
  ["static", ""],
  ["delta", `, engine: "delta"`],
])("%s", (name, engine) => {
  const { exports, text } = built(`${DECLARATIONS}
export const forward = jacfwd(f, { argnums: [0, 1]${engine} })(none, 2)[1];
export const rows = jacrev(g, { argnums: 0${engine} })(2, false).b;
export const applied = linearize(g, { argnums: 0${engine} })(2, false)[1].apply(1).b;
export const back = linearize(g, { argnums: 0${engine} })(2, false)[1].transpose().apply({ only: {}, list: [null], b: 1 } as never);
${name === "static" ? "export const second = hessian(f, { argnums: [0, 1] })(none, 2)[1][1];" : ""}
`);
  it("takes them for what varies by nothing", () => {
    expect(exports["forward"]).toBe(2 * 2 * 3 + 5 + 3 * 2 * 2);
    expect(exports["rows"]).toBe(3 * 2 * 2);
    expect(exports["applied"]).toBe(3 * 2 * 2);
    expect(exports["back"]).toBe(3 * 2 * 2);
    if (name === "static") expect(exports["second"]).toBe(2 * 3 + 6 * 2);
    expect(emittedErrors(text)).toEqual([]);
  });
});
