// What `tsgrad explain` and `tsgrad emit` print, as goldens to be read: fixtures/explain/<name>.txt.

import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { explain, sourceOf } from "../../transformer/explain.ts";
import { expectFile } from "../golden.ts";
import { programOf } from "../program.ts";

const TEXT = `import { grad, valueAndGrad, vjp } from "tsgrad";

function predict(w: number[], x: number[]): number {
  let z = 0;
  for (let i = 0; i < x.length; i++) z += w[i] * x[i];
  return 1 / (1 + Math.exp(-z));
}

export function loss(w: number[], xs: number[][], label: string): number {
  let total = 0;
  for (const x of xs) total -= Math.log(predict(w, x));
  return label === "mean" ? total / xs.length : total;
}

function iterate(x: number, steps: number): number {
  let y = x;
  for (let i = 0; i < steps; i++) {
    if (y > 1) y = Math.sqrt(y) + x;
    else y = Math.sin(y) * x * i;
  }
  return y;
}

function power(x: number, n: number): number {
  return n <= 0 ? 1 : x * power(x, n - 1);
}

function root(x: number): number {
  return Math.sqrt(power(x, 5));
}

function scaled(xs: number[], k: number): number[] {
  return xs.map((x) => Math.exp(x * k));
}

function unused(label: string, x: number): number {
  return label === "twice" ? 2 * x : x;
}

async function later(x: number): Promise<number> {
  return x;
}

export const step = valueAndGrad(loss);
export const slope = grad(iterate);
export const dRoot = grad(root);
export const pullback = vjp(scaled);

function checked(x: number): number {
  if (x < 0) throw new RangeError("negative");
  return Math.sqrt(x);
}

function guarded(x: number): number {
  try {
    return checked(x - 1);
  } catch {
    return x * x;
  }
}

export const slopeOrNot = grad(guarded);
`;

const host = programOf({ "fit.ts": TEXT });
const FILE = "/src/fit.ts";

describe("explain", () => {
  test.each([
    "loss",
    "iterate",
    "power",
    "root",
    "scaled",
    "predict",
    "unused",
    "later",
    "guarded",
  ])("%s", (name) => {
    expectFile(`fixtures/explain/${name}.txt`, `${explain(host, FILE, name)}\n`);
  });

  test("a function that is not there", () => {
    expect(explain(host, FILE, "missing")).toBe(
      "There is no function 'missing' in this file that tsgrad could differentiate.",
    );
  });
});

/** Names of what a source declares, in order. */
const declared = (source: string): string[] =>
  [...source.matchAll(/^(?:type|function) ([\w$]+)/gm)].map(([, name = ""]) => name);

test("a function whose name another file has, too", () => {
  const text = `import { grad } from "tsgrad";\nconst loss = (x: number): number => x * x;\nexport const g = grad(loss);\n`;
  const two = programOf({ "a.ts": text, "b.ts": text });
  for (const file of ["/src/a.ts", "/src/b.ts"])
    expect(explain(two, file, "loss")).toMatch(/\nloss\$grad\n/);
});

describe("a name that is not there", () => {
  const NONE = "There is no function 'los' in this file that tsgrad could differentiate.";
  test.each([
    ["beside an error", `const text = grad((s: string) => s);`],
    [
      "beside a warning",
      `const t = new Function("x", "return x") as (x: number) => number;\nexport const d = grad((x: number) => t(x));`,
    ],
  ])("%s", (_, more) => {
    const text = `import { grad } from "tsgrad";\nexport const loss = (x: number): number => x * x;\n${more}\n`;
    expect(explain(programOf({ "a.ts": text }), "/src/a.ts", "los")).toBe(NONE);
  });
});

