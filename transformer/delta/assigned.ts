// Finds assignments to a variable after its declaration. In: a variable's symbol. Out: whether any
// code of its file assigns to it, and where. Invariant: no other file can assign to it.

import type ts from "typescript";
import { isAssigned } from "../syntax/assignments.ts";

export class AssignedVariables {
  readonly #api: typeof ts;
  readonly #checker: ts.TypeChecker;
  /** By file and name: every occurrence of the name. */
  readonly #identifiers = new WeakMap<ts.SourceFile, ReadonlyMap<string, ts.Identifier[]>>();
  readonly #targets = new Map<ts.Symbol, readonly ts.Identifier[]>();

  constructor(api: typeof ts, checker: ts.TypeChecker) {
    this.#api = api;
    this.#checker = checker;
  }

  has(symbol: ts.Symbol): boolean {
    return this.targets(symbol).length > 0;
  }

  /** Every occurrence of its name as an assignment target. */
  targets(symbol: ts.Symbol): readonly ts.Identifier[] {
    const known = this.#targets.get(symbol);
    if (known !== undefined) return known;
    const found = this.mentions(symbol, (node) => isAssigned(node, this.#api));
    this.#targets.set(symbol, found);
    return found;
  }

  /** Every occurrence of its name in its file that `isAsked` accepts. */
  mentions(symbol: ts.Symbol, isAsked: (node: ts.Identifier) => boolean): readonly ts.Identifier[] {
    const file = symbol.valueDeclaration?.getSourceFile();
    const named = file && this.#identifiersOf(file).get(symbol.name);
    return (named ?? []).filter((node) => isAsked(node) && this.#meaning(node) === symbol);
  }

  #meaning(node: ts.Identifier): ts.Symbol | undefined {
    return this.#api.isShorthandPropertyAssignment(node.parent)
      ? this.#checker.getShorthandAssignmentValueSymbol(node.parent)
      : this.#checker.getSymbolAtLocation(node);
  }

  #identifiersOf(file: ts.SourceFile): ReadonlyMap<string, readonly ts.Identifier[]> {
    const known = this.#identifiers.get(file);
    if (known !== undefined) return known;
    const found = new Map<string, ts.Identifier[]>();
    const visit = (node: ts.Node): void => {
      if (this.#api.isIdentifier(node)) {
        const others = found.get(node.text);
        if (others === undefined) found.set(node.text, [node]);
        else others.push(node);
      }
      this.#api.forEachChild(node, visit);
    };
    visit(file);
    this.#identifiers.set(file, found);
    return found;
  }
}
