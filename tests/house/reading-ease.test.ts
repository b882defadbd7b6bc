// README, guide and messages are plain English: a Flesch score of 50 or more on average, printed by
// each run. The list of all texts: `node scripts/reading-ease.mjs`.

import { describe, expect, test } from "vitest";
import {
  diagnosticPageEase,
  guideEase,
  meanOf,
  messageEase,
  proseOf,
  readmeEase,
  referenceEase,
} from "../../scripts/reading-ease.ts";
import { root } from "../golden.ts";

const GROUPS = {
  README: readmeEase(root),
  guide: guideEase(root),
  reference: referenceEase(root),
  messages: messageEase(),
  "pages of diagnostics": diagnosticPageEase(),
};

describe("Flesch reading ease", () => {
  test.each(Object.entries(GROUPS))("%s: 50 or more on average", (group, scores) => {
    const mean = meanOf(scores);
    console.log(`Flesch reading ease, ${group}: ${mean.toFixed(1)} (${scores.length} texts)`);
    expect(mean).toBeGreaterThanOrEqual(50);
  });

  test("no page for learning is below 50, nor a message", () => {
    const hard = [...GROUPS.README, ...GROUPS.guide, ...GROUPS.messages].filter(
      ({ score }) => score < 50,
    );
    expect(hard).toEqual([]);
  });

  test("prose is what stands outside of code, tables and headings", () => {
    const page =
      "# Title\n\nCall `grad(f)` now:\n\n```ts\nf();\n```\n\n| a | b |\n\n- one [link](x.md)\n- two\n";
    expect(proseOf(page)).toBe("Call Code now.\nOne link.\nTwo.");
  });
});
