// Types of calls, found with a program in which the callers are typed. In: a user's call, or copies
// in such a program. Out: the copies that they mean. Invariant: a call whose arguments have no
// types yet waits for a later iteration.

import type ts from "typescript";
import { type ClassShape, unknownFields } from "./classes.ts";
import { type CallTypes, type Copies, type Copy, type Placed, rootOf } from "./copies.ts";
import { excludedBy } from "./excluded.ts";
import { functionArguments, functionsIn, type Place } from "./function-arguments.ts";
import { argumentType } from "./argument-types.ts";
import { functionOf } from "./functions.ts";
import type { Declared } from "./modules.ts";
import { fromPackage } from "./rendered.ts";
import { resultParameters } from "./result-types.ts";
import { isPlain, typeText, type Types } from "./type-text.ts";
import type { Setting } from "./type-evaluation.ts";
import { decide } from "./type-tests.ts";
import type { Use } from "./uses.ts";

/** The copies that the user's expressions mean, as far as they are known. */
export type Meant = Map<Use, Copy>;

interface Asked {
  readonly uses: readonly Use[];
  readonly meant: Meant;
  /** Those without types that no later iteration can have. */
  readonly closed: Set<Use>;
}

/** Finds more of them in a program with or without copies; whether any was found. */
export function iterationOfUses(
  types: Types,
  file: ts.SourceFile,
  copies: Copies,
  { uses, meant, closed }: Asked,
): boolean {
  const open = uses.filter(
    (use) => !meant.has(use) && !closed.has(use) && functionOf(types.api, use.found) !== null,
  );
  if (open.length === 0) return false;
  const names = identifiersIn(types.api, file, () => true);
  const byName = new Map(uses.map((use) => [startOfName(use.node), use]));
  let results: ReadonlyMap<string, ts.Type> | undefined;
  let waiting = 0;
  const resultOf: ResultOf = (name) => {
    const use = byName.get(name.getStart());
    if (use === undefined) return undefined;
    results ??= resultsOf(types, file, copies.file.text.length);
    const result = results.get(meant.get(use)?.name ?? "") ?? null;
    if (result === null || (result.flags & types.api.TypeFlags.Any) !== 0) waiting++;
    return result;
  };
  let isChanged = false;
  for (const use of open) {
    const name = names.get(startOfName(use.node));
    if (name === undefined) continue;
    const node = types.api.isPropertyAccessExpression(use.node) ? name.parent : name;
    const before = waiting;
    const given = declaredTypes({ ...types, resultOf }, node, use.found, copies);
    const copy = given && copies.function(use.found, given, use.specifier);
    if (copy === null) {
      if (waiting === before) closed.add(use);
      continue;
    }
    meant.set(use, copy);
    typeResult(types, node, copy);
    isChanged = true;
  }
  return isChanged;
}

/** Types parameters of the functions that a copy returns, as they are declared. */
function typeResult(types: Types, at: ts.Node, copy: Copy): void {
  const code = functionOf(types.api, copy.found);
  const [signature] = types.checker.getTypeAtLocation(at).getCallSignatures();
  if (code === null || signature === undefined || copy.types.result !== null) return;
  const result = signature.getReturnType();
  const { checker } = copy.found.module;
  for (const [parameter, text] of resultParameters(types, result, { node: code.node, checker, at }))
    if (!copy.inner.has(parameter)) copy.inner.set(parameter, text);
}

/** Where the last name of `vec3.add` begins. */
const startOfName = (node: Use["node"]): number =>
  "expression" in node ? node.name.getStart() : node.getStart();

/** Results of the copies that stand in a file, by name. */
function resultsOf(
  { api, checker }: Types,
  file: ts.SourceFile,
  length: number,
): ReadonlyMap<string, ts.Type> {
  const found = new Map<string, ts.Type>();
  for (const node of file.statements) {
    if (node.getStart() < length) continue;
    const name = api.isVariableStatement(node)
      ? node.declarationList.declarations[0]?.name
      : api.isFunctionDeclaration(node)
        ? node.name
        : undefined;
    const [signature] =
      name === undefined ? [] : checker.getTypeAtLocation(name).getCallSignatures();
    if (name !== undefined && signature !== undefined)
      found.set(name.getText(), signature.getReturnType());
  }
  return found;
}

