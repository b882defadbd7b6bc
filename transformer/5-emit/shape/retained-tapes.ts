// Tapes that persist between the calls of a function. See Note [Spare tapes].
// Invariant: pushes and pops start and end at cursor 0, and nobody else finds a tape that is in
// use. An exception loses the tape, and the next call allocates a new one.

import { retainedTape } from "../../ir/names.ts";
import { retainedTapes } from "../../ir/tapes.ts";
import type { Body, Func, Stmt } from "../../ir/types.ts";
import { walkStmts } from "../../ir/visit.ts";
import type { Library } from "../names/library.ts";
import type { Variable, Variables } from "../names/variables.ts";

/** A line of a local function. */
export interface HelperLine {
  readonly indent: number;
  readonly text: string;
}

export interface PersistentTape {
  readonly tape: Variable;
  /** The module's variable that holds it between calls. */
  readonly place: string;
  readonly type: "number[]" | "unknown[]" | "Float64Array";
  /** Whether room is reserved only once, before the first push. */
  readonly isSetOnce: boolean;
}

/** `identifier`: that of the function. */
export function persistentTapes(
  func: Func,
  identifier: string,
  variables: Variables,
): readonly PersistentTape[] {
  const count = { num: 0, ref: 0, arena: 0 };
  return retainedTapes(func).flatMap(({ name, type }) => {
    const tape = variables.of.get(name);
    const rooms = roomsOf(func.body, name);
    const [first] = rooms;
    if (tape === undefined) return [];
    const isSetOnce = rooms.length === 1 && first !== undefined && func.body.stmts.includes(first);
    const of = type.kind === "tape" ? type.of : "arena";
    return [
      {
        tape,
        place: retainedTape(identifier, of, count[of]++),
        type: of === "ref" ? "unknown[]" : rooms.length > 0 ? "Float64Array" : "number[]",
        isSetOnce,
      },
    ];
  });
}

/** Statements that reserve room on the tape, so that pushes do not grow it. */
function roomsOf(body: Body, tape: string): readonly Stmt[] {
  const found: Stmt[] = [];
  walkStmts(body, (stmt) => {
    if (stmt.kind === "reserve" && stmt.tape.kind === "var" && stmt.tape.name === tape)
      found.push(stmt);
  });
  return found;
}

/** The local function that grows a tape. The length is NaN for a loop without iterations. */
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
// Growing an array from empty in each call costs a quarter of a recurrence's gradient at 1000
// iterations and two thirds at 20000. So the tape persists in a `var`: calls at top level execute
// before the end of the module, where `let` would throw. The function takes the tape at entry, so
// that a call from within, by user code, finds none and allocates its own. It gives the tape back
// before each return. A tape of references is first filled with undefined, since it would keep
// objects alive.
