// Runs reverse mode on a program in IR text by the reference interpreter, without lowering, optimiser or emission.

import { factsOf } from "../../transformer/2-analyse/facts.ts";
import { memoryOf } from "../../transformer/2-analyse/memory/points-to.ts";
import { differentiate, type Differentiated } from "../../transformer/3-differentiate/index.ts";
import { analysesOf } from "../analyses.ts";
import type { CallSite, Form } from "../../transformer/ir/facts.ts";
import { run } from "../../transformer/ir/eval.ts";
import { parse } from "../../transformer/ir/parse.ts";
import type { Func, NamedType, Program } from "../../transformer/ir/types.ts";
import { walkStmts } from "../../transformer/ir/visit.ts";

export const siteOf = (
  form: Form,
  target: string,
  argnums: readonly number[],
  hasAux = false,
): CallSite => ({
  form,
  target,
  argnums,
  tuple: true,
  hasAux,
  into: false,
  insertAt: 0,
  specifier: null,
  origin: { file: "", start: 0, end: 0 },
});

export interface Derivative {
  readonly program: Program;
  readonly name: string;
  readonly made: Differentiated;
}

export function derive(
  text: string,
  site: CallSite,
  options: { readonly volatile?: readonly number[] } = {},
): Derivative {
  const program = parse(text);
  const graphs = memoryOf(program.funcs, program.types);
  const made = differentiate({
    program,
    sites: [site],
    ...analysesOf(program),
    factsOf: (func, active, split) => {
      const volatile = split ? (options.volatile ?? []) : [];
      return factsOf({
        func,
        graphs,
        types: program.types,
        active,
        split,
        volatile,
        volatileShadows: volatile,
      });
    },
  });
  const funcs = new Map<string, Func>(program.funcs);
  const types = new Map<string, NamedType>(program.types);
  for (const item of made.derived) {
    if (item.kind === "func") funcs.set(item.func.name, item.func);
    else types.set(item.name, { type: item.type, text: item.name, scope: [] });
  }
  return {
    program: { ...program, funcs, types },
    name: made.derivativesOf.get(site)?.[0] ?? "",
    made,
  };
}

/** What a derivative gives for copies of the arguments: as JSON has it, zeros without a sign. */
export const valueOf = ({ program, name }: Derivative, args: readonly unknown[]): unknown =>
  plain(run(program, name, structuredClone(args)).value);

export const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_key, part: unknown) =>
      part === 0 ? 0 : typeof part === "number" && !Number.isFinite(part) ? String(part) : part,
    ),
  );

/** What a pullback gives for the seed 2, called twice. */
export function pulledTwice(
  { program, name }: Derivative,
  args: readonly unknown[],
): readonly unknown[] {
  const [, pullback] = run(program, name, structuredClone(args)).value as [
    number,
    (seed: number) => unknown,
  ];
  return [plain(pullback(2)), plain(pullback(2))];
}

/** Whether reverse code records anything. */
export function records({ program, name }: Derivative): boolean {
  let tape = false;
  const func = program.funcs.get(name);
  if (func !== undefined)
    walkStmts(func.body, (stmt) => {
      tape ||= stmt.kind === "push";
    });
  return tape;
}

/** Gradient by reverse mode of all arguments listed. */
export function gradient(
  text: string,
  args: readonly unknown[],
  argnums: readonly number[],
): readonly unknown[] {
  const { program, name } = derive(text, siteOf("grad", "f", argnums));
  return run(program, name, structuredClone(args)).value as readonly unknown[];
}

/** Central differences of order 4 in every number reachable from an argument; same shape as the gradient. */
export function differences(
  text: string,
  args: readonly unknown[],
  argnums: readonly number[],
): readonly unknown[] {
  const program = parse(text);
  const f = (at: readonly unknown[]): number =>
    Number(run(program, "f", structuredClone(at)).value);
  return argnums.map((position) =>
    perturb(args[position], (value) => {
      const at = structuredClone(args) as unknown[];
      at[position] = value;
      return f(at);
    }),
  );
}

function perturb(value: unknown, f: (value: unknown) => number): unknown {
  if (typeof value === "number") {
    const h = 1e-3 * Math.max(1, Math.abs(value));
    return (8 * (f(value + h) - f(value - h)) - (f(value + 2 * h) - f(value - 2 * h))) / (12 * h);
  }
  if (ArrayBuffer.isView(value) || Array.isArray(value)) {
    const items = [...(value as ArrayLike<unknown> & Iterable<unknown>)];
    const parts = items.map((item, i) =>
      perturb(item, (changed) => f(replaced(value, i, changed))),
    );
    return Array.isArray(value) ? parts : Float64Array.from(parts as number[]);
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        perturb(item, (changed) => f({ ...value, [key]: changed })),
      ]),
    );
  }
  return undefined;
}

function replaced(value: unknown, i: number, item: unknown): unknown {
  const copy = structuredClone(value) as unknown[];
  copy[i] = item;
  return copy;
}
