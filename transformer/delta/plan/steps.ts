// Requests functions as single steps of the tape. In: an item and its activity. Out: requests that
// the static engine may grant, and the step's call. Invariant: the runtime verifies argument types.

import type ts from "typescript";
import { type Code, code, entry, id, list, NOTHING, source } from "../../code/code.ts";
import type { Given } from "./activity.ts";
import { isRecord } from "../types/data-types.ts";
import type { Item } from "./items.ts";
import { isFloat64Array } from "../types/leaves.ts";
import type { LiftedLoop } from "./lifted-loops.ts";
import { type Work, block, freshName } from "../work.ts";

type FunctionNode = ts.FunctionDeclaration | ts.FunctionExpression | ts.ArrowFunction;

/** A function, or a loop of one. */
export type StepRequest = ({ readonly node: FunctionNode } | LiftedLoop) & {
  /** The arguments that active numbers may flow to. */
  readonly argnums: readonly number[];
};

/** The layout of a result (`Layout` in runtime/delta/step.ts); null: it may be no step. */
function resultLayout(node: FunctionNode, asking: Pick<Asking, "ts" | "checker">): Code | null {
  const signature = asking.checker.getSignatureFromDeclaration(node);
  if (signature === undefined) return null;
  const type = asking.checker.getReturnTypeOfSignature(signature);
  const layout = layoutOfType(type, node, asking, new Map());
  return layout === EMPTY ? null : layout;
}

/** A granted request. `derivative` names the function that returns value and cotangents. */
export type Step = StepRequest & {
  readonly derivative: string;
  /** Whether it writes cotangents into what it is given. */
  readonly into: boolean;
  /** Names of arrays and records of its module that it reads. */
  readonly constants: readonly string[];
};

export type Steps = ReadonlyMap<ts.Node, Step>;

/** The layout of a variable's numbers; null if unknown. */
export const layoutOfVariable = (
  name: ts.Identifier,
  asking: Pick<Asking, "ts" | "checker">,
): Code | null => {
  const { checker } = asking;
  const type = checker.getBaseTypeOfLiteralType(checker.getTypeAtLocation(name));
  return layoutOfType(type, name, asking, new Map());
};

interface Asking {
  readonly ts: typeof ts;
  readonly checker: ts.TypeChecker;
  readonly given: (node: ts.Node, place: number) => Given;
}

/** The request for an item and all that it needs; null where it has to be recorded. */
export function wishOf(item: Item, asking: Asking): StepRequest | null {
  const { ts: api } = asking;
  const { node } = item;
  const name = nameOf(node, api);
  if (
    name === null ||
    !isFunction(node, api) ||
    !isPlain(node, name, api) ||
    /\.[cm]?jsx?$/.test(item.file.fileName) ||
    !needsFunctions(item, api)
  )
    return null;
  const result = resultLayout(node, asking);
  // what a pullback reads is copied, so all of it is known
  if (
    result === null ||
    (result !== NUMBER && node.parameters.some((one) => layoutOf(one, asking) === null))
  )
    return null;
  const argnums = argnumsOf(node, asking);
  return argnums === null || argnums.length === 0 ? null : { node, argnums };
}

/** The parameters that active numbers may flow to; null if one has no layout. */
function argnumsOf(node: FunctionNode, asking: Asking): readonly number[] | null {
  const argnums: number[] = [];
  for (const [place, parameter] of node.parameters.entries()) {
    const { isLive, holds } = asking.given(node, place);
    const layout = layoutOf(parameter, asking);
    if (!isLive && (!holds || layout === EMPTY || layout === NUMBER)) continue;
    if (layout === null) return null;
    if (layout !== EMPTY) argnums.push(place);
  }
  return argnums;
}

const isFunction = (node: ts.Node, api: typeof ts): node is FunctionNode =>
  api.isFunctionDeclaration(node) || api.isFunctionExpression(node) || api.isArrowFunction(node);

