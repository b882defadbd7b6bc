// Parses types of the IR syntax; the inverse of printType.

import { Cursor } from "./lex.ts";
import type { Field, Type } from "./types.ts";
import { TYPED_ARRAYS } from "./typed-arrays.ts";

export const parseType = (text: string): Type => parseTypeAt(new Cursor(text));

export function parseTypeAt(cursor: Cursor): Type {
  const variants = [parsePostfix(cursor)];
  while (cursor.take("|")) variants.push(parsePostfix(cursor));
  const [only] = variants;
  return variants.length === 1 && only !== undefined
    ? only
    : { kind: "union", variants: variants.map(asTagged) };
}

const asTagged = (type: Type): Type => (type.kind === "record" ? { ...type, tagged: true } : type);

function parsePostfix(cursor: Cursor): Type {
  let type = parsePrimary(cursor);
  for (;;) {
    if (cursor.is("[") && cursor.is("]", 1)) {
      cursor.next();
      cursor.next();
      type = { kind: "array", store: "Array", elem: type };
    } else if (cursor.take("?")) type = { kind: "opt", of: type };
    else return type;
  }
}

function parsePrimary(cursor: Cursor): Type {
  if (cursor.take("[")) return parseTuple(cursor);
  if (cursor.take("{"))
    return { kind: "record", fields: cursor.list("}", () => parseField(cursor)) };
  if (cursor.take("(")) return parseBracketed(cursor);
  const quoted = cursor.peek().kind === "quoted";
  const name = cursor.name();
  if (quoted) return { kind: "named", name };
  switch (name) {
    case "num":
    case "bool":
    case "void":
      return { kind: name };
    case "leaf":
      return { kind: "leaf", text: cursor.string() };
    case "opaque":
      return { kind: "leaf", text: cursor.string(), opaque: true };
    case "tape":
      return parseTape(cursor);
    case "Map":
      return parseDict(cursor, "Map");
    case "Dict":
      return parseDict(cursor, "Object");
    case "cotangent":
      cursor.expect("<");
      return { kind: "cotangent", of: parseArgument(cursor) };
    default:
      return parseArrayOrNamed(cursor, name);
  }
}

/** Parses the rest of `<T>`. */
function parseArgument(cursor: Cursor): Type {
  const type = parseTypeAt(cursor);
  cursor.expect(">");
  return type;
}

function parseDict(cursor: Cursor, store: "Map" | "Object"): Type {
  cursor.expect("<");
  const key = parseTypeAt(cursor);
  cursor.expect(",");
  return { kind: "dict", store, key, value: parseArgument(cursor) };
}

function parseArrayOrNamed(cursor: Cursor, name: string): Type {
  const store = (["Array", ...TYPED_ARRAYS] as const).find((one) => one === name);
  if (store === undefined) return { kind: "named", name };
  const elem: Type = cursor.take("<") ? parseArgument(cursor) : { kind: "num" };
  return { kind: "array", store, elem };
}

function parseTape(cursor: Cursor): Type {
  if (!cursor.take("<")) return { kind: "tape", of: "num" };
  const of = cursor.name() === "ref" ? "ref" : "num";
  cursor.expect(">");
  return { kind: "tape", of };
}

function parseField(cursor: Cursor): Field {
  const name = cursor.peek().kind === "string" ? cursor.string() : cursor.name();
  cursor.expect(":");
  return { name, type: parseTypeAt(cursor) };
}

/** `[num, num]` or `[f: num, a: num]`; `[` is taken. */
function parseTuple(cursor: Cursor): Type {
  const labels: string[] = [];
  const elems = cursor.list("]", () => {
    if (cursor.is(":", 1)) {
      labels.push(cursor.name());
      cursor.expect(":");
    }
    return parseTypeAt(cursor);
  });
  return labels.length === 0 ? { kind: "tuple", elems } : { kind: "tuple", elems, labels };
}

/** A function type, or a type in parentheses; `(` is taken. */
function parseBracketed(cursor: Cursor): Type {
  const params = cursor.list(")", () => parseTypeAt(cursor));
  if (cursor.take("=>")) return { kind: "func", params, result: parseTypeAt(cursor) };
  return params[0] ?? cursor.fail("expected a type in the brackets");
}
