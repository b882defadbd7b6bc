// Rules of the repository's files that neither the compiler nor the linter checks: lengths of lines,
// where names are made, reasons beside assertions, and a lock file without addresses.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { nodesOf, root, sourcesIn, type Source } from "./sources.ts";

const transformer = sourcesIn("transformer");
const runtime = sourcesIn("runtime");
/** The part of the house that a file is in: a folder of transformer/, or a file that stands there alone. */
const partOf = (name: string): string => {
  const [top = "", folder = ""] = name.split("/");
  return top === "transformer" ? folder.replace(/\.ts$/, "") : top;
};

const problems = (
  sources: readonly Source[],
  find: (source: Source) => readonly string[],
): string[] => sources.flatMap((s) => find(s).map((what) => `${s.name}: ${what}`));

describe("size", () => {
  test("no line is longer than 100 columns, but for strings and links", () => {
    expect(problems([...transformer, ...runtime], longLines)).toEqual([]);
  });

  test("no file is a drawer", () => {
    expect(
      [...transformer, ...runtime]
        .map((s) => s.name)
        .filter((n) => /\/(utils?|helpers?|common|misc)[./]/.test(n)),
    ).toEqual([]);
  });

  test("every file says what it is", () => {
    expect(
      [...transformer, ...runtime].filter((s) => !s.text.startsWith("//")).map((s) => s.name),
    ).toEqual([]);
  });
});

describe("types", () => {
  test("no `any`", () => {
    // values of rewritten code have no types: `Value`, which says why
    const typed = [...transformer, ...runtime].filter((s) => s.name !== "runtime/delta/value.ts");
    // a type that would have no end: `Element` of a cotangent, which says why
    const isEndless = (node: ts.Node): boolean =>
      node.getSourceFile().fileName.endsWith("runtime/cotangent.ts") &&
      ts.findAncestor(node, ts.isTypeAliasDeclaration)?.name.text === "Element";
    expect(
      problems(typed, (s) =>
        nodesOf(s, (node) => node.kind === ts.SyntaxKind.AnyKeyword && !isEndless(node)),
      ),
    ).toEqual([]);
  });

  test("no assertion outside lowering and hosts, but where a comment beside it gives the reason", () => {
    const strict = transformer.filter((s) => !["1-lower", "hosts"].includes(partOf(s.name)));
    expect(
      problems(strict, (s) =>
        nodesOf(
          s,
          (node) =>
            ts.isNonNullExpression(node) ||
            (ts.isAsExpression(node) && !ts.isConstTypeReference(node.type) && !explained(node)),
        ),
      ),
    ).toEqual([]);
  });

  test("assertions of hosts have their reason beside them", () => {
    const hosts = transformer.filter((s) => partOf(s.name) === "hosts");
    expect(
      problems(hosts, (s) =>
        nodesOf(
          s,
          (node) =>
            ts.isNonNullExpression(node) ||
            (ts.isAsExpression(node) && !ts.isConstTypeReference(node.type) && !explained(node)),
        ),
      ),
    ).toEqual([]);
  });
});

/** Lines over 100 columns that hold no string and no link. */
function longLines(source: Source): readonly string[] {
  const lines = source.text.split("\n");
  const isLong = (line: string): boolean => line.length > 100 && !/https?:/.test(line);
  if (!lines.some(isLong)) return [];
  const withString = new Set<number>();
  const note = (node: ts.Node): false => {
    const isText =
      ts.isStringLiteralLike(node) ||
      ts.isTemplateExpression(node) ||
      ts.isRegularExpressionLiteral(node) ||
      ts.isTemplateLiteralTypeNode(node);
    if (!isText) return false;
    const file = node.getSourceFile();
    const last = file.getLineAndCharacterOfPosition(node.end).line;
    for (let at = file.getLineAndCharacterOfPosition(node.getStart()).line; at <= last; at++)
      withString.add(at);
    return false;
  };
  nodesOf(source, note);
  return lines.flatMap((line, at) => (isLong(line) && !withString.has(at) ? [`${at + 1}`] : []));
}

/** Whether a comment stands in the assertion's statement, or on the line above it. */
function explained(node: ts.Node): boolean {
  const file = node.getSourceFile();
  const lineAt = (offset: number): number => file.getLineAndCharacterOfPosition(offset).line;
  const statement = ts.findAncestor(node, (one) => ts.isStatement(one) || ts.isClassElement(one));
  const from = lineAt((statement ?? node).getStart()) - 1;
  const lines = file.text.split("\n").slice(Math.max(from, 0), lineAt((statement ?? node).end) + 1);
  return lines.some((line) => /\/\/ |\/\*\* /.test(line));
}

describe("names", () => {
  test("generated names are made in ir/names.ts only", () => {
    const suffix = /\$(?:bar|dot|revf|revr|Bog|grad|vag|fwd|vjp|delta)\b/;
    const isMade = (node: ts.Node): boolean =>
      (ts.isTemplateSpan(node) && suffix.test(node.literal.text)) ||
      (ts.isBinaryExpression(node) &&
        node.operatorToken.kind === ts.SyntaxKind.PlusToken &&
        ts.isStringLiteral(node.right) &&
        suffix.test(node.right.text));
    expect(
      problems(
        transformer.filter((s) => s.name !== "transformer/ir/names.ts"),
        (s) => nodesOf(s, isMade),
      ),
    ).toEqual([]);
  });
});

describe("package", () => {
  test.skipIf(!existsSync(path.join(root, ".git")))(
    "nothing is kept at the top but the parts and what npm and TypeScript read",
    () => {
      const kept = execFileSync("git", ["ls-files"], {
        cwd: root,
        encoding: "utf8",
        maxBuffer: 1 << 26,
      }).split("\n");
      const top = new Set(kept.flatMap((name) => (name === "" ? [] : [name.split("/")[0]])));
      expect([...top].sort()).toEqual([
        ".ci",
        ".gitignore",
        ".prettierignore",
        ".prettierrc.json",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE",
        "README.md",
        "docs",
        "eslint.config.js",
        "examples",
        "fixtures",
        "knip.json",
        "package-lock.json",
        "package.json",
        "runtime",
        "scripts",
        "tests",
        "transformer",
        "tsconfig.json",
        "vitest.config.ts",
      ]);
    },
  );

  test("the lock file names no server", () => {
    const lock = readFileSync(path.join(root, "package-lock.json"), "utf8");
    expect(lock).not.toContain('"resolved"');
    expect(lock).not.toMatch(/https?:\/\/[^"]*\.tgz/);
  });

  test("CI runs what CONTRIBUTING.md says", () => {
    const run = readFileSync(path.join(root, ".ci/run"), "utf8");
    expect(run).toContain("set -euo pipefail");
    const contributing = readFileSync(path.join(root, "CONTRIBUTING.md"), "utf8");
    for (const command of ["npm ci", "npm test", "npm run test:long"]) {
      expect(run).toContain(command);
      expect(contributing).toContain(command);
    }
  });
});
