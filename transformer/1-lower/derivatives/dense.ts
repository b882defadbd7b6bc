// Dense derivatives in differentiated functions: `jacfwd(g)(x)`, `jacrev(g)(x)`, `hessian(g)(x)`.
// Output: loops over the numbers of the argument or result. Each calls a derivative and stores the
// result in the Jacobian. The shape is the one of runtime/jacobian.ts, visited in order.

import type ts from "typescript";
import { field, num } from "../../ir/build.ts";
import { isPlain, isScalarType } from "../../ir/shadow.ts";
import type { Atom, Type } from "../../ir/types.ts";
import type { Arg } from "../function-values.ts";
import type { Frame } from "../frame.ts";
import {
  requestedPositions,
  type Derived,
  forwardCall,
  gradientCall,
  liftedTarget,
  type Lifted,
  buildTuple,
  shadowOf,
} from "./nested.ts";
import { pullCall } from "./pullbacks.ts";
import { forEachNumber, mapNumbers, loadPath, storePath, zerosOf } from "./numbers.ts";

export function applyDense(
  f: Frame,
  derived: Derived,
  args: readonly Arg[],
  at: ts.Node,
  wanted: string,
): Atom {
  if (derived.form === "hessian") return hessian(f, derived, args, at, wanted);
  const { options } = derived;
  const split = liftedTarget(f, derived, args, at);
  const asked = requestedPositions(f, options, split.of, at);
  for (const type of [
    split.of.result,
    ...asked.map((i) => split.of.params[i]?.type ?? split.of.result),
  ])
    requirePlain(f, type, derived, at);
  const value = f.let("value", split.of.result, {
    kind: "call",
    callee: split.of.name,
    args: split.of.args,
  });
  const by = asked.map((position) =>
    derived.form === "jacrev"
      ? rowsOf(f, split.of, position, value)
      : columnsOf(f, split.of, position, value),
  );
  const derivative = options.tuple ? buildTuple(f, by, "t") : (by[0] ?? value);
  return split.aux === null ? derivative : buildTuple(f, [derivative, split.aux], wanted);
}

export function requirePlain(
  f: Frame,
  type: Type,
  { form }: Pick<Derived, "form">,
  at: ts.Node,
): void {
  if (!isPlain(type, f.ctx.types))
    f.refuse(
      "TSG1009",
      at,
      `${form} by values or of results that are no numbers, arrays or plain records`,
    );
}

/** Rows of a Jacobian block: as many numbers of `type` as `like` has. */
interface Rows {
  readonly type: Type;
  readonly like: Atom;
}

/** Jacobian blocks of all rows by one argument. `push`: tangents of the rows for a tangent. */
function blocksOf(
  f: Frame,
  arg: Atom,
  rows: readonly Rows[],
  push: (tangent: Atom) => readonly Atom[],
): readonly Atom[] {
  if (isScalarType(arg.type)) {
    const tangents = push(num(1));
    return rows.map((row, i) =>
      mapNumbers(f, row.type, row.like, (path) => loadPath(f, tangents[i] ?? row.like, path)),
    );
  }
  const blocks = rows.map((row) => mapNumbers(f, row.type, row.like, () => zerosOf(f, arg)));
  forEachNumber(f, arg, (column) => {
    const tangent = zerosOf(f, arg);
    storePath(f, tangent, column, num(1));
    const tangents = push(tangent);
    rows.forEach((row, i) => {
      const [block, found] = [blocks[i], tangents[i]];
      if (block !== undefined && found !== undefined)
        forEachNumber(f, row.like, (path) => {
          storePath(f, block, [...path, ...column], loadPath(f, found, path));
        });
    });
  });
  return blocks;
}

function columnsOf(f: Frame, of: Lifted, position: number, value: Atom): Atom {
  const [block] = blocksOf(
    f,
    of.args[position] ?? value,
    [{ type: of.result, like: value }],
    (tangent) => {
      const both = forwardCall(f, of, { active: [position], tangents: [tangent] }, "t");
      return [f.b.load("t", shadowOf(f, of.result), both, field("1"))];
    },
  );
  return block ?? value;
}

/** Row by row: one execution of the pullback for each number of the result. */
function rowsOf(f: Frame, of: Lifted, position: number, value: Atom): Atom {
  return mapNumbers(f, of.result, value, (path) => {
    let seed: Atom = num(1);
    if (path.length > 0) {
      seed = zerosOf(f, value);
      storePath(f, seed, path, num(1));
    }
    return pullCall(f, of, [position], seed)[0] ?? seed;
  });
}

/** The Jacobian of the gradient, by blocks: each argument's gradient by each argument. */
function hessian(
  f: Frame,
  derived: Derived,
  args: readonly Arg[],
  at: ts.Node,
  wanted: string,
): Atom {
  const { options } = derived;
  const made = gradientCall(f, { ...derived, form: "grad" }, args, at);
  const values = made.asked.map((i) => made.args[i] ?? num(0));
  for (const { type } of values) requirePlain(f, type, derived, at);
  const rows = values.map((like): Rows => ({ type: like.type, like }));
  const by = made.asked.map((position, j) =>
    blocksOf(f, values[j] ?? num(0), rows, (tangent) => {
      const both = forwardCall(f, made, { active: [position], tangents: [tangent] }, "t");
      const dot = f.b.load("t", shadowOf(f, made.result), both, field("1"));
      return options.tuple
        ? values.map((like, i) => f.b.load("t", shadowOf(f, like.type), dot, field(String(i))))
        : [dot];
    }),
  );
  const whole = options.tuple
    ? buildTuple(
        f,
        values.map((_, i) =>
          buildTuple(
            f,
            by.flatMap((blocks) => blocks[i] ?? []),
            "t",
          ),
        ),
        wanted,
      )
    : (by[0]?.[0] ?? num(0));
  return made.aux === null ? whole : buildTuple(f, [whole, made.aux], wanted);
}
