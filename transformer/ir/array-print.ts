// Prints array programs for tests and `explain`, one line per let, in the words of the paper.

import type { ArrayBody, ArrayExpr, ArrayProgram, Lambda } from "./array.ts";
import { printType } from "./print.ts";
import type { Atom } from "./types.ts";

export const printArray = ({ name, params, body }: ArrayProgram): string =>
  [
    `array ${name}(${params.map((param) => `${param.name}: ${printType(param.type)}`).join(", ")})`,
    ...lines(body, "  "),
  ].join("\n");

function lines(body: ArrayBody, indent: string): readonly string[] {
  return [
    ...body.lets.map(
      ({ bind, expr }) =>
        `${indent}${expr.kind === "check" ? "" : `${bind.name} = `}${exprText(expr)}`,
    ),
    `${indent}${atomText(body.result)}`,
  ];
}

const atomText = (atom: Atom): string =>
  atom.kind === "var" || atom.kind === "global"
    ? atom.name
    : atom.kind === "const"
      ? String(atom.value)
      : "undef";
const bodyText = (body: ArrayBody): string => lines(body, "").join("; ");
const fnText = ({ params, body }: Lambda): string =>
  `(${params.map(({ name }) => name).join(", ")} => ${bodyText(body)})`;

const SCANS = { left: "scanl", right: "scanr" } as const;
const SHIFTS = { left: "shift1L", right: "shift1R" } as const;

function exprText(expr: ArrayExpr): string {
  const words = (...parts: readonly (string | Atom)[]): string =>
    parts.map((part) => (typeof part === "string" ? part : atomText(part))).join(" ");
  switch (expr.kind) {
    case "op":
      return words(expr.op, ...expr.args);
    case "field":
      return `${atomText(expr.of)}.${expr.name}`;
    case "record":
      return `{ ${expr.fields.map(({ name, value }) => `${name}: ${atomText(value)}`).join(", ")} }`;
    case "tuple":
      return `(${expr.elems.map(atomText).join(", ")})`;
    case "size":
      return words("size", expr.of);
    case "map":
      return words(expr.arrays.length === 1 ? "map" : "map2", fnText(expr.fn), ...expr.arrays);
    case "fold":
      return words("foldl", fnText(expr.fn), expr.first, expr.array);
    case "scan":
      return words(SCANS[expr.from], fnText(expr.fn), expr.first, expr.array);
    case "shift":
      return words(SHIFTS[expr.side], expr.array);
    case "fill":
      return words("fill", expr.value, expr.like);
    case "choose":
      return `if ${atomText(expr.cond)} then { ${bodyText(expr.then)} } else { ${bodyText(expr.else)} }`;
    case "copy":
      return words("copy", expr.of);
    case "check":
      return words("check", expr.a, expr.b);
  }
}
