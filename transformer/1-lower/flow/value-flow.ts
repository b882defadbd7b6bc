// Which functions, classes and literals can be at a place: value flow of the whole program (0-CFA).
// In: a program. Out: the values of an expression, and the classes whose instances flow to places
// of a type. An answer says whether code outside of the program may put other values there. It is
// computed when it is first requested, once for a program. Of a large program nothing is known.

import type ts from "typescript";
import { memoised } from "../../ir/visit.ts";
import { checkerOf } from "../checker.ts";
import { isPackageFile } from "../sites/package-files.ts";
import { isTsgrad, moduleGraph, specifiersOf, type ModuleGraph } from "../sites/module-graph.ts";
import type { TypeScript } from "../typescript.ts";
import type { ClassNode } from "../classes/class-declarations.ts";
import { Constraints } from "./constraints.ts";
import { ELEMENT, SOME } from "./heap.ts";
import type { Cell, Place } from "./propagation.ts";
import { holdersOfInstances, type Region, Regions } from "./regions.ts";

/** What instances and literals can be at places of a type. */
export interface Flowing {
  readonly classes: ReadonlySet<ClassNode>;
  readonly literals: ReadonlySet<ts.Node>;
  /** Whether values of code outside of the program can be there. */
  isOpen: boolean;
}

/** Characters of source text: following them takes a few seconds, most in TypeScript's checker. */
const MOST_TEXT = 1_500_000;

interface Found extends Flowing {
  readonly classes: Set<ClassNode>;
  readonly literals: Set<ts.Node>;
}

export class ValueFlow {
  readonly #api: TypeScript;
  readonly #checker: ts.TypeChecker;
  readonly #constraints: Constraints;
  readonly #isSmall: boolean;
  #hasRegions: boolean | null = null;
  readonly #regions = new Regions();
  #byType: ReadonlyMap<ts.Type, Found> | null = null;
  #graph: ModuleGraph | null = null;
  readonly #program: ts.Program;
  #visible: readonly ClassNode[] | null = null;

