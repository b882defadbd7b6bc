// `inspect(x, show)` in rewritten code: a node that shows the adjoint or the tangent that passes
// it. A sweep that is recorded itself passes it unseen.

import { applied } from "./dispatch.ts";
import { ret } from "./register.ts";
import { quietly } from "./rule.ts";
import { run } from "./store.ts";
import { callNode, type Contribute } from "./tape.ts";
import { failure, type Id, type Value } from "./value.ts";

export function inspected(x: Value, show: Value, parent: Id): Value {
  if (typeof x !== "number")
    throw failure("TSG0010", "`inspect` is called with an object; call it with its numbers");
  if (parent === 0 || run.depth > 0) return ret(x, parent);
  const { isInner } = run;
  const shown = (value: number, kind: "cotangent" | "tangent"): void => {
    quietly(isInner, () => void applied(show, undefined, [value, kind], [0, 0]));
  };
  const pass = (adjoint: number, contribute: Contribute): void => {
    contribute(parent, adjoint);
  };
  const reverse = (adjoint: number, contribute: Contribute): void => {
    shown(adjoint, "cotangent");
    pass(adjoint, contribute);
  };
  const onTangent = (tangent: number): void => {
    shown(tangent, "tangent");
  };
  return ret(x, callNode(Object.assign(reverse, { row: pass, onTangent })));
}
