// Fields that an object brings although its type does not list them: `{ b: 1, ...p }` and `(p as Whole).b` of a p that is known as `{ a: number }` and was made as `{ a, b }`.
// In: a raw program. Out: the literals whose fields such an object overrides; copies of it that lack such a field, and code that is handed it, where somebody may see that; where an object is taken for one
// with numbers that its type lacked, or a value that was of an unknown type for numbers.
// Invariant: a place is listed where a value of the program goes to one that knows less of it, and what that knows may be what is spread or taken; arguments from outside are spread as their
// types say, and taken for nothing else.

import { assignable } from "../../ir/assignable.ts";
import { hasNumbers, resolve, type Types } from "../../ir/shadow.ts";
import type { Expr, Func, Origin, Program, Stmt, Type, Var } from "../../ir/types.ts";
import { walkStmts } from "../../ir/visit.ts";
import { type Flow, flowsOf } from "../flows.ts";

export interface Unlisted {
  readonly func: string;
  readonly origin: Origin;
  /** What is overridden or taken, or what a copy has besides what is listed. */
  readonly field: string;
  readonly kind: "overridden" | "taken" | "lost";
}

interface Literal {
  readonly func: string;
  readonly origin: Origin;
  readonly bind: Var;
  readonly expr: Expr & { readonly kind: "record" };
}

interface Candidate extends Unlisted {
  /** Of what is spread or taken. */
  readonly types: readonly Type[];
}

/** `asked`: functions that others call, with what they like. */
export function unlistedIn(
  { funcs, types }: Program,
  asked: ReadonlySet<string>,
): readonly Unlisted[] {
  const all = [...funcs.values()];
  const flows = new Map(all.map((func) => [func.name, flowsOf(func, types, funcs)]));
  const own = all.flatMap((func) => candidatesIn(func, types));
  const literals = all.flatMap(literalsIn);
  const copied = literals.flatMap(({ expr }) => expr.copies ?? []);
  const found = numbersOfUnknowns(all, flows, types);
  const seen = all.flatMap((func) => askedOf(func, types));
  if (own.length + copied.length + seen.length === 0) return found;
  const losses = new Losses(types);
  const outside = new Losses(types, losses.ways);
  for (const { value, to } of [...flows.values()].flat()) losses.between(value.type, to, []);
  for (const { params } of all.filter(({ name }) => asked.has(name)))
    for (const { type } of params) outside.from(type);
  const written = new Set(all.flatMap(writtenIn));
  const open = openBy(seen, losses);
  const copies = lostBy(literals, seen, losses, types);
  // a copy that lacks a field is the nearer reason
  const lost = [
    ...copies,
    ...open.filter(
      ({ func, field }) => !copies.some((each) => each.func === func && each.field === field),
    ),
  ];
  const isLost = ({ field, types: each }: Candidate): boolean =>
    each.some((type) => losses.reach(field, type));
  const mayBeThere = ({ field, types: each, kind }: Candidate): boolean =>
    kind === "taken" && (written.has(field) || each.some((type) => outside.reach(field, type)));
  // widen-records.ts completes what has none of it, but a copy has lost it
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
    ...own.filter((one) => isLost(one) || mayBeThere(one)),
    ...later.filter(isLost),
  ];
}

const gainedBy = ({ value, to, origin }: Flow, func: string, types: Types): readonly Candidate[] =>
  gained(value.type, to, types).map(({ field, of }) => ({
    func,
    origin,
    field,
    kind: "taken",
    types: [of],
  }));

function writtenIn({ body }: Func): readonly string[] {
  const found: string[] = [];
  walkStmts(body, (stmt) => {
    if (stmt.kind === "store" && stmt.key.kind === "field") found.push(stmt.key.name);
  });
  return found;
}

function candidatesIn(func: Func, types: Types): readonly Candidate[] {
  const found: Candidate[] = [];
  walkStmts(func.body, ({ origin, ...stmt }: Stmt) => {
    if (stmt.kind !== "let") return;
    const { bind, expr } = stmt;
    const take = (had: Type, of: readonly Type[]): void => {
      for (const { field } of gained(had, bind.type, types))
        found.push({ func: func.name, origin, field, kind: "taken", types: of });
    };
    // what a value is an instance of, it is asked; its fields are those of its class
    if (
      expr.kind === "unwrap" &&
      !(bind.type.kind === "named" && types.get(bind.type.name)?.instance !== undefined)
    )
      take(expr.value.type, [expr.value.type]);
    if (expr.kind !== "record") return;
    for (const { name, beneath } of expr.fields)
      if (beneath !== undefined)
        found.push({ func: func.name, origin, field: name, kind: "overridden", types: beneath });
    if (expr.copies !== undefined)
      take(
        {
          kind: "record",
          fields: expr.fields.map(({ name, value }) => ({ name, type: value.type })),
        },
        expr.copies,
      );
  });
  return found;
}

