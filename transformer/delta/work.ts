// State of one rewriting. In: the context and the root. Out: lookups, temporaries, problems.
// Invariant: the rewriter has no other state; each root has its own.

import type ts from "typescript";
import { type Code, code, id, literal, NOTHING, ZERO } from "../code/code.ts";
import { spanned } from "../code/lines.ts";
import { letText, reading } from "../code/temporaries.ts";
import type { Bindings, Variable } from "./binding.ts";
import type { Pair } from "./pair.ts";
import type { RewriteContext, RewriteProblem } from "./scope.ts";

export interface Frame {
  /** The parameter with the ids of the arguments. */
  readonly ids: Code;
  readonly temporaries: Code[];
  readonly isAsync: boolean;
  readonly isGenerator: boolean;
  readonly isConstructor: boolean;
  /** In a class, `this` has a type. */
  readonly typedThis: boolean;
  /** How a rewritten parent is called: it takes ids first. */
  readonly parent: "rewritten" | "value" | "none";
  /** The variable with the id of `this`, where that may be a number. */
  readonly self: Code;
  usesArguments: boolean;
  usesThis: boolean;
  hasThisFields: boolean;
}

export interface Work {
  readonly api: typeof ts;
  readonly context: RewriteContext;
  readonly root: ts.Node;
  readonly bindings: Bindings;
  readonly any: Code;
  /** The name of every ids parameter. */
  readonly ids: string;
  /** How many functions have one. */
  functions: number;
  readonly problems: RewriteProblem[];
  readonly isUntyped: boolean;
  frame: Frame;
  changed: boolean;
  /** An operator that needs ids may get a value that is no number. */
  beyond: boolean;
  count: number;
  /** Pairs of objects that the code before has stored. */
  readonly stored: Map<ts.Node, Pair>;
  /** Comparisons of active numbers for equality. */
  readonly compared: Set<ts.Node>;
  /** Of these, and of `switch`, those whose branches differ in what is active. */
  readonly equalities: Set<ts.Node>;
  /** Whether its file, or one that it may run with, gives numbers methods. */
  readonly hasNumberMethods: boolean;
  /** All identifiers of the roots. */
  readonly words: ReadonlySet<string>;
  /** Whether a form is called in the root with a function by its name; null: not yet known. */
  namesFunctions: boolean | null;
  /** Names of the rewritten forms, by original class. */
  readonly beside: Map<ts.Node, Code>;
}

export function problem(work: Work, node: ts.Node, construct: string): Pair {
  work.problems.push({ node, construct });
  return { v: code`undefined`, i: ZERO, level: 2, pure: true };
}

/** An expression that cannot be rewritten. In packages it throws only where it is executed. */
export function refused(work: Work, node: ts.Node, construct: string): Pair {
  const message = work.context.deferred?.(node, construct) ?? null;
  return message === null
    ? problem(work, node, construct)
    : { v: code`$d.unsupported(${literal(message)})`, i: ZERO, level: 2, pure: false };
}

/** `t$3`: a name that the user's code does not have. */
export function freshName(work: Work, wanted: string): Code {
  let name: string;
  do name = `${wanted}$${++work.count}`;
  while (work.words.has(name));
  return id(name);
}

/** A temporary for `put`, marked as a read. */
export function temporary(work: Work): Code {
  const name = reading(freshName(work, "t"));
  work.frame.temporaries.push(name);
  return name;
}

export function idOf(variable: Variable): Code {
  return variable.live ? variable.id : ZERO;
}

/** Records that a value with this id flows to the variable. Returns whether its id is recorded. */
export function keepsId(
  work: Work,
  variable: Variable,
  { i: id, object, text, inert }: Pick<Pair, "i" | "object" | "text" | "inert">,
): boolean {
  if (inert !== true && !variable.holds) {
    variable.holds = true;
    work.changed = true;
  }
  if (object === true && !variable.object) {
    variable.object = true;
    work.changed = true;
  }
  if (text === true && !variable.text) {
    variable.text = true;
    work.changed = true;
  }
  if (id !== ZERO && !variable.leaf && !variable.live) {
    variable.live = true;
    work.changed = true;
  }
  return variable.live && variable.idWanted;
}

/** Requests another pass if the declaration was written before this assignment was found. */
export function writes(work: Work, variable: Variable): void {
  if (!variable.written) work.changed = true;
  variable.written = true;
}

export const declaredTemporaries = (work: Work, frame: Frame): Code =>
  letText(frame.temporaries, work.any);

export const marked = (node: ts.Node, text: Code): Code =>
  spanned(node.getStart(), node.getEnd(), text);
export { block, indented } from "../code/lines.ts";

/** An operand, parenthesised and cast to `any` where needed. */
export function operand(work: Work, pair: Pair): Code {
  if (pair.typed === true && work.any !== NOTHING) return code`(${pair.v} as any)`;
  return pair.level === 2 ? pair.v : code`(${pair.v})`;
}

export function within<T>(work: Work, frame: Frame, run: () => T): T {
  const outer = work.frame;
  work.frame = frame;
  try {
    return run();
  } finally {
    work.frame = outer;
  }
}
