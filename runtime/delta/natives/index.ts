// How ids flow through the standard library: one file per part, whose families fill the tables of
// dispatch.ts. A function in no table throws at an active number.

import { complete, use, type Family } from "../families.ts";
import { members } from "../members.ts";
import { conversions } from "../primitive.ts";
import { accessors } from "./accessors.ts";
import { arrays } from "./arrays.ts";
import { callbacks } from "./callbacks.ts";
import { collections } from "./collections.ts";
import { functions } from "./functions.ts";
import { iteratorHelpers } from "./iterator-helpers.ts";
import { iterators } from "./iterators.ts";
import { objects } from "./objects.ts";
import { dataViews, promises } from "./promises.ts";
import { proxied } from "./proxies.ts";
import { scalars } from "./scalars.ts";
import { tsgrad } from "./tsgrad.ts";

/** For programs with unknown needs. */
export const everything: Family = () => {
  use(
    accessors,
    arrays,
    callbacks,
    collections,
    conversions,
    dataViews,
    functions,
    iteratorHelpers,
    iterators,
    members,
    objects,
    promises,
    proxied,
    scalars,
    tsgrad,
  );
  complete();
};
