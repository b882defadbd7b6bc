// Operations on whole shadows, expanded by their type. Input: a type and shadows of it. Output:
// statements. Shadows of recursive types are walked with a worklist.
// Invariant: a seed is read, never written.

import { BOOL, type Builder, field, index, num, NUM } from "../../ir/build.ts";
import { invariant } from "../../ir/invariant.ts";
import { printType } from "../../ir/print.ts";
import {
  hasNumbers,
  isRecursive,
  isTag,
  resolve,
  shadowType,
  type Types,
  isScalarType,
} from "../../ir/shadow.ts";
import type { Atom, Body, Key, Type } from "../../ir/types.ts";
import { variantsOf } from "../../ir/variants.ts";
import { unreachable } from "../../ir/visit.ts";
import { countTo, freshNumber, UNDEFINED, whenDefined } from "../fragments.ts";

/** `into += from`, for all numbers of a value of type `type`. */
export function addInto(b: Builder, type: Type, into: Atom, from: Atom, types: Types): void {
  const shadow = shadowType(type, types);
  if (shadow !== null) new Walk(types).whole(b, shadow, { into, from });
}

/** Sets all numbers of a shadow to 0. */
export function zeroInto(b: Builder, type: Type, shadow: Atom, types: Types): void {
  const own = shadowType(type, types);
  if (own !== null) new Walk(types).whole(b, own, { into: shadow, from: null });
}

/** Removes from a shadow the elements and keys that `outline`, a shadow of the same type, lacks. */
export function cutTo(b: Builder, type: Type, shadow: Atom, outline: Atom, types: Types): void {
  const own = shadowType(type, types);
  if (own !== null) new Walk(types, "cut").whole(b, own, { into: shadow, from: outline });
}

/** `while (array.length > length) array.pop()` */
export function shorten(b: Builder, array: Atom, elem: Type, length: Atom): void {
  const test = b.nested();
  const isLonger = test.op("gt", test.length(array), length);
  const removal = b.nested();
  removal.let("t", elem, { kind: "removeLast", object: array });
  b.emit({
    kind: "while",
    carried: [],
    test: test.body([isLonger]),
    body: removal.body(),
    binds: [],
  });
}

/** The shadow that is written, and the one that is added or gives the shape; null for zero. */
interface Pair {
  readonly into: Atom;
  readonly from: Atom | null;
}

class Walk {
  readonly #types: Types;
  readonly #does: "write" | "cut";
  /** Worklists by the printed recursive type that is being walked. */
  readonly #open = new Map<string, Pair>();

  constructor(types: Types, does: "write" | "cut" = "write") {
    this.#types = types;
    this.#does = does;
  }

