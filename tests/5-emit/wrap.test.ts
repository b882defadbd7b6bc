// Where long lines break. In: one statement's text. Out: its lines, written out by hand.

import { expect, test } from "vitest";
import { wrap } from "../../transformer/5-emit/wrap.ts";

const LONG = "someRatherLongNameOfAFunction";

test.each<[string, string, readonly string[]]>([
  [
    "not within the types of a Map",
    `const kept: Cotangent<Curve>[] = curves.map((row) => ({ knots: ${LONG}(row.knots.length), gain: 0, next: new Map<string, number>(Array.from(row.next)) }));`,
    [
      `const kept: Cotangent<Curve>[] = curves.map((row) =>`,
      `  ({ knots: ${LONG}(row.knots.length), gain: 0, next: new Map<string, number>(Array.from(row.next)) }));`,
    ],
  ],
  [
    "at a comma of the outer call where one compares",
    `const t = ${LONG}(first < second ? first * third : second * third, ${LONG}(first, second > third ? second : third), first > third);`,
    [
      `const t = ${LONG}(first < second ? first * third : second * third,`,
      `  ${LONG}(first, second > third ? second : third), first > third);`,
    ],
  ],
  [
    "after a comma without a space behind it, not in the string there",
    `const t = call({"knots":[0],"gainsOfKnots":{"knots":[0],"gains":{"knots":[0]}},"nextKnots":{"knots":[0],"gainsOfKnots":{"knots":[0],"gain":[0]}},"lastKnots":[0]});`,
    [
      `const t = call({"knots":[0],"gainsOfKnots":{"knots":[0],"gains":{"knots":[0]}},`,
      `  "nextKnots":{"knots":[0],"gainsOfKnots":{"knots":[0],"gain":[0]}},"lastKnots":[0]});`,
    ],
  ],
])("%s", (_, text, lines) => {
  expect(wrap(text, 0).map((line) => line.trimEnd())).toEqual(lines);
});
