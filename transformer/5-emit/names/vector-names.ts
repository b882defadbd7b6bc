// Local names of the functions of tsgrad/vector in a file, and the imports that are missing.
// Invariant: a user's import is used where there is one; no name of the file is reused.

import type { Import } from "../../ir/facts.ts";
import type { VectorName } from "../array.ts";
import { claimName } from "./module-names.ts";

export interface VectorNames {
  readonly local: (name: VectorName) => string;
  /** The import of a name; null where user code imports it. */
  readonly importOf: (name: VectorName) => Import | null;
}

export function vectorNames(file: string, text: string): VectorNames {
  const own = imported(text);
  // `a.map(…)` does not mention the name `map`
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
    const fresh = claimName(name, words);
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

/** Local names by export names. */
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
