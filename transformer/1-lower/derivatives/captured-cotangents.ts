// The cotangents that a rule gives of what its function captures (Estep §3.4): `[dx, { k: dk }]` in
// a rule of `(x) => k * x`. Names are those of variables in the scope of the function; `undefined`
// declares one constant. In: the record literal
// that a pullback returns last. Out: variables, and their cotangents.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { hasNumbers } from "../../ir/shadow.ts";
import type { Atom, Var } from "../../ir/types.ts";
import type { Frame } from "../frame.ts";
import { lowerExpr } from "../lowering.ts";
import { nameOfRuled } from "../sites/quoted-code.ts";
import type { Custom } from "./pullback-rules.ts";

/** The variables that a record names, with their cotangents. */
export interface CapturedPart {
  readonly variable: Var;
  /** Null where it is declared constant. */
  readonly bar: Atom | null;
}

/** Null where the expression is no record literal. Names without numbers are left out. */
export function capturedParts(
  f: Frame,
  custom: Custom,
  record: ts.Expression,
): readonly CapturedPart[] | null {
  const literal = bare(record, f.api);
  if (!f.api.isObjectLiteralExpression(literal)) return null;
  const parts: CapturedPart[] = [];
  for (const property of literal.properties) {
    const value = valueOf(f, property);
    if (value === null || property.name === undefined) return null;
    const bar = lowerExpr(f, value);
    const atom = capturedAtom(f, custom, property.name.getText());
    if (atom.kind !== "var" || !hasNumbers(atom.type, f.ctx.types)) continue;
    parts.push({ variable: atom, bar: hasNumbers(bar.type, f.ctx.types) ? bar : null });
  }
  return parts;
}

/** The value of `name: value` or `name`; null for other properties. */
function valueOf({ api }: Frame, property: ts.ObjectLiteralElementLike): ts.Expression | null {
  if (api.isShorthandPropertyAssignment(property)) return property.name;
  return api.isPropertyAssignment(property) && api.isIdentifier(property.name)
    ? property.initializer
    : null;
}

/** What a name means in the function; an error where it is no variable around it. */
function capturedAtom(f: Frame, { fn, at }: Custom, name: string): Atom {
  const closure: { readonly node: ts.Node; readonly env: Frame["env"] } =
    fn.kind === "closure" ? fn : { node: at, env: f.env };
  const { Value } = f.api.SymbolFlags;
  const symbol = f.ctx.checker.resolveName(name, closure.node, Value, true);
  const bound = symbol === undefined ? null : closure.env.lookup(symbol);
  if (bound?.kind === "value") return bound.atom;
  if (bound?.kind === "variable") return bound.variable;
  return f.refuse(
    "TSG1019",
    at,
    nameOfRuled(at, f.api),
    `\`${name}\` is no variable with a value that its function captures`,
  );
}
