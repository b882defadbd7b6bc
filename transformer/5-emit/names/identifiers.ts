// Assigns an identifier to each variable. Invariant: no declaration shadows another variable where
// that is mentioned; disjoint scopes may share one (`i`, `i`).

import { invariant } from "../../ir/invariant.ts";
import type { Block } from "../code.ts";
import { enclosing, type Variable, type Variables } from "./variables.ts";
import { WORDS } from "./words.ts";

/** Keywords, and globals that emitted code uses. */
const RESERVED: ReadonlySet<string> = new Set([
  ...WORDS,
  ..."NaN Infinity Math Number Array Object Boolean String".split(" "),
  ..."Float64Array Float32Array Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array isNaN isFinite".split(
    " ",
  ),
]);

export interface Identifiers {
  /** Identifier of an IR name. */
  of(name: string): string;
  /** Identifier of the cursor into a tape. */
  cursorOf(name: string): string;
  /** An identifier that the function does not use yet. */
  fresh(wanted: string): string;
}

export interface Named {
  readonly variables: Variables;
  /** Parameters without uses. */
  readonly unused: ReadonlySet<string>;
  /** Tapes that have a cursor. */
  readonly cursors: ReadonlySet<Variable>;
  /** Readers of tapes, which are printed as the tape. */
  readonly readers: ReadonlySet<string>;
  /** Names of enclosing scopes that the function mentions. */
  readonly taken: ReadonlySet<string>;
}

export function identifiers(named: Named): Identifiers {
  const { variables, unused, taken } = named;
  const given = new Map<string, Variable[]>();
  const byName = new Map<string, string>();
  const cursorOf = new Map<string, string>();
  const assigned = new Set<string>();
  const isFree = (identifier: string, variable: Variable): boolean =>
    !RESERVED.has(identifier) &&
    !taken.has(identifier) &&
    !(given.get(identifier) ?? []).some((other) => clash(variable, other, variables.parents));
  const claim = (wanted: string, variable: Variable): string => {
    const identifier = numbered(wanted, (one) => isFree(one, variable));
    given.set(identifier, [...(given.get(identifier) ?? []), variable]);
    assigned.add(identifier);
    return identifier;
  };
  const parametersFirst = variables.all.toSorted(
    (a, b) => (a.param ?? Infinity) - (b.param ?? Infinity) || 0,
  );
  for (const variable of parametersFirst) {
    if (variable.names.every((name) => named.readers.has(name))) continue;
    const wanted = spelled(variable.wanted);
    const isUnused = variable.param !== null && variable.names.every((name) => unused.has(name));
    const identifier = claim(isUnused && !wanted.startsWith("_") ? `_${wanted}` : wanted, variable);
    for (const name of variable.names) byName.set(name, identifier);
  }
  for (const variable of variables.all) {
    if (!named.cursors.has(variable)) continue;
    const cursor = claim("p", variable);
    for (const name of variable.names) cursorOf.set(name, cursor);
  }
  return {
    of: (name) => {
      const identifier = byName.get(name);
      invariant(identifier !== undefined, () => `nothing binds ${name}`);
      return identifier;
    },
    cursorOf: (name) => cursorOf.get(name) ?? "p",
    fresh: (wanted) => {
      const identifier = numbered(
        wanted,
        (one) => !RESERVED.has(one) && !taken.has(one) && !assigned.has(one),
      );
      assigned.add(identifier);
      return identifier;
    },
  };
}

function numbered(wanted: string, isFree: (identifier: string) => boolean): string {
  if (isFree(wanted)) return wanted;
  const stem = /\d$/.test(wanted) ? `${wanted}_` : wanted;
  for (let number = 1; ; number++) if (isFree(`${stem}${number}`)) return `${stem}${number}`;
}

/** `s.2` is no identifier, nor is every property name of the user's. */
const spelled = (name: string): string => {
  const plain = name.replaceAll(/[^\p{ID_Continue}$]/gu, "_");
  return /^\d/.test(plain) ? `_${plain}` : plain;
};

/** Whether one declaration would shadow the other at a mention of it. */
function clash(a: Variable, b: Variable, parents: ReadonlyMap<Block, Block>): boolean {
  return a.scope === b.scope || hides(a, b, parents) || hides(b, a, parents);
}

/** Whether `inner` is declared between `outer` and a mention of it. */
function hides(inner: Variable, outer: Variable, parents: ReadonlyMap<Block, Block>): boolean {
  const within = (block: Block, scope: Block): boolean =>
    [...enclosing(block, parents)].includes(scope);
  return (
    within(inner.scope, outer.scope) &&
    [...outer.mentions].some((block) => within(block, inner.scope))
  );
}
