// Functions in fields: `layer.act(x)`.
// Output: a choice among all functions that the program stores in fields of that name, by tag.
// A call is rejected where one of them is unknown. Emitted code throws for any other function.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { assignable } from "../../ir/assignable.ts";
import type { Atom, Type } from "../../ir/types.ts";
import {
  type Captured,
  isFn,
  Env,
  type Fn,
  type Source,
  type ClosureField,
} from "../function-values.ts";
import { tagType } from "./closure-fields.ts";
import { buildArray } from "../builtins/construct.ts";
import { elementAt, lengthOf, sourceOf } from "../builtins/iterate.ts";
import { returnedOf } from "./inlining.ts";
import { objectOf } from "../classes/construct-instance.ts";
import { extern, isTag, definednessTest, equalityTest, str, unwrap } from "../coerce.ts";
import { inner, type Frame } from "../frame.ts";
import { BOOL, field, VOID } from "../../ir/build.ts";
import { placeType } from "../../ir/type-of.ts";
import { lowerExpr } from "../lowering.ts";
import { fieldRead, functionsOf, nameOfFunction, unknownIn } from "./function-flow.ts";
import { either, fnResult, type Members, membersOf } from "./known-functions.ts";
import { lowerCondition } from "../operators.ts";
import { functionOf, resolveFn } from "../resolve.ts";

/** Null where the expression reads no field that holds functions, or not all of them are known. */
export function heldFn(f: Frame, expression: ts.Expression): Fn | null {
  const listed = listedFn(f, bare(expression, f.api));
  if (listed !== null) return listed;
  const tagged = taggedBy(f, bare(expression, f.api));
  if (tagged !== null)
    return {
      kind: "held",
      value: lowerExpr(f, expression),
      sources: tagged,
      shown: f.textOf(expression),
    };
  const sources = heldBy(f, expression);
  return sources === null
    ? null
    : { kind: "held", value: valueOf(f, expression), sources, shown: f.textOf(expression) };
}

/** An element of an array of functions, by name or by index. */
function listedFn(f: Frame, node: ts.Expression): Fn | null {
  const { api } = f;
  const named = api.isElementAccessExpression(node) ? bare(node.expression, f.api) : node;
  const ofField = named === node ? null : fieldTags(f, named);
  const symbol = api.isIdentifier(named) ? f.symbolOf(named) : null;
  const bound = symbol === null ? null : f.env.lookup(symbol);
  const shape = bound?.kind === "value" ? f.shape(bound.atom.type) : null;
  const tags =
    ofField ??
    (bound?.kind !== "value" || shape === null
      ? null
      : named === node
        ? tagsOf(f, bound.atom.type)
        : shape.kind === "array"
          ? tagsOf(f, shape.elem)
          : null);
  return tags === null
    ? null
    : {
        kind: "held",
        value: lowerExpr(f, node),
        sources: takenBy(f, tags.cases, node),
        shown: f.textOf(node),
      };
}

/** The functions that accept the arguments of the call. */
function takenBy(f: Frame, cases: ClosureField["cases"], node: ts.Expression): readonly Source[] {
  const { checker } = f.ctx;
  const [here] = checker.getNonNullableType(checker.getTypeAtLocation(node)).getCallSignatures();
  return here === undefined
    ? cases
    : cases.filter(({ fn }) => fn.kind !== "closure" || mayTake(f, fn.node, here, node));
}

/** The functions of a field with tags. */
function taggedBy(f: Frame, node: ts.Expression): readonly Source[] | null {
  const { checker } = f.ctx;
  const known = fieldTags(f, node);
  return known === null ||
    known.isList ||
    checker.getNonNullableType(checker.getTypeAtLocation(node)).getCallSignatures().length === 0
    ? null
    : takenBy(f, known.cases, node);
}

/** The functions that a field, or an array in it, may hold. */
function fieldTags(f: Frame, node: ts.Expression): ClosureField | null {
  const { checker } = f.ctx;
  const field = fieldRead(f, node);
  const symbol =
    field === null
      ? undefined
      : f.api.isPropertyAccessExpression(node)
        ? f.symbolOf(node.name)
        : checker.getPropertyOfType(
            checker.getNonNullableType(checker.getTypeAtLocation(field.at)),
            field.name,
          );
  return symbol === undefined || symbol === null ? null : f.ctx.classes.closures.of(symbol, f.root);
}

