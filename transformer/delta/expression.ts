// Rewrites expressions. In: a user expression. Out: its pair of source texts. Invariant: values and
// ids are evaluated in the user's order, each once; an id directly after its value.

import type ts from "typescript";
import { isAssignment, isUpdate } from "../syntax/assignments.ts";
import { byKind } from "../syntax/by-kind.ts";
import { type Code, code, id, list, NOTHING, source, ZERO } from "../code/code.ts";
import { assignment, update } from "./assignment.ts";
import { call, construct } from "./calls.ts";
import { believed, numberless } from "./types/casts.ts";
import { ownClass, runsAtOnce } from "./class.ts";
import { functionValue } from "./function.ts";
import { compared, condition } from "./kept/comparison.ts";
import { isData } from "./types/inert.ts";
import { noteBranches, noteComparison } from "./equality-branches.ts";
import { convertible, declaredCallee, isLeaf, isNumber, isReused } from "./types/leaves.ts";
import { combined, isAgain, isLinear, leafOf, opposite } from "./linear.ts";
import { arrayLiteral, objectLiteral, taggedTemplate, template } from "./literals.ts";
import { chain, remove } from "./member.ts";
import { behind, NESTED, operationsOf, stored } from "./operands.ts";
import { asArgument, called, flat, ID, objectOf, plain, returned, type Pair } from "./pair.ts";
import { isInText, privateName } from "./private-names.ts";
import type { Variable } from "./binding.ts";
import { idOf, operand, problem, refused, type Work } from "./work.ts";
import { someNode } from "../syntax/walk.ts";

const ARITHMETIC: Readonly<Record<string, string>> = {
  "+": "add",
  "-": "sub",
  "*": "mul",
  "/": "div",
  "%": "rem",
  "**": "pow",
};
const arithmeticOf = (operator: string): string | undefined =>
  Object.hasOwn(ARITHMETIC, operator) ? ARITHMETIC[operator] : undefined;

const classValue = (work: Work, node: ts.ClassExpression): Pair => ({
  ...plain(ownClass(work, node), 1, !runsAtOnce(work.api, node)),
  object: true,
});

/** The pair, without an id that the expression's type rules out. */
export const expression = (work: Work, node: ts.Expression): Pair =>
  typed(work, node, rewritten(work, node));

function typed(work: Work, node: ts.Expression, own: Pair): Pair {
  const { api } = work;
  const { checker } = work.context;
  const pair: Pair = {
    ...own,
    number: isNumber(api, checker, node),
    noise: own.noise ?? (own.pure ? 0 : assigns(work, node) ? 2 : 1),
  };
  if (pair.i !== ZERO)
    return believed(work, node, isLeaf(api, checker, node) ? leaf(work, node, pair) : pair, pair);
  if (pair.object !== true && pair.text !== true) return believed(work, node, pair, pair);
  const may = convertible(api, checker, node);
  const narrow = {
    ...pair,
    object: pair.object === true && may.object,
    text: pair.text === true && may.text,
  };
  return believed(work, node, narrow, narrow);
}

/** A package's declared type is unchecked: it is tested at run time, or the id stays. */
function leaf(work: Work, node: ts.Expression, pair: Pair): Pair {
  const { api, context } = work;
  const without: Pair = { ...pair, i: ZERO, ...convertible(api, context.checker, node) };
  const callee = declaredCallee(api, context, node);
  if (callee === null) return without;
  return isReused(api, node)
    ? pair
    : {
        ...numberless(
          node,
          without,
          pair,
          api.isPropertyAccessExpression(callee) ? callee.name.text : callee.getText(),
        ),
        pure: pair.pure,
      };
}

/** Whether it contains an assignment outside of nested functions. */
const assigns = ({ api }: Work, node: ts.Node): boolean =>
  someNode(api, node, (at) => isAssignment(at, api) || isUpdate(at, api), api.isFunctionLike);

function rewritten(work: Work, node: ts.Expression): Pair {
  const sloppy = work.context.sloppy?.(node) ?? null;
  return sloppy === null ? bySyntax(work, node) : refused(work, node, sloppy);
}

