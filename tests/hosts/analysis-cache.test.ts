// Analyses that are kept between processes: read where nothing differs that the core can see, and made anew otherwise. Each `build` below stands for a process of
// its own, with a project that is read from disk again.

import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import ts from "typescript";
import { beforeEach, describe, expect, test } from "vitest";
import { analyse, type Analysis, type Host } from "../../transformer/analyse.ts";
import { analyseProgram, incremental } from "../../transformer/hosts/core.ts";
import { withAnalysisCache } from "../../transformer/hosts/analysis-cache.ts";
import { fakeCore } from "./fake-core.ts";
import { sandbox, type Sandbox } from "./sandbox.ts";

const A = `import { grad } from "tsgrad";\nimport { square } from "./b.js";\nimport { k } from "lib";\nexport const d = grad(square);\n`;
const B = `export function square(x: number): number {\n  return /* odd */ x * x;\n}\n`;

/** As the core does for packages that are followed: it reads their JavaScript, which no program has. */
function readingCore(host: Host): Analysis {
  const found =
    host.system?.readFile(
      path.join(host.program.getCurrentDirectory(), "node_modules/lib/index.js"),
    ) ?? "";
  const other =
    host.system?.fileExists(
      path.join(host.program.getCurrentDirectory(), "node_modules/lib/other.js"),
    ) === true;
  const analysis = fakeCore(host);
  return {
    ...analysis,
    dependencies: new Map([...analysis.dependencies, ["read", [found, String(other)]]]),
  };
}

let box: Sandbox;
let runs = 0;
const folder = (): string => box.at("node_modules/.cache/tsgrad");
const keptFiles = (): readonly string[] =>
  existsSync(folder()) ? readdirSync(folder()).map((name) => path.join(folder(), name)) : [];

interface Setting {
  readonly options?: ts.CompilerOptions;
  readonly packages?: readonly string[];
  readonly code?: string;
  readonly core?: (host: Host) => Analysis;
}

const library = new Map<string, ts.SourceFile | undefined>();

/** The library is parsed once. */
function sourceFile(
  file: string,
  options: ts.ScriptTarget | ts.CreateSourceFileOptions,
): ts.SourceFile | undefined {
  const own = ts.createCompilerHost({}).getSourceFile;
  if (!file.endsWith("/lib.es5.d.ts")) return own(file, options);
  if (!library.has(file)) library.set(file, own(file, options));
  return library.get(file);
}

/** What a build in a process of its own finds, and whether its core has run. */
function build({
  options = {},
  packages = [],
  code = "code.cjs",
  core = readingCore,
}: Setting = {}): { readonly analysis: Analysis; readonly ran: boolean } {
  const before = runs;
  const counted = (host: Host): Analysis => {
    runs++;
    return core(host);
  };
  const program = ts.createProgram(
    files(),
    {
      configFilePath: box.at("tsconfig.json"),
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      lib: ["lib.es5.d.ts"],
      types: [],
      strict: true,
      ...options,
    },
    { ...ts.createCompilerHost({}), getSourceFile: sourceFile, getCurrentDirectory: () => box.dir },
  );
  const analysis = analyseProgram(incremental(withAnalysisCache(counted, box.at(code))), {
    ts,
    program,
    packages,
  });
  return { analysis, ran: runs > before };
}

const files = (): string[] =>
  readdirSync(box.at("src"))
    .sort()
    .map((name) => box.at(`src/${name}`));

const project = {
  "src/a.ts": A,
  "src/b.ts": B,
  "src/globals.d.ts": "declare const wide: 1;\n",
  "code.cjs": "1",
  "other.cjs": "2",
  "node_modules/lib/package.json": `{ "name": "lib", "types": "./index.d.ts", "main": "./index.js" }`,
  "node_modules/lib/index.d.ts": "export declare const k: 1;\n",
  "node_modules/lib/index.js": "exports.k = 1;\n",
  "node_modules/lib/more.d.ts": "export declare const k: 2;\n",
};

beforeEach(() => {
  box = sandbox(project);
});

