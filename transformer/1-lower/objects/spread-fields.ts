// Lowers `{ ...m }` as the fields of m's type. Input: a spread and the literal's fields so far.
// Output: the fields with those of m. An optional field overrides an earlier one only if m has it,
// and is missing where m lacks it and there is no earlier one.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { BOOL, bool, field } from "../../ir/build.ts";
import { isOptionalField } from "../../ir/shadow.ts";
import type { Atom, Expr, Field, RecordPart, Type } from "../../ir/types.ts";
import { isConstant } from "../assignments.ts";
import { optional, definednessTest, isNullish, UNDEFINED, unwrap, externWith } from "../coerce.ts";
import { inner, type Frame } from "../frame.ts";
import { lowerOptional } from "../identifiers.ts";
import { lowerExpr } from "../lowering.ts";
import { requireEnumerable } from "./places.ts";

/** The fields of a literal, in order. */
export class Fields extends Map<string, Atom> {
  /** Fields that may be missing: a test for their presence, or null for "if not undefined". */
  readonly #mayLack = new Map<string, Atom | null>();
  readonly #beneath = new Map<string, readonly Type[]>();
  readonly #copies: Type[] = [];

  override set(name: string, value: Atom): this {
    this.#mayLack.delete(name);
    this.#beneath.delete(name);
    return super.set(name, value);
  }

  /** Notes a spread object: it may have fields that its type does not list. */
  spread(type: Type, listed: readonly Field[]): void {
    this.#copies.push(type);
    for (const name of this.keys())
      if (!listed.some((each) => each.name === name))
        this.#beneath.set(name, [...(this.#beneath.get(name) ?? []), type]);
  }

  /** Sets a field that is present if `there` says so, or if it is not undefined. */
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

  /** Changes the value of a field, wherever it is present. */
  replace(name: string, value: Atom): void {
    super.set(name, value);
  }

  /** The allocation of the literal. */
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
        ...(there === undefined
          ? {}
          : there === null
            ? { omitIfUndefined: true }
            : { presentIf: there }),
        ...(beneath === undefined ? {} : { overriddenBy: beneath }),
      };
    });
  }
}

export function spreadFields(f: Frame, property: ts.SpreadAssignment, fields: Fields): void {
  const chosen =
    f.api.isConditionalExpression(bare(property.expression, f.api)) ||
    f.api.isBinaryExpression(bare(property.expression, f.api));
  // the context's type lists the fields of the whole literal, not of this part
  if (chosen && f.ctx.checker.getTypeAtLocation(property.expression).isUnion())
    return f.refuse("TSG1201", property, "spread of a choice");
  const source = (f.ctx.hasStrictNulls ? lowerExpr : lowerOptional)(f, property.expression);
  refuseUnsaid(f, source, property.expression, fields.size === 0);
  if (!addFields(f, source, property.expression, fields))
    f.refuse("TSG1201", property, "spread in an object literal");
}

/**
 * Without `strictNullChecks` any object may be missing, and then has no fields. Refused where that
 * would be no mistake: the fields are optional, or others have given them before.
 */
export function refuseUnsaid(
  f: Frame,
  source: Atom,
  expression: ts.Expression,
  isFirst = false,
): void {
  const shape = f.shape(source.type);
  const fields = shape.kind === "record" ? shape.fields : [];
  const isRequired = (each: Field): boolean => optionalTypeOf(f, expression, each) === null;
  if (
    !f.ctx.hasStrictNulls &&
    !isNullish(source) &&
    (shape.kind === "record" || shape.kind === "dict") &&
    !(isFirst && shape.kind === "record" && fields.every(isRequired)) &&
    !isAllocatedHere(f, expression)
  )
    f.refuse("TSG1128", expression, f.textOf(expression));
}

/** `{ … }`, `new Model()`, or a constant that is one. */
function isAllocatedHere(f: Frame, expression: ts.Expression): boolean {
  const { api } = f;
  const node = bare(expression, f.api);
  const declaration = api.isIdentifier(node) ? f.symbolOf(node)?.valueDeclaration : undefined;
  if (isConstant(declaration, api)) return isAllocatedHere(f, declaration.initializer);
  return (
    api.isObjectLiteralExpression(node) ||
    api.isNewExpression(node) ||
    node.kind === api.SyntaxKind.ThisKeyword
  );
}

