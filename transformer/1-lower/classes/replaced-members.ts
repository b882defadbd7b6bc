// Whether a method or static function may be replaced: some code assigns another function to it.
// Input: a member and the class of the receiver. `this.f = this.f.bind(this)` is no replacement.
// Passing a whole prototype to other code may replace any of its members. A field that no
// constructor defines may have a default there: `P.prototype.w = 2`.

import type ts from "typescript";
import { isWrapper } from "../../syntax/wrappers.ts";
import { resolvedSymbol } from "../checker.ts";
import type { ClassNode } from "./class-declarations.ts";
import { forEachTarget } from "../assignments.ts";
import { accessedName } from "../objects/property-names.ts";
import { mayBeIn, replacementQuestion } from "../questions.ts";
import type { Asking } from "../context.ts";
import { someNode } from "../../syntax/walk.ts";

const REPLACED = new WeakMap<
  ts.Node,
  Map<ClassNode, { readonly checker: ts.TypeChecker; readonly replaced: boolean }>
>();

export function isReplaced(
  asking: Asking,
  found: { readonly node: ts.ClassElement; readonly owner: ClassNode },
  receiver: ClassNode,
): boolean {
  const name = found.node.name?.getText() ?? "";
  asking.classes.questions.writes(replacementQuestion(name), asking.at);
  asking.classes.questions.writes("prototype", asking.at);
  const known =
    REPLACED.get(found.node) ??
    new Map<ClassNode, { readonly checker: ts.TypeChecker; readonly replaced: boolean }>();
  REPLACED.set(found.node, known);
  const before = known.get(receiver);
  if (before?.checker === asking.checker) return before.replaced;
  const files = asking.program.getSourceFiles().filter((file) => !file.isDeclarationFile);
  const replaced = files.some(
    (file) =>
      (file.text.includes("prototype") || mayBeIn(file.text, replacementQuestion(name))) &&
      someNode(
        asking.api,
        file,
        (node) =>
          writes(asking, node, name, found.owner, receiver) ||
          isPrototypePassed(asking, node, receiver),
      ),
  );
  known.set(receiver, { checker: asking.checker, replaced });
  return replaced;
}

/** `o.name = …`, `Object.assign(o, { name })`, `spyOn(o, "name")` of a possible receiver `o`. */
function writes(
  asking: Asking,
  node: ts.Node,
  name: string,
  owner: ClassNode,
  receiver: ClassNode,
): boolean {
  const { api } = asking;
  let found = api.isCallExpression(node) && isGivenAnother(asking, node, name, owner, receiver);
  forEachTarget(api, node, (target) => {
    if (!api.isPropertyAccessExpression(target) && !api.isElementAccessExpression(target)) return;
    found ||=
      accessedName(api, target) === name &&
      !isBound(asking, target) &&
      isMemberOf(asking, target.expression, name, owner, receiver);
  });
  return found;
}

/** Whether `object.name` may be the member of the class. */
function isMemberOf(
  asking: Asking,
  object: ts.Node,
  name: string,
  owner: ClassNode,
  receiver: ClassNode,
): boolean {
  const { classes } = asking;
  const written = declaringClass(asking, object, name);
  return (
    written !== undefined &&
    ((classes.lineage(receiver) ?? []).includes(written) ||
      (classes.lineage(written) ?? []).includes(owner))
  );
}

function declaringClass(asking: Asking, object: ts.Node, name: string): ClassNode | undefined {
  const { checker } = asking;
  const symbol = checker.getPropertyOfType(
    checker.getApparentType(checker.getTypeAtLocation(object)),
    name,
  );
  const declared = symbol?.declarations?.map(({ parent }) => parent).find(asking.api.isClassLike);
  return declared && (asking.classes.ofDeclaration(declared) ?? declared);
}

/** A call with the object and the member's name, or, if it copies fields, with such a field. */
function isGivenAnother(
  asking: Asking,
  { expression, arguments: [object, ...others] }: ts.CallExpression,
  name: string,
  owner: ClassNode,
  receiver: ClassNode,
): boolean {
  if (object === undefined || others.length === 0) return false;
  const { checker } = asking;
  // methods come from the class: they are not copied
  const hasOwn = (each: ts.Expression): boolean =>
    checker.getPropertyOfType(checker.getTypeAtLocation(each), name) !== undefined &&
    declaringClass(asking, each, name) === undefined;
  const isReplacing =
    expression.getText() === "Object.assign"
      ? others.some(hasOwn)
      : others.some((each) => asking.api.isStringLiteralLike(each) && each.text === name);
  return isReplacing && isMemberOf(asking, object, name, owner, receiver);
}

/** `this.f = this.f.bind(this)` */
function isBound(asking: Asking, target: ts.AccessExpression): boolean {
  const { parent } = target;
  return (
    asking.api.isBinaryExpression(parent) &&
    parent.right.getText() === `${target.getText()}.bind(${target.expression.getText()})`
  );
}

/** `Object.assign(C.prototype, …)`, `const all = C.prototype` */
function isPrototypePassed(asking: Asking, node: ts.Node, receiver: ClassNode): boolean {
  const { api } = asking;
  if (
    !api.isPropertyAccessExpression(node) ||
    node.name.text !== "prototype" ||
    !api.isIdentifier(node.expression)
  )
    return false;
  const symbol = resolvedSymbol(node.expression, asking);
  const of = symbol === null ? null : asking.classes.ofSymbol(symbol);
  if (of === null || !(asking.classes.lineage(receiver) ?? []).includes(of)) return false;
  const { parent } = outermost(asking, node);
  return (
    api.isVariableDeclaration(parent) ||
    api.isElementAccessExpression(parent) ||
    (api.isCallExpression(parent) && !READERS.test(parent.expression.getText()))
  );
}

/** The node with the type assertions and brackets around it. */
function outermost({ api }: Asking, node: ts.Node): ts.Node {
  let at = node;
  while (isWrapper(at.parent, api)) at = at.parent;
  return at;
}

/** Whether some code may define the field in a prototype: `P.prototype.w = 2`. */
export function hasPrototypeDefault(asking: Asking, name: string): boolean {
  for (const each of ["rototype", "__proto__"]) asking.classes.questions.writes(each, asking.at);
  const isNamed = new RegExp(`(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`);
  return asking.program
    .getSourceFiles()
    .some(
      ({ isDeclarationFile, text }) =>
        !isDeclarationFile &&
        PROTOTYPE.test(text) &&
        (isNamed.test(text) || PASSED_PROTOTYPE.test(text)),
    );
}

/** A prototype of the program's own. */
const PROTOTYPE =
  /(?<!\b(?:Object|Array|Function|String|Number|Date|Map|Set)\s*\.\s*)\bprototype\b|PrototypeOf\b|__proto__/;
const PASSED_PROTOTYPE = /\bprototype\s*[,)]/;

const READERS = /^Object\.(create|keys|getOwn\w+|hasOwn)$|\.isPrototypeOf$/;
