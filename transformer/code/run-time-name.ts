// The name of the Delta engine's run time. Templates call it `$d`; where the user has a `$d`, code
// is printed with another name. Invariant: the user's `$d` is marked as soon as it enters code.

import { USERS } from "./marks.ts";

const NAME = /\$d(?![\p{ID_Continue}$])/gu;

/** Text of the user's, whose `$d` is not the run time. */
export const ofUser = (text: string): string =>
  text.includes("$d") ? text.replaceAll(NAME, (name) => name + USERS) : text;

/** The text as it is emitted in a file that calls the run time by that name. */
export const withRunTime = (text: string, runTime: string): string =>
  (runTime === "$d" ? text : text.replaceAll(NAME, () => runTime)).replaceAll(USERS, "");
