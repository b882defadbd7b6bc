import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "../../transformer/ir/parse.ts";
import { see, type Seen } from "../1-lower/same-run.ts";
import { compiled, emitted } from "./emitted.ts";
import { problemsOf } from "./type-check.ts";

const ROOT = new URL("../../fixtures/5-emit/", import.meta.url);
const names = readdirSync(ROOT)
  .filter((file) => file.endsWith(".ir"))
  .map((file) => file.slice(0, -".ir".length));
const irOf = (name: string): string => readFileSync(new URL(`${name}.ir`, ROOT), "utf8");

function expectGolden(file: string, text: string): void {
  const path = new URL(file, ROOT);
  if (process.env["TSGRAD_ACCEPT"] === "1") writeFileSync(path, text);
  expect(existsSync(path), `missing golden ${file}`).toBe(true);
  expect(text).toBe(readFileSync(path, "utf8"));
}

/** `// run f [1, 2]`: calls to make, arguments as JavaScript. */
function runs(ir: string): readonly { readonly name: string; readonly args: () => unknown[] }[] {
  return Array.from(ir.matchAll(/^\/\/ run (\S+) (\[.*\])$/gm), ([, name = "", args = "[]"]) => ({
    name,
    args: () => new Function(`return ${args};`)(),
  }));
}

function seeText(source: string, name: string, args: readonly unknown[]): Seen {
  const f = compiled(source, [name])[name];
  if (f === undefined) throw new Error(`no ${name}`);
  try {
    return { value: f(...args), thrown: null, args };
  } catch (error) {
    if (error instanceof ReferenceError || error instanceof TypeError) throw error;
    return { value: undefined, thrown: { error }, args };
  }
}

const exported = (source: string): string => source.replaceAll(/^function /gm, "export function ");

describe("emitted text", () => {
  it.each(names)("golden %s", (name) => {
    expectGolden(`${name}.ts`, emitted(irOf(name)));
  });

  it("marks element reads under noUncheckedIndexedAccess", () => {
    for (const name of ["reads-and-writes-in-order", "tapes"])
      expectGolden(`${name}.checked.ts`, emitted(irOf(name), { noUncheckedIndexedAccess: true }));
  });

  it.each(names)("golden %s runs as in the interpreter", (name) => {
    const ir = irOf(name);
    const program = parse(ir);
    for (const run of runs(ir)) {
      expect(seeText(emitted(ir), run.name, run.args()), run.name).toEqual(
        see(program, run.name, run.args()),
      );
    }
  });

  it.each([true, false])(
    "type-checks under every strictness flag (noUncheckedIndexedAccess: %s)",
    (noUncheckedIndexedAccess) => {
      const files = Object.fromEntries(
        names.map((name) => [
          `${name}.ts`,
          exported(emitted(irOf(name), { noUncheckedIndexedAccess })),
        ]),
      );
      files["ambient.d.ts"] =
        "declare const EXPONENT = 2;\ninterface Tree { v: number; kids: Tree[] }\ninterface Node { v: number; next?: Node; label: string }\n" +
        'type Shape = { kind: "disc"; r: number } | { kind: "box"; w: number; h: number } | { kind: "none" };\n' +
        "type Cotangent<T> = T extends Node ? { v: number; next?: Cotangent<T> } : T extends Shape ? T : never;\n";
      expect(problemsOf(files, { noUncheckedIndexedAccess })).toEqual([]);
    },
  );
});
