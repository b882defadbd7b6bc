// Calls that give a function a derivative, as function values: `customVjp(f, rule)`,
// `customJvp(f, rule)`, `defineDerivative(f, …)`, `checkpoint(f)`, `vmap(f)`. Input: such a call.
// Output: the function that it makes.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import type { Schedule } from "../../ir/types.ts";
import type { Fn } from "../function-values.ts";
import type { Frame } from "../frame.ts";
import { valuesOf } from "../sites/options.ts";
import { nameOf } from "../sites/targets.ts";
import { requiredFn } from "../resolve.ts";
import type { Custom } from "./pullback-rules.ts";

type Mapped = Fn & { readonly kind: "mapped" };

/** `customVjp(f, rule)`, `vmap(f)` and the like as a function value; null for other calls. */
export function customFn(f: Frame, call: ts.CallExpression): Custom | Mapped | null {
  const symbol = f.ctx.checker.getSymbolAtLocation(nameOf(call.expression, f.api));
  const operator = symbol === undefined ? null : f.ctx.operatorOf(symbol);
  if (operator === "defineDerivative") return definedFn(f, call);
  const [target, rule] = call.arguments;
  if (operator === "vmap")
    return { kind: "mapped", fn: argumentFn(f, target, call), axes: axesOf(f, rule) };
  if (operator !== "checkpoint" && operator !== "customVjp" && operator !== "customJvp")
    return null;
  const fn = argumentFn(f, target, call);
  const common = { kind: "custom", fn, shown: f.textOf(target ?? call), at: call } as const;
  if (operator === "checkpoint")
    return { ...common, mode: "checkpoint", rule: null, ...scheduleOf(f, rule) };
  const mode = operator === "customVjp" ? "vjp" : "jvp";
  return { ...common, mode, rule: argumentFn(f, rule, call) };
}

const argumentFn = (f: Frame, argument: ts.Expression | undefined, call: ts.Node): Fn =>
  argument === undefined ? f.refuse("TSG1001", call, f.textOf(call)) : requiredFn(f, argument);

/** `defineDerivative(f, { vjp: rule })` as `f` with that rule. */
function definedFn(f: Frame, call: ts.CallExpression): Custom | null {
  const definition = f.ctx.definitionAt(call);
  if (definition === null) return null;
  const { target, mode, rule } = definition;
  const given: Fn = f.api.isMethodDeclaration(rule)
    ? { kind: "closure", node: rule, env: f.env }
    : requiredFn(f, rule);
  return {
    kind: "custom",
    mode,
    fn: { kind: "outside", target },
    rule: given,
    shown: nameOf(target, f.api).getText(),
    at: call,
  };
}

/** `{ axes: [0, null] }`: whether each argument is the same for all examples. */
function axesOf(f: Frame, options: ts.Expression | undefined): readonly boolean[] {
  if (options === undefined) return [];
  const { api } = f;
  const literal = bare(options, api);
  if (!api.isObjectLiteralExpression(literal))
    return f.refuse("TSG1003", options, "options", "vmap", valuesOf("axes"));
  return literal.properties.flatMap((property) => {
    const name = property.name?.getText() ?? "options";
    if (name !== "axes") return f.refuse("TSG1006", property, name, "vmap", "the option is `axes`");
    const axes = api.isPropertyAssignment(property) ? bare(property.initializer, api) : null;
    if (axes === null || !api.isArrayLiteralExpression(axes))
      return f.refuse("TSG1003", property, name, "vmap", valuesOf(name));
    return axes.elements.map((each) => {
      const isSame = each.kind === api.SyntaxKind.NullKeyword;
      if (isSame || (api.isNumericLiteral(each) && each.text === "0")) return isSame;
      return f.refuse("TSG1003", each, name, "vmap", valuesOf(name));
    });
  });
}

/** `{ schedule: "log" }` */
function scheduleOf(
  f: Frame,
  options: ts.Expression | undefined,
): { readonly schedule?: Schedule } {
  if (options === undefined) return {};
  const { api } = f;
  if (!api.isObjectLiteralExpression(options))
    return f.refuse("TSG1003", options, "options", "checkpoint", valuesOf("schedule"));
  for (const property of options.properties) {
    const name = property.name?.getText() ?? "options";
    if (!api.isPropertyAssignment(property))
      return f.refuse("TSG1003", property, name, "checkpoint", valuesOf(name));
    if (name !== "schedule")
      return f.refuse("TSG1006", property, name, "checkpoint", "the option is `schedule`");
    if (!api.isStringLiteralLike(property.initializer) || property.initializer.text !== "log")
      return f.refuse("TSG1003", property, name, "checkpoint", valuesOf(name));
    return { schedule: "log" };
  }
  return {};
}
