// The primal values that a derivative's reverse code reads. In: the function that was differentiated, what differentiation notes.
// Out: rows of text: value, where it comes from, how the reverse sweep gets it. Invariant: every value is a name of the primal.

import { MOST_SHOWN, type Residual } from "../pipeline.ts";
import { spoken } from "../ir/names.ts";
import type { Body, Func, Origin, Stmt } from "../ir/types.ts";
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
        for (const { param } of stmt.carried)
          define(param.name, stmt.origin, `before each round of ${places.head(stmt.origin)}`);
        if (stmt.kind === "for")
          define(stmt.index.name, stmt.origin, `index of ${places.head(stmt.origin)}`);
        if (stmt.kind === "while") inBody(stmt.test);
        inBody(stmt.body);
        return stmt.binds.forEach(({ name }) =>
          define(name, stmt.origin, `after ${places.head(stmt.origin)}`),
        );
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

/** The decision, its reason, its cost and what the other one would cost. */
function howText({ storage, value, reason, again }: Residual, isPair: boolean): string {
  const kind = value.type.kind === "num" || value.type.kind === "bool" ? "" : " (a reference)";
  const instead = `${BYTES} bytes; ${again === null ? "not to be had from what is at hand" : `again: ${additions(again)}`}`;
  switch (storage) {
    case "given":
      return `given by the caller: ${reason}`;
    case "scope":
      return "kept in a local: still in scope";
    case "bog":
      return `recorded in the BOG${kind}: ${reason} (${instead})`;
    case "tape":
      return `recorded on the tape of its loop${kind}: ${reason} (${instead})`;
    case "hoist":
      return `${isPair ? "recorded in the BOG" : "kept in a local"}, taken out of its branch: ${reason} (${isPair ? instead : instead.replace(/^.*?; /, "")})`;
    case "again":
      return `${reason.startsWith("nothing") ? "read" : "computed"} again: ${reason} (${again === null ? "" : `${additions(again)}; `}recorded: ${BYTES} bytes)`;
    default:
      return unreachable(storage);
  }
}

const additions = (count: number): string =>
  count === 0
    ? "a read"
    : count >= MOST_SHOWN
      ? `${MOST_SHOWN} additions or more`
      : count === 1
        ? "1 addition"
        : `as long as ${count} additions`;

/** `isPair`: for a `revf`/`revr` pair; else forward and reverse sweep are one function. */
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

/** What the forward sweep makes beside the primal: shadows and BOGs of callees. Other names are copies of values that are listed. */
function generated({ value, storage }: Residual, func: Func, rank: number): Definition | null {
  if (
    storage === "scope" ||
    storage === "again" ||
    storage === "given" ||
    storage === "hoist" ||
    !/\$(?:bar|bog)(?:\.\d+)?$/.test(value.name)
  )
    return null;
  const of = value.name.replace(/\$.*/, "");
  return {
    origin: func.origin,
    rank,
    text: value.name.includes("$bar")
      ? `shadow of ${/^t$/.test(of) ? "an intermediate result" : of}`
      : `BOG of a call of ${of}`,
  };
}

/** Temporaries have no name that the user knows. */
const shownName = (name: string, text: string): string =>
  spoken(name) === "t" && text !== "argument" ? "·" : spoken(name);
