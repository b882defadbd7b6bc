// The form whose derivative `derivativeSource` shows. In: the call's second argument. Out: the form
// that the options `form` and `order` name. Every value must be a literal in place.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import type { Code } from "../../diagnostics/registry.ts";
import { DERIVATIVE_FORMS, type Form } from "../../ir/facts.ts";
import type { TypeScript } from "../typescript.ts";
import { listed } from "./options.ts";

type Report = (code: Code, at: ts.Node, ...args: readonly string[]) => void;

/** `derivativeSource` itself if the options leave the form open; null if a problem was reported. */
export function shownForm(
  argument: ts.Expression | undefined,
  api: TypeScript,
  report: Report,
): Form | null {
  const values = valuesOf(argument, api);
  if ([...values.keys()].every((name) => name === "engine")) return "derivativeSource";
  const refused = (at: ts.Expression, name: string, why: string): null => {
    report("TSG1006", at, `${name}: ${at.getText()}`, "derivativeSource", why);
    return null;
  };
  const [given, order] = [values.get("form"), values.get("order")];
  const form =
    given === undefined ? "grad" : DERIVATIVE_FORMS.find((each) => isLiteral(given, each, api));
  if (form === undefined) return given === undefined ? null : refused(given, "form", ALL);
  if (order === undefined || isLiteral(order, "1", api)) return form;
  return form === "grad" && isLiteral(order, "2", api) ? "hvp" : refused(order, "order", ORDERS);
}

const ALL = listed(DERIVATIVE_FORMS, "forms");
const ORDERS = "the orders are 1, and 2 for `grad`, which is the code of `hvp`";

/** The options by name; none of what is no literal, which `optionsOf` reports. */
function valuesOf(
  argument: ts.Expression | undefined,
  api: TypeScript,
): ReadonlyMap<string, ts.Expression> {
  const literal = argument === undefined ? undefined : bare(argument, api);
  if (literal === undefined || !api.isObjectLiteralExpression(literal)) return new Map();
  return new Map(
    literal.properties.flatMap((property): [string, ts.Expression][] =>
      api.isPropertyAssignment(property) && !api.isComputedPropertyName(property.name)
        ? [[property.name.text, bare(property.initializer, api)]]
        : [],
    ),
  );
}

const isLiteral = (node: ts.Expression, text: string, api: TypeScript): boolean =>
  (api.isStringLiteralLike(node) || api.isNumericLiteral(node)) && node.text === text;
