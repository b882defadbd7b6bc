// Measures: `npm run bench [-- --only name,name] [--quick] [--no-peers]`; `-- --redraw` writes table and plot anew. In: the checkout with its dependencies. Out: docs/bench.json, docs/bench.svg and the table of documents (only from
// a whole run); ratios on standard output. Sets up everything: tsgrad's build, the packages of fixtures/bench, the workloads compiled by `tsgrad build`.

import { execFileSync } from "node:child_process";
import {
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { load, root } from "./load.mjs";

/** Throws at any other option. */
const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    quick: { type: "boolean" },
    "no-peers": { type: "boolean" },
    redraw: { type: "boolean" },
  },
});
const { quick = false, "no-peers": noPeers = false } = options;
const folder = path.join(root, "fixtures/bench");
/** Of this run alone: what others build meanwhile is not measured. */
const out = path.join(folder, `.out/${process.pid}`);
/** A process compiles its code in its own way; the median of three does not depend on one. */
const PROCESSES = quick ? 1 : 3;

const failed = [];

/** Runs a command, its output shown only when it fails. */
function quietly(command, args, cwd) {
  try {
    return execFileSync(command, args, {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
      encoding: "utf8",
      maxBuffer: 1 << 28,
    });
  } catch (error) {
    throw new Error(
      `${command} ${args.join(" ")} failed\n${error.stdout ?? ""}${error.stderr ?? ""}`,
      { cause: error },
    );
  }
}

async function setUp() {
  quietly("npm", ["run", "build"], root);
  const installed = path.join(folder, "node_modules/.package-lock.json");
  if (
    !existsSync(installed) ||
    statSync(installed).mtimeMs < statSync(path.join(folder, "package-lock.json")).mtimeMs
  ) {
    quietly(
      "npm",
      ["ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"],
      folder,
    );
  }
  const link = path.join(folder, "node_modules/tsgrad");
  if (!existsSync(link)) symlinkSync("../../..", link, "dir");
  try {
    quietly(
      process.execPath,
      [path.join(root, "dist/tsgrad.cjs"), "build", "-p", folder, "--outDir", out],
      root,
    );
  } catch (error) {
    // a type error somewhere: files are emitted all the same, and the run counts as failed in the end
    if (!existsSync(path.join(out, "harness/run.js"))) throw error;
    console.error(error instanceof Error ? error.message : error);
    failed.push("tsgrad build");
  }
  const gradients = path.join(
    folder,
    "node_modules/@tensorflow/tfjs-core/dist/register_all_gradients.js",
  );
  await build({
    entryPoints: [gradients],
    outfile: path.join(out, "peers/tfjs-gradients.js"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "error",
  });
}

/** What one process prints of a workload: its sizes. */
function measured(name, index) {
  const flags = [
    ...(quick ? ["--quick"] : []),
    ...(index > 0 || noPeers ? ["--no-peers"] : []),
    `--seed=${index + 1}`,
  ];
  return JSON.parse(
    quietly(
      process.execPath,
      ["--expose-gc", "--single-threaded", path.join(out, "harness/run.js"), name, ...flags],
      folder,
    ),
  );
}

const { rowOf } = await load("scripts/bench-statistics.ts");
const { RESULTS, PLOT, benchPlot, benchTable } = await load("scripts/bench-report.ts");

/** Plot and table of docs/bench.json. */
async function draw() {
  writeFileSync(
    path.join(root, PLOT),
    benchPlot(JSON.parse(readFileSync(path.join(root, RESULTS), "utf8"))),
  );
  const { regenerateAll } = await load("scripts/documents.ts");
  regenerateAll(root);
}

if (options.redraw) {
  await draw();
  process.exit(0);
}
const workloads = readdirSync(path.join(folder, "workloads")).filter((name) =>
  existsSync(path.join(folder, "workloads", name, "index.ts")),
);
const names = options.only?.split(",") ?? workloads;
const unknown = names.filter((name) => !workloads.includes(name));
if (unknown.length > 0)
  throw new Error(`no workload ${unknown.join(", ")}; there are ${workloads.join(", ")}`);
process.on("exit", () => rmSync(out, { recursive: true, force: true }));
await setUp();
const rows = [];
for (const name of names) {
  try {
    const processes = Array.from({ length: PROCESSES }, (_, k) => measured(name, k));
    for (const { size } of processes[0]) {
      const row = rowOf(processes.map((sizes) => sizes.find((one) => one.size === size)));
      rows.push(row);
      console.log(
        `${name} ${size}: tsgrad / hand ${row.overHand.tsgrad.median}, tsgrad / primal ${row.overPrimal.tsgrad.median}`,
      );
    }
  } catch (error) {
    failed.push(name);
    console.error(error instanceof Error ? error.message : error);
  }
}
const results = {
  machine: `Node ${process.versions.node}, ${os.cpus()[0]?.model.trim() ?? "unknown processor"}`,
  rows,
};
console.log(`\n${benchTable(results).replaceAll(/<\/?sub>/g, "")}`);
if (failed.length > 0) {
  console.error(`failed: ${failed.join(", ")}`);
  process.exit(1);
}
if (options.only === undefined && !quick && !noPeers) {
  writeFileSync(
    path.join(root, RESULTS),
    `{"machine": ${JSON.stringify(results.machine)}, "rows": [\n${rows.map((row) => JSON.stringify(row)).join(",\n")}\n]}\n`,
  );
  await draw();
}
