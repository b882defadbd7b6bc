// Array and typed-array methods that move elements. The native computes the values; the same method
// on an array of ids moves the ids.

import { applied, handle, handleNew, inert } from "../dispatch.ts";
import type { Family } from "../families.ts";
import { id, ret } from "../register.ts";
import { keyId, setKeyId } from "../shadows.ts";
import { elementsOf } from "../store.ts";
import { primitive } from "../primitive.ts";
import { writtenOut } from "../text.ts";
import { isBuffer, isView } from "../handles.ts";
import { each } from "../spread.ts";
import type { Handler, Id, Value } from "../value.ts";
import { copyBytes } from "../views.ts";
import { idAt, idsOf, relative, setIds } from "./elements.ts";

const list: Value = /* @__PURE__ */ Object.getPrototypeOf([]);
const view: Value = /* @__PURE__ */ Object.getPrototypeOf(Float64Array.prototype);
const TypedArray: Value = /* @__PURE__ */ Object.getPrototypeOf(Float64Array);

/** Ids with the length of the array. */
function padded(o: Value): Id[] {
  const ids = idsOf(o);
  return Array.from({ length: o.length }, (_, k) => ids[k] ?? 0);
}

const numeric = (values: readonly Value[], ids: readonly Id[]): Id[] =>
  values.map((value, k) => (typeof value === "number" ? (ids[k] ?? 0) : 0));

/** A method that changes the array; the same one changes its ids. */
const changing =
  (native: Value, result: (value: Value, moved: Value) => Value): Handler =>
  (self, args, ids) => {
    const own = padded(self);
    const value = Reflect.apply(native, self, args);
    const moved = Reflect.apply(
      native === list.splice ? Array.prototype.splice : native,
      own,
      argumentIds(native, args, ids),
    );
    setIds(self, own);
    return result(value, moved);
  };

/** The arguments for the array of ids: positions unchanged, values replaced by their ids. */
function argumentIds(native: Value, args: readonly Value[], ids: readonly Id[]): Value[] {
  if (native === list.push || native === list.unshift) return numeric(args, ids);
  if (native === list.splice)
    return args.map((arg, k) => (k < 2 ? arg : (numeric([arg], [ids[k] ?? 0])[0] ?? 0)));
  return [...args];
}

const plain = (value: Value): Value => ret(value, 0);
const scalar = (value: Value, moved: Value): Value =>
  ret(value, typeof value === "number" ? (moved ?? 0) : 0);
const listed = (value: Value, moved: Value): Value => {
  setIds(value, moved);
  return ret(value, 0);
};

/** Typed arrays have no array of ids to change, so a plain array is used. */
const changingView =
  (native: Value, name: "reverse" | "copyWithin"): Handler =>
  (self, args) => {
    const own: Value = padded(self);
    const value = Reflect.apply(native, self, args);
    Reflect.apply(list[name], own, args);
    setIds(self, own);
    return ret(value, 0);
  };

/** Converts objects to numbers, as in `Float64Array.from([new Big(x)])`, and collects ids. */
function asStored(values: readonly Value[], ids: Id[]): Value[] {
  return values.map((value, k) => {
    if (typeof value === "number") return value;
    const stored = primitive(value, 0, "number");
    ids[k] = typeof stored === "number" ? id : 0;
    return stored;
  });
}

const fill =
  (native: Value): Handler =>
  (self, [item, ...rest], ids) => {
    const own = padded(self);
    const itemId = [ids[0] ?? 0];
    const args = [isView(self) ? asStored([item], itemId)[0] : item, ...rest];
    const value = Reflect.apply(native, self, args);
    own.fill(
      typeof args[0] === "number" ? (itemId[0] ?? 0) : 0,
      relative(args[1], own.length, 0),
      relative(args[2], own.length, own.length),
    );
    setIds(self, own);
    return ret(value, 0);
  };

/** A method that allocates an array; the same method allocates its ids. */
const making =
  (native: Value, name: "slice" | "toReversed"): Handler =>
  (self, args) => {
    const value = Reflect.apply(native, self, args);
    if (self === null || typeof self !== "object" || typeof self.length !== "number")
      return ret(value, 0);
    setIds(value, Reflect.apply(list[name], padded(self), args));
    return ret(value, 0);
  };

const withElement =
  (native: Value): Handler =>
  (self, args, ids) => {
    const value = Reflect.apply(native, self, args);
    const own = padded(self);
    const at = Math.trunc(Number(args[0])) || 0;
    own[at < 0 ? own.length + at : at] = typeof args[1] === "number" ? (ids[1] ?? 0) : 0;
    setIds(value, own);
    return ret(value, 0);
  };

