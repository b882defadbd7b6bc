// Caches ids of array elements for loops and nested functions. In: `a[i]`, `a[i] = e`. Out: once
// `const a$ids = $d.idsOf(a)`, then `a$ids.ids[i] ?? 0`, `$d.setAt(a, a$ids, i, e, …)`. Invariant:
// `a` is never reassigned; `$d.idAt` detects handles of other executions. Likewise record fields.

import type ts from "typescript";
import { bare } from "../syntax/wrappers.ts";
import { type Code, code, id, literal, NOTHING } from "../code/code.ts";
import type { Variable } from "./binding.ts";
import { runsWithin } from "./plan/at-once.ts";
import { capturesOf, functionOf, isInLoop } from "./captures.ts";
import { isLeaf, isListLike, isListOfNumbers, isNumber } from "./types/leaves.ts";
import { leafOf } from "./linear.ts";
import { asArgument, called, plain, type Pair } from "./pair.ts";
import { ifRead, put, reading, shown } from "../code/temporaries.ts";
import { temporary, type Work } from "./work.ts";

/** `a[i]` by the handle of `a`, or null. `index` is the source text of `i`. */
export function elementByHandle(
  work: Work,
  node: ts.ElementAccessExpression,
  object: Pair,
  index: Pair,
): Pair | null {
  const variable = listOf(work, node);
  const known = variable === null ? null : readsOf(work, node.argumentExpression);
  if (
    variable === null ||
    known === null ||
    object.v !== variable.name ||
    !index.pure ||
    index.number !== true
  )
    return null;
  return elementOf(work, node, variable, index.v, known);
}

/** The same for a key that is a name or a temporary. */
export function elementOf(
  work: Work,
  node: ts.Node,
  variable: Variable,
  index: Code,
  reads: readonly Variable[],
): Pair {
  const handle = reading(variable.handle);
  const isOwn = runsWithDeclaration(work, variable, node);
  const v = code`${variable.name}[${index}]`;
  const i = isOwn ? code`(${handle}.ids[${index}] ?? 0)` : code`$d.idAt(${handle}, ${index})`;
  return {
    v,
    i,
    level: 2,
    pure: true,
    number: true,
    noise: 0,
    linear: leafOf(v, i, [variable, ...reads], true),
  };
}

/** Whether an index is the same before the value is computed and after it is written. */
export function staysThrough(work: Work, index: ts.Expression, { noise = 2 }: Pair): boolean {
  const { api } = work;
  const reads = readsOf(work, index);
  const key = bare(index, work.api);
  if (reads === null || noise === 2 || index.getText().includes(".")) return false;
  return (
    noise === 0 ||
    ((api.isIdentifier(key) || api.isNumericLiteral(key)) &&
      !reads.some((variable) => variable.written && capturesOf(api, variable)))
  );
}

/** `a[i] = e;` of arithmetic without boxing, or null: `t = id of e; a[i] = e; $d.setIdAt(…);` */
export function elementWritten(
  work: Work,
  target: ts.ElementAccessExpression,
  variable: Variable,
  index: Code,
  value: Pair,
): readonly Code[] | null {
  const { api } = work;
  const { parent } = target;
  const { linear } = value;
  if (
    linear === undefined ||
    value.number !== true ||
    !(linear.partials.size === 0 || isLeafOrNode(value))
  )
    return null;
  if (
    !api.isBinaryExpression(parent) ||
    !api.isExpressionStatement(parent.parent) ||
    !runsWithDeclaration(work, variable, target)
  )
    return null;
  const id = temporary(work);
  const place = code`${variable.name}[${index}]`;
  const last = code`$d.setIdAt(${reading(variable.handle)}, ${index}, ${id})`;
  if (!linear.isLater) return [put(id, value.i), code`${place} = ${asArgument(value)}`, last];
  const t = temporary(work);
  return [put(t, asArgument(value)), put(id, value.i), code`${place} = ${t}`, last];
}

/** Whether its id is that of a name, an element or a new node. */
const isLeafOrNode = ({ i, linear }: Pair): boolean =>
  shown(i).startsWith("$d.linear") || (linear?.isLater === false && linear.again.kind === 2);

