// The partials of a number of a run towards the leaves that have ids. In: a graph and a number. Out: by the text of an id, the partial, as numbers of the graph. Invariants: one walk
// backwards, each operation met once; slopes that may be infinite (`unbounded` rows) meet no adjoint that is 0, and factors meet none that is 0 because a choice (`max`, `min`, `abs`) was made
// the other way, as the tape goes on from no node whose adjoint is 0. An adjoint that is 0 by arithmetic does meet a factor that is infinite: `1 / (x * Infinity)` has no slope.

import type { Atom, ScalarOp } from "../../ir/types.ts";
import { isConstant, partialOf, type RuleValues } from "../../rules/rule.ts";
import { SCALAR } from "../../rules/scalar.ts";
import type { Graph, Num } from "./graph.ts";

/** By the text of an id. */
export type Partials = ReadonlyMap<string, Num>;

export function partialsOf(graph: Graph, of: Num): Partials {
  const adjoints = new Map<Num, Num>(), found = new Map<string, Num>();
  /** Numbers that count only where a choice was made their way. */
  const conditional = new Set<Num>();
  const add = <Key>(into: Map<Key, Num>, key: Key, amount: Num): void => {
    const known = into.get(key);
    into.set(key, known === undefined ? amount : graph.node(graph.add(graph.atom(known), graph.atom(amount))));
  };
  add(adjoints, of, graph.literal(1));
  for (const node of varyingIn(of)) {
    const adjoint = adjoints.get(node);
    if (adjoint === undefined) continue;
    if (node.op === null) add(found, node.id, adjoint);
    else node.args.forEach((arg, k) => {
      const given = arg.varies ? contribution(graph, node, k, adjoint, conditional.has(node)) : null;
      if (given === null) return;
      if (!given.isConditional) conditional.delete(arg);
      else if (!adjoints.has(arg)) conditional.add(arg);
      add(adjoints, arg, given.amount);
    });
  }
  return found;
}

/** What varies on the way to a number, youngest first. */
function varyingIn(of: Num): readonly Num[] {
  const met = new Set<Num>();
  const visit = (node: Num): void => {
    if (!node.varies || met.has(node)) return;
    met.add(node);
    node.args.forEach(visit);
  };
  visit(of);
  return [...met].sort((a, b) => b.at - a.at);
}

/** What hands an adjoint on chooses nothing. */
const PASSING: ReadonlySet<ScalarOp | null> = new Set<ScalarOp | null>(["add", "sub", "neg", "plus"]);

/** `c ? s : 0`, `-(c ? s : 0)` */
const isChoice = ({ op, args: [inner] }: Num): boolean => op === "select" || (op === "neg" && inner?.op === "select");

/** What is added to an adjoint. `isConditional`: only where a choice was made this way. */
interface Contribution { readonly amount: Num; readonly isConditional: boolean }

// x$bar += s y'(x)
function contribution(graph: Graph, node: Num, place: number, adjoint: Num, isConditional: boolean): Contribution | null {
  const rule = node.op === null ? null : SCALAR[node.op], args = node.args.map((arg) => graph.atom(arg));
  const partial = rule === null ? null : partialOf(rule, place, args.length);
  if (rule === null || partial === null) return null;
  const seed = graph.atom(adjoint), amount = partial(graph, valuesOf(graph, node, args), seed);
  const isMasked = adjoint.value === null && (rule.unbounded?.(args) === true || (isConditional && node.op === "mul"));
  const own = graph.node(isMasked ? graph.select(graph.op("eq", seed, ZERO), ZERO, amount) : amount);
  return own.value === 0 ? null : { amount: own, isConditional: isConditional || (!PASSING.has(node.op) && isChoice(graph.node(amount))) };
}

const ZERO: Atom = { kind: "const", type: { kind: "num" }, value: 0 };

function valuesOf(graph: Graph, node: Num, args: readonly Atom[]): RuleValues {
  const arg = (k: number): Atom => args[k] ?? ZERO;
  return { get x() { return arg(0); }, get z() { return arg(1); }, get y() { return graph.atom(node); }, arg, isConstant: (k, value) => isConstant(args[k], value) };
}
