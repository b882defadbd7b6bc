// Lowers loops: to a counted loop where the head allows it, else to a `while`.
// Invariant: each part of the head is evaluated as often as JavaScript evaluates it.

import type ts from "typescript";
import { isDisposing } from "../../syntax/disposal.ts";
import { bare } from "../../syntax/wrappers.ts";
import { bool, index, num } from "../../ir/build.ts";
import type { Atom } from "../../ir/types.ts";
import { requireStableKeys, keysOf } from "../builtins/dict.ts";
import { spreadsOpenType, namesOf, requireListed } from "../builtins/fields.ts";
import { STRING, unwrap } from "../coerce.ts";
import {
  elementAt,
  itemAt,
  keyAt,
  lengthOf,
  mayChangeLength,
  sourceOf,
  type Source,
} from "../builtins/iterate.ts";
import { countedLoop, type Counted } from "./counted.ts";
import { emitCounted, emitFor, emitIndexed, emitWhile } from "./emit-loop.ts";
import { isFn } from "../function-values.ts";
import { lowerForOfGenerator } from "./generators.ts";
import { lowerForOfIterator } from "./iterators.ts";
import { membersOf } from "../functions/known-members.ts";
import { tableOf } from "../functions/function-tables.ts";
import { lowerEffect, lowerExpr } from "../lowering.ts";
import { rejectInheritedKeys } from "../names/replaced-builtins.ts";
import type { Exitable, Frame } from "../frame.ts";
import { lowerCondition } from "../operators.ts";
import { assignPattern, bindName } from "../objects/patterns.ts";
import { lowerPlace, writePlace } from "../objects/places.ts";
import { lowerDeclaration, lowerDeclarations, lowerStatement } from "../statement.ts";

/** Opens a loop for `break` and `continue` while `make` emits it; applies a schedule. */
function withLoop(f: Frame, userLabels: readonly string[], make: (label: string) => void): void {
  const exit: Exitable = {
    label: f.label(userLabels[0] ?? "loop"),
    userLabels,
    kind: "loop",
    used: false,
  };
  const outer = f.exits;
  const { schedule } = f;
  const isScheduled = schedule !== null && f.inlining.at(-1) === schedule.of;
  f.exits = [...outer, exit];
  if (isScheduled) f.schedule = null;
  make(exit.label);
  f.exits = outer;
  f.schedule = schedule;
  const made = f.b.stmts.at(-1);
  if (isScheduled && made?.kind === "loop")
    f.b.stmts[f.b.stmts.length - 1] = { ...made, loop: { ...made.loop, schedule: schedule.kind } };
}

const lowerLoopBody = (f: Frame, { statement }: ts.IterationStatement): void =>
  f.at(statement, () => lowerStatement(f, statement, []));

export function lowerLoop(f: Frame, node: ts.IterationStatement, labels: readonly string[]): void {
  const { api } = f;
  if (api.isForStatement(node)) lowerFor(f, node, labels);
  else if (api.isForOfStatement(node) && hasUsing(f, node.initializer))
    f.refuse("TSG1122", node.initializer, `\`${f.textOf(node.initializer)}\``);
  else if (api.isForOfStatement(node)) lowerForOf(f, node, labels);
  else if (api.isForInStatement(node)) lowerForIn(f, node, labels);
  else if (api.isWhileStatement(node)) lowerWhile(f, node, labels);
  else if (api.isDoStatement(node)) lowerDo(f, node, labels);
}

const hasUsing = ({ api }: Frame, head: ts.ForInitializer): boolean =>
  api.isVariableDeclarationList(head) && isDisposing(api, head);

function lowerFor(f: Frame, node: ts.ForStatement, labels: readonly string[]): void {
  const counted = countedLoop(f, node);
  if (counted !== null) return lowerCounted(f, node, counted, labels);
  const { initializer, condition, incrementor } = node;
  if (initializer !== undefined) {
    if (f.api.isVariableDeclarationList(initializer)) lowerDeclarations(f, initializer);
    else lowerEffect(f, initializer);
  }
  withLoop(f, labels, (label) =>
    emitWhile(
      f,
      label,
      () => (condition === undefined ? bool(true) : lowerCondition(f, condition)),
      () => lowerLoopBody(f, node),
      incrementor === undefined ? null : () => lowerEffect(f, incrementor),
    ),
  );
}

function lowerCounted(
  f: Frame,
  node: ts.ForStatement,
  counted: Counted,
  labels: readonly string[],
): void {
  let from: Atom = num(0);
  if (node.initializer !== undefined && f.api.isVariableDeclarationList(node.initializer)) {
    for (const declaration of node.initializer.declarations) {
      if (declaration.name === counted.name) from = lowerExpr(f, counted.from);
      else f.at(declaration, () => lowerDeclaration(f, declaration));
    }
  }
  const limit = lowerExpr(f, counted.to);
  if (f.shape(limit.type).kind !== "num")
    return f.refuse(
      "TSG2002",
      counted.to,
      f.name,
      "the bound",
      f.ctx.checker.typeToString(f.ctx.checker.getTypeAtLocation(counted.to)),
    );
  const to = indexLimit(f, limit, counted);
  const bounds = { from, test: counted.test, to, step: counted.step };
  withLoop(f, labels, (label) =>
    emitCounted(f, label, counted.name.text, bounds, (index) => {
      f.env.bind(counted.symbol, { kind: "value", atom: index });
      lowerLoopBody(f, node);
    }),
  );
}

