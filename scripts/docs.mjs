// The documentation site: `npm run docs` builds it into docs/.vitepress/dist, `npm run docs -- dev`
// serves it and follows changes, `npm run docs -- preview` serves what was built. Further words go
// to VitePress (`--base /tsgrad/`). What the site needs is installed in docs/ if it is missing.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./load.mjs";

const docs = path.join(root, "docs");

function run(command, words, cwd = docs) {
  const { status, error } = spawnSync(command, words, { cwd, stdio: "inherit" });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** Whether node_modules has what the lock file says. Packages for other systems are optional. */
function isInstalled() {
  const [wanted, found] = ["package-lock.json", "node_modules/.package-lock.json"].map((name) => {
    const file = path.join(docs, name);
    return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).packages : {};
  });
  return Object.entries(wanted).every(
    ([name, { version, optional }]) =>
      name === "" || optional === true || found[name]?.version === version,
  );
}

const COMMANDS = ["build", "dev", "preview"];
const words = process.argv.slice(2);
const command = COMMANDS.includes(words[0]) ? words.shift() : "build";

const vitepress = path.join(docs, "node_modules/vitepress/bin/vitepress.js");
if (!isInstalled()) {
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  run(npm, ["ci", "--no-audit", "--no-fund"]);
}
if (command === "build")
  run(process.execPath, [
    path.join(root, "node_modules/typescript/bin/tsc"),
    "--noEmit",
    "-p",
    ".",
  ]);
run(process.execPath, [vitepress, command, ".", ...words]);
