// Members of namespaces in rewritten code: of `import * as ns`, and of `namespace Geo { … }`.
// In: the name of a namespace. Out: what its member means; members that must be linked.

import type ts from "typescript";
import { code, type Code, id } from "../../code/code.ts";
import { membersMeant } from "../namespaces.ts";
import type { Resolution } from "../scope.ts";
import type { Item } from "./items.ts";
import type { Use } from "./meanings.ts";
import type { PlanState } from "./plan-state.ts";
import type { WrittenItems } from "./written-items.ts";

export class NamespaceNames {
  readonly #state: PlanState;
  readonly #written: WrittenItems;
  readonly #meaningOf: (alias: ts.Symbol, use: Use) => Resolution;

  constructor(
    state: PlanState,
    written: WrittenItems,
    meaningOf: (alias: ts.Symbol, use: Use) => Resolution,
  ) {
    this.#state = state;
    this.#written = written;
    this.#meaningOf = meaningOf;
  }

  /** `ns.f` of `import * as ns`, or `ns.inner.f` with a namespace `inner`. */
  member(use: Use): Resolution {
    const { api, checker } = this.#state;
    let owner: ts.Expression = use.at;
    let shown = use.value;
    for (;;) {
      const { parent } = owner;
      const alias =
        api.isPropertyAccessExpression(parent) && parent.expression === owner
          ? checker.getSymbolAtLocation(parent.name)
          : undefined;
      if (alias === undefined || !api.isPropertyAccessExpression(parent))
        return { kind: "constant" };
      shown = code`${shown}.${id(parent.name.text)}`;
      if (!this.#isModule(alias)) return this.#memberMeaning(alias, use, shown);
      owner = parent;
    }
  }

  #isModule(alias: ts.Symbol): boolean {
    const [declaration] = this.#state.meant(alias).declarations ?? [];
    return declaration !== undefined && this.#state.api.isSourceFile(declaration);
  }

  #memberMeaning(alias: ts.Symbol, use: Use, shown: Code): Resolution {
    // cells are found by a variable's own name: what was assigned would have no derivative
    if (this.#isAssignedVariable(this.#state.meant(alias)))
      return this.#state.problem(
        use.item,
        use.at,
        `\`${shown}\`, a variable that is assigned to (import it by its name)`,
      );
    const member = this.#meaningOf(alias, { ...use, value: shown, depth: 0 });
    if (member.kind !== "function") return { kind: "constant" };
    this.#state.activity.escapes(member.node);
    return { kind: "text", value: code`(${member.value}, ${use.value})` };
  }

  #isAssignedVariable(symbol: ts.Symbol): boolean {
    const { api, assigned } = this.#state;
    const declaration = symbol.valueDeclaration;
    return (
      declaration !== undefined &&
      (api.isVariableDeclaration(declaration) || api.isBindingElement(declaration)) &&
      (api.getCombinedNodeFlags(declaration) & api.NodeFlags.Constant) === 0 &&
      assigned.has(symbol)
    );
  }

  /** Links the members of a namespace, as `Geo.area(x)` looks up what is linked. */
  linkMembers(namespace: ts.Symbol, { item, at, value }: Use): void {
    const { api, assigned, checker, own } = this.#state;
    for (const { symbol, at: place, isWritten } of membersMeant(at, namespace, api, checker)) {
      const declaration = symbol.declarations?.find((node) => !api.isModuleDeclaration(node));
      if (declaration === undefined || !own.has(declaration.getSourceFile())) continue;
      const isVariable =
        api.isVariableDeclaration(declaration) &&
        (api.getCombinedNodeFlags(declaration) & api.NodeFlags.Constant) === 0;
      if (isVariable && (isWritten || assigned.has(symbol)))
        this.#state.problem(
          item,
          place,
          `\`${value}.${symbol.name}\`, a variable of a namespace that is assigned to`,
        );
      this.linkMember(item, symbol, declaration);
    }
  }

  linkMember(item: Item, symbol: ts.Symbol, declaration: ts.Declaration): void {
    const held = this.#state.functions.heldBy(symbol);
    const own = this.#state.api.isClassDeclaration(declaration)
      ? this.#written.class(declaration)
      : held === null
        ? null
        : this.#written.value(held);
    if (own !== null) item.needs.add(own);
  }
}
