// Escape analysis of function values. In: an expression. Out: whether other code may retain it, and
// the name it gets there. Invariant: otherwise only named calls and library calls execute it.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";

export interface Asked {
  readonly ts: typeof ts;
  readonly checker: ts.TypeChecker;
  readonly files: readonly ts.SourceFile[];
  readonly isLibrary: (file: ts.SourceFile) => boolean;
  /** `isolatedDeclarations`: declaration files are written from one file alone. */
  readonly isIsolated: boolean;
  /** Packages whose own modules may keep what a call gives them, by specifiers. */
  readonly keepers: (call: ts.CallExpression | ts.NewExpression) => readonly string[];
}

/** Library methods that retain their arguments, so that other code may call these. */
const KEEPERS: ReadonlySet<string> = new Set([
  "push",
  "unshift",
  "set",
  "add",
  "splice",
  "fill",
  "concat",
  "of",
  "assign",
  "defineProperty",
  "with",
]);

/** A place that retains a function. `name`: the function's, "" if none, null if unknown. */
export interface Kept {
  readonly name: string | null;
}

const UNNAMED: Kept = { name: "" };

/** Null: it does not escape. */
export function keptAs(
  value: ts.Expression,
  asked: Asked,
  seen: Set<ts.Node> = new Set(),
): Kept | null {
  const { ts: api } = asked;
  const { at, inner, isDirect } = placeOf(value, api);
  const named = (name: ts.Node): Kept => (isDirect ? { name: nameGiven(name, api) } : UNNAMED);
  if (isUnnamedPlace(at, api)) return UNNAMED;
  if (api.isArrowFunction(at)) return at.body === inner ? UNNAMED : null;
  if (isInitialised(at, api)) return at.initializer === inner ? named(at.name) : null;
  if (api.isBinaryExpression(at))
    return at.right === inner && assignsWhole(at, api) ? named(at.left) : null;
  return (api.isCallExpression(at) || api.isNewExpression(at)) &&
    at.expression !== inner &&
    mayKeep(at, inner, asked, seen)
    ? UNNAMED
    : null;
}

const isUnnamedPlace = (at: ts.Node, api: typeof ts): boolean =>
  api.isArrayLiteralExpression(at) ||
  api.isReturnStatement(at) ||
  api.isYieldExpression(at) ||
  api.isSpreadElement(at) ||
  api.isShorthandPropertyAssignment(at);

type Initialised =
  | ts.PropertyAssignment
  | ts.PropertyDeclaration
  | ts.VariableDeclaration
  | ts.ParameterDeclaration
  | ts.BindingElement;

const isInitialised = (at: ts.Node, api: typeof ts): at is Initialised =>
  api.isPropertyAssignment(at) ||
  api.isPropertyDeclaration(at) ||
  api.isVariableDeclaration(at) ||
  api.isParameter(at) ||
  api.isBindingElement(at);

/** What surrounds a value, outside of brackets, types and choices. `isDirect`: no choice. */
function placeOf(
  value: ts.Expression,
  api: typeof ts,
): { readonly at: ts.Node; readonly inner: ts.Expression; readonly isDirect: boolean } {
  let inner: ts.Expression = value;
  let isDirect = true;
  for (;;) {
    const at = inner.parent;
    const isChosen = api.isConditionalExpression(at)
      ? at.condition !== inner
      : api.isBinaryExpression(at) && isChoice(at, inner, api);
    if (!api.isExpression(at) || (!isChosen && bare(at, api) === at))
      return { at, inner, isDirect };
    isDirect &&= !isChosen;
    inner = at;
  }
}

const isChoice = (
  { operatorToken: { kind }, right }: ts.BinaryExpression,
  inner: ts.Node,
  { SyntaxKind }: typeof ts,
): boolean =>
  kind === SyntaxKind.QuestionQuestionToken ||
  kind === SyntaxKind.BarBarToken ||
  kind === SyntaxKind.AmpersandAmpersandToken ||
  (kind === SyntaxKind.CommaToken && right === inner);

/** `x = e`, `x ??= e`, not `x += e` */
const assignsWhole = (
  { operatorToken: { kind } }: ts.BinaryExpression,
  { SyntaxKind }: typeof ts,
): boolean =>
  kind === SyntaxKind.EqualsToken ||
  kind === SyntaxKind.QuestionQuestionEqualsToken ||
  kind === SyntaxKind.BarBarEqualsToken ||
  kind === SyntaxKind.AmpersandAmpersandEqualsToken;

function nameGiven(name: ts.Node, api: typeof ts): string | null {
  if (api.isComputedPropertyName(name)) return null;
  return api.isIdentifier(name) ||
    api.isStringLiteralLike(name) ||
    api.isNumericLiteral(name) ||
    api.isPrivateIdentifier(name)
    ? name.text
    : "";
}

