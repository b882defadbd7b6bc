import type ts from "typescript";
import { describe, expect, test } from "vitest";
import { errorLines, lowerHeads, siteLines } from "./heads.ts";

const F = "export function f(x: number, y: number): number { return x * y; }\n";

/** Name, files, expected sites, expected errors. */
const CASES: readonly [
  string,
  Readonly<Record<string, string>>,
  readonly string[],
  readonly string[],
][] = [
  [
    "named import",
    { "a.ts": `import { grad } from "tsgrad";\n${F}const g = grad(f);` },
    ["grad f 0"],
    [],
  ],
  [
    "all forms",
    {
      "a.ts": `import { grad, valueAndGrad, vjp } from "tsgrad";\nimport { derivativeSource } from "tsgrad/testing";\n${F}grad(f); valueAndGrad(f); vjp(f); derivativeSource(f);`,
    },
    ["grad f 0", "valueAndGrad f 0", "vjp f ", "derivativeSource f 0"],
    [],
  ],
  [
    "renamed import",
    { "a.ts": `import { grad as d } from "tsgrad";\n${F}d(f);` },
    ["grad f 0"],
    [],
  ],
  [
    "namespace import",
    { "a.ts": `import * as ad from "tsgrad";\n${F}ad.grad(f);` },
    ["grad f 0"],
    [],
  ],
  [
    "parenthesised form",
    { "a.ts": `import { grad } from "tsgrad";\n${F}(grad)(f);` },
    ["grad f 0"],
    [],
  ],
  [
    "re-export",
    {
      "a.ts": `import { d } from "./ad";\n${F}d(f);`,
      "ad.ts": `export { grad as d } from "tsgrad";`,
    },
    ["grad f 0"],
    [],
  ],
  [
    "star re-export",
    {
      "a.ts": `import { grad } from "./ad";\n${F}grad(f);`,
      "ad.ts": `export * from "./deeper";`,
      "deeper.ts": `export * from "tsgrad";`,
    },
    ["grad f 0"],
    [],
  ],
  [
    "name written with an escape",
    { "a.ts": `import { grad } from "tsgrad";\n${F}gr\\u0061d(f);` },
    ["grad f 0"],
    [],
  ],
  [
    "re-exported namespace",
    {
      "a.ts": `import { ad } from "./ad";\n${F}ad.grad(f);`,
      "ad.ts": `export * as ad from "tsgrad";`,
    },
    ["grad f 0"],
    [],
  ],
  [
    "import and export",
    {
      "a.ts": `import { grad } from "./ad";\n${F}grad(f);`,
      "ad.ts": `import { grad } from "tsgrad";\nexport { grad };`,
    },
    ["grad f 0"],
    [],
  ],
  [
    "local function of the same name",
    {
      "a.ts": `import { vjp } from "tsgrad";\n${F}function grad(h: unknown) { return h; }\ngrad(f); vjp(f);`,
    },
    ["vjp f "],
    [],
  ],
  [
    "parameter that shadows",
    {
      "a.ts": `import { grad } from "tsgrad";\n${F}export function use(grad: (h: unknown) => void) { grad(f); }\ngrad(f);`,
    },
    ["grad f 0"],
    [],
  ],
  [
    "default re-export",
    {
      "a.ts": `import d from "./ad";\n${F}d(f);`,
      "ad.ts": `import { grad } from "tsgrad";\nexport default grad;`,
    },
    ["grad f 0"],
    [],
  ],
  [
    "import by assignment",
    { "a.ts": `import * as ad from "tsgrad";\nimport d = ad.grad;\n${F}d(f);` },
    ["grad f 0"],
    [],
  ],
  [
    "namespace kept in a variable",
    {
      "a.ts": `import * as ad from "tsgrad";\nconst kept = ad, table = { ad };\n${F}kept.grad(f); table.ad.vjp(f);`,
    },
    ["grad f 0", "vjp f "],
    [],
  ],
  [
    "member by its text",
    { "a.ts": `import * as ad from "tsgrad";\n${F}ad["grad"](f);` },
    ["grad f 0"],
    [],
  ],
  [
    "own module, imported when it is needed",
    {
      "a.ts": `${F}export const later = async () => { const ad = await import("./ad"); return ad.grad(f); };`,
      "ad.ts": `export * from "tsgrad";`,
    },
    ["grad f 0"],
    [],
  ],
  [
    "own module by its type",
    {
      "a.ts": `${F}export const use = (ad: typeof import("./ad")) => ad.grad(f);`,
      "ad.ts": `export * from "tsgrad";`,
    },
    ["grad f 0"],
    [],
  ],
  [
    "imported by assignment in a namespace",
    {
      "a.ts": `import * as ad from "tsgrad";\n${F}namespace N { export import d = ad.grad; d(f); }\nN.d(f);`,
    },
    ["grad f 0", "grad f 0"],
    [],
  ],
  [
    "taken out of a namespace",
    { "a.ts": `import * as ad from "tsgrad";\n${F}const { grad, vjp: v } = ad;\ngrad(f); v(f);` },
    ["grad f 0", "vjp f "],
    [],
  ],
  [
    "taken out of a namespace by another module",
    {
      "a.ts": `import { d } from "./ad";\n${F}d(f);`,
      "ad.ts": `import * as ad from "tsgrad";\nexport const { grad: d } = ad;`,
    },
    ["grad f 0"],
    [],
  ],
  [
    "taken out of a namespace into what changes",
    { "a.ts": `import * as ad from "tsgrad";\n${F}let { grad } = ad;\ngrad(f);` },
    [],
    ["TSG0002 `grad` is used without being called"],
  ],
  [
    "taken out of a namespace in a function",
    {
      "a.ts": `import * as ad from "tsgrad";\n${F}export const use = () => { const { grad } = ad; return grad(f); };`,
    },
    [],
    ["TSG0002 `grad` is used without being called"],
  ],
  [
    "taken out of what is imported when it is needed",
    {
      "a.ts": `${F}export const later = async () => { const { grad } = await import("tsgrad"); return grad(f); };`,
    },
    [],
    ["TSG0003 `tsgrad` is imported with `import()`, which the build does not follow"],
  ],
  [
    "a member of another object",
    {
      "a.ts": `import { vjp } from "tsgrad";\n${F}const mine = { grad: (h: unknown) => h, delta: 1 };\nmine.grad(f); mine["grad"](f); const { grad, delta } = mine; vjp(f);`,
    },
    ["vjp f "],
    [],
  ],
  [
    "another package",
    {
      "a.ts": `import { grad } from "./mine";\n${F}grad(f);`,
      "mine.ts": "export const grad = (h: unknown) => h;",
    },
    [],
    [],
  ],
  [
    "type positions are no uses",
    { "a.ts": `import { grad } from "tsgrad";\n${F}export type G = typeof grad;\ngrad(f);` },
    ["grad f 0"],
    [],
  ],
  [
    "form stored",
    { "a.ts": `import { grad } from "tsgrad";\nconst d = grad;` },
    [],
    ["TSG0002 `grad` is used without being called"],
  ],
  [
    "form passed on",
    { "a.ts": `import * as ad from "tsgrad";\n[1].map(ad.grad as never);` },
    [],
    ["TSG0002 `ad.grad` is used without being called"],
  ],
  [
    "argnums",
    {
      "a.ts": `import { grad } from "tsgrad";\n${F}grad(f, { argnums: 1 }); grad(f, { argnums: [1, 0] as const }); grad(f, { argnums: [0] });`,
    },
    ["grad f 1", "grad f [1,0]", "grad f [0]"],
    [],
  ],
  [
    "hasAux",
    {
      "a.ts": `import { grad } from "tsgrad";\nconst f = (x: number): [number, string] => [x, "a"];\ngrad(f, { hasAux: true });`,
    },
    ["grad f 0 aux"],
    [],
  ],
  [
    "options of vjp",
    {
      "a.ts": `import { vjp } from "tsgrad";\n${F}const h = (x: number): [number[], string] => [[x], "a"];\nvjp(f, { argnums: 1 }); vjp(f, { argnums: [1] }); vjp(h, { hasAux: true });`,
    },
    ["vjp f 1", "vjp f [1]", "vjp h  aux"],
    [],
  ],
  [
    "aux of vjp without a pair",
    { "a.ts": `import { vjp } from "tsgrad";\n${F}vjp(f, { hasAux: true } as never);` },
    [],
    ["TSG2006 `hasAux` needs a function that returns `[number, aux]`, but `f` returns `number`"],
  ],
  [
    "default import of a function",
    {
      "a.ts": `import { grad } from "tsgrad";\nimport h from "./f";\ngrad(h);`,
      "f.ts": "export default function f(x: number) { return x; }",
    },
    ["grad f 0 from ./f"],
    [],
  ],
  [
    "anonymous default export",
    {
      "a.ts": `import { grad } from "tsgrad";\nimport h from "./f";\ngrad(h);`,
      "f.ts": "export default (x: number) => x;",
    },
    ["grad default 0 from ./f"],
    [],
  ],
  [
    "default export of a name",
    {
      "a.ts": `import { grad } from "tsgrad";\nimport h from "./f";\ngrad(h);`,
      "f.ts": "const f = (x: number) => x;\nexport default f;",
    },
    ["grad f 0 from ./f"],
    [],
  ],
  [
    "through a barrel",
    {
      "a.ts": `import { grad } from "tsgrad";\nimport { loss } from "./lib";\ngrad(loss);`,
      "lib/index.ts": `export { f as loss } from "./f";`,
      "lib/f.ts": F,
    },
    ["grad f 0 from ./lib/f"],
    [],
  ],
  [
    "through a namespace import",
    { "a.ts": `import { grad } from "tsgrad";\nimport * as m from "./f";\ngrad(m.f);`, "f.ts": F },
    ["grad f 0 from ./f"],
    [],
  ],
  [
    "wrapped targets",
    {
      "a.ts": `import { grad } from "tsgrad";\n${F}grad((f)); grad(f as typeof f); grad(f satisfies unknown); grad(f!);`,
    },
    ["grad f 0", "grad f 0", "grad f 0", "grad f 0"],
    [],
  ],
  [
    "const of a const",
    { "a.ts": `import { grad } from "tsgrad";\n${F}const g = f;\nconst h = g;\ngrad(h);` },
    ["grad f 0"],
    [],
  ],
  [
    "arrow in place",
    { "a.ts": `import { grad } from "tsgrad";\nexport const slope = grad((x: number) => x * x);` },
    ["grad slope 0"],
    [],
  ],
  [
    "overloads",
    {
      "a.ts": `import { grad } from "tsgrad";\nfunction f(x: number): number;\nfunction f(x: number, y?: number): number { return x; }\ngrad(f);`,
    },
    ["grad f 0"],
    [],
  ],
  [
    "same name in two files",
    {
      "a.ts": `import { grad } from "tsgrad";\nimport { f as other } from "./b";\n${F}grad(f); grad(other);`,
      "b.ts": F,
    },
    ["grad f 0", "grad f.2 0 from ./b"],
    [],
  ],
  [
    "a package that passes it on",
    {
      "a.ts": `import { d } from "wrap";\n${F}d(f);`,
      "node_modules/wrap/index.d.ts": `export { grad as d } from "tsgrad";`,
      "node_modules/wrap/package.json": `{ "name": "wrap", "types": "index.d.ts" }`,
    },
    ["grad f 0"],
    [],
  ],
  [
    "another entry of the package",
    { "a.ts": `import { grad as d } from "tsgrad/testing/missing";\n${F}d(f);` },
    [],
    [],
  ],
];

