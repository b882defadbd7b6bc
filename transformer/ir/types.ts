// The node types of the IR: typed ANF with structured control flow. Every phase after lowering
// works on it. Operands are atoms, every name is bound once per function, and memory is explicit
// (`load`, `store`, `accum`, `alloc`). Stage "raw", which lowering makes, has assignments and early
// exits; stage "ssa" has joins and carried values instead.

import type { TYPED_ARRAYS } from "./typed-arrays.ts";
import type { Derivation } from "./facts.ts";
import type { ScalarOp } from "./ops.ts";

/** A span of user code, as character offsets into the file's text. */
export interface Origin {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

// ------------------------------------------------------------------------------------------- types

/** The constructor of an array. `Array` also covers readonly arrays. */
export type ArrayStore = "Array" | (typeof TYPED_ARRAYS)[number];

export interface Field {
  readonly name: string;
  readonly type: Type;
}

export type Nil = "undefined" | "null" | "both" | "field" | "unset";

export type Type =
  /** `literal`: its TypeScript type, if that is `0`, `1 | 2` or an enum member. It is passive. */
  | { readonly kind: "num"; readonly literal?: string }
  /** `literal`: "true" or "false", if TypeScript knows it. */
  | { readonly kind: "bool"; readonly literal?: string }
  /**
   * A value without derivative (string, null, bigint, function, opaque object) of TypeScript type
   * `text`.
   * `opaque`: it may still hold numbers (class instance, `any`), so no active value may get in.
   * `optional`: the type of a field with `?`.
   */
  | {
      readonly kind: "leaf";
      readonly text: string;
      readonly opaque?: true;
      readonly optional?: true;
    }
  | { readonly kind: "array"; readonly store: ArrayStore; readonly elem: Type }
  /**
   * `labels`: one label per element (a BOG). `always`: the least number of elements, if not all.
   * `literals`: by position, how TypeScript writes a number type that lists its values. The number
   * stays active.
   */
  | {
      readonly kind: "tuple";
      readonly elems: readonly Type[];
      readonly labels?: readonly string[];
      readonly always?: number;
      readonly literals?: readonly (string | null)[];
    }
  /** `tagged`: a union member, whose shadow has the literal fields that discriminate the union. */
  | { readonly kind: "record"; readonly fields: readonly Field[]; readonly tagged?: true }
  /**
   * A value or `undefined` or `null`. `nil`: which of them TypeScript allows. Absent for an element
   * read that may miss and for a field with `?`; such a field is "field" if it may also be `null`,
   * and "unset" in a shadow.
   */
  | { readonly kind: "opt"; readonly of: Type; readonly nil?: Nil }
  /**
   * Values by key: a `Map`, or an object with an index signature. A missing key reads as
   * `undefined`; `accum` treats it as 0.
   */
  | {
      readonly kind: "dict";
      readonly store: "Map" | "Object";
      readonly key: Type;
      readonly value: Type;
    }
  /**
   * One of several aggregates. Its places are those that all variants have. `unwrap` takes out one
   * variant or a smaller union.
   */
  | { readonly kind: "union"; readonly variants: readonly Type[] }
  /** A declared interface, alias or class, defined in `Program.types`. Recursive types use it. */
  | { readonly kind: "named"; readonly name: string }
  /**
   * Storage for residuals of loops: the forward sweep pushes, the reverse sweep pops. "num" holds
   * numbers and booleans, "ref" everything else.
   */
  | { readonly kind: "tape"; readonly of: "num" | "ref" }
  /** A function value; only emitted pullbacks so far. */
  | {
      readonly kind: "func";
      readonly params: readonly Type[];
      readonly names?: readonly string[];
      readonly result: Type;
    }
  /** `Cotangent<of>`: the shadow of a named type that is not its own shadow. See ir/shadow.ts. */
  | { readonly kind: "cotangent"; readonly of: Type }
  | { readonly kind: "void" };

export type TypeOf<K extends Type["kind"]> = Extract<Type, { readonly kind: K }>;

/** The definition of a named type. Its key in Program.types is unique (`Model`, or `Model.2`). */
export interface NamedType {
  readonly type: Type;
  /** How the user writes it: type arguments included, without the suffix of a clash. */
  readonly text: string;
  /** Files in which `text` means this type. Other files write it structurally. */
  readonly scope: readonly string[];
  /** A field, or an array in one, is readonly. A shadow is written, so it cannot have this name. */
  readonly readonly?: true;
  /** The values are instances of a class. */
  readonly instance?: Instance;
  /**
   * Emitted code uses records instead of instances, since it cannot reach their `#x`. No value of
   * the type enters or leaves it.
   */
  readonly sealed?: true;
  /** The values are tags of the functions that fields hold. They are sealed. */
  readonly tags?: true;
  /** The values are BOGs: nobody writes to them after construction. */
  readonly constant?: true;
}

/** What code outside a class needs to write to its instances and to construct them. */
export interface Instance {
  /** Key of the class in Program.homes: where its name is declared. */
  readonly home: string;
  /** Keys of the class and of all its superclasses. */
  readonly kinds: readonly string[];
  /** The type arguments of a generic class. */
  readonly args: readonly Type[];
  /** Private and protected fields, which `Cotangent` lacks: other code writes `o["f"]`. */
  readonly hidden: readonly string[];
  /** Fields that declarations of the class's package lack: other code writes a cast. */
  readonly undeclared: readonly string[];
  /** Readonly fields, which only the constructor writes. */
  readonly fixed: readonly string[];
  /** `Cotangent` of the class has other fields than its shadow: some are hidden or accessors. */
  readonly hidesFields: boolean;
  /** The constructor does nothing but store its arguments. */
  readonly constructed?: Constructed;
}

/** The field that each constructor argument becomes, and fields that are equal in all instances. */
export interface Constructed {
  readonly params: readonly string[];
  readonly constants: ReadonlyMap<string, number>;
}

// ------------------------------------------------------------------------------------------- atoms

/**
 * A local name. SSA versions of a user's `s` are `s`, `s.1`, …; a temporary is `t`, `t.1`, ….
 * Emission tries to use the part before the first dot. `x$bar` is the cotangent or shadow of `x`.
 */
export interface Var {
  readonly kind: "var";
  readonly name: string;
  readonly type: Type;
}

export interface Const {
  readonly kind: "const";
  readonly type: Type;
  readonly value: number | boolean | string | null | undefined;
}

/** A name of an enclosing scope (module constant, captured constant, enum member `E.A`). */
export interface Global {
  readonly kind: "global";
  readonly name: string;
  readonly type: Type;
  /** The file in whose scope `name` means this value. */
  readonly file: string;
  /** The variable's identity, for imports and variables of blocks that share a top-level name. */
  readonly variable?: string;
  /** Of a block's variable: the block's end and its indent; null within an expression. */
  readonly block?: { readonly at: number; readonly indent: string } | null;
  /** The method's `this`; `at` is the beginning of the method, where emitted code names it. */
  readonly isThis?: true;
  /** It holds an object allocated for it, which only aliases of this variable reach. */
  readonly isExclusive?: true;
  /** `declare const`: an object of the host, whose setters may compute from what they are given. */
  readonly isAmbient?: true;
  /** Of a class: key into Program.homes, which lets other files import it. */
  readonly home?: string;
  /** Its export name, or the class that has it as a static field. */
  readonly exportName?: string;
  /** It is a function that is never replaced. */
  readonly isFunction?: true;
  /** It is a record with variables that a function value captures. */
  readonly captured?: CapturedBy;
  /** Its declared type is narrower than `type`, as in `{ log: [] }` for an array of numbers. */
  readonly isNarrowlyDeclared?: true;
}

/** A function value that code of the program constructs, with the variables that it captures. */
export interface CapturedBy {
  /** The variable that holds the function, or the record with the captured variable `member`. */
  readonly of: Global;
  readonly member?: string;
  /** Names the function's source text among all others. */
  readonly code: string;
  /** The value is whether the function has that source text. */
  readonly isTest?: true;
  /** The value is this variable, which code assigns. */
  readonly field?: string;
  readonly place: CapturingPlace;
  /** All that it captures. */
  readonly variables: readonly { readonly name: string; readonly isAssigned: boolean }[];
}

/** Where a function stands that captures variables. */
export interface CapturingPlace {
  readonly file: string;
  /** The function; of a method, the literal that it is in; of a declaration, its block's start. */
  readonly start: number;
  readonly end: number;
  readonly kind: "expression" | "method" | "declaration";
  /** The function's own name, which a call around an expression would hide; "" without one. */
  readonly name: string;
  /** Whether the module is CommonJS. */
  readonly isCommonJs?: boolean;
}

/** The value of a join on a path that ends before it (by `throw`), or of an unassigned variable. */
export interface Undef {
  readonly kind: "undef";
  readonly type: Type;
}

export type Atom = Var | Const | Global | Undef;

// ------------------------------------------------------------------------------------- expressions

/** A place in an aggregate: element or dict key `at`, or field `name` (in a tuple "0", …). */
export type Key =
  { readonly kind: "index"; readonly at: Atom } | { readonly kind: "field"; readonly name: string };

/**
 * A field of a record literal.
 * `omitIfUndefined`: the field is omitted if its value is undefined, as in `{ ...m }` without it in
 * m.
 * `presentIf`: the field is omitted if this is false.
 * `overriddenBy`: types of objects spread after it, which may override it with an unlisted field
 * (stage "raw").
 */
export interface RecordPart {
  readonly name: string;
  readonly value: Atom;
  readonly omitIfUndefined?: true;
  readonly presentIf?: Atom;
  readonly overriddenBy?: readonly Type[];
}

/**
 * Right-hand sides. `call`, `extern` with "io", `pop` and `removeLast` have effects, others none.
 */
export type Expr =
  | { readonly kind: "copy"; readonly atom: Atom }
  /** A scalar operator of ir/ops.ts, on numbers and booleans (`eq` and `ne` also on leaves). */
  | {
      readonly kind: "op";
      readonly op: ScalarOp;
      readonly args: readonly Atom[];
      /**
       * Of `s === 0 ? 0 : v` in reverse code: it zeroes a multiple v of s that may be non-finite.
       */
      readonly masks?: true;
      /** Of `x ** z`: the type of z lists its numbers, so TypeScript may reject `z === 0`. */
      readonly listed?: true;
    }
  /** `own`: of a dict, undefined where the key is inherited (`constructor`), as for a shadow. */
  | { readonly kind: "load"; readonly object: Atom; readonly key: Key; readonly own?: true }
  | { readonly kind: "length"; readonly object: Atom }
  /** Whether a value of type `opt` is defined (neither undefined nor null). */
  | { readonly kind: "present"; readonly value: Atom }
  /** The value of an `opt` known to be defined, or of a `union` known to have the bound type. */
  | { readonly kind: "unwrap"; readonly value: Atom }
  /**
   * A new array, tuple, record or dict, as the bound variable's type says. A `record` makes a dict
   * with the fields' names as keys; a Map starts empty. A part with `spread` is spread in place.
   */
  | { readonly kind: "array"; readonly parts: readonly ArrayPart[] }
  | { readonly kind: "tuple"; readonly elems: readonly Atom[] }
  | {
      readonly kind: "record";
      readonly fields: readonly RecordPart[];
      /** Types of the objects that it copies, as far as these list fields (stage "raw"). */
      readonly copies?: readonly Type[];
      /** An empty dict without prototype: the shadow of a local dict inherits no key. */
      readonly bare?: true;
    }
  /**
   * A new array of `length` elements, each `fill`. Without `fill`, each element is stored in
   * ascending order before it is read, so the array may start empty.
   */
  | {
      readonly kind: "alloc";
      readonly length: Atom;
      readonly fill: Atom | null;
      /** Of a shadow: the length is the bound of the loop that fills the primal, any number. */
      readonly isBound?: true;
    }
  /** A new shallow copy of the elements from `from` up to `to` (default: the end). */
  | {
      readonly kind: "slice";
      readonly object: Atom;
      readonly from: Atom;
      readonly to: Atom | null;
      /** A view (`subarray`) in user code; a copy if nobody writes (2-analyse/memory/views.ts). */
      readonly view?: true;
    }
  /** A new shadow with the shape of `like`, all zeros. Its type is `shadowType(like.type)`. */
  | { readonly kind: "zeros"; readonly like: Atom }
  /** A new deep copy of a shadow. */
  | { readonly kind: "clone"; readonly object: Atom }
  /** `pure`: the value depends on the operands alone and the callee has no effect. */
  | {
      readonly kind: "call";
      readonly callee: string;
      readonly args: readonly Atom[];
      readonly pure?: true;
    }
  /**
   * User code that touches no derivative; `text` is cut at its operands.
   * "pure" depends on the operands' values only, "reads" also on memory, "io" has effects.
   * `inert`: the value is passive and no part of an operand (the keys or the size of a Map). With
   * "io" it changes only the first operand itself (`m.delete(k)`) and runs no user code.
   * `verbatim`: a template or a cast, in which no word names the standard library.
   */
  | {
      readonly kind: "extern";
      readonly text: readonly string[];
      readonly args: readonly Atom[];
      readonly effect: "pure" | "reads" | "io";
      readonly inert?: true;
      readonly verbatim?: true;
    }
  /** Removes the last element of an array (`xs.pop()`). */
  | { readonly kind: "removeLast"; readonly object: Atom }
  | { readonly kind: "newTape" }
  /** Reads the tape downwards. The content stays, since a pullback may run again. */
  | { readonly kind: "pop"; readonly tape: Atom; readonly record?: symbol }
  /** A second reader, which starts at the end of a filled tape. */
  | { readonly kind: "rewind"; readonly tape: Atom }
  /** An arrow function that captures names in scope (the pullback that `vjp` returns). */
  | { readonly kind: "lambda"; readonly params: readonly Var[]; readonly body: Body };

export interface ArrayPart {
  readonly atom: Atom;
  readonly spread: boolean;
}

// -------------------------------------------------------------------------------------- statements

interface Node {
  readonly origin: Origin;
  /** Made by differentiation, so that it may be simplified. Primal code may not. */
  readonly adjoint?: true;
}

/** A carried value: `param` is `init` at first, then the body's result at the same position. */
export interface Carried {
  readonly param: Var;
  readonly init: Atom;
}

export interface Let extends Node {
  readonly kind: "let";
  readonly bind: Var;
  readonly expr: Expr;
  readonly check?: Check;
}

/** What an error at an operation says (`debug: "nan"`), quoted from user code. */
export interface Check {
  /** `Math.sqrt(s)` */
  readonly text: string;
  /** `src/loss.ts:5:10` */
  readonly place: string;
  readonly operands: readonly string[];
  /** The first use of the value; null for a result. */
  readonly use: string | null;
  /** Where and why the derivative is not finite; null if it always is for ordinary numbers. */
  readonly why: string | null;
  /** It is a part of the operation's derivative. */
  readonly isSlope?: true;
  /** A guard of the value follows. */
  readonly isGuarded?: true;
}

/**
 * Overwrites a place.
 * `initial`: the place has no earlier value or cotangent (an `alloc` without fill).
 * `removed`: the value is undefined and the field is deleted (`delete o.k`).
 * `lengthens`: of a shadow, which may grow by this store. Other shadows have the primal's length.
 * `defines`: of a dict, as literals and spreads do: the key becomes its own, even `__proto__`.
 */
export interface Store extends Node {
  readonly kind: "store";
  readonly object: Atom;
  readonly key: Key;
  readonly value: Atom;
  readonly initial?: true;
  readonly removed?: true;
  readonly lengthens?: true;
  readonly defines?: true;
}

/** `object[key] += value`, as reverse sweeps do to shadows. A missing own key counts as 0. */
export interface Accum extends Node {
  readonly kind: "accum";
  readonly object: Atom;
  readonly key: Key;
  readonly value: Atom;
}

/** `object.push(value)`. */
export interface Append extends Node {
  readonly kind: "append";
  readonly object: Atom;
  readonly value: Atom;
}

/** `object.fill(value, from, to)`; without bounds, the whole array. */
export interface Fill extends Node {
  readonly kind: "fill";
  readonly object: Atom;
  readonly value: Atom;
  readonly from: Atom | null;
  readonly to: Atom | null;
}

/** `record`: only `pop`s of the same record pop what is pushed. */
export interface Push extends Node {
  readonly kind: "push";
  readonly tape: Atom;
  readonly value: Atom;
  readonly record?: symbol;
}

/**
 * Reserves room for `count` more numbers on a tape, none if `count` is NaN. A tape with reserved
 * room never holds more.
 */
export interface Reserve extends Node {
  readonly kind: "reserve";
  readonly tape: Atom;
  readonly count: Atom;
}

/** Both results have one atom per bind. */
export interface If extends Node {
  readonly kind: "if";
  readonly cond: Atom;
  readonly then: Body;
  readonly else: Body;
  readonly binds: readonly Var[];
}

/**
 * A counted loop: `for (index = from; index <test> to; index += step)`. `from` is an integer,
 * `step` an integer constant with the sign of the test. `to` is evaluated before the loop; the body
 * does not change `index`. The body's result holds the next carried values, `binds` the last ones.
 */
export interface For extends Node {
  readonly kind: "for";
  readonly index: Var;
  readonly from: Atom;
  readonly test: "<" | "<=" | ">" | ">=";
  readonly to: Atom;
  readonly step: number;
  readonly carried: readonly Carried[];
  readonly body: Body;
  readonly binds: readonly Var[];
  readonly schedule?: Schedule;
  /** Comes from a function of `tsgrad/vector`: see ir/array.ts. */
  readonly vector?: true;
}

/** Any other loop. `test.result` is one boolean, evaluated before each iteration. */
export interface While extends Node {
  readonly kind: "while";
  readonly carried: readonly Carried[];
  readonly test: Body;
  readonly body: Body;
  readonly binds: readonly Var[];
  readonly schedule?: Schedule;
}

/**
 * How a loop without recorded iterations is reversed: "log" stores a logarithmic number of states.
 * Absent after `outlineLoops`.
 */
export type Schedule = "log";

/** Ends the function by an exception. The statements after it in the same body are unreachable. */
export interface Throw extends Node {
  readonly kind: "throw";
  readonly value: Atom;
}

// ------------------------------------------------------------------------------------ stage "raw"
// only

/** Declares a variable that `assign` changes. Without `init` it is undefined. */
export interface Declare extends Node {
  readonly kind: "declare";
  readonly variable: Var;
  readonly init: Atom | null;
}
export interface Assign extends Node {
  readonly kind: "assign";
  readonly variable: Var;
  readonly value: Atom;
}
/** Ends the loop or block with that label, or its current iteration. */
export interface Exit extends Node {
  readonly kind: "break" | "continue";
  readonly label: string;
}
/** Ends the `scope` with that label (the function, or an inlined closure) with a value. */
export interface Return extends Node {
  readonly kind: "return";
  readonly label: string;
  readonly value: Atom | null;
}
/** A region that `break` or `return` leaves: an inlined closure, a labelled block, a switch. */
export interface Scope extends Node {
  readonly kind: "scope";
  readonly label: string;
  readonly body: Body;
  readonly bind: Var | null;
}
/** A raw loop, which `break` and `continue` name by `label`. `loop` has no carried values. */
export interface Loop extends Node {
  readonly kind: "loop";
  readonly label: string;
  readonly loop: For | While;
  /** Runs after each iteration, `continue` included (the increment of a `for`). */
  readonly update: Body | null;
}

/** Statements of stage "raw" only. */
export type RawStmt = Declare | Assign | Exit | Return | Scope | Loop;

export type Stmt =
  Let | Store | Accum | Append | Fill | Push | Reserve | If | For | While | Throw | RawStmt;

export interface Body {
  readonly stmts: readonly Stmt[];
  /**
   * Values for the binds of an `if`, next carried values, or the function's result (at most one).
   */
  readonly result: readonly Atom[];
}

// --------------------------------------------------------------------------------------- functions

export interface Func {
  /** Its identifier in TypeScript, unique per program. ir/names.ts makes the generated ones. */
  readonly name: string;
  /** Key into Program.homes: where its derivatives are emitted. */
  readonly home: string;
  readonly params: readonly Var[];
  readonly result: Type;
  readonly body: Body;
  readonly origin: Origin;
  /** Of a copy with globals as extra parameters: the original and its number of parameters. */
  readonly original?: { readonly name: string; readonly params: number };
  /** The primal is a member of a class. Absent: it is called by its name. */
  readonly member?: Member;
  /** The derivative that this function is, if other functions call it. */
  readonly derivation?: Derivation;
  /**
   * Guards stop it at numbers that are not finite, so reverse code stays behind the value.
   * How their messages call it.
   */
  readonly checked?: string;
  /** Lowering made it from a closure; the user's files have no such function. */
  readonly isLifted?: true;
  /**
   * Its derivative is not that of its body. "vjp" and "jvp": the user's; "both": made by lowering;
   * "checkpoint": recomputed. `given`: how many arguments have cotangents in it.
   */
  readonly rule?: {
    readonly mode: "vjp" | "jvp" | "both" | "checkpoint";
    readonly given: number;
    readonly once?: SingleRunRule;
  };
  /**
   * Called in place of the rule's function, whose derivative its value has. Gives `[value, ...what
   * the pullback reads]`.
   */
  readonly onceOf?: string;
  /**
   * A loop whose iterations are recomputed in the backward pass. See 1-lower/ssa/outline-loops.ts.
   */
  readonly outlined?: OutlinedLoop;
  /** Part of a derivative: `revf`, `revr`, or a function that reverse code calls. */
  readonly isSweep?: true;
  /**
   * 4-optimise/memory/write-into.ts adds a first parameter that receives the result, or part of a
   * pair.
   */
  readonly into?: "whole" | "0" | "1";
  /**
   * Only its signature is known; its pair is imported. The body is a stand-in and is never emitted.
   */
  readonly shipped?: true;
  /** Its pair is exported for programs that only know its signature. */
  readonly ships?: true;
  /** Emission only, by position: parameter text of the user that can be reused (`m: Model`). */
  readonly paramText?: readonly (string | null)[];
  /**
   * Emission only, by parameter: the literals that the user's type lists, as TypeScript writes
   * them.
   */
  readonly listed?: Readonly<Record<string, string>>;
  /**
   * Emission only: the result's type text in the home file; null if the function's value has more
   * places than its type.
   */
  readonly resultText?: string | null;
}

/**
 * A rule in two parts, which runs once: `rule(...args) => [value, ...kept]` in the forward pass,
 * `back(...args read, ...kept, seed) => cotangents` in the backward pass.
 */
export interface SingleRunRule {
  /** Null if the pullback reads only arguments and the value: the function itself is called. */
  readonly rule: string | null;
  readonly back: string;
  readonly kept: readonly Type[];
  /** The position in `kept` of the value itself, or null. */
  readonly value: number | null;
  /** Positions of the arguments that `back` reads. */
  readonly read: readonly number[];
}

/**
 * `iteration`: the function of an iteration. `step`: of a counted loop. `carried`: number of
 * carried values.
 */
export interface OutlinedLoop {
  readonly iteration: string;
  readonly step: number | null;
  readonly carried: number;
}

/** How a member of a class is called. All but "static" and "new" take the receiver first. */
export interface Member {
  readonly kind: "method" | "getter" | "setter" | "static" | "super" | "new";
  readonly name: string;
  /** Private or protected: code outside the class writes `o["m"]()`. */
  readonly hidden: boolean;
}

/** Where the derivatives of one declared function go. */
export interface Home {
  readonly file: string;
  /** The primal's name there. An inline arrow function has a name made up from its context. */
  readonly name: string;
  /** Of a member: its class, and how other modules import it if its copy stands in this file. */
  readonly owner?: Pick<Home, "name" | "exportName" | "specifier">;
  /** Offset of the generated code: the end of the module, or of the declaring block. */
  readonly at: number;
  /** "module": other modules can import it. "block": it is only visible inside a function. */
  readonly scope: "module" | "block";
  /** The primal's export name ("default" included). Absent: it cannot be imported. */
  readonly exportName?: string;
  readonly indent: string;
  /** In a block: names declared in several scopes around it, each with its `variableOf` here. */
  readonly ambiguousNames?: Readonly<Record<string, string>>;
  /** Standard library names that are shadowed there. */
  readonly hidden?: readonly string[];
  /** How many more arguments its declared type has: `const step: Step = (x) => …`. */
  readonly missingParams?: number;
  /** Parameter texts (`p: Point`) with a type that is readonly somewhere. */
  readonly readonlyParams?: readonly string[];
  /** The result's type is readonly somewhere. */
  readonly returnsReadonly?: true;
  readonly origin: Origin;
  /** The module specifier of a file in a package. */
  readonly specifier?: string;
}

export interface Program {
  readonly stage: "raw" | "ssa";
  readonly funcs: ReadonlyMap<string, Func>;
  readonly types: ReadonlyMap<string, NamedType>;
  readonly homes: ReadonlyMap<string, Home>;
  /** Derivatives that bodies call, by name, before they are generated. */
  readonly derivations?: ReadonlyMap<string, Derivation>;
}
