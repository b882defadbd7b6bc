// Examples of documents, built and run. In: a page. Out: its examples; and of one example what does
// not hold of its comments, as lines of text. Invariant: what is not checked is a fault: an example
// without a check, an expression whose value nobody states, a diagnostic that no comment names.

import { createRequire } from "node:module";
import { transformSync } from "esbuild";
import ts from "typescript";
import { expect } from "vitest";
import * as captured from "../../runtime/captured.ts";
import * as deltaHigher from "../../runtime/delta/higher/index.ts";
import * as delta from "../../runtime/delta/index.ts";
import * as implicit from "../../runtime/implicit/index.ts";
import * as tree from "../../runtime/tree/index.ts";
import * as vector from "../../runtime/vector/index.ts";
import * as runtime from "../../runtime/index.ts";
import * as testing from "../../runtime/testing.ts";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { fencesOf, type Fence } from "../../scripts/documents.ts";
import { programOf, typeErrors } from "../program.ts";
import { mismatch } from "./stated-value.ts";

export interface Example {
  readonly line: number;
  readonly code: string;
  /** Declarations that the page shows as files of their own. */
  readonly declarations: Readonly<Record<string, string>>;
}

/**
 * The modules that a page shows. A `ts` block that begins with an import starts one; a block that
 * does not goes on with the one before it. A block with a title such as `[fmin.d.ts]` is a file
 * that all of them see.
 */
export function examplesOf(page: string): readonly Example[] {
  const fences = fencesOf(page).filter(({ language }) => language === "ts");
  const isDeclaration = ({ title }: Fence): boolean => title.endsWith(".d.ts");
  const declarations = Object.fromEntries(
    fences.filter(isDeclaration).map(({ title, code }) => [`/src/${title}`, code]),
  );
  const examples: Example[] = [];
  for (const { line, code } of fences.filter((one) => !isDeclaration(one))) {
    const last = examples.at(-1);
    if (last === undefined || code.startsWith("import "))
      examples.push({ line, code, declarations });
    else examples[examples.length - 1] = { ...last, code: `${last.code}\n${code}` };
  }
  return examples;
}

const FILE = "/src/example.ts";
const DIAGNOSTIC = /\/\/ (TSG?\d{4,5})\b/;

/** As much of vitest's types as examples use. */
const VITEST = `
export interface Matchers<T = any> { toEqual(expected: unknown): void; toBe(expected: unknown): void; toContain(part: unknown): void; toThrow(text?: string | RegExp): void }
export interface Assertion<T = any> extends Matchers<T> { readonly not: Assertion<T> }
export declare const expect: { <T>(value: T): Assertion<T>; extend(matchers: object): void };
export declare function test(name: string, body: () => void): void;
`;
/** A package of which there are declarations, and code that is no part of the program. */
const SPECIAL = `
export declare function erf(x: number): number;
export declare function softmax(xs: number[]): number[];
`;
const special = {
  erf: (x: number): number => {
    let sum = x;
    let term = x;
    for (let k = 1; k < 60; k++) {
      term *= (-x * x) / k;
      sum += term / (2 * k + 1);
    }
    return (2 / Math.sqrt(Math.PI)) * sum;
  },
  softmax: (xs: readonly number[]): number[] => {
    const es = xs.map(Math.exp);
    const sum = es.reduce((x, y) => x + y, 0);
    return es.map((e) => e / sum);
  },
};
const filesOf = (code: string, declarations: Example["declarations"]): Record<string, string> => ({
  [FILE]: code,
  ...declarations,
  ...(code.includes('"vitest"') ? { "/src/node_modules/vitest/index.d.ts": VITEST } : {}),
  ...(code.includes('"special-functions"')
    ? { "/src/node_modules/special-functions/index.d.ts": SPECIAL }
    : {}),
});

