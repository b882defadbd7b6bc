// The examples run as their README says, and their own checks hold. In: the folders of examples/,
// with what they depend on installed once beside the packed tarball, and one installed by itself.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { repository, type Sandbox } from "../hosts/sandbox.ts";
import { install, pack } from "../package/install.ts";

const folder = path.join(repository, "examples");
const names = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}
const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(path.join(folder, name, "package.json"), "utf8")) as Manifest;

/** The files of an example, without what running it leaves. */
const copyTo = (name: string, to: string): void => {
  cpSync(path.join(folder, name), to, {
    recursive: true,
    filter: (source) => !["node_modules", "dist", "plot.svg"].includes(path.basename(source)),
  });
};

function npm(cwd: string, ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync("npm", words, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm ${words.join(" ")} failed:\n${stdout}\n${stderr}`);
  return stdout;
}

function expectPlot(file: string): void {
  const svg = readFileSync(file, "utf8");
  expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  expect(svg).toMatch(/<path [^>]*d="M/);
  expect(svg).not.toMatch(/NaN|undefined/);
}

test("no file of an example has more than 150 lines, and the README names each", () => {
  const readme = readFileSync(path.join(folder, "README.md"), "utf8");
  expect(names.filter((name) => !readme.includes(`](${name})`))).toEqual([]);
  const long = names.flatMap((name) =>
    readdirSync(path.join(folder, name, "src"))
      .map((file) => path.join(folder, name, "src", file))
      .filter((file) => readFileSync(file, "utf8").split("\n").length > 151),
  );
  expect(long).toEqual([]);
});

describe("beside each other", () => {
  let box: Sandbox;
  beforeAll(() => {
    const wanted = names.flatMap((name) => {
      const { dependencies, devDependencies } = manifestOf(name);
      return Object.entries({ ...dependencies, ...devDependencies });
    });
    const packages = wanted.filter(([name]) => name !== "tsgrad").map((one) => one.join("@"));
    box = install(pack(), ["typescript@6.0.3", "ts-patch@3.3.0"], {}, [...new Set(packages)]);
    for (const name of names) copyTo(name, box.at(name));
  });
  test.each(names)("%s", (name) => {
    const out = npm(box.at(name), "start", "--silent");
    expect(out).toMatch(/\r(step|draw|throw) /);
    expectPlot(box.at(`${name}/plot.svg`));
    expect(npm(box.at(name), "test", "--silent")).toMatch(/\nchecked\n$/);
  });
});

test("as the README says: npm install and npm start in a folder of a clone", () => {
  const tarball = pack();
  const clone = path.join(path.dirname(tarball), "clone");
  rmSync(clone, { recursive: true, force: true });
  mkdirSync(path.join(clone, "examples"), { recursive: true });
  for (const name of ["package.json", "dist"])
    cpSync(path.join(path.dirname(tarball), name), path.join(clone, name), { recursive: true });
  const project = path.join(clone, "examples/curve-fit");
  copyTo("curve-fit", project);
  npm(project, "install", "--prefer-offline", "--no-audit", "--no-fund", "--silent");
  expect(existsSync(path.join(project, "node_modules/tsgrad/dist/index.js"))).toBe(true);
  npm(project, "start");
  expectPlot(path.join(project, "plot.svg"));
});
