// The package as a user gets it. In: packages to install beside it. Out: an empty project with the packed tarball installed.
// Invariant: nothing is built or packed inside the repository, so tests that run at the same time do not meet.

import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { repository, sandbox, type Sandbox } from "../hosts/sandbox.ts";
import { once } from "./once.ts";

const built = (): string => once("package", (dir) => {
  for (const name of ["package.json", "README.md", "LICENSE"]) if (existsSync(path.join(repository, name))) copyFileSync(path.join(repository, name), path.join(dir, name));
  execFileSync(process.execPath, [path.join(repository, "scripts/build.mjs"), path.join(dir, "dist")], { stdio: "pipe" });
  execFileSync("npm", ["pack", "--ignore-scripts", "--silent"], { cwd: dir, stdio: "pipe" });
});

/** Builds and packs, once for a run of the tests; gives the tarball. */
export function pack(): string {
  const tarball = readdirSync(built()).find((n) => n.endsWith(".tgz"));
  if (tarball === undefined) throw new Error("npm pack made no tarball");
  return path.join(built(), tarball);
}

/** Puts the built package in a project's node_modules, without what it depends on. */
export function place(box: Sandbox): void {
  mkdirSync(box.at("node_modules/tsgrad"), { recursive: true });
  for (const name of ["package.json", "dist"]) cpSync(path.join(built(), name), box.at(`node_modules/tsgrad/${name}`), { recursive: true });
}

/** An empty project with the tarball and `packages` in it. */
export function install(tarball: string, packages: readonly string[], files: Record<string, string>): Sandbox {
  const box = sandbox(files, { stubs: false });
  execFileSync("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", "--silent", tarball, ...packages], { cwd: box.dir, stdio: "pipe" });
  return box;
}
