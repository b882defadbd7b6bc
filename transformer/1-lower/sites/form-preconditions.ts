// Whether a form can give what a call asks for. In: a call's options and the lowered target. Out: reports about argument
// positions, argument types and the result type. Invariant: a site that passes has numbers in each asked argument and in the result.

import type ts from "typescript";
import type { Code } from "../../diagnostics/registry.ts";
import { asksForAll, type Form, isOfScalar } from "../../ir/facts.ts";
import { printType } from "../../ir/print.ts";
import { VOID } from "../../ir/build.ts";
import { hasNumbers, resolve, shadowType, type Types } from "../../ir/shadow.ts";
import type { Func, Type } from "../../ir/types.ts";
import { isWritable } from "../../ir/writable.ts";
import type { TypeScript } from "../context.ts";
import type { WrittenSite } from "./sites.ts";
import type { TargetNode } from "./targets.ts";
import { isReference } from "../types/type-shapes.ts";

type Report = (code: Code, at: ts.Node, ...args: readonly string[]) => void;

export function isAnswerable(
  site: WrittenSite,
  func: Func,
  node: TargetNode | null,
  name: string,
  types: Types,
  api: TypeScript,
  checker: ts.TypeChecker,
  report: Report,
): boolean {
  const at = site.options.argnumsAt ?? site.target;
  const count = func.params.length;
  const asked = site.form === "derivativeSource" ? [] : site.options.argnums;
  for (const position of asked) {
    const param = func.params[position];
    if (param === undefined) {
      report(
        "TSG1004",
        at,
        String(position),
        name,
        count === 1 ? "1 argument" : `${count} arguments`,
        count === 0 ? "missing" : String(count - 1),
      );
      return false;
    }
    const opaque = opaqueWithin(param.type, types);
    const parameter = node?.parameters[position];
    const text =
      parameter === undefined
        ? param.name
        : api.isIdentifier(parameter.name)
          ? parameter.name.text
          : `argument ${position}`;
    if (opaque !== null) {
      report("TSG2007", at, name, text, described(opaque));
      return false;
    }
    if (!hasNumbers(param.type, types)) {
      report(
        "TSG2004",
        at,
        name,
        text,
        parameter === undefined ? "" : checker.typeToString(checker.getTypeAtLocation(parameter)),
      );
      return false;
    }
  }
  const partly =
    asksForAll(site.form) && asked.length === 0
      ? mixedArgument(site.form, func, node, types, api, checker)
      : undefined;
  if (partly !== undefined) {
    report("TSG2007", at, name, partly.name, described(mixedWithin(partly.type, types) ?? ""));
    return false;
  }
  const cotangents = asked.map((position) => func.params[position]?.type ?? VOID);
  if (
    site.options.into &&
    !isWritten(site, cotangents, types, (why) => {
      report("TSG1022", at, `${site.form}(${name})`, why);
    })
  )
    return false;
  return isResultAnswerable(
    site,
    func,
    node === null ? printType(func.result) : resultText(node, checker),
    name,
    types,
    report,
  );
}

/** An argument of which a pullback would leave parts out that `Cotangent` says are there, or whose tangent would not count. */
function mixedArgument(
  form: Form,
  func: Func,
  node: TargetNode | null,
  types: Types,
  api: TypeScript,
  checker: ts.TypeChecker,
): Func["params"][number] | undefined {
  return func.params.find(({ type }, i) => {
    if (mixedWithin(type, types) === null) return false;
    // the tangents of an object's other numbers count, and so does what is made of this one: it is refused where it is used
    if (hasNumbers(type, types)) return form === "vjp";
    const parameter = node?.parameters[i];
    return (
      parameter !== undefined && saysNumbers(checker.getTypeAtLocation(parameter), api, checker)
    );
  });
}

/** Deeper only types go that are made of ever larger ones: of these there is no end. */
const DEEPEST = 20;

/** Whether a type says that there are numbers in what a value holds. `outer`: the types that it stands in. */
function saysNumbers(
  type: ts.Type,
  api: TypeScript,
  checker: ts.TypeChecker,
  outer: ReadonlySet<ts.Type> = new Set(),
): boolean {
  if (outer.has(type)) return false;
  if (outer.size > DEEPEST) return true;
  const seen = new Set([...outer, type]);
  const within = (part: ts.Type): boolean => saysNumbers(part, api, checker, seen);
  if (type.isUnionOrIntersection()) return type.types.some(within);
  if (!(type.flags & api.TypeFlags.Object)) return (type.flags & api.TypeFlags.Number) !== 0;
  const { symbol } = type as { readonly symbol?: ts.Symbol }; // absent for some types
  // elements of a list, entries of a Map; `Record` is declared there, too, but its properties are its own
  const isOfLibrary =
    symbol?.name !== "__type" &&
    symbol?.declarations?.some((each) => each.getSourceFile().isDeclarationFile) === true;
  // as `HasNumbers` of the package has it: those of a Set have no cotangents
  if (isReference(api, type) && (checker.isTupleType(type) || isOfLibrary))
    return heldIn(symbol, checker.getTypeArguments(type)).some(within);
  return (
    !isOfLibrary &&
    [
      ...checker.getIndexInfosOfType(type).map((info) => info.type),
      ...checker.getPropertiesOfType(type).map((property) => checker.getTypeOfSymbol(property)),
    ].some(within)
  );
}

