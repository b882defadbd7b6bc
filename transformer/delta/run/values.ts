// What an expression of a run is. In: nothing. Out: the types. Invariant: a record that the run makes is seen by nobody else before the run is over.

import type { Num } from "./graph.ts";

/** A record of the run's own. */
export interface Made {
  readonly kind: "made";
  readonly fields: ReadonlyMap<string, Value>;
  /** It has no other fields. */
  readonly isWhole: boolean;
}

/** An object from outside. */
export interface Outside {
  readonly kind: "outside";
  /** A name. */
  readonly text: string;
  /** The ids of its fields, a name; null: data, in which none are kept. */
  readonly ids: string | null;
}

/** A list of a loop that is swept as a whole (`swept/`). */
export interface List {
  readonly kind: "list";
  readonly name: string;
  /** What holds the adjoints of its elements. */
  readonly bar: string;
  /** No ids are kept in it. */
  readonly isData: boolean;
}

/** A place in a list of a loop. */
export interface Place {
  readonly list: List;
  readonly index: Num;
  readonly text: string;
}

export type Value = Num | Made | Outside | List;
