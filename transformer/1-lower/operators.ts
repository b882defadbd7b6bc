// Lowers binary operators other than assignments, and conditions. Input: an expression; output: an
// atom. Invariant: the right operand of `&&`, `||` and `??` is evaluated only where JavaScript does
// so, unless its evaluation cannot be observed.

import type ts from "typescript";
import { bare } from "../syntax/wrappers.ts";
import { BOOL, NUM, bool, num } from "../ir/build.ts";
import type { ScalarOp } from "../ir/ops.ts";
import type { Atom, Body, Const, Stmt, Type, Var } from "../ir/types.ts";
import {
  asNumber,
  asOptional,
  extern,
  inert,
  isEquality,
  isNull,
  isNullish,
  isUndefined,
  mayBeNullish,
  not,
  definednessTest,
  equalityTest,
  STRING,
  truthTest,
  UNDEFINED,
  unwrap,
  type Equality,
} from "./coerce.ts";
import { inner, type Frame } from "./frame.ts";
import { lowerOptional } from "./identifiers.ts";
import { isLibrary } from "./names/library-names.ts";
import { isInstance, isRecordOf } from "./classes/members.ts";
import { classNamed } from "./classes/static-members.ts";
import { definednessOf } from "./functions/definedness.ts";
import { lowerEffect, lowerExpr } from "./lowering.ts";
import { literalType, nullishKind } from "./objects/expected-types.ts";
import { emitWrongType, truthByType } from "./control/type-tests.ts";

const ARITHMETIC: ReadonlyMap<string, ScalarOp> = new Map([
  ["+", "add"],
  ["-", "sub"],
  ["*", "mul"],
  ["/", "div"],
  ["%", "mod"],
  ["**", "pow"],
  ["&", "band"],
  ["|", "bor"],
  ["^", "bxor"],
  ["<<", "shl"],
  [">>", "shr"],
  [">>>", "ushr"],
]);
const COMPARISONS: ReadonlyMap<string, ScalarOp> = new Map([
  ["<", "lt"],
  ["<=", "le"],
  [">", "gt"],
  [">=", "ge"],
]);

/** The operation of a compound assignment such as `+=`; null of another token. */
export const compoundOp = (f: Frame, token: ts.SyntaxKind): ScalarOp | null =>
  ARITHMETIC.get(f.api.tokenToString(token)?.slice(0, -1) ?? "") ?? null;

/** `x op z`, where `node` holds the operands' syntax; `+` on strings concatenates. */
export function arithmetic(
  f: Frame,
  op: ScalarOp,
  { left, right }: ts.BinaryExpression,
  [x, z]: readonly [Atom, Atom],
  hint = "t",
): Atom {
  // the checker's types are slow, so they are requested only of operands that are no numbers
  const others = [left, right].filter((_, i) => (i === 0 ? x : z).type.kind !== "num");
  if (op === "add" && others.some((node) => isString(f, node)))
    return extern(f, hint, STRING, ["", " + ", ""], [x, z]);
  for (const node of others) if (isBigInt(f, node)) return f.refuse("TSG1212", node);
  return f.let(hint, NUM, {
    kind: "op",
    op,
    args: [asNumber(f, x, left), quotientExponent(f, op, right) ?? asNumber(f, z, right)],
    ...listedExponent(f, op, z, right),
  });
}

/** The exponent `1 / 3` as a constant, whose derivative has a shorter form. */
function quotientExponent(f: Frame, op: ScalarOp, node: ts.Expression): Atom | null {
  const inner = f.api.isParenthesizedExpression(node) ? node.expression : node;
  if (op !== "pow" || !f.api.isBinaryExpression(inner)) return null;
  const { left, operatorToken, right } = inner;
  const isQuotient = operatorToken.kind === f.api.SyntaxKind.SlashToken;
  return isQuotient && f.api.isNumericLiteral(left) && f.api.isNumericLiteral(right)
    ? num(Number(left.text) / Number(right.text))
    : null;
}

/** Marks a power whose exponent has a type of number literals, such as `1 | 2`. */
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

const isString = (f: Frame, node: ts.Expression): boolean => {
  const type = f.ctx.checker.getTypeAtLocation(node);
  return (
    (type.flags & f.api.TypeFlags.StringLike) !== 0 ||
    (type.isUnion() && type.types.some((part) => part.flags & f.api.TypeFlags.StringLike))
  );
};
const isBigInt = (f: Frame, node: ts.Expression): boolean =>
  (f.ctx.checker.getTypeAtLocation(node).flags & f.api.TypeFlags.BigIntLike) !== 0;

/** `a + b * c - d`, in a loop over the left operands: a long sum needs no stack. */
function lowerArithmetic(f: Frame, node: ts.BinaryExpression, hint: string): Atom {
  const opOf = (each: ts.BinaryExpression): ScalarOp | undefined =>
    ARITHMETIC.get(f.api.tokenToString(each.operatorToken.kind) ?? "");
  const chain = [node];
  let first = node.left;
  for (; f.api.isBinaryExpression(first) && opOf(first) !== undefined; first = first.left)
    chain.push(first);
  let value = lowerExpr(f, first);
  for (const each of chain.reverse())
    value = f.at(each, () => {
      const operands = [value, lowerExpr(f, each.right)] as const;
      return arithmetic(f, opOf(each) ?? "add", each, operands, each === node ? hint : "t");
    });
  return value;
}

