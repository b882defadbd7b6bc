// The functions that a field, a variable or an array of the program may hold, by value flow.
// In: a subject. Out: all values there, in the order of the source text; null where nothing is
// known of the program. Each answer is recorded, so that incremental builds can ask again.

import type ts from "typescript";
import { memoised } from "../../ir/visit.ts";
import { checkerOf } from "../checker.ts";
import { ELEMENT, SOME } from "../flow/heap.ts";
import type { Cell, Place } from "../flow/propagation.ts";
import { type ValueFlow, valueFlowOf } from "../flow/value-flow.ts";
import type { TypeScript } from "../typescript.ts";

/** What is asked about: an expression, a variable, or a field of objects like those of a node. */
export interface Subject {
  readonly node: ts.Node;
  /** The name of the field; null of expressions and variables. */
  readonly name: string | null;
  /** Whether elements of arrays there are meant. */
  readonly depth: 0 | 1;
}

interface Program {
  readonly api: TypeScript;
  readonly program: ts.Program;
}

/** The values at a place; null of a program that is too large. */
export function valuesAt(subject: Subject, { api, program }: Program): readonly Cell[] | null {
  const known = KNOWN(program);
  const ofNode = known.get(subject.node) ?? new Map<string, readonly Cell[] | null>();
  known.set(subject.node, ofNode);
  const key = `${subject.depth} ${subject.name ?? ""}`;
  const found = ofNode.get(key);
  if (found !== undefined) return found;
  const values = search(subject, { api, program });
  ofNode.set(key, values);
  return values;
}

const KNOWN = memoised(
  (_program: ts.Program): Map<ts.Node, Map<string, readonly Cell[] | null>> => new Map(),
);

function search({ node, name, depth }: Subject, of: Program): readonly Cell[] | null {
  const flow = valueFlowOf(of.api, of.program);
  if (!flow.isComplete) return null;
  let values: ReadonlySet<Cell> = new Set(
    name === null
      ? valuesOfNode(node, flow, of)
      : fieldsLike(node, name, of).flatMap((place) => place.values),
  );
  if (depth > 0) values = elementsOf(values);
  const files = of.program.getSourceFiles();
  const orderOf = (cell: Cell): number =>
    cell.node === null ? files.length : files.indexOf(cell.node.getSourceFile());
  return [...values].sort(
    (x, z) => orderOf(x) - orderOf(z) || (x.node?.pos ?? 0) - (z.node?.pos ?? 0),
  );
}

function valuesOfNode(node: ts.Node, flow: ValueFlow, of: Program): readonly Cell[] {
  const isNamed = of.api.isVariableDeclaration(node) || of.api.isParameter(node);
  // a subject is a variable or an expression
  if (!isNamed && !of.api.isBindingElement(node)) return flow.valuesOf(node as ts.Expression);
  const symbol = checkerOf(of.program, of.api).getSymbolAtLocation(node.name);
  return symbol === undefined ? [] : flow.valuesOfName(symbol);
}

/** The elements of lists; whatever else is there stays if it may be a function. */
function elementsOf(values: ReadonlySet<Cell>): ReadonlySet<Cell> {
  const found = new Set<Cell>();
  for (const value of values)
    if (value.kind === "list")
      for (const each of value.fields.get(ELEMENT)?.values ?? []) found.add(each);
    else if (value.kind === "outside") found.add(value);
  return found;
}

/** The fields of that name of objects whose type is that of a node, or fits it either way. */
export function fieldsLike(
  node: ts.Node,
  called: string,
  { api, program }: Program,
): readonly Place[] {
  const name = called.replace(/^__#\d+@/, ""); // of a private name
  const checker = checkerOf(program, api);
  const flow = valueFlowOf(api, program);
  const of = typeOfObject(node, api, checker);
  const isLike = (type: ts.Type | undefined): boolean =>
    type !== undefined &&
    ((type.getSymbol() !== undefined && type.getSymbol() === of.getSymbol()) ||
      checker.isTypeAssignableTo(type, of) ||
      checker.isTypeAssignableTo(of, type));
  const files =
    (of.aliasSymbol ?? of.getSymbol())?.declarations?.map((each) => each.getSourceFile()) ?? [];
  const isMet = (file: ts.SourceFile): boolean =>
    files.every((each) => each.isDeclarationFile || flow.meet(each, file));
  return flow.objectsWith(name).flatMap(({ node: made, fields }) => {
    if (made === null || !isMet(made.getSourceFile())) return [];
    const types = [
      typeOfObject(made, api, checker),
      api.isExpression(made) ? checker.getContextualType(made) : undefined,
    ];
    return types.some(isLike) ? (fields.get(name) ?? fields.get(SOME) ?? []) : [];
  });
}

/** The type of the instances of a class, or of an expression. */
export function typeOfObject(node: ts.Node, api: TypeScript, checker: ts.TypeChecker): ts.Type {
  const type = checker.getTypeAtLocation(node);
  const [made] = api.isClassLike(node) ? type.getConstructSignatures() : [];
  return checker.getNonNullableType(made === undefined ? type : made.getReturnType());
}

/** What is equal if the same values are there. */
export const textOfValues = (values: readonly Cell[] | null): string =>
  (values ?? [])
    .map(({ kind, node, path }) =>
      [kind, node?.getSourceFile().fileName, node?.pos, path].join(" "),
    )
    .join("\n");
