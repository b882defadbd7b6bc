// Finds the calls of tsgrad's forms in one file. Input: a user file. Output: each call with its
// form, target expression and options. Symbols decide, not names. A form that is not called, and a
// call that cannot be read, are reported.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import type { Code } from "../../diagnostics/registry.ts";
import type { Form } from "../../ir/facts.ts";
import type { TypeScript } from "../typescript.ts";
import {
  destructuredExport,
  FORM_NAMES,
  type Forms,
  formsOf,
  isMaking,
  type Operator,
} from "./forms.ts";
import { checkerOf, endOf } from "../checker.ts";
import { mentions } from "../names/mentions.ts";
import { optionsOf } from "./options.ts";
import { shownForm } from "./shown-form.ts";
import { type Options } from "../function-values.ts";
import { isTsgrad, moduleGraph } from "./module-graph.ts";
import { mayBeMarked } from "./marked.ts";
import { valueTaken } from "./value-targets.ts";

/** A form's call in user code. Its target is not resolved yet. */
export interface WrittenSite {
  readonly form: Form;
  readonly call: ts.CallExpression;
  readonly target: ts.Expression;
  readonly options: Options;
  /** `derivativeSource(f, { form })`: the source text of what `form(f)` gets. */
  readonly asText?: true;
}

type Report = (code: Code, at: ts.Node, ...args: readonly string[]) => void;

export function sitesOf(
  file: ts.SourceFile,
  forms: Forms,
  api: TypeScript,
  checker: ts.TypeChecker,
  report: Report,
): WrittenSite[] {
  const names = importedNames(file, forms, api, checker);
  const sites: WrittenSite[] = [];
  const mayHold = mentions(file, [...names.forms, ...names.namespaces, ...FORM_NAMES, "tsgrad"]);
  const visit = (node: ts.Node): void => {
    // the last name of `namespace.form` contains none of the searched words
    if (!api.isIdentifier(node) && !mayHold(node)) return;
    // `f<T>` as an expression counts as a type node, but contains an expression
    if (api.isExpressionWithTypeArguments(node)) return visit(node.expression);
    if (mentionsOnly(node, api)) return;
    if (api.isCallExpression(node)) reportDynamicImport(node, api, report);
    if (isName(node, api) && isCandidate(node, names, api) && !isTaken(node, api, checker)) {
      const site = siteAt(node, forms, api, checker, report);
      if (site !== null) sites.push(site);
    }
    api.forEachChild(node, visit);
  };
  visit(file);
  return sites;
}

/** What derivatives are of: arguments of tsgrad's calls; files with marked functions. */
export function targetsIn(
  api: TypeScript,
  program: ts.Program,
  files: readonly ts.SourceFile[],
): readonly ts.Node[] {
  const checker = checkerOf(program, api);
  const forms = formsOf(api, checker, moduleGraph(api, program));
  return files.flatMap((file): readonly ts.Node[] =>
    mayBeMarked(file)
      ? [file]
      : sitesOf(file, forms, api, checker, () => undefined).map(({ target }) => target),
  );
}

/** Declarations and types, which name a form without using it. */
const mentionsOnly = (node: ts.Node, api: TypeScript): boolean =>
  api.isImportDeclaration(node) ||
  api.isExportDeclaration(node) ||
  api.isImportEqualsDeclaration(node) ||
  isDefaultReExport(node, api) ||
  api.isTypeNode(node) ||
  api.isTypeAliasDeclaration(node) ||
  api.isInterfaceDeclaration(node);

/** `export default grad` re-exports the name, as `export { grad }` does. */
const isDefaultReExport = (node: ts.Node, api: TypeScript): boolean =>
  api.isExportAssignment(node) &&
  (api.isIdentifier(node.expression) || api.isPropertyAccessExpression(node.expression));

interface ImportedNames {
  readonly forms: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
}

