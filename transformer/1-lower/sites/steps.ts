// Functions that the Delta engine calls as one step of its tape.
// Input: functions, and the arguments that may be active. Output: sites for value and gradient, or
// pullback of what is no number, without a call. Functions that cannot be lowered have none.

import type ts from "typescript";
import type { CallSite } from "../../ir/facts.ts";
import type { Func, Type } from "../../ir/types.ts";
import type { LiftedLoop } from "../lifted-loop.ts";
import { type Functions, type LowerBody } from "../functions.ts";
import { originOf } from "../../syntax/places.ts";

/** A function, or a loop with its surroundings. */
export type StepRequest = (
  { readonly node: ts.FunctionDeclaration | ts.FunctionExpression | ts.ArrowFunction } | LiftedLoop
) & { readonly argnums: readonly number[] };

/** A list of numbers. */
const isFlat = (type: Type | undefined): boolean =>
  type?.kind === "array" && type.elem.kind === "num";

export interface StepSite {
  readonly wish: StepRequest;
  readonly site: CallSite;
  readonly reached: ReadonlyMap<string, Func>;
}

/** Each with the functions it calls. */
export function stepSites(
  wishes: readonly StepRequest[],
  functions: Functions,
  lowerBody: LowerBody,
): readonly StepSite[] {
  const names = wishes.map((wish) => {
    const chain = [{ text: "called by the Delta engine", span: originOf(wish.node) }];
    return "inputs" in wish
      ? functions.registerLoop(wish, chain)
      : functions.register(wish.node, chain);
  });
  functions.run(lowerBody);
  return wishes.flatMap((wish, k) => {
    const name = names[k] ?? null;
    const reached = name === null ? null : functions.reachable(name);
    const func = name === null ? undefined : reached?.get(name);
    if (name === null || reached === null || func === undefined || func.result.kind === "void")
      return [];
    const { origin, params } = func;
    const asked = wish.argnums.map((place) => params[place]?.type);
    const into =
      "inputs" in wish &&
      asked.some((type) => type?.kind === "array") &&
      asked.every((type) => type?.kind === "num" || isFlat(type));
    return [
      {
        wish,
        reached,
        site: {
          form: func.result.kind === "num" ? "valueAndGrad" : "vjp",
          origin,
          target: name,
          argnums: wish.argnums,
          tuple: true,
          hasAux: false,
          into,
          insertAt: origin.end,
          specifier: null,
          internal: true,
        },
      },
    ];
  });
}
