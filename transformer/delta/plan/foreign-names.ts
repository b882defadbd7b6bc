// Names of packages in rewritten code. In: an import of a package. Out: what it means; what of the
// package must be linked. Invariant: the value stays; its functions are linked with those of an
// instrumented copy, or with twins in the package itself.

import type ts from "typescript";
import { code, id, NOTHING } from "../../code/code.ts";
import { outerVariable } from "../kept/cells.ts";
import { exportKey } from "../packages/index.ts";
import type { Resolution } from "../scope.ts";
import { holdsData } from "../types/data-types.ts";
import type { Item } from "./items.ts";
import { whyNotAgain } from "./made-once.ts";
import { makingNames } from "./makers.ts";
import type { Use } from "./meanings.ts";
import { type FromPackage, tsgradImport } from "./package-imports.ts";
import type { PlanState } from "./plan-state.ts";
import { refusalText } from "./refusal-text.ts";
import type { WrittenItems } from "./written-items.ts";

/** Whether a name stands in the variable's initializer, outside of functions. */
function isOwnName(name: ts.Node, declaration: ts.Node, api: typeof ts): boolean {
  const holder = api.findAncestor(declaration, api.isVariableDeclaration);
  return api.findAncestor(name, (at) => at === holder || api.isFunctionLike(at)) === holder;
}

type UseOfPackage = Pick<Use, "item" | "at" | "value">;

export class ForeignNames {
  readonly #state: PlanState;
  readonly #written: WrittenItems;
  /** Variables that no package makes anything for. */
  readonly #madeAlone = new Set<ts.Node>();

  constructor(state: PlanState, written: WrittenItems) {
    this.#state = state;
    this.#written = written;
  }

  /** The value stays: its functions are linked with those of an instrumented copy. */
  resolve(foreign: FromPackage, { item, at, value }: UseOfPackage): Resolution {
    const { packages } = this.#state;
    const { specifier, ownFile } = foreign;
    const member = this.#memberRead(foreign, at);
    const name = member ?? foreign.exportName;
    const local = member === null ? value : code`${value}.${id(member)}`;
    const found = packages.packageValue({
      specifier,
      exportName: name,
      local,
      fromFile: item.file.fileName,
      ...(ownFile === undefined ? {} : { ownFile: ownFile.fileName }),
    });
    if (ownFile !== undefined) {
      item.needs.add(this.#state.extendedFile(ownFile));
      // of CommonJS types do not always say what a name is
      const isModule = this.#state.api.isExternalModule(ownFile);
      this.#state.reaches(!isModule ? ownFile : member === null ? at : at.parent);
    } else if (found.kind === "refused") {
      this.#state.problem(item, at, refusalText(found), true);
    } else if (found.kind === "linked") {
      (item.packageUses ??= new Map()).set(exportKey(specifier, name), at);
    }
    if (found.kind === "linked" && packages.isInPlace(specifier, item.file.fileName))
      this.#written.linkGiven(item, specifier);
    const cell = found.kind === "linked" ? found.cell : null;
    if (cell === null) return { kind: "constant" };
    return member === null
      ? outerVariable(cell, value)
      : this.#state.problem(
          item,
          at,
          `\`${local}\`, a variable that is assigned to (import it by its name)`,
        );
  }

  /** Of a namespace, the member that is read. */
  #memberRead({ exportName }: FromPackage, at: ts.Identifier): string | null {
    const { parent } = at;
    return exportName === "*" &&
      this.#state.api.isPropertyAccessExpression(parent) &&
      parent.expression === at &&
      parent.name.text !== "default"
      ? parent.name.text
      : null;
  }

  /** Links the package of `f` and of `lib.f`. */
  linkPackageOf(item: Item, node: ts.Expression): void {
    const { api } = this.#state;
    if (api.isPropertyAccessExpression(node)) {
      this.linkPackageOf(item, node.expression);
      return;
    }
    const foreign = this.#state.foreign(node);
    if (foreign !== null && api.isIdentifier(node))
      this.resolve(foreign, { item, at: node, value: id(node.text) });
  }

  /** What packages may make for a variable: `const noise = new Noise()`, `const [n] = noises()`. */
  linkMade(item: Item, declaration: ts.VariableDeclaration | ts.BindingElement): void {
    const { api, items } = this.#state;
    const known = items.get(declaration);
    if (known !== undefined) {
      item.needs.add(known);
      return;
    }
    if (this.#madeAlone.has(declaration)) return;
    const names = this.#namesMaking(declaration);
    if (names.length === 0) {
      this.#madeAlone.add(declaration);
      return;
    }
    const own = this.#state.item(declaration, NOTHING, {});
    item.needs.add(own);
    for (const [foreign, node] of names)
      this.resolve(foreign, { item: own, at: node, value: id(node.text) });
    // code that ran before may use what cannot be followed: that is an error where it is called
    if (own.blocked !== undefined)
      own.blocked = own.blocked.filter(({ node }) => isOwnName(node, declaration, api));
  }

  #namesMaking(
    declaration: ts.VariableDeclaration | ts.BindingElement,
  ): readonly (readonly [FromPackage, ts.Identifier])[] {
    const { api, checker, packages } = this.#state;
    const type = checker.getTypeAtLocation(declaration);
    if (holdsData(type, declaration, api, checker)) return [];
    return makingNames(declaration, this.#state).flatMap((node) => {
      const foreign = this.#state.foreign(node);
      if (foreign === null) return [];
      const of = foreign.exportName === "*" ? node.parent : node;
      const isLinked =
        packages.isInPlace(foreign.specifier, node.getSourceFile().fileName) ||
        (isOwnName(node, declaration, api) &&
          checker.getTypeAtLocation(of).getConstructSignatures().length > 0);
      return isLinked ? [[foreign, node] as const] : [];
    });
  }

  /** Why a call of a package cannot be made a second time with rewritten functions. */
  whyNotAgain(
    node: ts.CallExpression,
    { name }: ts.VariableDeclaration | ts.ExportAssignment,
  ): string | null {
    const { api, checker, own, packages } = this.#state;
    const variable = name === undefined ? undefined : checker.getSymbolAtLocation(name);
    const callee = api.isPropertyAccessExpression(node.expression)
      ? node.expression.expression
      : node.expression;
    const called = checker.getSymbolAtLocation(callee);
    // `customVjp(f, rule)` is the same function each time
    if (called && tsgradImport(called, callee, api, checker) !== null) return null;
    return whyNotAgain(node, variable, {
      ts: api,
      checker,
      files: [...own],
      isRepeatable: (callee, given) => {
        const alias = checker.getSymbolAtLocation(callee);
        const foreign = alias === undefined ? null : this.#state.exportOf(alias);
        return (
          foreign === null ||
          packages.isRepeatable(
            foreign.specifier,
            foreign.exportName,
            callee.getSourceFile().fileName,
            given,
          )
        );
      },
    });
  }

  /** Adds what JavaScript files import: files like them, and packages. */
  followExtended(): void {
    const { api, items, own, packages } = this.#state;
    for (const [node, item] of items) {
      if (!api.isSourceFile(node)) continue;
      const imports = packages.ownImports(node.fileName);
      for (const name of imports.files) {
        const file = [...own].find(({ fileName }) => fileName === name);
        if (file !== undefined) item.needs.add(this.#state.extendedFile(file));
      }
      for (const wanted of imports.packages)
        if (packages.packageValue(wanted).kind === "linked")
          (item.packageUses ??= new Map()).set(
            exportKey(wanted.specifier, wanted.exportName),
            node,
          );
    }
  }
}
