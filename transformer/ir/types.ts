// The IR: typed ANF with structured control flow. Every phase after lowering reads and writes only this.
// In: nothing. Out: the node types. Invariant: operands are atoms; every name is bound once per function (stage "ssa");
// memory is explicit (`load`, `store`, `accum`, `alloc`); every node carries the span of user code that it comes from.
// Two stages: "raw" (assignments and early exits, as lowering leaves them) and "ssa" (joins and carried values instead).

import type { Derivation } from "./facts.ts";
import type { ScalarOp } from "./ops.ts";

/** A span of user code, as character offsets into the file's text. */
export interface Origin {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

// ---------------------------------------------------------------------------------------------------- types

/** The constructor of an array: `Array` also stands for readonly arrays. */
export type ArrayStore =
  | "Array"
  | "Float64Array"
  | "Float32Array"
  | "Int8Array"
  | "Uint8Array"
  | "Uint8ClampedArray"
  | "Int16Array"
  | "Uint16Array"
  | "Int32Array"
  | "Uint32Array";

export interface Field {
  readonly name: string;
  readonly type: Type;
}

export type Nil = "undefined" | "null" | "both" | "field" | "unset";

export type Type =
  /** `literal`: its TypeScript type, where that is `0`, `1 | 2` or an enum's member: it chooses and never varies. */
  | { readonly kind: "num"; readonly literal?: string }
  /** `literal`: "true" or "false", where TypeScript knows it. */
  | { readonly kind: "bool"; readonly literal?: string }
  /** A value no derivative passes through (string, null, undefined, bigint, a function, an opaque object); `text` is its TypeScript type. */
  /** `opaque`: it may hold numbers all the same (a Map, a class instance, `any`), so an active value must not get in. */
  /** `optional`: the type of a field with `?`. */
  | {
      readonly kind: "leaf";
      readonly text: string;
      readonly opaque?: true;
      readonly optional?: true;
    }
  | { readonly kind: "array"; readonly store: ArrayStore; readonly elem: Type }
  /**
   * `labels`, where given, has one label per element (a BOG). `always`: how many elements a shorter one has, too; absent: all. `literals`: by position how TypeScript writes a number's type,
   * where that lists its values; the number varies like any other.
   */
  | {
      readonly kind: "tuple";
      readonly elems: readonly Type[];
      readonly labels?: readonly string[];
      readonly always?: number;
      readonly literals?: readonly (string | null)[];
    }
  /** `tagged`: a member of a union, so its shadow keeps the literal fields that tell the members apart. */
  | { readonly kind: "record"; readonly fields: readonly Field[]; readonly tagged?: true }
  /** A value that may be `undefined` or `null` instead. `nil`: which of them TypeScript allows; absent for a field with `?` ("field" where it may be `null`, too, "unset" for the shadow of either), an element read that may miss. */
  | { readonly kind: "opt"; readonly of: Type; readonly nil?: Nil }
  /** Values by key: a `Map`, or an object with an index signature. A key that is not there reads as `undefined`; `accum` takes it for 0. */
  | {
      readonly kind: "dict";
      readonly store: "Map" | "Object";
      readonly key: Type;
      readonly value: Type;
    }
  /** One of several aggregates. A place of it is a place that all its variants have; `unwrap` takes one variant out, or a smaller union. */
  | { readonly kind: "union"; readonly variants: readonly Type[] }
  /** A declared interface, type alias or class, defined in `Program.types`. Recursive types go through it. */
  | { readonly kind: "named"; readonly name: string }
  /** Storage of the residuals of loops: `push` in the forward sweep, `pop` in the reverse one. "num" holds numbers and booleans, "ref" the rest. */
  | { readonly kind: "tape"; readonly of: "num" | "ref" }
  /** A function value; only emitted pullbacks so far. */
  | {
      readonly kind: "func";
      readonly params: readonly Type[];
      readonly names?: readonly string[];
      readonly result: Type;
    }
  /** `Cotangent<of>`: the shadow type of a named type that is not its own shadow. `ir/shadow.ts` resolves it. */
  | { readonly kind: "cotangent"; readonly of: Type }
  | { readonly kind: "void" };

export type TypeOf<K extends Type["kind"]> = Extract<Type, { readonly kind: K }>;

/** What a type's name stands for. `name` in Program.types is unique per program (`Model`, on a clash `Model.2`). */
export interface NamedType {
  readonly type: Type;
  /** How the user writes it, without what `name` adds on a clash; type arguments included. */
  readonly text: string;
  /** Files in which `text` means this type. Elsewhere it is written out structurally. */
  readonly scope: readonly string[];
  /** A field, or an array in one, is readonly: a shadow, which is written, cannot go by this name. */
  readonly readonly?: true;
  /** The values are instances of a class. */
  readonly instance?: Instance;
  /** Emitted code keeps records in place of the instances of a class, whose `#x` it cannot reach: no such value comes in or goes out. */
  readonly sealed?: true;
  /** The values stand for functions that fields hold: they say which one it is. They are sealed. */
  readonly tags?: true;
  /** Nobody writes to the values once they are made: they are BOGs. */
  readonly constant?: true;
}

/** What code outside a class has to know to write and to make its instances. */
export interface Instance {
  /** Key into Program.homes of the class itself: where its name is declared. */
  readonly home: string;
  /** Keys of all the classes that its values are instances of, its own included. */
  readonly kinds: readonly string[];
  /** Of a generic class: what its type parameters stand for. */
  readonly args: readonly Type[];
  /** Private and protected fields: other code writes them `o["f"]`, and `Cotangent` of the class lacks them. */
  readonly hidden: readonly string[];
  /** Readonly fields, which only the constructor writes. */
  readonly fixed: readonly string[];
  /** TypeScript's `Cotangent` of the class has other fields than its shadow: some are hidden, or it has accessors. */
  readonly veiled: boolean;
  /** Its constructor does nothing but keep what it is given. */
  readonly constructed?: Constructed;
}

/** The field that each argument of a constructor becomes, and fields that hold the same number in each new instance. */
export interface Constructed {
  readonly params: readonly string[];
  readonly constants: ReadonlyMap<string, number>;
}

// ---------------------------------------------------------------------------------------------------- atoms

/**
 * A local name. SSA versions of a user's `s` are `s`, `s.1`, `s.2`; a temporary is `t`, `t.1`, …; what stands before the first
 * dot is the name that emission tries to give. `x$bar` is the cotangent or shadow of `x`.
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

/** A name of an enclosing scope (module constant, captured constant, enum member `E.A`), written as it stands. */
export interface Global {
  readonly kind: "global";
  readonly name: string;
  readonly type: Type;
  /** The file in whose scope `name` means this value. */
  readonly file: string;
  /** What the variable is, where it is not the one that the file's top level declares by that name: one that is imported, or that a block declares. */
  readonly variable?: string;
  /** Of one that a block declares: the offset of the block's end, and where a line of it begins; null where it is known in an expression alone. */
  readonly block?: { readonly at: number; readonly indent: string } | null;
  /** The `this` of the method whose block that is, `at` its beginning: emitted code gives it a name there. */
  readonly isThis?: true;
  /** It holds an object that was made for it, with all that is in it: no other variable has it but by a name that stands for this one. */
  readonly isOwn?: true;
  /** Of a class: key into Program.homes, by which other files can import it. */
  readonly home?: string;
  /** What its module exports it as, or the class whose field it is. */
  readonly exportName?: string;
  /** It is a function that nothing is put in the place of. */
  readonly isFunction?: true;
  /** Its declaration says less than `type` does: `{ log: [] }` of what a list of numbers is put into. */
  readonly saysLess?: true;
}

/** The value of a join on a path that never reaches it (behind `throw`), or of a variable not yet assigned. */
export interface Undef {
  readonly kind: "undef";
  readonly type: Type;
}

export type Atom = Var | Const | Global | Undef;

// ---------------------------------------------------------------------------------------------------- expressions

/** The place within an aggregate: element (of a dict: key) `at`, or field `name` (of a tuple: "0", "1", …). */
export type Key =
  { readonly kind: "index"; readonly at: Atom } | { readonly kind: "field"; readonly name: string };

/**
 * A field of a record literal. `mayLack`: it is left out where its value is undefined, as in `{ ...m }` of an m that does not have it. `there`: it is left out where this is false.
 * `beneath`: objects of these types are spread behind it, which override it where they have it though their types do not list it (asked of the raw program only).
 */
export interface RecordPart {
  readonly name: string;
  readonly value: Atom;
  readonly mayLack?: true;
  readonly there?: Atom;
  readonly beneath?: readonly Type[];
}

/** Right-hand sides. All are free of effects, but for `call`, `extern` with effect "io", `pop` and `removeLast`. */
export type Expr =
  | { readonly kind: "copy"; readonly atom: Atom }
  /** An operator of the scalar rule table, on numbers and booleans (`eq`, `ne` on leaves too). */
  | {
      readonly kind: "op";
      readonly op: ScalarOp;
      readonly args: readonly Atom[];
      /** Of `s === 0 ? 0 : v` in reverse code: v is a multiple of s, but for what is not finite. Absent: a choice like any other. */
      readonly masks?: true;
      /** Of `x ** z`: the type of z lists its numbers, so that TypeScript takes `z === 0` for a mistake. */
      readonly listed?: true;
    }
  | { readonly kind: "load"; readonly object: Atom; readonly key: Key }
  | { readonly kind: "length"; readonly object: Atom }
  /** Whether a value of type `opt` is there (neither undefined nor null). */
  | { readonly kind: "present"; readonly value: Atom }
  /** The value inside an `opt` that is known to be there, or inside a `union` that is known to be of the bound name's type. */
  | { readonly kind: "unwrap"; readonly value: Atom }
  /** A fresh array, tuple, record or dict (`record`, its keys the fields' names; a Map starts out empty); the bound variable's type says which. `elems` spread in place where `spread`. */
  | { readonly kind: "array"; readonly parts: readonly ArrayPart[] }
  | { readonly kind: "tuple"; readonly elems: readonly Atom[] }
  | {
      readonly kind: "record";
      readonly fields: readonly RecordPart[];
      /** Types of objects of which it is a copy, with the fields that these types list (asked of the raw program only). */
      readonly copies?: readonly Type[];
    }
  /**
   * A fresh array of `length` elements, each `fill`. Without `fill` each element is stored in ascending order, from 0,
   * before it is read (what `map` makes), so the storage may start out empty.
   */
  | { readonly kind: "alloc"; readonly length: Atom; readonly fill: Atom | null }
  /** Fresh shallow copy of the elements from `from` up to `to` (absent: the end), as JavaScript counts them (negative from the end). */
  | {
      readonly kind: "slice";
      readonly object: Atom;
      readonly from: Atom;
      readonly to: Atom | null;
      /** In user code a view of the same numbers (`subarray`); it may stand as a copy where nobody writes either (2-analyse/memory/views.ts). */
      readonly view?: true;
    }
  /** A fresh shadow of the shape of `like`, all zero. Its type is `shadowType(like.type)`. */
  | { readonly kind: "zeros"; readonly like: Atom }
  /** A fresh deep copy of a shadow. */
  | { readonly kind: "clone"; readonly object: Atom }
  /** `pure`: the optimiser knows that the callee does nothing but give a value that depends on its operands alone. */
  | {
      readonly kind: "call";
      readonly callee: string;
      readonly args: readonly Atom[];
      readonly pure?: true;
    }
  /**
   * User code that touches no derivative, run as it stands: `text` is cut at its operands (text.length = args.length + 1).
   * "pure" depends only on the operands' values; "reads" also on memory behind them or outside; "io" acts.
   * `inert`: the value says nothing of the numbers in its operands (the keys or the size of a Map), and is no part of them; with "io" it changes the first operand
   * itself (`m.delete(k)`) and runs no code of the user's.
   * `verbatim`: the text is that of a template or a cast, in which no word names the standard library.
   */
  | {
      readonly kind: "extern";
      readonly text: readonly string[];
      readonly args: readonly Atom[];
      readonly effect: "pure" | "reads" | "io";
      readonly inert?: true;
      readonly verbatim?: true;
    }
  /** Takes the last element off an array (`xs.pop()`). */
  | { readonly kind: "removeLast"; readonly object: Atom }
  | { readonly kind: "newTape" }
  /** Reads the tape downwards; the tape itself keeps its content, so a pullback can run again. `record`: see `Push`. */
  | { readonly kind: "pop"; readonly tape: Atom; readonly record?: symbol }
  /** A second reader that starts at the end of a tape that a forward sweep has filled. */
  | { readonly kind: "rewind"; readonly tape: Atom }
  /** An arrow function that captures names in scope (the pullback that `vjp` returns). */
  | { readonly kind: "lambda"; readonly params: readonly Var[]; readonly body: Body };

export interface ArrayPart {
  readonly atom: Atom;
  readonly spread: boolean;
}

// ---------------------------------------------------------------------------------------------------- statements

interface Node {
  readonly origin: Origin;
  /** Made by differentiation: cotangent arithmetic, which may be simplified. Absent on primal code, which may not. */
  readonly adjoint?: true;
}

/** A value carried round a loop: `param` is `init` at first and then what the body's result gives at the same position. */
export interface Carried {
  readonly param: Var;
  readonly init: Atom;
}

export interface Let extends Node {
  readonly kind: "let";
  readonly bind: Var;
  readonly expr: Expr;
}

/**
 * Overwrites a place. `initial`: the place holds nothing yet that a later read or cotangent could mean (an `alloc` without fill).
 * `removed`: the value is undefined, and the field is not there any more (`delete o.k`). `lengthens`: of a shadow, which has the length of its primal otherwise: it may get longer by this.
 */
export interface Store extends Node {
  readonly kind: "store";
  readonly object: Atom;
  readonly key: Key;
  readonly value: Atom;
  readonly initial?: true;
  readonly removed?: true;
  readonly lengthens?: true;
}

/** `object[key] += value`; what a reverse sweep does to shadows. */
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

/** `object.fill(value, from, to)`; absent bounds are the whole array. */
export interface Fill extends Node {
  readonly kind: "fill";
  readonly object: Atom;
  readonly value: Atom;
  readonly from: Atom | null;
  readonly to: Atom | null;
}

/** `record`: what is pushed is popped by `pop`s of the same record, and by no other one. */
export interface Push extends Node {
  readonly kind: "push";
  readonly tape: Atom;
  readonly value: Atom;
  readonly record?: symbol;
}

/** Makes room for `count` numbers on top of those that are pushed. A tape that room is made for has no more than that. No room where `count` is no number. */
export interface Reserve extends Node {
  readonly kind: "reserve";
  readonly tape: Atom;
  readonly count: Atom;
}

/** `then.result` and `else.result` are as long as `binds`. */
export interface If extends Node {
  readonly kind: "if";
  readonly cond: Atom;
  readonly then: Body;
  readonly else: Body;
  readonly binds: readonly Var[];
}

/**
 * A counted loop: `for (index = from; index <test> to; index += step)`. `from` is an integer, `step` an integer constant of the
 * sign of the test, `to` is evaluated before the loop, the body does not change `index`. body.result: the next carried values;
 * `binds`: their last ones.
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
  /** What a function of `tsgrad/vector` does: see ir/array.ts. */
  readonly vector?: true;
}

