// The class of what a program passes for a parameter of a package's method. In: the files, and the
// parameter's symbol. Out: the declaration of the class of all arguments; null where these may be
// of another one. Invariant: each mention of the method's name is a call whose receiver is known.

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
  const found = new Set(
    files
      .flatMap((file) => namesIn(api, file).get(name) ?? [])
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

/** Whether a declaration is a member of a class without code. */
const isOfPackage = (api: typeof ts, node: ts.Declaration): boolean =>
  node.getSourceFile().isDeclarationFile && api.isClassDeclaration(node.parent);

function classOf({ api, checker }: Names, argument: ts.Expression): ts.ClassDeclaration | null {
  const declared = checker.getTypeAtLocation(argument).getSymbol()?.valueDeclaration;
  return declared !== undefined && api.isClassDeclaration(declared) ? declared : null;
}

/** Identifiers and strings by text. */
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
    api.forEachChild(node, visit);
  };
  visit(file);
  NAMES.set(file, found);
  return found;
}

const NAMES = new WeakMap<ts.SourceFile, ReadonlyMap<string, readonly ts.Node[]>>();
