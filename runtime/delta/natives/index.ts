// How numbers flow through the standard library: one file for each part of it, which fills the tables of dispatch.ts when it is loaded.
// Invariant: what is in no table and meets an active number throws.

import "./accessors.ts";
import "./arrays.ts";
import "./callbacks.ts";
import "./collections.ts";
import "./functions.ts";
import "./iterators.ts";
import "./objects.ts";
import "./promises.ts";
import "./scalars.ts";
import "./tsgrad.ts";
