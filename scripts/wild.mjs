// The wild project: functions of published packages against finite differences. In: fixtures/projects/wild, its packages installed;
// names of adapters, or the beginning of a file's name in src, as arguments. Out: a table of verdicts, engines, and gradient ÷ primal;
// exits with 1 where a gradient is wrong.

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { load, root } from "./load.mjs";

const project = path.join(root, "fixtures/projects/wild");
const play = path.join(project, ".play", String(process.pid));
mkdirSync(play, { recursive: true });
const { default: tsgrad } = await load("transformer/hosts/esbuild.ts");
const { slopeOf } = await load("tests/programs/differences.ts");
execFileSync(process.execPath, [path.join(root, "scripts/build.mjs")]);
const alias = {
  tsgrad: path.join(root, "dist/index.js"),
  "tsgrad/delta": path.join(root, "dist/delta.js"),
  "tsgrad/captured": path.join(root, "dist/captured.js"),
  "tsgrad/delta-higher": path.join(root, "dist/delta-higher.js"),
};
// One program for all: a file outside of the project would be a program of its own.
const tsconfig = path.join(play, "tsconfig.json");
writeFileSync(tsconfig, `{ "extends": "../../tsconfig.json", "include": ["*.ts", "../../src"] }`);

/** For packages of CommonJS that need a module of Node's. */
const REQUIRE = {
  js: `import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);`,
};

/** Packages without types, whose code is followed all the same. */
const UNTYPED = [
  "bessel",
  "black-scholes",
  "cubic-spline",
  "fmin",
  "greeks",
  "jstat",
  "kalmanjs",
  "numeric",
  "odex",
  "utm",
  "xirr",
];

