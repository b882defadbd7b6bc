// Solvers in code whose derivatives are differentiated: those of `../solvers.ts`, and `argmin`, at
// whose solution the gradient of its function vanishes.

import { ofFunction, SOLVERS, solver as linked } from "../solvers.ts";
import { grad } from "./nested.ts";

const ALL: typeof SOLVERS = {
  ...SOLVERS,
  argmin: /* @__PURE__ */ ofFunction(
    (called) =>
      ([xId = 0, paramsId = 0], x) =>
        grad(([own = 0], at) => called([own, paramsId], at), [x], [xId], {}),
  ),
};

export const solver = <F>(f: F, name: string): F => linked(f, name, ALL);
