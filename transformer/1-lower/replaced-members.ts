// Whether a method of a class is what the class says. In: a member, and the class of the object. Out: whether some code of the program puts another function in its
// place. Invariant: `this.f = this.f.bind(this)` puts the same one there; what is done to a prototype as a whole may replace anything in it.

import type ts from "typescript";
import type { ClassNode, Found } from "./classes.ts";
import { forEachTarget } from "./effects.ts";
import type { Frame } from "./frame.ts";
import { accessedName } from "./property-names.ts";
import { mayBeIn, replacing } from "./questions.ts";

const REPLACED = new WeakMap<ts.Node, Map<ClassNode, { readonly checker: ts.TypeChecker; readonly replaced: boolean }>>();

export function isReplaced(f: Frame, found: Found, receiver: ClassNode): boolean {
  const name = found.node.name?.getText() ?? "";
  f.ctx.classes.questions.writes(replacing(name), f.root);
  f.ctx.classes.questions.writes("prototype", f.root);
  const known = REPLACED.get(found.node) ?? new Map<ClassNode, { readonly checker: ts.TypeChecker; readonly replaced: boolean }>();
  REPLACED.set(found.node, known);
  const before = known.get(receiver);
  if (before?.checker === f.ctx.checker) return before.replaced;
  const files = f.ctx.program.getSourceFiles().filter((file) => !file.isDeclarationFile);
  const replaced = files.some((file) => (file.text.includes("prototype") || mayBeIn(file.text, replacing(name))) && holds(f, file, (node) => writes(f, node, name, found.owner, receiver) || isPrototypeHandedOn(f, node, receiver)));
  known.set(receiver, { checker: f.ctx.checker, replaced });
  return replaced;
}

const holds = (f: Frame, node: ts.Node, test: (node: ts.Node) => boolean): boolean => test(node) || f.api.forEachChild(node, (child) => holds(f, child, test) || undefined) === true;

/** `o.name = …`, `Object.assign(o, { name })`, `spyOn(o, "name")`: of an object that may be one of the class. */
function writes(f: Frame, node: ts.Node, name: string, owner: ClassNode, receiver: ClassNode): boolean {
  const { api } = f;
  let found = api.isCallExpression(node) && isGivenAnother(f, node, name, owner, receiver);
  forEachTarget(api, node, (target) => {
    if (!api.isPropertyAccessExpression(target) && !api.isElementAccessExpression(target)) return;
    found ||= accessedName(api, target) === name && !isBound(f, target) && isMemberOf(f, target.expression, name, owner, receiver);
  });
  return found;
}

/** Whether `object.name` may be the member that an object of the class has. */
function isMemberOf(f: Frame, object: ts.Node, name: string, owner: ClassNode, receiver: ClassNode): boolean {
  const { classes } = f.ctx;
  const written = declaringClass(f, object, name);
  return written !== undefined && ((classes.lineage(receiver) ?? []).includes(written) || (classes.lineage(written) ?? []).includes(owner));
}

function declaringClass(f: Frame, object: ts.Node, name: string): ClassNode | undefined {
  const { checker } = f.ctx;
  const symbol = checker.getPropertyOfType(checker.getApparentType(checker.getTypeAtLocation(object)), name);
  return symbol?.declarations?.map(({ parent }) => parent).find(f.api.isClassLike);
}

/** A call that is given the object with the name of the member, or, where it copies fields, with what has such a field. */
function isGivenAnother(f: Frame, { expression, arguments: [object, ...others] }: ts.CallExpression, name: string, owner: ClassNode, receiver: ClassNode): boolean {
  if (object === undefined || others.length === 0) return false;
  const { checker } = f.ctx;
  // an instance has its methods from its class: they are not among what is copied
  const hasOwn = (each: ts.Expression): boolean => checker.getPropertyOfType(checker.getTypeAtLocation(each), name) !== undefined && declaringClass(f, each, name) === undefined;
  const isReplacing = expression.getText() === "Object.assign" ? others.some(hasOwn) : others.some((each) => f.api.isStringLiteralLike(each) && each.text === name);
  return isReplacing && isMemberOf(f, object, name, owner, receiver);
}

/** `this.f = this.f.bind(this)` */
function isBound(f: Frame, target: ts.AccessExpression): boolean {
  const { parent } = target;
  return f.api.isBinaryExpression(parent) && parent.right.getText() === `${target.getText()}.bind(${target.expression.getText()})`;
}

/** `Object.assign(C.prototype, …)`, `const all = C.prototype` */
function isPrototypeHandedOn(f: Frame, node: ts.Node, receiver: ClassNode): boolean {
  const { api } = f;
  if (!api.isPropertyAccessExpression(node) || node.name.text !== "prototype" || !api.isIdentifier(node.expression)) return false;
  const symbol = f.symbolOf(node.expression), of = symbol === null ? null : f.ctx.classes.ofSymbol(symbol);
  if (of === null || !(f.ctx.classes.lineage(receiver) ?? []).includes(of)) return false;
  const { parent } = node;
  return api.isVariableDeclaration(parent) || api.isElementAccessExpression(parent) || (api.isCallExpression(parent) && !LOOKS.test(parent.expression.getText()));
}

const LOOKS = /^Object\.(create|keys|getOwn\w+|hasOwn)$|\.isPrototypeOf$/;
