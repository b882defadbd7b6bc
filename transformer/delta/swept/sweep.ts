// Analyses a stretch that may become one tape node. In: statements. Out: their steps and guards, or
// null. Invariants: only the stretch uses its scratch arrays; the guards test every assumption.

import type ts from "typescript";
import type { Variable } from "../binding.ts";
import { functionOf as functionAround } from "../captures.ts";
import { isDoubles } from "../types/leaves.ts";
import type { List } from "../run/values.ts";
import { freshName, unwrapped, type Work } from "../work.ts";
import { insideOf } from "./inside.ts";
import type { Loop, Made, Swept } from "./loop.ts";
import { Reader } from "./reader.ts";
import { fused } from "./strip.ts";
import { isMoved, readBy, zerosOf, type Stretch } from "./stretch.ts";

export function sweptOf(work: Work, { items, asides }: Stretch): Swept | null {
  const { api } = work;
  const [first] = items;
  const reader = first === undefined ? null : new Reader(work, first);
  const callee = reader?.outside(items) ?? null;
  if (reader === null || callee === null) return null;
  const loops: Loop[] = [];
  for (const item of items) {
    const loop = api.isForStatement(item) ? reader.loop(item, callee) : reader.make(item, callee);
    if (loop === null) return null;
    loops.push(loop);
  }
  const { run, written, kept, variables } = reader;
  const lists = [...variables.keys()];
  const doubles = new Set(
    [...variables]
      .filter(([, { declaration }]) => isDoubles(work.context.checker, declaration))
      .map(([list]) => list),
  );
  if (run.looks.length > 0 || run.conditions.size > 0 || !isFree(work, reader, items, asides))
    return null;
  // written arrays may grow, unless they are Float64Arrays, and hold ids afterwards
  const grown = [...reader.asked].filter((list) => written.has(list));
  if (grown.some((list) => !doubles.has(list)) || [...written].some(({ isData }) => isData))
    return null;
  const made = new Map(
    [...reader.made].map(([list, one]): [List, Made] => [
      list,
      { ...one, isSeen: isNamed(work, one.variable, items) },
    ]),
  );
  const own = [...variables].filter(
    ([list, variable]) => written.has(list) && isScratch(work, variable, items),
  );
  const isOutput =
    own.length < [...written].filter((list) => !made.has(list)).length ||
    [...made.values()].some(({ isSeen }) => isSeen);
  const guards = [
    ...[...reader.counters].map((name) => `${name} >= 0`),
    ...[...reader.dense].map(({ name }) => `$d.isDense(${name})`),
    ...(grown.length === 0 ? [] : [`$d.areDoubles([${namesOf(grown)}], 0)`]),
  ];
  const swept: Swept = {
    run,
    steps: loops,
    lists,
    written,
    variables,
    made,
    scratch: new Map(isOutput ? own : []),
    kept,
    counters: reader.counters,
    places: reader.places,
    doubles,
    bounds: reader.bounds,
    guards,
    inside: "",
  };
  const { steps, gone, guards: more } = fused(loops, swept, (wanted) => freshName(work, wanted));
  const without = (all: Iterable<List>): List[] => [...all].filter((list) => !gone.has(list));
  return {
    ...swept,
    steps,
    lists: without(lists),
    written: new Set(without(written)),
    guards: [...guards, ...more],
    inside: insideOf(loops, swept, new Set(without(lists))),
  };
}

const namesOf = (lists: Iterable<List>): string => [...lists].map(({ name }) => name).join(", ");

/** Whether the declarations between the loops may be moved before them. */
function isFree(
  work: Work,
  { written, made, variables }: Reader,
  items: readonly ts.Node[],
  asides: readonly ts.VariableStatement[],
): boolean {
  const lists = new Set(
    [...variables]
      .filter(([list]) => written.has(list) || made.has(list))
      .map(([, variable]) => variable),
  );
  return [...readBy(work, asides)].every(
    (variable) => !lists.has(variable) && !items.some((item) => isMoved(work, variable, item)),
  );
}

/** Whether the function mentions it outside of the stretch. */
function isNamed(
  { api }: Work,
  { name, declaration }: Variable,
  items: readonly ts.Node[],
): boolean {
  const visit = (node: ts.Node): boolean =>
    !items.includes(node) &&
    node !== declaration.parent.parent &&
    ((api.isIdentifier(node) && node.text === name) ||
      api.forEachChild(node, (child) => visit(child) || undefined) === true);
  return visit(functionAround(api, declaration));
}

/** Whether it is `const a = new Float64Array(n);` that only the stretch mentions. */
function isScratch(work: Work, variable: Variable, items: readonly ts.Node[]): boolean {
  const { api } = work;
  const { declaration } = variable;
  if (
    !api.isVariableDeclaration(declaration) ||
    declaration.initializer === undefined ||
    !api.isVariableDeclarationList(declaration.parent) ||
    declaration.parent.parent.parent !== items[0]?.parent ||
    zerosOf(work, unwrapped(work, declaration.initializer)) === null
  )
    return false;
  return (
    !isNamed(work, variable, items) &&
    !declaration.parent.declarations.some(
      (one) => one !== declaration && mentions(api, one, variable.name),
    )
  );
}

const mentions = (api: typeof ts, node: ts.Node, name: string): boolean =>
  (api.isIdentifier(node) && node.text === name) ||
  api.forEachChild(node, (child) => mentions(api, child, name) || undefined) === true;
