// Rewrites functions. In: a function, arrow, method or accessor. Out: its source text with the ids
// of the arguments as first parameter. Invariant: a getter takes no ids, a setter reads the id of
// its value from the register; everything else takes ids first.

import type ts from "typescript";
import { type Code, code, id, list, literal, NOTHING, ZERO } from "../code/code.ts";
import { keyed } from "../code/own-names.ts";
import { isPrimitive } from "./types/leaves.ts";
import { expression } from "./expression.ts";
import { handleLines, thisHandle } from "./handles.ts";
import { accessorKind } from "./literal-members.ts";
import { withSeen } from "./seen-objects.ts";
import { asArgument, ID, plain, returned, type Pair } from "./pair.ts";
import { withDefault } from "./pattern.ts";
import { declaredPattern, statements } from "./statement.ts";
import { stepLines } from "./plan/steps.ts";
import { returnedBy } from "../code/lines.ts";
import { parameter } from "../code/temporaries.ts";
import {
  block,
  declaredTemporaries,
  freshName,
  indented,
  keepsId,
  problem,
  within,
  type Frame,
  type Work,
} from "./work.ts";

export interface Shape {
  readonly typedThis: boolean;
  readonly parent: Frame["parent"];
  readonly isConstructor?: boolean;
  readonly accessor?: "get" | "set";
  /** Called by foreign code without ids: the wrapper of a module. */
  readonly withoutIds?: boolean;
}

export interface FunctionText {
  readonly parameters: Code;
  readonly ids: Code;
  readonly lines: readonly Code[];
  /** Index of the first body line after the parameters' lines; meaningless if async. */
  readonly bodyAt: number;
  readonly usesThis: boolean;
  readonly isGenerator: boolean;
}

export const frameOf = (shape: Shape, isAsync: boolean, isGenerator = false): Frame => ({
  ids: NOTHING,
  temporaries: [],
  isAsync,
  isGenerator,
  isConstructor: shape.isConstructor === true,
  typedThis: shape.typedThis,
  parent: shape.parent,
  self: ZERO,
  usesArguments: false,
  usesThis: false,
  hasThisFields: false,
});

export const hasModifier = (work: Work, node: ts.Node, kind: ts.SyntaxKind): boolean =>
  work.api.canHaveModifiers(node) &&
  (work.api.getModifiers(node) ?? []).some((modifier) => modifier.kind === kind);

export function functionText(
  work: Work,
  node: ts.FunctionLikeDeclaration,
  shape: Shape,
): FunctionText {
  const { api } = work;
  const isAsync = hasModifier(work, node, api.SyntaxKind.AsyncKeyword);
  const isGenerator = "asteriskToken" in node && node.asteriskToken !== undefined;
  if (isAsync && isGenerator) problem(work, node, "an async generator");
  const isArrow = api.isArrowFunction(node);
  const frame = {
    ...frameOf(shape, isAsync, isGenerator),
    ids: keyed(work.ids, ++work.functions),
    self: isArrow ? work.frame.self : mayBeOfNumber(work, node) ? THIS_ID : ZERO,
  };
  const outer = work.frame;
  return within(work, frame, () => {
    const prologue: Code[] = [];
    const parameters = parametersText(work, node, shape, prologue);
    const body = bodyLines(work, node);
    const head = [...stepLines(work, node), ...varIds(work, node), ...prologue];
    const lines = [...head, ...body];
    const takesIds = shape.accessor === undefined && shape.withoutIds !== true;
    const ids = takesIds ? [code`${parameter(frame.ids)}${work.any}`] : [];
    if (frame.usesArguments && isArrow) {
      // They are those of the enclosing function.
      outer.usesArguments = true;
      if (node === work.root) problem(work, node, "`arguments` of the function around it");
    }
    if (frame.usesArguments && !isArrow)
      lines.unshift(code`const arguments$${work.any} = $d.argumentsOf(arguments, ${frame.ids});`);
    if (frame.self !== ZERO && frame.usesThis && !isArrow)
      lines.unshift(code`const ${THIS_ID}${work.any} = ${frame.ids}.self ?? 0;`);
    lines.unshift(...thisHandle(work));
    if (frame.temporaries.length > 0) lines.unshift(declaredTemporaries(work, frame));
    const inner = isAsync ? wrapped(lines) : lines;
    return {
      parameters: list([...ids, ...parameters]),
      ids: frame.ids,
      lines: inner,
      bodyAt: lines.length - body.length,
      usesThis: frame.usesThis,
      isGenerator,
    };
  });
}

