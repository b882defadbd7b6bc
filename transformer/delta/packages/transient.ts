// State of a module that no call leaves to another one. In: the uses of a variable in functions.
// Out: whether each function writes it before it reads it, or keeps there only what it would
// compute again. Invariant: in doubt it is state.

import type ts from "typescript";
import { effectOf, wholePath } from "./effects.ts";
import type { Use } from "./module-uses.ts";
import { mentionsName, nodesIn } from "../../syntax/walk.ts";

type Api = typeof ts;

export interface Changed {
  /** Uses in copied functions. */
  readonly uses: readonly Use[];
  /** Changes in what plain code reaches. */
  readonly plain: readonly Use[];
  readonly isCopied: (use: Use) => boolean;
  /** Whether plain code itself calls the function. */
  readonly isCalled: (use: Use) => boolean;
}

export function isKeptToItself(
  api: Api,
  { uses, plain, isCopied, isCalled }: Changed,
  initial: ts.Expression | undefined,
): boolean {
  const isOverwritten = [...usesByFunction(api, uses).values()].every((own) => {
    const [first] = own;
    return first !== undefined && isWritten(api, first, initial) && comesFirst(api, first, own);
  });
  if (isOverwritten) return true;
  // what a copy does not do itself it does not see
  if (!plain.every(isCopied)) return false;
  const changing = uses.filter(({ effect }) => effect !== "read" && effect !== "tested");
  return (
    changing.length > 0 &&
    changing.every(
      (use) =>
        !drawsOn(api, use) &&
        (isCached(api, use) || (!isCalled(use) && !putsParameter(api, use, initial))),
    )
  );
}

/** `seed = seed * 16807`, `total += x`: the next value comes from the last one. */
export function drawsOn(api: Api, { node, effect }: Use): boolean {
  if (effect !== "assigned" && effect !== "changed") return false;
  const whole = wholePath(api, node);
  const { parent } = whole;
  if (!api.isBinaryExpression(parent) || parent.left !== whole) return false;
  return (
    parent.operatorToken.kind !== api.SyntaxKind.EqualsToken ||
    mentionsName(api, parent.right, node.text)
  );
}

/** `k = v` and `all.set(name, f)` with a parameter: it sets the state. */
function putsParameter(api: Api, use: Use, initial: ts.Expression | undefined): boolean {
  const { node, unit } = use;
  const whole = wholePath(api, node);
  const { parent } = whole;
  const parameters = parametersAround(api, node, unit.node);
  const isOne = (value: ts.Expression): boolean =>
    api.isIdentifier(value) && parameters.has(value.text);
  if (api.isBinaryExpression(parent) && parent.left === whole) return isOne(parent.right);
  const isContainer = initial !== undefined && !isInstance(api, initial);
  return (
    isContainer &&
    use.effect === "called" &&
    api.isCallExpression(parent) &&
    parent.arguments.some(isOne)
  );
}

function parametersAround(api: Api, node: ts.Node, unit: ts.Node): ReadonlySet<string> {
  const found = new Set<string>();
  for (let at = node; at !== unit.parent && !api.isSourceFile(at); at = at.parent)
    if (api.isFunctionLike(at)) for (const { name } of at.parameters) found.add(name.getText());
  return found;
}

/** `new Vector3()`, but no table. */
const isInstance = (api: Api, initial: ts.Expression): boolean =>
  api.isNewExpression(initial) &&
  !/^(?:Map|Set|WeakMap|WeakSet|Array|Object)$/.test(initial.expression.getText());

/** In the order of the text. */
function usesByFunction(api: Api, uses: readonly Use[]): ReadonlyMap<ts.Node, readonly Use[]> {
  const found = new Map<ts.Node, Use[]>();
  for (const use of uses.toSorted((x, z) => x.node.pos - z.node.pos)) {
    const fn = outermostFunction(api, use.node, use.unit.node);
    found.set(fn, [...(found.get(fn) ?? []), use]);
  }
  return found;
}

