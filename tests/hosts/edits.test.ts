// Edits that a bundler's program must see, whatever they do to the dates of files. In: a way to
// change a file. Out: the derivative of the new text, and no new analysis if the text is the same.

import {
  copyFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, test } from "vitest";
import type { Host } from "../../transformer/analyse.ts";
import { FileTexts } from "../../transformer/hosts/file-texts.ts";
import { ProgramService } from "../../transformer/hosts/program-service.ts";
import { fakeCore } from "./fake-core.ts";
import { sandbox, type Sandbox } from "./sandbox.ts";

const A = `import { grad } from "tsgrad";\nimport { square } from "./b";\nexport const d = grad(square);\n`;
const body = (expression: string): string =>
  `export function square(x: number): number {\n  return ${expression};\n}\n`;
const LONG_AGO = new Date("2026-01-01");
const tsconfig = JSON.stringify({
  compilerOptions: {
    target: "es2022",
    module: "esnext",
    moduleResolution: "bundler",
    lib: ["es5"],
    types: [],
  },
  include: ["src"],
});

/** Puts a text into a file. */
type Change = (box: Sandbox, name: string, text: string) => void;

const CHANGES: Readonly<Record<string, Change>> = {
  "is written": (box, name, text) => box.write({ [name]: text }),
  "keeps its date": (box, name, text) => {
    box.write({ [name]: text });
    utimesSync(box.at(name), LONG_AGO, LONG_AGO);
  },
  "is replaced by a file of the same date": (box, name, text) => {
    writeFileSync(box.at("new"), text);
    utimesSync(box.at("new"), LONG_AGO, LONG_AGO);
    renameSync(box.at("new"), box.at(name));
  },
  "is copied over, with its date": (box, name, text) => {
    writeFileSync(box.at("new"), text);
    copyFileSync(box.at("new"), box.at(name));
    utimesSync(box.at(name), LONG_AGO, LONG_AGO);
  },
  "is removed and made again": (box, name, text) => {
    unlinkSync(box.at(name));
    box.write({ [name]: text });
    utimesSync(box.at(name), LONG_AGO, LONG_AGO);
  },
  "gets an older date": (box, name, text) => {
    box.write({ [name]: text });
    utimesSync(box.at(name), new Date(0), new Date(0));
  },
  "gets a date in the future": (box, name, text) => {
    box.write({ [name]: text });
    utimesSync(box.at(name), new Date("2100-01-01"), new Date("2100-01-01"));
  },
  "becomes a link to another file": (box, name, text) => {
    writeFileSync(box.at(`${name}.other.txt`), text);
    utimesSync(box.at(`${name}.other.txt`), LONG_AGO, LONG_AGO);
    rmSync(box.at(name));
    symlinkSync(box.at(`${name}.other.txt`), box.at(name));
  },
};

/** What of the edit the tool tells the service. */
const TOLD: Readonly<Record<string, { readonly begins: boolean; readonly hands: boolean }>> = {
  "a build begins": { begins: true, hands: false },
  "the text is handed over": { begins: false, hands: true },
  "a build begins and the text is handed over": { begins: true, hands: true },
};

const cases = Object.entries(CHANGES).flatMap(([change, apply]) =>
  Object.entries(TOLD).map(([told, how]) => ({ change, apply, told, how })),
);

describe.each(cases)("a file $change, $told", ({ apply, how }) => {
  test("the derivative is that of the new text", () => {
    const box = sandbox({ "tsconfig.json": tsconfig, "src/a.ts": A, "src/b.ts": body("x * 2") });
    utimesSync(box.at("src/b.ts"), LONG_AGO, LONG_AGO);
    const service = new ProgramService(fakeCore, { cwd: box.dir });
    const answer = (): string => {
      service.answer(box.at("src/a.ts"), A);
      return service.answer(box.at("src/b.ts"), box.read("src/b.ts"))?.code ?? "";
    };
    service.begin();
    expect(answer()).toContain("return (x * 2) + 1000");
    const before = service.key(box.at("src/b.ts"));
    for (const expression of ["x * 5", "x * 7", "x + x * x"]) {
      apply(box, "src/b.ts", body(expression));
      if (how.begins) service.begin();
      if (how.hands) expect(answer()).toContain(expression);
      if (how.begins) expect(service.key(box.at("src/b.ts"))).not.toBe(before);
      expect(answer()).toContain(`return (${expression}) + 1000`);
    }
  });
});

test("a file that is touched is not analysed again", () => {
  const box = sandbox({ "tsconfig.json": tsconfig, "src/a.ts": A, "src/b.ts": body("x * 2") });
  let runs = 0;
  const counted = (host: Host): ReturnType<typeof fakeCore> => {
    runs++;
    return fakeCore(host);
  };
  const service = new ProgramService(counted, { cwd: box.dir });
  for (let i = 0; i < 3; i++) {
    service.begin();
    service.answer(box.at("src/a.ts"), A);
    utimesSync(box.at("src/b.ts"), new Date(i), new Date(i));
  }
  expect(runs).toBe(1);
});

test("versions differ exactly if texts do, however fast a file changes", () => {
  const box = sandbox({ "src/b.ts": "a" });
  const texts = new FileTexts();
  const file = box.at("src/b.ts");
  const size = statSync(file).size;
  for (let i = 0; i < 200; i++) {
    const before = texts.version(file);
    const text = i % 3 === 0 ? "b" : "a";
    const isSame = texts.text(file) === text;
    writeFileSync(file, text);
    expect(statSync(file).size).toBe(size);
    expect(texts.version(file) === before).toBe(isSame);
  }
});

// TypeScript looks for `model.js/package.json` where `model.js` is a file without types
test("what lies below a file is a missing file", () => {
  const box = sandbox({ "src/model.js": "a" });
  const texts = new FileTexts();
  const below = box.at("src/model.js/package.json");
  expect([texts.text(below), texts.version(below)]).toEqual([
    undefined,
    texts.version(box.at("src/none.js")),
  ]);
});
