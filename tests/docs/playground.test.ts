// The playground as a visitor has it: the built site in Chromium. Without a browser the tests are skipped, and say so.

import type { Server } from "node:http";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { builtSite, findChromium, serve, start } from "./site.ts";

const chromium = findChromium();
const NO_BROWSER =
  "The playground is not tested: there is no chromium, and apt cannot install one.";
if (chromium === null) console.warn(NO_BROWSER);

describe.skipIf(chromium === null)(chromium === null ? NO_BROWSER : "the playground", () => {
  let browser: Browser;
  let server: Server;
  let address = "";
  let page: Page;
  /** Errors of the page, and requests to other addresses: none in any test. */
  const errors: string[] = [];

  beforeAll(async () => {
    const site = await serve(builtSite());
    ({ server, address } = site);
    browser = await start(chromium ?? "");
    page = await browser.newPage({ viewport: { width: 1440, height: 860 } });
    page.setDefaultTimeout(60_000);
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text());
    });
    page.on("request", (request) => {
      if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(address))
        errors.push(`asks the network: ${request.url()}`);
    });
  }, 900_000);

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  afterEach(() => {
    expect(errors.splice(0)).toEqual([]);
  });

  const text = (selector: string) => page.locator(selector).innerText();
  const derivative = () => page.locator(".pg-upper .cm-content");
  const program = () => page.locator(".pg-program .cm-content");
  const tab = (name: string) => page.getByRole("tab", { name }).click();

  /** Waits until a text of the page matches. */
  const until = async (selector: string, pattern: RegExp, timeout = 30_000): Promise<void> => {
    await page
      .locator(selector)
      .filter({ hasText: pattern })
      .first()
      .waitFor({ state: "visible", timeout });
  };

  async function open(hash = ""): Promise<void> {
    await page.goto("about:blank");
    await page.goto(`${address}/playground.html${hash}`);
    await until(".pg-status", /Compiled|error/, 120_000);
  }

  const choose = async (id: string): Promise<void> => {
    await page.getByLabel("Example", { exact: true }).selectOption(id);
    await until(".pg-status", /Compiled|error/);
  };

  /** Replaces the program, as a paste does. */
  async function write(source: string): Promise<void> {
    await program().click();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.insertText(source);
  }

  const body = (line: string): string =>
    `import { grad } from "tsgrad";\nexport function f(x: number): number {\n  ${line}\n}\nexport const slope = grad(f);\nconsole.log(slope(3));\n`;

  test("loads, asks nothing of the network, and shows the gradient of the first example", async () => {
    await open();
    await until(".pg-upper .cm-content", /function wave\$grad\(x: number\): number/);
    expect(await text(".pg-status")).toMatch(/^Compiled in \d+ ms$/);
  });

  test("follows an edit", async () => {
    await write(body("return x ** 3;"));
    await until(".pg-upper .cm-content", /return 3 \* x \*\* 2;|return 3 \* x \* x;/);
    await write(body("return Math.exp(2 * x);"));
    await until(".pg-upper .cm-content", /Math\.exp\(2 \* x\) \* 2/);
  });

  test("a key stroke at a time: completes names by their types", async () => {
    await write(body("return x;"));
    await page.keyboard.type("Math.hy");
    await until(".cm-tooltip-autocomplete", /hypot/);
    await page.keyboard.press("Escape");
  });

  test("runs the program, and shows what it prints and exports", async () => {
    await write(`${body("return x * x;")}export const answer = { at: [1, slope(1)] };\n`);
    await tab("Result");
    await until(".pg-lines", /^6\s*answer = \{ at: \[1, 2\] \}/);
  });

  test("waits for promises, also at the top level", async () => {
    await write(`import { grad } from "tsgrad";
async function f(x: number): Promise<number> {
  const y = await Promise.resolve(x * x);
  return y * x;
}
console.log(await grad(f)(2));
void Promise.resolve().then(() => console.log("later"));
`);
    await until(".pg-lines", /^12\s*later/);
  });

  test("shows what the program throws", async () => {
    await write(`${body("return x * x;")}throw new RangeError("too far");\n`);
    await until(".pg-line.error", /RangeError: too far/);
  });

  test("shows an error with its remedy in the list and in the editor, and its page", async () => {
    await write(body('return eval("x") * x;'));
    await until(".pg-problem", /TSG1103/);
    expect(await text(".pg-remedy")).toContain("What to do: write the code in place");
    expect(await text(".pg-lines")).toContain("Not run: TSG1103");
    await page.locator(".cm-lintRange-error").hover();
    await until(".cm-tooltip .pg-tip-remedy", /write the code in place/);
    await page.locator(".pg-code-link").click();
    await until(".pg-page", /Instead/);
    await page.locator(".pg-place").click();
    expect(await page.locator(".pg-program .cm-activeLine").innerText()).toContain("eval");
  });

  test("shows errors of TypeScript, and goes on when they are mended", async () => {
    await write(body('return "x";'));
    await until(".pg-problem", /TS2322/);
    await write(body("return x *;"));
    await until(".pg-problem", /TS1109/);
    await write(body("return x * x;"));
    await until(".pg-status", /Compiled/);
    expect(await page.locator(".pg-problem").count()).toBe(0);
  });

  test("explains a function, and shows the whole module", async () => {
    await choose("arm");
    await tab("Explain");
    await until(".pg-explained", /engine +static[\s\S]*inlined +hand/);
    await page.locator(".pg-chip", { hasText: "hand" }).click();
    await until(".pg-explained", /^hand /);
    await tab("Whole module");
    await until(".pg-upper .cm-content", /grad\(miss, miss\$grad\)/);
    await tab("Derivative");
  });

  test("links a line of the derivative to the line that it comes from", async () => {
    await write(`import { grad } from "tsgrad";
export function f(x: number): number {
  let s = 0;
  for (let i = 0; i < 3; i++) {
    s += Math.sin(x * i);
  }
  return s * Math.log(x);
}
export const slope = grad(f);
`);
    await until(".pg-upper .cm-content", /f\$grad/);
    await derivative().locator(".cm-line", { hasText: "Math.log(" }).first().hover();
    await until(".pg-program .cm-linked", /Math\.log/);
  });

  test("plots f and its derivative, with the tangent at the pointer", async () => {
    await choose("first");
    await page.locator(".pg-drawing svg").waitFor();
    expect(await page.locator(".pg-plot-bar").innerText()).toMatch(/wave\s+wave′/);
    const paths = await page
      .locator('.pg-drawing g[aria-label="line"] path')
      .evaluateAll((found) => found.map((each) => each.getAttribute("d")?.length ?? 0));
    expect(paths).toHaveLength(2);
    for (const length of paths) expect(length).toBeGreaterThan(2000);
    const box = await page.locator(".pg-drawing svg").boundingBox();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * 0.6, (box?.y ?? 0) + 120);
    await until(".pg-drawing svg", /wave′ = /);
    const shown = await page.locator(".pg-drawing svg").textContent();
    const [, x, value, slope] =
      /x = (\S+) +wave = (\S+) +wave′ = (\S+?)(?:$|[^\d.e-])/.exec(shown ?? "")?.map(Number) ?? [];
    expect(value).toBeCloseTo((x ?? 0) * Math.sin(x ?? 0) + 0.3 * (x ?? 0) ** 2, 1);
    expect(slope).toBeCloseTo(Math.sin(x ?? 0) + (x ?? 0) * Math.cos(x ?? 0) + 0.6 * (x ?? 0), 1);
    expect(await page.locator(".pg-tangent").isVisible()).toBe(true);
  });

  test("plots level lines and the path of gradient descent, from where one clicks", async () => {
    await choose("newton");
    await until(".pg-caption", /steps to p\[0\] = -0\.347, p\[1\] = .*, where bowl = 2\.56/);
    expect(await page.locator('.pg-drawing g[aria-label="contour"] path').count()).toBeGreaterThan(
      8,
    );
    const path = () => page.locator(".pg-drawing .pg-path path").first().getAttribute("d");
    const before = await path();
    const box = await page.locator(".pg-drawing svg").boundingBox();
    await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) * 0.8, (box?.y ?? 0) + 80);
    await expect.poll(path, { timeout: 20_000 }).not.toBe(before);
    await until(".pg-caption", /steps to p\[0\] = -0\.347/);
  });

  test("another range, another function", async () => {
    await write(
      `export const f = (x: number): number => x;\nexport const g = (t: number): number => 1 / t;\n`,
    );
    await page.getByLabel("Function to plot").waitFor();
    await page.getByLabel("Function to plot").selectOption("f");
    await page.getByLabel("x to", { exact: true }).fill("50");
    await page.keyboard.press("Tab");
    await until(".pg-drawing svg", /50/);
  });

  test("each example of the menu compiles, and runs to its end", async () => {
    const ids = await page
      .getByLabel("Example", { exact: true })
      .locator("option")
      .evaluateAll((found) => found.map((each) => each.getAttribute("value") ?? ""));
    expect(ids.length).toBeGreaterThanOrEqual(10);
    for (const id of ids.filter((each) => each !== "")) {
      await choose(id);
      await tab("Result");
      await until(".pg-lines", id === "mistake" ? /Not run: TSG1103/ : /\d/);
      if (id === "mistake") continue;
      await until(".pg-foot", /\d ms/);
      expect(await page.locator(".pg-line.error").allInnerTexts(), id).toEqual([]);
      expect(await text(".pg-status"), id).toMatch(/^Compiled/);
      expect(await derivative().innerText(), id).toMatch(/\$/);
    }
  });

  test("a share link holds the program; reset goes back to it", async () => {
    const comment = "// One of many lines that a link can hold: ö 𝛿 “quotes”\n".repeat(20);
    const source = comment + body("return x ** 4;");
    await write(source);
    await until(".pg-upper .cm-content", /4 \* x/);
    await page.getByRole("button", { name: "Share" }).click();
    await expect.poll(() => page.url()).toContain("#code=");
    const hash = new URL(page.url()).hash;
    expect(hash.length).toBeLessThan(source.length / 3);
    await open(hash);
    const shown = await program().locator(".cm-line").allInnerTexts();
    expect(shown.join("\n").replaceAll(/\n$/g, "").trim()).toBe(source.trim());
    await write("export const other = 1;\n");
    await page.getByRole("button", { name: "Reset" }).click();
    await until(".pg-program .cm-content", /x \*\* 4/);
    await open("#code=damaged!");
    await until(".pg-program .cm-content", /wave/);
  });

  test("stops an endless loop, and runs the next program", async () => {
    await tab("Result");
    await write(`${body("return x * x;")}for (;;) {}\n`);
    await until(".pg-line.error", /Stopped after 4 seconds/, 20_000);
    expect(await text(".pg-upper .cm-content")).toContain("2 * x");
    await write(`${body("return x * x;")}console.log("again");\n`);
    await until(".pg-lines", /again/);
  });

  test("a slow network is no endless loop", async () => {
    await page.route(/runner\.worker/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 6000));
      await route.continue();
    });
    await open();
    await tab("Result");
    await until(".pg-lines", /slope\(2\) = 1\.277/);
    await page.unrouteAll({ behavior: "wait" });
  });

  test("a program has no network and no storage", async () => {
    await write(`declare const self: Record<string, unknown>;
console.log(["fetch", "indexedDB", "XMLHttpRequest", "WebSocket", "importScripts", "caches"].map((name) => typeof self[name]).join(" "));
`);
    await until(".pg-lines", /^(?:undefined ?){6}$/);
  });

  test("dark mode changes editor and plot", async () => {
    await choose("valley");
    await tab("Plot");
    await until(".pg-caption", /slope/);
    const fill = '.pg-drawing g[aria-label="contour"] path:last-of-type';
    const colours = async () =>
      await page.evaluate<readonly string[]>(`[
        getComputedStyle(document.querySelector(".pg-pane")).backgroundColor,
        getComputedStyle(document.querySelector(".cm-content")).color,
        document.querySelector(${JSON.stringify(fill)}).getAttribute("fill"),
      ]`);
    const light = await colours();
    await page.locator(".VPNavBarAppearance button").click();
    await expect.poll(async () => (await colours())[2]).not.toBe(light[2]);
    const dark = await colours();
    for (const i of [0, 1]) expect(dark[i]).not.toBe(light[i]);
    await page.locator(".VPNavBarAppearance button").click();
    await expect.poll(colours).toEqual(light);
  });
});
