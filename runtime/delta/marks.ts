// What a store knows of an object, kept in the object: in private fields, which a constructor gives to whatever object it returns and which no other
// code sees. A look is as fast as one at a property; in a WeakMap it takes three times that, and a new entry thirty times. In: an object and a store.
// Out: what it knows. Invariants: of another store nothing is found; stores that live at once find each their own; what a store that is over left in an
// object is told apart, and the next store takes its place.

import type { Entries, Fields, Handle } from "./store.ts";

/** Who keeps something of objects. */
export interface Keeper {
  /** Until its run is over. */
  readonly isLive: boolean;
  /** It was live, and nobody asks it for anything any more. */
  readonly isOver: boolean;
  /** It has kept something. */
  isUsed: boolean;
  /** What has no place in its object: another store took it, or the engine gives no private fields to what is frozen. */
  listsAside: WeakMap<object, Handle> | undefined;
  fieldsAside: WeakMap<object, Fields> | undefined;
}

/** What is marked now is an argument, or handed out: its numbers are the caller's from then on. */
export let isGiving = false;

/** Marks arguments. Returns what was so before. */
export function giving(to: boolean): boolean {
  const before = isGiving;
  isGiving = to;
  return before;
}

/** What extends it gives its private fields to the object that it is made with. */
export class Itself {
  constructor(o: object) {
    return o;
  }
}

class Listed extends Itself {
  #handle: Handle;

  constructor(o: object, handle: Handle) {
    super(o);
    this.#handle = handle;
  }

  static of(o: object): Handle | undefined {
    return #handle in o ? o.#handle : undefined;
  }

  static put(o: object, handle: Handle): void {
    if (#handle in o) o.#handle = handle;
    else new Listed(o, handle);
  }
}

class Fielded extends Itself {
  #keeper: Keeper;
  #ids: Fields;

  constructor(o: object, keeper: Keeper, ids: Fields) {
    super(o);
    this.#keeper = keeper;
    this.#ids = ids;
  }

  static of(o: object, keeper: Keeper): Fields | undefined {
    return #keeper in o && o.#keeper === keeper ? o.#ids : undefined;
  }

  static forget(o: object, none: Fields): void {
    if (#keeper in o) o.#ids = none;
  }

  static left(o: object): Fields | undefined {
    return #keeper in o && o.#keeper.isOver ? o.#ids : undefined;
  }

  static put(o: object, keeper: Keeper, ids: Fields): void {
    if (#keeper in o) {
      const before = o.#keeper;
      if (before !== keeper && before.isLive) (before.fieldsAside ??= new WeakMap()).set(o, o.#ids);
      o.#keeper = keeper;
      o.#ids = ids;
    } else new Fielded(o, keeper, ids);
  }
}

export function listOf(o: object, keeper: Keeper): Handle | undefined {
  const own = Listed.of(o);
  return own !== undefined && own.keeper === keeper ? own : keeper.listsAside?.get(o);
}

class Entered extends Itself {
  #keeper: Keeper;
  #ids: Entries;

  constructor(o: object, keeper: Keeper, ids: Entries) {
    super(o);
    this.#keeper = keeper;
    this.#ids = ids;
  }

  static left(o: object): Entries | undefined {
    return #keeper in o && o.#keeper.isOver ? o.#ids : undefined;
  }

  static put(o: object, keeper: Keeper, ids: Entries): void {
    if (#keeper in o) {
      o.#keeper = keeper;
      o.#ids = ids;
    } else if (Object.isExtensible(o)) new Entered(o, keeper, ids);
  }
}

/** The same of a Map's entries, or a Set's members. */
export const leftEntries = (o: object): Entries | undefined => Entered.left(o);
export const noteEntries = (o: object, keeper: Keeper, ids: Entries): void => {
  Entered.put(o, keeper, ids);
};

/** Ids of fields that a run which is over left in an object. */
export const leftFields = (o: object): Fields | undefined => Fielded.left(o);

/** Nobody is to find the ids of its fields. */
export const forgetFields = (o: object, none: Fields): void => {
  Fielded.forget(o, none);
};

/** What was kept last, in whatever store. */
export const lastOf = (o: object): Handle | undefined => Listed.of(o);

export function keepList(o: object, handle: Handle): void {
  handle.keeper.isUsed = true;
  const before = Listed.of(o);
  if (before !== undefined && before.keeper !== handle.keeper && before.keeper.isLive)
    (before.keeper.listsAside ??= new WeakMap()).set(o, before);
  try {
    Listed.put(o, handle);
  } catch {
    (handle.keeper.listsAside ??= new WeakMap()).set(o, handle);
  }
}

export const fieldsOf = (o: object, keeper: Keeper): Fields | undefined =>
  Fielded.of(o, keeper) ?? keeper.fieldsAside?.get(o);

export function keepFields(o: object, keeper: Keeper, ids: Fields): void {
  keeper.isUsed = true;
  try {
    Fielded.put(o, keeper, ids);
  } catch {
    (keeper.fieldsAside ??= new WeakMap()).set(o, ids);
  }
}
