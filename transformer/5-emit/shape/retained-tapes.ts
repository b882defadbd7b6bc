// The tapes that a function keeps for its next call. In: a function and its variables. Out: the variables of its tapes, where they stand between calls.
// Invariant: a tape is only pushed to and popped from, from 0 up and down again; while it is in use nobody else finds it. An exception leaves the tape
// lost, and the next call makes a new one. Note [Spare tapes].

import { spare } from "../../ir/names.ts";
import { keptTapes } from "../../ir/tapes.ts";
import type { Body, Func, Stmt } from "../../ir/types.ts";
import { walkStmts } from "../../ir/visit.ts";
import type { Library } from "../names/library.ts";
import type { Variable, Variables } from "../names/variables.ts";

/** A line of a local function. */
export interface HelperLine {
  readonly indent: number;
  readonly text: string;
}

export interface SpareTape {
  readonly tape: Variable;
  /** The module's variable that holds it between calls. */
  readonly place: string;
  readonly type: "number[]" | "unknown[]" | "Float64Array";
  /** Room is made once, while nothing is on the tape. */
  readonly isSetOnce: boolean;
}

/** `identifier`: what the function is called. */
export function spareTapes(
  func: Func,
  identifier: string,
  variables: Variables,
): readonly SpareTape[] {
  const count = { num: 0, ref: 0, arena: 0 };
  return keptTapes(func).flatMap(({ name, type }) => {
    const tape = variables.of.get(name);
    const rooms = roomsOf(func.body, name);
    const [first] = rooms;
    if (tape === undefined) return [];
    const isSetOnce = rooms.length === 1 && first !== undefined && func.body.stmts.includes(first);
    const of = type.kind === "tape" ? type.of : "arena";
    return [
      {
        tape,
        place: spare(identifier, of, count[of]++),
        type: of === "ref" ? "unknown[]" : rooms.length > 0 ? "Float64Array" : "number[]",
        isSetOnce,
      },
    ];
  });
}

/** Where room is made on the tape, so that it does not grow with what is pushed. */
function roomsOf(body: Body, tape: string): readonly Stmt[] {
  const found: Stmt[] = [];
  walkStmts(body, (stmt) => {
    if (stmt.kind === "reserve" && stmt.tape.kind === "var" && stmt.tape.name === tape)
      found.push(stmt);
  });
  return found;
}

/** Lines in front of a function's body: `reserved` is a name. A length that is no number is that of a loop without rounds. */
export const reservedLines = (reserved: string, library: Library): readonly HelperLine[] => [
  {
    indent: 0,
    text: library(`const ${reserved} = (tape: Float64Array, length: number): Float64Array => {`),
  },
  { indent: 1, text: "if (!(length > tape.length)) return tape;" },
  {
    indent: 1,
    text: library("const longer = new Float64Array(Math.max(length, 2 * tape.length));"),
  },
  { indent: 1, text: "longer.set(tape);" },
  { indent: 1, text: "return longer;" },
  { indent: 0, text: "};" },
];

// Note [Spare tapes]
// Growing an array from empty in each call costs a quarter of a recurrence's gradient at 1000 rounds and two thirds at 20000, so the function
// keeps its tape. It stands in a `var`: the code is at the end of its module, which a call at top level runs before, and where `let` would throw.
// Taken at entry, so that a call from within, by code of the user's, finds none and makes its own, and given back before each return. One of references is emptied then, at its full length: what they refer to would stay alive.
