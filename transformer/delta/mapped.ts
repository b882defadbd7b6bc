// `list.map(…)` with an arrow function that stands in the call. In: the list and the function. Out: `$d.mapped(list, ($, x) => …)`, whose function is no value, as nobody else sees it; where it
// is arithmetic of a number, a loop of the call's own: `$d.mappedNumbers(list, (from, ids, made, madeIds, k, behind) => { for (; k < behind; k++) … })`. Invariant: such arithmetic writes nothing
// and calls nothing of the user's, so the list stays what it is meanwhile.

import type ts from "typescript";
import { expression } from "./expression.ts";
import { frameOf, plainFunction } from "./function.ts";
import { isListOfNumbers, isNumber } from "./leaves.ts";
import { asArgument, called, type Pair } from "./pair.ts";
import { runOf } from "./run/run.ts";
import { block, declaredTemporaries, freshName, keepsId, unwrapped, within, type Work } from "./work.ts";

export function mappedCall(work: Work, callee: ts.Expression, object: Pair, args: readonly ts.Expression[]): Pair | null {
  const { api, context: { checker } } = work, [given] = args, f = given === undefined ? null : unwrapped(work, given);
  if (f === null || !api.isArrowFunction(f) || args.length !== 1 || work.isUntyped || !api.isPropertyAccessExpression(callee) || callee.name.text !== "map") return null;
  if (checker === null || !checker.isArrayType(checker.getTypeAtLocation(callee.expression)) || (api.getModifiers(f) ?? []).length > 0) return null;
  const loop = isListOfNumbers(api, checker, callee.expression) ? loopOf(work, f) : null;
  return called(loop === null ? `$d.mapped(${asArgument(object)}, ${plainFunction(work, f, { typedThis: false, parent: "none" })})` : `$d.mappedNumbers(${asArgument(object)}, ${loop})`);
}

/** A function of a number, and perhaps its place, that is arithmetic, as what goes through a part of the list; null of any other. */
function loopOf(work: Work, f: ts.ArrowFunction): string | null {
  const { api, context, bindings, frame: outer } = work, { body, parameters } = f, names = parameters.map(({ name, initializer, dotDotDotToken }) => (api.isIdentifier(name) && initializer === undefined && dotDotDotToken === undefined ? bindings.find(name) : null));
  const [value, index] = names;
  if (context.perOperation === true || value === undefined || names.length > 2 || names.some((name) => name === null || name.written) || api.isBlock(body) || !isArithmetic(api, body) || !isNumber(api, context.checker, body)) return null;
  if (value === null || index === null) return null;
  const { any } = work, name = (wanted: string): string => freshName(work, wanted), [list, ids, made, madeIds, behind] = [name("list"), name("ids"), name("made"), name("ids"), name("behind")], at = index?.name ?? name("k");
  const frame = frameOf({ typedThis: outer.typedThis, parent: outer.parent }, false);
  const lines = within(work, frame, () => {
    const hasId = keepsId(work, value, { i: `${ids}[${at}] ?? 0`, inert: false }), give = (text: string, id: string): string[] => [`${made}.push(${text});`, `${madeIds}.push(${id});`];
    const own = expression(work, body);
    if (own.number !== true || own.noise !== 0) return null;
    const steps = runOf(work, body, () => give(asArgument(own), own.i), give) ?? give(asArgument(own), own.i);
    const head = [...(value.wasRead ? [`const ${value.name}${any} = ${list}[${at}];`] : []), ...(hasId ? [`const ${value.name}$id${any} = ${ids}[${at}] ?? 0;`] : [])];
    const loop = block(`for (; ${at} < ${behind}; ${at}++)`, [...head, ...steps]);
    return frame.temporaries.length === 0 ? [loop] : [declaredTemporaries(work, frame), loop];
  });
  if (frame.usesThis) outer.usesThis = true;
  return lines === null ? null : block(`(${[list, ids, made, madeIds, at, behind].map((parameter) => `${parameter}${any}`).join(", ")}) =>`, lines);
}

/** Whether an expression consists of numbers, names, members, operators and functions of `Math`. */
function isArithmetic(api: typeof ts, node: ts.Node): boolean {
  if (api.isCallExpression(node)) return api.isPropertyAccessExpression(node.expression) && api.isIdentifier(node.expression.expression) && node.expression.expression.text === "Math" && node.arguments.every((arg) => isArithmetic(api, arg));
  if (api.isIdentifier(node)) return node.text !== "arguments";
  if (api.isNumericLiteral(node) || node.kind === api.SyntaxKind.ThisKeyword) return true;
  if (api.isPropertyAccessExpression(node)) return node.questionDotToken === undefined && isArithmetic(api, node.expression);
  if (api.isElementAccessExpression(node)) return node.questionDotToken === undefined && isArithmetic(api, node.expression) && isArithmetic(api, node.argumentExpression);
  if (api.isParenthesizedExpression(node) || api.isNonNullExpression(node)) return isArithmetic(api, node.expression);
  if (api.isPrefixUnaryExpression(node)) return (node.operator === api.SyntaxKind.MinusToken || node.operator === api.SyntaxKind.PlusToken) && isArithmetic(api, node.operand);
  return api.isBinaryExpression(node) && OPERATORS(api).has(node.operatorToken.kind) && isArithmetic(api, node.left) && isArithmetic(api, node.right);
}

const OPERATORS = ({ SyntaxKind: k }: typeof ts): ReadonlySet<ts.SyntaxKind> => new Set([k.PlusToken, k.MinusToken, k.AsteriskToken, k.SlashToken, k.AsteriskAsteriskToken, k.PercentToken]);