const bySyntax = byKind<Work, ts.Expression, Pair>(unknown, (k) => [
  [k.Identifier, name],
  [
    [
      k.ParenthesizedExpression,
      k.AsExpression,
      k.SatisfiesExpression,
      k.TypeAssertionExpression,
      k.ExpressionWithTypeArguments,
    ],
    (work, node: ts.ParenthesizedExpression) => expression(work, node.expression),
  ],
  [
    k.NonNullExpression,
    (work, node: ts.NonNullExpression) =>
      isInChain(work, node) ? chain(work, node) : expression(work, node.expression),
  ],
  [[k.NumericLiteral, k.StringLiteral, k.BigIntLiteral, k.RegularExpressionLiteral], literal],
  [[k.NoSubstitutionTemplateLiteral, k.TemplateExpression], template],
  [k.TaggedTemplateExpression, taggedTemplate],
  [[k.PropertyAccessExpression, k.ElementAccessExpression], chain],
  [
    k.CallExpression,
    (work, node: ts.CallExpression) =>
      isInChain(work, node) ? chain(work, node) : call(work, node),
  ],
  [k.NewExpression, construct],
  [k.BinaryExpression, binary],
  [k.ConditionalExpression, conditional],
  [k.PrefixUnaryExpression, prefix],
  [k.PostfixUnaryExpression, postfix],
  [[k.ArrowFunction, k.FunctionExpression], functionValue],
  [k.ObjectLiteralExpression, objectLiteral],
  [k.ArrayLiteralExpression, arrayLiteral],
  [k.ClassExpression, classValue],
  [k.TrueKeyword, () => plain(code`true`)],
  [k.FalseKeyword, () => plain(code`false`)],
  [k.NullKeyword, () => plain(code`null`)],
  [k.OmittedExpression, () => plain(NOTHING)],
  [k.ThisKeyword, self],
  [k.TypeOfExpression, typeOf],
  [
    k.VoidExpression,
    (work, node: ts.VoidExpression) =>
      plain(code`void ${operand(work, expression(work, node.expression))}`, 1, false),
  ],
  [k.DeleteExpression, remove],
  [k.AwaitExpression, awaited],
  [k.YieldExpression, yielded],
  [k.MetaProperty, (work, node: ts.MetaProperty) => ({ ...literal(work, node), typed: true })],
  [
    [k.JsxElement, k.JsxSelfClosingElement, k.JsxFragment],
    (work, node: ts.JsxElement) => refused(work, node, "JSX"),
  ],
]);

function unknown(work: Work, node: ts.Expression): Pair {
  return refused(work, node, "an expression that it does not know");
}

const isInChain = ({ api }: Work, node: ts.Expression): boolean =>
  (node.flags & api.NodeFlags.OptionalChain) !== 0;

/** An expression that stands in the rewritten code as the user wrote it. */
function literal(_: Work, node: ts.Expression): Pair {
  return plain(source(node.getText()));
}

function self(work: Work): Pair {
  work.frame.usesThis = true;
  return {
    ...plain(code`this`),
    i: work.frame.self,
    typed: work.frame.typedThis,
    object: true,
  };
}

function awaited(work: Work, node: ts.AwaitExpression): Pair {
  if (!work.frame.isAsync) return refused(work, node, "`await` outside of a function");
  return called(code`$d.woke(await $d.wait(${flat(expression(work, node.expression))}))`);
}

function name(work: Work, node: ts.Identifier): Pair {
  const variable = work.bindings.find(node);
  if (variable !== null) return variableRead(work, node, variable);
  switch (node.text) {
    case "arguments":
      work.frame.usesArguments = true;
      return plain(code`arguments$`);
    case "undefined":
    case "NaN":
    case "Infinity":
      return plain(id(node.text));
    case "eval":
      return refused(work, node, "`eval`");
    default:
      return outerName(work, node);
  }
}

function variableRead(work: Work, node: ts.Identifier, variable: Variable): Pair {
  variable.isRead = true;
  return {
    v: id(node.text),
    i: idOf(variable),
    level: 2,
    pure: true,
    linear: leafOf(id(node.text), idOf(variable), [variable], false),
    object: variable.object || variable.leaf,
    text: variable.text || variable.leaf,
    inert: isData(work, variable, node),
  };
}

function outerName(work: Work, node: ts.Identifier): Pair {
  const found = work.context.resolver.resolve(node);
  switch (found.kind) {
    case "constant":
    case "native":
      return { ...plain(id(node.text)), typed: true, object: true };
    case "outer-variable":
      return {
        v: found.value,
        i: found.id,
        level: 2,
        pure: true,
        typed: found.value === node.text,
      };
    case "function":
      work.context.activity?.escapes(found.node);
      break;
    default:
      break;
  }
  return { ...plain(found.value), typed: true, object: true };
}

