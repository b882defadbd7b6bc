// `debug: "nan"`: derivatives stop at the first number that is not finite. Oracles: what a reader needs is in the message; where
// all numbers are finite, derivatives are those without guards.

import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { built, emittedErrors } from "../nested/compiled.ts";
import { tsgradMatchers, type TsgradMatchers } from "../../runtime/testing.ts";
import { isLong } from "../breadth.ts";
import { programOf } from "../program.ts";

expect.extend(tsgradMatchers);
declare module "vitest" {
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- as vitest asks for it
  interface Matchers<T = any> extends TsgradMatchers<T> {}
}

const call = (value: unknown, ...args: readonly unknown[]): unknown => {
  if (typeof value !== "function") throw new Error("not exported");
  return value(...args) as unknown;
};

const thrown = (run: () => unknown): string => {
  try {
    return `returned ${JSON.stringify(run())}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

describe("a NaN that arises backwards only", () => {
  const text = fs.readFileSync(
    new URL("../../fixtures/debug/backwards.ts", import.meta.url),
    "utf8",
  );
  const checked = built(text);
  const plain = built(text.replaceAll(', { debug: "nan" }', ""));
  it.each([
    ["p1", "Math.sqrt((a.x - b.x) ** 2 + (a.y - b.y) ** 2)", "Infinity", "energy"],
    ["p2", "Math.acos(dot)", "-Infinity", "angle"],
    ["p3", "linear ** (1 / 2.2)", "Infinity", "brightness"],
    ["p4", "Math.sqrt(variance)", "NaN", "normalised"],
    ["p5", "Math.atan2(v.y, v.x)", "NaN", "heading"],
  ])("%s names `%s`", (name, code, becomes, root) => {
    expect(JSON.stringify(call(plain.exports[name]))).toMatch(/null/); // NaN or Infinity
    const message = thrown(() => call(checked.exports[name]));
    const at = text.indexOf(code);
    const line = text.slice(0, at).split("\n").length;
    const column = at - text.lastIndexOf("\n", at);
    expect(message).toMatch(/^TSG0025: /);
    expect(message).toContain(
      `becomes ${name === "p1" ? "-Infinity" : becomes} in the backward pass, at \`${code}\``,
    );
    expect(message).toContain(`(nested.ts:${line}:${column}`);
    expect(message).toMatch(/\n {2}there .* is 0/);
    expect(message).toContain(`began at the result of \`${root}\``);
    expect(message).toMatch(/why: .*\n.*what helps: /);
  });
  it("type-checks", () => {
    expect(emittedErrors(checked.text)).toEqual([]);
  });
});

const PROGRAM = `import { grad, valueAndGrad, vjp, jvp, linearize, jacfwd, jacrev, hessian, hvp, customVjp, checkpoint } from "tsgrad";
interface Model { w: number[]; b: number; name: string }
const soft = customVjp((x: number): number => Math.log(1 + Math.exp(x)), (x) => [Math.log(1 + Math.exp(x)), (bar) => [bar * (1 - 1 / (1 + Math.exp(x)))]]);
const norm = (xs: number[]): number => { let s = 0; for (const x of xs) s += x * x; return Math.sqrt(s); };
const part = checkpoint((xs: number[]): number => xs.map((x) => x / (1 + x * x)).reduce((s, x) => s + x, 0));
const tower = (x: number, n: number): number => n === 0 ? x : tower(Math.sin(x) * 1.5, n - 1);
export function f(m: Model, x: number[]): number {
  let best = Infinity;
  for (let i = 0; i < x.length; i++) best = Math.min(best, Math.abs(m.w[i] - x[i]));
  const last = x.map((v, i) => v * m.w[i]).filter((v) => v > 0);
  return best + norm(last) * soft(m.b) + part(m.w) + tower(m.b, 3) + Math.log(1 + Math.exp(-Math.abs(m.b))) ** 2;
}
const g = (x: number[]): number[] => [f({ w: x, b: x[0], name: "" }, [1, 2]), x[0] / x[1]];
const of = (x: number[]): number => f({ w: x, b: x[0] * x[1], name: "" }, [1, 2]);
const slope = (x: number): number => grad((y: number): number => Math.sqrt(y) * x)(x * x);
const m: Model = { w: [0.3, -0.7], b: 0.4, name: "m" };
export const all = () => [
  grad(f, O)(m, [1, 2]), valueAndGrad(f, { argnums: [0, 1], O1 })(m, [1, 2]), vjp(g, O)([0.3, -0.7])[1]([1, 2]), jvp(g, O)([[0.3, -0.7]], [[1, 2]]),
  linearize(g, O)([0.3, -0.7])[1].apply([[1, 2]]), jacfwd(g, O)([0.3, -0.7]), jacrev(g, O)([0.3, -0.7]), hessian(of, O)([0.3, -0.7]), hvp(of, O)([[0.3, -0.7]], [1, 2]),
  grad(slope, O)(1.3),
];
export const at = (x: number) => [() => hessian((y: number): number => y ** 1.5, O)(x), () => jvp((y: number): number => Math.sqrt(y), O)([x], [1]),
  () => vjp((y: number[]): number => norm(y), O)([x, x])[1](1), () => jacrev((y: number): number[] => [Math.asin(1 - y), y], O)(x),
  () => grad((y: number): number => Math.log(y), O)(x), () => grad((y: number): number => \`\\\\\${"$"}{\`.length * Math.sqrt(y), O)(x)];
`;
const withOptions = (on: boolean): string =>
  PROGRAM.replaceAll(", O)", on ? ', { debug: "nan" })' : ")").replace(
    ", O1",
    on ? ', debug: "nan"' : "",
  );

