// Reads the options of a form. Input: the call's second argument.
// Output: argument positions, `hasAux`, `into`, `engine` and `debug`; problems are reported.
// Every value must be a literal in place, so no option is silently ignored.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import type { Code } from "../../diagnostics/registry.ts";
import { defaultsToAllArguments, type Form } from "../../ir/facts.ts";
import type { TypeScript } from "../typescript.ts";
import type { Options } from "../function-values.ts";

type Report = (code: Code, at: ts.Node, ...args: readonly string[]) => void;

/** Options of `derivativeSource` that choose a form. */
const CHOOSING = ["form", "order"];

const ALL = ["argnums", "hasAux", "engine", "debug"];
const WITH_INTO = [...ALL, "into"];
const ACCEPTED: Readonly<Record<Form, readonly string[]>> = {
  grad: WITH_INTO,
  valueAndGrad: WITH_INTO,
  vjp: ALL,
  transpose: ["argnums", "engine", "debug"],
  jvp: ["hasAux", "engine", "debug"],
  linearize: ALL,
  jacfwd: WITH_INTO,
  jacrev: WITH_INTO,
  hessian: WITH_INTO,
  hvp: ALL,
  checkGrads: [],
  derivativeSource: ["engine", ...CHOOSING],
  differentiable: [],
  delta: [],
};

const acceptedBy = (form: Form, asText: boolean): readonly string[] => [
  ...ACCEPTED[form],
  ...(asText ? CHOOSING : []),
];

/** What options that are words may say. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  engine: ["static", "delta"],
  debug: ["nan"],
};

const SHOWN: Readonly<Record<string, string>> = {
  options:
    "write an object, `{ argnums: 1 }`, `{ argnums: [0, 2] }`, `{ hasAux: true }`; arguments of the function belong to the call of the derivative, `grad(f)(x, y)`",
  argnums: "write positions of arguments, counted from 0: `argnums: 1`, `argnums: [0, 2]`",
  axes: "write a list with `0` or `null` for each argument: `axes: [0, null]`",
  schedule: 'write `schedule: "log"`',
};

/** What an option can be, for TSG1003. */
export const valuesOf = (name: string): string =>
  SHOWN[name] ??
  `write ${(WORDS[name]?.map((word) => `"${word}"`) ?? ["true", "false"]).map((value) => `\`${name}: ${value}\``).join(" or ")}`;

/** Null if a problem was reported. `asText`: of `derivativeSource` of a form. */
export function optionsOf(
  form: Form,
  argument: ts.Expression | undefined,
  api: TypeScript,
  report: Report,
  asText?: boolean,
): Options | null {
  const accepted = acceptedBy(form, asText === true);
  const none: Options = {
    argnums: defaultsToAllArguments(form) ? [] : [0],
    tuple: false,
    hasAux: false,
    into: false,
    engine: null,
    argnumsAt: null,
  };
  // `checkGrads` has the arguments to check at, and options that are read at run time
  if (argument === undefined || form === "checkGrads") return none;
  const literal = bare(argument, api);
  if (!api.isObjectLiteralExpression(literal)) {
    report("TSG1003", argument, "options", form, valuesOf("options"));
    return null;
  }
  const rejected = (value: ts.Expression, name: string): null => (
    report("TSG1003", value, name, form, valuesOf(name)),
    null
  );
  let options: Options | null = none;
  for (const property of literal.properties) {
    const name =
      property.name !== undefined &&
      (api.isIdentifier(property.name) || api.isStringLiteral(property.name))
        ? property.name.text
        : "options";
    if (!api.isPropertyAssignment(property) || name === "options")
      report("TSG1003", property, name, form, valuesOf(name));
    else if (!accepted.includes(name))
      report("TSG1006", property.name, name, form, optionsFor(name, accepted));
    else {
      const value = bare(property.initializer, api);
      if (options !== null) {
        const next = withOption(options, name, value, api, report);
        options = next === "unreadable" ? rejected(value, name) : next;
      }
      continue;
    }
    options = null;
  }
  return options === null
    ? null
    : checkedByStatic(options, () => {
        report("TSG1024", literal, form);
      });
}

/** With `debug`, the options for the static engine; null if they ask for the other one. */
function checkedByStatic(options: Options, refuse: () => void): Options | null {
  if (options.debug === undefined || options.engine === "static") return options;
  if (options.engine === null) return { ...options, engine: "static" };
  refuse();
  return null;
}

/** Null if a problem was reported. */
function withOption(
  options: Options,
  name: string,
  value: ts.Expression,
  api: TypeScript,
  report: Report,
): Options | null | "unreadable" {
  if (CHOOSING.includes(name)) return options;
  if (name === "hasAux" || name === "into") {
    if (value.kind === api.SyntaxKind.TrueKeyword) return { ...options, [name]: true };
    return value.kind === api.SyntaxKind.FalseKeyword ? options : "unreadable";
  }
  const words = WORDS[name];
  if (words !== undefined)
    return api.isStringLiteralLike(value) && words.includes(value.text)
      ? { ...options, [name]: value.text }
      : "unreadable";
  if (!api.isArrayLiteralExpression(value)) {
    const position = positionOf(value, api);
    return position === null
      ? "unreadable"
      : { ...options, argnums: [position], tuple: false, argnumsAt: value };
  }
  const positions = value.elements.map((element) => positionOf(bare(element, api), api));
  const argnums = positions.filter((position) => position !== null);
  const twice = argnums.find((position, i) => argnums.indexOf(position) !== i);
  if (twice !== undefined) {
    report("TSG1005", value, String(twice));
    return null;
  }
  return argnums.length > 0 && argnums.length === positions.length
    ? { ...options, argnums, tuple: true, argnumsAt: value }
    : "unreadable";
}

function positionOf(node: ts.Expression, api: TypeScript): number | null {
  if (api.isNumericLiteral(node)) return Number(node.text);
  if (
    api.isPrefixUnaryExpression(node) &&
    node.operator === api.SyntaxKind.MinusToken &&
    api.isNumericLiteral(node.operand)
  )
    return -Number(node.operand.text);
  return null;
}

/** The options, for TSG1006; first the one that `name` may mean. */
function optionsFor(name: string, accepted: readonly string[]): string {
  const words = ["wrt", "arg"].some((start) => name.toLowerCase().startsWith(start));
  const meant = accepted.find(
    (one) =>
      one.toLowerCase().startsWith(name.toLowerCase().slice(0, 5)) || (words && one === "argnums"),
  );
  const all = listed(accepted, "options");
  return meant === undefined ? all : `did you mean \`${meant}\`? ${all}`;
}

export const listed = (names: readonly string[], what: "options" | "forms"): string =>
  names.length === 0
    ? "it takes no options"
    : `the ${what} are ${names.map((name) => `\`${name}\``).join(", ")}`;
