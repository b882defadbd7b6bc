// All diagnostics that tsgrad can report, by code. Each has a page, and those that are reported at
// build time have a fixture.

import { SETUP } from "./codes/setup.ts";
import { RUN } from "./codes/run.ts";
import { CALL_SITES } from "./codes/call-sites.ts";
import { SUBSET } from "./codes/subset.ts";
import { EXPRESSIONS } from "./codes/expressions.ts";
import { TYPES } from "./codes/types.ts";
import { DIFFERENTIATION } from "./codes/differentiation.ts";
import type { Entry } from "./entry.ts";

const ROWS = {
  ...SETUP,
  ...RUN,
  ...CALL_SITES,
  ...SUBSET,
  ...EXPRESSIONS,
  ...TYPES,
  ...DIFFERENTIATION,
};

export type Code = keyof typeof ROWS;

export const REGISTRY: Readonly<Record<Code, Entry>> = ROWS;

export const isCode = (text: string): text is Code => Object.hasOwn(ROWS, text);
