// Values as comments of examples state them. In: a value and the comment's lines. Out: what is wrong, or null.
// Invariant: numbers are compared exactly, `-0` too; one that ends in `…` by the digits that are shown.

/** `[1, 0.5…]: by x`; several lines: a text, word by word. */
export function mismatch(value: unknown, comment: readonly string[]): string | null {
  const [first = ""] = comment;
  if (comment.length > 1)
    return String(value) === comment.join("\n") ? null : `it is\n${String(value)}`;
  try {
    const reader = new Reader(first);
    const stated = reader.value();
    const rest = reader.rest();
    // prose may follow behind a colon or a comma
    if (!/^\s*($|[:,])/.test(rest)) return `the comment is no value: ${first}`;
    return agrees(value, stated) ? null : `it is ${shown(value)}, the comment says ${first}`;
  } catch (error) {
    return `the comment is no value: ${first} (${String(error)})`;
  }
}

/** The first digits of a number. */
class Digits {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
/** `Float64Array [1, 2]`, `Point { x: 1 }` */
class Named {
  readonly name: string;
  readonly parts: unknown;
  constructor(name: string, parts: unknown) {
    this.name = name;
    this.parts = parts;
  }
}

const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["undefined", undefined],
  ["null", null],
  ["true", true],
  ["false", false],
  ["NaN", NaN],
  ["Infinity", Infinity],
]);

class Reader {
  readonly #text: string;
  #at = 0;
  constructor(text: string) {
    this.#text = text;
  }

  rest(): string {
    return this.#text.slice(this.#at);
  }

  #take(pattern: RegExp): string | null {
    const found = new RegExp(`^\\s*(${pattern.source})`).exec(this.rest());
    if (found === null) return null;
    this.#at += found[0].length;
    return found[1] ?? "";
  }
  #list<T>(end: RegExp, item: () => T): T[] {
    const items: T[] = [];
    while (this.#take(end) === null) {
      if (items.length > 0 && this.#take(/,/) === null) throw new Error(`at ${this.rest()}`);
      items.push(item());
    }
    return items;
  }

  value(): unknown {
    const number = this.#take(/-?(?:\d[\d.]*(?:e[+-]?\d+)?…?|Infinity)/);
    if (number !== null)
      return number.endsWith("…") ? new Digits(number.slice(0, -1)) : Number(number);
    const string = this.#take(/"(?:[^"\\]|\\.)*"/);
    if (string !== null) return JSON.parse(string);
    if (this.#take(/\[/) !== null) return this.#list(/\]/, () => this.value());
    if (this.#take(/\{/) !== null)
      return Object.fromEntries(this.#list(/\}/, () => [this.#key(/:/), this.value()]));
    if (this.#take(/Map \{/) !== null)
      return new Map(this.#list(/\}/, () => [this.#key(/=>/), this.value()]));
    const word = this.#take(/[A-Za-z]\w*/);
    if (word !== null && WORDS.has(word)) return WORDS.get(word);
    if (word !== null && /^\s*[[{]/.test(this.rest())) return new Named(word, this.value());
    throw new Error(`at ${this.rest()}`);
  }
  #key(separator: RegExp): string {
    const key = this.#take(/"[^"]*"|\w+/);
    if (key === null || this.#take(separator) === null) throw new Error(`at ${this.rest()}`);
    return key.replaceAll('"', "");
  }
}

function agrees(value: unknown, stated: unknown): boolean {
  if (stated instanceof Digits)
    return (
      typeof value === "number" &&
      String(value).startsWith(stated.text) &&
      String(value).length > stated.text.length
    );
  if (stated instanceof Named)
    return (
      typeof value === "object" &&
      value !== null &&
      value.constructor.name === stated.name &&
      partsAgree(value, stated.parts)
    );
  if (stated instanceof Map)
    return (
      value instanceof Map &&
      value.size === stated.size &&
      [...stated].every(([key, part]) => value.has(key) && agrees(value.get(key), part))
    );
  if (typeof stated !== "object" || stated === null) return Object.is(value, stated);
  if (
    typeof value !== "object" ||
    value === null ||
    value instanceof Map ||
    ArrayBuffer.isView(value)
  )
    return false;
  return Array.isArray(value) === Array.isArray(stated) && partsAgree(value, stated);
}

function partsAgree(value: object, stated: unknown): boolean {
  if (typeof stated !== "object" || stated === null) return false;
  const own = Object.entries(value);
  const parts = new Map<string, unknown>(Object.entries(stated));
  return (
    own.length === parts.size &&
    own.every(([key, part]) => parts.has(key) && agrees(part, parts.get(key)))
  );
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(", ")}]`;
  if (value instanceof Map)
    return `Map { ${[...value].map(([key, part]) => `${JSON.stringify(key)} => ${shown(part)}`).join(", ")} }`;
  if (ArrayBuffer.isView(value))
    return `${value.constructor.name} [${Object.values(value).map(shown).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{ ${Object.entries(value)
      .map(([key, part]) => `${key}: ${shown(part)}`)
      .join(", ")} }`;
  return Object.is(value, -0)
    ? "-0"
    : typeof value === "string"
      ? JSON.stringify(value)
      : String(value);
}