/** What does not hold; nothing where all does. */
export function faultsOf(
  code: string,
  declarations: Example["declarations"] = {},
): readonly string[] {
  const host = programOf(filesOf(code, declarations));
  const source = host.program.getSourceFile(FILE);
  if (source === undefined) throw new Error("the example is not in its program");
  const lineAt = (position: number): number =>
    source.getLineAndCharacterOfPosition(position).line + 1;
  const stated = code.split("\n").flatMap((text, i) => {
    const found = DIAGNOSTIC.exec(text)?.[1];
    return found === undefined ? [] : [`${found} in line ${i + 1}`];
  });
  const wrong = host.program.getSemanticDiagnostics(source).map((one) => ({
    at: `TS${one.code} in line ${lineAt(one.start ?? 0)}`,
    text: ts.flattenDiagnosticMessageText(one.messageText, " "),
    isError: true,
  }));
  const analysed =
    wrong.length > 0
      ? {
          edits: new Map<string, readonly { start: number; end: number; text: string }[]>(),
          diagnostics: [],
        }
      : analyse(host);
  const reported = analysed.diagnostics.map((one) => ({
    at: `${one.code} in line ${lineAt(one.span.start)}`,
    text: one.message,
    isError: one.severity === "error",
  }));
  const found = [...wrong, ...reported];
  const faults = [
    ...found
      .filter(({ at }) => !stated.includes(at))
      .map(({ at, text }) => `${at}, which no comment says: ${text}`),
    ...stated.filter((at) => !found.some((one) => one.at === at)).map((at) => `there is no ${at}`),
  ];
  if (faults.length > 0 || found.some(({ isError }) => isError)) return faults;
  const types = typeChecks(code);
  const unequal =
    types.length === 0 ? [] : typeErrors(programOf(filesOf(code + types, declarations)));
  const emitted = applyEdits(FILE, code, analyse(host).edits.get(FILE) ?? []).text;
  const untyped = typeErrors(programOf(filesOf(emitted, declarations))).map(
    (text) => `the emitted code does not type-check: ${text}`,
  );
  return [...unequal, ...untyped, ...run(emitted, stated.length > 0 || types.length > 0)];
}

// type D = X; // Y  ->  each of D and Y is assignable to the other
function typeChecks(code: string): string {
  return [...code.matchAll(/^type (\w+) = .*; \/\/ (.+)$/gm)]
    .flatMap(([, name = "", stated = ""]) => [
      `((x: ${name}): ${stated} => x);`,
      `((x: ${stated}): ${name} => x);`,
    ])
    .join("\n");
}

/** A statement of the example's own and what stands behind it. */
interface Stated {
  readonly statement: ts.Statement;
  readonly comment: readonly string[];
  readonly line: string;
}

function statedIn(file: ts.SourceFile): readonly Stated[] {
  return file.statements.map((statement) => {
    const text = file.text;
    const first = /^[ \t]*\/\/ ?(.*)/.exec(text.slice(statement.getEnd()).split("\n", 1)[0] ?? "");
    const line = statement.getText(file).split("\n")[0] ?? "";
    if (first === null) return { statement, comment: [], line };
    // indented comment lines go on with it
    const rest = text
      .slice(statement.getEnd())
      .split("\n")
      .slice(1)
      .map((one) => /^\s+\/\/ ?(.*)/.exec(one)?.[1]);
    const count = rest.indexOf(undefined);
    return {
      statement,
      comment: [
        first[1] ?? "",
        ...rest.slice(0, count < 0 ? 0 : count).filter((one) => one !== undefined),
      ],
      line,
    };
  });
}

/** Runs emitted code with each statement's value handed to its check. */
function run(emitted: string, hasDiagnostics: boolean): readonly string[] {
  const { text, checks, faults } = instrumented(emitted);
  const found = [...faults];
  const done = new Set<number>();
  let tests = 0;
  const checked = (k: number, faultOf: (comment: readonly string[]) => string | null): void => {
    const { comment, line } = checks[k] ?? { comment: [], line: "" };
    const fault = faultOf(comment);
    done.add(k);
    if (fault !== null) found.push(`${line}: ${fault}`);
  };
  execute(text, {
    given: (k, value) => {
      checked(k, (comment) =>
        comment.length > 0
          ? value === comment.join("\n")
            ? null
            : mismatch(value, comment)
          : value === undefined
            ? null
            : "nobody says what it gives",
      );
    },
    thrown: (k, body) => {
      checked(k, ([first = ""]) => escape(body, first));
    },
    test: (_, body) => {
      tests++;
      body();
    },
  });
  if (checks.every(({ comment }) => comment.length === 0) && tests === 0 && !hasDiagnostics)
    found.push("the example has no check");
  return [
    ...found,
    ...checks.filter((_, k) => !done.has(k)).map(({ line }) => `${line}: did not run`),
  ];
}