/** Any other loop. `test.result` is one boolean, evaluated before each iteration (`do` loops carry a first-time flag). */
export interface While extends Node {
  readonly kind: "while";
  readonly carried: readonly Carried[];
  readonly test: Body;
  readonly body: Body;
  readonly binds: readonly Var[];
  readonly schedule?: Schedule;
}

/** How a loop is reversed where its rounds are not recorded: "log" keeps a logarithmic number of states. Gone with `outlineRounds`. */
export type Schedule = "log";

/** Ends the function by an exception. What stands behind it in the same body is not reached. */
export interface Throw extends Node {
  readonly kind: "throw";
  readonly value: Atom;
}

// Stage "raw" only -----------------------------------------------------------------------------------------

/** Declares a variable that `assign` changes; without `init` it is undefined. Its Var's name is the one that reads use. */
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
/** Ends the loop or block of that label, or its current round. */
export interface Exit extends Node {
  readonly kind: "break" | "continue";
  readonly label: string;
}
/** Ends the `scope` of that label (the function's, or an inlined closure's) with that value. */
export interface Return extends Node {
  readonly kind: "return";
  readonly label: string;
  readonly value: Atom | null;
}
/** A region that `break` or `return` of its label leaves: an inlined closure, a labelled block, a switch. Not a loop. */
export interface Scope extends Node {
  readonly kind: "scope";
  readonly label: string;
  readonly body: Body;
  readonly bind: Var | null;
}
/** A raw loop: the label that `break` and `continue` name. The structured loop inside has no carried values and no binds yet. */
export interface Loop extends Node {
  readonly kind: "loop";
  readonly label: string;
  readonly loop: For | While;
  /** Runs after each round, `continue` included (the increment of a `for` that is no counted loop). */ readonly update: Body | null;
}

