// Which types are not the same everywhere: those with a class or interface in them whose instances
// are of other classes in another region of the program. Input: a type. Output: yes or no.
// Such a type has one translation for each region.

import type ts from "typescript";
import { checkerOf } from "../checker.ts";
import type { ClassNode } from "../classes/class-declarations.ts";
import type { Classes } from "../classes/classes.ts";
import type { Region } from "../flow/regions.ts";
import { type ValueFlow, valueFlowOf } from "../flow/value-flow.ts";
import type { TypeScript } from "../typescript.ts";

/** The number of types in each other that are searched: `interface N<T> { next: N<T[]> }`. */
const MOST = 500;

export class DividedTypes {
  readonly #api: TypeScript;
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  /** Whether the classes of the program are in more than one file. */
  readonly #isPossible: boolean;
  readonly #known = new Map<ts.Type, boolean>();

  constructor(api: TypeScript, program: ts.Program, classes: Classes) {
    this.#api = api;
    this.#program = program;
    this.#checker = checkerOf(program, api);
    this.#isPossible = new Set(classes.all().map((node) => node.getSourceFile())).size > 1;
  }

  get #flow(): ValueFlow {
    return valueFlowOf(this.#api, this.#program);
  }

  /** The region of some code; null where all of the program is one. */
  regionAt(node: ts.Node): Region | null {
    return this.#isPossible && this.#flow.hasRegions
      ? this.#flow.regionOf(node.getSourceFile())
      : null;
  }

  regionOfClass(node: ClassNode): Region | null {
    return this.#isPossible && this.#flow.hasRegions ? this.#flow.regionOfClass(node) : null;
  }

  has(type: ts.Type): boolean {
    const known = this.#known.get(type) ?? this.#search(type);
    this.#known.set(type, known);
    return known;
  }

  #search(type: ts.Type): boolean {
    const met = new Set([type]);
    for (const each of met) {
      if (met.size > MOST) return false;
      if (this.#known.get(each) === true || this.#flow.isDivided(each)) return true;
      for (const part of this.#partsOf(each)) met.add(part);
    }
    return false;
  }

  #partsOf(type: ts.Type): readonly ts.Type[] {
    if (type.isUnionOrIntersection()) return type.types;
    if ((type.flags & this.#api.TypeFlags.Object) === 0) return [];
    const checker = this.#checker;
    const object = type as ts.ObjectType;
    const args =
      (object.objectFlags & this.#api.ObjectFlags.Reference) === 0
        ? []
        : checker.getTypeArguments(type as ts.TypeReference); // its flags have been tested
    const isOfLibrary =
      type.getSymbol()?.declarations?.every((each) => each.getSourceFile().isDeclarationFile) ===
      true;
    if (isOfLibrary || checker.isTupleType(type)) return args;
    const index = [type.getStringIndexType(), type.getNumberIndexType()];
    return [
      ...args,
      ...index.filter((each) => each !== undefined),
      ...type.getProperties().map((each) => checker.getTypeOfSymbol(each)),
    ];
  }
}
