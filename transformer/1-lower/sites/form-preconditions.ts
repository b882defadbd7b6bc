// Checks that a form can be applied to its target. Input: a call's options and the lowered target.
// Output: reports about argument positions, argument types and the result type.
// In an accepted site, each requested argument and the result hold numbers.

import type ts from "typescript";
import type { Code } from "../../diagnostics/registry.ts";
import { defaultsToAllArguments, isOfScalar } from "../../ir/facts.ts";
import { printType } from "../../ir/print.ts";
import { VOID } from "../../ir/build.ts";
import { hasNumbers, partTypes, resolve, shadowType, type Types } from "../../ir/shadow.ts";
import type { Func, Type } from "../../ir/types.ts";
import { isWritable } from "../../ir/writable.ts";
import type { TypeScript } from "../typescript.ts";
import type { WrittenSite } from "./sites.ts";
import type { TargetNode } from "./targets.ts";
import { isReference } from "../types/type-shapes.ts";

type Report = (code: Code, at: ts.Node, ...args: readonly string[]) => void;

/** A call site and its lowered target. */
interface Request {
  readonly site: WrittenSite;
  readonly func: Func;
  /** Null for functions without a node, such as `grad(f)`. */
  readonly node: TargetNode | null;
  readonly name: string;
}

interface Checks {
  readonly types: Types;
  readonly api: TypeScript;
  readonly checker: ts.TypeChecker;
  readonly report: Report;
}

export function isApplicable(request: Request, checks: Checks): boolean {
  const { site, func, name } = request;
  const { types, report } = checks;
  const at = site.options.argnumsAt ?? site.target;
  const asked = site.form === "derivativeSource" ? [] : site.options.argnums;
  if (!asked.every((position) => isArgumentAnswerable(request, position, checks))) return false;
  const partly =
    defaultsToAllArguments(site.form) && asked.length === 0
      ? mixedArgument(request, checks)
      : undefined;
  if (partly !== undefined) {
    report("TSG2007", at, name, partly.name, described(mixedWithin(partly.type, types) ?? ""));
    return false;
  }
  const cotangents = asked.map((position) => func.params[position]?.type ?? VOID);
  const { node } = request;
  const held = node === null ? null : mapWrittenInto(site.options, node, checks);
  const refuseInto = (why: string): void =>
    report("TSG1022", at, `${site.form}(${name})`, held ?? why);
  if (site.options.into && !isWritten(site, cotangents, types, refuseInto)) return false;
  return isResultAnswerable(request, checks);
}

function isArgumentAnswerable(
  { site, func, node, name }: Request,
  position: number,
  { types, api, checker, report }: Checks,
): boolean {
  const at = site.options.argnumsAt ?? site.target;
  const count = func.params.length;
  const param = func.params[position];
  const problem = (code: Code, ...args: readonly string[]): false => (
    report(code, at, ...args),
    false
  );
  if (param === undefined)
    return problem(
      "TSG1004",
      String(position),
      name,
      count === 1 ? "1 argument" : `${count} arguments`,
      count === 0 ? "missing" : String(count - 1),
    );
  const opaque = opaqueWithin(param.type, types);
  const parameter = node?.parameters[position];
  const own = parameter === undefined || api.isIdentifier(parameter.name);
  const text = own ? (parameter?.name.getText() ?? param.name) : `argument ${position}`;
  if (opaque !== null) return problem("TSG2007", name, text, described(opaque));
  if (hasNumbers(param.type, types)) return true;
  const type =
    parameter === undefined ? "" : checker.typeToString(checker.getTypeAtLocation(parameter));
  return problem("TSG2004", name, text, type);
}

/** An argument with parts whose cotangents or tangents would be lost, though its type has them. */
function mixedArgument(
  { site: { form }, func, node }: Request,
  { types, api, checker }: Checks,
): Func["params"][number] | undefined {
  return func.params.find(({ type }, i) => {
    if (mixedWithin(type, types) === null) return false;
    // tangents of the other numbers count, and uses of the opaque part are refused
    if (hasNumbers(type, types)) return form === "vjp" || form === "transpose";
    const parameter = node?.parameters[i];
    return (
      parameter !== undefined && saysNumbers(checker.getTypeAtLocation(parameter), api, checker)
    );
  });
}

/** Types nested more deeply are recursive generics, which grow without end. */
const DEEPEST = 20;

/** Why `into` is refused for a type that holds a Map; null if no argument has one. */
export function mapWrittenInto(
  { into, argnums }: Pick<WrittenSite["options"], "into" | "argnums">,
  node: TargetNode,
  { api, checker }: Pick<Checks, "api" | "checker">,
): string | null {
  for (const position of !into ? [] : argnums.length === 0 ? [0] : argnums) {
    const parameter = node.parameters[position];
    const type = parameter === undefined ? undefined : checker.getTypeAtLocation(parameter);
    if (type !== undefined && hasPart(type, { api, checker, isSought: isMap, ifDeep: false }))
      return `entries of a value of type \`${checker.typeToString(type)}\` may differ from call to call`;
  }
  return null;
}

const isMap = ({ symbol }: { readonly symbol?: ts.Symbol }): boolean =>
  symbol?.name === "Map" || symbol?.name === "ReadonlyMap";

