// Reads a bundler's tsconfig: mistakes in the JSON of any config fail, in tsc's words.

import ts from "typescript";
import { describe, expect, test } from "vitest";
import { readProject } from "../../transformer/hosts/project.ts";
import { sandbox } from "./sandbox.ts";

/** The file that gets the broken text. */
const PLACES = ["tsconfig.json", "base.json", "more.json", "lib/tsconfig.json", "lib/base.json"];
const BROKEN: Readonly<Record<string, [text: string, code: string]>> = {
  "no end": [`{ "compilerOptions": { "strict": true`, "TS1005"],
  "no comma": [`{ "compilerOptions": {} "include": ["src"] }`, "TS1005"],
  "single quotes": [`{ 'compilerOptions': {} }`, "TS1327"],
  "a name without quotes": [`{ compilerOptions: {} }`, "TS1327"],
  "no value": [`{ "compilerOptions": }`, "TS1109"],
};
const FILES = {
  "tsconfig.json": `{ "extends": ["./base.json", "./more.json"], "include": ["src"], "references": [{ "path": "./lib" }] }`,
  "base.json": `{ "compilerOptions": { "types": [] } }`,
  "more.json": `{ "compilerOptions": { "strict": true } }`,
  "lib/tsconfig.json": `{ "extends": "./base.json", "include": ["*.ts"] }`,
  "lib/base.json": `{ "compilerOptions": { "composite": true } }`,
  "src/a.ts": "export {};\n",
  "lib/b.ts": "export {};\n",
};

const cases = PLACES.flatMap((place) =>
  Object.entries(BROKEN).map(([what, [text, code]]) => ({ place, what, text, code })),
);

describe.each(cases)("$place: $what", ({ place, text, code }) => {
  test("is an error of the host", () => {
    const box = sandbox({ ...FILES, [place]: text }, { stubs: false });
    expect(() => readProject(ts, box.dir, undefined)).toThrow(
      new RegExp(`${place.replace("/", ".")}\\(1,\\d+\\): error ${code}: `),
    );
  });
});

test("comments, trailing commas and unknown options are none", () => {
  const box = sandbox(
    { ...FILES, "base.json": `{ /* all */ "compilerOptions": { "types": [], "nonsense": 1, }, }` },
    { stubs: false },
  );
  expect(readProject(ts, box.dir, undefined).files).toHaveLength(2);
});
