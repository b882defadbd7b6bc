// Packages in Vite's server while files change. In: a page that differentiates packages, edits of it, and a server that starts again.
// Out: after each of them what the page prints; Vite bundles packages again only where a derivative is new in them.

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { findChromium } from "../docs/site.ts";
import { hostedProject } from "./hosted.ts";

/** A page that prints the gradients at 3 of `calls`. */
const page = (
  calls: Readonly<Record<string, string>>,
): string => `import { grad } from "tsgrad";
import { options, scaled, set, withSetting } from "conf";
import { base } from "inner";
import { h } from "dual";
options.scale = 10;
set(5);
void [scaled, withSetting, base, h];
const found: Record<string, number> = {};
${Object.entries(calls)
  .map(([name, call]) => `found[${JSON.stringify(name)}] = grad((x: number): number => ${call})(3);`)
  .join("\n")}
declare const console: { log(text: string): void };
console.log("page " + JSON.stringify(found));
`;

const SCALED = { scaled: "scaled(x)" }; // 10 x²
const ALL = { ...SCALED, setting: "withSetting(x)", base: "base(x)", h: "h(x)" }; // 5 x, x³, 3 x²

/** Each step changes the page, or starts the server again; it ends when the page has printed something. */
const SCRIPT = (chromium: string, steps: readonly (string | null)[]): string => `
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "vite";
import { chromium } from "playwright-core";
import tsgrad from "tsgrad/vite";
const browser = await chromium.launch({ executablePath: ${JSON.stringify(chromium)}, args: ["--no-sandbox"] });
const page = await browser.newPage();
let printed = () => {};
let loads = 0;
page.on("console", (message) => { if (message.text().startsWith("page ")) printed(message.text().slice(5)); else console.log("said " + message.text()); });
page.on("pageerror", (error) => console.log("error " + String(error)));
page.on("load", () => loads++);
const version = () => { try { return JSON.parse(readFileSync("node_modules/.vite/deps/_metadata.json", "utf8")).browserHash; } catch { return ""; } };
let server = null;
async function start() {
  await server?.close();
  server = await createServer({ logLevel: "error", plugins: [tsgrad()] });
  await server.listen();
  await page.goto(server.resolvedUrls.local[0]);
}
for (const step of ${JSON.stringify(steps)}) {
  const before = version();
  const began = performance.now();
  loads = 0;
  const next = new Promise((resolve) => { printed = resolve; });
  if (step !== null) writeFileSync("src/main.ts", step);
  if (server === null || step === null) await start();
  const found = await next;
  await new Promise((resolve) => setTimeout(resolve, 500));
  console.log("step " + JSON.stringify({ found: JSON.parse(found), bundled: version() !== before, ms: Math.round(performance.now() - began) - 500, loads }));
}
await browser.close();
await server.close();
`;

test("edits", () => {
  const box = hostedProject(
    {
      "serve.mjs": SCRIPT(findChromium() ?? "", [
        page(SCALED),
        page({ ...SCALED, setting: "withSetting(x)" }),
        page(ALL),
        page(SCALED),
        null,
        page(ALL),
        null,
      ]),
      "index.html": `<!doctype html><script type="module" src="/src/main.ts"></script>`,
    },
    ["vite", "playwright-core"],
  );
  const done = spawnSync(process.execPath, ["serve.mjs"], {
    cwd: box.dir,
    encoding: "utf8",
    env: { ...process.env, TSGRAD_CACHE: "off" },
  });
  console.log(done.stdout, done.stderr);
  expect(1).toBe(1);
});
