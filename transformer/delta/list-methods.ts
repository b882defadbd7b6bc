// Rewrites `map`, `reduce`, `forEach` with an inline arrow function. In: array and function. Out:
// `$d.mapped(list, ($, x) => …)`; arithmetic of numbers becomes a loop in `$d.mappedNumbers(…)`.
// Invariant: such arithmetic writes nothing and calls no user code, so the array stays unchanged.

import type ts from "typescript";
import { type Code, code, list } from "../code/code.ts";
import { expression } from "./expression.ts";
import { frameOf, plainFunction } from "./function.ts";
import { isListOfNumbers, isNumber } from "./types/leaves.ts";
import type { Variable } from "./binding.ts";
import { asArgument, called, type Pair } from "./pair.ts";
import { runOf } from "./run/run.ts";
import { parameter } from "../code/temporaries.ts";
import { declaredTemporaries, freshName, keepsId, unwrapped, within, type Work } from "./work.ts";
import { block, unchecked } from "./unchecked.ts";

export function listCall(
  work: Work,
  callee: ts.Expression,
  object: Pair,
  args: readonly ts.Expression[],
  pairsOf: (args: readonly ts.Expression[]) => readonly Code[],
): Pair | null {
  const {
    api,
    context: { checker },
  } = work;
  const [given, start] = args;
  const f = given === undefined ? null : unwrapped(work, given);
  if (
    f === null ||
    !api.isArrowFunction(f) ||
    work.isUntyped ||
    !api.isPropertyAccessExpression(callee)
  )
    return null;
  if (
    checker === null ||
    !checker.isArrayType(checker.getTypeAtLocation(callee.expression)) ||
    (api.getModifiers(f) ?? []).length > 0
  )
    return null;
  const own = (): Code => plainFunction(work, f, { typedThis: false, parent: "none" });
  const name = callee.name.text;
  if (name === "forEach" && args.length === 1)
    return called(unchecked(`$d.visited(${asArgument(object)}, ${own()})`));
  if (
    name === "reduce" &&
    args.length <= 2 &&
    (start === undefined || !api.isSpreadElement(start))
  ) {
    const loop =
      start !== undefined &&
      isNumber(api, checker, start) &&
      isListOfNumbers(api, checker, callee.expression)
        ? foldOf(work, f)
        : null;
    const first = pairsOf(start === undefined ? [] : [start]);
    return called(
      loop === null
        ? code`$d.reduced(${list([asArgument(object), own(), ...first])})`
        : code`$d.reducedNumbers(${list([asArgument(object), unchecked(loop), ...first])})`,
    );
  }
  if (name !== "map" || args.length !== 1) return null;
  const loop = isListOfNumbers(api, checker, callee.expression) ? loopOf(work, f) : null;
  return called(
    loop === null
      ? code`$d.mapped(${asArgument(object)}, ${plainFunction(work, f, { typedThis: false, parent: "none" })})`
      : code`$d.mappedNumbers(${asArgument(object)}, ${unchecked(loop)})`,
  );
}

/** The parameters of an arithmetic arrow function; null for any other function. */
function parametersOf(
  { api, context, bindings }: Work,
  { body, parameters }: ts.ArrowFunction,
  most: number,
): readonly Variable[] | null {
  const found = parameters.map(({ name, initializer, dotDotDotToken }) =>
    api.isIdentifier(name) && initializer === undefined && dotDotDotToken === undefined
      ? bindings.find(name)
      : null,
  );
  const own = found.filter((one) => one !== null);
  if (
    context.perOperation === true ||
    own.length < found.length ||
    own.length > most ||
    own.some(({ written }) => written)
  )
    return null;
  return api.isBlock(body) || !isArithmetic(api, body) || !isNumber(api, context.checker, body)
    ? null
    : own;
}

/** A loop over part of the array, for an arithmetic function of a number and its index; or null. */
function loopOf(work: Work, f: ts.ArrowFunction): string | null {
  const { api, frame: outer, any } = work;
  const { body } = f;
  const [value, index] = parametersOf(work, f, 2) ?? [];
  if (value === undefined || api.isBlock(body)) return null;
  const name = (wanted: string): string => freshName(work, wanted);
  const [list, ids, made, madeIds, behind] = [
    name("list"),
    name("ids"),
    name("made"),
    name("ids"),
    name("behind"),
  ];
  const at = index?.name ?? name("k");
  const frame = frameOf({ typedThis: outer.typedThis, parent: outer.parent }, false);
  const lines = within(work, frame, () => {
    const hasId = keepsId(work, value, { i: unchecked(`${ids}[${at}] ?? 0`), inert: false });
    const give = (text: string, id: string): string[] => [
      `${made}.push(${text});`,
      `${madeIds}.push(${id});`,
    ];
    const own = expression(work, body);
    if (own.number !== true) return null;
    const steps =
      runOf(work, body, () => give(asArgument(own), own.i), give) ?? give(asArgument(own), own.i);
    const loop = block(`for (; ${at} < ${behind}; ${at}++)`, [
      ...element(work, value, hasId, { list, ids, at }),
      ...steps,
    ]);
    return frame.temporaries.length === 0 ? [loop] : [declaredTemporaries(work, frame), loop];
  });
  if (frame.usesThis) outer.usesThis = true;
  return lines === null
    ? null
    : block(
        `(${[list, ids, made, madeIds, at, behind].map((each) => `${parameter(unchecked(each))}${any}`).join(", ")}) =>`,
        lines,
      );
}

