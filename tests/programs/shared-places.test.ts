// One object in two places of an argument, or in two arguments, at any depth of lists, dictionaries, Maps and records. In: containers of two objects that a
// function scales. Out: the derivative where the objects differ or are only read, TSG0004 where one is written, and the derivative of the Delta engine, which
// has one shadow per object. Closed forms.

import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import { loadedText } from "./one-text.ts";

interface Container {
  readonly type: (of: string) => string;
  readonly make: (parts: readonly string[]) => string;
  /** Code that runs `body` for each part. */
  readonly walk: (of: string, part: string, body: string) => string;
}

const KINDS = {
  list: {
    type: (of) => `(${of})[]`,
    make: (parts) => `[${parts.join(", ")}]`,
    walk: (of, part, body) => `for (const ${part} of ${of}) { ${body} }`,
  },
  dict: {
    type: (of) => `Record<string, ${of}>`,
    make: (parts) => `{ ${parts.map((part, i) => `k${i}: ${part}`).join(", ")} }`,
    walk: (of, part, body) =>
      `for (const k of Object.keys(${of})) { const ${part} = ${of}[k]!; ${body} }`,
  },
  Map: {
    type: (of) => `Map<number, ${of}>`,
    make: (parts) => `new Map([${parts.map((part, i) => `[${i}, ${part}] as const`).join(", ")}])`,
    walk: (of, part, body) => `for (const ${part} of ${of}.values()) { ${body} }`,
  },
  record: {
    type: (of) => `{ at: ${of} }`,
    make: ([part = ""]) => `{ at: ${part} }`,
    walk: (of, part, body) => `{ const ${part} = ${of}.at; ${body} }`,
  },
} satisfies Readonly<Record<string, Container>>;

type Kind = keyof typeof KINDS;
const CONTAINERS = ["list", "dict", "Map"] as const;
const NESTS: readonly (readonly Kind[])[] = [
  ...CONTAINERS.map((kind) => [kind]),
  ...CONTAINERS.flatMap((outer) => CONTAINERS.map((inner) => [outer, inner])),
  ...CONTAINERS.map((kind) => [kind, "record"] as const),
  ...CONTAINERS.map((kind) => ["list", "record", kind] as const),
  ["record", "dict", "list"],
  ["list", "record", "list", "record"],
  ["dict", "Map", "list", "record", "record", "list"],
];

const typeOf = (nest: readonly Kind[]): string =>
  nest.reduceRight((of, kind) => KINDS[kind].type(of), "P");
const walked = ([kind, ...more]: readonly Kind[], of: string, body: string, depth = 0): string =>
  kind === undefined
    ? `const q = ${of}; ${body}`
    : KINDS[kind].walk(of, `e${depth}`, walked(more, `e${depth}`, body, depth + 1));
/** Both objects in different parts of the outermost container, and then in one of its parts. */
const apart = ([kind, ...more]: readonly Kind[], parts: readonly string[]): string =>
  kind === undefined
    ? (parts[0] ?? "")
    : kind === "record"
      ? KINDS.record.make([apart(more, parts)])
      : KINDS[kind].make(parts.map((part) => apart(more, [part])));
const together = ([kind, ...more]: readonly Kind[], parts: readonly string[]): string =>
  kind === undefined
    ? (parts[0] ?? "")
    : KINDS[kind].make(
        more.some((one) => one !== "record")
          ? [together(more, parts)]
          : parts.map((part) => apart(more, [part])),
      );

const TEXT = `import { grad } from "tsgrad";
interface P { x: number; y: number }
const p = (): P => ({ x: 3, y: 4 }), q = (x: number): P => ({ x, y: 0 });
${NESTS.map((nest, i) => {
  const calls = (form: string, part = "[1]"): string =>
    [
      `differ: () => ${form}(${apart(nest, ["q(2)", "q(5)"])}, p())${part}`,
      `differTogether: () => ${form}(${together(nest, ["q(2)", "q(5)"])}, p())${part}`,
      `apart: () => { const o = q(2); return ${form}(${apart(nest, ["o", "o"])}, p())${part}; }`,
      `together: () => { const o = q(2); return ${form}(${together(nest, ["o", "o"])}, p())${part}; }`,
      `both: () => { const o = p(); return ${form}(${apart(nest, ["q(2)", "o"])}, o)${part}; }`,
    ].join(", ");
  return `function scaled${i}(c: ${typeOf(nest)}, p: P): number { let s = 0; ${walked(nest, "c", "q.x *= p.x; s += q.x * p.y;")} return s; }
function read${i}(c: ${typeOf(nest)}, p: P): number { let s = 0; ${walked(nest, "c", "s += q.x * q.x * p.y;")} return s; }
const s${i} = grad(scaled${i}, { argnums: [0, 1] }), r${i} = grad(read${i}, { argnums: [0, 1] }), t${i} = grad(scaled${i}, { argnums: 1, engine: "delta" });
export const calls${i} = { ${calls(`s${i}`)} };
export const delta${i} = { ${calls(`t${i}`, "")} };
export const reads${i} = { ${calls(`r${i}`)} };`;
}).join("\n")}
`;

type Calls = Readonly<
  Record<"differ" | "differTogether" | "apart" | "together" | "both", () => unknown>
>;
let made: ReturnType<typeof loadedText>;
beforeAll(() => {
  made = loadedText(TEXT, { target: ts.ScriptTarget.ES2015, lib: ["lib.es2015.d.ts"] });
});

const callsOf = (name: string): Calls => made.exports[name] as Calls; // the module's exports are made above

test("is accepted, and what is emitted type-checks with the library of ES2015", () => {
  expect([made.errors, made.problems]).toEqual([[], []]);
});

describe.each(NESTS.map((nest, i) => [nest.join(" of "), i] as const))("%s", (_, i) => {
  test("objects that differ have their derivatives", () => {
    for (const name of [`calls${i}`, `delta${i}`]) {
      expect(callsOf(name).differ()).toEqual({ x: 28, y: 21 });
      expect(callsOf(name).differTogether()).toEqual({ x: 28, y: 21 });
    }
  });
  test("one object that is written is refused", () => {
    for (const name of ["apart", "together", "both"] as const)
      expect(callsOf(`calls${i}`)[name]).toThrow(/^TSG0004: /);
  });
  test("one object has its derivative through the Delta engine", () => {
    for (const name of ["apart", "together"] as const)
      expect(callsOf(`delta${i}`)[name]()).toEqual({ x: 56, y: 24 });
  });
  test("one object that is only read is accepted", () => {
    for (const name of ["apart", "together"] as const)
      expect(callsOf(`reads${i}`)[name]()).toEqual({ x: 0, y: 8 });
  });
});
