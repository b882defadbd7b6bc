// Numbers, strings and Math as values. A function that returns its argument keeps the id; strings,
// booleans and integers made of it have none.

import { isObject } from "../conversion.ts";
import { applied, handle, handleNew, inert, inertNatives, isInert } from "../dispatch.ts";
import type { Family } from "../families.ts";
import { byName } from "../math.ts";
import { pow } from "../operators.ts";
import { primitive, textOf } from "../primitive.ts";
import { id, ret } from "../register.ts";
import { get } from "../shadows.ts";
import { stopGradient } from "../../operators.ts";
import { readBack, written, writtenOut } from "../text.ts";
import { failure, type Handler, type Value } from "../value.ts";

/** `parseFloat(text)`, also of strings of active numbers. */
const parsed =
  (native: Value): Handler =>
  (_self, args, ids) => {
    const of = isObject(args[0]) ? primitive(args[0], 0, "string") : args[0];
    const value = native(of);
    return ret(
      value,
      typeof of === "number" ? (of === args[0] ? (ids[0] ?? 0) : id) : readBack(of, value),
    );
  };

/** A string function whose numeric arguments become part of the string. */
const into =
  (native: Value): Handler =>
  (self, args, ids) => {
    args.forEach((arg, k) => {
      if (typeof arg === "number") written(String(arg), ids[k] ?? 0);
      else writtenOut(arg);
    });
    return ret(Reflect.apply(native, self, args), 0);
  };

/** A boxed number has no place for an id. */
const boxed =
  (of: Value): Handler =>
  (target, args, ids) => {
    if (typeof args[0] === "number" && (ids[0] ?? 0) !== 0)
      throw failure(
        "TSG0010",
        "a number that a derivative has to pass through is put into an object by `new Number` or `Object`; use the number itself",
      );
    return ret(Reflect.construct(of, args, target), 0);
  };

function numbers(): void {
  handle(Number, (_self, args, ids) => {
    if (!isObject(args[0]))
      return ret(Number(...args), typeof args[0] === "number" ? (ids[0] ?? 0) : readBack(args[0]));
    const value = primitive(args[0], 0, "number");
    return ret(Number(value), typeof value === "number" ? id : readBack(value));
  });
  handle(stopGradient, (_self, args) => {
    // An object has one shadow, whoever holds it.
    if (isObject(args[0]))
      throw failure(
        "TSG0010",
        "`stopGradient` is called with an object, of which the Delta engine cannot keep the derivatives apart; call it with its numbers",
      );
    return ret(args[0], 0);
  });
  handleNew(Number, boxed(Number));
  handleNew(Object, boxed(Object));
  handle(Object, (_self, args, ids) => boxed(Object)(Object, args, ids));
  handle(parseFloat, parsed(parseFloat));
}

/** Methods of `Math` that take any number of arguments. */
const OF_ANY: ReadonlySet<string> = /* @__PURE__ */ new Set(["hypot", "max", "min"]);

/** `Math.f` as a value: the operator of that name, with ids. */
export function mathematics(by: Readonly<Record<string, Value>>): void {
  const natives: Value = Math;
  for (const [name, operator] of Object.entries(by)) {
    const native = natives[name];
    if (native?.length === 1)
      handle(native, (_self, args, ids) =>
        typeof args[0] === "number" || isObject(args[0])
          ? operator(args[0], ids[0] ?? 0)
          : ret(native(...args), 0),
      );
    else if (native !== undefined)
      handle(native, (_self, args, ids) => {
        // `Math.atan2(...list)` ignores all but two arguments.
        const used = OF_ANY.has(name) ? args : args.slice(0, 2);
        return args.length < (OF_ANY.has(name) ? 1 : 2)
          ? ret(native(...args), 0)
          : operator(...used.flatMap((arg: Value, k: number): Value[] => [arg, ids[k] ?? 0]));
      });
  }
}

function strings(): void {
  handle(String, (_self, args, ids) => {
    if (isObject(args[0])) args = [textOf(args[0], 0)];
    else if (typeof args[0] === "number") written(String(args[0]), ids[0] ?? 0);
    return ret(String(...args), 0);
  });
  handleNew(String, (target, args) => ret(Reflect.construct(String, args, target), 0));
  const string: Value = String.prototype;
  for (const native of [
    string.concat,
    string.padStart,
    string.padEnd,
    String.raw,
    encodeURIComponent,
    encodeURI,
  ])
    handle(native, into(native));
  for (const [name, symbol] of BY_SYMBOL) handle(string[name], bySymbol(string[name], symbol));
  const texts: readonly Value[] = [
    string,
    RegExp.prototype,
    Date.prototype,
    BigInt.prototype,
    Symbol.prototype,
    Error.prototype,
  ];
  for (const prototype of texts) {
    for (const key of Reflect.ownKeys(prototype)) {
      const member = Object.getOwnPropertyDescriptor(prototype, key)?.value;
      if (!HANDLED.has(key)) inertNatives(member);
    }
  }
}

/** Methods of strings that call one of their first argument. */
const BY_SYMBOL: readonly (readonly [string, symbol])[] = [
  ["match", Symbol.match],
  ["matchAll", Symbol.matchAll],
  ["replace", Symbol.replace],
  ["replaceAll", Symbol.replace],
  ["search", Symbol.search],
  ["split", Symbol.split],
];

function bySymbol(native: Value, symbol: symbol): Handler {
  const plainly = into(native);
  return (self, args, ids) => {
    const own = isObject(args[0]) ? get(args[0], symbol) : undefined;
    return typeof own === "function" && !isInert(own)
      ? applied(own, args[0], [self, ...args.slice(1)], [0, ...ids.slice(1)])
      : plainly(self, args, ids);
  };
}

/** Members of string prototypes that are not inert. */
const HANDLED: ReadonlySet<PropertyKey> = /* @__PURE__ */ new Set<PropertyKey>([
  "constructor",
  ...BY_SYMBOL.map(([name]) => name),
]);

/** Functions whose results have no derivative. */
function inertScalars(): void {
  const number: Value = Number.prototype;
  inert(
    isNaN,
    isFinite,
    parseInt,
    Number.isFinite,
    Number.isInteger,
    Number.isNaN,
    Number.isSafeInteger,
    Number.parseInt,
    number.toFixed,
    number.toPrecision,
    number.toString,
    number.toExponential,
    number.toLocaleString,
    Boolean,
    BigInt,
    BigInt.asIntN,
    BigInt.asUintN,
    Symbol,
    Symbol.for,
    String.fromCharCode,
    String.fromCodePoint,
    Boolean.prototype.toString,
    Boolean.prototype.valueOf,
    String.prototype.valueOf,
  );
  inert(Date, Date.now, Date.UTC, Date.parse, RegExp, decodeURIComponent, decodeURI);
  const host: Value = globalThis;
  const { console: printing, performance: clock, Buffer: bytes, process: node } = host;
  for (const key of Object.keys(printing ?? {})) inert(printing[key]);
  // Node's type predicates, which lodash calls.
  inert(
    clock?.now,
    bytes?.isBuffer,
    ...Object.values(node?.getBuiltinModule?.("node:util").types ?? {}),
  );
}

export const scalars: Family = () => {
  numbers();
  mathematics({ ...byName(), pow });
  strings();
  inertScalars();
};
