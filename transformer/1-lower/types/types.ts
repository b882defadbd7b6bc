// TypeScript type -> IR type. In: checker types at a place of the program. Out: IR types, and the table of named types.
// Invariant: a type that holds numbers which the IR cannot describe becomes a leaf marked `opaque`, never a plain leaf:
// later phases refuse to let an active value into it, so that no derivative gets lost silently.

import type ts from "typescript";
import type { Field, NamedType, Type } from "../../ir/types.ts";
import { BOOL, NUM, VOID } from "../../ir/build.ts";
import { hasNumbers, resolve } from "../../ir/shadow.ts";
import { variantsOf } from "../../ir/variants.ts";
import { checkerOf } from "../checker.ts";
import type { Classes, ClassNode } from "../classes/classes.ts";
import { type ClosureField, tagType } from "../functions/closure-fields.ts";
import type { TypeScript } from "../context.ts";
import { applied, InstanceTypes, type InstanceType, isEvery } from "./instance-types.ts";
import { mergedLiterals } from "./merged-literals.ts";
import type { ModuleGraph } from "../sites/module-graph.ts";
import { sameType } from "./same-type.ts";
import { standInsFor } from "../classes/structural-subtypes.ts";
import { argumentsOf, mentions, NO_TYPE_ARGUMENTS, type TypeArguments } from "./type-arguments.ts";
import { symbolsIn } from "./type-names.ts";
import { type Entry, hasAmbient, mentioned, withScopes } from "./type-scopes.ts";
import { INERT, isReference, STORES, TypeShapes } from "./type-shapes.ts";

/** `ArrayLike<number>`. What is no Float64Array has an array for its shadow, whatever it is: nobody writes into it. */
const ARRAY_LIKE: Type = {
  kind: "union",
  variants: [
    { kind: "array", store: "Float64Array", elem: NUM },
    { kind: "array", store: "Array", elem: NUM },
  ],
};

/** Named types inside each other; more is a generic type that grows without end (`interface N<T> { next: N<T[]> }`). */
const DEEPEST = 40;

export interface TypeTable {
  readonly types: ReadonlyMap<string, NamedType>;
  /** `given`: what the type parameters in it stand for. */
  from(type: ts.Type, at: ts.Node, given?: TypeArguments): Type;
  /** The type of instances of exactly this class; of a generic one, with these arguments. */
  exact(node: ClassNode, at: ts.Node, args?: readonly Type[]): Type;
  /** What the type parameters of a class, and of those it derives from, stand for in instances of this type. */
  givenIn(type: Type, node: ClassNode): TypeArguments;
  /** The type of what stands for the functions of such a field, or list. */
  tagsType(field: ClosureField, at: ts.Node): Type;
  /** Key into Program.homes of a class. */
  homeOf(node: ClassNode): string;
  /** The class whose instances, and no subclass's, have this type. */
  classOf(type: Type): ClassNode | null;
  /** Whether objects that are of no class of the program may have this type. */
  isOpen(type: Type): boolean;
  /** Whether something of a value of that type cannot be written. */
  isReadonly(type: ts.Type): boolean;
  /** Classes met so far, by their key into Program.homes. */
  readonly classes: ReadonlyMap<string, ClassNode>;
  /** The named types, with the files among `files` in which each one's text means it. Valid once lowering has ended. */
  named(files: readonly ts.SourceFile[]): ReadonlyMap<string, NamedType>;
  /** Whether a type was met that files name without importing it, `Record<"x", number>` included. */
  hasAmbient(): boolean;
}

