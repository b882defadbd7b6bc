// Walks over user code that see no copies. In: TypeScript's API. Out: the same, whose
// `forEachChild` of a file ends where the user's code ends. The Delta engine walks so: it asks
// which functions the program has, and copies are none of them.

import type ts from "typescript";
import type { CompileHost } from "../compiled.ts";

export function apiOfUser({ ts: api, packageCode }: CompileHost): typeof ts {
  if (packageCode === undefined) return api;
  const { files } = packageCode;
  const forEachChild: typeof api.forEachChild = (node, visit, visitNodes) => {
    const length = api.isSourceFile(node) ? files.get(node.fileName)?.length : undefined;
    return length === undefined
      ? api.forEachChild(node, visit, visitNodes)
      : api.forEachChild(node, (child) => (child.end <= length ? visit(child) : undefined));
  };
  // `Object.create` says `any`
  return Object.create(api, { forEachChild: { value: forEachChild } }) as typeof api;
}
