// Which fields of unions a derivative inside of rewritten code keeps. In: a call of a form,
// `grad(f, { … })`. Out: text of a further argument, `{ leaves: ["kind"] }`, which the run time
// takes for the form's own; null where no union is among the types.

import type ts from "typescript";
import { type Code, code, data, list } from "../code/code.ts";
import { isForm } from "./plan/tsgrad-calls.ts";
import {
  discriminants,
  type Discriminants,
  discriminantsOfBoth,
  discriminantsOfResult,
} from "./types/discriminants.ts";
import type { Work } from "./work.ts";

export function formLayout({ api, context }: Work, node: ts.CallExpression): Code | null {
  const { checker } = context;
  const name = api.isPropertyAccessExpression(node.expression)
    ? node.expression.name
    : node.expression;
  const [target, options] = node.arguments;
  const alias = api.isIdentifier(name) ? checker?.getSymbolAtLocation(name) : undefined;
  if (checker === null || alias === undefined || target === undefined) return null;
  if (!api.isIdentifier(name) || !isForm(alias, name, api, checker)) return null;
  const signature = checker.getTypeAtLocation(target).getCallSignatures()[0];
  if (signature === undefined) return null;
  const of = { signature, at: target };
  const hasAux = options !== undefined && says(api, options, "hasAux");
  const parts = [
    ...namesText(discriminants(of, api, checker)),
    ...within("result", discriminantsOfResult(of, hasAux, api, checker)),
    ...within("layout", discriminantsOfBoth(of, hasAux, api, checker)),
  ];
  return parts.length === 0 ? null : code`{ ${list(parts)} }`;
}

/** Whether a literal has `name: true`. */
const says = (api: typeof ts, options: ts.Expression, name: string): boolean =>
  api.isObjectLiteralExpression(options) &&
  options.properties.some(
    (property) =>
      api.isPropertyAssignment(property) &&
      property.name.getText() === name &&
      property.initializer.kind === api.SyntaxKind.TrueKeyword,
  );

function within(key: "result" | "layout", found: Discriminants): readonly Code[] {
  const parts = namesText(found);
  if (parts.length === 0) return [];
  return [key === "result" ? code`result: { ${list(parts)} }` : code`layout: { ${list(parts)} }`];
}

export const namesText = ({ leaves, tags }: Discriminants): readonly Code[] => [
  ...(leaves.length === 0 ? [] : [code`leaves: ${data(leaves)}`]),
  ...(tags.length === 0 ? [] : [code`tags: ${data(tags)}`]),
];
