// Types of functions that package code passes to its functions, as in `sum(xs, v => v * v)`.
// In: a copy in a program, whose called copies may have parameters without types. Out: the types
// with which a copy calls such a parameter, and the typed functions that callers pass. Invariant: a
// called copy is found again when the function that it is given has a type.

import type ts from "typescript";
import type { Copies, Copy } from "./copies.ts";
import { functionOf } from "./functions.ts";
import { symbolAt } from "./modules.ts";
import type { Types } from "./type-text.ts";

type Api = typeof ts;
/** Where the program has a name of a package's file. */
export type Place = (node: ts.Node) => ts.Identifier | undefined;

interface Calls {
  readonly at: Place;
  /** Types of the arguments with which the program calls what is named there. */
  readonly typesOf: (name: ts.Identifier) => readonly (string | null)[] | undefined;
}

/** Tells whether an argument in a program is a function of a package, or a parameter for one. */
export function functionsIn(
  { api }: Types,
  copy: Copy,
  at: Place,
): (argument: ts.Expression) => boolean {
  const names = new Set<ts.Node | undefined>();
  for (const { node, target } of copy.references.outer)
    if (target !== null && functionOf(api, target) !== null) names.add(at(node));
  for (const { node } of openMentions(api, copy)) names.add(at(node));
  return (argument) => names.has(argument);
}

/** Finds types of functions that are passed; whether there was a new one. */
export function functionArguments(
  api: Api,
  copy: Copy,
  copies: Copies,
  { at, typesOf }: Calls,
): boolean {
  let isChanged = false;
  const note = (index: number, types: readonly (string | null)[] | undefined): void => {
    if (types === undefined || copy.calls.has(index) || types.includes(null)) return;
    copy.calls.set(index, types);
    isChanged = true;
  };
  for (const { node, index } of openMentions(api, copy)) {
    const name = at(node);
    if (name !== undefined) note(index, typesOf(name));
  }
  const parameters = new Map(openMentions(api, copy).map(({ node, index }) => [node, index]));
  const targets = new Map(copy.references.outer.map(({ node, target }) => [node, target]));
  const pass = (argument: ts.Expression, types: readonly (string | null)[]): void => {
    if (api.isFunctionExpression(argument) || api.isArrowFunction(argument)) {
      for (const [i, parameter] of argument.parameters.entries()) {
        const type = types[i];
        if (type == null || copy.inner.has(parameter)) continue;
        copy.inner.set(parameter, type);
        isChanged = true;
      }
      return;
    }
    if (!api.isIdentifier(argument) && !api.isPropertyAccessExpression(argument)) return;
    if (api.isIdentifier(argument)) {
      const index = parameters.get(argument);
      if (index !== undefined) note(index, types);
    }
    const target = targets.get(argument);
    if (target?.kind !== "declared" || copy.uses.has(argument)) return;
    const given = copies.function(target, { args: types, result: null }, copy.specifier);
    if (given === null) return;
    copy.uses.set(argument, given);
    isChanged = true;
  };
  for (const [node, { calls }] of copy.uses) {
    if (calls.size === 0) continue;
    const args = callOf(api, node)?.arguments ?? [];
    for (const [i, argument] of args.entries()) {
      const types = calls.get(i);
      if (types !== undefined) pass(argument, types);
    }
  }
  return isChanged;
}

/** The call of `f` in `f(x)` and `(0, f)(x)`. */
function callOf(api: Api, node: ts.Node): ts.CallExpression | undefined {
  const { parent } = node;
  if (api.isCallExpression(parent)) return parent.expression === node ? parent : undefined;
  const isDirect = api.isBinaryExpression(parent) ? parent.right === node : false;
  return isDirect || api.isParenthesizedExpression(parent) ? callOf(api, parent) : undefined;
}

interface Mention {
  readonly node: ts.Identifier;
  /** Of the parameter. */
  readonly index: number;
}

/** Mentions of parameters that have no type. */
function openMentions(api: Api, { found, types, member }: Copy): readonly Mention[] {
  const root = types.args.includes(null) ? (member ?? functionOf(api, found)?.node) : undefined;
  if (root === undefined) return [];
  const indices = new Map<ts.Node, number>();
  for (const [i, parameter] of root.parameters.entries())
    if (types.args[i] === null) indices.set(parameter, i);
  const mentions: Mention[] = [];
  const visit = (node: ts.Node): void => {
    const declared = api.isIdentifier(node)
      ? symbolAt(api, found.module.checker, node)?.valueDeclaration
      : undefined;
    const index = declared && indices.get(declared);
    if (index !== undefined && api.isIdentifier(node) && node.parent !== declared)
      mentions.push({ node, index });
    api.forEachChild(node, visit);
  };
  visit(root);
  return mentions;
}
