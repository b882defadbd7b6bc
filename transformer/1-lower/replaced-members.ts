// Whether a method of a class is what the class says. In: a member, and the class of the object. Out: whether some code of the program puts another function in its
// place. Invariant: `this.f = this.f.bind(this)` puts the same one there; what is done to a prototype as a whole may replace anything in it.

import type ts from "typescript";
import type { ClassNode, Found } from "./classes.ts";
import { forEachTarget } from "./effects.ts";
import type { Frame } from "./frame.ts";
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

/** `o.name = …`, of an object that may be one of the class. */
function writes(f: Frame, node: ts.Node, name: string, owner: ClassNode, receiver: ClassNode): boolean {
  const { api } = f;
  let found = false;
  forEachTarget(api, node, (target) => {
    if (!api.isPropertyAccessExpression(target) || target.name.text !== name || isBound(f, target)) return;
    const written = f.symbolOf(target.name)?.declarations?.map(({ parent }) => parent).find(api.isClassLike);
    const { classes } = f.ctx;
    if (written !== undefined && ((classes.lineage(receiver) ?? []).includes(written) || (classes.lineage(written) ?? []).includes(owner))) found = true;
  });
  return found;
}

/** `this.f = this.f.bind(this)` */
function isBound(f: Frame, target: ts.PropertyAccessExpression): boolean {
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
