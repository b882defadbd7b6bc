// tsgrad's own TypeScript: the compiler API of its dependency `typescript`, loaded at first use. It
// is never a TypeScript 7 of the user's, which has no such API: npm then nests a 6 for tsgrad.

import { createRequire } from "node:module";
import type { TypeScript } from "../analyse.ts";

let loaded: TypeScript | undefined;

export const ownTypeScript = (): TypeScript =>
  (loaded ??= asTypeScript(createRequire(import.meta.url)("typescript")));

/** Checks that a module `typescript` exports the compiler API. */
export function asTypeScript(exports: unknown): TypeScript {
  // TypeScript 7 exports little else
  const found = exports as Partial<TypeScript> & { readonly version?: string };
  if (typeof found.createProgram !== "function") {
    throw new Error(
      `tsgrad needs TypeScript 5.9 or 6, but 'typescript' is ${found.version ?? "unknown"} here. Install tsgrad with its dependencies: npm install tsgrad`,
    );
  }
  return found;
}
