// The type of a value's cotangent. Type-level only. It agrees with the compiler's `shadowType`, so
// derivative code returns what a user's call is typed to give.

/** A number array of a built-in kind. Its cotangent has the same kind. */
export type NumberArray =
  | Float64Array
  | Float32Array
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array;

type Callable = ((...args: never) => unknown) | (abstract new (...args: never) => unknown);

/** Types without derivative, built-ins with a tag included (Set, Promise, ArrayBuffer, …). */
export type Leaf =
  | string
  | boolean
  | bigint
  | symbol
  | null
  | undefined
  // eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- results may be void
  | void
  | Callable
  | RegExp
  | { readonly [Symbol.toStringTag]: string };

export type IsAny<T> = 0 extends 1 & T ? true : false;
export type IsUnion<T, Whole = T> = T extends unknown
  ? [Whole] extends [T]
    ? false
    : true
  : never;

/** The types on the way down, each compared with itself, so that recursive types terminate. */
interface Visited<T> {
  readonly type: (x: T) => T;
}

/** Whether a number that a derivative can pass through is reachable from a value of this type. */
export type HasNumbers<T, Seen = never> =
  IsAny<T> extends true ? false : true extends Reaches<T, Seen> ? true : false;

/** `true` for each member of a union that reaches a number. */
type Reaches<T, Seen> = T extends number | NumberArray
  ? true
  : Visited<T> extends Seen
    ? false
    : T extends ReadonlyMap<unknown, infer V>
      ? HasNumbers<V, Seen | Visited<T>>
      : T extends Leaf
        ? false
        : T extends readonly unknown[]
          ? unknown extends T[number]
            ? ElementsReach<T, Seen | Visited<T>>
            : HasNumbers<T[number], Seen | Visited<T>>
          : T extends object
            ? unknown extends T[keyof T]
              ? FieldsReach<T, Seen | Visited<T>>
              : HasNumbers<T[keyof T], Seen | Visited<T>>
            : false;

/** Elementwise, since `number | any` is `any` and a union with `unknown` is `unknown`. */
type ElementsReach<T extends readonly unknown[], Seen> = {
  [K in keyof T]: HasNumbers<T[K], Seen>;
}[number];
type FieldsReach<T, Seen> = ValueOf<{ [K in keyof T as Named<K>]-?: HasNumbers<T[K], Seen> }>;
type ValueOf<T> = T[keyof T];

/** A field by its name. `[key: string]: unknown` has any name. */
type Named<K> = string extends K ? never : number extends K ? never : symbol extends K ? never : K;

/**
 * The cotangent of a value of type `T`: the shape of `T` with a derivative in place of each number.
 *
 * - A number: `number`. Arrays, tuples and typed arrays: the same kind, never `readonly`;
 *   `ArrayLike<number>`: one of these.
 * - Records and class instances: the fields that hold numbers. Methods, strings, booleans and the
 *   like are dropped. Literal fields (numbers, too) that discriminate the members of a union keep
 *   their value. In a tuple all elements stay, so that positions do not change.
 * - An optional number: always present, 0 if the number is absent. An optional array or record:
 *   absent if the value is absent.
 * - `never` if no number is reachable.
 *
 * Krawiec et al. §11 (arbitrary argument and result types).
 *
 * @example
 * interface Layer { name: string; w: readonly number[]; bias?: number }
 * type D = Cotangent<Layer>; // { w: number[]; bias: number }
 */
export type Cotangent<T> =
  IsAny<T> extends true
    ? unknown
    : HasNumbers<T> extends false
      ? never
      : [NonNullable<T>] extends [number]
        ? number
        : | Shadow<Exclude<T, null | undefined>, IsUnion<Aggregates<T>>>
          | (T extends null | undefined ? undefined : never);

/** The members of a union that have shadows. */
export type Aggregates<T> = T extends number | NumberArray
  ? T
  : T extends ReadonlyMap<unknown, unknown>
    ? T
    : T extends Leaf
      ? never
      : T;

/** Distributes over a union. `Tagged`: it has several members, discriminated by literal fields. */
type Shadow<T, Tagged> = T extends number
  ? number
  : T extends NumberArray
    ? KindOf<T>
    : T extends ReadonlyMap<infer K, infer V>
      ? HasNumbers<V> extends true
        ? Map<K, Cotangent<V>>
        : never
      : T extends Leaf
        ? never
        : T extends readonly unknown[]
          ? HasNumbers<T> extends true
            ? Elements<T>
            : Tagged extends true
              ? TupleOfNone<T>
              : never
          : [ArrayLike<number>, number] extends [T, keyof T]
            ? number[] | NumberArray // a record with a length alone has no places
            : T extends object
              ? RecordShadow<T, Tagged>
              : never;

/** A tuple without numbers that is a union member keeps its positions. */
type TupleOfNone<T extends readonly unknown[]> = number extends T["length"]
  ? never
  : { -readonly [K in keyof T]: T[K] };