test("the second process reads what the first one made, with all that it says", () => {
  const first = build();
  expect(first.ran).toBe(true);
  expect(first.analysis.diagnostics.map(({ severity, chain }) => [severity, chain.length])).toEqual(
    [["warning", 1]],
  );
  expect(first.analysis.edits.size).toBe(2);
  const second = build();
  expect(second.ran).toBe(false);
  expect(second.analysis).toEqual(first.analysis);
  expect([...second.analysis.edits.keys()]).toEqual([...first.analysis.edits.keys()]);
});

test("errors are told again, and the chain that led to them", () => {
  box.write({ "src/b.ts": B.replace("odd", "bad") });
  const first = build();
  const second = build();
  expect(first.analysis.diagnostics).toMatchObject([{ severity: "error", code: "TSG1003" }]);
  expect([second.ran, second.analysis]).toEqual([false, first.analysis]);
});

describe("the core is asked again after", () => {
  const edits: readonly [string, () => void][] = [
    ["an edit of a file with a call", () => box.write({ "src/a.ts": `${A}// more\n` })],
    ["an edit of a function's file", () => box.write({ "src/b.ts": B.replace("x * x", "x * 3") })],
    ["an edit of as many characters", () => box.write({ "src/b.ts": B.replace("x * x", "x + x") })],
    [
      "an edit of a global declaration file",
      () => box.write({ "src/globals.d.ts": "declare const wide: 2;\n" }),
    ],
    ["a new file of the project", () => box.write({ "src/c.ts": "export const c = 1;\n" })],
    [
      "an edit in a dependency's declarations",
      () => box.write({ "node_modules/lib/index.d.ts": "export declare const k: 3;\n" }),
    ],
    [
      "a dependency's package.json that names other declarations",
      () =>
        box.write({ "node_modules/lib/package.json": `{ "name": "lib", "types": "./more.d.ts" }` }),
    ],
    [
      "a dependency's other version",
      () =>
        box.write({
          "node_modules/lib/package.json": `{ "name": "lib", "version": "2.0.0", "types": "./index.d.ts" }`,
        }),
    ],
    [
      "a file that is found before the one that was",
      () => box.write({ "src/node_modules/lib/index.d.ts": "export declare const k: 1;\n" }),
    ],
    [
      "a package.json that makes modules of another kind",
      () => box.write({ "package.json": `{ "type": "commonjs" }` }),
    ],
    [
      "an edit of a dependency's JavaScript that was read",
      () => box.write({ "node_modules/lib/index.js": "exports.k = 2;\n" }),
    ],
    [
      "a file that was looked for and not there",
      () => box.write({ "node_modules/lib/other.js": "" }),
    ],
    ["tsgrad is another build", () => box.write({ "code.cjs": "3" })],
    [
      "a file's imports are gone",
      () => {
        rmSync(box.at("node_modules/lib"), { recursive: true });
      },
    ],
  ];
  test.each(edits)("%s", (_what, edit) => {
    build();
    edit();
    const again = build();
    expect(again.ran).toBe(true);
    // and what it then says is kept in turn
    expect(build()).toEqual({ ran: false, analysis: again.analysis });
  });

  const plugin: ts.PluginImport & { readonly packages: readonly string[] } = {
    name: "tsgrad/transform",
    packages: ["lib"],
  };
  const settings: readonly [string, Setting][] = [
    ["an option", { options: { noUncheckedIndexedAccess: true } }],
    ["an option of the plugin", { options: { plugins: [plugin] } }],
    ["a bundler's option", { packages: ["lib"] }],
    ["another copy of tsgrad", { code: "other.cjs" }],
  ];
  test.each(settings)("%s", (_what, setting) => {
    build();
    expect(build(setting).ran).toBe(true);
    expect(build(setting).ran).toBe(false);
  });
});

test("an edit that is taken back is as if it had not been made", () => {
  const first = build();
  box.write({ "src/b.ts": `${B}// more\n` });
  box.write({ "src/b.ts": B });
  expect(build()).toEqual({ ran: false, analysis: first.analysis });
});

