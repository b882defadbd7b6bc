// Reads expressions of a fused stretch: arithmetic, `Math`, conditionals, record fields and
// literals, and calls made of these. In: an expression of the function or an inlined one. Out: its
// value, or null for anything else. Invariant: nothing is written and no unknown code is called, so
// each place is read once, in any order.

import type ts from "typescript";
import { id, literal as literalText, member, unchecked } from "../../code/code.ts";
import type { ScalarOp } from "../../ir/ops.ts";
import { isRecord } from "../types/data-types.ts";
import { expression } from "../expression.ts";
import { fieldsHandle, isDataField } from "../handles.ts";
import { isLeaf, isListLike, isNumber } from "../types/leaves.ts";
import { asArgument } from "../pair.ts";
import { shown } from "../../code/temporaries.ts";
import { unwrapped } from "../work.ts";
import { called } from "./call.ts";
import { choice, logical } from "./choice.ts";
import type { Num } from "./graph.ts";
import type { Callee, Run } from "./state.ts";
import type { Outside, Value } from "./values.ts";

const BINARY: Readonly<Record<string, ScalarOp>> = {
  "+": "add",
  "-": "sub",
  "*": "mul",
  "/": "div",
  "%": "mod",
  "**": "pow",
};
/** Members of `Math` that have a row. */
const OF_ONE: ReadonlySet<string> = new Set<ScalarOp>([
  "abs",
  "acos",
  "acosh",
  "asin",
  "asinh",
  "atan",
  "atanh",
  "cbrt",
  "ceil",
  "cos",
  "cosh",
  "exp",
  "expm1",
  "floor",
  "fround",
  "log",
  "log10",
  "log1p",
  "log2",
  "round",
  "sign",
  "sin",
  "sinh",
  "sqrt",
  "tan",
  "tanh",
  "trunc",
]);
const OF_TWO: ReadonlySet<string> = new Set<ScalarOp>(["atan2", "max", "min"]);
const isOfMath = (name: string, count: number): name is ScalarOp =>
  (count === 1 && OF_ONE.has(name)) ||
  (count === 2 && OF_TWO.has(name)) ||
  (count > 0 && name === "hypot");

const NAME = /^[\p{ID_Continue}$]+$/u;

export function valueOf(run: Run, wrapped: ts.Expression, callee: Callee | null): Value | null {
  const { work } = run;
  const { api } = work;
  const node = unwrapped(work, wrapped);
  if (api.isNumericLiteral(node)) return run.graph.leaf(node.getText(), "0", Number(node.text));
  if (api.isIdentifier(node)) return named(run, node, callee);
  if (api.isBinaryExpression(node)) return binary(run, node, callee) ?? logical(run, node, callee);
  if (api.isConditionalExpression(node)) return choice(run, node, callee);
  if (api.isPrefixUnaryExpression(node)) return prefix(run, node, callee);
  if (api.isCallExpression(node)) return ofMath(run, node, callee) ?? called(run, node, callee);
  if (api.isObjectLiteralExpression(node)) return literal(run, node, callee);
  if (api.isPropertyAccessExpression(node)) return field(run, node, callee);
  return api.isElementAccessExpression(node) && callee === null ? element(run, node) : null;
}

/** The value if it is a number. */
export function numberOf(run: Run, node: ts.Expression, callee: Callee | null): Num | null {
  const value = isNumber(run.work.api, run.work.context.checker, node)
    ? valueOf(run, node, callee)
    : null;
  return value?.kind === "num" ? value : null;
}

function named(run: Run, node: ts.Identifier, callee: Callee | null): Value | null {
  const { work } = run;
  const {
    api,
    context: { checker },
  } = work;
  if (callee !== null) return callee.names.get(node.text) ?? constant(run, node);
  const variable = work.bindings.find(node);
  const written = variable === null ? undefined : run.locals.get(variable);
  if (written !== undefined) return written.value;
  const { v, i, inert, pure } = expression(work, node);
  if (isNumber(api, checker, node))
    return pure && NAME.test(v) && NAME.test(i)
      ? variable === null
        ? steady(run, node, v, i)
        : run.graph.leaf(v, i)
      : null;
  if (variable === null || !isObject(run, node)) return null;
  return run.outside(v, () => ({
    kind: "outside",
    text: v,
    ids:
      inert === true
        ? null
        : (fieldsHandle(work, variable, run.first) ?? run.look(`$d.fieldIds(${v})`)),
  }));
}

