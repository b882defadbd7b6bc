// A module's declarations and mentions, by names alone. In: a parsed module. Out: its top-level
// statements with the names each declares and mentions, its imports and exports. Invariant:
// mentions are never too few (shadowed names count), so pruning retains all that may be needed.

import type ts from "typescript";
import { isOwnThis, writesIn } from "../../syntax/changed-members.ts";
import { boundNames } from "../binding.ts";
import { flatExports, type FlatExports } from "./flat-commonjs.ts";
import { addMentioning, byName, loadEffects, type LoadEffects } from "./load-effects.ts";

type Api = typeof ts;

export interface Part {
  readonly node: ts.Statement;
  readonly declares: readonly string[];
  /** All names in it, of values or types. */
  readonly mentions: ReadonlySet<string>;
  /** Names in it outside of functions, with their definitions: what its evaluation may change. */
  readonly concerns: ReadonlySet<string>;
  readonly isEffect: boolean;
  /** Names that it may change itself: `const a = b.c = d`, `const a = extend(b)`. */
  readonly changes: ReadonlySet<string>;
  /** Names that functions in it may change. */
  readonly laterChanges: ReadonlySet<string>;
  /** Whether code of functions may run while it is evaluated. */
  readonly runs: boolean;
  /** It may affect another module, as `imported.f = …` or `const a = imported(b)` do. */
  readonly reachesOut: boolean;
}

export interface Binding {
  readonly specifier: string;
  /** `default`, `*`, or the name. */
  readonly imported: string;
}

export interface Surface {
  readonly isEsm: boolean;
  /** Whether parts may be dropped: an ES module, or flat CommonJS. */
  readonly isPrunable: boolean;
  readonly parts: readonly Part[];
  /** Keyed by local name. */
  readonly imports: ReadonlyMap<string, Binding>;
  readonly bareImports: readonly string[];
  /** Local names by exported name. */
  readonly exports: ReadonlyMap<string, string>;
  /** By exported name: `export { a as b } from`, `export * as b from`. */
  readonly forwarded: ReadonlyMap<string, Binding>;
  readonly stars: readonly string[];
  /** `require("x")` anywhere in a CommonJS file. */
  readonly requires: readonly string[];
}

/** Stands for the local name of `export default <expression>`; no identifier equals it. */
export const DEFAULT = "export default";

export function surfaceOf(api: Api, file: ts.SourceFile): Surface {
  const stars: string[] = [];
  const bareImports: string[] = [];
  const maps = {
    imports: new Map<string, Binding>(),
    exports: new Map<string, string>(),
    forwarded: new Map<string, Binding>(),
    stars,
    bareImports,
  };
  const parts: ReadPart[] = [];
  let isEsm = false;
  for (const node of file.statements) {
    if (api.isImportDeclaration(node)) {
      isEsm = true;
      readImport(api, node, maps);
      continue;
    }
    if (api.isExportDeclaration(node)) {
      isEsm = true;
      readExport(api, node, maps);
      continue;
    }
    const exported =
      api.canHaveModifiers(node) &&
      (api.getModifiers(node) ?? []).some((m) => m.kind === api.SyntaxKind.ExportKeyword);
    if (exported || api.isExportAssignment(node)) isEsm = true;
    parts.push(partOf(api, node, exported, maps.exports));
  }
  const flat = isEsm ? null : flatExports(api, file);
  const made = flat === null ? parts : parts.map((part) => withExports(part, flat.made));
  const related = relatedParts(api, made, maps.imports);
  if (isEsm) return { isEsm, isPrunable: true, parts: related, requires: [], ...maps };
  if (flat === null)
    return { isEsm, isPrunable: false, parts: related, requires: requiresOf(api, file), ...maps };
  const exports = new Map(
    [...flat.made.values()].flatMap((names) => names.map((name) => [name, madeAs(name)] as const)),
  );
  return { isEsm, isPrunable: true, parts: related, requires: [], ...maps, exports };
}