/** A function's name in its module; null where it is not at top level. */
export function nameOf(node: ts.Node, api: typeof ts): string | null {
  if (api.isFunctionDeclaration(node))
    return api.isSourceFile(node.parent) ? (node.name?.text ?? null) : null;
  const declaration = node.parent;
  const list = declaration.parent;
  if (
    !api.isVariableDeclaration(declaration) ||
    !api.isIdentifier(declaration.name) ||
    !api.isVariableDeclarationList(list) ||
    !api.isSourceFile(list.parent.parent)
  )
    return null;
  return (list.flags & api.NodeFlags.Const) === 0 ? null : declaration.name.text;
}

/** Whether it is synchronous, and its parameters are plain names. */
function isPlain(node: FunctionNode, own: string, api: typeof ts): boolean {
  if (
    node.asteriskToken !== undefined ||
    (api.getModifiers(node) ?? []).some(({ kind }) => kind === api.SyntaxKind.AsyncKeyword)
  )
    return false;
  return node.parameters.every(
    ({ name, initializer, dotDotDotToken, questionToken }) =>
      api.isIdentifier(name) &&
      name.text !== "this" &&
      name.text !== own &&
      initializer === undefined &&
      dotDotDotToken === undefined &&
      questionToken === undefined,
  );
}

/** Whether it needs only functions: assigned variables and objects may hold active numbers. */
function needsFunctions(item: Item, api: typeof ts): boolean {
  const found = new Set([item]);
  for (const one of found) {
    // a module literal without functions: the runtime tests whether it holds active numbers
    const isLiteral =
      (api.isArrayLiteralExpression(one.node) ||
        (api.isObjectLiteralExpression(one.node) && !one.node.properties.some(api.isAccessor))) &&
      one.lines.length === 0;
    if ((!api.isFunctionLike(one.node) && !isLiteral) || one.packageUses !== undefined)
      return false;
    for (const other of one.needs) found.add(other);
  }
  return true;
}

export const NUMBER = code`0`;
/** The layout of what holds no number. */
export const EMPTY = code`""`;

/** The layout of a parameter's numbers (`Layout` in runtime/delta/step.ts); null if unknown. */
const layoutOf = (
  parameter: ts.ParameterDeclaration,
  asking: Pick<Asking, "ts" | "checker">,
): Code | null =>
  layoutOfType(asking.checker.getTypeAtLocation(parameter), parameter, asking, new Map());

/** A type that refers to a larger instance of itself has no end. */
const MOST_TYPES = 30;

/** Types that share parts can have layouts of exponential length. */
const MOST_LAYOUT = 10_000;

function layoutOfType(
  type: ts.Type,
  at: ts.Node,
  asking: Pick<Asking, "ts" | "checker">,
  /** Layouts so far; null for types whose layout is being made. */
  known: Map<ts.Type, Code | null>,
): Code | null {
  const f = asking.ts.TypeFlags;
  if (type.flags & f.Number) return NUMBER;
  if ((type.flags & (f.StringLike | f.BooleanLike)) !== 0) return EMPTY;
  if ((type.flags & f.Object) === 0 || known.size > MOST_TYPES) return null;
  const before = known.get(type);
  if (before !== undefined) return before;
  known.set(type, null);
  const layout = layoutOfObject(type, at, asking, known);
  const found = layout !== null && layout.length > MOST_LAYOUT ? null : layout;
  known.set(type, found);
  return found;
}

function layoutOfObject(
  type: ts.Type,
  at: ts.Node,
  asking: Pick<Asking, "ts" | "checker">,
  known: Map<ts.Type, Code | null>,
): Code | null {
  const { ts: api, checker } = asking;
  const inner = (one: ts.Type): Code | null => layoutOfType(one, at, asking, known);
  // the casts: isTupleType and isArrayType are no type guards
  if (checker.isTupleType(type)) return tupleLayout(type as ts.TupleTypeReference, inner, api);
  if (checker.isArrayType(type))
    // isArrayType is no type guard
    return listLayout(checker.getTypeArguments(type as ts.TypeReference), inner);
  if (isFloat64Array(type)) return code`[0]`;
  if (!isRecord(type, api) || checker.getIndexInfosOfType(type).length > 0) return null;
  const fields = type.getProperties().map((property) => ({
    property,
    layout: inner(checker.getTypeOfSymbolAtLocation(property, at)),
  }));
  if (
    fields.some(
      ({ property, layout }) =>
        layout === null || (property.flags & api.SymbolFlags.Optional) !== 0,
    )
  )
    return null;
  return fields.every(({ layout }) => layout === EMPTY)
    ? null
    : code`{ ${list(fields.map(({ property, layout }) => entry(property.name, layout ?? NOTHING)))} }`;
}

