// The analyses, as the pipeline calls them. Changes nothing.

export { arrayProgramOf } from "./array-program.ts";
export { type FactsRequest, factsOf } from "./facts.ts";
export { type Memory, memoryOf } from "./memory.ts";
export { type Contract, contractOf } from "./shippable.ts";
export { type Volatile, volatileOf } from "./volatile.ts";
export { type Finding, findingsOf } from "./warnings.ts";
export { isWritten, overlap } from "./objects.ts";
