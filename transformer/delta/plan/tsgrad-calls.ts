// Checks uses of tsgrad's functions in rewritten code. In: a name. Out: the reason to refuse it.
// Invariant: the build reports all that the runtime cannot answer, except activity (TSG0014).

import type ts from "typescript";
import { DERIVATIVE_FORMS } from "../../ir/facts.ts";
import { discriminants, discriminantsOfResult, type FunctionType } from "../types/discriminants.ts";
import { tsgradImport } from "./package-imports.ts";

type TypeScript = typeof ts;

const RULES = new Set(["customVjp", "customJvp"]);
/** From `tsgrad/implicit`, with derivatives by their equations. */
const SOLVERS = new Set(["fixedPoint", "rootFind", "argmin", "solveLinear"]);
const FORMS: ReadonlySet<string> = new Set(DERIVATIVE_FORMS);
const ALONE = new Set(["delta", "checkGrads", "derivativeSource"]);

/** The reason, as text for TSG1301. */
export function hindrance(
  alias: ts.Symbol,
  at: ts.Identifier,
  api: TypeScript,
  checker: ts.TypeChecker,
): string | null {
  const name = tsgradImport(alias, at, api, checker);
  if (name === null) return null;
  if (ALONE.has(name))
    return `it cannot follow \`${name}\` inside of a function that is being differentiated; call it outside`;
  const head = RULES.has(name) ? functionIn(at, api, checker) : null;
  if (head === null) return null;
  const [given, result] = [
    discriminants(head, api, checker),
    discriminantsOfResult(head, false, api, checker),
  ];
  const kept = [...given.tags, ...result.tags];
  return kept.length === 0
    ? null
    : `\`${name}\` of a union told apart by \`${kept[0] ?? ""}\`, which it does not keep in derivatives inside of a function; take the derivative outside`;
}

/** The solver that a name means, or that is read from a namespace of that name. */
export function solverAt(
  alias: ts.Symbol,
  at: ts.Identifier,
  api: TypeScript,
  checker: ts.TypeChecker,
): { readonly name: string; readonly isMember: boolean } | null {
  const name = tsgradImport(alias, at, api, checker);
  const isMember = api.isPropertyAccessExpression(at.parent) && at.parent.expression === at;
  return name !== null && SOLVERS.has(name) ? { name, isMember } : null;
}

/** Whether a name is that of a form that rewritten code may call. */
export const isForm = (
  alias: ts.Symbol,
  at: ts.Identifier,
  api: TypeScript,
  checker: ts.TypeChecker,
): boolean => FORMS.has(tsgradImport(alias, at, api, checker) ?? "");

/** Whether what a name means takes a derivative: a form, or a solver whose equation has one. */
export const derives = (
  alias: ts.Symbol,
  at: ts.Identifier,
  api: TypeScript,
  checker: ts.TypeChecker,
): boolean => isForm(alias, at, api, checker) || tsgradImport(alias, at, api, checker) === "argmin";

/** The type of a call's first argument. */
function functionIn(
  at: ts.Identifier,
  api: TypeScript,
  checker: ts.TypeChecker,
): FunctionType | null {
  const callee = api.isPropertyAccessExpression(at.parent) ? at.parent : at;
  const target =
    api.isCallExpression(callee.parent) && callee.parent.expression === callee
      ? callee.parent.arguments[0]
      : undefined;
  const signature =
    target === undefined ? undefined : checker.getTypeAtLocation(target).getCallSignatures()[0];
  return target === undefined || signature === undefined ? null : { signature, at: target };
}
