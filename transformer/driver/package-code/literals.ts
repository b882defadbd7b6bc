// Functions in object literals of packages: `tools.mix` of `export const tools = { mix }`. In: the
// declaration of a literal and a member's name. Out: the function that it means. Invariant: where
// anything may write to the literal, or take it elsewhere, there is none.

import type ts from "typescript";
import { DEFAULT } from "../../delta/packages/surface.ts";
import { remembered } from "../../syntax/changed-members.ts";
import { functionOf, mentionsThis } from "./functions.ts";
import {
  assignedBy,
  type Declared,
  type Found,
  initialiserOf,
  isKey,
  type Module,
  type Modules,
  type Path,
} from "./modules.ts";

type Api = typeof ts;

/** The function or literal in a member; null where it may be another one. */
function memberOf(api: Api, modules: Modules, found: Declared, name: string): Declared | null {
  const literal = literalOf(api, found);
  const { root, names } = found.path ?? { root: found, names: [] };
  if (literal === null || root.module.assigned.has(root.name)) return null;
  const named = literal.properties.filter((each) => each.name?.getText() === name);
  const [property] = named;
  const isPlain = literal.properties.every(
    ({ name: each }) => each !== undefined && !api.isComputedPropertyName(each),
  );
  if (property === undefined || named.length > 1 || !isPlain) return null;
  const target = valueOf(api, modules, found.module, property);
  if (target?.kind !== "declared") return null;
  const path = { root, names: [...names, name] };
  const member = target.node.parent === property ? { ...target, path } : target;
  if (functionOf(api, target) === null && (literalOf(api, member) === null || member === target))
    return null;
  return isFixed(api, modules, path) ? member : null;
}

/** Where a chain of members leads that begins with a name: `m.tools.mix`. */
export function chainFrom(
  api: Api,
  start: { readonly node: ts.Identifier; readonly found: Found | null },
  step: (found: Found, name: string) => Found | null,
): { readonly node: Access; readonly found: Found | null } {
  let { node, found }: { node: Access; found: Found | null } = start;
  for (
    let next = accessOf(api, node);
    next !== null && found !== null;
    next = accessOf(api, node)
  ) {
    const part = step(found, next.name.text);
    if (part === null && found.kind !== "module") break;
    ({ node } = next);
    found = part;
  }
  return { node, found };
}

type Access = ts.PropertyAccessExpression | ts.Identifier;

/** The member that is read of what a node gives; the last name of a type `m.Vec`. */
function accessOf(
  api: Api,
  node: ts.Node,
): { readonly node: Access; readonly name: ts.MemberName } | null {
  const whole = api.isIdentifier(node) && isRight(api, node) ? node.parent : node;
  const { parent } = whole;
  if (api.isQualifiedName(parent) && parent.left === whole)
    return { node: parent.right, name: parent.right };
  return api.isPropertyAccessExpression(parent) && parent.expression === whole
    ? { node: parent, name: parent.name }
    : null;
}

const isRight = (api: Api, node: ts.Identifier): boolean =>
  api.isQualifiedName(node.parent) && node.parent.right === node;

/** What a member leads to. `from`: the module that reads it; absent for the user's. */
export function partOf(
  api: Api,
  modules: Modules,
  from?: Module,
): (found: Found, name: string) => Found | null {
  return (found, name) =>
    found.kind === "declared"
      ? memberOf(api, modules, found, name)
      : modules.member(found, name, from);
}

/** `{ … }` or `Object.freeze({ … })` */
export function literalOf(api: Api, found: Declared): ts.ObjectLiteralExpression | null {
  const value = initialiserOf(api, found.node);
  if (value === undefined || api.isObjectLiteralExpression(value)) return value ?? null;
  const [first] = api.isCallExpression(value) ? value.arguments : [];
  const isFrozen = api.isCallExpression(value) && value.expression.getText() === "Object.freeze";
  return isFrozen && first !== undefined && api.isObjectLiteralExpression(first) ? first : null;
}

function valueOf(
  api: Api,
  modules: Modules,
  module: Module,
  property: ts.ObjectLiteralElementLike,
): Found | null {
  if (api.isShorthandPropertyAssignment(property)) return modules.local(module, property.name.text);
  if (api.isMethodDeclaration(property))
    return { kind: "declared", module, name: property.name.getText(), node: property };
  if (!api.isPropertyAssignment(property)) return null;
  const { initializer, name } = property;
  return api.isIdentifier(initializer)
    ? modules.local(module, initializer.text)
    : { kind: "declared", module, name: name.getText(), node: initializer };
}

function isFixed(api: Api, modules: Modules, path: Path): boolean {
  const { module, name: variable } = path.root;
  const literal = literalOf(api, path.root);
  const mentions = mentionsIn(api, module, variable);
  const isGiven = (node: ts.Identifier): boolean => isExported(api, node);
  if (literal === null || mentionsThis(api, literal)) return false;
  if (!mentions.every((node) => isOnlyRead(api, node, path.names) || isGiven(node))) return false;
  const names = exportNames(module, variable);
  return (
    (names.length === 0 && variable !== DEFAULT && !mentions.some(isGiven)) ||
    isFixedOutside(api, modules, path, names)
  );
}

