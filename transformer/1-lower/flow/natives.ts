// What functions of the standard library do with the objects and functions they are given.
// In: a call. Out: flows between its arguments, its receiver and its result. What is in no table is
// treated as if it might do any of it, or belongs to code outside of the program.

import type ts from "typescript";
import { type Argument, type Call, type Code, ELEMENT, type Heap } from "./heap.ts";
import { type Cell, Place } from "./propagation.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Methods that return the receiver. */
const SAME = words("reverse sort fill set add forEach copyWithin");
/** Methods that return a new list of elements of the receiver. */
const SUBLIST = words(
  "slice filter concat toReversed toSorted toSpliced with splice flat values keys entries",
);
/** Methods that return an element. */
const ONE = words("find findLast at pop shift get reduce reduceRight");
/** Methods that store their arguments, or return them among the elements. */
const STORES = words("push unshift splice toSpliced fill set add with concat");
/** Methods with a callback whose results are the elements of the result. */
const MAPS = words("map flatMap");
const FOLDS = words("reduce reduceRight");
/** Constructors of objects that hold no functions or objects of the program. */
const INERT =
  /^(?:(?:Float|Int|Uint|BigInt|BigUint)\d+(?:Clamped)?Array|\w*Error|Date|RegExp|ArrayBuffer|DataView)$/;
const NOTHING = words(
  "some every findIndex findLastIndex indexOf lastIndexOf includes join has delete clear toString",
);
const KNOWN = [SAME, SUBLIST, ONE, STORES, MAPS, NOTHING];
/** Functions that return their first argument. */
const FIRST = words(
  "Object.freeze Object.seal Object.preventExtensions structuredClone Promise.resolve",
);
/** Functions that neither return nor store what they are given. */
const PURE = words("Object.keys Object.getOwnPropertyNames Object.is Object.hasOwn Array.isArray");

/** Places for the parameters of a function of which nothing else is known. */
function codeOfAny(node: ts.Node): Code & { readonly rest: Place } {
  const params = Array.from({ length: 8 }, () => new Place());
  const [rest, result, self] = [new Place(), new Place(), new Place()];
  const flags = { isFree: false, isCalled: true, isOpen: false };
  return { node, params, rest, all: null, result, self, ...flags };
}

export const isMethodOfLists = (name: string): boolean => KNOWN.some((set) => set.has(name));

export class Natives {
  readonly #heap: Heap;
  readonly #codes = new Map<Cell, Code>();
  readonly #isPrimitive: (node: ts.Node) => boolean;

  /** `isPrimitive`: whether an expression is no object. */
  constructor(heap: Heap, isPrimitive: (node: ts.Node) => boolean) {
    this.#heap = heap;
    this.#isPrimitive = isPrimitive;
  }

  // -------------------------------------------------------------- methods of lists and maps

  method(list: Cell, name: string, call: Call): void {
    const heap = this.#heap;
    const elements = heap.field(list, ELEMENT);
    if (name === "next" || name === "return") return this.#next(elements, call);
    const isKnown = isMethodOfLists(name);
    const is = (set: ReadonlySet<string>): boolean => !isKnown || set.has(name);
    const given = this.#callback(list, name, call);
    if (is(STORES)) this.#store(list, name, call);
    if (is(SAME)) heap.add(call.to, list);
    if (is(ONE)) heap.flow(elements, call.to);
    if (FOLDS.has(name)) heap.flow(given, call.to);
    if (is(MAPS)) {
      const made = heap.cell("list", call.node);
      heap.flow(given, heap.field(made, ELEMENT));
      if (name !== "map") heap.iterate(given, heap.field(made, ELEMENT));
      heap.add(call.to, made);
    }
    if (SUBLIST.has(name)) this.#sublist(list, name, call);
  }

