// Classes of packages as text. In: a class in JavaScript and its declaration. Out: what changes in
// its text, so that fields, methods and constructor have types. Only members whose names occur in
// reached code are copied. Emitted code means the package's own class, never the copy.

import type ts from "typescript";
import { type Heir, isOfHeirs } from "./abstract-bases.ts";
import type { CallTypes, Copy } from "./copies.ts";
import { type MemberCode, signatureChanges } from "./functions.ts";
import { hasBodies, type ParameterTypes } from "./member-bodies.ts";
import { type Found, initialiserOf } from "./modules.ts";
import type { Change } from "./rendered.ts";
import type { Replaced } from "./replaced.ts";
import { dataOf } from "../../syntax/changed-members.ts";
import { typeText, type Types } from "./type-text.ts";

type Api = typeof ts;

export type ClassNode = ts.ClassLikeDeclaration;

/** A class that can be copied. */
export interface ClassShape {
  readonly node: ClassNode;
  /** Its declaration for TypeScript, and its exported name; null where it is not exported. */
  readonly declared: ts.Symbol | null;
  readonly exportName: string | null;
  /** Types of fields by name. */
  readonly fields: Map<string, string>;
  /** Members that are copied, with the types of their parameters. */
  readonly live: Map<ts.ClassElement, CallTypes>;
  /** The classes that its instances may be of, and those whose code these inherit. */
  readonly kin: Set<ClassNode>;
  /** Names of members that other code replaces. */
  readonly replaced: { readonly own: Replaced; readonly statics: Replaced };
  /** Whether a class of the program may derive from one of them. */
  readonly isExtended: boolean;
  /** Members that contradict their types. */
  readonly faulty: Set<ts.ClassElement>;
  /** Whether it has no instances of its own. */
  readonly isAbstract: boolean;
  /** The other classes of its family that have instances. */
  readonly heirs: readonly Heir[];
  /** Signatures of methods that only these have, by name. */
  readonly abstracts: Map<string, string>;
  /** Bodies by the types of their arguments, of members that have others for other calls. */
  readonly bodies: Map<MemberCode, Map<string, Copy>>;
}

export function classOf(api: Api, found: Found): ClassNode | null {
  if (found.kind !== "declared" || found.module.assigned.has(found.name)) return null;
  if (api.isClassDeclaration(found.node)) return found.node;
  const value = initialiserOf(api, found.node);
  return value !== undefined && api.isClassExpression(value) ? value : null;
}

const isCode = (api: Api, node: ts.ClassElement): node is MemberCode =>
  api.isMethodDeclaration(node) || api.isAccessor(node) || api.isConstructorDeclaration(node);

/** Whether derivatives cannot be written of it. */
export const isOdd = (api: Api, node: ts.ClassElement): boolean =>
  api.isClassStaticBlockDeclaration(node) ||
  (node.name !== undefined &&
    !api.isIdentifier(node.name) &&
    !(api.isPrivateIdentifier(node.name) && api.isMethodDeclaration(node))) ||
  (api.canHaveModifiers(node) &&
    (api.getModifiers(node) ?? []).some(({ kind }) => kind === api.SyntaxKind.AsyncKeyword));

/** Whether a field of that name is computed. */
export const hasAccessor = (api: Api, { members }: ClassNode, name: string): boolean =>
  members.some((member) => api.isAccessor(member) && nameOf(member) === name);

const isStatic = (api: Api, node: ts.ClassElement): boolean =>
  (api.getCombinedModifierFlags(node) & api.ModifierFlags.Static) !== 0;

const nameOf = (node: ts.ClassElement): string | undefined => node.name?.getText();

