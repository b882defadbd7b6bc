// Methods and getters of literals of which only the parts are asked for: what `this` is in them. In: a part, and how the code asks for it. Out: the part as it is meant there.
// Invariant: `this` is the literal in what is called as its method, and nothing in what is taken out of it; such a literal is never written, so its fields are what it was made with.

import type ts from "typescript";
import type { Atom } from "../ir/types.ts";
import { type Arg, inline, isFn, mentionsThis } from "./closures.ts";
import { UNDEFINED } from "./coerce.ts";
import { effectsIn } from "./effects.ts";
import type { Env, Frame } from "./frame.ts";
import { accessedName } from "./property-names.ts";
import { contains, opened } from "./resolve.ts";

/** Whether a getter does nothing but give its value: nobody expects that reading a part assigns a variable. */
export function isQuiet(f: Frame, env: Env, node: ts.GetAccessorDeclaration): boolean {
  const { assigned, fields, rows, resized, unknown } = effectsIn(f, env, node.body);
  const isOwn = ({ valueDeclaration }: ts.Symbol): boolean => valueDeclaration !== undefined && contains(node, valueDeclaration);
  return !unknown && !rows && fields.size === 0 && resized.length === 0 && [...assigned].every(isOwn);
}

/** Reads a part that a getter gives; null of any other. */
export function readGetter(f: Frame, node: ts.PropertyAccessExpression | ts.ElementAccessExpression, wanted: string): Atom | null {
  const object = opened(f, node.expression), name = accessedName(f.api, node), symbol = f.api.isIdentifier(object) ? f.symbolOf(object) : null;
  const bound = symbol === null ? null : f.env.lookup(symbol), self = object.kind === f.api.SyntaxKind.ThisKeyword ? f.env.self : null;
  const members = self?.kind === "members" ? self.members : bound?.kind === "fn" && bound.fn.kind === "members" ? bound.fn : null;
  const part = name === null ? undefined : members?.parts.get(name);
  return part === undefined || !isFn(part) || part.kind !== "getter" ? null : inline(f, part.node, part.env, [], node, wanted) ?? UNDEFINED;
}

/** A method that is called as one: `this` in it is the literal. */
export function asCalled(f: Frame, part: Arg | null, node: ts.Expression): Arg | null {
  if (part?.kind === "getter") return null;
  if (part?.kind !== "closure" || part.asMethod === undefined || !mentionsThis(f, part.node)) return part;
  let at: ts.Node = node;
  while (f.api.isParenthesizedExpression(at.parent) || f.api.isNonNullExpression(at.parent)) at = at.parent;
  return f.api.isCallExpression(at.parent) && at.parent.expression === at ? { ...part, env: part.asMethod } : part;
}
