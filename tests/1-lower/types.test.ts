import { describe, expect, test } from "vitest";
import { LOWERING } from "../../transformer/1-lower/entry-points.ts";
import { Classes } from "../../transformer/1-lower/classes/classes.ts";
import { moduleGraph } from "../../transformer/1-lower/sites/module-graph.ts";
import { TypeTable } from "../../transformer/1-lower/types/types.ts";
import type { Type } from "../../transformer/ir/types.ts";
import { programOf } from "../program.ts";
import ts from "typescript";

/** A type in one line; `!` marks what may hold numbers that are out of reach. */
function text(type: Type): string {
  switch (type.kind) {
    case "leaf":
      return `${type.text}${type.opaque === true ? "!" : ""}`;
    case "array":
      return `${type.store}<${text(type.elem)}>`;
    case "tuple":
      return `[${type.elems.map(text).join(", ")}]`;
    case "record":
      return `{${type.fields.map((field) => `${field.name}: ${text(field.type)}`).join("; ")}}`;
    case "opt":
      return `${text(type.of)}?`;
    case "dict":
      return `${type.store}<${text(type.key)}, ${text(type.value)}>`;
    case "union":
      return type.variants.map(text).join(" | ");
    case "named":
      return `@${type.name}`;
    case "cotangent":
    case "tape":
    case "func":
    case "num":
    case "bool":
    case "void":
      return type.kind;
  }
}

function table(source: string, others: Readonly<Record<string, string>> = {}) {
  const { program } = programOf({ "a.ts": source, ...others });
  const file = program.getSourceFile("/src/a.ts");
  if (file === undefined) throw new Error("no file");
  const types = new TypeTable(
    ts,
    program,
    new Classes(ts, program, LOWERING),
    moduleGraph(ts, program),
  );
  const checker = program.getTypeChecker();
  const find = (name: string): ts.Node => {
    let found: ts.Node = file;
    const visit = (node: ts.Node): void => {
      if (ts.isVariableDeclaration(node) && node.name.getText() === name) found = node;
      ts.forEachChild(node, visit);
    };
    visit(file);
    return found;
  };
  return {
    types,
    program,
    of: (name: string) => text(types.from(checker.getTypeAtLocation(find(name)), find(name))),
  };
}

const CASES: readonly [string, string][] = [
  ["number", "num"],
  ["1 | 2", "num"],
  ["boolean", "bool"],
  ["true", "bool"],
  ["boolean | undefined", "bool?"],
  ["string", "string"],
  ["'a' | 'b'", '"a" | "b"'],
  ["string | undefined", "string | undefined"],
  ["bigint", "bigint"],
  ["symbol", "symbol"],
  ["null", "null"],
  ["number | undefined", "num?"],
  ["number | null | undefined", "num?"],
  ["number[] | null", "Array<num>?"],
  ["number[]", "Array<num>"],
  ["readonly number[][]", "Array<Array<num>>"],
  ["ReadonlyArray<string>", "Array<string>"],
  ["number[] | readonly number[]", "Array<num>"],
  ["Float64Array", "Float64Array<num>"],
  ["Uint8ClampedArray", "Uint8ClampedArray<num>"],
  ["BigInt64Array", "BigInt64Array<ArrayBufferLike>!"],
  ["[number, string]", "[num, string]"],
  ["readonly [x: number, y: number[]]", "[num, Array<num>]"],
  ["[number, number?]", "[num, num?]"],
  ["[number, ...number[]]", "[number, ...number[]]!"],
  ["{ a: number; b?: number; c: string }", "{a: num; b: num?; c: string}"],
  ["{ f(x: number): number; k: number }", "{f: (x: number) => number; k: num}"],
  ["Record<'a' | 'b', number>", '@Record<"a" | "b", number>'],
  ["Record<string, number>", "Object<string, num>"],
  ["{ [key: string]: Model }", "Object<string, @Model>"],
  ["Map<string, number>", "Map<string, num>"],
  ["Map<Model, number>", "Map<@Model, num>"],
  ["Set<number>", "Set<number>!"],
  ["Set<string>", "Set<string>"],
  ["ArrayLike<number>", "@ArrayLike<number>"],
  ["Promise<number>", "Promise<number>!"],
  ["Date", "Date"],
  ["Error", "Error"],
  ["RegExp", "RegExp"],
  ["any", "any!"],
  ["unknown", "unknown!"],
  ["object", "object!"],
  ["{}", "{}!"],
  ["(x: number) => number", "(x: number) => number"],
  ["number | string", "string | number!"],
  ["number | number[]", "number | number[]!"],
  ["E", "num"],
  ["E.A", "num"],
  ["S", "S"],
  ["number & { readonly unit: 'm' }", "num"],
  ["Model", "@Model"],
  ["Model[]", "Array<@Model>"],
  ["Model | undefined", "@Model?"],
  ["Pair<number>", "@Pair<number>"],
  ["Point", "@Point"],
  ["Secret", "@Secret"],
  ["Both", "@Both"],
  ["Shape", "@Shape"],
  ["Tree", "@Tree"],
  ["Nested", "@Nested"],
  ["Grow<number>", "@Grow<number>"],
  ["Partial<Model>", "@Partial<Model>"],
  ["Shape | null", "@Shape?"],
  ["Chain", "@Chain?"],
  ["Pairs", "@Pairs?"],
  ["{ r: number } | number[]", "{r: num} | Array<num>"],
  ["Vec", "Array<num>"],
  ["Buffer64", "Float64Array<num>"],
  ["V3", "[num, num, num]"],
  ["Branded", "Branded!"],
  ["Rows", "Rows!"],
  ["Omit<Model, 'b'>", '@Omit<Model, "b">'],
  ["Readonly<Model>", "@Readonly<Model>"],
  ["typeof settings", "{rate: num; name: string}"],
  ["Lookup", "Map<string, num>"],
];

