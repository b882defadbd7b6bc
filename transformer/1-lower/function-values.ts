// The function values that lowering knows at build time, and what a name means in a function.
// A closure keeps the bindings of the place where it was made.

import type ts from "typescript";
import type { Builder } from "../ir/build.ts";
import type { Form } from "../ir/facts.ts";
import type { Atom, Body, Schedule, Type, Var } from "../ir/types.ts";
import type { ClassNode } from "./classes/class-declarations.ts";
import type { Frame } from "./frame.ts";
import type { CotangentOp, Solver, VectorOp } from "./sites/forms.ts";
import type { Cell } from "./objects/cells.ts";
import { NO_TYPE_ARGUMENTS, type TypeArguments } from "./types/type-arguments.ts";

/** A map at compile time. Each method emits code. */
export interface LinearFn {
  apply(f: Frame, tangent: Atom): Atom;
  pull(f: Frame, cotangent: Atom): Atom;
  readonly from: LinearSpace;
  readonly to: LinearSpace;
}
/** The space of the values like one. */
export interface LinearSpace {
  like(f: Frame): Atom;
  /** An object at several places has its numbers once. */
  readonly isShared: boolean;
}
/** A function that is lifted, for fixed type arguments and callbacks. */
export interface Recursion {
  readonly node: ts.FunctionLikeDeclaration;
  readonly env: Env;
  /** The functions that it is passed, by position. */
  readonly fns: ReadonlyMap<number, Fn>;
  readonly name: string;
  readonly params: readonly Var[];
  /** The argument of each parameter, by position; "self" for the receiver. */
  readonly places: readonly (number | "self")[];
  readonly result: Type;
  /** Its index in the frame's stack of recursions. */
  readonly place: number;
  /** Null while it is being lowered. */
  body: Body | null;
  /** The lowest index of an unfinished function that it calls, itself included. */
  outermost: number;
  /** Null until all functions of the group have bodies. */
  surroundings: Surroundings | null;
  /** The number of calls in unfinished functions. */
  calls: number;
}
/** A function lifted for a call, and the captures it takes after the arguments. */
export interface Made {
  readonly name: string;
  readonly result: Type;
  readonly captured: readonly Var[];
}
/**
 * A function that a field may hold. `atom`: its value in emitted code; null for those of
 * the library and for unnamed ones. `shown`: its source text. `tag`: what the field holds instead
 * of it.
 * `key`: identifies it.
 */