/** Whether a write under a condition has all other uses in its branch. */
function comesFirst(api: Api, { node, unit }: Use, all: readonly Use[]): boolean {
  for (let at: ts.Node = node; at !== unit.node && !api.isSourceFile(at); at = at.parent) {
    if (conditionOf(api, at) === null && !api.isCaseOrDefaultClause(at)) continue;
    return all.every((use) => at.pos <= use.node.pos && use.node.end <= at.end);
  }
  return true;
}

/** A method of a class, or the function that a unit declares. */
function outermostFunction(api: Api, node: ts.Node, unit: ts.Node): ts.Node {
  let found = unit;
  for (let at = node.parent; at !== unit && !api.isSourceFile(at); at = at.parent)
    if (api.isFunctionLike(at)) found = at;
  return found;
}

/** Whether a first use writes: `x = …`, `v[i] = …`, `v.copy(w)`, `into(v)`. */
function isWritten(api: Api, use: Use, initial: ts.Expression | undefined): boolean {
  const whole = wholePath(api, use.node);
  const { parent } = whole;
  const isPlainAssignment =
    api.isBinaryExpression(parent) &&
    parent.left === whole &&
    parent.operatorToken.kind === api.SyntaxKind.EqualsToken &&
    !mentionsName(api, parent.right, use.node.text);
  if (isPlainAssignment) return whole === use.node || isNumericStorage(api, initial, use);
  if (!isNumericStorage(api, initial, use)) return false;
  const isHanded =
    (api.isCallExpression(parent) || api.isNewExpression(parent)) && parent.expression !== whole;
  if (isHanded) return true;
  if (use.effect !== "called" || !api.isPropertyAccessExpression(whole)) return false;
  if (initial === undefined || !api.isNewExpression(initial)) return whole.name.text === "fill";
  const { text } = whole.name;
  return (
    writesFirst(api, initial, text, use.node.getSourceFile()) ??
    // of a class in another file: `v.copy(w)`, `v.subVectors(a, b)`; `v.add(w)` reads
    /^(?:set|copy|from|make|identity|zero|\w+(?:Vectors|Matrices|Quaternions)$)/.test(text)
  );
}

/** A view, a list of numbers, or an instance that is made of nothing else. */
function isNumericStorage(api: Api, initial: ts.Expression | undefined, { node }: Use): boolean {
  if (initial === undefined) return false;
  if (api.isRegularExpressionLiteral(initial)) return true;
  if (api.isArrayLiteralExpression(initial))
    return initial.elements.every((one) => isNumeric(api, one));
  if (api.isObjectLiteralExpression(initial))
    return initial.properties.every(
      (one) => api.isPropertyAssignment(one) && isNumeric(api, one.initializer),
    );
  if (!api.isNewExpression(initial) || !api.isIdentifier(initial.expression)) return false;
  const { text } = initial.expression;
  if (/^(?:Map|Set|WeakMap|WeakSet|Object|Date|Proxy)$/.test(text)) return false;
  const own = classOf(api, text, node.getSourceFile());
  return own === null || !own.members.some((member) => holdsTable(api, member));
}

/** A constructor or a field that makes an empty list or a table. */
const holdsTable = (api: Api, member: ts.ClassElement): boolean =>
  (api.isConstructorDeclaration(member) || api.isPropertyDeclaration(member)) &&
  /=\s*(?:new (?:Weak)?(?:Map|Set)\b|\{\s*\}|\[\s*\])/.test(
    (api.isConstructorDeclaration(member) ? member.body : member)?.getText() ?? "",
  );

const isNumeric = (api: Api, node: ts.Expression): boolean =>
  api.isNumericLiteral(node) ||
  (api.isPrefixUnaryExpression(node) && api.isNumericLiteral(node.operand));

