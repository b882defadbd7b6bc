// Functions and calls in rewritten code, with values and ids as flat pairs. Arguments are evaluated
// in order, each with its id. dispatch.ts decides what a call runs.

import { apartFor } from "./apart.ts";
import { fn } from "./by-others.ts";
import { applied, constructed, deltaOf, isInert, link, ofNumber } from "./dispatch.ts";
import { unforeseen } from "./families.ts";
import { ret, id, setId, settled } from "./register.ts";
import { get, holderOf, keyId, methodOf, setKeyId } from "./shadows.ts";
import { Spread } from "./spread.ts";
import { dropField, isRecording, isUnseen, nameOf, run, type Store } from "./store.ts";
import { written } from "./text.ts";
import { isTwinInstance, realOf } from "./module-pairs.ts";
import { failure, type DeltaFunction, type Id, type Value } from "./value.ts";

/** Splits pairs into arguments and ids, and expands spread arguments. */
export function unpaired(pairs: Value[]): { readonly args: Value[]; readonly ids: Id[] } {
  const args: Value[] = [];
  const ids: Id[] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    const value = pairs[i];
    if (value instanceof Spread) {
      args.push(...value.values);
      ids.push(...value.ids);
    } else {
      args.push(value);
      ids.push(typeof value === "number" ? (pairs[i + 1] ?? 0) : 0);
    }
  }
  return { args, ids };
}

/** An object whose `bind` gives a linked function. */
export function bound<F>(f: F): F {
  const bind = (self: Value, ...first: Value[]): Value =>
    link((f as Value).bind(self, ...first), (ids: Id[], ...args: Value[]): Value =>
      applied(f, self, [...first, ...args], [...first.map(() => 0), ...ids]),
    );
  return { bind } as F; // the build writes it before `.bind(…)`
}

let taken: Value;

/** Retains the function argument of a form for `held`. */
export function hold<F>(f: F): F {
  taken = f;
  return f;
}

/** A function value as a function with ids. It is computed within the run. */
export const deltaFrom =
  (f: () => Value): DeltaFunction =>
  (ids: Id[], ...args: Value[]): Value =>
    applied(f(), undefined, args, ids);

/** Applies a derivative to the function that was retained last. `places`: see `apartFor`. */
export function held(
  derivative: (f: DeltaFunction) => Value,
  places?: readonly number[],
): (...args: Value[]) => Value {
  const f = taken;
  const derived = derivative(deltaFrom(() => f));
  return (...args) => apartFor(f, args, places, (own) => derived(...own));
}

interface Handed {
  readonly [name: string]: {
    has(o: Value): boolean;
    get(o: Value): Value;
    set(o: Value, v: Value): Value;
  };
}

const handed = new WeakMap<object, Handed>();

/** Accessors of a class's private fields, for code outside of the class. */
export function hand(plain: Value, fields: Handed): void {
  const readable = Object.entries(fields).map(([name, access]) => [
    name,
    { ...access, get: (o: Value): Value => visible(access.get(o), name, o) },
  ]);
  handed.set(plain, Object.fromEntries(readable));
}

/** A cotangent without any field would drop what the private ones of an argument hold. */
function visible(value: Value, name: string, o: Value): Value {
  const mayVary = typeof value === "number" || (typeof value === "object" && value !== null);
  if (mayVary && isUnseen(o))
    throw failure(
      "TSG0024",
      `the derivative has no place for \`${name}\`, which only the class \`${String(o.constructor?.name)}\` sees; write \`private ${name.slice(1)}\``,
    );
  return value;
}

export const handedBy = (plain: Value): Handed => handed.get(plain) ?? {};

/** Defines a getter, a setter or both. A setter finds its value's id in the register. */
export function accessor(o: Value, key: Value, getter: Value, setter: Value): Value {
  // A function of `fn` is linked already and takes ids.
  const guard =
    getter === undefined
      ? undefined
      : deltaOf(getter) !== undefined
        ? getter
        : fn(function (this: Value, _ids: Value): Value {
            return Reflect.apply(getter, this, []);
          });
  const guarded =
    setter === undefined
      ? undefined
      : deltaOf(setter) !== undefined
        ? setter
        : fn(function (this: Value, ids: Value, value: Value): Value {
            setId(ids[0] ?? 0);
            return Reflect.apply(setter, this, [value]);
          });
  const there = Object.getOwnPropertyDescriptor(o, key);
  Object.defineProperty(o, key, {
    get: guard ?? there?.get,
    set: guarded ?? there?.set,
    enumerable: true,
    configurable: true,
  });
  dropField(o, nameOf(key));
  return o;
}

