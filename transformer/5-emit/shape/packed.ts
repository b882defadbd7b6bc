// Finds small arrays of zeros that a loop allocates, and slices them from a template. Only shadows
// qualify. See Note [Packed zeros].

import { resolve, type Types } from "../../ir/shadow.ts";
import type { Body, Expr, Func, Type, Var } from "../../ir/types.ts";
import { stmtBodies } from "../../ir/visit.ts";
import { type Code, type Value, walkLines } from "../code.ts";
import type { Library } from "../names/library.ts";

/** Length of the template. */
const LONGEST = 128;

/** A literal within an expression has no declared type, so an `Array` of numbers is assumed. */
const NUMBERS: Type = { kind: "array", store: "Array", elem: { kind: "num" } };

export function packedZeros(func: Func, { block, nested }: Code, types: Types): ReadonlySet<Value> {
  const found = new Set<Value>();
  if (!makesInLoop(func.body, false, types)) return found;
  const note = ({ name, type }: Pick<Var, "name" | "type">, value: Value): void => {
    if (value.kind !== "closure" && value.kind !== "choose" && isZeros(name, type, value, types))
      found.add(value);
  };
  walkLines(block, (line) => {
    if (line.kind === "let") note(line.bind, line.value);
  });
  for (const [name, value] of nested) note({ name, type: NUMBERS }, value);
  return found;
}

function makesInLoop(body: Body, inLoop: boolean, types: Types): boolean {
  return body.stmts.some((stmt) => {
    if (stmt.kind === "let" && inLoop && isZeros(stmt.bind.name, stmt.bind.type, stmt.expr, types))
      return true;
    return stmtBodies(stmt).some((inner) =>
      makesInLoop(inner, inLoop || stmt.kind === "for" || stmt.kind === "while", types),
    );
  });
}

function isZeros(name: string, type: Type, expr: Expr, types: Types): boolean {
  if (expr.kind === "zeros") return isNumbers(expr.like.type, types);
  return (
    expr.kind === "alloc" &&
    expr.fill?.kind === "const" &&
    expr.fill.value === 0 &&
    name.includes("$bar") &&
    isNumbers(type, types)
  );
}

function isNumbers(type: Type, types: Types): boolean {
  const shape = resolve(type, types);
  return (
    shape.kind === "array" && shape.store === "Array" && resolve(shape.elem, types).kind === "num"
  );
}

/** Local functions for packed zeros; `packed`, `zeros` and `place` are names. */
export const zerosLines = (
  packed: string,
  zeros: string,
  place: string,
  library: Library,
): readonly string[] => [
  `const ${packed} = ${place} ??= ${library("Array")}.from(new ${library("Float64Array")}(${LONGEST}).fill(0.5)).fill(0);`,
  `const ${zeros} = (n: number): number[] => (n > ${LONGEST} ? new ${library("Array")}<number>(n).fill(0) : ${packed}.slice(0, n));`,
];

// Note [Packed zeros]
// In V8 `new Array(n).fill(0)` is a holey array of small integers. The first cotangent with a
// fraction converts it to a copy. A slice of an array that was filled with 0.5 and then with 0 is
// packed and holds doubles. At 64 elements it takes 1.8 ns an element instead of 5 to allocate, add
// and read; at 1000 elements it is slower. The template persists in a `var` like a tape (Note
// [Spare tapes]), but is never written.
