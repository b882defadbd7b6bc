// Upper bounds for what derivatives cost, in the arithmetic of the primal. They follow from the
// mode alone: Griewank and Walther, Evaluating Derivatives (2008), chapter 4.

import type { Form } from "../ir/facts.ts";

/** Operations per operation of the primal: of forward, reverse, and forward over reverse mode. */
const FORWARD = 3;
const REVERSE = 5;
const SECOND = 10;

/** The bound for a call of a form, in a few words; `name` is the differentiated function. */
export function costBound(form: Form, name: string): string {
  const arithmetic = `the arithmetic of \`${name}\``;
  switch (form) {
    case "grad":
    case "valueAndGrad":
    case "derivativeSource":
    case "differentiable":
    case "delta":
      return `at most ${REVERSE} times ${arithmetic}, for any number of arguments`;
    case "vjp":
    case "transpose":
      return `at most ${REVERSE} times ${arithmetic} for each cotangent`;
    case "jvp":
      return `at most ${FORWARD} times ${arithmetic}`;
    case "linearize":
    case "checkGrads":
      return `at most ${FORWARD} times ${arithmetic} for each tangent, ${REVERSE} times for each cotangent`;
    case "jacfwd":
      return `at most ${FORWARD} times ${arithmetic} for each number of the argument`;
    case "jacrev":
      return `at most ${REVERSE} times ${arithmetic} for each number of the result`;
    case "hvp":
      return `at most ${SECOND} times ${arithmetic}`;
    case "hessian":
      return `at most ${SECOND} times ${arithmetic} for each number of the argument`;
  }
}
