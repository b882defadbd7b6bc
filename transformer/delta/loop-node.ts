// Writes loops that are single nodes of the tape. In: a loop and its ordinary lines. Out: a call of
// its derivative, and the ordinary lines for where that is not possible. Invariant: the run time
// tests types; nothing is written before all is known.

import type ts from "typescript";
import { type Code, code, id, list, NOTHING, ZERO } from "../code/code.ts";
import type { Variable } from "./binding.ts";
import { liftedLoopAt } from "./plan/lifted-loops.ts";
import { EMPTY, NUMBER, type Step } from "./plan/steps.ts";
import { block, freshName, marked, type Work } from "./work.ts";

interface Node {
  readonly call: Code;
  /** The number that the loop changes. */
  readonly own: Variable;
}

export function asLoopNode(work: Work, node: ts.IterationStatement, ordinary: Code): Code[] {
  const found = nodeOf(work, node);
  if (found === null) return [ordinary];
  const { call, own } = found;
  const made = freshName(work, "t");
  const lines = [
    code`const ${made}${work.any} = ${call};`,
    code`${block(code`if (${made} === undefined)`, [ordinary])} ${block(code`else`, [
      code`${own.name} = ${made};`,
      ...(own.idWanted ? [code`${own.id} = $d.id;`] : []),
    ])}`,
  ];
  return lines.map((line) => marked(node, line));
}

function nodeOf(work: Work, node: ts.IterationStatement): Node | null {
  const { api, context, bindings } = work;
  const { checker, loopFor } = context;
  if (checker === null || work.isUntyped || loopFor === undefined) return null;
  const loop = liftedLoopAt(node, api, checker);
  const variables = loop?.inputs.map((input) => bindings.find(input)) ?? [];
  if (loop === null || !variables.every((each) => each !== null)) return null;
  const { layouts, output } = loop;
  const argnums = variables.flatMap((variable, k) =>
    layouts[k] !== EMPTY && (layouts[k] === NUMBER ? variable.live : variable.holds) ? [k] : [],
  );
  const granted = argnums.length === 0 ? null : loopFor({ ...loop, argnums });
  const own = variables[output];
  if (own?.live !== true || granted === null) return null;
  if (!argnums.every((k) => granted.argnums.includes(k))) return null;
  for (const variable of variables) variable.isRead = true;
  return { call: callOf(granted, layouts, variables), own };
}

function callOf(
  { argnums, constants, derivative, into }: Step,
  layouts: readonly Code[],
  variables: readonly Variable[],
): Code {
  const ids = variables.map((variable, k) =>
    layouts[k] === NUMBER && variable.live ? variable.id : ZERO,
  );
  const asked = argnums.map((k) => layouts[k] ?? EMPTY);
  const places = code`[${list(argnums.map((k) => code`${k}`))}]`;
  const given = code`[${list(ids)}], [${list(variables.map(({ name }) => name))}]`;
  const read = constants.length === 0 ? NOTHING : code`, [${list(constants.map(id))}]`;
  const isOfNumbers = constants.length === 0 && asked.every((layout) => layout === NUMBER);
  if (isOfNumbers) return code`$d.stepOfNumbers(${id(derivative)}, ${places}, ${given})`;
  const entry = into ? code`$d.stepInto(` : code`$d.step(null, `;
  return code`${entry}${id(derivative)}, ${places}, [${list(asked)}], ${given}${read})`;
}
