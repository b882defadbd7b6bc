// Functions that a package made for the program: `const scale = scaleLinear()`. In: the call, and
// the variable that holds its result. Out: why evaluating the call again would give another
// function. Invariant: null only where later code leaves the function as it is, and nothing counts
// or draws lots.

import type ts from "typescript";
import { isAssigned } from "../../syntax/assignments.ts";
import { effectOf, isRandom, wholePath } from "../packages/index.ts";

type Api = typeof ts;

interface MadeAsked {
  readonly ts: Api;
  readonly checker: ts.TypeChecker;
  readonly files: readonly ts.SourceFile[];
  /** Whether the package's function draws lots, or counts in its module. */
  readonly isRepeatable: (callee: ts.Identifier, given: number) => boolean;
}

/** In the words of `its derivative would not see …`. */
export function whyNotAgain(
  call: ts.CallExpression,
  variable: ts.Symbol | undefined,
  asked: MadeAsked,
): string | null {
  const { ts: api } = asked;
  const changed = variable === undefined ? null : changedBy(variable, asked);
  if (changed !== null) return `what \`${shortened(changed)}\` does to what the package made`;
  const isSame = !isRandom(api, call) && functionsIn(call, asked).every((fn) => isPure(fn, asked));
  return isSame && calleesIn(api, call).every(({ root, given }) => asked.isRepeatable(root, given))
    ? null
    : `the same function: each evaluation of \`${shortened(call)}\` may give another one`;
}

function shortened(node: ts.Node): string {
  const text = node.getText().replaceAll(/\s+/g, " ");
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

/** `scale.domain([0, 10])`; `scale(x)` and `scale.domain()` leave it as it is. */
function changedBy(variable: ts.Symbol, { ts: api, checker, files }: MadeAsked): ts.Node | null {
  const { name } = variable;
  for (const file of files) {
    if (!file.text.includes(name)) continue;
    const work: ts.Node[] = [file];
    for (let node = work.pop(); node !== undefined; node = work.pop()) {
      if (api.isIdentifier(node) && denotes(api, node, variable, checker)) {
        const effect = effectOf(api, node);
        const whole = wholePath(api, node);
        const isRead =
          effect === "called" && api.isCallExpression(whole.parent)
            ? whole.parent.arguments.length === 0
            : effect !== "changed";
        if (!isRead) return whole.parent;
      }
      api.forEachChild(node, (child) => void work.push(child));
    }
  }
  return null;
}

function denotes(
  api: Api,
  node: ts.Identifier,
  variable: ts.Symbol,
  checker: ts.TypeChecker,
): boolean {
  if (api.isVariableDeclaration(node.parent) && node.parent.name === node) return false;
  if (api.isPropertyAccessExpression(node.parent) && node.parent.name === node) return false;
  const found = checker.getSymbolAtLocation(node);
  if (found === undefined) return false;
  return (
    found === variable ||
    ((found.flags & api.SymbolFlags.Alias) !== 0 && checker.getAliasedSymbol(found) === variable)
  );
}

/** Functions of the program that the call may run: in place, or by name. */
function functionsIn(
  call: ts.Node,
  { ts: api, checker }: MadeAsked,
): readonly ts.SignatureDeclaration[] {
  const found: ts.SignatureDeclaration[] = [];
  const visit = (node: ts.Node): void => {
    if (api.isFunctionLike(node)) {
      found.push(node);
      return;
    }
    if (api.isIdentifier(node)) {
      const symbol = checker.getSymbolAtLocation(node);
      const declaration = symbol?.valueDeclaration;
      const held =
        declaration !== undefined && api.isVariableDeclaration(declaration)
          ? declaration.initializer
          : declaration;
      if (held !== undefined && api.isFunctionLike(held)) found.push(held);
    }
    api.forEachChild(node, visit);
  };
  visit(call);
  return found;
}

/** It assigns nothing outside of itself. */
function isPure(fn: ts.SignatureDeclaration, { ts: api, checker }: MadeAsked): boolean {
  const visit = (node: ts.Node): boolean => {
    if (isRandom(api, node)) return false;
    if (api.isIdentifier(node) && isAssigned(node, api)) {
      const declaration = checker.getSymbolAtLocation(node)?.valueDeclaration;
      if (
        declaration === undefined ||
        api.findAncestor(declaration, (at) => at === fn) === undefined
      )
        return false;
    }
    return api.forEachChild(node, (child) => (visit(child) ? undefined : true)) !== true;
  };
  return "body" in fn && fn.body !== undefined ? visit(fn.body) : true;
}

/** The names whose functions a chain of calls runs, with the number of arguments. */
function calleesIn(
  api: Api,
  call: ts.Node,
): readonly { readonly root: ts.Identifier; readonly given: number }[] {
  const found: { root: ts.Identifier; given: number }[] = [];
  const visit = (node: ts.Node): void => {
    if (api.isFunctionLike(node)) return;
    if (api.isCallExpression(node) || api.isNewExpression(node)) {
      let root: ts.Expression = node.expression;
      while (api.isPropertyAccessExpression(root)) {
        if (api.isIdentifier(root.expression)) root = root.name;
        else root = root.expression;
        if (api.isIdentifier(root)) break;
      }
      if (api.isIdentifier(root)) found.push({ root, given: node.arguments?.length ?? 0 });
    }
    api.forEachChild(node, visit);
  };
  visit(call);
  return found;
}
