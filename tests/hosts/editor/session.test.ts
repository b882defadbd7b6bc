// What an editor knows while somebody types, and that a mistake of ours takes none of TypeScript's answers away.

import ts from "typescript";
import { expect, test, vi } from "vitest";
import { languageServicePlugin } from "../../../transformer/hosts/editor/plugin.ts";
import { Session } from "../../../transformer/hosts/editor/session.ts";
import { programOf } from "../../program.ts";

const MODEL = `export const told = (x: number): number => eval("x");\n`;
const MAIN = `import { grad } from "tsgrad";\nimport { told } from "./model.ts";\nexport const d = grad(told, { engine: "static" });\nconst f = (x: number): number => x * x;\nexport const g = grad(f);\n`;

const programWith = (main: string, model = MODEL): ts.Program =>
  programOf({ "main.ts": main, "model.ts": model, "other.ts": "export const x = 1;\n" }).program;

/** What is said of a file, with the code that it stands at. */
function found(session: Session, program: ts.Program, file: string): string[] {
  const text = program.getSourceFile(file)?.text ?? "";
  return session
    .diagnosticsIn(program, file)
    .map(({ code, span }) => `${code} ${text.slice(span.start, span.end)}`);
}

function settled(session: Session, program: ts.Program, file: string): string[] {
  while (!session.step(program, file).isDone);
  return found(session, program, file);
}

test("a refusal stands at the code, and at the call that asks for it", () => {
  const session = new Session(ts);
  const program = programWith(MAIN);
  expect(settled(session, program, "/src/model.ts")).toEqual(['TSG1103 eval("x")']);
  expect(found(session, program, "/src/main.ts").join()).toMatch(/^TSG1103 grad\(told/);
  expect(settled(session, program, "/src/other.ts")).toEqual([]);
});

test("before the next analysis findings keep their places, or go with their code", () => {
  const session = new Session(ts);
  settled(session, programWith(MAIN), "/src/model.ts");
  const longer = programWith(MAIN, `// more\n${MODEL}const after = 1;\n`);
  expect(found(session, longer, "/src/model.ts")).toEqual([]); // two edits: nothing is sure
  const shifted = programWith(MAIN, `// more\n${MODEL}`);
  expect(found(session, shifted, "/src/model.ts")).toEqual(['TSG1103 eval("x")']);
  const edited = programWith(MAIN, MODEL.replace('"x"', '"y"'));
  expect(found(session, edited, "/src/model.ts")).toEqual([]);
  expect(settled(session, edited, "/src/model.ts")).toEqual(['TSG1103 eval("y")']);
});

test("a syntax error leaves what is known", () => {
  const session = new Session(ts);
  settled(session, programWith(MAIN), "/src/main.ts");
  const broken = programWith(`${MAIN}const half = (`);
  expect(settled(session, broken, "/src/main.ts").join()).toMatch(/^TSG1103/);
  expect(session.sitesOf(broken, "/src/main.ts").map(({ name }) => name)).toEqual(["f"]);
});

/** The plugin over a language service that answers with what is given. */
function plugged(own: Partial<ts.LanguageService>): {
  readonly service: ts.LanguageService;
  readonly log: string[];
} {
  const log: string[] = [];
  const logger = { info: (text: string): void => void log.push(text) };
  const service = languageServicePlugin({ typescript: ts }).create({
    languageService: own as ts.LanguageService,
    project: {
      refreshDiagnostics: () => undefined,
      isClosed: () => false,
      projectService: { logger, getScriptInfo: () => undefined },
    },
  });
  return { service, log };
}

test("an internal error is logged, and TypeScript's answers stay", () => {
  const own = [{ code: 1 }] as unknown as ts.Diagnostic[];
  const info = { kind: ts.ScriptElementKind.constElement } as ts.QuickInfo;
  const { service, log } = plugged({
    getProgram: () => {
      throw new Error("internal");
    },
    getSemanticDiagnostics: () => own,
    getQuickInfoAtPosition: () => info,
    getApplicableRefactors: () => [],
    getCodeFixesAtPosition: () => [],
  });
  expect(service.getSemanticDiagnostics("/a.ts")).toBe(own);
  expect(service.getQuickInfoAtPosition("/a.ts", 0)).toBe(info);
  expect(service.getApplicableRefactors("/a.ts", 0, {})).toEqual([]);
  expect(service.getCodeFixesAtPosition("/a.ts", 0, 1, [1003], {}, {})).toEqual([]);
  expect(log.join("\n")).toContain("tsgrad: Error: internal");
});

test("work that takes time waits until nobody types", () => {
  vi.useFakeTimers();
  try {
    let program = programWith(MAIN);
    const read = vi.spyOn(Session.prototype, "step");
    const { service } = plugged({ getProgram: () => program, getSemanticDiagnostics: () => [] });
    expect(service.getSemanticDiagnostics("/src/main.ts")).toEqual([]);
    vi.advanceTimersByTime(100);
    expect(read).not.toHaveBeenCalled();
    program = programWith(`${MAIN}// more\n`); // a key stroke
    vi.advanceTimersByTime(100);
    expect(read).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1000);
    expect(read).toHaveBeenCalled();
    expect(service.getSemanticDiagnostics("/src/main.ts").map(({ code }) => code)).toEqual([1103]);
  } finally {
    vi.useRealTimers();
    vi.restoreAllMocks();
  }
});
