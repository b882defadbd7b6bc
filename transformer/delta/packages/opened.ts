// Modules of packages as they are read, whether code of theirs is copied or not. In: a file. Out:
// its surface, its variables, and where a name of its exports comes from.

import type ts from "typescript";
import { moduleUses, type ModuleUses, type ModuleVariable, type Unit } from "./module-uses.ts";
import type { Kept } from "./prune.ts";
import type { Resolved, Resolver } from "./resolve.ts";
import { DEFAULT, surfaceOf, type Surface } from "./surface.ts";

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

  open(file: string, kept?: Kept): Opened {
    const known = this.#opened.get(file);
    if (known !== undefined) return known;
    const { api } = this;
    const source =
      kept?.source ??
      api.createSourceFile(file, this.#read(file) ?? "", api.ScriptTarget.ESNext, true);
    const surface = kept?.surface ?? surfaceOf(api, source);
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
