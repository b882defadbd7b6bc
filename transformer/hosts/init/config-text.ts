// Adds the plugin to the text of a tool's config, as an edit of the user's text. In: JavaScript or
// TypeScript. Out: the new text, or null where the config is not an object that can be read: the
// caller then prints the lines to add. Invariant: nothing outside the inserted text changes.

import type ts from "typescript";
import type { TypeScript } from "../../analyse.ts";

/** What is inserted into the config object. */
export interface Insertion {
  /** The module of the plugin, as `tsgrad/vite`; null for a tool that takes names. */
  readonly from: string | null;
  /** An array of the config that gets an element in front, or a property that must be new. */
  readonly property: string;
  /** The element, or the value of a property that must be new. */
  readonly value: string;
  readonly kind: "element" | "property";
  /** Functions whose first argument is the config, as `build` of esbuild; else it is exported. */
  readonly calls?: readonly string[];
}

interface TextEdit {
  readonly at: number;
  readonly text: string;
}

/** Whether a config uses the plugin already. */
export const usesPlugin = (text: string): boolean => /["']tsgrad\/[\w-]+["']/.test(text);

export function withInsertion(
  api: TypeScript,
  file: string,
  text: string,
  insertions: readonly Insertion[],
): string | null {
  const source = api.createSourceFile(file, text, api.ScriptTarget.Latest, true);
  const edits: TextEdit[] = [];
  for (const insertion of insertions) {
    const configs = configsIn(api, source, insertion.calls);
    const own = configs.map((config) => editOf(api, source, config, insertion));
    if (own.length === 0 || own.some((edit) => edit === null)) return null;
    edits.push(...own.filter((edit) => edit !== null));
  }
  const from = insertions[0]?.from ?? null;
  if (from !== null) edits.push(importOf(api, source, from));
  return edits
    .sort((one, other) => other.at - one.at)
    .reduce((made, { at, text: added }) => made.slice(0, at) + added + made.slice(at), text);
}

/** The config objects: what is exported, or what calls of these names take. */
function configsIn(
  api: TypeScript,
  source: ts.SourceFile,
  calls: readonly string[] | undefined,
): readonly ts.ObjectLiteralExpression[] {
  if (calls === undefined) return exportedIn(api, source).flatMap((node) => objectsOf(api, node));
  const found: ts.ObjectLiteralExpression[] = [];
  const visit = (node: ts.Node): void => {
    if (api.isCallExpression(node)) {
      const name = api.isPropertyAccessExpression(node.expression)
        ? node.expression.name
        : node.expression;
      const [first] = node.arguments;
      if (calls.includes(name.getText(source)) && first !== undefined)
        found.push(...objectsOf(api, first));
    }
    api.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** `export default …` and `module.exports = …`. */
const exportedIn = (api: TypeScript, source: ts.SourceFile): readonly ts.Expression[] =>
  source.statements.flatMap((node): ts.Expression[] => {
    if (api.isExportAssignment(node)) return [node.expression];
    if (!api.isExpressionStatement(node) || !api.isBinaryExpression(node.expression)) return [];
    const { left, right, operatorToken } = node.expression;
    const isExports =
      operatorToken.kind === api.SyntaxKind.EqualsToken &&
      left.getText(source) === "module.exports";
    return isExports ? [right] : [];
  });

/** The object that an expression gives; each one of an array; none where it cannot be read. */
function objectsOf(api: TypeScript, node: ts.Expression): readonly ts.ObjectLiteralExpression[] {
  if (api.isObjectLiteralExpression(node)) return [node];
  if (api.isArrayLiteralExpression(node))
    return node.elements.flatMap((element) => objectsOf(api, element));
  if (
    api.isParenthesizedExpression(node) ||
    api.isAsExpression(node) ||
    api.isSatisfiesExpression(node)
  )
    return objectsOf(api, node.expression);
  if (api.isIdentifier(node)) {
    const value = initialiserOf(api, node);
    return value === undefined ? [] : objectsOf(api, value);
  }
  if (api.isArrowFunction(node) || api.isFunctionExpression(node)) return returnedBy(api, node);
  // defineConfig({ … })
  const [first] = api.isCallExpression(node) ? node.arguments : [];
  return first === undefined ? [] : objectsOf(api, first);
}

function returnedBy(
  api: TypeScript,
  node: ts.ArrowFunction | ts.FunctionExpression,
): readonly ts.ObjectLiteralExpression[] {
  if (!api.isBlock(node.body)) return objectsOf(api, node.body);
  const last = node.body.statements.at(-1);
  return last !== undefined && api.isReturnStatement(last) && last.expression !== undefined
    ? objectsOf(api, last.expression)
    : [];
}

function initialiserOf(api: TypeScript, name: ts.Identifier): ts.Expression | undefined {
  return name
    .getSourceFile()
    .statements.filter((node) => api.isVariableStatement(node))
    .flatMap((node) => node.declarationList.declarations)
    .find(({ name: declared }) => api.isIdentifier(declared) && declared.text === name.text)
    ?.initializer;
}

function editOf(
  api: TypeScript,
  source: ts.SourceFile,
  config: ts.ObjectLiteralExpression,
  { property, value, kind }: Insertion,
): TextEdit | null {
  const existing = config.properties.find(
    ({ name }) =>
      name !== undefined &&
      (api.isIdentifier(name) || api.isStringLiteral(name)) &&
      name.text === property,
  );
  if (existing === undefined)
    return inFront(
      source,
      config,
      config.properties,
      `${property}: ${kind === "element" ? `[${value}]` : value}`,
    );
  if (kind === "property" || !api.isPropertyAssignment(existing)) return null;
  const list = existing.initializer;
  return api.isArrayLiteralExpression(list) ? inFront(source, list, list.elements, value) : null;
}

/** In front of the first element, on a line of its own if that has one. */
function inFront(
  source: ts.SourceFile,
  parent: ts.Node,
  elements: ts.NodeArray<ts.Node>,
  text: string,
): TextEdit {
  const first = elements[0];
  const open = parent.getStart(source) + 1;
  if (first === undefined) {
    const isBraces = source.text[open - 1] === "{";
    return { at: open, text: isBraces ? ` ${text} ` : text };
  }
  const at = first.getStart(source);
  const gap = source.text.slice(open, at);
  const indent = /\n([ \t]*)$/.exec(source.text.slice(0, at))?.[1];
  return {
    at,
    text: gap.includes("\n") && indent !== undefined ? `${text},\n${indent}` : `${text}, `,
  };
}

/** The import, or `require` where the config is CommonJS, in the manner of the file. */
function importOf(api: TypeScript, source: ts.SourceFile, from: string): TextEdit {
  const isRequire = /\bmodule\.exports\b/.test(source.text);
  const quote = /(?:from|require\() ?'/.test(source.text) ? "'" : '"';
  const isBare = source.statements.length > 0 && !source.text.includes(";");
  const name = `${quote}${from}${quote}`;
  const line = `${isRequire ? `const tsgrad = require(${name})` : `import tsgrad from ${name}`}${isBare ? "" : ";"}`;
  const last = source.statements.filter(
    (node) =>
      api.isImportDeclaration(node) ||
      (api.isVariableStatement(node) && node.getText(source).includes("require(")),
  );
  const before = last.at(-1);
  if (before !== undefined) return { at: before.end, text: `\n${line}` };
  const first = source.statements[0]?.getStart(source) ?? 0;
  return { at: first, text: `${line}\n\n` };
}
