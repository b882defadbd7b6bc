// The state of translating TypeScript types to IR types: named types, and translations so far.
// A named type is entered in the table before its content is translated, which ends recursion.
// An unnamed recursive type has no finite IR type, so it becomes an opaque leaf.

import type ts from "typescript";
import type { Field, NamedType, Type } from "../../ir/types.ts";
import { VOID } from "../../ir/build.ts";
import { checkerOf } from "../checker.ts";
import type { Classes } from "../classes/classes.ts";
import type { TypeScript } from "../typescript.ts";
import type { ModuleGraph } from "../sites/module-graph.ts";
import type { ClassNode } from "../classes/class-declarations.ts";
import type { Region } from "../flow/regions.ts";
import { DividedTypes } from "./divided-types.ts";
import { applied, InstanceTypes, areSame } from "./instance-types.ts";
import { argumentsOf, mentions, NO_TYPE_ARGUMENTS, type TypeArguments } from "./type-arguments.ts";
import { symbolsIn } from "./type-names.ts";
import { type Entry, mentioned } from "./type-scopes.ts";
import { TypeShapes } from "./type-shapes.ts";

/** The bound on named types inside each other: `interface N<T> { next: N<T[]> }` has no end. */
const MAX_DEPTH = 40;

/** The same for `interface N<T> { next: N<[T, T]> }`, whose text doubles each time. */
const MAX_TEXT = 400;

/** A named type with type arguments. */
interface Applied {
  readonly text: string;
  readonly args: () => readonly Type[];
  /** Whether some arguments are substituted for type parameters. */
  readonly isGiven: boolean;
  /** Null if it is the same type in all regions of the program. */
  readonly region: Region | null;
  readonly reference: Type;
}

export abstract class NamedTypes {
  readonly types = new Map<string, NamedType>();
  /** Names of interfaces and classes that an object of an unknown class may fit. */
  readonly open = new Set<string>();
  /** Types of a class, as which instances of its bases occur, too. */
  readonly withBases = new Set<string>();
  readonly entries = new Map<string, Entry>();
  readonly api: TypeScript;
  readonly program: ts.Program;
  readonly graph: ModuleGraph;
  readonly checker: ts.TypeChecker;
  readonly classTable: Classes;
  readonly shapes: TypeShapes;
  readonly instances: InstanceTypes;
  readonly #known = new Map<ts.Type, Type>();
  /** Types that are not the same in all regions of the program. */
  readonly #knownIn = new Map<Region, Map<ts.Type, Type>>();
  readonly #divided: DividedTypes;
  /** The region of the code at hand. */
  #region: Region | null = null;
  /** Types with arguments, by the symbol of the generic type. */
  readonly #applied = new Map<ts.Symbol, Applied[]>();
  /** What the type parameters of the code at hand stand for. */
  #given: TypeArguments = NO_TYPE_ARGUMENTS;
  readonly #knownHere = new WeakMap<TypeArguments, Map<ts.Type, Type>>();
  /** Named members of unions whose content is not translated yet. */
  readonly #members = new Set<string>();
  /** Types that are being translated. */
  #pending = new Set<ts.Type>();
  /** Unnamed types that contain themselves. */
  readonly #cut = new Set<ts.Type>();
  #depth = 0;
  /** Symbols of the named types whose content is being translated. */
  #open: ReadonlySet<ts.Symbol> = new Set();

  constructor(api: TypeScript, program: ts.Program, classes: Classes, graph: ModuleGraph) {
    this.api = api;
    this.program = program;
    this.graph = graph;
    this.classTable = classes;
    this.shapes = new TypeShapes(api, program, classes);
    this.checker = checkerOf(program, api);
    this.instances = new InstanceTypes(api, this.checker, classes);
    this.#divided = new DividedTypes(api, program, classes);
  }

