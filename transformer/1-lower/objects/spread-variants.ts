// Lowers `{ ...shape, x: shape.x + dx }` where `shape` is a discriminated union.
// Output: a choice among one literal per union member, by their tag. The object is read first.
// The other fields' expressions run once, whichever member it is.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { field } from "../../ir/build.ts";
import type { Atom, Type } from "../../ir/types.ts";
import { equalityTest, str, unwrap } from "../coerce.ts";
import { lowerExpr } from "../lowering.ts";
import type { Frame } from "../frame.ts";
import { declaredName } from "./property-names.ts";

/** Limits code size: the literal is duplicated for each member. */
const MOST = 8;

/** A union member and the string that is its tag. */
interface Member {
  readonly type: Type;
  readonly tag: string;
}

/** Null for other literals. `literal`: lowers the literal as a union member, where one is known. */
export function lowerSpreadOfUnion(
  f: Frame,
  node: ts.ObjectLiteralExpression,
  result: () => Type,
  wanted: string,
  literal: (type: Type | null, wanted: string) => Atom,
): Atom | null {
  const spread = unionSpread(f, node);
  if (spread === null) return null;
  const object = unwrap(f, lowerExpr(f, spread));
  const found = membersOf(f, object.type);
  if (found === null || found.members.length > MOST || changesMember(f, node, found.name))
    return null;
  const type = result();
  const targets = membersOf(f, type);
  const { name, members } = found;
  if (f.shape(type).kind !== "union") return null;
  const tag = f.b.load(name, found.type, object, field(name));
  const lowerAs = (of: Member, into: string): Atom => {
    const member = f.let("t", of.type, { kind: "unwrap", value: object });
    const target =
      targets?.name === name ? targets.members.find((each) => each.tag === of.tag) : undefined;
    f.variantOf.set(member.name, object);
    f.overrides.set(spread, member);
    try {
      return literal(target?.type ?? null, into);
    } finally {
      f.overrides.delete(spread);
    }
  };
  const among = ([one, ...others]: readonly Member[], into: string): Atom => {
    if (one === undefined) return { kind: "undef", type };
    return others.length === 0
      ? lowerAs(one, into)
      : f.choose(
          into,
          type,
          equalityTest(f, "===", tag, str(one.tag)),
          () => lowerAs(one, "t"),
          () => among(others, "t"),
        );
  };
  return among(members, wanted);
}

/** The expression of a leading spread whose type is a union. */
function unionSpread(f: Frame, { properties }: ts.ObjectLiteralExpression): ts.Expression | null {
  const [first] = properties;
  const spread = first !== undefined && f.api.isSpreadAssignment(first) ? first.expression : null;
  return spread !== null &&
    isPlainRead(f, spread) &&
    !f.overrides.has(spread) &&
    f.shape(f.ctx.typeOf(spread)).kind === "union"
    ? spread
    : null;
}

/** `{ ...state, kind: "done" }` is another member than the spread object. */
const changesMember = (
  { api, ctx }: Frame,
  { properties }: ts.ObjectLiteralExpression,
  tag: string,
): boolean =>
  properties.some(
    ({ name }) => name !== undefined && declaredName(api, name, ctx.checker) === tag,
  ) || properties.slice(1).some(api.isSpreadAssignment);

/** A variable or a field path, which is safe to read twice. */
function isPlainRead(f: Frame, expression: ts.Expression): boolean {
  const node = bare(expression, f.api);
  return (
    f.api.isIdentifier(node) ||
    (f.api.isPropertyAccessExpression(node) && isPlainRead(f, node.expression))
  );
}

/** The members of a union of records with a discriminant string field; null for other types. */
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