/** Adds the members of a literal that follow an accessor. */
export function join(o: Value, more: Value): Value {
  for (const key of Reflect.ownKeys(more)) {
    const property = Object.getOwnPropertyDescriptor(more, key);
    if (property === undefined) continue;
    Object.defineProperty(o, key, property);
    setKeyId(o, key, keyId(more, key));
  }
  setId(0);
  return o;
}

/**
 * Checks a value that is an object by a declaration or an assertion that may be wrong. `isBlind`:
 * its id is not in the register.
 */
export function numberless(value: Value, name: string, isBlind = false): Value {
  if (typeof value === "number" && (isBlind || id !== 0))
    throw unforeseen(`a number from \`${name}\``);
  return value;
}

/** Checks a value that is a number by an assertion or a conversion from `any`. */
export function noObject(value: Value): Value {
  if (typeof value === "object" && value !== null)
    throw unforeseen("an object that is asserted to be a number");
  return value;
}

/** In a type: 0 a number, 1 an object, `[p]` an array of `p`, `{ a: p }` named fields. */
export type NumberPlaces =
  0 | 1 | readonly [NumberPlaces] | { readonly [name: string]: NumberPlaces };

/** Checks a value of type `any` that is used as an object with numbers, or an asserted one. */
export function noObjects(value: Value, places: NumberPlaces): Value {
  if (places === 0) return noObject(value);
  if (typeof value === "number" && id !== 0)
    throw unforeseen("a number that is asserted to be an object");
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (isListOf(places)) {
    if (Array.isArray(value))
      for (let k = 0; k < value.length; k++) within(value, k, value[k], places[0]);
  } else
    for (const [name, inside] of Object.entries(places))
      within(value, name, Object.getOwnPropertyDescriptor(value, name)?.value, inside);
  setId(0);
  return value;
}

function within(o: Value, key: Value, value: Value, places: NumberPlaces): void {
  if (typeof value === "number") setId(keyId(o, key));
  noObjects(value, places);
}

/** Wraps a function whose result `any` is used as one with numbers. */
export function giving(f: Value, places: NumberPlaces): Value {
  return typeof f === "function"
    ? fn(function (this: Value, ids: Id[], ...args: Value[]): Value {
        return noObjects(applied(f, this, args, ids), places);
      }, f.name)
    : f;
}

const isListOf = (places: NumberPlaces): places is readonly [NumberPlaces] => Array.isArray(places);

/** g(a, b), for any function value */
export function call(f: Value, self: Value, ...pairs: Value[]): Value {
  const { args, ids } = unpaired(pairs);
  return applied(f, self, args, ids);
}

/** o.m(a) */
export function callMethod(o: Value, key: Value, ...pairs: Value[]): Value {
  const { args, ids } = unpaired(pairs);
  const f = methodOf(o, key);
  if (typeof f !== "function") throw new TypeError(`${String(key)} is not a function`);
  if (typeof o === "number" && !isInert(f)) throw ofNumber(key);
  return applied(f, o, args, ids);
}

/** x.toFixed(2), x.valueOf(): methods of numbers, with the id of the receiver. */
export function numberMethod(o: Value, oi: Id, key: Value, ...pairs: Value[]): Value {
  if (typeof o !== "number") return callMethod(o, key, ...pairs);
  const f = get(o, key);
  if (f === Number.prototype.valueOf) return ret(o, oi);
  const { args, ids } = unpaired(pairs);
  if (oi === 0) return applied(f, o, args, ids);
  if (!isInert(f)) return methodOfActive(f, o, oi, key, args, ids);
  const made = Reflect.apply(f, o, args);
  written(made, oi);
  return ret(made, 0);
}

/** Code that knows methods of numbers finds the id of `this` beside those of arguments. */
export function methodOfActive(
  f: Value,
  o: number,
  oi: Id,
  key: Value,
  args: Value[],
  ids: Id[],
): Value {
  let isTaken = false;
  const take = (): Id => {
    isTaken = true;
    return oi;
  };
  const delta = deltaOf(f);
  if (delta === undefined) throw ofNumber(key);
  const value = applied(f, o, args, Object.defineProperty(ids, "self", { get: take }));
  if (!isTaken) throw ofNumber(key);
  return value;
}

