// `Cotangent<T>` of runtime/ and `shadowType` of the compiler say the same. Each row is one type, as a user writes it and as IR;
// the IR shadow is written as TypeScript and the compiler asked whether the two are identical.

import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import ts from "typescript";
import { BOOL, NUM } from "../../transformer/ir/build.ts";
import { resolve, shadowType, type Types } from "../../transformer/ir/shadow.ts";
import type { ArrayStore, NamedType, Type } from "../../transformer/ir/types.ts";

const leaf = (text: string): Type => ({ kind: "leaf", text });
const array = (elem: Type, store: ArrayStore = "Array"): Type => ({ kind: "array", store, elem });
const tuple = (...elems: readonly Type[]): Type => ({ kind: "tuple", elems });
const opt = (of: Type): Type => ({ kind: "opt", of });
const named = (name: string): Type => ({ kind: "named", name });
const record = (fields: Readonly<Record<string, Type>>): Type => ({
  kind: "record",
  fields: Object.entries(fields).map(([name, type]) => ({ name, type })),
});
const dict = (store: "Map" | "Object", value: Type): Type => ({
  kind: "dict",
  store,
  key: TEXT,
  value,
});
const union = (...variants: readonly Type[]): Type => ({ kind: "union", variants });
/** A record that is a member of a union. */
const member = (fields: Readonly<Record<string, Type>>): Type => ({
  kind: "record",
  fields: Object.entries(fields).map(([name, type]) => ({ name, type })),
  tagged: true,
});
const declared = (text: string, type: Type): NamedType => ({ type, text, scope: [] });

const TEXT = leaf("string");

const DECLARATIONS = `
interface Model { w: number[]; b: number }
interface Named { readonly name: string; readonly w: readonly number[]; on: boolean; bias?: number; next?: Model; tag?: string }
interface Tree { value: number; label: string; children: Tree[] }
interface List { head: number; tail?: List }
interface Disc { kind: "disc"; r: number }
interface Box { kind: "box"; label: string; size: number[] }
interface None { kind: "none"; label: string }
type Shape = Disc | Box | None;
type Either = { r: number } | number[] | [number, string];
type Expr = { op: "num"; value: number } | { op: "add"; left: Expr; right: Expr };
`;

const types: Types = new Map([
  ["Model", declared("Model", record({ w: array(NUM), b: NUM }))],
  [
    "Named",
    declared(
      "Named",
      record({
        name: TEXT,
        w: array(NUM),
        on: BOOL,
        bias: opt(NUM),
        next: opt(named("Model")),
        tag: opt(TEXT),
      }),
    ),
  ],
  ["Tree", declared("Tree", record({ value: NUM, label: TEXT, children: array(named("Tree")) }))],
  ["List", declared("List", record({ head: NUM, tail: opt(named("List")) }))],
  ["Disc", declared("Disc", member({ kind: leaf('"disc"'), r: NUM }))],
  ["Box", declared("Box", member({ kind: leaf('"box"'), label: TEXT, size: array(NUM) }))],
  ["None", declared("None", member({ kind: leaf('"none"'), label: TEXT }))],
  ["Shape", declared("Shape", union(named("Disc"), named("Box"), named("None")))],
  ["Either", declared("Either", union(member({ r: NUM }), array(NUM), tuple(NUM, TEXT)))],
  [
    "Expr",
    declared(
      "Expr",
      union(
        member({ op: leaf('"num"'), value: NUM }),
        member({ op: leaf('"add"'), left: named("Expr"), right: named("Expr") }),
      ),
    ),
  ],
]);

const STORES: readonly ArrayStore[] = [
  "Float64Array",
  "Float32Array",
  "Int8Array",
  "Uint8Array",
  "Uint8ClampedArray",
  "Int16Array",
  "Uint16Array",
  "Int32Array",
  "Uint32Array",
];

