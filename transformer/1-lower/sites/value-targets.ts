// Finds values where a form takes a function, `grad(f(3))`. Input: the form's name and its first
// argument. Output: the words of TSG1026, with the call that was meant. Types decide; `any` may be
// a function.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import type { TypeScript } from "../typescript.ts";
import { shorten } from "./quoted-code.ts";

/** The arguments of TSG1026; null if the argument may be a function. */
export function valueTaken(
  form: string,
  target: ts.Expression,
  api: TypeScript,
  checker: ts.TypeChecker,
): readonly string[] | null {
  const type = checker.getTypeAtLocation(target);
  if (!isValue(type, api)) return null;
  const given = bare(target, api);
  const text = shorten(given.getText());
  const what = `of type \`${shorten(checker.typeToString(checker.getWidenedType(type)))}\``;
  if (!api.isCallExpression(given) || bare(given.expression, api) !== given.expression)
    return [form, text, what, `${form}(f)`];
  const [f, ...args] = [given.expression, ...given.arguments].map((node) =>
    shorten(node.getText()),
  );
  return [form, text, `the result of \`${f}\`, ${what}`, meant(form, f ?? "f", args)];
}

const isValue = (type: ts.Type, api: TypeScript): boolean =>
  type.isUnion()
    ? type.types.every((each) => isValue(each, api))
    : (type.flags & OPEN.reduce((flags, name) => flags | api.TypeFlags[name], 0)) === 0 &&
      type.getCallSignatures().length === 0;

/** Types whose values may be functions. */
const OPEN = ["Any", "Unknown", "TypeParameter", "NonPrimitive"] as const;

/** The call with the arguments of `f` where the form has them. */
function meant(form: string, f: string, args: readonly string[]): string {
  const list = args.join(", ");
  switch (form) {
    case "jvp":
    case "hvp":
      return `${form}(${f})([${list}], ${form === "jvp" ? "tangents" : "tangent"})`;
    case "vmap":
      return `${form}(${f})(${args.map((arg) => `[${arg}]`).join(", ")})`;
    case "checkGrads":
      return `${form}(${f}, [${list}])`;
    case "customVjp":
    case "customJvp":
    case "defineDerivative":
      return `${form}(${f}, rule)`;
    case "derivativeSource":
    case "differentiable":
      return `${form}(${f})`;
    default:
      return `${form}(${f})(${list})`;
  }
}