/** Takes members whose names occur; whether there was a new one. */
export function enliven(
  types: ParameterTypes,
  shape: ClassShape,
  { names, isReplaced }: Reached,
  at: ts.Node,
): readonly ts.ClassElement[] {
  const { node, live, bodies, abstracts } = shape;
  const { api } = types;
  const isAssigned = (name: string): boolean =>
    [...shape.kin].some((each) => assignedMembers(api, each).has(name));
  const mayBeOther = (member: ts.ClassElement): boolean => {
    const name = nameOf(member) ?? "";
    if (abstracts.has(name) && !isStatic(api, member)) return true;
    const replaced = isStatic(api, member) ? shape.replaced.statics : shape.replaced.own;
    if (isCode(api, member) && member.name !== undefined && replaced?.has(name) !== false)
      return true;
    return api.isMethodDeclaration(member) && isAssigned(name) && isReplaced(name);
  };
  for (const member of live.keys()) if (mayBeOther(member)) live.delete(member);
  for (const member of bodies.keys()) if (mayBeOther(member)) bodies.delete(member);
  const isKnown = (member: ts.ClassElement): boolean =>
    live.has(member) || (isCode(api, member) && bodies.has(member));
  const found = node.members.filter(
    (member) =>
      !isKnown(member) &&
      !isOdd(api, member) &&
      !mayBeOther(member) &&
      (api.isConstructorDeclaration(member) ||
        (api.isPropertyDeclaration(member) && !isStatic(api, member)) ||
        names.has(nameOf(member) ?? "")),
  );
  for (const member of found) addMember(types, shape, member, at);
  return found;
}

function addMember(
  types: ParameterTypes,
  { declared, live, bodies }: ClassShape,
  member: ts.ClassElement,
  at: ts.Node,
): void {
  const { api } = types;
  const signatures =
    isCode(api, member) && declared !== null ? signaturesOf(types, declared, member) : [];
  if (isCode(api, member) && hasBodies(types, member, signatures, at))
    bodies.set(member, new Map());
  else live.set(member, declared === null ? NONE : signatureOf(types, declared, member, at));
}

const NONE: CallTypes = { args: [], result: null };

function signaturesOf(
  types: Types,
  declared: ts.Symbol,
  member: MemberCode,
): readonly ts.Signature[] {
  const { api, checker } = types;
  if (api.isConstructorDeclaration(member))
    return checker.getTypeOfSymbol(declared).getConstructSignatures();
  const symbol = listedAs(types, declared, nameOf(member) ?? "", isStatic(api, member));
  return symbol === undefined ? [] : checker.getTypeOfSymbol(symbol).getCallSignatures();
}

/** What reached code mentions. */
interface Reached {
  readonly names: ReadonlySet<string>;
  /** Whether an instance may have another method of a name that some member assigns. */
  readonly isReplaced: (name: string) => boolean;
}

/**
 * Fields that the constructor or the class defines and the declaration lists, and statics assigned
 * after the class; whether there was a new one.
 */
export function declareFields(
  types: Types,
  shape: ClassShape,
  names: ReadonlySet<string>,
  at: ts.Node,
): boolean {
  const { node, declared, fields } = shape;
  const { api, checker } = types;
  const before = fields.size;
  // what neither the constructor nor the class defines may be anywhere
  const defined = definedFields(api, node);
  const data = dataOf(api, node);
  const { Property, Prototype } = api.SymbolFlags;
  const add = (symbol: ts.Symbol, isOfClass: boolean): void => {
    const { name, flags } = symbol;
    const key = isOfClass ? `static ${name}` : name;
    const isField = (flags & (Property | Prototype)) === Property;
    if (!isField || fields.has(key) || !names.has(name)) return;
    const isData = !isOfClass && data.has(name);
    if (!isOfClass && !isData && !defined.has(name) && !isOfHeirs(types, shape, name)) return;
    if (node.members.some((each) => nameOf(each) === name && isStatic(api, each) === isOfClass))
      return;
    const type = checker.getTypeOfSymbol(symbol);
    // it may be other data in a class that derives, unless the type says which
    if (isData && checker.typeToString(type) !== data.get(name)?.value) return;
    const text = typeText(types, type, at);
    if (text !== null) fields.set(key, text);
  };
  for (const symbol of declared?.members?.values() ?? []) add(symbol, false);
  for (const symbol of declared?.exports?.values() ?? []) add(symbol, true);
  return fields.size > before;
}

function signatureOf(
  types: Types,
  declared: ts.Symbol,
  member: ts.ClassElement,
  at: ts.Node,
): CallTypes {
  const { api, checker } = types;
  if (api.isConstructorDeclaration(member)) {
    const made = checker.getTypeOfSymbol(declared).getConstructSignatures();
    return { args: argumentsOf(types, made, at), result: null };
  }
  const symbol = listedAs(types, declared, nameOf(member) ?? "", isStatic(api, member));
  if (symbol === undefined) {
    const said = api.isPropertyDeclaration(member) ? api.getJSDocType(member) : undefined;
    const text = said === undefined ? null : commentedType(types, said, at);
    return text === null ? NONE : { args: [], result: text };
  }
  const type = checker.getTypeOfSymbol(symbol);
  if (api.isAccessor(member) || api.isPropertyDeclaration(member)) {
    const text = typeText(types, type, at);
    return { args: text === null ? [] : [text], result: text };
  }
  const signatures = type.getCallSignatures();
  const [only, ...others] = signatures;
  const result =
    only === undefined || others.length > 0 ? null : typeText(types, only.getReturnType(), at);
  return { args: argumentsOf(types, signatures, at), result };
}

