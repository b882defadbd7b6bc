// Members of classes whose parameters have other types for other calls. In: a class's copy, and
// calls of its members. Out: which members get a body for each list of argument types, as functions
// do. Invariant: a name keeps a body that no call fits, so that no base's code stands for it.

import type ts from "typescript";
import type { MemberCode } from "./functions.ts";
import type { Change } from "./rendered.ts";
import { isPlain, type Types } from "./type-text.ts";

type Api = typeof ts;

/** What the package's class does not have under this name. */
export const isOwnName = (name: string): boolean => name.endsWith(OWN);
const OWN = "$own";

export interface ParameterTypes extends Types {
  /** Whether instances of a class, which compute some of its fields, can be of an interface. */
  readonly hasComputed: (type: ts.Type) => boolean;
}

/** Whether declarations do not say which types the parameters have. */
export function hasBodies(
  { api, ...types }: ParameterTypes,
  member: MemberCode,
  signatures: readonly ts.Signature[],
  at: ts.Node,
): boolean {
  if (api.isAccessor(member) || member.parameters.length === 0) return false;
  const [only, ...others] = signatures;
  return (
    only === undefined ||
    others.length > 0 ||
    only.typeParameters !== undefined ||
    only.parameters.some((parameter) => {
      const declared = types.checker.getTypeOfSymbolAtLocation(parameter, at);
      const type = types.checker.getNonNullableType(declared);
      const { Any, Unknown } = api.TypeFlags;
      return (
        (type.flags & (Any | Unknown)) !== 0 ||
        types.hasComputed(type) ||
        (type.isUnion() && !isPlain({ api, ...types }, type))
      );
    })
  );
}

/** A body that no call fits. */
export function stubOf(api: Api, member: MemberCode): string {
  const body = `{ throw new TypeError("no such types were declared"); }`;
  if (api.isConstructorDeclaration(member)) {
    const calls = member.parent.heritageClauses === undefined ? "" : "super(); ";
    return `\n;  constructor(missing: never) ${body.replace("{ ", `{ ${calls}`)}`;
  }
  const isStatic = (api.getCombinedModifierFlags(member) & api.ModifierFlags.Static) !== 0;
  const name = ownName(member.name);
  return `\n;  ${isStatic ? "static " : ""}${name}(missing: never): any ${body}`;
}

const ownName = (name: ts.Node): string => name.getText().replace(/^#(.*)$/, `$1${OWN}`);

/** The name in the package. */
export const ownMemberName = (name: string): string =>
  isOwnName(name) ? `#${name.slice(0, -OWN.length)}` : name;

/** `this.#init()`  ->  `this.init$own()` */
export function ownNames(api: Api, root: ts.Node): Change[] {
  const changes: Change[] = [];
  const visit = (node: ts.Node): void => {
    if (api.isPrivateIdentifier(node))
      changes.push({ start: node.getStart(), end: node.end, text: ownName(node) });
    api.forEachChild(node, visit);
  };
  visit(root);
  return changes;
}

/** `name`: null for the constructor. */
export const isNamed = (
  api: Api,
  member: MemberCode,
  name: string | null,
  isOfClass: boolean,
): boolean =>
  name === null
    ? api.isConstructorDeclaration(member)
    : member.name?.getText() === name &&
      isOfClass === ((api.getCombinedModifierFlags(member) & api.ModifierFlags.Static) !== 0);
