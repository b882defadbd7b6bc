// `tsgrad/delta`: what rewritten code imports as `$d`, and what its derivatives are made of. `id`
// is a live binding: the id of the expression that was evaluated last.

export type { DeltaFunction, Handler, Id, Value } from "./value.ts";
export { id, ret, setId } from "./register.ts";
export { apart, seeing } from "./apart.ts";
export { asObject } from "./as-object.ts";
export { stepOfNumbers } from "./number-step.ts";
export { step, stepInto } from "./step.ts";
export { stepOf } from "./step-result.ts";
export {
  callNode,
  input,
  linear1,
  linear2,
  linear3,
  mark,
  node1,
  node2,
  nodeN,
  release,
  size,
} from "./tape.ts";
export { evaluate } from "./evaluate.ts";
export { add, div, mul, neg, plus, pow, rem, sub } from "./operators.ts";
export * from "./math.ts";
export { largest, smallest } from "./extremes.ts";
export {
  copyKey,
  del,
  field,
  get,
  isActive,
  keyId,
  letId,
  cell,
  set,
  setAt,
  setIdAt,
  setKeyId,
  setLet,
  setVar,
  shadowOf,
  varId,
} from "./shadows.ts";
export { nearly, same, together } from "./persistent-state.ts";
export { entryId, fieldIds, setEntryId } from "./store.ts";
export { written } from "../into.ts";
export { text } from "./text.ts";
export { textOf } from "./primitive.ts";
export { idAt, idsOf } from "./handles.ts";
export { bytesId, setBytesId } from "./views.ts";
export {
  applied,
  constructed,
  deltaOf,
  handle,
  handleNew,
  inert,
  isKnown,
  link,
  unsupported,
} from "./dispatch.ts";
export {
  accessor,
  argumentsOf,
  bound,
  call,
  callMethod,
  callOn,
  caught,
  construct,
  disposal,
  giving,
  hand,
  handedBy,
  deltaFrom,
  held,
  hold,
  invoke,
  isInstance,
  setSuper,
  join,
  noObject,
  noObjects,
  numberless,
  numberMethod,
  packed,
  restIds,
  strings,
  thrown,
} from "./functions.ts";
export { converting, fn, linkClass, linkClassWith, linkObject, linkWith } from "./by-others.ts";
export { mapped, reduced, visited } from "./lists.ts";
export { moduleState } from "./module-state.ts";
export { exportStar, importDefault, importStar, module, shared } from "./modules.ts";
export { parent, restOf } from "./rewritten.ts";
export { linkModule } from "./module-pairs.ts";
export { array, each, hole, listOf, object, record, spread, spreadOf } from "./spread.ts";
export { async, box, eachAsync, wait, woke } from "./async.ts";
export { Term, type Binding, type Delta, type Shape } from "./term-text.ts";
export { begin, delta, grad, jvp, linear, value, valueAndGrad, vjp } from "./all-families.ts";
export { end } from "./runs.ts";
export { solver } from "./solvers.ts";
export type { Spec } from "./run.ts";
export { aggregates } from "./aggregates.ts";
export { gradOf, gradOfNumbers, valueAndGradOf, valueAndGradOfNumbers } from "./lean.ts";
