// Emitted code type-checks under every flag that a user may set. In: the corpus, and a matrix of
// strictness, target with its default library, module system, engine and form. A cell takes a part
// of the programs; over all cells every program meets several.

import { describe, expect, it } from "vitest";
import { isLong, sampled } from "../breadth.ts";
import { CELLS, problemsIn } from "./flags.ts";
import { corpusSources } from "./sources.ts";

const PARTS = isLong ? 24 : 12;
const sources = corpusSources((name) => sampled(name, 12));

/** `FLAGS=all` takes every cell, which is 20 minutes; a long run takes four, a short one two. */
const every = process.env["FLAGS"] === "all" ? 1 : isLong ? 24 : 50;
const cells = [...CELLS.keys()].filter((at) => at % every === 7 % every);

describe("emitted code", () => {
  it.each(cells)("type-checks in cell %i", (at) => {
    const cell = CELLS[at];
    const part = sources.filter((_, i) => (i + at * 5) % PARTS === 0);
    if (cell === undefined) throw new Error(`no cell ${at}`);
    const { problems, sound } = problemsIn(cell, part);
    expect(sound).toBeGreaterThan(part.length / 3);
    expect(problems, JSON.stringify(cell)).toEqual([]);
  });
});
