// The types that flow between phases besides the program: forms, call sites, edits, and the facts
// of the analyses.

import type {
  Append,
  Atom,
  Field,
  For,
  Func,
  Global,
  Key,
  Let,
  Origin,
  Store,
  Type,
  Var,
  While,
} from "./types.ts";

/** The forms that give a derivative. */
export const DERIVATIVE_FORMS = [
  "grad",
  "valueAndGrad",
  "vjp",
  "transpose",
  "jvp",
  "linearize",
  "jacfwd",
  "jacrev",
  "hessian",
  "hvp",
] as const;

export type Form =
  | (typeof DERIVATIVE_FORMS)[number]
  | "checkGrads"
  | "derivativeSource"
  | "differentiable"
  | "delta";

/** Whether a call gets the source text of a derivative, not the derivative. */
export const isShown = (site: { readonly form: Form; readonly asText?: true }): boolean =>
  site.form === "derivativeSource" || site.asText === true;

/** Forms whose function returns a number. */
export const isOfScalar = (form: Form): boolean =>
  form === "grad" || form === "valueAndGrad" || form === "hessian" || form === "hvp";

/** Forms that differentiate all arguments by default, not only the first. */
export const defaultsToAllArguments = (form: Form): boolean =>
  form === "vjp" ||
  form === "transpose" ||
  form === "jvp" ||
  form === "linearize" ||
  form === "checkGrads";

/** Forms that receive `f$vjp`. */
export const receivesPullback = (form: Form): boolean =>
  form === "vjp" ||
  form === "transpose" ||
  form === "linearize" ||
  form === "jacrev" ||
  form === "checkGrads";

/** Whether a site receives `f$vjp` or its text. `isScalar`: its function returns a number. */
export const isPullback = (form: Form, isScalar: boolean): boolean =>
  receivesPullback(form) || (form === "derivativeSource" && !isScalar);

/**
 * The modes of the derivatives that a form receives, in order. "second" is forward mode of the
 * gradient. checkGrads also receives it for a function that returns a number.
 */
export function modesOf(form: Form): readonly ("reverse" | "forward" | "second")[] {
  switch (form) {
    case "grad":
    case "valueAndGrad":
    case "vjp":
    case "transpose":
    case "jacrev":
    case "derivativeSource":
      return ["reverse"];
    case "jvp":
    case "jacfwd":
      return ["forward"];
    case "linearize":
    case "checkGrads":
      return ["forward", "reverse"];
    case "hessian":
    case "hvp":
      return ["second"];
    case "differentiable":
    case "delta":
      return [];
  }
}

/** Forms that traverse values, and need to know which fields have no derivative. */
export const takesLayout = (form: Form): boolean =>
  form === "jacfwd" ||
  form === "jacrev" ||
  form === "hessian" ||
  form === "linearize" ||
  form === "checkGrads";

/**
 * Forms that pass user tangents to a forward derivative, which may have to leave them unwritten.
 */
export const takesTangents = (form: Form): boolean => form === "jvp" || form === "hvp";

/** Forms that only the Delta engine answers. */
export const isDeltaForm = (form: Form): boolean => form === "differentiable" || form === "delta";

/** A derivative that a body calls. It is generated before its caller is differentiated. */
export interface Derivation {
  /** "pull": `(...args, seed) => [value, cotangents]`. */
  readonly mode: "grad" | "vag" | "pull" | "fwd";
  /** Name of the function, which may be a derivative itself. */
  readonly of: string;
  /** Requested positions; in mode "fwd", those with tangents. */
  readonly requested: readonly number[];
  /** Whether the cotangents are returned as a tuple. */
  readonly tuple: boolean;
  /** The function must not write its arguments: its derivative needs the original ones. */
  readonly pure?: true;
  /** Of mode "fwd": it must not write tangents, since the caller may read some of them again. */
  readonly preservesTangents?: true;
}

/** One compile-time form that the user wrote, resolved. */
export interface CallSite {
  readonly form: Form;
  /** Span of the whole call expression. */
  readonly origin: Origin;
  /** Name of the function in Program.funcs. */
  readonly target: string;
  /**
   * Requested positions, in the user's order. The default is `[0]`; for vjp, transpose, jvp and
   * linearize it is `[]`, which means one entry per argument.
   */
  readonly argnums: readonly number[];
  /** Whether `argnums` is an array, so that the result is a tuple. */
  readonly tuple: boolean;
  readonly hasAux: boolean;
  /** Whether the derivative is written into its first argument. */
  readonly into: boolean;
  /** `debug: "nan"`. */
  readonly debug?: true;
  /** `derivativeSource(f, { form })`: the call gets the source text. */
  readonly asText?: true;
  /** Offset after the last argument, where `, f$grad` is inserted. */
  readonly insertAt: number;
  /** Only other generated code requests it. */
  readonly internal?: true;
  /** `null` if the target is in the same file, else the module specifier of its home. */
  readonly specifier: string | null;
}

