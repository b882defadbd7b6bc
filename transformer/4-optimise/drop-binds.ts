// Removes joins from branches and carried values from loops. `kept` has the positions that remain.
// The caller has replaced every name that goes, or has proved it unused.
//   if c { yield p q } else { yield r s } -> x, y   ->   if c { yield q } else { yield s } -> y

import type { Body, For, If, While } from "../ir/types.ts";

const pick = <T>(all: readonly T[], kept: readonly number[]): readonly T[] =>
  kept.flatMap((k) => all[k] ?? []);

const withResults = (body: Body, kept: readonly number[]): Body => ({
  ...body,
  result: pick(body.result, kept),
});

export const keepJoins = (stmt: If, kept: readonly number[]): If =>
  kept.length === stmt.binds.length
    ? stmt
    : {
        ...stmt,
        binds: pick(stmt.binds, kept),
        then: withResults(stmt.then, kept),
        else: withResults(stmt.else, kept),
      };

export const keepCarried = <L extends For | While>(loop: L, kept: readonly number[]): L =>
  kept.length === loop.carried.length
    ? loop
    : {
        ...loop,
        carried: pick(loop.carried, kept),
        binds: pick(loop.binds, kept),
        body: withResults(loop.body, kept),
      };