/** Local names of imported forms, and of modules and namespaces that may contain a form. */
function importedNames(
  file: ts.SourceFile,
  forms: Forms,
  api: TypeScript,
  checker: ts.TypeChecker,
): ImportedNames {
  const found = { forms: new Set<string>(), namespaces: new Set<string>() };
  const add = (name: ts.Identifier | undefined): void => {
    const symbol = name === undefined ? undefined : checker.getSymbolAtLocation(name);
    if (name === undefined || symbol === undefined) return;
    if (formNamed(symbol, forms) !== null) found.forms.add(name.text);
    else if (endOf(symbol, api, checker).flags & (api.SymbolFlags.Module | api.SymbolFlags.Alias))
      found.namespaces.add(name.text);
  };
  for (const statement of withThoseOfNamespaces(file.statements, api)) {
    if (api.isImportEqualsDeclaration(statement)) add(statement.name);
    if (api.isModuleDeclaration(statement)) found.namespaces.add(statement.name.text);
    if (api.isVariableStatement(statement)) for (const name of takenBy(statement, api)) add(name);
    if (!api.isImportDeclaration(statement) || statement.importClause === undefined) continue;
    const { name, namedBindings } = statement.importClause;
    add(name);
    if (namedBindings === undefined) continue;
    if (api.isNamespaceImport(namedBindings)) add(namedBindings.name);
    else for (const element of namedBindings.elements) add(element.name);
  }
  return found;
}

/** `grad` and `v` of `const { grad, vjp: v } = namespace` */
const takenBy = (
  { declarationList }: ts.VariableStatement,
  api: TypeScript,
): readonly ts.Identifier[] =>
  declarationList.declarations.flatMap(({ name }) =>
    api.isObjectBindingPattern(name)
      ? name.elements.flatMap((element) => (api.isIdentifier(element.name) ? [element.name] : []))
      : [],
  );

function withThoseOfNamespaces(
  statements: readonly ts.Statement[],
  api: TypeScript,
): ts.Statement[] {
  return statements.flatMap((statement) => {
    let body = api.isModuleDeclaration(statement) ? statement.body : undefined;
    while (body !== undefined && api.isModuleDeclaration(body)) body = body.body;
    return body !== undefined && api.isModuleBlock(body)
      ? [statement, ...withThoseOfNamespaces(body.statements, api)]
      : [statement];
  });
}

type Name = ts.Identifier | ts.StringLiteralLike;

/** An identifier, or the string in `namespace["form"]`. */
const isName = (node: ts.Node, api: TypeScript): node is Name =>
  api.isIdentifier(node) ||
  (api.isStringLiteralLike(node) &&
    api.isElementAccessExpression(node.parent) &&
    node.parent.argumentExpression === node);

/** The object that the name is a member of; null without one. */
function ownerOf(node: Name, api: TypeScript): ts.Expression | null {
  const { parent } = node;
  if (api.isPropertyAccessExpression(parent) && parent.name === node) return parent.expression;
  return api.isElementAccessExpression(parent) && parent.argumentExpression === node
    ? parent.expression
    : null;
}

/** Whether the name may denote a form: imported, or a member of a possible namespace. */
function isCandidate(node: Name, names: ImportedNames, api: TypeScript): boolean {
  let root = ownerOf(node, api);
  if (root === null)
    return names.forms.has(node.text) || (FORM_NAMES.has(node.text) && isPicked(node, api));
  if (FORM_NAMES.has(node.text)) return true;
  while (api.isPropertyAccessExpression(root)) root = root.expression;
  return api.isIdentifier(root) && names.namespaces.has(root.text);
}

/** `grad` of `const { grad: g } = namespace` and of `const { grad } = namespace`. */
function isPicked(node: Name, api: TypeScript): boolean {
  const element = node.parent;
  if (
    !api.isBindingElement(element) ||
    !api.isObjectBindingPattern(element.parent) ||
    (element.propertyName ?? element.name) !== node
  )
    return false;
  const { parent } = element.parent;
  const value =
    api.isVariableDeclaration(parent) && parent.initializer !== undefined
      ? bare(parent.initializer, api)
      : undefined;
  const imported = value !== undefined && api.isAwaitExpression(value) ? value.expression : value;
  // the dynamic import itself is reported
  return (
    imported === undefined ||
    !api.isCallExpression(imported) ||
    !isTsgrad(imported.arguments[0], api)
  );
}

/** Whether the name is bound by `const { grad: g } = ad`, which acts like an import. */
function isTaken({ parent }: Name, api: TypeScript, checker: ts.TypeChecker): boolean {
  const symbol = api.isBindingElement(parent)
    ? checker.getSymbolAtLocation(parent.name)
    : undefined;
  return symbol !== undefined && destructuredExport(symbol, api, checker) !== null;
}

