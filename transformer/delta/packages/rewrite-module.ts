// A module's wrapper through the rewriter. In: a function expression of JavaScript. Out: its text with ids, or what was not
// understood. Invariant: there is no checker: whatever may be a number travels with its id.

import { rewriteWrapper } from "../rewrite.ts";
import type { RewriteModule } from "./package-source.ts";

export const rewriteModule: RewriteModule = (api, source, wrapper) => {
  const { lines, problems } = rewriteWrapper(wrapper, { ts: api, checker: null, javascript: false, resolver: { resolve: () => ({ kind: "native" }) } });
  return {
    text: lines.map(({ indent, text }) => `${"  ".repeat(indent)}${text}`).join("\n"),
    problems: problems.map(({ node, construct }) => `${construct}, line ${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`),
  };
};
