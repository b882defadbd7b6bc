// Which objects a round of a loop makes and keeps to itself. In: rounds as IR text. Out: the names of such objects, written out by hand.

import { expect, test } from "vitest";
import { iterationLocalObjects } from "../../transformer/2-analyse/memory/iteration-local-objects.ts";
import { parse } from "../../transformer/ir/parse.ts";

const HEAD =
  "func g(a: num[]) -> num[] { yield a }\nfunc f(x: num, rows: num[][], given: num[]) -> num {";
const inRound = (text: string): string =>
  `${HEAD}\n for i = 0 < 3 carry (s = 0) -> (se) { ${text}; yield s }\n yield se }`;

function ownOf(text: string): string[] {
  const loop = parse(inRound(text)).funcs.get("f")?.body.stmts[0];
  if (loop?.kind !== "for") throw new Error("no loop");
  return [...iterationLocalObjects(loop.body)].sort();
}

const MADE = "made: num[] = array [x]";

test.each<[string, string, string[]]>([
  ["nothing is done with it", MADE, ["made"]],
  ["it is written and read", `${MADE}; made[0] = s; y = load made[0]`, ["made"]],
  [
    "it is joined with what comes from outside",
    `${MADE}; c = lt x 1; if c -> (both: num[]) { yield given } else { yield made }; y = load both[0]`,
    ["made"],
  ],
  [
    "it is in a list of the round's own",
    `${MADE}; list: num[][] = array [made]; inner = load list[0]; y = load inner[0]`,
    ["list", "made"],
  ],
  [
    "it is put into such a list",
    `${MADE}; list: num[][] = array []; append list made`,
    ["list", "made"],
  ],
  [
    "it goes round an inner loop",
    `${MADE}; for k = 0 < 2 carry (row: num[] = given) -> (last: num[]) { next: num[] = array [x]; yield next }`,
    ["made", "next"],
  ],
  ["it is put into a list from outside", `${MADE}; rows[0] = made`, []],
  [
    "it is appended there under another name",
    `${MADE}; c = lt x 1; if c -> (both: num[]) { yield given } else { yield made }; append rows both`,
    [],
  ],
  [
    "what holds it is put there",
    `inner: num[] = array [x]; kept: num[][] = array [inner]; list: num[][] = copy kept; part = load list[0]; rows[0] = part`,
    [],
  ],
  [
    "it is put into what may be a list from outside",
    `${MADE}; fresh: num[][] = array []; c = lt x 1; if c -> (list: num[][]) { yield rows } else { yield fresh }; list[0] = made`,
    ["fresh"],
  ],
  ["a function is given it", `${MADE}; other = call g(made)`, []],
  ["code of the user's is given it", `${MADE}; v: num = extern reads "look(" made ")"`, []],
  [
    "it goes out of an inner loop into a list from outside",
    `for k = 0 < 2 carry (row: num[] = given) -> (last: num[]) { next: num[] = array [x]; yield next }; rows[0] = last`,
    [],
  ],
])("%s", (_, text, own) => {
  expect(ownOf(text)).toEqual(own);
});

test("what is carried into the next round is its own no more", () => {
  const text = `${HEAD}\n for i = 0 < 3 carry (row: num[] = given) -> (last: num[]) { next: num[] = array [x]; side: num[] = slice next 0; yield next }\n y = load last[0]; yield y }`;
  const loop = parse(text).funcs.get("f")?.body.stmts[0];
  expect(loop?.kind === "for" ? [...iterationLocalObjects(loop.body)] : null).toEqual(["side"]);
});
