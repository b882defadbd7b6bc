// What `emit` prints for a name is what the build writes for its derivative: rules, checkpoints and
// the Delta engine included. The oracle is the text of the edits.

import { describe, expect, test } from "vitest";
import { analyse, type Host } from "../../transformer/analyse.ts";
import { explain, sourceOf } from "../../transformer/explain.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { functionNamed } from "../../transformer/hosts/function-lookup.ts";
import { programOf } from "../program.ts";

const FILE = "/src/a.ts";
const PLAIN = `const plain = (x: number, y: number): number => Math.log(1 + Math.exp(x * y));\n`;
const VJP = `(x, y) => [plain(x, y), (bar) => [bar * y, bar * x]]`;
const JVP = `([x, y], [dx, dy]) => [plain(x, y), dx * y + dy * x]`;

/** Declarations of a function `f` whose derivative is not that of `plain`. */
const MAKERS: Readonly<Record<string, string>> = {
  vjp: `export const f = customVjp(plain, ${VJP});`,
  jvp: `export const f = customJvp(plain, ${JVP});`,
  checkpoint: `export const f = checkpoint(plain);`,
  "vjp in parentheses": `export const f = (customVjp(plain, ${VJP}));`,
  "vjp by another name": `export const f = withRule(plain, ${VJP});`,
  "jvp of a namespace": `export const f = ad.customJvp(plain, ${JVP});`,
  "checkpoint of a namespace": `export const f = ad.checkpoint(plain);`,
  "vjp of an arrow function": `export const f = customVjp((x: number, y: number): number => x * y * y, ${VJP});`,
};
const CALLS: Readonly<Record<string, string>> = {
  "no call": ``,
  grad: `export const g = grad(f);`,
  "value and gradient": `export const g = valueAndGrad(f);`,
  pullback: `export const g = vjp(f);`,
  "second order": `export const g = grad(grad(f));`,
};
const IMPORTS = `import * as ad from "tsgrad";
import { checkpoint, customJvp, customVjp, customVjp as withRule, grad, valueAndGrad, vjp } from "tsgrad";
`;

const host = (maker: string, call: string): Host =>
  programOf({ "a.ts": `${IMPORTS}${PLAIN}${maker}\n${call}\n` });

/** The functions of a text, without their exports. */
const functionsIn = (text: string): readonly string[] =>
  text
    .split(/\n+(?=(?:export )?(?:async )?(?:function|type) )/)
    .map((item) => item.replace(/^export /, "").trim())
    .filter((item) => /^(?:async )?function/.test(item));

function built(of: Host): string {
  const text = of.program.getSourceFile(FILE)?.text ?? "";
  return applyEdits(FILE, text, analyse(of).edits.get(FILE) ?? []).text;
}

function printed(of: Host, name: string): string {
  const file = of.program.getSourceFile(FILE);
  if (file === undefined) throw new Error("no file");
  const { file: home, fn } = functionNamed(of, file, name);
  return sourceOf(of, home.fileName, fn);
}

const cases = Object.entries(MAKERS).flatMap(([maker, declared]) =>
  Object.entries(CALLS).map(([form, call]) => ({ maker, declared, form, call })),
);

describe.each(cases)("$maker, $form", ({ declared, call }) => {
  test("each printed function stands in the built file", () => {
    const of = host(declared, call);
    // without a call, as if `grad` were called
    const text = built(call === "" ? host(declared, CALLS["grad"] ?? "") : of);
    const names = call === "" ? ["f"] : ["f", "g"];
    for (const name of names) {
      const items = functionsIn(printed(of, name));
      expect(items.length).toBeGreaterThan(0);
      for (const item of items) expect(text).toContain(item);
      expect(items.join("\n")).not.toContain("Math.log(1 + Math.exp(x * y)) /");
    }
  });
});

const BY_DELTA: Readonly<Record<string, string>> = {
  try: `function f(x: number): number { try { return x * x; } catch { return 0; } }`,
  "an arrow function": `const f = (x: number): number => { try { return x ** 3; } catch { return 0; } };`,
  "a helper": `const h = (x: number): number => { try { return x * x; } catch { return 0; } };\nfunction f(x: number): number { return h(x) * x; }`,
  finally: `function f(x: number): number { let n = 0; try { n = 1; return x * x; } finally { n++; } }`,
};

test.each(Object.entries(BY_DELTA))("code of the Delta engine: %s", (_, code) => {
  const of = programOf({ "a.ts": `${IMPORTS}${code}\nexport const g = grad(f);\n` });
  const items = functionsIn(sourceOf(of, FILE, "f"));
  expect(items.some((item) => item.includes("function f$delta("))).toBe(true);
  const text = built(of);
  for (const item of items) expect(text).toContain(item);
  expect([...functionsIn(sourceOf(of, FILE))].sort()).toEqual([...items].sort());
  expect(explain(of, FILE, "f")).toContain("engine   delta");
});
