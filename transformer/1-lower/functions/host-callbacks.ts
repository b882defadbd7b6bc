// Finds state that a callback of the host may change and lowered code reads.
// Input: lowered functions and the program's files. Output: calls of host callbacks in modules
// that read a name which some function writes in its surroundings.
// That function could be the callback, so such calls are rejected.

import type ts from "typescript";
import type { Atom, Func } from "../../ir/types.ts";
import { exprAtoms, stmtAtoms, walkStmts } from "../../ir/visit.ts";
import type { TypeScript } from "../typescript.ts";
import { REPLACERS, RESIZERS } from "../effects.ts";
import { forEachTarget } from "../assignments.ts";
import { isHostCallbackCall } from "./host-callback-calls.ts";
import type { ModuleGraph } from "../sites/module-graph.ts";

export interface HostCallbackWrite {
  readonly func: string;
  readonly origin: Func["origin"];
  readonly name: string;
}

interface Around {
  readonly ts: TypeScript;
  readonly checker: ts.TypeChecker;
  readonly graph: ModuleGraph;
}

export function hostCallbackWrites(
  funcs: ReadonlyMap<string, Func>,
  { ts: api, checker, graph }: Around,
): readonly HostCallbackWrite[] {
  const told = [...funcs].flatMap(([func, { body }]) => {
    const found: Omit<HostCallbackWrite, "name">[] = [];
    walkStmts(body, (stmt) => {
      if (stmt.kind === "let" && isHostCallbackCall(stmt.expr))
        found.push({ func, origin: stmt.origin });
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

  /** A name that is written and read in modules of one compilation unit with the file. */
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

/** What a body reads: names of globals, `.x` for fields and `[]` for elements. */
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
    // A template's text holds no names.
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

/** Methods that change their receiver. */
const MUTATORS: ReadonlySet<string> = new Set([
  ...RESIZERS,
  ...REPLACERS,
  ...["set", "add", "delete", "clear"],
]);

const ELEMENT = "[]";

/**
 * What functions write, named as in `read`, with the variable that each write goes through.
 * Writes to a function's own variables, and to objects that it allocates, do not count.
 */
function writtenOutside(
  files: readonly ts.SourceFile[],
  api: TypeScript,
  checker: ts.TypeChecker,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  /** The function around a node; the callback of an array method belongs to the caller. */
  const ownerOf = (node: ts.Node): ts.Node | undefined =>
    api.findAncestor(node.parent, (at) => api.isFunctionLike(at) && !isCallback(at, api));
  /** `isChanged`: the write goes into the target, as `xs.push(v)` does. */
  const note = (target: ts.Expression, isChanged: boolean): void => {
    const owner = ownerOf(target);
    const { root, places } = pathOf(target, api);
    const declaration = api.isIdentifier(root)
      ? checker.getSymbolAtLocation(root)?.valueDeclaration
      : undefined;
    const isOwn = declaration !== undefined && ownerOf(declaration) === owner;
    if (isChanged && isOwn && places.length === 0) places.push(ELEMENT);
    if (owner === undefined) return;
    if (isOwn && (places.length === 0 || isAllocation(declaration, api))) return;
    const name = root.getText();
    if (!isOwn && api.isIdentifier(root)) found.set(name, name);
    for (const place of places) found.set(place, name);
  };
  const walk = (node: ts.Node): void => {
    forEachTarget(api, node, (target) => note(target, false));
    if (
      api.isCallExpression(node) &&
      api.isPropertyAccessExpression(node.expression) &&
      MUTATORS.has(node.expression.name.text)
    )
      note(node.expression.expression, true);
    api.forEachChild(node, walk);
  };
  files.forEach(walk);
  return found;
}

/** The variable of `x.a[i]`, and its fields and elements from the last to the first. */
function pathOf(
  target: ts.Expression,
  api: TypeScript,
): { readonly root: ts.Expression; readonly places: string[] } {
  const places: string[] = [];
  let root = target;
  for (;;) {
    if (api.isPropertyAccessExpression(root)) places.push(`.${root.name.text}`);
    else if (api.isElementAccessExpression(root)) places.push(ELEMENT);
    else if (!api.isNonNullExpression(root) && !api.isParenthesizedExpression(root))
      return { root, places };
    root = root.expression;
  }
}

/** Whether a variable is initialised with a new object: a literal, `new`, `xs.slice()`. */
function isAllocation(declaration: ts.Declaration, api: TypeScript): boolean {
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
    ALLOCATORS.has(made.expression.name.text)
  );
}

/** Methods that return a new object. */
const ALLOCATORS: ReadonlySet<string> = new Set(
  "slice map filter concat fill from of flat flatMap toSorted toReversed".split(" "),
);

const isCallback = (node: ts.Node, api: TypeScript): boolean =>
  api.isCallExpression(node.parent) &&
  api.isPropertyAccessExpression(node.parent.expression) &&
  node.parent.arguments.some((each) => each === node);
