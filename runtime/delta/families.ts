// Families are optional parts of the engine, which a program's rewritten code names if it may need
// them; others stay out of the bundle. A construct of an unnamed family throws TSG0021.

import { failure } from "./value.ts";

export type Family = () => void;

const used = new Set<Family>();

/** Whether all families are in use, so that a missing entry means an unknown function. */
export let isWhole = false;

export function use(...families: readonly Family[]): void {
  for (const family of families) {
    if (used.has(family)) continue;
    used.add(family);
    family();
  }
}

export function complete(): void {
  isWhole = true;
}

export const unforeseen = (what: string): Error =>
  failure("TSG0021", `${what} is met where types say there is none; give values their own types`);