/** The name of a statement `exports.a = …`; no identifier equals it. */
const madeAs = (name: string): string => `exports.${name}`;
const withExports = (part: ReadPart, all: FlatExports["made"]): ReadPart => {
  const made = all.get(part.node);
  return made === undefined ? part : { ...part, declares: made.map(madeAs), isEffect: false };
};

interface Maps {
  readonly imports: Map<string, Binding>;
  readonly exports: Map<string, string>;
  readonly forwarded: Map<string, Binding>;
  readonly stars: string[];
  readonly bareImports: string[];
}

const textOf = (node: ts.Expression | ts.ModuleExportName): string =>
  "text" in node && typeof node.text === "string" ? node.text : "";

function readImport(api: Api, node: ts.ImportDeclaration, maps: Maps): void {
  const specifier = textOf(node.moduleSpecifier);
  const clause = node.importClause;
  if (clause === undefined) {
    maps.bareImports.push(specifier);
    return;
  }
  if (clause.isTypeOnly) return;
  if (clause.name !== undefined)
    maps.imports.set(clause.name.text, { specifier, imported: "default" });
  const named = clause.namedBindings;
  if (named === undefined) return;
  if (api.isNamespaceImport(named)) maps.imports.set(named.name.text, { specifier, imported: "*" });
  else
    for (const item of named.elements)
      if (!item.isTypeOnly)
        maps.imports.set(item.name.text, {
          specifier,
          imported: textOf(item.propertyName ?? item.name),
        });
}

function readExport(api: Api, node: ts.ExportDeclaration, maps: Maps): void {
  if (node.isTypeOnly) return;
  const specifier = node.moduleSpecifier === undefined ? null : textOf(node.moduleSpecifier);
  const clause = node.exportClause;
  if (clause === undefined) {
    if (specifier !== null) maps.stars.push(specifier);
    return;
  }
  if (api.isNamespaceExport(clause)) {
    if (specifier !== null) maps.forwarded.set(textOf(clause.name), { specifier, imported: "*" });
    return;
  }
  for (const item of clause.elements) {
    const name = textOf(item.propertyName ?? item.name);
    if (item.isTypeOnly) continue;
    if (specifier === null) maps.exports.set(textOf(item.name), name);
    else maps.forwarded.set(textOf(item.name), { specifier, imported: name });
  }
}

function partOf(
  api: Api,
  node: ts.Statement,
  exported: boolean,
  exports: Map<string, string>,
): ReadPart {
  const declares = declaredBy(api, node);
  const isDefault =
    exported &&
    api.canHaveModifiers(node) &&
    (api.getModifiers(node) ?? []).some((m) => m.kind === api.SyntaxKind.DefaultKeyword);
  if (isDefault || api.isExportAssignment(node)) {
    if (declares.length === 0) declares.push(DEFAULT);
    exports.set("default", declares[0] ?? DEFAULT);
  } else if (exported) for (const name of declares) exports.set(name, name);
  return { node, declares, isEffect: declares.length === 0, ...loadEffects(api, node) };
}

type ReadPart = LoadEffects & Pick<Part, "node" | "declares" | "isEffect">;

