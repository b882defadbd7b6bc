// Lowers operators without assignment: arithmetic, comparison, short circuits, conditions. In: a binary expression. Out: an atom.
// Invariant: the right operand of `&&`, `||` and `??` runs only where JavaScript runs it, unless running it cannot be observed.

import type ts from "typescript";
import { BOOL, NUM, bool } from "../ir/build.ts";
import type { Atom, Body, ScalarOp, Stmt, Type, Var } from "../ir/types.ts";
import {
  asNumber,
  asOptional,
  extern,
  inert,
  inner,
  isNull,
  isNullish,
  isUndefined,
  mayBeMissing,
  not,
  present,
  sameValue,
  STRING,
  truth,
  UNDEFINED,
  unwrap,
  type Equality,
} from "./coerce.ts";
import { isLibrary, lowerMaybe, opened } from "./resolve.ts";
import type { Frame } from "./frame.ts";
import { isInstance, isRecordOf } from "./classes/members.ts";
import { classNamed } from "./classes/static-members.ts";
import { presenceOf } from "./functions/definedness.ts";
import { lowerEffect, lowerExpr } from "./expression.ts";
import { literalType, nilOf } from "./objects/literals.ts";
import { throwWrongType, truthByType } from "./control/type-tests.ts";

/** Operators on two numbers, also behind `=` in compound assignments. */
export function arithmeticOp(f: Frame, token: ts.SyntaxKind): ScalarOp | null {
  const kinds = f.api.SyntaxKind;
  switch (token) {
    case kinds.PlusToken:
    case kinds.PlusEqualsToken:
      return "add";
    case kinds.MinusToken:
    case kinds.MinusEqualsToken:
      return "sub";
    case kinds.AsteriskToken:
    case kinds.AsteriskEqualsToken:
      return "mul";
    case kinds.SlashToken:
    case kinds.SlashEqualsToken:
      return "div";
    case kinds.PercentToken:
    case kinds.PercentEqualsToken:
      return "mod";
    case kinds.AsteriskAsteriskToken:
    case kinds.AsteriskAsteriskEqualsToken:
      return "pow";
    case kinds.AmpersandToken:
    case kinds.AmpersandEqualsToken:
      return "band";
    case kinds.BarToken:
    case kinds.BarEqualsToken:
      return "bor";
    case kinds.CaretToken:
    case kinds.CaretEqualsToken:
      return "bxor";
    case kinds.LessThanLessThanToken:
    case kinds.LessThanLessThanEqualsToken:
      return "shl";
    case kinds.GreaterThanGreaterThanToken:
    case kinds.GreaterThanGreaterThanEqualsToken:
      return "shr";
    case kinds.GreaterThanGreaterThanGreaterThanToken:
    case kinds.GreaterThanGreaterThanGreaterThanEqualsToken:
      return "ushr";
    default:
      return null;
  }
}

/** `x op z` on values that are there; `+` on strings makes a string. */
export function arithmetic(
  f: Frame,
  op: ScalarOp,
  x: Atom,
  z: Atom,
  at: readonly [ts.Expression, ts.Expression],
  wanted = "t",
): Atom {
  // what is a number is neither: most operands are, and types of expressions take time
  const others = at.filter((_, i) => (i === 0 ? x : z).type.kind !== "num");
  if (op === "add" && others.some((node) => isText(f, node)))
    return extern(f, wanted, STRING, ["", " + ", ""], [x, z]);
  for (const node of others) if (isBigInt(f, node)) return f.refuse("TSG1212", node);
  return f.let(wanted, NUM, {
    kind: "op",
    op,
    args: [asNumber(f, x, at[0]), asNumber(f, z, at[1])],
    ...listedExponent(f, op, z, at[1]),
  });
}

/** Of a power whose exponent's type lists its numbers, `1 | 2`: that it does. */
export function listedExponent(
  f: Frame,
  op: ScalarOp,
  z: Atom | undefined,
  at: ts.Expression | undefined,
): { readonly listed?: true } {
  if (op !== "pow" || z === undefined || z.kind === "const" || at === undefined) return {};
  const type = f.ctx.checker.getTypeAtLocation(at);
  return (type.isUnion() ? type.types : [type]).every((part) => part.isNumberLiteral())
    ? { listed: true }
    : {};
}