const at =
  (native: Value): Handler =>
  (self, args) => {
    const value = Reflect.apply(native, self, args);
    const position = Math.trunc(Number(args[0])) || 0;
    return ret(value, idAt(self, position < 0 ? self.length + position : position, value));
  };

const isSpread = (value: Value): boolean =>
  typeof value === "object" &&
  value !== null &&
  (value[Symbol.isConcatSpreadable] ?? Array.isArray(value));

/** `Array.from(items, f)`, `Float64Array.from(items, f)` */
const from =
  (native: Value): Handler =>
  (self, args) => {
    const [items, f, thisArg] = args;
    const values: Value[] = [];
    const ids: Id[] = [];
    const add = (value: Value, own: Id): void => {
      // A typed array converts an object at once, since it may change later.
      const stored = native === TypedArray.from ? primitive(value, own, "number") : ret(value, own);
      values.push(stored);
      ids.push(id);
    };
    if (
      items !== null &&
      items !== undefined &&
      typeof items !== "string" &&
      items[Symbol.iterator] !== undefined
    ) {
      for (const value of each(items)) {
        const own = typeof value === "number" ? id : 0;
        if (typeof f === "function") add(applied(f, thisArg, [value, values.length], [own, 0]), id);
        else add(value, own);
      }
    } else {
      const source: Value = Array.from(items);
      for (let k = 0; k < source.length; k++) {
        if (typeof f === "function")
          add(applied(f, thisArg, [source[k], k], [idAt(items, k, source[k]), 0]), id);
        else add(source[k], typeof items === "object" ? idAt(items, k, source[k]) : 0);
      }
    }
    const made = Reflect.apply(native, self, [values]);
    setIds(made, ids);
    return ret(made, 0);
  };

const of =
  (native: Value): Handler =>
  (self, args, ids) => {
    const own = numeric(args, ids);
    const made = Reflect.apply(native, self, native === TypedArray.of ? asStored(args, own) : args);
    setIds(made, own);
    return ret(made, 0);
  };

const newArray: Handler = (target, args, ids) => {
  const made = Reflect.construct(Array, args, target);
  if (args.length > 1 || typeof args[0] !== "number") setIds(made, numeric(args, ids));
  return ret(made, 0);
};

/** Joins an array, noting its numbers as strings, those of nested arrays included. */
const joining =
  (native: Value): Handler =>
  (self, args) => {
    writtenOut(self);
    return ret(Reflect.apply(native, self, args), 0);
  };

function atTheEnds(): void {
  const pushing = changing(list.push, plain);
  handle(list.push, (self, args, ids) => {
    if (!Array.isArray(self)) return pushing(self, args, ids);
    const from = self.length;
    const value = Reflect.apply(list.push, self, args);
    args.forEach((arg, k) => {
      setKeyId(self, from + k, typeof arg === "number" ? (ids[k] ?? 0) : 0);
    });
    return ret(value, 0);
  });
  handle(list.unshift, changing(list.unshift, plain));
  const popping = changing(list.pop, scalar);
  handle(list.pop, (self, args, ids) => {
    if (!Array.isArray(self)) return popping(self, args, ids);
    const last = self.length - 1;
    const own = last < 0 ? 0 : keyId(self, last);
    const value = Reflect.apply(list.pop, self, args);
    if (own !== 0) setKeyId(self, last, 0);
    return ret(value, own);
  });
  const shifting = changing(list.shift, scalar);
  handle(list.shift, (self, args, ids) => {
    if (!Array.isArray(self)) return shifting(self, args, ids);
    const own = idAt(self, 0, self[0]);
    const value = Reflect.apply(list.shift, self, args);
    elementsOf(self)?.shift();
    return ret(value, own);
  });
}

function moved(): void {
  handle(list.splice, changing(list.splice, listed));
  handle(list.reverse, changing(list.reverse, plain));
  handle(list.copyWithin, changing(list.copyWithin, plain));
  handle(view.reverse, changingView(view.reverse, "reverse"));
  handle(view.copyWithin, changingView(view.copyWithin, "copyWithin"));
  handle(list.fill, fill(list.fill));
  handle(view.fill, fill(view.fill));
  handle(list.with, withElement(list.with));
  handle(view.with, withElement(view.with));
  handle(list.at, at(list.at));
  handle(view.at, at(view.at));
}

function parts(): void {
  const slicing = making(list.slice, "slice");
  handle(list.slice, (self, args, ids) => {
    if (!Array.isArray(self)) return slicing(self, args, ids);
    const start = relative(args[0], self.length, 0);
    const end = relative(args[1], self.length, self.length);
    const value = Reflect.apply(list.slice, self, args);
    setIds(value, elementsOf(self)?.slice(start, end) ?? []);
    return ret(value, 0);
  });
  handle(list.toReversed, making(list.toReversed, "toReversed"));
  handle(view.slice, making(view.slice, "slice"));
  handle(view.toReversed, making(view.toReversed, "toReversed"));
  handle(view.subarray, (self, args) => ret(Reflect.apply(view.subarray, self, args), 0));
  handle(list.toSpliced, (self, args, ids) => {
    const value = Reflect.apply(list.toSpliced, self, args);
    setIds(
      value,
      Reflect.apply(
        list.toSpliced,
        padded(self),
        args.map((arg, k) => (k < 2 ? arg : typeof arg === "number" ? (ids[k] ?? 0) : 0)),
      ),
    );
    return ret(value, 0);
  });
}

