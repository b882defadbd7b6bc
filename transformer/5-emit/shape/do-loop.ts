// Finds the `do` loops again, which the IR tests at the top with a flag for the first round. In: a loop. Out: the loop, without the
// flag where it has one. `while first || c, first = false  ->  do … while c`

import type { Atom } from "../../ir/types.ts";
import type { Nested, WhileLine } from "../code.ts";
import type { Uses } from "./uses.ts";

export function asDo(loop: WhileLine, nested: Nested, uses: Uses): WhileLine {
  const [cond] = loop.test.result;
  const parts =
    cond?.kind === "var" && loop.test.lines.length === 0 ? alternatives(cond, nested) : null;
  if (parts === null) return loop;
  const [flag, rest] = parts;
  const at = loop.carried.findIndex((one) => flag.kind === "var" && one.param.name === flag.name);
  const one = loop.carried[at];
  const bind = loop.binds[at];
  if (
    one === undefined ||
    uses.get(one.param.name) !== 1 ||
    (bind !== undefined && uses.has(bind.name))
  )
    return loop;
  if (!isConst(one.init, true) || !isConst(loop.body.result[at], false)) return loop;
  const others = <T>(all: readonly T[]): T[] => all.filter((_, i) => i !== at);
  return {
    ...loop,
    first: "body",
    carried: others(loop.carried),
    binds: others(loop.binds),
    test: { ...loop.test, result: [rest] },
    body: { ...loop.body, result: others(loop.body.result) },
  };
}

/** The two sides of `a || b`, however it is said. */
function alternatives(
  cond: Extract<Atom, { kind: "var" }>,
  nested: Nested,
): readonly [Atom, Atom] | null {
  const value = nested.get(cond.name);
  if (value?.kind === "choose" && isConst(value.then, true)) return [value.cond, value.else];
  const [left, right] = value?.kind === "op" && value.op === "or" ? value.args : [];
  return left === undefined || right === undefined ? null : [left, right];
}

const isConst = (atom: Atom | undefined, value: boolean): boolean =>
  atom?.kind === "const" && atom.value === value;
