// Fields that hold unnamed functions: `new Heap((a, b) => a.t < b.t)`.
// Input: the symbol of a field. Output: all functions that the program stores there, each with a
// tag, and the type of the tags. All must be known, and at least one has no name.
// Emitted code keeps the tag and the captured values instead. See Note [Tags of functions].
/* eslint-disable @typescript-eslint/no-unnecessary-condition -- type.symbol may be undefined */

import type ts from "typescript";
import type { Classes } from "../classes/classes.ts";
import type { TypeScript } from "../typescript.ts";
import { shorten } from "../sites/quoted-code.ts";
import { elementOf } from "../types/type-shapes.ts";
import { goalOfList, goalOfUse, parameterOf } from "./function-list-goals.ts";
import { putIntoList } from "./function-list-uses.ts";
import { invariant } from "../../ir/invariant.ts";
import type { Lowering } from "../lowering.ts";
import type { Putting, Source, ClosureField } from "../function-values.ts";

/** What is known of a field, and the names that this depends on. */
interface Known {
  readonly field: ClosureField | null;
  readonly asked: readonly string[];
}

export class ClosureFields {
  readonly #api: TypeScript;
  readonly #program: ts.Program;
  readonly #classes: Classes;
  readonly #left: ReadonlySet<ts.Node>;
  readonly #known = new Map<ts.Declaration, Known>();
  readonly #byType = new Map<string, ClosureField>();
  /** Tags by function. */
  readonly #tags = new Map<string, string>();

  /** `left`: fields and classes without tags, because other code sees their functions. */
  constructor(api: TypeScript, program: ts.Program, classes: Classes, left: ReadonlySet<ts.Node>) {
    this.#api = api;
    this.#program = program;
    this.#classes = classes;
    this.#left = left;
  }

