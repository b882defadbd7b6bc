// `map` of arrays that keep ids, by rewritten functions (runtime/delta/natives/callbacks.ts). In: small programs. Out: closed forms, which an id at another place would not give.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import * as delta from "../../runtime/delta/index.ts";
import { loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

const HEAD = `import { grad } from "tsgrad";\n`;

function valueOf(source: string): unknown {
  const whole = HEAD + source;
  const { edits, diagnostics } = analyse(programOf({ "input.ts": whole }));
  expect(diagnostics).toEqual([]);
  return loader(
    new Map([
      ["/src/input.ts", applyEdits("/src/input.ts", whole, edits.get("/src/input.ts") ?? []).text],
    ]),
    delta,
  )("/src/input.ts")["value"];
}

const of = (body: string, at: string): string =>
  `export const value = grad((xs: number[]): number => { ${body} }, { engine: "delta" })(${at});`;

const PROGRAMS: readonly (readonly [what: string, source: string, value: unknown])[] = [
  [
    "a list of what varies and what does not",
    of(
      "const ys = xs.map((x, i) => (i === 1 ? 7 : x * x)); return ys[0]! * ys[1]! + ys[2]! * 2;",
      "[1, 2, 3]",
    ),
    [14, 0, 12],
  ],
  [
    "no element that varies, written later",
    of(
      "const ys = xs.map((_x, i) => i); ys[1] = xs[0]! * xs[0]!; return ys[1]! * 3 + ys[0]!;",
      "[2, 5]",
    ),
    [12, 0],
  ],
  [
    "holes",
    of(
      "const sparse = [xs[0]!, xs[1]!, xs[0]!]; delete sparse[0]; const ys = sparse.map((x) => x * x); return ys[1]! + ys[2]! * 2;",
      "[3, 5]",
    ),
    [12, 10],
  ],
  [
    "a callback that writes elements that are still to come",
    of(
      "const ys = xs.map((x, i, all) => { if (i === 0) all[1] = x * x; return x * 2; }); return ys[0]! + ys[1]!;",
      "[3, 5]",
    ),
    [2 + 12, 0],
  ],
  [
    "a callback that makes the list shorter",
    of(
      "const own = xs.slice(), ys = own.map((x, i) => { if (i === 0) own.pop(); return x * x; }); return ys[0]! + (ys[1] ?? 0) + (ys[2] ?? 0);",
      "[3, 5, 7]",
    ),
    [6, 10, 0],
  ],
  [
    "maps one in another",
    of(
      "return xs.map((x) => xs.map((y) => x * y).reduce((s, z) => s + z, 0)).reduce((s, z) => s + z, 0);",
      "[1, 2]",
    ),
    [6, 6],
  ],
  [
    "of what was mapped",
    of("return xs.map((x) => x * x).map((x) => x * 3).map((x) => x + 1)[1]!;", "[1, 2]"),
    [0, 12],
  ],
  [
    "rows that are given on",
    of(
      "const rows = [xs, [1, 2]], own = rows.map((row) => row); own[0]![0] = own[0]![0]! * 2; return xs[0]! * own[1]![1]!;",
      "[3, 4]",
    ),
    [4, 0],
  ],
  [
    "a class that extends Array",
    `class Own extends Array<number> {}\n${of("const own = Own.from(xs), ys = own.map((x) => x * x); return ys[0]! + ys[1]! * 2;", "[3, 5]")}`,
    [6, 20],
  ],
  [
    "a callback that throws",
    of(
      'let s = 0; try { xs.map((x, i) => { if (i === 1) throw new Error("end"); s += x * x; return x; }); } catch { s *= 2; } return s;',
      "[3, 5]",
    ),
    [12, 0],
  ],
  [
    "a value for `this`",
    of(
      "return xs.map(function (this: { k: number }, x) { return x * this.k; }, { k: xs[1]! })[0]!;",
      "[3, 5]",
    ),
    [5, 3],
  ],
];

test.each(PROGRAMS)("%s", (_what, source, expected) => {
  expect(valueOf(source)).toEqual(expected);
});
