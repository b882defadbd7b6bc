// Finds where properties that a type does not list may be lost or change a derivative.
// `{ b: 1, ...p }` of a p that is typed `{ a }` but was allocated as `{ a, b }` is an example.
// Input: a raw program. Output: the places, by kind.
// A property is in excess where a value flows to a type that lists less.
// Arguments of users may be spread with excess properties, and are as typed otherwise.

import { assignable } from "../../ir/assignable.ts";
import { hasNumbers, resolve, type Types } from "../../ir/shadow.ts";
import type { Expr, Func, Origin, Program, Stmt, Type, Var } from "../../ir/types.ts";
import { walkStmts } from "../../ir/visit.ts";
import { type Flow, flowsOf } from "../flows.ts";

export interface ExcessProperty {
  readonly func: string;
  readonly origin: Origin;
  readonly field: string;
  /** An excess property overrides a field; is read under a wider type; or is absent from a copy. */
  readonly kind: "overridden" | "taken" | "lost";
}

/** An object literal that spreads objects. */
interface Literal {
  readonly func: string;
  readonly origin: Origin;
  readonly bind: Var;
  readonly expr: Expr & { readonly kind: "record" };
}

interface Candidate extends ExcessProperty {
  /** The types of the objects that are spread or read. */
  readonly types: readonly Type[];
}

/** `asked`: functions that users call. */
export function excessProperties(
  { funcs, types }: Program,
  asked: ReadonlySet<string>,
): readonly ExcessProperty[] {
  const all = [...funcs.values()];
  const flows = new Map(all.map((func) => [func.name, flowsOf(func, types, funcs)]));
  const own = all.flatMap((func) => candidatesIn(func, types));
  const literals = all.flatMap(literalsIn);
  const copied = literals.flatMap(({ expr }) => expr.copies ?? []);
  const found = numbersOfUnknowns(all, flows, types);
  const observed = all.flatMap((func) => observedIn(func, types));
  if (own.length + copied.length + observed.length === 0) return found;
  const losses = new Losses(types);
  const outside = new Losses(types, losses.ways);
  for (const { value, to } of [...flows.values()].flat()) losses.between(value.type, to);
  for (const { params } of all.filter(({ name }) => asked.has(name)))
    for (const { type } of params) outside.from(type);
  const written = new Set(all.flatMap(writtenIn));
  const exposed = exposedBy(observed, losses);
  const copies = lostBy(literals, observed, losses, types);
  // Report the copy that lacks a field, not also the code that sees it.
  const lost = [
    ...copies,
    ...exposed.filter(
      ({ func, field }) => !copies.some((each) => each.func === func && each.field === field),
    ),
  ];
  const isLost = ({ field, types: each }: Candidate): boolean =>
    each.some((type) => losses.reach(field, type));
  const mayExist = ({ field, types: each, kind }: Candidate): boolean =>
    kind === "taken" && (written.has(field) || each.some((type) => outside.reach(field, type)));
  // widen-records.ts adds a field to objects that lack it, but not the value that a copy lost.
  const isCopied = (field: string): boolean => copied.some((type) => losses.reach(field, type));
  const later =
    copied.length === 0
      ? []
      : [...flows]
          .flatMap(([func, each]) => each.flatMap((flow) => gainedBy(flow, func, types)))
          .filter(({ field }) => isCopied(field));
  return [
    ...found,
    ...lost,
    ...own.filter((one) => isLost(one) || mayExist(one)),
    ...later.filter(isLost),
  ];
}

/** Fields that a flow to a wider type adds. */
const gainedBy = ({ value, to, origin }: Flow, func: string, types: Types): readonly Candidate[] =>
  gained(value.type, to, types).map(({ field, of }) => ({
    func,
    origin,
    field,
    kind: "taken",
    types: [of],
  }));

/** Names of the fields that are stored to. */
function writtenIn({ body }: Func): readonly string[] {
  const found: string[] = [];
  walkStmts(body, (stmt) => {
    if (stmt.kind === "store" && stmt.key.kind === "field") found.push(stmt.key.name);
  });
  return found;
}

