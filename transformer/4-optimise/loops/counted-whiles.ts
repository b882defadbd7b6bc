// Turns `while` loops that count into `for` loops, which other passes fuse and reverse.
//   while carry (i = 0, s) { i < n } do { p; j = i + 1; yield j s }
//     ->   for i = 0 < n step 1 carry (s) { p; j = i + 1; yield s }
// Invariant: the counter starts at an integer, the limit is bound outside of the loop, and nothing
// reads the counter after the loop.

import { flatMapList, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Atom, Body, Expr, For, Func, While } from "../../ir/types.ts";
import { mapBodies } from "../../ir/visit.ts";
import { countReads, isNumber, sameAtom } from "../atoms.ts";
import { isInteger, type Numbers, numbersOf } from "./iterations.ts";

interface Known {
  readonly numbers: Numbers;
  readonly reads: ReadonlyMap<string, number>;
}

export const countedWhiles = (func: Func): Func =>
  withBody(func, rewrite(func.body, { numbers: numbersOf(func), reads: countReads(func.body) }));

const rewrite = (body: Body, known: Known): Body =>
  withStmts(
    body,
    flatMapList(body.stmts, (stmt) => {
      const inner = mapBodies(stmt, (nested) => rewrite(nested, known));
      return [(inner.kind === "while" ? counted(inner, known) : null) ?? inner];
    }),
  );

const TESTS = new Map<string, For["test"]>([
  ["lt", "<"],
  ["le", "<="],
  ["gt", ">"],
  ["ge", ">="],
]);

function counted(loop: While, { numbers, reads }: Known): For | null {
  const { carried, test, body, binds, ...rest } = loop;
  const limit = limitOf(test);
  const k = carried.findIndex(({ param }) => limit !== null && sameAtom(param, limit.index));
  const [counter, bind] = [carried[k], binds[k]];
  if (limit === null || counter === undefined || bind === undefined) return null;
  const isCarried = carried.some(({ param }) => sameAtom(param, limit.to));
  const step = stepOf(body.result[k], limit.index, numbers);
  if (isCarried || step === 0 || step > 0 !== limit.test.startsWith("<")) return null;
  if (!isInteger(counter.init, numbers) || reads.has(bind.name)) return null;
  const isOther = (_: unknown, at: number): boolean => at !== k;
  return {
    ...rest,
    ...{ kind: "for", index: counter.param, from: counter.init, test: limit.test, to: limit.to },
    step,
    carried: carried.filter(isOther),
    binds: binds.filter(isOther),
    body: { ...body, result: body.result.filter(isOther) },
  };
}

/** `index < to`, if that is all of the test. */
function limitOf({
  stmts,
  result,
}: Body): { readonly index: Atom; readonly test: For["test"]; readonly to: Atom } | null {
  const [only] = stmts;
  const [yielded] = result;
  if (stmts.length !== 1 || only?.kind !== "let" || only.expr.kind !== "op") return null;
  const [index, to] = only.expr.args;
  const test = TESTS.get(only.expr.op);
  if (index === undefined || to === undefined || test === undefined) return null;
  return yielded !== undefined && sameAtom(yielded, only.bind) ? { index, test, to } : null;
}

/** What an iteration adds to the counter; 0 if that is not a known integer. */
function stepOf(next: Atom | undefined, index: Atom, { definitions }: Numbers): number {
  const sum: Expr | undefined = next?.kind === "var" ? definitions.get(next.name) : undefined;
  if (sum?.kind !== "op" || (sum.op !== "add" && sum.op !== "sub")) return 0;
  const [x, size] = sum.args;
  if (x === undefined || size === undefined || !sameAtom(x, index) || !isNumber(size)) return 0;
  return Number.isInteger(size.value) ? (sum.op === "add" ? size.value : -size.value) : 0;
}