/** Whether values of a type hold numbers, by their type. */
const saysNumbers = (type: ts.Type, api: TypeScript, checker: ts.TypeChecker): boolean =>
  hasPart(type, {
    api,
    checker,
    isSought: ({ flags }) => (flags & api.TypeFlags.Number) !== 0,
    ifDeep: true,
  });

interface Search extends Pick<Checks, "api" | "checker"> {
  readonly isSought: (type: ts.Type) => boolean;
  /** The answer for types that are nested too deeply. */
  readonly ifDeep: boolean;
}

/** Whether a type or one of its parts is sought. `outer`: the types around it. */
function hasPart(type: ts.Type, search: Search, outer: ReadonlySet<ts.Type> = new Set()): boolean {
  const { api, checker, isSought, ifDeep } = search;
  if (isSought(type)) return true;
  if (outer.has(type)) return false;
  if (outer.size > DEEPEST) return ifDeep;
  const seen = new Set([...outer, type]);
  const within = (part: ts.Type): boolean => hasPart(part, search, seen);
  if (type.isUnionOrIntersection()) return type.types.some(within);
  if (!(type.flags & api.TypeFlags.Object)) return false;
  const { symbol } = type as { readonly symbol?: ts.Symbol }; // absent for some types
  // arrays and Maps have elements; `Record` is a library type, too, but has properties
  const isOfLibrary =
    symbol?.name !== "__type" &&
    symbol?.declarations?.some((each) => each.getSourceFile().isDeclarationFile) === true;
  // like `HasNumbers` of the package: numbers in a Set have no cotangents
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

/** Element types of a tuple, array or Map; none for other library types. */
function heldIn(symbol: ts.Symbol | undefined, args: readonly ts.Type[]): readonly ts.Type[] {
  if (symbol === undefined) return args;
  if (symbol.name === "Map" || symbol.name === "ReadonlyMap") return args.slice(1);
  return symbol.name === "Array" || symbol.name === "ReadonlyArray" ? args : [];
}

function isResultAnswerable(
  { site, func, node, name }: Request,
  { types, checker, report }: Checks,
): boolean {
  const { form, options } = site;
  if (form === "derivativeSource") return true;
  const text = node === null ? printType(func.result) : resultText(node, checker);
  const result = resolve(func.result, types);
  const pair = result.kind === "tuple" && result.elems.length === 2 ? result.elems : [];
  const value = options.hasAux ? pair[0] : result;
  const problem = (code: Code, ...args: readonly string[]): false => (
    report(code, site.target, ...args),
    false
  );
  if (isOfScalar(form)) {
    if (value?.kind === "num") return true;
    if (options.hasAux) return problem("TSG2006", name, text);
    const hasSome = value !== undefined && hasNumbers(value, types);
    return problem("TSG2003", form, name, text, formsFor(name, hasSome));
  }
  if (value === undefined) return problem("TSG2006", name, text);
  const opaque = opaqueWithin(value, types);
  if (opaque !== null) return problem("TSG2008", name, text, described(opaque));
  return hasNumbers(value, types) || problem("TSG2005", name, text);
}

/** For TSG2003: what differentiates a function whose result holds several numbers. */
export const formsFor = (name: string, hasNumbers: boolean): string =>
  hasNumbers
    ? `, or use \`jacrev(${name})\` or \`jacfwd(${name})\` for the derivative of each number of the result, or \`vjp(${name})\``
    : "";

/** Whether the cotangents are arrays or aggregates of known shape, which `into` can write. */
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
    (refuse("it is no array and no plain record, and may hold other numbers in each call"), false)
  );
}

const resultText = (node: TargetNode, checker: ts.TypeChecker): string => {
  const signature = checker.getSignatureFromDeclaration(node);
  return signature === undefined
    ? "unknown"
    : checker.typeToString(checker.getReturnTypeOfSignature(signature));
};

/** Like `opaqueWithin`, without `any` and `unknown`, which do not say that there are numbers. */
const mixedWithin = (type: Type, types: Types): string | null =>
  opaqueWithin(type, types, (text) => !/^(any|unknown|object)$/.test(text));

/** The source text of an opaque part: it may hold numbers, but has no shadow. */
function opaqueWithin(
  type: Type,
  types: Types,
  counts: (text: string) => boolean = () => true,
  seen = new Set<string>(),
): string | null {
  if (type.kind === "leaf") return type.opaque === true && counts(type.text) ? type.text : null;
  if (type.kind === "named") {
    const named = types.get(type.name);
    return seen.has(type.name) || named === undefined
      ? null
      : opaqueWithin(named.type, types, counts, seen.add(type.name));
  }
  for (const part of partTypes(type)) {
    const found = opaqueWithin(part, types, counts, seen);
    if (found !== null) return found;
  }
  return null;
}

/** A plural description of a type, for messages. */
function described(text: string): string {
  if (/^(Readonly)?(Map|Set|WeakMap|WeakSet)\b/.test(text)) return "maps and sets";
  if (text.includes("|")) return `unions such as \`${text}\``;
  if (/^(any|unknown|object)$/.test(text)) return `values of type \`${text}\``;
  return `values of type \`${text}\``;
}
