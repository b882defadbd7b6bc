// Deep chains of members under everything that narrows. The cached checker must give the types and symbols that TypeScript itself
// gives to each expression. The oracle is the checker of a program of its own, so no cache of TypeScript's is shared.

import ts from "typescript";
import { expect, test } from "vitest";
import { checkerOf } from "../../transformer/1-lower/checker.ts";
import { programOf } from "../program.ts";

const DEPTH = 24;
const chain = (root: string, link: string, depth = DEPTH): string => root + link.repeat(depth);

/** By kind of link: the type `L`, and how a link is written. */
const TYPES: Record<string, readonly [declared: string, link: string]> = {
  plain: ["interface L { next: L; v: number }", ".next"],
  optional: ["interface L { next?: L; v: number }", "?.next"],
  "of optional ones, asserted": ["interface L { next?: L; v: number }", "!.next"],
  nullable: ["interface L { next: L | null; v: number }", "?.next"],
  "a union": [
    "interface N { kind: 0; next: L; v: number }\ninterface M { kind: 1; next: L; w: N; v: 1 }\ntype L = N | M;",
    ".next",
  ],
  "of classes": ["class L { next!: L; v = 1 }\nclass M extends L { w = 2 }", ".next"],
  generic: ["interface Of<T> { next: Of<T>; v: T }\ntype L = Of<number>;", ".next"],
  "by index": ["type L = { [key: string]: L } & { v: number };", `["next"]`],
  "by any key": ["interface L { [key: string]: L | number; v: number }", `.next`],
  getters: ["class L { get next(): L { return this; } v = 1 }", ".next"],
  any: ["type L = any;", ".next"],
};

/** Code around a chain `c` of the variable `l`; `d` is the part without the last link. */
const USES: readonly ((c: string, d: string, l: string) => string)[] = [
  (c) => `return ${c}.v;`,
  (c) => `if (${c} != null) return ${c}.v; return ${c};`,
  (c) => `return ${c} && ${c}.v;`,
  (c, d) => `return ${d} == null ? 0 : ${c};`,
  (c) => `return ${c} instanceof L0 ? ${c}.next0 : ${c};`,
  (c) => `return ${c}.kind === 0 ? ${c}.v : ${c}.w;`,
  (c) => `return "w" in ${c} ? ${c}.w : ${c}.v;`,
  (c) => `sure(${c}); return ${c}.v;`,
  (c, _d, l) => `(${c} as L | undefined) = ${l}; ${c.replaceAll("?", "")} = ${l}; return ${c}.v;`,
  (c, _d, l) => `const r = ${c}; ${l} = ${l}.next; return [r, ${c}];`,
];

test.each(Object.entries(TYPES))("links of %s", (_, [declared, link]) => {
  // each variable has its own paths
  const functions = USES.map((body, i) => {
    const text = body(chain(`l${i}`, link), chain(`l${i}`, link, DEPTH - 1), `l${i}`);
    return `export function f${i}(l${i}: L): unknown { ${text} }`;
  });
  const input = [
    declared,
    "class L0 { next0 = 1 }",
    "declare function sure(x: unknown): asserts x is L0;",
    ...functions,
  ].join("\n");
  const fileOf = (): { program: ts.Program; file: ts.SourceFile } => {
    const { program } = programOf({ "/src/input.ts": input });
    const file = program.getSourceFile("/src/input.ts");
    if (file === undefined) throw new Error("no file");
    return { program, file };
  };
  const plain = fileOf();
  const cached = fileOf();
  const own = plain.program.getTypeChecker();
  expect(seen(cached.file, checkerOf(cached.program, ts))).toEqual(seen(plain.file, own));
});

/** Each expression with its type and its symbol. */
function seen(file: ts.SourceFile, checker: ts.TypeChecker): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isExpression(node)) {
      const type = checker.typeToString(checker.getTypeAtLocation(node));
      const symbol = checker.getSymbolAtLocation(node);
      found.push(`${node.getText().length} ${type} ${symbol?.getName() ?? ""}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}
