// The analyses, as the pipeline calls them. Changes nothing.

export { activeCalls } from "./active-calls.ts";
export { arrayProgramOf } from "./array-program.ts";
export { type FactsRequest, factsOf } from "./facts.ts";
export { memoryOf } from "./graphs.ts";
export type { Memory } from "./memory.ts";
export { type Contract, contractOf } from "./shippable.ts";
export { constantsOfStep } from "./steps.ts";
export { type SharedView, sharedViews } from "./views.ts";
export { type Volatile, volatileOf } from "./volatile.ts";
export { keptState } from "./kept-state.ts";
export { type Finding, findingsOf } from "./warnings.ts";
export { isWritten, overlap } from "./objects.ts";