/** Statements of stage "raw" only. */
export type RawStmt = Declare | Assign | Exit | Return | Scope | Loop;

export type Stmt =
  Let | Store | Accum | Append | Fill | Push | Reserve | If | For | While | Throw | RawStmt;

export interface Body {
  readonly stmts: readonly Stmt[];
  /** What the body yields: the binds of an `if`, the next carried values of a loop, the function's result (none or one). */
  readonly result: readonly Atom[];
}

// ---------------------------------------------------------------------------------------------------- functions

export interface Func {
  /** The identifier it has in TypeScript; unique per program, generated ones from ir/names.ts. */
  readonly name: string;
  /** Key into Program.homes: where its derivatives are emitted. */
  readonly home: string;
  readonly params: readonly Var[];
  readonly result: Type;
  readonly body: Body;
  readonly origin: Origin;
  /** For a copy that takes globals as further parameters: the function it stands for, and how many parameters that has. */
  readonly original?: { readonly name: string; readonly params: number };
  /** The primal is a member of a class: how it is called. Absent: by its name. */
  readonly member?: Member;
  /** It is a derivative that other functions call: which one. */
  readonly derivation?: Derivation;
  /** Lowering has made it, of a closure: the user's files have no such function. */
  readonly made?: true;
  /** Its derivative is not that of its body: `f$pull` ("vjp"), `f$fwd` ("jvp") is the user's, lowering has made "both", or it is computed again. `given`: how many arguments have cotangents there. */
  readonly rule?: {
    readonly mode: "vjp" | "jvp" | "both" | "checkpoint";
    readonly given: number;
    readonly once?: Once;
  };
  /** The rule's part of this function, called in its place: `[value, ...what the pullback sees]`. Its value has the derivative of that function. */
  readonly onceOf?: string;
  /** It is a loop whose rounds are run again in the backward pass, not recorded: `round` is the function of one. See 1-lower/ssa/iterations.ts. */
  readonly rounds?: Rounds;
  /** It is a part of a derivative: `revf`, `revr`, or what reverse code calls. */
  readonly half?: true;
  /** It is written into its first parameter, which `4-optimise/memory/write-into.ts` adds: the whole of its result, or the first or second of a pair. */
  readonly into?: "whole" | "0" | "1";
  /** Known by its signature only: its pair is imported. The body stands in for the unknown one and is never emitted. */
  readonly shipped?: true;
  /** Its pair is shipped: other programs call it, which know its signature only. */
  readonly ships?: true;
  /** Emission only: parameter text the user wrote, where it can be reused (`m: Model`); by position. */
  readonly paramText?: readonly (string | null)[];
  /** Emission only: by the name of a parameter, the literals that the user's type of it lists, as TypeScript writes them (`0 | 1`). */
  readonly listed?: Readonly<Record<string, string>>;
  /** Emission only: the user's result annotation, or a type text that holds in the home file; null where the user's function gives what has more places than its type says. */
  readonly resultText?: string | null;
}