/** Spreads and casts that an excess property would change. */
function candidatesIn(func: Func, types: Types): readonly Candidate[] {
  const found: Candidate[] = [];
  walkStmts(func.body, ({ origin, ...stmt }: Stmt) => {
    if (stmt.kind !== "let") return;
    const { bind, expr } = stmt;
    const take = (had: Type, of: readonly Type[]): void => {
      for (const { field } of gained(had, bind.type, types))
        found.push({ func: func.name, origin, field, kind: "taken", types: of });
    };
    // A cast to a class is checked at run time, and its instances have all its fields.
    if (
      expr.kind === "unwrap" &&
      !(bind.type.kind === "named" && types.get(bind.type.name)?.instance !== undefined)
    )
      take(expr.value.type, [expr.value.type]);
    if (expr.kind !== "record") return;
    for (const { name, overriddenBy: beneath } of expr.fields)
      if (beneath !== undefined)
        found.push({ func: func.name, origin, field: name, kind: "overridden", types: beneath });
    if (expr.copies === undefined) return;
    const fields = expr.fields.map(({ name, value }) => ({ name, type: value.type }));
    take({ kind: "record", fields }, expr.copies);
  });
  return found;
}

function literalsIn(func: Func): readonly Literal[] {
  const found: Literal[] = [];
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "let" && stmt.expr.kind === "record" && stmt.expr.copies !== undefined)
      found.push({ func: func.name, origin: stmt.origin, bind: stmt.bind, expr: stmt.expr });
  });
  return found;
}

/** An object whose excess properties an extern, such as `Object.keys`, or a cast observes. */
interface Observed {
  readonly func: string;
  readonly origin: Origin;
  readonly type: Type;
  readonly byExtern: boolean;
}

function observedIn(func: Func, types: Types): readonly Observed[] {
  const found: Observed[] = [];
  walkStmts(func.body, ({ origin, ...stmt }: Stmt) => {
    if (stmt.kind !== "let" || (stmt.expr.kind !== "extern" && stmt.expr.kind !== "unwrap")) return;
    const { expr } = stmt;
    const byExtern = expr.kind === "extern";
    for (const { type } of byExtern ? expr.args : [expr.value]) {
      const shape = resolve(type, types);
      if (
        shape.kind === "record" &&
        !(
          byExtern &&
          shape.fields.some(({ name }) => expr.text[0] === `${JSON.stringify(name)} in `)
        )
      )
        found.push({ func: func.name, origin, type, byExtern });
    }
  });
  return found;
}

/** A copy without an excess field. `left`: the copy's fields; null if its type lists the field. */
interface Lost {
  readonly literal: Literal;
  readonly field: string;
  readonly left: readonly string[] | null;
}

/** Observable copies without an excess field of the original, also as copies of such copies. */
function lostBy(
  literals: readonly Literal[],
  observed: readonly Observed[],
  losses: Losses,
  types: Types,
): readonly ExcessProperty[] {
  const found: Lost[] = [];
  for (let before = -1; before < found.length;) {
    before = found.length;
    for (const literal of literals) addLost(literal, found, losses, types);
  }
  return found
    .filter(({ left }) => left === null || observed.some(({ type }) => losses.isPart(type, left)))
    .map(({ literal: { func, origin }, field }): ExcessProperty => ({
      kind: "lost",
      func,
      origin,
      field,
    }));
}

function addLost(literal: Literal, found: Lost[], losses: Losses, types: Types): void {
  const own = literal.expr.fields.map(({ name }) => name);
  const isKnown = (field: string): boolean =>
    own.includes(field) || found.some((each) => each.literal === literal && each.field === field);
  for (const copied of literal.expr.copies ?? [])
    for (const field of losses.of(copied)) {
      if (isKnown(field)) continue;
      // `{ ...p } as More` has the type `More`, which may list the field.
      const isListed = lists(resolve(literal.bind.type, types), field);
      found.push({ literal, field, left: isListed ? null : own });
      if (!isListed) losses.add(field, literal.bind.type, own);
    }
}

const lists = (shape: Type, field: string): boolean =>
  shape.kind === "dict" ||
  (shape.kind === "record" && shape.fields.some(({ name }) => name === field));

/** Externs that get an object with excess fields: the optimiser may drop what its type omits. */
const exposedBy = (observed: readonly Observed[], losses: Losses): readonly ExcessProperty[] =>
  observed.flatMap(({ func, origin, type, byExtern }): readonly ExcessProperty[] => {
    const [field] = byExtern ? losses.of(type) : [];
    return field === undefined ? [] : [{ kind: "lost", func, origin, field }];
  });

