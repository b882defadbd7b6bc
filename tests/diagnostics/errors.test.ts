// Every code has a fixture that raises it, at the place its header names, and every fixture's code exists.
// A fixture is a folder `<code>-<slug>`; `input.ts` begins with one `// expect: <code> <line>:<column>` for each diagnostic of the folder.

import fs from "node:fs";
import path from "node:path";
import type ts from "typescript";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import type { Diagnostic } from "../../transformer/diagnostics/report.ts";
import { REGISTRY, isCode } from "../../transformer/diagnostics/registry.ts";
import { programOf, typeErrors, type TestHost } from "../program.ts";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const FIXTURES = path.join(ROOT, "fixtures/errors");
const folders = fs.readdirSync(FIXTURES).sort();

/** Fixtures that are not raised yet, and why. Their tests fail, and say so once they do not. */
const OPEN: ReadonlyMap<string, string> = new Map([]);

/** TypeScript's own words for what TSG8005 is about. */
const NOT_FOUND = "Cannot find module './missing'";

/** What is said where the Delta engine takes a call. */
const ABOUT_DELTA: ReadonlySet<string> = new Set(["TSG8005", "TSG8007"]);

function filesOf(folder: string): Record<string, string> {
  const base = path.join(FIXTURES, folder);
  const names = fs
    .readdirSync(base, { recursive: true, encoding: "utf8" })
    .filter((name) => fs.statSync(path.join(base, name)).isFile());
  // installed packages stand under packages/, since version control leaves node_modules out
  return Object.fromEntries(
    names.map((name) => [
      name.replaceAll("\\", "/").replace(/^packages\//, "node_modules/"),
      fs.readFileSync(path.join(base, name), "utf8"),
    ]),
  );
}

/** In memory, as it stands on disk; a folder's `tsconfig.json` says what is not as usual. */
function hostOf(folder: string): TestHost {
  const { "tsconfig.json": config, ...files } = filesOf(folder);
  return programOf(files, config === undefined ? {} : JSON.parse(config).compilerOptions);
}

/** The files of packages, which are no part of the program. */
function systemOf(files: Readonly<Record<string, string>>): ts.ModuleResolutionHost {
  const names = Object.keys(files).map((name) => `/src/${name}`);
  return {
    fileExists: (name) => names.includes(name),
    readFile: (name) => files[name.slice("/src/".length)],
    directoryExists: (folder) => names.some((name) => name.startsWith(`${folder}/`)),
    realpath: (name) => name,
  };
}

function placeOf(host: TestHost, { span }: Diagnostic): string {
  const file = host.program.getSourceFile(span.file);
  if (file === undefined) return span.file;
  const { line, character } = file.getLineAndCharacterOfPosition(span.start);
  return `${span.file === "/src/input.ts" ? "" : `${path.basename(span.file)} `}${line + 1}:${character + 1}`;
}

const expected = (text: string): string[] =>
  [...text.matchAll(/^\/\/ expect: (.*)$/gm)].map((match) => match[1] ?? "");

describe("error fixtures", () => {
  const check = (folder: string): void => {
    const [code = "", ...slug] = folder.split("-");
    if (!isCode(code)) throw new Error(`no such code: ${code}`);
    const entry = REGISTRY[code];
    expect(slug.join("-")).toBe(entry.slug);
    const files = filesOf(folder);
    const host = { ...hostOf(folder), system: systemOf(files) };
    const { diagnostics } = analyse(host, ABOUT_DELTA.has(code) ? {} : { engine: "static" });
    const lines = diagnostics.map(
      (diagnostic) => `${diagnostic.code} ${placeOf(host, diagnostic)}`,
    );
    expect(lines).toEqual(expected(files["input.ts"] ?? ""));
    expect(lines.some((line) => line.startsWith(code))).toBe(true);
    for (const diagnostic of diagnostics) {
      expect(diagnostic.severity).toBe(
        REGISTRY[isCode(diagnostic.code) ? diagnostic.code : code].severity,
      );
      expect(`${diagnostic.message} ${diagnostic.help}`).not.toMatch(/\{\d\}/);
    }
  };

  test.each(folders.filter((folder) => !OPEN.has(folder)))("%s", check);
  for (const [folder, reason] of OPEN)
    test.fails(`${folder}: ${reason}`, () => {
      check(folder);
    });

  test.each(folders)("%s is otherwise right", (folder) => {
    const errors = typeErrors(hostOf(folder));
    expect(errors.filter((error) => !error.includes(NOT_FOUND))).toEqual([]);
  });

  test("every code that a build raises has one", () => {
    const raised = Object.entries(REGISTRY).filter(
      ([, entry]) => entry.raisedBy === "lower" || entry.raisedBy === "pipeline",
    );
    expect(raised.map(([code, entry]) => `${code}-${entry.slug}`).sort()).toEqual(folders);
  });
});
