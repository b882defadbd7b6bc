// tsgrad's own TypeScript. In: nothing. Out: the compiler API of the `typescript` that tsgrad depends on, loaded at first use.
// Invariant: never the user's TypeScript 7, which has no such API: npm nests a 6 for tsgrad then.

import { createRequire } from "node:module";
import type { TypeScript } from "../analyse.ts";

let loaded: TypeScript | undefined;

export function ownTypeScript(): TypeScript {
  if (loaded !== undefined) return loaded;
  const found: Partial<TypeScript> & { readonly version?: string } = createRequire(import.meta.url)("typescript");
  if (typeof found.createProgram !== "function") {
    throw new Error(`tsgrad needs TypeScript 5.9 or 6, but 'typescript' is ${found.version ?? "unknown"} here. Install tsgrad with its dependencies: npm install tsgrad`);
  }
  loaded = found as TypeScript; // checked above: the API is one object
  return loaded;
}
