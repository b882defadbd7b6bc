// Modules of packages as they are read, whether code of theirs is copied or not. In: a file. Out:
// its surface, its variables, and where a name of its exports comes from.

import type ts from "typescript";
import type { Effect } from "./effects.ts";
import { moduleUses, type ModuleUses, type ModuleVariable, type Unit } from "./module-uses.ts";
import type { Resolved, Resolver } from "./resolve.ts";
import { parsedModule } from "./parsed-modules.ts";
import { DEFAULT, type Surface } from "./surface.ts";

type Api = typeof ts;

export interface Opened {
  readonly file: string;
  readonly source: ts.SourceFile;
  readonly surface: Surface;
  readonly uses: ModuleUses;
}

/** A variable of a module, or a name of what CommonJS exports. */
type Origin =
  | { readonly kind: "variable"; readonly of: Opened; readonly variable: ModuleVariable }
  | { readonly kind: "export"; readonly of: Opened; readonly name: string };

/** A member, and what is done to it. */
export interface NamedMember {
  readonly name: string;
  readonly effect: Effect;
}

interface Named {
  readonly file: string;
  readonly exportName: string;
  /** Absent where it is what is done to the export. */
  readonly effect?: Effect;
}

export class OpenedModules {
  readonly api: Api;
  readonly #resolver: Resolver;
  readonly #read: (file: string) => string | undefined;
  readonly #opened = new Map<string, Opened>();

  constructor(api: Api, resolver: Resolver, read: (file: string) => string | undefined) {
    this.api = api;
    this.#resolver = resolver;
    this.#read = read;
  }

  open(file: string): Opened {
    const known = this.#opened.get(file);
    if (known !== undefined) return known;
    const { api } = this;
    const { source, surface } = parsedModule(api, this.#read, file);
    const opened = { file, source, surface, uses: moduleUses(api, source) };
    this.#opened.set(file, opened);
    return opened;
  }

  target({ file, surface }: Opened, specifier: string): Resolved {
    return this.#resolver.resolve(specifier, file, !surface.isEsm);
  }

  through(of: Opened, specifier: string): Opened | null {
    const target = this.target(of, specifier);
    return target.kind === "source" ? this.open(target.file) : null;
  }

  /** The names that a module exports, without `default` of others. */
  names(of: Opened, seen: Set<Opened> = new Set()): readonly string[] {
    if (seen.has(of)) return [];
    seen.add(of);
    const { surface, uses } = of;
    if (!surface.isEsm) return [...new Set(uses.units.flatMap((unit) => this.#namesMade(unit)))];
    const stars = surface.stars.flatMap((specifier) => {
      const other = this.through(of, specifier);
      return other === null ? [] : this.names(other, seen).filter((name) => name !== "default");
    });
    return [...new Set([...surface.exports.keys(), ...surface.forwarded.keys(), ...stars])];
  }

  /** Where an export comes from; null for a namespace, or where it is not found. */
  origin(of: Opened, name: string, seen: Set<string> = new Set()): Origin | null {
    const key = `${of.file}\n${name}`;
    if (seen.has(key)) return null;
    seen.add(key);
    const { surface, uses } = of;
    if (!surface.isEsm) return this.#ofCommonJs(of, name);
    const local = surface.exports.get(name);
    if (local !== undefined) {
      const binding = surface.imports.get(local);
      if (binding !== undefined)
        return this.#forwarded(of, binding.specifier, binding.imported, seen);
      const variable = uses.top(local);
      return variable === undefined || local === DEFAULT
        ? { kind: "export", of, name }
        : { kind: "variable", of, variable };
    }
    const forwarded = surface.forwarded.get(name);
    if (forwarded !== undefined)
      return this.#forwarded(of, forwarded.specifier, forwarded.imported, seen);
    for (const specifier of surface.stars) {
      const found = this.#forwarded(of, specifier, name, seen);
      if (found !== null) return found;
    }
    return null;
  }

  /** What a program names by an export, or by a member of one that is a module itself. */
  named(file: string, exportName: string, member: NamedMember | undefined): Named {
    if (member === undefined) return { file, exportName };
    const of = this.open(file);
    const module = this.namespace(of, exportName);
    if (module !== null)
      return { file: module.file, exportName: member.name, effect: member.effect };
    // the default of CommonJS is the module
    const isModule = exportName === "default" && !of.surface.isEsm;
    return { file, exportName: isModule ? member.name : exportName };
  }

  /** The module that an export is: of `export * as a from`, however far; null for any other. */
  namespace(of: Opened, name: string, seen: Set<string> = new Set()): Opened | null {
    const key = `${of.file}\n${name}`;
    if (seen.has(key) || !of.surface.isEsm) return null;
    seen.add(key);
    const { exports, imports, forwarded, stars } = of.surface;
    const binding = imports.get(exports.get(name) ?? "") ?? forwarded.get(name);
    if (binding !== undefined) {
      const other = this.through(of, binding.specifier);
      const isWhole = other === null || binding.imported === "*";
      return isWhole ? other : this.namespace(other, binding.imported, seen);
    }
    if (exports.has(name)) return null;
    for (const star of stars) {
      const next = this.through(of, star);
      const found = next === null ? null : this.namespace(next, name, seen);
      if (found !== null) return found;
    }
    return null;
  }

  #forwarded(of: Opened, specifier: string, name: string, seen: Set<string>): Origin | null {
    const other = this.through(of, specifier);
    return other === null || name === "*" ? null : this.origin(other, name, seen);
  }

  /** `exports.a = …`, `module.exports = { a, b }` */
  #namesMade({ node, exports }: Unit): readonly string[] {
    const { api } = this;
    const value = api.isExpressionStatement(node) ? lastValue(api, node.expression) : undefined;
    const members =
      exports.has("*") && value !== undefined && api.isObjectLiteralExpression(value)
        ? value.properties.flatMap(({ name }) => (name === undefined ? [] : [name.getText()]))
        : [];
    return [...exports, ...members];
  }

  /** `exports.a = a` and `module.exports = { a }` pass a variable on. */
  #ofCommonJs(of: Opened, name: string): Origin {
    const { api } = this;
    for (const { node, exports } of of.uses.units) {
      if (!api.isExpressionStatement(node) || !api.isBinaryExpression(node.expression)) continue;
      const value = lastValue(api, node.expression);
      const held =
        exports.has("*") && api.isObjectLiteralExpression(value)
          ? propertyOf(api, value, name)
          : exports.has(name) || (name === "default" && exports.has("*"))
            ? value
            : undefined;
      const variable = held !== undefined && api.isIdentifier(held) ? of.uses.top(held.text) : null;
      if (variable !== null && variable !== undefined) return { kind: "variable", of, variable };
    }
    return { kind: "export", of, name };
  }
}

/** The value of `a = b = value`. */
function lastValue(api: Api, node: ts.Expression): ts.Expression {
  let value = node;
  while (api.isBinaryExpression(value)) value = value.right;
  return value;
}

function propertyOf(
  api: Api,
  literal: ts.ObjectLiteralExpression,
  name: string,
): ts.Expression | undefined {
  for (const property of literal.properties) {
    if (property.name === undefined || property.name.getText() !== name) continue;
    if (api.isShorthandPropertyAssignment(property)) return property.name;
    if (api.isPropertyAssignment(property)) return property.initializer;
  }
  return undefined;
}
