// Rewrites private names. In: an occurrence of `#k`. Out: how to read, write and call it; its id's
// key. Invariant: fields of one object never share a key. If a rewritten class and its original
// coexist, private functions become static, and fields go through accessors of the original.

import type ts from "typescript";
import { type Code, code, id, list, literal, NOTHING } from "../code/code.ts";
import { hasModifier } from "./function.ts";
import type { PrivateFunction } from "./scope.ts";
import { problem, type Work } from "./work.ts";

export interface PrivateName {
  readonly text: Code;
  /** A literal. */
  readonly key: Code;
  /** Accessing an accessor runs code, which passes the id through the register. */
  readonly kind: "field" | "accessor" | "method";
  /** For a static function: the class that has its rewritten form; else null. */
  readonly staticOf: Code | null;
  /** For any other member: the class with its static accessors; null if no two classes coexist. */
  readonly beside: Code | null;
}

export function privateName(work: Work, name: ts.PrivateIdentifier): PrivateName {
  const { api } = work;
  const { owner, member } = declared(api, name);
  const kind = kindOf(work, member);
  const isOfClass =
    kind !== "field" &&
    member !== undefined &&
    hasModifier(work, member, api.SyntaxKind.StaticKeyword);
  const own = kind === "field" ? null : besideOwner(work, name, owner, member);
  const of = own?.of ?? work.beside.get(owner) ?? null;
  return {
    text: id(own?.name ?? name.text),
    key: literal(keyIn(api, owner, name.text)),
    kind,
    staticOf: isOfClass ? of : null,
    beside: isOfClass ? null : of,
  };
}

/** In a function of the class that is rewritten alone: its original class knows no ids. */
function besideOwner(
  work: Work,
  name: ts.PrivateIdentifier,
  owner: ts.Node,
  member: ts.ClassElement | undefined,
): PrivateFunction | null {
  const { api, context } = work;
  if (api.findAncestor(work.root.parent, (each) => each === owner) === undefined) return null;
  const own =
    member !== undefined && api.isMethodDeclaration(member)
      ? (context.resolver.privateFunction?.(member) ?? null)
      : null;
  if (own === null)
    problem(
      work,
      name,
      `\`${name.text}\`, a private accessor, in a function that stands in its class and is rewritten alone`,
    );
  return own;
}

/** The class that declares the name, and its member; the file if none does. */
function declared(
  api: typeof ts,
  name: ts.PrivateIdentifier,
): { readonly owner: ts.Node; readonly member?: ts.ClassElement } {
  for (let owner = name.parent; ; owner = owner.parent) {
    if (api.isSourceFile(owner)) return { owner };
    const member = api.isClassLike(owner)
      ? owner.members.find(
          (each) =>
            each.name !== undefined &&
            api.isPrivateIdentifier(each.name) &&
            each.name.text === name.text,
        )
      : undefined;
    if (member !== undefined) return { owner, member };
  }
}

/** A class that extends another may have a private name of the same text. */
const keyIn = (api: typeof ts, owner: ts.Node, text: string): string =>
  api.isClassLike(owner) &&
  owner.heritageClauses?.some(({ token }) => token === api.SyntaxKind.ExtendsKeyword) === true
    ? `${text} of ${classText(owner)}`
    : text;

const kindOf = ({ api }: Work, member: ts.ClassElement | undefined): PrivateName["kind"] =>
  member === undefined || api.isPropertyDeclaration(member)
    ? "field"
    : api.isMethodDeclaration(member)
      ? "method"
      : "accessor";

/** Differs from that of any class it extends. */
const classText = (node: ts.ClassLikeDeclaration): string =>
  `${node.name?.text ?? "a class"} at ${node.pos}`;

/** `o.#k` of a field or an accessor; `o` is evaluated once. */
export function readText({ text, kind, beside }: PrivateName, o: Code): Code {
  if (beside === null) return code`${o}.${text}`;
  return kind === "field"
    ? code`${beside}.${getter(text)}(${o})`
    : code`${beside}.${getter(text)}.call(${o})`;
}

/** `o.#k = v` of a field or an accessor. */
export function writeText({ text, kind, beside }: PrivateName, o: Code, v: Code): Code {
  if (beside === null) return code`${o}.${text} = ${v}`;
  return kind === "field"
    ? code`${beside}.${setter(text)}(${o}, ${v})`
    : code`${beside}.${setter(text)}.call(${o}, ${v})`;
}

/** The function `o.#m`. */
export const methodText = ({ text, beside, staticOf }: PrivateName, o: Code): Code =>
  code`${beside ?? staticOf ?? o}.${text}`;

export const getter = (text: Code): Code => code`${text}$get`;
export const setter = (text: Code): Code => code`${text}$set`;

const HANDED: Code = code`#handed$`;

/** `#k in o` in such a class. */
export const isInText = ({ text, beside }: PrivateName, o: Code): Code =>
  beside === null ? code`${text} in ${o}` : code`${beside}.${text}$in(${o})`;

/** Static accessors of a rewritten class for fields of both classes, as `lines` need them. */
export function fieldAccess(
  work: Work,
  node: ts.ClassLikeDeclaration,
  name: Code,
  plainName: Code,
  lines: readonly Code[],
): Code[] {
  const { any } = work;
  const text = list(lines, "\n");
  const o = code`o${any}`;
  const found = privateFields(work, node).flatMap(({ name: field, isStatic }) => {
    const own = (test: Code): Code => (isStatic ? NOTHING : test);
    const handed = code`${name}.${HANDED}[${literal(field)}]`;
    const all = [
      {
        name: getter(field),
        text: code`static ${getter(field)}(${o})${any} { return ${own(code`${field} in o ? o.${field} : `)}${handed}.get(o); }`,
      },
      {
        name: setter(field),
        text: code`static ${setter(field)}(${o}, v${any})${any} { return ${own(code`${field} in o ? o.${field} = v : `)}${handed}.set(o, v); }`,
      },
      {
        name: `${field}$in`,
        text: code`static ${field}$in(${o})${any} { return ${own(code`${field} in o || `)}${handed}.has(o); }`,
      },
    ];
    return all.filter((each) => text.includes(`.${each.name}(`)).map((each) => each.text);
  });
  return found.length === 0
    ? []
    : [code`static ${HANDED}${any} = $d.handedBy(${plainName});`, ...found];
}

/** `static { $d.hand(this, { "#k": … }); }` for an original class with private fields, or null. */
export function handingText(work: Work, node: ts.ClassLikeDeclaration): Code | null {
  const { any } = work;
  const fields = privateFields(work, node);
  if (fields.length === 0) return null;
  const parts = fields.map(
    ({ name: field }) =>
      code`${literal(field)}: { has: (o${any}) => ${field} in o, get: (o${any}) => o.${field}, set: (o${any}, v${any}) => (o.${field} = v) }`,
  );
  return code`static { $d.hand(this, { ${list(parts)} }); }`;
}

const privateFields = (
  work: Work,
  node: ts.ClassLikeDeclaration,
): readonly { readonly name: Code; readonly isStatic: boolean }[] =>
  node.members.flatMap((member) =>
    work.api.isPropertyDeclaration(member) && work.api.isPrivateIdentifier(member.name)
      ? [
          {
            name: id(member.name.text),
            isStatic: hasModifier(work, member, work.api.SyntaxKind.StaticKeyword),
          },
        ]
      : [],
  );
