// Rewrites calls and `new`. In: callee and arguments. Out: a call that passes ids. Invariant:
// callee, `this` and arguments are evaluated in the user's order; the register holds the result's
// id.

import type ts from "typescript";
import { bare } from "../syntax/wrappers.ts";
import { type Code, code, id, list, NOTHING, ZERO } from "../code/code.ts";
import { expression } from "./expression.ts";
import { formLayout } from "./form-layout.ts";
import { ANYTHING } from "./plan/activity.ts";
import { dataPushed, givenBy, noteCall, noteMethod } from "./types/inert.ts";
import { MATH } from "../ir/ops.ts";
import { SMOOTH } from "../rules/scalar.ts";
import { isListOfNumbers, isPrimitive } from "./types/leaves.ts";
import { listCall } from "./list-methods.ts";
import { isAccess, keyText } from "./member.ts";
import { asArgument, called, flat, plain, type Pair } from "./pair.ts";
import { isOfLiteral, SUPER_OF_LITERAL } from "./plan/places.ts";
import type { Resolution } from "./scope.ts";
import { captures } from "./rule-captures.ts";
import { shown } from "../code/temporaries.ts";
import { methodText, privateName, readText } from "./private-names.ts";
import { operand, refused, type Work } from "./work.ts";

const OF_TWO = new Set(["max", "min"]);
/** Functions of `Math` whose result has no derivative. */
const FLAT = new Set<string>(["random", ...MATH.filter((op) => !SMOOTH.has(op))]);

/** Methods of numbers: they need the number's own id. */
const OF_NUMBERS = new Set([
  "toFixed",
  "toPrecision",
  "toExponential",
  "toString",
  "toLocaleString",
  "valueOf",
]);

/** `spread`: the arguments that a spread gives. */
type Argument = Pair | { readonly spread: Code };

const argumentsOf = (work: Work, args: readonly ts.Expression[]): readonly Argument[] =>
  args.map((arg) =>
    work.api.isSpreadElement(arg)
      ? { spread: code`$d.spreadOf(${asArgument(expression(work, arg.expression))}), 0` }
      : expression(work, arg),
  );

const flatText = (arg: Argument): Code => ("spread" in arg ? arg.spread : flat(arg));

export const pairsOf = (work: Work, args: readonly ts.Expression[]): Code[] =>
  argumentsOf(work, args).map(flatText);

export function invocation(
  work: Work,
  how: Code,
  before: readonly Code[],
  args: readonly ts.Expression[],
): Code {
  return code`${how}(${list([...before, ...pairsOf(work, args)])})`;
}

export function call(work: Work, node: ts.CallExpression): Pair {
  const { api } = work;
  const callee = bare(node.expression, work.api);
  if (callee.kind === api.SyntaxKind.SuperKeyword) return superCall(work, node);
  if (callee.kind === api.SyntaxKind.ImportKeyword) return refused(work, node, "`import()`");
  if (isAccess(work, callee)) {
    if (callee.expression.kind === api.SyntaxKind.SuperKeyword)
      return superMethod(work, callee, node);
    const math = mathCall(work, callee, node);
    if (math !== null) return math;
    return methodCall(work, callee, expression(work, callee.expression), node.arguments);
  }
  if (
    api.isIdentifier(callee) &&
    work.bindings.find(callee) === null &&
    callee.text !== "arguments"
  ) {
    const found = work.context.resolver.resolve(callee);
    if (found.kind === "function") return knownCall(work, found, node);
  }
  noteCall(work, callee);
  const of = asArgument(expression(work, callee));
  return called(
    code`$d.call(${list([of, code`undefined`, ...pairsOf(work, node.arguments), ...layoutArgument(work, node), ...captures(work, node)])})`,
  );
}

/** A third argument of a form: which fields of unions its derivative keeps. */
function layoutArgument(work: Work, node: ts.CallExpression): readonly Code[] {
  const layout = formLayout(work, node);
  if (layout === null) return [];
  const options = node.arguments.length > 1 ? [] : [code`undefined, 0`];
  return [...options, code`${layout}, 0`];
}