/** The types of what a tuple, a list or a Map holds; nothing of what else the library has. */
function heldIn(symbol: ts.Symbol | undefined, args: readonly ts.Type[]): readonly ts.Type[] {
  if (symbol === undefined) return args;
  if (symbol.name === "Map" || symbol.name === "ReadonlyMap") return args.slice(1);
  return symbol.name === "Array" || symbol.name === "ReadonlyArray" ? args : [];
}

function isResultAnswerable(
  site: WrittenSite,
  func: Func,
  text: string,
  name: string,
  types: Types,
  report: Report,
): boolean {
  const result = resolve(func.result, types);
  const problem = (code: Code, ...args: readonly string[]): false => (
    report(code, site.target, ...args),
    false
  );
  if (!isOfScalar(site.form) && site.form !== "derivativeSource") {
    const value = !site.options.hasAux
      ? result
      : result.kind === "tuple" && result.elems.length === 2
        ? result.elems[0]
        : undefined;
    if (value === undefined) return problem("TSG2006", name, text);
    const opaque = opaqueWithin(value, types);
    if (opaque !== null) return problem("TSG2008", name, text, described(opaque));
    return hasNumbers(value, types) || problem("TSG2005", name, text);
  }
  if (site.form === "derivativeSource") return true;
  if (!site.options.hasAux)
    return result.kind === "num" || problem("TSG2003", site.form, name, text);
  return (
    (result.kind === "tuple" && result.elems.length === 2 && result.elems[0]?.kind === "num") ||
    problem("TSG2006", name, text)
  );
}

/** Whether there is something to write into: a list, or an aggregate. What dense derivatives write is compared part by part when it runs. */
function isWritten(
  { form, options }: WrittenSite,
  asked: readonly Type[],
  types: Types,
  refuse: (why: string) => void,
): boolean {
  if (form !== "grad" && form !== "valueAndGrad") return true;
  const shadows = asked.map((type) => shadowType(type, types) ?? type);
  if (!options.tuple && shadows.some((type) => type.kind === "num"))
    return (refuse("it is a number"), false);
  const other = shadows.find((type) => type.kind !== "num" && !isWritable(type, types));
  return (
    other === undefined ||
    (refuse(`what a value of type \`${printType(other)}\` holds may differ from call to call`),
    false)
  );
}

const resultText = (node: TargetNode, checker: ts.TypeChecker): string => {
  const signature = checker.getSignatureFromDeclaration(node);
  return signature === undefined
    ? "unknown"
    : checker.typeToString(checker.getReturnTypeOfSignature(signature));
};

/** The same of types that say that numbers are there, as `any` and `unknown` do not. */
const mixedWithin = (type: Type, types: Types): string | null =>
  opaqueWithin(type, types, (text) => !/^(any|unknown|object)$/.test(text));

/** The text of a type inside this one that may hold numbers which no shadow can hold. */
function opaqueWithin(
  type: Type,
  types: Types,
  counts: (text: string) => boolean = () => true,
  seen: ReadonlySet<string> = new Set(),
): string | null {
  const first = (parts: readonly Type[], within: ReadonlySet<string>): string | null => {
    for (const part of parts) {
      const found = opaqueWithin(part, types, counts, within);
      if (found !== null) return found;
    }
    return null;
  };
  switch (type.kind) {
    case "leaf":
      return type.opaque === true && counts(type.text) ? type.text : null;
    case "array":
      return opaqueWithin(type.elem, types, counts, seen);
    case "tuple":
      return first(type.elems, seen);
    case "record":
      return first(
        type.fields.map((field) => field.type),
        seen,
      );
    case "dict":
      return opaqueWithin(type.value, types, counts, seen);
    case "union":
      return first(type.variants, seen);
    case "opt":
    case "cotangent":
      return opaqueWithin(type.of, types, counts, seen);
    case "named": {
      const named = types.get(type.name);
      return seen.has(type.name) || named === undefined
        ? null
        : opaqueWithin(named.type, types, counts, new Set([...seen, type.name]));
    }
    case "num":
    case "bool":
    case "tape":
    case "func":
    case "void":
      return null;
  }
}

/** What kind of value a type is, in the plural. */
function described(text: string): string {
  if (/^(Readonly)?(Map|Set|WeakMap|WeakSet)\b/.test(text)) return "maps and sets";
  if (text.includes("|")) return `unions such as \`${text}\``;
  if (/^(any|unknown|object)$/.test(text)) return `values of type \`${text}\``;
  return `values of type \`${text}\``;
}