const DECLARATIONS = `
enum E { A, B } enum S { A = "a", B = "b" }
interface Model { w: number[]; b: number }
type Pair<T> = { first: T; second: T };
class Point { x = 1 }
class Secret { #x = 1; y() { return this.#x; } }
type Both = Model & { k: number };
type Shape = { kind: "a"; r: number } | { kind: "b"; w: number };
interface Tree { value: number; children: Tree[]; left?: Tree }
type Nested = (number | Nested)[]; type Chain = { v: number; next: Chain } | null; type Pairs = [number, Pairs] | null;
interface Grow<T> { value: number; next: Grow<T[]> }
type Vec = number[]; type Buffer64 = Float64Array; type V3 = [number, number, number]; type Lookup = Map<string, number>;
type Branded = [number, number] & { readonly tag: 1 };
interface Rows extends Array<number> { rows: number }
declare const settings: { rate: number; name: string };
export {};
`;

describe("types", () => {
  test.each(CASES)("%s", (written, expected) => {
    expect(table(`${DECLARATIONS}declare const value: ${written};`).of("value")).toBe(expected);
  });

  test("definitions of named types", () => {
    const { types, of } = table(
      `${DECLARATIONS}declare const value: { m: Both; t: Tree[]; p: Pair<Model> };`,
    );
    of("value");
    expect(
      [...types.types]
        .filter(([name]) => name !== "Model")
        .map(([name, named]) => `${name} = ${text(named.type)}`),
    ).toEqual([
      "Both = {w: Array<num>; b: num; k: num}",
      "Tree = {value: num; children: Array<@Tree>; left: @Tree?}",
      "Pair<Model> = {first: @Model; second: @Model}",
    ]);
  });

  test("one name for two types, and where each is in scope", () => {
    const { types, program, of } = table(
      `import { other } from "./b";\ninterface Model { a: number }\ndeclare const mine: Model;\nconst theirs = other;\nconst both = [mine, theirs] as const;\n(() => { interface Local { k: number }; const local: Local = { k: 1 }; return local; })();`,
      {
        "b.ts": "export interface Model { b: number }\nexport declare const other: Model;",
        "c.ts": `import type { Model } from "./b";\nexport type M = Model;`,
      },
    );
    expect([of("mine"), of("theirs"), of("local")]).toEqual(["@Model", "@Model.2", "@Local"]);
    const named = types.named(
      ["/src/a.ts", "/src/b.ts", "/src/c.ts"].flatMap((name) => program.getSourceFile(name) ?? []),
    );
    expect(named.get("Model")).toMatchObject({ text: "Model", scope: ["/src/a.ts"] });
    expect(named.get("Model.2")).toMatchObject({
      text: "Model",
      scope: ["/src/b.ts", "/src/c.ts"],
    });
    expect(named.get("Local")).toMatchObject({ scope: [] });
  });
});