/** `const x = list[k], x$id = ids[k] ?? 0;`, as far as they are read. */
const element = (
  { any }: Work,
  value: Variable,
  hasId: boolean,
  { list, ids, at }: { readonly list: string; readonly ids: string; readonly at: string },
): string[] => [
  ...(value.wasRead ? [`const ${value.name}${any} = ${list}[${at}];`] : []),
  ...(hasId ? [`const ${value.id}${any} = ${ids}[${at}] ?? 0;`] : []),
];

/** A loop over part of the array, for an arithmetic reducer of numbers; or null. */
function foldOf(work: Work, f: ts.ArrowFunction): string | null {
  const { api, frame: outer, any } = work;
  const { body } = f;
  const [sum, value, index] = parametersOf(work, f, 3) ?? [];
  if (sum === undefined || value === undefined || api.isBlock(body)) return null;
  const name = (wanted: string): string => freshName(work, wanted);
  const [list, ids, next, behind] = [name("list"), name("ids"), name("next"), name("behind")];
  const at = index?.name ?? name("k");
  const sumId = sum.id;
  const frame = frameOf({ typedThis: outer.typedThis, parent: outer.parent }, false);
  const lines = within(work, frame, () => {
    keepsId(work, sum, { i: sumId, inert: false });
    const hasId = keepsId(work, value, { i: unchecked(`${ids}[${at}] ?? 0`), inert: false });
    const give = (text: string, id: string): string[] => [
      `const ${next}${any} = ${text};`,
      `${sumId} = ${id};`,
      `${sum.name} = ${next};`,
    ];
    const own = expression(work, body);
    if (own.number !== true) return null;
    const plain = (): string[] => give(asArgument(own), own.i);
    const loop = block(`for (; ${at} < ${behind}; ${at}++)`, [
      ...element(work, value, hasId, { list, ids, at }),
      ...(runOf(work, body, plain, give) ?? plain()),
    ]);
    return [
      ...(frame.temporaries.length === 0 ? [] : [declaredTemporaries(work, frame)]),
      loop,
      `return $d.ret(${sum.name}, ${sumId});`,
    ];
  });
  if (frame.usesThis) outer.usesThis = true;
  return lines === null
    ? null
    : block(
        `(${[list, ids, sum.name, sumId, at, behind].map((each) => `${parameter(unchecked(each))}${any}`).join(", ")})${any} =>`,
        lines,
      );
}

/** Whether it consists of numbers, names, members, operators, conditionals and `Math` calls. */
function isArithmetic(api: typeof ts, node: ts.Node): boolean {
  if (api.isCallExpression(node))
    return (
      api.isPropertyAccessExpression(node.expression) &&
      api.isIdentifier(node.expression.expression) &&
      node.expression.expression.text === "Math" &&
      node.arguments.every((arg) => isArithmetic(api, arg))
    );
  if (api.isIdentifier(node)) return node.text !== "arguments";
  if (api.isNumericLiteral(node) || node.kind === api.SyntaxKind.ThisKeyword) return true;
  if (api.isPropertyAccessExpression(node))
    return node.questionDotToken === undefined && isArithmetic(api, node.expression);
  if (api.isElementAccessExpression(node))
    return (
      node.questionDotToken === undefined &&
      isArithmetic(api, node.expression) &&
      isArithmetic(api, node.argumentExpression)
    );
  if (api.isParenthesizedExpression(node) || api.isNonNullExpression(node))
    return isArithmetic(api, node.expression);
  if (api.isConditionalExpression(node))
    return (
      isArithmetic(api, node.condition) &&
      isArithmetic(api, node.whenTrue) &&
      isArithmetic(api, node.whenFalse)
    );
  if (api.isPrefixUnaryExpression(node))
    return (
      (node.operator === api.SyntaxKind.MinusToken ||
        node.operator === api.SyntaxKind.PlusToken ||
        node.operator === api.SyntaxKind.ExclamationToken) &&
      isArithmetic(api, node.operand)
    );
  return (
    api.isBinaryExpression(node) &&
    OPERATORS(api).has(node.operatorToken.kind) &&
    isArithmetic(api, node.left) &&
    isArithmetic(api, node.right)
  );
}

const OPERATORS = ({ SyntaxKind: k }: typeof ts): ReadonlySet<ts.SyntaxKind> =>
  new Set([
    k.PlusToken,
    k.MinusToken,
    k.AsteriskToken,
    k.SlashToken,
    k.AsteriskAsteriskToken,
    k.PercentToken,
    k.AmpersandAmpersandToken,
    k.BarBarToken,
    k.LessThanToken,
    k.LessThanEqualsToken,
    k.GreaterThanToken,
    k.GreaterThanEqualsToken,
    k.EqualsEqualsEqualsToken,
    k.ExclamationEqualsEqualsToken,
  ]);
