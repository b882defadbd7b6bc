// Lowers statements to raw IR in the frame's open statement list.
// Invariant: exits stay `break`, `continue` and `return` nodes; ssa/structure.ts removes them.

import type ts from "typescript";
import type { Atom } from "../ir/types.ts";
import { UNDEFINED } from "./coerce.ts";
import type { TypeScript } from "./typescript.ts";
import { lowerEffect, lowerExpr } from "./lowering.ts";
import { settled, type Exitable, type Frame } from "./frame.ts";
import { lowerLoop } from "./control/loops.ts";
import { mayReadUndefined } from "./objects/undefined-reads.ts";
import { lowerCondition } from "./operators.ts";
import { functionList } from "./functions/function-tags.ts";
import { bindMembers, bindPart } from "./functions/member-patterns.ts";
import { mayHoldFunctions } from "./functions/known-functions.ts";
import { membersOf } from "./functions/known-members.ts";
import { valueOfMembers } from "./classes/members-as-value.ts";
import { bindLibrary, bindNamespace } from "./objects/namespace-patterns.ts";
import { bindName, iterableElements, variableType } from "./objects/patterns.ts";
import { resolveFn } from "./resolve.ts";
import { mentionsTested, onlyThrows, emitWrongType, truthByType } from "./control/type-tests.ts";
import { lowerSwitch } from "./control/switch.ts";
import { isAssigned } from "./assignments.ts";
import { isMutable } from "./effects.ts";
import { isDisposing } from "../syntax/disposal.ts";
import { returnsWithin } from "../syntax/walk.ts";

/** The statements of a block; its function declarations are bound first. */
export function lowerStatements(f: Frame, statements: readonly ts.Statement[]): void {
  for (const statement of statements)
    if (f.api.isFunctionDeclaration(statement)) bindFunction(f, statement);
  for (const [i, statement] of statements.entries()) {
    const test = testThatLeaves(f, statement, statements, i + 1);
    f.at(statement, () => lowerStatement(f, statement, []));
    if (test !== null) return f.at(statement, () => emitWrongType(f, test));
  }
}

/**
 * The test of `if (typeof k === "number") return g(k);` where `k` is known to be a number. The
 * statements after it are unreachable and do not type-check for `k`.
 */
function testThatLeaves(
  f: Frame,
  node: ts.Statement,
  statements: readonly ts.Statement[],
  after: number,
): ts.Expression | null {
  if (
    !f.ctx.hasStrictNulls ||
    !f.api.isIfStatement(node) ||
    !statements.some(
      (other, k) =>
        k >= after && !onlyThrows(f, other) && mentionsTested(f, node.expression, other),
    )
  )
    return null;
  const known = truthByType(f, node.expression);
  const taken =
    known === true ? node.thenStatement : known === false ? node.elseStatement : undefined;
  return taken !== undefined && alwaysExits(f, taken) ? node.expression : null;
}

/** Whether control never reaches the end of the statement. */
export function alwaysExits(f: Frame, node: ts.Statement): boolean {
  const { api } = f;
  if (api.isBlock(node)) return node.statements.some((inner) => alwaysExits(f, inner));
  if (api.isIfStatement(node))
    return (
      node.elseStatement !== undefined &&
      alwaysExits(f, node.thenStatement) &&
      alwaysExits(f, node.elseStatement)
    );
  return (
    api.isReturnStatement(node) ||
    api.isThrowStatement(node) ||
    api.isBreakOrContinueStatement(node)
  );
}

export function lowerStatement(f: Frame, node: ts.Statement, labels: readonly string[]): void {
  const { api } = f;
  if (api.isVariableStatement(node)) return lowerDeclarations(f, node.declarationList);
  if (api.isExpressionStatement(node)) return lowerEffect(f, node.expression);
  if (api.isReturnStatement(node)) return lowerReturn(f, node);
  if (api.isIfStatement(node)) return lowerIf(f, node);
  if (api.isBlock(node))
    return labels.length === 0
      ? lowerStatements(f, node.statements)
      : lowerLabelledBlock(f, node, labels);
  if (api.isIterationStatement(node, false)) return lowerLoop(f, node, labels);
  if (api.isBreakOrContinueStatement(node)) return lowerExit(f, node);
  if (api.isSwitchStatement(node)) return lowerSwitch(f, node, labels);
  if (api.isThrowStatement(node))
    return f.b.emit({ kind: "throw", value: lowerExpr(f, node.expression) });
  if (api.isLabeledStatement(node))
    return lowerStatement(f, node.statement, [...labels, node.label.text]);
  return hasNoCode(node, api) ? undefined : refuseStatement(f, node);
}