/** `@type {Float64Array[]}`: numbers and lists of them. */
function commentedType({ api, checker }: Types, node: ts.TypeNode, at: ts.Node): string | null {
  const text = node.getText();
  const isKnown = (name: string): boolean =>
    checker
      .resolveName(name, at, api.SymbolFlags.Type, false)
      ?.declarations?.every((each) => each.getSourceFile() !== at.getSourceFile()) === true;
  const [, name = ""] = /^(number|string|boolean|Float(?:32|64)Array)(?:\[\])*$/.exec(text) ?? [];
  return /^[nsb]/.test(name) || (name !== "" && isKnown(name)) ? text : null;
}

/** What a declaration, or that of a base, lists under a name. */
export function listedAs(
  types: Types,
  declared: ts.Symbol,
  name: string,
  isOfClass: boolean,
): ts.Symbol | undefined {
  const { api, checker } = types;
  const own = (isOfClass ? declared.exports : declared.members)?.get(
    api.escapeLeadingUnderscores(name),
  );
  const type = checker.getDeclaredTypeOfSymbol(declared);
  const [base] = own === undefined && type.isClassOrInterface() ? checker.getBaseTypes(type) : [];
  return base === undefined || base.symbol === declared
    ? own
    : listedAs(types, base.symbol, name, isOfClass);
}

/** Types of parameters: all that the signatures list. */
function argumentsOf(
  types: Types,
  signatures: readonly ts.Signature[],
  at: ts.Node,
): (string | null)[] {
  const most = Math.max(0, ...signatures.map(({ parameters }) => parameters.length));
  return Array.from({ length: most }, (_, i) => {
    const texts = signatures.map(({ parameters: { [i]: parameter } }) => {
      if (parameter === undefined) return "undefined";
      const type = types.checker.getTypeOfSymbolAtLocation(parameter, at);
      return typeText(types, type, at);
    });
    if (texts.includes(null)) return null;
    const all = new Set(texts.flatMap((text) => partsOf(text ?? "")));
    const isOptional = all.delete("undefined");
    return [...all, ...(isOptional ? ["undefined"] : [])].join(" | ");
  });
}

