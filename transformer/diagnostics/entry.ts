// The shape of one row of the diagnostics registry. In: nothing. Out: types only.

export interface Entry {
  readonly severity: "error" | "warning";
  /** Who raises it. What only "runtime", "host" or "internal" raise has no fixture under fixtures/errors. */
  readonly raisedBy: "lower" | "pipeline" | "runtime" | "host" | "internal";
  /** Words after the number in the names of its fixture and page. */
  readonly slug: string;
  /** One fact, in the user's names: `{0}`, `{1}` are the arguments of the report. */
  readonly message: string;
  /** What to do about it. */
  readonly help: string;
  /** The page's paragraph: why it is so. */
  readonly page: string;
  /** Whether the Delta engine is tried where the static one raises it. Absent: no derivative exists, or the call itself is wrong. */
  readonly delta?: true;
  readonly bad: string;
  readonly good: string;
}