/** Fields with numbers that `to` has and `from` lacks, each with the type that lacks it. */
function gained(
  from: Type,
  to: Type,
  types: Types,
): readonly { readonly field: string; readonly of: Type }[] {
  const losses = new Losses(types);
  losses.between(to, from);
  return losses.found.flatMap(({ field, type, of }) =>
    field === null || !hasNumbers(type, types) ? [] : [{ field, of }],
  );
}

/** Numbers that were typed `unknown` in between: their derivatives cannot be followed. */
function numbersOfUnknowns(
  all: readonly Func[],
  flows: ReadonlyMap<string, readonly Flow[]>,
  types: Types,
): readonly ExcessProperty[] {
  const isUnknown = ({ kind }: Type): boolean => kind === "leaf";
  // Opaque places within arrays and objects are left to differentiation (TSG3009).
  const isHidden = [...flows.values()]
    .flat()
    .some(
      ({ value, to, destination: into }) =>
        value.kind !== "const" &&
        to.kind === "leaf" &&
        (to.opaque !== true || into.kind !== "place") &&
        (hasNumbers(value.type, types) || resolve(value.type, types).kind === "record"),
    );
  if (!isHidden) return [];
  return all.flatMap((func) => {
    const found: ExcessProperty[] = [];
    const take = (origin: Origin, field: string): void =>
      void found.push({ func: func.name, origin, field, kind: "taken" });
    for (const { value, to, origin } of flows.get(func.name) ?? [])
      if (
        value.kind === "var" &&
        isUnknown(value.type) &&
        to.kind !== "opt" &&
        hasNumbers(to, types)
      )
        take(origin, value.name);
    walkStmts(func.body, (stmt) => {
      if (
        stmt.kind !== "let" ||
        stmt.expr.kind !== "extern" ||
        stmt.expr.verbatim !== true ||
        !hasNumbers(stmt.bind.type, types)
      )
        return;
      const hidden = stmt.expr.args.find((arg) => arg.kind === "var" && isUnknown(arg.type));
      if (hidden?.kind === "var") take(stmt.origin, hidden.name);
    });
    return found;
  });
}

/** A field that a flow hides: its type, the type that omits it, and the fields that this lists. */
interface Loss {
  /** Null for any field that is not listed. */
  readonly field: string | null;
  readonly type: Type;
  readonly of: Type;
  readonly left: readonly string[];
}

type RecordType = Type & { readonly kind: "record" };

/** The record types that values flow to. */
interface Ways {
  readonly to: Set<RecordType>;
  /** Some values flow to types without information on fields. */
  areOpen: boolean;
}

/** The fields that flows of the program hide. */
class Losses {
  readonly #types: Types;
  readonly ways: Ways;
  readonly found: Loss[] = [];

  constructor(types: Types, ways: Ways = { to: new Set(), areOpen: false }) {
    this.#types = types;
    this.ways = ways;
  }

