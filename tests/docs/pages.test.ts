// The pages of the built site in Chromium: each opens, search finds them, the dark page is dark, and
// nothing asks the network. Without a browser the tests are skipped, and say so.

import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { pagesOf } from "../../scripts/documents.ts";
import { root } from "../golden.ts";
import { builtSite, findChromium, serve, start } from "./site.ts";

const chromium = findChromium();
const NAME =
  chromium === null ? "the site (skipped: there is no chromium)" : "the pages of the site";

describe.skipIf(chromium === null)(NAME, () => {
  let browser: Browser;
  let server: Server;
  let address = "";
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    ({ server, address } = await serve(builtSite()));
    browser = await start(chromium ?? "");
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(60_000);
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(`${message.text()} ${message.location().url}`);
    });
    page.on("request", (request) => {
      if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(address))
        faults.push(`asks the network: ${request.url()}`);
    });
  }, 900_000);

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  afterEach(() => {
    expect(faults.splice(0)).toEqual([]);
  });

  const written = pagesOf(root).filter((name) => !/\/(?:index|playground)\.md$/.test(name));
  test.each(written)("%s opens, and fits", async (name) => {
    const heading = /^# (.+)$/m.exec(readFileSync(path.join(root, name), "utf8"))?.[1] ?? "";
    await page.goto(`${address}/${name.replace(/^docs\//, "").replace(/\.md$/, ".html")}`);
    const shown = await page.locator(".vp-doc h1").innerText();
    expect(shown.replace(/\W+$/, "")).toBe(heading.replaceAll("`", "").replace(/\W+$/, ""));
    // code and tables scroll by themselves
    const overflow = await page.evaluate(
      "document.documentElement.scrollWidth - document.documentElement.clientWidth",
    );
    expect(overflow).toBe(0);
  });

  test("the home page leads to the first gradient", async () => {
    await page.goto(`${address}/index.html`);
    await page.getByRole("link", { name: "Your first gradient" }).first().click();
    await page.waitForURL(/first-gradient/);
    expect(await page.locator(".vp-doc h1").innerText()).toMatch(/^Your first gradient/);
  });

  test("search finds a page, without a network", async () => {
    await page.goto(`${address}/index.html`);
    await page.locator(".VPNavBarSearch button").click();
    await page.locator(".search-input").fill("Gauss-Newton");
    await page.locator(".result").first().waitFor();
    expect(await page.locator(".results").innerText()).toMatch(/Move an arm/);
  });

  test("dark and light", async () => {
    await page.goto(`${address}/guide/first-gradient.html`);
    const background = async (): Promise<unknown> =>
      page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await background();
    await page.locator(".VPNavBarAppearance button").click();
    await expect.poll(background).not.toBe(light);
    expect(light).toBe("rgb(255, 255, 255)");
    await page.locator(".VPNavBarAppearance button").click();
  });
});