/** o.m(a), with `o.m` read before the arguments are evaluated */
export function callOn(f: Value, o: Value, ...pairs: Value[]): Value {
  const { args, ids } = unpaired(pairs);
  return applied(f, o, args, ids);
}

/** What `using` disposes instead of `o`. A returned number keeps its id meanwhile. */
export function disposal(o: Value): Value {
  if (o === null || o === undefined) return o;
  const key: Value = Reflect.get(Symbol, "dispose");
  const dispose = get(o, key);
  const run = (): void => {
    const kept = id;
    callOn(dispose, o);
    setId(kept);
  };
  return { [key]: typeof dispose === "function" ? run : dispose };
}

/** f$delta(a), for a function that is known to be rewritten */
export function invoke(delta: DeltaFunction, self: Value, ...pairs: Value[]): Value {
  const { args, ids } = unpaired(pairs);
  setId(0);
  return settled(delta.call(self, ids, ...args));
}

/** new C(a) */
export function construct(f: Value, ...pairs: Value[]): Value {
  const { args, ids } = unpaired(pairs);
  return constructed(f, args, ids, realOf(f));
}

/** The ids, then the arguments of `super(...)` in a rewritten constructor. */
export function packed(...pairs: Value[]): [Id[], ...Value[]] {
  const { args, ids } = unpaired(pairs);
  return [ids, ...args];
}

/** The strings of a tagged template. */
export const strings = (parts: TemplateStringsArray, ..._values: Value[]): TemplateStringsArray =>
  parts;

const asPrototypesSay: Value = /* @__PURE__ */ (() => Function.prototype[Symbol.hasInstance])();

/** v instanceof C, where a package's class equals its copy */
export function isInstance(value: Value, valueId: Id, f: Value): boolean {
  const own = Object(f) === f ? get(f, Symbol.hasInstance) : undefined;
  return own === undefined || own === null || own === asPrototypesSay
    ? value instanceof f || isTwinInstance(value, f)
    : Boolean(applied(own, f, [value], [valueId]));
}

/** super.k = value, in a method of `home` */
export function setSuper(home: Value, self: Value, k: Value, value: Value, valueId: Id): Value {
  const above = Object.getPrototypeOf(home);
  const holder = holderOf(above, k);
  const set = holder === null ? undefined : Object.getOwnPropertyDescriptor(holder, k)?.set;
  if (set !== undefined) applied(set, self, [value], [valueId]);
  else if (Reflect.set(above, k, value, self)) setKeyId(self, k, valueId);
  else throw new TypeError(`Cannot assign to read only property '${String(k)}'`);
  return ret(value, valueId);
}

/** Sets the ids of a rest parameter that starts at the function's `n`-th argument. */
export function restIds(rest: Value[], ids: Id[], n: number): void {
  for (let i = 0; i < rest.length; i++)
    setKeyId(rest, i, typeof rest[i] === "number" ? (ids[n + i] ?? 0) : 0);
}

/** `arguments` without the leading ids. */
export function argumentsOf(all: ArrayLike<Value>, ids: Id[]): Value {
  const own = argumentsWith(...Array.prototype.slice.call(all, 1));
  for (let i = 0; i < own.length; i++)
    setKeyId(own, i, typeof own[i] === "number" ? (ids[i] ?? 0) : 0);
  return own;
}

function argumentsWith(..._args: Value[]): Value {
  return arguments;
}

/** Numbers that a run has thrown and not caught yet, the last one at the end. */
const flying = /* @__PURE__ */ new WeakMap<Store, [value: number, id: Id][]>();

/** throw value */
export function thrown(value: Value, valueId: Id): Value {
  const { store } = run;
  if (typeof value !== "number" || !isRecording()) return value;
  const all = flying.get(store) ?? [];
  // A constant only counts where an equal number may be in flight.
  if (valueId === 0 && all.length === 0) return value;
  store.isUsed = true;
  all.push([value, valueId]);
  flying.set(store, all);
  return value;
}

/** The id of a caught value. Of equal numbers, the one that was thrown last is caught first. */
export function caught(value: Value): Id {
  const all = flying.get(run.store) ?? [];
  const k = all.map(([each]) => Object.is(each, value)).lastIndexOf(true);
  return k < 0 ? 0 : (all.splice(k, 1)[0]?.[1] ?? 0);
}

export { deltaOf, ret };
