// Writes loops that are single nodes of the tape. In: a loop and its ordinary lines. Out: a call of
// its derivative, and the ordinary lines for where that is not possible. Invariant: the run time
// tests types; nothing is written before all is known.

import type ts from "typescript";
import { type Code, code, id, list, NOTHING, ZERO } from "../code/code.ts";
import { liftedLoopAt } from "./plan/lifted-loops.ts";
import { EMPTY, NUMBER } from "./plan/steps.ts";
import { block, freshName, marked, type Work } from "./work.ts";

export function asLoopNode(work: Work, node: ts.IterationStatement, ordinary: Code): Code[] {
  const { api, context, bindings } = work;
  const { checker, loopFor } = context;
  if (checker === null || work.isUntyped || loopFor === undefined) return [ordinary];
  const loop = liftedLoopAt(node, api, checker);
  const variables = loop?.inputs.map((input) => bindings.find(input)) ?? [];
  if (loop === null || !variables.every((each) => each !== null)) return [ordinary];
  const { layouts, output } = loop;
  const argnums = variables.flatMap((variable, k) =>
    layouts[k] !== EMPTY && (layouts[k] === NUMBER ? variable.live : variable.holds) ? [k] : [],
  );
  const granted = argnums.length === 0 ? null : loopFor({ ...loop, argnums });
  const own = variables[output];
  if (own?.live !== true || granted === null) return [ordinary];
  if (!argnums.every((k) => granted.argnums.includes(k))) return [ordinary];
  for (const variable of variables) variable.isRead = true;
  const at = granted.argnums;
  const ids = variables.map((variable, k) =>
    layouts[k] === NUMBER && variable.live ? variable.id : ZERO,
  );
  const made = freshName(work, "t");
  const { constants } = granted;
  const asked = at.map((k) => layouts[k] ?? EMPTY);
  const places = code`[${list(at.map((k) => code`${k}`))}]`;
  const given = code`[${list(ids)}], [${list(variables.map(({ name }) => name))}]`;
  const read = constants.length === 0 ? NOTHING : code`, [${list(constants.map(id))}]`;
  const isOfNumbers = constants.length === 0 && asked.every((layout) => layout === NUMBER);
  const entry = granted.into ? code`$d.stepInto(` : code`$d.step(null, `;
  const call = isOfNumbers
    ? code`$d.stepOfNumbers(${id(granted.derivative)}, ${places}, ${given})`
    : code`${entry}${id(granted.derivative)}, ${places}, [${list(asked)}], ${given}${read})`;
  const lines = [
    code`const ${made}${work.any} = ${call};`,
    code`${block(code`if (${made} === undefined)`, [ordinary])} ${block(code`else`, [
      code`${own.name} = ${made};`,
      ...(own.idWanted ? [code`${own.id} = $d.id;`] : []),
    ])}`,
  ];
  return lines.map((line) => marked(node, line));
}
