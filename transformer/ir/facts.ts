// What flows between phases beside the program itself. In: nothing. Out: types only.

import type { Func, Origin, Type } from "./types.ts";

export type Form = "grad" | "valueAndGrad" | "vjp" | "derivativeSource";

/** One compile-time form that the user wrote, resolved. */
export interface CallSite {
  readonly form: Form;
  /** The whole call expression. */
  readonly origin: Origin;
  /** Name of the function in Program.funcs. */
  readonly target: string;
  /** Positions asked for, in the user's order; `[0]` where none are given. */
  readonly argnums: readonly number[];
  /** Whether the user wrote `argnums` as an array, so that the result is a tuple. */
  readonly tuple: boolean;
  readonly hasAux: boolean;
  /** Offset behind the last argument: `, f$grad` goes here. */
  readonly insertAt: number;
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
  | { readonly kind: "type"; readonly home: string; readonly name: string; readonly type: Type; readonly origin: Origin }
  | { readonly kind: "func"; readonly home: string; readonly func: Func };