const THIS_ID = code`this$id`;

/** Whether a function may become a method of numbers. */
const mayBeOfNumber = (
  { api, hasNumberMethods }: Work,
  node: ts.FunctionLikeDeclaration,
): boolean =>
  hasNumberMethods &&
  (api.isFunctionExpression(node) ||
    api.isFunctionDeclaration(node) ||
    (api.isMethodDeclaration(node) && api.isObjectLiteralExpression(node.parent)));

const wrapped = (lines: readonly Code[]): Code[] => [
  code`return $d.async(async () => {`,
  ...indented(lines),
  code`});`,
];

function bodyLines(work: Work, node: ts.FunctionLikeDeclaration): Code[] {
  const body = node.body;
  if (body === undefined) {
    problem(work, node, "a function without a body");
    return [];
  }
  if (work.api.isBlock(body)) return statements(work, body.statements);
  return [returnText(work, expression(work, body))];
}

export const returnText = (work: Work, pair: Pair): Code => {
  if (work.frame.isConstructor) return code`return ${asArgument(pair)};`;
  return work.frame.isAsync
    ? code`return $d.box(${asArgument(pair)}, ${pair.i});`
    : code`return ${returned(pair)};`;
};

/** Ids of `var`s start at 0, wherever the declarations are. */
export function varIds(work: Work, scope: ts.Node): Code[] {
  const own = work.bindings.all.filter(
    (variable) => variable.how === "var" && functionAround(work, variable.declaration) === scope,
  );
  return own
    .filter((variable) => variable.live && variable.idWanted)
    .map((variable) => code`let ${variable.id}${work.any} = 0;`);
}

function functionAround(work: Work, node: ts.Node): ts.Node | undefined {
  const { api } = work;
  return api.findAncestor(
    node.parent,
    (at) => api.isFunctionLike(at) || api.isClassStaticBlockDeclaration(at) || api.isSourceFile(at),
  );
}

function parametersText(
  work: Work,
  node: ts.FunctionLikeDeclaration,
  shape: Shape,
  prologue: Code[],
): Code[] {
  const {
    api,
    any,
    context: { checker },
  } = work;
  const own = node.parameters.filter(
    (parameter) => !(api.isIdentifier(parameter.name) && parameter.name.text === "this"),
  );
  const texts: Code[] = [];
  own.forEach((parameter, k) => {
    const activity = node === work.root ? work.context.activity : undefined;
    const isLive = activity?.isLive(k) ?? true;
    const holds = !isPrimitive(api, checker, parameter.name) && (activity?.holds(k) ?? true);
    const isOptional =
      any !== NOTHING &&
      own
        .slice(k)
        .every(
          (p) =>
            p.initializer !== undefined ||
            p.questionToken !== undefined ||
            p.dotDotDotToken !== undefined ||
            work.isUntyped,
        );
    const id =
      shape.withoutIds === true || !isLive
        ? ZERO
        : shape.accessor === "set"
          ? ID
          : code`${work.frame.ids}[${k}] ?? 0`;
    texts.push(
      parameterText(work, prologue, {
        node: parameter,
        k,
        given: { i: id, inert: !holds, object: !isLive, text: !isLive },
        isOptional: isOptional && shape.accessor !== "set",
      }),
    );
  });
  return texts;
}

interface Parameter {
  readonly node: ts.ParameterDeclaration;
  /** Its place. */
  readonly k: number;
  /** What is known of its argument. */
  readonly given: Pick<Pair, "i" | "inert" | "object" | "text">;
  readonly isOptional: boolean;
}

function parameterText(work: Work, prologue: Code[], parameter: Parameter): Code {
  const { node, k, isOptional } = parameter;
  const { name, initializer } = node;
  if (node.dotDotDotToken !== undefined) return restText(work, prologue, name, k);
  if (work.api.isIdentifier(name)) return namedParameter(work, prologue, name, parameter);
  const text = numbered(work, "arg", k);
  const value =
    initializer === undefined ? plain(text) : withDefault(work, plain(text), initializer);
  prologue.push(...declaredPattern(work, name, value, "let"));
  return code`${text}${isOptional && work.any !== NOTHING ? code`?` : NOTHING}${work.any}`;
}

