// Classes without a name of their own (transformer/delta/plan/engine-plan.ts): mixins, classes in
// literals, arrays, Maps, results. In: ways of making a class that plain code evaluates × ways of
// using its instances. Oracle: the closed form of m + m v² / 2. Each derivative is asked for twice,
// by both engines.

import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { programOf, typeErrors } from "../program.ts";

const PARTS = `class Base { constructor(public m: number) {} energy(): number { return this.m; } }
type Ctor<T> = new (...args: any[]) => T;
`;
const BODY =
  "{ v = 0; withV(v: number): this { this.v = v; return this; } override energy(): number { return super.energy() + 0.5 * this.m * this.v ** 2; } }";

/** What makes `Made`, a class like `Base` with `withV`. */
const MADE: Readonly<Record<string, string>> = {
  "a mixin": `function moving<T extends Ctor<Base>>(B: T) { return class extends B ${BODY}; } const Made = moving(Base);`,
  "an arrow": `const moving = <T extends Ctor<Base>>(B: T) => class extends B ${BODY}; const Made = moving(Base);`,
  "a mixin with a name": `function moving<T extends Ctor<Base>>(B: T) { return class Moving extends B ${BODY}; } const Made = moving(Base);`,
  "a mixin with a const": `function moving<T extends Ctor<Base>>(B: T) { const M = class extends B ${BODY}; return M; } const Made = moving(Base);`,
  "a mixin of a mixin": `function moving<T extends Ctor<Base>>(B: T) { return class extends B ${BODY}; } function plain<T extends Ctor<Base>>(B: T) { return class extends B { override energy(): number { return super.energy() * 1; } }; } const Made = plain(moving(plain(Base)));`,
  "a class over a mixin": `function moving<T extends Ctor<Base>>(B: T) { return class extends B ${BODY}; } class Made extends moving(Base) { override energy(): number { return super.energy() * 1; } }`,
  "a class over a mixin that names nothing of it": `const moving = <T extends Ctor<Base>>(B: T) => class extends B { k = 0.5; override energy(): number { return this.k * super.energy(); } }; class Made extends moving(Base) { v: number = 0; withV(v: number): this { this.v = v; this.k = 1 + 0.5 * v * v; return this; } }`,
  "a field of a literal": `const kinds = { moving: class extends Base ${BODY} }; const Made = kinds.moving;`,
  "an element": `const kinds = [class extends Base ${BODY}]; const Made = kinds[0]!;`,
  "a Map": `const kinds = new Map([["moving", class extends Base ${BODY}]]); const Made = kinds.get("moving")!;`,
  "a conditional": `const Made = Math.max(1, 2) > 1 ? class extends Base ${BODY} : class extends Base ${BODY};`,
  "a private name": `const make = () => class extends Base { #v = 0; withV(v: number): this { this.#v = v; return this; } get #k(): number { return 0.5 * this.m; } override energy(): number { return super.energy() + this.#k * this.#v ** 2; } }; const Made = make();`,
  "captured numbers": `const make = (half: number) => class extends Base { v = 0; withV(v: number): this { this.v = v; return this; } override energy(): number { return super.energy() + half * this.m * this.v ** 2; } }; make(7); const Made = make(0.5); make(9);`,
  "numbers captured in a block": `const make = (twice: number) => { const half = twice / 4; return class extends Base { v = 0; withV(v: number): this { this.v = v; return this; } override energy(): number { return super.energy() + half * this.m * this.v ** 2; } }; }; make(7); const Made = make(2); make(9);`,
  "a class declared with captures": `function make(twice: number) { const half = twice / 4; class Own extends Base { v = 0; withV(v: number): this { this.v = v; return this; } override energy(): number { return super.energy() + half * this.m * this.v ** 2; } } return Own; } make(7); const Made = make(2); make(9);`,
  "a block of the module": `let made: new (m: number) => Base & { v: number; withV(v: number): any }; { const half = 0.5; made = class extends Base { v = 0; withV(v: number): this { this.v = v; return this; } override energy(): number { return super.energy() + half * this.m * this.v ** 2; } }; } const Made = made;`,
  "a static member": `const make = () => class extends Base { static half = 0.5; static of(m: number, v: number): number { return this.half * m * v ** 2; } v = 0; withV(v: number): this { this.v = v; return this; } override energy(): number { return super.energy() + Made.of(this.m, this.v); } }; const Made = make();`,
};

/** A function of m and v. */
const USED: Readonly<Record<string, string>> = {
  "made by the function": "(m: number, v: number): number => new Made(m).withV(v).energy()",
  "made before":
    "(m: number, v: number): number => { before.m = m; before.withV(v); const e = before.energy(); before.m = 1; before.withV(0); return e; }",
  "in a list":
    "(m: number, v: number): number => [new Made(m).withV(v), new Made(m * 0)].reduce((s, p) => s + p.energy(), 0)",
};

const programOfCase = (made: string, used: string, engine: string): string =>
  `import { grad } from "tsgrad";
${PARTS}${made}
const before = new Made(1);
export const f = ${used};
export const g = grad(f, { argnums: [0, 1]${engine} });
export const count = [before].length;
`;

describe.each(Object.entries(MADE))("%s", (_, made) => {
  test.each(
    Object.entries(USED).flatMap(([way, used]) =>
      ["", `, engine: "delta"`].map((engine) => [way, engine, used] as const),
    ),
  )("%s%s", (_way, engine, used) => {
    const source = programOfCase(made, used, engine);
    const { edits, diagnostics } = analyse(programOf({ "p.ts": source }));
    expect(diagnostics).toEqual([]);
    const text = applyEdits("/src/p.ts", source, edits.get("/src/p.ts") ?? []).text;
    expect(typeErrors(programOf({ "p.ts": text }))).toEqual([]);
    const { f, g } = loader(new Map([["/src/p.ts", text]]))("/src/p.ts") as {
      f: (m: number, v: number) => number;
      g: (m: number, v: number) => [number, number];
    };
    for (const [m, v] of [
      [2, 0.7],
      [0, 3],
      [2, 0.7],
    ] as const) {
      expect(f(m, v)).toBeCloseTo(m + 0.5 * m * v * v, 14); // three roundings
      const [dm, dv] = g(m, v);
      expect(dm).toBeCloseTo(1 + 0.5 * v * v, 14);
      expect(dv).toBeCloseTo(m * v, 14);
    }
  });
});
