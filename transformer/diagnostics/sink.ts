// Collects diagnostics, in the order in which the phases report them.
// Invariant: a code is reported once per span, however many calls lead there.

import { REGISTRY, type Code } from "./registry.ts";
import type { ChainLink, Diagnostic, Span } from "./report.ts";

const fill = (template: string, args: readonly string[]): string =>
  template.replace(/\{(\d)\}/g, (hole, position: string) => args[Number(position)] ?? hole);

export class Sink {
  readonly #reported = new Map<string, Diagnostic>();

  report(
    code: Code,
    span: Span,
    chain: readonly ChainLink[],
    ...args: readonly string[]
  ): Diagnostic {
    const key = `${code} ${span.file} ${span.start} ${span.end}`;
    const known = this.#reported.get(key);
    if (known !== undefined) return known;
    const { severity, message, help } = REGISTRY[code];
    const diagnostic: Diagnostic = {
      code,
      severity,
      message: fill(message, args),
      help: fill(help, args),
      span,
      chain,
    };
    this.#reported.set(key, diagnostic);
    return diagnostic;
  }

  get diagnostics(): readonly Diagnostic[] {
    return [...this.#reported.values()];
  }
}
