// The entries of the rewriter. In: a node of user code and a context. Out: lines of Delta code and
// the problems found. Invariant: with problems the lines must not be emitted. A root is rewritten
// to a fixed point: which locals ever have an id (growing), then which ids are read (shrinking).

import type ts from "typescript";
import { type Code, code, id, NOTHING, unchecked } from "../code/code.ts";
import { keyedReads, printed } from "../code/own-names.ts";
import { spanIn } from "../code/lines.ts";
import { holdsMarks } from "../code/marks.ts";
import { invariant } from "../ir/invariant.ts";
import { type Bindings, bindingsOf } from "./binding.ts";
import { classText } from "./class.ts";
import { expression } from "./expression.ts";
import { accessorFunction, frameOf, functionText, plainFunction, shapeOf } from "./function.ts";
import { isLeaf } from "./types/leaves.ts";
import { asArgument } from "./pair.ts";
import { seesThis } from "./plan/places.ts";
import { handingText } from "./private-names.ts";
import type { RewriteContext, Rewritten, RewrittenLine } from "./scope.ts";
import { tidied } from "../code/temporaries.ts";
import { block, declaredTemporaries, type Work } from "./work.ts";
import { nodesIn } from "../syntax/walk.ts";

/** `function f(x) …  ->  function name($: any, x: any): any { … }`; arrows that use `this` stay. */
export function rewriteFunction(
  node: ts.FunctionLikeDeclaration,
  name: string,
  context: RewriteContext,
): Rewritten {
  return rewrite([node], context, (work) => {
    if (seesThis(node, work.api))
      return [plainFunction(work, node, { typedThis: false, parent: "none" })];
    const text = functionText(work, node, shapeOf(node, work.api));
    const self = text.usesThis && work.any !== NOTHING ? code`this: any, ` : NOTHING;
    return [
      block(
        code`function${text.isGenerator ? code`*` : NOTHING} ${id(name)}(${self}${text.parameters})${work.any}`,
        text.lines,
      ),
    ];
  });
}

/** `class C …  ->  class name …`, without static fields, which stay in the original class. */
export const rewriteClass = (
  node: ts.ClassLikeDeclaration,
  name: string,
  other: string,
  context: RewriteContext,
): RewrittenClass => {
  let handing: Code | null = null;
  const rewritten = rewrite([node], context, (work) => {
    handing = handingText(work, node);
    return [classText(work, node, { name: id(name), own: false, plain: id(other) })];
  });
  return { ...rewritten, handing };
};

/** `handing`: a member for the original class. */
interface RewrittenClass extends Rewritten {
  readonly handing: Code | null;
}

/** The source text of the value alone, for consts that are evaluated once. */
export const rewriteExpression = (node: ts.Expression, context: RewriteContext): Rewritten =>
  rewrite([node], context, (work) => {
    const text = asArgument(expression(work, node));
    return work.frame.temporaries.length === 0
      ? [text]
      : [code`(() => { ${declaredTemporaries(work, work.frame)} return ${text}; })()`];
  });

/** A method or an accessor of a literal, as a function expression. */
export const rewriteMember = (
  node: ts.MethodDeclaration | ts.AccessorDeclaration,
  context: RewriteContext,
): Rewritten =>
  rewrite([node], context, (work) => [
    work.api.isMethodDeclaration(node)
      ? plainFunction(work, node, { typedThis: false, parent: "none" })
      : accessorFunction(work, node),
  ]);

/** A function that is called without ids: `function (exports, require, module) { … }`. */
export const rewriteWrapper = (node: ts.FunctionExpression, context: RewriteContext): Rewritten =>
  rewrite([node], context, (work) => [
    plainFunction(work, node, { typedThis: false, parent: "none", withoutIds: true }),
  ]);

