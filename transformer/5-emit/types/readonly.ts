// Finds values that may be readonly to TypeScript; IR types do not say so.
// Invariant: errs on the side of readonly. The price is a superfluous cast, never a type error.

import { isDerivativeName, revfOfBog } from "../../ir/names.ts";
import { somePart, type Types } from "../../ir/shadow.ts";
import type { Atom, Func, Type, Var } from "../../ir/types.ts";
import {
  type Code,
  leafVars,
  type Line,
  type Nested,
  type Value,
  valueAtoms,
  walkLines,
} from "../code.ts";
import type { Variables } from "../names/variables.ts";

interface ReadonlyTypes {
  readonly types: Types;
  /** Names of types with a readonly field or array. */
  readonly readonlyTypes: Pick<ReadonlySet<string>, "has">;
}

interface Scope extends ReadonlyTypes {
  /** Declarations of parameters whose type is readonly inside, without the word. */
  readonly readonlyParams: readonly string[];
  /** Whether the result of a function may be readonly. */
  readonly givesReadonly: (callee: string) => boolean;
}

/** Readonly parameters, module constants, results of calls, and parts of all these. */
export function readonlyNames(
  func: Func,
  code: Code,
  variables: Pick<Variables, "of">,
  scope: Scope,
): ReadonlySet<string> {
  const names = new Set<string>();
  // a value assigned to a parameter is read with the parameter's type
  const add = ({ name }: Var): void => {
    for (const one of variables.of.get(name)?.names ?? [name]) names.add(one);
  };
  func.params.forEach((param, i) => {
    const text = func.paramText?.[i];
    if (
      (isPrimal(param) && saysReadonly(param.type, scope)) ||
      (text !== null &&
        text !== undefined &&
        (/\breadonly\b|Readonly/.test(text) || scope.readonlyParams.includes(text)))
    )
      add(param);
  });
  const isSeen = (value: Value): boolean =>
    value.kind === "load" ||
    value.kind === "copy" ||
    value.kind === "choose" ||
    value.kind === "unwrap" ||
    value.kind === "slice";
  const isReadonly = (atom: Atom): boolean =>
    isPartOfGlobal(atom, code.nested) ||
    leafVars(atom, code.nested).some((leaf) => names.has(leaf.name));
  const note = (line: Line): void => {
    if (line.kind !== "let") return;
    if (
      line.value.kind === "call"
        ? scope.givesReadonly(line.value.callee)
        : isSeen(line.value) &&
          (isSaidReadonly(line.value, line.bind.type, scope) ||
            valueAtoms(line.value).some(isReadonly))
    )
      names.add(line.bind.name);
  };
  walkLines(code.block, note);
  return names;
}

/** The type of a part is that of the declaration, unless the part has a named type. */
export const isSaidReadonly = (value: Value, type: Type, scope: ReadonlyTypes): boolean =>
  value.kind === "load" &&
  value.object.kind === "var" &&
  isPrimal(value.object) &&
  (type.kind === "opt" ? type.of : type).kind !== "named" &&
  saysReadonly(value.object.type, scope);

/** Whether the name is no shadow and no BOG; those are mutable. */
const isPrimal = ({ name, type }: Var): boolean =>
  !isDerivativeName(name) && (type.kind !== "named" || revfOfBog(type.name) === null);

/** `CONFIG.betas`: only the constant's declaration shows whether it is readonly. */
export function isPartOfGlobal(atom: Atom, nested: Nested): boolean {
  if (atom.kind !== "var") return atom.kind === "global";
  const value = nested.get(atom.name);
  return value?.kind === "load" && isPartOfGlobal(value.object, nested);
}

/** Whether a named type in it has a readonly field or array. */
function saysReadonly(type: Type, scope: ReadonlyTypes, seen = new Set<string>()): boolean {
  if (type.kind !== "named") return somePart(type, (one) => saysReadonly(one, scope, seen));
  if (scope.readonlyTypes.has(type.name)) return true;
  const declared = seen.has(type.name) ? undefined : scope.types.get(type.name);
  return declared !== undefined && saysReadonly(declared.type, scope, seen.add(type.name));
}