/** The local array that contains the element and now gets a handle, or null. */
export function listOf(work: Work, node: ts.Expression): Variable | null {
  const { api } = work;
  if (work.isUntyped || work.context.perOperation === true || !api.isElementAccessExpression(node))
    return null;
  const list = bare(node.expression, work.api);
  const variable = api.isIdentifier(list) ? work.bindings.find(list) : null;
  if (
    variable === null ||
    !holdsStill(work, variable, node) ||
    !isListOfNumbers(api, work.context.checker, node.expression)
  )
    return null;
  if (!isNumber(api, work.context.checker, node.argumentExpression)) return null;
  if (!variable.hasHandle) work.changed = true;
  variable.hasHandle = true;
  return variable;
}

/** Locals that an index reads; null where the index is not arithmetic of locals. */
export function readsOf(work: Work, node: ts.Expression): readonly Variable[] | null {
  const { api } = work;
  const key = bare(node, work.api);
  const k = api.SyntaxKind;
  if (api.isNumericLiteral(key)) return [];
  if (api.isPropertyAccessExpression(key))
    return key.name.text === "length" && isListLike(api, work.context.checker, key.expression)
      ? readsOf(work, key.expression)
      : null;
  if (api.isIdentifier(key)) {
    const variable = work.bindings.find(key);
    return variable === null ? null : [variable];
  }
  if (
    !api.isBinaryExpression(key) ||
    ![k.PlusToken, k.MinusToken, k.AsteriskToken].includes(key.operatorToken.kind)
  )
    return null;
  const left = readsOf(work, key.left);
  const right = readsOf(work, key.right);
  return left === null || right === null ? null : [...left, ...right];
}

function holdsStill(work: Work, variable: Variable, at: ts.Node): boolean {
  const { api } = work;
  const { how, declaration } = variable;
  if (
    variable.written ||
    !(how === "const" || how === "let" || how === "parameter") ||
    api.isForStatement(declaration.parent.parent)
  )
    return false;
  const own = functionOf(api, declaration);
  // Outside of loops a handle pays only where one exists.
  return (
    api.isFunctionLike(own) &&
    (variable.hasHandle || functionOf(api, at) !== own || isInLoop(api, at, declaration))
  );
}

/**
 * `o.k  ->  (t = (t1 = o$fields.k) === undefined ? $d.get(o, "k") : o.k, t1 = t1 ?? $d.id, t)`
 * or null. A field with an id, even 0, is a data property; any other goes through `$d.get`.
 */
export function fieldByHandle(
  work: Work,
  node: ts.PropertyAccessExpression,
  object: Pair,
): Pair | null {
  const { api, context } = work;
  const record = bare(node.expression, work.api);
  const key = id(node.name.text);
  if (work.isUntyped || context.perOperation === true || key in Object.prototype) return null;
  if (record.kind === api.SyntaxKind.ThisKeyword) return fieldOfThis(work, node, key);
  if (!api.isIdentifier(record) || object.v !== record.text) return null;
  const variable = work.bindings.find(record);
  if (
    variable === null ||
    !isSteady(work, variable, node) ||
    !isDataField(api, context.checker?.getSymbolAtLocation(node.name))
  )
    return null;
  const isOfNumber = isNumber(api, context.checker, node);
  if (!isOfNumber && !isLeaf(api, context.checker, node)) return null;
  if (!variable.hasFields) work.changed = true;
  variable.hasFields = true;
  const fields = reading(variable.fields);
  return isOfNumber
    ? numberField(work, object.v, fields, key)
    : called(
        code`(${fields}.${key} === undefined ? $d.get(${object.v}, ${literal(key)}) : ${object.v}.${key})`,
      );
}

const OF_THIS: Code = code`this$fields`;

/** The same for `this.k` that a method reads repeatedly, outside nested functions. */
function fieldOfThis(work: Work, node: ts.PropertyAccessExpression, key: Code): Pair | null {
  const {
    api,
    context: { checker },
    frame,
  } = work;
  const method = functionOf(api, node);
  const isMember =
    (api.isMethodDeclaration(method) || api.isAccessor(method)) &&
    api.isClassLike(method.parent) &&
    !(api.getModifiers(method) ?? []).some(({ kind }) => kind === api.SyntaxKind.StaticKeyword);
  if (
    !isMember ||
    !runsWithin(work, method, node) ||
    (method.getText().match(/\bthis\.\w/g) ?? []).length < 2
  )
    return null;
  if (!isDataField(api, checker?.getSymbolAtLocation(node.name)) || !isNumber(api, checker, node))
    return null;
  frame.usesThis = frame.hasThisFields = true;
  return numberField(
    work,
    code`this`,
    reading(OF_THIS),
    key,
    work.any === NOTHING ? code`this` : code`(this as any)`,
  );
}