export interface Source {
  readonly fn: Fn;
  readonly atom: Atom | null;
  readonly shown: string;
  readonly key: string;
  readonly tag?: string;
  /** Of literals. */ readonly captures?: Captures;
}
export interface Options {
  readonly argnums: readonly number[];
  readonly tuple: boolean;
  readonly hasAux: boolean;
  /** Whether the derivative is written into an object from the caller. */
  readonly into: boolean;
  /** The static engine's derivative stops at the first number that is not finite. */
  readonly debug?: "nan";
  /** Null: static if possible, else Delta. */
  readonly engine: "static" | "delta" | null;
  /** The position argument, for messages. */
  readonly argnumsAt: ts.Node | null;
}
export interface Definition {
  readonly call: ts.CallExpression;
  /** The function, as the call names it. */
  readonly target: ts.Expression;
  readonly symbol: ts.Symbol;
  readonly mode: "vjp" | "jvp";
  readonly rule: ts.Expression | ts.MethodDeclaration;
}
/** A function value that is known at build time. */
export type Fn =
  | {
      readonly kind: "closure";
      readonly node: ts.FunctionLikeDeclaration;
      readonly env: Env;
      /** For a method of a literal: its scope when it is called as a method. */
      readonly asMethod?: Env;
    }
  | { readonly kind: "program"; readonly symbol: ts.Symbol }
  /** A function of the standard library, by its path: `Math.sqrt`, `Number`. */
  | { readonly kind: "builtin"; readonly path: string }
  /** `g.bind(o, x)` */
  | {
      readonly kind: "bound";
      readonly fn: Fn;
      readonly self: Self;
      readonly args: readonly (Atom | Fn)[];
    }
  /** `c ? g : h` */
  | { readonly kind: "choice"; readonly cond: Atom; readonly then: Fn; readonly otherwise: Fn }
  /** `ops[k]`: one of several functions, selected by name or (of an array) by position. */
  | {
      readonly kind: "table";
      readonly at: Atom;
      readonly isList: boolean;
      readonly cases: readonly { readonly name: string; readonly fn: Fn }[];
    }
  /** A field's function: one of `sources`, selected by the tag `value`. `shown`: source text. */
  | {
      readonly kind: "held";
      readonly value: Atom;
      readonly sources: readonly Source[];
      readonly shown: string;
    }
  /** `grad(g)` */
  | { readonly kind: "derived"; readonly form: Form; readonly fn: Fn; readonly options: Options }
  /** A function with a user's rule, or one that is recomputed. `shown`: its source text. */
  | {
      readonly kind: "custom";
      readonly mode: "vjp" | "jvp" | "checkpoint";
      readonly fn: Fn;
      readonly rule: Fn | null;
      /** For `checkpoint` of loops alone. */
      readonly schedule?: Schedule;
      readonly shown: string;
      readonly at: ts.Node;
    }
  /** `vmap(g)`. `axes`: by argument, whether it is the same for all; absent ones are arrays. */
  | { readonly kind: "mapped"; readonly fn: Fn; readonly axes: readonly boolean[] }
  /** `stopGradient`, `inspect`, `scan`, `addCotangents`, and the like; those of `tsgrad/vector` */
  | {
      readonly kind: "operator";
      readonly operator: CotangentOp | "scan" | VectorOp;
    }
  /** A function with a `defineDerivative` rule, and the package's function itself. */
  | { readonly kind: "defined"; readonly definition: Definition }
  | { readonly kind: "outside"; readonly target: ts.Expression }
  /** A function of `tsgrad/implicit` */
  | { readonly kind: "solver"; readonly solver: Solver }
  /** A function argument of a rule. `outside`: the captured variables, for its cotangent. */
  | { readonly kind: "given"; readonly fn: Fn; readonly outside: readonly Var[] }
  /** `f.vjp` of a function argument of a rule */
  | { readonly kind: "givenVjp"; readonly fn: Fn; readonly outside: readonly Var[] }
  /** `linearize(g)(…)[1]`, and maps derived from it */
  | { readonly kind: "linear"; readonly map: LinearFn }
  /**
   * The pullback of `vjp(g)(…)`. `asked`: positions of the requested cotangents; `position`: that
   * of a user's argument among `args`.
   */
  | {
      readonly kind: "pullback";
      readonly form: Fn & { readonly kind: "derived" };
      readonly of: string;
      readonly params: readonly Var[];
      readonly result: Type;
      readonly args: readonly Atom[];
      readonly asked: readonly number[];
      readonly position: (argument: number) => number | undefined;
      /** The variables whose parameters are the last ones of `params`. */
      readonly captured: readonly Var[];
      /** See `given`. */
      readonly outside?: readonly Var[];
    }
  /** `...xs` among arguments, for a rest parameter; nothing writes the array before it is bound. */
  | { readonly kind: "spread"; readonly list: Atom; readonly node: ts.SpreadElement }
  /**
   * An object or array literal with functions; it has no run-time value, only its parts do.
   * `variables`: parts that are assigned, whose initial values are in `parts`.
   */
  | {
      readonly kind: "members";
      readonly parts: ReadonlyMap<string, Atom | Fn>;
      readonly variables?: ReadonlyMap<string, Var>;
      readonly isList: boolean;
      /** Whether `parts` is complete. */
      readonly isWhole: boolean;
      /** The module constant that holds the literal. */
      readonly constant?: ts.Identifier;
    }
  /** `get area() { … }` of such a literal; it runs at each read. */
  | { readonly kind: "getter"; readonly node: ts.GetAccessorDeclaration; readonly env: Env };
/** The meaning of an identifier inside the function. */
export type Binding =
  | { readonly kind: "value"; readonly atom: Atom }
  /** An assigned variable; a read copies it if the rest of the expression may assign it. */
  | { readonly kind: "variable"; readonly variable: Var }
  | { readonly kind: "fn"; readonly fn: Fn }
  /** A number or leaf that other code assigns. */
  | { readonly kind: "cell"; readonly cell: Cell };
/** The meaning of `this`. */
export type Self =
  | { readonly kind: "value"; readonly atom: Atom }
  /** In a static member: the class itself. */
  | { readonly kind: "class"; readonly node: ClassNode }
  /** In a function that is not called as a method. */
  | { readonly kind: "none" }
  /** In a method or getter of a literal without a run-time value. */
  | { readonly kind: "members"; readonly members: Fn & { readonly kind: "members" } }
  /** In a constructor: the object may not be allocated yet. */
  | { readonly kind: "building"; readonly building: Building };