/** Whether a function accepts arguments of the signature; those of generic instances may differ. */
function mayTake(
  f: Frame,
  fn: ts.FunctionLikeDeclaration,
  called: ts.Signature,
  at: ts.Node,
): boolean {
  const { checker } = f.ctx;
  const own = checker.getSignatureFromDeclaration(fn);
  return (
    own === undefined ||
    own.parameters.every((parameter, i) => {
      const given = called.parameters[i];
      if (given === undefined || given.valueDeclaration === undefined) return true;
      const [x, z] = [parameter, given].map((each) =>
        f.ctx.typeFrom(checker.getTypeOfSymbolAtLocation(each, at), at),
      );
      return x === undefined || z === undefined || assignable(z, x, f.ctx.types);
    })
  );
}

/** The value of an expression that reads such a field. */
function valueOf(f: Frame, expression: ts.Expression, wanted = "t"): Atom {
  const node = bare(expression, f.api);
  if (!f.api.isConditionalExpression(node)) return lowerStored(f, node, wanted);
  return f.choose(
    wanted,
    f.ctx.typeOf(node),
    lowerCondition(f, node.condition),
    () => valueOf(f, node.whenTrue),
    () => valueOf(f, node.whenFalse),
  );
}

/** Calls the function; emitted code throws for one that the program does not store there. */
export function applyHeld(
  f: Frame,
  fn: Fn & { readonly kind: "held" },
  at: ts.Node,
  wanted: string,
  apply: (fn: Fn, wanted: string) => Atom | null,
): Atom | null {
  const type = fnResult(f, fn, at);
  const from = ([first, ...others]: readonly Source[], as: string): Atom | null => {
    if (first === undefined) return null;
    const isIt = isThat(f, fn.value, first);
    const run = (into: string): Atom | null => apply(withCaptures(f, fn.value, first), into);
    if (others.length > 0)
      return either(
        f,
        type,
        isIt,
        as,
        () => run("t"),
        () => from(others, "t"),
      );
    f.when(
      isIt,
      () => undefined,
      () => throwUnknown(f, fn),
    );
    return run(as);
  };
  return from(fn.sources, wanted);
}

/** The function, with its captures bound to the fields of its tag. */
function withCaptures(f: Frame, value: Atom, { fn, tag, captures }: Source): Fn {
  if (
    tag === undefined ||
    captures === undefined ||
    fn.kind !== "closure" ||
    f.shape(inner(f, value.type)).kind === "leaf"
  )
    return fn;
  const type: Type = { kind: "named", name: tagType(tag) };
  const shape = f.shape(type);
  const there = unwrap(f, value);
  const object =
    f.shape(there.type).kind === "union"
      ? f.let("t", type, { kind: "unwrap", value: there })
      : there;
  const typeOf = (name: string): Type =>
    (shape.kind === "record" ? shape.fields.find((each) => each.name === name)?.type : undefined) ??
    VOID;
  const values = captures.values.map(({ name, symbol }) => ({
    symbol,
    atom: f.let(name, typeOf(name), { kind: "load", object, key: field(name) }),
  }));
  const self = values.find(({ symbol }) => symbol === null);
  const env = new Env(
    null,
    self === undefined ? { kind: "none" } : { kind: "value", atom: self.atom },
  );
  for (const { symbol, atom } of values)
    if (symbol !== null) env.bind(symbol, { kind: "value", atom });
  for (const [symbol, node] of captures.functions)
    env.bind(symbol, { kind: "fn", fn: { kind: "closure", node, env } });
  return { kind: "closure", node: fn.node, env };
}

function throwUnknown(f: Frame, { shown, sources }: Fn & { readonly kind: "held" }): void {
  const message = `TSG0022: \`${shown}\` is none of the functions that code of the program puts there (${sources.map(({ shown: name, tag }) => tag ?? name).join(", ")})`;
  f.b.raise("Error", message);
}

/** The value that is stored in a field: a tag, or the function itself if it has a name. */
export function lowerStored(
  f: Frame,
  node: ts.Expression,
  wanted = "t",
  into: Type | null = null,
): Atom {
  const tags = into === null ? null : tagsOf(f, into);
  if (tags !== null && into !== null) return lowerTag(f, node, { tags, into }, wanted);
  const elem = into === null ? null : taggedElement(f, into);
  if (elem !== null) return lowerTagged(f, node, elem, wanted);
  const fn =
    f.ctx.checker.getTypeAtLocation(node).getCallSignatures().length > 0
      ? functionOf(f, node)
      : null;
  if (fn === null) return lowerExpr(f, node, wanted);
  const type = f.ctx.typeOf(node);
  const atom = fn.kind === "program" ? nameOfFunction(f, fn.symbol) : null;
  if (fn.kind === "held") return fn.value;
  if (fn.kind === "builtin") return extern(f, wanted, type, [fn.path], []);
  return atom === null ? f.refuse("TSG1124", node, f.textOf(node)) : { ...atom, type };
}

