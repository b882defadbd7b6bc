// Answers a question about flows again, for a later version of the program. Input: where the type
// is declared, and the file that asks. Output: the answer; null if no type is declared there any
// more.

import type ts from "typescript";
import { checkerOf } from "../checker.ts";
import { Classes } from "../classes/classes.ts";
import { flowingClasses } from "../classes/flowing-classes.ts";
import { type Subject, textOfValues, valuesAt } from "../functions/stored-functions.ts";
import { valueFlowOf } from "../flow/value-flow.ts";
import type { TypeScript } from "../typescript.ts";
import { answerOf, type Place } from "../questions.ts";

export function flowAnswer(
  { file, pos, end, kind }: Place,
  of: Pick<Subject, "name" | "depth"> | null,
  asking: string,
  api: TypeScript,
  program: ts.Program,
): string | null {
  const find = (node: ts.Node): ts.Node | undefined =>
    node.pos === pos && node.end === end && node.kind === kind
      ? node
      : node.pos <= pos && end <= node.end
        ? api.forEachChild(node, find)
        : undefined;
  const source = program.getSourceFile(file);
  const declaration = source === undefined ? undefined : find(source);
  if (declaration === undefined) return null;
  if (of !== null) return textOfValues(valuesAt({ node: declaration, ...of }, { api, program }));
  const type = checkerOf(program, api).getTypeAtLocation(declaration);
  const from = program.getSourceFile(asking);
  const region = from === undefined ? null : valueFlowOf(api, program).regionOf(from);
  return answerOf(flowingClasses(type, region, new Classes(api, program), api, program));
}
