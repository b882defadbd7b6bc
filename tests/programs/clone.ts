// Deep copies of programs' values. In: a value. Out: a copy with the same aliasing and, unlike `structuredClone`, the same classes.
// Invariant: a copy in another module's classes finds them by name, and so does one with its functions.

type Classes = Readonly<Record<string, unknown>>;

const isPrototype = (value: unknown): value is object =>
  typeof value === "object" && value !== null;

/** Numbers and nothing else: most of what is copied. */
const isPlain = (value: object): value is number[] =>
  Array.isArray(value) &&
  value.every((one) => typeof one === "number") &&
  Object.keys(value).length === value.length;

/** `classes`: exports to take classes from, where they have one of the same name; instances of other classes keep theirs. */
export function cloned<T>(value: T, classes?: Classes): T;
export function cloned(value: unknown, classes: Classes = {}): unknown {
  const known = new Map<unknown, unknown>();
  const prototypeOf = (object: object): object | null => {
    const own: unknown = Object.getPrototypeOf(object);
    const name: unknown =
      isPrototype(own) && typeof own.constructor === "function" ? own.constructor.name : "";
    const other =
      typeof name === "string" && Object.hasOwn(classes, name) ? classes[name] : undefined;
    const prototype: unknown = typeof other === "function" ? other.prototype : own;
    return isPrototype(prototype) ? prototype : null;
  };
  const copy = (one: unknown): unknown => {
    if (
      typeof one === "function" &&
      Object.hasOwn(classes, one.name) &&
      typeof classes[one.name] === "function"
    )
      return classes[one.name];
    if (typeof one !== "object" || one === null) return one;
    const done = known.get(one);
    if (done !== undefined) return done;
    if (
      ArrayBuffer.isView(one) ||
      one instanceof Date ||
      one instanceof RegExp ||
      one instanceof Error
    )
      return structuredClone(one);
    const made: object = isPlain(one)
      ? one.slice()
      : Array.isArray(one)
        ? new Array(one.length)
        : one instanceof Map
          ? new Map()
          : one instanceof Set
            ? new Set()
            : Object.create(prototypeOf(one));
    known.set(one, made);
    if (isPlain(one)) return made;
    if (one instanceof Map && made instanceof Map)
      for (const [key, held] of one) made.set(copy(key), copy(held));
    if (one instanceof Set && made instanceof Set) for (const held of one) made.add(copy(held));
    for (const key of Object.keys(one)) Reflect.set(made, key, copy(Reflect.get(one, key)));
    return made;
  };
  return copy(value);
}
