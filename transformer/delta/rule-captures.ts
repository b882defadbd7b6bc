// Variables that a function with a rule captures. In: a call `customVjp(f, rule)` of rewritten
// code. Out: text of a third argument, `() => [["x", x, x$id]]`, by which the run time finds them.

import type ts from "typescript";
import { bare } from "../syntax/wrappers.ts";
import { type Code, code, list, literal } from "../code/code.ts";
import { expression } from "./expression.ts";
import { flat } from "./pair.ts";
import { tsgradImport } from "./plan/package-imports.ts";
import { type Work } from "./work.ts";

export function captures(work: Work, node: ts.CallExpression): readonly Code[] {
  const { api, context } = work;
  const { checker } = context;
  const name = api.isPropertyAccessExpression(node.expression)
    ? node.expression.name
    : node.expression;
  const alias = api.isIdentifier(name) ? checker?.getSymbolAtLocation(name) : undefined;
  const [target] = node.arguments;
  if (checker === null || alias === undefined || target === undefined) return [];
  if (tsgradImport(alias, name, api, checker) !== "customVjp") return [];
  const f = bare(target, work.api);
  if (!api.isArrowFunction(f) && !api.isFunctionExpression(f)) return [];
  const found = new Map<ts.Symbol, Code>();
  const visit = (at: ts.Node): void => {
    if (api.isTypeNode(at)) return;
    if (api.isIdentifier(at) && work.bindings.find(at) !== null) {
      const symbol = api.isShorthandPropertyAssignment(at.parent)
        ? checker.getShorthandAssignmentValueSymbol(at.parent)
        : checker.getSymbolAtLocation(at);
      const isOuter = symbol?.declarations?.every(
        (one) => one.pos < f.pos || one.end > f.end || one.getSourceFile() !== f.getSourceFile(),
      );
      if (symbol !== undefined && isOuter === true && !found.has(symbol) && isNamed(api, at))
        found.set(symbol, code`[${literal(at.text)}, ${flat(expression(work, at))}]`);
    }
    api.forEachChild(at, visit);
  };
  visit(f.body);
  return found.size === 0 ? [] : [code`() => [${list([...found.values()])}], 0`];
}

/** Whether an identifier names a variable, not a property. */
const isNamed = (api: typeof ts, { parent, ...at }: ts.Identifier): boolean =>
  !(api.isPropertyAccessExpression(parent) && parent.name.pos === at.pos) &&
  !(api.isPropertyAssignment(parent) && parent.name.pos === at.pos);
