// `{ ...m }`: the fields of m's type. In: a spread in an object literal. Out: the literal's fields so far, with those of m. Invariant: an optional field
// overrides an earlier one only where m has it, and is missing where m lacks it and nothing stood there before.

import type ts from "typescript";
import { BOOL, bool, field } from "../../ir/build.ts";
import { isOptionalField } from "../../ir/shadow.ts";
import type { Atom, Expr, Field, RecordPart, Type } from "../../ir/types.ts";
import { extern, inner, optional, present, UNDEFINED, unwrap } from "../coerce.ts";
import { lowerExpr } from "../expression.ts";
import type { Frame } from "../frame.ts";
import { requireListable } from "./places.ts";
import { opened } from "../resolve.ts";

/** The fields of a literal, in order. */
export class Fields extends Map<string, Atom> {
  /** Of fields that may not be there: whether they are; null of those that are where they hold something. */
  readonly #mayLack = new Map<string, Atom | null>();
  readonly #beneath = new Map<string, readonly Type[]>();
  readonly #copies: Type[] = [];

  override set(name: string, value: Atom): this {
    this.#mayLack.delete(name);
    this.#beneath.delete(name);
    return super.set(name, value);
  }

  /** An object of the type is spread behind the fields so far: it may have those, too, that its type does not list, and others. */
  spread(type: Type, listed: readonly Field[]): void {
    this.#copies.push(type);
    for (const name of this.keys())
      if (!listed.some((each) => each.name === name))
        this.#beneath.set(name, [...(this.#beneath.get(name) ?? []), type]);
  }

  /** A field that is there only sometimes: where `there` says so, or else where its value is not undefined. Where one stood already, one is there. */
  setOptional(
    name: string,
    value: Atom,
    there: (former: Atom | null) => Atom | null = () => null,
  ): void {
    const mayLack = !this.has(name) || this.#mayLack.has(name);
    const former = this.#mayLack.get(name) ?? null;
    this.set(name, value);
    if (mayLack) this.#mayLack.set(name, there(former));
  }

  /** What the field holds instead, where it is there. */
  replace(name: string, value: Atom): void {
    super.set(name, value);
  }

  /** The literal. */
  record(): Expr & { readonly kind: "record" } {
    return {
      kind: "record",
      fields: this.#parts(),
      ...(this.#copies.length === 0 ? {} : { copies: this.#copies }),
    };
  }

  #parts(): readonly RecordPart[] {
    return [...this].map(([name, value]) => {
      const there = this.#mayLack.get(name);
      const beneath = this.#beneath.get(name);
      return {
        name,
        value,
        ...(there === undefined ? {} : there === null ? { mayLack: true } : { there }),
        ...(beneath === undefined ? {} : { beneath }),
      };
    });
  }
}

export function spreadFields(f: Frame, property: ts.SpreadAssignment, fields: Fields): void {
  const chosen =
    f.api.isConditionalExpression(opened(f, property.expression)) ||
    f.api.isBinaryExpression(opened(f, property.expression));
  // the context's type says which fields the whole may have, not which ones this part has
  if (chosen && f.ctx.checker.getTypeAtLocation(property.expression).isUnion())
    return f.refuse("TSG1201", property, "spread of a choice");
  if (!addFields(f, lowerExpr(f, property.expression), property.expression, fields))
    f.refuse("TSG1201", property, "spread in an object literal");
}

/** All fields of an object, of one that is missing none; false where these are not known. `expression`: the object. `wanted`: what their values are called. */
export function addFields(
  f: Frame,
  source: Atom,
  expression: ts.Expression,
  fields: Fields,
  wanted?: string,
): boolean {
  if (source.kind === "const") return true;
  const shape = f.shape(inner(f, source.type));
  if (shape.kind !== "record") return false;
  requireListable(f, source, expression);
  if (!isExact(f, expression)) fields.spread(inner(f, source.type), shape.fields);
  const isThere = f.shape(source.type).kind === "opt" ? present(f, source) : null;
  for (const each of shape.fields)
    addField(
      f,
      { source, isThere, type: optionalTypeOf(f, expression, each), wanted: wanted ?? each.name },
      each,
      fields,
    );
  return true;
}

