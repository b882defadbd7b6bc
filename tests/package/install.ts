// The package as a user gets it. In: packages to install beside it. Out: an empty project with the packed tarball installed.
// Invariant: nothing is built or packed inside the repository, so tests that run at the same time do not meet.

import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { BRIEF, repository, sandbox, type Sandbox } from "../hosts/sandbox.ts";
import { once } from "./once.ts";

const DIAGNOSTICS = "docs/diagnostics.md";

const built = (): string =>
  once("package", (dir) => {
    mkdirSync(path.join(dir, "docs"));
    for (const name of ["package.json", "README.md", "LICENSE", "CHANGELOG.md", DIAGNOSTICS])
      copyFileSync(path.join(repository, name), path.join(dir, name));
    execFileSync(
      process.execPath,
      [...BRIEF, path.join(repository, "scripts/build.mjs"), path.join(dir, "dist")],
      { stdio: "pipe" },
    );
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
  for (const name of ["package.json", "dist"])
    cpSync(path.join(built(), name), box.at(`node_modules/tsgrad/${name}`), { recursive: true });
}

const npmInstall = (dir: string, packages: readonly string[]): void =>
  void execFileSync(
    "npm",
    ["install", "--prefer-offline", "--no-audit", "--no-fund", "--silent", ...packages],
    { cwd: dir, stdio: "pipe" },
  );

/** An empty project with the tarball and `packages` in it, installed once for a run of the tests, and `more`, installed beside them. */
export function install(
  tarball: string,
  packages: readonly string[],
  files: Record<string, string>,
  more: readonly string[] = [],
): Sandbox {
  const installed = once(packages.join(" ").replaceAll("/", "+"), (dir) => {
    writeFileSync(path.join(dir, "package.json"), `{ "type": "module" }`);
    npmInstall(dir, [tarball, ...packages]);
  });
  const box = sandbox(files, { stubs: false });
  cpSync(installed, box.dir, { recursive: true, verbatimSymlinks: true });
  if (more.length > 0) npmInstall(box.dir, more);
  return box;
}
