// Where the derivative of a function may be infinite or not a number, and where it is one of
// several. Input: a function and what is active in it. Output: places with a text, in the order of
// the code.

import type { FunctionFacts } from "../ir/facts.ts";
import { operandTexts } from "../ir/operand-text.ts";
import type { Expr, Func, Origin } from "../ir/types.ts";
import { walkStmts } from "../ir/visit.ts";
import { type Hazard, HAZARDS, hazardText } from "../rules/hazards.ts";
import { isUnbounded, slopeOf } from "../rules/slopes.ts";

export interface HazardAt {
  readonly kind: Hazard["kind"];
  readonly origin: Origin;
  readonly text: string;
}

/** `code`: the text of a span. */
export function hazardsOf(
  func: Func,
  facts: FunctionFacts,
  code: (origin: Origin) => string,
): readonly HazardAt[] {
  const textOf = operandTexts(func, code);
  const found: HazardAt[] = [];
  walkStmts(func.body, ({ origin, ...stmt }) => {
    if (stmt.kind !== "let" || stmt.expr.kind !== "op") return;
    const hazard = HAZARDS[stmt.expr.op];
    if (hazard === undefined || !meets(stmt.expr, hazard, facts)) return;
    const text = hazardText(hazard.what, stmt.expr.args.map(textOf));
    found.push({ kind: hazard.kind, origin, text });
  });
  return found;
}

/** Whether an active operand can bring the operation to the point. */
const meets = (
  { op, args }: Expr & { kind: "op" },
  { kind }: Hazard,
  facts: FunctionFacts,
): boolean =>
  args.some(
    (arg, i) => facts.active(arg) && (kind === "choice" || isUnbounded(slopeOf(op, i, args))),
  );
