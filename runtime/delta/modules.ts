// Instrumented copies of package modules. A module's body is evaluated once, on demand. Cyclic
// imports see the exports that exist so far. Equal copies in several user files are one module.

import { inert } from "./dispatch.ts";
import { deltaOf } from "./links.ts";
import { hideBy, hides } from "./loading.ts";
import type { Value } from "./value.ts";

type Load = () => Value;

const loaded = new Map<string, Load>();

/** `name` ends in a fingerprint of the source. `require` is null for modules without source. */
export function module(
  name: string,
  requires: Readonly<Record<string, Load | null>>,
  body: Value,
  ...interop: readonly Value[]
): Load {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  let made: { exports: Value } | null = null;
  const require = (specifier: string): Value => {
    const load = Object.hasOwn(requires, specifier) ? requires[specifier] : null;
    if (load === null || load === undefined)
      throw new Error(
        `Cannot find module '${specifier}', which ${name.split("#", 1)[0] ?? name} requires`,
      );
    return load();
  };
  const load = (): Value => {
    if (made !== null) return made.exports;
    made = { exports: {} };
    const outer = hides;
    hideBy(isOfReal);
    try {
      body.call(made.exports, made.exports, require, made, ...interop);
    } catch (error) {
      made = null; // as Node does: the next request evaluates it again
      throw error;
    } finally {
      hideBy(outer);
    }
    return made.exports;
  };
  loaded.set(name, load);
  return load;
}

/**
 * What the module itself, which was evaluated before, may have put on a prototype of the language:
 * `if (!Number.prototype.f) Number.prototype.f = …` has to run for the copy, too.
 */
const isOfReal = (o: Value, f: Value): boolean =>
  Reflect.get(globalThis, String(o.constructor?.name))?.prototype === o &&
  deltaOf(f) === undefined &&
  !Function.prototype.toString.call(f).includes("[native");

/** `import d from "m"`: the `default` of an ES module, else all exports. */
export function importDefault(exports: Value): Value {
  if (isEsModule(exports) && "default" in exports) return exports;
  // In an import cycle, the default may be defined later.
  const made: Value = {};
  forwardBy(made, "default", () =>
    isEsModule(exports) && "default" in exports ? exports.default : exports,
  );
  return made;
}

/** `import * as m from "m"`. Members are getters, so they are live. */
export function importStar(exports: Value): Value {
  if (isEsModule(exports)) return exports;
  const namespace: Value = {};
  for (const key of keysOf(exports)) if (key !== "default") forward(namespace, exports, key);
  namespace.default = exports;
  return namespace;
}

/** Values of the real module, read when they are asked for. */
export function shared(values: Readonly<Record<string, Load>>): Value {
  const found: Value = {};
  for (const [name, get] of Object.entries(values)) forwardBy(found, name, get);
  return found;
}

/** `export * from "m"`. */
export function exportStar(from: Value, exports: Value): void {
  for (const key of keysOf(from))
    if (key !== "default" && key !== "__esModule" && !Object.hasOwn(exports, key))
      forward(exports, from, key);
}

const isObject = (value: Value): boolean =>
  (typeof value === "object" && value !== null) || typeof value === "function";
const isEsModule = (exports: Value): boolean => isObject(exports) && exports.__esModule === true;
const keysOf = (value: Value): string[] => (isObject(value) ? Object.keys(value) : []);

const forwarding = new WeakSet<object>();

/** Whether a getter passes through an export of another module. */
export const isForwarding = (getter: object): boolean => forwarding.has(getter);

function forward(to: Value, from: Value, key: string): void {
  forwardBy(to, key, () => from[key]);
}

function forwardBy(to: Value, key: string, get: () => Value): void {
  inert(get);
  forwarding.add(get);
  Object.defineProperty(to, key, { enumerable: true, configurable: true, get });
}
