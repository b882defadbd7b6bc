// Exports of packages that a program mentions in plain code. In: the program, and which functions
// are rewritten. Out: specifier and exported name of each mention, and what it does to the value.

import type ts from "typescript";
import { isAssignment } from "../../syntax/assignments.ts";
import { changedIn, isOwnThis, WRITERS, writesIn } from "../../syntax/changed-members.ts";
import { bare } from "../../syntax/wrappers.ts";
import { effectOf, type Effect } from "./effects.ts";
import type { NamedMember } from "./opened.ts";

type Api = typeof ts;

interface PlainMention {
  readonly specifier: string;
  /** `*` for a namespace as a whole. */
  readonly exportName: string;
  /** The property of it that is named, and what is done to that; undefined where there is none. */
  readonly member?: NamedMember;
  readonly effect: Effect;
  /** Of an effect `replaced`: the members; null for any. */
  readonly names?: readonly string[] | null;
  readonly fromFile: string;
}

export function plainMentions(
  api: Api,
  program: ts.Program,
  isRewritten: (node: ts.Node) => boolean,
): readonly PlainMention[] {
  const found: PlainMention[] = [];
  const checker = program.getTypeChecker();
  const files = program
    .getSourceFiles()
    .filter((file) => !file.isDeclarationFile && !file.fileName.includes("/node_modules/"));
  for (const file of files) collect(api, file, checker, isRewritten, found);
  const open = files.flatMap((file) => openChanges(api, file, checker));
  if (open.length === 0) return found;
  const names = open.includes(null) ? null : [...new Set(open.flatMap((each) => each ?? []))];
  return [...found, ...found.map((one) => ({ ...one, effect: "replaced" as const, names }))];
}

/** What the program puts on classes of which it does not say which they are; null for any. */
const openChanges = (
  api: Api,
  file: ts.SourceFile,
  checker: ts.TypeChecker,
): readonly (readonly string[] | null)[] =>
  writesIn(api, file).flatMap(({ of, names, isStatic, node }) => {
    if (of !== undefined && hasKnownClass(api, of, checker)) return [];
    return isStatic && !isMethod(api, node, checker) ? [] : [names];
  });

/** `C` of an import, a class, a function or the library; a class of the program in its own code */
function hasKnownClass(api: Api, of: ts.Expression, checker: ts.TypeChecker): boolean {
  const name = bare(of, api);
  if (isOwnThis(api, name)) return true;
  if (!api.isIdentifier(name)) return false;
  const declared = checker.getSymbolAtLocation(name)?.declarations ?? [];
  return declared.some(
    (each) =>
      each.getSourceFile().isDeclarationFile ||
      !(api.isParameter(each) || api.isVariableDeclaration(each) || api.isBindingElement(each)),
  );
}

/** Whether what may be a class is given functions there. */
const isMethod = (api: Api, object: ts.Node, checker: ts.TypeChecker): boolean =>
  api.isExpression(object) &&
  isWritten(api, object) &&
  mayBeClass(api, checker.getTypeAtLocation(object));

function mayBeClass(api: Api, type: ts.Type): boolean {
  if (type.isUnion()) return type.types.some((each) => mayBeClass(api, each));
  const { Any, Unknown, TypeParameter } = api.TypeFlags;
  const isOpen = (type.flags & (Any | Unknown | TypeParameter)) !== 0;
  return isOpen || type.getConstructSignatures().length > 0;
}

type Add = (
  specifier: string,
  exportName: string,
  done: Pick<PlainMention, "effect" | "names" | "member">,
) => void;

interface Local {
  readonly specifier: string;
  readonly imported: string;
  readonly symbol: ts.Symbol | undefined;
}

function collect(
  api: Api,
  file: ts.SourceFile,
  checker: ts.TypeChecker,
  isRewritten: (node: ts.Node) => boolean,
  found: PlainMention[],
): void {
  const locals = localsOf(api, file, checker);
  const add: Add = (specifier, exportName, done) =>
    void found.push({ specifier, exportName, ...done, fromFile: file.fileName });
  for (const node of file.statements)
    if (api.isExportDeclaration(node) && !node.isTypeOnly && isPackage(api, node.moduleSpecifier))
      for (const name of exportedNames(api, node))
        add(node.moduleSpecifier.text, name, { effect: "read" });
  if (locals.size === 0) return;
  const work: ts.Node[] = [...file.statements];
  for (let node = work.pop(); node !== undefined; node = work.pop()) {
    if (api.isTypeNode(node) || api.isImportDeclaration(node) || isRewritten(node)) continue;
    const local = api.isIdentifier(node) ? locals.get(node.text) : undefined;
    if (local !== undefined && api.isIdentifier(node) && denotes(api, node, local, checker))
      mention(api, node, local, add);
    api.forEachChild(node, (child) => void work.push(child));
  }
}

