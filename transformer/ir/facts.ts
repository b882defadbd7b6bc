// What flows between phases beside the program itself. In: nothing. Out: types only.

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

export type Form =
  | "grad"
  | "valueAndGrad"
  | "vjp"
  | "jvp"
  | "linearize"
  | "jacfwd"
  | "jacrev"
  | "hessian"
  | "hvp"
  | "checkGrads"
  | "derivativeSource"
  | "differentiable"
  | "delta";

/** Forms whose function returns a number. */
export const isOfScalar = (form: Form): boolean =>
  form === "grad" || form === "valueAndGrad" || form === "hessian" || form === "hvp";

/** Forms that without `argnums` are about all arguments, not about the first. */
export const asksForAll = (form: Form): boolean =>
  form === "vjp" || form === "jvp" || form === "linearize" || form === "checkGrads";

/** Forms that are given `f$vjp`. */
export const keepsPullback = (form: Form): boolean =>
  form === "vjp" || form === "linearize" || form === "jacrev" || form === "checkGrads";

/** Whether a site is given `f$vjp`, or its text; `isScalar`: its function returns a number. */
export const isPullback = (form: Form, isScalar: boolean): boolean =>
  keepsPullback(form) || (form === "derivativeSource" && !isScalar);

/** What a form is given: functions of these modes, in this order. "second" is forward mode of the gradient, which checkGrads gets, too, where it is asked of a function that returns a number. */
export function modesOf(form: Form): readonly ("reverse" | "forward" | "second")[] {
  switch (form) {
    case "grad":
    case "valueAndGrad":
    case "vjp":
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

/** Forms that walk through values, and have to know which fields are no numbers of a derivative. */
export const takesLayout = (form: Form): boolean =>
  form === "jacfwd" ||
  form === "jacrev" ||
  form === "hessian" ||
  form === "linearize" ||
  form === "checkGrads";

/** Forms that hand the user's own tangents to a forward derivative, and so have to know whether it writes them. */
export const takesTangents = (form: Form): boolean => form === "jvp" || form === "hvp";

/** Forms that only the Delta engine answers. */
export const isDeltaForm = (form: Form): boolean => form === "differentiable" || form === "delta";

/** A derivative that a body calls: made before the function around the call is differentiated. */
export interface Derivation {
  /** "pull": `(...args, seed) => [value, cotangents]`. */
  readonly mode: "grad" | "vag" | "pull" | "fwd";
  /** Name of the function, which may be a derivative itself. */
  readonly of: string;
  /** Positions asked for; in mode "fwd" those that have tangents. */
  readonly asked: readonly number[];
  /** Whether the cotangents come as a tuple. */
  readonly tuple: boolean;
  /** The function must not write what it is given: its derivative is called from the arguments as they were, or more than once. */
  readonly pure?: true;
  /** Of mode "fwd": some of its tangents are objects that the code around may read again, so it must not write them. */
  readonly keepsTangents?: true;
}

/** One compile-time form that the user wrote, resolved. */
export interface CallSite {
  readonly form: Form;
  /** The whole call expression. */
  readonly origin: Origin;
  /** Name of the function in Program.funcs. */
  readonly target: string;
  /** Positions asked for, in the user's order; where none are given `[0]`, and for vjp, jvp and linearize `[]`: one entry per argument. */
  readonly argnums: readonly number[];
  /** Whether the user wrote `argnums` as an array, so that the result is a tuple. */
  readonly tuple: boolean;
  readonly hasAux: boolean;
  /** Whether the derivative is written into an object that its caller gives, as its first argument. */
  readonly into: boolean;
  /** Offset behind the last argument: `, f$grad` goes here. */
  readonly insertAt: number;
  /** No call asks for it, but other generated code. */
  readonly silent?: true;
  /** `null` where the target is in the same file, else the module specifier that the caller writes for the target's home module. */
  readonly specifier: string | null;
}

/** A name that generated code in `file` needs from another module. */
export interface Import {
  readonly file: string;
  readonly name: string;
  readonly specifier: string;
  readonly typeOnly: boolean;
}

/** Text to put in place of a span of a user's file. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Ascending offsets into `text`, each with the user code that the text from there on comes from. */
  readonly mappings: readonly { readonly offset: number; readonly origin: Origin }[];
}

/** One thing to emit for a function: its BOG's type, or a derived function. Order is the order of emission. */
export type Derived =
  | {
      readonly kind: "type";
      readonly home: string;
      readonly name: string;
      readonly type: Type;
      readonly origin: Origin;
    }
  | { readonly kind: "func"; readonly home: string; readonly func: Func };

/** An argument or an object of an enclosing scope, or a field of one, fields of fields included; or all places of a kind in that. */
export interface ArgumentPlace {
  readonly root: Var | Global;
  readonly path: readonly Field[];
  /** From what stands there on: of all elements, of a field of each. */
  readonly within: readonly Within[];
  readonly type: Type;
}

export type Within =
  | { readonly kind: "elements"; readonly of: "array" | "Map" | "Object" }
  | { readonly kind: "field"; readonly field: Field };

/** Two places that must not hold one object, or (`z` null) an array that must not hold one twice. */
export interface AliasHazard {
  readonly x: ArgumentPlace;
  readonly z: ArgumentPlace | null;
}

/** An element or a field of an object. */
export interface Place {
  readonly object: Atom;
  readonly key: Key;
}

/** Where an object is: at a key, or where it was appended. */
export type Kept = Place | { readonly object: Atom; readonly append: Append };

/** Whether reverse code has no shadow of an aggregate that is shadowed otherwise: data, or a join that may be data ("maybe"). */
export type Absence = "never" | "maybe" | "always";

/** Arrays of an argument that may be longer at the end, by the fields that lead to them; "deep": in elements, in what may be missing, or they are dicts that may have more keys. */
export type Lengthened = readonly (readonly string[])[] | "deep";

/** Whether an element read may be before the beginning of its array, or behind its end. */
export interface Beyond {
  readonly below: boolean;
  readonly behind: boolean;
}

/** Which numbers are NaN where an element is not there, and which of them the result may leave out. */
export interface Missing {
  isMissing(atom: Atom): boolean;
  isLeftOut(atom: Atom): boolean;
}

/** What the analyses know of one function, for one set of active arguments. Asked by differentiation. */
export interface FunctionFacts extends Missing {
  /** Whether a scalar depends on an active argument and reaches an output: it has a cotangent. */
  active(atom: Atom): boolean;
  /** Whether an aggregate holds active numbers: it has a shadow. */
  shadowed(atom: Atom): boolean;
  /** Whether reverse code can do without that shadow, since nobody would read it. */
  absence(atom: Atom): Absence;
  /** Whether the numbers at this place are active. */
  placeActive(object: Atom, key: Key): boolean;
  /** For a name bound by `load` or `length`: whether the same read gives the same value whenever the reverse sweep runs. */
  rereadable(name: string): boolean;
  /** For a name bound by `load`: the same of the read of its shadow. */
  shadowRereadable(name: string): boolean;
  /** For a name bound by such a read within a loop: whether it gives the same in every round, and could stand in front of the loop if what it is made of does. */
  steadyIn(name: string, loop: For | While): boolean;
  /** Of a read of a number: what reverse code has to ask before it adds to that element. */
  beyond(stmt: Let): Beyond;
  /** Of a number that may be missing by its type: whether it is there, or the result says that it is not. */
  isThere(name: string): boolean;
  /** Where an append, once in each round, is all that changes the length of its array in the loop: that length in front of the loop, or that it is to be measured; else null. */
  lengthInFront(append: Append, loop: For | While): number | "measured" | null;
  /** For an object made in a round of a loop: the place that it is put into and still is in when that round is reversed. */
  keptAt(name: string): Kept | null;
  /** For a name bound by `call`: positions of the callee's active arguments, or null where the call touches no derivative. */
  callActive(name: string): readonly number[] | null;
  /** Whether keys of a dict are made of active numbers. */
  keysVary(object: Atom): boolean;
  /** For a name bound by `call`: whether the callee makes numbers of texts that are made of active numbers. */
  callReadsTexts(name: string): boolean;
  /** For a name bound by `call`: whether the callee writes memory that it gets. */
  callWrites(name: string): boolean;
  /** For a name bound by `call`: whether the callee writes active memory. */
  callStores(name: string): boolean;
  /** For a name bound by `call`: positions of the arguments of which the callee may return memory. */
  callReturns(name: string): readonly number[];
  /** Whether some iteration of a loop stores into active memory that outlives the iteration. */
  storesOutside(loop: For | While): boolean;
  /** Whether a store may be behind the end of its array, and so make it longer. */
  mayLengthen(store: Store): boolean;
  /** Whether an array may have another length at some other time, up to the reverse sweep. */
  lengthChanges(array: Atom): boolean;
  /** Whether a value counts in some cases only, so that its cotangent may be exactly 0 though it is used. */
  conditional(name: string): boolean;
  /** The same where what is put into a record may stay unread. */
  mayBeUnread(name: string): boolean;
  /** Whether a typed array may have no place for what is stored. */
  mayBeDropped(store: Store): boolean;
  /** Whether a number may be infinite, or none, though what it is made of is finite. */
  mayBeInfinite(atom: Atom): boolean;
  /** Whether it may be infinite because the program says `Infinity`, as in the margin of a table. */
  saysInfinity(atom: Atom): boolean;
  /** Whether a number is a whole number by how it is made. */
  isInteger(atom: Atom): boolean;
  /** Places of arguments that a caller may have filled with one object though it is written: their shadows would have to be one. */
  aliasHazards(): readonly AliasHazard[];
  /** Whether other objects are put into a parameter's memory: into its own elements alone ("top"), or anywhere in it. */
  rearranged(param: Atom): "none" | "top" | "deep";
  /** Which arrays of a parameter the function may make longer. */
  lengthened(param: Atom): Lengthened;
  /** Whether nothing writes an aggregate's memory from here to the reverse sweep. */
  unchanging(atom: Atom): boolean;
  /** Whether two aggregates may have memory in common. */
  overlap(x: Atom, z: Atom): boolean;
  /** Whether what is seen without derivative (`bind`, of the object `of`) is written though it may hold active numbers. */
  writtenThrough(bind: Atom, of: Atom): boolean;
  /** Whether a number (active or not) depends on an active argument. */
  varied(atom: Atom): boolean;
}

/** A function whose derivatives are exported, so that programs that do not see its source can call them. */
export interface Shipped {
  /** Its name in Program.funcs. */
  readonly target: string;
  readonly revf: string;
  readonly revr: string;
  /** Parameters whose memory it writes. */
  readonly writes: readonly string[];
}

/** `export { local as exported } from specifier`, or of an imported name: the derivatives of `target` go the same way. */
export interface ReExport {
  readonly file: string;
  /** Offset behind the declaration. */
  readonly at: number;
  readonly target: string;
  readonly local: string;
  readonly exported: string;
  /** Null where the file itself declares it. */
  readonly specifier: string | null;
}