  /** A new list of elements of the receiver. */
  #sublist(list: Cell, name: string, { args, to, node }: Call): void {
    const heap = this.#heap;
    const made = heap.cell("list", node);
    const inside = heap.field(made, ELEMENT);
    heap.flow(heap.field(list, ELEMENT), inside);
    if (name === "flat") heap.iterate(heap.field(list, ELEMENT), inside);
    if (name === "entries") heap.add(inside, heap.pairOf(list));
    for (const { place } of STORES.has(name) ? args : []) {
      heap.flow(place, inside);
      if (name === "concat") heap.iterate(place, inside);
    }
    heap.add(to, made);
  }

  /** `iterator.next(x)` */
  #next(elements: Place, { args, to, node }: Call): void {
    const heap = this.#heap;
    const entry = heap.cell("object", node);
    heap.flow(elements, heap.field(entry, "value"));
    heap.add(to, entry);
    for (const { place } of args) heap.flow(place, heap.escaped);
  }

  #store(list: Cell, name: string, { args }: Call): void {
    const heap = this.#heap;
    if (name === "with" || name === "concat" || name === "toSpliced") return;
    list.isGrown = true;
    for (const { place } of args) heap.flow(place, heap.field(list, ELEMENT));
  }

  /** Calls functions among the arguments with elements; gives what they return. */
  #callback(list: Cell, name: string, { args, node }: Call): Place {
    const heap = this.#heap;
    const elements = heap.field(list, ELEMENT);
    const self = new Place();
    heap.add(self, list);
    const given = new Place();
    const inFront: Argument[] = [];
    if (FOLDS.has(name)) {
      const start = args[1]?.place;
      if (start === undefined) heap.flow(elements, given);
      else heap.flow(start, given);
      inFront.push({ place: given, many: false });
    }
    if (STORES.has(name) && name !== "concat") return given;
    const element = { place: elements, many: false };
    const isSorting = name === "sort" || name === "toSorted";
    const last = { place: isSorting ? elements : self, many: true };
    for (const { place } of args.slice(0, FOLDS.has(name) ? 1 : undefined))
      heap.call(place, { node, args: [...inFront, element, last], to: given, self: null });
    return given;
  }

  // -------------------------------------------------------------- methods of functions

  /** `f.call(o, x)`, `f.apply(o, xs)`, `f.bind(o, x)` */
  ofFunction(fn: Cell, name: string, { node, args, to }: Call): void {
    const heap = this.#heap;
    const [self, ...rest] = args;
    const call = { node, to, self: self?.place ?? null };
    if (name === "call") heap.callCell(fn, { ...call, args: rest });
    else if (name === "apply")
      heap.callCell(fn, { ...call, args: rest.map(({ place }) => this.#spread(place)) });
    else if (name === "bind") {
      const bound = heap.cell("derived", node, "bind");
      heap.add(heap.field(bound, "of"), fn);
      rest.forEach(({ place }, i) => heap.flow(place, heap.field(bound, `${i}`)));
      if (self !== undefined) heap.flow(self.place, heap.field(bound, "this"));
      heap.add(to, bound);
    }
  }

  #spread(list: Place): Argument {
    const place = new Place();
    this.#heap.iterate(list, place);
    return { place, many: true };
  }

  // -------------------------------------------------------------- functions

  /** `g` of `const g = f.bind(o, x)` and of `const g = grad(f)`. */
  derived(callee: Cell, { args, to }: Call): void {
    const code = this.#codes.get(callee) ?? this.#codeOfDerived(callee);
    this.#heap.bind(code, args);
    this.#heap.flow(code.result, to);
  }

  /** Calls what it is made of once, for all of its calls: it may be made of itself. */
  #codeOfDerived(callee: Cell): Code {
    const heap = this.#heap;
    const node = callee.node as ts.Node; // a call makes it
    const isBound = callee.path === "bind";
    const code = codeOfAny(node);
    this.#codes.set(callee, code);
    const given = [...callee.fields.keys()].filter((key) => isBound && /^\d+$/.test(key));
    const args = [
      ...given.map((_, i) => ({ place: heap.field(callee, `${i}`), many: false })),
      ...code.params.map((place) => ({ place, many: false })),
      { place: code.rest, many: true },
    ];
    const self = isBound ? heap.field(callee, "this") : null;
    if (!isBound) heap.add(code.result, heap.outside);
    heap.call(heap.field(callee, "of"), { node, args, to: code.result, self });
    return code;
  }

  call(path: string, call: Call): void {
    const [owner = "", name = ""] = path.split(".");
    if (FIRST.has(path)) return this.#first(call);
    if (PURE.has(path) || owner === "console" || owner === "Math") return;
    if (owner === "Object" && this.#ofObject(name, call)) return;
    if (owner === "Array" && this.#ofArray(name, call)) return;
    if (owner === "Promise" && this.#ofPromise(name, call)) return;
    if (!this.#isPrimitive(call.node)) return this.#heap.callOutside(call);
    // such functions may still call what they are given: `JSON.stringify`, `String(o)`
    for (const { place } of call.args)
      this.#heap.each(place, (value) => {
        if (value.kind === "function") this.#heap.add(this.#heap.escaped, value);
      });
  }

  #first({ args, to }: Call): void {
    if (args[0] !== undefined) this.#heap.flow(args[0].place, to);
  }

  /** False of other functions. */
  #ofObject(name: string, call: Call): boolean {
    const heap = this.#heap;
    const { args, to, node } = call;
    const [first, ...rest] = args.map(({ place }) => place);
    if (first === undefined || args.some(({ many }) => many)) return false;
    if (name === "assign") {
      for (const each of rest) this.#assign(first, each);
      this.#first(call);
    } else if (name === "values" || name === "entries") {
      const made = heap.cell("list", node);
      heap.load(first, null, heap.field(made, ELEMENT));
      heap.add(to, name === "values" ? made : this.#listOf(heap.pairOf(made), node));
    } else if (name === "fromEntries" || name === "create") {
      const made = heap.cell("object", node);
      const pairs = new Place();
      if (name === "create") heap.copy(first, made);
      else heap.iterate(first, pairs);
      heap.iterate(pairs, heap.field(made, "[some]"));
      heap.add(to, made);
    } else return false;
    return true;
  }

  #assign(into: Place, from: Place): void {
    const heap = this.#heap;
    heap.each(into, (target) => {
      if (target === heap.outside) heap.flow(from, heap.escaped);
      else heap.copy(from, target);
    });
  }

  #listOf(element: Cell, node: ts.Node): Cell {
    const made = this.#heap.cell("list", node, "of entries");
    this.#heap.add(this.#heap.field(made, ELEMENT), element);
    return made;
  }

  #ofArray(name: string, { args, to, node }: Call): boolean {
    const heap = this.#heap;
    if (name !== "from" && name !== "of") return false;
    const made = heap.cell("list", node);
    const inside = heap.field(made, ELEMENT);
    heap.add(to, made);
    if (name === "of") {
      for (const { place } of args) heap.flow(place, inside);
      return true;
    }
    const elements = new Place();
    if (args[0] !== undefined) heap.iterate(args[0].place, elements);
    if (args[1] === undefined) heap.flow(elements, inside);
    else
      heap.call(args[1].place, {
        node,
        args: [{ place: elements, many: false }],
        to: inside,
        self: null,
      });
    return true;
  }

  /** A promise is treated as what it gives. */
  #ofPromise(name: string, call: Call): boolean {
    const heap = this.#heap;
    const [first] = call.args;
    if (first === undefined) return false;
    if (name === "race" || name === "any") heap.iterate(first.place, call.to);
    else if (name === "all") {
      const made = heap.cell("list", call.node);
      heap.iterate(first.place, heap.field(made, ELEMENT));
      heap.add(call.to, made);
    } else return false;
    return true;
  }

  /** `new Map(pairs)`, `new Set(xs)`, `new Array(n)`; false of other constructors. */
  construct(name: string, { args, to, node }: Call): boolean {
    const heap = this.#heap;
    if (INERT.test(name)) return true;
    const isMap = name === "Map" || name === "WeakMap";
    if (!isMap && name !== "Set" && name !== "WeakSet" && name !== "Array") return false;
    const made = heap.cell(isMap ? "map" : "list", node);
    const inside = heap.field(made, ELEMENT);
    heap.add(to, made);
    for (const { place } of args) {
      const elements = new Place();
      if (name === "Array") heap.flow(place, inside);
      else heap.iterate(place, elements);
      if (isMap) heap.iterate(elements, inside);
      else heap.flow(elements, inside);
    }
    return true;
  }
}
