// Members of a package's class that packages put in place of those that its text has. In: modules,
// and the class. Out: their names. Invariant: of code whose class is not known, each member that it
// assigns may be replaced; where a whole prototype is handed on, all may be.

import type ts from "typescript";
import { isAssigned } from "../../syntax/assignments.ts";
import { isHeld, remembered, writesIn } from "../../syntax/changed-members.ts";
import { bare } from "../../syntax/wrappers.ts";
import { classOf, type ClassNode } from "./classes.ts";
import {
  type Found,
  initialiserOf,
  isKey,
  isTopLevel,
  type Module,
  type Modules,
  symbolAt,
} from "./modules.ts";

type Api = typeof ts;

/** A file, and whether an expression in it is a class that is asked about. */
export interface Code {
  readonly source: ts.SourceFile;
  readonly meaning: (of: ts.Expression) => Meaning;
}

/** "maybe": what a condition chooses. */
export type Meaning = "it" | "maybe" | "other" | "unknown";

const isAmong = (meaning: Meaning): boolean => meaning === "it" || meaning === "maybe";

/** What code may replace; static members apart. `own`: places where the class defines data. */
export function replacedBy(
  api: Api,
  all: readonly Code[],
  own: ReadonlySet<ts.Node>,
): { readonly own: Replaced; readonly statics: Replaced } {
  let isNamedAnew: boolean | undefined;
  const writes = all.flatMap(({ source, meaning }) =>
    writesIn(api, source).filter(({ of, isStatic, node }) => {
      if (own.has(node)) return false;
      const meant = of === undefined ? "unknown" : meaning(of);
      return (
        isAmong(meant) ||
        (meant === "unknown" &&
          (!isStatic || (isNamedAnew ??= all.some((code) => isHandedOn(api, code)))))
      );
    }),
  );
  const namesOf = (wanted: boolean): Replaced => {
    const names = writes.flatMap((each) => (each.isStatic === wanted ? [each.names] : []));
    return names.includes(null) ? null : new Set(names.flatMap((each) => each ?? []));
  };
  return { own: namesOf(false), statics: namesOf(true) };
}

/** Names; null for all. */
export type Replaced = ReadonlySet<string> | null;

/** These modules, and those that they load of files that count. */
export function loadedBy(
  api: Api,
  modules: Modules,
  roots: readonly Module[],
  counts: (file: string) => boolean,
): readonly Module[] {
  const found = new Set(roots);
  for (const module of found)
    for (const specifier of requestsOf(api, module.source)) {
      const file = modules.fileOf(specifier, module.file, module);
      const next = file !== null && counts(file) ? modules.opened(file) : null;
      if (next !== null) found.add(next);
    }
  return [...found];
}

/** A module, in which one of these classes is "it". */
export const codeOf = (api: Api, modules: Modules, module: Module, nodes: Classes): Code => ({
  source: module.source,
  meaning: (of) => meaningOf({ api, modules, module }, of, nodes),
});

const requestsOf = remembered((api, source) =>
  api.preProcessFile(source.text, true, true).importedFiles.map(({ fileName }) => fileName),
);

/** A set, or the keys of a map. */
type Classes = Pick<ReadonlySet<ClassNode>, "has">;

interface Scope {
  readonly api: Api;
  readonly modules: Modules;
  readonly module: Module;
  /** Parameters whose meaning is being looked for. */
  readonly open?: readonly ts.ParameterDeclaration[];
}

/** Whether an expression is one of the classes. */
function meaningOf(scope: Scope, of: ts.Expression, nodes: Classes): Meaning {
  const { api, modules, module } = scope;
  const name = bare(of, api);
  if (name.kind === api.SyntaxKind.ThisKeyword) {
    const block = api.findAncestor(name, api.isClassStaticBlockDeclaration);
    return block === undefined ? "unknown" : nodes.has(block.parent) ? "it" : "other";
  }
  if (api.isPropertyAccessExpression(name)) return ofModule(scope, name, nodes);
  if (api.isConditionalExpression(name)) {
    const choices = [name.whenTrue, name.whenFalse].map((each) => meaningOf(scope, each, nodes));
    return choices.some(isAmong) ? "maybe" : "unknown";
  }
  if (!api.isIdentifier(name)) return "unknown";
  if (name.text === "exports" || name.text === "module") return "other";
  const symbol = symbolAt(api, module.checker, name);
  return symbol !== undefined && !isTopLevel(api, symbol)
    ? innerMeaning(scope, symbol.valueDeclaration, nodes)
    : foundMeaning(scope, modules.local(module, name.text), nodes);
}

