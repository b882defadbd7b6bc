// A question of `Questions`, asked of a later program. In: a type's place, and files. Out: whether a class in these files fits the type.
// Invariant: "yes" where the type is not found.

import type ts from "typescript";
import { checkerOf } from "../checker.ts";
import { Classes } from "../classes/classes.ts";
import type { TypeScript } from "../context.ts";
import type { Place } from "../questions.ts";

export function fitsIn(
  files: readonly string[],
  { file, pos, end, kind }: Place,
  api: TypeScript,
  program: ts.Program,
): boolean {
  const find = (node: ts.Node): ts.Node | undefined =>
    node.pos === pos && node.end === end && node.kind === kind
      ? node
      : node.pos <= pos && end <= node.end
        ? api.forEachChild(node, find)
        : undefined;
  const source = program.getSourceFile(file);
  const declaration = source === undefined ? undefined : find(source);
  if (declaration === undefined) return true;
  const type = checkerOf(program).getTypeAtLocation(declaration);
  return (
    new Classes(api, program).fittingIn(
      type,
      files.flatMap((name) => program.getSourceFile(name) ?? []),
    ).length > 0
  );
}
