// The places of persistent memory that one execution has written so far, as access paths. A path
// with an unknown element stands for all elements. Storing an object brings its contents along;
// moving one there from elsewhere counts as a write only where its contents were written.

import {
  type AccessPath,
  anyElement,
  ANY_ENTRY,
  entryObject,
  hasElement,
  isAllocated,
  isSingle,
  pathText,
} from "./access-path.ts";

/** "one": at a constant index. "all": at computed indices. "appended": new elements. */
type Extent = "one" | "all" | "appended";

export class DefiniteWrites {
  readonly #places = new Map<string, AccessPath>();
  readonly #elements = new Map<string, { readonly path: AccessPath; readonly extent: Extent }>();
  /** By place: the objects moved there from elsewhere. */
  readonly #moved = new Map<
    string,
    { readonly path: AccessPath; readonly from: readonly AccessPath[] }
  >();
  /** The execution ends here by an exception. */
  #isUnreachable = false;

  copy(): DefiniteWrites {
    const made = new DefiniteWrites();
    for (const [text, path] of this.#places) made.#places.set(text, path);
    for (const [text, one] of this.#elements) made.#elements.set(text, one);
    for (const [text, one] of this.#moved) made.#moved.set(text, one);
    made.#isUnreachable = this.#isUnreachable;
    return made;
  }

  leave(): void {
    this.#isUnreachable = true;
  }

  store(path: AccessPath): void {
    if (path.at(-1) === ANY_ENTRY) return;
    if (isSingle(path)) {
      this.#places.set(pathText(path), path);
      this.#moved.delete(pathText(path));
    }
    if (hasElement(path)) this.#element(path, isSingle(path) ? "one" : "all");
  }

  /** Stores an object from elsewhere, written as far as it was there. False: unknown place. */
  move(path: AccessPath, from: readonly AccessPath[]): boolean {
    if (!isSingle(path)) return false;
    this.#places.delete(pathText(path));
    this.#moved.set(pathText(path), { path, from });
    return true;
  }

  /** Paths to the objects that a read finds there: stored by this execution, or there at entry. */
  objectsAt(path: AccessPath, isStack: boolean): readonly AccessPath[] {
    if (isAllocated(path)) return [path];
    return (
      this.#moved.get(pathText(path))?.from ?? [
        this.reaches(path, isStack) ? path : entryObject(path),
      ]
    );
  }

  /** The number of moves so far. */
  get moves(): number {
    let count = 0;
    for (const { from } of this.#moved.values()) count += from.length;
    return count;
  }

  /** `path`: the elements of the array. */
  append(path: AccessPath): void {
    this.#element(path, "appended");
  }

  #element(path: AccessPath, extent: Extent): void {
    const any = anyElement(path);
    const text = pathText(any);
    const known = this.#elements.get(text)?.extent;
    if (known !== "all" && !(known === "appended" && extent === "one"))
      this.#elements.set(text, { path: any, extent });
  }

  /** Whether a read may find what this execution wrote. `isStack`: it reads what was appended. */
  reaches(path: AccessPath, isStack: boolean): boolean {
    return this.#covered(
      path,
      (extent, isOne) =>
        extent === "all" || (extent === "one" && !isOne) || (extent === "appended" && isStack),
    );
  }

  /** Whether a read certainly does: one written element proves nothing about the others. */
  covers(path: AccessPath): boolean {
    return this.#covered(path, (extent) => extent === "all");
  }

  #covered(path: AccessPath, isEnough: (extent: Extent, isOne: boolean) => boolean): boolean {
    if (this.#isUnreachable) return true;
    for (let end = path.length; end > 0; end--) {
      const part = path.slice(0, end);
      const of = this.#elements.get(pathText(anyElement(part)));
      if (
        this.#places.has(pathText(part)) ||
        (of !== undefined && isEnough(of.extent, isSingle(part)))
      )
        return true;
    }
    return false;
  }

  /** Whether anything inside the object there was written. */
  hasBelow(path: AccessPath): boolean {
    const single = `${pathText(path)}\0`;
    const any = `${pathText(anyElement(path))}\0`;
    return (
      this.covers(path) ||
      [...this.#places.keys()].some((text) => text.startsWith(single)) ||
      [...this.#elements.keys()].some((text) => text.startsWith(any))
    );
  }

  /** Adds the writes of a callee; `here` translates its paths. */
  add(other: DefiniteWrites, here: (path: AccessPath) => readonly AccessPath[]): void {
    for (const path of other.#places.values()) {
      const [one, ...more] = here(path);
      if (one !== undefined && more.length === 0) this.store(one);
    }
    for (const { path, extent } of other.#elements.values())
      for (const one of here(path)) this.#element(one, extent);
    for (const { path, from } of other.#moved.values()) {
      const [one, ...more] = here(path);
      if (one !== undefined && more.length === 0) this.move(one, from.flatMap(here));
    }
  }

  /** Joins two branches. `isPastDependent`: earlier state decides which one runs. */
  static either(
    one: DefiniteWrites,
    other: DefiniteWrites,
    isPastDependent: boolean,
  ): DefiniteWrites {
    if (one.#isUnreachable || other.#isUnreachable) return one.#isUnreachable ? other : one;
    const made = new DefiniteWrites();
    for (const [text, path] of one.#places) if (other.covers(path)) made.#places.set(text, path);
    for (const [text, path] of other.#places) if (one.covers(path)) made.#places.set(text, path);
    made.#joinElements(one, other, isPastDependent);
    for (const [text, { path, from }] of [...one.#moved, ...other.#moved]) {
      const theirs = [one, other].flatMap((each) =>
        each.#places.has(text) ? [] : each.objectsAt(path, false),
      );
      made.#moved.set(text, {
        path,
        from: [...new Map([...from, ...theirs].map((each) => [pathText(each), each])).values()],
      });
    }
    return made;
  }

  #joinElements(one: DefiniteWrites, other: DefiniteWrites, isPastDependent: boolean): void {
    for (const [text, { path, extent }] of [...one.#elements, ...other.#elements]) {
      const mine = one.#elements.get(text)?.extent;
      const theirs = other.#elements.get(text)?.extent;
      if (!isPastDependent) this.#element(path, extent);
      else if (mine !== undefined && theirs !== undefined)
        this.#element(path, mine === "all" ? theirs : mine);
    }
  }

  /** Elements written in one branch only, and not before both. */
  static lacking(
    one: DefiniteWrites,
    other: DefiniteWrites,
    before: DefiniteWrites,
  ): readonly AccessPath[] {
    if (one.#isUnreachable || other.#isUnreachable) return [];
    const only = (mine: DefiniteWrites, theirs: DefiniteWrites): readonly AccessPath[] =>
      [...mine.#elements].flatMap(([text, { path, extent }]) =>
        extent === "all" && theirs.#elements.get(text)?.extent !== "all" && !before.covers(path)
          ? [path]
          : [],
      );
    return [...only(one, other), ...only(other, one)];
  }
}