export function lowerOperator(f: Frame, node: ts.BinaryExpression, hint: string): Atom {
  const kinds = f.api.SyntaxKind;
  const token = f.api.tokenToString(node.operatorToken.kind) ?? "";
  if (ARITHMETIC.has(token)) return lowerArithmetic(f, node, hint);
  if (isEquality(token)) return equality(f, token, node, hint);
  const comparison = COMPARISONS.get(token);
  if (comparison !== undefined) return compare(f, comparison, node, hint);
  switch (node.operatorToken.kind) {
    case kinds.CommaToken:
      lowerEffect(f, node.left);
      return lowerExpr(f, node.right, hint);
    case kinds.AmpersandAmpersandToken:
    case kinds.BarBarToken:
      return lowerLogical(f, node, hint);
    case kinds.QuestionQuestionToken:
      return lowerCoalesce(f, node, hint);
    case kinds.InKeyword:
      return lowerIn(f, node, hint);
    case kinds.InstanceOfKeyword:
      return lowerInstanceof(f, node, hint);
    default:
      return f.refuse("TSG1201", node, `operator \`${node.operatorToken.getText()}\``);
  }
}

function compare(f: Frame, op: ScalarOp, node: ts.BinaryExpression, hint: string): Atom {
  const x = lowerExpr(f, node.left);
  const z = lowerExpr(f, node.right);
  const isLeaf = f.shape(x.type).kind === "leaf" || f.shape(z.type).kind === "leaf";
  if (isLeaf) return extern(f, hint, BOOL, ["", ` ${node.operatorToken.getText()} `, ""], [x, z]);
  return f.let(hint, BOOL, {
    kind: "op",
    op,
    args: [asNumber(f, x, node.left), asNumber(f, z, node.right)],
  });
}

function equality(f: Frame, token: Equality, node: ts.BinaryExpression, hint: string): Atom {
  const isNegative = token.startsWith("!");
  const isRightNil = isNullishLiteral(f, node.right);
  const defined = isRightNil
    ? definednessOf(f, node.left)
    : isNullishLiteral(f, node.left)
      ? definednessOf(f, node.right)
      : null;
  if (defined !== null) return isNegative ? defined : not(f, defined);
  const x = isRightNil ? lowerOptional(f, node.left) : lowerExpr(f, node.left);
  const z = isNullish(x) ? lowerOptional(f, node.right) : lowerExpr(f, node.right);
  if (isStringConstant(x) && isStringConstant(z)) return bool((x.value === z.value) !== isNegative);
  if (isNullish(z)) return comparedToNil(f, token, x, z, node.left);
  if (isNullish(x)) return comparedToNil(f, token, z, x, node.right);
  return equalityTest(f, token, x, z, hint);
}

const isStringConstant = (atom: Atom): atom is Const =>
  atom.kind === "const" && typeof atom.value === "string";

/** `value === nil`, where `nil` is null or undefined and `at` is the syntax of the value. */
function comparedToNil(f: Frame, token: Equality, value: Atom, nil: Atom, at: ts.Expression): Atom {
  const isNegative = token.startsWith("!");
  if (token === "==" || token === "!=") {
    const defined = definednessTest(f, value);
    return isNegative ? defined : not(f, defined);
  }
  const type = f.ctx.checker.getTypeAtLocation(at);
  const missing =
    nil.kind === "const" && nil.value === null
      ? isNull(f, value, type)
      : isUndefined(f, value, type);
  return isNegative ? not(f, missing) : missing;
}

const isNullishLiteral = (f: Frame, node: ts.Expression): boolean => {
  const target = bare(node, f.api);
  return (
    target.kind === f.api.SyntaxKind.NullKeyword ||
    isLibrary(f, target, "undefined") ||
    f.api.isVoidExpression(target)
  );
};

/**
 * The type of `x ?? z` and `x || z`. TypeScript drops the `undefined` of `z` where it believes `x`
 * to be defined. It is added here, since an out-of-bounds read may have made `x` undefined.
 */
function orMissing(f: Frame, node: ts.BinaryExpression): Type {
  const type = joinType(f, node);
  const right = f.ctx.checker.getTypeAtLocation(node.right);
  const shape = f.shape(type);
  if (
    shape.kind === "opt" ||
    shape.kind === "leaf" ||
    !f.ctx.hasStrictNulls ||
    !mayBeNullish(f, right)
  )
    return type;
  return { kind: "opt", of: type, nil: nullishKind(f, right) };
}

