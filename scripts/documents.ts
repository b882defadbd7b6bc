// The generated parts of README.md and docs/: what stands between `<!-- generated: name -->` and
// `<!-- end -->`. In: a document, the checkout's root. Out: the document with these parts written
// anew. Invariant: a block is real output, or a table made from the code's own rows.

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { analyse, type Host } from "../transformer/analyse.ts";
import { pageHelpOf } from "../transformer/diagnostics/page.ts";
import { REGISTRY } from "../transformer/diagnostics/registry.ts";
import { explain, sourceOf } from "../transformer/explain.ts";
import { applyEdits } from "../transformer/hosts/apply.ts";
import { printed, toCompiler } from "../transformer/hosts/diagnostics.ts";
import { SCALAR } from "../transformer/rules/scalar.ts";
import { apiOf } from "./api.ts";
import { RESULTS, benchTable } from "./bench-report.ts";
import type { Results } from "./bench-statistics.ts";
import { commandPage } from "./cli-page.ts";
import { hostOf } from "./host.ts";
import { papersPage } from "./papers.ts";
import { supportTable } from "./support.ts";

type Block = (root: string) => string;

const fenced = (language: string, text: string): string =>
  `\`\`\`${language}\n${text.trim()}\n\`\`\``;
const read = (root: string, name: string): string => readFileSync(path.join(root, name), "utf8");
const open = (root: string, name: string): { readonly file: string; readonly host: Host } => {
  const file = path.join(root, name);
  return { file, host: hostOf(file, root) };
};

/** The file's generated part, and the changed call before it. */
function compiledFrom(root: string, name: string, marker: string): string {
  const { file, host } = open(root, name);
  const text = applyEdits(file, read(root, name), analyse(host).edits.get(file) ?? []).text;
  return text.slice(text.indexOf(marker));
}

const BLOCKS: Readonly<Record<string, Block>> = {
  before: (root) =>
    fenced("ts", `// model.ts, as you write it\n${read(root, "fixtures/emitted/dot.ts")}`),
  after: (root) =>
    fenced(
      "ts",
      `// model.ts, as the build compiles it: a second argument, and a function at the end\n${compiledFrom(root, "fixtures/emitted/dot.ts", "export const gradient")}`,
    ),
  logistic: (root) =>
    fenced("ts", read(root, "fixtures/emitted/logistic.ts").replace(/^import.*\n\n/, "")),
  logisticAfter: (root) =>
    fenced("ts", compiledFrom(root, "fixtures/emitted/logistic.ts", "function loss$vag")),
  pair: (root) => {
    const { file, host } = open(root, "fixtures/emitted/straight-line-pair.ts");
    return fenced(
      "ts",
      `${read(root, "fixtures/emitted/straight-line-pair.ts").replace(/^import.*\n\n/, "")}\n${sourceOf(host, file)}`,
    );
  },
  explain: (root) => {
    const { file, host } = open(root, "fixtures/emitted/recurrence.ts");
    return fenced("", explain(host, file, "iterate"));
  },
  snapshot: (root) =>
    fenced(
      "ts",
      read(root, "fixtures/documents/dot.test.ts").replace("../emitted/dot.ts", "./model.ts"),
    ),
  error: (root) => fenced("", errorText(root, "fixtures/documents/fit.ts")),
  refused: () => refusedTable(),
  support: (root) => supportTable(root),
  kinks: () => kinkTable(),
  api: (root) => apiOf(root),
  cli: () => commandPage(),
  papers: (root) => papersPage(root),
  // `npm run bench` writes the results
  bench: (root) => benchTable(JSON.parse(read(root, RESULTS)) as Results),
};