describe("all forms", () => {
  const checked = built(withOptions(true));
  const plain = built(withOptions(false));
  it("give what they give without guards", () => {
    // sums of cotangents may be added in another order
    expect(call(checked.exports["all"])).toBeCloseToTree(call(plain.exports["all"]), {
      relative: 1e-12,
    });
  });
  it("stop where a number is not finite", () => {
    const runs = call(checked.exports["at"], 0);
    const messages = Array.isArray(runs)
      ? runs.map((run) => thrown(() => call(run)).split("\n")[0])
      : [];
    expect(messages.map((message) => message?.replace(/ \(nested.*/, ""))).toMatchInlineSnapshot(`
      [
        "TSG0025: the second derivative at \`y ** 1.5\` becomes Infinity",
        "TSG0025: the tangent of \`Math.sqrt(y)\` becomes Infinity",
        "TSG0025: the cotangent of \`s\` becomes Infinity in the backward pass, at \`Math.sqrt(s)\`",
        "TSG0025: the cotangent of \`1 - y\` becomes Infinity in the backward pass, at \`Math.asin(1 - y)\`",
        "TSG0025: \`Math.log(y)\` is -Infinity",
        "TSG0025: the cotangent of \`y\` becomes Infinity in the backward pass, at \`Math.sqrt(y)\`",
      ]
    `);
  });
  it.runIf(isLong)("type-check", () => {
    expect(emittedErrors(checked.text)).toEqual([]);
  });
});

it("as an option of the plugin it concerns every call", () => {
  const text = `import { grad } from "tsgrad";\nexport const d = grad((x: number): number => Math.sqrt(x));\n`;
  const { edits } = analyse({ ...programOf({ "a.ts": text }), debug: "nan" });
  expect(
    edits
      .get("/src/a.ts")
      ?.map((edit) => edit.text)
      .join(""),
  ).toContain("TSG0025");
});

/** Calls of functions that grow beyond what is inlined if guards count. */
const WITH_CALLS = `import { grad } from "tsgrad";
class Vec {
  constructor(public x: number, public y: number) {}
  add(o: Vec): Vec { return new Vec(this.x + o.x, this.y + o.y); }
  scale(k: number): Vec { return new Vec(this.x * k, this.y * k); }
  get length(): number { return Math.sqrt(this.x * this.x + this.y * this.y); }
}
class Body { constructor(public position: Vec, public velocity: Vec) {} }
class World {
  readonly bodies: Body[] = [];
  step(dt: number): void {
    for (const b of this.bodies) {
      const drag = b.velocity.scale(-0.02 * b.velocity.length);
      b.velocity = b.velocity.add(drag.add(new Vec(0, -9.81)).scale(dt));
      b.position = b.position.add(b.velocity.scale(dt));
      if (b.position.y < 0) {
        const late = b.position.y / b.velocity.y;
        b.velocity = new Vec(b.velocity.x, -0.8 * b.velocity.y - 9.81 * late);
        b.position.y = -0.8 * b.velocity.y * late;
      }
    }
  }
}
function launch(velocity: Vec, steps: number): Body {
  const world = new World(), ball = new Body(new Vec(0, 1), velocity);
  world.bodies.push(ball);
  for (let i = 0; i < steps; i++) world.step(0.01);
  return ball;
}
const reach = (v: Vec): number => launch(v, 20).position.x;
export const slope = grad(reach, O);
export const d = () => slope(new Vec(3, 2));
`;

it("concerns no choice of engine", () => {
  const [checked, plain] = [', { debug: "nan" }', ""].map((options) =>
    built(WITH_CALLS.replace(", O", options)),
  );
  expect(plain?.text).not.toContain("$d.");
  expect(checked?.text).not.toContain("$d.");
  expect(call(checked?.exports["d"])).toBeCloseToTree(call(plain?.exports["d"]), {
    relative: 1e-12,
  });
});
