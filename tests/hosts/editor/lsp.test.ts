// The language server in a real process, asked by a client over its standard streams, in a project whose TypeScript is a 7.

import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type CodeAction,
  type Hover,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
} from "vscode-languageserver/node.js";
import { place } from "../../package/install.ts";
import { repository, sandbox, type Sandbox } from "../sandbox.ts";

const MAIN = `import { grad } from "tsgrad";
import { loss } from "./model.js";

export const slope = grad(loss, { argnums: [0, 1] });
export const wrong = grad(loss, 1);
`;
const MODEL = `export const loss = (x: number, k: number): number => Math.sin(x) * k;\n`;
const TSCONFIG = JSON.stringify({
  compilerOptions: { target: "es2022", module: "nodenext", strict: true, types: [], noEmit: true },
  include: ["src"],
});

let box: Sandbox;
let client: ProtocolConnection;
let published: PublishDiagnosticsParams[] = [];
const shown: string[] = [];
const uri = (name: string): string => pathToFileURL(box.at(name)).href;

/** The position of a text in main.ts. */
function at(part: string, text = MAIN): { line: number; character: number } {
  const before = text.split(part, 1).join("").split("\n");
  return { line: before.length - 1, character: (before.at(-1) ?? "").length };
}

/** The next diagnostics of main.ts for which `is` holds. */
async function diagnostics(
  is: (codes: readonly unknown[]) => boolean,
): Promise<PublishDiagnosticsParams["diagnostics"]> {
  for (;;) {
    const found = published.find(
      (one) => one.uri === uri("src/main.ts") && is(one.diagnostics.map(({ code }) => code)),
    );
    if (found !== undefined) return found.diagnostics;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

beforeAll(async () => {
  box = sandbox(
    {
      "tsconfig.json": TSCONFIG,
      "src/main.ts": MAIN,
      "src/model.ts": MODEL,
      "node_modules/typescript/package.json": '{ "name": "typescript", "version": "7.0.2" }',
    },
    { stubs: false },
  );
  place(box);
  // where npm puts it beside a TypeScript 7
  mkdirSync(box.at("node_modules/tsgrad/node_modules"));
  symlinkSync(
    path.join(repository, "node_modules/typescript"),
    box.at("node_modules/tsgrad/node_modules/typescript"),
  );
  const child = spawn(
    process.execPath,
    [box.at("node_modules/tsgrad/dist/tsgrad.cjs"), "lsp", "--stdio"],
    { cwd: box.dir, stdio: ["pipe", "pipe", "inherit"] },
  );
  afterAll(() => void child.kill());
  client = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  client.onNotification("textDocument/publishDiagnostics", (params) => void published.push(params));
  client.onRequest("window/showDocument", ({ uri: name }: { uri: string }) => {
    shown.push(name);
    return { success: true };
  });
  client.listen();
  await client.sendRequest("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(box.dir).href,
    capabilities: { window: { showDocument: { support: true } } },
  });
  void client.sendNotification("initialized", {});
  void client.sendNotification("textDocument/didOpen", {
    textDocument: { uri: uri("src/main.ts"), languageId: "typescript", version: 1, text: MAIN },
  });
});

test("diagnostics", async () => {
  const [found] = await diagnostics((codes) => codes.length > 0);
  expect(found).toMatchObject({
    code: "TSG1003",
    source: "tsgrad",
    severity: 1,
    range: { start: at("1);") },
  });
  expect(found?.message).toMatch(/literal.*\n.*argnums/);
});

test("hover", async () => {
  const ask = (position: object): Promise<Hover | null> =>
    client.sendRequest("textDocument/hover", {
      textDocument: { uri: uri("src/main.ts") },
      position,
    });
  const found = await ask(at("grad(loss, {"));
  expect(JSON.stringify(found?.contents)).toMatch(
    /static engine: at most 5 times.*function loss\$grad\$x\$k\(x: number, k: number\)/,
  );
  expect(await ask(at("loss, {"))).toBeNull();
});

const actionsAt = (position: object): Promise<CodeAction[]> =>
  client.sendRequest("textDocument/codeAction", {
    textDocument: { uri: uri("src/main.ts") },
    range: { start: position, end: position },
    context: { diagnostics: [] },
  });

test("a quick fix", async () => {
  const [fix] = await actionsAt(at("1);"));
  const start = at("1);");
  expect(fix).toMatchObject({
    title: "Write `{ argnums: 1 }`",
    kind: "quickfix",
    edit: {
      changes: {
        [uri("src/main.ts")]: [{ newText: "{ argnums: 1 }", range: { start } }],
      },
    },
  });
});

test("the derivative is shown in a file of its own", async () => {
  const [action] = await actionsAt(at("loss, {"));
  expect(action?.title).toBe("Show the derivative of 'loss'");
  await client.sendRequest("workspace/executeCommand", {
    command: action?.command?.command,
    arguments: action?.command?.arguments,
  });
  expect(readFileSync(new URL(shown[0] ?? ""), "utf8")).toContain("Math.cos(x)");
});

test("an edit of another open file is seen, and one that mends the call", async () => {
  published = [];
  const change = (name: string, version: number, text: string): void =>
    void client.sendNotification("textDocument/didChange", {
      textDocument: { uri: uri(name), version },
      contentChanges: [{ text }],
    });
  const mended = MAIN.replace("grad(loss, 1)", "grad(loss)");
  change("src/main.ts", 2, mended);
  await diagnostics((codes) => codes.length === 0);
  published = [];
  const text = MODEL.replace("Math.sin(x) * k", "Math.sin(x)");
  const textDocument = { uri: uri("src/model.ts"), languageId: "typescript", version: 1, text };
  void client.sendNotification("textDocument/didOpen", { textDocument });
  const [found] = await diagnostics((codes) => codes.includes("TSG8002"));
  expect(found?.range.start).toEqual(at("grad(loss, {", mended));
});

test("what is asked of an unknown file has an empty answer", async () => {
  const textDocument = { uri: "untitled:Untitled-1" };
  const position = { line: 0, character: 0 };
  expect(await client.sendRequest("textDocument/hover", { textDocument, position })).toBeNull();
});
