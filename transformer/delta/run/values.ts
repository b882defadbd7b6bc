// Values of expressions in a fused stretch. Invariant: a record that it allocates stays private.

import type { Num } from "./graph.ts";

export interface Made {
  readonly kind: "made";
  readonly fields: ReadonlyMap<string, Value>;
  /** It has no other fields. */
  readonly isWhole: boolean;
}

/** An object from outside the stretch. */
export interface Outside {
  readonly kind: "outside";
  readonly text: string;
  /** The local with the ids of its fields; null: passive, without recorded ids. */
  readonly ids: string | null;
}

export type Value = Num | Made | Outside;
