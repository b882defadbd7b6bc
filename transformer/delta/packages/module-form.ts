// Converts a module to the body of a function. In: the retained parts of a file. Out: CommonJS
// source text that assigns to `exports` and reads imports through live `require`s. Invariant: for
// retained parts it means the same; host names are read from `globalThis` and need no types.

import type ts from "typescript";
import { keyText, renamedText, stringText } from "../../code/quote.ts";
import { boundNames } from "../binding.ts";
import { MODULE_STATE, withState } from "./module-state.ts";
import type { Kept } from "./prune.ts";

type Api = typeof ts;

export interface ModuleForm {
  /** A parenthesised function expression. */
  readonly text: string;
  readonly params: readonly string[];
}

/** Helpers of the compiler's CommonJS output, renamed because a module may define its own. */
const INTEROP = ["importDefault", "importStar", "exportStar"];

function interop(text: string, top: ReadonlySet<string>): string {
  return INTEROP.reduce(
    (body, name) =>
      body.replaceAll(
        new RegExp(`\\b__${name}\\((${top.has(`__${name}`) ? "?=require\\(" : ""})`, "g"),
        `$$${name}(`,
      ),
    text,
  );
}

/** Replacements of a file's text, in order. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The parameter that holds what a copy takes from the real module. */
export const SHARED = "$shared";

export function moduleForm(api: Api, kept: Kept, edits: readonly TextEdit[]): ModuleForm {
  const { isEsm, isPrunable } = kept.surface;
  const textOf = (node: ts.Node): string =>
    edited(kept.source.text, edits, node.getStart(kept.source), node.end);
  const output = compiled(
    api,
    kept.file,
    isEsm
      ? prunedText(api, kept, textOf)
      : isPrunable
        ? flatText(kept, textOf)
        : edited(kept.source.text, edits, 0, kept.source.text.length),
  );
  const source = api.createSourceFile(
    "body.js",
    output,
    api.ScriptTarget.ESNext,
    true,
    api.ScriptKind.JS,
  );
  const top = new Set(source.statements.flatMap((node) => topNames(api, node)));
  const remembering = withState(api, source);
  const body = isEsm ? interop(remembering, top) : remembering;
  const params = [
    "exports",
    "require",
    "module",
    ...INTEROP.map((name) => `$${name}`).filter((name) => body.includes(`${name}(`)),
    ...(remembering === output ? [] : [`$${MODULE_STATE}`]),
    ...(body.includes(`${SHARED}.`) ? [SHARED] : []),
  ];
  const free = freeNames(
    api,
    source,
    new Set([...params, ...top, ...INTEROP.map((name) => `__${name}`)]),
  );
  const read = free.filter((name) => !(name in PLACES));
  const prelude = `${read.length === 0 ? "" : `var { ${read.join(", ")} } = globalThis;\n`}${free
    .filter((name) => name in PLACES)
    .map((name) => `var ${name} = ${PLACES[name] ?? ""};\n`)
    .join("")}`;
  return { params, text: `(function (${params.join(", ")}) {\n${prelude}${body}\n})` };
}