/** `f(x, 3)  ->  f$delta([x$id, 0], x, 3)` */
function knownCall(
  work: Work,
  { node: own, delta }: Extract<Resolution, { kind: "function" }>,
  node: ts.CallExpression,
): Pair {
  const args = argumentsOf(work, node.arguments);
  const firstSpread = args.findIndex((arg) => "spread" in arg);
  const given = args.map((arg, k) =>
    "spread" in arg ? ANYTHING : givenBy(work, node.arguments[k] ?? node, arg),
  );
  work.context.activity?.calls(
    own,
    firstSpread === -1
      ? given
      : [...given.slice(0, firstSpread), ...own.parameters.slice(firstSpread).map(() => ANYTHING)],
  );
  const direct = directArguments(args);
  const parameters = work.isUntyped
    ? null
    : work.context.checker?.getResolvedSignature(node)?.declaration;
  if (direct === null || parameters === null || parameters === undefined)
    return called(code`$d.invoke(${list([delta, code`undefined`, ...args.map(flatText)])})`);
  // (x) => x * 2 where the declared type has more parameters
  const isSurplus =
    args.length > own.parameters.length && own.parameters.at(-1)?.dotDotDotToken === undefined;
  return called(code`${isSurplus ? code`(${delta} as any)` : delta}(${direct})`);
}

/** An array of the ids, then the values; null where evaluating them in this order may differ. */
function directArguments(args: readonly Argument[]): Code | null {
  const pairs = args.filter((arg): arg is Pair => !("spread" in arg));
  if (pairs.length < args.length) return null;
  const isSimple =
    pairs.every(
      (pair) =>
        pair.pure && (pair.linear !== undefined || /^(0|[\p{L}\w$]+)$/u.test(shown(pair.i))),
    ) || pairs.every((pair) => pair.i === ZERO);
  return isSimple
    ? list([code`[${list(pairs.map((pair) => pair.i))}]`, ...pairs.map(asArgument)])
    : null;
}

/** Whether the receiver may be a number with an id that the method needs. */
const mayBeOfNumber = (
  { api, hasNumberMethods }: Work,
  callee: ts.AccessExpression,
  { i, number }: Pair,
): boolean =>
  i !== ZERO &&
  (number === true ||
    hasNumberMethods ||
    (api.isPropertyAccessExpression(callee) && OF_NUMBERS.has(callee.name.text)));

export function methodCall(
  work: Work,
  callee: ts.PropertyAccessExpression | ts.ElementAccessExpression,
  object: Pair,
  args: readonly ts.Expression[],
): Pair {
  const pushed = dataPushed(work, callee, object, args);
  if (pushed !== null) return pushed;
  noteMethod(work, callee, args);
  if (work.api.isPropertyAccessExpression(callee) && work.api.isPrivateIdentifier(callee.name)) {
    const found = privateName(work, callee.name);
    const { text: name, kind, staticOf, beside } = found;
    if (kind === "method" && (staticOf ?? beside) !== null)
      return called(
        invocation(work, code`$d.invoke`, [methodText(found, NOTHING), asArgument(object)], args),
      );
    if (!object.pure) return refused(work, callee, `a call of \`${name}\` of a computed object`);
    const o = object.v === "this" ? object.v : operand(work, object);
    return called(
      invocation(
        work,
        kind === "method" ? code`$d.invoke` : code`$d.call`,
        [kind === "method" ? methodText(found, o) : readText(found, o), object.v],
        args,
      ),
    );
  }
  if (mayBeOfNumber(work, callee, object))
    return called(
      invocation(work, code`$d.numberMethod`, [flat(object), keyText(work, callee)], args),
    );
  return (
    listCall(work, callee, object, args, (some) => pairsOf(work, some)) ??
    called(invocation(work, code`$d.callMethod`, [asArgument(object), keyText(work, callee)], args))
  );
}

