// Lowers expressions. In: an expression of the accepted language. Out: an atom, and the statements that compute it, in JavaScript's order.
// Invariant: what is not recognised is rejected with its span; operands are evaluated left to right, once.

import type ts from "typescript";
import { BOOL, NUM, VOID, bool, num } from "../ir/build.ts";
import type { Atom, Type } from "../ir/types.ts";
import { isOtherwise } from "./types/asserted.ts";
import { lowerAssignment, lowerUpdate } from "./assignment.ts";
import { lowerDelete } from "./builtins/dict.ts";
import { lowerCall, lowerNew } from "./calls.ts";
import {
  asDeclared,
  asNumber,
  asserted,
  extern,
  holdsNumber,
  inner,
  isNullish,
  isTag,
  mayBeMissing,
  not,
  NULL,
  optional,
  present,
  sameValue,
  str,
  STRING,
  truth,
  UNDEFINED,
  unwrap,
  verbatim,
} from "./coerce.ts";
import { refuseHeld } from "./functions/held-functions.ts";
import { isListener } from "./functions/listeners.ts";
import { isKnownMissing } from "./functions/known-functions.ts";
import { isThere, presenceOf } from "./functions/definedness.ts";
import { isAssignment } from "./effects.ts";
import type { Frame } from "./frame.ts";
import { mayHoldNothing, readsElement } from "./objects/undefined-reads.ts";
import { lowerArrayLiteral, lowerObjectLiteral, lowerTemplate } from "./objects/literals.ts";
import { lowerThis, whereClassHas } from "./classes/members.ts";
import { lowerAccess, sameType } from "./objects/places.ts";
import { lowerIdentifier, narrowed, opened, resolveFn } from "./resolve.ts";
import { joinType, lowerCondition, lowerOperator } from "./operators.ts";
import { mentionsTested, throwWrongType, truthByType } from "./control/type-tests.ts";

/**
 * Lowers an expression for its value. `wanted` names the value where it is computed here. `maybe`: an element read that misses
 * is wanted as a missing value, not as a number.
 */
export function lowerExpr(f: Frame, node: ts.Expression, wanted = "t", maybe = false): Atom {
  const done = f.overrides.get(node);
  if (done !== undefined) return done;
  return f.at(node, () => lowerWrapped(f, node, wanted, maybe));
}

/** Syntax that only TypeScript sees, and the values with nothing inside. */
function lowerWrapped(f: Frame, node: ts.Expression, wanted: string, maybe: boolean): Atom {
  const { api } = f;
  if (api.isParenthesizedExpression(node)) return lowerExpr(f, node.expression, wanted, maybe);
  if (api.isSatisfiesExpression(node)) return lowerExpr(f, node.expression, wanted, maybe);
  if (api.isNonNullExpression(node)) {
    const may = maybe || mayHoldNothing(f, node);
    return may
      ? lowerExpr(f, node.expression, wanted, true)
      : narrowed(f, unwrap(f, lowerExpr(f, node.expression, wanted), wanted), node);
  }
  if (api.isAsExpression(node) || api.isTypeAssertionExpression(node))
    return lowerAs(f, node, wanted, maybe || mayHoldNothing(f, node));
  if (api.isNumericLiteral(node)) return num(Number(node.text.replaceAll("_", "")));
  if (api.isStringLiteral(node) || api.isNoSubstitutionTemplateLiteral(node)) return str(node.text);
  if (api.isBigIntLiteral(node))
    return extern(f, wanted, { kind: "leaf", text: "bigint" }, [node.getText()], []);
  if (api.isRegularExpressionLiteral(node))
    return extern(f, wanted, { kind: "leaf", text: "RegExp" }, [node.getText()], []);
  if (node.kind === api.SyntaxKind.TrueKeyword) return bool(true);
  if (node.kind === api.SyntaxKind.FalseKeyword) return bool(false);
  if (node.kind === api.SyntaxKind.NullKeyword) return NULL;
  if (node.kind === api.SyntaxKind.ThisKeyword) return narrowed(f, lowerThis(f, node), node);
  if (api.isIdentifier(node)) return lowerIdentifier(f, node, wanted, maybe);
  return lowerCompound(f, node, wanted, maybe);
}

