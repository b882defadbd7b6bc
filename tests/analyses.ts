// What differentiation asks of the phases around it, for tests that call it alone. In: a program. Out: facts of its functions, the analyses of
// another program, and derivatives as they are.

import { factsOf } from "../transformer/2-analyse/facts.ts";
import { memoryOf } from "../transformer/2-analyse/memory/points-to.ts";
import type { DifferentiateRequest } from "../transformer/3-differentiate/index.ts";
import type { Program } from "../transformer/ir/types.ts";

const analyse: DifferentiateRequest["analyse"] = ({ funcs, types }) => {
  const graphs = memoryOf(funcs, types);
  return (func, active, split) =>
    factsOf({ func, graphs, types, active, split, volatile: [], volatileShadows: [] });
};

export const analysesOf = (
  program: Program,
): Pick<DifferentiateRequest, "factsOf" | "analyse" | "tidy" | "repeats"> => ({
  factsOf: analyse(program),
  analyse,
  tidy: (func) => func,
  repeats: true,
});
