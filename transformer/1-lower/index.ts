// Phase 1: TypeScript to IR. Output: the raw program, its call sites, diagnostics, dependencies.
// The only entry of the phase; ssa/structure.ts and ssa/ssa.ts take the raw program further.

import { lowerFunction } from "./body.ts";
import { LOWERING } from "./entry-points.ts";
import { lowerWith, type Lowered } from "./program-lowering.ts";
import type { LowerHost, LowerRequest } from "./services.ts";

export type { DeltaCandidate } from "./sites/delta-candidate.ts";
export type { Lowered, LoweredWithSteps } from "./program-lowering.ts";
export type { JavaScript, LowerHost, LowerRequest } from "./services.ts";
export type { StepRequest } from "./sites/steps.ts";
export { flowAnswer } from "./types/flow-answer.ts";
export { isTsgrad, mentionsTsgrad, specifiersOf } from "./sites/module-graph.ts";
export { targetsIn } from "./sites/sites.ts";
export { codeFromText } from "./sites/code-from-text.ts";
export { unresolvedIn } from "./sites/unresolved.ts";
export { withCachedChecker } from "./checker.ts";
export { isPackageFile } from "./sites/package-files.ts";
export { type AskedQuestions, mayBeIn } from "./questions.ts";
export { programStyle, specifierFor } from "./sites/specifier.ts";

export const lower = (host: LowerHost, request: LowerRequest = {}): Lowered =>
  lowerWith({ lowerBody: lowerFunction, lowering: LOWERING }, host, request);
export { outlineLoops } from "./ssa/outline-loops.ts";
export { toSsa } from "./ssa/ssa.ts";
export { structure } from "./ssa/structure.ts";
export { widenRecords } from "./types/widen-records.ts";