/** What `tspc` prints for a file, without colours. */
function errorText(root: string, name: string): string {
  const { file, host } = open(root, name);
  const views = {
    ts,
    of: () => undefined,
    originalOf: (one: string) => host.program.getSourceFile(one),
  };
  const text = ts.formatDiagnosticsWithColorAndContext(
    analyse(host).diagnostics.map((one) => printed(toCompiler(views, one))),
    {
      getCurrentDirectory: () => path.dirname(file),
      getCanonicalFileName: (one) => one,
      getNewLine: () => "\n",
    },
  );
  return text
    .replace(/\u001b\[[0-9;]*m/g, "")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n");
}

function refusedTable(): string {
  const rows = Object.entries(REGISTRY)
    // what the Delta engine takes over is no error
    .filter(
      ([, entry]) =>
        (entry.raisedBy === "lower" || entry.raisedBy === "pipeline") &&
        entry.delta !== true &&
        entry.severity === "error",
    )
    .sort(([x], [z]) => (x < z ? -1 : 1))
    .map(
      ([code, entry]) =>
        `| [${code}](diagnostics.md#${code.toLowerCase()}-${entry.slug}) | ${cell(entry.message)} | ${cell(pageHelpOf(entry))} |`,
    );
  return ["| code | what tsgrad says | what to do |", "|---|---|---|", ...rows].join("\n");
}

/** A template without its names, and with nothing that ends a table's cell. */
const cell = (template: string): string =>
  template
    .replace(/\{\d\}/g, "…")
    .replaceAll("|", "\\|")
    .replaceAll("\n", " ");

function kinkTable(): string {
  const rows = Object.entries(SCALAR).flatMap(([op, { kinks }]) =>
    kinks.map(
      ({ at, d }) =>
        `| \`${SIGNS[op]?.(at.map(number)) ?? `${op}(${at.map(number).join(", ")})`}\` | ${d.map(number).join(", ") || "0"} |`,
    ),
  );
  return ["| at | derivative, one number per argument |", "|---|---|", ...new Set(rows)].join("\n");
}

const SIGNS: Readonly<Record<string, (args: readonly string[]) => string>> = {
  mod: ([x = "", z = ""]) => `${x} % ${z}`,
  pow: ([x = "", z = ""]) => `${x} ** ${z}`,
  select: ([c = "", x = "", z = ""]) => `${c} ? ${x} : ${z}`,
};

const number = (value: number | boolean): string => (Object.is(value, -0) ? "-0" : String(value));

const PART = /<!-- generated: (\w+) -->\n[\s\S]*?<!-- end -->/g;

export const README = "README.md";

/** Every page of docs/, by its path from the root of the checkout. */
export function pagesOf(root: string): readonly string[] {
  const isOwn = (name: string): boolean => !/^(node_modules|\.vitepress|public)\//.test(name);
  return readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
    .map((name) => name.split(path.sep).join("/"))
    .filter((name) => name.endsWith(".md") && isOwn(name))
    .sort()
    .map((name) => `docs/${name}`);
}

/** Documents that may have generated parts. */
export const documentsOf = (root: string): readonly string[] => [README, ...pagesOf(root)];

/** Writes the generated parts of all documents anew. */
export function regenerateAll(root: string): void {
  for (const name of documentsOf(root)) {
    const text = read(root, name);
    const fresh = regenerated(text, root);
    if (fresh !== text) writeFileSync(path.join(root, name), fresh);
  }
}

export function regenerated(text: string, root: string): string {
  return text.replace(PART, (_, name: string) => {
    const block = BLOCKS[name];
    if (block === undefined) throw new Error(`no generated part is called ${name}`);
    return `<!-- generated: ${name} -->\n${block(root)}\n<!-- end -->`;
  });
}

/** A fenced block of code: ```` ```ts [name.ts] ````. */
export interface Fence {
  readonly line: number;
  readonly language: string;
  /** The name of a file, in brackets after the language; else empty. */
  readonly title: string;
  readonly code: string;
}

/** The code blocks of a document that stand outside generated parts. */
export function fencesOf(text: string): readonly Fence[] {
  // lines keep their numbers
  const written = text.replace(PART, (part) => part.replace(/[^\n]+/g, ""));
  const found = written.matchAll(/^```(\w*)(?: \[([^\]]+)\])?[^\n]*\n([\s\S]*?)^```$/gm);
  return [...found].map(({ index, 1: language = "", 2: title = "", 3: code = "" }) => ({
    line: written.slice(0, index).split("\n").length + 1,
    language,
    title,
    code,
  }));
}