/** Whether the callee may retain an argument, or pass it to differentiated code. */
function mayKeep(
  call: ts.CallExpression | ts.NewExpression,
  inner: ts.Expression,
  asked: Asked,
  seen: Set<ts.Node>,
): boolean {
  const { ts: api, checker, files } = asked;
  const callee = bare(call.expression, api);
  const declaration = checker.getResolvedSignature(call)?.declaration;
  if (declaration !== undefined && files.includes(declaration.getSourceFile()))
    return (
      !api.isFunctionLike(declaration) ||
      isHandedOn(
        declaration,
        call.arguments?.findIndex((argument) => argument === inner) ?? -1,
        asked,
        seen,
      )
    );
  if (asked.keepers(call).length > 0) return true;
  if (api.isPropertyAccessExpression(callee) && KEEPERS.has(callee.name.text)) return true;
  // `grad(f)` of a function in place concerns that function itself
  if (isOfPackage(call, asked))
    return (
      !(api.isArrowFunction(bare(inner, api)) || api.isFunctionExpression(bare(inner, api))) ||
      api.isCallExpression(callee) ||
      isOwnVariable(callee, asked)
    );
  return api.isCallExpression(callee) || isOwnVariable(callee, asked);
}

/** Whether the function that is called is one of a package. */
export function isOfPackage(
  call: ts.CallExpression | ts.NewExpression,
  { checker, files, isLibrary }: Asked,
): boolean {
  const file = checker.getResolvedSignature(call)?.declaration?.getSourceFile();
  return file !== undefined && !files.includes(file) && !isLibrary(file);
}

/** Whether it is a user variable such as the derivative `const slope = grad(f)`. */
function isOwnVariable(name: ts.Expression, { ts: api, checker, files }: Asked): boolean {
  if (!api.isIdentifier(name)) return false;
  const found = checker.getSymbolAtLocation(name);
  const symbol =
    found !== undefined && (found.flags & api.SymbolFlags.Alias) !== 0
      ? checker.getAliasedSymbol(found)
      : found;
  return (
    symbol?.valueDeclaration !== undefined &&
    files.includes(symbol.valueDeclaration.getSourceFile())
  );
}

/** Whether a function uses a parameter otherwise than to call it. */
function isHandedOn(
  declared: ts.SignatureDeclaration,
  position: number,
  asked: Asked,
  seen: Set<ts.Node>,
): boolean {
  const { ts: api, checker } = asked;
  const fn = withBody(declared, asked);
  const parameter = fn?.parameters[position];
  if (
    fn === null ||
    parameter === undefined ||
    !api.isIdentifier(parameter.name) ||
    parameter.dotDotDotToken !== undefined ||
    api.isParameterPropertyDeclaration(parameter, parameter.parent)
  )
    return true;
  if (seen.has(parameter)) return false;
  const symbol = checker.getSymbolAtLocation(parameter.name);
  seen.add(parameter);
  const { text } = parameter.name;
  const visit = (node: ts.Node): boolean => {
    if (!api.isIdentifier(node) || node.text !== text || node.parent === parameter)
      return api.forEachChild(node, (child) => visit(child) || undefined) === true;
    const meant = api.isShorthandPropertyAssignment(node.parent)
      ? checker.getShorthandAssignmentValueSymbol(node.parent)
      : checker.getSymbolAtLocation(node);
    return (
      meant === symbol && (keptAs(node, asked, seen) !== null || isInKept(node, fn, asked, seen))
    );
  };
  return visit(fn);
}

/** Of overloads the one with a body. */
function withBody(
  declared: ts.SignatureDeclaration,
  { ts: api, checker }: Asked,
): ts.FunctionLikeDeclaration | null {
  const hasBody = (node: ts.Node): node is ts.FunctionLikeDeclaration =>
    api.isFunctionLike(node) && "body" in node && node.body !== undefined;
  if (hasBody(declared)) return declared;
  const symbol =
    declared.name === undefined ? undefined : checker.getSymbolAtLocation(declared.name);
  const found = symbol?.declarations?.filter(hasBody) ?? [];
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** Whether it is in a function, within `outer`, that may execute after `outer` has returned. */
function isInKept(node: ts.Node, outer: ts.Node, asked: Asked, seen: Set<ts.Node>): boolean {
  const { ts: api } = asked;
  for (let at = node.parent; at !== outer; at = at.parent) {
    if (api.isClassLike(at)) return true;
    if (!api.isFunctionLike(at)) continue;
    if (
      !(api.isArrowFunction(at) || api.isFunctionExpression(at)) ||
      keptAs(at, asked, seen) !== null
    )
      return true;
    const { at: call, inner } = placeOf(at, api);
    // `grad((x) => g(x))` calls what `g` is linked with
    if (api.isCallExpression(call) && call.expression !== inner && isOfPackage(call, asked))
      return true;
  }
  return false;
}
