// Texts of active numbers. In: each such text. Out: whether a key consists of them, as that of a
// memo does: `known[x.toFixed(3)]`, `known.get(JSON.stringify([x, y]))`; and whether unknown code
// can see one, `element.style.width = `${x}px``, whose results then may depend on the number.

import { partsOf } from "./handles.ts";
import { deltaOf } from "./links.ts";
import { run, type Store } from "./store.ts";
import { failure, placeIn, type Value } from "./value.ts";

const texts = /* @__PURE__ */ new WeakMap<Store, Set<string>>();
let isAny = false;

export function noteText(made: string): void {
  const known = texts.get(run.store) ?? new Set();
  isAny = run.store.isUsed = true;
  texts.set(run.store, known.add(made.replace("-", "")));
}

const IN_KEYS = /\d[\d.]*(e[-+]?\d+)?/g;
/** Numbers in a text that other code gets; `h1` and `box12` are names. */
const IN_TEXTS = /\d+\.[\d.]*(e[-+]?\d+)?|(?<![A-Za-z_\d.])\d[\d.]*(e[-+]?\d+)?|\d{3,}/g;

/** Whether a key contains the text of an active number of this run. */
export const isTextOfActive = (key: Value): boolean => holdsActive(key, IN_KEYS);

function holdsActive(text: Value, numbers: RegExp): boolean {
  const known = isAny && typeof text !== "symbol" ? texts.get(run.store) : undefined;
  return known !== undefined && (String(text).match(numbers) ?? []).some((one) => known.has(one));
}

/** Objects with a field that rewritten code has set to such a text. */
const holders = /* @__PURE__ */ new WeakMap<Store, WeakSet<object>>();

/** Notes a write of rewritten code. An object of the host may compute from what it is given. */
export function noteWrite(o: Value, key: PropertyKey, value: Value, isActive: boolean): void {
  const isText = isAny && typeof value === "string" && holdsActive(value, IN_TEXTS);
  if (!isText && !isActive) return;
  if (isOfHost(o)) throw seen(isText ? value : String(value), `\`${String(key)}\` of the host`);
  if (!isText) return;
  const known = holders.get(run.store) ?? new WeakSet();
  holders.set(run.store, known.add(o));
}

/** The same of a method of a list, Map or Set, which may keep what it is given. */
export function noteKept(self: Value, args: readonly Value[]): void {
  if (isAny && typeof self === "object" && self !== null)
    for (const arg of args) noteWrite(self, "a method", arg, false);
}

/** Web interfaces name themselves on their prototypes. */
const LANGUAGE = /^((Weak)?(Map|Set|Ref)|Promise|(Async)?Generator(Function)?|.*Array(Buffer)?)$/;

function isOfHost(o: Value): boolean {
  const tag: unknown = o[Symbol.toStringTag];
  if (typeof tag !== "string" || LANGUAGE.test(tag)) return false;
  for (let up: Value = Object.getPrototypeOf(o); up !== null; up = Object.getPrototypeOf(up)) {
    const own = Object.getOwnPropertyDescriptor(up, Symbol.toStringTag);
    if (own !== undefined) return own.writable === false;
  }
  return false;
}

/** Throws where unknown code has seen the text of an active number, and may compute with it. */
export function refuseText(name: string, self: Value, args: readonly Value[], gives: Value): void {
  if (!isAny || !texts.has(run.store) || isPrinter(self)) return;
  if (gives === undefined && isCallback(self)) return;
  const text = args.map((arg) => textIn(arg, true)).find((found) => found !== undefined);
  const found = text ?? textIn(self, false);
  if (found !== undefined) throw seen(found, name);
}

/** `log(text)`, `options.log?.(text)`: a listener gives nothing, unlike a method of a host. */
function isCallback(self: Value): boolean {
  if (self === undefined || self === null) return true;
  const up: unknown = Object.getPrototypeOf(self);
  return up === Object.prototype || up === null;
}

/** The console, also one that replaces it, and the streams of a process only print. */
function isPrinter(self: Value): boolean {
  if (typeof self !== "object") return false;
  const { console: printing, process: node }: Value = globalThis;
  return self === printing || self === node?.stdout || self === node?.stderr;
}

/** A text in a value, at any depth; with `isGiven` also one that the program has not set there. */
function textIn(root: Value, isGiven: boolean): string | undefined {
  if (typeof root === "string") return isGiven && isTextOfActive(root) ? root : undefined;
  const known = holders.get(run.store);
  const met = new Set<object>();
  const meet = (value: Value): void => {
    if (typeof value === "object" && value !== null) met.add(value);
  };
  meet(root);
  for (const value of met) {
    const holds = (isGiven && isData(value)) || known?.has(value) === true;
    for (const inner of value instanceof Map
      ? [...value.keys(), ...partsOf(value)]
      : partsOf(value))
      if (typeof inner !== "string") meet(inner);
      else if (holds && isTextOfActive(inner)) return inner;
  }
  return undefined;
}

/** An array, a Map, a Set, a plain record or an instance of the program. */
function isData(value: object): boolean {
  const up: Value = Object.getPrototypeOf(value);
  return (
    Array.isArray(value) ||
    value instanceof Map ||
    value instanceof Set ||
    up === Object.prototype ||
    up === null ||
    deltaOf(up.constructor) !== undefined
  );
}

const seen = (text: string, by: string): Error =>
  failure(
    "TSG0012",
    `"${text}" is the text of a number that a derivative has to pass through, and ${by} may compute with it${placeIn()}; write the text of \`stopGradient(x)\` if none has to pass`,
  );
