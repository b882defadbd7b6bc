// Fields, calls and escapes of abstract values. An object is the code that makes it; its fields are
// told apart by name, elements are one field. In: requests to load, store, iterate and call.
// Out: edges between places. What code outside of the program returns is the cell `outside`.

import type ts from "typescript";
import { Cell, Place, Propagation } from "./propagation.ts";

/** The parameters and the result of a function. */
export interface Code {
  readonly node: ts.Node;
  readonly params: readonly Place[];
  /** The elements of the rest parameter. */
  readonly rest: Place | null;
  /** The elements of `arguments`. */
  readonly all: Place | null;
  readonly result: Place;
  readonly self: Place;
  /** Whether whoever calls it decides what `this` is. */
  readonly isFree: boolean;
  isCalled: boolean;
  isOpen: boolean;
}

/** `many`: the values are elements that may take any position from here on. */
export interface Argument {
  readonly place: Place;
  readonly many: boolean;
}

/** One call: its arguments, its result, and what `this` is in the function. */
export interface Call {
  readonly node: ts.Node;
  readonly args: readonly Argument[];
  readonly to: Place;
  readonly self: Place | null;
}

export const ELEMENT = "[]";
/** What is read at an unknown key. */
const ANY = "[any]";
/** What is stored at an unknown key. */
export const SOME = "[some]";

export abstract class Heap extends Propagation {
  readonly outside = new Cell("outside", null);
  /** Values that code outside of the program is given by calls. */
  readonly escaped = new Place();
  /** Values that code outside of the program can get, by exports as well. */
  readonly visible = new Place();
  /** Names of methods that are called on values of the outside. */
  readonly calledOutside = new Set<string>();
  readonly #natives = new Map<string, Cell>();
  readonly #made = new Map<ts.Node, Map<string, Cell>>();

