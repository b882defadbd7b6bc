// The documentation site in a real browser. Out: a page of Chromium on the built site, or the reason why there is none.

import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync, readdirSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { chromium, type Browser } from "playwright-core";

const ROOT = path.resolve(import.meta.dirname, "../..");

const PLACES = [
  process.env["CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

const installed = (): string | undefined => PLACES.find((file) => file !== "" && existsSync(file));

/** Chromium's file; on a Debian without one, root installs it. Null: there is none. */
export function findChromium(): string | null {
  const found = installed();
  if (found !== undefined || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get"))
    return found ?? null;
  try {
    execFileSync("apt-get", ["install", "-y", "--no-install-recommends", "chromium"], {
      stdio: "ignore",
      timeout: 300_000,
    });
  } catch {
    // no network, or no such package
  }
  return installed() ?? null;
}

export const start = async (executablePath: string): Promise<Browser> =>
  await chromium.launch({ executablePath, args: ["--no-sandbox"] });

/** Builds the site. TSGRAD_SITE names a folder with one that is built already. */
export function builtSite(): string {
  const given = process.env["TSGRAD_SITE"];
  if (given !== undefined) return path.resolve(given);
  const site = path.join(ROOT, "docs/.vitepress/dist");
  // the other file of tests may have built it
  if (!isFresh(path.join(site, "hashmap.json")))
    execFileSync(process.execPath, [path.join(ROOT, "scripts/docs.mjs")], { stdio: "inherit" });
  return site;
}

/** Whether a file of the site is younger than everything that the site is made of. */
function isFresh(file: string): boolean {
  if (!existsSync(file)) return false;
  const built = lstatSync(file).mtimeMs;
  return ["docs", "runtime", "scripts", "transformer", "package-lock.json"].every((name) => {
    const top = path.join(ROOT, name);
    const below = lstatSync(top).isDirectory()
      ? readdirSync(top, { recursive: true, encoding: "utf8" }).filter(
          (one) => !/(?:^|[\\/])(?:node_modules|cache|dist)(?:[\\/]|$)/.test(one),
        )
      : [""];
    return below.every((one) => {
      const found = lstatSync(path.join(top, one));
      return !found.isFile() || found.mtimeMs < built;
    });
  });
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

/** A static server of a folder, at a port of its own. */
export async function serve(folder: string): Promise<{ server: Server; address: string }> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const file = path.join(folder, path.normalize(decodeURIComponent(pathname)));
    if (!file.startsWith(folder) || !existsSync(file) || pathname.endsWith("/")) {
      response.writeHead(404).end();
      return;
    }
    const type = TYPES[path.extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type }).end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens at a port
  return { server, address: `http://127.0.0.1:${port}` };
}
