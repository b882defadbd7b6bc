// The classes and literals that flow to places of a type. In: the type. Out: classes of the
// program, those included of which code outside of the program can bring instances, and whether
// objects of no class are among the values.

import type ts from "typescript";
import type { Region } from "../flow/regions.ts";
import { type Flowing, valueFlowOf } from "../flow/value-flow.ts";
import { nodesOfFile } from "../nodes-of-file.ts";
import { isPackageFile } from "../sites/package-files.ts";
import type { TypeScript } from "../typescript.ts";
import type { ClassNode } from "./class-declarations.ts";
import type { Classes } from "./classes.ts";

export interface FlowingClasses {
  readonly classes: readonly ClassNode[];
  /** Whether object literals flow there. */
  readonly hasLiterals: boolean;
}

/** `region`: of the code that asks; null for all. */
export function flowingClasses(
  type: ts.Type,
  region: Region | null,
  classes: Classes,
  api: TypeScript,
  program: ts.Program,
): FlowingClasses {
  const flow = valueFlowOf(api, program);
  const found = flow.isComplete ? flow.flowingTo(type, region) : ANYTHING;
  if (found === null) return { classes: [], hasLiterals: false };
  const declarations = type.getSymbol()?.declarations ?? [];
  const { checker } = classes;
  const isMet = (node: ts.Node): boolean =>
    declarations
      .map((each) => each.getSourceFile())
      .every((file) => file.isDeclarationFile || flow.meet(file, node.getSourceFile()));
  const mayCome = (node: ts.Node, own: ts.Type): boolean =>
    checker.isTypeAssignableTo(own, type) && isMet(node);
  // a generic subclass is assignable with some arguments, which its declared type does not have
  const derives = (node: ClassNode): boolean =>
    classes.lineage(node)?.some((base) => declarations.includes(base)) === true;
  // flows are not told apart by calls: what no place of the type can hold comes from elsewhere
  const fits = (node: ClassNode): boolean =>
    derives(node) ||
    node.typeParameters !== undefined ||
    checker.isTypeAssignableTo(classes.instanceType(node), type);
  const flowing = [...found.classes].filter(fits);
  const isLike = (node: ts.Node): boolean =>
    isAsserted(node, api) || checker.isTypeAssignableTo(checker.getTypeAtLocation(node), type);
  const visible = flow.isComplete ? flow.visible : classes.all();
  const given = (found.isOpen ? visible : []).filter((each) =>
    derives(each) ? isMet(each) : mayCome(each, classes.instanceType(each)),
  );
  // an interface may be of any literal, which is tested where it is used
  const names = type.isClass() ? type.getProperties().map(({ name }) => name) : [];
  const isAsked = found.isOpen && names.length > 0;
  const literals = !isAsked
    ? []
    : flow.isComplete
      ? flow.visibleLiterals(names)
      : allLiterals(names, api, program);
  return {
    classes: inProgram([...new Set([...flowing, ...given])], program),
    hasLiterals:
      [...found.literals].some(isLike) ||
      literals.some((each) => mayCome(each, checker.getTypeAtLocation(each))),
  };
}

/** `{ … } as unknown as C` */
const isAsserted = ({ parent }: ts.Node, api: TypeScript): boolean =>
  api.isParenthesizedExpression(parent)
    ? isAsserted(parent, api)
    : api.isAsExpression(parent) || api.isTypeAssertionExpression(parent);

/** What is known of a program that is too large. */
const ANYTHING: Flowing = { classes: new Set(), literals: new Set(), isOpen: true };

const literalsOf = nodesOfFile(null, (node, api): node is ts.ObjectLiteralExpression =>
  api.isObjectLiteralExpression(node),
);

/** The program's object literals with all these fields. */
const allLiterals = (
  names: readonly string[],
  api: TypeScript,
  program: ts.Program,
): readonly ts.ObjectLiteralExpression[] =>
  program
    .getSourceFiles()
    .filter((file) => !file.isDeclarationFile && !isPackageFile(program, file))
    .flatMap((file) => literalsOf(file, api))
    .filter(({ properties }) =>
      names.every((name) => properties.some((each) => each.name?.getText() === name)),
    );

/** In the order in which the program declares them. */
function inProgram(nodes: readonly ClassNode[], program: ts.Program): readonly ClassNode[] {
  if (nodes.length < 2) return nodes;
  const files = program.getSourceFiles();
  const orders = new Map(nodes.map((node) => [node, files.indexOf(node.getSourceFile())]));
  return nodes.toSorted((x, z) => (orders.get(x) ?? 0) - (orders.get(z) ?? 0) || x.pos - z.pos);
}
