// What all parts of a plan share: the program, its indexes, the items so far.
// In: the host of a plan. Invariant: a node has one item.

import type ts from "typescript";
import { type Code, NOTHING } from "../../code/code.ts";
import { AssignedVariables } from "../assigned.ts";
import { Cells } from "../kept/cells.ts";
import { Keys } from "../kept/keys.ts";
import type { Packages } from "../packages/index.ts";
import type { RewriteProblem, Resolution } from "../scope.ts";
import { Activity } from "./activity.ts";
import { ClassIndex } from "./class-index.ts";
import { FormUses } from "./form-uses.ts";
import { FunctionIndex } from "./function-index.ts";
import { isJavaScript, type Item, madeItem, type Names } from "./items.ts";
import { hasAccessors } from "./lean.ts";
import { type FromPackage, type Importing, packageImport } from "./package-imports.ts";
import type { Rewritings } from "./rewritings.ts";
import type { Steps } from "./steps.ts";

export interface PlanHost {
  readonly ts: typeof ts;
  readonly program: ts.Program;
  readonly files: readonly ts.SourceFile[];
  /** Resolves calls into packages. */
  readonly packages: Packages;
  /** Functions whose calls may be a single step of the tape. */
  readonly steps?: Steps;
  /** What earlier plans for the program have written. */
  readonly rewritings?: Rewritings;
  /** The rule that a function has by `defineDerivative`; the runtime applies it. */
  readonly ruleOf: (symbol: ts.Symbol, at: ts.Node) => "vjp" | "jvp" | null;
  /** Whether the program replaces a function of the standard library, such as `Math.sin`. */
  readonly isReplaced: (path: string) => boolean;
  /** Why no export can be added to a file; null where one can. */
  readonly closedAs: (file: ts.SourceFile) => string | null;
}

export class PlanState {
  readonly items = new Map<ts.Node, Item>();
  /** Whether rewritten code takes derivatives itself. */
  usesForms = false;
  readonly api: typeof ts;
  readonly checker: ts.TypeChecker;
  readonly names: Names;
  readonly keys: Keys;
  readonly classes: ClassIndex;
  readonly functions: FunctionIndex;
  readonly own: ReadonlySet<ts.SourceFile>;
  readonly assigned: AssignedVariables;
  readonly packages: Packages;
  readonly activity: Activity;
  readonly importing: Importing;
  /** The cells of assigned variables. */
  readonly cells: Cells;
  readonly #formUses: FormUses;

  constructor(host: PlanHost, names: Names) {
    this.api = host.ts;
    this.checker = host.program.getTypeChecker();
    this.names = names;
    this.own = new Set(host.files);
    this.packages = host.packages;
    this.assigned = new AssignedVariables(host.ts, this.checker);
    this.keys = new Keys({ ...host, checker: this.checker, assigned: this.assigned });
    this.cells = new Cells({
      ts: host.ts,
      names,
      items: this.items,
      item: (node, name, where) => this.item(node, name, where),
    });
    this.classes = new ClassIndex(host);
    this.functions = new FunctionIndex({
      ...host,
      // functions of JavaScript are linked beside themselves
      files: host.files.filter((file) => !isJavaScript(file)),
      assigned: this.assigned,
      keepers: (call) => this.makersIn(call.expression),
    });
    this.importing = {
      api: host.ts,
      checker: this.checker,
      own: this.own,
      ownModule: (specifier, fromFile) => host.packages.ownModule(specifier, fromFile),
    };
    this.#formUses = new FormUses(this.importing);
    let isPlain: boolean | undefined;
    this.activity = new Activity(() => (isPlain ??= !hasAccessors(host.files, host.ts)));
  }

  item(node: ts.Node, name: Code, where: Partial<Pick<Item, "place" | "behind">>): Item {
    const item = madeItem(node, name, where);
    this.items.set(node, item);
    return item;
  }

  /** Classes whose instances a function may use are linked if possible. */
  soft(item: Item, other: Item | null): void {
    if (other !== null && other !== item) item.soft.add(other);
  }

  /** `why`: it concerns a package, or has a code of its own. */
  problem(
    item: Item,
    node: ts.Node,
    construct: string,
    why: boolean | "TSG1303" = false,
  ): Resolution {
    const problem: RewriteProblem = {
      node,
      construct,
      ...(why === false ? {} : { isPackage: true }),
      ...(why === "TSG1303" ? { code: why } : {}),
    };
    item.blocked = [...(item.blocked ?? []), problem];
    return { kind: "constant" };
  }

  /** The symbol that an alias stands for. */
  meant(alias: ts.Symbol): ts.Symbol {
    return alias.flags & this.api.SymbolFlags.Alias ? this.checker.getAliasedSymbol(alias) : alias;
  }

  /** The export of a package that a name imports. */
  foreign(node: ts.Node): FromPackage | null {
    const alias = this.api.isIdentifier(node) ? this.checker.getSymbolAtLocation(node) : undefined;
    return alias === undefined ? null : this.exportOf(alias);
  }

  exportOf(alias: ts.Symbol): FromPackage | null {
    return packageImport(alias, this.importing);
  }

  /** Whether a package's own function makes it, with what it has beside it. */
  isMadeInPlace(node: ts.Node): boolean {
    return this.makersIn(node).length > 0;
  }

  /** Packages whose own functions an expression names, by specifiers. */
  makersIn(node: ts.Node): readonly string[] {
    const { fileName } = node.getSourceFile();
    const found: string[] = [];
    const visit = (at: ts.Node): void => {
      const specifier = this.foreign(at)?.specifier;
      if (specifier !== undefined && this.packages.isInPlace(specifier, fileName))
        found.push(specifier);
      this.api.forEachChild(at, visit);
    };
    visit(node);
    return found;
  }

  // ---------------------------------------------------------------- JavaScript of the program

  /** JavaScript: its functions have twins beside them, so that nothing of it is an item. */
  isExtended(node: ts.Node): boolean {
    const file = node.getSourceFile();
    return isJavaScript(file) && this.own.has(file);
  }

  /** The item of a JavaScript file, which has no lines of its own. */
  extendedFile(file: ts.SourceFile): Item {
    return this.items.get(file) ?? this.item(file, NOTHING, {});
  }

  /** The same for the file of a node that a run may reach: all of it is extended. */
  extended(node: ts.Node): Item {
    const file = node.getSourceFile();
    this.packages.extendOwn(file.fileName);
    this.reaches(node);
    return this.extendedFile(file);
  }

  /** Derivatives may be taken in code that a run may reach. */
  reaches(node: ts.Node): void {
    this.usesForms ||= this.#formUses.addsForm(node);
  }
}