/** The type that a called copy gives: null while it is not known, undefined for other functions. */
type ResultOf = (name: ts.Identifier) => ts.Type | null | undefined;

/** Declared types, or those of the arguments where the declaration does not say enough. */
function declaredTypes(
  types: UserTypes,
  node: ts.Node,
  found: Declared,
  copies: Copies,
): CallTypes | null {
  const { api, checker } = types;
  const { parent } = node;
  const call = api.isCallExpression(parent) && parent.expression === node ? parent : null;
  const signatures = checker.getTypeAtLocation(node).getCallSignatures();
  const signature = call === null ? signatures[0] : checker.getResolvedSignature(call);
  if (signature === undefined || (call === null && signatures.length > 1)) return null;
  const given = signature.parameters.flatMap((parameter, i): readonly (string | null)[] => {
    const passed = (to: number): readonly ts.Expression[] => call?.arguments.slice(i, to) ?? [];
    if (isFlagLeftOut(api, found, call, i)) return [];
    if (isRest(api, parameter)) return passed(Infinity).map((each) => userText(types, each));
    const declared = checker.getTypeOfSymbolAtLocation(parameter, node);
    return isPlain(types, declared)
      ? [typeText(types, declared, node)]
      : passed(i + 1).map((each) => withOptions(types, each, declared, userText(types, each)));
  });
  const args = given.flatMap((text) => text ?? []);
  if (args.length < given.length) return null;
  const isRecursive = copies.isRecursive(found);
  return { args, result: resultText(types, signature.getReturnType(), node, isRecursive) };
}

/** Whether a call leaves out `isFast = false`, and all that follows. */
function isFlagLeftOut(
  api: Types["api"],
  found: Declared,
  call: ts.CallExpression | null,
  i: number,
): boolean {
  const { FalseKeyword } = api.SyntaxKind;
  const flags = functionOf(api, found)?.node.parameters.slice(call?.arguments.length);
  return (
    call !== null &&
    i >= call.arguments.length &&
    !call.arguments.some(api.isSpreadElement) &&
    flags?.every(({ initializer }) => initializer?.kind === FalseKeyword) === true
  );
}

/** A result that is a function, which types its parameters, or that TypeScript cannot see. */
function resultText(
  types: Types,
  result: ts.Type,
  at: ts.Node,
  isRecursive: boolean,
): string | null {
  const says = result.getCallSignatures().length === 1 || (isRecursive && isPlain(types, result));
  return says ? typeText(types, result, at) : null;
}

/** `{ k: number; }  ->  { k: number; steps?: number; }` where the argument leaves options out. */
function withOptions(
  types: Types,
  argument: ts.Expression,
  declared: ts.Type,
  text: string | null,
): string | null {
  const { api, checker } = types;
  const [, fields] = /^\{(.*)\}$/s.exec(text ?? "") ?? [];
  if (fields === undefined) return text;
  const given = checker.getTypeAtLocation(argument);
  const missing = checker
    .getNonNullableType(declared)
    .getProperties()
    .flatMap((option) => {
      const { name, flags } = option;
      if ((flags & api.SymbolFlags.Optional) === 0 || !/^[A-Za-z_$][\w$]*$/.test(name)) return [];
      if (given.getProperty(name) !== undefined) return [];
      const type = checker.getNonNullableType(checker.getTypeOfSymbolAtLocation(option, argument));
      const own = typeText(types, type, argument);
      return own === null ? [] : [` ${name}?: ${own};`];
    });
  return `{${fields}${missing.join("")} }`;
}

interface UserTypes extends Types {
  readonly resultOf: ResultOf;
}

const isRest = (api: Types["api"], { valueDeclaration }: ts.Symbol): boolean =>
  valueDeclaration !== undefined &&
  api.isParameter(valueDeclaration) &&
  valueDeclaration.dotDotDotToken !== undefined;

/** The type of a user's argument; what a copy gives has the type of the copy's own result. */
function userText(types: UserTypes, argument: ts.Expression): string | null {
  const { api, resultOf } = types;
  const made = valueOf(types, argument);
  if (api.isCallExpression(made)) {
    const name = api.isPropertyAccessExpression(made.expression)
      ? made.expression.name
      : made.expression;
    const result = api.isIdentifier(name) ? resultOf(name) : undefined;
    if (result !== undefined)
      return result === null || result.flags & api.TypeFlags.Any
        ? null
        : typeText(types, result, argument);
  }
  return argumentType(types, argument)?.text ?? null;
}