describe("a damaged file is not believed, and mended", () => {
  test.each<[string, (bytes: Buffer) => Buffer]>([
    ["empty", () => Buffer.alloc(0)],
    ["cut off", (bytes) => bytes.subarray(0, bytes.length - 9)],
    [
      "one bit other",
      (bytes) => {
        const other = Buffer.from(bytes);
        other[bytes.length - 40] = (bytes[bytes.length - 40] ?? 0) ^ 4;
        return other;
      },
    ],
    ["of somebody else", () => Buffer.from(`{ "key": "" }`)],
  ])("%s", (_what, damaged) => {
    const first = build();
    const [file = "", ...others] = keptFiles();
    expect(others).toEqual([]);
    writeFileSync(file, damaged(readFileSync(file)));
    expect(build()).toEqual({ ran: true, analysis: first.analysis });
    expect(build().ran).toBe(false);
  });
});

test("the real core begins with what another process kept: after an edit, what it does not reach is not compiled again", () => {
  const asking = (name: string, body: string): string =>
    `import { grad } from "tsgrad";\nexport function ${name}(x: number): number { return ${body}; }\nexport const d = grad(${name});\n`;
  box.write({ "src/a.ts": asking("f", "x * x"), "src/b.ts": asking("g", "x") });
  const questions: string[][] = [];
  // with what is asked for, as lowering asks it
  const core = (host: Host): Analysis => {
    const asked: string[] = [];
    const checker = host.program.getTypeChecker();
    const getSymbolAtLocation = checker.getSymbolAtLocation.bind(checker);
    checker.getSymbolAtLocation = (node) => {
      if (!ts.isStringLiteral(node)) asked.push(path.basename(node.getSourceFile().fileName));
      return getSymbolAtLocation(node);
    };
    questions.push(asked);
    return analyse(host);
  };
  const all = build({ core });
  const replayed = build({ core });
  expect([replayed.ran, replayed.analysis]).toEqual([false, all.analysis]);
  box.write({ "src/b.ts": asking("g", "x * x * x") });
  const after = build({ core });
  process.env["TSGRAD_CACHE"] = "off";
  try {
    expect(build({ core })).toEqual(after);
  } finally {
    delete process.env["TSGRAD_CACHE"];
  }
  expect(after.analysis.edits.get(box.at("src/a.ts"))).toEqual(
    all.analysis.edits.get(box.at("src/a.ts")),
  );
  expect(after.analysis.edits.get(box.at("src/b.ts"))).not.toEqual(
    all.analysis.edits.get(box.at("src/b.ts")),
  );
  expect(questions.map((asked) => [asked.includes("a.ts"), asked.includes("b.ts")])).toEqual([
    [true, true],
    [false, true],
    [true, true],
  ]);
  expect(build({ core }).ran).toBe(false);
});

test("a crash of the core is not kept", () => {
  const crash = build({
    core: () => {
      throw new Error("no");
    },
  });
  expect(crash.analysis.diagnostics).toMatchObject([{ code: "TSG9001" }]);
  expect(keptFiles()).toEqual([]);
});

test("where nothing can be written, or nothing is wanted, the core is asked each time", () => {
  mkdirSync(box.at("node_modules/.cache"));
  writeFileSync(folder(), "a file where the folder would be");
  expect([build().ran, build().ran]).toEqual([true, true]);
  rmSync(folder());
  process.env["TSGRAD_CACHE"] = "off";
  try {
    expect([build().ran, build().ran]).toEqual([true, true]);
  } finally {
    delete process.env["TSGRAD_CACHE"];
  }
  expect(keptFiles()).toEqual([]);
  // code that is not bundled may change while it runs
  for (const code of ["code.ts", "nowhere.cjs", "nowhere/code.js"])
    expect([build({ code }).ran, build({ code }).ran]).toEqual([true, true]);
});

test("what is kept stays small", () => {
  mkdirSync(folder(), { recursive: true });
  for (let other = 0; other < 40; other++) {
    writeFileSync(path.join(folder(), `analysis-${other}`), "of another project");
    utimesSync(path.join(folder(), `analysis-${other}`), other, other);
  }
  writeFileSync(path.join(folder(), "compiler.cjs-1"), "not of this kind");
  build();
  expect(
    keptFiles()
      .map((file) => path.basename(file))
      .filter((name) => /^analysis-\d+$|cjs/.test(name)),
  ).toHaveLength(31 + 1);
  expect(build().ran).toBe(false);
});
