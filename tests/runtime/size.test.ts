// What a page that uses a derivative downloads of tsgrad's. In: programs as users write them, built by the transformer, and the package as it is built; a user's bundler puts them together.
// Out: bytes after gzip, without those of the emitted code itself; and what the bundle computes, which shows that nothing is left out that the program needs.

import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import path from "node:path";
import { build, type OutputFile, type Plugin } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { withConstants } from "../../scripts/constants.mjs";

const runtime = (name: string): string =>
  fileURLToPath(new URL(`../../runtime/${name}`, import.meta.url));

let packed: readonly OutputFile[] = [];

/** The package's own files, as scripts/build.mjs writes them: a bundler looks at their statements one by one. */
beforeAll(async () => {
  const entryPoints = {
    tsgrad: runtime("index.ts"),
    "tsgrad/delta": runtime("delta/index.ts"),
    "tsgrad/delta-higher": runtime("delta/higher/index.ts"),
  };
  packed = (
    await build({
      entryPoints,
      bundle: true,
      platform: "neutral",
      target: "node20",
      format: "esm",
      splitting: true,
      outdir: "/packed",
      write: false,
    })
  ).outputFiles;
});

const installed: Plugin = {
  name: "installed",
  setup(own) {
    own.onResolve({ filter: /^tsgrad/ }, ({ path: name }) => ({
      path: `/packed/${name}.js`,
      namespace: "packed",
      sideEffects: false,
    }));
    own.onResolve({ filter: /^\.{1,2}\//, namespace: "packed" }, ({ path: name, importer }) => ({
      path: path.posix.join(path.posix.dirname(importer), name),
      namespace: "packed",
      sideEffects: false,
    }));
    own.onLoad({ filter: /.*/, namespace: "packed" }, ({ path: name }) => ({
      contents: withConstants(packed.find((file) => file.path === name)?.text ?? ""),
      loader: "js",
    }));
  },
};

async function bundled(contents: string, withPackage: boolean): Promise<Uint8Array> {
  const around = withPackage ? { plugins: [installed] } : { external: ["tsgrad", "tsgrad/*"] };
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: "/", loader: "ts" },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    logLevel: "silent",
    ...around,
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

interface Page {
  readonly size: number;
  readonly value: unknown;
}

/** The bytes of ours in a page, and its export `value`. */
async function page(source: string): Promise<Page> {
  const host = programOf({ "input.ts": source });
  const { edits, diagnostics } = analyse(host);
  expect(diagnostics).toEqual([]);
  const { text } = applyEdits("/src/input.ts", source, edits.get("/src/input.ts") ?? []);
  const whole = await bundled(text, true);
  const without = await bundled(text, false);
  const evaluate = new Function(
    Buffer.from(whole)
      .toString()
      .replace(/export\{([\w$]+) as value\};?\s*$/, "return $1;"),
  );
  return { size: gzipped(whole) - gzipped(without), value: evaluate() };
}

const gzipped = (bytes: Uint8Array): number => gzipSync(bytes, { level: 9 }).length;

/** No more than now, and a bound below which the measure itself must be wrong. */
const PAGES: readonly {
  readonly what: string;
  readonly least: number;
  readonly most: number;
  readonly source: string;
  readonly value: unknown;
}[] = [
  {
    what: "a static gradient: the words of TSG0001, and nothing to compute with",
    least: 100,
    most: 500,
    value: 6,
    source: `import { grad } from "tsgrad";\nexport const value = grad((x: number): number => x * x)(3);\n`,
  },
  {
    what: "Delta, numbers: the tape",
    least: 2000,
    most: 3000,
    value: Math.cos(0.5) + Math.cos(1),
    source: `import { grad } from "tsgrad";
function f(x: number, n: number): number {
  let s = 0;
  try {
    for (let i = 1; i <= n; i++) {
      if (s > 100) throw new RangeError("too large");
      s += Math.sin(x * i) / i;
    }
  } catch {
    s = x * x;
  }
  return s;
}
export const value = grad(f)(0.5, 2);
`,
  },
  {
    what: "Delta, lists and records: elements and fields",
    least: 3500,
    most: 6_700, // reads ask whether a copy of a module hides the member, and for proxies
    value: [{ x: 15, y: 10 }, [6, 6]],
    source: `import { grad } from "tsgrad";
interface Point { x: number; y: number }
function area(p: Point, ws: readonly number[]): number {
  let s = 0;
  const seen: number[] = [];
  try {
    for (let i = 0; i < ws.length; i++) {
      seen[i] = ws[i]! * p.x;
      if (s > 1e9) throw new RangeError("too large");
      s += seen[i]! * p.y;
    }
    p = { x: p.y, y: s };
  } catch {
    s = p.x * p.x;
  }
  return p.y;
}
export const value = grad(area, { argnums: [0, 1] })({ x: 2, y: 3 }, [1, 4]);
`,
  },
  {
    what: "Delta, a list and a step: what walks through its arguments",
    least: 3500,
    most: 7_250, // proxies; `each`, which walks through any list
    value: [2, 4],
    source: `import { grad } from "tsgrad";
function squares(w: readonly number[]): number {
  let s = 0;
  for (let k = 0; k < 2; k++) for (const x of w) s += (x * x) / 2;
  return s;
}
export const value = grad((w: number[]): number => { try { return squares(w); } catch { return 0; } })([1, 2]);
`,
  },
  {
    what: "Delta, a call of a value that comes from outside: everything",
    least: 10_000,
    // it may get any function of tsgrad: rules, `vmap`, `inspect`, `scan`, and linear maps between
    // spaces of shared objects; texts of numbers are looked for in lists and Maps, too; `toJSON`, methods
    // that packages give to numbers; proxies whose definitions are watched
    most: 38_450, // traps of proxies; methods that others call; what functions of forms see; TSG0001; iterator helpers
    value: 3,
    source: `import { grad } from "tsgrad";\nexport const value = grad((x: number, f: (x: number) => number): number => f(x) * x, { engine: "delta", argnums: 0 })(4, Math.sqrt);\n`,
  },
];

test.each(PAGES)("$what", async ({ source, least, most, value }) => {
  const made = await page(source);
  expect(made.value).toEqual(value);
  expect(made.size).toBeGreaterThan(least);
  expect(made.size).toBeLessThanOrEqual(most);
});
