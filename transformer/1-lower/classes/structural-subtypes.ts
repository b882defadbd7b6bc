// Which objects may stand for instances of a class without being created by its constructor.
// Input: a class type. Output: subclasses and structurally equal classes whose instances flow to
// places of the type, and whether other objects do, such as object literals.

import type ts from "typescript";
import type { Classes } from "./classes.ts";
import type { ClassNode } from "./class-declarations.ts";

export interface StandIns {
  /** Classes to test for, subclasses before their bases. */
  readonly classes: readonly ClassNode[];
  /** Whether objects of none of these classes may occur. */
  readonly others: boolean;
}

/** `at`: the code that depends on it. */
export function standInsFor(
  node: ClassNode,
  type: ts.Type,
  at: ts.Node,
  classes: Classes,
): StandIns {
  const derived = classes.subclasses(node, at);
  if (derived.length === 0 && classes.memberNames(node).length === 0)
    return { classes: [], others: false };
  const { classes: flowing, hasLiterals } = classes.flowingTo(type, at);
  const own = flowing.filter((each) => derived.includes(each));
  if (classes.memberNames(node).length === 0)
    return { classes: own.length > 0 ? classes.inOrder(own) : derived, others: false };
  const like = flowing.filter((each) => each !== node && !derived.includes(each));
  const known = like.filter((each) => classes.isKnown(each));
  const isSaid = flowing.length > 0;
  return {
    classes: classes.inOrder([...(isSaid ? own : derived), ...known]),
    others: hasLiterals || known.length < like.length,
  };
}
