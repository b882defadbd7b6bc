// Fuses consecutive statements of arithmetic, with calls inlined and private records in locals. In:
// statements of a block. Out: lines for a profitable stretch: the primal, and one node per number
// used later, with partials accumulated at build time. Invariant: type assumptions are tested
// first, else the ordinary statements run; nothing is written until all is known.

import type ts from "typescript";
import type { Variable } from "../binding.ts";
import { capturesOf } from "../captures.ts";
import { declaredHandles, handleLines } from "../handles.ts";
import { reading } from "../../code/temporaries.ts";
import { type Work } from "../work.ts";
import { block, marked } from "../unchecked.ts";
import { statement, storeOf, type Store } from "./body.ts";
import { valueOf } from "./expression.ts";
import { passedTo } from "./adjoints.ts";
import { canLeave, Leaves, type Output } from "./outputs.ts";
import { Run } from "./state.ts";
import { isDeclaredIn, isOwn, type Span } from "./uses.ts";
import type { Value } from "./values.ts";

/** Writes statements that are not fused. */
export type Ordinary = (nodes: readonly ts.Statement[]) => readonly string[];

export interface Lines {
  readonly lines: readonly string[];
  /** Number of fused statements. */
  readonly count: number;
}

/** Synchronous typed code whose state after an error is unused. Partials need the global `Math`. */
export const mayRun = ({ api, context, frame, isUntyped }: Work, at: ts.Node): boolean =>
  !isUntyped &&
  context.activity !== undefined &&
  context.perOperation !== true &&
  !frame.isAsync &&
  !frame.isGenerator &&
  !frame.isConstructor &&
  !isTried(api, at) &&
  context.checker?.resolveName("Math", at, api.SymbolFlags.Value, true) === undefined;

function isTried(api: typeof ts, node: ts.Node): boolean {
  for (let at = node.parent; !api.isFunctionLike(at) && !api.isSourceFile(at); at = at.parent)
    if (api.isTryStatement(at)) return true;
  return false;
}

/** The stretch that starts at a statement of a block, or null. */
export function runAt(
  work: Work,
  nodes: readonly ts.Statement[],
  from: number,
  ordinary: Ordinary,
): Lines | null {
  const { api } = work;
  const first = nodes[from];
  if (first === undefined || !mayRun(work, first)) return null;
  const run = new Run(work, first);
  let count = 0;
  for (
    let node: ts.Statement | undefined = first;
    node !== undefined;
    node = nodes[from + ++count]
  ) {
    const next = node;
    if (run.attempt(() => statement(run, next, null) || null) === null) break;
  }
  const last = nodes[from + count];
  const store = last === undefined ? null : run.attempt(() => storeOf(run, last));
  const expression =
    last !== undefined && api.isReturnStatement(last) ? last.expression : undefined;
  const result =
    expression === undefined ? null : run.attempt(() => valueOf(run, expression, null));
  if (result !== null || store !== null) count++;
  return count === 0
    ? null
    : written(run, nodes.slice(from, from + count), { result, store }, ordinary);
}

/** The same for a function that is an expression. */
export function runOf(
  work: Work,
  node: ts.Expression,
  ordinary: () => readonly string[],
): readonly string[] | null {
  if (!mayRun(work, node)) return null;
  const run = new Run(work, node);
  const result = run.attempt(() => valueOf(run, node, null));
  return result === null ? null : asked(run, [], { result, store: null }, ordinary, []);
}

/** The effect of the last statement, if it returns or writes an element. */
interface End {
  readonly result: Value | null;
  readonly store: Store | null;
}

function written(
  run: Run,
  nodes: readonly ts.Statement[],
  end: End,
  ordinary: Ordinary,
): Lines | null {
  const outputs = outputsOf(run, spanOf(nodes), end.result !== null);
  const lines =
    outputs === null
      ? null
      : asked(run, outputs, end, () => ordinary(nodes), declaredIn(outputs, spanOf(nodes)));
  return lines === null ? null : { lines, count: nodes.length };
}

const spanOf = (nodes: readonly ts.Statement[]): Span => ({
  start: nodes[0]?.pos ?? 0,
  end: nodes.at(-1)?.end ?? 0,
});

/** Locals that are read after the stretch, or null where one cannot be a result. */
function outputsOf(run: Run, span: Span, isLast: boolean): readonly Output[] | null {
  const { work } = run;
  const outputs: Output[] = [];
  for (const [variable, { value, target }] of run.locals) {
    const isInside = isDeclaredIn(variable, span);
    const isCaptured = capturesOf(work.api, variable);
    if (!isCaptured && (isInside ? isOwn(work, variable, span) : isLast)) continue;
    const hasId = variable.live && variable.idWanted;
    if (!variable.wasRead && !hasId) continue;
    if (!canLeave(value) || (!isInside && isCaptured && run.mayThrow)) return null;
    outputs.push({ variable, value, hasId, target });
  }
  return outputs;
}