function lowerCompound(f: Frame, node: ts.Expression, wanted: string, maybe: boolean): Atom {
  const { api } = f;
  if (api.isPropertyAccessExpression(node) || api.isElementAccessExpression(node)) {
    const may = maybe || mayHoldNothing(f, node);
    return lowerChain(f, node, wanted, () =>
      narrowedAccess(f, lowerAccess(f, node, wanted, may), node, may),
    );
  }
  if (api.isCallExpression(node))
    return lowerChain(f, node, wanted, () => lowerCall(f, node, wanted) ?? valueless(f, node));
  if (api.isNewExpression(node)) return lowerNew(f, node, wanted);
  if (api.isBinaryExpression(node)) {
    if (isAssignment(api, node.operatorToken.kind))
      return lowerAssignment(f, node, wanted, true) ?? UNDEFINED;
    return lowerOperator(f, node, wanted);
  }
  if (api.isPrefixUnaryExpression(node)) return lowerPrefix(f, node, wanted);
  if (api.isPostfixUnaryExpression(node)) return lowerUpdate(f, node, true) ?? UNDEFINED;
  if (api.isConditionalExpression(node)) return lowerConditional(f, node, wanted, maybe);
  if (api.isArrayLiteralExpression(node)) return lowerArrayLiteral(f, node, wanted);
  if (api.isObjectLiteralExpression(node)) return lowerObjectLiteral(f, node, wanted);
  if (api.isTemplateExpression(node)) return lowerTemplate(f, node, wanted);
  if (api.isTypeOfExpression(node)) return lowerTypeof(f, node, wanted);
  if (api.isDeleteExpression(node)) return lowerDelete(f, node, wanted);
  if (api.isVoidExpression(node)) {
    lowerExpr(f, node.expression);
    return UNDEFINED;
  }
  return refuseExpression(f, node);
}

/** What a call without a value stands for: `undefined`, or nothing at all where it never returns. */
const valueless = (f: Frame, node: ts.CallExpression): Atom =>
  f.ctx.checker.getTypeAtLocation(node).flags & f.api.TypeFlags.Never
    ? { kind: "undef", type: VOID }
    : UNDEFINED;

function refuseExpression(f: Frame, node: ts.Expression): never {
  const { api } = f;
  if (api.isArrowFunction(node) || api.isFunctionExpression(node))
    return f.refuse("TSG1124", node, f.textOf(node));
  if (api.isAwaitExpression(node)) return f.refuse("TSG1101", node, f.name);
  if (api.isYieldExpression(node)) return f.refuse("TSG1102", node, f.name);
  if (api.isClassExpression(node))
    return f.refuse("TSG1107", node, f.name, node.name?.text ?? "class");
  if (api.isTaggedTemplateExpression(node)) return f.refuse("TSG1201", node, "tagged template");
  return f.refuse("TSG1201", node, `expression \`${f.textOf(node)}\``);
}

const narrowedAccess = (f: Frame, atom: Atom, node: ts.Expression, maybe: boolean): Atom =>
  maybe ? atom : narrowed(f, atom, node);

/** `x as T`: the value, unwrapped where T says that it is there, and the variant of a union that T is; a leaf of unknown type takes the type T. */
function lowerAs(
  f: Frame,
  node: ts.AsExpression | ts.TypeAssertion,
  wanted: string,
  maybe: boolean,
): Atom {
  const atom = lowerExpr(f, node.expression, wanted, maybe);
  if (f.api.isConstTypeReference(node.type) || isNullish(atom)) return atom;
  const shape = f.shape(atom.type);
  const target = f.ctx.typeOf(node);
  if (isOtherwise(f, atom.type, target))
    return f.refuse("TSG1201", node, `assertion \`${f.textOf(node)}\``);
  if (shape.kind === "num" || shape.kind === "bool") return atom;
  if (shape.kind !== "leaf" && shape.kind !== "opt")
    return asDeclared(f, asserted(f, narrowed(f, atom, node), target), target, wanted);
  const kind = f.shape(target).kind;
  if (shape.kind === "opt")
    return maybe || kind === "opt" || kind === "leaf"
      ? atom
      : narrowed(f, unwrap(f, atom, wanted), node);
  if (kind === "leaf" || kind === "opt") return atom;
  const from = f.ctx.checker.getTypeAtLocation(node.expression);
  if (!(from.flags & (f.api.TypeFlags.Any | f.api.TypeFlags.Unknown)))
    return f.refuse("TSG1201", node, `assertion \`${f.textOf(node)}\``);
  return verbatim(f, wanted, target, ["", ` as ${node.type.getText()}`], [atom]);
}

