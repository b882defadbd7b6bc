// The package as a user gets it. In: packages to install beside it. Out: an empty project with the packed tarball installed.
// Invariant: nothing is built or packed inside the repository, so tests that run at the same time do not meet.

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll } from "vitest";
import { repository, sandbox, type Sandbox } from "../hosts/sandbox.ts";

function temporary(): string {
  const dir = realpathSync(mkdtempSync(path.join(tmpdir(), "tsgrad-pack-")));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Builds and packs; gives the tarball. */
export function pack(): string {
  const dir = temporary();
  for (const name of ["package.json", "README.md", "LICENSE"]) if (existsSync(path.join(repository, name))) copyFileSync(path.join(repository, name), path.join(dir, name));
  execFileSync(process.execPath, [path.join(repository, "scripts/build.mjs"), path.join(dir, "dist")], { stdio: "pipe" });
  execFileSync("npm", ["pack", "--ignore-scripts", "--silent"], { cwd: dir, stdio: "pipe" });
  const tarball = readdirSync(dir).find((n) => n.endsWith(".tgz"));
  if (tarball === undefined) throw new Error("npm pack made no tarball");
  return path.join(dir, tarball);
}

/** An empty project with the tarball and `packages` in it. */
export function install(tarball: string, packages: readonly string[], files: Record<string, string>): Sandbox {
  const box = sandbox(files, { stubs: false });
  execFileSync("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", "--silent", tarball, ...packages], { cwd: box.dir, stdio: "pipe" });
  return box;
}
