// The type of a row of the diagnostics registry.

export interface Entry {
  readonly severity: "error" | "warning";
  /** Who reports it. Codes of "runtime", "host" or "internal" have no error fixture. */
  readonly raisedBy: "lower" | "pipeline" | "runtime" | "host" | "internal";
  /** The words after the number in the names of its fixture and its page. */
  readonly slug: string;
  /** One fact, in the user's names. `{0}` and `{1}` are arguments of the report. */
  readonly message: string;
  /** The remedy. */
  readonly help: string;
  /** The remedy on pages, where `help` has too few words without its arguments. */
  readonly pageHelp?: string;
  /** The reason, a paragraph of the page. */
  readonly page: string;
  /** Whether the Delta engine is tried instead of the static engine, which reports the code. */
  readonly delta?: true;
  readonly bad: string;
  readonly good: string;
}