function localsOf(
  api: Api,
  file: ts.SourceFile,
  checker: ts.TypeChecker,
): ReadonlyMap<string, Local> {
  const locals = new Map<string, Local>();
  const add = (name: ts.Identifier, specifier: string, imported: string): void =>
    void locals.set(name.text, { specifier, imported, symbol: checker.getSymbolAtLocation(name) });
  for (const node of file.statements) {
    for (const [name, specifier, imported] of requiredBy(api, node)) add(name, specifier, imported);
    if (!api.isImportDeclaration(node) || !isPackage(api, node.moduleSpecifier)) continue;
    const { text } = node.moduleSpecifier;
    const clause = node.importClause;
    if (clause?.name !== undefined) add(clause.name, text, "default");
    const bindings = clause?.namedBindings;
    if (bindings === undefined) continue;
    if (api.isNamespaceImport(bindings)) add(bindings.name, text, "*");
    else
      for (const { name, propertyName } of bindings.elements)
        add(name, text, (propertyName ?? name).text);
  }
  return locals;
}

/** `const lib = require("lib")`, `const { f } = require("lib")`, `import lib = require("lib")` */
function requiredBy(
  api: Api,
  node: ts.Statement,
): readonly (readonly [name: ts.Identifier, specifier: string, imported: string])[] {
  if (api.isImportEqualsDeclaration(node)) {
    const { moduleReference: from } = node;
    return api.isExternalModuleReference(from) && isPackage(api, from.expression)
      ? [[node.name, from.expression.text, "*"]]
      : [];
  }
  if (!api.isVariableStatement(node)) return [];
  return node.declarationList.declarations.flatMap(({ name, initializer }) => {
    const [from] =
      initializer !== undefined &&
      api.isCallExpression(initializer) &&
      api.isIdentifier(initializer.expression) &&
      initializer.expression.text === "require"
        ? initializer.arguments
        : [];
    if (!isPackage(api, from)) return [];
    if (api.isIdentifier(name)) return [[name, from.text, "*"] as const];
    return name.elements.flatMap((one) =>
      api.isBindingElement(one) && api.isIdentifier(one.name)
        ? [[one.name, from.text, (one.propertyName ?? one.name).getText()] as const]
        : [],
    );
  });
}

const isPackage = (api: Api, node: ts.Expression | undefined): node is ts.StringLiteral =>
  node !== undefined &&
  api.isStringLiteral(node) &&
  !/^(?:[./#]|node:|tsgrad(?:\/|$))/.test(node.text);

const exportedNames = (api: Api, { exportClause }: ts.ExportDeclaration): readonly string[] =>
  exportClause !== undefined && api.isNamedExports(exportClause)
    ? exportClause.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
    : ["*"];

function denotes(
  api: Api,
  node: ts.Identifier,
  { symbol }: Local,
  checker: ts.TypeChecker,
): boolean {
  const { parent } = node;
  if (api.isPropertyAccessExpression(parent) && parent.name === node) return false;
  const own = api.isShorthandPropertyAssignment(parent)
    ? checker.getShorthandAssignmentValueSymbol(parent)
    : checker.getSymbolAtLocation(node);
  return own === symbol;
}

function mention(api: Api, node: ts.Identifier, { specifier, imported }: Local, add: Add): void {
  const { parent } = node;
  const isOwner = api.isPropertyAccessExpression(parent) && parent.expression === node;
  const name = isOwner ? parent.name.text : "";
  if (imported === "*" && isOwner) add(specifier, name, doneTo(api, parent));
  else if (!isOwner) add(specifier, imported, doneTo(api, node));
  else {
    const member = { name, effect: effectOf(api, parent) };
    add(specifier, imported, { ...doneTo(api, node), member });
  }
}

function doneTo(api: Api, node: ts.Expression): Pick<PlainMention, "effect" | "names"> {
  const { parent } = node;
  const isOwner = api.isPropertyAccessExpression(parent) && parent.expression === node;
  const object = isOwner && parent.name.text === "prototype" ? parent : node;
  const names = object === node && !isWritten(api, node) ? [] : changedIn(api, object);
  const effect = effectOf(api, node);
  return names?.length === 0 ? { effect } : { effect: "replaced", names };
}

/** Whether it is given functions for members; data is shared. */
function isWritten(api: Api, node: ts.Expression): boolean {
  const { parent } = node;
  if (api.isCallExpression(parent))
    return (
      parent.arguments[0] === node &&
      WRITERS.test(parent.expression.getText()) &&
      parent.arguments.slice(1).some((given) => mayHoldFunctions(api, given))
    );
  const isOwner = api.isPropertyAccessExpression(parent) || api.isElementAccessExpression(parent);
  const write = parent.parent;
  return (
    isOwner && isAssignment(write, api) && write.left === parent && isFunction(api, write.right)
  );
}

const mayHoldFunctions = (api: Api, given: ts.Expression): boolean =>
  !api.isObjectLiteralExpression(given) ||
  given.properties.some(
    (one) => !api.isPropertyAssignment(one) || isFunction(api, one.initializer),
  );

const isFunction = (api: Api, value: ts.Expression): boolean =>
  api.isFunctionLike(bare(value, api)) || api.isIdentifier(value);
