// Reads conditionals: `c ? a : b`, `a || b`, `a && b`, `a ?? b` of numbers. In: an expression. Out:
// a `select` of the graph, or null. Invariant: conditions are built of number comparisons; no part
// of a side is read in advance, since it may be undefined where the other side is chosen.

import type ts from "typescript";
import { OPS, type ScalarOp } from "../../ir/ops.ts";
import { expression } from "../expression.ts";
import { isNumber } from "../types/leaves.ts";
import { unwrapped } from "../work.ts";
import { numberOf, unwritten } from "./expression.ts";
import type { Num } from "./graph.ts";
import type { Callee, Run } from "./state.ts";

const COMPARISON: Readonly<Record<string, ScalarOp>> = {
  "<": "lt",
  "<=": "le",
  ">": "gt",
  ">=": "ge",
  "===": "eq",
  "!==": "ne",
  "==": "looseEq",
  "!=": "looseNe",
};
const LOGICAL: Readonly<Record<string, ScalarOp>> = { "&&": "and", "||": "or" };

export function choice(
  run: Run,
  node: ts.ConditionalExpression,
  callee: Callee | null,
): Num | null {
  const {
    api,
    context: { checker },
  } = run.work;
  if (!isNumber(api, checker, node)) return null;
  const test = condition(run, node.condition, callee);
  const yes = test === null ? null : side(run, node.whenTrue, callee);
  const no = yes === null ? null : side(run, node.whenFalse, callee);
  return test === null || yes === null || no === null ? null : chosen(run, test, yes, no);
}

/** `c ? a : b` */
function chosen({ graph }: Run, test: Num, yes: Num, no: Num): Num {
  if (test.text === "true" || test.text === "false") return test.text === "true" ? yes : no;
  return graph.primal("select", [test, yes, no]);
}

/** `a || b  ->  a ? a : b`, `a && b  ->  a ? b : a`, `a ?? b  ->  a == null ? b : a`; or null. */
export function logical(run: Run, node: ts.BinaryExpression, callee: Callee | null): Num | null {
  const sign = run.work.api.tokenToString(node.operatorToken.kind) ?? "";
  if (!(sign === "??" || Object.hasOwn(LOGICAL, sign))) return null;
  const left = numberOf(run, node.left, callee);
  const right = left === null ? null : side(run, node.right, callee);
  if (left === null || right === null) return null;
  if (sign === "||") return chosen(run, truthOf(run, left), left, right);
  if (sign === "&&") return chosen(run, truthOf(run, left), right, left);
  // A computed value is always defined.
  return left.op !== null || left.value !== null
    ? left
    : run.graph.primal("select", [
        run.graph.primal("looseEq", [left, run.graph.leaf("null", "0")]),
        right,
        left,
      ]);
}

const side = (run: Run, node: ts.Expression, callee: Callee | null): Num | null =>
  run.aside(() => numberOf(run, node, callee));

/** A comparison, a logical combination of them, or a number or boolean tested for truth. */
function condition(run: Run, wrapped: ts.Expression, callee: Callee | null): Num | null {
  const { work } = run;
  const { api } = work;
  const node = unwrapped(work, wrapped);
  if (api.isPrefixUnaryExpression(node) && node.operator === api.SyntaxKind.ExclamationToken) {
    const inner = condition(run, node.operand, callee);
    return inner === null ? null : not(run, inner);
  }
  const sign = api.isBinaryExpression(node)
    ? (api.tokenToString(node.operatorToken.kind) ?? "")
    : "";
  const compares = COMPARISON[sign];
  const joins = LOGICAL[sign];
  if (api.isBinaryExpression(node) && compares !== undefined) {
    const left = numberOf(run, node.left, callee);
    const right = left === null ? null : numberOf(run, node.right, callee);
    return left === null || right === null ? null : comparison(run, compares, left, right);
  }
  if (api.isBinaryExpression(node) && joins !== undefined) {
    const left = condition(run, node.left, callee);
    const right = left === null ? null : run.aside(() => condition(run, node.right, callee));
    return left === null || right === null ? null : joined(run, joins, left, right);
  }
  const local = truth(run, node, callee);
  const number = local === null ? numberOf(run, node, callee) : null;
  return number === null ? local : truthOf(run, number);
}

// Decides known conditions, because TypeScript rejects comparisons of different literals.
const decided = ({ graph }: Run, isTrue: unknown): Num =>
  graph.leaf(isTrue === true ? "true" : "false", "0");

function comparison(run: Run, op: ScalarOp, left: Num, right: Num): Num {
  const { graph } = run;
  const a = graph.knownOf(left);
  const b = graph.knownOf(right);
  const own = (one: Num): Num => (graph.isListed(one) ? graph.primal("plus", [one]) : one);
  return a !== null && b !== null
    ? decided(run, OPS[op].eval([a, b]))
    : graph.primal(op, [own(left), own(right)]);
}

function truthOf(run: Run, number: Num): Num {
  const known = run.graph.knownOf(number);
  return known === null ? number : decided(run, Boolean(known));
}

const not = (run: Run, inner: Num): Num =>
  inner.text === "true" || inner.text === "false"
    ? decided(run, inner.text === "false")
    : run.graph.primal("not", [inner]);

function joined({ graph }: Run, op: ScalarOp, left: Num, right: Num): Num {
  if (left.text === "true" || left.text === "false")
    return (left.text === "true") === (op === "and") ? right : left;
  return graph.primal(op, [left, right]);
}

/** A local that is true or false. */
function truth(run: Run, node: ts.Expression, callee: Callee | null): Num | null {
  const { work } = run;
  const {
    api,
    context: { checker },
  } = work;
  if (
    callee !== null ||
    checker === null ||
    !api.isIdentifier(node) ||
    (checker.getTypeAtLocation(node).flags & api.TypeFlags.BooleanLike) === 0
  )
    return null;
  if (work.bindings.find(node) === null || !unwritten(run, node)) return null;
  const { v, pure } = expression(work, node);
  return pure && v === node.text ? run.graph.leaf(v, "0") : null;
}