/** Bundles all entries at once; says by entry which engine its derivative uses. */
async function bundled(texts, plugins) {
  for (const [name, text] of texts) writeFileSync(path.join(play, `${name}.ts`), text);
  const { metafile } = await build({
    entryPoints: [...texts.keys()].map((name) => path.join(play, `${name}.ts`)),
    outdir: path.join(play, "out"),
    outExtension: { ".js": ".mjs" },
    bundle: true,
    metafile: true,
    platform: "node",
    format: "esm",
    logLevel: "silent",
    banner: REQUIRE,
    absWorkingDir: project,
    alias,
    plugins,
  });
  const engines = new Map();
  for (const file of Object.keys(metafile.outputs)) {
    // a package may have a name of its own for `derived`
    const derived = /^var derived\d* = grad\d*\(.*$/m.exec(
      readFileSync(path.join(project, file), "utf8"),
    );
    // the static engine names what it emits; Delta may take a function as a value
    const engine = derived?.[0].includes("$grad") ? "static" : "delta";
    engines.set(path.basename(file, ".mjs"), engine);
  }
  return engines;
}

const imported = (name) => import(pathToFileURL(path.join(play, "out", `${name}.mjs`)).href);

/** The build of what is accepted, and by entry why the others are not. */
async function accepted(texts) {
  const refused = new Map();
  for (;;) {
    try {
      const plugin = tsgrad({ cwd: project, packages: UNTYPED, tsconfig });
      return { engines: await bundled(texts, [plugin]), refused };
    } catch (error) {
      const before = refused.size;
      for (const one of error.errors ?? []) {
        const files = [one, ...one.notes].map(({ location }) => location?.file ?? "");
        const names = files.map((file) => path.basename(file, ".ts"));
        for (const name of names.filter((known) => texts.delete(known)))
          refused.set(name, one.text);
      }
      if (refused.size === before) throw error;
    }
  }
}

/** "unusable": differences that do not converge, or a gradient that is zero, say nothing about the derivative. */
function compared(found, slopes, at) {
  if (!Array.isArray(found) || found.length !== at.length)
    return ["wrong", `the gradient is ${JSON.stringify(found)}`];
  // 1e-7: what Ridders' extrapolation reaches on these points; it cannot see a smaller mistake.
  const bad = slopes.findIndex(
    (slope, i) => !(Math.abs(slope.value - found[i]) <= 1e-7 * Math.max(1, Math.abs(slope.value))),
  );
  const uncertain = slopes.findIndex(
    (slope) => !(slope.error <= 1e-6 * Math.max(1, Math.abs(slope.value))),
  );
  if (uncertain >= 0)
    return [
      "unusable",
      `[${uncertain}]: differences say ${slopes[uncertain].value}, unsure by ${slopes[uncertain].error}; found ${found[uncertain]}`,
    ];
  if (bad >= 0) return ["wrong", `[${bad}]: ${found[bad]}, differences say ${slopes[bad].value}`];
  return slopes.every((slope) => slope.value === 0)
    ? ["unusable", "the gradient is zero here"]
    : ["right", ""];
}

/** An error with a code of tsgrad is a rejection; any other is a crash. */
function failure(error, when) {
  const text = error.errors?.[0]?.text ?? error.stack ?? String(error);
  const code = error.code ?? /TSG\d{4}/.exec(text)?.[0];
  if (/^TSG\d{4}$/.test(code))
    return ["rejected", `${when} ${text.includes(code) ? "" : `${code} `}${text.split("\n")[0]}`];
  return ["crash", `${when} ${text.split("\n").slice(0, 4).join(" | ")}`];
}

/** Calls in a row that take some milliseconds together. */
function timed(run) {
  let count = 1;
  for (;;) {
    const start = performance.now();
    for (let i = 0; i < count; i++) run();
    const time = performance.now() - start;
    if (time > 4) return time / count;
    count *= 2;
  }
}

/** Time of the gradient, as a multiple of the function's: the median of interleaved pairs. */
function ratioOf(derived, f, at) {
  const pairs = Array.from({ length: 7 }, () => {
    const primal = timed(() => f([...at]));
    return timed(() => derived([...at])) / primal;
  });
  return pairs.sort((a, b) => a - b)[3];
}

async function verdict(name, f, at) {
  try {
    const { derived } = await imported(name);
    const found = derived([...at]);
    // What a package remembers of an earlier call must not be a constant of the next one.
    const again = derived([...at]);
    if (JSON.stringify(again) !== JSON.stringify(found))
      return [
        "wrong",
        `the second call finds ${JSON.stringify(again)}, the first found ${JSON.stringify(found)}`,
      ];
    const slopes = at.map((_, i) => slopeOf((t) => f(at.map((v, j) => (j === i ? v + t : v))), 0));
    const [kind, message] = compared(found, slopes, at);
    return [kind, message, kind === "right" ? ratioOf(derived, f, at) : undefined];
  } catch (error) {
    return failure(error, "run:");
  }
}

const wanted = process.argv.slice(2);
const files = readdirSync(path.join(project, "src"))
  .filter((file) => file.endsWith(".ts"))
  .sort();
const asked = (file, name) =>
  wanted.length === 0 || wanted.some((want) => want === name || file.startsWith(want));
const plains = new Map(
  files.map((file) => [
    `plain-${path.basename(file, ".ts")}`,
    `export * from "../../src/${file}";\n`,
  ]),
);
await bundled(plains, []);
const adapters = new Map();
const texts = new Map();
for (const file of files) {
  const plain = await imported(`plain-${path.basename(file, ".ts")}`);
  for (const [name, at] of Object.entries(plain.at)) {
    if (!asked(file, name)) continue;
    adapters.set(name, { f: plain[name], at });
    texts.set(
      name,
      `import { grad } from "tsgrad";\nimport { ${name} } from "../../src/${file}";\nexport const derived = grad(${name});\n`,
    );
  }
}
const { engines, refused } = await accepted(texts);

const totals = { right: 0, wrong: 0, rejected: 0, crash: 0, unusable: 0 };
const taken = { static: 0, delta: 0 };
const logs = { static: [], delta: [] };
for (const [name, { f, at }] of adapters) {
  const engine = engines.get(name) ?? "";
  const [kind, message, ratio] = refused.has(name)
    ? failure({ errors: [{ text: refused.get(name) }] }, "build:")
    : await verdict(name, f, at);
  totals[kind]++;
  if (engine !== "") taken[engine]++;
  if (ratio !== undefined) logs[engine].push(Math.log(ratio));
  const times = ratio === undefined ? "" : `${ratio.toPrecision(2)} x`;
  console.log(kind.padEnd(9), engine.padEnd(6), times.padStart(9), name, message);
}
const mean = (list) => Math.exp(list.reduce((a, b) => a + b, 0) / list.length).toPrecision(3);
console.log(totals, taken);
console.log("gradient ÷ primal, geometric means:", mean(logs.static), mean(logs.delta));
rmSync(play, { recursive: true });
process.exitCode = totals.wrong > 0 ? 1 : 0;
