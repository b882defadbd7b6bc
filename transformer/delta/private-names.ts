// Private names. In: `#k` where it is written. Out: the key that its id is kept under in the object, what is behind it, and whose it is.
// Invariant: two fields of one object never share a key: each class of a chain may have its own `#k`.

import type ts from "typescript";
import { hasModifier } from "./function.ts";
import type { Work } from "./work.ts";

export interface PrivateName {
  readonly text: string;
  /** A literal. */
  readonly key: string;
  /** Reading or writing an accessor runs code, which leaves or finds the id in the register. */
  readonly kind: "field" | "accessor" | "method";
  /** Of a static member of a class that has a rewritten one beside it: the name of that. */
  readonly staticOf: string | null;
}

export function privateName(work: Work, name: ts.PrivateIdentifier): PrivateName {
  const { api } = work;
  let at: ts.Node = name;
  let member: ts.ClassElement | undefined;
  while (member === undefined && !api.isSourceFile(at)) {
    at = at.parent;
    if (api.isClassLike(at)) member = at.members.find((each) => each.name !== undefined && api.isPrivateIdentifier(each.name) && each.name.text === name.text);
  }
  const key = api.isClassLike(at) && at.heritageClauses?.some(({ token }) => token === api.SyntaxKind.ExtendsKeyword) === true ? `${name.text} of ${classText(at)}` : name.text;
  const isStatic = member !== undefined && hasModifier(work, member, api.SyntaxKind.StaticKeyword);
  return { text: name.text, key: JSON.stringify(key), kind: kindOf(work, member), staticOf: isStatic ? work.beside.get(at) ?? null : null };
}

const kindOf = ({ api }: Work, member: ts.ClassElement | undefined): PrivateName["kind"] =>
  (member === undefined || api.isPropertyDeclaration(member) ? "field" : api.isMethodDeclaration(member) ? "method" : "accessor");

/** Other than that of any class it extends. */
const classText = (node: ts.ClassLikeDeclaration): string => `${node.name?.text ?? "a class"} at ${node.pos}`;
