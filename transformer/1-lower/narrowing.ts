// Narrows values by the checker's control flow. Input: an atom and the expression that gives it.
// Output: the value out of an optional one, or the variant of a union, where the user's checks
// have shown which it is.

import type ts from "typescript";
import { assignable } from "../ir/assignable.ts";
import type { Atom } from "../ir/types.ts";
import { isNullish, unwrap } from "./coerce.ts";
import type { Frame } from "./frame.ts";

/** The value as the checker knows it at the node. */
export function narrowed(f: Frame, atom: Atom, node: ts.Node): Atom {
  return asVariant(f, withoutMissing(f, atom, node), node);
}

/** `x as Circle`, where the checker has narrowed a union to fewer variants. */
function asVariant(f: Frame, atom: Atom, node: ts.Node): Atom {
  const shape = f.shape(atom.type);
  if (shape.kind !== "union" || atom.kind === "const") return atom;
  const { checker } = f.ctx;
  const type = checker.getTypeAtLocation(node);
  if (type.flags & f.api.TypeFlags.Never)
    return f.let(
      "t",
      { kind: "leaf", text: "never" },
      { kind: "extern", text: ["", " as never"], args: [atom], effect: "pure", verbatim: true },
    );
  const here = f.ctx.typeFrom(checker.getNonNullableType(type), node);
  const fewer = f.shape(here);
  const isFewer =
    fewer.kind === "union"
      ? fewer.variants.length < shape.variants.length
      : shape.variants.some((variant) => assignable(here, variant, f.ctx.types));
  if (!isFewer || !assignable(here, atom.type, f.ctx.types)) return atom;
  const variant = f.let("t", here, { kind: "unwrap", value: atom });
  f.variantOf.set(variant.name, atom);
  return variant;
}

function withoutMissing(f: Frame, atom: Atom, node: ts.Node): Atom {
  if (f.shape(atom.type).kind === "leaf") return definedLeaf(f, atom, node);
  if (f.shape(atom.type).kind !== "opt" || isNullish(atom)) return atom;
  const { api, ctx } = f;
  const here = ctx.checker.getTypeAtLocation(node);
  const missing =
    api.TypeFlags.Undefined |
    api.TypeFlags.Null |
    api.TypeFlags.Void |
    api.TypeFlags.Any |
    api.TypeFlags.Unknown |
    api.TypeFlags.Never;
  const parts = here.isUnion() ? here.types : [here];
  return parts.some((part) => part.flags & missing || isOptionalParameter(f, part, node))
    ? atom
    : unwrap(f, atom);
}

/** Whether the type is a parameter `T` that the call instantiates with an optional type. */
const isOptionalParameter = (f: Frame, part: ts.Type, node: ts.Node): boolean =>
  (part.flags & f.api.TypeFlags.TypeParameter) !== 0 &&
  f.shape(f.ctx.typeFrom(part, node)).kind === "opt";

/**
 * A leaf of type `string | undefined` as `string`. Emitted code turns early exits into conditions,
 * after which TypeScript no longer knows that the value is defined.
 */
function definedLeaf(f: Frame, atom: Atom, node: ts.Node): Atom {
  if (
    atom.kind !== "var" ||
    atom.type.kind !== "leaf" ||
    atom.type.opaque === true ||
    !/\b(?:null|undefined)\b/.test(atom.type.text)
  )
    return atom;
  const { checker } = f.ctx;
  const type = checker.getTypeAtLocation(node);
  if (
    checker.getNonNullableType(type) !== type ||
    (type.flags & (f.api.TypeFlags.Never | f.api.TypeFlags.Any | f.api.TypeFlags.Unknown)) !== 0
  )
    return atom;
  const here = f.ctx.typeFrom(type, node);
  return here.kind === "leaf" && here.opaque !== true
    ? f.let("t", here, { kind: "unwrap", value: atom })
    : atom;
}
