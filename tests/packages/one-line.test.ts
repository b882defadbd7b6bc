// Code without line breaks. In: statements and members whose semicolons a line break stands for, one after the other. Out: a line that
// means the same: TypeScript prints both alike.

import ts from "typescript";
import { expect, test } from "vitest";
import { oneLine } from "../../transformer/delta/packages/one-line.ts";

const STATEMENTS = [
  "f()",
  "let a = {}",
  "a = function () { return\n1 }",
  "do f(); while (a)",
  "for (;;) { if (a) break\na }",
  "o: for (;;) { continue o\n}",
  "throw a",
  "debugger",
  "export { a }",
  'import b from "b"',
  "export default a",
  "type T = { x: number\ny(): '}' }",
  "declare function g(): number",
  "abstract class C { x = {}\nstatic\ny\n'z'\nget\nw() { return 1 }\nabstract v(): number\n#u }",
  "interface I { x: number\n(): 1\nnew (): I\n[k: string]: unknown }",
  "yield_\n",
  "if (a) f()\nelse g()",
  "`a\n${a}\nb`",
  "// f(\na /* ;\n */",
  "a\n++\nb",
  "{ a }",
  "a = /[}/]/",
];

test.each(STATEMENTS.flatMap((one) => STATEMENTS.map((next) => [one, next] as const)))(
  "%j before %j",
  (one, next) => {
    const text = `${one}\n${next}`;
    const line = oneLine(ts, text);
    expect(line).not.toBeNull();
    expect(line).not.toContain("\n");
    expect(printed(line ?? "")).toBe(printed(text));
  },
);

const printed = (text: string): string =>
  ts
    .createPrinter({ removeComments: true })
    .printFile(ts.createSourceFile("a.ts", text, ts.ScriptTarget.ESNext, true))
    .replaceAll(/`[^`]*`/g, (template) => template.replaceAll("\n", "\\n"))
    .replaceAll(/\s+/g, " ");