const isText = (f: Frame, node: ts.Expression): boolean => {
  const type = f.ctx.checker.getTypeAtLocation(node);
  return (
    (type.flags & f.api.TypeFlags.StringLike) !== 0 ||
    (type.isUnion() && type.types.some((part) => part.flags & f.api.TypeFlags.StringLike))
  );
};
const isBigInt = (f: Frame, node: ts.Expression): boolean =>
  (f.ctx.checker.getTypeAtLocation(node).flags & f.api.TypeFlags.BigIntLike) !== 0;

export function lowerOperator(f: Frame, node: ts.BinaryExpression, wanted: string): Atom {
  const kinds = f.api.SyntaxKind;
  const token = node.operatorToken.kind;
  const op = arithmeticOp(f, token);
  if (op !== null) {
    const x = lowerExpr(f, node.left);
    return arithmetic(f, op, x, lowerExpr(f, node.right), [node.left, node.right], wanted);
  }
  switch (token) {
    case kinds.CommaToken:
      lowerEffect(f, node.left);
      return lowerExpr(f, node.right, wanted);
    case kinds.LessThanToken:
      return compare(f, "lt", "<", node, wanted);
    case kinds.LessThanEqualsToken:
      return compare(f, "le", "<=", node, wanted);
    case kinds.GreaterThanToken:
      return compare(f, "gt", ">", node, wanted);
    case kinds.GreaterThanEqualsToken:
      return compare(f, "ge", ">=", node, wanted);
    case kinds.EqualsEqualsEqualsToken:
      return equality(f, "===", node, wanted);
    case kinds.ExclamationEqualsEqualsToken:
      return equality(f, "!==", node, wanted);
    case kinds.EqualsEqualsToken:
      return equality(f, "==", node, wanted);
    case kinds.ExclamationEqualsToken:
      return equality(f, "!=", node, wanted);
    case kinds.AmpersandAmpersandToken:
    case kinds.BarBarToken:
      return lowerLogical(f, node, wanted);
    case kinds.QuestionQuestionToken:
      return lowerCoalesce(f, node, wanted);
    case kinds.InKeyword:
      return lowerIn(f, node, wanted);
    case kinds.InstanceOfKeyword:
      return lowerInstanceof(f, node, wanted);
    default:
      return f.refuse("TSG1201", node, `operator \`${node.operatorToken.getText()}\``);
  }
}

function compare(
  f: Frame,
  op: ScalarOp,
  token: string,
  node: ts.BinaryExpression,
  wanted: string,
): Atom {
  const x = lowerExpr(f, node.left);
  const z = lowerExpr(f, node.right);
  const leaf = f.shape(x.type).kind === "leaf" || f.shape(z.type).kind === "leaf";
  if (leaf) return extern(f, wanted, BOOL, ["", ` ${token} `, ""], [x, z]);
  return f.let(wanted, BOOL, {
    kind: "op",
    op,
    args: [asNumber(f, x, node.left), asNumber(f, z, node.right)],
  });
}

function equality(f: Frame, token: Equality, node: ts.BinaryExpression, wanted: string): Atom {
  const there = isNullishLiteral(f, node.right)
    ? presenceOf(f, node.left)
    : isNullishLiteral(f, node.left)
      ? presenceOf(f, node.right)
      : null;
  if (there !== null) return token.startsWith("!") ? there : not(f, there);
  const x = isNullishLiteral(f, node.right) ? lowerMaybe(f, node.left) : lowerExpr(f, node.left);
  const z = isNullish(x) ? lowerMaybe(f, node.right) : lowerExpr(f, node.right);
  if (
    x.kind === "const" &&
    z.kind === "const" &&
    typeof x.value === "string" &&
    typeof z.value === "string"
  )
    return bool((x.value === z.value) !== token.startsWith("!"));
  if (!isNullish(x) && !isNullish(z)) return sameValue(f, token, x, z, wanted);
  const [value, tested, at] = isNullish(z) ? [x, z, node.left] : [z, x, node.right];
  const type = f.ctx.checker.getTypeAtLocation(at);
  const negative = token.startsWith("!");
  if (token === "==" || token === "!=") {
    const isPresent = present(f, value);
    return negative ? isPresent : not(f, isPresent);
  }
  const missing =
    tested.kind === "const" && tested.value === null
      ? isNull(f, value, type)
      : isUndefined(f, value, type);
  return negative ? not(f, missing) : missing;
}