/** Adds aliases: `const a = b.c; a.f = …;` concerns b, as do `const a = b.c = d` or `extend(b)`. */
function relatedParts(
  api: Api,
  parts: readonly ReadPart[],
  imports: ReadonlyMap<string, Binding>,
): Part[] {
  const aliases = new Map<string, ReadonlySet<string>>();
  const outer = new Set(imports.keys());
  for (const part of parts) {
    if (!api.isVariableStatement(part.node)) continue;
    const isRequired = part.concerns.has("require");
    for (const declaration of part.node.declarationList.declarations) {
      const names = boundNames(api, declaration.name).map(({ text }) => text);
      if (isRequired) for (const name of names) outer.add(name);
      const roots = rootsOf(api, declaration.initializer);
      if (roots.length > 0)
        for (const name of names)
          aliases.set(
            name,
            new Set([
              ...(aliases.get(name) ?? []),
              ...roots.flatMap((root) => [...(aliases.get(root) ?? []), root]),
            ]),
          );
    }
  }
  const withAll = (names: Iterable<string>): Set<string> =>
    new Set([...names].flatMap((name) => [name, ...(aliases.get(name) ?? [])]));
  const isOuter = (name: string): boolean => outer.has(name);
  const callable = new Set([...outer, ...parts.flatMap((part) => callableIn(api, part))]);
  const changedThrough = classChanges(api, parts);
  const extendsLanguage = languageWrites(api, parts, isOuter);
  const reaching = new Set<ReadPart>();
  const starting = parts.filter(({ laterUses }) => [...laterUses].some(isOuter));
  addMentioning(
    reaching,
    starting,
    byName(parts, ({ mentions }) => mentions),
  );
  return parts.map((part) => {
    const { node, declares, mentions, isEffect, runs, laterChanges, laterPasses } = part;
    const concerns = withAll(part.concerns);
    for (const name of changedThrough(part)) concerns.add(name);
    const own = [...part.concerns].filter((name) => part.touches.has(name) || !callable.has(name));
    const used = isEffect ? concerns : part.changes ? part.uses : NONE;
    const passed = [...laterPasses].filter((name) => !callable.has(name));
    return {
      ...{ node, declares, mentions, concerns, isEffect, runs },
      changes: isEffect ? concerns : part.changes ? withAll(own) : NONE,
      laterChanges: withAll([...laterChanges, ...passed]),
      reachesOut: [...used].some(isOuter) || (runs && reaching.has(part)) || extendsLanguage(part),
    };
  });
}

const NONE: ReadonlySet<string> = new Set();

/** Names of functions and classes: a call of one changes no more than its code does. */
function callableIn(api: Api, { node, declares }: ReadPart): readonly string[] {
  if (!api.isVariableStatement(node)) return declares;
  return node.declarationList.declarations.flatMap(({ name, initializer }) =>
    api.isIdentifier(name) &&
    initializer !== undefined &&
    (api.isFunctionLike(initializer) || api.isClassLike(initializer))
      ? [name.text]
      : [],
  );
}

/**
 * Of a part that changes a class: all names through which it may get it, since a prototype comes
 * from a table, a function or an instance as well: `const all = { C }; all.C.prototype.f = …`.
 */
function classChanges(api: Api, parts: readonly ReadPart[]): (part: ReadPart) => Iterable<string> {
  const [file] = parts.map(({ node }) => node.getSourceFile());
  const written = (file === undefined ? [] : writesIn(api, file)).filter(
    ({ of, isStatic }) =>
      !isStatic &&
      (of === undefined || !isNamed(api, of, parts) || api.findAncestor(of, api.isFunctionLike)),
  );
  if (written.length === 0) return () => [];
  const declared = byName(parts, ({ declares }) => declares);
  const writes = ({ node }: ReadPart): boolean =>
    written.some((one) => node.pos <= one.node.pos && one.node.end <= node.end);
  return (part) => {
    if (api.isFunctionDeclaration(part.node)) return [];
    const found = new Set(part.concerns);
    const met = new Set([part]);
    for (const name of found)
      for (const other of declared.get(name) ?? []) {
        if (met.has(other)) continue;
        met.add(other);
        for (const one of other.mentions) found.add(one);
      }
    return [...met].some(writes) ? found : [];
  };
}

/** Whether a part writes a prototype of the language: `Number.prototype.toRadians = …`. */
function languageWrites(
  api: Api,
  parts: readonly ReadPart[],
  isImported: (name: string) => boolean,
): (part: ReadPart) => boolean {
  const [file] = parts.map(({ node }) => node.getSourceFile());
  const isOwn = (name: string): boolean =>
    isImported(name) || parts.some(({ declares }) => declares.includes(name));
  const written = (file === undefined ? [] : writesIn(api, file)).filter(
    ({ of, isStatic }) =>
      !isStatic &&
      of !== undefined &&
      api.isIdentifier(of) &&
      LANGUAGE.test(of.text) &&
      !isOwn(of.text),
  );
  return ({ node }) => written.some((one) => node.pos <= one.node.pos && one.node.end <= node.end);
}

