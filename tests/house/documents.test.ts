// Generated documents are fresh, and what they say by hand holds. To write them anew: `npm run life`.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { hostOf } from "../../scripts/host.ts";
import { README, documentsOf, regenerated, writtenBlocks } from "../../scripts/documents.ts";
import { LIFE, lifeDocument } from "../../scripts/life.ts";
import { root } from "../golden.ts";

const read = (name: string): string => readFileSync(path.join(root, name), "utf8");

describe("generated documents", () => {
  test("the life of a grad call", () => expect(lifeDocument(root)).toBe(read(LIFE)));
  test.each(documentsOf(root))("parts of %s", (name) => {
    expect(regenerated(read(name), root)).toBe(read(name));
  });
});

describe("README", () => {
  const blocks = writtenBlocks(read(README));

  test("TypeScript stands in generated parts only", () => {
    expect(blocks.filter(({ language }) => language === "ts").map(({ code }) => code)).toEqual([]);
  });

  test("configuration parses", () => {
    for (const { language, code } of blocks) {
      if (language === "jsonc")
        expect(ts.parseConfigFileTextToJson("tsconfig.json", code).error).toBeUndefined();
      if (language === "js")
        expect(
          ts.transpileModule(code, {
            fileName: "config.mjs",
            reportDiagnostics: true,
            compilerOptions: { allowJs: true, module: ts.ModuleKind.ESNext },
          }).diagnostics,
        ).toEqual([]);
    }
  });

  test("imported entries are exported, commands are there", () => {
    const { exports, scripts } = JSON.parse(read("package.json")) as {
      exports: Record<string, unknown>;
      scripts: Record<string, string>;
    };
    const text = read(README);
    const entries = [...text.matchAll(/"tsgrad(\/\w+)?"/g)].map(([, entry = ""]) => `.${entry}`);
    expect(entries.filter((entry) => !(entry in exports))).toEqual([]);
    const commands = [...text.matchAll(/npm run (\w+)/g)].map(([, name = ""]) => name);
    expect(commands.filter((name) => !(name in scripts))).toEqual([]);
  });
});

describe("links and paths", () => {
  const maps = readdirSync(path.join(root, "transformer"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith("README.md"))
    .map((name) => path.posix.join("transformer", name.split(path.sep).join("/")));
  test.each([README, "CONTRIBUTING.md", "transformer/ARCHITECTURE.md", LIFE, ...maps])(
    "%s: what it names is there",
    (name) => {
      const text = read(name);
      const links = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, target = ""]) =>
        path.join(root, path.dirname(name), target),
      );
      expect(links.filter((file) => !existsSync(file))).toEqual([]);
      // `3-differentiate/reverse/loop.ts`, also without the phase in front
      const files = readdirSync(path.join(root, "transformer"), {
        recursive: true,
        encoding: "utf8",
      }).map((file) => file.split(path.sep).join("/"));
      const named = [
        ...text.replace(/```[\s\S]*?```/g, "").matchAll(/`?((?:[\w-]+\/)+[\w-]+\.(?:ts|mjs))`?/g),
      ].map(([, file = ""]) => file);
      const isThere = (file: string): boolean =>
        existsSync(path.join(root, file)) ||
        files.some((one) => one === file || one.endsWith(`/${file}`));
      expect(named.filter((file) => !/^(?:src|dist)\//.test(file) && !isThere(file))).toEqual([]);
    },
  );
});

test("the README's snapshot test asks for a derivative that is there", () => {
  const file = path.join(root, "fixtures/documents/dot.test.ts");
  const edits = analyse(hostOf(file, root)).edits.get(file) ?? [];
  expect(edits.map(({ text }) => text.includes("function dot$grad"))).toEqual([true]);
});
