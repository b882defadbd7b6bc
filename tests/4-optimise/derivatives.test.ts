// The optimiser on what differentiation really makes: derivatives of random programs, before and after, in the interpreter.
// The primal value must keep every bit. Cotangents may round otherwise (sums are rearranged, Zero absorbs), so they are compared
// to 1e-7 of the largest cotangent; that cannot see an error hidden by cancellation, and is not asked where one overflows.

import { expect, test } from "vitest";
import { differentiate } from "../../transformer/3-differentiate/index.ts";
import { analysesOf } from "../analyses.ts";
import { optimise } from "../../transformer/4-optimise/index.ts";
import { assertValid, check } from "../../transformer/ir/check.ts";
import { run } from "../../transformer/ir/eval.ts";
import type { CallSite } from "../../transformer/ir/facts.ts";
import { print } from "../../transformer/ir/print.ts";
import type { Body, Func, NamedType, Program } from "../../transformer/ir/types.ts";
import { mapBodies, walkStmts } from "../../transformer/ir/visit.ts";
import { randomArgs, randomProgram } from "../ir/random.ts";
import { everyRound } from "./every-round.ts";

const CASES = Number(process.env["TSGRAD_CASES"] ?? 200);
const FIRST = Number(process.env["TSGRAD_SEED"] ?? 1);
const ORIGIN = { file: "", start: 0, end: 0 };
const SITE: CallSite = {
  form: "valueAndGrad",
  origin: ORIGIN,
  target: "f",
  argnums: [0, 1, 2, 3, 4, 5],
  tuple: true,
  hasAux: false,
  into: false,
  insertAt: 0,
  specifier: null,
};

/** The program as a user could have written it: sums into memory, which only derivatives have, become stores. */
function userCode(program: Program): Program {
  const inBody = (body: Body): Body => ({
    ...body,
    stmts: body.stmts.map((stmt) =>
      stmt.kind === "accum" ? { ...stmt, kind: "store" } : mapBodies(stmt, inBody),
    ),
  });
  return {
    ...program,
    funcs: new Map(
      [...program.funcs].map(([name, func]) => [name, { ...func, body: inBody(func.body) }]),
    ),
  };
}

/** Whether the program has nothing else that only derivatives have. */
function isUserCode(program: Program): boolean {
  let user = true;
  const odd: readonly string[] = ["push", "newTape", "zeros", "clone", "lambda"];
  for (const func of program.funcs.values())
    walkStmts(func.body, (stmt) => {
      if (odd.includes(stmt.kind === "let" ? stmt.expr.kind : stmt.kind)) user = false;
    });
  return user;
}

/** The program with the derivatives of `f` in it, or null where it cannot be differentiated. */
function derived(primal: Program): { readonly program: Program; readonly name: string } | null {
  const made = differentiate({ program: primal, sites: [SITE], ...analysesOf(primal) });
  if (made.problems.size > 0) return null;
  const types = new Map<string, NamedType>(primal.types);
  const funcs = new Map<string, Func>(primal.funcs);
  for (const item of made.derived) {
    if (item.kind === "type") types.set(item.name, { type: item.type, text: item.name, scope: [] });
    else funcs.set(item.func.name, item.func);
  }
  return { program: { ...primal, types, funcs }, name: made.derivativesOf.get(SITE)?.[0] ?? "" };
}

type End = { readonly value: unknown } | { readonly thrown: string };

function end(program: Program, name: string, seed: number): End {
  try {
    return { value: run(program, name, randomArgs(seed)).value };
  } catch (error) {
    return { thrown: String(error) };
  }
}

test("derivatives of random programs", () => {
  let compared = 0;
  for (let seed = FIRST; seed < FIRST + CASES; seed++) {
    const primal = userCode(randomProgram(seed));
    const before = isUserCode(primal) ? derived(primal) : null;
    if (before === null) continue;
    const { program, name } = before;
    const optimised = new Map(
      [...program.funcs].map(([key, func]) => [
        key,
        key.includes("$") ? optimise(func, { types: program.types }) : func,
      ]),
    );
    const after: Program = { ...program, funcs: optimised };
    // what comes in valid goes out valid; differentiation is checked by its own tests
    if (check(program).length === 0) assertValid(after, `optimise, seed ${seed}`);
    const [was, is] = [end(program, name, seed), end(after, name, seed)];
    if ("thrown" in was || "thrown" in is) expect(is, `seed ${seed}`).toEqual(was);
    else if (
      compare(
        is.value,
        was.value,
        `seed ${seed}\n${print(program)}\n${print({ ...after, types: new Map() })}`,
      )
    )
      compared++;
  }
  // most random programs stay finite
  expect(compared).toBeGreaterThan(CASES / 20);
});

test("passes that are not asked again would change nothing in derivatives of random programs", () => {
  let compared = 0;
  for (let seed = FIRST; seed < FIRST + CASES / 4; seed++) {
    const primal = userCode(randomProgram(seed));
    const made = isUserCode(primal) ? derived(primal) : null;
    if (made === null) continue;
    const { funcs, types } = made.program;
    const text = (func: Func): string =>
      print({
        stage: "ssa",
        types: new Map(),
        homes: new Map(),
        funcs: new Map([[func.name, func]]),
      });
    for (const [key, func] of funcs) {
      if (!key.includes("$")) continue;
      expect(text(optimise(func, { types })), `seed ${seed}, ${key}`).toBe(
        text(everyRound(func, types)),
      );
      compared++;
    }
  }
  expect(compared).toBeGreaterThan(CASES / 20);
});

/** Whether there was something finite to compare. */
function compare(is: unknown, was: unknown, what: string): boolean {
  const [values, expected] = [is, was].map(numbersIn);
  if (values === undefined || expected === undefined) return false;
  expect(values[0], what).toBe(expected[0]);
  expect(values.length, what).toBe(expected.length);
  const cotangents = expected.slice(1);
  const largest = Math.max(...cotangents.map(Math.abs));
  if (!(largest < 1e100)) return false;
  cotangents.forEach((one, k) => {
    const error = Math.abs((values[k + 1] ?? NaN) - one);
    if (!(error <= 1e-7 * largest)) expect(values, what).toEqual(expected);
  });
  return true;
}

function numbersIn(value: unknown): readonly number[] {
  if (typeof value === "number") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(numbersIn);
}