export function typeTable(
  api: TypeScript,
  program: ts.Program,
  classes: Classes,
  graph: ModuleGraph,
): TypeTable {
  const lowering = new TypeLowering(api, program, classes, graph);
  return {
    types: lowering.types,
    from: (type, at, given) => lowering.from(type, at, given),
    exact: (node, at, args) => lowering.exact(node, at, args),
    tagsType: (field, at) => lowering.tagsType(field, at),
    homeOf: (node) => lowering.instances.homeOf(node),
    givenIn: (type, node) =>
      type.kind === "named"
        ? lowering.instances.givenIn(type.name, node, (arg, given) =>
            lowering.from(arg, node, given),
          )
        : NO_TYPE_ARGUMENTS,
    classOf: (type) =>
      type.kind === "named" ? (lowering.instances.named(type.name)?.node ?? null) : null,
    isReadonly: (type) => lowering.isReadonly(type),
    isOpen: (type) => type.kind === "named" && lowering.open.has(type.name),
    classes: lowering.instances.classes,
    named: (files) => withScopes(api, checkerOf(program), lowering, files),
    hasAmbient: () => hasAmbient(api, program, lowering.entries.values()),
  };
}

interface Applied {
  readonly text: string;
  readonly args: () => readonly Type[];
  /** Some of the arguments are what type parameters stand for. */
  readonly isGiven: boolean;
  readonly reference: Type;
}

class TypeLowering {
  readonly types = new Map<string, NamedType>();
  /** Names of interfaces and classes that an object of no class, or of one that is not known, may fit. */
  readonly open = new Set<string>();
  readonly entries = new Map<string, Entry>();
  readonly #api: TypeScript;
  readonly #graph: ModuleGraph;
  readonly #checker: ts.TypeChecker;
  readonly #known = new Map<ts.Type, Type>();
  readonly #classes: Classes;
  readonly #shapes: TypeShapes;
  readonly instances: InstanceTypes;
  /** Types with arguments, by what is generic. */
  readonly #applied = new Map<ts.Symbol, Applied[]>();
  /** What the type parameters of the code at hand stand for. */
  #given: TypeArguments = NO_TYPE_ARGUMENTS;
  readonly #knownHere = new WeakMap<TypeArguments, Map<ts.Type, Type>>();
  /** Members of unions whose own types were not done yet. */
  readonly #members = new Set<string>();
  #open = new Set<ts.Type>();
  /** Types without a name that were met inside themselves. */
  readonly #cut = new Set<ts.Type>();
  #depth = 0;

