// Names the types of instances of exactly one class, for a generic class per type arguments.
// Also finds the arguments of a class's type parameters, and of those of its base classes.
// One class with the same arguments has one name.

import type ts from "typescript";
import type { Instance, Type } from "../../ir/types.ts";
import { type Classes, type ClassField } from "../classes/classes.ts";
import { classNameOf, type ClassNode } from "../classes/class-declarations.ts";
import type { TypeScript } from "../typescript.ts";
import { plainConstructor } from "../classes/plain-constructor.ts";
import { sameType } from "./same-type.ts";
import { argumentsOf, mentions, NO_TYPE_ARGUMENTS, type TypeArguments } from "./type-arguments.ts";
import { symbolsIn, typeText } from "./type-names.ts";
import type { Entry } from "./type-scopes.ts";
import { elementOf } from "./type-shapes.ts";

/** The type of instances of a class. */
export interface InstanceType {
  readonly node: ClassNode;
  readonly args: readonly Type[];
  /** The arguments of its own type parameters. */
  readonly given: TypeArguments;
  readonly name: string;
  readonly entry: Entry;
}

/** How types are resolved (`struct`) and translated (`from`) to be compared. */
export interface Matching {
  readonly struct: (type: Type) => Type;
  readonly from: (type: ts.Type) => Type;
}

export class InstanceTypes {
  /** The classes so far, by their key into Program.homes. */
  readonly classes = new Map<string, ClassNode>();
  readonly #api: TypeScript;
  readonly #checker: ts.TypeChecker;
  readonly #all: Classes;
  readonly #byName = new Map<string, InstanceType>();
  readonly #byClass = new Map<ClassNode, readonly InstanceType[]>();
  readonly #lineages = new Map<string, ReadonlyMap<ClassNode, TypeArguments>>();
  readonly #homes = new Map<ClassNode, string>();

  constructor(api: TypeScript, checker: ts.TypeChecker, all: Classes) {
    this.#api = api;
    this.#checker = checker;
    this.#all = all;
  }

  named(name: string): InstanceType | null {
    return this.#byName.get(name) ?? null;
  }

  /** The name of the type; null if it has none yet. */
  nameOf(node: ClassNode, args: readonly Type[]): string | null {
    return this.#byClass.get(node)?.find((each) => areSame(each.args, args))?.name ?? null;
  }

  /** Names a type that has no name yet. */
  make(node: ClassNode, args: readonly Type[], entries: ReadonlyMap<string, Entry>): InstanceType {
    const own = classNameOf(node, this.#api);
    const called = applied(own, args, entries);
    const isValue = this.#api.isClassExpression(node);
    let name = called;
    for (let copy = 2; entries.has(name); copy++) name = `${called}.${copy}`;
    const { parent } = node;
    const symbol =
      isValue && this.#api.isVariableDeclaration(parent)
        ? this.#checker.getSymbolAtLocation(parent.name)
        : this.#all.instanceType(node).symbol;
    const symbols = [
      ...(symbol === undefined ? [] : [symbol]),
      ...args.flatMap((arg) => symbolsIn(arg, entries)),
    ];
    const entry: Entry = {
      text: isValue ? `InstanceType<typeof ${own}>` : called,
      symbols,
      ...(isValue ? { values: true } : {}),
    };
    const made: InstanceType = { node, args, given: this.#paired(node, args), name, entry };
    this.#byName.set(name, made);
    this.#byClass.set(node, [...(this.#byClass.get(node) ?? []), made]);
    return made;
  }

  /** The class's key into Program.homes. */
  homeOf(node: ClassNode): string {
    const known = this.#homes.get(node);
    if (known !== undefined) return known;
    const own = `class ${classNameOf(node, this.#api)}`;
    let key = own;
    for (let copy = 2; this.classes.has(key); copy++) key = `${own}.${copy}`;
    this.#homes.set(node, key);
    this.classes.set(key, node);
    return key;
  }

  /** The arguments of a class's type parameters in instances of the named type. */
  givenIn(
    name: string,
    node: ClassNode,
    from: (type: ts.Type, given: TypeArguments) => Type,
  ): TypeArguments {
    const made = this.#byName.get(name);
    if (made === undefined) return NO_TYPE_ARGUMENTS;
    const lineage = this.#lineages.get(name) ?? this.#along(made.node, made.given, from);
    this.#lineages.set(name, lineage);
    return lineage.get(node) ?? NO_TYPE_ARGUMENTS;
  }

  /** The arguments of a class and all its base classes. */
  #along(
    node: ClassNode,
    given: TypeArguments,
    from: (type: ts.Type, given: TypeArguments) => Type,
  ): ReadonlyMap<ClassNode, TypeArguments> {
    const base = this.#all.baseOf(node);
    if (base === null || base === "unknown") return new Map([[node, given]]);
    const args = argumentsOf(this.#all.baseType(node), this.#api, this.#checker).map((arg) =>
      from(arg, given),
    );
    return new Map([[node, given], ...this.#along(base, this.#paired(base, args), from)]);
  }

  /** Type parameters with their arguments, without opaque ones. */
  #paired(node: ClassNode, args: readonly Type[]): TypeArguments {
    return new Map(
      this.#all.parametersOf(node).flatMap((parameter, i): [ts.Type, Type][] => {
        const arg = args[i];
        return arg === undefined || (arg.kind === "leaf" && arg.opaque === true)
          ? []
          : [[parameter, arg]];
      }),
    );
  }