function mathCall(
  work: Work,
  callee: ts.PropertyAccessExpression | ts.ElementAccessExpression,
  node: ts.CallExpression,
): Pair | null {
  const { api } = work;
  if (!api.isPropertyAccessExpression(callee) || !isMath(work, callee.expression)) return null;
  const method = callee.name.text;
  if (node.arguments.some((arg) => api.isSpreadElement(arg)))
    return extremeOf(work, method, node.arguments);
  if (!SMOOTH.has(method) && !FLAT.has(method)) return null;
  const pairs = node.arguments.map((arg) => expression(work, arg));
  return SMOOTH.has(method) && pairs.some((pair) => pair.i !== ZERO || pair.object === true)
    ? smoothCall(work, method, pairs)
    : plain(
        code`Math.${id(method)}(${list(pairs.map(asArgument))})`,
        2,
        pairs.every((pair) => pair.pure),
      );
}

const isMath = ({ api, bindings, context }: Work, node: ts.Expression): boolean =>
  api.isIdentifier(node) &&
  node.text === "Math" &&
  bindings.find(node) === null &&
  context.resolver.resolve(node).kind === "native";

function smoothCall(work: Work, method: string, pairs: readonly Pair[]): Pair {
  const suffix = OF_TWO.has(method) && pairs.length === 2 ? code`2` : NOTHING;
  const own = called(code`$d.${id(method)}${suffix}(${list(pairs.map(flat))})`);
  const isOfNumbers = pairs.every((pair) => pair.number === true);
  if (!isOfNumbers) work.beyond = true;
  // On numbers it calls no user code.
  return isOfNumbers && pairs.every((pair) => pair.noise === 0) ? { ...own, noise: 0 } : own;
}

/** `Math.max(...list)  ->  $d.largest(list)` of an array of numbers, or null */
function extremeOf(
  work: Work,
  method: string,
  [list, ...others]: readonly ts.Expression[],
): Pair | null {
  const { api, context } = work;
  const entry = method === "max" ? "largest" : method === "min" ? "smallest" : null;
  if (
    entry === null ||
    list === undefined ||
    others.length > 0 ||
    !api.isSpreadElement(list) ||
    !isListOfNumbers(api, context.checker, list.expression)
  )
    return null;
  return called(code`$d.${id(entry)}(${asArgument(expression(work, list.expression))})`);
}

function superCall(work: Work, node: ts.CallExpression): Pair {
  work.context.activity?.writes();
  const args = argumentsOf(work, node.arguments);
  return plain(
    code`super(${directArguments(args) ?? code`...$d.packed(${list(args.map(flatText))})`})`,
    2,
    false,
  );
}

function superMethod(
  work: Work,
  callee: ts.PropertyAccessExpression | ts.ElementAccessExpression,
  node: ts.CallExpression,
): Pair {
  if (isOfLiteral(work.api, callee)) return refused(work, callee, SUPER_OF_LITERAL);
  work.context.activity?.writes();
  const key = work.api.isPropertyAccessExpression(callee)
    ? code`.${id(callee.name.text)}`
    : code`[${asArgument(expression(work, callee.argumentExpression))}]`;
  return called(
    invocation(
      work,
      code`$d.call`,
      [work.any === NOTHING ? code`super${key}` : code`(super${key} as any)`, code`this`],
      node.arguments,
    ),
  );
}

/** `new RangeError("…")`: a built-in class whose arguments are primitive and have no ids stays. */
function constructNative(work: Work, node: ts.NewExpression): Pair | null {
  const { api } = work;
  const callee = bare(node.expression, work.api);
  const args = node.arguments ?? [];
  if (
    !api.isIdentifier(callee) ||
    work.bindings.find(callee) !== null ||
    work.context.resolver.resolve(callee).kind !== "native"
  )
    return null;
  if (
    !args.every((arg) => !api.isSpreadElement(arg) && isPrimitive(api, work.context.checker, arg))
  )
    return null;
  const pairs = args.map((arg) => expression(work, arg));
  return pairs.every((pair) => pair.i === ZERO)
    ? {
        ...plain(code`new ${id(callee.text)}(${list(pairs.map(asArgument))})`, 2, false),
        object: true,
      }
    : null;
}

export function construct(work: Work, node: ts.NewExpression): Pair {
  const native = constructNative(work, node);
  if (native !== null) return native;
  work.context.activity?.writes();
  const text = invocation(
    work,
    code`$d.construct`,
    [asArgument(expression(work, node.expression))],
    node.arguments ?? [],
  );
  return { ...plain(text, 2, false), object: true };
}