function typeOf(work: Work, node: ts.TypeOfExpression): Pair {
  const pair = expression(work, node.expression);
  return plain(code`typeof ${operand(work, pair)}`, 1, pair.pure);
}

function yielded(work: Work, node: ts.YieldExpression): Pair {
  if (work.frame.isAsync) return refused(work, node, "an async generator");
  if (node.expression === undefined)
    return {
      v: code`(yield $d.ret(undefined, 0))`,
      i: ID,
      level: 2,
      pure: false,
    };
  const pair = expression(work, node.expression);
  if (node.asteriskToken !== undefined)
    return {
      v: code`(yield* $d.each(${asArgument(pair)}))`,
      i: ID,
      level: 2,
      pure: false,
    };
  return { v: code`(yield ${returned(pair)})`, i: ID, level: 2, pure: false };
}

function conditional(work: Work, node: ts.ConditionalExpression): Pair {
  const test = expression(work, node.condition);
  const yes = expression(work, node.whenTrue);
  const no = expression(work, node.whenFalse);
  const pure = test.pure && yes.pure && no.pure;
  noteBranches(work, node.condition, [
    { node: undefined, text: flat(yes) },
    { node: undefined, text: flat(no) },
  ]);
  if (yes.i === ZERO && no.i === ZERO)
    return {
      ...plain(code`${operand(work, test)} ? ${asArgument(yes)} : ${asArgument(no)}`, 1, pure),
      ...objectOf(yes, no),
    };
  return {
    v: code`${operand(work, test)} ? ${returned(yes)} : ${returned(no)}`,
    i: ID,
    level: 1,
    pure: false,
  };
}

function postfix(work: Work, node: ts.PostfixUnaryExpression): Pair {
  const isAddition = node.operator === work.api.SyntaxKind.PlusPlusToken;
  return update(work, node.operand, isAddition ? "++" : "--", false);
}

function prefix(work: Work, node: ts.PrefixUnaryExpression): Pair {
  const k = work.api.SyntaxKind;
  if (node.operator === k.PlusPlusToken) return update(work, node.operand, "++", true);
  if (node.operator === k.MinusMinusToken) return update(work, node.operand, "--", true);
  const pair = expression(work, node.operand);
  if (node.operator === k.ExclamationToken)
    return plain(code`!${operand(work, pair)}`, 1, pair.pure);
  if (node.operator === k.TildeToken)
    return plain(code`~${operand(work, pair)}`, 1, pair.pure && !mayBeObject(pair));
  return signed(work, pair, node.operator === k.MinusToken);
}

/** `-x` and `+x` */
function signed(work: Work, pair: Pair, isMinus: boolean): Pair {
  const isNumber = pair.number === true && pair.i !== ZERO && work.context.perOperation !== true;
  if (isNumber && isMinus) return opposite(work, pair);
  if (isNumber || (!hasId(pair) && pair.text !== true)) {
    const text = operand(work, pair);
    const v = code`${isMinus ? code`-` : code`+`}${/^[-+]/.test(text) ? code`(${text})` : text}`;
    // a number by its type may be undefined: `+x!`
    return isNumber ? { ...pair, v, level: 1 } : plain(v, 1, pair.pure && !mayBeObject(pair));
  }
  work.beyond = true;
  return called(code`$d.${isMinus ? code`neg` : code`plus`}(${flat(pair)})`);
}

function binary(work: Work, node: ts.BinaryExpression): Pair {
  if (isAssignment(node, work.api))
    return assignment(work, node, work.api.tokenToString(node.operatorToken.kind) ?? "");
  if (work.api.isPrivateIdentifier(node.left)) return privateIn(work, node, node.left);
  const operations = operationsOf(node, (one) => isOperation(work, one));
  const [innermost = node] = operations;
  const first: Code[] = [];
  let left = expression(work, innermost.left);
  let [isAssigning, noise] = [assigns(work, innermost.left), left.noise ?? 0];
  for (const [at, one] of operations.entries()) {
    const own = operation(work, one, left);
    isAssigning ||= assigns(work, one.right);
    noise = louder(noise, own.noise ?? (own.pure ? 0 : isAssigning ? 2 : 1));
    if (one === node) return behind(first, { ...own, noise });
    left = typed(work, one, { ...own, noise });
    if (at % NESTED !== NESTED - 1) continue;
    const [code, rest] = stored(work, left);
    first.push(code);
    left = rest;
  }
  return left;
}