describe("emit", () => {
  test("a file: everything once", () => {
    const names = declared(sourceOf(host, FILE));
    expect(names).toEqual([...new Set(names)]);
    expect(names).toEqual(
      expect.arrayContaining([
        "loss$vag",
        "iterate$grad",
        "root$grad",
        "power$revf$x",
        "power$revr$x",
        "scaled$vjp",
        "scaled$revf",
        "scaled$revr",
      ]),
    );
  });

  test("what calls a pair of another module: as it stands in the build, once", () => {
    const two = {
      "edge.ts":
        "export function parts(w: number[], k: number): number[] {\n  if (k > 9) return [w[0]!];\n  const out: number[] = [];\n  for (const x of w) out.push(Math.sin(x) * k);\n  return out.length > 40 ? parts(out, k + 1) : out;\n}\n",
      "net.ts": `import { vjp } from "tsgrad";\nimport { parts } from "./edge.js";\nfunction net(w: number[], n: number): number[] {\n  const all: number[] = [];\n  for (let i = 0; i < n; i++) all.push(...parts(w, i));\n  return all;\n}\nexport const pull = vjp(net);\n`,
    };
    const program = programOf(two);
    const source = sourceOf(program, "/src/net.ts");
    const names = declared(source);
    expect(names).toEqual([...new Set(names)]);
    const built = (analyse(program).edits.get("/src/net.ts") ?? [])
      .map((edit) => edit.text)
      .join("\n");
    for (const part of source.split(/\n\n(?=function|type)/))
      expect(built).toContain(part.trimEnd());
    expect(source).toContain("as ReturnType<typeof parts$revf$w>");
  });

  test("a function with what it calls", () => {
    expect(declared(sourceOf(host, FILE, "root"))).toEqual([
      "power$revf$x",
      "power$revr$x",
      "root$grad",
    ]);
  });

  test("a function that is only called: its pair", () => {
    expect(declared(sourceOf(host, FILE, "power"))).toEqual(["power$revf$x", "power$revr$x"]);
  });

  test("a function nobody asks about: as if grad of it were called", () => {
    expect(declared(sourceOf(host, FILE, "predict"))).toEqual(["predict$grad"]);
    expect(declared(sourceOf(host, FILE, "unused"))).toEqual(["unused$grad$x"]);
    expect(
      declared(
        sourceOf(programOf({ "fit.ts": TEXT.replace(/^.*vjp\(scaled\).*$/m, "") }), FILE, "scaled"),
      ),
    ).toEqual(expect.arrayContaining(["scaled$vjp"]));
  });

  test("derivativeSource of a function whose first argument holds no numbers", () => {
    const text = `import { derivativeSource } from "tsgrad/testing";\nfunction unused(label: string, x: number): number { return label === "twice" ? 2 * x : x; }\nexport const source = derivativeSource(unused);\n`;
    const { edits, diagnostics } = analyse(programOf({ "a.ts": text }));
    expect(diagnostics).toEqual([]);
    expect(edits.get("/src/a.ts")?.map((edit) => edit.text)).toEqual([
      expect.stringContaining("function unused$grad$x(label: string, _x: number): number {"),
    ]);
  });

  test("a function that is not accepted, and one without numbers: nothing, and explain says why", () => {
    expect(sourceOf(host, FILE, "later")).toBe("");
    const words = programOf({
      "a.ts": "export function shout(text: string): string { return text + '!'; }",
    });
    expect(sourceOf(words, "/src/a.ts", "shout")).toBe("");
    expect(explain(words, "/src/a.ts", "shout")).toContain(
      "TSG2004  cannot differentiate `shout` with respect to `text`: its type `string` holds no numbers",
    );
  });

  test("a default export", () => {
    const anonymous = programOf({
      "a.ts": "export default function (x: number): number { return x * x; }",
    });
    expect(sourceOf(anonymous, "/src/a.ts", "default")).toContain("return 2 * x;");
  });

  test("asking changes nothing for others", () => {
    expect(sourceOf(host, FILE, "loss")).toBe(
      sourceOf(programOf({ "fit.ts": TEXT }), FILE, "loss"),
    );
    expect(sourceOf(host, FILE, "missing")).toBe("");
  });
});
