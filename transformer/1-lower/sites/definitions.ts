// `defineDerivative(f, { vjp: rule })`: rules for functions whose code the build does not have. In: the user's files. Out: which function has which rule.
// Invariant: a function is known by its symbol, however it is imported, and of a member by its object too; what stands where it has no effect, or says
// something twice, is reported.

import type ts from "typescript";
import type { Code } from "../../diagnostics/registry.ts";
import type { TypeScript } from "../context.ts";
import { endOf, type Forms } from "./forms.ts";
import { nameOf, shorten } from "./targets.ts";
import { unwrap } from "../unwrap.ts";

export interface Definition {
  readonly call: ts.CallExpression;
  /** The function, as the call names it. */
  readonly target: ts.Expression;
  readonly symbol: ts.Symbol;
  readonly mode: "vjp" | "jvp";
  readonly rule: ts.Expression | ts.MethodDeclaration;
}

export interface Definitions {
  readonly isEmpty: boolean;
  /** The rule of the function that `symbol` stands for at `at`. */
  of(symbol: ts.Symbol, at: ts.Node): Definition | null;
  /** What the statement says. */
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
  // where it is given another name, any file may call it
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

/** The calls that are statements of a module. */
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
    if (api.isFunctionDeclaration(node) && node.name?.text === NAME) return; // tsgrad's own sources in the program
    const symbol =
      api.isIdentifier(node) && node.text !== "" ? checker.getSymbolAtLocation(node) : undefined;
    if (symbol !== undefined && forms.operatorOf(symbol) === NAME) {
      const used: ts.Node =
        api.isPropertyAccessExpression(node.parent) && node.parent.name === node
          ? node.parent
          : node;
      const call = used.parent;
      if (
        api.isCallExpression(call) &&
        call.expression === used &&
        api.isExpressionStatement(call.parent) &&
        api.isSourceFile(call.parent.parent)
      )
        found.push(call);
      else report("TSG1020", used, NAME, "it is no statement of a module");
    }
    api.forEachChild(node, visit);
  };
  api.forEachChild(file, visit);
  return found;
}

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
  const name = unwrap(target, api);
  if (!api.isIdentifier(name) && !api.isPropertyAccessExpression(name))
    return refuse("it is not a name");
  const alias = checker.getSymbolAtLocation(nameOf(name, api));
  const symbol = alias === undefined ? undefined : endOf(alias, api, checker);
  const declaration = symbol?.valueDeclaration ?? symbol?.declarations?.[0];
  if (symbol === undefined || declaration === undefined)
    return refuse("the build does not find its declaration");
  const file = declaration.getSourceFile();
  if (
    !file.isDeclarationFile &&
    !file.fileName.includes("/node_modules/") &&
    !isAmbient(declaration, api)
  )
    return refuse("it is a function of this program; use `customVjp` or `customJvp`");
  if (
    !isStanding(declaration, api) &&
    !(api.isPropertyAccessExpression(name) && objectOf(name, api, checker) !== null)
  )
    return refuse("which object it is a member of is not known at build time");
  const signatures = checker.getTypeAtLocation(target).getCallSignatures();
  if (signatures.length !== 1 || signatures[0]?.typeParameters !== undefined)
    return refuse(
      "it is generic or has overloads; let a function of yours call it, and give that a rule by `customVjp`",
    );
  if (
    signatures[0]?.parameters.some(
      (parameter) =>
        checker.getTypeOfSymbolAtLocation(parameter, target).getCallSignatures().length > 0,
    )
  )
    return refuse(
      "it takes a function, of which the rule would have to give a cotangent; let a function of yours call it, and give that a rule by `customVjp`",
    );
  const rule = ruleIn(options, api);
  return rule === null
    ? refuse("its rule is not written in place as `{ vjp: rule }` or `{ jvp: rule }`")
    : { call, target: name, symbol, ...rule };
}

const isAmbient = (declaration: ts.Declaration, api: TypeScript): boolean =>
  (api.getCombinedModifierFlags(declaration) & api.ModifierFlags.Ambient) !== 0;

/** Whether a declaration is that of one function, and not of what many objects have. */
const isStanding = (declaration: ts.Declaration, api: TypeScript): boolean =>
  api.isFunctionDeclaration(declaration) || api.isVariableDeclaration(declaration);

function ruleIn(options: ts.Expression, api: TypeScript): Pick<Definition, "mode" | "rule"> | null {
  const literal = unwrap(options, api);
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

/** `lib` of `lib.f`, if it is one object or module for the whole program. */
function objectOf(
  access: ts.PropertyAccessExpression,
  api: TypeScript,
  checker: ts.TypeChecker,
): ts.Symbol | null {
  const object = unwrap(access.expression, api);
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

/** Whether a use of the symbol is one of the function: of a member, of the same object. */
function isMeant(
  { symbol, target }: Definition,
  at: ts.Node,
  api: TypeScript,
  checker: ts.TypeChecker,
): boolean {
  const declaration = symbol.valueDeclaration ?? symbol.declarations?.[0];
  if (declaration === undefined || isStanding(declaration, api)) return true;
  const use = api.isCallExpression(at) ? unwrap(at.expression, api) : at;
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
