// Which objects may stand for instances of a class without being created by its constructor.
// Input: a class. Output: subclasses and structurally equal classes, and whether object literals
// may occur as well. A literal counts if it has the class's methods, or is asserted to the type.
// Files that no module imports together with the class do not count.

import type ts from "typescript";
import type { Classes } from "./classes.ts";
import type { ClassNode } from "./class-declarations.ts";
import type { TypeScript } from "../typescript.ts";
import type { ModuleGraph } from "../sites/module-graph.ts";
import { nodesOfFile } from "../nodes-of-file.ts";
import {
  assertionQuestion,
  mayBeIn,
  literalQuestion,
  namesInLiteralQuestion,
} from "../questions.ts";

export interface StandIns {
  /** Classes to test for, subclasses before their bases. */
  readonly classes: readonly ClassNode[];
  /** Whether objects of none of these classes may occur. */
  readonly others: boolean;
}

/** `isKnown`: whether instances of a class have an IR type. `at`: the code that depends on it. */
export function standInsFor(
  node: ClassNode,
  at: ts.Node,
  classes: Classes,
  isKnown: (node: ClassNode) => boolean,
  graph: ModuleGraph,
  api: TypeScript,
): StandIns {
  const derived = classes.subclasses(node, at);
  if (classes.memberNames(node).length === 0) return { classes: derived, others: false };
  const file = node.getSourceFile();
  const like = classes.structurallyAssignable(node, at).filter((each) => !derived.includes(each));
  const met = like.filter((each) => graph.meet(file, each.getSourceFile()));
  // an added import may bring them together
  if (met.length < like.length) classes.questions.writes("import", at);
  const known = met.filter(isKnown);
  return {
    classes: classes.inOrder([...derived, ...known]),
    others: known.length < met.length || hasLiteral(node, at, classes, graph, api),
  };
}

function hasLiteral(
  node: ClassNode,
  at: ts.Node,
  classes: Classes,
  graph: ModuleGraph,
  api: TypeScript,
): boolean {
  const names = classes.memberNames(node);
  const called = node.name?.text;
  const questions = [
    literalQuestion(names),
    ...(called === undefined ? [] : [assertionQuestion(called)]),
  ];
  for (const question of questions) classes.questions.writes(question, at);
  return graph.files.some(
    (file) =>
      questions.some((question) => isIn(file, question, api)) &&
      literalsIn(file, api).some((literal) => fits(literal, names, node, classes, api)) &&
      graph.meet(file, node.getSourceFile()),
  );
}

/** Whether a file may answer a question, by its text and by the properties of its literals. */
export function isIn(file: ts.SourceFile, asked: string, api: TypeScript): boolean {
  if (!mayBeIn(file.text, asked)) return false;
  const names = namesInLiteralQuestion(asked);
  return (
    names === null ||
    literalsIn(file, api).some(({ properties }) =>
      names.every((name) => properties.some((each) => each.name?.getText(file) === name)),
    )
  );
}

/** The non-empty object literals of a file. */
const literalsIn = nodesOfFile(
  null,
  (node, api): node is ts.ObjectLiteralExpression =>
    api.isObjectLiteralExpression(node) && node.properties.length > 0,
);

function fits(
  literal: ts.ObjectLiteralExpression,
  names: readonly string[],
  node: ClassNode,
  classes: Classes,
  api: TypeScript,
): boolean {
  const type = classes.instanceType(node);
  const { checker } = classes;
  const own = literal.properties.map(({ name }) => name?.getText());
  const isLike = (name: string): boolean => {
    const part = literal.properties.find((each) => each.name?.getText() === name);
    const member = type.getProperty(name);
    return (
      part !== undefined &&
      member !== undefined &&
      checker.isTypeAssignableTo(checker.getTypeAtLocation(part), checker.getTypeOfSymbol(member))
    );
  };
  if (names.every((name) => own.includes(name))) return names.every(isLike);
  return names.some((name) => own.includes(name)) && isAsserted(literal, type, api, checker);
}

/** `{ … } as unknown as C` */
function isAsserted(
  literal: ts.Expression,
  type: ts.Type,
  api: TypeScript,
  checker: ts.TypeChecker,
): boolean {
  const { parent } = literal;
  if (
    !api.isAsExpression(parent) &&
    !api.isTypeAssertionExpression(parent) &&
    !api.isParenthesizedExpression(parent)
  )
    return false;
  return checker.getTypeAtLocation(parent) === type || isAsserted(parent, type, api, checker);
}
