// Recognises the compile-time forms by symbol. In: a symbol of the program. Out: which form of tsgrad it stands for, if any.
// Invariant: names do not matter, only where the alias chain ends; where tsgrad itself cannot be resolved, the specifier's text decides.

import type ts from "typescript";
import type { Form } from "../ir/facts.ts";
import type { TypeScript } from "./context.ts";
import { isTsgrad, type ModuleGraph } from "./module-graph.ts";

const FORMS: ReadonlyMap<string, Form> = new Map((["grad", "valueAndGrad", "vjp", "jvp", "linearize", "jacfwd", "jacrev", "hessian", "hvp", "derivativeSource", "differentiable", "delta"] as const).map((form) => [form, form]));

export interface Forms {
  formOf(symbol: ts.Symbol): Form | null;
}

export function formsOf(api: TypeScript, checker: ts.TypeChecker, graph: ModuleGraph): Forms {
  const ends = new Map<ts.Symbol, Form>();
  for (const entry of graph.entries) {
    for (const [name, form] of FORMS) {
      const exported = checker.tryGetMemberInModuleExports(name, entry);
      if (exported !== undefined) ends.set(endOf(exported, api, checker), form);
    }
  }
  return { formOf: (symbol) => ends.get(endOf(symbol, api, checker)) ?? formByText(symbol, api, checker) };
}

export const endOf = (symbol: ts.Symbol, api: TypeScript, checker: ts.TypeChecker): ts.Symbol =>
  symbol.flags & api.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

/** Follows `import { grad as g } from …` and `export { grad } from …` until a specifier is tsgrad's. */
function formByText(symbol: ts.Symbol, api: TypeScript, checker: ts.TypeChecker): Form | null {
  const seen = new Set<ts.Symbol>();
  for (let at: ts.Symbol | undefined = symbol; at !== undefined && at.flags & api.SymbolFlags.Alias && !seen.has(at); at = checker.getImmediateAliasedSymbol(at)) {
    seen.add(at);
    const declaration = at.declarations?.[0];
    if (declaration === undefined || !(api.isImportSpecifier(declaration) || api.isExportSpecifier(declaration))) continue;
    const clause = api.isImportSpecifier(declaration) ? declaration.parent.parent.parent : declaration.parent.parent;
    if (isTsgrad(clause.moduleSpecifier as ts.Expression | undefined, api)) return FORMS.get((declaration.propertyName ?? declaration.name).text) ?? null; // only JSDoc imports type it otherwise
  }
  return null;
}
