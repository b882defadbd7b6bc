// Generated documents are fresh, and what they say by hand holds. To write them anew: `npm run life`.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { analyse } from "../../transformer/analyse.ts";
import { hostOf } from "../../scripts/host.ts";
import { README, documentsOf, fencesOf, regenerated } from "../../scripts/documents.ts";
import { LIFE, lifeDocument } from "../../scripts/life.ts";
import { root } from "../golden.ts";

const read = (name: string): string => readFileSync(path.join(root, name), "utf8");

describe("generated documents", () => {
  test("the life of a grad call", () => expect(lifeDocument(root)).toBe(read(LIFE)));
  test.each(documentsOf(root))("parts of %s", (name) => {
    expect(regenerated(read(name), root)).toBe(read(name));
  });
});

const packageJson = JSON.parse(read("package.json")) as {
  exports: Record<string, unknown>;
  scripts: Record<string, string>;
};
const documents = documentsOf(root);

/** What stands in a block of each language, and how far it is checked. */
const LANGUAGES: Readonly<Record<string, (code: string) => unknown>> = {
  // run by examples.test.ts
  ts: () => [],
  // output, signatures and derivative code that is shown
  "": () => [],
  json: (code) => ts.parseConfigFileTextToJson("tsconfig.json", code).error ?? [],
  jsonc: (code) => ts.parseConfigFileTextToJson("tsconfig.json", code).error ?? [],
  js: syntaxErrorsOf,
  sh: unknownCommands,
  // the other system's side of a comparison
  python: () => [],
  stan: () => [],
  cpp: () => [],
  // the settings of editors
  lua: () => [],
  // templates: a tool of their own compiles them in the tests of their host
  vue: () => [],
  svelte: () => [],
  astro: () => [],
};

function syntaxErrorsOf(code: string): readonly string[] {
  const { diagnostics = [] } = ts.transpileModule(code, {
    fileName: "config.mjs",
    reportDiagnostics: true,
    compilerOptions: { allowJs: true, module: ts.ModuleKind.ESNext },
  });
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
}

/** Words behind `npx tsgrad` that are no command of it. */
function unknownCommands(code: string): readonly string[] {
  const help = read("docs/cli.md");
  const words = [...code.matchAll(/\bnpx tsgrad ([a-z]\w*)/g)].map(([, word = ""]) => word);
  return words.filter((word) => !help.includes(`tsgrad ${word}`));
}

describe.each(documents)("%s", (name) => {
  const text = read(name);
  // pieces of diagnostics are lines of fixtures/errors
  const fences = name === "docs/diagnostics.md" ? [] : fencesOf(text);

  test("each block is of a language that is checked, and holds", () => {
    const faults = fences.map(({ line, language, code }) => {
      const found = LANGUAGES[language]?.(code) ?? "no check for this language";
      return { line, found };
    });
    expect(faults.filter(({ found }) => !Array.isArray(found) || found.length > 0)).toEqual([]);
  });

  test("what stands before the heading is YAML", () => {
    const [, head = ""] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? [];
    // throws, as the site's own reading of it does
    expect(parseYaml(head)).toEqual(head === "" ? null : expect.any(Object));
  });

  test("imported entries are exported", () => {
    const entries = [...text.matchAll(/from "tsgrad(\/[\w/]+)?"/g)].map(
      ([, entry = ""]) => `.${entry}`,
    );
    expect(entries.filter((entry) => !(entry in packageJson.exports))).toEqual([]);
  });

  test("anchors lead to a heading", () => {
    const links = [...text.matchAll(/\]\(([^)#:\s]*)#([^)\s]+)\)/g)];
    const wrong = links.filter(([, file = "", anchor = ""]) => {
      const target = file === "" ? name : path.posix.join(path.posix.dirname(name), file);
      return !target.endsWith(".md") || !anchorsOf(read(target)).includes(anchor);
    });
    expect(wrong.map(([link]) => link)).toEqual([]);
  });
});

/** The anchors of a page's headings, as GitHub and the site name them. */
function anchorsOf(page: string): readonly string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, "")
      .trim()
      .replace(/\s+/g, "-"),
  );
}

test("commands of this checkout are there", () => {
  const text = [README, "CONTRIBUTING.md"].map(read).join("\n");
  const commands = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name = ""]) => name);
  expect(commands.filter((name) => !(name in packageJson.scripts))).toEqual([]);
});

test("each page of the site is in its sidebar once", () => {
  const listed = [...read("docs/.vitepress/sidebar.ts").matchAll(/page\("[^"]+", "([^"]+)"\)/g)];
  const pages = listed.map(
    ([, link = ""]) => `docs${link.endsWith("/") ? `${link}index` : link}.md`,
  );
  // the home page and the playground are in the bar at the top
  const inBar = ["docs/index.md", "docs/playground.md"];
  const written = documents.filter((name) => name !== README && !inBar.includes(name));
  expect(pages.toSorted()).toEqual(written.toSorted());
});

test("each page of the site begins with what its reader can do after it", () => {
  const pages = documents.filter(
    (name) => !/^README\.md$|^docs\/(?:index|playground)\.md$/.test(name),
  );
  const begins = /^(?:---\n[\s\S]*?\n---\n+)?# .+\n\nAfter this page /;
  expect(pages.filter((name) => !begins.test(read(name)))).toEqual([]);
});

test("the README is short", () => {
  const text = read(README);
  expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
  expect(text.split(/\s+/).filter((word) => word !== "").length).toBeLessThanOrEqual(1200);
});

describe("links and paths", () => {
  const maps = readdirSync(path.join(root, "transformer"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith("README.md"))
    .map((name) => path.posix.join("transformer", name.split(path.sep).join("/")));
  test.each([
    ...documentsOf(root),
    "CONTRIBUTING.md",
    "transformer/ARCHITECTURE.md",
    LIFE,
    ...maps,
  ])("%s: what it names is there", (name) => {
    const text = read(name);
    const prose = text.replace(/```[\s\S]*?```/g, "");
    const linked = prose.replace(/`[^`\n]*`/g, "").matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g);
    const links = [...linked].map(([, target = ""]) => path.join(root, path.dirname(name), target));
    expect(links.filter((file) => !existsSync(file))).toEqual([]);
    // `3-differentiate/reverse/loop.ts`, also without the phase in front
    const files = readdirSync(path.join(root, "transformer"), {
      recursive: true,
      encoding: "utf8",
    }).map((file) => file.split(path.sep).join("/"));
    const named = [...prose.matchAll(/`?((?:[\w-]+\/)+[\w-]+\.(?:ts|mjs))`?/g)].map(
      ([, file = ""]) => file,
    );
    const isThere = (file: string): boolean =>
      existsSync(path.join(root, file)) ||
      files.some((one) => one === file || one.endsWith(`/${file}`));
    expect(named.filter((file) => !/^(?:src|dist)\//.test(file) && !isThere(file))).toEqual([]);
  });
});

test("the README's snapshot test asks for a derivative that is there", () => {
  const file = path.join(root, "fixtures/documents/dot.test.ts");
  const edits = analyse(hostOf(file, root)).edits.get(file) ?? [];
  expect(edits.map(({ text }) => text.includes("function dot$grad"))).toEqual([true]);
});