const ROWS: readonly (readonly [string, Type])[] = [
  ["number", NUM],
  ["boolean", BOOL],
  ["string", TEXT],
  ["() => void", leaf("() => void")],
  ["number | undefined", opt(NUM)],
  ["string | undefined", opt(TEXT)],
  ["number[]", array(NUM)],
  ["readonly number[][]", array(array(NUM))],
  ["string[]", array(TEXT)],
  ["(number | undefined)[]", array(opt(NUM))],
  ["(Model | undefined)[]", array(opt(named("Model")))],
  ["number[] | null", opt(array(NUM))],
  ["[number, number]", tuple(NUM, NUM)],
  ["readonly [string, number, number[]]", tuple(TEXT, NUM, array(NUM))],
  ["[boolean, string]", tuple(BOOL, TEXT)],
  ["[number, [number, string]][]", array(tuple(NUM, tuple(NUM, TEXT)))],
  [
    "{ a: number; b: { c: number[]; d: string }; e: boolean }",
    record({ a: NUM, b: record({ c: array(NUM), d: TEXT }), e: BOOL }),
  ],
  ["{ a: { s: string }; b: number }", record({ a: record({ s: TEXT }), b: NUM })],
  ["{ s: string }", record({ s: TEXT })],
  ["{}", record({})],
  ["Model", named("Model")],
  ["Named", named("Named")],
  ["Named[]", array(named("Named"))],
  [
    "{ m: Model; n: Named; t: Tree }",
    record({ m: named("Model"), n: named("Named"), t: named("Tree") }),
  ],
  ["Tree", named("Tree")],
  ["Shape", named("Shape")],
  ["Map<string, number>", dict("Map", NUM)],
  ["ReadonlyMap<string, number[]>", dict("Map", array(NUM))],
  ["Map<string, Shape>", dict("Map", named("Shape"))],
  ["Record<string, number>", dict("Object", NUM)],
  ["Map<string, string>", dict("Map", TEXT)],
  ["Shape[]", array(named("Shape"))],
  ["Shape | undefined", opt(named("Shape"))],
  ["Either", named("Either")],
  ["Expr", named("Expr")],
  ["{ e: Expr; s: Shape[] }", record({ e: named("Expr"), s: array(named("Shape")) })],
  ["List", named("List")],
  ...STORES.map((store) => [store, array(NUM, store)] as const),
];

/** A shadow type as TypeScript; `cotangent` of a named type is written out, once, so that what is compared is not `Cotangent` with itself. */
function text(type: Type, open: readonly string[] = []): string {
  switch (type.kind) {
    case "num":
      return "number";
    case "bool":
      return "boolean";
    case "leaf":
      return type.text;
    case "array":
      return type.store === "Array" ? `(${text(type.elem, open)})[]` : type.store;
    case "tuple":
      return `[${type.elems.map((elem) => text(elem, open)).join(", ")}]`;
    case "record":
      return `{ ${type.fields.map((field) => fieldText(field.name, field.type, open)).join("; ")} }`;
    case "opt":
      return `${text(type.of, open)} | undefined`;
    case "dict":
      return type.store === "Map"
        ? `Map<${text(type.key, open)}, ${text(type.value, open)}>`
        : `Record<string, ${text(type.value, open)}>`;
    case "union":
      return type.variants.map((variant) => text(variant, open)).join(" | ");
    case "named":
      return type.name;
    case "cotangent": {
      const name = type.of.kind === "named" ? type.of.name : "";
      const structure = types.get(name)?.type;
      if (structure === undefined || open.includes(name)) return `Cotangent<${name}>`;
      return text(resolve(type, types), [...open, name]);
    }
    case "tape":
    case "func":
    case "void":
      throw new Error(`a shadow of type ${type.kind}`);
  }
}

/** The IR does not tell an optional field from one that may be undefined; the rows here have optional ones. */
const fieldText = (name: string, type: Type, open: readonly string[]): string =>
  `${name}${type.kind === "opt" ? "?" : ""}: ${text(type, open)}`;

test("the compiler's shadows are typed as users see them", () => {
  const claims = ROWS.map(([written, type], i) => {
    const shadow = shadowType(type, types);
    return `export const row${i}: Identical<Cotangent<${written}>, ${shadow === null ? "never" : text(shadow)}> = true;`;
  });
  expect(complaints(claims)).toEqual([]);
});

test("a wrong shadow is noticed", () => {
  const claims = ["number[]", "Model", "Named"].map(
    (written, i) =>
      `export const row${i}: Identical<Cotangent<${written}>, { w: number[] }> = true;`,
  );
  expect(complaints(claims)).toEqual(claims);
});

/** The claims that the compiler rejects. */
function complaints(claims: readonly string[]): string[] {
  const name = fileURLToPath(new URL("agreement-claims.ts", import.meta.url));
  const header = `import type { Cotangent } from "../../runtime/index.ts";
type Identical<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
${DECLARATIONS}`;
  const source = `${header}\n${claims.join("\n")}\n`;
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    noEmit: true,
    allowImportingTsExtensions: true,
    types: [],
    skipLibCheck: true,
    strict: true,
    exactOptionalPropertyTypes: true,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.getSourceFile = (file, version, ...rest) =>
    file === name
      ? ts.createSourceFile(file, source, version)
      : getSourceFile(file, version, ...rest);
  host.fileExists = (file) => file === name || fileExists(file);
  return ts.getPreEmitDiagnostics(ts.createProgram([name], options, host)).map((diagnostic) => {
    const line = source.slice(0, diagnostic.start ?? 0).split("\n").length;
    return (
      claims[line - header.split("\n").length - 1] ??
      ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n")
    );
  });
}