  // eslint-disable-next-line complexity -- flat exhaustive switch over type kinds
  whole(b: Builder, type: Type, pair: Pair): void {
    const shape = resolve(type, this.#types);
    switch (shape.kind) {
      case "opt":
        return this.#present(b, shape.of, pair);
      case "array":
      case "dict":
      case "tuple":
      case "record":
      case "union":
        return isRecursive(type, this.#types)
          ? this.#recursive(b, type, pair)
          : this.#parts(b, shape, pair);
      case "num":
      case "bool":
      case "leaf":
      case "named":
      case "cotangent":
      case "tape":
      case "func":
      case "void":
        return;
      default:
        return unreachable(shape);
    }
  }

  #parts(b: Builder, shape: Type, pair: Pair): void {
    if (shape.kind === "array") return this.#elements(b, shape, pair);
    if (shape.kind === "dict") return this.#values(b, shape, pair);
    if (shape.kind === "tuple")
      return shape.elems.forEach((elem, i) => this.#place(b, elem, field(String(i)), pair));
    if (shape.kind === "record")
      return shape.fields.forEach((f) => this.#place(b, f.type, field(f.name), pair));
    if (shape.kind === "union") this.#variants(b, shape, pair);
  }

  #place(b: Builder, type: Type, key: Key, { into, from }: Pair): void {
    if (!hasNumbers(type, this.#types) || isTag(type)) return;
    if (!isScalarType(type))
      return this.whole(b, type, {
        into: b.load("t", type, into, key),
        from: from === null ? null : b.load("t", type, from, key),
      });
    if (this.#does === "cut") return;
    if (from === null) b.store(into, key, num(0));
    else b.accum(into, key, b.load("t", NUM, from, key));
  }

  #elements(b: Builder, { elem, store }: Type & { readonly kind: "array" }, pair: Pair): void {
    if (this.#does === "cut" && pair.from !== null && store === "Array")
      shorten(b, pair.into, elem, b.length(pair.from, "n"));
    if (this.#does === "cut" && isScalarType(elem)) return;
    if (isScalarType(elem) && pair.from === null)
      return b.emit({ kind: "fill", object: pair.into, value: num(0), from: null, to: null });
    if (!hasNumbers(elem, this.#types)) return;
    const k = freshNumber(b.names, "k");
    const length = b.length(pair.into);
    const inner = b.nested();
    this.#place(inner, elem, index(k), pair);
    b.emit(countTo(k, length, inner.body()));
  }

  /** `for (const key of keys)`, by the seed's keys: the shadow has only keys that were added to. */
  #values(b: Builder, dict: Type & { readonly kind: "dict" }, { into, from }: Pair): void {
    const text =
      dict.store === "Map"
        ? ["Array.from(", ".keys())"]
        : ["Object.keys(", dict.key.kind === "num" ? ").map(Number)" : ")"];
    const listed = this.#does === "cut" ? into : (from ?? into);
    const keys = b.let(
      "keys",
      { kind: "array", store: "Array", elem: dict.key },
      { kind: "extern", text, args: [listed], effect: "reads", inert: true },
    );
    const k = freshNumber(b.names, "k");
    const inner = b.nested();
    const key = index(inner.load("key", dict.key, keys, index(k)));
    if (from === null) this.#place(inner, dict.value, key, { into, from });
    else if (this.#does === "cut") this.#cutByKey(inner, dict.value, key, into, from);
    else this.#addByKey(inner, dict.value, key, into, from);
    const length = b.length(keys);
    b.emit(countTo(k, length, inner.body()));
  }

  #addByKey(b: Builder, value: Type, key: Key, into: Atom, from: Atom): void {
    const given = b.load("t", value, from, key);
    if (isScalarType(value)) return b.accum(into, key, given);
    const held = b.load("t", { kind: "opt", of: value }, into, key);
    whenDefined(b, held, (inner) => {
      const inside = inner.let("t", value, { kind: "unwrap", value: held });
      this.whole(inner, value, { into: inside, from: given });
    });
  }

  /** Removes a key that the outline lacks. */
  #cutByKey(b: Builder, value: Type, key: Key, into: Atom, outline: Atom): void {
    const held = b.loadOwn(value, outline, key);
    const isPresent = b.let("t", BOOL, { kind: "present", value: held });
    const then = this.#nested(b, (inner) => {
      if (!isScalarType(value))
        this.whole(inner, value, {
          into: inner.load("t", value, into, key),
          from: inner.let("t", value, { kind: "unwrap", value: held }),
        });
    });
    const otherwise = this.#nested(b, (inner) =>
      inner.emit({ kind: "store", object: into, key, value: UNDEFINED, removed: true }),
    );
    b.emit({ kind: "if", cond: isPresent, then, else: otherwise, binds: [] });
  }

  /** Walks an optional value where it is defined. */
  #present(b: Builder, of: Type, { into, from }: Pair): void {
    whenDefined(b, into, (then) => {
      this.whole(then, of, this.#unwrapped(then, of, { into, from }));
    });
  }

  #unwrapped(b: Builder, type: Type, { into, from }: Pair): Pair {
    const inside = (value: Atom): Atom => b.let("t", type, { kind: "unwrap", value });
    return { into: inside(into), from: from === null ? null : inside(from) };
  }

  #variants(b: Builder, union: Type & { readonly kind: "union" }, pair: Pair): void {
    const variants = variantsOf(union, this.#types);
    invariant(variants !== null, () => `variants that no test discriminates: ${printType(union)}`);
    const [first, ...rest] = variants;
    if (first === undefined) return;
    const inside = this.#nested(b, (inner) =>
      this.whole(inner, first.type, this.#unwrapped(inner, first.type, pair)),
    );
    if (first.test === null) return void b.stmts.push(...inside.stmts);
    const args = first.test.slice(1).map(() => pair.into);
    const cond = b.let("t", BOOL, { kind: "extern", text: first.test, args, effect: "pure" });
    const otherwise = this.#nested(b, (inner) =>
      this.#rest(
        inner,
        union,
        rest.map(({ type }) => type),
        pair,
      ),
    );
    b.emit({ kind: "if", cond, then: inside, else: otherwise, binds: [] });
  }

  #rest(
    b: Builder,
    union: Type & { readonly kind: "union" },
    types: readonly Type[],
    pair: Pair,
  ): void {
    if (types.length > 0) this.#variants(b, { ...union, variants: types }, pair);
  }

  #nested(b: Builder, write: (inner: Builder) => void): Body {
    const inner = b.nested();
    write(inner);
    return inner.body();
  }

  /** `todo = [x]; while (todo.length > 0) { y = todo.pop(); … }`. Inner values are pushed. */
  #recursive(b: Builder, type: Type, { into, from }: Pair): void {
    const key = printType(type);
    const open = this.#open.get(key);
    if (open !== undefined) {
      b.emit({ kind: "append", object: open.into, value: into });
      if (open.from !== null && from !== null)
        b.emit({ kind: "append", object: open.from, value: from });
      return;
    }
    const worklist = (value: Atom): Atom =>
      b.let(
        "todo",
        { kind: "array", store: "Array", elem: type },
        { kind: "array", parts: [{ atom: value, spread: false }] },
      );
    const lists = { into: worklist(into), from: from === null ? null : worklist(from) };
    this.#open.set(key, lists);
    const test = b.nested();
    const some = test.op("gt", test.length(lists.into), num(0));
    const body = this.#nested(b, (inner) => {
      const next = (object: Atom): Atom => inner.let("t", type, { kind: "removeLast", object });
      this.#parts(inner, resolve(type, this.#types), {
        into: next(lists.into),
        from: lists.from === null ? null : next(lists.from),
      });
    });
    b.emit({ kind: "while", carried: [], test: test.body([some]), body, binds: [] });
    this.#open.delete(key);
  }
}
