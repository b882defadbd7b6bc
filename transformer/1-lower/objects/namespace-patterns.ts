// Patterns that take functions of the library or of a module: `const { sin } = Math`,
// `const { dot } = vec3` after `import * as vec3`. In: a declaration. Out: whether it is one. Its
// names mean functions and have no value at run time.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { endOf } from "../checker.ts";
import type { Frame } from "../frame.ts";
import type { Fn } from "../function-values.ts";
import { builtinPath, isNamespace } from "../names/library-names.ts";
import { functionOfName } from "../resolve.ts";
import { declaredName } from "./property-names.ts";

/** `const { sin, cos } = Math` binds names to built-ins, not values. */
export function bindLibrary(f: Frame, declaration: ts.VariableDeclaration): boolean {
  const { api } = f;
  const object =
    declaration.initializer === undefined ? undefined : bare(declaration.initializer, f.api);
  if (
    object === undefined ||
    !api.isIdentifier(object) ||
    (object.text !== "Math" && object.text !== "Number") ||
    !api.isObjectBindingPattern(declaration.name)
  )
    return false;
  for (const element of declaration.name.elements) {
    const path = api.isIdentifier(element.name) ? builtinPath(f, element.name) : null;
    const symbol = api.isIdentifier(element.name) ? f.symbolOf(element.name) : null;
    if (path === null || symbol === null) return f.refuse("TSG1125", element, f.textOf(element));
    if (f.ctx.checker.getTypeAtLocation(element.name).getCallSignatures().length > 0)
      f.env.bind(symbol, { kind: "fn", fn: { kind: "builtin", path } });
    else
      f.env.bind(symbol, {
        kind: "value",
        atom: {
          kind: "global",
          name: path,
          type: f.ctx.typeOf(element.name),
          file: f.root.getSourceFile().fileName,
        },
      });
  }
  return true;
}

/** `const { dot, mat: { mul } } = m`: what is no function is left to other patterns. */
export function bindNamespace(f: Frame, { name, initializer }: ts.VariableDeclaration): boolean {
  const { api } = f;
  const object = initializer && bare(initializer, api);
  if (object === undefined || !api.isObjectBindingPattern(name) || !isNamespace(f, object))
    return false;
  const found = functionsIn(f, name, f.ctx.checker.getTypeAtLocation(object));
  if (found === null) return false;
  for (const { bound, fn } of found) if (fn !== null) f.env.bind(bound, { kind: "fn", fn });
  return true;
}

interface Named {
  readonly bound: ts.Symbol;
  /** Null of a package's function: calls of it are known by their places. */
  readonly fn: Fn | null;
}

/** The names of a pattern; null where one means no function. */
function functionsIn(
  f: Frame,
  pattern: ts.ObjectBindingPattern,
  type: ts.Type,
): readonly Named[] | null {
  const { api } = f;
  const { checker } = f.ctx;
  const found: Named[] = [];
  for (const { name, propertyName = name, initializer, dotDotDotToken } of pattern.elements) {
    const key = declaredName(api, propertyName, checker);
    const property = key === null ? undefined : checker.getPropertyOfType(type, key);
    if (property === undefined || initializer !== undefined || dotDotDotToken !== undefined)
      return null;
    const symbol = endOf(property, api, checker);
    const inner = checker.getTypeOfSymbol(symbol);
    if (api.isObjectBindingPattern(name)) {
      const isModule = (symbol.flags & api.SymbolFlags.ValueModule) !== 0;
      const names = isModule ? functionsIn(f, name, inner) : null;
      if (names === null) return null;
      found.push(...names);
      continue;
    }
    const bound = f.symbolOf(name);
    if (bound === null || inner.getCallSignatures().length === 0) return null;
    const fn = functionOfName(f, symbol);
    const isOfPackage = symbol.valueDeclaration?.getSourceFile().isDeclarationFile === true;
    if (fn === null && !isOfPackage) return null;
    found.push({ bound, fn });
  }
  return found;
}
