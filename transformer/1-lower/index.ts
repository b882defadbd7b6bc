// Phase 1: TypeScript -> IR. In: a host and a request. Out: the raw program, the resolved call sites, diagnostics, dependencies.
// Invariant: the one entry of this phase; structure.ts and ssa.ts take the raw program further.

import { lowerFunction } from "./body.ts";
import { lowerWith, type Lowered, type LowerHost, type LowerRequest } from "./program-lowering.ts";

export type { DeltaCandidate } from "./sites/delta-candidate.ts";
export type { Lowered, LoweredWithSteps, LowerHost, LowerRequest } from "./program-lowering.ts";
export type { StepSite, StepWish } from "./sites/steps.ts";
export { fitsIn } from "./types/fits.ts";
export { isTsgrad, specifiersOf } from "./sites/module-graph.ts";
export { isIn } from "./classes/structural-subtypes.ts";
export type { Asked } from "./questions.ts";
export { programStyle, specifierFor } from "./sites/specifier.ts";

export const lower = (host: LowerHost, request: LowerRequest = {}): Lowered =>
  lowerWith(lowerFunction, host, request);
export { outlineRounds } from "./ssa/iterations.ts";
export { toSsa } from "./ssa/ssa.ts";
export { structure } from "./ssa/structure.ts";
export { withAllPlaces } from "./types/widen-records.ts";
