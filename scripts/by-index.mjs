// How the transformer's code goes into the bundles: lists are gone through by index. In: the checkout. Out: an esbuild plugin. Most of what a build runs of it runs a few times
// only, and until V8 has optimised a function each step of an iterator is a call, an object and some ten places to look at.
//   for (const x of xs) s        ->   for (let l = xs, i = 0; i < l.length; i++) { const x = l[i]; s }
//   for (const [k, x] of xs.entries()) s        ->   the same, where k is i
//   const [x, z] = pair        ->   const { 0: x, 1: z } = pair
// Invariant: what TypeScript does not know to be an array or a tuple stays as it is; a list that grows meanwhile is gone through to its end, as by its iterator.

import path from "node:path";
import ts from "typescript";

export function byIndex(root) {
  const folder = path.join(root, "transformer") + path.sep;
  const rewritten = rewriter(root, folder);
  return {
    name: "by-index",
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
        const contents = file.startsWith(folder) ? rewritten(file) : null;
        return contents === null ? null : { contents, loader: "ts" };
      });
    },
  };
}

function rewriter(root, folder) {
  const { options, fileNames } = ts.getParsedCommandLineOfConfigFile(
    path.join(root, "tsconfig.json"),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic() {} },
  );
  const program = ts.createProgram(
    fileNames.filter((file) => path.resolve(file).startsWith(folder)),
    { ...options, noEmit: true },
  );
  const checker = program.getTypeChecker();
  const isList = (type) =>
    type.isUnion()
      ? type.types.every(isList)
      : checker.isArrayType(type) || checker.isTupleType(type);
  const isListAt = (node) => isList(checker.getTypeAtLocation(node));
  return (file) => {
    const source = program.getSourceFile(file);
    return source === undefined ? null : new Rewriting(source, isListAt).text(source);
  };
}

class Rewriting {
  #source;
  #isList;
  #loops = 0;

  constructor(source, isList) {
    this.#source = source;
    this.#isList = isList;
  }

  /** With what stands in front of it. */
  text(node) {
    const written = ts.isForOfStatement(node)
      ? this.#loop(node)
      : ts.isArrayBindingPattern(node)
        ? this.#pattern(node)
        : null;
    if (written !== null)
      return this.#source.text.slice(node.pos, node.getStart(this.#source)) + written;
    let text = "";
    let at = node.pos;
    ts.forEachChild(node, (child) => {
      text += this.#source.text.slice(at, child.pos) + this.text(child);
      at = child.end;
    });
    return text + this.#source.text.slice(at, node.end);
  }

  #loop({ initializer, expression, statement, awaitModifier }) {
    if (!ts.isVariableDeclarationList(initializer) || awaitModifier !== undefined) return null;
    const { name } = initializer.declarations[0];
    const word = initializer.flags & ts.NodeFlags.Const ? "const" : "let";
    const listed = this.#entries(expression, name);
    const k = this.#loops++;
    if (listed === null && !this.#isList(expression)) return null;
    const head = (list) =>
      `for (let $list${k} = ${this.text(list)}, $at${k} = 0; $at${k} < $list${k}.length; $at${k}++)`;
    const bound = (each, value) =>
      each === undefined || ts.isOmittedExpression(each)
        ? ""
        : `${word} ${this.text(each)} = ${value}; `;
    if (listed === null)
      return `${head(expression)} { ${bound(name, `$list${k}[$at${k}]`)}${this.text(statement)} }`;
    return `${head(listed)} { ${bound(name.elements[0], `$at${k}`)}${bound(name.elements[1], `$list${k}[$at${k}]`)}${this.text(statement)} }`;
  }

  /** The list of `list.entries()`, where both of a pair, or one, are taken apart at once. */
  #entries(expression, name) {
    if (
      !ts.isArrayBindingPattern(name) ||
      !name.elements.every(isName) ||
      !ts.isCallExpression(expression) ||
      !ts.isPropertyAccessExpression(expression.expression)
    )
      return null;
    const { expression: list, name: method } = expression.expression;
    return method.text === "entries" && this.#isList(list) ? list : null;
  }

  #pattern(node) {
    if (node.elements.length === 0 || !isPlain(node) || !this.#isList(node)) return null;
    return `{ ${node.elements.flatMap((each, i) => (ts.isOmittedExpression(each) ? [] : [`${i}: ${this.text(each)}`])).join(", ")} }`;
  }
}

const isName = (each) =>
  ts.isOmittedExpression(each) ||
  (each.dotDotDotToken === undefined && each.initializer === undefined);
const isPlain = ({ elements }) =>
  elements.every((each) => ts.isOmittedExpression(each) || each.dotDotDotToken === undefined);
