// The analyses that the pipeline calls. They never change the program.

export { activeCalls } from "./activity/active-calls.ts";
export { arrayProgramOf } from "./array-program.ts";
export { equalitiesIn, equalityBranches } from "./equality-branches.ts";
export { factsOf } from "./facts.ts";
export { memoryOf } from "./memory/points-to.ts";
export type { Memory } from "./memory/memory.ts";
export { type ActiveRead, readOfActive } from "./linear.ts";
export { contractOf } from "./shippable.ts";
export { constantsOfStep } from "./steps.ts";
export { sharedViews } from "./memory/views.ts";
export { type Volatile, volatileOf } from "./memory/volatile.ts";
export { persistentState } from "./memory/persistent-state.ts";
export { findingsOf } from "./warnings.ts";
export { isWritten, overlap } from "./memory/alias-queries.ts";
