// Packages in Vite's server while files change. In: a page that differentiates packages, edits of
// it, and a server that starts again. Out: after each of them what the page prints, and whether
// Vite has bundled packages again: only where derivatives of them are others.

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { findChromium } from "../docs/site.ts";
import { hostedProject } from "./hosted.ts";

/** A page that prints the gradients at 3 of `calls`. */
const page = (calls: Readonly<Record<string, string>>): string => `import { grad } from "tsgrad";
import { set, twice, withSetting } from "conf";
import { apply, register } from "inner";
import { h } from "dual";
set(5);
register("sq", (x: number): number => x * x);
void [twice, withSetting, apply, h];
const found: Record<string, number> = {};
${Object.entries(calls)
  .map(
    ([name, call]) => `found[${JSON.stringify(name)}] = grad((x: number): number => ${call})(3);`,
  )
  .join("\n")}
declare const console: { log(text: string): void };
console.log("page " + JSON.stringify(found));
`;

// 2 x³ in an ES module that imports CommonJS; 5 x; x² in CommonJS; 3 x² in the file for browsers
const FIRST = { twice: "twice(x)" };
const SECOND = { ...FIRST, setting: "withSetting(x)" };
const ALL = { ...SECOND, apply: `apply("sq", x)`, conditions: "h(x)" };

const STEPS: readonly { readonly text: string | null; readonly wanted: unknown }[] = [
  { text: page(FIRST), wanted: { found: { twice: 54 }, isBundled: true } },
  { text: page(SECOND), wanted: { found: { twice: 54, setting: 5 }, isBundled: true } },
  {
    text: page(ALL),
    wanted: { found: { twice: 54, setting: 5, apply: 6, conditions: 18 }, isBundled: true },
  },
  { text: page({ conditions: "h(x)" }), wanted: { found: { conditions: 18 }, isBundled: false } },
  { text: page(SECOND), wanted: { found: { twice: 54, setting: 5 }, isBundled: true } },
  // the server starts again
  { text: null, wanted: { found: { twice: 54, setting: 5 }, isBundled: false } },
];

/** Each step changes the page, or starts the server again. It ends when the page has printed. */
const script = (chromium: string): string => `
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "vite";
import { chromium } from "playwright-core";
import tsgrad from "tsgrad/vite";
const browser = await chromium.launch({ executablePath: ${JSON.stringify(chromium)}, args: ["--no-sandbox"] });
const page = await browser.newPage();
let printed = () => {};
page.on("console", (message) => { if (message.text().startsWith("page ")) printed(message.text().slice(5)); });
page.on("pageerror", (error) => console.log(String(error)));
const version = () => {
  try { return JSON.parse(readFileSync("node_modules/.vite/deps/_metadata.json", "utf8")).configHash; } catch { return ""; }
};
let server = null;
async function start() {
  await server?.close();
  server = await createServer({ logLevel: "error", plugins: [tsgrad()] });
  await server.listen();
  await page.goto(server.resolvedUrls.local[0]);
}
for (const text of ${JSON.stringify(STEPS.map(({ text }) => text))}) {
  const before = version();
  const next = new Promise((resolve) => { printed = resolve; });
  if (text !== null) writeFileSync("src/main.ts", text);
  if (server === null || text === null) await start();
  const found = JSON.parse(await next);
  await server.environments.client.waitForRequestsIdle();
  console.log(JSON.stringify({ found, isBundled: version() !== before }));
}
await browser.close();
await server.close();
`;

const chromium = findChromium();

test.skipIf(chromium === null)("edits, and a second start", () => {
  const box = hostedProject(
    {
      "src/cases.ts": "export {};\n",
      "serve.mjs": script(chromium ?? ""),
      "index.html": `<!doctype html><link rel="icon" href="data:,"><script type="module" src="/src/main.ts"></script>`,
    },
    ["vite", "playwright-core"],
  );
  const { stdout, stderr } = spawnSync(process.execPath, ["serve.mjs"], {
    cwd: box.dir,
    encoding: "utf8",
    timeout: 200_000,
    env: { ...process.env, TSGRAD_CACHE: "off" },
  });
  const printed = stdout.split("\n").filter((line) => line.startsWith("{"));
  expect(
    printed.map((line): unknown => JSON.parse(line)),
    stdout + stderr,
  ).toEqual(STEPS.map(({ wanted }) => wanted));
});
