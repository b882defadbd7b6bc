// The access paths of the objects that names refer to, in one function. Paths of a name and
// contents of allocations only grow, up to a bound, so that iterating over the body ends.

import { variableOf } from "../../ir/names.ts";
import { type Types, definedShape } from "../../ir/shadow.ts";
import type { Atom, Global, Key, Var } from "../../ir/types.ts";
import {
  type AccessPath,
  ALLOCATED,
  ANY_ENTRY,
  contentText,
  isAllocated,
  isAtEntry,
  OUTSIDE,
  pathText,
  unmarked,
} from "./access-path.ts";
import { ELEMENTS, isAggregate } from "./region.ts";
import type { DefiniteWrites } from "./definite-writes.ts";

/** The most paths recorded for one name or place. */
const MOST_PATHS = 16;

export class NamePaths {
  readonly globals = new Map<string, Global>();
  changed = false;
  readonly #paths = new Map<string, readonly AccessPath[]>();
  /** Arrays with `pop`: it returns what the same execution appended. */
  readonly #stacks = new Set<string>();
  /** By place of an allocation: the persistent objects stored there. */
  readonly #contents = new Map<string, readonly AccessPath[]>();
  readonly #types: Types;

  constructor(types: Types) {
    this.#types = types;
  }

  to(atom: Atom): readonly AccessPath[] {
    if (atom.kind === "var") return this.#paths.get(atom.name) ?? [];
    if (atom.kind !== "global") return [];
    const variable = variableOf(atom);
    this.globals.set(variable, atom);
    return [[`${OUTSIDE}${variable}`]];
  }

  bind(name: Var, paths: readonly AccessPath[]): void {
    const distinct = new Map(paths.map((path) => [pathText(path), path]));
    this.#paths.set(name.name, [...distinct.values()].slice(0, MOST_PATHS));
  }

  allocate(name: Var): void {
    this.bind(name, [[`${ALLOCATED}${name.name}`]]);
  }

  placesIn(object: Atom, key: string): readonly AccessPath[] {
    return this.to(object).map((path) => [...path, key]);
  }

  at(object: Atom, key: Key): readonly AccessPath[] {
    return this.placesIn(object, this.#keyOf(object, key));
  }

  /** An array element is known by its constant index; an entry of a dict is any entry. */
  #keyOf(object: Atom, key: Key): string {
    const shape = this.#shapeOf(object);
    if (shape === "dict") return ANY_ENTRY;
    if (key.kind === "field") return key.name;
    const at = key.at.kind === "const" ? String(key.at.value) : null;
    return at === null ? ELEMENTS : shape === "array" ? `[${at}]` : at;
  }

  #shapeOf({ type }: Atom): string {
    return definedShape(type, this.#types).kind;
  }

  addStack(array: Atom): void {
    for (const path of this.to(array)) this.#stacks.add(pathText(path));
  }

  isStack(path: AccessPath): boolean {
    return this.#stacks.has(pathText(path.slice(0, -1)));
  }

  /** The objects that a read of the place may find. */
  objectsAt(path: AccessPath, writes: DefiniteWrites): readonly AccessPath[] {
    return [...writes.objectsAt(path, this.isStack(path)), ...this.#contentsAt(path)];
  }

  /** Persistent objects stored in an allocation: by tuple position, or all if it is computed. */
  #contentsAt(path: AccessPath): readonly AccessPath[] {
    const found = [this.#contents.get(contentText(path))];
    const last = path.at(-1) ?? "";
    const object = path.slice(0, -1);
    if (/^\d+$/.test(last)) found.push(this.#contents.get(contentText([...object, ELEMENTS])));
    if (last === ELEMENTS)
      for (let i = 0; ; i++) {
        const at = this.#contents.get(contentText([...object, String(i)]));
        if (at === undefined) break;
        found.push(at);
      }
    return found.flatMap((paths) => paths ?? []);
  }

  /** Records that a place of an allocation holds a persistent object. */
  hold(path: AccessPath, value: Atom): void {
    const text = contentText(path);
    const known = this.#contents.get(text) ?? [];
    const texts = new Set(known.map(pathText));
    const more =
      isAggregate(value.type) && isAllocated(path)
        ? this.to(value).filter((one) => !texts.has(pathText(one)) && !isAllocated(one))
        : [];
    if (more.length === 0 || known.length + more.length > MOST_PATHS) return;
    this.#contents.set(text, [...known, ...more]);
    this.changed = true;
  }

  /** The caller's paths for a path of a callee. `before`: the caller's writes before the call. */
  inCaller(
    [root = "", ...keys]: AccessPath,
    args: readonly Atom[],
    before: DefiniteWrites,
  ): readonly AccessPath[] {
    const arg = root.startsWith(OUTSIDE) ? undefined : args[Number(root)];
    const outside = root.startsWith(OUTSIDE) ? [[root]] : [];
    let paths = arg === undefined ? outside : this.to(arg);
    for (const key of keys) {
      const inside = paths.map((path) => [...path, unmarked(key)]);
      paths = isAtEntry(key) ? inside.flatMap((path) => this.objectsAt(path, before)) : inside;
    }
    return paths.slice(0, MOST_PATHS);
  }
}
