// Phase 1: TypeScript -> IR. In: a host and a request. Out: the raw program, the resolved call sites, diagnostics, dependencies.
// Invariant: the one entry of this phase; structure.ts and ssa.ts take the raw program further.

import { lowerFunction } from "./body.ts";
import { lowerWith, type Lowered, type LowerHost, type LowerRequest } from "./program-lowering.ts";

export type { DeltaCandidate } from "./delta-candidate.ts";
export type { Lowered, LoweredWithSteps, LowerHost, LowerRequest } from "./program-lowering.ts";
export type { StepSite, StepWish } from "./steps.ts";
export { fitsIn } from "./fits.ts";
export { isTsgrad, specifiersOf } from "./module-graph.ts";
export { isIn } from "./stand-ins.ts";
export type { Asked } from "./questions.ts";
export { programStyle, specifierFor } from "./specifier.ts";

export const lower = (host: LowerHost, request: LowerRequest = {}): Lowered => lowerWith(lowerFunction, host, request);