const declaredIn = (outputs: readonly Output[], span: Span): readonly Variable[] =>
  outputs.map(({ variable }) => variable).filter((variable) => isDeclaredIn(variable, span));

/** The stretch where its conditions hold, else the ordinary statements. */
function asked(
  run: Run,
  outputs: readonly Output[],
  end: End,
  ordinary: () => readonly string[],
  declared: readonly Variable[],
): readonly string[] | null {
  const { work } = run;
  const { result } = end;
  const isSure = run.conditions.size === 0;
  const own =
    result !== null && !canLeave(result)
      ? null
      : linesOf(run, outputs, end, new Set(isSure ? declared : []));
  if (own === null) return null;
  for (const variable of declared) work.hoisted.add(variable);
  const otherwise = ordinary();
  for (const variable of declared) work.hoisted.delete(variable);
  const before = declared.flatMap((variable) => [
    `let ${variable.name}${work.any};`,
    ...(variable.live && variable.idWanted ? [`let ${variable.id}${work.any};`] : []),
    ...declaredHandles(work, variable),
  ]);
  const at = (lines: readonly string[]): string[] => lines.map((line) => marked(run.first, line));
  if (isSure) return at([...run.looks, ...own]);
  const fast = block(`if (${[...run.conditions].join(" && ")})`, own);
  if (result !== null) return [...at([...before, ...run.looks, fast]), ...otherwise];
  return [
    ...at([...before, ...run.looks]),
    marked(run.first, `${fast} ${block("else", otherwise)}`),
  ];
}

/** Its own lines, or null where fusing does not pay. */
function linesOf(
  run: Run,
  outputs: readonly Output[],
  { result, store }: End,
  declared: ReadonlySet<Variable>,
): readonly string[] | null {
  const { work } = run;
  const leaves = new Leaves(run, new Set(outputs.map(({ variable }) => variable.name)));
  for (const { value, hasId } of outputs) leaves.add(value, hasId);
  if (result !== null) leaves.add(result, true);
  if (store !== null) leaves.add(store.value, true);
  if (!isWorth(run, leaves)) return null;
  for (const { variable, value } of outputs)
    if (declared.has(variable)) leaves.declare(variable, value);
  leaves.settle();
  const isAlone = store === null && outputs.length + (result === null ? 0 : 1) === 1;
  // Named before anything is written.
  const [element, elementId] =
    store === null ? ["", ""] : [leaves.value(store.value, false), leaves.id(store.value, false)];
  const writes = outputs.flatMap((output) =>
    writesOf(work, leaves, output, isAlone, declared.has(output.variable)),
  );
  const end =
    result === null
      ? []
      : [`return $d.ret(${leaves.value(result, isAlone)}, ${leaves.id(result, isAlone)});`];
  const stored =
    store === null
      ? []
      : [
          `${store.list.name}[${store.index}] = ${element};`,
          `$d.setIdAt(${reading(store.list.handle)}, ${store.index}, ${elementId});`,
        ];
  return [...leaves.lines, ...writes, ...stored, ...end];
}

/** `x = e; x$id = …;`, or the declarations of both. */
function writesOf(
  work: Work,
  leaves: Leaves,
  output: Output,
  isAlone: boolean,
  isDeclared: boolean,
): readonly string[] {
  const { variable, value, hasId } = output;
  const { name, how } = variable;
  if (isDeclared) {
    if (hasId) leaves.declareId(output);
    const text = leaves.value(value, false);
    return [
      ...(text === name
        ? []
        : [`${how === "const" ? "const" : "let"} ${name}${work.any} = ${text};`]),
      ...handleLines(work, variable),
    ];
  }
  const id = !hasId ? null : leaves.id(value, false);
  const text = leaves.value(value, isAlone);
  return [
    `${name} = ${text};`,
    ...(id === null ? [] : [`${variable.id} = ${id};`]),
    ...handleLines(work, variable, false),
  ];
}

/** Limit of backward operations per primal operation. */
const MOST_SWEEPS = 4;

/** Whether partials cost less than a node per operation. */
function isWorth(run: Run, leaves: Leaves): boolean {
  const all = new Set<number>();
  let swept = 0;
  for (const number of leaves.leaving) {
    const own = new Set<number>();
    const todo = [number];
    for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
      if (!node.varies || node.op === null || own.has(node.at)) continue;
      own.add(node.at);
      todo.push(...passedTo(node));
    }
    swept += own.size;
    for (const at of own) all.add(at);
  }
  if (all.size === 0) return false;
  return run.spared > 0
    ? swept <= MOST_SWEEPS * all.size + 8
    : all.size >= 4 * leaves.leaving.length &&
        swept <= MOST_SWEEPS * all.size &&
        leaves.terms <= 2 * all.size;
}