// i + ahead < limit  ->  i < limit - ahead
function indexLimit(
  f: Frame,
  limit: Atom,
  { offset: ahead, isIntegerLimit: isWhole, test }: Counted,
): Atom {
  if (ahead === null) return limit;
  // `i + k` is an integer, so rounding the limit to the next integer does not change the test
  const whole = isWhole ? limit : f.b.op(test === "<" || test === ">=" ? "ceil" : "floor", limit);
  const size = lowerExpr(f, ahead.size);
  const isBack = ahead.sign < 0;
  if (size.kind !== "const" || typeof size.value !== "number")
    return isBack ? f.b.add(whole, size) : f.b.sub(whole, size);
  const by = isBack ? -size.value : size.value;
  if (whole.kind === "const" && typeof whole.value === "number") return num(whole.value - by);
  return by > 0 ? f.b.sub(whole, num(by)) : by < 0 ? f.b.add(whole, num(-by)) : whole;
}

function lowerWhile(f: Frame, node: ts.WhileStatement, labels: readonly string[]): void {
  withLoop(f, labels, (label) =>
    emitWhile(
      f,
      label,
      () => lowerCondition(f, node.expression),
      () => lowerLoopBody(f, node),
      null,
    ),
  );
}

/** `do … while (c)`: a flag skips the test in the first iteration. */
function lowerDo(f: Frame, node: ts.DoStatement, labels: readonly string[]): void {
  const first = f.declare("first", { kind: "bool" }, bool(true));
  withLoop(f, labels, (label) =>
    emitWhile(
      f,
      label,
      () =>
        f.choose(
          "t",
          { kind: "bool" },
          first,
          () => bool(true),
          () => lowerCondition(f, node.expression),
        ),
      () => {
        f.assign(first, bool(false));
        lowerLoopBody(f, node);
      },
      null,
    ),
  );
}

function lowerForIn(f: Frame, node: ts.ForInStatement, labels: readonly string[]): void {
  rejectInheritedKeys(f, node);
  const object = unwrap(f, lowerExpr(f, node.expression));
  const dict = f.shape(object.type);
  const head = node.initializer;
  const name = nameInHead(f, head);
  if (name === undefined || !f.api.isIdentifier(name))
    return f.refuse("TSG1121", node, f.textOf(node.expression));
  if (dict.kind === "record") return lowerForInFields(f, node, name, labels, object);
  if (dict.kind !== "dict" || dict.store !== "Object")
    return f.refuse("TSG1121", node, f.textOf(node.expression));
  requireStableKeys(f, node.statement, node.expression, f.symbolOf(name));
  const keys = keysOf(f, object, dict);
  const length = f.b.length(keys);
  withLoop(f, labels, (label) =>
    emitFor(f, label, length, (at) => {
      f.at(head, () =>
        bindName(f, name, f.let(name.text, STRING, { kind: "load", object: keys, key: index(at) })),
      );
      lowerLoopBody(f, node);
    }),
  );
}

/** `for (const k in p)` of a record: iterates over the fields that exist when the loop begins. */
function lowerForInFields(
  f: Frame,
  node: ts.ForInStatement,
  name: ts.Identifier,
  labels: readonly string[],
  object: Atom,
): void {
  const record = f.shape(object.type);
  const fields = record.kind === "record" ? record.fields : [];
  const hasOptional = fields.some((each) => f.shape(each.type).kind === "opt");
  if (f.ctx.classOf(object.type) !== null || hasOptional)
    return f.refuse("TSG1121", node, f.textOf(node.expression));
  if (spreadsOpenType(f, node.expression))
    return f.refuse("TSG1202", node.expression, f.textOf(node.expression));
  const keys = namesOf(f, object);
  withLoop(f, labels, (label) =>
    emitFor(f, label, f.b.length(keys), (at) => {
      const key = f.let(name.text, STRING, { kind: "load", object: keys, key: index(at) });
      requireListed(f, fields, key);
      f.at(node.initializer, () => bindName(f, name, key));
      lowerLoopBody(f, node);
    }),
  );
}

