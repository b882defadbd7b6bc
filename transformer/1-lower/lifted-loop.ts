// Lowers a loop of a function as a function of its own. Input: the loop, the variables that it
// reads from outside, and the number that it changes. Output: a Func whose result is that number.

import type ts from "typescript";
import { NUM, VOID } from "../ir/build.ts";
import type { Func, Var } from "../ir/types.ts";
import type { LowerContext } from "./context.ts";
import { Frame } from "./frame.ts";
import { bindIdentifier } from "./objects/patterns.ts";
import { lowerStatement } from "./statement.ts";

export interface LiftedLoop {
  readonly node: ts.IterationStatement;
  /** The names of variables from outside, where they are declared. */
  readonly inputs: readonly ts.Identifier[];
  /** The place of the number that it changes. */
  readonly output: number;
}

export function lowerLiftedLoop(
  ctx: LowerContext,
  { node, inputs, output }: LiftedLoop,
  name: string,
): Func {
  const frame = new Frame(ctx, node, name, { label: name, type: VOID, used: false });
  const values = inputs.map((input): readonly [ts.Identifier, Var] => {
    const type = frame.ctx.typeOf(input);
    return [input, { kind: "var", name: frame.names.fresh(input.text), type }];
  });
  const body = frame.nested(() => {
    for (const [input, param] of values) bindIdentifier(frame, input, param);
    frame.at(node, () => lowerStatement(frame, node, []));
    const input = inputs[output];
    const symbol = input === undefined ? null : frame.symbolOf(input);
    const bound = symbol === null ? null : frame.env.lookup(symbol);
    return bound?.kind === "variable"
      ? [frame.let("made", bound.variable.type, { kind: "copy", atom: bound.variable })]
      : frame.refuse("TSG2001", node, name);
  });
  const params = values.map(([, param]) => param);
  return {
    name,
    home: name,
    params,
    result: NUM,
    body,
    origin: ctx.originOf(node),
    isLifted: true,
  };
}
