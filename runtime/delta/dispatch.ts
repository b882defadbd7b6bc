// Chooses the code that runs for a function value: its rewritten form, a native's handler, or the
// function itself. An unknown function throws if it would see an active number.

import { isWhole, unforeseen } from "./families.ts";
import { deltaOf, link } from "./links.ts";
import { isRecording, run } from "./store.ts";
import { mark } from "./tape.ts";
import { ret, setId, settled } from "./register.ts";
import { isActive } from "./shadows.ts";
import { noteKept, refuseText } from "./text-keys.ts";
import { failure, placeIn, type Handler, type Id, type Value } from "./value.ts";

const handlers: Map<Value, Handler> = new Map();
const constructors: Map<Value, Handler> = new Map();
const inertFunctions = new Set<Value>();

/** Registers how ids flow through a native. */
export function handle(f: Value, handler: Handler): void {
  if (typeof f === "function") handlers.set(f, handler);
}

/** The same for `new f(…)`. `self`: the constructed function, which may extend `f`. */
export function handleNew(f: Value, handler: Handler): void {
  if (typeof f === "function") constructors.set(f, handler);
}

/** The tables of handlers: of calls, and of `new`. */
export const handled = (): readonly [typeof handlers, typeof constructors] => [
  handlers,
  constructors,
];

/** Registers natives without derivative; they run unchanged. */
export function inert(...functions: Value[]): void {
  for (const f of functions) if (typeof f === "function") inertFunctions.add(f);
}

/** The same for members of prototypes, to which code may have added its own. */
export function inertNatives(...functions: Value[]): void {
  const code: Value = Function.prototype.toString;
  inert(...functions.filter((f) => typeof f === "function" && code.call(f).includes("[native")));
}

export const isKnown = (f: Value): boolean =>
  typeof f === "function" && (deltaOf(f) !== undefined || handlers.has(f) || inertFunctions.has(f));

export const isInert = (f: Value): boolean => inertFunctions.has(f);

const nameOf = (f: Value): string =>
  typeof f === "function" && f.name !== "" ? `\`${f.name}\`` : "a function without a name";

const isFed = (self: Value, args: readonly Value[], ids: readonly Id[]): boolean =>
  ids.some((i, k) => i !== 0 && typeof args[k] === "number") ||
  isActive(self) ||
  args.some((arg) => isActive(arg)) ||
  args.some(isLazy);

/** An iterator in a run that has recorded something. The numbers that it will give are unknown. */
const isLazy = (value: Value): boolean =>
  typeof value === "object" &&
  value !== null &&
  run.outer !== undefined &&
  mark().node > run.from.node &&
  typeof value.next === "function";

const unknown = (f: Value): Error =>
  failure(
    "TSG0010",
    `${nameOf(f)} is called with a number that a derivative has to pass through, but nothing is known of its derivative${placeIn()}; call one whose code the build sees, mark it \`differentiable\`, give it a rule, or pass \`stopGradient(x)\` if no derivative has to pass`,
  );

/** Throws where code of a package is reached that could not be rewritten. */
export function unsupported(what: string): never {
  throw failure(
    "TSG0010",
    `${what}, which is reached here and has no derivative; give the function a rule`,
  );
}

/** A number has no place where a method could find its id. */
export const ofNumber = (name: Value): Error =>
  failure(
    "TSG0010",
    `${name === "" ? "a function" : `\`${String(name)}\``} is called as a method of a number, and no derivative passes through \`this\` of a number; call a function with the number as an argument`,
  );

/** Post-processes results of functions that persist from an earlier run (persistent-state.ts). */
let resultOf: ((f: Value, value: Value) => Value) | undefined;

export const watchResults = (by: (f: Value, value: Value) => Value): void => void (resultOf = by);

export function applied(f: Value, self: Value, args: Value[], ids: Id[]): Value {
  const delta = deltaOf(f);
  if (delta !== undefined) {
    setId(0);
    const value = settled(delta.call(self, ids, ...args));
    return resultOf === undefined ? value : resultOf(f, value);
  }
  const handler = handlers.get(f);
  if (handler !== undefined) {
    setId(0);
    noteKept(self, args);
    return settled(handler(self, args, ids));
  }
  if (typeof f !== "function")
    throw new TypeError(
      `${typeof f === "object" || typeof f === "string" ? typeof f : String(f)} is not a function`,
    );
  if (inertFunctions.has(f)) return ret(Reflect.apply(f, self, args), 0);
  if (isFed(self, args, ids)) throw unknown(f);
  if (!isWhole && isRecording()) throw unforeseen(nameOf(f));
  const gives: Value = Reflect.apply(f, self, args);
  refuseText(nameOf(f), self, args, gives);
  return ret(gives, 0);
}

/** Links accessors. A getter takes no ids; a setter finds its value's id in the register. */
export function linkAccessors(plain: PropertyDescriptor, delta: PropertyDescriptor): void {
  for (const kind of ["get", "set"] as const) {
    const f = plain[kind];
    const g = delta[kind];
    if (f === undefined || g === undefined) continue;
    link(f, function (this: Value, ids: Id[], ...args: Value[]): Value {
      setId(ids[0] ?? 0);
      return Reflect.apply(g, this, args);
    });
  }
}

export function constructed(f: Value, args: Value[], ids: Id[], target: Value = f): Value {
  const delta = deltaOf(f);
  setId(0);
  if (delta !== undefined) return objectIn(Reflect.construct(delta, [ids, ...args], target));
  const handler = constructors.get(f) ?? handlers.get(f);
  if (handler !== undefined) return objectIn(handler(target, args, ids));
  if (typeof f === "function" && !inertFunctions.has(f)) {
    if (isFed(undefined, args, ids)) throw unknown(f);
    if (!isError(f)) refuseText(nameOf(f), undefined, args, f);
  }
  return objectIn(Reflect.construct(f, args, target));
}

/** An error only holds its text. */
const isError = (f: Value): boolean => f === Error || f.prototype instanceof Error;

function objectIn(value: Value): Value {
  setId(0);
  return value;
}

export { deltaOf, link };
