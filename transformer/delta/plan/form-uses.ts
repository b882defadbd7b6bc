// Finds tsgrad's forms in JavaScript, which has no items. In: a node that a recorded run may reach.
// Out: whether it uses a form, or mentions a declaration of the program that does. Invariant: each
// declaration is walked once.

import type ts from "typescript";
import { derives } from "./tsgrad-calls.ts";

interface FormUsesHost {
  readonly api: typeof ts;
  readonly checker: ts.TypeChecker;
  /** The files of the program. */
  readonly own: ReadonlySet<ts.SourceFile>;
}

export class FormUses {
  readonly #host: FormUsesHost;
  readonly #seen = new Set<ts.Node>();

  constructor(host: FormUsesHost) {
    this.#host = host;
  }

  /** False for what was asked before: the answer is for all nodes together. */
  addsForm(root: ts.Node): boolean {
    const { api } = this.#host;
    const waiting: ts.Node[] = [root];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (this.#seen.has(node)) continue;
      this.#seen.add(node);
      if (api.isIdentifier(node)) {
        const symbol = this.#symbolAt(node);
        if (symbol !== undefined && derives(symbol, node, api, this.#host.checker)) return true;
        waiting.push(...this.#declarations(symbol));
      }
      api.forEachChild(node, (child) => {
        waiting.push(child);
      });
    }
    return false;
  }

  #symbolAt(node: ts.Identifier): ts.Symbol | undefined {
    const { api, checker } = this.#host;
    return api.isShorthandPropertyAssignment(node.parent)
      ? checker.getShorthandAssignmentValueSymbol(node.parent)
      : checker.getSymbolAtLocation(node);
  }

  #declarations(symbol: ts.Symbol | undefined): readonly ts.Declaration[] {
    const { api, checker, own } = this.#host;
    const target =
      symbol !== undefined && (symbol.flags & api.SymbolFlags.Alias) !== 0
        ? checker.getAliasedSymbol(symbol)
        : symbol;
    return (target?.declarations ?? []).filter(
      (each) => own.has(each.getSourceFile()) && !api.isSourceFile(each),
    );
  }
}