type Inner = (one: ts.Type) => Code | null;

function listLayout([elem]: readonly ts.Type[], inner: Inner): Code | null {
  const layout = elem === undefined ? null : inner(elem);
  return layout === null || layout === EMPTY ? null : code`[${layout}]`;
}

/** Needs at least two elements: with one it would read as an array's layout. */
function tupleLayout(type: ts.TupleTypeReference, inner: Inner, api: typeof ts): Code | null {
  if (
    type.target.elementFlags.length < 2 ||
    type.target.elementFlags.some((flag) => flag !== api.ElementFlags.Required)
  )
    return null;
  const parts = (type.typeArguments ?? []).map(inner);
  return parts.every((part) => part !== null) ? code`[${list(parts)}]` : null;
}

/** `const t$1 = $d.step(…); if (t$1 !== undefined) return t$1;`, before what is recorded. */
export function stepLines(work: Work, node: ts.FunctionLikeDeclaration): Code[] {
  const {
    api,
    context: { step, checker },
  } = work;
  const own = step === undefined || node !== work.root ? null : nameOf(node, api);
  if (step === undefined || checker === null || own === null) return [];
  const names = namesRead(work, node);
  const layouts = step.argnums.map((place) => {
    const parameter = node.parameters[place];
    const layout = parameter === undefined ? null : layoutOf(parameter, { ts: api, checker });
    return layout ?? code`null`;
  });
  const value = freshName(work, "t");
  const isOfNumbers = layouts.every((layout) => layout === NUMBER) && step.constants.length === 0;
  const result = isFunction(node, api) ? resultLayout(node, { ts: api, checker }) : null;
  if (isOfNumbers && result === NUMBER && layouts.length <= MOST_NUMBERS)
    return numberLines(work, step, names, value);
  const entry = result === null || result === NUMBER ? code`$d.step(` : code`$d.stepOf(${result}, `;
  return [
    code`const ${value}${work.any} = ${entry}${id(own)}, ${id(step.derivative)}, [${list(step.argnums.map((place) => code`${place}`))}], [${list(layouts)}], ${work.frame.ids}, [${list(names)}]${step.constants.length === 0 ? NOTHING : code`, [${list(step.constants.map(id))}]`});`,
    code`if (${value} !== undefined) return ${value};`,
  ];
}

/** The parameters' names, which are read from then on. */
const namesRead = ({ api, bindings }: Work, { parameters }: ts.FunctionLikeDeclaration): Code[] =>
  parameters.map(({ name }) => {
    const variable = api.isIdentifier(name) ? bindings.find(name) : null;
    if (variable !== null) variable.isRead = true;
    return source(name.getText());
  });

/** Parents that a node takes at once, as `$d.linear3` does. */
const MOST_NUMBERS = 3;

/** The same of a function of few numbers: its cotangents are partials of a node. */
function numberLines(work: Work, step: Step, names: readonly Code[], value: Code): Code[] {
  const { ids } = work.frame;
  const { argnums, derivative } = step;
  // what only an unchosen side reads has partial 0, which an infinite adjoint must not meet
  const partials = argnums.map((place, k) => {
    const partial = code`${value}[1][${k}]`;
    return code`${partial} === 0 ? 0 : ${ids}[${place}] ?? 0, ${partial}`;
  });
  const active = argnums.map((place) => code`${ids}[${place}]`);
  const isActive = active.reduce((all, one) => code`${all} || ${one}`);
  const tests = [
    active.length === 1 ? isActive : code`(${isActive})`,
    ...argnums.map((place) => code`typeof ${names[place] ?? NOTHING} === "number"`),
  ];
  return [
    block(code`if (${tests.reduce((all, one) => code`${all} && ${one}`)})`, [
      code`const ${value}${work.any} = ${id(derivative)}(${list(names)});`,
      code`return $d.ret(${value}[0], $d.linear${argnums.length}(${list(partials)}));`,
    ]),
  ];
}