/** The field whose tags have that type. */
function tagsOf(f: Frame, type: Type): ClosureField | null {
  const of = inner(f, type);
  return of.kind === "named" ? f.ctx.classes.closures.ofType(of.name) : null;
}

/** The element type of an array of tags. */
function taggedElement(f: Frame, type: Type): Type | null {
  const list = f.shape(inner(f, type));
  return list.kind === "array" && tagsOf(f, list.elem) !== null ? list.elem : null;
}

/** Whether values of the type hold tags. */
export const holdsTags = (f: Frame, type: Type): boolean =>
  tagsOf(f, type) !== null || taggedElement(f, type) !== null;

/** Whether all functions of one tag type are functions of another. */
function isAmong(f: Frame, from: Type | null, to: Type): boolean {
  const some = from === null ? null : tagsOf(f, from);
  const all = tagsOf(f, to);
  return (
    some !== null &&
    all !== null &&
    (some === all || some.cases.every(({ tag }) => all.cases.some((each) => each.tag === tag)))
  );
}

/** An array argument as an array of tags, if the callee stores it in a field; else null. */
export function taggedArgument(f: Frame, node: ts.Expression): Atom | null {
  const tags = f.ctx.classes.closures.ofArgument(node, f.root);
  return tags?.isList === true ? lowerTagged(f, node, f.ctx.tagsType(tags, node), "t") : null;
}

/** Lowers `const layers: Layer[] = []` to an array of tags; null for other declarations. */
export function functionList(f: Frame, declaration: ts.VariableDeclaration): Atom | null {
  const { initializer, name } = declaration;
  const tags =
    initializer === undefined ? null : f.ctx.classes.closures.ofList(declaration, f.root);
  return tags === null || initializer === undefined
    ? null
    : lowerTagged(f, initializer, f.ctx.tagsType(tags, declaration), name.getText());
}

/** Lowers an array of functions to an array of tags. */
export function lowerTagged(f: Frame, node: ts.Expression, elem: Type, wanted: string): Atom {
  const { api } = f;
  const made = bare(node, f.api);
  const type: Type = { kind: "array", store: "Array", elem };
  if (api.isConditionalExpression(made))
    return f.choose(
      wanted,
      type,
      lowerCondition(f, made.condition),
      () => lowerTagged(f, made.whenTrue, elem, "t"),
      () => lowerTagged(f, made.whenFalse, elem, "t"),
    );
  if (api.isArrayLiteralExpression(made)) {
    return f.let(wanted, type, {
      kind: "array",
      parts: made.elements.map((each) =>
        api.isSpreadElement(each)
          ? { atom: lowerTagged(f, each.expression, elem, "t"), spread: true }
          : { atom: lowerStored(f, each, "t", elem), spread: false },
      ),
    });
  }
  const callback =
    api.isCallExpression(made) &&
    api.isPropertyAccessExpression(made.expression) &&
    made.expression.name.text === "map"
      ? { list: made.expression.expression, fn: resolveFn(f, made.arguments[0] ?? made) }
      : null;
  if (callback !== null && callback.fn !== null)
    return mappedTags(f, made, { ...callback, fn: callback.fn }, type, wanted);
  const members = api.isCallExpression(made) || isOwnRest(f, made) ? membersOf(f, made) : null;
  if (members?.isList === true) return tagsOfMembers(f, members, elem, node, wanted);
  const list = lowerExpr(f, node, wanted);
  return isAmong(f, taggedElement(f, list.type), elem) && assignable(list.type, type, f.ctx.types)
    ? list
    : f.refuse("TSG1124", node, f.textOf(node));
}

/** An array literal of functions. */
const tagsOfMembers = (
  f: Frame,
  { parts }: Members,
  elem: Type,
  at: ts.Node,
  wanted: string,
): Atom =>
  f.let(
    wanted,
    { kind: "array", store: "Array", elem },
    {
      kind: "array",
      parts: [...parts.values()].map((part) => ({
        atom:
          (isFn(part) ? tagIn(f, part, elem, at) : null) ?? f.refuse("TSG1124", at, f.textOf(at)),
        spread: false,
      })),
    },
  );