/** The type of an expression that joins the values of two branches. */
export function joinType(f: Frame, node: ts.Expression): Type {
  const type = literalType(f, node, null);
  const shape = f.shape(type);
  if (shape.kind === "leaf" && shape.opaque === true)
    return f.refuse("TSG2002", node, f.name, `\`${f.textOf(node)}\``, shape.text);
  return type;
}

function lowerLogical(f: Frame, node: ts.BinaryExpression, hint: string): Atom {
  const isAnd = node.operatorToken.kind === f.api.SyntaxKind.AmpersandAmpersandToken;
  const left = lowerOptional(f, node.left);
  const cond = truthTest(f, left);
  if (isBoolean(f, left) && isBoolExpression(f, node.right))
    return truthByType(f, node.left) === !isAnd
      ? lowerCondition(f, node)
      : shortCircuit(f, isAnd, left, () => lowerExpr(f, node.right), hint);
  const type = isAnd ? joinType(f, node) : orMissing(f, node);
  const decided = (): Atom =>
    isAnd ? falsy(f, node.left, left) : f.shape(type).kind === "opt" ? left : unwrap(f, left);
  const right = (): Atom => lowerExpr(f, node.right);
  return isAnd
    ? f.choose(hint, type, cond, right, decided)
    : f.choose(hint, type, cond, decided, right);
}

/** The value of `left` where it is falsy; a falsy aggregate is undefined. */
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

/** Lowers an expression for its truth alone. */
export function lowerCondition(f: Frame, expression: ts.Expression): Atom {
  const node = bare(expression, f.api);
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
            emitWrongType(f, node.left);
            return bool(!isAnd);
          },
          "t",
        );
      }
    }
    return definednessOf(f, node) ?? truthTest(f, lowerOptional(f, node));
  });
}

/** `left && right` on booleans, without a branch where the right side is cheap and total. */
function shortCircuit(f: Frame, isAnd: boolean, left: Atom, right: () => Atom, hint: string): Atom {
  if (left.kind === "const") return left.value === isAnd ? right() : left;
  const body = f.nested(() => [right()]);
  const value = body.result[0] ?? bool(false);
  if (isCheap(body)) {
    f.b.stmts.push(...body.stmts);
    return f.let(hint, BOOL, { kind: "op", op: isAnd ? "and" : "or", args: [left, value] });
  }
  const other: Body = { stmts: [], result: [bool(!isAnd)] };
  const bind: Var = { kind: "var", name: f.names.fresh(hint), type: BOOL };
  f.b.emit({
    kind: "if",
    cond: left,
    then: isAnd ? body : other,
    else: isAnd ? other : body,
    binds: [bind],
  });
  return bind;
}

const CHEAP: ReadonlySet<string> = new Set(
  "lt le gt ge eq ne not and or add sub mul neg".split(" "),
);

/** Whether the code is total, reads no memory and takes few instructions. */
const isCheap = (body: Body): boolean => body.stmts.length <= 4 && body.stmts.every(isCheapStmt);
const isCheapStmt = (stmt: Stmt): boolean =>
  stmt.kind === "let" &&
  (stmt.expr.kind === "copy" || (stmt.expr.kind === "op" && CHEAP.has(stmt.expr.op)));

function lowerCoalesce(f: Frame, node: ts.BinaryExpression, hint: string): Atom {
  const left = lowerOptional(f, node.left);
  if (left.kind === "const") return isNullish(left) ? lowerExpr(f, node.right, hint) : left;
  const value = asOptional(f, left);
  const type = orMissing(f, node);
  return f.choose(
    hint,
    type,
    definednessTest(f, value),
    () => unwrap(f, value),
    () => lowerExpr(f, node.right),
  );
}

/** `"w" in m` */
function lowerIn(f: Frame, node: ts.BinaryExpression, hint: string): Atom {
  if (f.api.isPrivateIdentifier(node.left)) return lowerPrivateIn(f, node, node.left);
  const key = lowerExpr(f, node.left);
  const object = lowerExpr(f, node.right);
  return inert(f, hint, BOOL, ["", " in ", ""], [key, object]);
}

/** `#x in o` */
function lowerPrivateIn(f: Frame, node: ts.BinaryExpression, name: ts.PrivateIdentifier): Atom {
  const object = lowerExpr(f, node.right);
  const owner = f.ctx.checker.getSymbolAtLocation(name)?.valueDeclaration?.parent;
  const has = owner !== undefined && f.api.isClassLike(owner) ? isRecordOf(f, object, owner) : null;
  return has ?? f.refuse("TSG1107", node, f.name, f.textOf(node));
}

function lowerInstanceof(f: Frame, node: ts.BinaryExpression, hint: string): Atom {
  const name = bare(node.right, f.api);
  const value = lowerExpr(f, node.left);
  const owner = classNamed(f, name);
  if (owner !== null) return isInstance(f, value, owner, hint);
  const text = f.api.isPropertyAccessExpression(name) ? name.name.text : f.textOf(name);
  if (!isLibrary(f, name, text)) return f.refuse("TSG1107", node, f.name, f.textOf(node.right));
  return extern(f, hint, BOOL, ["", ` instanceof ${text}`], [value]);
}
