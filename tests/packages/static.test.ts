// Functions of packages in plain JavaScript that the static engine takes. In: a program that calls them. Out: gradients
// against central differences of the real functions, and which engine made them.
// The tolerance is that of central differences with steps of 1e-5; it cannot see errors below 1e-7 of the size.

import { build } from "esbuild";
import path from "node:path";
import ts from "typescript";
import { beforeAll, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { sandbox } from "../hosts/sandbox.ts";
import { errorsOf } from "../programs/strict.ts";
import { COMMON } from "./fixtures/common.ts";
import { KINDS } from "./fixtures/kinds.ts";
import { CHANGING, LITERALS, OF_CHANGED, OF_LITERALS } from "./fixtures/literals.ts";
import { OF_OPTIONAL, OPTIONAL } from "./fixtures/options.ts";
import { PASSED, PASSING } from "./fixtures/passing.ts";
import { OF_REPLACED, SHAPES, TURNED } from "./fixtures/shapes.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const AT = [0.7, 1.9, 2.3];

interface Case {
  readonly what: string;
  readonly imports: string;
  readonly body: string;
  readonly before?: string;
  /** `kinds` where it is absent. */
  readonly from?: string;
  readonly engine?: "delta";
}

const CASES: readonly Case[] = [
  { what: "a function", imports: "{ third }", body: "third(x[0]!)" },
  { what: "a default import", imports: "half", body: "half(x[0]!) * x[1]!" },
  { what: "a namespace import", imports: "* as k", body: "k.third(x[0]!) + k.default(x[1]!)" },
  { what: "a namespace of a namespace", imports: "* as k", body: "k.vec.length([x[0]!, x[1]!])" },
  {
    what: "a pattern of a module",
    imports: "* as c",
    body: "{ const { twice, factor: g } = c; return twice(x[0]!, x[1]!) * g(x[2]!); }",
    from: "common",
  },
  { what: "another name", imports: "{ third as g }", body: "g(x[0]!)" },
  { what: "an arrow", imports: "{ sum }", body: "sum(x) * x[0]!" },
  { what: "names that parameters hide", imports: "{ shadows }", body: "shadows(x[0]!, x[1]!)" },
  { what: "a private helper, constants", imports: "{ helped }", body: "helped(x[0]!)" },
  { what: "tables", imports: "{ tabled }", body: "tabled(x[0]!, 1) + tabled(x[1]!, 2)" },
  { what: "callbacks", imports: "{ squares }", body: "squares(x)" },
  { what: "functions as arguments", imports: "{ applied }", body: "applied(x[0]!)" },
  { what: "names of functions as arguments", imports: "{ passed }", body: "passed(x[0]!)" },
  {
    what: "an argument left out",
    imports: "{ optional }",
    body: "optional(x[0]!) + optional(x[1]!, 3)",
  },
  { what: "a default", imports: "{ defaulted }", body: "defaulted(x[0]!) * defaulted(x[1]!, 2)" },
  {
    what: "a constant of one with a type error",
    imports: "{ fromText }",
    body: "fromText(x[0]!)",
    engine: "delta",
  },
  { what: "a rest parameter", imports: "{ adds }", body: "adds(x[0]!, x[1]!, 2) ** 2" },
  { what: "recursion", imports: "{ recursive }", body: "recursive(x[0]!, 4)" },
  { what: "an alias of the library", imports: "{ logged }", body: "logged(x[0]!)" },
  { what: "a shorthand", imports: "{ named }", body: "named(x[0]!)" },
  { what: "a returned function", imports: "{ maker }", body: "maker(x[0]!)(x[1]!)" },
  { what: "one after a comma", imports: "{ lerp }", body: "lerp(x[0]!, x[1]!)(x[2]!)" },
  { what: "a hostile name", imports: "{ constructor as c }", body: "c(x[0]!)" },
  { what: "a name of an object's members", imports: "* as k", body: "k.constructor(x[0]!)" },
  { what: "an alias", imports: "{ same, renamed }", body: "same(x[0]!) * renamed(x[1]!)" },
  {
    what: "an out parameter",
    imports: "{ vec }",
    body: "vec.length(vec.add([0, 0], [x[0]!, x[1]!], [1, x[2]!]))",
  },
  {
    what: "an out parameter, kept",
    imports: "{ vec }",
    body: "{ const o = [0, 0]; vec.add(o, x, [x[2]!, 1]); return o[0]! * o[1]!; }",
  },
  {
    what: "a typed array",
    imports: "{ vec }",
    body: "{ const o = new Float64Array(2); vec.add(o, x, x); return vec.length(o); }",
  },
  {
    what: "names of the user's that are the package's",
    imports: "{ helped, tabled }",
    before: "const OFFSET = 100, helper = (x: number) => x, TABLE = [7];",
    body: "helped(x[0]!) + helper(OFFSET) + TABLE[0]! + tabled(x[1]!, 0)",
  },
  {
    what: "names like generated ones",
    imports: "{ helped }",
    before: "const helped$copy = 3, helper$copy = 4;",
    body: "helped(x[0]!) * helped$copy + helper$copy",
  },
  {
    what: "a branch of another module",
    imports: "{ limits }",
    body: "limits.clamp(x[0]!) * limits.EPSILON",
  },
  { what: "a message", imports: "{ texts }", body: "texts(x[0]!)" },
  { what: "the library's functions", imports: "{ globals }", body: "globals(x[0]!)" },
  {
    what: "an option",
    imports: "{ optioned, options }",
    before: "options.k = 7;",
    body: "optioned(x[0]!)",
  },
  {
    what: "a variable that is assigned",
    imports: "{ stepped, setStep }",
    before: "setStep(5);",
    body: "stepped(x[0]!)",
  },
  {
    what: "a class of the library that a setter may change",
    imports: "{ vec }",
    body: "{ const o = vec.create(); o[0] = x[0]!; vec.add(o, o, [x[1]!, 1]); return vec.length(o); }",
  },
  {
    what: "a class of the library that the program may change",
    imports: "{ vec, setKind }",
    before: "export { setKind };",
    body: "{ const o = vec.createOther(); o[0] = x[0]!; vec.add(o, o, [x[1]!, 1]); return vec.length(o); }",
    engine: "delta",
  },
  { what: "types that change", imports: "{ confused }", body: "confused(x[0]!)", engine: "delta" },
  { what: "a receiver", imports: "{ receiver }", body: "receiver(x[0]!)", engine: "delta" },
  ...[
    "twice(x[0]!, x[1]!)",
    "factor(x[0]!) * x[1]!",
    "later(x[0]!)",
    "again(x[0]!, 3)",
    "wholly(x[0]!)",
    "compiled(x[0]!)",
    "taken(x[0]!)",
    "limited(x[0]!)",
    "joined(x[0]!)",
    "direct(x[0]!)",
    "starred(x[0]!)",
    "forwarded(x[0]!)",
  ].map((body) => ofCommon(body, "common")),
  ofCommon("through(x[0]!)", "common", "delta"),
  ofCommon("fifth(x[0]!)", "common/bundled.js", "delta"),
  ofCommon("f(x[0]!)", "common/sealed.js", "delta"),
  ofCommon("product(x[0]!) * x[1]!", "common/settings.js"),
  ...(
    [
      ["new and a method", "{ Vec }", "new Vec(x[0]!, x[1]!).norm()"],
      [
        "methods in a chain",
        "{ Vec }",
        "new Vec(x[0]!, 1).add(new Vec(x[1]!, x[2]!)).scale(x[2]!).norm()",
      ],
      ["a namespace", "* as s", "new s.Vec(x[0]!, x[1]!).dot(new s.Vec(x[2]!))"],
      ["a new instance", "{ Vec }", "new Vec(x[0]!, x[1]!).scaled(x[2]!).norm()"],
      ["a static method", "{ Vec }", "Vec.of(x[0]!).norm()"],
      ["a getter", "{ Vec }", "new Vec(x[0]!, x[1]!).size"],
      [
        "a setter",
        "{ Vec }",
        "{ const v = new Vec(x[0]!, x[1]!); v.size = x[2]!; return v.x * v.x; }",
      ],
      ["fields", "{ Vec }", "{ const v = new Vec(x[0]!); v.y = v.x * x[1]!; return v.dot(v); }"],
      ["another class", "{ Vec, Mat }", "new Vec(x[0]!, x[1]!).turn(new Mat().rotation(x[2]!)).x"],
      [
        "a list",
        "{ Vec }",
        "{ const l: Vec[] = []; for (const a of x) l.push(new Vec(a, 2)); let t = 0; for (const v of l) t += v.norm() * l[0]!.dot(v); return t; }",
      ],
      [
        "instanceof",
        "{ Vec }",
        "{ const v = new Vec(x[0]!, 2); return v instanceof Vec ? v.norm() : 0; }",
      ],
      ["an object in its place", "{ Vec }", "new Vec(x[0]!, x[1]!).dot({ x: x[2]!, y: 2 })"],
      ["its own constructor", "{ Vec }", "new Vec(x[0]!, x[1]!).clone().norm()", "delta"],
      ["a flag in the prototype", "{ Vec }", "new Vec(x[0]!, x[1]!).flagged()"],
      ["data in the prototype", "{ Unit }", "new Unit(x[0]!).area()"],
      ["arithmetic with a comparison", "{ wrapped }", "wrapped(x[0]!) * wrapped(x[1]!)"],
      ["a test for a class that a number is not of", "{ lengthOf }", "lengthOf(x[0]!)"],
      [
        "a test for a class, of an instance",
        "{ lengthOf, Marked }",
        "lengthOf(new Marked(x[0]! * x[1]!))",
      ],
      ["data in the prototype, of the constructor", "{ Marked }", "new Marked(x[0]!).area()"],
      ...[
        "Late",
        "Changed",
        "Chosen",
        "Tried",
        "Never",
        "Gone",
        "Scale",
        "Double",
        "Rare",
        "Behind",
        "Made",
        "MadeAnew",
      ].map(
        (name) =>
          [
            `data in the prototype that may be other: ${name}`,
            `{ ${name} }`,
            `new ${name}(x[0]!).value()`,
            "delta",
          ] as const,
      ),
      [
        "an object of the module",
        "{ Vec }",
        "new Vec(x[0]!, x[1]!).projected(new Vec(x[2]!, 1))",
        "delta",
      ],
      ["a method that no code replaces", "{ Vec }", "new Vec(x[0]!, x[1]!).told()"],
      ["accessors as the fields of an interface", "{ Vec, Turn }", TURNED],
      ...["{ a: 1, b: x[1]! }", "new Pair(x[1]!, 2)"].map(
        (other) =>
          [
            `accessors, and ${other}, as the fields of an interface`,
            "{ Vec, Turn, Pair }",
            `${TURNED} + new Vec(x[0]!).turned(${other}).y + new Pair(1, 2).a`,
          ] as const,
      ),
      [
        "accessors that are written",
        "{ Vec, Turn }",
        "{ const t = new Turn(x[0]!, 3); t.a = t.a * x[1]!; return new Vec(x[2]!, 2).turned(t).dot(t.a > 0 ? { x: t.a, y: t.b } : { x: 1, y: 1 }); }",
      ],
      [
        "a literal for an interface",
        "{ Vec }",
        "new Vec(x[0]!, x[1]!).turnedLike({ a: x[2]!, b: x[0]! }).norm()",
      ],
      ["a method put on the prototype", "{ Vec }", "new Vec(x[0]!, x[1]!).added()", "delta"],
      ["a replaced method", "{ Odd }", "new Odd().value(x[0]!)", "delta"],
      [
        "a class with others below it",
        "{ Square, Base }",
        "{ const b: Base = new Square(x[0]!); return b.area(); }",
      ],
    ] as const
  ).map(([what, imports, body, engine]): Case => ({
    ...{ what: `classes: ${what}`, imports, body, from: "shapes" },
    ...(engine === undefined ? {} : { engine }),
  })),
  {
    what: "classes: a text that is a method's name",
    imports: "{ Vec, Turn }",
    before: 'export const labels = ["turned"];',
    body: "new Vec(x[0]!, x[1]!).turned(new Turn().angle(x[2]!)).norm()",
    from: "shapes",
  },
  {
    what: "classes: named as a type, in two functions",
    imports: "{ Vec, type VecLike }",
    before:
      "const length = (v: Vec, by: VecLike): number => v.add(by).norm();\nconst make = (a: number): Vec => new Vec(a, a * a);",
    body: "length(make(x[0]!), { x: x[1]!, y: 3 }) * make(x[2]!).norm()",
    from: "shapes",
  },
  {
    what: "CommonJS: module.exports, imported by default",
    imports: "one",
    body: "one(x[0]!)",
    from: "common/one.js",
  },
  ...PASSED,
  ...OF_OPTIONAL,
  ...OF_LITERALS,
];

/** Programs that may change what they call. */
const ALONE: readonly Case[] = [...OF_CHANGED, ...OF_REPLACED];

/** Exports that a function assigns: no copy may take them for constants. */
const ASSIGNED: readonly Case[] = [
  ofCommon("limit(x[0]!)", "common/settings.js"),
  {
    ...ofCommon("product(x[0]!) * x[1]!", "common/changed.js"),
    before: "c.setLists(Float32Array, 1);",
  },
];

function ofCommon(body: string, from: string, engine?: "delta"): Case {
  const [name = ""] = body.split("(");
  return {
    ...{ what: `CommonJS: ${name}`, imports: `* as c`, body: `c.${body}`, from },
    ...(engine === undefined ? {} : { engine }),
  };
}

/** A script calls the derivative while it is evaluated; there, copies for Delta come too late. */
const codeOf = ({ imports, body, before = "", from = "kinds", engine }: Case): string =>
  `import { grad } from "tsgrad";\nimport ${imports} from "${from}";\n${before}\nexport const f = (x: number[]): number => ${body};\nexport const d = grad(f);\n${engine === "delta" ? "" : `export const atLoad = d([${AT.join(", ")}]);\n`}`;

const DECLARED =
  "export declare function grad(f: (x: number[]) => number, derivative?: (x: number[]) => number[]): (x: number[]) => number[];\n";

interface Made {
  readonly f: (x: number[]) => number;
  readonly d: (x: number[]) => number[];
  /** What `d` gives while its own module is evaluated. */
  readonly atLoad?: readonly number[];
}

const made = new Map<Case, { readonly text: string; readonly module: Made }>();
let errors: readonly string[] = [];
let refused: readonly string[] = [];
/** How many refusals programs have that may change a literal of functions. */
let changed: readonly number[] = [];

beforeAll(async () => {
  const box = sandbox(
    Object.fromEntries([
      ["node_modules/tsgrad/package.json", `{ "name": "tsgrad", "types": "./index.d.ts" }`],
      ["node_modules/tsgrad/index.d.ts", DECLARED],
      ...Object.entries(KINDS).map(([name, text]) => [`node_modules/kinds/${name}`, text]),
      ...Object.entries(SHAPES).map(([name, text]) => [`node_modules/shapes/${name}`, text]),
      ...Object.entries(LITERALS).map(([name, text]) => [`node_modules/literals/${name}`, text]),
      ...Object.entries(CHANGING).map(([name, text]) => [`node_modules/changing/${name}`, text]),
      ...ALONE.map((one, i) => [`src/changed${i}.ts`, codeOf(one)]),
      ...Object.entries(PASSING).map(([name, text]) => [`node_modules/passing/${name}`, text]),
      ...Object.entries(OPTIONAL).map(([name, text]) => [`node_modules/optional/${name}`, text]),
      ...Object.entries(COMMON).map(([name, text]) => [`node_modules/common/${name}`, text]),
      ...CASES.map((one, i) => [`src/case${i}.ts`, codeOf(one)]),
      ...ASSIGNED.map((one, i) => [`src/assigned${i}.ts`, codeOf(one)]),
    ]),
    { stubs: false },
  );
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    strict: true,
    allowSyntheticDefaultImports: true,
    lib: ["lib.es2022.d.ts"],
    types: [],
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    noEmit: true,
  };
  const files = CASES.map((_, i) => box.at(`src/case${i}.ts`));
  const program = ts.createProgram(files, options);
  const result = analyse({ ts, program, system: ts.sys });
  const assigned = ASSIGNED.map((_, i) => box.at(`src/assigned${i}.ts`));
  const others = { ts, program: ts.createProgram(assigned, options), system: ts.sys };
  refused = analyse(others, { engine: "static" }).diagnostics.map(({ message }) => message);
  changed = ALONE.map((_, i) => {
    const one = { ts, program: ts.createProgram([box.at(`src/changed${i}.ts`)], options) };
    const { diagnostics } = analyse({ ...one, system: ts.sys }, { engine: "static" });
    return diagnostics.length;
  });
  errors = result.diagnostics.map(({ code, message }) => `${code} ${message}`);
  const texts = new Map(
    files.map((file) => {
      const text = program.getSourceFile(file)?.text ?? "";
      return [file, applyEdits(file, text, result.edits.get(file) ?? []).text];
    }),
  );
  box.write(
    Object.fromEntries([...texts].map(([file, text]) => [path.relative(box.dir, file), text])),
  );
  const isStatic = (file: string): boolean => texts.get(file)?.includes("tsgrad/delta") === false;
  const found = errorsOf(ts.createProgram(files.filter(isStatic), options));
  errors = [...errors, ...found.map(({ file, message }) => `${file.text}\n${message}`)];
  const { outputFiles } = await build({
    entryPoints: files,
    bundle: true,
    write: false,
    format: "esm",
    outdir: box.dir,
    logLevel: "silent",
    alias: { tsgrad: `${ROOT}/runtime/index.ts`, "tsgrad/delta": `${ROOT}/runtime/delta/index.ts` },
  });
  for (const [i, one] of CASES.entries()) {
    const code = outputFiles[i]?.text ?? "";
    const module: Made = await import(
      `data:text/javascript;base64,${Buffer.from(code).toString("base64")}`
    );
    made.set(one, { module, text: texts.get(files[i] ?? "") ?? "" });
  }
});

