// Every pass, and all of them together, keep the meaning of random functions. A failure names the seed.

import { describe, expect, test } from "vitest";
import { LAST, PASSES, optimise } from "../../transformer/4-optimise/index.ts";
import type { OptimiserContext } from "../../transformer/4-optimise/index.ts";
import { isTriggered } from "../../transformer/4-optimise/pass-triggers.ts";
import { same } from "../../transformer/4-optimise/value-identity.ts";
import { assertValid } from "../../transformer/ir/check.ts";
import { printFunc } from "./print-func.ts";
import type { Func } from "../../transformer/ir/types.ts";
import { type RandomCase, randomCase } from "./random-adjoint.ts";
import { seen, unsigned } from "./same-meaning.ts";

const CASES = Number(process.env["TSGRAD_CASES"] ?? 160);
const FIRST = Number(process.env["TSGRAD_SEED"] ?? 1);

const ALL = "all passes";
/** They have tests or goldens of their own: random functions have nothing for them to do. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  "asserted",
  "copiesOut",
  "factorCarried",
  "inFront",
  "literals",
  "reserve",
  "shifts",
  "sink",
  "skipZeros",
  "speltOut",
]);
const NAMES = [...PASSES.keys(), ...LAST.keys(), ALL].filter((name) => !ELSEWHERE.has(name));
const apply = (name: string, func: Func, context: OptimiserContext): Func =>
  name === ALL
    ? optimise(func, context)
    : ((PASSES.get(name) ?? LAST.get(name))?.(func, context) ?? func);

describe.each(NAMES)("%s", (name) => {
  test.each([
    ["cotangents on integers", false],
    ["primal code on any floats", true],
  ] as const)("%s", (_what, floats) => {
    let changed = 0;
    for (let seed = FIRST; seed < FIRST + CASES; seed++) {
      const { program, args, before } = caseOf(seed, floats);
      // a pass alone has more to do behind those that prepare for it
      const start =
        name === ALL || name === "simplify"
          ? before[0]
          : prepared(name, before, { types: program.types });
      const after = apply(name, start, { types: program.types });
      assertValid(
        { ...program, funcs: new Map([...program.funcs, ["f", after]]) },
        `${name}, seed ${seed}`,
      );
      if (printFunc(after) !== printFunc(start)) changed++;
      // what has nothing to do says so by giving the very same back; a pass that is not asked would have had nothing to do
      if (same(after, start)) expect(after, `seed ${seed}`).toBe(start);
      else expect(name === ALL || isTriggered(name, start), `seed ${seed}`).toBe(true);
      const [was, is] = [seen(program, start, args), seen(program, after, args)];
      const what = `seed ${seed}, floats ${floats}\n${printFunc(start)}\n${printFunc(after)}`;
      if (floats) expect(is, what).toEqual(was);
      else expect(unsigned(is), what).toEqual(unsigned(was));
    }
    // a pass that never changes anything was not tested
    if (!floats || name === ALL) expect(changed).toBeGreaterThan(0);
  });
});

/** A random function as it is, and behind each pass of the first ones: as many as somebody has asked for. */
interface Case extends RandomCase {
  readonly before: [Func, ...Func[]];
}

const cases = new Map<string, Case>();

function caseOf(seed: number, floats: boolean): Case {
  const key = `${seed} ${floats}`;
  const known = cases.get(key);
  if (known !== undefined) return known;
  const made = randomCase(seed, floats);
  const func = made.program.funcs.get("f");
  if (func === undefined) throw new Error("no f");
  const own: Case = { ...made, before: [func] };
  cases.set(key, own);
  return own;
}

const ORDER = [...PASSES.keys()];

function prepared(name: string, before: Case["before"], context: OptimiserContext): Func {
  const wanted = ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length;
  let current = before[0];
  for (const [i, pass] of [...PASSES.values()].slice(0, wanted).entries())
    current = before[i + 1] ??= pass(current, context);
  return current;
}
