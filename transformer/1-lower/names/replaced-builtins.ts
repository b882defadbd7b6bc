// Rejects standard library functions that the program replaces, such as `Math.sin = …`.
// Input: a path, such as `Array.prototype.map`. Polyfills, which only define missing functions, are
// no replacements.

import type ts from "typescript";
import { forEachTarget } from "../assignments.ts";
import type { Frame } from "../frame.ts";
import { accessedName } from "../objects/property-names.ts";
import { replacementQuestion } from "../questions.ts";
import { isLibrary } from "./library-names.ts";
import { opened } from "../unwrap.ts";

const REPLACED = new WeakMap<ts.Program, ReadonlySet<string>>();
const MAY_REPLACE =
  /\b(?:Math|Number|Object|Array|prototype)\b[^;\n]*(?<![<>=!])=(?![=>])|\bdefinePropert|\bObject\s*\.\s*assign\b/;

export function rejectReplacedBuiltin(f: Frame, path: string, at: ts.Node): void {
  if (!path.includes(".")) return;
  f.ctx.classes.questions.writes(
    replacementQuestion(path.slice(path.lastIndexOf(".") + 1)),
    f.root,
  );
  const { program } = f.ctx;
  const known = REPLACED.get(program) ?? replacedIn(f, program);
  REPLACED.set(program, known);
  if (known.has(path)) f.refuse("TSG1213", at, path);
}

/** The paths of all replaced functions. */
function replacedIn(f: Frame, program: ts.Program): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    forEachTarget(f.api, node, (target) => {
      if (!isOnlyIfMissing(f, target)) add(found, ownerOf(f, target), accessedName(f.api, target));
    });
    if (f.api.isCallExpression(node)) addDefined(f, node, found);
    f.api.forEachChild(node, visit);
  };
  for (const file of program.getSourceFiles())
    if (!file.isDeclarationFile && MAY_REPLACE.test(file.text)) visit(file);
  return found;
}

const add = (found: Set<string>, owner: string | null, member: string | null): void => {
  if (owner !== null && member !== null) found.add(`${owner}.${member}`);
};

/** `Object.defineProperty(Math, "sin", …)`, `Object.assign(Math, { sin })` */
function addDefined(
  f: Frame,
  { expression, arguments: [object, what] }: ts.CallExpression,
  found: Set<string>,
): void {
  const { api } = f;
  const called = expression.getText();
  const owner = object === undefined ? null : libraryPath(f, object);
  if (owner === null || what === undefined) return;
  if (
    (called === "Object.defineProperty" ||
      called === "Reflect.set" ||
      called === "Reflect.defineProperty") &&
    api.isStringLiteralLike(what)
  )
    add(found, owner, what.text);
  if (called !== "Object.assign" && called !== "Object.defineProperties") return;
  for (const member of f.ctx.checker.getTypeAtLocation(what).getProperties())
    add(found, owner, member.name);
}

function ownerOf(f: Frame, target: ts.Expression): string | null {
  const { api } = f;
  return api.isPropertyAccessExpression(target) || api.isElementAccessExpression(target)
    ? libraryPath(f, target.expression)
    : null;
}

/** `Math`, `globalThis.Math`, `Array.prototype`; null of any other object. */
function libraryPath(f: Frame, expression: ts.Expression): string | null {
  const { api } = f;
  const node = opened(f, expression);
  if (api.isIdentifier(node)) return isLibrary(f, node, node.text) ? node.text : null;
  const owner = api.isPropertyAccessExpression(node) ? libraryPath(f, node.expression) : null;
  if (owner === null || !api.isPropertyAccessExpression(node)) return null;
  return owner === "globalThis" ? node.name.text : `${owner}.${node.name.text}`;
}

/** `Math.sinh ??= …`, `if (!Array.prototype.at) Array.prototype.at = …` */
function isOnlyIfMissing({ api }: Frame, target: ts.Expression): boolean {
  const { parent } = target;
  const text = target.getText();
  if (
    api.isBinaryExpression(parent) &&
    (parent.operatorToken.kind === api.SyntaxKind.QuestionQuestionEqualsToken ||
      parent.operatorToken.kind === api.SyntaxKind.BarBarEqualsToken)
  )
    return true;
  return (
    api.findAncestor(
      target,
      (node) => api.isIfStatement(node) && node.expression.getText().includes(text),
    ) !== undefined
  );
}