function lowerForOf(f: Frame, node: ts.ForOfStatement, labels: readonly string[]): void {
  if (node.awaitModifier !== undefined) return f.refuse("TSG1101", node, f.name);
  if (lowerForOfFunctions(f, node, labels)) return;
  const iteration = (item: Atom): void => {
    f.at(node.initializer, () => bindItem(f, node.initializer, item));
    lowerLoopBody(f, node);
  };
  if (
    lowerForOfGenerator(f, node, labels, iteration) ||
    lowerForOfIterator(f, node, (make) => withLoop(f, labels, make), iteration)
  )
    return;
  const source = sourceOf(f, node.expression);
  const bind = (at: Atom): void => {
    f.at(node.initializer, () => bindItemAt(f, node.initializer, source, at));
    lowerLoopBody(f, node);
  };
  if (source.dict !== null)
    requireStableKeys(f, node.statement, source.node, keySymbol(f, node.initializer, source));
  const hint = indexName(f, node.initializer, source);
  if (!mayChangeLength(f, source, node.statement)) {
    const length = lengthOf(f, source);
    return withLoop(f, labels, (label) => emitFor(f, label, length, bind, hint));
  }
  withLoop(f, labels, (label) => emitIndexed(f, label, () => lengthOf(f, source), bind));
}

/** `for (const g of [sin, cos])`: `g` is a table of functions, indexed by the loop's counter. */
function lowerForOfFunctions(
  f: Frame,
  node: ts.ForOfStatement,
  labels: readonly string[],
): boolean {
  const members = membersOf(f, node.expression);
  if (members === null || !members.isList) return false;
  const name = nameInHead(f, node.initializer);
  const symbol = name !== undefined && f.api.isIdentifier(name) ? f.symbolOf(name) : null;
  if (symbol === null || ![...members.parts.values()].every(isFn))
    return f.refuse("TSG1124", node.expression, f.textOf(node.expression));
  withLoop(f, labels, (label) =>
    emitFor(f, label, num(members.parts.size), (at) => {
      f.env.bind(symbol, { kind: "fn", fn: tableOf(members, at) });
      lowerLoopBody(f, node);
    }),
  );
  return true;
}

/** The name that the head of a loop declares. */
const nameInHead = ({ api }: Frame, head: ts.ForInitializer): ts.BindingName | undefined =>
  api.isVariableDeclarationList(head) ? head.declarations[0]?.name : undefined;

/** The variable that holds the key in each iteration. */
function keySymbol(f: Frame, head: ts.ForInitializer, source: Source): ts.Symbol | null {
  const { api } = f;
  const name = nameInHead(f, head);
  const first =
    name !== undefined && api.isArrayBindingPattern(name) && source.kind === "entries"
      ? name.elements[0]
      : undefined;
  const key =
    first !== undefined && !api.isOmittedExpression(first)
      ? first.name
      : source.kind === "keys"
        ? name
        : undefined;
  return key !== undefined && api.isIdentifier(key) ? f.symbolOf(key) : null;
}

/** The user's own name for the index, in `[i, x] of xs.entries()` and `i of xs.keys()`. */
function indexName(f: Frame, head: ts.ForInitializer, source: Source): string {
  const { api } = f;
  const name = nameInHead(f, head);
  if (name === undefined || source.kind === "values" || source.dict !== null) return "i";
  if (api.isIdentifier(name)) return source.kind === "keys" ? name.text : "i";
  const first = api.isArrayBindingPattern(name) ? name.elements[0] : undefined;
  return first !== undefined && !api.isOmittedExpression(first) && api.isIdentifier(first.name)
    ? first.name.text
    : "i";
}

function bindItemAt(f: Frame, head: ts.ForInitializer, source: Source, at: Atom): void {
  const { api } = f;
  const name = nameInHead(f, head);
  if (
    name !== undefined &&
    source.kind === "entries" &&
    api.isArrayBindingPattern(name) &&
    name.elements.length <= 2 &&
    bindEntry(f, name, source, at)
  )
    return;
  bindItem(
    f,
    head,
    itemAt(f, source, at, name !== undefined && api.isIdentifier(name) ? name.text : "t"),
  );
}

function bindItem(f: Frame, head: ts.ForInitializer, item: Atom): void {
  const { api } = f;
  const name = nameInHead(f, head);
  if (name !== undefined) return bindName(f, name, item);
  if (api.isVariableDeclarationList(head)) return;
  const target = bare(head, f.api);
  if (api.isArrayLiteralExpression(target) || api.isObjectLiteralExpression(target))
    return assignPattern(f, target, item, target);
  writePlace(f, lowerPlace(f, target), item);
}

/** `[i, x] of xs.entries()` without allocating the pair. */
function bindEntry(f: Frame, pattern: ts.ArrayBindingPattern, source: Source, at: Atom): boolean {
  const { api } = f;
  const [key, value] = pattern.elements;
  for (const element of [key, value]) {
    if (
      element !== undefined &&
      !api.isOmittedExpression(element) &&
      (element.initializer !== undefined || element.dotDotDotToken !== undefined)
    )
      return false;
  }
  if (key !== undefined && !api.isOmittedExpression(key))
    bindName(f, key.name, keyAt(f, source, at));
  if (value !== undefined && !api.isOmittedExpression(value))
    bindName(
      f,
      value.name,
      elementAt(f, source, at, api.isIdentifier(value.name) ? value.name.text : "t"),
    );
  return true;
}
