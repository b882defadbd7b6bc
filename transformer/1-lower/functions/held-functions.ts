// Functions in fields: `layer.act(x)`.
// Output: a choice among all functions that the program stores in fields of that name, by tag.
// A call is rejected where one of them is unknown. Emitted code throws for any other function.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { assignable } from "../../ir/assignable.ts";
import type { Atom, Type } from "../../ir/types.ts";
import { Env, type Fn, type Source, type ClosureField } from "../function-values.ts";
import { tagType } from "./closure-fields.ts";
import { extern, equalityTest, str, unwrap } from "../coerce.ts";
import { inner, type Frame } from "../frame.ts";
import { BOOL, field, VOID } from "../../ir/build.ts";
import { placeType } from "../../ir/type-of.ts";
import { lowerExpr } from "../lowering.ts";
import { fieldRead, functionsOf, unknownIn } from "./function-flow.ts";
import { either, fnResult } from "./call-results.ts";
import { lowerCondition } from "../operators.ts";
import { lowerStored, tagsOf } from "./function-tags.ts";

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
        { type, wanted: as },
        isIt,
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
