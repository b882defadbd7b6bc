// Small arrays of zeros, made in rounds of a loop. In: a function and its code. Out: the values that are taken from a template, or
// none where no loop makes such arrays. Invariant: only shadows, whose lengths are those of arrays that are there.
// Note [Packed zeros].

import { resolve, type Types } from "../../ir/shadow.ts";
import type { Body, Expr, Func, Type, Var } from "../../ir/types.ts";
import { stmtBodies } from "../../ir/visit.ts";
import { type Code, type Value, walkLines } from "../code.ts";
import type { Library } from "../names/library.ts";

/** Elements of the template. */
const LONGEST = 128;

/** What is allocated in the middle of an expression has no type there; the place it goes to says whether it is an `Array`. */
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

/** Lines in front of a function's body: `packed`, `zeros` and `place` are names. */
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
// `new Array(n).fill(0)` has holes for V8 and holds small integers, until the first cotangent that is none makes a copy of it. A slice of an array
// that was filled with 0.5 before it was filled with 0 has neither: 1.8 ns an element in place of 5 at 64 elements, made, added into and read. At
// 1000 elements it is slower. The template is kept like a tape, in a `var` (Note [Spare tapes]), but is never written.