/** Parts of a union that has no functions or objects written out. */
const partsOf = (text: string): readonly string[] =>
  /[({<=]/.test(text) ? [text] : text.split(" | ");

/** Declared fields, types of members, and no members but the live ones. */
export function classChanges(
  api: Api,
  { node, fields, live, faulty, abstracts, replaced: { own } }: ClassShape,
): Change[] {
  const start = node.members.pos;
  const data = dataOf(api, node);
  // other code may make an accessor of a field
  const declared = [...fields].flatMap(([name, type]) =>
    own?.has(name) === true
      ? []
      : data.has(name)
        ? [`\n  ${name}: ${type} = ${data.get(name)?.value ?? ""};`]
        : [`\n  declare ${name}: ${type};`],
  );
  const others = [...abstracts.values()].map((each) => `\n  abstract ${each};`);
  const text = [...declared, ...others].join("");
  const changes: Change[] = [{ start, end: start, text }];
  for (const member of node.members) {
    const types = live.get(member);
    if (types === undefined || faulty.has(member)) changes.push(leftOut(member));
    else changes.push(...memberChanges(api, member, types, definedFields(api, node)));
  }
  for (const change of withoutData(api, node, node.members))
    if (changes.every(({ start, end }) => change.end <= start || end <= change.start))
      changes.push(change);
  return changes;
}

/** Statements that put data on the prototype: it is in fields. */
export const withoutData = (
  api: Api,
  node: ClassNode,
  within: { readonly pos: number; readonly end: number },
): readonly Change[] =>
  [...dataOf(api, node).values()].flatMap(({ statement }) =>
    within.pos <= statement.pos && statement.end <= within.end ? [leftOut(statement)] : [],
  );

const leftOut = (node: ts.Node): Change => ({
  start: node.getFullStart(),
  end: node.end,
  text: "",
});

function memberChanges(
  api: Api,
  member: ts.ClassElement,
  { args, result }: CallTypes,
  defined: ReadonlyMap<string, ts.Identifier>,
): Change[] {
  if (api.isPropertyDeclaration(member)) {
    const { name } = member;
    if (result === null) return [];
    // a method that the constructor calls may define it
    const isDefined = member.initializer === undefined && defined.has(name.getText());
    return [{ start: name.end, end: name.end, text: `${isDefined ? "!" : ""}: ${result}` }];
  }
  if (!isCode(api, member)) return [];
  const isGetter = api.isGetAccessor(member);
  const types: CallTypes = {
    args: args.map((text, i) => withoutDefault(member.parameters[i], text)),
    result: isGetter || api.isMethodDeclaration(member) ? result : null,
  };
  return signatureChanges(api, member, types);
}

const withoutDefault = (
  parameter: ts.ParameterDeclaration | undefined,
  text: string | null,
): string | null =>
  parameter?.initializer === undefined ? text : (text?.replace(/ \| undefined$/, "") ?? null);

/** The member around a place of the package's file. */
export const memberAt = ({ node }: ClassShape, offset: number): ts.ClassElement | undefined =>
  node.members.find((member) => member.getFullStart() <= offset && offset <= member.end);

/** Leaves out code of a base that a member overrides which is left out. */
export function hideOverridden(api: Api, base: ClassShape, by: ts.ClassElement): void {
  for (const member of base.node.members)
    if (isCode(api, member) && nameOf(member) === nameOf(by)) base.faulty.add(member);
}

/** Assignments to fields in the constructor, by the names of fields that have no types yet. */
export function unknownFields(
  api: Api,
  { node, fields }: ClassShape,
): ReadonlyMap<string, ts.Identifier> {
  const known = new Set(node.members.map(nameOf));
  return new Map(
    [...definedFields(api, node)].filter(([name]) => !known.has(name) && !fields.has(name)),
  );
}

/** Names in `this.x = …` of the constructor, and of methods of its class that it calls. */
export const definedFields = remembered((api, { members }) => {
  const found = new Set<ts.ClassElement>(
    members.filter((member) => api.isConstructorDeclaration(member)),
  );
  for (const member of found)
    for (const name of calledIn(api, member))
      for (const each of members)
        if (api.isMethodDeclaration(each) && nameOf(each) === name) found.add(each);
  return assignedIn(api, [...found]);
});

/** Names in `this.m(…)`. */
function calledIn(api: Api, root: ts.Node): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (at: ts.Node): void => {
    if (
      api.isCallExpression(at) &&
      api.isPropertyAccessExpression(at.expression) &&
      at.expression.expression.kind === api.SyntaxKind.ThisKeyword
    )
      found.add(at.expression.name.text);
    api.forEachChild(at, visit);
  };
  visit(root);
  return found;
}

/** Names in `this.x = …`: a method of that name may be another one in an instance. */
const assignedMembers = remembered((api, { members }) => assignedIn(api, members));

/** Members that assign a field of that name; undefined stands for the constructor. */
export const assignersOf = (
  api: Api,
  { members }: ClassNode,
  name: string,
): readonly (string | undefined)[] =>
  members.filter((member) => assignedIn(api, [member]).has(name)).map(nameOf);

type Assigned = (api: Api, node: ClassNode) => ReadonlyMap<string, ts.Identifier>;

function remembered(find: Assigned): Assigned {
  const known = new WeakMap<ClassNode, ReadonlyMap<string, ts.Identifier>>();
  return (api, node) => {
    const found = known.get(node) ?? find(api, node);
    known.set(node, found);
    return found;
  };
}

function assignedIn(
  api: Api,
  members: readonly ts.ClassElement[],
): ReadonlyMap<string, ts.Identifier> {
  const found = new Map<string, ts.Identifier>();
  const visit = (at: ts.Node): void => {
    if (
      api.isBinaryExpression(at) &&
      at.operatorToken.kind === api.SyntaxKind.EqualsToken &&
      api.isPropertyAccessExpression(at.left) &&
      at.left.expression.kind === api.SyntaxKind.ThisKeyword &&
      api.isIdentifier(at.left.name)
    )
      found.set(at.left.name.text, at.left.name);
    api.forEachChild(at, visit);
  };
  members.forEach(visit);
  return found;
}
