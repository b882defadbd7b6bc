// Classes behind interfaces in files that have nothing to do with each other. In: one text many
// times over. Out: the derivative of one file is the same however many others there are, and no
// file imports another.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { programOf } from "../program.ts";

const INTERFACE = "interface Layer { forward(x: number): number }";

/** Layers of a local list, of a field, of a table, and behind a base class. */
const BODIES = [
  `const layers: Layer[] = [new Affine$(w), new Tanh$(), new Affine$(x)];
  let y = x;
  for (const layer of layers) y = layer.forward(y);
  return y;`,
  `const net: { first: Layer; rest: Layer | null } = { first: new Affine$(w), rest: x > 0 ? new Tanh$() : null };
  return net.first.forward(x) + (net.rest?.forward(w) ?? 0);`,
  `const layer: Layer = x > 1 ? new Affine$(w) : new Tanh$();
  return apply(layer, x);`,
];

const textOf = (body: string, at: number): string =>
  `import { grad } from "tsgrad";
${INTERFACE}
class Affine$ implements Layer { constructor(private w: number) {} forward(x: number): number { return this.w * x; } }
class Tanh$ implements Layer { forward(x: number): number { return Math.tanh(x); } }
function apply(layer: Layer, x: number): number { return layer.forward(x) * layer.forward(2 * x); }
export function f(w: number, x: number): number {
  ${body}
}
void apply;
export const df = grad(f, { argnums: [0, 1] });
`.replaceAll("$", String(at));

function editsOf(body: string, count: number): readonly string[] {
  const files = Array.from({ length: count }, (_, i) => [`p${i}.ts`, textOf(body, i)] as const);
  const { edits, diagnostics } = analyse(programOf(Object.fromEntries(files)));
  expect(diagnostics).toEqual([]);
  return files.map(([name]) =>
    (edits.get(`/src/${name}`) ?? []).map(({ text }) => text).join("\n"),
  );
}

test.each(BODIES)("files that have nothing to do with each other: %s", (body) => {
  const [alone] = editsOf(body, 1);
  expect(alone).toContain("tanh");
  const all = editsOf(body, 6);
  expect(
    all.map((each, i) =>
      each.replaceAll(`${i}(`, "0(").replaceAll(new RegExp(`(?<=Affine|Tanh)${i}`, "g"), "0"),
    ),
  ).toEqual(all.map(() => alone));
  for (const each of all) expect(each).not.toContain("import");
});
