// Recognises CommonJS that can be pruned. In: a parsed file without ES imports and exports. Out:
// its exports with their statements, or null. Invariant: no function names `exports`, `module` or
// `require`, and statements do so in plain forms, so no code can see that an export is missing.

import type ts from "typescript";
import { someNode } from "../../syntax/walk.ts";

type Api = typeof ts;

export interface FlatExports {
  /** The names that a statement exports; none for `exports.a = void 0`, which announces them. */
  readonly made: ReadonlyMap<ts.Statement, readonly string[]>;
}

/**
 * Null without exports, and where it names its module system otherwise than by statements
 * `exports.a = …`, by `require("x")` in other statements, or by the mark `__esModule`.
 */
export function flatExports(api: Api, file: ts.SourceFile): FlatExports | null {
  const made = new Map<ts.Statement, readonly string[]>();
  for (const node of file.statements) {
    if (marksEsModule(api, node)) continue;
    const names = exportsMade(api, node);
    if (names !== null) {
      made.set(node, names.names);
      if (names.value !== null && namesSystem(api, names.value, false)) return null;
    } else if (namesSystem(api, node, true)) return null;
  }
  return made.size === 0 ? null : { made };
}

export const marksEsModule = (api: Api, node: ts.Statement): boolean =>
  api.isExpressionStatement(node) &&
  /^Object\.defineProperty\(exports, ?["']__esModule["'], ?\{ ?value: ?(?:true|!0) ?\}\)$/.test(
    node.expression.getText(),
  );

/** Of `exports.a = exports.b = value`; null for other statements. `void 0` exports no name. */
function exportsMade(
  api: Api,
  node: ts.Statement,
): { readonly names: readonly string[]; readonly value: ts.Expression | null } | null {
  if (!api.isExpressionStatement(node)) return null;
  const names: string[] = [];
  let value = node.expression;
  while (
    api.isBinaryExpression(value) &&
    value.operatorToken.kind === api.SyntaxKind.EqualsToken &&
    isExport(api, value.left)
  ) {
    names.push(value.left.name.text);
    value = value.right;
  }
  if (names.length === 0) return null;
  return api.isVoidExpression(value) ? { names: [], value: null } : { names, value };
}

/** `exports.a`, but not the names with a meaning of their own: `default`, `__esModule`. */
export const isExport = (api: Api, node: ts.Expression): node is ts.PropertyAccessExpression =>
  api.isPropertyAccessExpression(node) &&
  api.isIdentifier(node.name) &&
  node.name.text !== "default" &&
  node.name.text !== "__esModule" &&
  api.isIdentifier(node.expression) &&
  node.expression.text === "exports";

/** Whether a node uses the module system in a way that pruning does not follow. */
function namesSystem(api: Api, node: ts.Node, mayRequire: boolean): boolean {
  if (api.isFunctionLike(node)) return someNode(api, node, (at) => isSystem(api, at));
  if (
    mayRequire &&
    api.isCallExpression(node) &&
    api.isIdentifier(node.expression) &&
    node.expression.text === "require"
  ) {
    const [argument] = node.arguments;
    return argument === undefined || !api.isStringLiteralLike(argument);
  }
  if (isSystem(api, node) || node.kind === api.SyntaxKind.ThisKeyword) return true;
  return (
    api.forEachChild(node, (child) => (namesSystem(api, child, mayRequire) ? true : undefined)) ??
    false
  );
}

const isSystem = (api: Api, node: ts.Node): boolean =>
  api.isIdentifier(node) &&
  /^(?:exports|module|require|define)$/.test(node.text) &&
  !(api.isPropertyAccessExpression(node.parent) && node.parent.name === node);
