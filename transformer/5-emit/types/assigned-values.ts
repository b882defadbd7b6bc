// The literals that a name can hold, by all its definitions. TypeScript narrows a variable to the
// values assigned to it, and rejects a comparison or a cast that these exclude. The user's code had
// more assignments where tsgrad removed branches that cannot execute.

import type { Atom, Const, RecordPart } from "../../ir/types.ts";
import { type Block, type Code, type Nested, type Value, walkLines } from "../code.ts";

/** A constant, or the object literal with these fields. */
type Literal = Const | { readonly kind: "record"; readonly fields: readonly RecordPart[] };

export class AssignedValues {
  readonly #nested: Nested;
  /** By name: what its definitions assign. */
  readonly #sources = new Map<string, (Atom | Value)[]>();
  /** By field: what code stores to it, in any object. */
  readonly #stored = new Map<string, Atom[]>();

  constructor({ block, nested }: Code) {
    this.#nested = nested;
    walkLines(block, (line) => {
      if (line.kind === "let") this.#note(line.bind.name, line.value);
      if (line.kind === "store" && line.key.kind === "field")
        this.#stored.set(line.key.name, [...(this.#stored.get(line.key.name) ?? []), line.value]);
      if (line.kind === "if")
        for (const arm of [line.then, line.else]) this.#noteResults(line.binds, arm);
      if (line.kind !== "for" && line.kind !== "while") return;
      const params = line.carried.map(({ param }) => param);
      this.#noteResults(params, line.body);
      line.carried.forEach(({ param, init }) => this.#note(param.name, init));
      line.binds.forEach((bind, i) => {
        const param = params[i];
        if (param !== undefined) this.#note(bind.name, param);
      });
    });
  }

  #noteResults(binds: readonly { readonly name: string }[], { result }: Block): void {
    binds.forEach(({ name }, i) => {
      const value = result[i];
      if (value !== undefined) this.#note(name, value);
    });
  }

  #note(name: string, value: Atom | Value): void {
    const known = this.#sources.get(name);
    if (known === undefined) this.#sources.set(name, [value]);
    else known.push(value);
  }

  /** Whether the atom only holds constants, and never this one. */
  excludes(atom: Atom, value: Const["value"]): boolean {
    const held = this.#literals(atom, new Set());
    return isEvery(held, (one) => one.kind === "const" && one.value !== value);
  }

  /** Whether the atom only holds object literals whose field has another constant. */
  excludesField(atom: Atom, field: string, value: Const["value"]): boolean {
    if (this.#stored.has(field)) return false;
    const held = this.#literals(atom, new Set());
    return isEvery(held, (one) => {
      const part =
        one.kind === "record" ? one.fields.find(({ name }) => name === field) : undefined;
      return part?.value.kind === "const" && part.value.value !== value;
    });
  }

  /** Null where the atom may hold anything else. */
  #literals(atom: Atom, seen: Set<string>): readonly Literal[] | null {
    if (atom.kind === "const") return [atom];
    if (atom.kind === "undef") return [];
    if (atom.kind !== "var") return null;
    if (seen.has(atom.name)) return [];
    seen.add(atom.name);
    const nested = this.#nested.get(atom.name);
    const sources = nested === undefined ? this.#sources.get(atom.name) : [nested];
    return sources === undefined ? null : this.#all(sources, seen);
  }

  #all(sources: readonly (Atom | Value)[], seen: Set<string>): readonly Literal[] | null {
    const found: Literal[] = [];
    for (const source of sources) {
      const some = this.#ofSource(source, seen);
      if (some === null) return null;
      found.push(...some);
    }
    return found;
  }

  #ofSource(source: Atom | Value, seen: Set<string>): readonly Literal[] | null {
    switch (source.kind) {
      case "const":
      case "undef":
      case "var":
      case "global":
        return this.#literals(source, seen);
      case "record":
        return [source];
      case "copy":
        return this.#literals(source.atom, seen);
      case "unwrap":
        return this.#literals(source.value, seen);
      case "choose":
        return this.#all([source.then, source.else], seen);
      case "load":
        return source.key.kind === "field"
          ? this.#inField(source.object, source.key.name, seen)
          : null;
      default:
        return null;
    }
  }

  #inField(object: Atom, field: string, seen: Set<string>): readonly Literal[] | null {
    const objects = this.#literals(object, seen);
    if (objects === null) return null;
    const parts = objects.map((one) =>
      one.kind === "record" ? one.fields.find(({ name }) => name === field) : undefined,
    );
    return parts.every((part) => part !== undefined)
      ? this.#all([...parts.map(({ value }) => value), ...(this.#stored.get(field) ?? [])], seen)
      : null;
  }
}

const isEvery = (held: readonly Literal[] | null, is: (one: Literal) => boolean): boolean =>
  held !== null && held.length > 0 && held.every(is);