/** Whether an expression is an unaliased rest parameter. */
function isOwnRest(f: Frame, node: ts.Node): boolean {
  const { api } = f;
  const symbol = api.isIdentifier(node) ? f.symbolOf(node) : null;
  const parameter = symbol?.valueDeclaration;
  if (
    !api.isIdentifier(node) ||
    parameter === undefined ||
    !api.isParameter(parameter) ||
    parameter.dotDotDotToken === undefined
  )
    return false;
  const inLoop =
    api.findAncestor(node, (each) =>
      each === parameter.parent ? "quit" : api.isIterationStatement(each, false),
    ) !== undefined;
  return !inLoop && usesOf(f, symbol, parameter.parent) === 1;
}

/** How often a function mentions its parameter. */
function usesOf(f: Frame, symbol: ts.Symbol | null, within: ts.SignatureDeclaration): number {
  let uses = 0;
  const walk = (node: ts.Node): void => {
    if (
      f.api.isIdentifier(node) &&
      node.text === symbol?.name &&
      f.symbolOf(node) === symbol &&
      !f.api.isParameter(node.parent)
    )
      uses++;
    f.api.forEachChild(node, walk);
  };
  walk(within);
  return uses;
}

/** `ks.map((k) => (x) => k * x)` */
function mappedTags(
  f: Frame,
  made: ts.Expression,
  { list, fn }: { readonly list: ts.Expression; readonly fn: Fn },
  type: Type & { readonly kind: "array" },
  wanted: string,
): Atom {
  const source = sourceOf(f, list);
  return buildArray(f, wanted, type, lengthOf(f, source), (at) => {
    const given: Fn | null = returnedOf(f, fn, [elementAt(f, source, at, "t"), at]);
    return (
      (given === null ? null : tagIn(f, given, type.elem, made)) ??
      f.refuse("TSG1124", made, f.textOf(made))
    );
  });
}

/** A field with tags, and the type of these. */
interface Place {
  readonly tags: ClosureField;
  readonly into: Type;
}

/** Lowers a function that is stored in such a field to its tag. */
function lowerTag(f: Frame, node: ts.Expression, place: Place, wanted: string): Atom {
  const {
    api,
    ctx: { checker },
  } = f;
  const target = bare(node, f.api);
  if (api.isConditionalExpression(target))
    return f.choose(
      wanted,
      place.into,
      lowerCondition(f, target.condition),
      () => lowerTag(f, target.whenTrue, place, "t"),
      () => lowerTag(f, target.whenFalse, place, "t"),
    );
  if (
    api.isBinaryExpression(target) &&
    target.operatorToken.kind === api.SyntaxKind.QuestionQuestionToken
  ) {
    const first = lowerTag(f, target.left, place, "t");
    return f.choose(
      wanted,
      place.into,
      definednessTest(f, first),
      () => (f.shape(place.into).kind === "opt" ? first : unwrap(f, first)),
      () => lowerTag(f, target.right, place, "t"),
    );
  }
  const fn =
    checker.getNonNullableType(checker.getTypeAtLocation(target)).getCallSignatures().length > 0
      ? resolveFn(f, target)
      : null;
  return fn === null ? lowerExpr(f, node, wanted) : tagOf(f, fn, place, node, wanted);
}

/** The tag of a function in a field of that type. */
export function tagIn(f: Frame, fn: Fn, into: Type, at: ts.Node): Atom | null {
  const tags = tagsOf(f, into);
  return tags === null ? null : tagOf(f, fn, { tags, into }, at, "t");
}

