// Rewrites a module's wrapper. In: a JavaScript function expression. Out: its source text with ids,
// or the problems. Invariant: without a checker, whatever may be a number travels with its id.

import type ts from "typescript";
import { rewriteWrapper } from "../rewrite.ts";
import type { RewriteModule } from "./package-source.ts";
import { shownName } from "./resolve.ts";
import { isStrictText, sloppyUse } from "./sloppy.ts";

export const rewriteModule: RewriteModule = (api, source, wrapper, original, hasNumberMethods) => {
  const said = (node: ts.Node, construct: string): string =>
    `${construct}${lineText(node.getText(source), original)}`;
  // The module's own statements certainly run when it is loaded.
  const deferred = (node: ts.Node, construct: string): string | null =>
    api.findAncestor(node.parent, api.isFunctionLike) === wrapper
      ? null
      : `${shownName(source.fileName.replace(/\.js$/, ""))} contains ${said(node, construct)}`;
  const { lines, problems } = rewriteWrapper(wrapper, {
    ts: api,
    checker: null,
    javascript: false,
    resolver: { resolve: () => ({ kind: "native" }) },
    deferred,
    hasNumberMethods,
    ...(isStrictText(original) ? {} : { sloppy: (node: ts.Node) => sloppyUse(api, node) }),
  });
  return {
    text: lines.map(({ indent, text }) => `${"  ".repeat(indent)}${text}`).join("\n"),
    problems: problems.map(({ node, construct }) => said(node, construct)),
  };
};

/** The line in the package's file, of which the module is a part; "" where it is ambiguous. */
function lineText(text: string, original: string): string {
  const [first = ""] = text.split("\n", 1);
  const at = original.indexOf(first);
  return at < 0 || original.includes(first, at + 1)
    ? ""
    : `, line ${original.slice(0, at).split("\n").length}`;
}