/** What a name means that is declared in a function. */
function innerMeaning(scope: Scope, declared: ts.Declaration | undefined, nodes: Classes): Meaning {
  const { api } = scope;
  if (declared === undefined) return "unknown";
  if (api.isParameter(declared)) return parameterMeaning(scope, declared, nodes);
  return isOwnClass(api, declared) ? "other" : "unknown";
}

/** What the calls of its module give for a parameter of a function. */
function parameterMeaning(
  scope: Scope,
  parameter: ts.ParameterDeclaration,
  nodes: Classes,
): Meaning {
  const { api, module, open = [] } = scope;
  const inside = { ...scope, open: [...open, parameter] };
  const calls = open.includes(parameter) ? [] : callsIn(api, module.source).get(parameter.parent);
  const index = parameter.parent.parameters.indexOf(parameter);
  const isGiven = calls?.some(
    ({ arguments: { [index]: given } }) =>
      given !== undefined && isAmong(meaningOf(inside, given, nodes)),
  );
  return isGiven === true ? "maybe" : "unknown";
}

/** By function at the top of a module: its calls there; absent where it has other uses. */
const callsIn = remembered((api, source): ReadonlyMap<ts.Node, readonly ts.CallExpression[]> => {
  const functions = new Map<string, ts.FunctionDeclaration>();
  for (const node of source.statements)
    if (api.isFunctionDeclaration(node) && node.name !== undefined && isFixed(api, node))
      functions.set(node.name.text, node);
  const found = new Map<ts.Node, ts.CallExpression[]>();
  const visit = (node: ts.Node): void => {
    const named = api.isIdentifier(node) && !isKey(api, node) && functions.get(node.text);
    if (named) {
      const { parent } = node;
      if (!api.isCallExpression(parent) || parent.expression !== node) functions.delete(node.text);
      else found.set(named, [...(found.get(named) ?? []), parent]);
    }
    api.forEachChild(node, visit);
  };
  visit(source);
  const known = new Set<ts.Node>(functions.values());
  return new Map([...found].filter(([node]) => known.has(node)));
});

/** Whether a parameter is what a call gives: nothing assigns it, or reads all of them. */
function isFixed(api: Api, { parameters, body }: ts.FunctionDeclaration): boolean {
  const names = new Set(parameters.map(({ name }) => (api.isIdentifier(name) ? name.text : "")));
  const visit = (node: ts.Node): boolean =>
    (api.isIdentifier(node) &&
      ((names.has(node.text) && isAssigned(node, api)) || node.text === "arguments")) ||
    api.forEachChild(node, (child) => visit(child) || undefined) === true;
  return (
    body !== undefined &&
    parameters.every(({ dotDotDotToken }) => dotDotDotToken === undefined) &&
    !visit(body)
  );
}

/** `m.C`, where `m` is an imported module */
function ofModule(
  scope: Scope,
  { expression: holder, name }: ts.PropertyAccessExpression,
  nodes: Classes,
): Meaning {
  const { api, modules, module } = scope;
  const from =
    api.isIdentifier(holder) && module.surface.imports.has(holder.text)
      ? modules.local(module, holder.text)
      : null;
  const found = from && modules.member(from, name.text, module);
  return found === null ? "unknown" : foundMeaning(scope, found, nodes);
}

const isOwnClass = (api: Api, node: ts.Node): boolean =>
  api.isClassLike(node) || api.isFunctionDeclaration(node);