  constructor(api: TypeScript, program: ts.Program, copies?: Copies) {
    this.#api = api;
    this.#program = program;
    this.#checker = checkerOf(program, api);
    const files = filesOf(api, program, this.#checker);
    this.#constraints = new Constraints(api, this.#checker, {
      isOwn: (file) => files.has(file),
      copyOf: (node) => copies?.functionAt(node) ?? null,
    });
    this.#isSmall = [...files].reduce((sum, { text }) => sum + text.length, 0) <= MOST_TEXT;
    if (!this.#isSmall) return;
    for (const file of files) this.#constraints.visitFile(file);
    do this.#constraints.run();
    while (!this.#constraints.isExhausted && this.#constraints.openUncalled());
  }

  /** Whether it has an answer. */
  get isComplete(): boolean {
    return this.#isSmall && !this.#constraints.isExhausted;
  }

  /** The values of an expression; "outside" stands for what code outside of the program has. */
  valuesOf(node: ts.Expression): readonly Cell[] {
    return this.#constraints.places.get(node)?.values ?? [];
  }

  /** The values of a variable or parameter. */
  valuesOfName(symbol: ts.Symbol): readonly Cell[] {
    return this.#constraints.ofSymbol(symbol)?.values ?? [];
  }

  /** The objects of the program with a field of that name. */
  objectsWith(name: string): readonly Cell[] {
    return [...this.#constraints.cells()].filter(
      ({ kind, path, fields }) =>
        (kind === "instance" || kind === "object") &&
        path !== "prototype" &&
        (fields.has(name) || fields.has(SOME)),
    );
  }

  /** Fields with the value: the objects, and the names of the fields. */
  fieldsWith(value: Cell): readonly (readonly [object: Cell, name: string])[] {
    return [...this.#constraints.cells()].flatMap((object) =>
      [...object.fields].flatMap(([name, place]) =>
        place.holds(value) ? [[object, name] as const] : [],
      ),
    );
  }

  /** The expression by which a value comes into one of the places. */
  wayOf(value: Cell, into: readonly Place[]): ts.Node | null {
    const met = new Set(into);
    let found: ts.Node | null = null;
    const all = [...this.#constraints.allPlaces()].filter((place) => place.holds(value));
    for (const place of met)
      for (const from of all) {
        if (!from.targets.has(place) || met.has(from)) continue;
        if (from.node !== null && this.#api.isExpression(from.node)) found ??= from.node;
        met.add(from);
      }
    return found;
  }

  /**
   * What flows to places of a type; null if no such place is known. `region`: restricts it to the
   * files of a region, unless nothing flows there.
   */
  flowingTo(type: ts.Type, region: Region | null): Flowing | null {
    const all = this.#types.get(type) ?? null;
    if (all === null || region === null) return all;
    const isOpen = all.isOpen && this.#regions.ofCell(this.#constraints.outside) === region;
    const classes = [...all.classes].filter((node) => this.regionOfClass(node) === region);
    return classes.length === 0 && !isOpen ? all : { ...all, classes: new Set(classes), isOpen };
  }

  /** The region of a file: objects of no other region flow there. */
  regionOf(file: ts.SourceFile): Region {
    return this.#types.size === 0 ? file : this.#regions.ofFile(file);
  }

  regionOfClass(node: ClassNode): Region {
    return this.#regions.ofCell(this.#constraints.cell("instance", node));
  }

  /** Whether some type is divided at all. */
  get hasRegions(): boolean {
    this.#hasRegions ??= [...this.#types.keys()].some((type) => this.isDivided(type));
    return this.#hasRegions;
  }

  /** Whether instances of several regions flow to places of the type. */
  isDivided(type: ts.Type): boolean {
    const { classes, isOpen } = this.#types.get(type) ?? { classes: [], isOpen: false };
    const regions = new Set([...classes].map((node) => this.regionOfClass(node)));
    if (isOpen) regions.add(this.#regions.ofCell(this.#constraints.outside));
    return regions.size > 1;
  }

  get #types(): ReadonlyMap<ts.Type, Found> {
    if (this.#byType !== null) return this.#byType;
    this.#byType = this.isComplete ? this.#holders() : new Map();
    this.#divide(this.#byType);
    return this.#byType;
  }

  /** Unites files that have places of the same instances, or of objects with such in them. */
  #divide(types: ReadonlyMap<ts.Type, Found>): void {
    const places = [...this.#constraints.allPlaces()];
    const holding = new Set(holdersOfInstances(places));
    for (const { node, values } of places) {
      if (node === null) continue;
      for (const value of values)
        if (holding.has(value)) this.#regions.unite(node.getSourceFile(), value);
      if (!values.some(({ node: made }) => made === null)) continue;
      const parts = this.#partsOf(this.#checker.getTypeAtLocation(node));
      if (parts.some((part) => (types.get(part)?.classes.size ?? 0) > 0))
        this.#regions.unite(node.getSourceFile(), this.#constraints.outside);
    }
  }

  /** Whether some file of the program imports both files, or is one of them. */
  meet(x: ts.SourceFile, z: ts.SourceFile): boolean {
    this.#graph ??= moduleGraph(this.#api, this.#program);
    return this.#graph.meet(x, z);
  }

  /** Classes of which code outside of the program can have instances. */
  get visible(): readonly ClassNode[] {
    this.#visible ??= this.#constraints.visible.values.flatMap(({ kind, node }) =>
      kind === "instance" && node !== null && this.#api.isClassLike(node) ? [node] : [],
    );
    return this.#visible;
  }

  /** Object literals with all these fields that code outside of the program can have. */
  visibleLiterals(names: readonly string[]): readonly ts.ObjectLiteralExpression[] {
    return this.#constraints.visible.values.flatMap(({ kind, node, fields }) =>
      kind === "object" &&
      node !== null &&
      this.#api.isObjectLiteralExpression(node) &&
      names.every((name) => fields.has(name))
        ? [node]
        : [],
    );
  }

  /** What is held by the types of places, and of fields and elements in it. */
  #holders(): ReadonlyMap<ts.Type, Found> {
    const api = this.#api;
    const found = new Map<ts.Type, Found>();
    const met = new Map<ts.Type, Set<Cell>>();
    const pending: (readonly [ts.Type, Cell])[] = [];
    const hold = (type: ts.Type | undefined, values: readonly Cell[]): void => {
      for (const value of type === undefined || !values.some(isObject) ? [] : values)
        for (const part of isObject(value) && type !== undefined ? this.#partsOf(type) : [])
          pending.push([part, value]);
    };
    for (const { node, values } of this.#constraints.allPlaces()) {
      const isMade = values.some((value) => isObject(value) && value.node !== null);
      if (node === null || !values.some(isObject)) continue;
      hold(this.#checker.getTypeAtLocation(node), values);
      if (isMade && api.isExpression(node)) hold(this.#checker.getContextualType(node), values);
    }
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const [type, value] = next;
      const seen = met.get(type) ?? new Set();
      met.set(type, seen);
      if (seen.has(value)) continue;
      seen.add(value);
      const entry: Found = found.get(type) ?? {
        classes: new Set(),
        literals: new Set(),
        isOpen: false,
      };
      found.set(type, entry);
      this.#enter(entry, value);
      for (const [inner, values] of this.#partsWithin(type, value)) hold(inner, values);
    }
    return found;
  }

  #enter(entry: Found, { kind, node }: Cell): void {
    if (node === null) entry.isOpen = true;
    else if (kind === "instance" && this.#api.isClassLike(node)) entry.classes.add(node);
    else if (kind === "object") entry.literals.add(node);
  }

  /** A type without null: the members of unions and intersections, the bound of a parameter. */
  #partsOf(type: ts.Type): readonly ts.Type[] {
    const { TypeFlags } = this.#api;
    if (type.isUnion()) return type.types.flatMap((each) => this.#partsOf(each));
    if (type.isIntersection()) return [type, ...type.types.flatMap((each) => this.#partsOf(each))];
    // a generic type is asked for by its declaration, too
    const { target } = type as Partial<ts.TypeReference>;
    if ((type.flags & TypeFlags.Object) !== 0)
      return target === undefined || target === type ? [type] : [type, target];
    const bound = this.#checker.getBaseConstraintOfType(type);
    return bound === undefined || bound === type ? [] : this.#partsOf(bound);
  }

  /** The types of fields and elements of an object, with what they hold. */
  #partsWithin(type: ts.Type, value: Cell): readonly (readonly [ts.Type, readonly Cell[]])[] {
    const checker = this.#checker;
    if (value.kind === "list" || value.kind === "map" || value.node === null) {
      const inside = value.node === null ? [value] : (value.fields.get(ELEMENT)?.values ?? []);
      const isReference =
        ((type as ts.ObjectType).objectFlags & this.#api.ObjectFlags.Reference) !== 0;
      // its flags have been tested
      const args = isReference ? checker.getTypeArguments(type as ts.TypeReference) : [];
      const element = type.getNumberIndexType();
      return [...args, ...(element === undefined ? [] : [element])].map((each) => [each, inside]);
    }
    const named = [...value.fields].flatMap(([name, { values }]) => {
      const property = values.some(isObject) ? type.getProperty(name) : undefined;
      return property === undefined ? [] : [[checker.getTypeOfSymbol(property), values] as const];
    });
    const index = type.getStringIndexType();
    return index === undefined
      ? named
      : [...named, ...[...value.fields.values()].map(({ values }) => [index, values] as const)];
  }
}

const isObject = ({ kind }: Cell): boolean =>
  kind === "instance" ||
  kind === "object" ||
  kind === "list" ||
  kind === "map" ||
  kind === "outside";

export const valueFlowOf = (api: TypeScript, program: ts.Program): ValueFlow => {
  const known = FLOWS(program);
  return (known.flow ??= new ValueFlow(api, program, known.copies));
};

/** What the user's expressions mean in packages whose code the program has copies of. */
interface Copies {
  functionAt(node: ts.Node): ts.Symbol | null;
}

/** Says so before the flow is asked for. */
export function noteCopies(program: ts.Program, copies: Copies): void {
  FLOWS(program).copies = copies;
}

const FLOWS = memoised((_program: ts.Program): { flow?: ValueFlow; copies?: Copies } => ({}));

/** The files of the program, without packages and the library itself. */
function filesOf(
  api: TypeScript,
  program: ts.Program,
  checker: ts.TypeChecker,
): ReadonlySet<ts.SourceFile> {
  const own = program
    .getSourceFiles()
    .filter((file) => !file.isDeclarationFile && !isPackageFile(program, file));
  const fileOf = (specifier: ts.Node): ts.SourceFile | undefined =>
    checker.getSymbolAtLocation(specifier)?.declarations?.find(api.isSourceFile);
  const library = new Set(
    own.flatMap((file) =>
      specifiersOf(file, api).flatMap((each) => (isTsgrad(each, api) ? (fileOf(each) ?? []) : [])),
    ),
  );
  for (const file of library)
    for (const each of specifiersOf(file, api)) {
      const next = fileOf(each);
      if (next !== undefined) library.add(next);
    }
  return new Set(own.filter((file) => !library.has(file)));
}