function lowerPrefix(f: Frame, node: ts.PrefixUnaryExpression, wanted: string): Atom {
  const kinds = f.api.SyntaxKind;
  switch (node.operator) {
    case kinds.PlusPlusToken:
    case kinds.MinusMinusToken:
      return lowerUpdate(f, node, true) ?? UNDEFINED;
    case kinds.ExclamationToken:
      return not(f, lowerCondition(f, node.operand));
    case kinds.MinusToken: {
      const value = lowerExpr(f, node.operand);
      if (value.kind === "const" && typeof value.value === "number") return num(-value.value);
      return f.let(wanted, NUM, {
        kind: "op",
        op: "neg",
        args: [asNumber(f, value, node.operand)],
      });
    }
    case kinds.PlusToken:
      return toNumber(f, lowerExpr(f, node.operand), "+", wanted, node);
    case kinds.TildeToken:
      return f.let(wanted, NUM, {
        kind: "op",
        op: "bnot",
        args: [asNumber(f, lowerExpr(f, node.operand), node.operand)],
      });
    default:
      return f.refuse("TSG1201", node, "operator");
  }
}

/** `+x` and `Number(x)`: of a string, the number that it spells. */
export function toNumber(
  f: Frame,
  value: Atom,
  callee: "+" | "Number",
  wanted: string,
  at: ts.Node,
): Atom {
  const shape = f.shape(value.type);
  if (shape.kind === "num")
    return callee === "+" ? f.let(wanted, NUM, { kind: "op", op: "plus", args: [value] }) : value;
  if (shape.kind === "bool")
    return f.let(wanted, NUM, { kind: "op", op: "boolToNum", args: [value] });
  if (shape.kind === "opt" && !isNullish(value)) {
    return f.choose(
      wanted,
      NUM,
      present(f, value),
      () => toNumber(f, unwrap(f, value), callee, "t", at),
      () => extern(f, "t", NUM, ["Number(", ")"], [value]),
    );
  }
  if (holdsNumber(f, value)) return f.refuse("TSG1203", at, callee);
  return extern(f, wanted, NUM, ["Number(", ")"], [value]);
}

function lowerConditional(
  f: Frame,
  node: ts.ConditionalExpression,
  wanted: string,
  maybe: boolean,
): Atom {
  const cond = lowerCondition(f, node.condition);
  const known = truthByType(f, node.condition);
  if (
    known !== null &&
    cond.kind !== "const" &&
    mentionsTested(f, node.condition, known ? node.whenFalse : node.whenTrue)
  ) {
    f.when(known ? not(f, cond) : cond, () => throwWrongType(f, node.condition));
    return lowerExpr(f, known ? node.whenTrue : node.whenFalse, wanted);
  }
  if (f.ctx.checker.getTypeAtLocation(node).flags & f.api.TypeFlags.Any)
    return chooseUntyped(f, node, cond, wanted);
  const joined = joinType(f, node);
  const may = (maybe && readsElement(f, node)) || mayHoldNothing(f, node);
  return f.choose(
    wanted,
    may ? optional(f, joined) : joined,
    cond,
    () => lowerExpr(f, node.whenTrue, "t", may),
    () => lowerExpr(f, node.whenFalse, "t", may),
  );
}

/** TypeScript does not know what the two sides give; they must give the same. */
function chooseUntyped(f: Frame, node: ts.ConditionalExpression, cond: Atom, wanted: string): Atom {
  let first: Type | null = null;
  const side = (expression: ts.Expression): Atom => {
    const atom = lowerExpr(f, expression);
    if (first !== null && !sameType(first, atom.type))
      return f.refuse("TSG2002", node, f.name, `\`${f.textOf(node)}\``, "any");
    first = atom.type;
    return atom;
  };
  return f.choose(
    wanted,
    { kind: "leaf", text: "never" },
    cond,
    () => side(node.whenTrue),
    () => side(node.whenFalse),
  );
}

function lowerTypeof(f: Frame, node: ts.TypeOfExpression, wanted: string): Atom {
  const there = presenceOf(f, node.expression);
  if (there !== null)
    return f.choose(
      wanted,
      STRING,
      there,
      () => str("function"),
      () => str("undefined"),
    );
  const value = lowerExpr(f, node.expression);
  if (value.kind === "const" && !isTag(f, value.type)) return str(typeof value.value);
  if (isTag(f, inner(f, value.type)))
    return f.choose(
      wanted,
      STRING,
      truth(f, value),
      () => str("function"),
      () =>
        f.choose(
          "t",
          STRING,
          sameValue(f, "===", value, NULL),
          () => str("object"),
          () => str("undefined"),
        ),
    );
  return extern(f, wanted, STRING, ["typeof ", ""], [value]);
}

