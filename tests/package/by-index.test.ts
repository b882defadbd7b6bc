// What scripts/by-index.mjs makes of code does what the code does: bundled with it and without it, a program prints the same.

import { build, type Plugin } from "esbuild";
import { expect, test } from "vitest";
// @ts-expect-error a script without types
import { byIndex } from "../../scripts/by-index.mjs";
import { sandbox } from "../hosts/sandbox.ts";

const PROGRAM = `
const said: unknown[] = [];
const say = (...what: unknown[]): void => { said.push(what); };

// a list that grows, that shrinks, that has holes, that another one takes the place of
const grown = [1, 2, 3];
for (const x of grown) { say("grown", x); if (x < 3) grown.push(x + 5); }
const shrunk = [1, 2, 3, 4];
for (const x of shrunk) { say("shrunk", x); if (x === 2) shrunk.length = 2; }
for (const x of [1, , 3]) say("hole", x);
let other: readonly number[] = [1, 2];
for (const x of other) { other = []; say("other", x); }

// what is no list, or may be none: sets that grow, maps, texts with characters of two units, generators that are closed
const set = new Set([1, 2]);
for (const x of set) { say("set", x); if (x < 4) set.add(x + 2); }
for (const [key, value] of new Map([["a", 1], ["b", 2]])) say("map", key, value);
for (const character of "a\\u{1F600}b") say("text", character);
function* counted(): Generator<number> { try { yield 1; yield 2; } finally { say("closed"); } }
for (const x of counted()) { say("generated", x); break; }
const either = (many: boolean): number[] | Set<number> => (many ? [1, 2] : new Set([3]));
for (const many of [true, false]) for (const x of either(many)) say("either", x);

// jumps, closures over what a round binds, assignments to it
const later: (() => number)[] = [];
outer: for (const x of [1, 2, 3, 4]) {
  for (let z of [10, 20, 30]) {
    if (z === 20 && x === 2) continue outer;
    if (x === 4) break outer;
    if (z === 30) continue;
    z += x;
    later.push(() => x * 100 + z);
  }
}
say(later.map((f) => f()));
for (const x of [1, 2]) say("alone", x);
if (said.length > 0) for (const x of [7]) say("nested", x); else say("never");

// pairs of a position and an element
for (const [i, x] of ["a", "b"].entries()) say("entries", i, x);
for (const [, x] of ["c"].entries()) say("element", x);
for (const [i] of ["d"].entries()) say("position", i);
for (const [i, { deep: [first] }] of [{ deep: [1] }, { deep: [] }].entries()) say("deep", i, first);
for (const [i, x = "none"] of ["e", undefined].entries()) say("or", i, x);
for (const [, [x, [z = 5] = []]] of ([[1, [2]], [3]] as [number, number[]?][]).entries()) say("pattern", x, z);

// patterns: too few elements, holes, what stands for a missing one, the rest, what is no list
const [a, , b = 9, c] = [1, 2] as number[];
const [first, ...rest] = [1, 2, 3];
const [letter] = "xyz";
const [smallest] = new Set([4, 5]);
const sum = ([x, z]: readonly [number, number], [u] = [7]): number => x + z + u;
say(a, b, c, first, rest, letter, smallest, sum([1, 2]), sum([1, 2], [3]));
say([[1, 2], [3, 4]].map(([x, z]) => x * z));
let order = "";
const asked = (name: string): number => { order += name; return 1; };
const [p = asked("p"), q = asked("q")]: (number | undefined)[] = [undefined, 2];
const { list: [r, { s }] } = { list: [1, { s: 2 }] as [number, { s: number }] };
say(p, q, r, s, order);
console.log(JSON.stringify(said));
`;

test("lists are gone through by index, and nothing else changes", async () => {
  const tsconfig = JSON.stringify({
    compilerOptions: {
      target: "es2022",
      lib: ["es2022", "dom"],
      module: "esnext",
      moduleResolution: "bundler",
      strict: true,
      types: [],
    },
    include: ["transformer"],
  });
  const box = sandbox(
    { "tsconfig.json": tsconfig, "transformer/program.ts": PROGRAM },
    { stubs: false },
  );
  const bundle = async (outfile: string, plugins: Plugin[]): Promise<string> => {
    await build({
      entryPoints: [box.at("transformer/program.ts")],
      outfile: box.at(outfile),
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      logLevel: "error",
      plugins,
    });
    return box.run(box.at(outfile)).out;
  };
  const plain = await bundle("plain.mjs", []);
  const rewritten = await bundle("by-index.mjs", [byIndex(box.dir)]);
  expect(rewritten).toBe(plain);
  expect(JSON.parse(plain)).toContainEqual(["grown", 7]);
  const code = box.read("by-index.mjs");
  expect(code.match(/\bof\b/g)?.length).toBeLessThan(
    box.read("plain.mjs").match(/\bof\b/g)?.length ?? 0,
  );
  for (const kept of ["of set)", "of counted())", "of either(many))", "...rest] = "])
    expect(code).toContain(kept);
});