/** Adds an object's fields; null adds none. False if they are unknown. `wanted`: a name hint. */
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
  requireEnumerable(f, source, expression);
  if (!isClosedLiteral(f, expression)) fields.spread(inner(f, source.type), shape.fields);
  const isThere = f.shape(source.type).kind === "opt" ? definednessTest(f, source) : null;
  for (const each of shape.fields)
    addField(
      f,
      { source, isThere, type: optionalTypeOf(f, expression, each), wanted: wanted ?? each.name },
      each,
      fields,
    );
  return true;
}

/** The fields of an object that a pattern leaves for its rest. `wanted`: a name hint. */
export function restFields(
  f: Frame,
  source: Atom,
  left: readonly Field[],
  wanted?: string,
): Fields {
  const fields = new Fields();
  fields.spread(source.type, left);
  // the type of a string says by itself that it may be missing
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

/** Whether the expression is a literal without spreads, so that its type lists all fields. */
export function isClosedLiteral(f: Frame, expression: ts.Expression): boolean {
  const node = bare(expression, f.api);
  return f.api.isObjectLiteralExpression(node) && !node.properties.some(f.api.isSpreadAssignment);
}

interface Part {
  readonly source: Atom;
  /** Whether the source is defined; null if it always is. */
  readonly isThere: Atom | null;
  /** Optional type of the field; null if every source has the field. */
  readonly type: Type | null;
  readonly wanted: string;
}

function addField(f: Frame, part: Part, each: Field, fields: Fields): void {
  const { isThere, type } = part;
  if (type === null && isThere === null)
    return void fields.set(each.name, load(f, part, each, each.type));
  // `{ g: undefined }` has the field, unless exactOptionalPropertyTypes forbids it
  const mayHoldNothing =
    type !== null && f.ctx.program.getCompilerOptions().exactOptionalPropertyTypes !== true;
  const former = fields.get(each.name);
  if (former === undefined) addNewField(f, part, each, fields, mayHoldNothing);
  else overrideField(f, part, each, { fields, former, mayHoldNothing });
}

const load = (f: Frame, { source, isThere, wanted }: Part, each: Field, as: Type): Atom =>
  f.b.load(wanted, as, isThere === null ? source : unwrap(f, source), field(each.name));

/** Whether the source is defined and has the field. */
const hasField = (f: Frame, { source, isThere, type }: Part, { name }: Field): Atom =>
  isThere === null
    ? isIn(f, name, source)
    : type === null
      ? isThere
      : f.choose(
          "t",
          BOOL,
          isThere,
          () => isIn(f, name, unwrap(f, source)),
          () => bool(false),
        );

function addNewField(
  f: Frame,
  part: Part,
  each: Field,
  fields: Fields,
  mayHoldNothing: boolean,
): void {
  const { isThere, type, wanted } = part;
  const wide = type ?? optional(f, each.type);
  const there = mayHoldNothing ? hasField(f, part, each) : null;
  const value =
    isThere === null
      ? load(f, part, each, wide)
      : f.choose(
          wanted,
          wide,
          isThere,
          () => load(f, part, each, type ?? each.type),
          () => UNDEFINED,
        );
  fields.setOptional(each.name, value, () => there);
}

interface Earlier {
  readonly fields: Fields;
  /** The field's value so far. */
  readonly former: Atom;
  readonly mayHoldNothing: boolean;
}

function overrideField(
  f: Frame,
  part: Part,
  each: Field,
  { fields, former, mayHoldNothing }: Earlier,
): void {
  const { type } = part;
  const has = hasField(f, part, each);
  const chosen =
    f.shape(former.type).kind === "opt"
      ? former.type
      : joined(f, former.type, inner(f, type ?? each.type));
  const loaded = (): Atom => {
    if (type === null) return load(f, part, each, each.type);
    const value = load(f, part, each, type);
    return chosen === each.type ? value : unwrap(f, value);
  };
  fields.setOptional(
    each.name,
    f.choose("t", chosen, has, loaded, () => former),
    (wasThere) =>
      !mayHoldNothing && wasThere === null
        ? null
        : f.choose(
            "t",
            BOOL,
            has,
            () => bool(true),
            () => wasThere ?? definednessTest(f, former),
          ),
  );
}

export const isIn = (f: Frame, name: string, object: Atom): Atom =>
  externWith(f, "t", BOOL, {
    text: [`${JSON.stringify(name)} in `, ""],
    args: [object],
    effect: "reads",
  });

/** The optional type of a field that may be missing; null for one that is always present. */
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

/** The join of two field types: string types may differ. */
function joined(f: Frame, former: Type, held: Type): Type {
  const [x, z] = [f.shape(former), f.shape(held)];
  return x.kind === "leaf" && z.kind === "leaf" && x.text !== z.text
    ? { kind: "leaf", text: `${x.text} | ${z.text}` }
    : held;
}