/** What a constant holds. */
function valueOf({ api, checker }: Types, node: ts.Expression): ts.Expression {
  if (api.isParenthesizedExpression(node) || api.isNonNullExpression(node))
    return valueOf({ api, checker }, node.expression);
  const held = api.isIdentifier(node)
    ? checker.getSymbolAtLocation(node)?.valueDeclaration
    : undefined;
  return held !== undefined &&
    api.isVariableDeclaration(held) &&
    held.type === undefined &&
    held.initializer !== undefined &&
    (api.getCombinedNodeFlags(held) & api.NodeFlags.Const) !== 0
    ? valueOf({ api, checker }, held.initializer)
    : node;
}

/** Finds conditions that types decide, and code that they exclude; whether any was found. */
export function decideIn(
  types: Types,
  file: ts.SourceFile,
  copies: Copies,
  placed: readonly Placed[],
): boolean {
  const { classes, modules } = copies;
  const isReplaced: Setting["isReplaced"] = (node, name) => classes.isReplaced(node, name);
  const dataOf: Setting["dataOf"] = (declaration, name) => classes.dataOf(declaration, name);
  const setting = { types, modules, dataOf, isReplaced };
  const found = placesIn(types.api, file, copies, placed).map(({ copy, at }) => {
    const isDeciding = decide(setting, copy, at);
    return excludedBy(types, copy, at) || isDeciding;
  });
  return found.includes(true);
}

/** Finds what copies mean by their calls; whether any was found. */
export function iterationOf(
  types: Types,
  file: ts.SourceFile,
  copies: Copies,
  placed: readonly Placed[],
): boolean {
  let isChanged = false;
  for (const { copy, at } of placesIn(types.api, file, copies, placed)) {
    // a body of a constructor has the fields of its class
    const shape = copy.shape ?? (copy.member && copies.classes.copyOf(copy.member.parent)?.shape);
    const isFunction = functionsIn(types, copy, at);
    const typesOf: TypesOf = (name) => callTypes(types, name, isFunction);
    if (calledCopies(types.api, copy, copies, { at, typesOf })) isChanged = true;
    const passed = functionArguments(types.api, copy, copies, {
      at,
      typesOf: (name) => typesOf(name)?.args,
    });
    const hasInner = innerTypes(types, copy, at);
    const hasFields = shape !== undefined && fieldTypes(types, shape, at);
    if (passed || hasInner || hasFields) isChanged = true;
  }
  return isChanged;
}

/** Copies with code, each with where its nodes stand in the user's extended file. */
function placesIn(
  api: Types["api"],
  file: ts.SourceFile,
  { file: { text } }: Copies,
  placed: readonly Placed[],
): readonly { readonly copy: Copy; readonly at: Place }[] {
  const names = identifiersIn(api, file, (node) => node.end > text.length);
  return placed.flatMap(({ copy, start, rendered }) => {
    if (rootOf(api, copy) === undefined || copy.kind === "constant") return [];
    const at: Place = (node) => {
      const offset = fromPackage(rendered, node.getStart());
      return offset === null ? undefined : names.get(start + offset);
    };
    return [{ copy, at }];
  });
}

type TypesOf = (name: ts.Identifier) => CallTypes | null;

/** Finds the copies that the calls of a copy mean; whether any was found. */
function calledCopies(
  api: Types["api"],
  copy: Copy,
  copies: Copies,
  { at, typesOf }: { readonly at: Place; readonly typesOf: TypesOf },
): boolean {
  let isChanged = false;
  for (const { node, target } of copy.references.outer) {
    const known = copy.uses.get(node);
    if (target?.kind !== "declared" || !(known === undefined || isOpen(known))) continue;
    const name = functionOf(api, target) === null ? undefined : at(node);
    const given = name === undefined ? null : typesOf(name);
    const used = given && copies.function(target, given, copy.specifier);
    if (used === null || used === known) continue;
    copy.uses.set(node, used);
    isChanged = true;
  }
  return isChanged;
}

/** Whether a copy has parameters without types, which are functions. */
const isOpen = ({ kind, types }: Copy): boolean => kind === "function" && types.args.includes(null);

