// What a store knows of an object, in private fields of the object: a constructor adds them to
// whatever object it returns. Compared with a WeakMap, a read takes a third of the time and a new
// entry a thirtieth. Each live store finds its own data only. Data of a store that is over is
// recognised, and the next store overwrites it.

import type { Entries, Fields, Handle } from "./store.ts";

/** Owner of data about objects. */
export interface Keeper {
  /** Its run has not ended. */
  readonly isLive: boolean;
  /** Its run has ended, and nobody reads it any more. */
  readonly isOver: boolean;
  /** It has data. */
  isUsed: boolean;
  /** Data without a place in its object: another store has the place, or the object is frozen. */
  listsAside: WeakMap<object, Handle> | undefined;
  fieldsAside: WeakMap<object, Fields> | undefined;
}

/** Whether objects that are marked now are arguments or results, which belong to the caller. */
export let isGiving = false;

/** Sets `isGiving` and returns its former value. */
export function setGiving(to: boolean): boolean {
  const before = isGiving;
  isGiving = to;
  return before;
}

/** A subclass adds its private fields to the object that it is constructed with. */
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

/** The same for entries of a Map or members of a Set. */
export const leftEntries = (o: object): Entries | undefined => Entered.left(o);
export const noteEntries = (o: object, keeper: Keeper, ids: Entries): void => {
  Entered.put(o, keeper, ids);
};

/** Ids of fields from a run that is over. */
export const leftFields = (o: object): Fields | undefined => Fielded.left(o);

/** Drops the ids of an object's fields. */
export const forgetFields = (o: object, none: Fields): void => {
  Fielded.forget(o, none);
};

/** The last handle, of any store. */
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