function tagOf(f: Frame, fn: Fn, place: Place, at: ts.Node, wanted: string): Atom {
  if (fn.kind === "choice")
    return f.choose(
      wanted,
      place.into,
      fn.cond,
      () => tagOf(f, fn.then, place, at, "t"),
      () => tagOf(f, fn.otherwise, place, at, "t"),
    );
  if (fn.kind === "held" && isTag(f, inner(f, fn.value.type)))
    return isAmong(f, fn.value.type, place.into) ? fn.value : f.refuse("TSG1124", at, f.textOf(at));
  const source = place.tags.cases.find((each) => isSame(each.fn, fn));
  if (source === undefined) return f.refuse("TSG1124", at, f.textOf(at));
  if (!place.tags.takesAlong)
    return { kind: "const", type: { kind: "named", name: place.tags.type }, value: source.tag };
  const type: Type = { kind: "named", name: tagType(source.tag) };
  const shape = f.shape(type);
  const env = fn.kind === "closure" ? fn.env : null;
  const fields = (source.captures?.values ?? []).map((each) => ({
    name: each.name,
    value: env === null ? f.refuse("TSG1124", at, f.textOf(at)) : takenAlong(f, env, each, at),
  }));
  const fits =
    shape.kind === "record" &&
    fields.every(({ name, value }) =>
      shape.fields.some(
        (each) => each.name === name && assignable(value.type, each.type, f.ctx.types),
      ),
    );
  return fits
    ? f.let(wanted, type, {
        kind: "record",
        fields: [{ name: "fn", value: str(source.tag) }, ...fields],
      })
    : f.refuse("TSG1124", at, f.textOf(at));
}

/** The value of a captured variable, or of `this`, where the function is constructed. */
function takenAlong(f: Frame, env: Env, { symbol, tags }: Captured, at: ts.Node): Atom {
  const { self } = env;
  const bound = symbol === null ? null : env.lookup(symbol);
  const parameter = symbol?.valueDeclaration;
  const isAll =
    parameter !== undefined &&
    f.api.isParameter(parameter) &&
    parameter.dotDotDotToken !== undefined &&
    usesOf(f, symbol, parameter.parent) === 1;
  if (bound?.kind === "fn" && tags?.isList === true)
    return isAll && bound.fn.kind === "members" && bound.fn.isList
      ? tagsOfMembers(f, bound.fn, f.ctx.tagsType(tags, at), at, "t")
      : f.refuse("TSG1124", at, f.textOf(at));
  if (bound?.kind === "fn" && tags !== undefined)
    return tagOf(f, bound.fn, { tags, into: f.ctx.tagsType(tags, at) }, at, "t");
  if (symbol === null)
    return self?.kind === "value"
      ? self.atom
      : self?.kind === "building" && f.b === self.building.b
        ? objectOf(f, self.building)
        : f.refuse("TSG1106", at, f.name);
  if (bound?.kind === "variable")
    return f.let(symbol.name, bound.variable.type, { kind: "copy", atom: bound.variable });
  if (bound?.kind !== "value") return f.refuse("TSG1124", at, f.textOf(at));
  const own = bound.atom.type;
  const isKnown =
    tags === undefined ||
    isAmong(f, tags.isList ? taggedElement(f, own) : own, f.ctx.tagsType(tags, at));
  return isKnown ? bound.atom : f.refuse("TSG1124", at, f.textOf(at));
}

const isSame = (x: Fn, z: Fn): boolean =>
  (x.kind === "closure" && z.kind === "closure" && x.node === z.node) ||
  (x.kind === "program" && z.kind === "program" && x.symbol === z.symbol) ||
  (x.kind === "builtin" && z.kind === "builtin" && x.path === z.path);

/** The functions of a field, or of a choice between fields, if all are known. */
function heldBy(f: Frame, expression: ts.Expression): readonly Source[] | null {
  const node = bare(expression, f.api);
  const tagged = taggedBy(f, node);
  if (tagged !== null) return tagged;
  const isChoice = f.api.isConditionalExpression(node);
  const sources = isChoice || fieldRead(f, node) !== null ? functionsOf(f, node) : null;
  return sources === null || sources.length === 0 ? null : sources;
}

/** Rejects a call of a function in a field, and names the unknown one. */
export function refuseHeld(f: Frame, node: ts.Node, callee: ts.Expression): void {
  const unknown = unknownIn(f, callee);
  if (unknown !== null) f.refuse("TSG1129", node, f.textOf(callee), f.textOf(unknown));
}

function isThat(f: Frame, value: Atom, { fn, atom, shown, tag }: Source): Atom {
  const there = tag === undefined ? value : unwrap(f, value);
  const type = tag === undefined ? null : placeType(there.type, field("fn"), f.ctx.types);
  if (tag !== undefined)
    return equalityTest(
      f,
      "===",
      type === null ? there : f.let("t", type, { kind: "load", object: there, key: field("fn") }),
      str(tag),
    );
  return fn.kind === "builtin"
    ? extern(f, "t", BOOL, ["", ` === ${shown}`], [value])
    : extern(f, "t", BOOL, ["", " === ", ""], atom === null ? [value] : [value, atom]);
}
