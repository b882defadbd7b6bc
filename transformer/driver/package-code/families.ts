// Which classes of packages derive from a class. In: the modules that the program loads, and the
// class. Out: it and all that derive from it, however far, with their bases; null where that is not
// known. Invariant: a class that code gives another name counts as the base of any class whose base
// is not known.

import type ts from "typescript";
import { isNodeModule } from "../../delta/packages/resolve.ts";
import { remembered } from "../../syntax/changed-members.ts";
import { bare } from "../../syntax/wrappers.ts";
import type { ClassNode } from "./classes.ts";
import type { Module, Modules } from "./modules.ts";
import { codeOf, isHandedOn, type Meaning } from "./replaced.ts";

type Api = typeof ts;

/** Classes with their bases among them. */
export type Family = ReadonlyMap<ClassNode, ClassNode | null>;

export function familyOf(
  api: Api,
  modules: Modules,
  loaded: readonly Module[],
  node: ClassNode,
): Family | null {
  const found = new Map<ClassNode, ClassNode | null>([[node, null]]);
  const all = loaded.map((module) => ({ module, ...codeOf(api, modules, module, found) }));
  const isBase = (each: ClassNode, module: Module, base: ts.Expression): boolean =>
    codeOf(api, modules, module, new Set([each])).meaning(base) === "it";
  for (let size = 0; size < found.size;) {
    size = found.size;
    for (const { module, source, meaning } of all)
      for (const [derived, base] of basesIn(api, source))
        if (!found.has(derived) && meaning(base) === "it")
          found.set(derived, [...found.keys()].find((each) => isBase(each, module, base)) ?? node);
  }
  let isNamedAnew: boolean | undefined;
  const mayBeBase = (module: Module, base: ts.Expression, meaning: Meaning): boolean =>
    meaning === "maybe" ||
    (meaning === "unknown" &&
      (isFromElsewhere(api, module, base) ||
        (isNamedAnew ??= all.some((code) => isHandedOn(api, code)))));
  const mayDerive = all.some(({ module, source, meaning }) =>
    basesIn(api, source).some(
      ([derived, base]) => !found.has(derived) && mayBeBase(module, base, meaning(base)),
    ),
  );
  return mayDerive ? null : found;
}

/** The classes that have instances, and their bases. */
export function withInstances(
  family: Family,
  isMade: (node: ClassNode) => boolean,
): ReadonlySet<ClassNode> {
  const found = new Set<ClassNode>();
  for (const node of family.keys())
    if (isMade(node))
      for (let at: ClassNode | null = node; at !== null; at = family.get(at) ?? null) found.add(at);
  return found;
}

/** Classes with the expressions that they extend. */
const basesIn = remembered((api, source): readonly (readonly [ClassNode, ts.Expression])[] => {
  const found: (readonly [ClassNode, ts.Expression])[] = [];
  const visit = (node: ts.Node): void => {
    const base = api.isClassLike(node) ? node.heritageClauses?.[0]?.types[0] : undefined;
    if (api.isClassLike(node) && base !== undefined) found.push([node, base.expression]);
    api.forEachChild(node, visit);
  };
  visit(source);
  return found;
});

/** Whether it is an export of a module, which may be another name of the class. */
function isFromElsewhere(api: Api, { surface }: Module, base: ts.Expression): boolean {
  let root = bare(base, api);
  while (api.isPropertyAccessExpression(root)) root = bare(root.expression, api);
  if (!api.isIdentifier(root)) return /\brequire\b/.test(root.getText());
  const imported = surface.imports.get(root.text);
  return imported === undefined
    ? root.text === "exports" || root.text === "module"
    : !isNodeModule(imported.specifier);
}

/** Names of members that a copy lacks since nothing differentiates them; null for any. */
export function oddNames(
  api: Api,
  { members }: ClassNode,
  isOdd: (member: ts.ClassElement) => boolean,
): ReadonlySet<string> | null {
  const names = new Set<string>();
  for (const { name } of members.filter(isOdd)) {
    if (name === undefined || api.isPrivateIdentifier(name)) continue;
    const key = api.isComputedPropertyName(name) ? name.expression : name;
    if (api.isIdentifier(name) || api.isStringLiteralLike(key) || api.isNumericLiteral(key))
      names.add(key.getText().replace(/^["'`](.*)["'`]$/s, "$1"));
    else if (!/^Symbol\.\w+$/.test(key.getText())) return null;
  }
  return names;
}
