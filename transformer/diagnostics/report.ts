// A diagnostic: a registered code, a place in user code, and the values that its message names.
// It is plain data; hosts convert it to the form of their tool.

/** A span of user code, as character offsets; the same shape as the IR's Origin. */
export interface Span {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

/** A step from a call site to a diagnostic: "requested by `grad(loss)`", "called by `loss`". */
export interface ChainLink {
  readonly text: string;
  readonly span: Span;
}

export interface Diagnostic {
  /** `TSG1003`. */
  readonly code: string;
  readonly severity: "error" | "warning";
  /** One fact, in the user's names. */
  readonly message: string;
  /** The remedy. */
  readonly help: string;
  readonly span: Span;
  readonly chain: readonly ChainLink[];
}
