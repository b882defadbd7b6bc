// Fields that hold functions without a name: `new Heap((a, b) => a.t < b.t)`. In: the symbol of a field. Out: all functions that code of the program puts there, each with a tag, and
// the name of the type of those tags. Invariant: only where all of them are known, one of them has no name, and none captures anything; no such object then meets code that is not
// lowered (`sealed.ts`), so emitted code may keep the tag in place of the function. Note [Tags of functions].

import type ts from "typescript";
import type { Classes } from "./classes.ts";
import type { TypeScript } from "./context.ts";
import { shorten } from "./targets.ts";
import { putIntoField, type Putting, type Source } from "./function-flow.ts";

export interface ClosureField {
  /** Of the type of the tags, unique in the program. */
  readonly type: string;
  readonly declaration: ts.Declaration;
  readonly cases: readonly Tagged[];
  /** One that has no name, for messages. */
  readonly unnamed: string;
}

export interface Tagged extends Source { readonly tag: string }

/** What is known of a field, and of which names that depends. */
interface Known { readonly field: ClosureField | null; readonly asked: readonly string[] }

export class ClosureFields {
  readonly #api: TypeScript;
  readonly #program: ts.Program;
  readonly #classes: Classes;
  readonly #left: ReadonlySet<ts.Node>;
  readonly #known = new Map<ts.Declaration, Known>();
  readonly #byType = new Map<string, ClosureField>();
  /** By the function. */
  readonly #tags = new Map<string, string>();

  /** `left`: fields, and classes, that are seen by code that takes what they hold for functions. */
  constructor(api: TypeScript, program: ts.Program, classes: Classes, left: ReadonlySet<ts.Node>) {
    this.#api = api;
    this.#program = program;
    this.#classes = classes;
    this.#left = left;
  }

  ofType(name: string): ClosureField | null {
    return this.#byType.get(name) ?? null;
  }

  /** Null of a field that holds no functions, or none but such as have names. `at`: where it is asked. */
  of(symbol: ts.Symbol, at: ts.Node): ClosureField | null {
    const declaration = symbol.valueDeclaration ?? symbol.declarations?.[0];
    if (declaration === undefined || (symbol.declarations ?? []).length > 1 || !this.#mayHold(symbol, declaration)) return null;
    const known = this.#known.get(declaration) ?? this.#found(symbol, declaration, at);
    for (const name of known.asked) this.#classes.questions.writes(name, at);
    return known.field;
  }

  #mayHold({ flags }: ts.Symbol, declaration: ts.Declaration): boolean {
    const api = this.#api, { checker } = this.#classes;
    if ((flags & api.SymbolFlags.Property) === 0 || declaration.getSourceFile().isDeclarationFile || this.#left.has(declaration) || this.#left.has(ownerOf(declaration))) return false;
    const type = checker.getNonNullableType(checker.getTypeAtLocation(declaration));
    return (type.flags & api.TypeFlags.Object) !== 0 && type.getCallSignatures().length === 1 && type.getProperties().length === 0 && type.getConstructSignatures().length === 0;
  }

  #found(symbol: ts.Symbol, declaration: ts.Declaration, at: ts.Node): Known {
    this.#known.set(declaration, { field: null, asked: [] }); // what asks again on the way knows of no other
    const owner = ownerOf(declaration), of = this.#api.isClassLike(owner) ? this.#classes.instanceType(owner) : this.#classes.checker.getTypeAtLocation(owner);
    const put: Putting | null = putIntoField({ api: this.#api, checker: this.#classes.checker, program: this.#program, classes: this.#classes, at }, { name: symbol.name, of });
    const isOpen = put.sources?.some(({ atom, fn }) => atom === null && fn.kind === "closure") === true;
    const known: Known = { field: isOpen ? this.#make(symbol, declaration, owner, put.sources ?? []) : null, asked: put.asked };
    this.#known.set(declaration, known);
    return known;
  }

  #make(symbol: ts.Symbol, declaration: ts.Declaration, owner: ts.Node, sources: readonly Source[]): ClosureField {
    const called = `${nameOf(owner, this.#api)}.${symbol.name.replace(/^__#\d+@#/, "")}`;
    let type = called;
    for (let copy = 2; this.#byType.has(type); copy++) type = `${called}.${copy}`;
    const unnamed = sources.flatMap(({ fn, atom }) => (fn.kind === "closure" && atom === null ? [shorten(fn.node.getText())] : []))[0] ?? "";
    const field = { type, declaration, unnamed, cases: sources.map((source) => ({ ...source, tag: this.#tagOf(source) })) };
    this.#byType.set(type, field);
    return field;
  }

  /** One function has one tag, whatever field it is put into. */
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

/** The class of a parameter that is a field, too. */
const ownerOf = (declaration: ts.Declaration): ts.Node => ("parameters" in declaration.parent ? declaration.parent.parent : declaration.parent);

const nameOf = (owner: ts.Node, api: TypeScript): string =>
  (api.isClassLike(owner) || api.isInterfaceDeclaration(owner) ? owner.name?.text : api.isTypeAliasDeclaration(owner.parent) ? owner.parent.name.text : undefined) ?? "record";

// Note [Tags of functions]
// A function that a field holds is told by which one it is, and a function literal is another one each time it is evaluated. Where a field holds such literals, emitted code keeps a text
// that says which literal it is: `heap.less = "less"`. A call of the field is a choice among all functions that the program puts there. What else it might be does not come up: objects
// with such a field are sealed, as instances of classes with `#x` are. They are made, read and handed on by lowered code alone; where one would come in from outside or go there, or where
// code asks which function it is, lowering is tried again without tags for that field (`Functions.left`).
