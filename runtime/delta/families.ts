// Families: parts of the language, and of the engine, that only some programs meet. In: the families that a program's rewritten code may meet. Out: tables and
// hooks that are filled. Invariants: a family is a function that nothing calls when it is imported, so a bundle holds what is named in it and no other one;
// what is met and was never used throws TSG0021: it is never taken for a constant.

import { failure } from "./value.ts";

/** Fills its tables when it is used for the first time. */
export type Family = () => void;

const used = new Set<Family>();

/** Whether every family is there: what is in no table then is none of the language's. */
export let isWhole = false;

export function use(...families: readonly Family[]): void {
  for (const family of families) {
    if (used.has(family)) continue;
    used.add(family);
    family();
  }
}

/** Says that there is no family left. */
export function complete(): void {
  isWhole = true;
}

export const unforeseen = (what: string): Error =>
  failure("TSG0021", `${what} is met where types say there is none; give values their own types`);