/** A name that generated code in `file` needs from another module. */
export interface Import {
  readonly file: string;
  readonly name: string;
  readonly specifier: string;
  readonly typeOnly: boolean;
  /** Whether the file is CommonJS. */
  readonly isRequired?: boolean;
}

/** Replaces a span of a user's file by `text`. */
export interface Edit {
  /** Of a call around user code: "before" it, or after code that begins there. */
  readonly around?: "before" | number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Ascending offsets into `text`, each with the source of the text from there on. */
  readonly mappings: readonly { readonly offset: number; readonly origin: Origin }[];
}

/** An item to emit for a function: its BOG type or a derived function, in order of emission. */
export type Derived =
  | {
      readonly kind: "type";
      readonly home: string;
      readonly name: string;
      readonly type: Type;
      readonly origin: Origin;
    }
  | { readonly kind: "func"; readonly home: string; readonly func: Func };

/** An argument or outer object, or a field of it at any depth; or all places of one kind inside. */
export interface ArgumentPlace {
  readonly root: Var | Global;
  readonly path: readonly Field[];
  /** Steps from there on: to all elements, or to a field of each. */
  readonly within: readonly Within[];
  readonly type: Type;
}

export type Within =
  | { readonly kind: "elements"; readonly of: "array" | "Map" | "Object" }
  | { readonly kind: "field"; readonly field: Field };

/**
 * Two places that must not hold one object, or (`z` null) places that must not hold one twice.
 */
export interface AliasHazard {
  readonly x: ArgumentPlace;
  readonly z: ArgumentPlace | null;
}

/** An element or a field of an object. */
export interface Place {
  readonly object: Atom;
  readonly key: Key;
}

/** The place of an object: a key, or the end of an array by an append. */
export type ObjectPlace = Place | { readonly object: Atom; readonly append: Append };

/**
 * Whether an aggregate has no shadow in reverse code though others like it do: it is constant data,
 * or a join that may be constant data ("maybe").
 */
export type Absence = "never" | "maybe" | "always";

/**
 * Arrays of an argument that may grow, by their field paths. "deep": in elements or optional
 * values, or dicts that may get more keys.
 */
export type GrownArrays = readonly (readonly string[])[] | "deep";

/** Whether an element read may be out of bounds: below 0, or at the length or above. */
export interface BoundsTests {
  readonly below: boolean;
  readonly above: boolean;
}

/**
 * How a cotangent may be exactly 0 though the value is used. "dropped": a choice may leave the
 * value out. "stored": memory, a loop, a callee or the seed may. "scaled": only a factor of 0.
 */
export type ZeroCotangent = "never" | "scaled" | "stored" | "dropped";

/** Who gives the cotangent of a result: nobody, it is 1; a calling function; the user. */
export type SeedOrigin = "one" | "caller" | "user";