  get #lowering(): Lowering {
    const { lowering } = this.#classes;
    invariant(lowering !== null, "functions in fields are requested where nothing is lowered");
    return lowering;
  }

  ofType(name: string): ClosureField | null {
    return this.#byType.get(name) ?? null;
  }

  /** The fields whose tags have the type. */
  standingFor(name: string): readonly ClosureField[] {
    return [...this.#byType.values()].filter(
      ({ type, cases }) => type === name || cases.some(({ tag }) => tagType(tag) === name),
    );
  }

  /** Null of a field without functions, or with named ones only. */
  of(symbol: ts.Symbol, at: ts.Node): ClosureField | null {
    const declaration = symbol.valueDeclaration ?? symbol.declarations?.[0];
    if (
      declaration === undefined ||
      (symbol.declarations ?? []).length > 1 ||
      !this.#mayHold(symbol, declaration)
    )
      return null;
    const known = this.#known.get(declaration) ?? this.#found(symbol, declaration);
    // A new import may add functions.
    for (const name of known.field === null && known.asked.length === 0
      ? []
      : [...known.asked, "import"])
      this.#classes.questions.writes(name, at);
    return known.field;
  }

  /** The same of a local array of functions; null of other declarations. */
  ofList(declaration: ts.VariableDeclaration, at: ts.Node): ClosureField | null {
    const api = this.#api;
    const { checker } = this.#classes;
    const symbol = checker.getSymbolAtLocation(declaration.name);
    if (
      symbol === undefined ||
      this.#left.has(declaration) ||
      !this.#isListOfFunctions(declaration)
    )
      return null;
    const goal =
      (api.getCombinedNodeFlags(declaration) & api.NodeFlags.Constant) === 0
        ? null
        : goalOfList(declaration, api, checker);
    const kept = goal === null ? null : this.of(goal, at);
    if (kept !== null) return kept;
    const known =
      this.#known.get(declaration) ??
      this.#foundInList(symbol, declaration, putIntoList(declaration, api, checker));
    for (const name of known.field === null && known.asked.length === 0
      ? []
      : [...known.asked, "import"])
      this.#classes.questions.writes(name, at);
    return known.field;
  }

  /** The same of a captured variable that holds a function or an array of functions. */
  ofName(symbol: ts.Symbol, at: ts.Node): ClosureField | null {
    const api = this.#api;
    const { checker } = this.#classes;
    const declaration = symbol.valueDeclaration;
    if (
      declaration === undefined ||
      this.#left.has(declaration) ||
      !(
        api.isParameter(declaration) ||
        api.isVariableDeclaration(declaration) ||
        api.isBindingElement(declaration)
      ) ||
      !api.isIdentifier(declaration.name)
    )
      return null;
    const type = checker.getTypeOfSymbol(symbol);
    const elem = elementOf(type, checker);
    if (!this.#isPlainFunction(elem ?? type)) return null;
    const around = api.findAncestor(declaration.parent, api.isFunctionLike);
    const owner =
      around !== undefined && api.isVariableDeclaration(around.parent)
        ? around.parent
        : (around ?? declaration.parent);
    const known =
      this.#known.get(declaration) ??
      this.#foundAmong(
        symbol,
        declaration,
        owner,
        [declaration.name],
        elem !== undefined,
        elem !== undefined,
      );
    for (const name of known.field === null && known.asked.length === 0
      ? []
      : [...known.asked, "import"])
      this.#classes.questions.writes(name, at);
    return known.field;
  }

  /** What is known of such a variable so far. */
  knownOf(declaration: ts.Declaration): ClosureField | null {
    return this.#known.get(declaration)?.field ?? null;
  }

  /** The same of an array argument: of the field that it flows to, or of the parameter. */
  ofArgument(argument: ts.Expression, at: ts.Node): ClosureField | null {
    const api = this.#api;
    const { checker } = this.#classes;
    const elem = elementOf(checker.getTypeAtLocation(argument), checker);
    if (elem === undefined || !this.#isPlainFunction(elem)) return null;
    const goal = goalOfUse(argument, api, checker);
    const kept = goal === null ? null : this.of(goal, at);
    const parameter = kept === null ? parameterOf(argument, api, checker) : null;
    const symbol = parameter === null ? undefined : checker.getSymbolAtLocation(parameter.name);
    if (parameter === null || symbol === undefined) return kept;
    return api.isCallExpression(argument)
      ? this.ofName(symbol, at)
      : api.isArrayLiteralExpression(argument)
        ? this.knownOf(parameter)
        : null;
  }

  #isListOfFunctions(declaration: ts.Declaration): boolean {
    const { checker } = this.#classes;
    const elem = elementOf(checker.getTypeAtLocation(declaration), checker);
    return elem !== undefined && this.#isPlainFunction(elem);
  }

  #foundInList(
    symbol: ts.Symbol,
    declaration: ts.VariableDeclaration,
    put: readonly ts.Expression[] | null,
  ): Known {
    return this.#foundAmong(
      symbol,
      declaration,
      this.#api.findAncestor(declaration, this.#api.isFunctionDeclaration) ?? declaration.parent,
      put,
      true,
    );
  }

  #foundAmong(
    symbol: ts.Symbol,
    declaration: ts.Declaration,
    owner: ts.Node,
    put: readonly ts.Expression[] | null,
    isList: boolean,
    ofLists = false,
  ): Known {
    this.#known.set(declaration, { field: null, asked: [] });
    const found =
      put === null
        ? null
        : this.#lowering.putAmong(
            {
              api: this.#api,
              checker: this.#classes.checker,
              program: this.#program,
              classes: this.#classes,
              at: declaration,
            },
            symbol.name,
            put,
            ofLists,
          );
    const sources = found?.sources ?? [];
    const known: Known = {
      field: sources.length > 0 ? this.#make(symbol, declaration, owner, sources, isList) : null,
      asked: found?.asked ?? [],
    };
    this.#known.set(declaration, known);
    return known;
  }

  #mayHold({ flags }: ts.Symbol, declaration: ts.Declaration): boolean {
    const api = this.#api;
    const { checker } = this.#classes;
    if (
      (flags & api.SymbolFlags.Property) === 0 ||
      declaration.getSourceFile().isDeclarationFile ||
      this.#left.has(declaration) ||
      this.#left.has(ownerOf(declaration))
    )
      return false;
    const type = checker.getNonNullableType(checker.getTypeAtLocation(declaration));
    return this.#isPlainFunction(elementOf(type, checker) ?? type);
  }

  #isPlainFunction(type: ts.Type): boolean {
    return (
      (type.flags & this.#api.TypeFlags.Object) !== 0 &&
      type.getCallSignatures().length === 1 &&
      type.getProperties().length === 0 &&
      type.getConstructSignatures().length === 0
    );
  }

  #found(symbol: ts.Symbol, declaration: ts.Declaration): Known {
    // A recursive query finds no tags.
    this.#known.set(declaration, { field: null, asked: [] });
    const owner = ownerOf(declaration);
    const of = this.#api.isClassLike(owner)
      ? this.#classes.instanceType(owner)
      : this.#classes.checker.getTypeAtLocation(owner);
    const { checker } = this.#classes;
    const isList =
      elementOf(checker.getNonNullableType(checker.getTypeAtLocation(declaration)), checker) !==
      undefined;
    const put: Putting | null = this.#lowering.putIntoField(
      { api: this.#api, checker, program: this.#program, classes: this.#classes, at: declaration },
      { name: symbol.name, of },
      isList,
    );
    const isOpen =
      put.sources?.some(({ atom, fn }) => isList || (atom === null && fn.kind === "closure")) ===
      true;
    const known: Known = {
      field: isOpen ? this.#make(symbol, declaration, owner, put.sources ?? [], isList) : null,
      asked: put.asked,
    };
    this.#known.set(declaration, known);
    return known;
  }

  #make(
    symbol: ts.Symbol,
    declaration: ts.Declaration,
    owner: ts.Node,
    sources: readonly Source[],
    isList: boolean,
  ): ClosureField {
    const called = `${nameOf(owner, this.#api)}.${symbol.name.replace(/^__#\d+@#/, "")}`;
    let type = called;
    for (let copy = 2; this.#byType.has(type); copy++) type = `${called}.${copy}`;
    const unnamed =
      sources.flatMap(({ fn, atom }) =>
        fn.kind === "closure" && atom === null ? [shorten(fn.node.getText())] : [],
      )[0] ?? "";
    const takesAlong = sources.some(({ captures }) => (captures?.values.length ?? 0) > 0);
    const field = {
      type,
      declaration,
      unnamed,
      isList,
      takesAlong,
      cases: sources.map((source) => ({ ...source, tag: this.#tagOf(source) })),
    };
    this.#byType.set(type, field);
    return field;
  }

  /** One function has one tag, whatever field it is stored in. */
  #tagOf({ key, shown }: Source): string {
    const known = this.#tags.get(key);
    if (known !== undefined) return known;
    const taken = new Set(this.#tags.values());
    let tag = shown;
    for (let copy = 2; taken.has(tag); copy++) tag = `${shown}${copy}`;
    this.#tags.set(key, tag);
    return tag;
  }
}

/** The depth of nested types that is searched. */
const DEEPEST = 8;

/** The fields with tags in values of a type, nested ones included. */
export function heldClosures(
  type: ts.Type,
  at: ts.Node,
  classes: Classes,
  api: TypeScript,
): readonly ClosureField[] {
  const { checker, closures } = classes;
  const found = new Set<ClosureField>();
  const seen = new Set<ts.Type>();
  const walk = (part: ts.Type, depth: number): void => {
    if (seen.has(part) || depth === 0) return;
    seen.add(part);
    if (part.isUnionOrIntersection()) return part.types.forEach((each) => walk(each, depth));
    if ((part.flags & api.TypeFlags.Object) === 0) return;
    if ((part as ts.ObjectType).objectFlags & api.ObjectFlags.Reference)
      // Its flags have been tested.
      for (const arg of checker.getTypeArguments(part as ts.TypeReference)) walk(arg, depth - 1);
    if (
      checker.isArrayType(part) ||
      checker.isTupleType(part) ||
      part.symbol?.declarations?.every((each) => each.getSourceFile().isDeclarationFile) === true
    )
      return;
    const node = classes.ofType(part);
    const others =
      node !== null
        ? classes.subclasses(node, at)
        : part.getProperties().some(({ flags }) => flags & api.SymbolFlags.Method)
          ? classes.implementing(part, at)
          : [];
    for (const each of others) walk(classes.instanceType(each), depth - 1);
    for (const property of part.getProperties()) {
      const field =
        (property.flags & api.SymbolFlags.Property) === 0 ? null : closures.of(property, at);
      if (field !== null) found.add(field);
      else if (property.flags & api.SymbolFlags.Property)
        walk(checker.getTypeOfSymbol(property), depth - 1);
    }
  };
  walk(type, DEEPEST);
  return [...found];
}

/** The name of the type of a tag with captures. */
export const tagType = (tag: string): string => `function ${tag}`;

/** The class of a parameter property. */
const ownerOf = (declaration: ts.Declaration): ts.Node =>
  "parameters" in declaration.parent ? declaration.parent.parent : declaration.parent;

const nameOf = (owner: ts.Node, api: TypeScript): string =>
  (api.isClassLike(owner) || api.isInterfaceDeclaration(owner) || api.isFunctionDeclaration(owner)
    ? owner.name?.text
    : api.isVariableDeclaration(owner)
      ? owner.name.getText()
      : api.isTypeAliasDeclaration(owner.parent)
        ? owner.parent.name.text
        : undefined) ?? "record";

// Note [Tags of functions]
// A function in a field is identified by a tag, because evaluating a literal twice allocates two
// functions. The field holds a string that names the literal: `heap.less = "less"`. If some of the
// literals capture variables, it holds a record of tag and captures: `{ fn: "act", k: 2 }`. The
// record has a shadow like any other, so cotangents flow to the captures. A variable that is
// reassigned would have to be shared, so capturing it is rejected. A call of the field is a choice
// among all functions that the program stores there. No other function can be there: objects with
// such a field are private, as instances of classes with `#x` are. Only lowered code allocates,
// reads and passes them. Where one would enter or leave lowered code, or where code compares such
// functions, lowering is repeated without tags for that field (`Functions.left`).