const hasNoCode = (node: ts.Statement, api: TypeScript): boolean =>
  api.isFunctionDeclaration(node) ||
  api.isEmptyStatement(node) ||
  api.isInterfaceDeclaration(node) ||
  api.isTypeAliasDeclaration(node);

function refuseStatement(f: Frame, node: ts.Statement): void {
  const { api } = f;
  if (api.isTryStatement(node)) return f.refuse("TSG1110", node, f.name);
  if (api.isClassDeclaration(node))
    return f.refuse("TSG1107", node, f.name, node.name?.text ?? "class");
  if (api.isWithStatement(node)) return f.refuse("TSG1104", node, f.name);
  if (api.isEnumDeclaration(node) || api.isModuleDeclaration(node))
    return f.refuse("TSG1126", node, node.name.getText());
  return f.refuse("TSG1122", node, `statement \`${f.textOf(node)}\``);
}

function bindFunction(f: Frame, node: ts.FunctionDeclaration): void {
  const symbol = node.name === undefined ? null : f.symbolOf(node.name);
  if (symbol !== null && isAssigned(symbol, f.ctx.checker, f.api))
    f.refuse("TSG1012", node, symbol.name);
  if (symbol !== null)
    f.env.bind(symbol, { kind: "fn", fn: { kind: "closure", node, env: f.env } });
}

export function lowerDeclarations(f: Frame, list: ts.VariableDeclarationList): void {
  if (isDisposing(f.api, list)) return f.refuse("TSG1122", list, `\`${f.textOf(list)}\``);
  for (const declaration of list.declarations)
    f.at(declaration, () => lowerDeclaration(f, declaration));
}

export function lowerDeclaration(f: Frame, node: ts.VariableDeclaration): void {
  const { api } = f;
  if (bindLibrary(f, node) || bindNamespace(f, node)) return;
  if (node.initializer === undefined) {
    if (api.isIdentifier(node.name)) bindEmpty(f, node.name);
    return;
  }
  // the array's declared type does not say which tags stand for its functions
  const tags = functionList(f, node);
  const symbol = tags === null ? null : f.symbolOf(node.name);
  if (tags !== null && symbol !== null) f.env.bind(symbol, { kind: "value", atom: tags });
  if (tags !== null) return;
  if (
    api.isIdentifier(node.name)
      ? bindLocalFunction(f, node.name, node.initializer)
      : bindLocalMembers(f, node.name, node.initializer)
  )
    return;
  const hint = api.isIdentifier(node.name) && !isVariable(f, node.name) ? node.name.text : "t";
  const value =
    (api.isArrayBindingPattern(node.name)
      ? iterableElements(f, node.name, node.initializer)
      : null) ?? lowerExpr(f, node.initializer, hint, mayReadUndefined(f, node));
  bindName(f, node.name, value);
}

const isVariable = (f: Frame, name: ts.Identifier): boolean => {
  const symbol = f.symbolOf(name);
  return symbol !== null && isMutable(f, symbol);
};

/** `let best;` is declared here, so that every branch may assign it. */
function bindEmpty(f: Frame, name: ts.Identifier): void {
  const symbol = f.symbolOf(name);
  if (symbol === null) return f.refuse("TSG1126", name, name.text);
  if (!isMutable(f, symbol)) return f.env.bind(symbol, { kind: "value", atom: UNDEFINED });
  if (
    f.env.lookup(symbol)?.kind === "variable" &&
    symbol.flags & f.api.SymbolFlags.FunctionScopedVariable
  )
    return;
  const declared = variableType(f, name, null);
  // the type says whether the variable may be read before an assignment
  const init = f.shape(declared).kind === "opt" ? UNDEFINED : null;
  f.env.bind(symbol, { kind: "variable", variable: f.declare(name.text, declared, init) });
}

