// Finds the call of a form at a place in a file: on its name, or anywhere in it.

import type ts from "typescript";
import type { SiteFacts } from "../../explain/sites.ts";
import type { Host, TypeScript } from "../../analyse.ts";
import { isForm } from "../function-lookup.ts";

/** The innermost node that contains an offset. */
export function nodeAt(api: TypeScript, source: ts.SourceFile, offset: number): ts.Node {
  const find = (node: ts.Node): ts.Node =>
    api.forEachChild(node, (child) =>
      child.getStart(source) <= offset && offset < child.end ? find(child) : undefined,
    ) ?? node;
  return find(source);
}

/** The calls around an offset, from the innermost one outwards. */
function* callsAround(
  api: TypeScript,
  source: ts.SourceFile,
  offset: number,
): Generator<ts.CallExpression> {
  let node = nodeAt(api, source, offset);
  for (; !api.isSourceFile(node); node = node.parent) if (api.isCallExpression(node)) yield node;
}

/** The call of a form whose name is at an offset: `grad`, or `tsgrad.grad`. */
export function callNamedAt(
  host: Host,
  source: ts.SourceFile,
  offset: number,
): ts.CallExpression | undefined {
  for (const call of callsAround(host.ts, source, offset)) {
    const { expression } = call;
    if (expression.getStart(source) <= offset && offset <= expression.end)
      return isForm(host, expression) ? call : undefined;
  }
  return undefined;
}

/** The innermost call of a form around an offset. */
export function callAround(
  host: Host,
  source: ts.SourceFile,
  offset: number,
): ts.CallExpression | undefined {
  for (const call of callsAround(host.ts, source, offset))
    if (isForm(host, call.expression)) return call;
  return undefined;
}

export const siteOfCall = (
  sites: readonly SiteFacts[],
  source: ts.SourceFile,
  call: ts.CallExpression,
): SiteFacts | undefined =>
  sites.find(({ span }) => span.start === call.getStart(source) && span.end === call.end);
