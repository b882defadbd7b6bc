// Arguments for the functions of fixtures, by type. In: a type and a random source. Out: values whose indices are in bounds:
// every array has SIZE elements and every number is an integer from 1 to SIZE.

import { expect } from "vitest";
import { resolve } from "../../transformer/ir/shadow.ts";
import type { Types } from "../../transformer/ir/shadow.ts";
import type { Func, Type } from "../../transformer/ir/types.ts";
import { walkStmts } from "../../transformer/ir/visit.ts";
import { SIZE } from "./random-adjoint.ts";

/** Now and then two primal parameters of one type are one object, as a user may pass them. */
export function argumentsOf(func: Func, types: Types, random: () => number): unknown[] {
  const earlier = new Map<string, unknown>();
  return func.params.map(({ name, type }) => {
    const key = `${name.includes("$bar")} ${JSON.stringify(type)}`;
    const value =
      earlier.has(key) && random() < 0.4 ? earlier.get(key) : valueOf(type, types, random);
    earlier.set(key, value);
    return value;
  });
}

function valueOf(declared: Type, types: Types, random: () => number): unknown {
  const type = resolve(declared, types);
  switch (type.kind) {
    case "num":
      return 1 + Math.floor(random() * SIZE);
    case "bool":
      return random() < 0.5;
    case "leaf":
      return "leaf";
    case "array": {
      const elems = Array.from({ length: SIZE }, () => valueOf(type.elem, types, random));
      return type.store === "Float64Array" ? Float64Array.from(elems.map(Number)) : elems;
    }
    case "opt":
      return random() < 0.5 ? valueOf(type.of, types, random) : undefined;
    case "tuple":
      return type.elems.map((elem) => valueOf(elem, types, random));
    case "record":
      return Object.fromEntries(
        type.fields.map((field) => [field.name, valueOf(field.type, types, random)]),
      );
    default:
      throw new Error(`no value of a ${type.kind}`);
  }
}

/** Whether running the function leaves the program alone. */
export function isCallFree(func: Func): boolean {
  let free = true;
  walkStmts(func.body, (stmt) => {
    if (
      stmt.kind === "let" &&
      (stmt.expr.kind === "call" || (stmt.expr.kind === "extern" && stmt.expr.effect === "io"))
    )
      free = false;
  });
  return free;
}

/** Equal up to the rounding of rearranged sums; exact where the values are safe integers. It cannot see errors below 1e-12. */
export function expectClose(is: unknown, was: unknown, what: string): void {
  if (typeof is === "number" && typeof was === "number") {
    const tolerance = Number.isSafeInteger(was) ? 0 : 1e-12 * Math.abs(was);
    const same = Object.is(is, was) || Math.abs(is - was) <= tolerance;
    if (!same) expect(is, what).toBe(was);
    return;
  }
  if (typeof is !== "object" || typeof was !== "object" || is === null || was === null) {
    expect(is, what).toEqual(was);
    return;
  }
  expect(Object.keys(is), what).toEqual(Object.keys(was));
  const values = Object.values(was);
  Object.values(is).forEach((one, k) => expectClose(one, values[k], what));
}