/** An instance under construction: values first, an object once something needs one. */
export interface Building {
  readonly type: Type;
  readonly values: Map<string, Atom>;
  /** The constructor's own statement list, where the object is allocated. */
  readonly b: Builder;
  object: Var | null;
}
/** An argument: a value, or a function that is known at build time. */
export type Arg = Atom | Fn;
export const isFn = (arg: Arg): arg is Fn =>
  arg.kind !== "var" && arg.kind !== "const" && arg.kind !== "global" && arg.kind !== "undef";

/** The bindings of one inlined body; a closure retains those of its definition. */
export class Env {
  readonly #parent: Env | null;
  readonly #self: Self | null;
  readonly #bindings = new Map<ts.Symbol, Binding>();
  /** Binds variables each time that a closure with these bindings is inlined. */
  onEntry: (() => void) | null = null;
  /** The value of `arguments`, in a function that uses it. */
  arguments: Atom | null = null;

  readonly #types: TypeArguments | null;

  /** `self`: null if `this` means what it means outside; `types`: type arguments bound here. */
  constructor(
    parent: Env | null,
    self: Self | null = null,
    types: TypeArguments = NO_TYPE_ARGUMENTS,
  ) {
    this.#parent = parent;
    this.#self = self;
    this.#types =
      types.size === 0 ? null : parent === null ? types : new Map([...parent.types, ...types]);
  }

  /** The type arguments in scope. */
  get types(): TypeArguments {
    return this.#types ?? this.#parent?.types ?? NO_TYPE_ARGUMENTS;
  }

  get self(): Self | null {
    return this.#self ?? this.#parent?.self ?? null;
  }

  get list(): Atom | null {
    return this.arguments ?? this.#parent?.list ?? null;
  }

  lookup(symbol: ts.Symbol): Binding | null {
    return this.#bindings.get(symbol) ?? this.#parent?.lookup(symbol) ?? null;
  }

  bind(symbol: ts.Symbol, binding: Binding): void {
    this.#bindings.set(symbol, binding);
  }
}

/**
 * A captured value. `symbol`: null for `this`. `node`: has its type. `tags`: those of a function.
 */
export interface Captured {
  readonly name: string;
  readonly symbol: ts.Symbol | null;
  readonly node: ts.Node;
  readonly tags?: ClosureField;
}

export interface Captures {
  readonly values: readonly Captured[];
  /** Captured functions that are declared in the same scope, so that they see the same values. */
  readonly functions: ReadonlyMap<ts.Symbol, ts.FunctionLikeDeclaration>;
  /** Whether it also reads names of its module. */
  readonly ofModule: boolean;
}

export interface Surroundings {
  /** The captured variables. */
  readonly seen: readonly Var[];
  /** Those that it assigns. */
  readonly assigned: readonly Var[];
}

export interface Tagged extends Source {
  readonly tag: string;
}

export interface ClosureField {
  /** The name of the type of the tags, unique in the program. */
  readonly type: string;
  readonly declaration: ts.Declaration;
  readonly cases: readonly Tagged[];
  /** Whether the field holds arrays of functions. */
  readonly isList: boolean;
  /** Whether some functions capture values: it then holds records of tag and captures. */
  readonly takesAlong: boolean;
  /** An unnamed function, for messages. */
  readonly unnamed: string;
}

/** Where a call is, a name for its value, and what `this` is, where the call says so. */
export interface CallSite {
  readonly at: ts.Node;
  readonly hint: string;
  readonly self: Self | null;
}

export interface MethodCall {
  readonly node: ts.CallExpression;
  readonly callee: ts.PropertyAccessExpression;
  readonly method: string;
  readonly hint: string;
  readonly unused: boolean;
  readonly receiver: Atom;
}

export interface Meant {
  readonly body: ts.Node | "unknown" | null;
  /** The bindings around it. */
  readonly env: Env;
}

/** The functions that are stored in a field; null if one is unknown. `asked`: names this uses. */
/** A field with functions. `at`: the object, or the pattern that takes it apart. */
export interface HeldField {
  readonly name: string;
  readonly at: ts.Node;
  /** What a pattern has where the field is missing. */ readonly initial?: ts.Expression;
}

export interface CodeScope {
  readonly env: Env;
  /** Functions whose function arguments are followed at calls; calls of parameters are null. */
  readonly called: Set<ts.Node>;
}