function edited(text: string, edits: readonly TextEdit[], start: number, end: number): string {
  let out = "";
  let at = start;
  for (const edit of edits) {
    if (edit.start < at || edit.end > end) continue;
    out += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return out + text.slice(at, end);
}

function compiled(api: Api, file: string, text: string): string {
  const { outputText } = api.transpileModule(text, {
    fileName: file.replace(/\.[cm]([jt]s)$/, ".$1"),
    compilerOptions: {
      module: api.ModuleKind.CommonJS,
      target: api.ScriptTarget.ESNext,
      removeComments: true,
      noEmitHelpers: true,
      esModuleInterop: true,
      allowJs: true,
      isolatedModules: true,
      useDefineForClassFields: true,
      jsx: api.JsxEmit.React,
      ignoreDeprecations: "5.0",
    },
  });
  return outputText.replace(/^\s*(["'])use strict\1;?\s*/, "").trimEnd();
}

/** The retained parts of an ES module with the imports and exports they need. */
function prunedText(api: Api, kept: Kept, textOf: (node: ts.Node) => string): string {
  const { surface } = kept;
  const named = (from: string, to: string): string => renamedText(from, to);
  const lines: string[] = [...new Set([...surface.bareImports, ...kept.evaluated])].map(
    (specifier) => `import ${stringText(specifier)};`,
  );
  for (const [local, { specifier, imported }] of surface.imports) {
    if (!kept.names.has(local)) continue;
    lines.push(
      imported === "*"
        ? `import * as ${local} from ${stringText(specifier)};`
        : `import { ${named(imported, local)} } from ${stringText(specifier)};`,
    );
  }
  for (const [name, { specifier, imported }] of surface.forwarded) {
    if (!kept.exports.has(name)) continue;
    lines.push(
      imported === "*"
        ? `export * as ${keyText(name)} from ${stringText(specifier)};`
        : `export { ${named(imported, name)} } from ${stringText(specifier)};`,
    );
  }
  for (const [specifier, names] of kept.stars) {
    lines.push(
      names === null
        ? `export * from ${stringText(specifier)};`
        : `export { ${[...names].map(keyText).join(", ")} } from ${stringText(specifier)};`,
    );
  }
  for (const part of surface.parts) if (kept.parts.has(part)) lines.push(textOf(part.node));
  for (const [name, local] of surface.exports) {
    if (kept.exports.has(name) && isListed(api, kept, name, local))
      lines.push(`export { ${named(local, name)} };`);
  }
  return `${lines.join("\n")}\nexport {};\n`;
}

/** The retained statements of flat CommonJS, in order. */
const flatText = ({ surface, parts }: Kept, textOf: (node: ts.Node) => string): string =>
  surface.parts
    .filter((part) => parts.has(part))
    .map((part) => textOf(part.node))
    .join("\n");

/** Whether a value is exported by `export { local as name }`, not by a modifier. */
function isListed(api: Api, kept: Kept, name: string, local: string): boolean {
  if (kept.surface.imports.has(local)) return true;
  return kept.surface.parts.some(({ node, declares }) => {
    if (
      !declares.includes(local) ||
      api.isInterfaceDeclaration(node) ||
      api.isTypeAliasDeclaration(node) ||
      api.isExportAssignment(node)
    )
      return false;
    const modifiers = api.canHaveModifiers(node) ? (api.getModifiers(node) ?? []) : [];
    const exported = modifiers.some((m) => m.kind === api.SyntaxKind.ExportKeyword);
    const isDefault = modifiers.some((m) => m.kind === api.SyntaxKind.DefaultKeyword);
    return !exported || (isDefault ? name !== "default" : name !== local);
  });
}

/** Names that every JavaScript engine has and every `lib` declares. */
const STANDARD = new Set(
  (
    "Math Object Array Number String Boolean Symbol Map Set WeakMap WeakSet Promise Proxy Reflect JSON Date RegExp Function Error TypeError RangeError SyntaxError EvalError ReferenceError URIError " +
    "Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array ArrayBuffer DataView parseInt parseFloat isNaN isFinite NaN Infinity undefined globalThis " +
    "encodeURIComponent decodeURIComponent encodeURI decodeURI arguments eval"
  ).split(" "),
);

/** Names of hosts and module systems: global even where some function has such a parameter. */
const HOSTS = new Set([
  "window",
  "self",
  "global",
  "process",
  "define",
  "document",
  "navigator",
  "Buffer",
  "console",
  "performance",
]);

/** A copy has no path: native code beside the module is not found, as if not installed. */
const PLACES: Readonly<Record<string, string>> = { __dirname: '"/"', __filename: '"/module.js"' };

function freeNames(api: Api, source: ts.SourceFile, top: ReadonlySet<string>): readonly string[] {
  const mentioned = new Set<string>();
  const declared = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (api.isIdentifier(node)) {
      if (isBinding(api, node)) declared.add(node.text);
      else if (isReference(api, node)) mentioned.add(node.text);
    }
    api.forEachChild(node, visit);
  };
  visit(source);
  const isHere = (name: string): boolean =>
    top.has(name) || (declared.has(name) && !HOSTS.has(name));
  return [...mentioned].filter((name) => !STANDARD.has(name) && !isHere(name));
}

function isBinding(api: Api, node: ts.Identifier): boolean {
  const { parent } = node;
  return (
    (api.isVariableDeclaration(parent) ||
      api.isParameter(parent) ||
      api.isBindingElement(parent) ||
      api.isFunctionDeclaration(parent) ||
      api.isFunctionExpression(parent) ||
      api.isClassDeclaration(parent) ||
      api.isClassExpression(parent)) &&
    parent.name === node
  );
}

function isReference(api: Api, node: ts.Identifier): boolean {
  const { parent } = node;
  if (api.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (api.isPropertyAssignment(parent)) return parent.initializer === node;
  if (api.isBindingElement(parent)) return parent.propertyName !== node;
  if (
    api.isLabeledStatement(parent) ||
    api.isBreakOrContinueStatement(parent) ||
    api.isMetaProperty(parent)
  )
    return false;
  return !(
    (api.isClassElement(parent) || api.isObjectLiteralElementLike(parent)) &&
    !api.isShorthandPropertyAssignment(parent) &&
    parent.name === node
  );
}

function topNames(api: Api, node: ts.Statement): string[] {
  if (api.isVariableStatement(node))
    return node.declarationList.declarations.flatMap((d) =>
      boundNames(api, d.name).map(({ text }) => text),
    );
  return (api.isFunctionDeclaration(node) || api.isClassDeclaration(node)) &&
    node.name !== undefined
    ? [node.name.text]
    : [];
}