  /**
   * The arguments of a class's type parameters in instances typed `general<args>`.
   * Null if they are not known, "never" if no instance has that type.
   */
  argumentsAs(
    node: ClassNode,
    general: ClassNode,
    args: readonly Type[],
    tools: Matching,
  ): readonly Type[] | null | "never" {
    if (node === general) return args;
    const base = this.#all.baseOf(node);
    if (base === null || base === "unknown") return node.typeParameters === undefined ? [] : null;
    const ofBase = this.argumentsAs(base, general, args, tools);
    const own = this.#all.parametersOf(node);
    const found = new Map<ts.Type, Type>();
    if (ofBase === null || ofBase === "never")
      return ofBase === null && own.length === 0 ? [] : ofBase;
    const answers = argumentsOf(this.#all.baseType(node), this.#api, this.#checker).map(
      (arg, i) => {
        const to = ofBase[i];
        return to === undefined ? "unknown" : this.#matches(arg, to, own, found, tools);
      },
    );
    if (answers.includes("never")) return "never";
    const made = own.flatMap((parameter) => found.get(parameter) ?? []);
    return made.length === own.length ? made : null;
  }

  /** Unifies a type with an IR type; records arguments of `own` parameters in `found`. */
  #matches(
    type: ts.Type,
    to: Type,
    own: readonly ts.Type[],
    found: Map<ts.Type, Type>,
    tools: Matching,
  ): "yes" | "never" | "unknown" {
    const known = found.get(type);
    if (own.includes(type)) {
      if (known !== undefined) return sameType(known, to) ? "yes" : "unknown";
      found.set(type, to);
      return "yes";
    }
    const shape = tools.struct(to);
    const isArray = this.#checker.isArrayType(type);
    const elem = elementOf(type, this.#checker);
    if (shape.kind === "array" && shape.store === "Array" && elem !== undefined)
      return this.#matches(elem, shape.elem, own, found, tools);
    const mentioned = mentions(
      type,
      new Map(own.map((parameter) => [parameter, to])),
      this.#api,
      this.#checker,
    );
    const genericKind = isArray ? "array" : null;
    const kind = mentioned ? genericKind : tools.struct(tools.from(type)).kind;
    if (!mentioned && sameType(tools.from(type), to)) return "yes";
    const isPlain = (one: string | null): boolean =>
      one === "num" || one === "bool" || one === "array" || one === "record" || one === "dict";
    return isPlain(kind) && isPlain(shape.kind) && kind !== shape.kind ? "never" : "unknown";
  }

  /** What emitted code needs to know of the class. */
  about({ node, args }: InstanceType, fields: readonly ClassField[]): Instance {
    const hidden = fields.filter((field) => field.hidden).map((field) => field.name);
    const constructed = plainConstructor(
      node,
      fields.map(({ name }) => name),
      this.#all,
      this.#api,
    );
    return {
      home: this.homeOf(node),
      kinds: (this.#all.lineage(node) ?? [node]).map((each) => this.homeOf(each)),
      args,
      hidden,
      undeclared: fields.filter((field) => field.undeclared).map((field) => field.name),
      fixed: fields.filter((field) => field.fixed).map((field) => field.name),
      hidesFields: hidden.length > 0 || this.#all.hasAccessors(node),
      ...(constructed === null ? {} : { constructed }),
    };
  }
}

/** A generic type's text with arguments, such as `Stack<number>`. */
export const applied = (
  name: string,
  args: readonly Type[],
  entries: ReadonlyMap<string, Entry>,
): string =>
  args.length === 0 ? name : `${name}<${args.map((arg) => typeText(arg, entries)).join(", ")}>`;

/** Whether two lists of types are the same. */
export const areSame = (own: readonly Type[], others: readonly Type[]): boolean =>
  own.length === others.length &&
  own.every((arg, i) => others[i] !== undefined && sameType(arg, others[i]));