/**
 * `a?.b.c(d)`: the first `?.` from the left is decided before the whole chain; behind it the chain is lowered again, with the
 * tested value in its place.
 */
function lowerChain(f: Frame, node: ts.Expression, wanted: string, plain: () => Atom): Atom {
  const link = firstOptionalLink(f, node);
  if (link === null) return plain();
  if (f.api.isCallExpression(link.parent) && !isKnownMissing(f, link))
    return lowerChainOf(f, node, link, wanted);
  const object = linkOf(f, link);
  if (isNullish(object)) return UNDEFINED;
  const there = present(f, object);
  const type = chainType(f, node);
  return f.choose(
    wanted,
    type,
    there,
    () => {
      f.overrides.set(link, narrowed(f, unwrap(f, object), link));
      return lowerWith(f, link, () => lowerExprAgain(f, node, "t"));
    },
    () => UNDEFINED,
  );
}

/** A chain gives undefined where something is missing, and null where its last member is. */
function chainType(f: Frame, node: ts.Expression): Type {
  const type = f.ctx.typeOf(node);
  const shape = f.shape(type);
  const mayBeNull =
    shape.kind === "opt" && (shape.nil === "null" || shape.nil === "both" || shape.nil === "field");
  return { kind: "opt", of: inner(f, type), ...(mayBeNull ? { nil: "both" } : {}) };
}

/** `g?.(x)`, and a chain behind it. */
function lowerChainOf(f: Frame, node: ts.Expression, link: ts.Expression, wanted: string): Atom {
  const member = lowerOptionalMember(f, link, chainType(f, node), wanted, () =>
    lowerExprAgain(f, node, "t"),
  );
  if (member !== null) return member;
  const there = optionalFn(f, link);
  const type = chainType(f, node);
  return f.choose(
    wanted,
    type,
    there,
    () => whereThere(f, link, () => lowerExprAgain(f, node, "t")),
    () => UNDEFINED,
  );
}

/** `p.reset?.()` of a method that classes need not have; null of any other function. `type`: null of no value. */
function lowerOptionalMember(
  f: Frame,
  link: ts.Expression,
  type: Type | null,
  wanted: string,
  run: () => Atom | null,
): Atom | null {
  const { api } = f;
  const symbol = api.isPropertyAccessExpression(link) ? f.symbolOf(link.name) : null;
  if (
    !api.isPropertyAccessExpression(link) ||
    symbol === null ||
    (symbol.flags & api.SymbolFlags.Method) === 0 ||
    link.questionDotToken !== undefined ||
    resolveFn(f, link) !== null
  )
    return null;
  const made = whereClassHas(
    f,
    unwrap(f, lowerExpr(f, link.expression)),
    {
      name: link.name.text,
      type,
      at: link.parent,
      run: (self) => {
        f.overrides.set(link.expression, self);
        f.present.add(link);
        try {
          return run();
        } finally {
          f.overrides.delete(link.expression);
          f.present.delete(link);
        }
      },
      lacks: () => UNDEFINED,
    },
    wanted,
  );
  return made?.value ?? null;
}

/** Finds the function before `?.(`, and whether it is there. */
function optionalFn(f: Frame, link: ts.Expression): Atom {
  const fn = resolveFn(f, link);
  if (fn === null && isListener(f, link)) {
    f.present.add(link);
    return present(f, lowerExpr(f, link));
  }
  if (fn === null) refuseHeld(f, link.parent, link);
  if (fn === null) return f.refuse("TSG1204", link.parent);
  f.functions.set(opened(f, link), fn);
  return isThere(f, fn);
}

function whereThere<T>(f: Frame, link: ts.Expression, make: () => T): T {
  try {
    return make();
  } finally {
    f.functions.delete(opened(f, link));
    f.present.delete(link);
  }
}

/** What stands before a `?.`. The type of a text says by itself that it may be missing; here it is one that may be missing. */
function linkOf(f: Frame, link: ts.Expression): Atom {
  const object = lowerExpr(f, link, "t", true);
  const type = f.ctx.checker.getTypeAtLocation(link);
  if (f.shape(object.type).kind !== "leaf" || object.kind === "const" || !mayBeMissing(f, type))
    return object;
  const held = f.ctx.typeFrom(f.ctx.checker.getNonNullableType(type), link);
  return f.let("t", { kind: "opt", of: held }, { kind: "copy", atom: object });
}

