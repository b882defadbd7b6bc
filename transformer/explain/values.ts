// Rows of `tsgrad explain` about residuals: each primal value that reverse code reads, where it is
// defined, and how the reverse sweep gets it.

import { MOST_SHOWN, type Residual } from "../pipeline.ts";
import { preferredName } from "../ir/names.ts";
import type { Body, For, Func, Origin, Stmt, While } from "../ir/types.ts";
import { unreachable } from "../ir/visit.ts";
import { BYTES } from "./loops.ts";
import type { Places } from "./places.ts";

interface Definition {
  readonly origin: Origin;
  readonly text: string;
  readonly rank: number;
}

/** Definitions of a function's names, in order of execution. */
function definitionsOf(func: Func, places: Places): ReadonlyMap<string, Definition> {
  const found = new Map<string, Definition>();
  const define = (name: string, origin: Origin, text: string): void =>
    void found.set(name, { origin, text, rank: found.size });
  const inBody = (body: Body): void => body.stmts.forEach(inStmt);
  const inLoop = (stmt: For | While): void => {
    const head = places.head(stmt.origin);
    for (const { param } of stmt.carried)
      define(param.name, stmt.origin, `before each iteration of ${head}`);
    if (stmt.kind === "for") define(stmt.index.name, stmt.origin, `index of ${head}`);
    if (stmt.kind === "while") inBody(stmt.test);
    inBody(stmt.body);
    for (const { name } of stmt.binds) define(name, stmt.origin, `after ${head}`);
  };
  // eslint-disable-next-line complexity -- flat exhaustive switch over Stmt kinds
  const inStmt = (stmt: Stmt): void => {
    switch (stmt.kind) {
      case "let":
        return define(stmt.bind.name, stmt.origin, places.head(stmt.origin));
      case "if":
        inBody(stmt.then);
        inBody(stmt.else);
        return stmt.binds.forEach(({ name }) =>
          define(name, stmt.origin, `what ${places.head(stmt.origin)} leaves in it`),
        );
      case "for":
      case "while":
        return inLoop(stmt);
      case "store":
      case "accum":
      case "append":
      case "fill":
      case "push":
      case "reserve":
      case "throw":
      case "declare":
      case "assign":
      case "break":
      case "continue":
      case "return":
      case "scope":
      case "loop":
        return undefined;
      default:
        return unreachable(stmt);
    }
  };
  for (const { name } of func.params) define(name, func.origin, "argument");
  inBody(func.body);
  return found;
}

/** The decision, its reason, its cost, and the cost of the alternative. */
function howText({ storage, value, reason, again }: Residual, isPair: boolean): string {
  const kind = value.type.kind === "num" || value.type.kind === "bool" ? "" : " (a reference)";
  const cost = again === null ? "not to be had from what is at hand" : `again: ${additions(again)}`;
  const instead = `${BYTES} bytes; ${cost}`;
  switch (storage) {
    case "given":
      return `given by the caller: ${reason}`;
    case "elsewhere":
      return "in what is there in any case";
    case "scope":
      return "kept in a local: still in scope";
    case "bog":
      return `recorded in the BOG${kind}: ${reason} (${instead})`;
    case "tape":
      return `recorded on the tape of its loop${kind}: ${reason} (${instead})`;
    case "hoist":
      return isPair
        ? `recorded in the BOG, taken out of its branch: ${reason} (${instead})`
        : `kept in a local, taken out of its branch: ${reason} (${cost})`;
    case "again": {
      const verb = reason.startsWith("nothing") ? "read" : "computed";
      const work = again === null ? "" : `${additions(again)}; `;
      return `${verb} again: ${reason} (${work}recorded: ${BYTES} bytes)`;
    }
    default:
      return unreachable(storage);
  }
}

function additions(count: number): string {
  if (count === 0) return "a read";
  if (count >= MOST_SHOWN) return `${MOST_SHOWN} additions or more`;
  return count === 1 ? "1 addition" : `as long as ${count} additions`;
}

/** `isPair`: for a `revf`/`revr` pair; else both sweeps are one function. */
export function valueRows(
  residuals: readonly Residual[],
  func: Func,
  isPair: boolean,
  places: Places,
): readonly (readonly string[])[] {
  const definitions = definitionsOf(func, places);
  const seen = new Set<string>();
  const listed = residuals.flatMap((residual) => {
    const definition =
      definitions.get(residual.value.name) ?? generated(residual, func, definitions.size);
    if (definition === null || seen.has(residual.value.name)) return [];
    seen.add(residual.value.name);
    return [{ residual, definition }];
  });
  return listed
    .sort((x, z) => x.definition.rank - z.definition.rank)
    .map(({ residual, definition }) => [
      shownName(residual.value.name, definition.text),
      places.line(definition.origin),
      definition.text,
      howText(residual, isPair),
    ]);
}

/** Shadows and BOGs that the forward sweep allocates; other generated names copy listed values. */
function generated({ value, storage }: Residual, func: Func, rank: number): Definition | null {
  const isRecorded = storage === "bog" || storage === "tape";
  if (!isRecorded || !/\$(?:bar|bog)(?:\.\d+)?$/.test(value.name)) return null;
  const of = value.name.replace(/\$.*/, "");
  return {
    origin: func.origin,
    rank,
    text: value.name.includes("$bar")
      ? `shadow of ${/^t$/.test(of) ? "an intermediate result" : of}`
      : `BOG of a call of ${of}`,
  };
}

/** Temporaries have no name known to the user. */
const shownName = (name: string, text: string): string =>
  preferredName(name) === "t" && text !== "argument" ? "·" : preferredName(name);
