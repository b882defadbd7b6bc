// The class of what a program passes for a parameter of a package's method. In: the files, and the
// parameter's symbol. Out: the declaration of the class of all arguments; null where these may be
// of another one. Invariant: each mention of the method's name is a call whose receiver is known.
// A text is a mention where an object that may have the method is asked for a computed name, or
// members are read by other means.

import type ts from "typescript";

interface Names {
  readonly api: typeof ts;
  readonly checker: ts.TypeChecker;
}

export function passedClass(
  names: Names,
  files: readonly ts.SourceFile[],
  parameter: ts.Symbol,
): ts.ClassDeclaration | null {
  const { api } = names;
  const method = parameter.valueDeclaration?.parent;
  if (method === undefined || !api.isMethodDeclaration(method)) return null;
  const index = method.parameters.findIndex((each) => each === parameter.valueDeclaration);
  const name = method.name.getText();
  const mentions = files.flatMap((file) => namesIn(api, file).get(name) ?? []);
  const isComputed = files
    .map((file) => namesIn(api, file))
    .some(
      (known) =>
        READERS.some((reader) => known.has(reader)) ||
        known.get(COMPUTED)?.some((object) => mayHave(names, object, name)),
    );
  const found = new Set(
    mentions
      .filter((mention) => isComputed || !isMereText(api, mention))
      .flatMap((mention) => passedAt(names, mention, method, index) ?? []),
  );
  const [only, ...others] = found;
  return only === undefined || only === "other" || others.length > 0 ? null : only;
}

/** Null where another class's method is meant. */
function passedAt(
  names: Names,
  mention: ts.Node,
  method: ts.MethodDeclaration,
  index: number,
): ts.ClassDeclaration | "other" | null {
  const { api, checker } = names;
  const owner = checker.getSymbolAtLocation(mention)?.valueDeclaration;
  if (owner !== method) return owner !== undefined && isOfPackage(api, owner) ? null : "other";
  const access = mention.parent;
  const isCall =
    api.isPropertyAccessExpression(access) &&
    api.isCallExpression(access.parent) &&
    access.parent.expression === access;
  const argument = isCall ? access.parent.arguments[index] : undefined;
  return (argument && classOf(names, argument)) ?? "other";
}

/** `"lerp"`, but not that of `v["lerp"]`. */
const isMereText = (api: typeof ts, node: ts.Node): boolean =>
  api.isStringLiteralLike(node) && !api.isElementAccessExpression(node.parent);

/** Whether an object is of an unknown type or has a member of this name. */
function mayHave({ api, checker }: Names, object: ts.Node, name: string): boolean {
  const type = checker.getTypeAtLocation(object);
  const isOpen = (type.flags & (api.TypeFlags.Any | api.TypeFlags.TypeParameter)) !== 0;
  return isOpen || type.getProperty(name) !== undefined;
}

/** Whether a declaration is a member of a class without code. */
const isOfPackage = (api: typeof ts, node: ts.Declaration): boolean =>
  node.getSourceFile().isDeclarationFile && api.isClassDeclaration(node.parent);

function classOf({ api, checker }: Names, argument: ts.Expression): ts.ClassDeclaration | null {
  const declared = checker.getTypeAtLocation(argument).getSymbol()?.valueDeclaration;
  return declared !== undefined && api.isClassDeclaration(declared) ? declared : null;
}

/** What may read a member by a name that nobody sees. */
const READERS: readonly string[] = ["Reflect", "prototype", "getPrototypeOf"];

/** Stands for names that are computed; no name is empty. */
const COMPUTED = "";

/** Identifiers and strings by text, and the objects that are asked for computed names. */
function namesIn(api: typeof ts, file: ts.SourceFile): ReadonlyMap<string, readonly ts.Node[]> {
  const known = NAMES.get(file);
  if (known !== undefined) return known;
  const found = new Map<string, ts.Node[]>();
  const add = (text: string, node: ts.Node): void => {
    const known = found.get(text);
    if (known === undefined) found.set(text, [node]);
    else known.push(node);
  };
  const visit = (node: ts.Node): void => {
    if (api.isIdentifier(node) || api.isStringLiteralLike(node)) add(node.text, node);
    else if (isOfComputedName(api, node)) add(COMPUTED, node.expression);
    else if (api.isComputedPropertyName(node)) add(COMPUTED, node.parent.parent);
    api.forEachChild(node, visit);
  };
  visit(file);
  NAMES.set(file, found);
  return found;
}

const isOfComputedName = (api: typeof ts, node: ts.Node): node is ts.ElementAccessExpression =>
  api.isElementAccessExpression(node) &&
  !api.isStringLiteralLike(node.argumentExpression) &&
  !api.isNumericLiteral(node.argumentExpression);

const NAMES = new WeakMap<ts.SourceFile, ReadonlyMap<string, readonly ts.Node[]>>();
