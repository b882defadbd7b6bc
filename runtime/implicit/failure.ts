// The errors of solvers. No solver returns an unconverged result.

import { codedError } from "../coded-error.ts";

export const notConverged = (solver: string, steps: number, what: string): Error =>
  codedError(
    `TSG0016: \`${solver}\` has not converged: after ${steps} steps ${what}. Begin nearer to the solution, allow more steps (\`maxSteps\`), or ask for less (\`tolerance\`)`,
  );

export const singular = (problem: string): Error => codedError(`TSG0017: ${problem}`);

export const otherSize = (solver: string, given: number, returned: number): Error =>
  codedError(
    `TSG0019: \`${solver}\` has a state of ${given} numbers, and the function returns ${returned}`,
  );

export const notFinite = (solver: string, what: string): Error =>
  codedError(`TSG0018: \`${solver}\` meets NaN or Infinity: ${what}`);
