// Which reads hold the same when the reverse sweep runs. In: rounds of a loop as IR text, in which `r` is read. Out: whether it may be read again, found by hand from what each round may write.

import { expect, test } from "vitest";
import { memoryOf } from "../../transformer/2-analyse/memory/points-to.ts";
import {
  type ReadStability,
  readStabilityOf,
} from "../../transformer/2-analyse/memory/reaching-writes.ts";
import { parse } from "../../transformer/ir/parse.ts";
import type { Func } from "../../transformer/ir/types.ts";

const HEAD =
  "func g(a: num[][], b: num[]) -> num { a[0] = b; yield 0 }\nfunc f(x: num, given: num[], rows: num[][], others: num[][]) -> num {";

function ordered(body: string): { func: Func; order: ReadStability } {
  const { funcs, types } = parse(`${HEAD} ${body} }`);
  const graphs = memoryOf(funcs, types);
  const func = funcs.get("f");
  const memory = graphs.get("f");
  if (func === undefined || memory === undefined) throw new Error("no function");
  return { func, order: readStabilityOf(func, memory, graphs, { by: new Set(), byUs: new Set() }) };
}

const isRereadable = (body: string): boolean => ordered(body).order.rereadable("r");

/** A list goes round. */
const inRound = (text: string, next = "next"): boolean =>
  isRereadable(
    `for i = 0 < 3 carry (u: num[] = given) -> (ue: num[]) { ${text}; yield ${next} } yield x`,
  );
/** A list of lists goes round. */
const inRounds = (text: string, next = "next"): boolean =>
  isRereadable(
    `for i = 0 < 3 carry (m: num[][] = rows) -> (me: num[][]) { ${text}; yield ${next} } yield x`,
  );

const COPY = "next: num[] = slice u 0";

test.each<[string, boolean, string]>([
  ["of the last state, the copy is written", true, `r = load u[0]; ${COPY}; next[1] = r`],
  ["of the last state, behind the copy", true, `${COPY}; next[0] = x; r = load u[0]`],
  [
    "of the last state, in a loop that writes the copy",
    true,
    `${COPY}; for j = 0 < 2 { r = load u[j]; next[j] = r; yield }`,
  ],
  ["of an argument", true, `${COPY}; for j = 0 < 2 { r = load given[j]; next[j] = r; yield }`],
  ["of the copy, which is written behind it", false, `${COPY}; r = load next[0]; next[1] = r`],
  ["of the copy, which is written no more", true, `${COPY}; next[1] = x; r = load next[1]`],
  [
    "of the copy, in a loop that writes it",
    false,
    `${COPY}; for j = 0 < 2 { r = load next[j]; next[j] = x; yield }`,
  ],
  [
    "of the state, which is written in place",
    false,
    `r = load u[0]; ${COPY}; u[1] = r; next[0] = x`,
  ],
  [
    "of the state, in a round that writes the state itself in some cases",
    false,
    `r = load u[0]; ${COPY}; c = lt x 1; if c -> (some: num[]) { yield u } else { yield next }; some[0] = x`,
  ],
  [
    "of what an inner loop carries, which is the copy at first",
    false,
    `${COPY}; for j = 0 < 2 carry (w: num[] = next) -> (we: num[]) { r = load w[0]; next[0] = r; side: num[] = slice w 0; yield side }`,
  ],
])("a number %s: %s", (_, expected, text) => {
  expect(inRound(text)).toBe(expected);
});

test("a state that goes on as it is, and is written by the name of the copy, in the next round as well", () => {
  expect(inRound(`r = load u[0]; ${COPY}; next[0] = x`, "u")).toBe(true);
});

const ROWS =
  "next: num[][] = array []; for j = 0 < 3 { own: num[] = array [x]; append next own; yield }";

test.each<[string, boolean, string]>([
  [
    "of a row of the last state, rows of the new one are written",
    true,
    `${ROWS}; for j = 0 < 3 { old = load m[j]; r = load old[0]; row = load next[j]; row[0] = r; yield }`,
  ],
  [
    "of a row of the new state, which is written",
    false,
    `${ROWS}; for j = 0 < 3 { row = load next[j]; r = load row[0]; row[0] = x; yield }`,
  ],
  [
    "of a row of the last state, whose rows the new one has",
    false,
    `next: num[][] = slice m 0; for j = 0 < 3 { old = load m[j]; r = load old[0]; row = load next[j]; row[0] = r; yield }`,
  ],
  [
    "of a row of the last state, one of which the new one has",
    false,
    `${ROWS}; shared = load m[1]; next[1] = shared; for j = 0 < 3 { old = load m[j]; r = load old[0]; row = load next[j]; row[0] = r; yield }`,
  ],
  [
    "of a row of the last state, into which a new row is put",
    false,
    `${ROWS}; one = load next[0]; m[1] = one; for j = 0 < 3 { old = load m[j]; r = load old[0]; row = load next[j]; row[0] = r; yield }`,
  ],
  [
    "of a row of the last state, into which a function may put a new one",
    false,
    `${ROWS}; one = load next[0]; z = call g(m, one); for j = 0 < 3 { old = load m[j]; r = load old[0]; row = load next[j]; row[0] = r; yield }`,
  ],
  [
    "of a row of the last state, where another name of the new one gets a row of it",
    false,
    `${ROWS}; also: num[][] = copy next; shared = load m[1]; also[1] = shared; for j = 0 < 3 { old = load m[j]; r = load old[0]; row = load next[j]; row[0] = r; yield }`,
  ],
])("a number %s: %s", (_, expected, text) => {
  expect(inRounds(text)).toBe(expected);
});

test.each<[string, boolean, string]>([
  [
    "a copy is written, and nobody else has it",
    true,
    "for j = 0 < 2 { mine: num[] = slice given 0; r = load rows[0]; part = load r[0]; mine[0] = part; yield } yield x",
  ],
  [
    "what is written has been put into what may be the other list",
    false,
    "mine: num[] = slice given 0; others[0] = mine; row = load rows[0]; for j = 0 < 2 { r = load row[0]; mine[0] = r; yield } yield x",
  ],
])("of arguments that may hold one object: %s", (_, expected, text) => {
  expect(isRereadable(text)).toBe(expected);
});

test.each<[string, boolean, string]>([
  [
    "where rounds append to a list that they make",
    true,
    "for i = 0 < 3 { r = load given[0]; made: num[] = array []; append made r; yield } yield x",
  ],
  [
    "where rounds append to a list from in front of the loop",
    false,
    "made: num[] = slice given 0; for i = 0 < 3 { r = load made[0]; append made r; made[0] = x; yield } yield x",
  ],
  [
    "where rounds write what may be the list",
    false,
    "made: num[] = slice given 0; c = lt x 1; if c -> (one: num[]) { yield given } else { yield made }; for i = 0 < 3 { r = load given[0]; one[0] = r; yield } yield x",
  ],
])("a read that gives the same in every round: %s", (_, expected, text) => {
  const { func, order } = ordered(text);
  const loop = func.body.stmts.find(({ kind }) => kind === "for");
  expect(loop !== undefined && order.steadyIn("r", loop)).toBe(expected);
});
