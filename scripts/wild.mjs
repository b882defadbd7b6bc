// The wild project: functions of published packages against finite differences. In: fixtures/projects/wild, its packages installed.
// Out: a table, right, wrong or rejected, one build per adapter; exits with 1 where one is wrong.

import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { load, root } from "./load.mjs";

const project = path.join(root, "fixtures/projects/wild");
const play = path.join(project, ".play");
mkdirSync(play, { recursive: true });
const { default: tsgrad } = await load("transformer/hosts/esbuild.ts");
const { slopeOf } = await load("tests/programs/differences.ts");
const alias = { tsgrad: path.join(root, "runtime/index.ts"), "tsgrad/delta": path.join(root, "runtime/delta/index.ts") };

async function bundled(name, text, plugins) {
  const entry = path.join(play, `${name}.ts`), outfile = path.join(play, `${name}.mjs`);
  writeFileSync(entry, text);
  await build({ entryPoints: [entry], outfile, bundle: true, platform: "node", format: "esm", logLevel: "silent", absWorkingDir: project, alias, plugins });
  return import(pathToFileURL(outfile).href);
}

async function verdict(name, f, at) {
  try {
    const text = `import { grad } from "tsgrad";\nimport { ${name} } from "../src/first.ts";\nexport const derived = grad(${name});\n`;
    const { derived } = await bundled(name, text, [tsgrad({ cwd: project, tsconfig: path.join(project, "tsconfig.json") })]);
    const found = derived([...at]);
    const slopes = at.map((_, i) => slopeOf((t) => f(at.map((v, j) => (j === i ? v + t : v))), 0));
    // 1e-7: what Ridders' extrapolation reaches on these points; it cannot see a smaller mistake.
    const bad = slopes.findIndex((slope, i) => !(Math.abs(slope.value - found[i]) <= 1e-7 * Math.max(1, Math.abs(slope.value))));
    return bad < 0 ? ["right", ""] : ["wrong", `[${bad}]: ${found[bad]}, differences say ${slopes[bad].value}`];
  } catch (error) {
    return ["rejected", (error.errors?.[0]?.text ?? error.message).split("\n")[0]];
  }
}

const plain = await bundled("plain", 'export * from "../src/first.ts";\n', []);
const totals = { right: 0, wrong: 0, rejected: 0 };
for (const [name, at] of Object.entries(plain.at)) {
  const [kind, message] = await verdict(name, plain[name], at);
  totals[kind]++;
  console.log(kind.padEnd(9), name, message);
}
console.log(totals);
process.exitCode = totals.wrong > 0 ? 1 : 0;
