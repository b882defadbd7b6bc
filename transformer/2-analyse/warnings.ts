// Warnings: derivatives that are always zero, and arguments that are written. The derivative is
// correct all the same.

import type { Atom, Body, Func, Stmt } from "../ir/types.ts";
import type { Types } from "../ir/shadow.ts";
import { walkStmts } from "../ir/visit.ts";
import { partialOf } from "../rules/rule.ts";
import { SCALAR } from "../rules/scalar.ts";
import { aliasHazards, type Around } from "./memory/alias-hazards.ts";
import { activityOf } from "./activity/activity.ts";
import { mayWrite } from "./memory/may-write.ts";
import type { Memory } from "./memory/memory.ts";

export type Finding = {
  readonly kind: "only-indexes" | "independent" | "written";
  readonly param: string;
};

export function findingsOf(
  func: Func,
  graphs: ReadonlyMap<string, Memory>,
  types: Types,
  requested: readonly number[],
): readonly Finding[] {
  const memory = graphs.get(func.name);
  if (memory === undefined) return [];
  const zero = requested.flatMap((position): readonly Finding[] => {
    const param = func.params[position];
    if (param === undefined) return [];
    const activity = activityOf({
      func,
      memory,
      types,
      graphs,
      active: [position],
      writesAreOutputs: false,
    });
    const region = memory.region(param);
    const isActive =
      region === null
        ? activity.usefulNames.has(param.name)
        : [...memory.reachable(region)].some(
            (inner) => activity.varied.has(inner) && activity.useful.has(inner),
          );
    if (isActive || mayMeetOutside(func, { memory, graphs, types, activity })) return [];
    const varied = (atom: Atom): boolean =>
      atom.kind === "var" && activity.variedNames.has(atom.name);
    return [
      {
        kind: reachesInteger(func.body, varied) ? "only-indexes" : "independent",
        param: param.name,
      },
    ];
  });
  const written = func.params.flatMap((param): readonly Finding[] => {
    const region = memory.region(param);
    const isWritten =
      region !== null && [...memory.reachable(region)].some((inner) => inner.changed);
    return isWritten && mayWrite(func, param, graphs, types)
      ? [{ kind: "written", param: param.name }]
      : [];
  });
  return [...zero, ...written];
}

/** Whether a written global may have an alias; then the derivative throws. */
const mayMeetOutside = (func: Func, around: Around): boolean =>
  aliasHazards(func, around).some(
    ({ x, z }) => x.root.kind === "global" && (z === null || z.root.kind === "global"),
  );

/** Whether a varied value is an index, a bound, or an operand with derivative 0. */
function reachesInteger(body: Body, varied: (atom: Atom) => boolean): boolean {
  let found = false;
  walkStmts(body, (stmt: Stmt) => {
    if (stmt.kind === "for" && (varied(stmt.from) || varied(stmt.to))) found = true;
    if (stmt.kind === "store" && stmt.key.kind === "index" && varied(stmt.key.at)) found = true;
    if (stmt.kind !== "let") return;
    const { expr } = stmt;
    if (expr.kind === "load" && expr.key.kind === "index" && varied(expr.key.at)) found = true;
    if (
      expr.kind === "op" &&
      expr.args.some(
        (arg, i) => varied(arg) && partialOf(SCALAR[expr.op], i, expr.args.length) === null,
      )
    )
      found = true;
  });
  return found;
}