/**
 * Whether a write fills a cache: it stands under a condition on what it writes there, and takes
 * from parameters only what the condition looks at, so that it would be computed again.
 */
function isCached(api: Api, { node, unit }: Use): boolean {
  const parameters = parametersAround(api, node, unit.node);
  for (let at: ts.Node = node; at !== unit.node && !api.isSourceFile(at); at = at.parent) {
    const condition = conditionOf(api, at);
    if (condition === null) continue;
    const asked = wordsIn(api, condition);
    const own = api.isBinaryExpression(at.parent) && at.parent.left === at ? at.parent : at;
    const written = wordsIn(api, own);
    const isAboutState = [...targetsIn(api, own)].some((name) => asked.has(name));
    if (isAboutState && [...parameters].every((name) => !written.has(name) || asked.has(name)))
      return true;
  }
  return false;
}

/** The condition under which a node is evaluated; `x` of `x ??= v` for both sides. */
function conditionOf(api: Api, node: ts.Node): ts.Expression | null {
  const { parent } = node;
  if (api.isIfStatement(parent)) return parent.expression === node ? null : parent.expression;
  if (api.isConditionalExpression(parent))
    return parent.condition === node ? null : parent.condition;
  if (!api.isBinaryExpression(parent)) return null;
  const { kind } = parent.operatorToken;
  const isShort =
    kind === api.SyntaxKind.BarBarToken ||
    kind === api.SyntaxKind.AmpersandAmpersandToken ||
    kind === api.SyntaxKind.QuestionQuestionToken;
  const isAssignment =
    kind === api.SyntaxKind.QuestionQuestionEqualsToken ||
    kind === api.SyntaxKind.BarBarEqualsToken;
  return isAssignment || (isShort && parent.right === node) ? parent.left : null;
}

const wordsIn = (api: Api, node: ts.Node): ReadonlySet<string> =>
  new Set(nodesIn(api, node, api.isIdentifier).map(({ text }) => text));

/** The variables that code assigns, or changes parts of. */
const targetsIn = (api: Api, node: ts.Node): ReadonlySet<string> =>
  new Set(
    nodesIn(api, node, api.isIdentifier)
      .filter((at) => effectOf(api, at) !== "read" && effectOf(api, at) !== "tested")
      .map(({ text }) => text),
  );

function classOf(api: Api, name: string, source: ts.SourceFile): ts.ClassDeclaration | null {
  return (
    source.statements
      .filter((node) => api.isClassDeclaration(node))
      .find((node) => node.name?.text === name) ?? null
  );
}

/** Whether a method of an object literal, or of a class of this module, changes its object. */
export function methodChanges(
  api: Api,
  initial: ts.ObjectLiteralExpression | ts.NewExpression,
  name: string,
  source: ts.SourceFile,
): boolean {
  const members = api.isObjectLiteralExpression(initial)
    ? initial.properties
    : classOf(api, initial.expression.getText(), source)?.members;
  const method = members?.find((one) => one.name?.getText() === name);
  if (method === undefined) return true;
  return /\bthis(?:\.[\w$#]+|\[[^\]]*\])+\s*(?:[-+*/%&|^]?=(?!=)|\+\+|--|\.(?:push|set|add)\()|\bthis\.[\w$#]+\(/.test(
    method.getText(),
  );
}

/** Whether a method assigns fields before it reads any; null where its class is elsewhere. */
function writesFirst(
  api: Api,
  initial: ts.NewExpression,
  name: string,
  source: ts.SourceFile,
): boolean | null {
  const own = classOf(api, initial.expression.getText(), source);
  if (own === null) return null;
  const method = own.members.find((one) => one.name?.getText() === name);
  const first = /\bthis\b([^;]{0,60})/.exec(method?.getText() ?? "");
  return first !== null && /^\s*(?:\.[\w$#]+|\[[^\]]*\])\s*=(?!=)|^\.[\w$]+\(/.test(first[1] ?? "");
}
