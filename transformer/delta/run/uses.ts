// Finds uses of a root's locals. In: the rewriter's work. Out: whether code outside of given
// statements names a variable. Invariant: an equal name of another variable may count.

import type ts from "typescript";
import type { Bindings, Variable } from "../binding.ts";
import type { Work } from "../work.ts";

const KNOWN = new WeakMap<Bindings, ReadonlyMap<Variable, readonly ts.Node[]>>();

function namesOf({ api, bindings, root }: Work): ReadonlyMap<Variable, readonly ts.Node[]> {
  const known = KNOWN.get(bindings);
  if (known !== undefined) return known;
  const all = new Map<Variable, ts.Node[]>();
  const visit = (node: ts.Node): void => {
    const variable = api.isIdentifier(node) ? bindings.find(node) : null;
    if (variable !== null) all.set(variable, [...(all.get(variable) ?? []), node]);
    api.forEachChild(node, visit);
  };
  visit(root);
  KNOWN.set(bindings, all);
  return all;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

const isIn = ({ start, end }: Span, node: ts.Node): boolean => node.pos >= start && node.end <= end;

/** Whether it is declared in the span and named nowhere else. */
export const isOwn = (work: Work, variable: Variable, span: Span): boolean =>
  isDeclaredIn(variable, span) &&
  (namesOf(work).get(variable) ?? []).every((node) => isIn(span, node));

export const isDeclaredIn = ({ declaration }: Variable, span: Span): boolean =>
  isIn(span, declaration);
