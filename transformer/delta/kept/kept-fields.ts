// Finds stale fields of classes whose writes are all known: private fields, classes not exported.
// In: a class. Out: the fields that may be stale (as `if (x !== this.last) …` needs them), and the
// members that access them. Invariant: unsure means that nothing is stale.

import type ts from "typescript";
import { isPutByOthers } from "./handed.ts";
import {
  firstOf,
  type Held,
  heldIn,
  isIn,
  type KeptPlaces,
  type ObjectHost,
  placesOf,
  type Write,
  writesOf,
} from "./kept-objects.ts";
import { keyText } from "./puts.ts";

/** Fields, or properties of the field `of`. The condition calls their owner `own`. */
export interface KeptFields extends KeptPlaces {
  readonly isStatic: boolean;
  readonly of: Field | null;
  readonly fields: readonly Field[];
  /** Methods and accessors that access them. */
  readonly members: ReadonlySet<ts.Node>;
}

export type Field = ts.PropertyDeclaration & {
  readonly name: ts.Identifier | ts.PrivateIdentifier;
};

/** The object's name in a condition. */
export const OWN = "own";

export function keptFields(node: ts.ClassLikeDeclaration, host: ObjectHost): readonly KeptFields[] {
  if (
    !node.members.some(
      (member) => isField(member, false, node, host) || isField(member, true, node, host),
    )
  )
    return [];
  const called = membersCalled(node, host);
  const isRewritten = (at: ts.Node): boolean =>
    (at !== node && host.isRewritten(at)) || called.has(at);
  return [false, true].flatMap((isStatic) => keptIn(node, isStatic, { ...host, isRewritten }));
}

/** The members that rewritten code calls by name: the whole class is rewritten, used or not. */
function membersCalled(
  node: ts.ClassLikeDeclaration,
  { ts: api, rewritten }: ObjectHost,
): ReadonlySet<ts.Node> {
  const all = rewritten();
  const found = new Set<ts.Node>();
  const look = (at: ts.Node): void => {
    if (api.isPropertyAccessExpression(at))
      for (const member of node.members)
        if (
          member.name !== undefined &&
          !found.has(member) &&
          member.name.getText() === at.name.text
        )
          add(member);
    api.forEachChild(at, look);
  };
  const add = (member: ts.ClassElement): void => {
    found.add(member);
    look(member);
  };
  if (all === null) return new Set(node.members);
  for (const each of all)
    if (each !== node && api.findAncestor(each, (at) => at === node) === undefined) look(each);
  return found;
}

function keptIn(
  node: ts.ClassLikeDeclaration,
  isStatic: boolean,
  host: ObjectHost,
): readonly KeptFields[] {
  const { ts: api, checker } = host;
  const symbol = node.name === undefined ? undefined : checker.getSymbolAtLocation(node.name);
  const type =
    symbol === undefined
      ? undefined
      : isStatic
        ? checker.getTypeOfSymbolAtLocation(symbol, node)
        : checker.getDeclaredTypeOfSymbol(symbol);
  const fields = node.members.filter((member): member is Field =>
    isField(member, isStatic, node, host),
  );
  const reads = new Map(fields.map((field) => [field, accessesOf(field, node, host)] as const));
  const made: KeptFields[] = [];
  const known = new Set<ts.Node>([...reads.values()].flat());
  const add = (of: Field | null, held: Held | null): void => {
    const kept = held === null ? null : placesOf(held, host);
    const asked = of === null ? fields.filter(({ name }) => kept?.asked.includes(name.text)) : [of];
    if (held === null || kept === null || asked.length === 0) return;
    const uses = asked.flatMap((field) => reads.get(field) ?? []);
    const members = node.members.filter((member) => isMeeting(member, uses, isStatic, api));
    const isAsked = ({ key }: Write): boolean =>
      of !== null || asked.some(({ name }) => name.text === key);
    // a write elsewhere may be to an instance that the same execution has constructed
    const isOwn = ({ use, isFirst, isRewritten }: Write): boolean =>
      isFirst ||
      !isRewritten ||
      ((isStatic || isOfThis(use, api)) && members.some((member) => isIn(use, member)));
    const isPut =
      of === null &&
      type !== undefined &&
      asked.some(({ name }) => isPutByOthers(name.text, type, known, host));
    if (members.length > 0 && !isPut && writesOf(held, host).filter(isAsked).every(isOwn))
      made.push({ ...kept, isStatic, of, fields: asked, members: new Set(members) });
  };
  const first = (key: string): readonly string[] | null =>
    firstOf(fields.find(({ name }) => name.text === key)?.initializer, api);
  add(null, {
    uses: [...reads.values()].flat().map(({ expression }) => expression),
    isTable: false,
    first,
    keys: fields.map(({ name }) => name.text),
    text: (key) => `${OWN}[${keyText(key)}]`,
  });
  for (const field of fields)
    if (field.initializer !== undefined)
      add(field, heldIn(field.initializer, OWN, reads.get(field) ?? [], host));
  return made;
}

/** Whether it is a field that only the program's code writes. */
function isField(
  member: ts.ClassElement,
  isStatic: boolean,
  node: ts.ClassLikeDeclaration,
  { ts: api }: ObjectHost,
): member is Field {
  const { StaticKeyword, PrivateKeyword, ExportKeyword, DeclareKeyword, AbstractKeyword } =
    api.SyntaxKind;
  const has = (of: ts.Node, ...kinds: readonly ts.SyntaxKind[]): boolean =>
    api.canHaveModifiers(of) &&
    (api.getModifiers(of) ?? []).some(({ kind }) => kinds.includes(kind));
  if (
    !api.isPropertyDeclaration(member) ||
    has(member, StaticKeyword) !== isStatic ||
    has(member, DeclareKeyword, AbstractKeyword)
  )
    return false;
  return (
    api.isPrivateIdentifier(member.name) ||
    (api.isIdentifier(member.name) && (has(member, PrivateKeyword) || !has(node, ExportKeyword)))
  );
}

/** All `o.field`, matched by declaration: each instance type has its own symbol for a field. */
function accessesOf(
  field: Field,
  node: ts.ClassLikeDeclaration,
  { ts: api, checker, files }: ObjectHost,
): readonly ts.PropertyAccessExpression[] {
  const { name } = field;
  const found: ts.PropertyAccessExpression[] = [];
  const look = (at: ts.Node): void => {
    if (
      api.isPropertyAccessExpression(at) &&
      at.name.text === name.text &&
      checker.getSymbolAtLocation(at.name)?.valueDeclaration === field
    )
      found.push(at);
    api.forEachChild(at, look);
  };
  if (api.isPrivateIdentifier(name)) look(node);
  else for (const file of files) if (file.text.includes(name.text)) look(file);
  return found;
}

/** Whether the member accesses the fields; a constructor initialises them instead. */
function isMeeting(
  member: ts.ClassElement,
  uses: readonly ts.PropertyAccessExpression[],
  isStatic: boolean,
  api: typeof ts,
): boolean {
  const isFunction =
    (api.isMethodDeclaration(member) || api.isAccessor(member)) && member.body !== undefined;
  const isHeld =
    api.isPropertyDeclaration(member) &&
    member.initializer !== undefined &&
    api.isArrowFunction(member.initializer);
  return (
    (isFunction || isHeld) &&
    uses.some((use) => isIn(use, member) && (isStatic || isOfThis(use, api)))
  );
}

/** `this`, `this.field` */
const isOfThis = (use: ts.Expression, api: typeof ts): boolean =>
  (api.isPropertyAccessExpression(use) ? use.expression : use).kind === api.SyntaxKind.ThisKeyword;
