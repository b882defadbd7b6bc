// What a phase says about user code: a registered code, where, and the values its message names.
// Leaf: knows no typescript. Invariant: a Diagnostic is plain data; hosts turn it into their tool's own form.

/** A span of user code, as character offsets. Structurally the IR's Origin. */
export interface Span {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

/** One step of the chain that led to a diagnostic, outermost first: "requested by `grad(loss)`", "called by `loss`". */
export interface ChainLink {
  readonly text: string;
  readonly span: Span;
}

export interface Diagnostic {
  /** `TSG1003`. */
  readonly code: string;
  readonly severity: "error" | "warning";
  /** One fact, in the user's own names. */
  readonly message: string;
  /** What to do about it. */
  readonly help: string;
  readonly span: Span;
  readonly chain: readonly ChainLink[];
}
