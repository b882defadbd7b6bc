// Finds code that operators and built-ins call of an instance, and that changes something:
// `valueOf`, `toString`, `toJSON`, members by symbols. Input: lowered functions. Output: where such
// an instance reaches code that is copied as text, which would be moved, dropped, or not followed.

import type ts from "typescript";
import type { Types } from "../../ir/shadow.ts";
import type { Func, Origin, Stmt, Type } from "../../ir/types.ts";
import { exprAtoms, walkStmts } from "../../ir/visit.ts";
import { writesIn } from "../../syntax/changed-members.ts";
import type { TypeScript } from "../typescript.ts";
import { changesWhenMet, type Reading } from "./changing-code.ts";
import { namedIn } from "./private-instances.ts";

export interface ChangingConversion {
  readonly func: string;
  readonly origin: Origin;
  /** The type name of the class. */
  readonly of: string;
}

interface Asking {
  readonly api: TypeScript;
  readonly checker: ts.TypeChecker;
  readonly program: ts.Program;
}

/** `familyOf`: the class of a named type with its bases and subclasses. */
export function changingConversions(
  funcs: ReadonlyMap<string, Func>,
  types: Types,
  familyOf: (name: string) => readonly ts.ClassLikeDeclaration[],
  asking: Asking,
): readonly ChangingConversion[] {
  const isChanging = (name: string): boolean => {
    const family = familyOf(name);
    const members = family.flatMap((each) => [...each.members]);
    const reading: Reading = { ...asking, members, open: new Set() };
    return (
      members.some((one) => isImplicit(one) && changesWhenMet(one, reading)) ||
      isPutOn(family, asking)
    );
  };
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
  const isConverting =
    expr.kind === "op" ||
    expr.kind === "slice" ||
    (expr.kind === "extern" && !expr.text.some((part) => part.endsWith(" instanceof ")));
  return isConverting ? exprAtoms(expr).map(({ type }) => type) : [];
}

/** Members that the language calls; those of iterators are lowered as calls. */
const IMPLICIT =
  /^(?:valueOf|toString|toLocaleString|toJSON|\[Symbol\.(?!iterator\b|asyncIterator\b).*\])$/;

const isImplicit = ({ name }: ts.ClassElement): boolean =>
  name !== undefined && IMPLICIT.test(name.getText());

/** `K.prototype.toString = …`, `Object.assign(K.prototype, …)`, `k.toString = …`: not followed. */
function isPutOn(
  family: readonly ts.ClassLikeDeclaration[],
  { api, checker, program }: Asking,
): boolean {
  const isOther = (of: ts.Expression | undefined): boolean => {
    const declared = of && checker.getSymbolAtLocation(of)?.valueDeclaration;
    return declared !== undefined && api.isClassLike(declared) && !family.includes(declared);
  };
  return program
    .getSourceFiles()
    .some(
      (file) =>
        !file.isDeclarationFile &&
        writesIn(api, file).some(
          ({ of, names, isStatic }) =>
            (names === null ? !isStatic : names.some((name) => IMPLICIT.test(name))) &&
            !isOther(of),
        ),
    );
}