function restText(work: Work, prologue: Code[], name: ts.BindingName, k: number): Code {
  const { api, any } = work;
  const text = api.isIdentifier(name) ? id(name.text) : numbered(work, "rest", k);
  prologue.push(code`$d.restIds(${text}, ${work.frame.ids}, ${k});`);
  if (!api.isIdentifier(name)) prologue.push(...declaredPattern(work, name, plain(text), "let"));
  const rest = api.isIdentifier(name) ? work.bindings.find(name) : null;
  prologue.push(...handleLines(work, rest));
  if (rest !== null && keepsId(work, rest, { i: ZERO, object: true }))
    prologue.push(code`let ${rest.id}${any} = 0;`);
  return code`...${text}${any === NOTHING ? NOTHING : code`: any[]`}`;
}

function namedParameter(
  work: Work,
  prologue: Code[],
  name: ts.Identifier,
  { node, given, isOptional }: Parameter,
): Code {
  const { api, any } = work;
  const text = id(name.text);
  const variable = work.bindings.find(name);
  if (variable === null) {
    problem(work, node, "this parameter");
    return text;
  }
  if (keepsId(work, variable, given)) prologue.push(code`let ${variable.id}${any} = ${given.i};`);
  if (node.initializer !== undefined) {
    const value = expression(work, node.initializer);
    const inner = [
      code`${text} = ${asArgument(value)};`,
      ...(keepsId(work, variable, value) ? [code`${variable.id} = ${value.i};`] : []),
    ];
    prologue.push(block(code`if (${text} === undefined)`, inner));
    variable.isRead = true;
  }
  prologue.push(...handleLines(work, variable));
  // The constructor itself reads a parameter property.
  if (
    api.isConstructorDeclaration(node.parent) &&
    api.isParameterPropertyDeclaration(node, node.parent)
  )
    variable.isRead = true;
  return code`${variable.wasRead ? NOTHING : code`_`}${text}${isOptional ? code`?` : NOTHING}${any}`;
}

/** `arg$2`: the third parameter. */
const numbered = (work: Work, wanted: string, k: number): Code =>
  [...work.words].some((word) => word.startsWith(`${wanted}$`))
    ? freshName(work, wanted)
    : id(`${wanted}$${k}`);

export function asideText(work: Work, pair: Pair, lines: Code[]): Code {
  const name = freshName(work, "t");
  lines.push(code`const ${name}${work.any} = ${asArgument(pair)};`);
  return name;
}

/** A function value: `$d.fn(…)`. */
export function functionValue(
  work: Work,
  node: ts.FunctionExpression | ts.ArrowFunction | ts.MethodDeclaration | ts.FunctionDeclaration,
): Pair {
  const name =
    work.api.isFunctionDeclaration(node) && node.name !== undefined
      ? code`, ${literal(node.name.text)}`
      : NOTHING;
  const text = code`$d.fn(${plainFunction(work, node, { typedThis: false, parent: "none" })}${name})`;
  return { ...plain(withSeen(work, node, text), 2, false), object: true };
}

export function plainFunction(work: Work, node: ts.FunctionLikeDeclaration, shape: Shape): Code {
  const { api, any } = work;
  if (api.isArrowFunction(node)) {
    const outer = work.frame;
    const text = functionText(work, node, {
      ...shape,
      typedThis: outer.typedThis,
      parent: outer.parent,
    });
    if (text.usesThis) outer.usesThis = true;
    const only = returnedBy(text.lines);
    const head = code`(${text.parameters})${any} =>`;
    if (only !== null) return code`${head} ${only.startsWith("{") ? code`(${only})` : only}`;
    return block(head, text.lines);
  }
  const text = functionText(work, node, shape);
  // Recursive calls of a declaration go through its wrapper, which has its name.
  const isOwn =
    node.name !== undefined && api.isIdentifier(node.name) && api.isFunctionExpression(node);
  const name = isOwn ? code` ${id(node.name.text)}` : NOTHING;
  const self = any === NOTHING ? NOTHING : code`this: any`;
  return block(
    code`function${text.isGenerator ? code`*` : NOTHING}${name}(${list([self, text.parameters].filter((part) => part !== ""))})${any}`,
    text.lines,
  );
}

export const accessorFunction = (work: Work, node: ts.AccessorDeclaration): Code =>
  plainFunction(work, node, shapeOf(node, work.api));

/** Of what is no member of a class. */
export const shapeOf = (node: ts.FunctionLikeDeclaration, api: typeof ts): Shape => ({
  typedThis: false,
  parent: "none",
  ...(api.isAccessor(node) ? { accessor: accessorKind(node, api) } : {}),
});
