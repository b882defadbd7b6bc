// Turns loops that run downwards into loops that run upwards. iterations.ts decides whether the
// iterations of a loop commute; sums of cotangents are added in another order.
//   for i = n - 1 >= 0 step -1 { p }   ->   for i = 0 < n { p }

import { mapList, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Body, Func } from "../../ir/types.ts";
import { mapBodies } from "../../ir/visit.ts";
import { commutes, knowledgeOf, upwards, type Knowledge } from "./iterations.ts";

export function direction(func: Func, types: Types): Func {
  return withBody(func, turnBody(func.body, knowledgeOf(func, types)));
}

function turnBody(body: Body, known: Knowledge): Body {
  return withStmts(
    body,
    mapList(body.stmts, (stmt) => {
      const inner = mapBodies(stmt, (nested) => turnBody(nested, known));
      if (inner.kind !== "for") return inner;
      const turned = upwards(inner, known);
      return turned !== null && commutes(inner, known) ? turned : inner;
    }),
  );
}