function callTypes(
  types: Types,
  name: ts.Identifier,
  isFunction: (argument: ts.Expression) => boolean,
): CallTypes | null {
  const { api, checker } = types;
  const { parent } = name;
  if (!(api.isCallExpression(parent) && parent.expression === name)) {
    const [signature, ...others] =
      checker.getContextualType(name)?.getNonNullableType().getCallSignatures() ?? [];
    if (signature === undefined || others.length > 0) return null;
    const args = signature.parameters.map((each) =>
      typeText(types, checker.getTypeOfSymbolAtLocation(each, name), name),
    );
    return args.includes(null) ? null : { args, result: null };
  }
  const args = parent.arguments.map(
    (argument) =>
      argumentType(types, argument) ?? (isFunction(argument) ? { text: null } : undefined),
  );
  const found = args.flatMap((arg) => arg ?? []);
  return found.length < args.length ? null : { args: found.map(({ text }) => text), result: null };
}

/** Types of fields that the constructor assigns and no declaration lists. */
function fieldTypes(types: Types, shape: ClassShape, at: Place): boolean {
  const { api } = types;
  let isChanged = false;
  for (const [name, node] of unknownFields(api, shape)) {
    const field = at(node);
    const whole = field?.parent.parent;
    if (field === undefined || whole === undefined || !api.isBinaryExpression(whole)) continue;
    // a base may have it
    if (types.checker.getSymbolAtLocation(field) !== undefined) continue;
    const text = argumentType(types, whole.right)?.text;
    if (text == null || text === "null" || text === "undefined") continue;
    shape.fields.set(name, text);
    isChanged = true;
  }
  return isChanged;
}

/** Types for parameters of functions inside, by the calls of these functions. */
function innerTypes(types: Types, copy: Copy, at: Place): boolean {
  const { api, checker } = types;
  const root = rootOf(api, copy);
  const isTyped = (node: ts.Node): boolean =>
    node === root || (api.isClassElement(node) && copy.shape?.live.has(node) === true);
  let isChanged = false;
  const visit = (node: ts.Node): void => {
    if (api.isFunctionLike(node) && !isTyped(node))
      node.parameters.forEach((parameter, i) => {
        if (copy.inner.has(parameter) || !api.isIdentifier(parameter.name)) return;
        const name = at(parameter.name);
        if (name === undefined || !(checker.getTypeAtLocation(name).flags & api.TypeFlags.Any))
          return;
        const type = typeByCalls(types, name, i);
        if (type === null) return;
        copy.inner.set(parameter, type);
        isChanged = true;
      });
    api.forEachChild(node, visit);
  };
  if (root !== undefined) visit(root);
  return isChanged;
}

/** The type of the argument that calls of the parameter's function give. */
function typeByCalls(types: Types, parameter: ts.Identifier, i: number): string | null {
  const { api, checker } = types;
  const declared = parameter.parent.parent;
  const holder = api.isFunctionDeclaration(declared) ? declared : declared.parent;
  if (!(api.isFunctionDeclaration(holder) || api.isVariableDeclaration(holder))) return null;
  const symbol = holder.name && checker.getSymbolAtLocation(holder.name);
  const scope = api.findAncestor(holder.parent, api.isFunctionLike);
  if (symbol === undefined || scope === undefined) return null;
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (
      api.isCallExpression(node) &&
      api.isIdentifier(node.expression) &&
      node.expression.text === symbol.name &&
      checker.getSymbolAtLocation(node.expression) === symbol
    ) {
      const argument = node.arguments[i];
      const type = argument && argumentType(types, argument);
      if (type?.text != null) found.add(type.text);
    }
    api.forEachChild(node, visit);
  };
  visit(scope);
  const [only, ...others] = found;
  return only === undefined || others.length > 0 ? null : only;
}

/** Identifiers by their places. */
function identifiersIn(
  api: Types["api"],
  file: ts.SourceFile,
  isWanted: (node: ts.Node) => boolean,
): ReadonlyMap<number, ts.Identifier> {
  const found = new Map<number, ts.Identifier>();
  const visit = (node: ts.Node): void => {
    if (!isWanted(node)) return;
    if (api.isIdentifier(node)) found.set(node.getStart(), node);
    api.forEachChild(node, visit);
  };
  api.forEachChild(file, visit);
  return found;
}
