// Functions that a package ships as declarations, with their derivatives.
// Input: a declared function and the import it is named by. Output: where its derivatives are
// imported from, and a Func for its signature. The placeholder body makes every result depend on
// every argument. It is never emitted, inlined or differentiated.

import type ts from "typescript";
import { Builder, field, index, NUM, num } from "../../ir/build.ts";
import { Names, revf, revr, shipped as marker, SHIPPED_FORMAT } from "../../ir/names.ts";
import { isPlain, resolve } from "../../ir/shadow.ts";
import type { Atom, Func, Home, Type, Var } from "../../ir/types.ts";
import type { LowerContext } from "../context.ts";
import type { TypeScript } from "../typescript.ts";
import { importsBehind } from "./forms.ts";
import { endOf } from "../checker.ts";
import { specifiersOf } from "./module-graph.ts";

export interface Shipped {
  readonly home: Home;
  /** Parameters whose memory the function writes. */
  readonly writes: readonly string[];
}

export type ShippedResult =
  | { readonly kind: "shipped"; readonly shipped: Shipped }
  | { readonly kind: "stale"; readonly format: string }
  | { readonly kind: "none" };

interface Imported {
  readonly specifier: string;
  readonly name: string;
  readonly module: ts.Symbol;
}

/** `at`: the call, or the name that is passed as a value. */
export function shippedOf(
  alias: ts.Symbol,
  declaration: ts.FunctionDeclaration,
  at: ts.Node,
  api: TypeScript,
  checker: ts.TypeChecker,
): ShippedResult {
  const imported = declaration.getSourceFile().isDeclarationFile
    ? (importOf(alias, api, checker) ??
      importOf(writtenAt(at, api, checker), api, checker) ??
      throughImports(declaration, at, api, checker))
    : null;
  const file = imported?.module.declarations?.find(api.isSourceFile);
  if (imported === null || file === undefined) return { kind: "none" };
  const found = (name: string): ts.Symbol | undefined =>
    checker.tryGetMemberInModuleExports(name, imported.module);
  const mark = found(marker(imported.name));
  if (
    mark === undefined ||
    found(revf(imported.name, null)) === undefined ||
    found(revr(imported.name, null)) === undefined
  )
    return { kind: "none" };
  const type = checker.getTypeOfSymbol(mark);
  const said = type.isStringLiteral() ? type.value : "";
  if (said !== SHIPPED_FORMAT && !said.startsWith(`${SHIPPED_FORMAT} `))
    return { kind: "stale", format: said };
  const writes = said
    .slice(SHIPPED_FORMAT.length)
    .split(" ")
    .filter((word) => word !== "");
  const origin = {
    file: declaration.getSourceFile().fileName,
    start: declaration.getStart(),
    end: declaration.end,
  };
  const bare = imported.specifier.startsWith(".") ? {} : { specifier: imported.specifier };
  return {
    kind: "shipped",
    shipped: {
      writes,
      home: {
        file: file.fileName,
        name: imported.name,
        exportName: imported.name,
        at: file.end,
        scope: "module",
        indent: "",
        origin,
        ...bare,
      },
    },
  };
}

/** The symbol of the name at the call, before imports are followed. */
function writtenAt(at: ts.Node, api: TypeScript, checker: ts.TypeChecker): ts.Symbol | undefined {
  const callee = api.isCallExpression(at) ? at.expression : at;
  return api.isIdentifier(callee) ? checker.getSymbolAtLocation(callee) : undefined;
}

/** The first import or re-export in the alias chain that leads into a declaration file. */
function importOf(
  alias: ts.Symbol | undefined,
  api: TypeScript,
  checker: ts.TypeChecker,
): Imported | null {
  for (const { specifier, name } of importsBehind(alias, api, checker)) {
    const found = moduleAt(specifier, api, checker);
    if (found !== null) return { ...found, name };
  }
  return null;
}

/** An import for names without alias: `V.dot` of `import * as V`, `const g = dot`. */
function throughImports(
  declaration: ts.FunctionDeclaration,
  at: ts.Node,
  api: TypeScript,
  checker: ts.TypeChecker,
): Imported | null {
  for (const specifier of specifiersOf(at.getSourceFile(), api)) {
    const found = moduleAt(specifier, api, checker);
    const own =
      found === null
        ? undefined
        : checker
            .getExportsOfModule(found.module)
            .find(
              (symbol) => endOf(symbol, api, checker).declarations?.includes(declaration) === true,
            );
    if (found !== null && own !== undefined) return { ...found, name: own.name };
  }
  return null;
}

function moduleAt(
  specifier: ts.Node | undefined,
  api: TypeScript,
  checker: ts.TypeChecker,
): { readonly specifier: string; readonly module: ts.Symbol } | null {
  if (specifier === undefined || !api.isStringLiteral(specifier)) return null;
  const module = checker.getSymbolAtLocation(specifier);
  return module?.declarations?.some((file) => api.isSourceFile(file) && file.isDeclarationFile) ===
    true
    ? { specifier: specifier.text, module }
    : null;
}

