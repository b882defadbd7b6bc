// Which stores surely stay within their array. In: bodies as IR text, the last store into `a` being what is asked about. Out: whether it may make the array longer, written out by hand.

import { expect, test } from "vitest";
import { growingStores } from "../../transformer/2-analyse/elements/growth.ts";
import { memoryOf } from "../../transformer/2-analyse/memory/points-to.ts";
import { parse } from "../../transformer/ir/parse.ts";
import { walkStmts } from "../../transformer/ir/visit.ts";

function growsIn(text: string): boolean {
  const program = parse(
    `func f(x: num, xs: num[], n: num, w: num, h: num) -> num {\n${text}; yield x }`,
  );
  const func = program.funcs.get("f");
  const memory = memoryOf(program.funcs, program.types).get("f");
  if (func === undefined || memory === undefined) throw new Error("no function");
  const growing = growingStores(func.body, memory, program.types);
  let grows = false;
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "store" && stmt.object.kind === "var" && stmt.object.name === "a")
      grows = growing.has(stmt);
  });
  return grows;
}

const COPY = "a: num[] = slice xs 0";
const MADE = "a: num[] = alloc n fill 0";
const GRID = "size = mul w h; a: num[] = alloc size fill 0";

test.each<[string, string]>([
  [
    "a loop up to the length of what was copied",
    `${COPY}; t = length xs; for i = 0 < t { a[i] = x }`,
  ],
  [
    "a loop up to the number that it was made with, and downwards",
    `${MADE}; t = sub n 1; for i = t >= 0 step -1 { a[i] = x }`,
  ],
  [
    "the next one, where the loop ends sooner",
    `${MADE}; t = sub n 1; for i = 0 < t { k = add i 1; a[k] = x }`,
  ],
  [
    "rows and columns",
    `${GRID}; for i = 0 < h { for j = 0 < w { r = mul i w; k = add r j; a[k] = x } }`,
  ],
  ["what is left of a division", `${MADE}; k = mod x n; a[k] = x`],
  ["the smaller of two places", `${MADE}; t = sub n 1; k = min x t; a[k] = x`],
  ["half of a place", `${MADE}; for i = 1 < n { t = sub i 1; k = shr t 1; a[k] = x }`],
  ["a test in front", `${MADE}; c = lt w n; if c { a[w] = x }`],
  [
    "a counter that rounds add one to, or nothing",
    `${MADE}; for i = 0 < n carry (p: num = 0) -> (end: num) { c = lt x 1; if c -> (q: num) { next = add p 1; a[p] = x; yield next } else { yield p }; yield q }`,
  ],
  [
    "a place of a list that is written out",
    "a: num[] = array [x, x, x]; for i = 0 < n { k = mod i 3; a[k] = x }",
  ],
])("within: %s", (_, text) => {
  expect(growsIn(text)).toBe(false);
});

test.each<[string, string]>([
  ["any place", `${COPY}; a[n] = x`],
  ["a loop up to another number", `${COPY}; for i = 0 < n { a[i] = x }`],
  ["a loop that goes one too far", `${MADE}; for i = 0 <= n { a[i] = x }`],
  [
    "a list from whose original one is taken",
    `${COPY}; t = length xs; gone = removeLast xs; for i = 0 < t { a[i] = x }`,
  ],
  [
    "columns that are not the rows'",
    `${GRID}; for i = 0 < h { for j = 0 < n { r = mul i w; k = add r j; a[k] = x } }`,
  ],
  [
    "a counter that rounds add two to",
    `${MADE}; for i = 0 < n carry (p: num = 0) -> (end: num) { next = add p 2; a[p] = x; yield next }`,
  ],
])("perhaps behind: %s", (_, text) => {
  expect(growsIn(text)).toBe(true);
});
