// Finds code that operators and built-ins call of an instance, and that changes something:
// `valueOf`, `toString`, `toJSON`, members by symbols. Input: lowered functions. Output: where such
// an instance reaches code that is copied as text, which would be moved, dropped, or not followed.

import type ts from "typescript";
import { isAssignment, isUpdate } from "../../syntax/assignments.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Func, Origin, Stmt, Type } from "../../ir/types.ts";
import { exprAtoms, walkStmts } from "../../ir/visit.ts";
import type { TypeScript } from "../typescript.ts";
import { namedIn } from "./private-instances.ts";

export interface ChangingConversion {
  readonly func: string;
  readonly origin: Origin;
  /** The type name of the class. */
  readonly of: string;
}

/** `familyOf`: the class of a named type with its bases and subclasses. */
export function changingConversions(
  funcs: ReadonlyMap<string, Func>,
  types: Types,
  familyOf: (name: string) => readonly ts.ClassLikeDeclaration[],
  api: TypeScript,
): readonly ChangingConversion[] {
  const isChanging = (name: string): boolean =>
    familyOf(name).some(({ members }) => members.some((one) => isChangingMember(one, api)));
  return [...funcs].flatMap(([func, { body }]) => {
    const found: ChangingConversion[] = [];
    walkStmts(body, (stmt) => {
      const of = convertedTypes(stmt).map((type) => namedIn(type, types, isChanging));
      const [first] = of.filter((name) => name !== null);
      if (first !== undefined) found.push({ func, origin: stmt.origin, of: first });
    });
    return found;
  });
}

/** Types of what a statement may convert: operands of copied code and keys. */
function convertedTypes(stmt: Stmt): readonly Type[] {
  if (stmt.kind === "store") return stmt.key.kind === "index" ? [stmt.key.at.type] : [];
  if (stmt.kind !== "let") return [];
  const { expr } = stmt;
  if (expr.kind === "load") return expr.key.kind === "index" ? [expr.key.at.type] : [];
  const isConverting = expr.kind === "extern" || expr.kind === "op" || expr.kind === "slice";
  return isConverting ? exprAtoms(expr).map(({ type }) => type) : [];
}

/** Members that the language calls; those of iterators are lowered as calls. */
const IMPLICIT =
  /^(?:valueOf|toString|toLocaleString|toJSON|\[Symbol\.(?!iterator\b|asyncIterator\b).*\])$/;

const isChangingMember = (member: ts.ClassElement, api: TypeScript): boolean =>
  member.name !== undefined &&
  IMPLICIT.test(member.name.getText()) &&
  (api.isMethodDeclaration(member) || api.isAccessor(member)) &&
  member.body !== undefined &&
  changes(member.body, api);

/** Whether it assigns, or calls what may. */
const changes = (node: ts.Node, api: TypeScript): boolean =>
  isAssignment(node, api) ||
  isUpdate(node, api) ||
  api.isDeleteExpression(node) ||
  (api.isCallExpression(node) && !isText(node.expression.getText())) ||
  api.forEachChild(node, (child) => changes(child, api) || undefined) === true;

/** Calls that make texts and numbers. */
const isText = (callee: string): boolean =>
  /^(?:Math\.\w+|Number|String|Boolean|JSON\.stringify)$|\.(?:toFixed|toPrecision|toExponential|toString|valueOf|join|padStart|padEnd|trim|slice|map|toUpperCase|toLowerCase|toISOString)$/.test(
    callee,
  );
