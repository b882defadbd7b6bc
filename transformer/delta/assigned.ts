// Finds assignments to a variable after its declaration. In: a variable's symbol. Out: whether any
// code of its file assigns to it, and where. Invariant: no other file can assign to it.

import type ts from "typescript";
import { isAssigned } from "../syntax/assignments.ts";

export class AssignedVariables {
  readonly #api: typeof ts;
  readonly #checker: ts.TypeChecker;
  readonly #names = new Map<ts.SourceFile, Set<string>>();
  readonly #known = new Map<ts.Symbol, readonly ts.Identifier[]>();

  constructor(api: typeof ts, checker: ts.TypeChecker) {
    this.#api = api;
    this.#checker = checker;
  }

  has(symbol: ts.Symbol): boolean {
    const file = symbol.valueDeclaration?.getSourceFile();
    if (file === undefined) return false;
    let names = this.#names.get(file);
    if (names === undefined) {
      names = new Set();
      this.#note(file, names);
      this.#names.set(file, names);
    }
    return names.has(symbol.name) && this.targets(symbol).length > 0;
  }

  /** The names that a file assigns. */
  #note(node: ts.Node, into: Set<string>): void {
    if (this.#api.isIdentifier(node) && isAssigned(node, this.#api)) into.add(node.text);
    this.#api.forEachChild(node, (child) => {
      this.#note(child, into);
    });
  }

  /** Every occurrence of its name as an assignment target. */
  targets(symbol: ts.Symbol): readonly ts.Identifier[] {
    const known = this.#known.get(symbol);
    if (known !== undefined) return known;
    const found = this.mentions(symbol, (node) => isAssigned(node, this.#api));
    this.#known.set(symbol, found);
    return found;
  }

  /** Every occurrence of its name in its file that `isAsked` accepts. */
  mentions(
    symbol: ts.Symbol,
    isAsked: (node: ts.Identifier) => boolean = () => true,
  ): readonly ts.Identifier[] {
    const file = symbol.valueDeclaration?.getSourceFile();
    const found: ts.Identifier[] = [];
    if (file !== undefined) this.#collect(file, symbol, isAsked, found);
    return found;
  }

  #collect(
    node: ts.Node,
    symbol: ts.Symbol,
    isAsked: (node: ts.Identifier) => boolean,
    found: ts.Identifier[],
  ): void {
    const api = this.#api;
    if (api.isIdentifier(node) && node.text === symbol.name && isAsked(node)) {
      const meant = api.isShorthandPropertyAssignment(node.parent)
        ? this.#checker.getShorthandAssignmentValueSymbol(node.parent)
        : this.#checker.getSymbolAtLocation(node);
      if (meant === symbol) found.push(node);
    }
    api.forEachChild(node, (child) => {
      this.#collect(child, symbol, isAsked, found);
    });
  }
}
