// A stand-in for the core, so that hosts are tested alone. In: a program. Out: edits like the core's. `grad(f)` of a one-line
// `function f(x: number): number { return …; }` gets `f$grad`, which returns f(x) and 1000; `/* bad */` in a body is an error,
// `/* odd */` a warning, and `/* broken */` gives derivative code that does not type-check.

import path from "node:path";
import type { Analysis, Host, Request } from "../../transformer/analyse.ts";
import type { Diagnostic } from "../../transformer/diagnostics/report.ts";
import type { Edit } from "../../transformer/ir/facts.ts";

interface Body {
  readonly file: string;
  readonly start: number;
  readonly body: number;
  readonly expression: string;
}

const FUNCTION = /(export )?function (\w+)\(x: number\): number \{\s*return ([^;]*);\s*\}/g;
const CALL = /(?<!function )\bgrad\((\w+)(\))/g;

export function fakeCore({ program }: Host, { files: only }: Request = {}): Analysis {
  const files = program
    .getSourceFiles()
    .filter((sf) => !sf.isDeclarationFile && !sf.fileName.includes("/node_modules/"));
  const bodies = new Map<string, Body>();
  for (const { fileName, text } of files) {
    for (const found of text.matchAll(FUNCTION)) {
      bodies.set(found[2] ?? "", {
        file: fileName,
        start: found.index,
        body: text.indexOf("return", found.index),
        expression: found[3] ?? "",
      });
    }
  }
  const edits = new Map<string, Edit[]>();
  const diagnostics: Diagnostic[] = [];
  const dependencies = new Map<string, Set<string>>();
  const wanted = new Map<string, boolean>();
  const insert = (
    file: string,
    at: number,
    text: string,
    mappings: Edit["mappings"] = [],
  ): void => {
    edits.set(
      file,
      [...(edits.get(file) ?? []), { start: at, end: at, text, mappings }].sort(
        (a, b) => a.start - b.start,
      ),
    );
  };
  for (const { fileName, text } of files.filter(
    (sf) => sf.text.includes('from "tsgrad"') && (only === undefined || only.includes(sf.fileName)),
  )) {
    const imports = new Set<string>();
    for (const found of text.matchAll(CALL)) {
      const name = found[1] ?? "";
      const target = bodies.get(name);
      if (target === undefined) continue;
      const call = { file: fileName, start: found.index, end: found.index + found[0].length };
      const chain = [{ text: `requested by \`grad(${name})\``, span: call }];
      const span = { file: target.file, start: target.body, end: target.body + "return".length };
      if (target.file !== fileName)
        dependencies.set(fileName, (dependencies.get(fileName) ?? new Set()).add(target.file));
      if (target.expression.includes("/* odd */"))
        diagnostics.push({
          code: "TSG8001",
          severity: "warning",
          message: `'${name}' is odd`,
          help: "",
          span,
          chain,
        });
      if (target.expression.includes("/* bad */")) {
        // reported once, as the core does, however many files ask
        if (
          !diagnostics.some(
            (d) => d.code === "TSG1003" && d.span.file === span.file && d.span.start === span.start,
          )
        )
          diagnostics.push({
            code: "TSG1003",
            severity: "error",
            message: `cannot differentiate '${name}'`,
            help: "Write it otherwise.",
            span,
            chain,
          });
        continue;
      }
      insert(fileName, call.end - 1, `, ${name}$grad`);
      const elsewhere = target.file !== fileName;
      wanted.set(name, elsewhere || wanted.get(name) === true);
      if (elsewhere)
        imports.add(
          `import { ${name}$grad } from "./${path.posix.relative(path.posix.dirname(fileName), target.file).replace(/\.ts$/, ".js")}"; `,
        );
    }
    if (imports.size > 0) insert(fileName, 0, [...imports].join(""));
  }
  for (const [name, exported] of wanted) {
    const target = bodies.get(name);
    if (target === undefined) continue;
    const result = target.expression.includes("/* broken */")
      ? `"text"`
      : `(${target.expression}) + 1000`;
    const head = `\n${exported ? "export " : ""}function ${name}$grad(x: number): number {\n`;
    const origin = (start: number): { file: string; start: number; end: number } => ({
      file: target.file,
      start,
      end: start + 6,
    });
    insert(
      target.file,
      files.find((sf) => sf.fileName === target.file)?.text.length ?? 0,
      `${head}  return ${result};\n}\n`,
      [
        { offset: 1, origin: origin(target.start) },
        { offset: head.length + 2, origin: origin(target.body) },
      ],
    );
  }
  return {
    edits,
    diagnostics,
    dependencies: new Map([...dependencies].map(([file, on]) => [file, [...on]])),
  };
}