const isNullishLiteral = (f: Frame, node: ts.Expression): boolean => {
  const target = opened(f, node);
  return (
    target.kind === f.api.SyntaxKind.NullKeyword ||
    isLibrary(f, target, "undefined") ||
    f.api.isVoidExpression(target)
  );
};

/** Of `x ?? z` and `x || z`. Where TypeScript takes `x` for there, though an element read may have given nothing, it forgets that `z` may be nothing. */
function orMissing(f: Frame, node: ts.BinaryExpression): Type {
  const type = joinType(f, node);
  const right = f.ctx.checker.getTypeAtLocation(node.right);
  const shape = f.shape(type);
  if (
    shape.kind === "opt" ||
    shape.kind === "leaf" ||
    !f.ctx.saysMissing ||
    !mayBeMissing(f, right)
  )
    return type;
  return { kind: "opt", of: type, nil: nilOf(f, right) };
}

/** Type of what two ways of computing a value join to. */
export function joinType(f: Frame, node: ts.Expression): Type {
  const type = literalType(f, node, null);
  const shape = f.shape(type);
  if (shape.kind === "leaf" && shape.opaque === true)
    return f.refuse("TSG2002", node, f.name, `\`${f.textOf(node)}\``, shape.text);
  return type;
}

function lowerLogical(f: Frame, node: ts.BinaryExpression, wanted: string): Atom {
  const isAnd = node.operatorToken.kind === f.api.SyntaxKind.AmpersandAmpersandToken;
  const left = lowerMaybe(f, node.left);
  const cond = truth(f, left);
  if (isBoolean(f, left) && isBoolExpression(f, node.right))
    return truthByType(f, node.left) === !isAnd
      ? lowerCondition(f, node)
      : shortCircuit(f, isAnd, left, () => lowerExpr(f, node.right), wanted);
  const type = isAnd ? joinType(f, node) : orMissing(f, node);
  const kept = (): Atom =>
    isAnd ? falsy(f, node.left, left) : f.shape(type).kind === "opt" ? left : unwrap(f, left);
  const right = (): Atom => lowerExpr(f, node.right);
  return isAnd
    ? f.choose(wanted, type, cond, right, kept)
    : f.choose(wanted, type, cond, kept, right);
}

/** What `left` is where it is false: an aggregate that is missing. */
function falsy(f: Frame, node: ts.Expression, left: Atom): Atom {
  const kind = f.shape(inner(f, left.type)).kind;
  if (f.shape(left.type).kind !== "opt" || kind === "num" || kind === "bool" || kind === "leaf")
    return left;
  const type = f.ctx.checker.getTypeAtLocation(node);
  const nullable = (type.isUnion() ? type.types : [type]).some(
    (part) => part.flags & f.api.TypeFlags.Null,
  );
  return nullable ? f.refuse("TSG1207", node, f.textOf(node)) : UNDEFINED;
}

const isBoolean = (f: Frame, atom: Atom): boolean => f.shape(atom.type).kind === "bool";

const isBoolExpression = (f: Frame, node: ts.Expression): boolean => {
  const type = f.ctx.checker.getTypeAtLocation(node);
  return (type.flags & f.api.TypeFlags.BooleanLike) !== 0;
};

/** A condition: only the truth of the expression is wanted. */
export function lowerCondition(f: Frame, expression: ts.Expression): Atom {
  const node = opened(f, expression);
  const { api } = f;
  return f.at(node, () => {
    if (api.isPrefixUnaryExpression(node) && node.operator === api.SyntaxKind.ExclamationToken)
      return not(f, lowerCondition(f, node.operand));
    if (api.isBinaryExpression(node)) {
      const token = node.operatorToken.kind;
      if (
        token === api.SyntaxKind.AmpersandAmpersandToken ||
        token === api.SyntaxKind.BarBarToken
      ) {
        const isAnd = token === api.SyntaxKind.AmpersandAmpersandToken;
        const left = lowerCondition(f, node.left);
        return shortCircuit(
          f,
          isAnd,
          left,
          () => {
            if (truthByType(f, node.left) !== !isAnd) return lowerCondition(f, node.right);
            throwWrongType(f, node.left);
            return bool(!isAnd);
          },
          "t",
        );
      }
    }
    return presenceOf(f, node) ?? truth(f, lowerMaybe(f, node));
  });
}