function rewrite(
  roots: readonly ts.Node[],
  context: RewriteContext,
  write: (work: Work) => Code[],
): Rewritten {
  const first = roots[0];
  if (first === undefined) return { lines: [], problems: [] };
  const file = first.getSourceFile();
  const words = new Set(
    roots.flatMap((root) =>
      nodesIn(context.ts, root, context.ts.isIdentifier).map((at) => at.text),
    ),
  );
  const strange = [...words].some(holdsMarks)
    ? first
    : roots.find((root) => holdsMarks(root.getText(file)));
  if (strange !== undefined)
    return { lines: [], problems: [{ node: strange, construct: STRANGE_LETTER }] };
  const bindings = bindingsOf(context.ts, roots, words, (name) =>
    isLeaf(context.ts, context.checker, name),
  );
  const last = settled(bindings, first, () => {
    for (const variable of bindings.all) variable.isRead = false;
    const work = madeWork(context, first, words, bindings);
    return { lines: tidied(write(work)), work };
  });
  return {
    lines: decoded(last.lines, file, first),
    problems: last.work.problems,
    beyond: last.work.beyond,
    equalities: [...last.work.equalities],
  };
}

const STRANGE_LETTER =
  "a letter U+A7FB or U+A7FC, or a code point of U+FDD0 to U+FDD9, outside of an escape in a string";

/** Whether code may give numbers methods: `Number.prototype.f = …`. */
export const givesNumberMethods = (text: string): boolean =>
  /\bNumber\s*\.\s*prototype\b/.test(text);

function madeWork(
  context: RewriteContext,
  root: ts.Node,
  words: ReadonlySet<string>,
  bindings: Bindings,
): Work {
  return {
    api: context.ts,
    context,
    root,
    bindings,
    any: context.javascript ? NOTHING : code`: any`,
    ids: idsName(words),
    functions: 0,
    problems: [],
    isUntyped: context.checker === null || /\.[cm]?jsx?$/.test(root.getSourceFile().fileName),
    frame: frameOf({ typedThis: false, parent: "none" }, false),
    changed: false,
    beyond: false,
    stored: new Map(),
    compared: new Set(),
    equalities: new Set(),
    count: 0,
    words,
    namesFunctions: null,
    hasNumberMethods:
      (context.hasNumberMethods ?? givesNumberMethods(root.getSourceFile().text)) &&
      !words.has("this$id"),
    beside: new Map(),
  };
}

interface Pass {
  readonly lines: Code[];
  readonly work: Work;
}

/** The last pass. Each changes one of the few facts of some variable. */
function settled({ all }: Bindings, root: ts.Node, pass: () => Pass): Pass {
  const settles = (k: number): void => {
    invariant(k < 8 * all.length + 2, `the ids of \`${root.getText().slice(0, 60)}\` settle`);
  };
  let last = pass();
  for (let k = 0; last.work.changed; k++) {
    settles(k);
    last = pass();
  }
  for (let k = 0; readsChange(all, last.lines, k); k++) {
    settles(k);
    last = pass();
  }
  return last;
}

/** Notes which variables the lines read. Returns whether this differs from what was known. */
function readsChange(all: Bindings["all"], lines: readonly Code[], k: number): boolean {
  const read = keyedReads(lines.join("\n"));
  let changes = false;
  for (const variable of all) {
    variable.idRead = read.has(variable.id);
    const isWanted = variable.idRead || (k >= FREE_PASSES && variable.idWanted);
    const isRead = variable.isRead || (k >= FREE_PASSES && variable.wasRead);
    // one without an id has none to declare
    const isOther = variable.live && variable.idWanted !== isWanted;
    changes ||= isOther || variable.wasRead !== isRead;
    variable.idWanted = isWanted;
    variable.wasRead = isRead;
  }
  return changes;
}

/** From then on what is read stays so: what becomes one node may depend on it, and it on that. */
const FREE_PASSES = 8;

function idsName(words: ReadonlySet<string>): string {
  let name = words.has("$") ? "ids$" : "$";
  for (let number = 1; words.has(name); number++) name = `ids$${number}`;
  return name;
}

function decoded(lines: readonly string[], file: ts.SourceFile, root: ts.Node): RewrittenLine[] {
  let origin = { file: file.fileName, start: root.getStart(), end: root.getEnd() };
  return lines
    .flatMap((line) => line.split("\n"))
    .map((line) => {
      const { span, text: unspanned } = spanIn(line);
      const [start, end] = span ?? [];
      if (start !== undefined && end !== undefined) origin = { file: file.fileName, start, end };
      const text = printed(unspanned);
      const spaces = /^ */.exec(text)?.[0].length ?? 0;
      return { indent: spaces / 2, text: unchecked(text.slice(spaces)), origin };
    });
}
