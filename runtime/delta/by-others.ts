// Functions that code which is not rewritten calls: operators and built-ins, plain code of the
// program, packages. In: the rewritten form, which takes ids. Out: a function as JavaScript has it,
// linked to that form. Invariant: methods of objects that others see are such functions, and while
// a run records, conversions by operators and built-ins run their rewritten form.

import { deltaOf, link, linkAccessors } from "./dispatch.ts";
import { id, setId } from "./register.ts";
import { captured, isRecording } from "./store.ts";
import { failure, type Value } from "./value.ts";

/** Calls a rewritten function on behalf of code that is not rewritten. */
function foreign(
  delta: Value,
  name: string | undefined,
  self: Value,
  args: ArrayLike<Value>,
  target: Value,
): Value {
  const all = [[], ...Array.prototype.slice.call(args)];
  if (target !== undefined) return Reflect.construct(delta, all, target);
  setId(0);
  const result = Reflect.apply(delta, self, all);
  if (typeof result === "number" && id !== 0) {
    setId(0);
    throw failure(
      "TSG0011",
      `${name === undefined ? "a function" : `\`${name}\``} was called by code that tsgrad does not know, and gave it a number that a derivative has to pass through`,
    );
  }
  return result;
}

type Wrapper = (delta: Value, name: string | undefined) => Value;
// Separate anonymous functions per arity, since setting `name` and `length` is slow.
const wrapper0: Wrapper = (delta, name) =>
  function (this: Value): Value {
    return foreign(delta, name, this, arguments, new.target);
  };
const wrapper1: Wrapper = (delta, name) =>
  function (this: Value, _a: Value): Value {
    return foreign(delta, name, this, arguments, new.target);
  };
const wrapper2: Wrapper = (delta, name) =>
  function (this: Value, _a: Value, _b: Value): Value {
    return foreign(delta, name, this, arguments, new.target);
  };
const WRAPPERS: readonly Wrapper[] = [wrapper0, wrapper1, wrapper2];

/** A function value that other code can call, with constants and for a constant result. */
export function fn(delta: Value, name?: string): Value {
  captured();
  return wrapped(delta, name);
}

function wrapped(delta: Value, name: string | undefined): Value {
  const arity = Math.max(0, delta.length - 1);
  const own: string = name ?? delta.name;
  const plain: Value = (WRAPPERS[arity] ?? wrapper0)(delta, name);
  if (arity >= WRAPPERS.length)
    Object.defineProperty(plain, "length", { value: arity, configurable: true });
  if (own !== "") Object.defineProperty(plain, "name", { value: own, configurable: true });
  if (Object.hasOwn(delta, "prototype")) link(delta, delta); // a function expression names itself
  return link(plain, delta);
}

/** Convert an object. Code that lets a derivative through calls them first (primitive.ts). */
const CONVERSIONS: ReadonlySet<PropertyKey> = /* @__PURE__ */ new Set<PropertyKey>([
  "valueOf",
  "toString",
  "toLocaleString",
  Symbol.toPrimitive,
]);

/** Runs the rewritten form in the middle of an expression, whose ids stay. */
function converted(delta: Value, self: Value, args: Value[]): Value {
  const before = id;
  setId(0);
  const value = Reflect.apply(delta, self, [[], ...args]);
  setId(before);
  return value;
}

/** A method as others see it. `plain`: the one that stays where nothing records. */
function method(key: PropertyKey, delta: Value, plain?: Value): Value {
  const name = typeof key === "symbol" ? undefined : String(key);
  if (!CONVERSIONS.has(key)) return wrapped(delta, name);
  const made: Value = {
    [key](this: Value, ...args: Value[]): Value {
      return plain === undefined || isRecording()
        ? converted(delta, this, args)
        : Reflect.apply(plain, this, args);
    },
  };
  return link(Reflect.get(made, key), delta);
}

/** A function of `fn` that is a conversion in a literal. */
export const converting = (key: PropertyKey, f: Value): Value => method(key, deltaOf(f));

/** Links the constructor and all members of a class to those of its rewritten form. */
export function linkClass(plain: Value, delta: Value): Value {
  link(plain, delta);
  linkMembers(plain, delta);
  if (plain.prototype !== undefined && delta.prototype !== undefined)
    linkMembers(plain.prototype, delta.prototype);
  return plain;
}

/** Links a function or a class that names itself to a form that names it, too. */
export const linkWith = <F>(f: F, make: (f: F) => Value): F => link(f, make(f));
export const linkClassWith = <C>(plain: C, make: (plain: C) => Value): C =>
  linkClass(plain, make(plain)) as C;

/** Links methods and accessors of a new object to their rewritten forms, and returns the object. */
export function linkObject<T extends object>(
  o: T,
  ...twins: readonly (readonly [PropertyKey, "value" | "get" | "set", Value])[]
): T {
  for (const [key, kind, delta] of twins) {
    const found = Object.getOwnPropertyDescriptor(o, key);
    if (found === undefined) continue;
    if (kind === "value") linkMethod(o, key, found.value, delta);
    else linkPair(o, key, found, { [kind]: delta });
  }
  return o;
}

function linkMembers(plain: Value, delta: Value): void {
  for (const key of Reflect.ownKeys(delta)) {
    if (key === "constructor" || key === "prototype") continue;
    const theirs = Object.getOwnPropertyDescriptor(plain, key);
    const ours = Object.getOwnPropertyDescriptor(delta, key);
    if (theirs === undefined || ours === undefined) continue;
    if (typeof theirs.value === "function" && typeof ours.value === "function") {
      linkMethod(plain, key, theirs.value, ours.value);
      inherited(delta, key, ours.value);
    }
    linkPair(plain, key, theirs, ours);
    linkAccessors(ours, ours);
  }
}

/** Links accessors of an object. Built-ins read the tag while they convert it. */
function linkPair(
  o: Value,
  key: PropertyKey,
  theirs: PropertyDescriptor,
  ours: PropertyDescriptor,
): void {
  linkAccessors(theirs, ours);
  const { get } = theirs;
  if (key !== Symbol.toStringTag || get === undefined || get === ours.get) return;
  const delta = deltaOf(get);
  const tag = function (this: Value): Value {
    return isRecording() ? converted(delta, this, []) : Reflect.apply(get, this, []);
  };
  Reflect.defineProperty(o, key, { get: link(tag, delta) });
}

/** Links a method of an object. `plain` is `delta` in a class that is rewritten in place. */
export function linkMethod(o: Value, key: PropertyKey, plain: Value, delta: Value): void {
  link(plain, delta);
  if (typeof plain === "function" && plain !== delta && CONVERSIONS.has(key))
    Reflect.defineProperty(o, key, { value: method(key, delta, plain) });
}

/** A method of a rewritten class, which instances of classes in functions inherit. */
function inherited(o: Value, key: PropertyKey, delta: Value): void {
  link(delta, delta);
  if (typeof o !== "function") Reflect.defineProperty(o, key, { value: method(key, delta) });
}
