// What functions that are told of something may set, and lowered code reads. In: lowered functions; the program's files. Out: calls of listeners beside which such a name is read.
// Invariant: what is left reads nothing that some function of the program, which could be the one that is told, writes by a name of its surroundings or in an object that it has not made.

import type ts from "typescript";
import type { Atom, Func } from "../../ir/types.ts";
import { exprAtoms, stmtAtoms, walkStmts } from "../../ir/visit.ts";
import type { TypeScript } from "../context.ts";
import { forEachTarget, REPLACERS, RESIZERS } from "../effects.ts";
import { isToldIn } from "./listeners.ts";
import type { ModuleGraph } from "../sites/module-graph.ts";

export interface Overheard {
  readonly func: string;
  readonly origin: Func["origin"];
  readonly name: string;
}

interface Around {
  readonly ts: TypeScript;
  readonly checker: ts.TypeChecker;
  readonly graph: ModuleGraph;
}

export function overheard(
  funcs: ReadonlyMap<string, Func>,
  { ts: api, checker, graph }: Around,
): readonly Overheard[] {
  const told = [...funcs].flatMap(([func, { body }]) => {
    const found: Omit<Overheard, "name">[] = [];
    walkStmts(body, (stmt) => {
      if (stmt.kind === "let" && isToldIn(stmt.expr)) found.push({ func, origin: stmt.origin });
    });
    return found;
  });
  const names = new Map(
    [...new Set(told.map(({ origin }) => origin.file))].map((file) => [file, nameHeard(file)]),
  );
  return told.flatMap((each) => {
    const name = names.get(each.origin.file);
    return name === undefined ? [] : [{ ...each, name }];
  });

  /** Of modules that nobody sees together, one knows nothing of the other. */
  function nameHeard(from: string): string | undefined {
    const own = graph.files.find(({ fileName }) => fileName === from);
    const near =
      own === undefined ? graph.files : graph.files.filter((file) => graph.meet(file, own));
    const written = writtenOutside(near, api, checker);
    const isNear = ({ origin }: Func): boolean =>
      near.some(({ fileName }) => fileName === origin.file);
    return [...funcs.values()]
      .filter(isNear)
      .flatMap(({ body }) => read(body))
      .map((each) => written.get(each))
      .find((each) => each !== undefined);
  }
}

/** Names, `.x` of fields and `[]` of elements. */
function read(body: Func["body"]): readonly string[] {
  const found: string[] = [];
  const note = (atom: Atom): void => {
    if (atom.kind === "global")
      found.push(...atom.name.split("."), ...(atom.variable?.split(/[.#\s]/) ?? []));
  };
  walkStmts(body, (stmt) => {
    (stmt.kind === "let" ? exprAtoms(stmt.expr) : stmtAtoms(stmt)).forEach(note);
    if (stmt.kind === "let" && stmt.expr.kind === "load")
      found.push(stmt.expr.key.kind === "field" ? `.${stmt.expr.key.name}` : ELEMENT);
    // the words of a template name nothing
    if (stmt.kind === "let" && stmt.expr.kind === "extern" && stmt.expr.verbatim !== true)
      found.push(
        ...stmt.expr.text.flatMap(
          (text) => text.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu) ?? [],
        ),
      );
  });
  body.result.forEach(note);
  return found;
}

const CHANGE: ReadonlySet<string> = new Set([
  ...RESIZERS,
  ...REPLACERS,
  "set",
  "add",
  "delete",
  "clear",
]);

const ELEMENT = "[]";

/** What functions write, as `read` calls it, and the name by which they do: names of their surroundings, and what lies in any object that they have not made themselves. */
function writtenOutside(
  files: readonly ts.SourceFile[],
  api: TypeScript,
  checker: ts.TypeChecker,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  /** The function that it runs in: what an array method is given runs in the function around the call. */
  const ownerOf = (node: ts.Node): ts.Node | undefined =>
    api.findAncestor(node.parent, (at) => api.isFunctionLike(at) && !isCallback(at, api));
  /** `isChanged`: what lies in the target is written, as `xs.push(v)` does, which is known by the name of the list or of the field that holds it, if it has one. */
  const note = (target: ts.Expression, isChanged: boolean): void => {
    const owner = ownerOf(target);
    const places: string[] = [];
    let root: ts.Expression = target;
    for (
      ;
      api.isPropertyAccessExpression(root) ||
      api.isElementAccessExpression(root) ||
      api.isNonNullExpression(root) ||
      api.isParenthesizedExpression(root);
      root = root.expression
    ) {
      if (api.isPropertyAccessExpression(root)) places.push(`.${root.name.text}`);
      else if (api.isElementAccessExpression(root)) places.push(ELEMENT);
    }
    const declaration = api.isIdentifier(root)
      ? checker.getSymbolAtLocation(root)?.valueDeclaration
      : undefined;
    const isOwn = declaration !== undefined && ownerOf(declaration) === owner;
    if (isChanged && isOwn && places.length === 0) places.push(ELEMENT);
    if (owner === undefined || (isOwn && (places.length === 0 || isMadeAt(declaration, api))))
      return;
    const name = root.getText();
    if (!isOwn && api.isIdentifier(root)) found.set(name, name);
    for (const place of places) found.set(place, name);
  };
  const walk = (node: ts.Node): void => {
    forEachTarget(api, node, (target) => note(target, false));
    if (
      api.isCallExpression(node) &&
      api.isPropertyAccessExpression(node.expression) &&
      CHANGE.has(node.expression.name.text)
    )
      note(node.expression.expression, true);
    api.forEachChild(node, walk);
  };
  files.forEach(walk);
  return found;
}

/** Whether a variable begins as a new object: a literal, `new Float64Array(n)`, `xs.slice()`. */
function isMadeAt(declaration: ts.Declaration, api: TypeScript): boolean {
  const made = api.isVariableDeclaration(declaration) ? declaration.initializer : undefined;
  if (made === undefined) return false;
  if (
    api.isArrayLiteralExpression(made) ||
    api.isObjectLiteralExpression(made) ||
    api.isNewExpression(made)
  )
    return true;
  return (
    api.isCallExpression(made) &&
    api.isPropertyAccessExpression(made.expression) &&
    MAKERS.has(made.expression.name.text)
  );
}

const MAKERS: ReadonlySet<string> = new Set([
  "slice",
  "map",
  "filter",
  "concat",
  "fill",
  "from",
  "of",
  "flat",
  "flatMap",
  "toSorted",
  "toReversed",
]);

const isCallback = (node: ts.Node, api: TypeScript): boolean =>
  api.isCallExpression(node.parent) &&
  api.isPropertyAccessExpression(node.parent.expression) &&
  node.parent.arguments.some((each) => each === node);
