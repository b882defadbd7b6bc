// Reads and writes of keys that a dictionary may inherit, such as `constructor` and `__proto__`.

import { mayBeInherited } from "../ir/inherited-keys.ts";
import { PREC } from "../ir/ops.ts";
import type { Atom, Type } from "../ir/types.ts";
import type { Value } from "./code.ts";
import type { Library } from "./names/library.ts";
import { keyText, placeText } from "./place-text.ts";
import type { HelperLine } from "./shape/retained-tapes.ts";
import { called, definition, operandText, type Text, type Writing } from "./writing.ts";

type Load = Extract<Value, { kind: "load" }>;

/** The test that a key is the dictionary's own; null where the read needs none. */
function ownTest({ object, key, own }: Load, writing: Writing): Text | null {
  if (own !== true || !mayBeInherited(object.type, key, writing.types)) return null;
  const dict = operandText(PREC.conditional, object, writing);
  const at = keyText(object, key, writing);
  return called(`${writing.library("Object")}.prototype.hasOwnProperty.call(${dict}, ${at})`);
}

/** The test whether a read of an own key is defined; null for other values. */
export function ownedTest(atom: Atom, writing: Writing): Text | null {
  const value = definition(atom, writing);
  return value?.kind === "load" ? ownTest(value, writing) : null;
}

/** A read by `own ? d[k] : undefined`; null where `d[k]` will do. */
export function ownLoadText(load: Load, type: Type, writing: Writing): Text | null {
  const test = ownTest(load, writing);
  return test === null || type.kind !== "opt"
    ? null
    : {
        text: `${test.text} ? ${placeText(load.object, load.key, type, writing)} : undefined`,
        prec: PREC.conditional,
      };
}

/** The local function that makes a key an object's own, as a literal does. */
export const defineLines = (name: string, library: Library): readonly HelperLine[] => [
  { indent: 0, text: `const ${name} = (o: object, key: PropertyKey, value: unknown): void => {` },
  {
    indent: 1,
    text: `if (key !== "__proto__") (o as Record<PropertyKey, unknown>)[key] = value;`,
  },
  {
    indent: 1,
    text: `else ${library("Object")}.defineProperty(o, key, { value, writable: true, enumerable: true, configurable: true });`,
  },
  { indent: 0, text: "};" },
];