/** `const g = (x) => …` has no run-time value: calls of `g` are inlined. */
function bindLocalFunction(f: Frame, name: ts.Identifier, initializer: ts.Expression): boolean {
  if (!mayHoldFunctions(f, initializer)) return false;
  const fn = resolveFn(f, initializer);
  const symbol = f.symbolOf(name);
  if (fn === null || symbol === null) return false;
  const value = fn.kind === "members" ? valueOfMembers(f, name, fn) : null;
  if (value !== null) {
    bindName(f, name, value);
    return true;
  }
  if (isMutable(f, symbol)) return f.refuse("TSG1124", name, name.text);
  f.env.bind(symbol, { kind: "fn", fn });
  return true;
}

/** `const { inc, get } = counter(x)` */
function bindLocalMembers(f: Frame, name: ts.BindingPattern, initializer: ts.Expression): boolean {
  if (!mayHoldFunctions(f, initializer)) return false;
  const fn = resolveFn(f, initializer) ?? membersOf(f, initializer);
  if (fn?.kind !== "members")
    return fn === null ? false : f.refuse("TSG1124", initializer, f.textOf(initializer));
  const isValue = (element: ts.Node): boolean =>
    f.api.isBindingElement(element) && !fn.parts.has(keyOf(element));
  // the values of a module constant's literal are read at run time
  if (!fn.isWhole && name.elements.some(isValue)) {
    if (
      name.elements.some(
        (element) => f.api.isBindingElement(element) && element.dotDotDotToken !== undefined,
      )
    )
      return false;
    bindName(f, name, lowerExpr(f, initializer), isValue);
    return (
      name.elements.every(
        (element) =>
          isValue(element) ||
          !f.api.isBindingElement(element) ||
          bindPart(f, element, fn.parts.get(keyOf(element)) ?? UNDEFINED),
      ) || f.refuse("TSG1124", name, f.textOf(name))
    );
  }
  return (
    bindMembers(f, name, fn) ||
    f.refuse(
      "TSG1125",
      name,
      "the parts of an object with functions are asked for by a pattern that is not plain",
    )
  );
}

const keyOf = ({ propertyName, name }: ts.BindingElement): string =>
  (propertyName ?? name).getText();

function lowerReturn(f: Frame, node: ts.ReturnStatement): void {
  f.returns.used = true;
  const { label, type, read } = f.returns;
  if (node.expression === undefined)
    return f.b.emit({ kind: "return", label, value: type.kind === "void" ? null : UNDEFINED });
  if (type.kind === "void") {
    lowerEffect(f, node.expression);
    return f.b.emit({ kind: "return", label, value: null });
  }
  const value = settled((read ?? ((returned) => lowerExpr(f, returned)))(node.expression), type);
  f.returns.types?.push(value.type);
  f.b.emit({ kind: "return", label, value });
}

function lowerIf(f: Frame, node: ts.IfStatement): void {
  const cond = lowerCondition(f, node.expression);
  const { thenStatement, elseStatement } = node;
  const known = truthByType(f, node.expression);
  const branch = (statement: ts.Statement, taken: boolean): void => {
    if (
      known === !taken &&
      !onlyThrows(f, statement) &&
      mentionsTested(f, node.expression, statement)
    )
      emitWrongType(f, node.expression);
    else f.at(statement, () => lowerStatement(f, statement, []));
  };
  f.when(
    cond,
    () => branch(thenStatement, true),
    () => {
      if (elseStatement !== undefined) branch(elseStatement, false);
    },
  );
}

/** Runs `fill` in a block that `break` can leave; without a `break` there is no scope node. */
export function breakable(
  f: Frame,
  userLabels: readonly string[],
  kind: "switch" | "block",
  fill: () => void,
): void {
  const exit: Exitable = { label: f.label(userLabels[0] ?? kind), userLabels, kind, used: false };
  f.exits = [...f.exits, exit];
  const body = f.nested(() => (fill(), []));
  f.exits = f.exits.slice(0, -1);
  if (exit.used) f.b.emit({ kind: "scope", label: exit.label, body, bind: null });
  else f.b.stmts.push(...body.stmts);
}

function lowerLabelledBlock(f: Frame, node: ts.Block, labels: readonly string[]): void {
  breakable(f, labels, "block", () => lowerStatements(f, node.statements));
}

