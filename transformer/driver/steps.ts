// Functions that Delta code calls as one step of its tape, with a derivative of the static engine.
// Output: the steps that may be taken, by the node of the call.

import type ts from "typescript";
import type { LoweredWithSteps, StepRequest } from "../1-lower/index.ts";
import { constantsOfStep, memoryOf } from "../2-analyse/index.ts";
import { isStackOverflow } from "../diagnostics/internal.ts";
import type { Step, Steps } from "../delta/plan/steps.ts";
import type { Compiled, CompileHost, Part } from "./compiled.ts";
import { namesIn } from "./emission.ts";
import type { StaticResult } from "./parts.ts";

interface Stepwise extends StaticResult {
  readonly lowered: LoweredWithSteps;
}

interface Compiling {
  readonly compileWith: (requested: readonly StepRequest[]) => Stepwise;
  readonly answer: (result: StaticResult, steps: Steps) => Compiled;
  readonly host: CompileHost;
}

/** Compiles again with the steps that the Delta engine requests, until it is granted no more. */
export function withSteps(alone: Compiled, compiling: Compiling): Compiled {
  const { wishes } = alone.delta;
  if (wishes.length === 0) return alone;
  try {
    return steppedFrom(alone, compiling);
  } catch (error) {
    // steps only save time, so code that is too deep for them goes without
    if (isStackOverflow(error)) return alone;
    throw error;
  }
}

/** Most are granted, so what only they call is requested only once one of them is not. */
function steppedFrom(alone: Compiled, { compileWith, answer, host }: Compiling): Compiled {
  let { wishes } = alone.delta;
  for (let tries = 0; ; tries++) {
    if (tries === MOST_TRIES) {
      const granted = stepsOf(compileWith(wishes), host);
      wishes = wishes.filter(({ node }) => granted.has(node));
    }
    // what is not granted, or what only another step calls, must leave no code
    const wanted = alone.delta.foremost(new Set(wishes.map(({ node }) => node)));
    if (wanted.size === 0) return alone;
    const tried = compileWith(wishes.filter(({ node }) => wanted.has(node)));
    const granted = stepsOf(tried, host);
    if (granted.size === wanted.size || tries >= MOST_TRIES) return answer(tried, granted);
    wishes = wishes.filter(({ node }) => !wanted.has(node) || granted.has(node));
  }
}

/** Then all that may be granted are requested at once. */
const MOST_TRIES = 3;

function stepsOf({ lowered, parts }: Stepwise, host: CompileHost): Steps {
  const found = new Map<ts.Node, Step>();
  for (const part of parts)
    for (const step of stepsIn(part, lowered, host)) found.set(step.node, step);
  return found;
}

function stepsIn(part: Part, { steps }: LoweredWithSteps, host: CompileHost): readonly Step[] {
  const own = steps.filter(({ site }) => part.sites.includes(site));
  if (own.length === 0) return [];
  const { inlined, made } = part;
  const memory = memoryOf(inlined.funcs, inlined.types);
  const names = namesIn(part, host);
  return own.flatMap(({ wish, site }): Step[] => {
    const func = inlined.funcs.get(site.target);
    const [derivative] = made.derivativesOf.get(site) ?? [];
    if (func === undefined || derivative === undefined) return [];
    const isLoop = "inputs" in wish;
    const constants = constantsOfStep(func, wish.argnums, inlined, memory, isLoop);
    return constants === null
      ? []
      : [{ ...wish, derivative: names.own(derivative), into: site.into, constants }];
  });
}
