// Methods and getters of object literals that exist only as their parts, and `this` in them.
// Input: a part and its use. `this` is the literal in a method call, and unbound in an extracted
// method. Fields that code may write are variables; all others keep their initial value.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import type { Atom, Var } from "../../ir/types.ts";
import { isFn, type Arg, type Env } from "../function-values.ts";
import { inline } from "../functions/inlining.ts";
import { mentionsThis } from "../functions/specialisation.ts";
import { UNDEFINED } from "../coerce.ts";
import { effectsIn } from "../effects.ts";
import { forEachTarget } from "../assignments.ts";
import type { Frame } from "../frame.ts";
import type { Members } from "../functions/known-members.ts";
import { nodesOfFile } from "../nodes-of-file.ts";
import { accessedName } from "../objects/property-names.ts";
import { contains } from "../names/library-names.ts";

/** Whether a getter has no effect, so that reading it at compile time changes nothing. */
export function isPureGetter(f: Frame, env: Env, node: ts.GetAccessorDeclaration): boolean {
  const { assigned, fields, rows, resized, unknown } = effectsIn(f, env, node.body);
  const isOwn = ({ valueDeclaration }: ts.Symbol): boolean =>
    valueDeclaration !== undefined && contains(node, valueDeclaration);
  return (
    !unknown && !rows && fields.size === 0 && resized.length === 0 && [...assigned].every(isOwn)
  );
}

/** Reads a part that is a getter; null for other parts. */
export function readGetter(
  f: Frame,
  node: ts.PropertyAccessExpression | ts.ElementAccessExpression,
  wanted: string,
): Atom | null {
  const name = accessedName(f.api, node);
  const part = name === null ? undefined : membersOf(f, node.expression)?.parts.get(name);
  return part === undefined || !isFn(part) || part.kind !== "getter"
    ? null
    : (inline(f, part, [], node, wanted) ?? UNDEFINED);
}

/** The parts of the literal that `o` denotes, or `this` in one of its methods. */
function membersOf(f: Frame, object: ts.Expression): Members | null {
  const node = bare(object, f.api);
  const symbol = f.api.isIdentifier(node) ? f.symbolOf(node) : null;
  const bound = symbol === null ? null : f.env.lookup(symbol);
  const self = node.kind === f.api.SyntaxKind.ThisKeyword ? f.env.self : null;
  return self?.kind === "members"
    ? self.members
    : bound?.kind === "fn" && bound.fn.kind === "members"
      ? bound.fn
      : null;
}

/** The variable that replaces a mutable field of such a literal; null for other places. */
export function variablePart(
  f: Frame,
  node: ts.PropertyAccessExpression | ts.ElementAccessExpression,
): Var | null {
  const name = accessedName(f.api, node);
  return name === null ? null : (membersOf(f, node.expression)?.variables?.get(name) ?? null);
}

/** Whether the literal's file or the current one writes a field of that name, on any object. */
export function isWrittenSomewhere(f: Frame, name: string, literal: ts.Node): boolean {
  return [literal.getSourceFile(), f.root.getSourceFile()].some((file) =>
    WRITES(file, f.api).some((node) => {
      let isIt = false;
      forEachTarget(f.api, node, (target) => {
        isIt ||= accessedName(f.api, target) === name;
      });
      return isIt;
    }),
  );
}

const WRITES = nodesOfFile(null, (node, api): node is ts.Node => {
  let writes = false;
  forEachTarget(api, node, (target) => {
    writes ||= accessedName(api, target) !== null;
  });
  return writes;
});

/** The part as a callee: in a method call, `this` is the literal. */
export function asMethodCallee(f: Frame, part: Arg | null, node: ts.Expression): Arg | null {
  if (part?.kind === "getter") return null;
  if (part?.kind !== "closure" || part.asMethod === undefined || !mentionsThis(f, part.node))
    return part;
  let at: ts.Node = node;
  while (f.api.isParenthesizedExpression(at.parent) || f.api.isNonNullExpression(at.parent))
    at = at.parent;
  return f.api.isCallExpression(at.parent) && at.parent.expression === at
    ? { ...part, env: part.asMethod }
    : part;
}