function lowerExit(f: Frame, node: ts.BreakOrContinueStatement): void {
  const isBreak = f.api.isBreakStatement(node);
  const label = node.label?.text;
  const target = f.exits.findLast((exit) =>
    label === undefined
      ? exit.kind === "loop" || (isBreak && exit.kind === "switch")
      : exit.userLabels.includes(label),
  );
  if (target === undefined) return f.refuse("TSG1109", node);
  if (!isBreak && target.iteration !== undefined) {
    target.iteration.used = true;
    return f.b.emit({ kind: "break", label: target.iteration.label });
  }
  target.used = true;
  f.b.emit({ kind: isBreak ? "break" : "continue", label: target.label });
}

/** Whether only the last statement of a body returns, so that no exit is needed. */
export function returnsAtEndOnly(f: Frame, body: ts.Block): boolean {
  const last = body.statements.at(-1);
  return body.statements.every(
    (statement) =>
      (statement === last && f.api.isReturnStatement(statement)) ||
      returnsWithin(f.api, statement).length === 0,
  );
}

/** Lowers a function's block. A `return` at its end gives the result, without an exit. */
export function lowerBlockBody(f: Frame, body: ts.Block, hint: string): Atom | null {
  hoistVariables(f, body);
  const last = body.statements.at(-1);
  if (last === undefined || !f.api.isReturnStatement(last) || !returnsAtEndOnly(f, body)) {
    lowerStatements(f, body.statements);
    return null;
  }
  lowerStatements(f, body.statements.slice(0, -1));
  const { expression } = last;
  if (expression === undefined) return null;
  return f.at(last, () => lowerExpr(f, expression, hint));
}

/** Declares each `var` that needs a variable at the start of the function. */
function hoistVariables(f: Frame, body: ts.Block): void {
  const { api } = f;
  const walk = (node: ts.Node): void => {
    if (api.isFunctionLike(node)) return;
    if (
      api.isVariableDeclarationList(node) &&
      !(node.flags & api.NodeFlags.BlockScoped) &&
      !isOwnCounter(f, node)
    ) {
      for (const declaration of node.declarations) hoistName(f, declaration.name);
    }
    api.forEachChild(node, walk);
  };
  api.forEachChild(body, walk);
}

/** Whether the loop of `for (var i = 0; …)` owns `i`: nothing outside of it reads `i`. */
export function isOwnCounter(f: Frame, list: ts.VariableDeclarationList): boolean {
  const { api } = f;
  const loop = list.parent;
  const name = list.declarations[0]?.name;
  if (
    !api.isForStatement(loop) ||
    list.declarations.length !== 1 ||
    name === undefined ||
    !api.isIdentifier(name)
  )
    return false;
  const symbol = f.symbolOf(name);
  return symbol !== null && onlyInLoopsOfItsOwn(f, symbol, name);
}

/** Whether each use of the variable is inside a `for` that declares it. */
function onlyInLoopsOfItsOwn(f: Frame, symbol: ts.Symbol, name: ts.Identifier): boolean {
  const { api } = f;
  const walk = (node: ts.Node): boolean => {
    if (
      api.isForStatement(node) &&
      node.initializer !== undefined &&
      api.isVariableDeclarationList(node.initializer) &&
      node.initializer.declarations.some(
        (each) =>
          api.isIdentifier(each.name) &&
          each.initializer !== undefined &&
          f.symbolOf(each.name) === symbol,
      )
    )
      return true;
    if (api.isIdentifier(node) && node.text === name.text && f.symbolOf(node) === symbol)
      return false;
    return api.forEachChild(node, (child) => (walk(child) ? undefined : true)) !== true;
  };
  const owner = api.findAncestor(name, (at) => api.isFunctionLike(at));
  return owner === undefined || walk(owner);
}

function hoistName(f: Frame, name: ts.BindingName): void {
  const { api } = f;
  if (!api.isIdentifier(name)) {
    for (const element of name.elements)
      if (!api.isOmittedExpression(element)) hoistName(f, element.name);
    return;
  }
  const symbol = f.symbolOf(name);
  if (symbol === null || f.env.lookup(symbol)?.kind === "variable") return;
  if (!isMutable(f, symbol)) return; // bound at its declaration; earlier reads are errors
  f.env.bind(symbol, {
    kind: "variable",
    variable: f.declare(name.text, variableType(f, name, null), null),
  });
}