/**
 * Whether a mention of a variable gives none of the objects on a path elsewhere. `isNamed`: whether
 * what an expression gives has only names that are looked at, too.
 */
export function isOnlyRead(
  api: Api,
  node: ts.Node,
  [name, ...deeper]: readonly string[],
  isNamed: (node: ts.Node) => boolean = () => false,
): boolean {
  if (isNamed(node)) return true;
  if (!isMemberRead(api, node)) return false;
  const { parent } = node;
  const isOnPath = api.isPropertyAccessExpression(parent) && parent.name.text === name;
  return !isOnPath || deeper.length === 0 || isOnlyRead(api, parent, deeper, isNamed);
}

/** The names by which a module exports a variable. */
const exportNames = ({ surface }: Module, variable: string): readonly string[] =>
  [...surface.exports].flatMap(([name, local]) => (local === variable ? [name] : []));

/** `exported`: the names of the variable. */
function isFixedOutside(
  api: Api,
  modules: Modules,
  path: Path,
  exported: readonly string[],
): boolean {
  const { texts, isExposed, dependents } = modules.outside;
  const { root, names } = path;
  const { module, node } = root;
  const tests = names.map((name) => writesOf(name, module.file));
  const isWritten = (text: string): boolean => tests.some((test) => test(text));
  if (texts.some(isWritten) || dependents.has(module.file) || isExposed(path, modules))
    return false;
  const others = modulesBeside(modules, module.file);
  const whole = new RegExp(`\\.(?:${["default", ...exported].join("|")})\\b(?!\\s*\\.)`);
  /** Whether a module only reads members of what it imports as a name. */
  const isRead = (other: Module, local: string): boolean => {
    const target = modules.local(other, local);
    if (target?.kind === "module") return !whole.test(other.source.text);
    return (
      target?.kind !== "declared" ||
      target.node !== node ||
      mentionsIn(api, other, local).every((each) => isOnlyRead(api, each, names))
    );
  };
  // code of CommonJS may load a module anywhere
  return (
    others?.every(
      (other) =>
        other.surface.isEsm &&
        !isWritten(other.source.text) &&
        [...other.surface.imports.keys()].every((local) => isRead(other, local)),
    ) === true
  );
}

const MOST_MODULES = 300;

/** All modules of a file's package that those read so far load; null where these are many. */
function modulesBeside(modules: Modules, file: string): readonly Module[] | null {
  const root = packageOf(file);
  const isOwn = (module: Module | null): module is Module =>
    module !== null && packageOf(module.file) === root;
  const found = new Set(modules.all.filter(isOwn));
  for (const module of found) {
    const { imports, forwarded, stars } = module.surface;
    const bindings = [...imports.values(), ...forwarded.values()];
    for (const specifier of [...bindings.map((each) => each.specifier), ...stars]) {
      const next = modules.at(specifier, module.file, module);
      if (isOwn(next)) found.add(next);
    }
    if (found.size > MOST_MODULES) return null;
  }
  return [...found];
}

/** The folder of a file's package. */
const packageOf = (file: string): string | undefined =>
  /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];

/** Whether a text may write to a member of this name, or gives the whole package elsewhere. */
export function writesOf(name: string, file: string): (text: string) => boolean {
  const owner = packageOf(file)?.replace(/^.*\/node_modules\//, "") ?? "";
  const escaped = name.replaceAll("$", "\\$");
  const written = new RegExp(
    `(?<!\\bexports)(?:\\.\\s*${escaped}|\\[\\s*["'\`]${escaped}["'\`]\\s*\\])\\s*[-+*/%&|^?<>]*=(?![=>])`,
  );
  const elsewhere = new RegExp(
    `(?:\\bexport\\b[^;"']*\\bfrom|\\brequire\\s*\\(|\\bimport\\s*\\()\\s*["']${owner}["'/]`,
  );
  return (text) => written.test(text) || elsewhere.test(text);
}

/** Where a module mentions a variable at its top. */
const mentionsIn = (api: Api, { source }: Module, variable: string): readonly ts.Identifier[] =>
  namesIn(api, source).get(variable) ?? [];

/** Identifiers that are no keys, by their texts. */
const namesIn = remembered((api, source): ReadonlyMap<string, readonly ts.Identifier[]> => {
  const found = new Map<string, ts.Identifier[]>();
  const visit = (node: ts.Node): void => {
    if (!api.isIdentifier(node)) api.forEachChild(node, visit);
    else if (!isKey(api, node)) {
      const same = found.get(node.text);
      if (same === undefined) found.set(node.text, [node]);
      else same.push(node);
    }
  };
  visit(source);
  return found;
});

const isExported = (api: Api, { parent }: ts.Identifier): boolean =>
  api.isExportAssignment(parent) ||
  (api.isBinaryExpression(parent) && /^(?:module\.)?exports\b/.test(parent.left.getText()));

/** Whether an expression is the object of a member that is read or called. */
function isMemberRead(api: Api, node: ts.Node): boolean {
  const { parent } = node;
  if (!api.isPropertyAccessExpression(parent) || parent.expression !== node) return false;
  return assignedBy(api, parent.parent) !== parent && !api.isArrayLiteralExpression(parent.parent);
}
