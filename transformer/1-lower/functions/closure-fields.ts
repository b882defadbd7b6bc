// Fields that hold unnamed functions: `new Heap((a, b) => a.t < b.t)`.
// Input: the symbol of a field. Output: all functions that the program stores there, each with a
// tag, and the type of the tags. All must be known, and at least one has no name.
// Emitted code keeps the tag and the captured values instead. See Note [Tags of functions].
/* eslint-disable @typescript-eslint/no-unnecessary-condition -- type.symbol may be undefined */

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import type { Classes } from "../classes/classes.ts";
import type { TypeScript } from "../typescript.ts";
import { shorten } from "../sites/quoted-code.ts";
import { elementOf } from "../types/type-shapes.ts";
import { typeOfObject, type Subject, valuesAt } from "./stored-functions.ts";
import { type ValueFlow, valueFlowOf } from "../flow/value-flow.ts";
import { invariant } from "../../ir/invariant.ts";
import type { Lowering } from "../lowering.ts";
import type { Source, ClosureField } from "../function-values.ts";

export class ClosureFields {
  readonly #api: TypeScript;
  readonly #program: ts.Program;
  readonly #classes: Classes;
  readonly #left: ReadonlySet<ts.Node>;
  readonly #known = new Map<ts.Declaration, ClosureField | null>();
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
    const owner = ownerOf(declaration);
    const isList = this.#elementOf(symbol) !== undefined;
    const subject: Subject = { node: owner, name: symbol.name, depth: isList ? 1 : 0 };
    const isNeeded = (sources: readonly Source[]): boolean =>
      sources.some(({ atom, fn }) => isList || (atom === null && fn.kind === "closure"));
    return this.#asked({ symbol, declaration, owner, subject, isNeeded }, at);
  }

  /** The same of a local array of functions; null of other declarations. */
  ofList(declaration: ts.VariableDeclaration, at: ts.Node): ClosureField | null {
    const api = this.#api;
    const symbol = this.#classes.checker.getSymbolAtLocation(declaration.name);
    if (
      symbol === undefined ||
      this.#left.has(declaration) ||
      !this.#isListOfFunctions(declaration)
    )
      return null;
    const isConstant = (api.getCombinedNodeFlags(declaration) & api.NodeFlags.Constant) !== 0;
    const kept = isConstant ? this.#goalOf(declaration, at) : null;
    if (kept !== null || !isConstant || !this.#isMadeLater(declaration, symbol)) return kept;
    const owner = api.findAncestor(declaration, api.isFunctionDeclaration) ?? declaration.parent;
    const subject: Subject = { node: declaration, name: null, depth: 1 };
    return this.#asked({ symbol, declaration, owner, subject, isNeeded: isAny }, at);
  }

  /** Whether the elements are not known by their positions: `[]` with a later push, `ks.map(…)`. */
  #isMadeLater({ initializer }: ts.VariableDeclaration, symbol: ts.Symbol): boolean {
    const api = this.#api;
    const made = initializer === undefined ? undefined : bare(initializer, api);
    if (made === undefined || api.findAncestor(made, api.isFunctionLike) === undefined)
      return false;
    return api.isArrayLiteralExpression(made)
      ? !made.elements.some((each) => api.isSpreadElement(each) || api.isOmittedExpression(each)) &&
          this.#flow.valuesOfName(symbol).some(({ node, isGrown }) => node === made && isGrown)
      : api.isCallExpression(made) &&
          api.isPropertyAccessExpression(made.expression) &&
          made.expression.name.text === "map";
  }

  /** The same of a captured variable that holds a function or an array of functions. */
  ofName(symbol: ts.Symbol, at: ts.Node): ClosureField | null {
    const api = this.#api;
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
    const elem = this.#elementOf(symbol);
    if (!this.#isPlainFunction(elem ?? this.#classes.checker.getTypeOfSymbol(symbol))) return null;
    const around = api.findAncestor(declaration.parent, api.isFunctionLike);
    const owner =
      around !== undefined && api.isVariableDeclaration(around.parent)
        ? around.parent
        : (around ?? declaration.parent);
    const subject: Subject = { node: declaration, name: null, depth: elem === undefined ? 0 : 1 };
    return this.#asked({ symbol, declaration, owner, subject, isNeeded: isAny }, at);
  }

  /** The same of an array argument: of the field that it flows to, or of the parameter. */
  ofArgument(argument: ts.Expression, at: ts.Node): ClosureField | null {
    const api = this.#api;
    const { checker } = this.#classes;
    const elem = elementOf(checker.getTypeAtLocation(argument), checker);
    if (elem === undefined || !this.#isPlainFunction(elem)) return null;
    const kept = this.#goalOf(argument, at);
    const parameter = kept === null ? parameterOf(argument, api, checker) : null;
    const symbol = parameter === null ? undefined : checker.getSymbolAtLocation(parameter.name);
    if (parameter === null || symbol === undefined) return kept;
    return api.isCallExpression(argument)
      ? this.ofName(symbol, at)
      : api.isArrayLiteralExpression(argument)
        ? (this.#known.get(parameter) ?? null)
        : null;
  }

  /** The field that an array of functions flows to, which determines the tags. */
  #goalOf(node: ts.Node, at: ts.Node): ClosureField | null {
    const { checker } = this.#classes;
    const asked = { api: this.#api, program: this.#program };
    for (const list of valuesAt({ node, name: null, depth: 0 }, asked) ?? [])
      for (const [object, name] of list.kind === "list" ? this.#flow.fieldsWith(list) : []) {
        const { node: made } = object;
        const type = made === null ? undefined : typeOfObject(made, this.#api, checker);
        const field = type === undefined ? undefined : checker.getPropertyOfType(type, name);
        const found = field === undefined ? null : this.of(field, at);
        if (found !== null) return found;
      }
    return null;
  }

  get #flow(): ValueFlow {
    return valueFlowOf(this.#api, this.#program);
  }

  #elementOf(symbol: ts.Symbol): ts.Type | undefined {
    const { checker } = this.#classes;
    return elementOf(checker.getNonNullableType(checker.getTypeOfSymbol(symbol)), checker);
  }

  #isListOfFunctions(declaration: ts.Declaration): boolean {
    const { checker } = this.#classes;
    const elem = elementOf(checker.getTypeAtLocation(declaration), checker);
    return elem !== undefined && this.#isPlainFunction(elem);
  }

  #asked(
    { symbol, declaration, owner, subject, isNeeded }: Question,
    at: ts.Node,
  ): ClosureField | null {
    const asking = { api: this.#api, program: this.#program };
    this.#classes.questions.values(subject, valuesAt(subject, asking), at);
    const known = this.#known.get(declaration);
    if (known !== undefined) return known;
    // A recursive query finds no tags.
    this.#known.set(declaration, null);
    const { checker } = this.#classes;
    const sources =
      this.#lowering.functionsAt(
        { ...asking, checker, classes: this.#classes, at: declaration },
        subject,
        symbol.name,
      ) ?? [];
    const field = isNeeded(sources)
      ? this.#make(symbol, declaration, owner, sources, subject.depth > 0)
      : null;
    this.#known.set(declaration, field);
    return field;
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

interface Question {
  readonly symbol: ts.Symbol;
  readonly declaration: ts.Declaration;
  readonly owner: ts.Node;
  readonly subject: Subject;
  /** Whether the functions need tags. */
  readonly isNeeded: (sources: readonly Source[]) => boolean;
}

const isAny = (sources: readonly Source[]): boolean => sources.length > 0;

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
    if (isOfLibrary(part, checker)) return;
    for (const each of subclassesOf(part, at, classes, api))
      walk(classes.instanceType(each), depth - 1);
    for (const property of part.getProperties()) {
      if ((property.flags & api.SymbolFlags.Property) === 0) continue;
      const field = closures.of(property, at);
      if (field !== null) found.add(field);
      else walk(checker.getTypeOfSymbol(property), depth - 1);
    }
  };
  walk(type, DEEPEST);
  return [...found];
}

const isOfLibrary = (type: ts.Type, checker: ts.TypeChecker): boolean =>
  checker.isArrayType(type) ||
  checker.isTupleType(type) ||
  type.symbol?.declarations?.every((each) => each.getSourceFile().isDeclarationFile) === true;

/** The classes below a class, or those that have the methods of a type. */
function subclassesOf(
  type: ts.Type,
  at: ts.Node,
  classes: Classes,
  { SymbolFlags }: TypeScript,
): ReturnType<Classes["subclasses"]> {
  const own = classes.ofType(type);
  if (own !== null) return classes.subclasses(own, at);
  const hasMethods = type.getProperties().some(({ flags }) => flags & SymbolFlags.Method);
  return hasMethods ? classes.implementing(type, at) : [];
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

/** The parameter that an argument of a call binds. */
function parameterOf(
  argument: ts.Expression,
  api: TypeScript,
  checker: ts.TypeChecker,
): ts.ParameterDeclaration | null {
  const { parent: call } = argument;
  if (!api.isNewExpression(call) && !api.isCallExpression(call)) return null;
  const args = call.arguments ?? [];
  const at = args.findIndex((each) => each === argument);
  const called = checker.getResolvedSignature(call)?.declaration;
  const parameter =
    at < 0 ||
    args.slice(0, at + 1).some(api.isSpreadElement) ||
    called === undefined ||
    called.getSourceFile().isDeclarationFile ||
    !("body" in called)
      ? undefined
      : called.parameters.at(at);
  return parameter === undefined ||
    !api.isParameter(parameter) ||
    parameter.dotDotDotToken !== undefined
    ? null
    : parameter;
}

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