/** `left && right` on booleans; without a branch where the right side is a few comparisons of known values. */
export function shortCircuit(
  f: Frame,
  isAnd: boolean,
  left: Atom,
  right: () => Atom,
  wanted: string,
): Atom {
  if (left.kind === "const") return left.value === isAnd ? right() : left;
  const body = f.nested(() => [right()]);
  const value = body.result[0] ?? bool(false);
  if (isCheap(body)) {
    f.b.stmts.push(...body.stmts);
    return f.let(wanted, BOOL, { kind: "op", op: isAnd ? "and" : "or", args: [left, value] });
  }
  const other: Body = { stmts: [], result: [bool(!isAnd)] };
  const bind: Var = { kind: "var", name: f.names.fresh(wanted), type: BOOL };
  f.b.emit({
    kind: "if",
    cond: left,
    then: isAnd ? body : other,
    else: isAnd ? other : body,
    binds: [bind],
  });
  return bind;
}

const CHEAP: ReadonlySet<string> = new Set([
  "lt",
  "le",
  "gt",
  "ge",
  "eq",
  "ne",
  "not",
  "and",
  "or",
  "add",
  "sub",
  "mul",
  "neg",
]);

/** Scalar code that nobody can see running: no memory, no calls, nothing expensive. */
const isCheap = (body: Body): boolean => body.stmts.length <= 4 && body.stmts.every(isCheapStmt);
const isCheapStmt = (stmt: Stmt): boolean =>
  stmt.kind === "let" &&
  (stmt.expr.kind === "copy" || (stmt.expr.kind === "op" && CHEAP.has(stmt.expr.op)));

function lowerCoalesce(f: Frame, node: ts.BinaryExpression, wanted: string): Atom {
  const left = lowerMaybe(f, node.left);
  if (left.kind === "const") return isNullish(left) ? lowerExpr(f, node.right, wanted) : left;
  const value = asOptional(f, left);
  const type = orMissing(f, node);
  return f.choose(
    wanted,
    type,
    present(f, value),
    () => unwrap(f, value),
    () => lowerExpr(f, node.right),
  );
}

/** `"w" in m` */
function lowerIn(f: Frame, node: ts.BinaryExpression, wanted: string): Atom {
  if (f.api.isPrivateIdentifier(node.left)) return lowerPrivateIn(f, node, node.left);
  const key = lowerExpr(f, node.left);
  const object = lowerExpr(f, node.right);
  return inert(f, wanted, BOOL, ["", " in ", ""], [key, object]);
}

/** `#x in o` */
function lowerPrivateIn(f: Frame, node: ts.BinaryExpression, name: ts.PrivateIdentifier): Atom {
  const object = lowerExpr(f, node.right);
  const owner = f.ctx.checker.getSymbolAtLocation(name)?.valueDeclaration?.parent;
  const has = owner !== undefined && f.api.isClassLike(owner) ? isRecordOf(f, object, owner) : null;
  return has ?? f.refuse("TSG1107", node, f.name, f.textOf(node));
}

function lowerInstanceof(f: Frame, node: ts.BinaryExpression, wanted: string): Atom {
  const name = opened(f, node.right);
  const value = lowerExpr(f, node.left);
  const owner = classNamed(f, name);
  if (owner !== null) return isInstance(f, value, owner, wanted);
  const text = f.api.isPropertyAccessExpression(name) ? name.name.text : f.textOf(name);
  if (!isLibrary(f, name, text)) return f.refuse("TSG1107", node, f.name, f.textOf(node.right));
  return extern(f, wanted, BOOL, ["", ` instanceof ${text}`], [value]);
}