test("exports that a function assigns", () => {
  expect(refused).toEqual([
    expect.stringMatching(/missing\$copy|limit/),
    expect.stringMatching(/missing\$copy|product/),
  ]);
});

test.each(ALONE.map(({ what }, i) => [what, i] as const))("%s, is not copied", (_, i) => {
  expect(changed[i]).toBeGreaterThan(0);
});

test("a value that contradicts its type is an error", () => {
  const one = CASES.find(({ what }) => what === "tests of types: a missing element");
  const { module } = (one && made.get(one)) ?? {};
  expect(() => module?.d([1, 2, 3, 4])).toThrow("`v` has a type that is not declared");
});

test("everything builds, and type-checks", () => {
  expect(errors).toEqual([]);
});

test.each(CASES.map((one) => [one.what, one] as const))("%s", (_, one) => {
  const { module, text } = made.get(one) ?? {};
  if (module === undefined || text === undefined) throw new Error("not built");
  const STEP = 1e-5;
  const moved = (i: number, by: number): number =>
    module.f(AT.map((x, k) => (k === i ? x + by : x)));
  const gradient = module.d([...AT]);
  expect(module.atLoad).toEqual(one.engine === "delta" ? undefined : gradient);
  for (const i of AT.keys()) {
    const expected = (moved(i, STEP) - moved(i, -STEP)) / (2 * STEP);
    expect(Math.abs((gradient[i] ?? NaN) - expected)).toBeLessThanOrEqual(
      1e-7 * Math.max(1, Math.abs(expected)),
    );
  }
  expect(text.includes("tsgrad/delta") ? "delta" : "static").toBe(one.engine ?? "static");
});
