// `debug: "nan"`: which groups it concerns, and how the user's code is quoted in guards.

import { knownCodeOf } from "./package-code/package-code.ts";
import { placeIn } from "./package-code/restored.ts";
import type { Quote } from "../3-differentiate/finite.ts";
import type { Origin } from "../ir/types.ts";
import type { CompileHost } from "./compiled.ts";
import { textsOf } from "./emission.ts";
import type { Group } from "./groups.ts";

/** Whether the derivatives of a group stop at the first number that is not finite. */
export const isChecked = ({ sites }: Group, { debug }: Pick<CompileHost, "debug">): boolean =>
  debug === "nan" || sites.some((site) => site.debug === true);

const LONGEST = 80;

export function quoteOf(host: CompileHost): Quote {
  const files = textsOf(host);
  const code = knownCodeOf(host.program);
  const real = (origin: Origin): Origin => (code === null ? origin : placeIn(code, origin));
  const root = `${host.program.getCurrentDirectory().replaceAll("\\", "/").replace(/\/$/, "")}/`;
  return {
    code: (given) => {
      const { file, start, end } = real(given);
      const text = files(file).slice(start, end).replace(/\s+/g, " ");
      return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
    },
    place: (given) => {
      const { file, start } = real(given);
      const before = files(file).slice(0, start).split("\n");
      const name = file.startsWith(root) ? file.slice(root.length) : file;
      return `${name}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
    },
  };
}
