// Exposes a module's persistent state, so that no number survives an execution. In: its compiled,
// parsed source. Out: the same plus `$moduleState(() => [a], ($saved) => { a = $saved[0]; }, () =>
// [cache]);` Invariant: assigned names are `let`, `var` or exports.

import type ts from "typescript";
import { isAssigned } from "../../syntax/assignments.ts";

import { wholePath } from "./effects.ts";
import { moduleUses, type Use } from "./module-uses.ts";

type Api = typeof ts;

export const MODULE_STATE = "moduleState";

/** The source text is unchanged where a module has no state. */
export function withState(api: Api, source: ts.SourceFile): string {
  const changing = changedLater(api, source);
  let text = source.text;
  const scopes: { readonly at: number; readonly call: string }[] = [];
  const open = (statements: ts.NodeArray<ts.Statement>): void => {
    const last = statements.at(-1);
    scopes.push({
      at:
        last !== undefined && api.isReturnStatement(last) ? last.getStart(source) : statements.end,
      call: stateText(api, statements, changing),
    });
    for (const statement of statements)
      for (const body of loadedBodies(api, statement)) open(body.statements);
  };
  open(source.statements);
  for (const { at, call } of scopes.sort((a, b) => b.at - a.at))
    text = text.slice(0, at) + call + text.slice(at);
  return text;
}

/** Bodies that run at load: called immediately, or passed to such a call (UMD). */
function loadedBodies(api: Api, statement: ts.Statement): ts.Block[] {
  const found: ts.Block[] = [];
  const visit = (node: ts.Node): void => {
    if (api.isFunctionLike(node)) return;
    if (api.isCallExpression(node)) {
      const callee = bodyOf(api, node.expression);
      if (callee !== null)
        found.push(callee, ...node.arguments.flatMap((argument) => bodyOf(api, argument) ?? []));
    }
    api.forEachChild(node, visit);
  };
  visit(statement);
  return found;
}

function bodyOf(api: Api, node: ts.Expression): ts.Block | null {
  let at = node;
  while (api.isParenthesizedExpression(at)) at = at.expression;
  if (!api.isFunctionExpression(at) && !api.isArrowFunction(at)) return null;
  return api.isBlock(at.body) ? at.body : null;
}

/** Names of variables that functions may change, or hand on; `exports` is always among them. */
function changedLater(api: Api, source: ts.SourceFile): ReadonlySet<string> {
  const found = new Set(["exports"]);
  for (const { name, uses } of moduleUses(api, source).variables)
    if (uses.some((use) => use.isLater && !isOnlyRead(api, use))) found.add(name);
  return found;
}

/** `table[i]`, `table.get(k)`, `if (table === null)`: it is neither written nor handed on. */
const isOnlyRead = (api: Api, { node, effect }: Use): boolean =>
  effect === "tested" || (effect === "read" && wholePath(api, node) !== node);

function stateText(
  api: Api,
  statements: readonly ts.Statement[],
  changing: ReadonlySet<string>,
): string {
  const variables = [...assignedLater(api, statements)];
  const containers = [...containersOf(api, statements)].filter(
    (text) => !variables.includes(text) && changing.has(text.split(".", 1)[0] ?? text),
  );
  if (variables.length + containers.length === 0) return "";
  const writes = variables.map((name, i) => ` ${name} = $saved[${i}];`).join("");
  return `\n;$${MODULE_STATE}(() => [${variables.join(", ")}], ($saved) => {${writes} }, () => [${containers.join(", ")}]);\n`;
}

/** Module variables and `exports.x` that functions assign. */
function assignedLater(api: Api, statements: readonly ts.Statement[]): ReadonlySet<string> {
  const own = new Set<string>();
  for (const node of statements) {
    if (!api.isVariableStatement(node) || (node.declarationList.flags & api.NodeFlags.Const) !== 0)
      continue;
    for (const { name } of node.declarationList.declarations)
      if (api.isIdentifier(name)) own.add(name.text);
  }
  const found = new Set<string>();
  const visit = (node: ts.Node, isLater: boolean): void => {
    if (isLater && isAssigned(node, api)) {
      if (api.isIdentifier(node) && own.has(node.text)) found.add(node.text);
      const field = fieldNamed(api, node);
      if (field?.startsWith("exports.") === true) found.add(field);
    }
    api.forEachChild(node, (child) => visit(child, isLater || api.isFunctionLike(node)));
  };
  for (const statement of statements) visit(statement, false);
  return found;
}

/** `A.b` */
const fieldNamed = (api: Api, node: ts.Node): string | null =>
  api.isPropertyAccessExpression(node) && api.isIdentifier(node.expression)
    ? `${node.expression.text}.${node.name.text}`
    : null;

/** Containers allocated at load, in variables, fields of functions and static fields. */
const containersOf = (api: Api, statements: readonly ts.Statement[]): ReadonlySet<string> =>
  new Set(
    statements.flatMap((node) => {
      if (api.isVariableStatement(node))
        return containersIn(api, node.declarationList.declarations);
      if (api.isClassDeclaration(node) && node.name !== undefined) {
        const { text } = node.name;
        const fields = node.members.filter((member) => isStaticField(api, member));
        return containersIn(api, fields).map((name) => `${text}.${name}`);
      }
      return api.isExpressionStatement(node) ? (containerField(api, node.expression) ?? []) : [];
    }),
  );

/** `f.cache = new Map()` */
const containerField = (api: Api, node: ts.Expression): string | null =>
  api.isBinaryExpression(node) &&
  node.operatorToken.kind === api.SyntaxKind.EqualsToken &&
  isContainer(api, node.right)
    ? fieldNamed(api, node.left)
    : null;

const isStaticField = (api: Api, node: ts.ClassElement): node is ts.PropertyDeclaration =>
  api.isPropertyDeclaration(node) &&
  (node.modifiers ?? []).some(({ kind }) => kind === api.SyntaxKind.StaticKeyword);

/** The names of those that begin with a container. */
const containersIn = (
  api: Api,
  all: readonly (ts.VariableDeclaration | ts.PropertyDeclaration)[],
): readonly string[] =>
  all.flatMap(({ name, initializer }) =>
    api.isIdentifier(name) && isContainer(api, initializer) ? name.text : [],
  );

function isContainer(api: Api, node: ts.Expression | undefined): boolean {
  if (node === undefined) return false;
  if (api.isObjectLiteralExpression(node) || api.isArrayLiteralExpression(node)) return true;
  if (api.isNewExpression(node))
    return (
      api.isIdentifier(node.expression) &&
      ["Map", "Set", "Array", "Object"].includes(node.expression.text)
    );
  return api.isCallExpression(node) && node.expression.getText() === "Object.create";
}
