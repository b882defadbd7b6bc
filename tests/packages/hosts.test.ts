// The module of a package that a host loads is the one that has derivatives. In: one program in real
// builds of each host. Out: state that the program sets is seen, nothing is made twice, and the file
// that runs is the one that is differentiated (oracle: central differences of what runs).

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { hostedProject, wrongIn } from "./hosted.ts";
import { findChromium } from "../docs/site.ts";
import type { Sandbox } from "../hosts/sandbox.ts";

function node(box: Sandbox, ...args: string[]): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    cwd: box.dir,
    encoding: "utf8",
    env: { ...process.env, TSGRAD_CACHE: "off" },
  });
  return status === 0 ? stdout : stdout + stderr.slice(-3000);
}

/** Runs a build of the project, and what it makes. */
function bundled(script: string, links: readonly string[], made = "out/main.mjs"): string {
  const box = hostedProject({ "build.mjs": script, "strip.cjs": STRIP }, ["esbuild", ...links]);
  return node(box, "build.mjs") + node(box, made);
}

const STRIP = `const { transformSync } = require("esbuild");
module.exports = (text) => transformSync(text, { loader: "ts" }).code;
`;

const ESBUILD = `import { build } from "esbuild";
import tsgrad from "tsgrad/esbuild";
await build({ entryPoints: ["src/main.ts"], bundle: true, platform: "node", format: "esm", outfile: "out/main.mjs", plugins: [tsgrad()] });
`;

const VITE = `import { build } from "vite";
import tsgrad from "tsgrad/vite";
await build({ logLevel: "error", plugins: [tsgrad()], build: { outDir: "out", lib: { entry: "src/main.ts", formats: ["es"], fileName: () => "main.mjs" } } });
`;

const WEBPACK = (externals: string): string => `import webpack from "webpack";
import tsgrad from "tsgrad/webpack";
webpack({
  context: import.meta.dirname, mode: "production", devtool: false, target: "node", entry: "./src/main.ts",
  output: { path: import.meta.dirname + "/out", filename: "main.cjs" }, externals: ${externals}, externalsType: "commonjs",
  resolve: { extensions: [".ts", ".js"] }, module: { rules: [{ test: /\\.ts$/, loader: import.meta.dirname + "/strip.cjs" }] }, plugins: [tsgrad()],
}, (error, stats) => { if (error !== null || stats.hasErrors()) console.log(String(error ?? stats)); });
`;

/** The first test loads a package of which the second requests derivatives. */
const VITEST = (pool: string): Record<string, string> => ({
  "vitest.config.mjs": `import tsgrad from "tsgrad/vite";
export default { plugins: [tsgrad()], test: { include: ["tests/*.test.ts"], pool: "${pool}", isolate: false, maxWorkers: 1 } };
`,
  "tests/a.test.ts": `import { test } from "vitest";
import { twice } from "conf";
test("a", () => { twice(2); });
`,
  "tests/b.test.ts": `import { test } from "vitest";
import { lines } from "../cases/cases.ts";
test("b", () => { for (const line of lines) process.stdout.write(line + "\\n"); });
`,
});

function vitest(pool: string): string {
  const box = hostedProject(VITEST(pool), ["vite", "vitest"]);
  // outside of tsconfig
  box.write({
    "cases/cases.ts": box.read("src/cases.ts"),
    "src/cases.ts": "export {};\n",
    "src/main.ts": "export {};\n",
  });
  return node(box, "node_modules/vitest/vitest.mjs", "run");
}

/** A page of Vite's server in Chromium, which prints what the program prints. */
const PAGE = (chromium: string): string => `import { createServer } from "vite";
import { chromium } from "playwright-core";
import tsgrad from "tsgrad/vite";
const server = await createServer({ logLevel: "error", plugins: [tsgrad()] });
await server.listen();
const browser = await chromium.launch({ executablePath: ${JSON.stringify(chromium)}, args: ["--no-sandbox"] });
const page = await browser.newPage();
page.on("console", (message) => console.log(message.text()));
page.on("pageerror", (error) => console.log(String(error)));
await page.goto(server.resolvedUrls.local[0]);
await page.waitForFunction(() => document.title === "done");
await browser.close();
await server.close();
`;

const SSR = `import { createServer } from "vite";
import tsgrad from "tsgrad/vite";
const server = await createServer({ logLevel: "error", plugins: [tsgrad()], server: { middlewareMode: true, ws: false, watch: null } });
await server.ssrLoadModule("/src/main.ts");
await server.close();
`;

function served(script: string, links: readonly string[]): string {
  const box = hostedProject(
    {
      "serve.mjs": script,
      "index.html": `<!doctype html><script type="module" src="/src/page.ts"></script>`,
      "src/page.ts": `import "./main.ts";\ndeclare const document: { title: string };\ndocument.title = "done";\n`,
    },
    ["vite", ...links],
  );
  return node(box, "serve.mjs");
}

const chromium = findChromium();

const HOSTS: Readonly<Record<string, () => string>> = {
  "Node's hooks": () => node(hostedProject({}), "--import", "tsgrad/register", "src/main.ts"),
  esbuild: () => bundled(ESBUILD, []),
  "vite build": () => bundled(VITE, ["vite"]),
  ...(chromium === null
    ? {}
    : { "vite's server, a page": () => served(PAGE(chromium), ["playwright-core"]) }),
  "vite's server, SSR": () => served(SSR, []),
  "vitest, processes": () => vitest("forks"),
  "vitest, threads": () => vitest("threads"),
  "vitest, vm in processes": () => vitest("vmForks"),
  "vitest, vm in threads": () => vitest("vmThreads"),
  webpack: () => bundled(WEBPACK("[]"), ["webpack"], "out/main.cjs"),
};

test.each(Object.entries(HOSTS))("%s", (_name, run) => {
  const printed = run();
  expect(wrongIn(printed), printed).toEqual([]);
});

test("a package that webpack leaves outside has a copy, which cannot share state", () => {
  const printed = bundled(WEBPACK('["conf"]'), ["webpack"], "out/main.cjs");
  expect(printed).toMatch(/TSG1303: cannot differentiate `withSetting`/);
});