/** Some fields of an object: those that a pattern leaves for its rest. `wanted`: what their values are called. */
export function leftFields(
  f: Frame,
  source: Atom,
  left: readonly Field[],
  wanted?: string,
): Fields {
  const fields = new Fields();
  fields.spread(source.type, left);
  // the type of a text says by itself that it may be missing
  const mayLack = ({ type }: Field): boolean =>
    isOptionalField(type) || (type.kind === "leaf" && type.optional === true);
  for (const each of left)
    addField(
      f,
      {
        source,
        isThere: null,
        type: mayLack(each) ? each.type : null,
        wanted: wanted ?? each.name,
      },
      each,
      fields,
    );
  return fields;
}

/** Whether it is a literal that says all its fields. */
export function isExact(f: Frame, expression: ts.Expression): boolean {
  const node = opened(f, expression);
  return f.api.isObjectLiteralExpression(node) && !node.properties.some(f.api.isSpreadAssignment);
}

/** `isThere`: null of an object that cannot be missing. `type`: null of a field that is in each such object. */
interface Part {
  readonly source: Atom;
  readonly isThere: Atom | null;
  readonly type: Type | null;
  readonly wanted: string;
}

function addField(
  f: Frame,
  { source, isThere, type, wanted }: Part,
  each: Field,
  fields: Fields,
): void {
  const load = (as: Type): Atom =>
    f.let(wanted, as, {
      kind: "load",
      object: isThere === null ? source : unwrap(f, source),
      key: field(each.name),
    });
  const former = fields.get(each.name);
  if (type === null && isThere === null) return void fields.set(each.name, load(each.type));
  // `{ g: undefined }` has the field, unless types say that nobody writes that
  const mayHoldNothing =
    type !== null && f.ctx.program.getCompilerOptions().exactOptionalPropertyTypes !== true;
  const isHere = (): Atom =>
    isThere === null
      ? isIn(f, each.name, source)
      : type === null
        ? isThere
        : f.choose(
            "t",
            BOOL,
            isThere,
            () => isIn(f, each.name, unwrap(f, source)),
            () => bool(false),
          );
  if (former === undefined) {
    const wide = type ?? optional(f, each.type);
    const there = mayHoldNothing ? isHere() : null;
    return fields.setOptional(
      each.name,
      isThere === null
        ? load(wide)
        : f.choose(
            wanted,
            wide,
            isThere,
            () => load(type ?? each.type),
            () => UNDEFINED,
          ),
      () => there,
    );
  }
  const has = isHere();
  const chosen =
    f.shape(former.type).kind === "opt"
      ? former.type
      : joined(f, former.type, inner(f, type ?? each.type));
  const held = (): Atom =>
    type === null ? load(each.type) : chosen === each.type ? load(type) : unwrap(f, load(type));
  fields.setOptional(
    each.name,
    f.choose("t", chosen, has, held, () => former),
    (wasThere) =>
      !mayHoldNothing && wasThere === null
        ? null
        : f.choose(
            "t",
            BOOL,
            has,
            () => bool(true),
            () => wasThere ?? present(f, former),
          ),
  );
}

export const isIn = (f: Frame, name: string, object: Atom): Atom =>
  extern(f, "t", BOOL, [`${JSON.stringify(name)} in `, ""], [object], "reads");

/** The type of a field that may be missing, as one that may be missing: that of a text says so by itself. Null for one that is always there. */
export function optionalTypeOf(
  f: Frame,
  expression: ts.Expression,
  { name, type }: Field,
): Type | null {
  if (isOptionalField(type)) return type;
  if (f.shape(type).kind === "opt") return null;
  const { checker } = f.ctx;
  const own = checker.getPropertyOfType(
    checker.getNonNullableType(checker.getTypeAtLocation(expression)),
    name,
  );
  if (own === undefined || (own.flags & f.api.SymbolFlags.Optional) === 0) return null;
  return {
    kind: "opt",
    of: f.ctx.typeFrom(checker.getNonNullableType(checker.getTypeOfSymbol(own)), expression),
  };
}

/** Two texts may be of types of their own. */
function joined(f: Frame, former: Type, held: Type): Type {
  const [x, z] = [f.shape(former), f.shape(held)];
  return x.kind === "leaf" && z.kind === "leaf" && x.text !== z.text
    ? { kind: "leaf", text: `${x.text} | ${z.text}` }
    : held;
}