  /** Translates a type that is not known yet. */
  protected abstract make(type: ts.Type, at: ts.Node): Type;
  abstract list(type: ts.Type, at: ts.Node): Type;
  abstract record(type: ts.Type, at: ts.Node): Type;
  abstract field(property: ts.Symbol, at: ts.Node): Field;

  from(type: ts.Type, at: ts.Node, given: TypeArguments = this.#given): Type {
    if (given !== this.#given) return this.among(given, () => this.from(type, at));
    if (this.#depth === 0 && this.#pending.size === 0) this.#region = this.#divided.regionAt(at);
    const memory = this.memory(type);
    const known = memory.get(type);
    if (known !== undefined) return known;
    // An unnamed recursive type, such as `type Nested = (number | Nested)[]`.
    if (this.#pending.has(type) || this.#depth > MAX_DEPTH) return this.#cutOff(type);
    this.#pending.add(type);
    const made = this.make(type, at);
    this.#pending.delete(type);
    // Within a pending type, a translation may be cut short and is not remembered.
    if (this.#pending.size === 0 || made.kind === "named") memory.set(type, made);
    return made;
  }

  #cutOff(type: ts.Type): Type {
    this.#cut.add(type);
    return this.opaque(type);
  }

  /** Runs code with other arguments for type parameters. */
  among<T>(given: TypeArguments, make: () => T): T {
    const former = this.#given;
    this.#given = given;
    try {
      return make();
    } finally {
      this.#given = former;
    }
  }

  givenFor(parameter: ts.Type): Type | undefined {
    return this.#given.get(parameter);
  }

  isGiven(type: ts.Type): boolean {
    return mentions(type, this.#given, this.api, this.checker);
  }

  /** The translations so far; those with type parameters hold for the current arguments. */
  memory(type: ts.Type): Map<ts.Type, Type> {
    const region = this.#regionOf(type);
    if (!this.isGiven(type)) {
      if (region === null) return this.#known;
      const own = this.#knownIn.get(region) ?? new Map<ts.Type, Type>();
      this.#knownIn.set(region, own);
      return own;
    }
    const here = this.#knownHere.get(this.#given) ?? new Map<ts.Type, Type>();
    this.#knownHere.set(this.#given, here);
    return here;
  }

  /** The region of the code at hand if the type is not the same in all of them. */
  #regionOf(type: ts.Type): Region | null {
    return this.#region !== null && this.#divided.has(type) ? this.#region : null;
  }

  /** Translates the fields of a class where its instances are. */
  amongInstances(node: ClassNode, make: () => Type): Type {
    const former = this.#region;
    this.#region = this.#divided.regionOfClass(node);
    try {
      return make();
    } finally {
      this.#region = former;
    }
  }

  argumentsOf(type: ts.Type, at: ts.Node): readonly Type[] {
    return argumentsOf(type, this.api, this.checker).map((each) => this.from(each, at));
  }

  /** Translates the content of a named type, in which outer pending types do not matter. */
  nested(translate: () => void, symbol?: ts.Symbol): void {
    const [outside, open] = [this.#pending, this.#open];
    this.#pending = new Set();
    if (symbol !== undefined) this.#open = new Set(open).add(symbol);
    this.#depth++;
    translate();
    this.#depth--;
    this.#open = open;
    this.#pending = outside;
  }

  /** Names an array or tuple by its alias if it contains itself. */
  anchored(type: ts.Type, whole: ts.Type, at: ts.Node, make: () => Type): Type {
    const made = make();
    const alias = whole.aliasSymbol;
    if (alias === undefined || !(this.#cut.delete(type) || this.#cut.delete(whole))) return made;
    return this.name(type, alias, at, () => this.list(type, at), whole);
  }

  /** The named type of `type`; `whole` is the type that has the name, `type` without null in it. */
  name(
    type: ts.Type,
    symbol: ts.Symbol,
    at: ts.Node,
    make: () => Type = () => this.record(type, at),
    whole: ts.Type = type,
  ): Type {
    const isGiven = this.isGiven(whole);
    const args = isGiven ? this.argumentsOf(whole, at) : [];
    const shown = isGiven ? applied(symbol.name, args, this.entries) : this.#textOf(whole, at);
    if (shown.length > MAX_TEXT && this.#open.has(symbol)) return this.#cutOff(type);
    const text = whole === type ? shown : `NonNullable<${shown}>`;
    const others = this.#applied.get(symbol) ?? [];
    const region = this.#regionOf(whole);
    const inRegion = others.filter((each) => each.region === region);
    const known = this.#appliedAs(inRegion, text, () =>
      isGiven ? args : this.argumentsOf(whole, at),
    );
    if (known !== undefined) {
      this.memory(type).set(type, known.reference);
      return known.reference;
    }
    let name = shown;
    for (let copy = 2; this.entries.has(name); copy++) name = `${shown}.${copy}`;
    const reference: Type = { kind: "named", name };
    this.memory(type).set(type, reference);
    const argumentsLater = (): readonly Type[] =>
      isGiven ? args : this.among(NO_TYPE_ARGUMENTS, () => this.argumentsOf(whole, at));
    this.#applied.set(symbol, [
      ...others,
      { text, args: argumentsLater, isGiven, region, reference },
    ]);
    const symbols = isGiven
      ? [symbol, ...args.flatMap((arg) => symbolsIn(arg, this.entries))]
      : mentioned(this.api, this.checker, whole, symbol);
    this.entries.set(name, { text, symbols });
    this.types.set(name, { type: VOID, text, scope: [] });
    this.nested(() => {
      const content = make();
      const readonly = this.shapes.hasReadonly(type, 3) ? { readonly: true as const } : {};
      this.define(reference, { type: content, text, scope: [], ...readonly });
    }, symbol);
    return reference;
  }

  /** Enters the content of a named type. */
  define(reference: Type & { readonly kind: "named" }, named: NamedType): void {
    this.types.set(reference.name, named);
    if (this.#members.has(reference.name)) this.tagged(reference);
  }

  #textOf(type: ts.Type, at: ts.Node): string {
    const { TypeFormatFlags } = this.api;
    return this.checker.typeToString(
      type,
      at,
      TypeFormatFlags.NoTruncation |
        TypeFormatFlags.UseAliasDefinedOutsideCurrentScope |
        TypeFormatFlags.WriteTypeArgumentsOfSignature,
    );
  }

  /** The same type, found once with its own arguments and once with substituted ones. */
  #appliedAs(
    others: readonly Applied[],
    text: string,
    args: () => readonly Type[],
  ): Applied | undefined {
    return others.find(
      (each) =>
        each.text === text &&
        (each.isGiven || this.#given.size > 0) &&
        areSame(each.args(), args()),
    );
  }

  /** Marks a record as a member of a union. */
  tagged(type: Type): Type {
    if (type.kind === "record") return { ...type, tagged: true };
    const named = type.kind === "named" ? this.types.get(type.name) : undefined;
    if (type.kind === "named" && named?.type.kind === "record")
      this.types.set(type.name, { ...named, type: { ...named.type, tagged: true } });
    else if (type.kind === "named" && named?.type === VOID) this.#members.add(type.name);
    return type;
  }

  leaf(type: ts.Type): Type & { readonly kind: "leaf" } {
    const flags = this.api.TypeFormatFlags.NoTruncation;
    return { kind: "leaf", text: this.checker.typeToString(type, undefined, flags) };
  }

  opaque(type: ts.Type): Type {
    return { ...this.leaf(type), opaque: true };
  }
}

/** The type of an optional field. A leaf stays one, because its text says what may be undefined. */
export function optional(type: Type): Type {
  if (type.kind === "leaf") return { ...type, optional: true };
  if (type.kind !== "opt") return { kind: "opt", of: type };
  return {
    kind: "opt",
    of: type.of,
    ...(type.nil === "null" || type.nil === "both" ? { nil: "field" } : {}),
  };
}