const LANGUAGE =
  /^(?:Object|Function|Number|BigInt|String|Boolean|Symbol|(?:Weak)?(?:Map|Set)|(?:\w+)?Array|Promise)$/;

/** Whether an expression is a class or a function of the module, by its name. */
function isNamed(api: Api, of: ts.Expression, parts: readonly ReadPart[]): boolean {
  if (isOwnThis(api, of)) return true;
  if (!api.isIdentifier(of)) return false;
  const isParameter = api.findAncestor(
    of,
    (node) =>
      api.isFunctionLike(node) && node.parameters.some(({ name }) => name.getText() === of.text),
  );
  return (
    isParameter === undefined &&
    parts.some(
      ({ node, declares }) =>
        (api.isClassDeclaration(node) || api.isFunctionDeclaration(node)) &&
        declares.includes(of.text),
    )
  );
}

/** `b` for `b`, `b.c` and `b[c].d`. */
function rootOf(api: Api, expression: ts.Expression | undefined): string | null {
  if (expression === undefined) return null;
  if (api.isIdentifier(expression)) return expression.text;
  return api.isPropertyAccessExpression(expression) ||
    api.isElementAccessExpression(expression) ||
    api.isParenthesizedExpression(expression)
    ? rootOf(api, expression.expression)
    : null;
}

/** Names whose objects, or their contents, may be the expression's value. */
function rootsOf(api: Api, expression: ts.Expression | undefined): readonly string[] {
  if (expression === undefined) return [];
  if (api.isParenthesizedExpression(expression) || api.isSpreadElement(expression))
    return rootsOf(api, expression.expression);
  if (api.isArrayLiteralExpression(expression))
    return expression.elements.flatMap((element) => rootsOf(api, element));
  if (api.isObjectLiteralExpression(expression))
    return expression.properties.flatMap((one) =>
      api.isPropertyAssignment(one)
        ? rootsOf(api, one.initializer)
        : api.isShorthandPropertyAssignment(one)
          ? [one.name.text]
          : api.isSpreadAssignment(one)
            ? rootsOf(api, one.expression)
            : [],
    );
  if (api.isConditionalExpression(expression))
    return [...rootsOf(api, expression.whenTrue), ...rootsOf(api, expression.whenFalse)];
  if (api.isBinaryExpression(expression))
    return [...rootsOf(api, expression.left), ...rootsOf(api, expression.right)];
  if (api.isCallExpression(expression))
    return expression.arguments.flatMap((argument) => rootsOf(api, argument));
  const root = rootOf(api, expression);
  return root === null ? [] : [root];
}

function declaredBy(api: Api, node: ts.Statement): string[] {
  if (api.isVariableStatement(node))
    return node.declarationList.declarations.flatMap((d) =>
      boundNames(api, d.name).map(({ text }) => text),
    );
  if (api.isFunctionDeclaration(node) || api.isClassDeclaration(node))
    return node.name === undefined ? [] : [node.name.text];
  if (
    api.isEnumDeclaration(node) ||
    api.isInterfaceDeclaration(node) ||
    api.isTypeAliasDeclaration(node)
  )
    return [node.name.text];
  if (api.isModuleDeclaration(node) || api.isImportEqualsDeclaration(node)) return [node.name.text];
  return [];
}

export function requiresOf(api: Api, file: ts.Node): string[] {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (
      api.isCallExpression(node) &&
      api.isIdentifier(node.expression) &&
      node.expression.text === "require"
    ) {
      const [argument] = node.arguments;
      if (argument !== undefined && api.isStringLiteralLike(argument)) found.add(argument.text);
    }
    api.forEachChild(node, visit);
  };
  visit(file);
  return [...found];
}
