// What STYLE.md asks of the repository's files and a compiler does not check: who imports whom, who knows TypeScript, how long
// files are, where names are made, and a lock file that names no server.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { nodesOf, root, sourcesIn, type Source } from "./sources.ts";

const transformer = sourcesIn("transformer");
const runtime = sourcesIn("runtime");
const PHASES = ["1-lower", "2-analyse", "3-differentiate", "4-optimise", "5-emit"];

/** The part of the house that a file is in: a folder of transformer/, or a file that stands there alone. */
const partOf = (name: string): string => {
  const [top = "", folder = ""] = name.split("/");
  return top === "transformer" ? folder.replace(/\.ts$/, "") : top;
};

/** What each part may import, beside itself. `explain` prints what the pipeline knows. */
const MAY: Record<string, readonly string[]> = {
  hosts: ["analyse", "explain", "diagnostics", "ir"],
  analyse: ["pipeline", "incremental", "diagnostics", "ir"],
  incremental: ["pipeline", "1-lower", "diagnostics", "ir"],
  explain: ["analyse", "arrays", "pipeline", "diagnostics", "ir"],
  pipeline: [
    "analyse",
    "arrays",
    "closed",
    "engines",
    "groups",
    "problems",
    "derive-nested",
    "delta",
    ...PHASES,
    "rules",
    "ir",
    "diagnostics",
  ],
  ...Object.fromEntries(PHASES.map((phase) => [phase, ["rules", "ir", "diagnostics"]])),
  arrays: ["2-analyse", "3-differentiate", "4-optimise", "ir", "diagnostics"],
  closed: ["ir", "diagnostics"],
  groups: ["ir"],
  problems: ["3-differentiate", "ir", "diagnostics"],
  "derive-nested": ["ir"],
  engines: ["1-lower", "delta", "diagnostics"],
  delta: ["rules", "ir", "diagnostics"],
  rules: ["ir", "diagnostics"],
  ir: ["diagnostics"],
  diagnostics: [],
  runtime: [],
};

/** Reads `import type`s of `analyse.ts`' Host and Request; anything else would be a circle. */
const TYPE_ONLY: readonly (readonly [string, string])[] = [["pipeline", "analyse"]];

/** Engines of a phase that do not know each other. */
const ENGINES = /^transformer\/3-differentiate\/(forward|reverse|delta)\//;

const problems = (
  sources: readonly Source[],
  find: (source: Source) => readonly string[],
): string[] => sources.flatMap((s) => find(s).map((what) => `${s.name}: ${what}`));

describe("direction", () => {
  test("a part imports what stands behind it only", () => {
    expect(
      problems([...transformer, ...runtime], ({ name, imports }) =>
        imports
          .filter(({ target, typeOnly }) => {
            if (
              !target.includes("/") ||
              !/^(transformer|runtime|tests|scripts|fixtures)\//.test(target)
            )
              return false;
            const [from, to] = [partOf(name), partOf(target)];
            if (from === to) return false;
            if (TYPE_ONLY.some(([a, b]) => a === from && b === to)) return !typeOnly;
            return !(MAY[from] ?? []).includes(to);
          })
          .map((i) => `imports ${i.target}`),
      ),
    ).toEqual([]);
  });

  test("every part has its place", () => {
    expect(
      [...new Set(transformer.map((s) => partOf(s.name)))].filter((part) => !(part in MAY)),
    ).toEqual([]);
  });

  test("engines do not import each other", () => {
    expect(
      problems(transformer, ({ name, imports }) => {
        const own = ENGINES.exec(name)?.[1];
        return own === undefined
          ? []
          : imports.map((i) => i.target).filter((t) => (ENGINES.exec(t)?.[1] ?? own) !== own);
      }),
    ).toEqual([]);
  });

  test("only lowering and hosts know TypeScript, and nobody loads it but as a parameter", () => {
    const types = [
      "analyse",
      "pipeline",
      "explain",
      "closed",
      "engines",
      "incremental",
      "derive-nested",
      "delta",
    ];
    expect(
      problems(transformer, ({ name, imports }) =>
        imports
          .filter((i) => i.target === "typescript" || i.target.startsWith("typescript/"))
          .filter(
            (i) =>
              !(
                i.typeOnly &&
                (types.includes(partOf(name)) || ["1-lower", "hosts"].includes(partOf(name)))
              ),
          )
          .map((i) => `imports ${i.target}`),
      ),
    ).toEqual([]);
  });

  test("the core touches no file, process or network, and no package", () => {
    expect(
      problems(
        transformer.filter((s) => partOf(s.name) !== "hosts"),
        ({ imports }) =>
          imports
            .map((i) => i.target)
            .filter((t) => !t.startsWith("transformer/") && t !== "typescript"),
      ),
    ).toEqual([]);
  });

  test("the runtime imports nothing but itself", () => {
    expect(
      problems(runtime, ({ imports }) =>
        imports.map((i) => i.target).filter((t) => !t.startsWith("runtime/")),
      ),
    ).toEqual([]);
  });
});

describe("size", () => {
  test("no file is longer than 500 lines", () => {
    expect(
      [...transformer, ...runtime, ...sourcesIn("tests", "scripts")]
        .filter((s) => s.text.split("\n").length > 500)
        .map((s) => s.name),
    ).toEqual([]);
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

/** A comment on the assertion's line, or on the line above the statement. */
function explained(node: ts.Node): boolean {
  const file = node.getSourceFile();
  const lines = file.text.split("\n");
  const at = (offset: number): number => file.getLineAndCharacterOfPosition(offset).line;
  let statement = node;
  while (statement.parent !== undefined && !ts.isStatement(statement)) statement = statement.parent;
  return (
    /\/\/ |\/\*\* /.test(lines[at(node.getEnd())] ?? "") ||
    /^\s*(?:\/\/|\/\*\*) /.test(lines[at(statement.getStart()) - 1] ?? "")
  );
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
        "README.md",
        "docs",
        "fixtures",
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

  test("CI runs what the README says", () => {
    const run = readFileSync(path.join(root, ".ci/run"), "utf8");
    expect(run).toContain("set -euo pipefail");
    for (const command of ["npm ci", "npm test"]) {
      expect(run).toContain(command);
      expect(readFileSync(path.join(root, "README.md"), "utf8")).toContain(command);
    }
  });
});