/** Literals that are made of objects. */
function literalsIn(func: Func): readonly Literal[] {
  const found: Literal[] = [];
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "let" && stmt.expr.kind === "record" && stmt.expr.copies !== undefined)
      found.push({ func: func.name, origin: stmt.origin, bind: stmt.bind, expr: stmt.expr });
  });
  return found;
}

/** An object that somebody may ask for more than its type lists: code that runs as it stands (`Object.keys(…)`, `"b" in …` of a `b` that is not listed), and `q as More`. */
interface Asked {
  readonly func: string;
  readonly origin: Origin;
  readonly type: Type;
  readonly byCode: boolean;
}

function askedOf(func: Func, types: Types): readonly Asked[] {
  const found: Asked[] = [];
  walkStmts(func.body, ({ origin, ...stmt }: Stmt) => {
    if (stmt.kind !== "let" || (stmt.expr.kind !== "extern" && stmt.expr.kind !== "unwrap")) return;
    const { expr } = stmt;
    const byCode = expr.kind === "extern";
    for (const { type } of byCode ? expr.args : [expr.value]) {
      const shape = resolve(type, types);
      if (
        shape.kind === "record" &&
        !(byCode && shape.fields.some(({ name }) => expr.text[0] === `${JSON.stringify(name)} in `))
      )
        found.push({ func: func.name, origin, type, byCode });
    }
  });
  return found;
}

/** `left`: the fields that the copy has; null of one that is asked for others by its own type. */
interface Lost {
  readonly literal: Literal;
  readonly field: string;
  readonly left: readonly string[] | null;
}

/** Literals that lack a field of what they copy, where somebody may see that. What copies lack is spread no further by a copy of the copy. */
function lostBy(
  literals: readonly Literal[],
  seen: readonly Asked[],
  losses: Losses,
  types: Types,
): readonly Unlisted[] {
  const found: Lost[] = [];
  for (let before = -1; before < found.length;) {
    before = found.length;
    for (const literal of literals)
      for (const copied of literal.expr.copies ?? [])
        for (const field of losses.of(copied)) {
          const own = literal.expr.fields.map(({ name }) => name);
          const shape = resolve(literal.bind.type, types);
          if (
            own.includes(field) ||
            found.some((each) => each.literal === literal && each.field === field)
          )
            continue;
          // `{ ...p } as More` is made as one of that type
          const isAsked =
            shape.kind === "dict" ||
            (shape.kind === "record" && shape.fields.some(({ name }) => name === field));
          found.push({ literal, field, left: isAsked ? null : own });
          if (!isAsked) losses.add(field, literal.bind.type, own);
        }
  }
  return found
    .filter(({ left }) => left === null || seen.some(({ type }) => losses.isPart(type, left)))
    .map(({ literal: { func, origin }, field }): Unlisted => ({
      kind: "lost",
      func,
      origin,
      field,
    }));
}

/** Objects that stand under a lesser type where code is handed them: the optimiser keeps of an object what its type lists. */
const openBy = (seen: readonly Asked[], losses: Losses): readonly Unlisted[] =>
  seen.flatMap(({ func, origin, type, byCode }): readonly Unlisted[] => {
    const [field] = byCode ? losses.of(type) : [];
    return field === undefined ? [] : [{ kind: "lost", func, origin, field }];
  });

/** Fields with numbers that are expected where types do not list them, and what these list. */
function gained(
  from: Type,
  to: Type,
  types: Types,
): readonly { readonly field: string; readonly of: Type }[] {
  const losses = new Losses(types);
  losses.between(to, from, []);
  return losses.found.flatMap(({ field, type, of }) =>
    field === null || !hasNumbers(type, types) ? [] : [{ field, of }],
  );
}