/** The Func that analyses and callers see. */
export function lowerShipped(
  ctx: LowerContext,
  declaration: ts.FunctionDeclaration,
  name: string,
  { writes }: Shipped,
): Func {
  const params = declaration.parameters.map((parameter): Var => {
    const type = ctx.typeOf(parameter.name);
    const text = parameter.name.getText();
    const isPlainParameter =
      parameter.questionToken === undefined &&
      parameter.dotDotDotToken === undefined &&
      isPlain(type, ctx.types);
    if (!isPlainParameter) rejectPart(ctx, declaration, name, `its parameter \`${text}\``);
    return { kind: "var", name: text, type };
  });
  const result = resultOf(ctx, declaration);
  if (!isPlain(result, ctx.types)) rejectPart(ctx, declaration, name, "its result");
  const b = new Builder(
    new Names(params.map((param) => param.name)),
    ctx.originOf(declaration),
    false,
  );
  let sum: Atom = num(0);
  const each = (object: Atom, visit: (object: Atom, key: Atom | string) => void): void =>
    places(b, object, ctx, visit);
  for (const param of params) {
    if (param.type.kind === "num") sum = b.add(sum, param);
    else
      each(param, (object, key) => {
        sum = b.add(sum, b.load("t", NUM, object, keyOf(key)));
      });
  }
  const total = sum;
  for (const param of params)
    if (writes.includes(param.name))
      each(param, (object, key) => {
        b.store(object, keyOf(key), total);
      });
  const value = result.kind === "void" ? [] : [filledValue(b, result, total, ctx)];
  return {
    name,
    home: name,
    params,
    result,
    body: b.body(value),
    origin: ctx.originOf(declaration),
    shipped: true,
  };
}

function rejectPart(
  ctx: LowerContext,
  declaration: ts.FunctionDeclaration,
  name: string,
  part: string,
): void {
  const what = `${part} is not made of numbers, arrays and records alone`;
  ctx.reject("TSG1017", declaration, name, what);
}

/** `grad(f)` of a shipped f: a function of the requesting file that calls f. */
export function shippedWrapper(shipped: Func, name: string): Func {
  const params = shipped.params;
  const b = new Builder(new Names(params.map((param) => param.name)), shipped.origin, false);
  const value = b.let("t", shipped.result, { kind: "call", callee: shipped.name, args: params });
  return {
    name,
    home: name,
    params,
    result: shipped.result,
    body: b.body(shipped.result.kind === "void" ? [] : [value]),
    origin: shipped.origin,
  };
}

function resultOf(ctx: LowerContext, declaration: ts.FunctionDeclaration): Type {
  const type = ctx.checker.getSignatureFromDeclaration(declaration)?.getReturnType();
  return type === undefined ||
    type.flags & (ctx.ts.TypeFlags.Void | ctx.ts.TypeFlags.Undefined | ctx.ts.TypeFlags.Never)
    ? { kind: "void" }
    : ctx.typeFrom(type, declaration);
}

const keyOf = (key: Atom | string) => (typeof key === "string" ? field(key) : index(key));

/** Visits every number in an object; the elements of an array count as one. */
function places(
  b: Builder,
  object: Atom,
  ctx: LowerContext,
  visit: (object: Atom, key: Atom | string) => void,
): void {
  const type = resolve(object.type, ctx.types);
  const at = (key: Atom | string, inner: Type): void => {
    const shape = resolve(inner, ctx.types);
    if (shape.kind === "num") visit(object, key);
    else if (shape.kind === "array" || shape.kind === "tuple" || shape.kind === "record")
      places(b, b.load("t", inner, object, keyOf(key)), ctx, visit);
  };
  if (type.kind === "array") at(b.length(object), type.elem);
  else if (type.kind === "tuple") type.elems.forEach((elem, i) => at(String(i), elem));
  else if (type.kind === "record") for (const each of type.fields) at(each.name, each.type);
}

/** A fresh value in which every number is `number`. */
export function filledValue(
  b: Builder,
  type: Type,
  number: Atom,
  ctx: Pick<LowerContext, "types">,
): Atom {
  const shape = resolve(type, ctx.types);
  if (shape.kind === "num") return number;
  if (shape.kind === "array")
    return b.let("t", type, {
      kind: "alloc",
      length: num(0),
      fill: filledValue(b, shape.elem, number, ctx),
    });
  if (shape.kind === "tuple")
    return b.let("t", type, {
      kind: "tuple",
      elems: shape.elems.map((elem) => filledValue(b, elem, number, ctx)),
    });
  if (shape.kind !== "record") return { kind: "undef", type };
  return b.let("t", type, {
    kind: "record",
    fields: shape.fields.map((each) => ({
      name: each.name,
      value: filledValue(b, each.type, number, ctx),
    })),
  });
}
