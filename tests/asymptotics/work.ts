// Counts what a function and its gradient do. In: the text of a module that exports `f`, and a call of `valueAndGrad` on it. Out: per size the work of both, in
// operations, reads, writes, calls, saved values and made elements of the reference interpreter. Invariant: no clock.

import { compile, type Compiled } from "../../transformer/pipeline.ts";
import { type Counts, run } from "../../transformer/ir/eval.ts";
import type { Program } from "../../transformer/ir/types.ts";
import { programOf } from "../program.ts";

export interface Work {
  readonly primal: number;
  readonly gradient: number;
  readonly value: unknown;
}

const total = (counts: Readonly<Counts>): number =>
  counts.ops + counts.loads + counts.stores + counts.calls + counts.pushes + counts.elements;

/** More than any gradient here needs; one that takes the square of it is an error rather than an hour. */
const FUEL = 200_000_000;

export function workOf(text: string): (args: readonly unknown[]) => Work {
  const compiled = compile(
    programOf({
      "main.ts": `import { valueAndGrad } from "tsgrad";\n${text}\nexport const g = valueAndGrad(f);\n`,
    }),
  );
  const errors = compiled.diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ message }) => message);
  const site = compiled.sites[0];
  if (errors.length > 0 || site === undefined) throw new Error(errors.join("\n"));
  const name = compiled.made.derivativesOf.get(site)?.[0] ?? "";
  const derived = withDerivatives(compiled);
  return (args) => {
    const primal = run(compiled.primal, site.target, structuredClone(args), { fuel: FUEL });
    const gradient = run(derived, name, structuredClone(args), { fuel: FUEL });
    return {
      primal: total(primal.counts),
      gradient: total(gradient.counts),
      value: gradient.value,
    };
  };
}

function withDerivatives({ inlined, derived, types }: Compiled): Program {
  const funcs = new Map(inlined.funcs);
  for (const item of derived) if (item.kind === "func") funcs.set(item.func.name, item.func);
  return { ...inlined, funcs, types };
}