  /** Whether an object of the type may have the field in excess. */
  reach(field: string, type: Type): boolean {
    const isRecord = resolve(type, this.#types).kind === "record";
    return (
      isRecord &&
      this.found.some(
        (loss) =>
          (loss.field === null ? !loss.left.includes(field) : loss.field === field) &&
          this.isPart(type, loss.left),
      )
    );
  }

  /** Fields that an object of the type may have in excess. */
  of(type: Type): readonly string[] {
    return [
      ...new Set(
        this.found.flatMap(({ field, left }) =>
          field !== null && this.isPart(type, left) ? [field] : [],
        ),
      ),
    ];
  }

  /** Adds a copy of type `of` that lacks the field. */
  add(field: string, of: Type, left: readonly string[]): void {
    this.found.push({ field, type: of, of, left });
  }

  /** Whether an object with these known fields may be typed so. */
  isPart(type: Type, left: readonly string[]): boolean {
    const shape = resolve(type, this.#types);
    if (shape.kind === "opt") return this.isPart(shape.of, left);
    if (shape.kind === "union") return shape.variants.some((variant) => this.isPart(variant, left));
    return (
      shape.kind === "record" &&
      this.#admits(shape, new Set(left)) &&
      (!this.#isWeak(shape) ||
        this.#known(left).some((name) => shape.fields.some((each) => each.name === name)))
    );
  }

  #admits({ fields }: RecordType, known: ReadonlySet<string>): boolean {
    return fields.every((each) => known.has(each.name) || this.#isOptional(each.type));
  }

  /** Whether all fields are optional. TypeScript assigns only objects with one of them to it. */
  #isWeak({ fields }: Type & { readonly kind: "record" }): boolean {
    return (
      !this.ways.areOpen && fields.length > 0 && fields.every((each) => this.#isOptional(each.type))
    );
  }

  /** The fields of all types that an object with these fields may flow to. */
  #known(left: readonly string[]): readonly string[] {
    const known = new Set(left);
    for (let before = -1; before !== known.size;) {
      before = known.size;
      for (const shape of this.ways.to)
        if (
          this.#admits(shape, known) &&
          (!this.#isWeak(shape) || shape.fields.some(({ name }) => known.has(name)))
        )
          for (const { name } of shape.fields) known.add(name);
    }
    return [...known];
  }

  /** The members of a union that a value of the type can be, by their tags. */
  #membersFor(type: Type, variants: readonly Type[]): readonly Type[] {
    const fitting = variants.filter((variant) => assignable(type, variant, this.#types));
    return fitting.length === 0 ? variants : fitting;
  }

  #isOptional(type: Type): boolean {
    const shape = resolve(type, this.#types);
    return shape.kind === "opt" || (shape.kind === "leaf" && shape.optional === true);
  }

  /** Assumes that objects of the type, and within it, have unlisted fields. */
  from(type: Type, met = new Set<Type>()): void {
    const shape = resolve(type, this.#types);
    if (met.has(shape)) return;
    met.add(shape);
    if (shape.kind === "record")
      this.found.push({ field: null, type, of: shape, left: shape.fields.map(({ name }) => name) });
    for (const each of partsOf(shape)) this.from(each, met);
  }

  /** Records the fields that a flow hides. `met`: pairs of types that are compared already. */
  between(from: Type, to: Type, met = new Map<string | Type, Set<string | Type>>()): void {
    const [own, other] = [nameOf(from), nameOf(to)];
    const others = met.get(own) ?? new Set();
    if (own === other || others.has(other)) return;
    met.set(own, others.add(other));
    const inner = (x: Type, z: Type): void => this.between(x, z, met);
    const x = resolve(from, this.#types);
    const z = resolve(to, this.#types);
    if (x.kind === "opt") return inner(x.of, z);
    if (z.kind === "opt") return inner(x, z.of);
    if (x.kind === "union") return x.variants.forEach((variant) => inner(variant, z));
    if (z.kind === "union")
      return this.#membersFor(from, z.variants).forEach((variant) => inner(x, variant));
    if (hidesFields(x, z)) this.ways.areOpen = true;
    if (x.kind !== "record") elementsBetween(x, z, inner);
    else if (z.kind === "dict") x.fields.forEach(({ type }) => inner(type, z.value));
    else if (z.kind === "record") this.#fieldsBetween(x, z, inner);
  }

  #fieldsBetween(x: RecordType, z: RecordType, inner: (x: Type, z: Type) => void): void {
    this.ways.to.add(z);
    const left = z.fields.map(({ name }) => name);
    for (const { name, type } of x.fields) {
      const place = z.fields.find((each) => each.name === name);
      if (place === undefined) this.found.push({ field: name, type, of: z, left });
      else inner(type, place.type);
    }
  }
}

/** The name of a type, or the type itself without one. */
const nameOf = (type: Type): string | Type => (type.kind === "named" ? type.name : type);

/** Whether the destination's type says nothing of the fields of the value. */
const hidesFields = (x: Type, z: Type): boolean =>
  (z.kind === "leaf" && (x.kind === "record" || elementsOf(x) !== null)) ||
  (x.kind === "record" && (z.kind === "dict" || (z.kind === "record" && z.fields.length === 0)));

function elementsBetween(x: Type, z: Type, inner: (x: Type, z: Type) => void): void {
  const elements = elementsOf(z);
  if (elements === null) return;
  elementsOf(x)?.forEach((elem, i) => inner(elem, elements[i] ?? elements.at(-1) ?? elem));
}

function partsOf(shape: Type): readonly Type[] {
  if (shape.kind === "record") return shape.fields.map((field) => field.type);
  if (shape.kind === "opt") return [shape.of];
  return shape.kind === "union" ? shape.variants : (elementsOf(shape) ?? []);
}

function elementsOf(type: Type): readonly Type[] | null {
  switch (type.kind) {
    case "array":
      return [type.elem];
    case "dict":
      return [type.value];
    case "tuple":
      return type.elems;
    default:
      return null;
  }
}