describe("call sites", () => {
  test.each(CASES)("%s", (_name, files, sites, errors) => {
    const lowered = lowerHeads(files);
    expect({ sites: siteLines(lowered), errors: errorLines(lowered) }).toEqual({ sites, errors });
  });

  test("tsgrad that cannot be resolved: the specifier decides", () => {
    const files = {
      "a.ts": `import { grad as d } from "tsgrad";\nimport { slope } from "./ad";\n${F}d(f); slope(f);`,
      "ad.ts": `export { grad as slope } from "tsgrad";`,
    };
    expect(siteLines(lowerHeads(files, {}, {}, false))).toEqual(["grad f 0", "grad f 0"]);
  });

  test("only the files that are asked for", () => {
    const files = {
      "a.ts": `import { grad } from "tsgrad";\n${F}grad(f);`,
      "b.ts": `import { vjp } from "tsgrad";\nimport { f } from "./a";\nvjp(f);`,
    };
    expect(siteLines(lowerHeads(files, { files: ["/src/b.ts"] }))).toEqual(["vjp f  from ./a"]);
  });

  test("parameters as the user wrote them", () => {
    const { program } = lowerHeads({
      "a.ts": `import { grad } from "tsgrad";\nfunction f(x: number, ys: readonly number[], { a }: { a: number }, k = 2, j?: number) { return x; }\ngrad(f);`,
    });
    expect(program.funcs.get("f")?.paramText).toEqual([
      "x: number",
      "ys: readonly number[]",
      "argument: { a: number }",
      null,
      null,
    ]);
  });

  test("where generated code goes", () => {
    const text = `import { grad } from "tsgrad";\n${F}const g = grad(f, { argnums: 1 } ,);\n`;
    const { sites, program } = lowerHeads({ "a.ts": text });
    expect(text.slice(sites[0]?.origin.start, sites[0]?.insertAt)).toBe("grad(f, { argnums: 1 }");
    expect(program.homes.get("f")).toMatchObject({
      name: "f",
      file: "/src/a.ts",
      at: text.length,
      scope: "module",
      indent: "",
      exportName: "f",
    });
  });
});