const lowerExprAgain = (f: Frame, node: ts.Expression, wanted: string): Atom =>
  lowerCompound(f, node, wanted, true);

function lowerWith(f: Frame, link: ts.Expression, make: () => Atom): Atom {
  try {
    return make();
  } finally {
    f.overrides.delete(link);
  }
}

/** The object before the leftmost `?.` of a chain that is not yet decided. */
function firstOptionalLink(f: Frame, node: ts.Expression): ts.Expression | null {
  const { api } = f;
  if (
    !api.isPropertyAccessExpression(node) &&
    !api.isElementAccessExpression(node) &&
    !api.isCallExpression(node)
  )
    return null;
  if (!(node.flags & api.NodeFlags.OptionalChain)) return null;
  const before = firstOptionalLink(f, node.expression);
  if (before !== null) return before;
  return node.questionDotToken === undefined ||
    f.overrides.has(node.expression) ||
    f.present.has(node.expression) ||
    f.functions.has(opened(f, node.expression))
    ? null
    : node.expression;
}

/** Lowers an expression whose value nobody uses. */
export function lowerEffect(f: Frame, node: ts.Expression): void {
  const { api } = f;
  f.at(node, () => {
    if (
      api.isParenthesizedExpression(node) ||
      api.isVoidExpression(node) ||
      api.isNonNullExpression(node)
    )
      return lowerEffect(f, node.expression);
    if (api.isBinaryExpression(node)) return lowerBinaryEffect(f, node);
    if (
      api.isPrefixUnaryExpression(node) &&
      (node.operator === api.SyntaxKind.PlusPlusToken ||
        node.operator === api.SyntaxKind.MinusMinusToken)
    ) {
      return void lowerUpdate(f, node, false);
    }
    if (api.isPostfixUnaryExpression(node)) return void lowerUpdate(f, node, false);
    if (api.isConditionalExpression(node)) {
      return f.when(
        lowerCondition(f, node.condition),
        () => lowerEffect(f, node.whenTrue),
        () => lowerEffect(f, node.whenFalse),
      );
    }
    if (api.isCallExpression(node)) return lowerCallEffect(f, node);
    if (api.isYieldExpression(node) && f.yields !== null) return f.yields(node);
    lowerExpr(f, node);
  });
}

/** `a?.push(x)` as a statement: nothing at all where `a` is missing. */
function lowerCallEffect(f: Frame, node: ts.CallExpression): void {
  const link = firstOptionalLink(f, node);
  if (link === null) return void lowerCall(f, node, "t", true);
  if (f.api.isCallExpression(link.parent) && !isKnownMissing(f, link)) {
    if (
      lowerOptionalMember(f, link, null, "t", () => {
        lowerCallEffect(f, node);
        return null;
      }) !== null
    )
      return;
    return f.when(optionalFn(f, link), () => whereThere(f, link, () => lowerCallEffect(f, node)));
  }
  const object = linkOf(f, link);
  if (isNullish(object)) return;
  f.when(present(f, object), () => {
    f.overrides.set(link, narrowed(f, unwrap(f, object), link));
    lowerCallEffect(f, node);
    f.overrides.delete(link);
  });
}

function lowerBinaryEffect(f: Frame, node: ts.BinaryExpression): void {
  const kinds = f.api.SyntaxKind;
  const token = node.operatorToken.kind;
  if (isAssignment(f.api, token)) return void lowerAssignment(f, node, "t", false);
  if (token === kinds.CommaToken) {
    lowerEffect(f, node.left);
    return lowerEffect(f, node.right);
  }
  if (token === kinds.AmpersandAmpersandToken)
    return f.when(lowerCondition(f, node.left), () => lowerEffect(f, node.right));
  if (token === kinds.BarBarToken)
    return f.when(
      lowerCondition(f, node.left),
      () => {},
      () => lowerEffect(f, node.right),
    );
  lowerOperator(f, node, "t");
}

/** Truth of a value that has been computed. */
export const truthOf = (f: Frame, atom: Atom): Atom =>
  f.shape(atom.type).kind === "bool" ? atom : truth(f, atom);

export const isBool = (f: Frame, type: Type): boolean =>
  f.shape(type).kind === "bool" || type === BOOL;