type KindOf<T> = T extends Float64Array
  ? Float64Array
  : T extends Float32Array
    ? Float32Array
    : T extends Int8Array
      ? Int8Array
      : T extends Uint8Array
        ? Uint8Array
        : T extends Uint8ClampedArray
          ? Uint8ClampedArray
          : T extends Int16Array
            ? Int16Array
            : T extends Uint16Array
              ? Uint16Array
              : T extends Int32Array
                ? Int32Array
                : T extends Uint32Array
                  ? Uint32Array
                  : never;

/** `Cotangent<…>[]` is resolved lazily, so tuples may hold arrays of themselves. */
type Elements<T extends readonly unknown[]> =
  readonly T[number][] extends Readonly<T>
    ? Cotangent<T[number]>[]
    : T extends Required<T>
      ? { -readonly [K in keyof T]: HasNumbers<T[K]> extends true ? Element<T[K], T> : T[K] }
      : Places<T, Required<T>>;

/** An optional tuple element is defined in the cotangent: 0, or `undefined` for an aggregate. */
type Places<T, All> = {
  -readonly [K in keyof All]: K extends keyof T
    ? HasNumbers<T[K]> extends true
      ? Element<T[K], T>
      : T[K]
    : never;
};

/** Terminates for a tuple inside itself (`[number, List] | null`), which TypeScript resolves. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- it ends the recursion
type Element<V, Around> = true extends IsInside<V, Around, never> ? any : Cotangent<V>;

/** `true` for each union member that is a tuple T or has T among its elements. */
type IsInside<V, T, Seen> = V extends readonly unknown[]
  ? number extends V["length"]
    ? false
    : Visited<V> extends Visited<T>
      ? true
      : Visited<V> extends Seen
        ? false
        : { [K in keyof V]: IsInside<V[K], T, Seen | Visited<V>> }[number]
  : false;

type RecordShadow<T, Tagged> =
  IsOwnShadow<T> extends true
    ? T
    : Flat<
        {
          -readonly [
            K in keyof T as FieldKind<T[K], Tagged> extends "scalar" ? K : never
          ]-?: number;
        } & {
          -readonly [
            K in keyof T as FieldKind<T[K], Tagged> extends "aggregate" ? K : never
          ]: Cotangent<T[K]>;
        } & { -readonly [K in keyof T as FieldKind<T[K], Tagged> extends "tag" ? K : never]: T[K] }
      >;

type FieldKind<V, Tagged> = Tagged extends true
  ? IsNumberLiteral<V> extends true
    ? "tag"
    : KindOfField<V, Tagged>
  : KindOfField<V, Tagged>;
type KindOfField<V, Tagged> =
  HasNumbers<V> extends true
    ? [NonNullable<V>] extends [number]
      ? "scalar"
      : "aggregate"
    : Tagged extends false
      ? "dropped"
      : IsLiteral<V> extends true
        ? "tag"
        : "dropped";

export type IsLiteral<V> =
  IsAny<V> extends true
    ? false
    : [V] extends [never]
      ? false
      : [V] extends [string]
        ? string extends V
          ? false
          : true
        : [V] extends [boolean]
          ? boolean extends V
            ? false
            : true
          : [V] extends [null | undefined]
            ? true
            : false;

/** A number type that lists its values. In a union member it discriminates, without derivative. */
export type IsNumberLiteral<V> =
  IsAny<V> extends true
    ? false
    : [V] extends [never]
      ? false
      : [V] extends [number]
        ? `${number}` extends `${V}`
          ? false
          : true
        : false;

/** Shows an intersection as one object type. */
type Flat<T> = T extends infer All ? { [K in keyof All]: All[K] } : never;

/** Whether a record is its own shadow: it is writable and consists of numbers only. */
type IsOwnShadow<T, Seen = never> =
  IsAny<T> extends true ? false : false extends IsOwn<T, Seen> ? false : true;

/** `false` for each union member that is not its own shadow. */
type IsOwn<T, Seen> = T extends number
  ? number extends T
    ? true
    : false
  : T extends NumberArray
    ? KindOf<T> extends T
      ? true
      : false
    : Visited<T> extends Seen
      ? true
      : T extends ReadonlyMap<unknown, unknown> | Leaf
        ? false
        : T extends readonly unknown[]
          ? T extends unknown[]
            ? number extends T["length"]
              ? IsOwnShadow<T[number], Seen | Visited<T>>
              : false extends OwnElements<T, Seen | Visited<T>>
                ? false
                : true
            : false
          : T extends object
            ? IsPlain<T> extends true
              ? false extends OwnFields<T, Seen | Visited<T>>
                ? false
                : true
              : false
            : false;

/** Per field, since a union of all field types would absorb `1` into `number`. */
type OwnFields<T, Seen> = { [K in keyof T]: IsOwnShadow<T[K], Seen> }[keyof T];
type OwnElements<T extends readonly unknown[], Seen> = {
  [K in keyof T]: IsOwnShadow<T[K], Seen>;
}[number];

/** Whether an object literal with these fields is a writable `T`: none is optional or private. */
type IsPlain<T> =
  Identical<{ [K in keyof T]: T[K] }, { -readonly [K in keyof T]-?: T[K] }> extends true
    ? { [K in keyof T]: T[K] } extends T
      ? true
      : false
    : false;
type Identical<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
