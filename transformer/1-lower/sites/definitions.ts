// `defineDerivative(f, { vjp: rule })`: rules for functions whose code is not in the program.
// Input: the user's files. Output: the rule of each function. A function is identified by its
// symbol, a member also by its object. Statements without effect and duplicates are reported.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import type { Code } from "../../diagnostics/registry.ts";
import type { TypeScript } from "../typescript.ts";
import { type Forms } from "./forms.ts";
import { endOf } from "../checker.ts";
import { nameOf } from "./targets.ts";
import { shorten } from "./quoted-code.ts";
import type { Definition } from "../function-values.ts";

export interface Definitions {
  readonly isEmpty: boolean;
  /** The rule of the function that `symbol` denotes at `at`. */
  of(symbol: ts.Symbol, at: ts.Node): Definition | null;
  /** The definition in a call. */
  at(call: ts.CallExpression): Definition | null;
}

export type Report = (code: Code, at: ts.Node, ...args: readonly string[]) => void;

const NAME = "defineDerivative";
const RENAMED = /\bdefineDerivative\b[^,;}]*\bas\b/;

export function definitionsOf(
  files: readonly ts.SourceFile[],
  forms: Forms,
  api: TypeScript,
  checker: ts.TypeChecker,
  report: Report,
): Definitions {
  const found = new Map<ts.Symbol, Definition[]>();
  const calls = new Map<ts.CallExpression, Definition>();
  // if `defineDerivative` is renamed, any file may call it
  const isRenamed = files.some((file) => RENAMED.test(file.text));
  for (const call of files
    .filter((file) => isRenamed || file.text.includes(NAME))
    .flatMap((file) => statementsOf(file, forms, api, checker, report))) {
    const definition = definitionOf(call, api, checker, report);
    if (definition === null) continue;
    const others = found.get(definition.symbol) ?? [];
    const first = others.find((other) => isSameFunction(definition, other, api, checker));
    if (first !== undefined)
      report(
        "TSG1021",
        call,
        shorten(definition.target.getText()),
        `${first.call.getSourceFile().fileName.split("/").at(-1) ?? ""}:${lineOf(first.call)}`,
      );
    else {
      found.set(definition.symbol, [...others, definition]);
      calls.set(call, definition);
    }
  }
  return {
    isEmpty: calls.size === 0,
    of: (alias, at) =>
      found.get(endOf(alias, api, checker))?.find((each) => isMeant(each, at, api, checker)) ??
      null,
    at: (call) => calls.get(call) ?? null,
  };
}

const lineOf = (node: ts.Node): number =>
  node.getSourceFile().getLineAndCharacterOfPosition(node.getStart()).line + 1;

/** The calls that are top-level statements of a module; other uses are reported. */
function statementsOf(
  file: ts.SourceFile,
  forms: Forms,
  api: TypeScript,
  checker: ts.TypeChecker,
  report: Report,
): ts.CallExpression[] {
  const found: ts.CallExpression[] = [];
  const visit = (node: ts.Node): void => {
    if (api.isImportDeclaration(node) || api.isExportDeclaration(node) || api.isTypeNode(node))
      return;
    // tsgrad's own sources may be part of the program
    if (api.isFunctionDeclaration(node) && node.name?.text === NAME) return;
    const symbol =
      api.isIdentifier(node) && node.text !== "" ? checker.getSymbolAtLocation(node) : undefined;
    if (symbol !== undefined && forms.operatorOf(symbol) === NAME) {
      const { parent } = node;
      const used = api.isPropertyAccessExpression(parent) && parent.name === node ? parent : node;
      if (isModuleStatement(used, api)) found.push(used.parent);
      else report("TSG1020", used, NAME, "it is no statement of a module");
    }
    api.forEachChild(node, visit);
  };
  api.forEachChild(file, visit);
  return found;
}

const isModuleStatement = (
  callee: ts.Node,
  api: TypeScript,
): callee is ts.Node & { readonly parent: ts.CallExpression } =>
  api.isCallExpression(callee.parent) &&
  callee.parent.expression === callee &&
  api.isExpressionStatement(callee.parent.parent) &&
  api.isSourceFile(callee.parent.parent.parent);

function definitionOf(
  call: ts.CallExpression,
  api: TypeScript,
  checker: ts.TypeChecker,
  report: Report,
): Definition | null {
  const [target, options] = call.arguments;
  if (target === undefined || options === undefined) return null;
  const shown = shorten(target.getText());
  const refuse = (what: string): null => (report("TSG1020", call, shown, what), null);
  const name = bare(target, api);
  if (!api.isIdentifier(name) && !api.isPropertyAccessExpression(name))
    return refuse("it is not a name");
  const alias = checker.getSymbolAtLocation(nameOf(name, api));
  const symbol = alias === undefined ? undefined : endOf(alias, api, checker);
  const declaration = symbol?.valueDeclaration ?? symbol?.declarations?.[0];
  if (symbol === undefined || declaration === undefined)
    return refuse("the build does not find its declaration");
  const problem = problemOf(name, declaration, api, checker) ?? signatureProblem(target, checker);
  if (problem !== null) return refuse(problem);
  const rule = ruleIn(options, api);
  return rule === null
    ? refuse("its rule is not written in place as `{ vjp: rule }` or `{ jvp: rule }`")
    : { call, target: name, symbol, ...rule };
}