  constructor() {
    super();
    this.flow(this.escaped, this.visible);
    this.each(this.escaped, (value) => this.#escape(value));
    this.each(this.visible, (value) => this.#show(value));
  }

  abstract codeOf(node: ts.Node): Code;
  /** The constructor that `new` of a class or function runs. */
  abstract constructorOf(cell: Cell): Code;
  /** Connects a new field with what the object inherits under its name. */
  protected abstract inherit(cell: Cell, name: string, place: Place): void;
  /** The names that a class declares for its instances or itself. */
  protected abstract declaredNames(cell: Cell): readonly string[];
  protected abstract callNative(callee: Cell, call: Call): void;

  cell(kind: Cell["kind"], node: ts.Node, path = ""): Cell {
    const made = this.#made.get(node) ?? new Map<string, Cell>();
    this.#made.set(node, made);
    const key = `${kind} ${path}`;
    const known = made.get(key) ?? new Cell(kind, node, path);
    made.set(key, known);
    return known;
  }

  /** All that code of the program makes. */
  *cells(): Iterable<Cell> {
    for (const made of this.#made.values()) yield* made.values();
  }

  /** A function or object of the standard library. */
  native(path: string): Cell {
    const known = this.#natives.get(path) ?? new Cell("native", null, path);
    this.#natives.set(path, known);
    return known;
  }

  /** Members of members are not told apart: `x = x.next` would go through more and more of them. */
  #member({ path }: Cell, name: string): Cell {
    return this.native(/[.?]/.test(path) ? "?" : `${path}.${name}`);
  }

  field(cell: Cell, called: string): Place {
    const isList = cell.kind === "list" || cell.kind === "map";
    const name = isList && /^\d+$/.test(called) ? ELEMENT : called;
    const known = cell.fields.get(name);
    if (known !== undefined) return known;
    const place = new Place();
    cell.fields.set(name, place);
    if (name === ANY) for (const each of this.declaredNames(cell)) this.field(cell, each);
    if (name === ANY || name === SOME) {
      for (const [other, its] of cell.fields) this.#connect(name, place, other, its);
      return place;
    }
    for (const key of [ANY, SOME]) {
      const its = cell.fields.get(key);
      if (its !== undefined) this.#connect(key, its, name, place);
    }
    for (const watch of cell.watchers) watch(name, place);
    this.inherit(cell, name, place);
    return place;
  }

  #connect(key: string, its: Place, name: string, place: Place): void {
    if (name === ANY && key === SOME) this.flow(its, place);
    else if (key === ANY) this.flow(place, its);
    else if (name !== ANY) this.flow(its, place);
  }

  /** Calls `found` with each named field of an object, those of later included. */
  eachField(cell: Cell, found: (name: string, place: Place) => void): void {
    cell.watchers.push(found);
    for (const [name, place] of [...cell.fields])
      if (name !== ANY && name !== SOME) found(name, place);
    found(SOME, this.field(cell, SOME));
  }

  /** `name`: null for an unknown key. */
  load(from: Place, name: string | null, to: Place): void {
    this.each(from, (value) => {
      if (value === this.outside) this.add(to, value);
      else if (value.kind === "native") this.add(to, this.#member(value, name ?? "?"));
      else this.flow(this.field(value, name ?? ANY), to);
    });
  }

  store(into: Place, name: string | null, from: Place): void {
    this.each(into, (value) => {
      if (value === this.outside) this.flow(from, this.escaped);
      else {
        value.isGrown ||= value.kind === "list";
        this.flow(from, this.field(value, name ?? SOME));
      }
    });
  }

  /** Copies the fields of objects: `{ ...o }`, `Object.assign`. */
  copy(from: Place, to: Cell): void {
    this.each(from, (value) => {
      if (value === this.outside) this.add(this.field(to, SOME), value);
      else if (value !== to)
        this.eachField(value, (name, place) => this.flow(place, this.field(to, name)));
    });
  }

  /** The values that `for … of` and spreads get. */
  iterate(from: Place, to: Place): void {
    this.each(from, (value) => {
      if (value === this.outside) this.add(to, value);
      else if (value.kind === "map") this.add(to, this.pairOf(value));
      else if (value.kind === "list") this.flow(this.field(value, ELEMENT), to);
      else if (value.kind !== "function" && value.node !== null) this.#iterateObject(value, to);
    });
  }

  /** An object with `[Symbol.iterator]`. */
  #iterateObject(value: Cell, to: Place): void {
    const made = new Place();
    const entry = new Place();
    const self = new Place();
    this.add(self, value);
    const call = { node: value.node as ts.Node, args: [], self }; // its caller has tested it
    this.call(this.field(value, "[Symbol.iterator]"), { ...call, to: made });
    this.each(made, (iterator) => {
      if (iterator.kind === "list" || iterator.kind === "map" || iterator === this.outside) {
        const one = new Place();
        this.add(one, iterator);
        this.iterate(one, to);
      } else this.call(this.field(iterator, "next"), { ...call, to: entry });
    });
    this.load(entry, "value", to);
  }

  /** An entry of a map. Keys and values are not told apart. */
  pairOf(map: Cell): Cell {
    // an entry of entries is among them
    if (map.path.startsWith("entry of")) return map;
    const pair = this.cell("list", map.node as ts.Node, `entry of ${map.kind} ${map.path}`); // made by code
    this.flow(this.field(map, ELEMENT), this.field(pair, ELEMENT));
    return pair;
  }

  call(callee: Place, call: Call): void {
    this.each(callee, (value) => this.callCell(value, call));
  }

  callCell(value: Cell, call: Call): void {
    if (value.kind === "function") {
      const code = this.codeOf(value.node as ts.Node); // a function has a node
      this.bind(code, call.args);
      this.flow(code.result, call.to);
      if (call.self !== null) this.flow(call.self, code.self);
    } else if (value === this.outside) this.callOutside(call);
    else if (value.kind === "native" || value.kind === "derived") this.callNative(value, call);
  }

  /** Code outside of the program may call what it is given, and returns what it knows. */
  callOutside({ args, to }: Call): void {
    for (const { place } of args) this.flow(place, this.escaped);
    this.add(to, this.outside);
  }

  construct(callee: Place, call: Call): void {
    this.each(callee, (value) => {
      if (value.kind !== "class" && value.kind !== "function") return this.callCell(value, call);
      const code = this.constructorOf(value);
      const made = this.cell("instance", value.node as ts.Node); // code has a node
      this.add(code.self, made);
      this.add(call.to, made);
      this.bind(code, call.args);
      this.flow(code.result, call.to);
    });
  }

  bind(code: Code, args: readonly Argument[]): void {
    code.isCalled = true;
    const first = args.findIndex(({ many }) => many);
    const count = first < 0 ? args.length : first;
    args.forEach(({ place }, i) => {
      if (code.all !== null) this.flow(place, code.all);
      if (i >= count) return;
      const to = code.params[i] ?? code.rest;
      if (to !== null) this.flow(place, to);
    });
    for (const { place } of args.slice(count)) {
      for (const to of code.params.slice(count)) this.flow(place, to);
      if (code.rest !== null) this.flow(place, code.rest);
    }
  }

  /** Lets code outside of the program call a function with anything. */
  open(code: Code): void {
    if (code.isOpen) return;
    code.isOpen = true;
    for (const to of [...code.params, code.rest, code.all, code.isFree ? code.self : null])
      if (to !== null) this.add(to, this.outside);
  }

  /**
   * Lets code outside of the program call what it can get and what the program never calls, and
   * methods that the program calls on objects of the outside.
   */
  openUncalled(): boolean {
    let isNew = false;
    for (const value of [...this.visible.values]) {
      if (value.node === null || (value.kind !== "function" && value.kind !== "class")) continue;
      const code = value.kind === "class" ? this.constructorOf(value) : this.codeOf(value.node);
      if (code.isOpen || (code.isCalled && !this.isCalledOutside(value))) continue;
      isNew = true;
      this.open(code);
      if (value.kind === "class") this.add(code.self, this.cell("instance", value.node));
    }
    return isNew;
  }

  protected abstract isCalledOutside(fn: Cell): boolean;

  #escape(value: Cell): void {
    if (value.kind === "function") {
      this.open(this.codeOf(value.node as ts.Node)); // a function has a node
      this.flow(this.codeOf(value.node as ts.Node).result, this.escaped);
    } else if (value.kind === "class") {
      const code = this.constructorOf(value);
      const made = this.cell("instance", value.node as ts.Node); // a class has a node
      this.open(code);
      this.add(code.self, made);
      this.add(this.escaped, made);
    } else if (value.kind === "derived") this.flow(this.field(value, "of"), this.escaped);
    else if (value !== this.outside && value.kind !== "native")
      this.flow(this.field(value, ANY), this.escaped);
  }

  #show(value: Cell): void {
    if (value === this.outside || value.kind === "native") return;
    if (value.kind === "function")
      this.flow(this.codeOf(value.node as ts.Node).result, this.visible); // a function has a node
    else if (value.kind === "derived") {
      this.flow(this.field(value, "of"), this.visible);
      // whoever has a derivative calls it
      this.each(this.field(value, "of"), (fn) => {
        if (fn.kind === "function") this.open(this.codeOf(fn.node as ts.Node)); // it has a node
      });
    } else this.flow(this.field(value, ANY), this.visible);
    if (value.kind === "class" && value.node !== null)
      this.add(this.visible, this.cell("instance", value.node));
  }
}
