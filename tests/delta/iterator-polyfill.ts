// Iterator helpers for versions of Node that have none (before 22), so that their handlers are tested there, too. Written from the
// descriptions of the methods; arguments are checked when a helper is made.

type Walk = Iterator<unknown> & Iterable<unknown>;
type Callback = (...values: unknown[]) => unknown;

const callable = (f: unknown): Callback => {
  if (typeof f !== "function") throw new TypeError(`${String(f)} is not a function`);
  return f as Callback;
};
const count = (n: unknown): number => {
  const whole = Math.trunc(Number(n));
  if (!(whole >= 0)) throw new RangeError(`${String(n)} must be positive`);
  return whole;
};
function* mapped(self: Walk, f: Callback): Generator {
  let k = 0;
  for (const value of self) yield f(value, k++);
}
function* filtered(self: Walk, f: Callback): Generator {
  let k = 0;
  for (const value of self) if (f(value, k++)) yield value;
}
function* taken(self: Walk, most: number): Generator {
  let left = most;
  if (left === 0) self.return?.();
  else
    for (const value of self) {
      yield value;
      if (--left === 0) break;
    }
}
function* dropped(self: Walk, least: number): Generator {
  let left = least;
  for (const value of self) if (left-- <= 0) yield value;
}
function* flattened(self: Walk, f: Callback): Generator {
  let k = 0;
  for (const value of self) yield* f(value, k++) as Iterable<unknown>;
}

const HELPERS = {
  map(this: Walk, f: unknown) {
    return mapped(this, callable(f));
  },
  filter(this: Walk, f: unknown) {
    return filtered(this, callable(f));
  },
  take(this: Walk, n: unknown) {
    return taken(this, count(n));
  },
  drop(this: Walk, n: unknown) {
    return dropped(this, count(n));
  },
  flatMap(this: Walk, f: unknown) {
    return flattened(this, callable(f));
  },
  reduce(this: Walk, f: unknown, ...initial: unknown[]) {
    return [...this].reduce(
      (sum, value, k) => callable(f)(sum, value, k),
      ...(initial as [unknown]),
    );
  },
  toArray(this: Walk) {
    return [...this];
  },
  forEach(this: Walk, f: unknown) {
    let k = 0;
    for (const value of this) callable(f)(value, k++);
  },
  some(this: Walk, f: unknown) {
    let k = 0;
    for (const value of this) if (callable(f)(value, k++)) return true;
    return false;
  },
  every(this: Walk, f: unknown) {
    let k = 0;
    for (const value of this) if (!callable(f)(value, k++)) return false;
    return true;
  },
  find(this: Walk, f: unknown) {
    let k = 0;
    for (const value of this) if (callable(f)(value, k++)) return value;
    return undefined;
  },
};

const shared: object = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
const added: (() => void)[] = [];

/** Adds what this version of Node lacks. */
export function addHelpers(): void {
  const add = (o: object, name: string, value: unknown): void => {
    if (name in o) return;
    Object.defineProperty(o, name, { value, writable: true, configurable: true });
    added.push(() => Reflect.deleteProperty(o, name));
  };
  for (const [name, value] of Object.entries(HELPERS)) add(shared, name, value);
  const made = Object.assign(() => undefined, {
    from: (o: Iterable<unknown> | Iterator<unknown>): Iterator<unknown> =>
      Symbol.iterator in o
        ? o[Symbol.iterator]()
        : Object.assign(Object.create(shared), { next: () => o.next() }),
  });
  Object.defineProperty(made, "prototype", { value: shared });
  add(globalThis, "Iterator", made);
}

export function removeHelpers(): void {
  for (const remove of added.splice(0)) remove();
}
