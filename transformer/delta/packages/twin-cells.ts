// The variables that a module assigns, as twins read and write them: by a cell each, which holds
// the id. In: a variable, or the operand of a comparison. Out: code. Invariant: a variable has one
// cell, which is visible wherever the variable is.

import type ts from "typescript";
import { code, type Code, id, list, literal } from "../../code/code.ts";
import { deltaCell } from "../../ir/names.ts";
import { AssignedVariables } from "../assigned.ts";
import { Keys } from "../kept/keys.ts";
import type { Beside, Resolution } from "../scope.ts";
import { isAtTop, scopeOf } from "./twin-places.ts";
import { outerVariable } from "../kept/cells.ts";

type Api = typeof ts;

/** What the cells need of their module. */
interface Module {
  readonly source: ts.SourceFile;
  readonly checker: ts.TypeChecker;
  readonly exportedCell: (name: string) => Code | null;
}

/** Writes declarations beside the module's own code. */
interface Writer {
  /** A name that the module does not have. */
  readonly claim: (wanted: string) => Code;
  readonly hoist: (block: ts.Node, text: Code) => void;
}

export class ModuleCells {
  readonly #api: Api;
  readonly #module: Module;
  readonly #writer: Writer;
  readonly #assigned: AssignedVariables;
  readonly #keys: Keys;
  readonly #cells = new Map<ts.Node, Code | null>();

  constructor(api: Api, module: Module, writer: Writer) {
    const { checker, source } = module;
    this.#api = api;
    this.#module = module;
    this.#writer = writer;
    this.#assigned = new AssignedVariables(api, checker);
    this.#keys = new Keys({ ts: api, checker, files: [source], assigned: this.#assigned });
  }

  symbolOf(declaration: ts.Declaration): ts.Symbol | undefined {
    // every kind of declaration that has a name has a node for it
    const name = "name" in declaration ? (declaration.name as ts.Node | undefined) : undefined;
    return name === undefined ? undefined : this.#module.checker.getSymbolAtLocation(name);
  }

  /** Whether code assigns to it after its declaration. */
  isAssigned(declaration: ts.Declaration): boolean {
    const symbol = this.symbolOf(declaration);
    return symbol !== undefined && this.#assigned.has(symbol);
  }

  variable(declaration: ts.Declaration, name: string): Resolution {
    const refused = `\`${name}\`, a variable of a loop that is assigned to`;
    const cell = this.#cellAt(declaration, name) ?? code`$d.unsupported(${literal(refused)})`;
    return outerVariable(cell, id(name));
  }

  /** What may be kept beside the key of a memo. */
  keyAt(operand: ts.Expression): Beside | null {
    const key = this.#keys.at(operand);
    if (key === null || key.kind === "field") return key;
    const variables = key.siblings.map((declaration) => {
      const name = declaration.name.getText();
      const cell = this.isAssigned(declaration) ? this.#cellAt(declaration, name) : null;
      return code`[${cell ?? code`null`}, ${id(name)}]`;
    });
    return { variables: list(variables) };
  }

  #cellAt(declaration: ts.Declaration, name: string): Code | null {
    const known = this.#cells.get(declaration);
    const cell = known === undefined ? this.#cellOf(declaration, name) : known;
    this.#cells.set(declaration, cell);
    return cell;
  }

  #cellOf(declaration: ts.Declaration, name: string): Code | null {
    const api = this.#api;
    const exported = isAtTop(api, declaration) ? this.#module.exportedCell(name) : null;
    if (exported !== null) return exported;
    const block = scopeOf(api, declaration);
    const isOfLoop =
      api.isVariableDeclaration(declaration) &&
      !api.isVariableStatement(declaration.parent.parent) &&
      (api.getCombinedNodeFlags(declaration) & api.NodeFlags.BlockScoped) !== 0;
    if (block === null || isOfLoop) return null;
    const own = this.#writer.claim(deltaCell(name));
    this.#writer.hoist(block, code`function ${own}() {}`);
    return own;
  }
}