  constructor(api: TypeScript, program: ts.Program, classes: Classes, graph: ModuleGraph) {
    this.#api = api;
    this.#graph = graph;
    this.#classes = classes;
    this.#shapes = new TypeShapes(api, program, classes);
    this.#checker = checkerOf(program);
    this.instances = new InstanceTypes(api, this.#checker, classes);
  }

  from(type: ts.Type, at: ts.Node, given: TypeArguments = this.#given): Type {
    if (given !== this.#given) return this.#among(given, () => this.from(type, at));
    const memory = this.#memory(type);
    const known = memory.get(type);
    if (known !== undefined) return known;
    // an unnamed type inside itself (`type Nested = (number | Nested)[]`) has no finite IR type
    if (this.#open.has(type) || this.#depth > DEEPEST) {
      this.#cut.add(type);
      return this.#opaque(type);
    }
    this.#open.add(type);
    const made = this.#make(type, at);
    this.#open.delete(type);
    // while a type is open, what is made inside it may be cut short
    if (this.#open.size === 0 || made.kind === "named") memory.set(type, made);
    return made;
  }

  #among<T>(given: TypeArguments, make: () => T): T {
    const around = this.#given;
    this.#given = given;
    try {
      return make();
    } finally {
      this.#given = around;
    }
  }

  isReadonly(type: ts.Type): boolean {
    return this.#shapes.hasReadonly(type, 3);
  }

  #isGiven(type: ts.Type): boolean {
    return mentions(type, this.#given, this.#api, this.#checker);
  }

  /** The types that are known: what is made of type parameters, for what these stand for. */
  #memory(type: ts.Type): Map<ts.Type, Type> {
    if (!this.#isGiven(type)) return this.#known;
    const here = this.#knownHere.get(this.#given) ?? new Map<ts.Type, Type>();
    this.#knownHere.set(this.#given, here);
    return here;
  }

  #make(type: ts.Type, at: ts.Node): Type {
    const { TypeFlags } = this.#api;
    const { flags } = type;
    const given = this.#given.get(type);
    if (given !== undefined) return given;
    if (flags & (TypeFlags.Any | TypeFlags.Unknown | TypeFlags.NonPrimitive))
      return this.#opaque(type);
    if (flags & TypeFlags.NumberLike) return NUM;
    if (flags & TypeFlags.BooleanLike) return BOOL;
    if (flags & TypeFlags.Void) return VOID;
    if (
      flags &
      (TypeFlags.StringLike |
        TypeFlags.BigIntLike |
        TypeFlags.ESSymbolLike |
        TypeFlags.Undefined |
        TypeFlags.Null |
        TypeFlags.Never)
    )
      return this.#leaf(type);
    if (
      flags &
      (TypeFlags.TypeParameter |
        TypeFlags.IndexedAccess |
        TypeFlags.Conditional |
        TypeFlags.Substitution)
    ) {
      const constraint = this.#checker.getBaseConstraintOfType(type);
      return constraint === undefined || constraint === type
        ? this.#opaque(type)
        : this.from(constraint, at);
    }
    if (type.isUnion()) return this.#union(type, at);
    if (type.isIntersection()) {
      // `T & {}`: a T that is there
      const there = type.types
        .map((part) => this.#given.get(part))
        .find((part) => part !== undefined);
      if (there !== undefined) return there.kind === "opt" ? there.of : there;
      const primitive = type.types.find(
        (part) =>
          (part.flags & (TypeFlags.NumberLike | TypeFlags.StringLike | TypeFlags.BooleanLike)) !==
          0,
      );
      // `Circle & { kind: "circle" }`, as a predicate says it of a Circle: nothing else
      const whole =
        primitive ??
        type.types.find((part) =>
          type.types.every(
            (other) => other === part || this.#checker.isTypeAssignableTo(part, other),
          ),
        );
      return whole === undefined ? this.#object(type, at) : this.from(whole, at);
    }
    return flags & TypeFlags.Object ? this.#object(type, at) : this.#opaque(type);
  }

  /** `T | undefined` is an `opt`; other unions only of aggregates, or where all members have one IR type. */
  #union(type: ts.UnionType, at: ts.Node): Type {
    const { TypeFlags } = this.#api;
    // what a predicate leaves of a union: `Circle & { kind: "circle" }`, and of every other member nothing
    const [only, ...others] = type.types.filter(
      (member) => !member.isIntersection() || this.#checker.typeToString(member) !== "never",
    );
    if (only !== undefined && others.length === 0) return this.from(only, at);
    const missing = TypeFlags.Undefined | TypeFlags.Null | TypeFlags.Void;
    const present = this.#checker.getNonNullableType(type);
    if (present !== type) {
      if (present.isUnion() && this.#shapes.isAggregates(present))
        return {
          kind: "opt",
          of: this.#present(type, present, at, () => this.#variantTypes(present, at)),
          nil: this.#shapes.nil(type),
        };
      if (this.#checker.isTupleType(present) || this.#checker.isArrayType(present)) {
        return {
          kind: "opt",
          of:
            present.aliasSymbol === undefined
              ? this.#anchored(
                  present,
                  type,
                  at,
                  () => this.#memory(present).get(present) ?? this.#list(present, at),
                )
              : this.from(present, at),
          nil: this.#shapes.nil(type),
        };
      }
      if (this.#shapes.isAnonymous(present))
        return {
          kind: "opt",
          of: this.#present(type, present, at, () => this.#record(present, at)),
          nil: this.#shapes.nil(type),
        };
    }
    if (present === type && this.#shapes.isAggregates(type)) return this.#variants(type, at);
    const members = type.types
      .filter((member) => (member.flags & missing) === 0)
      .map((member) => this.from(member, at));
    const first = members[0];
    if (first === undefined) return this.#leaf(type);
    if (members.every((member) => member.kind === "leaf"))
      return members.some((member) => member.kind === "leaf" && member.opaque === true)
        ? this.#opaque(type)
        : this.#leaf(type);
    if (!members.every((member) => sameType(member, first))) return this.#opaque(type);
    if (members.length === type.types.length) return first;
    // `T | undefined`, where T may be missing as it is
    return first.kind === "opt"
      ? { ...first, ...(first.nil === this.#shapes.nil(type) ? {} : { nil: "both" as const }) }
      : { kind: "opt", of: first, nil: this.#shapes.nil(type) };
  }

  /** What `type List = { tail: List } | null` is where it is there: it comes back to itself under the alias' name only. */
  #present(whole: ts.UnionType, present: ts.Type, at: ts.Node, make: () => Type): Type {
    const alias = whole.aliasSymbol;
    if (
      alias === undefined ||
      present.aliasSymbol !== undefined ||
      this.#memory(present).has(present)
    )
      return this.from(present, at);
    return this.#name(present, alias, at, make, whole);
  }

  #variants(type: ts.UnionType, at: ts.Node): Type {
    if (type.aliasSymbol !== undefined)
      return this.#name(type, type.aliasSymbol, at, () => this.#variantTypes(type, at));
    return this.#variantTypes(type, at);
  }

  #variantTypes(type: ts.UnionType, at: ts.Node): Type {
    const merged = this.#shapes.isOfLiterals(type)
      ? mergedLiterals(
          type.types.map((member) => this.from(member, at)),
          optional,
        )
      : null;
    if (merged !== null) return merged;
    const variants: Type[] = [];
    for (const member of type.types) {
      const variant = this.#tagged(this.from(member, at));
      const memory = this.#memory(member);
      if (memory.has(member)) memory.set(member, variant);
      if (!variants.some((other) => sameType(other, variant))) variants.push(variant);
    }
    const [only] = variants;
    if (variants.length === 1 && only !== undefined) return only;
    const union = { kind: "union", variants } as const;
    const isDone = (variant: Type): boolean =>
      variant.kind !== "named" || this.types.get(variant.name)?.type !== VOID;
    return variants.every(isDone) &&
      hasNumbers(union, this.types) &&
      variantsOf(union, this.types) === null
      ? this.#opaque(type)
      : union;
  }

  /** Marks a record as a member of a union. */
  #tagged(type: Type): Type {
    if (type.kind === "record") return { ...type, tagged: true };
    const named = type.kind === "named" ? this.types.get(type.name) : undefined;
    if (type.kind === "named" && named?.type.kind === "record")
      this.types.set(type.name, { ...named, type: { ...named.type, tagged: true } });
    else if (type.kind === "named" && named?.type === VOID) this.#members.add(type.name);
    return type;
  }

  #object(type: ts.Type, at: ts.Node): Type {
    const checker = this.#checker;
    if (checker.isTupleType(type) || checker.isArrayType(type))
      return this.#anchored(type, type, at, () => this.#list(type, at));
    const { symbol } = type;
    if (symbol !== undefined && this.#shapes.isLibrary(symbol)) {
      if (symbol.name === "Map" || symbol.name === "ReadonlyMap") return this.#map(type, at);
      if (symbol.name === "Set" || symbol.name === "ReadonlySet") return this.#set(type, at);
      const store = STORES.get(symbol.name);
      if (store !== undefined) return { kind: "array", store, elem: NUM };
      if (this.#shapes.isArrayLike(type)) return this.#name(type, symbol, at, () => ARRAY_LIKE);
      if (symbol.name !== "__type")
        return INERT.test(symbol.name) ? this.#leaf(type) : this.#opaque(type);
    }
    const node = this.#classes.ofType(type);
    if (node !== null) return this.#class(type, node, at);
    // what a function captured is unknown, but it cannot take an active value in unless it is called
    if (type.getCallSignatures().length > 0) return this.#leaf(type);
    const byKey = this.#byKey(type, at);
    if (byKey !== null) return byKey;
    if (!this.#shapes.isPlain(type)) return this.#opaque(type);
    const fitting = this.#shapes.hasMethods(type) ? this.#classes.fitting(type, at) : [];
    if (fitting.length > 0 && symbol !== undefined) {
      const made = this.#anyOf(type, fitting, at);
      if (made.kind === "named") this.open.add(made.name);
      return made;
    }
    const naming =
      type.aliasSymbol ??
      (type.isClassOrInterface() || isReference(this.#api, type) ? symbol : undefined);
    return naming === undefined ? this.#record(type, at) : this.#name(type, naming, at);
  }

  /** A Map whose keys no derivative passes through, objects among them: which one it is says which entry is meant. */
  #map(type: ts.Type, at: ts.Node): Type {
    const [key, value] = this.#checker.getTypeArguments(type as ts.TypeReference); // Map and ReadonlyMap are generic interfaces
    if (key === undefined || value === undefined) return this.#opaque(type);
    const of = this.from(key, at);
    const isKey = of.kind === "leaf" ? of.opaque !== true : of.kind !== "opt" && of.kind !== "void";
    return isKey
      ? { kind: "dict", store: "Map", key: of, value: this.from(value, at) }
      : this.#opaque(type);
  }

  /** A Set: a leaf where no derivative passes through what is in it. */
  #set(type: ts.Type, at: ts.Node): Type {
    const elem = this.#checker.getTypeArguments(type as ts.TypeReference)[0]; // Set and ReadonlySet are generic interfaces
    const of = elem === undefined ? null : this.from(elem, at);
    const isLeaf =
      of !== null && (of.kind === "bool" || (of.kind === "leaf" && of.opaque !== true));
    const made = isLeaf ? this.#leaf(type) : this.#opaque(type);
    return of !== null && made.kind === "leaf" && this.#isGiven(type)
      ? { ...made, text: applied(type.symbol.name, [of], this.entries) }
      : made;
  }

  /** `Record<string, T>`: an object with an index signature and nothing else. */
  #byKey(type: ts.Type, at: ts.Node): Type | null {
    const given = this.#byGivenKey(type, at);
    if (given !== null) return given;
    const [info, ...others] = this.#checker.getIndexInfosOfType(type);
    if (
      info === undefined ||
      others.length > 0 ||
      type.getProperties().length > 0 ||
      type.getConstructSignatures().length > 0
    )
      return null;
    const key = this.from(info.keyType, at);
    return key.kind === "num" || (key.kind === "leaf" && key.text === "string")
      ? { kind: "dict", store: "Object", key, value: this.from(info.type, at) }
      : null;
  }

  /** Instances of a class, and of what is taken for one in the program. */
  #class(type: ts.Type, node: ClassNode, at: ts.Node): Type {
    if (this.#classes.isError(type)) return this.#leaf(type);
    const { classes: others, others: isOpen } = standInsFor(
      node,
      at,
      this.#classes,
      (each) => this.#classes.isKnown(each),
      this.#graph,
      this.#api,
    );
    if (others.length === 0 && !isOpen && !this.#classes.isAbstract(node))
      return this.#classes.isKnown(node)
        ? this.exact(node, at, this.#argumentsOf(type, at))
        : this.#opaque(type);
    const args = this.#argumentsOf(type, at);
    const made = this.#anyOf(type, [...others, node], at, (each) =>
      this.instances.argumentsAs(each, node, args, {
        struct: (one) => resolve(one, this.types),
        from: (one) => this.from(one, at),
      }),
    );
    if (isOpen && made.kind === "named") this.open.add(made.name);
    return made;
  }

  /** `argumentsOf`: what the type parameters of a class stand for; null where that is not known, "never" where it has no such instances. */
  #anyOf(
    type: ts.Type,
    nodes: readonly ClassNode[],
    at: ts.Node,
    argumentsOf: (node: ClassNode) => readonly Type[] | null | "never" = (node) =>
      node.typeParameters === undefined ? [] : null,
  ): Type {
    const made = nodes.filter((node) => !this.#classes.isAbstract(node));
    const variants = made.flatMap((node) => {
      const args = argumentsOf(node);
      return args === "never" ? [] : [{ node, args }];
    });
    if (
      variants.length === 0 ||
      !variants.every(({ node, args }) => args !== null && this.#classes.isKnown(node))
    )
      return this.#opaque(type);
    return this.#name(type, type.aliasSymbol ?? type.symbol, at, () => ({
      kind: "union",
      variants: variants.map(({ node, args }) => this.exact(node, at, args ?? [])),
    }));
  }

  #argumentsOf(type: ts.Type, at: ts.Node): readonly Type[] {
    return argumentsOf(type, this.#api, this.#checker).map((each) => this.from(each, at));
  }

  exact(node: ClassNode, at: ts.Node, args: readonly Type[] = []): Type {
    const name = this.instances.nameOf(node, args);
    if (name !== null) return { kind: "named", name };
    const made = this.instances.make(node, args, this.entries);
    return this.#among(made.given, () => this.#instance(made, at));
  }

  #instance(made: InstanceType, at: ts.Node): Type {
    const { node, name, entry } = made;
    const { text } = entry;
    const classes = this.#classes;
    const reference: Type = { kind: "named", name };
    this.entries.set(name, entry);
    const fields = classes.fields(node) ?? [];
    const said = classes.isSealed(node)
      ? { sealed: true as const }
      : { instance: this.instances.about(made, fields) };
    this.types.set(name, { type: VOID, text, scope: [], ...said });
    const outside = this.#open;
    this.#open = new Set();
    this.#depth++;
    const tag = classes.tagName(node);
    const tags: readonly Field[] =
      tag === null ? [] : [{ name: tag, type: { kind: "leaf", text: JSON.stringify(name) } }];
    const of: Type = {
      kind: "record",
      ...(tag === null ? {} : { tagged: true }),
      fields: [
        ...tags,
        ...fields.map((each) => ({ ...this.#field(each.symbol, at), name: each.name })),
      ],
    };
    this.types.set(name, { type: of, text, scope: [], ...said });
    if (this.#members.has(name)) this.#tagged(reference);
    this.#depth--;
    this.#open = outside;
    return reference;
  }

  /** `Record<K, T>` where K stands for all texts, or all numbers. */
  #byGivenKey(
    { aliasSymbol: alias, aliasTypeArguments: [first, held] = [] }: ts.Type,
    at: ts.Node,
  ): Type | null {
    const key =
      first === undefined || alias?.name !== "Record" || !this.#shapes.isLibrary(alias)
        ? undefined
        : this.#given.get(first);
    return held !== undefined &&
      (key?.kind === "num" || (key?.kind === "leaf" && key.text === "string"))
      ? { kind: "dict", store: "Object", key, value: this.from(held, at) }
      : null;
  }

  #list(type: ts.Type, at: ts.Node): Type {
    if (this.#checker.isTupleType(type)) return this.#tuple(type as ts.TupleTypeReference, at); // isTupleType has no type guard
    const elem = this.#checker.getTypeArguments(type as ts.TypeReference)[0]; // isArrayType has no type guard
    return elem === undefined
      ? this.#opaque(type)
      : { kind: "array", store: "Array", elem: this.from(elem, at) };
  }

  /** An array or tuple that its alias contains again goes by the alias' name. */
  #anchored(type: ts.Type, whole: ts.Type, at: ts.Node, make: () => Type): Type {
    const made = make();
    const alias = whole.aliasSymbol;
    if (alias === undefined || !(this.#cut.delete(type) || this.#cut.delete(whole))) return made;
    return this.#name(type, alias, at, () => this.#list(type, at), whole);
  }

  #tuple(type: ts.TupleTypeReference, at: ts.Node): Type {
    const { ElementFlags } = this.#api;
    const elems: Type[] = [];
    const literals: (string | null)[] = [];
    for (const [position, elem] of this.#checker.getTypeArguments(type).entries()) {
      const flags = type.target.elementFlags[position] ?? ElementFlags.Required;
      if (flags & ElementFlags.Variable) return this.#opaque(type);
      const of = this.from(elem, at);
      elems.push(flags & ElementFlags.Optional ? optional(of) : of);
      const said = this.#shapes.literal(of, elem);
      literals.push(said.kind === "num" ? (said.literal ?? null) : null);
    }
    const always = type.target.minLength;
    return {
      kind: "tuple",
      elems,
      ...(always < elems.length ? { always } : {}),
      ...(literals.some((one) => one !== null) ? { literals } : {}),
    };
  }

  #name(
    type: ts.Type,
    symbol: ts.Symbol,
    at: ts.Node,
    make: () => Type = () => this.#record(type, at),
    whole: ts.Type = type,
  ): Type {
    const { TypeFormatFlags } = this.#api;
    const written = this.#checker.typeToString(
      whole,
      at,
      TypeFormatFlags.NoTruncation |
        TypeFormatFlags.UseAliasDefinedOutsideCurrentScope |
        TypeFormatFlags.WriteTypeArgumentsOfSignature,
    );
    const isGiven = this.#isGiven(whole);
    const args = isGiven ? this.#argumentsOf(whole, at) : [];
    const shown = isGiven ? applied(symbol.name, args, this.entries) : written;
    const text = whole === type ? shown : `NonNullable<${shown}>`;
    const others = this.#applied.get(symbol) ?? [];
    const known = this.#appliedAs(others, text, () =>
      isGiven ? args : this.#argumentsOf(whole, at),
    );
    if (known !== undefined) {
      this.#memory(type).set(type, known.reference);
      return known.reference;
    }
    let name = shown;
    for (let copy = 2; this.entries.has(name); copy++) name = `${shown}.${copy}`;
    const reference: Type = { kind: "named", name };
    this.#memory(type).set(type, reference);
    this.#applied.set(symbol, [
      ...others,
      {
        text,
        args: () =>
          isGiven ? args : this.#among(NO_TYPE_ARGUMENTS, () => this.#argumentsOf(whole, at)),
        isGiven,
        reference,
      },
    ]);
    this.entries.set(name, {
      text,
      symbols: isGiven
        ? [symbol, ...args.flatMap((arg) => symbolsIn(arg, this.entries))]
        : mentioned(this.#api, this.#checker, whole, symbol),
    });
    this.types.set(name, { type: VOID, text, scope: [] });
    // a named type ends every recursion, so what is open outside does not matter inside
    const outside = this.#open;
    this.#open = new Set();
    this.#depth++;
    this.types.set(name, {
      type: make(),
      text,
      scope: [],
      ...(this.#shapes.hasReadonly(type, 3) ? { readonly: true } : {}),
    });
    if (this.#members.has(name)) this.#tagged(reference);
    this.#depth--;
    this.#open = outside;
    return reference;
  }

  /** The same type, found once with arguments of its own and once with what type parameters stand for. */
  #appliedAs(
    others: readonly Applied[],
    text: string,
    args: () => readonly Type[],
  ): Applied | undefined {
    return others.find(
      (each) =>
        each.text === text &&
        (each.isGiven || this.#given.size > 0) &&
        isEvery(each.args(), args()),
    );
  }

  #record(type: ts.Type, at: ts.Node): Type {
    return {
      kind: "record",
      fields: type.getProperties().map((property) => this.#field(property, at)),
    };
  }

  #field(property: ts.Symbol, at: ts.Node): Field {
    const closures = this.#closures(property, at);
    if (closures !== null) return { name: property.name, type: closures };
    const type = this.#checker.getTypeOfSymbol(property);
    const of = this.#shapes.literal(this.from(type, at), type);
    return {
      name: property.name,
      type: property.flags & this.#api.SymbolFlags.Optional ? optional(of) : of,
    };
  }

  /** The tags of the functions that a field holds; null of one that holds others, or none. */
  #closures(property: ts.Symbol, at: ts.Node): Type | null {
    const field = this.#classes.closures.of(property, at);
    const type = this.#checker.getTypeOfSymbol(property);
    if (field === null) return null;
    const of = this.#standing(field, at);
    const held: Type = type.isUnion() ? { kind: "opt", of, nil: this.#shapes.nil(type) } : of;
    return property.flags & this.#api.SymbolFlags.Optional ? optional(held) : held;
  }

  /** The type of what holds the tags. */
  #standing(field: ClosureField, at: ts.Node): Type {
    const of = this.tagsType(field, at);
    return field.isList ? { kind: "array", store: "Array", elem: of } : of;
  }

  tagsType(field: ClosureField, at: ts.Node): Type {
    if (!this.types.has(field.type)) this.#tags(field, at);
    return { kind: "named", name: field.type };
  }

  /** What stands in the field for each function that it may hold. */
  #tags({ type, cases, takesAlong }: ClosureField, at: ts.Node): void {
    const named = (name: string, of: Type): void =>
      void this.types.set(name, { type: of, text: name, scope: [], sealed: true, tags: true });
    named(type, { kind: "leaf", text: "string" });
    if (!takesAlong) return;
    const names = cases.map(({ tag }) => tagType(tag));
    const [only, ...others] = names;
    const outside = this.#open;
    this.#open = new Set();
    this.#depth++;
    named(
      type,
      others.length === 0 && only !== undefined
        ? { kind: "named", name: only }
        : { kind: "union", variants: names.map((name): Type => ({ kind: "named", name })) },
    );
    for (const { tag, captures } of cases) {
      if (this.types.has(tagType(tag))) continue;
      const fn: Field = { name: "fn", type: { kind: "leaf", text: JSON.stringify(tag) } };
      named(tagType(tag), { kind: "record", tagged: true, fields: [fn] });
      const fields = (captures?.values ?? []).map(({ name, node, symbol, tags }): Field => ({
        name,
        type:
          tags !== undefined
            ? this.#standing(tags, at)
            : this.#among(NO_TYPE_ARGUMENTS, () =>
                this.from(
                  symbol === null
                    ? this.#checker.getTypeAtLocation(node)
                    : this.#checker.getTypeOfSymbol(symbol),
                  at,
                ),
              ),
      }));
      named(tagType(tag), { kind: "record", tagged: true, fields: [fn, ...fields] });
    }
    this.#depth--;
    this.#open = outside;
  }

  #leaf(type: ts.Type): Type {
    return {
      kind: "leaf",
      text: this.#checker.typeToString(type, undefined, this.#api.TypeFormatFlags.NoTruncation),
    };
  }

  #opaque(type: ts.Type): Type {
    return {
      kind: "leaf",
      text: this.#checker.typeToString(type, undefined, this.#api.TypeFormatFlags.NoTruncation),
      opaque: true,
    };
  }
}

/** A leaf may be missing as it is: its text says so where it matters. */
function optional(type: Type): Type {
  if (type.kind === "leaf") return { ...type, optional: true };
  if (type.kind !== "opt") return { kind: "opt", of: type };
  return {
    kind: "opt",
    of: type.of,
    ...(type.nil === "null" || type.nil === "both" ? { nil: "field" } : {}),
  };
}