/** A constant of the function's file whose name the function does not redeclare. */
function constant(run: Run, node: ts.Identifier): Num | null {
  const {
    api,
    context: { checker, resolver },
    root,
    words,
  } = run.work;
  if (words.has(node.text) || !isNumber(api, checker, node)) return null;
  const declaration = checker?.getSymbolAtLocation(node)?.valueDeclaration;
  if (
    declaration === undefined ||
    !api.isVariableDeclaration(declaration) ||
    !api.isSourceFile(declaration.parent.parent.parent) ||
    declaration.getSourceFile() !== root.getSourceFile()
  )
    return null;
  return resolver.resolve(node).kind === "constant" ? steady(run, node, id(node.text), "0") : null;
}

/** A constant whose literal type would make TypeScript reject comparisons. */
function steady(run: Run, node: ts.Identifier, text: string, id: string): Num {
  const type = run.work.context.checker?.getTypeAtLocation(node);
  if (type?.isUnion() === true) return run.graph.leaf(`Number(${text})`, id);
  const leaf = run.graph.leaf(text, id);
  if (type?.isNumberLiteral() === true) run.graph.known.set(leaf, type.value);
  return leaf;
}

/** Whether its type is an object with fields. */
const isObject = (
  {
    work: {
      api,
      context: { checker },
    },
  }: Run,
  node: ts.Expression,
): boolean =>
  isLeaf(api, checker, node) && checker !== null && isRecord(checker.getTypeAtLocation(node), api);

function binary(run: Run, node: ts.BinaryExpression, callee: Callee | null): Num | null {
  const sign = run.work.api.tokenToString(node.operatorToken.kind) ?? "";
  const op = BINARY[sign];
  const left = op === undefined ? null : numberOf(run, node.left, callee);
  const right = left === null ? null : numberOf(run, node.right, callee);
  return op === undefined || left === null || right === null
    ? null
    : run.graph.primal(op, [left, right]);
}

/** The operation of `+=`. */
export const operationOf = (sign: string): ScalarOp | undefined => BINARY[sign];

function prefix(run: Run, node: ts.PrefixUnaryExpression, callee: Callee | null): Num | null {
  const k = run.work.api.SyntaxKind;
  const own =
    node.operator === k.MinusToken || node.operator === k.PlusToken
      ? numberOf(run, node.operand, callee)
      : null;
  return own === null
    ? null
    : run.graph.primal(node.operator === k.PlusToken ? "plus" : "neg", [own]);
}

/** Whether it is a readable local of the function. */
export const isLocal = (
  { work: { bindings } }: Run,
  name: ts.Identifier,
  callee: Callee | null,
): boolean => (callee === null ? bindings.find(name) !== null : callee.names.has(name.text));

/** `Math.sin(x)` */
function ofMath(run: Run, node: ts.CallExpression, callee: Callee | null): Num | null {
  const { work } = run;
  const { api } = work;
  const method = node.expression;
  if (
    !api.isPropertyAccessExpression(method) ||
    !api.isIdentifier(method.expression) ||
    method.expression.text !== "Math"
  )
    return null;
  const { text: name } = method.name;
  if (!isOfMath(name, node.arguments.length)) return null;
  if (
    isLocal(run, method.expression, callee) ||
    work.context.resolver.resolve(method.expression).kind !== "native"
  )
    return null;
  const args: Num[] = [];
  for (const arg of node.arguments) {
    const own = numberOf(run, arg, callee);
    if (own === null) return null;
    args.push(own);
  }
  return run.graph.primal(name, args);
}

/** `o.k` */
function field(run: Run, node: ts.PropertyAccessExpression, callee: Callee | null): Value | null {
  const { work } = run;
  const {
    api,
    context: { checker },
  } = work;
  const key = node.name.text;
  if (node.questionDotToken !== undefined || !api.isIdentifier(node.name)) return null;
  const inner = unwrapped(work, node.expression);
  if (
    key === "length" &&
    callee === null &&
    api.isIdentifier(inner) &&
    isListLike(api, checker, inner)
  )
    return unwritten(run, inner) ? run.graph.leaf(`${inner.text}.length`, "0") : null;
  const object = valueOf(run, node.expression, callee);
  if (object?.kind === "made") return object.fields.get(key) ?? null;
  if (
    object?.kind !== "outside" ||
    key in Object.prototype ||
    !isDataField(api, checker?.getSymbolAtLocation(node.name))
  )
    return null;
  return fieldOf(
    run,
    object,
    key,
    isNumber(api, checker, node),
    checker !== null && isRecord(checker.getTypeAtLocation(node.expression), api),
    isObject(run, node),
  );
}

