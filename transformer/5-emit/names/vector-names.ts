// What functions of tsgrad/vector are called in a file. In: the file's text. Out: a name for each, and the imports that are missing.
// Invariant: the user's own import is used where there is one; a name that the file uses for something else is not taken.

import type { Import } from "../../ir/facts.ts";
import type { VectorName } from "../array.ts";
import { claimed } from "./module-names.ts";

export interface VectorNames {
  readonly local: (name: VectorName) => string;
  /** The import of a name that the user's code does not import. */
  readonly importOf: (name: VectorName) => Import | null;
}

export function vectorNames(file: string, text: string): VectorNames {
  const own = imported(text);
  // `a.map(…)` is no use of the name `map`
  const words = new Set(
    Array.from(
      text.matchAll(/(?<![.\p{ID_Continue}$]\s*)[\p{ID_Start}$_][\p{ID_Continue}$]*/gu),
      ([word]) => word,
    ),
  );
  const made = new Map<VectorName, string>();
  const local = (name: VectorName): string => {
    const there = own.get(name) ?? made.get(name);
    if (there !== undefined) return there;
    const fresh = claimed(name, words);
    made.set(name, fresh);
    return fresh;
  };
  return {
    local,
    importOf: (name) => {
      const alias = made.get(name);
      return alias === undefined
        ? null
        : {
            file,
            name: alias === name ? name : `${name} as ${alias}`,
            specifier: "tsgrad/vector",
            typeOnly: false,
          };
    },
  };
}

/** Local names by exported ones. */
function imported(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, list = ""] of text.matchAll(
    /\bimport\s*\{([^}]*)\}\s*from\s*["']tsgrad\/vector["']/g,
  )) {
    for (const part of list.split(",")) {
      const [name = "", local] = part.trim().split(/\s+as\s+/);
      if (name !== "" && !name.startsWith("type ")) found.set(name, local ?? name);
    }
  }
  return found;
}
