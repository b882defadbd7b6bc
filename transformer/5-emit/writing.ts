// The context that printing functions share. Text is source code with its precedence.
// `Writing.atom` is the printer itself, so that the printer's files do not import each other.

import type { Atom, Func, Member, Type, Var } from "../ir/types.ts";
import type { Types } from "../ir/shadow.ts";
import { PREC } from "../ir/ops.ts";
import type { Nested, Value } from "./code.ts";
import type { Identifiers } from "./names/identifiers.ts";
import type { Library } from "./names/library.ts";
import type { OriginOf } from "./origins.ts";
import type { Variable, Variables } from "./names/variables.ts";
import type { ParameterTypes } from "./places.ts";
import type { PersistentTape } from "./shape/retained-tapes.ts";
import type { TypeWriter } from "./types/type-text.ts";

export interface Text {
  readonly text: string;
  readonly prec: number;
}

/** A local function that builds zeros or a copy of a `type`. */
export interface Helper {
  readonly verb: string;
  readonly type: Type;
  readonly result: Type;
  readonly body: (param: string) => string;
  /** Statements that set what the body leaves empty in a recursive type; null for other types. */
  readonly rest: ((param: string, shadow: string) => readonly string[]) | null;
}

/** The context that the text of a function's values depends on. */
export interface Writing {
  readonly atom: (atom: Atom) => Text;
  readonly nested: Nested;
  readonly types: Types;
  readonly identifiers: Identifiers;
  readonly typeWriter: TypeWriter;
  /** Identifier, in this file, of a function of the program. */
  readonly callee: (name: string) => string;
  /** Number of arguments that a function's declared type requires beyond its parameters. */
  readonly extraArguments: (name: string) => number;
  /** The class member that a function of the program is; null for plain functions. */
  readonly member: (name: string) => Member | null;
  /** Whether the declared result type is narrower than the inferred one: `{ w: null }`. */
  readonly saysLess: (name: string) => boolean;
  readonly parameterTypes: ParameterTypes;
  /** Names that are declared with a literal type. */
  readonly literalNames: ReadonlySet<string>;
  /** Whether the result of a function may be readonly. */
  readonly givesReadonly: (callee: string) => boolean;
  /** Whether a parameter of an emitted function has a structural type without `readonly`. */
  readonly isStructural: (callee: string, at: number) => boolean;
  /** Name of the local function for a recursive type or a union. */
  readonly helper: (wanted: Helper) => string;
  /** Names whose type may be readonly, so that a mutable place needs a cast. */
  readonly readonlyNames: ReadonlySet<string>;
  /** Names of types with a readonly field or array. */
  readonly readonlyTypes: Pick<ReadonlySet<string>, "has">;
  /** Arrays of zeros that are sliced from a template. */
  readonly packed: ReadonlySet<Value>;
  /** A call of the local function that slices the template of zeros. */
  readonly zeros: (length: string) => string;
  /** A call of the local function that grows a tape to at least `length`. */
  readonly reserved: (tape: string, length: string) => string;
  /** A call of the local function that makes a key the object's own. */
  readonly defined: (object: string, key: string, value: string) => string;
  /** Comparisons and casts that TypeScript would reject as pointless. */
  readonly pointless: ReadonlySet<Value>;
  /** Unwraps that TypeScript's narrowing makes unnecessary. */
  readonly narrowed: ReadonlySet<Value>;
  /** Fields that some line sets to null or undefined, by `placeName`. */
  readonly nulledFields: ReadonlySet<string>;
  /** Qualifies names of the standard library that user code shadows. */
  readonly library: Library;
  /** Whether an element read has `undefined` in its type. */
  readonly noUncheckedIndexedAccess: boolean;
  /** Whether the user's `lib` is older than `Object.fromEntries`. */
  readonly lacksFromEntries: boolean;
}

/** The context of a function's statements. */
export interface FunctionWriting {
  readonly writing: Writing;
  readonly variables: Variables;
  /** Names that some line reads. */
  readonly read: ReadonlySet<string>;
  /** Tapes that a cursor indexes. */
  readonly cursors: ReadonlySet<Variable>;
  readonly func: Func;
  /** Where lines come from. */
  readonly originOf: OriginOf;
  /** Tapes that persist until the next call. */
  readonly spares: readonly PersistentTape[];
}

export const atomText = (atom: Atom, writing: Writing): Text => writing.atom(atom);

export const atomic = (text: string): Text => ({ text, prec: PREC.atom });
export const called = (text: string): Text => ({ text, prec: PREC.call });

/** The text, in brackets if its precedence is below `prec`. */
export const atLeast = (prec: number, inner: Text): string =>
  inner.prec < prec ? `(${inner.text})` : inner.text;

/** The atom's text, in brackets if its precedence is below `prec`. */
export const operandText = (prec: number, atom: Atom, writing: Writing): string =>
  atLeast(prec, atomText(atom, writing));

/** The value nested at this atom; undefined for constants and for variables with a line. */
export const definition = (atom: Atom, { nested }: Pick<Writing, "nested">): Value | undefined =>
  atom.kind === "var" ? nested.get(atom.name) : undefined;

/** The variable that an IR name belongs to. */
export const variableNamed = (
  { variables }: FunctionWriting,
  { name }: Var,
): Variable | undefined => variables.of.get(name);
