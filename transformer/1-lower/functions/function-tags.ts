// Stores functions in fields: as tags, with what they capture. See Note [Tags of functions].
// In: an expression of a function, or of an array of functions, and the type of the place.
// Out: the tag, or the array of tags. A function without a tag there is rejected.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { assignable } from "../../ir/assignable.ts";
import type { Atom, Type } from "../../ir/types.ts";
import { type Captured, isFn, Env, type Fn, type ClosureField } from "../function-values.ts";
import { tagType } from "./closure-fields.ts";
import { buildArray } from "../builtins/construct.ts";
import { elementAt, lengthOf, sourceOf } from "../builtins/iterate.ts";
import { returnedOf } from "./inlining.ts";
import { objectOf } from "../classes/construct-instance.ts";
import { extern, isTag, definednessTest, str, unwrap } from "../coerce.ts";
import { inner, type Frame } from "../frame.ts";
import { lowerExpr } from "../lowering.ts";
import { nameOfFunction } from "./function-flow.ts";
import { type Members, membersOf } from "./known-members.ts";
import { lowerCondition } from "../operators.ts";
import { functionOf, resolveFn } from "../resolve.ts";
import { usesIn } from "../names/uses.ts";

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
export function tagsOf(f: Frame, type: Type): ClosureField | null {
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
const usesOf = (f: Frame, symbol: ts.Symbol | null, within: ts.SignatureDeclaration): number =>
  usesIn(f, within, symbol).filter((at) => !f.api.isParameter(at.parent)).length;

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
function takenAlong(f: Frame, env: Env, captured: Captured, at: ts.Node): Atom {
  const { symbol, tags } = captured;
  if (symbol === null) return takenSelf(f, env, at);
  const bound = env.lookup(symbol);
  if (bound?.kind === "fn" && tags !== undefined)
    return tagTaken(f, bound.fn, { symbol, tags }, at);
  if (bound?.kind === "variable")
    return f.let(symbol.name, bound.variable.type, { kind: "copy", atom: bound.variable });
  if (bound?.kind !== "value") return f.refuse("TSG1124", at, f.textOf(at));
  const own = bound.atom.type;
  const isKnown =
    tags === undefined ||
    isAmong(f, tags.isList ? taggedElement(f, own) : own, f.ctx.tagsType(tags, at));
  return isKnown ? bound.atom : f.refuse("TSG1124", at, f.textOf(at));
}

function takenSelf(f: Frame, { self }: Env, at: ts.Node): Atom {
  if (self?.kind === "value") return self.atom;
  return self?.kind === "building" && f.b === self.building.b
    ? objectOf(f, self.building)
    : f.refuse("TSG1106", at, f.name);
}

/** The tag of a captured function, or the tags of a rest parameter that nothing else reads. */
function tagTaken(
  f: Frame,
  fn: Fn,
  { symbol, tags }: { readonly symbol: ts.Symbol; readonly tags: ClosureField },
  at: ts.Node,
): Atom {
  const into = f.ctx.tagsType(tags, at);
  if (!tags.isList) return tagOf(f, fn, { tags, into }, at, "t");
  const parameter = symbol.valueDeclaration;
  const isAll =
    parameter !== undefined &&
    f.api.isParameter(parameter) &&
    parameter.dotDotDotToken !== undefined &&
    usesOf(f, symbol, parameter.parent) === 1;
  return isAll && fn.kind === "members" && fn.isList
    ? tagsOfMembers(f, fn, into, at, "t")
    : f.refuse("TSG1124", at, f.textOf(at));
}

const isSame = (x: Fn, z: Fn): boolean =>
  (x.kind === "closure" && z.kind === "closure" && x.node === z.node) ||
  (x.kind === "program" && z.kind === "program" && x.symbol === z.symbol) ||
  (x.kind === "builtin" && z.kind === "builtin" && x.path === z.path);
