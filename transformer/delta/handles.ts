// Ids of the elements of a list that a loop reads. In: `a[i]` in a loop behind the declaration of `a`. Out: `$d.idAt(a$ids, i)`, and `const a$ids = $d.idsOf(a)`
// behind that declaration. Invariants: the local is never assigned, so the list is the same; its function runs in one run of the tape from beginning to end,
// so the handle is that of the run: no generators, no asynchronous functions.

import type ts from "typescript";
import type { Variable } from "./binding.ts";
import { functionOf, isInLoop } from "./captures.ts";
import { isListOfNumbers } from "./leaves.ts";
import { leafOf } from "./linear.ts";
import type { Pair } from "./pair.ts";
import { unwrapped, type Work } from "./work.ts";

/** `a[i]` by the handle of `a`, or null. `index` is the text of `i`. */
export function elementByHandle(work: Work, node: ts.ElementAccessExpression, object: Pair, index: Pair): Pair | null {
  const { api } = work, list = unwrapped(work, node.expression), key = unwrapped(work, node.argumentExpression);
  if (work.isUntyped || work.context.perOperation === true || !api.isIdentifier(list) || object.v !== list.text || index.number !== true) return null;
  const variable = work.bindings.find(list);
  if (variable === null || !holdsStill(work, variable, node) || !isListOfNumbers(api, work.context.checker, list)) return null;
  const known = api.isNumericLiteral(key) ? [] : api.isIdentifier(key) ? [work.bindings.find(key)] : null;
  if (known === null || known.includes(null)) return null;
  use(work, variable);
  const v = `${list.text}[${index.v}]`, i = `$d.idAt(${variable.handle}, ${index.v})`;
  return { v, i, level: 2, pure: true, linear: leafOf(v, i, [variable, ...known.filter((one) => one !== null)], true) };
}

function holdsStill(work: Work, variable: Variable, at: ts.Node): boolean {
  const { api } = work, { how, declaration } = variable;
  if (variable.written || !(how === "const" || how === "let" || how === "parameter") || api.isForStatement(declaration.parent.parent)) return false;
  const around = functionOf(api, at);
  return around === functionOf(api, declaration) && api.isFunctionLike(around) && !work.frame.isAsync && !work.frame.isGenerator && isInLoop(api, at, declaration);
}

function use(work: Work, variable: Variable): void {
  if (!variable.hasHandle) work.changed = true;
  variable.hasHandle = true;
}

/** What stands behind the declaration of a local. */
export const handleLines = (work: Work, variable: Variable | null): readonly string[] =>
  variable?.hasHandle === true ? [`const ${variable.handle}${work.any} = $d.idsOf(${variable.name});`] : [];

/** Handles that no text reads in the end: where only the value was wanted. */
export function withoutUnreadHandles(lines: readonly string[]): string[] {
  const all = lines.flatMap((line) => line.split("\n")), text = all.join("\n");
  return all.filter((line) => {
    const name = /const ([\p{ID_Continue}$]+\$ids\d*)(?:: any)? = \$d\.idsOf\([^()]*\);$/u.exec(line)?.[1];
    return name === undefined || text.split(`(${name}, `).length > 1;
  });
}
