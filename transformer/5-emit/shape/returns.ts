// Turns the result of a function into `return` lines, in each branch where a last `if` decides it.
// before: `if c -> (y) { p; yield a } else { q; yield b }; yield y`
// after: `if c { p; return a }; q; return b`

import type { Origin } from "../../ir/types.ts";
import { type Block, type Line, terminates } from "../code.ts";

/** `origin`: that of a `return` without a line before it; null for the origin of that line. */
export function toReturns(block: Block, origin: Origin | null): Block {
  const lines = [...block.lines];
  const last = lines.at(-1);
  const [value] = block.result;
  if (terminates(block)) return { lines, result: [] };
  if (
    last?.kind === "if" &&
    value?.kind === "var" &&
    last.binds.length === 1 &&
    last.binds[0]?.name === value.name
  ) {
    lines.pop();
    const then = toReturns(last.then, last.origin);
    const rest = toReturns(last.else, last.origin);
    return {
      lines: [
        ...lines,
        { ...last, then, else: { lines: [], result: [] }, binds: [] },
        ...rest.lines,
      ],
      result: [],
    };
  }
  if (value !== undefined && value.kind !== "undef") lines.push(returned(value, last, origin));
  return { lines, result: [] };
}

function returned(
  value: Block["result"][number],
  last: Line | undefined,
  origin: Origin | null,
): Line {
  return {
    kind: "return",
    value,
    origin: last?.origin ?? origin ?? { file: "", start: 0, end: 0 },
  };
}
