// `{ ...shape, x: shape.x + dx }` of a shape that may be any member of a union. In: such a literal. Out: a choice among the literals that it is of each member, told apart by their tag.
// Invariant: the object is read before anything else of the literal; the other fields' expressions run once, whichever member it is.

import type ts from "typescript";
import { field } from "../../ir/build.ts";
import type { Atom, Type } from "../../ir/types.ts";
import { sameValue, str, unwrap } from "../coerce.ts";
import { lowerExpr } from "../expression.ts";
import type { Frame } from "../frame.ts";
import { declaredName } from "./property-names.ts";
import { opened } from "../resolve.ts";

/** More would write the literal out too often. */
const MOST = 8;

/** A member, by the text that its tag is. */
interface Member {
  readonly type: Type;
  readonly tag: string;
}

/** Null of a literal that begins with no such spread; `literal`: makes it of a member, as a value of the type given where that is known. */
export function lowerByMember(
  f: Frame,
  node: ts.ObjectLiteralExpression,
  result: () => Type,
  wanted: string,
  literal: (type: Type | null, wanted: string) => Atom,
): Atom | null {
  const { api } = f;
  const [first] = node.properties;
  const spread = first !== undefined && api.isSpreadAssignment(first) ? first.expression : null;
  if (
    spread === null ||
    !isPlainRead(f, spread) ||
    f.overrides.has(spread) ||
    f.shape(f.ctx.typeOf(spread)).kind !== "union"
  )
    return null;
  const object = unwrap(f, lowerExpr(f, spread));
  const found = membersOf(f, object.type);
  // `{ ...state, kind: "done" }` is another member than what is spread
  if (
    found === null ||
    found.members.length > MOST ||
    node.properties.some(
      (each) =>
        each.name !== undefined && declaredName(api, each.name, f.ctx.checker) === found.name,
    ) ||
    node.properties.slice(1).some(api.isSpreadAssignment)
  )
    return null;
  const type = result();
  const targets = membersOf(f, type);
  const { name, members } = found;
  if (f.shape(type).kind !== "union") return null;
  const tag = f.let(name, found.type, { kind: "load", object, key: field(name) });
  const made = (of: Member, into: string): Atom => {
    const member = f.let("t", of.type, { kind: "unwrap", value: object });
    f.variantOf.set(member.name, object);
    f.overrides.set(spread, member);
    try {
      return literal(
        (targets?.name === name
          ? targets.members.find((each) => each.tag === of.tag)?.type
          : null) ?? null,
        into,
      );
    } finally {
      f.overrides.delete(spread);
    }
  };
  const among = ([one, ...others]: readonly Member[], into: string): Atom => {
    if (one === undefined) return { kind: "undef", type };
    return others.length === 0
      ? made(one, into)
      : f.choose(
          into,
          type,
          sameValue(f, "===", tag, str(one.tag)),
          () => made(one, "t"),
          () => among(others, "t"),
        );
  };
  return among(members, wanted);
}

/** A name, or a field of what a name is: reading it once is reading it twice. */
function isPlainRead(f: Frame, expression: ts.Expression): boolean {
  const node = opened(f, expression);
  return (
    f.api.isIdentifier(node) ||
    (f.api.isPropertyAccessExpression(node) && isPlainRead(f, node.expression))
  );
}

/** The members of a union of records, each of which has a text of its own under the same name; null of other types. */
function membersOf(
  f: Frame,
  union: Type,
): { readonly name: string; readonly type: Type; readonly members: readonly Member[] } | null {
  const shape = f.shape(union);
  const variants = shape.kind === "union" ? shape.variants : [];
  const lists = variants.map((variant) => {
    const record = f.shape(variant);
    return record.kind === "record" && f.ctx.classOf(variant) === null ? record.fields : [];
  });
  for (const { name } of lists[0] ?? []) {
    const tags = lists.map((fields) => {
      const type = fields.find((each) => each.name === name)?.type;
      return type?.kind === "leaf" ? (/^"([^"\\]*)"$/.exec(type.text)?.[1] ?? null) : null;
    });
    const known = tags.filter((tag) => tag !== null);
    if (known.length < variants.length || new Set(known).size < known.length) continue;
    return {
      name,
      type: { kind: "leaf", text: known.map((tag) => `"${tag}"`).join(" | ") },
      members: known.map((tag, i) => ({ tag, type: variants[i] ?? union })),
    };
  }
  return null;
}
