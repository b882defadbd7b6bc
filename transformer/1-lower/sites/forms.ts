// Recognises the compile-time forms by symbol. Input: a symbol. Output: the form it denotes, or
// null. Names do not matter, only where the alias chain ends. Where tsgrad cannot be resolved, the
// text of the import specifier decides.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { endOf } from "../checker.ts";
import { DERIVATIVE_FORMS, type Form } from "../../ir/facts.ts";
import type { TypeScript } from "../typescript.ts";
import { isTsgrad, type ModuleGraph } from "./module-graph.ts";
import { destructuredProperty } from "../objects/property-names.ts";

const FORMS: ReadonlyMap<string, Form> = new Map(
  ([...DERIVATIVE_FORMS, "checkGrads", "derivativeSource", "differentiable", "delta"] as const).map(
    (form) => [form, form],
  ),
);

/** The exported names of the forms. */
export const FORM_NAMES: ReadonlySet<string> = new Set(FORMS.keys());

/** Functions of tsgrad that exist at run time, and affect derivatives. */
export type Operator =
  | "checkpoint"
  | "vmap"
  | "scan"
  | "customVjp"
  | "customJvp"
  | "defineDerivative"
  | CotangentOp
  | VectorOp;

/** Operators that take a function and give one. */
export const isMaking = (operator: Operator | null): boolean =>
  operator === "customVjp" ||
  operator === "customJvp" ||
  operator === "checkpoint" ||
  operator === "vmap";

/** Functions of `tsgrad/vector`. */
const VECTOR = [
  "build",
  "size",
  "sum",
  "prod",
  "dot",
  "map",
  "map2",
  "reduce",
  "foldl",
  "scanl",
  "scanr",
  "shift1L",
  "shift1R",
  "zerosLike",
  "onesLike",
  "ccl",
  "nTimes",
  "add",
  "mul",
  "sameSize",
] as const;
export type VectorOp = (typeof VECTOR)[number];
const VECTOR_OPS: ReadonlySet<string> = new Set(VECTOR);
export const isVectorOp = (operator: Operator | null): operator is VectorOp =>
  operator !== null && VECTOR_OPS.has(operator);

/** Functions that state facts about cotangents. */
const COTANGENT = ["stopGradient", "inspect", "addCotangents", "scaleCotangent"] as const;
export type CotangentOp = (typeof COTANGENT)[number];
export const isCotangentOp = (operator: Operator | null): operator is CotangentOp =>
  COTANGENT.some((each) => each === operator);

const OPERATORS: ReadonlyMap<string, Operator> = new Map(
  (
    [
      "checkpoint",
      "vmap",
      "scan",
      "customVjp",
      "customJvp",
      "defineDerivative",
      ...COTANGENT,
      ...VECTOR,
    ] as const
  ).map((name) => [name, name]),
);

/** Functions of `tsgrad/implicit` with a rule in lowering. */
export type Solver = "fixedPoint" | "rootFind" | "argmin" | "solveLinear";
const SOLVERS: ReadonlyMap<string, Solver> = new Map(
  (["fixedPoint", "rootFind", "argmin", "solveLinear"] as const).map((name) => [name, name]),
);

export interface Forms {
  formOf(symbol: ts.Symbol): Form | null;
  operatorOf(symbol: ts.Symbol): Operator | null;
  solverOf(symbol: ts.Symbol): Solver | null;
}

export function formsOf(api: TypeScript, checker: ts.TypeChecker, graph: ModuleGraph): Forms {
  const exportsOf = <T>(names: ReadonlyMap<string, T>): ReadonlyMap<ts.Symbol, T> =>
    new Map(
      graph.entries.flatMap((entry) =>
        [...names].flatMap(([name, meaning]): [ts.Symbol, T][] => {
          const exported = checker.tryGetMemberInModuleExports(name, entry);
          return exported === undefined ? [] : [[endOf(exported, api, checker), meaning]];
        }),
      ),
    );
  const forms = exportsOf(FORMS);
  const operators = exportsOf(OPERATORS);
  const solvers = exportsOf(SOLVERS);
  const meaning = <T>(
    of: ReadonlyMap<ts.Symbol, T>,
    byText: ReadonlyMap<string, T>,
    symbol: ts.Symbol,
  ): T | null => {
    const meant = destructuredExport(endOf(symbol, api, checker), api, checker) ?? symbol;
    return of.get(endOf(meant, api, checker)) ?? meaningByText(byText, meant, api, checker);
  };
  return {
    formOf: (symbol) => meaning(forms, FORMS, symbol),
    operatorOf: (symbol) => meaning(operators, OPERATORS, symbol),
    solverOf: (symbol) => meaning(solvers, SOLVERS, symbol),
  };
}

/** The export that a top-level `const { grad } = ad` binds, where `ad` is a module; else null. */
export function destructuredExport(
  symbol: ts.Symbol,
  api: TypeScript,
  checker: ts.TypeChecker,
): ts.Symbol | null {
  const element = symbol.valueDeclaration;
  const from =
    element !== undefined && api.isBindingElement(element) && isAtTop(element, api)
      ? destructuredProperty(element, api)
      : null;
  const named = from === null ? undefined : checker.getSymbolAtLocation(bare(from.object, api));
  const module = named === undefined ? null : endOf(named, api, checker);
  return from === null || module === null || (module.flags & api.SymbolFlags.ValueModule) === 0
    ? null
    : (checker.tryGetMemberInModuleExports(from.name, module) ?? null);
}

const isAtTop = (
  { parent: { parent: declaration } }: ts.BindingElement,
  api: TypeScript,
): boolean =>
  api.isVariableDeclaration(declaration) && api.isSourceFile(declaration.parent.parent.parent);

/** One step of an alias chain. The synthetic `default` of a package has no next step. */
const nextAlias = (alias: ts.Symbol, checker: ts.TypeChecker): ts.Symbol | undefined =>
  alias.declarations === undefined ? undefined : checker.getImmediateAliasedSymbol(alias);

/** The imports and re-exports by which an alias has its meaning: the modules and their names. */
export function* importsBehind(
  alias: ts.Symbol | undefined,
  api: TypeScript,
  checker: ts.TypeChecker,
): Iterable<{ readonly specifier: ts.Expression | undefined; readonly name: string }> {
  const seen = new Set<ts.Symbol>();
  for (
    let at = alias;
    at !== undefined && at.flags & api.SymbolFlags.Alias && !seen.has(at);
    at = nextAlias(at, checker)
  ) {
    seen.add(at);
    const declaration = at.declarations?.[0];
    if (
      declaration === undefined ||
      !(api.isImportSpecifier(declaration) || api.isExportSpecifier(declaration))
    )
      continue;
    const clause = api.isImportSpecifier(declaration)
      ? declaration.parent.parent.parent
      : declaration.parent.parent;
    yield {
      specifier: clause.moduleSpecifier,
      name: (declaration.propertyName ?? declaration.name).text,
    };
  }
}

/** Follows imports and re-exports until a specifier is tsgrad's. */
function meaningByText<T>(
  names: ReadonlyMap<string, T>,
  symbol: ts.Symbol,
  api: TypeScript,
  checker: ts.TypeChecker,
): T | null {
  for (const { specifier, name } of importsBehind(symbol, api, checker))
    if (isTsgrad(specifier, api)) return names.get(name) ?? null;
  return null;
}
