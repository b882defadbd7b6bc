// Functions and classes that earlier plans for a program rewrote. In: a node, and what its rewriter
// asks. Out: its text. Invariant: a plan that answers alike gets the same text, and is told of the
// same calls and writes.

import type ts from "typescript";
import { Trace } from "../trace.ts";
import type { RewriteContext, Rewritten } from "../scope.ts";

interface Made {
  readonly fixed: string;
  readonly trace: Trace<RewriteContext>;
  readonly written: Rewritten;
}

export class Rewritings {
  readonly #made = new Map<ts.Node, Made>();

  /** `names`: those that are given to what it declares. */
  of<R extends Rewritten>(
    node: ts.Node,
    names: readonly string[],
    context: RewriteContext,
    write: (context: RewriteContext) => R,
  ): R {
    const { step, perOperation, loopFor } = context;
    if (step !== undefined || perOperation === true) return write(context);
    const fixed = JSON.stringify([names, loopFor !== undefined]);
    const known = this.#made.get(node);
    // one node has one kind of text
    if (known?.fixed === fixed && known.trace.holds(context)) return known.written as R;
    const trace = new Trace<RewriteContext>();
    const written = write(recording(context, trace));
    this.#made.set(node, { fixed, trace, written });
    return written;
  }
}

function recording(context: RewriteContext, trace: Trace<RewriteContext>): RewriteContext {
  const ask = <A>(again: (of: RewriteContext) => A): A => trace.ask(context, again);
  return {
    ...context,
    resolver: {
      resolve: (identifier) => ask(({ resolver }) => resolver.resolve(identifier)),
      privateFunction: (node) => ask(({ resolver }) => resolver.privateFunction?.(node) ?? null),
      keyAt: (operand) => ask(({ resolver }) => resolver.keyAt?.(operand) ?? null),
    },
    activity: {
      isLive: (place) => ask(({ activity }) => activity?.isLive(place) ?? true),
      holds: (place) => ask(({ activity }) => activity?.holds(place) ?? true),
      calls: (node, all) => {
        ask(({ activity }) => activity?.calls(node, all));
      },
      escapes: (node) => {
        ask(({ activity }) => activity?.escapes(node));
      },
      writes: () => {
        ask(({ activity }) => activity?.writes());
      },
      isWritten: () => ask(({ activity }) => activity?.isWritten() ?? true),
      hasPlainFields: () => ask(({ activity }) => activity?.hasPlainFields() ?? false),
    },
    ...(context.loopFor === undefined
      ? {}
      : { loopFor: (wish) => ask(({ loopFor }) => loopFor?.(wish) ?? null) }),
  };
}