/** `#x in e` */
function privateIn(work: Work, node: ts.BinaryExpression, name: ts.PrivateIdentifier): Pair {
  const found = privateName(work, name);
  const right = expression(work, node.right);
  if (found.beside !== null && found.kind !== "field")
    return problem(
      work,
      node,
      `\`${name.text} in\` of a private method (that of a private field is accepted)`,
    );
  const text = found.beside === null ? operand(work, right) : asArgument(right);
  return plain(isInText(found, text), 1);
}

const louder = <T extends number>(a: T, b: T): T => (a > b ? a : b);

/** An operator that evaluates its left operand first. */
function isOperation(work: Work, node: ts.Expression): node is ts.BinaryExpression {
  const { api } = work;
  return (
    api.isBinaryExpression(node) && !api.isPrivateIdentifier(node.left) && !isAssignment(node, api)
  );
}

function operation(work: Work, node: ts.BinaryExpression, left: Pair): Pair {
  const right = expression(work, node.right);
  const operator = work.api.tokenToString(node.operatorToken.kind) ?? "";
  if (operator === ",") return comma(left, right);
  if (operator === "&&" || operator === "||" || operator === "??")
    return condition(work, node, logical(work, left, right, operator));
  if (operator === "instanceof")
    return called0(code`$d.isInstance(${flat(left)}, ${asArgument(right)})`);
  const withKey = compared(work, node, left, right);
  if (withKey !== null) return withKey;
  noteComparison(work, node, [left, right]);
  return arithmetic(work, left, right, operator);
}

const called0 = (v: Code): Pair => ({ v, i: ZERO, level: 2, pure: false });

function comma(left: Pair, right: Pair): Pair {
  if (left.pure) return right;
  const first = left.parts ?? [left.v];
  const parts = [...first, ...(right.parts ?? [asArgument(right)])];
  return {
    v: code`${list(first)}, ${asArgument(right)}`,
    i: right.i,
    level: 0,
    pure: false,
    parts,
    ...objectOf(right),
  };
}

function logical(work: Work, left: Pair, right: Pair, operator: string): Pair {
  if (left.i === ZERO && right.i === ZERO)
    return {
      ...plain(
        code`${operand(work, left)} ${source(operator)} ${operand(work, right)}`,
        1,
        left.pure && right.pure,
      ),
      ...objectOf(left, right),
    };
  // The register holds the id of whichever operand is the result.
  const first = left.i === ID ? operand(work, left) : returned(left);
  const second = right.i === ID ? operand(work, right) : returned(right);
  return {
    v: code`${first} ${source(operator)} ${second}`,
    i: ID,
    level: 1,
    pure: false,
  };
}

const hasId = (pair: Pair): boolean => pair.i !== ZERO || pair.object === true;

/** An operator that converts an object runs its `valueOf` or `toString`. */
const mayBeObject = (pair: Pair): boolean => pair.number !== true && hasId(pair);
const mayConvert = (left: Pair, right: Pair, operator: string): boolean =>
  !/^[!=]==$/.test(operator) && (mayBeObject(left) || mayBeObject(right));

export function arithmetic(work: Work, left: Pair, right: Pair, operator: string): Pair {
  if (isLinear(work, left, right, operator)) return combined(work, left, right, operator);
  const numeric = arithmeticOf(operator);
  if (
    numeric !== undefined &&
    (hasId(left) ||
      hasId(right) ||
      (operator !== "+" && (left.text === true || right.text === true)))
  ) {
    if (left.number !== true || right.number !== true) work.beyond = true;
    return called(code`$d.${id(numeric)}(${flat(left)}, ${flat(right)})`);
  }
  const pure = left.pure && right.pure && !mayConvert(left, right, operator);
  const whole = plain(
    code`${operand(work, left)} ${source(operator)} ${operand(work, right)}`,
    1,
    pure,
  );
  return pure && isAgain(work, left, right, operator)
    ? { ...combined(work, left, right, operator), pure }
    : whole;
}
