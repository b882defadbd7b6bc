// The demo: packs tsgrad, installs it in a copy of fixtures/projects/gmm as a user would, builds with tspc and runs the fit.
// In: the checkout with its dependencies installed. Out: what the fit prints, and where the emitted code is.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const work = path.join(root, ".demo");
const project = path.join(work, "gmm");

/** Runs a command, its output shown only when it fails. */
function quietly(command, args, cwd) {
  try {
    execFileSync(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
  } catch (error) {
    process.stderr.write(`${error.stdout ?? ""}${error.stderr ?? ""}`);
    throw error;
  }
}

rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
cpSync(path.join(root, "fixtures/projects/gmm"), project, { recursive: true });
console.log("packing tsgrad and installing it in .demo/gmm");
quietly("npm", ["pack", "--pack-destination", work], root);
const tarball = readdirSync(work).find((name) => name.endsWith(".tgz"));
if (tarball === undefined) throw new Error("npm pack wrote no tarball");
quietly(
  "npm",
  [
    "install",
    "--prefer-offline",
    "--no-audit",
    "--no-fund",
    "--no-package-lock",
    path.join(work, tarball),
  ],
  project,
);
console.log("building with tspc -p .");
quietly("npx", ["tspc", "-p", "."], project);
execFileSync(process.execPath, ["dist/fit.js"], { cwd: project, stdio: "inherit" });
console.log(
  "emitted code: .demo/gmm/dist/model.js (the functions with a $ in their names); as TypeScript: npx tsgrad emit src/model.ts in .demo/gmm",
);
