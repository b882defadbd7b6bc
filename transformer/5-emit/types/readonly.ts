// Which values TypeScript may hold for readonly, as the IR does not say. In: a function with its lines. Out: names.
// Invariant: errs on the side of readonly; the price is a cast that was not needed, never an error in emitted code.

import { isDerived, revfOfBog } from "../../ir/names.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Atom, Func, Type, Var } from "../../ir/types.ts";
import { unreachable } from "../../ir/visit.ts";
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

interface Scope {
  readonly types: Types;
  readonly readonlyTypes: Pick<ReadonlySet<string>, "has">;
  /** Texts of parameters whose type is readonly somewhere, though they do not say so. */
  readonly readonlyParams: readonly string[];
  /** Whether what a function gives may be readonly. */
  readonly givesReadonly: (callee: string) => boolean;
}

/** Parameters that say `readonly`, or whose named type may, constants of the module, what functions give that say so, and what is read out of all these. */
export function readonlyNames(
  func: Func,
  code: Code,
  variables: Pick<Variables, "of">,
  scope: Scope,
): ReadonlySet<string> {
  const names = new Set<string>();
  // what is assigned to a parameter is read under the parameter's type
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
    isOfConstant(atom, code.nested) ||
    leafVars(atom, code.nested).some((leaf) => names.has(leaf.name));
  // what is read out of something is what the declaration of its type says; what has a name of its own is that, wherever it goes
  const isSaid = ({ type }: Var, value: Value): boolean =>
    value.kind === "load" &&
    value.object.kind === "var" &&
    isPrimal(value.object) &&
    (type.kind === "opt" ? type.of : type).kind !== "named" &&
    saysReadonly(value.object.type, scope);
  const note = (line: Line): void => {
    if (line.kind !== "let") return;
    if (
      line.value.kind === "call"
        ? scope.givesReadonly(line.value.callee)
        : isSeen(line.value) &&
          (isSaid(line.bind, line.value) || valueAtoms(line.value).some(isReadonly))
    )
      names.add(line.bind.name);
  };
  walkLines(code.block, note);
  return names;
}

/** Not a shadow, nor a BOG: they are written. */
const isPrimal = ({ name, type }: Var): boolean =>
  !isDerived(name) && (type.kind !== "named" || revfOfBog(type.name) === null);

/** `CONFIG.betas`: only the declaration of the constant says what of it is readonly. */
export function isOfConstant(atom: Atom, nested: Nested): boolean {
  if (atom.kind !== "var") return atom.kind === "global";
  const value = nested.get(atom.name);
  return value?.kind === "load" && isOfConstant(value.object, nested);
}

/** Whether a named type in it is declared where `readonly` is written. */
function saysReadonly(type: Type, scope: Scope, seen: ReadonlySet<string> = new Set()): boolean {
  switch (type.kind) {
    case "named": {
      if (scope.readonlyTypes.has(type.name)) return true;
      const declared = seen.has(type.name) ? undefined : scope.types.get(type.name);
      return (
        declared !== undefined && saysReadonly(declared.type, scope, new Set([...seen, type.name]))
      );
    }
    case "array":
      return saysReadonly(type.elem, scope, seen);
    case "tuple":
      return type.elems.some((elem) => saysReadonly(elem, scope, seen));
    case "record":
      return type.fields.some((field) => saysReadonly(field.type, scope, seen));
    case "opt":
      return saysReadonly(type.of, scope, seen);
    case "dict":
      return saysReadonly(type.value, scope, seen);
    case "union":
      return type.variants.some((variant) => saysReadonly(variant, scope, seen));
    case "num":
    case "bool":
    case "leaf":
    case "tape":
    case "func":
    case "cotangent":
    case "void":
      return false;
    default:
      return unreachable(type);
  }
}
