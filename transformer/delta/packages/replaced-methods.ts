// Classes that are copied although the program replaces their methods. In: what plain code does to
// exports, and what is copied. Out: a problem for each, since a copy has the methods of the text.

import type ts from "typescript";
import { writesIn } from "../../syntax/changed-members.ts";
import type { ModuleVariable } from "./module-uses.ts";
import type { OpenedModules } from "./opened.ts";
import type { Reach } from "./reach.ts";
import { shownName } from "./resolve.ts";
import type { Mention, StateProblem } from "./state.ts";

export const replacedProblems = (
  modules: OpenedModules,
  plain: readonly Mention[],
  copied: readonly Mention[],
  reachAlone: (one: Mention) => Reach,
): readonly StateProblem[] =>
  plain.flatMap(({ file, exportName, effect, names = null }) => {
    const found = effect === "replaced" ? modules.origin(modules.open(file), exportName) : null;
    if (found?.kind !== "variable") return [];
    const { variable } = found;
    if (!hasMember(modules.api, variable, names)) return [];
    const reachedBy = copied.filter((one) => reachAlone(one).variables.has(variable));
    const why = `what the program does to the methods of \`${variable.name}\` of the module \`${shownName(file)}\``;
    return reachedBy.length === 0 ? [] : [{ file, variable: variable.name, why, reachedBy }];
  });

/** Whether its text has one of the members, which it may also get after its declaration. */
function hasMember(
  api: typeof ts,
  { declaration, units }: ModuleVariable,
  names: readonly string[] | null,
): boolean {
  const isAny = (found: readonly string[] | null): boolean =>
    names === null || found === null || found.some((name) => names.includes(name));
  const made = api.isVariableDeclaration(declaration) ? declaration.initializer : declaration;
  const own =
    made !== undefined && api.isClassLike(made)
      ? made.members.flatMap(({ name }) => (name === undefined ? [] : [name.getText()]))
      : [];
  return (
    (own.length > 0 && isAny(own)) ||
    writesIn(api, declaration.getSourceFile()).some(
      ({ node, names: found }) =>
        isAny(found) &&
        [...units].some((unit) => unit.node.pos <= node.pos && node.end <= unit.node.end),
    )
  );
}