describe("the worklist", () => {
  const files = {
    "a.ts": `import { grad } from "tsgrad";\nimport { helper } from "./b";\nfunction loss(x: number): number { return helper(x); }\nconst g = grad(loss);`,
    "b.ts": `import { deep } from "./c";\nexport const helper = (x: number): number => deep(x) + helper(x);`,
    "c.ts":
      "export function deep(x: number): number { return x; }\nexport function unused(x: number): number { throw x; }",
    "d.ts": "export const apart = 1;",
  };

  test("reaches callees of other modules, recursion included", () => {
    const lowered = lowerHeads(files);
    expect(errorLines(lowered)).toEqual([]);
    expect([...lowered.program.funcs.keys()]).toEqual(["loss", "helper", "deep"]);
    expect([...lowered.dependencies]).toEqual([
      ["/src/a.ts", expect.arrayContaining(["/src/b.ts", "/src/c.ts"])],
      ["/src/b.ts", expect.arrayContaining(["/src/a.ts", "/src/c.ts"])],
      ["/src/c.ts", expect.arrayContaining(["/src/a.ts", "/src/b.ts"])],
    ]);
    expect(lowered.dependencies.get("/src/a.ts")).not.toContain("/src/d.ts");
  });

  test("a file that only gives types is a dependency too", () => {
    const typed = {
      "a.ts": `import { grad } from "tsgrad";\nimport type { M } from "./m";\nconst f = (m: M) => m.a;\ngrad(f);`,
      "m.ts": `export type { M } from "./n";`,
      "n.d.ts": "export interface M { a: number }",
    };
    expect([...lowerHeads(typed).dependencies]).toEqual([
      ["/src/a.ts", expect.arrayContaining(["/src/m.ts", "/src/n.d.ts"])],
    ]);
  });

  test("a failure drops the sites that reach it, and says who asked", () => {
    const failing = {
      ...files,
      "c.ts": "export function deep(x: number): number { throw x; }",
      "e.ts": `import { grad } from "tsgrad";\ngrad((x: number) => x);`,
    };
    const lowered = lowerHeads(failing);
    expect(siteLines(lowered)).toEqual(["grad f 0"]);
    expect([...lowered.program.funcs.keys()]).toEqual(["f"]);
    expect(lowered.diagnostics).toHaveLength(1);
    expect(lowered.diagnostics[0]?.chain.map((link) => link.text)).toEqual([
      "requested by `grad(loss)`",
      "called by `loss`",
      "called by `helper`",
    ]);
  });
});

test("TypeScript 5.9 finds the same", async () => {
  const older = (await import("ts59")).default as unknown as typeof ts; // the API that both versions share
  expect(older.version.startsWith("5.9.")).toBe(true);
  const files = {
    "a.ts": `import { d } from "./ad";\nimport h from "./f";\n${F}d(f, { argnums: [1] }); d(h);`,
    "ad.ts": `export { grad as d } from "tsgrad";`,
    "f.ts": "export default (m: { a: number; b?: number[] }) => m.a;",
  };
  const { sites, program, diagnostics } = lowerHeads(files, {}, {}, true, older);
  const newer = lowerHeads(files);
  expect(diagnostics).toEqual([]);
  expect(sites).toEqual(newer.sites);
  expect([...program.funcs]).toEqual([...newer.program.funcs]);
});