/** Where what was of type `unknown` for a while is numbers again: nothing says what became of their derivatives. */
function numbersOfUnknowns(
  all: readonly Func[],
  flows: ReadonlyMap<string, readonly Flow[]>,
  types: Types,
): readonly Unlisted[] {
  const isUnknown = ({ kind }: Type): boolean => kind === "leaf";
  // of what stands in lists and objects of values of any kind, differentiation knows (TSG3009)
  const isHidden = [...flows.values()]
    .flat()
    .some(
      ({ value, to, into }) =>
        value.kind !== "const" &&
        to.kind === "leaf" &&
        (to.opaque !== true || into.kind !== "place") &&
        (hasNumbers(value.type, types) || resolve(value.type, types).kind === "record"),
    );
  if (!isHidden) return [];
  return all.flatMap((func) => {
    const found: Unlisted[] = [];
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

/** A field, null for any that is not listed, and its type; the type that does not list it. */
interface Loss {
  readonly field: string | null;
  readonly type: Type;
  readonly of: Type;
  readonly left: readonly string[];
}

/** The types of records that values of the program go to; `areOpen`: some go to places whose types say nothing of their fields. */
interface Ways {
  readonly to: Set<Type & { readonly kind: "record" }>;
  areOpen: boolean;
}

/** Where values become less than they are known to be. */
class Losses {
  readonly #types: Types;
  readonly ways: Ways;
  readonly found: Loss[] = [];

  constructor(types: Types, ways: Ways = { to: new Set(), areOpen: false }) {
    this.#types = types;
    this.ways = ways;
  }

  /** Whether an object of the type may hold the field. */
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

  /** Fields that an object of the type may hold though it does not list them. */
  of(type: Type): readonly string[] {
    return [
      ...new Set(
        this.found.flatMap(({ field, left }) =>
          field !== null && this.isPart(type, left) ? [field] : [],
        ),
      ),
    ];
  }

  /** A copy of the type lacks the field. */
  add(field: string, of: Type, left: readonly string[]): void {
    this.found.push({ field, type: of, of, left });
  }

  /** Whether an object that is known to have these fields may be of the type. */
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

  #admits({ fields }: Type & { readonly kind: "record" }, known: ReadonlySet<string>): boolean {
    return fields.every((each) => known.has(each.name) || this.#mayLack(each.type));
  }

  /** Whether all fields may be missing: TypeScript puts only what has one of them into such a place. */
  #isWeak({ fields }: Type & { readonly kind: "record" }): boolean {
    return (
      !this.ways.areOpen && fields.length > 0 && fields.every((each) => this.#mayLack(each.type))
    );
  }

  /** The fields of all types that an object, known to have some, may be known under after ways through the program. */
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

  /** The members of a union that a value of the type can be: tags tell. */
  #membersFor(type: Type, variants: readonly Type[]): readonly Type[] {
    const fitting = variants.filter((variant) => assignable(type, variant, this.#types));
    return fitting.length === 0 ? variants : fitting;
  }

  #mayLack(type: Type): boolean {
    const shape = resolve(type, this.#types);
    return shape.kind === "opt" || (shape.kind === "leaf" && shape.optional === true);
  }

  /** As if objects of a type, and of all in it, had fields that none of the types lists. */
  from(type: Type, met = new Set<Type>()): void {
    const shape = resolve(type, this.#types);
    if (met.has(shape)) return;
    met.add(shape);
    if (shape.kind === "record")
      this.found.push({ field: null, type, of: shape, left: shape.fields.map(({ name }) => name) });
    const inside =
      shape.kind === "record"
        ? shape.fields.map((field) => field.type)
        : shape.kind === "opt"
          ? [shape.of]
          : shape.kind === "union"
            ? shape.variants
            : (elementsOf(shape) ?? []);
    for (const each of inside) this.from(each, met);
  }

  /** `met`: names that are being compared, for types may contain themselves. */
  between(from: Type, to: Type, met: readonly string[]): void {
    if (from === to || (from.kind === "named" && to.kind === "named" && from.name === to.name))
      return;
    const pair = `${from.kind === "named" ? from.name : ""} ${to.kind === "named" ? to.name : ""}`;
    if (pair !== " " && met.includes(pair)) return;
    const known = pair === " " ? met : [...met, pair];
    const inner = (x: Type, z: Type): void => this.between(x, z, known);
    const x = resolve(from, this.#types);
    const z = resolve(to, this.#types);
    if (x.kind === "opt") return inner(x.of, z);
    if (z.kind === "opt") return inner(x, z.of);
    if (x.kind === "union")
      return x.variants.forEach((variant) => {
        inner(variant, z);
      });
    if (z.kind === "union")
      return this.#membersFor(from, z.variants).forEach((variant) => {
        inner(x, variant);
      });
    if (
      (z.kind === "leaf" && (x.kind === "record" || elementsOf(x) !== null)) ||
      (x.kind === "record" && (z.kind === "dict" || (z.kind === "record" && z.fields.length === 0)))
    )
      this.ways.areOpen = true;
    const elements = elementsOf(z);
    if (elements !== null && x.kind !== "record")
      return elementsOf(x)?.forEach((elem, i) => {
        inner(elem, elements[i] ?? elements.at(-1) ?? elem);
      });
    if (x.kind !== "record") return;
    if (z.kind === "record") this.ways.to.add(z);
    if (z.kind === "dict")
      return x.fields.forEach(({ type }) => {
        inner(type, z.value);
      });
    if (z.kind !== "record") return;
    const left = z.fields.map(({ name }) => name);
    for (const { name, type } of x.fields) {
      const place = z.fields.find((each) => each.name === name);
      if (place === undefined) this.found.push({ field: name, type, of: z, left });
      else inner(type, place.type);
    }
  }
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
