// The projects of fixtures/projects/hosts: each is installed from its lock file, gets the packed
// tsgrad, is built and run. Closed forms: d/dx x^3 = 12 at 2, in the module that asks; d/dx x^4 = 4
// at 1, in another one. HOST=vue takes one project.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { repository, sandbox } from "../hosts/sandbox.ts";
import { pack } from "./install.ts";

const folder = path.join(repository, "fixtures/projects/hosts");
const hosts = readdirSync(folder).filter((name) => (process.env["HOST"] ?? name) === name);

interface Manifest {
  readonly engines?: { readonly node: string };
}

/** Whether this Node is new enough for the host: `engines` says `>=22.12`. */
function runsHere(host: string): boolean {
  const { engines }: Manifest = JSON.parse(
    readFileSync(path.join(folder, host, "package.json"), "utf8"),
  );
  const [, major = "0", minor = "0"] = /^>=(\d+)\.(\d+)$/.exec(engines?.node ?? ">=0.0") ?? [];
  const [here = 0, point = 0] = process.versions.node.split(".").map(Number);
  return here > Number(major) || (here === Number(major) && point >= Number(minor));
}

const QUIET = ["--prefer-offline", "--no-audit", "--no-fund", "--silent"];

describe.each(hosts)("%s", (host) => {
  test.skipIf(!runsHere(host))("builds, and prints the gradients", () => {
    const box = sandbox({}, { stubs: false });
    cpSync(path.join(folder, host), box.dir, {
      recursive: true,
      filter: (file) => path.basename(file) !== "node_modules",
    });
    const npm = (...words: string[]): string =>
      execFileSync("npm", words, {
        cwd: box.dir,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          ...process.env,
          NODE_ENV: "production",
          NEXT_TELEMETRY_DISABLED: "1",
          NUXT_TELEMETRY_DISABLED: "1",
          ASTRO_TELEMETRY_DISABLED: "1",
        },
      });
    // without a lock file where npm cannot make a complete one
    const isLocked = existsSync(box.at("package-lock.json"));
    npm(isLocked ? "ci" : "install", "--include=dev", ...QUIET);
    npm("install", "--no-save", "--include=dev", ...QUIET, pack());
    npm("run", "--silent", "--if-present", "build");
    const lines = npm("run", "--silent", "start").trim().split("\n");
    expect(new Set(lines.filter((line) => !line.startsWith("Listening")))).toEqual(
      new Set(["12 4"]),
    );
  });
});