/** A field of an outside object: passive, or a data property of its own. */
export function fieldOf(
  run: Run,
  { text, ids }: Outside,
  key: string,
  isOfNumber: boolean,
  isOfRecord: boolean,
  isOfObject: boolean,
): Value | null {
  const place = member(unchecked(text), key);
  if (ids === null) {
    if (!isOfRecord || run.work.context.activity?.hasPlainFields() !== true) return null;
    if (isOfNumber) return run.graph.leaf(place, "0");
    return isOfObject
      ? beyond(run, run.look(`${text} == null ? undefined : ${place}`), null)
      : null;
  }
  run.require(`${ids}.${key} !== undefined`);
  if (isOfNumber) return run.graph.leaf(place, `${ids}.${key}`);
  if (!isOfObject) return null;
  const inner = run.look(`${ids}.${key} === undefined ? undefined : ${place}`);
  return beyond(run, inner, run.look(`$d.fieldIds(${inner})`));
}

/** An object that was tested to be defined. */
function beyond(run: Run, text: string, ids: string | null): Outside {
  run.require(`${text} != null`);
  return { kind: "outside", text, ids };
}

/** Whether the stretch writes no local that the node names. */
export const unwritten = (run: Run, node: ts.Node): boolean => {
  const { api, bindings } = run.work;
  const variable = api.isIdentifier(node) ? bindings.find(node) : null;
  if (variable !== null && run.locals.has(variable)) return false;
  return api.forEachChild(node, (child) => !unwritten(run, child) || undefined) === undefined;
};

/** `a[i]` that the stretch has not written. */
function element(run: Run, node: ts.ElementAccessExpression): Value | null {
  const { work } = run;
  const {
    api,
    context: { checker },
  } = work;
  if (node.questionDotToken !== undefined || !unwritten(run, node)) return null;
  const pair = expression(work, node);
  if (!pair.pure || pair.level !== 2) return null;
  if (isNumber(api, checker, node))
    return pair.linear !== undefined || pair.i === "0" ? run.graph.leaf(pair.v, pair.i) : null;
  if (
    pair.i !== "0" ||
    !isObject(run, node) ||
    !/^[\p{ID_Continue}$.[\] +-]+$/u.test(shown(pair.v))
  )
    return null;
  if (run.isAside) return null;
  const text = run.look(asArgument(pair));
  return beyond(run, text, pair.inert === true ? null : run.look(`$d.fieldIds(${text})`));
}

/** `{ a: e, b, ...o }` */
function literal(run: Run, node: ts.ObjectLiteralExpression, callee: Callee | null): Value | null {
  const { api } = run.work;
  const fields = new Map<string, Value>();
  let isWhole = true;
  for (const property of node.properties) {
    if (api.isSpreadAssignment(property)) {
      const from = valueOf(run, property.expression, callee);
      const all = from === null ? null : spread(run, property.expression, from, fields);
      if (all === null) return null;
      isWhole &&= all;
      continue;
    }
    const isShort = api.isShorthandPropertyAssignment(property);
    if (
      !(isShort && property.objectAssignmentInitializer === undefined) &&
      !api.isPropertyAssignment(property)
    )
      return null;
    if (!api.isIdentifier(property.name) || property.name.text === "__proto__") return null;
    const value = valueOf(run, isShort ? property.name : property.initializer, callee);
    if (value === null) return null;
    fields.set(property.name.text, value);
  }
  run.spared++;
  return { kind: "made", fields, isWhole };
}

/** `...o`: whether all fields are known. Passive `o` is copied: excess properties may override. */
function spread(
  run: Run,
  node: ts.Expression,
  from: Value,
  fields: Map<string, Value>,
): boolean | null {
  const {
    work: {
      api,
      context: { checker },
    },
  } = run;
  if (from.kind === "num") return null;
  if (from.kind === "made") {
    for (const [key, value] of from.fields) fields.set(key, value);
    return from.isWhole ? true : null;
  }
  const type = checker?.getTypeAtLocation(node);
  if (
    from.ids !== null ||
    checker === null ||
    type === undefined ||
    !isRecord(type, api) ||
    run.work.context.activity?.hasPlainFields() !== true
  )
    return null;
  // without `strictNullChecks`
  if (checker.isTypeAssignableTo(checker.getUndefinedType(), type))
    run.require(`${from.text} != null`);
  const text = run.look(`{ ...${from.text} }`);
  const own = new Set(type.getProperties().map(({ name }) => name));
  if (
    type
      .getProperties()
      .some(({ flags, name }) => (flags & api.SymbolFlags.Optional) !== 0 || !NAME.test(name))
  )
    return null;
  for (const key of fields.keys())
    if (!own.has(key)) run.require(`!(${literalText(key)} in ${text})`);
  for (const property of type.getProperties()) {
    const isOfNumber =
      (checker.getTypeOfSymbolAtLocation(property, node).flags & api.TypeFlags.NumberLike) !== 0;
    if (!isOfNumber) return null;
    fields.set(property.name, run.graph.leaf(member(unchecked(text), property.name), "0"));
  }
  return false;
}
