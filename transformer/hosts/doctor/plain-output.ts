// Derivatives that are missing since plain `tsc` compiles a call: scripts that run it, and
// JavaScript that it has written, in which the calls have the arguments of the source.

import path from "node:path";
import type ts from "typescript";
import type { TypeScript } from "../../analyse.ts";
import type { ProjectFiles } from "../init/project-files.ts";
import { type CompilerRun, outputOf } from "./compiler-runs.ts";
import { error, type SetUpFinding, warning } from "./set-up.ts";
import type { Site } from "./sites.ts";

export function plainFindings(
  api: TypeScript,
  project: ProjectFiles,
  runs: readonly CompilerRun[],
  sites: readonly Site[],
): readonly SetUpFinding[] {
  const compiled = sites.filter(({ engine }) => engine !== null);
  const files = [...new Set(compiled.map(({ file }) => file))];
  const remedy = project.script(/\btspc\b/) ? "npx tspc -p ." : "npx tsgrad build -p .";
  const outputs = new Map<string, string>();
  const plain = new Set<string>();
  for (const file of files)
    for (const { script, isPlain, configs } of runs)
      for (const config of configs) {
        const name = outputOf(api, config, project.at(file));
        if (name === undefined) continue;
        outputs.set(path.relative(project.folder, name), file);
        if (isPlain && script !== null) plain.add(script);
      }
  const lacking = [...outputs].filter(([name, file]) => {
    const [text, source] = [project.read(name), project.read(file)];
    const calls = compiled.filter((site) => site.file === file);
    return text !== null && source !== null && lacksDerivatives(api, source, calls, text);
  });
  const [first, ...more] = lacking.map(([name]) => name);
  return [
    ...(first === undefined ? [] : [writtenPlainly(first, more.length, remedy)]),
    ...[...plain].map(plainScript),
  ];
}

/** One finding for all files, since one run writes them. */
function writtenPlainly(first: string, more: number, remedy: string): SetUpFinding {
  const files = `${first}${more === 0 ? " has" : ` and ${more} more ${more === 1 ? "file" : "files"} have`}`;
  return error(
    `${files} calls without derivatives, as plain \`tsc\` writes them: they throw TSG0001`,
    `run \`${remedy}\`, which writes them again; delete them if another tool builds what you run`,
  );
}

const plainScript = (script: string): SetUpFinding =>
  warning(
    `the script \`${script}\` runs plain \`tsc\`, which writes no derivatives`,
    "write `tsgrad build` in its place, which takes tsc's flags, or add `--noEmit`",
  );

/** Whether no call of a form has an argument more than in the source. */
function lacksDerivatives(
  api: TypeScript,
  source: string,
  sites: readonly Site[],
  output: string,
): boolean {
  const file = api.createSourceFile("source.tsx", source, api.ScriptTarget.Latest);
  const names = new Set(sites.map(({ call }) => call.split("(", 1)[0] ?? ""));
  for (const node of nodesIn(api, file))
    if (api.isImportSpecifier(node) && names.has((node.propertyName ?? node.name).text))
      names.add(node.name.text);
  const written = api.createSourceFile("output.jsx", output, api.ScriptTarget.Latest);
  const [before, after] = [file, written].map((one) =>
    nodesIn(api, one).flatMap((node) =>
      api.isCallExpression(node) && names.has(calleeOf(api, node)) ? [node.arguments.length] : [],
    ),
  );
  const sum = (counts: readonly number[] = []): number => counts.reduce((a, b) => a + b, 0);
  return before?.length === after?.length && sum(before) === sum(after);
}

/** `grad` of `grad(f)`, `tsgrad.grad(f)` and `(0, tsgrad_1.grad)(f)`. */
function calleeOf(api: TypeScript, { expression }: ts.CallExpression): string {
  let callee: ts.Expression = expression;
  while (api.isParenthesizedExpression(callee) || api.isBinaryExpression(callee))
    callee = api.isBinaryExpression(callee) ? callee.right : callee.expression;
  if (api.isPropertyAccessExpression(callee)) return callee.name.text;
  return api.isIdentifier(callee) ? callee.text : "";
}

function nodesIn(api: TypeScript, file: ts.SourceFile): readonly ts.Node[] {
  const found: ts.Node[] = [];
  const open: ts.Node[] = [file];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    found.push(node);
    api.forEachChild(node, (child) => void open.push(child));
  }
  return found;
}