export const thisHandle = ({ any, frame }: Work): readonly Code[] =>
  frame.hasThisFields
    ? [ifRead(reading(OF_THIS), code`const ${OF_THIS}${any} = $d.fieldIds(this);`)]
    : [];

/** A number field; `fields` are the ids of the fields. */
function numberField(work: Work, object: Code, fields: Code, key: Code, typed = object): Pair {
  const t = temporary(work);
  const t1 = temporary(work);
  const id = code`${fields}.${key}`;
  const values = code`undefined ? $d.get(${object}, ${literal(key)}) : ${typed}.${key}`;
  return {
    v: code`(${put(t, code`(${put(t1, id)}) === ${values}`)}${ifRead(t1, code`, ${put(t1, code`${t1} ?? $d.id`)}`)}, ${t})`,
    i: t1,
    level: 2,
    pure: false,
    number: true,
    noise: 1,
    linear: { ...leafOf(t, t1, [], false), isLater: true },
  };
}

/** Reads several number fields at once, or null: `const { a, b } = o`, by `$d.fieldIds(o)` */
export function fieldsOfPattern(
  work: Work,
  pattern: ts.ObjectBindingPattern,
  object: Code,
  aside: (pair: Pair) => Code,
): ((key: string) => Pair) | null {
  const {
    api,
    context: { checker },
  } = work;
  const { elements } = pattern;
  if (
    work.isUntyped ||
    checker === null ||
    work.context.perOperation === true ||
    elements.length < 2
  )
    return null;
  const type = checker.getTypeAtLocation(pattern);
  const isPlain = elements.every(({ name, propertyName, initializer, dotDotDotToken }) => {
    const key = propertyName ?? name;
    if (
      initializer !== undefined ||
      dotDotDotToken !== undefined ||
      !api.isIdentifier(name) ||
      !api.isIdentifier(key) ||
      key.text in Object.prototype
    )
      return false;
    return (
      isNumber(api, checker, name) && isDataField(api, checker.getPropertyOfType(type, key.text))
    );
  });
  if (!isPlain) return null;
  const fields = aside(plain(code`$d.fieldIds(${object})`, 2, false));
  return (key) => numberField(work, object, fields, id(key));
}

/** Whether it is never reassigned and is read by its own function, which runs at once. */
function isSteady(work: Work, variable: Variable, at: ts.Node): boolean {
  const { api } = work;
  const { how, declaration } = variable;
  if (
    variable.written ||
    !(how === "const" || how === "let" || how === "parameter") ||
    api.isForStatement(declaration.parent.parent)
  )
    return false;
  return runsWithDeclaration(work, variable, at);
}

/** Whether it is read in the execution of the tape that declares it. */
function runsWithDeclaration(work: Work, { declaration }: Variable, at: ts.Node): boolean {
  return runsWithin(work, functionOf(work.api, declaration), at);
}

/** Whether types call it a data property. The object may have an accessor all the same. */
export function isDataField(api: typeof ts, symbol: ts.Symbol | undefined): boolean {
  const f = api.SymbolFlags;
  return (
    symbol !== undefined &&
    (symbol.flags & f.Property) !== 0 &&
    (symbol.flags & (f.Accessor | f.Method)) === 0
  );
}

/** Handle declarations after the declaration of a local, where they are read. */
export const handleLines = (work: Work, variable: Variable | null): readonly Code[] =>
  variable === null
    ? []
    : [
        ...(variable.hasHandle ? [handleLine(work, variable, variable.handle, code`idsOf`)] : []),
        ...(variable.hasFields
          ? [handleLine(work, variable, variable.fields, code`fieldIds`)]
          : []),
      ];

const handleLine = ({ any }: Work, { name }: Variable, handle: Code, made: Code): Code =>
  ifRead(reading(handle), code`const ${handle}${any} = $d.${made}(${name});`);
