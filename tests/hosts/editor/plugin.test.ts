// The language-service plugin in real tsserver processes of TypeScript 6 and 5.9, as an editor runs them.

import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { place } from "../../package/install.ts";
import { sandbox, type Sandbox } from "../sandbox.ts";
import { placeOf, tsserver, type TsServer } from "./tsserver.ts";

const MODEL = `export function loss(xs: number[], k: number): number {
  let sum = 0;
  for (const x of xs) sum += Math.sin(x) * k;
  return sum;
}
export const told = (x: number): number => {
  console.log(x);
  return eval("x");
};
`;
const MAIN = `import { grad, hessian } from "tsgrad";
import { loss, told } from "./model.js";

export const slope = grad(loss, { argnums: [0, 1] });
export const wrong = grad(loss, 1);
export const other = grad(told, { engine: "static" });
export const curve = hessian((x: number) => x ** 3);
`;
const TSCONFIG = JSON.stringify({
  compilerOptions: {
    target: "es2022",
    module: "nodenext",
    strict: true,
    types: [],
    noEmit: true,
    plugins: [{ name: "tsgrad" }],
  },
  include: ["src"],
});

interface Diagnostic {
  readonly start: { readonly line: number; readonly offset: number };
  readonly end: { readonly line: number; readonly offset: number };
  readonly text: string;
  readonly code: number;
  readonly source?: string;
}

describe.each(["typescript", "ts59"])("tsserver of %s", (compiler) => {
  let box: Sandbox;
  let server: TsServer;
  let main: string;

  beforeAll(async () => {
    box = sandbox({ "tsconfig.json": TSCONFIG, "src/main.ts": MAIN, "src/model.ts": MODEL });
    place(box);
    server = tsserver(compiler, box.dir);
    main = box.at("src/main.ts");
    for (const file of [main, box.at("src/model.ts")]) server.tell("open", { file });
  });

  /** Those of tsgrad, once all are known. */
  const diagnosticsOf = async (file: string): Promise<readonly Diagnostic[]> => {
    const all = (await server.ask("semanticDiagnosticsSync", { file })) as Diagnostic[];
    return all.filter(({ source }) => source === "tsgrad");
  };

  test("diagnostics arrive when the editor is idle, after TypeScript's own", async () => {
    const updated = server.event("projectsUpdatedInBackground");
    expect(await diagnosticsOf(main)).toEqual([]);
    await updated;
    const found = await diagnosticsOf(main);
    expect(found.map(({ code, start }) => [code, start.line])).toEqual([
      [1003, 5],
      [1103, 6],
    ]);
    expect(found[0]?.text).toMatch(/^TSG1003: .*literal.*\n.*argnums/);
  });

  test("a refusal is shown where the code is, too", async () => {
    const [found] = await diagnosticsOf(box.at("src/model.ts"));
    expect(found).toMatchObject({ code: 1103, start: { line: 8, offset: 10 } });
  });

  test("hover", async () => {
    const at = { file: main, ...placeOf(main, "grad(loss, {") };
    const info = (await server.ask("quickinfo", at)) as { documentation: string };
    expect(info.documentation).toMatch(/^\*\*tsgrad\*\* static engine: at most 5 times/);
    expect(info.documentation).toContain("function loss$grad$xs$k(xs: number[], k: number)");
    const plain = (await server.ask("quickinfo", {
      file: main,
      ...placeOf(main, "loss, { arg"),
    })) as { documentation: string };
    expect(plain.documentation).toBe("");
  });

  test("a quick fix", async () => {
    const [first] = await diagnosticsOf(main);
    if (first?.code !== 1003) throw new Error("there is no TSG1003");
    const { start, end } = first;
    const span = {
      startLine: start.line,
      startOffset: start.offset,
      endLine: end.line,
      endOffset: end.offset,
    };
    const codes = (await server.ask("getSupportedCodeFixes", { file: main })) as string[];
    expect(codes).toContain("1003");
    const fixes = await server.ask("getCodeFixes", { file: main, ...span, errorCodes: [1003] });
    expect(fixes).toMatchObject([
      {
        fixName: "TSG1003",
        description: "Write `{ argnums: 1 }`",
        changes: [{ fileName: main, textChanges: [{ start, end, newText: "{ argnums: 1 }" }] }],
      },
    ]);
  });

  test("the derivative is shown in a file of its own", async () => {
    const { line, offset } = placeOf(main, "hessian((x");
    const span = { startLine: line, startOffset: offset, endLine: line, endOffset: offset };
    const found = await server.ask("getApplicableRefactors", {
      file: main,
      ...span,
      triggerReason: "invoked",
    });
    expect(JSON.stringify(found)).toContain("Show the derivative of 'curve'");
    const edit = { file: main, ...span, refactor: "tsgrad", action: "show derivative" };
    const { edits } = (await server.ask("getEditsForRefactor", edit)) as {
      edits: { fileName: string; textChanges: { newText: string }[] }[];
    };
    expect(edits[0]?.fileName).toContain("node_modules/.cache/tsgrad/show/curve.");
    expect(edits[0]?.textChanges[0]?.newText).toContain("return 6 * x;");
    const places = (await server.ask("implementation", { file: main, line, offset })) as {
      file: string;
    }[];
    expect(readFileSync(places[0]?.file ?? "", "utf8")).toContain("return 6 * x;");
  });

  test("an edit moves what is known, and mends what it was about", async () => {
    const line = MAIN.split("\n").findIndex((text) => text.includes("wrong")) + 1;
    const change = (at: number, offset: number, endOffset: number, insertString: string): void =>
      server.tell("change", { file: main, line: at, offset, endLine: at, endOffset, insertString });
    change(1, 1, 1, "// a comment\n");
    expect((await diagnosticsOf(main)).map(({ start }) => start.line)).toEqual([6, 7]);
    const column = "export const wrong = grad(loss, ".length + 1;
    change(line + 1, column, column + 1, "{ argnums: 1 }");
    // TypeScript answers at once; ours comes at once, too, or when the editor is idle
    await server.ask("completionInfo", { file: main, line: 2, offset: 1 });
    const updated = server.event("projectsUpdatedInBackground");
    const found = await diagnosticsOf(main);
    if (found.length !== 1) await updated;
    expect((await diagnosticsOf(main)).map(({ code }) => code)).toEqual([1103]);
  });
});