function problemOf(
  name: ts.Identifier | ts.PropertyAccessExpression,
  declaration: ts.Declaration,
  api: TypeScript,
  checker: ts.TypeChecker,
): string | null {
  const file = declaration.getSourceFile();
  if (
    !file.isDeclarationFile &&
    !file.fileName.includes("/node_modules/") &&
    !isAmbient(declaration, api)
  )
    return "it is a function of this program; use `customVjp` or `customJvp`";
  return !isStanding(declaration, api) &&
    !(api.isPropertyAccessExpression(name) && objectOf(name, api, checker) !== null)
    ? "which object it is a member of is not known at build time"
    : null;
}

function signatureProblem(target: ts.Expression, checker: ts.TypeChecker): string | null {
  const signatures = checker.getTypeAtLocation(target).getCallSignatures();
  const [signature] = signatures;
  if (signature === undefined || signatures.length > 1 || signature.typeParameters !== undefined)
    return "it is generic or has overloads; let a function of yours call it, and give that a rule by `customVjp`";
  const takesFunction = signature.parameters.some(
    (parameter) =>
      checker.getTypeOfSymbolAtLocation(parameter, target).getCallSignatures().length > 0,
  );
  return takesFunction
    ? "it takes a function, of which the rule would have to give a cotangent; let a function of yours call it, and give that a rule by `customVjp`"
    : null;
}

const isAmbient = (declaration: ts.Declaration, api: TypeScript): boolean =>
  (api.getCombinedModifierFlags(declaration) & api.ModifierFlags.Ambient) !== 0;

/** Whether a declaration denotes one function, rather than a member of many objects. */
const isStanding = (declaration: ts.Declaration, api: TypeScript): boolean =>
  api.isFunctionDeclaration(declaration) || api.isVariableDeclaration(declaration);

function ruleIn(options: ts.Expression, api: TypeScript): Pick<Definition, "mode" | "rule"> | null {
  const literal = bare(options, api);
  const [property, ...more] = api.isObjectLiteralExpression(literal) ? literal.properties : [];
  if (
    property === undefined ||
    more.length > 0 ||
    property.name === undefined ||
    !api.isIdentifier(property.name)
  )
    return null;
  const mode = property.name.text;
  if (mode !== "vjp" && mode !== "jvp") return null;
  if (api.isPropertyAssignment(property)) return { mode, rule: property.initializer };
  if (api.isShorthandPropertyAssignment(property)) return { mode, rule: property.name };
  return api.isMethodDeclaration(property) ? { mode, rule: property } : null;
}

/** `lib` of `lib.f`, if it is the same object or module throughout the program. */
function objectOf(
  access: ts.PropertyAccessExpression,
  api: TypeScript,
  checker: ts.TypeChecker,
): ts.Symbol | null {
  const object = bare(access.expression, api);
  if (!api.isIdentifier(object) && !api.isPropertyAccessExpression(object)) return null;
  const alias = checker.getSymbolAtLocation(nameOf(object, api));
  const symbol = alias === undefined ? undefined : endOf(alias, api, checker);
  const declaration = symbol?.valueDeclaration;
  if (symbol === undefined || declaration === undefined) return null;
  if (symbol.flags & (api.SymbolFlags.ValueModule | api.SymbolFlags.NamespaceModule)) return symbol;
  const isConstant =
    api.isVariableDeclaration(declaration) &&
    (declaration.getSourceFile().isDeclarationFile ||
      (api.getCombinedNodeFlags(declaration) & api.NodeFlags.Constant) !== 0);
  return isConstant ? symbol : null;
}

/** Whether a use of the symbol denotes the function: for a member, on the same object. */
function isMeant(
  { symbol, target }: Definition,
  at: ts.Node,
  api: TypeScript,
  checker: ts.TypeChecker,
): boolean {
  const declaration = symbol.valueDeclaration ?? symbol.declarations?.[0];
  if (declaration === undefined || isStanding(declaration, api)) return true;
  const use = api.isCallExpression(at) ? bare(at.expression, api) : at;
  if (!api.isPropertyAccessExpression(use) || !api.isPropertyAccessExpression(target)) return false;
  const object = objectOf(use, api, checker);
  return object !== null && object === objectOf(target, api, checker);
}

const isSameFunction = (
  definition: Definition,
  other: Definition,
  api: TypeScript,
  checker: ts.TypeChecker,
): boolean => isMeant(other, definition.target, api, checker);
