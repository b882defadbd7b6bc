// The wild project: functions of published packages against finite differences. In: fixtures/projects/wild, its packages installed;
// names of adapters, or the beginning of a file's name in src, as arguments. Out: a table of verdicts, one build per adapter; exits with 1 where one is wrong.

import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { load, root } from "./load.mjs";

const project = path.join(root, "fixtures/projects/wild");
const play = path.join(project, ".play", String(process.pid));
mkdirSync(play, { recursive: true });
const { default: tsgrad } = await load("transformer/hosts/esbuild.ts");
const { slopeOf } = await load("tests/programs/differences.ts");
const alias = {
  tsgrad: path.join(root, "runtime/index.ts"),
  "tsgrad/delta": path.join(root, "runtime/delta/index.ts"),
};

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

async function bundled(name, text, plugins) {
  const entry = path.join(play, `${name}.ts`);
  const outfile = path.join(play, `${name}.mjs`);
  writeFileSync(entry, text);
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "silent",
    banner: REQUIRE,
    absWorkingDir: project,
    alias,
    plugins,
  });
  return import(pathToFileURL(outfile).href);
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

async function verdict(name, file, f, at) {
  const text = `import { grad } from "tsgrad";\nimport { ${name} } from "../../src/${file}";\nexport const derived = grad(${name});\n`;
  let derived;
  try {
    ({ derived } = await bundled(name, text, [
      tsgrad({ cwd: project, packages: UNTYPED, tsconfig: path.join(project, "tsconfig.json") }),
    ]));
  } catch (error) {
    return failure(error, "build:");
  }
  try {
    const found = derived([...at]);
    // What a package remembers of an earlier call must not be a constant of the next one.
    const again = derived([...at]);
    if (JSON.stringify(again) !== JSON.stringify(found))
      return [
        "wrong",
        `the second call finds ${JSON.stringify(again)}, the first found ${JSON.stringify(found)}`,
      ];
    return compared(
      found,
      at.map((_, i) => slopeOf((t) => f(at.map((v, j) => (j === i ? v + t : v))), 0)),
      at,
    );
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
const totals = { right: 0, wrong: 0, rejected: 0, crash: 0, unusable: 0 };
for (const file of files) {
  const plain = await bundled(
    `plain-${path.basename(file, ".ts")}`,
    `export * from "../../src/${file}";\n`,
    [],
  );
  for (const [name, at] of Object.entries(plain.at)) {
    if (!asked(file, name)) continue;
    const [kind, message] = await verdict(name, file, plain[name], at);
    totals[kind]++;
    console.log(kind.padEnd(9), name, message);
  }
}
console.log(totals);
rmSync(play, { recursive: true });
process.exitCode = totals.wrong > 0 ? 1 : 0;