function joined(): void {
  handle(list.concat, (self, args, ids) => {
    const value = Reflect.apply(list.concat, self, args);
    const all: Id[] = [];
    [self, ...args].forEach((one, k) => {
      // Not by spread arguments, whose number the engine limits.
      if (isSpread(one)) for (const own of padded(one)) all.push(own);
      else all.push(k > 0 && typeof one === "number" ? (ids[k - 1] ?? 0) : 0);
    });
    setIds(value, all);
    return ret(value, 0);
  });
  handle(list.flat, (self, args) => {
    const depth = args[0] === undefined ? 1 : Math.trunc(Number(args[0])) || 0;
    const all: Id[] = [];
    const flatten = (o: Value, left: number): void => {
      for (let k = 0; k < o.length; k++) {
        if (!(k in o)) continue;
        if (Array.isArray(o[k]) && left > 0) flatten(o[k], left - 1);
        else all.push(idAt(o, k, o[k]));
      }
    };
    const value = Reflect.apply(list.flat, self, args);
    flatten(self, depth);
    setIds(value, all);
    return ret(value, 0);
  });
}

function views(): void {
  handle(view.set, (self, args) => {
    const [source, offset] = args;
    const from = padded(Object(source));
    const own = padded(self);
    const values = isView(source)
      ? source
      : asStored(
          from.map((_, k) => source[k]),
          from,
        );
    Reflect.apply(view.set, self, [values, offset]);
    const start = Math.trunc(Number(offset ?? 0)) || 0;
    from.forEach((to, k) => {
      own[start + k] = to;
    });
    setIds(self, own);
    return ret(undefined, 0);
  });
  for (const kind of [
    Float64Array,
    Float32Array,
    Int8Array,
    Uint8Array,
    Uint8ClampedArray,
    Int16Array,
    Uint16Array,
    Int32Array,
    Uint32Array,
    BigInt64Array,
    BigUint64Array,
  ]) {
    const constructor: Value = kind;
    handleNew(constructor, (target, args) => {
      const [source] = args;
      if (!isListed(source)) return ret(Reflect.construct(constructor, args, target), 0);
      const isIterated =
        source[Symbol.iterator] !== undefined && !isView(source) && !Array.isArray(source);
      const values: Value = isIterated ? [] : source;
      const ids: Id[] = isIterated ? [] : padded(source);
      if (isIterated) {
        for (const value of each(source)) {
          ids.push(typeof value === "number" ? id : 0);
          values.push(value);
        }
      }
      const stored = Array.isArray(values) ? asStored(values, ids) : values;
      const made = Reflect.construct(constructor, [stored], target);
      setIds(made, ids);
      return ret(made, 0);
    });
  }
}

/** Whether the argument of a typed array's constructor gives its elements; a buffer does not. */
const isListed = (source: Value): boolean =>
  typeof source === "object" && source !== null && !isBuffer(source);

/** Methods that copy, move or resize the bytes of a buffer. */
function buffers(): void {
  const { prototype }: Value = ArrayBuffer;
  for (const name of ["slice", "transfer", "transferToFixedLength", "resize"]) {
    const native: Value = prototype[name];
    if (native !== undefined)
      handle(native, (self, args) => {
        const from = name === "slice" ? relative(args[0], self.byteLength, 0) : 0;
        const made = Reflect.apply(native, self, args);
        copyBytes(self, made ?? self, from);
        return ret(made, 0);
      });
  }
}

export const arrays: Family = () => {
  atTheEnds();
  moved();
  parts();
  joined();
  views();
  buffers();
  for (const kind of [Array, TypedArray]) {
    handle(kind.from, from(kind.from));
    handle(kind.of, of(kind.of));
  }
  handleNew(Array, newArray);
  handle(Array, (_self, args, ids) => newArray(Array, args, ids));
  for (const native of [
    list.join,
    list.toString,
    list.toLocaleString,
    view.join,
    view.toLocaleString,
  ])
    handle(native, joining(native));

  inert(
    list.includes,
    list.indexOf,
    list.lastIndexOf,
    view.includes,
    view.indexOf,
    view.lastIndexOf,
    Array.isArray,
    ArrayBuffer,
    ArrayBuffer.isView,
  );
};