function foundMeaning({ api, modules }: Scope, found: Found | null, nodes: Classes): Meaning {
  if (found?.kind !== "declared") return found?.kind === "global" ? "other" : "unknown";
  const meant = classOf(api, found);
  if (meant === null) {
    const value = initialiserOf(api, found.node);
    const isChoice = value !== undefined && api.isConditionalExpression(value);
    if (isChoice) return meaningOf({ api, modules, module: found.module }, value, nodes);
    return api.isFunctionDeclaration(found.node) ? "other" : "unknown";
  }
  return nodes.has(meant) ? "it" : "other";
}

/** Whether an expression of the program's is one of the declared classes. */
export function meaningIn(
  { api, checker }: { readonly api: Api; readonly checker: ts.TypeChecker },
  of: ts.Expression,
  declared: ReadonlySet<ts.Symbol>,
): Meaning {
  const meant = meantBy(api, checker.getTypeAtLocation(of), declared);
  return meant === "it" && !api.isIdentifier(bare(of, api)) ? "unknown" : meant;
}

function meantBy(api: Api, type: ts.Type, declared: ReadonlySet<ts.Symbol>): Meaning {
  if (type.isUnion())
    return type.types.every((each) => meantBy(api, each, declared) === "other")
      ? "other"
      : "unknown";
  if (type.flags & (api.TypeFlags.Any | api.TypeFlags.Unknown | api.TypeFlags.TypeParameter))
    return "unknown";
  if (declared.has(type.symbol) && type.getConstructSignatures().length > 0) return "it";
  // a function's own prototype, or that of a class of the program or the library
  return (type.symbol as ts.Symbol | undefined)?.name === "Function" ? "unknown" : "other";
}

/** Whether such a class gets another name, as an argument or otherwise. */
export function isHandedOn(api: Api, { source, meaning }: Code): boolean {
  const visit = (at: ts.Node): boolean => {
    if (api.isTypeNode(at) && !api.isExpressionWithTypeArguments(at)) return false;
    if (api.isIdentifier(at) && (isKey(api, at) || isPlainUse(api, at))) return false;
    const isName = api.isIdentifier(at) || api.isPropertyAccessExpression(at);
    if (isName && !isPlainUse(api, at) && isAmong(meaning(at))) return !isAlias(at);
    return api.forEachChild(at, (child) => visit(child) || undefined) === true;
  };
  // `const D = C` or `install(C)`, of which each use is known
  const isAlias = (node: ts.Node): boolean => {
    const { parent } = node;
    if (api.isCallExpression(parent)) return isKnownArgument(api, parent, node, meaning);
    return (
      api.isVariableDeclaration(parent) &&
      api.isIdentifier(parent.name) &&
      meaning(parent.name) === "it"
    );
  };
  return visit(source);
}

/** Whether a call gives a class to a parameter of a function whose calls are known. */
function isKnownArgument(
  api: Api,
  call: ts.CallExpression,
  node: ts.Node,
  meaning: Code["meaning"],
): boolean {
  const index = call.arguments.findIndex((each) => each === node);
  const parameters = [...callsIn(api, call.getSourceFile())].find(([, calls]) =>
    calls.includes(call),
  )?.[0];
  if (parameters === undefined || !api.isFunctionDeclaration(parameters)) return false;
  const name = parameters.parameters[index]?.name;
  return name !== undefined && api.isIdentifier(name) && isAmong(meaning(name));
}

/** `new C`, `C.member`, `x instanceof C`, `extends C`, and exports */
function isPlainUse(api: Api, name: ts.Expression): boolean {
  const { parent } = name;
  if (api.isConditionalExpression(parent))
    return parent.condition === name || api.isExportAssignment(parent.parent);
  if (api.isNewExpression(parent)) return parent.expression === name;
  if (api.isBinaryExpression(parent))
    return !isHeld(api, parent) || /^(?:module\.)?exports\b/.test(parent.left.getText());
  return (
    api.isPropertyAccessExpression(parent) ||
    api.isElementAccessExpression(parent) ||
    api.isExpressionWithTypeArguments(parent) ||
    api.isExportAssignment(parent)
  );
}
