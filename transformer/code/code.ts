// Source text of emitted code. In: templates of ours, whose holes take code, numbers, and names,
// strings or source of the user's by a function that spells them. Out: code. Invariant: a string is
// no code, so text that is glued together otherwise cannot be emitted.

import { ofUser, withRunTime } from "./run-time-name.ts";
import { importText, literalKeyText, memberText, renamedText, stringText } from "./quote.ts";

declare const CODE: unique symbol;

/** Text that `code` or another function of this folder has made. */
export type Code = string & { readonly [CODE]: true };

/** The only assertion: this folder vouches for what it makes. */
const made = (text: string): Code => text as Code; // see above

/** ``code`${x} + 1` `` */
export function code(parts: TemplateStringsArray, ...holes: readonly (Code | number)[]): Code {
  return made(parts.map((part, i) => `${part}${holes[i] ?? ""}`).join(""));
}

export const NOTHING: Code = code``;
/** The id of what has none. */
export const ZERO: Code = code`0`;

/** A name: of a variable, a label, a private member or a generated function. */
export function id(name: string): Code {
  if (!/^#?[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u.test(name) && name !== "")
    throw new Error(`\`${name}\` is no name`);
  return made(ofUser(name));
}

/** A string literal. */
export const literal = (text: string): Code => made(ofUser(stringText(text)));

/** A list of names, or what else JSON has, as a literal. */
export const data = (value: readonly string[]): Code => made(JSON.stringify(value));

/** `x.k`, `x["my-key"]` */
export const member = (object: Code, name: string): Code =>
  code`${object}${source(memberText("", name))}`;

/** `k: v` in an object literal. */
export const entry = (name: string, value: Code): Code =>
  code`${source(literalKeyText(name))}: ${value}`;

/** `import { a, b as c } from "…"; ` */
export const importOf = (names: readonly Code[], specifier: string): Code =>
  made(importText(names, specifier));

/** `a`, `a as b` */
export const renamed = (name: string, as: string): Code => made(renamedText(name, as));

/** `function f(…) …  ->  static #f(…) …` */
export const asStaticMember = (head: Code): Code =>
  made(head.replace(/^function(\*?) /, "static $1#"));

/** The parts with commas between them. */
export const list = (parts: readonly Code[], between = ", "): Code => made(parts.join(between));

/** The user's own source, unchanged: a literal, a name or a type. */
export const source = (text: string): Code => made(ofUser(text));

/** Code as it is emitted in a file that calls the run time by that name. */
export const emitted = (text: Code, runTime: string): Code => made(withRunTime(text, runTime));

/** Text of a part of the Delta engine that does not make code by templates yet. */
export const unchecked = (text: string): Code => made(text);
