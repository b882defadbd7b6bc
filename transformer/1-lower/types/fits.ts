// Answers, for a later version of the program, whether a class in some files fits a type.
// Input: where the type is declared, and the files. The answer is yes if it is not found there.

import type ts from "typescript";
import { checkerOf } from "../checker.ts";
import { Classes } from "../classes/classes.ts";
import type { TypeScript } from "../typescript.ts";
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