/** Whether a name comes from `require("tsgrad")`, which is reported and not followed. */
function isRequired(node: Name, api: TypeScript, checker: ts.TypeChecker): boolean {
  let root: ts.Node = ownerOf(node, api) ?? node;
  while (api.isPropertyAccessExpression(root)) root = root.expression;
  const [declared] = checker.getSymbolAtLocation(root)?.declarations ?? [];
  const variable =
    declared === undefined ? undefined : api.findAncestor(declared, api.isVariableDeclaration);
  const call = variable?.initializer;
  return (
    call !== undefined &&
    api.isCallExpression(call) &&
    api.isIdentifier(call.expression) &&
    call.expression.text === "require" &&
    isTsgrad(call.arguments[0], api)
  );
}

function symbolAt(node: Name, api: TypeScript, checker: ts.TypeChecker): ts.Symbol | undefined {
  if (isRequired(node, api, checker)) return undefined;
  return api.isShorthandPropertyAssignment(node.parent)
    ? checker.getShorthandAssignmentValueSymbol(node.parent)
    : isPicked(node, api)
      ? checker.getTypeAtLocation(node.parent.parent).getProperty(node.text)
      : checker.getSymbolAtLocation(node);
}

/** A form, or an operator that takes a function and gives one. */
const formNamed = (symbol: ts.Symbol, forms: Forms): Form | Operator | null => {
  const operator = forms.operatorOf(symbol);
  return forms.formOf(symbol) ?? (isMaking(operator) ? operator : null);
};

/** `name`: the identifier that may denote a form. */
function siteAt(
  name: Name,
  forms: Forms,
  api: TypeScript,
  checker: ts.TypeChecker,
  report: Report,
): WrittenSite | null {
  const symbol = symbolAt(name, api, checker);
  const called = symbol === undefined ? null : formNamed(symbol, forms);
  if (symbol === undefined || called === null) return null;
  // the parent of a name with an owner is an access expression
  const named: ts.Expression = ownerOf(name, api) === null ? name : (name.parent as ts.Expression);
  const call = callOf(named, api);
  const [target] = call?.arguments ?? [];
  const value = target === undefined ? null : valueTaken(called, target, api, checker);
  if (target !== undefined && value !== null) {
    report("TSG1026", target, ...value);
    return null;
  }
  const form = forms.formOf(symbol);
  if (form === null) return null;
  if (call !== null) return readCall(call, form, api, report);
  report("TSG0002", named, named.getText());
  return null;
}

/** The call of a form. */
function callOf(named: ts.Expression, api: TypeScript): ts.CallExpression | null {
  let use: ts.Node = named;
  while (
    api.isExpression(use.parent) &&
    !api.isCallExpression(use.parent) &&
    bare(use.parent, api) === named
  )
    use = use.parent;
  const call = use.parent;
  return api.isCallExpression(call) && call.expression === use ? call : null;
}

function readCall(
  call: ts.CallExpression,
  form: Form,
  api: TypeScript,
  report: Report,
): WrittenSite | null {
  const target = call.arguments[0];
  if (target === undefined || api.isSpreadElement(target)) {
    report("TSG1007", call, form);
    return null;
  }
  const meant = form === "derivativeSource" ? shownForm(call.arguments[1], api, report) : form;
  if (meant === null) return null;
  const asText = meant !== form;
  const options = optionsOf(meant, call.arguments[1], api, report, asText);
  return options === null
    ? null
    : { form: meant, call, target, options, ...(asText ? { asText } : {}) };
}

/** Reports imports of tsgrad that the build cannot follow. */
function reportDynamicImport(call: ts.CallExpression, api: TypeScript, report: Report): void {
  const [specifier] = call.arguments;
  if (specifier === undefined || !api.isStringLiteralLike(specifier) || !isTsgrad(specifier, api))
    return;
  if (call.expression.kind === api.SyntaxKind.ImportKeyword)
    report("TSG0003", call, specifier.text, "import()");
  else if (api.isIdentifier(call.expression) && call.expression.text === "require")
    report("TSG0003", call, specifier.text, "require()");
}
