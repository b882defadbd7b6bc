// Lowering without bodies: each function becomes its parameters and result type. In: file texts. Out: what lowering found.
// Calls of program functions inside bodies are still registered, so that the worklist is exercised.

import ts from "typescript";
import type { LowerContext } from "../../transformer/1-lower/context.ts";
import { LOWERING } from "../../transformer/1-lower/entry-points.ts";
import { isMadeNode, type MadeNode } from "../../transformer/1-lower/lowering-context.ts";
import { lowerWith, type Lowered } from "../../transformer/1-lower/program-lowering.ts";
import type { LowerRequest } from "../../transformer/1-lower/services.ts";
import type { Func } from "../../transformer/ir/types.ts";
import { programOf } from "../program.ts";

function headOf(
  ctx: LowerContext,
  declaration: ts.FunctionLikeDeclaration | ts.ClassLikeDeclaration | MadeNode,
  name: string,
  home: string,
): Func {
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const symbol = ctx.checker.getSymbolAtLocation(node.expression);
      if (symbol !== undefined) ctx.callee(symbol, node);
    }
    if (ts.isThrowStatement(node)) ctx.reject("TSG1122", node, "statement");
    ts.forEachChild(node, visit);
  };
  if (ts.isClassLike(declaration) || isMadeNode(declaration, ts))
    throw new Error("no head of a class is asked for here");
  if (declaration.body !== undefined) visit(declaration.body);
  const signature = ctx.checker.getSignatureFromDeclaration(declaration);
  return {
    name,
    home,
    origin: ctx.originOf(declaration),
    body: { stmts: [], result: [] },
    params: declaration.parameters.map((parameter) => ({
      kind: "var",
      name: parameter.name.getText(),
      type: ctx.typeOf(parameter),
    })),
    result:
      signature === undefined
        ? { kind: "void" }
        : ctx.typeFrom(signature.getReturnType(), declaration),
  };
}

export function lowerHeads(
  files: Readonly<Record<string, string>>,
  request: LowerRequest = {},
  options: ts.CompilerOptions = {},
  installed = true,
  api: typeof ts = ts,
): Lowered {
  return lowerWith(
    { lowerBody: headOf, lowering: LOWERING },
    programOf(files, options, installed, api),
    request,
  );
}

/** One line per site: form, target, positions, place. */
export const siteLines = (lowered: Lowered): string[] =>
  lowered.sites.map(
    (site) =>
      `${site.form} ${site.target} ${site.tuple ? `[${site.argnums.join(",")}]` : site.argnums.join(",")}${site.hasAux ? " aux" : ""}${site.specifier === null ? "" : ` from ${site.specifier}`}`,
  );

export const errorLines = (lowered: Lowered): string[] =>
  lowered.diagnostics.map((diagnostic) => `${diagnostic.code} ${diagnostic.message}`);
