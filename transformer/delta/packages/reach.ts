// The code of packages that a call may run. In: exports. Out: the declarations that they reach, by
// names, and the uses of variables in them. Invariant: a name in a declaration is reached, too, so
// nothing that runs is left out but what an object brings from elsewhere.

import { DEFAULT } from "./surface.ts";
import type { ModuleVariable, Unit, Use } from "./module-uses.ts";
import type { Opened, OpenedModules } from "./opened.ts";

export class Reach {
  readonly units = new Map<Unit, Opened>();
  readonly variables = new Set<ModuleVariable>();
  /** By the variable itself, wherever it is imported. */
  readonly uses = new Map<ModuleVariable, { readonly use: Use; readonly of: Opened }[]>();
  readonly #modules: OpenedModules;
  /** Whether code of other modules that runs at load counts. */
  readonly #loads: (file: string) => boolean;
  readonly #met = new Set<string>();
  #isSettling = false;
  readonly #work: { readonly unit: Unit; readonly of: Opened }[] = [];

  constructor(modules: OpenedModules, loads: (file: string) => boolean) {
    this.#modules = modules;
    this.#loads = loads;
  }

  want(of: Opened, name: string): void {
    const key = `${of.file}\n${name}`;
    if (this.#met.has(key)) return;
    this.#met.add(key);
    this.#load(of);
    const { surface } = of;
    if (name === "*") for (const one of this.#modules.names(of)) this.want(of, one);
    const local = surface.isEsm ? surface.exports.get(name) : undefined;
    const found = this.#modules.origin(of, name);
    if (local === DEFAULT || found?.kind === "export")
      for (const unit of makersOf(this.#modules, of, name)) this.#add(unit, of);
    if (found?.kind === "variable") this.#variable(found.variable, found.of);
    const passed = local === undefined ? surface.forwarded.get(name) : surface.imports.get(local);
    if (passed?.imported === "*") this.#through(of, passed.specifier, "*");
    if (!this.#isSettling) this.#settle();
  }

  #through(of: Opened, specifier: string, name: string): void {
    const other = this.#modules.through(of, specifier);
    if (other !== null) this.want(other, name);
  }

  /** What a module does when it is loaded. */
  #load(of: Opened): void {
    const key = `load ${of.file}`;
    if (this.#met.has(key) || !this.#loads(of.file)) return;
    this.#met.add(key);
    for (const unit of of.uses.units)
      for (const use of unit.uses) if (!use.isLater) this.#use(use, of);
  }

  #settle(): void {
    this.#isSettling = true;
    for (let next = this.#work.pop(); next !== undefined; next = this.#work.pop()) {
      const { unit, of } = next;
      for (const use of unit.uses) this.#use(use, of);
      if (!of.surface.isEsm)
        for (const specifier of requiresIn(unit)) this.#through(of, specifier, "*");
    }
    this.#isSettling = false;
  }

  #use(use: Use, of: Opened): void {
    const { variable } = use;
    const binding = of.surface.imports.get(variable.name);
    if (binding === undefined || of.uses.top(variable.name) !== variable) {
      this.#note(variable, use, of);
      this.#variable(variable, of);
      return;
    }
    const name = binding.imported === "*" ? memberOf(this.#modules, use) : binding.imported;
    const other = this.#modules.through(of, binding.specifier);
    if (other === null) return;
    const found = name === "*" ? null : this.#modules.origin(other, name);
    if (found?.kind === "variable") this.#note(found.variable, use, of);
    this.want(other, name);
  }

  #note(variable: ModuleVariable, use: Use, of: Opened): void {
    const known = this.uses.get(variable);
    if (known === undefined) this.uses.set(variable, [{ use, of }]);
    else if (!known.some((one) => one.use === use)) known.push({ use, of });
  }

  #variable(variable: ModuleVariable, of: Opened): void {
    this.variables.add(variable);
    for (const unit of variable.units) this.#add(unit, of);
  }

  #add(unit: Unit, of: Opened): void {
    if (this.units.has(unit)) return;
    this.units.set(unit, of);
    this.#load(of);
    this.#work.push({ unit, of });
  }
}

/** What makes an export that is no variable: `export default …`, `exports.f = …`. */
const makersOf = (modules: OpenedModules, { surface, uses }: Opened, name: string): Unit[] =>
  uses.units.filter((unit) => (surface.isEsm ? isDefault(modules, unit) : makesExport(unit, name)));

const isDefault = ({ api }: OpenedModules, { node }: Unit): boolean =>
  api.isExportAssignment(node) ||
  (api.canHaveModifiers(node) &&
    (api.getModifiers(node) ?? []).some(({ kind }) => kind === api.SyntaxKind.DefaultKeyword));

const makesExport = ({ exports }: Unit, name: string): boolean =>
  exports.has(name) || exports.has("*") || (name === "default" && exports.size > 0);

/** `f` of `lib.f`, where `lib` is a namespace. */
function memberOf({ api }: OpenedModules, { node }: Use): string {
  const { parent } = node;
  return api.isPropertyAccessExpression(parent) && parent.expression === node
    ? parent.name.text
    : "*";
}

const requiresIn = ({ node }: Unit): readonly string[] =>
  [...node.getText().matchAll(/\brequire\((["'])([^"']+)\1\)/g)].map(([, , name = ""]) => name);
