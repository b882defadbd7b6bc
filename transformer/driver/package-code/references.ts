// What a declaration of a package mentions outside of itself. In: a declaration. Out: each mention
// of something at the top of a module, and the names that the module does not declare. Invariant:
// scopes are TypeScript's; a mention that leads nowhere is kept, so that its code is not copied.

import type ts from "typescript";
import { chainFrom, partOf } from "./literals.ts";
import { isKey, isTopLevel, symbolAt, type Found, type Modules } from "./modules.ts";

type Api = typeof ts;

export interface Reference {
  /** The name, or the path through namespaces: `glMatrix.EPSILON`. */
  readonly node: ts.Identifier | ts.PropertyAccessExpression;
  /** Null where no module declares it. */
  readonly target: Found | null;
}

export interface References {
  readonly outer: readonly Reference[];
  /** Names of the language's library, or of other scripts. */
  readonly globals: ReadonlySet<string>;
}

/** A declaration, or a module. */
export type Place = Exclude<Found, { readonly kind: "global" }>;

export function referencesOf(api: Api, modules: Modules, found: Place, of: ts.Node): References {
  const { module } = found;
  const outer: Reference[] = [];
  const globals = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (!api.isIdentifier(node)) {
      api.forEachChild(node, visit);
      return;
    }
    if (isKey(api, node)) return;
    const symbol = symbolAt(api, module.checker, node);
    if (symbol === undefined || (symbol.declarations ?? []).length === 0)
      return void globals.add(node.text);
    // `f = function g() { … g() … }`
    if (symbol.valueDeclaration === of && api.isFunctionExpression(of))
      return void outer.push({ node, target: found });
    if (!isTopLevel(api, symbol)) return;
    const start = { node, found: modules.local(module, node.text) };
    const end = chainFrom(api, start, partOf(api, modules, module));
    const reference: Reference = { node: end.node, target: end.found };
    if (reference.target?.kind === "global") globals.add(reference.target.name);
    outer.push(reference);
  };
  visit(of);
  return { outer, globals };
}
