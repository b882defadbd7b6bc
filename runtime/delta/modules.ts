// Instrumented copies of package modules. In: a module's body as a function, and what its `require` gives. Out: a function that
// gives its exports. Invariant: a body is evaluated once, when it is first asked for; modules in a circle see each other's
// exports as far as they are filled; equal copies that stand in several user files are one.

import { inert } from "./dispatch.ts";
import type { Value } from "./value.ts";

type Load = () => Value;

const loaded = new Map<string, Load>();

/** `name` ends in a fingerprint of the copy's text. A require that is null has no readable source. */
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
    try {
      body.call(made.exports, made.exports, require, made, ...interop);
    } catch (error) {
      made = null; // as Node does: the next one to ask evaluates it again
      throw error;
    }
    return made.exports;
  };
  loaded.set(name, load);
  return load;
}

/** `import d from "m"`: the `default` of what was an ES module, else all of it. */
export function importDefault(exports: Value): Value {
  if (isEsModule(exports) && "default" in exports) return exports;
  // modules that import each other: it may have its default later
  const made: Value = {};
  forwardBy(made, "default", () =>
    isEsModule(exports) && "default" in exports ? exports.default : exports,
  );
  return made;
}

/** `import * as m from "m"`. Members are read through, so they are live. */
export function importStar(exports: Value): Value {
  if (isEsModule(exports)) return exports;
  const namespace: Value = {};
  for (const key of keysOf(exports)) if (key !== "default") forward(namespace, exports, key);
  namespace.default = exports;
  return namespace;
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

/** Whether a getter passes on what another module exports. */
export const isForwarding = (getter: object): boolean => forwarding.has(getter);

function forward(to: Value, from: Value, key: string): void {
  forwardBy(to, key, () => from[key]);
}

function forwardBy(to: Value, key: string, get: () => Value): void {
  inert(get);
  forwarding.add(get);
  Object.defineProperty(to, key, { enumerable: true, configurable: true, get });
}
