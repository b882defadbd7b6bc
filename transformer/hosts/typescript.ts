// tsgrad's own TypeScript. In: nothing. Out: the compiler API of the `typescript` that tsgrad depends on, loaded at first use.
// Invariant: never the user's TypeScript 7, which has no such API: npm nests a 6 for tsgrad then.

import { createRequire } from "node:module";
import type { TypeScript } from "../analyse.ts";

let loaded: TypeScript | undefined;

export const ownTypeScript = (): TypeScript =>
  (loaded ??= asTypeScript(createRequire(import.meta.url)("typescript")));

/** What a module `typescript` exports. Throws where that is no compiler API. */
export function asTypeScript(exports: unknown): TypeScript {
  const found = exports as Partial<TypeScript> & { readonly version?: string }; // TypeScript 7 exports little more than its version
  if (typeof found.createProgram !== "function") {
    throw new Error(
      `tsgrad needs TypeScript 5.9 or 6, but 'typescript' is ${found.version ?? "unknown"} here. Install tsgrad with its dependencies: npm install tsgrad`,
    );
  }
  return found as TypeScript; // checked above: the API is one object
}