/** What is wrong with an error of the run, against `throws …`. */
function escape(body: () => unknown, comment: string): string | null {
  const expected = /^throws (TSG\d{4}|"[^"]*")/.exec(comment)?.[1]?.replaceAll('"', "");
  if (expected === undefined) return "what does it throw?";
  try {
    body();
  } catch (error) {
    return String(error).includes(expected) ? null : `throws ${String(error)}`;
  }
  return "throws nothing";
}

interface Instrumented {
  readonly text: string;
  readonly checks: readonly Stated[];
  readonly faults: readonly string[];
}

/** `x` of `console.log(x)`. */
function printed(node: ts.Expression): ts.Expression | undefined {
  if (!ts.isCallExpression(node) || node.expression.getText() !== "console.log") return undefined;
  return node.arguments.length === 1 ? node.arguments[0] : undefined;
}

// f(x); // 3           ->  $given(0, f(x));
// const y = f(x); // 3 ->  const y = f(x); $given(0, y);
// f(x); // throws "z"  ->  $thrown(0, () => f(x));
// console.log(x); // 3 ->  console.log($given(0, x));
function instrumented(emitted: string): Instrumented {
  const file = ts.createSourceFile(FILE, emitted, ts.ScriptTarget.ES2023, true);
  const faults: string[] = [];
  const insertions: { readonly at: number; readonly text: string }[] = [];
  const checks: Stated[] = [];
  for (const one of statedIn(file)) {
    const { statement, comment } = one;
    const states = comment.length > 0 && !DIAGNOSTIC.test(`// ${comment[0] ?? ""}`);
    if (ts.isExpressionStatement(statement)) {
      // assignments, and what is set up for tests
      if (
        !states &&
        (ts.isBinaryExpression(statement.expression) || one.line.startsWith("expect."))
      )
        continue;
      const open = /^throws\b/.test(comment[0] ?? "")
        ? `$thrown(${checks.length}, () => `
        : `$given(${checks.length}, `;
      const value = printed(statement.expression) ?? statement.expression;
      insertions.push({ at: value.getStart(file), text: open }, { at: value.getEnd(), text: ")" });
    } else if (ts.isVariableStatement(statement) && states) {
      const [declaration] = statement.declarationList.declarations;
      if (
        statement.declarationList.declarations.length !== 1 ||
        declaration === undefined ||
        !ts.isIdentifier(declaration.name)
      ) {
        faults.push(`which name has this value? ${one.line}`);
        continue;
      }
      insertions.push({
        at: statement.getEnd(),
        text: ` $given(${checks.length}, ${declaration.name.text});`,
      });
    } else if (states && !ts.isTypeAliasDeclaration(statement)) {
      faults.push(`what is stated of this? ${one.line}`);
      continue;
    } else continue;
    checks.push(states ? one : { ...one, comment: [] });
  }
  const text = insertions
    .toSorted((a, b) => b.at - a.at)
    .reduce((done, { at, text: more }) => done.slice(0, at) + more + done.slice(at), emitted);
  return { text, checks, faults };
}

interface Hooks {
  given(k: number, value: unknown): void;
  thrown(k: number, body: () => unknown): void;
  test(name: string, body: () => void): void;
}

function execute(text: string, { given, thrown, test }: Hooks): void {
  const { code } = transformSync(text, {
    loader: "ts",
    format: "cjs",
    target: "node20",
    logLevel: "silent",
  });
  const load = createRequire(import.meta.url);
  const modules: Readonly<Record<string, object>> = {
    tsgrad: runtime,
    "tsgrad/captured": captured,
    "tsgrad/delta": delta,
    "tsgrad/delta-higher": deltaHigher,
    "tsgrad/testing": testing,
    "tsgrad/tree": tree,
    "tsgrad/vector": vector,
    "tsgrad/implicit": implicit,
    vitest: { expect, test },
    "special-functions": special,
  };
  const module = { exports: {} };
  new Function("console", "require", "module", "exports", "$given", "$thrown", code)(
    { log: () => undefined },
    (name: string): unknown => modules[name] ?? load(name),
    module,
    module.exports,
    given,
    thrown,
  );
}