/** A rule in two parts, which runs once: `rule(...args) => [value, ...kept]` in the forward pass, `back(...args read, ...kept, seed) => cotangents` in the backward pass. */
export interface Once {
  /** Null where the pullback sees nothing but arguments and the value: then the function itself is called. */
  readonly rule: string | null;
  readonly back: string;
  readonly kept: readonly Type[];
  /** Which of `kept` is the value itself; null where none is. */
  readonly value: number | null;
  /** Positions of the arguments that `back` reads. */
  readonly read: readonly number[];
}

/** `step`: what a counted loop adds to its index, null for other loops. `carried`: how many values go from round to round. */
export interface Rounds {
  readonly round: string;
  readonly step: number | null;
  readonly carried: number;
}

/** How a call of a class's member is written: all but "static" and "new" take the receiver as their first argument. */
export interface Member {
  readonly kind: "method" | "getter" | "setter" | "static" | "super" | "new";
  readonly name: string;
  /** Private or protected: code outside the class writes `o["m"]()`. */
  readonly hidden: boolean;
}

/** Where the derivatives of one declared function go. */
export interface Home {
  readonly file: string;
  /** The primal's name there; for an arrow function in place, a name made up from its context. */
  readonly name: string;
  /** Of a member: the name of its class, which is what other modules import. */
  readonly owner?: string;
  /** Offset at which generated code is put: the end of the module, or the closing brace of the block that declares it. */
  readonly at: number;
  /** "module": at top level, so other modules can import it. "block": inside a function, visible only there. */
  readonly scope: "module" | "block";
  /** The name its module exports the primal under, where it does ("default" included). Absent: other modules cannot import the primal. */
  readonly exportName?: string;
  readonly indent: string;
  /** In a block: names that are declared in more than one scope around it, and what each of them is here, as `variableOf` has it. */
  readonly hiding?: Readonly<Record<string, string>>;
  /** Names of the standard library that mean something else there. */
  readonly hidden?: readonly string[];
  /** How many arguments its declared type asks for beyond those that it takes: `const step: Step = (x) => …`. */
  readonly spare?: number;
  /** Texts of parameters (`p: Point`) whose type is readonly somewhere, whether they say so or not. */
  readonly readonlyParams?: readonly string[];
  /** The result's type is readonly somewhere. */
  readonly givesReadonly?: true;
  readonly origin: Origin;
  /** What every importing file writes for `file`, where that is in a package. */
  readonly specifier?: string;
}

export interface Program {
  readonly stage: "raw" | "ssa";
  readonly funcs: ReadonlyMap<string, Func>;
  readonly types: ReadonlyMap<string, NamedType>;
  readonly homes: ReadonlyMap<string, Home>;
  /** Derivatives that bodies call, by name, until they are made. */
  readonly derivations?: ReadonlyMap<string, Derivation>;
}