/** What the analyses know of a function for one set of active arguments, for differentiation. */
export interface FunctionFacts {
  /** Whether a scalar is active, so that it has a cotangent. */
  active(atom: Atom): boolean;
  /** Whether an aggregate holds active numbers: it has a shadow. */
  shadowed(atom: Atom): boolean;
  /** Whether reverse code can omit that shadow, since nobody reads it. */
  absence(atom: Atom): Absence;
  /** Whether the numbers of a place are active. */
  placeActive(object: Atom, key: Key): boolean;
  /** For a name bound by `load` or `length`: whether the reverse sweep can repeat the read. */
  rereadable(name: string): boolean;
  /** For a name bound by `load`: the same for a read of its shadow. */
  shadowRereadable(name: string): boolean;
  /** For such a name within a loop: whether the read is loop-invariant if its operands are. */
  isLoopInvariant(name: string, loop: For | While): boolean;
  /** For a read of a number: which bounds reverse code must test before it accumulates. */
  boundsTests(stmt: Let, seed: SeedOrigin): BoundsTests;
  /** For a possibly undefined number: whether it is defined, or the result shows that it is not. */
  isDefined(name: string): boolean;
  /**
   * The length before the loop of an array that only this append changes, once per iteration.
   * "measured": it must be read; null: other changes.
   */
  lengthBeforeLoop(append: Append, loop: For | While): number | "measured" | null;
  /** For an object of one iteration: its place when that iteration is reversed. */
  placeWhenReversed(name: string): ObjectPlace | null;
  /** For a call: positions of the active arguments, or null if it touches no derivative. */
  callActive(name: string): readonly number[] | null;
  /** Whether keys of a dict depend on active numbers. */
  keysVary(object: Atom): boolean;
  /** For a call: whether the callee parses numbers from strings that depend on active numbers. */
  callParsesStrings(name: string): boolean;
  /** For a call: whether the callee writes memory of its arguments. */
  callWrites(name: string): boolean;
  /** Whether the function itself writes memory of its arguments. */
  readonly writesArguments: boolean;
  /** For a call: whether the callee writes active memory. */
  callStores(name: string): boolean;
  /** For a call: positions of the arguments whose memory the callee may return. */
  callReturns(name: string): readonly number[];
  /** Whether an iteration of a loop stores into active memory that outlives it. */
  storesOutside(loop: For | While): boolean;
  /** Whether a store may be past the end of its array and lengthen it. */
  mayLengthen(store: Store): boolean;
  /** Whether an array may have another length at some time up to the reverse sweep. */
  lengthChanges(array: Atom): boolean;
  /** Whether the cotangent of a number may be 0. */
  zeroCotangent(name: string, seed: SeedOrigin): ZeroCotangent;
  /** Whether the cotangent of a number is 0 where the number overflows, as `exp` in `1 / exp`. */
  isFlattened(name: string): boolean;
  /** Whether a number is infinite where an exponential overflows. */
  mayOverflow(atom: Atom): boolean;
  /** Whether a finite number may have an infinite tangent, as `sqrt` at 0 has. */
  isSteep(atom: Atom): boolean;
  /** Whether a number is NaN if an element is undefined that may be. */
  mayBeUndefined(atom: Atom, seed: SeedOrigin): boolean;
  /** Whether a store may be at a place that the array's shadow does not have. */
  mayBeOutOfBounds(store: Store): boolean;
  /** Whether a number may be infinite or NaN for finite inputs. */
  mayBeInfinite(atom: Atom): boolean;
  /** Whether an atom is the quotient of two numbers, the second of which may be 0. */
  isQuotient(atom: Atom): boolean;
  /** Whether a number may be 0, unlike `1 + Math.exp(x)`. */
  mayBeZero(atom: Atom): boolean;
  /** Whether it may be infinite since the program contains `Infinity`, as in a table's margin. */
  hasLiteralInfinity(atom: Atom): boolean;
  /** Whether a number is an integer by construction. */
  isInteger(atom: Atom): boolean;
  /**
   * Places of arguments that may alias though they are written, so that their shadows would, too.
   */
  aliasHazards(): readonly AliasHazard[];
  /** Whether objects are stored in a parameter: as its own elements ("top"), or deeper ("deep"). */
  storedObjects(param: Atom): "none" | "top" | "deep";
  /** Which arrays of a parameter the function may lengthen. */
  grownArrays(param: Atom): GrownArrays;
  /** Whether nothing writes an aggregate's memory from here to the reverse sweep. */
  isUnchanged(atom: Atom): boolean;
  /** Whether two aggregates may share memory. */
  mayOverlap(x: Atom, z: Atom): boolean;
  /** Whether `bind`, a part of `of` without derivative, is written though it may be active. */
  writtenThrough(bind: Atom, of: Atom): boolean;
  /** Whether a number (active or not) depends on an active argument. */
  varied(atom: Atom): boolean;
}

/** A function whose derivatives are exported for programs that do not see its source. */
export interface Shipped {
  /** Its name in Program.funcs. */
  readonly target: string;
  readonly revf: string;
  readonly revr: string;
  /** Parameters whose memory the function writes. */
  readonly writes: readonly string[];
}

/**
 * `export { local as exported } from specifier`, or the export of an imported name. The derivatives
 * of `target` are exported likewise.
 */
export interface ReExport {
  readonly file: string;
  /** Offset after the declaration. */
  readonly at: number;
  readonly target: string;
  readonly local: string;
  readonly exported: string;
  /** Null if the file itself declares it. */
  readonly specifier: string | null;
}
