// Which names need their types written in loops: `const kids = here!.children; here = kids[0]`, where TypeScript would look for the type of each in the other. In: code and its variables, and which of its
// names say their types. Out: variables. Invariant: errs on the side of a type that is written; a variable of one type, as declared, is asked for nothing more.

import { resolve, type Types } from "../../ir/shadow.ts";
import type { Atom, Var } from "../../ir/types.ts";
import { type Code, leafVars, type LetLine, lineAtoms, type Value, walkLines } from "../code.ts";
import type { Variable, Variables } from "../names/variables.ts";

/** Variables whose types depend on themselves, by way of what a round of a loop leaves for the next one. */
export function circular(
  { block, nested }: Code,
  { of }: Variables,
  types: Types,
  saysType: (line: LetLine) => boolean,
): ReadonlySet<Variable> {
  const reads = new Map<Variable, Set<Variable>>();
  const takes = ({ name }: Var, atoms: readonly Atom[]): void => {
    const variable = of.get(name);
    if (variable === undefined) return;
    const known = reads.get(variable) ?? new Set();
    for (const leaf of atoms.flatMap((atom) => leafVars(atom, nested))) {
      const read = of.get(leaf.name);
      if (read !== undefined) known.add(read);
    }
    reads.set(variable, known);
  };
  const each = (binds: readonly Var[], atoms: readonly Atom[]): void => {
    binds.forEach((bind, i) => {
      const atom = atoms[i];
      if (atom !== undefined) takes(bind, [atom]);
    });
  };
  walkLines(block, (line) => {
    if (
      line.kind === "let" &&
      !(isOne(line.bind, types) && saysType(line)) &&
      !isSaid(line.value, types)
    )
      takes(line.bind, lineAtoms(line));
    if (line.kind === "if") for (const arm of [line.then, line.else]) each(line.binds, arm.result);
    if (line.kind !== "for" && line.kind !== "while") return;
    const params = line.carried.map(({ param }) => param);
    each(
      params,
      line.carried.map(({ init }) => init),
    );
    each(params, line.body.result);
  });
  for (const variable of reads.keys())
    if (variable.changes && isOne(variable, types)) reads.delete(variable);
  return new Set(
    [...reads.keys()].flatMap((variable) =>
      variable.changes ? [...aroundIn(reads, variable)] : [],
    ),
  );
}

/** Whether TypeScript knows the type of the value by what is called, or asserted. */
function isSaid(value: Value, types: Types): boolean {
  if (value.kind !== "unwrap") return value.kind === "call" || value.kind === "pop";
  const from = resolve(value.value.type, types).kind;
  return from !== "opt" && from !== "leaf";
}

/** Whether no assignment says more of it than its type. */
function isOne({ type }: Pick<Var, "type">, types: Types): boolean {
  const shape = resolve(type, types);
  return shape.kind !== "opt" && shape.kind !== "union";
}

/** What a variable reads, directly or not, that reads the variable. */
function aroundIn(
  reads: ReadonlyMap<Variable, ReadonlySet<Variable>>,
  start: Variable,
): ReadonlySet<Variable> {
  const behind = reached(start, (one) => reads.get(one) ?? []);
  const readers = new Map<Variable, Variable[]>();
  for (const one of behind)
    for (const read of reads.get(one) ?? []) readers.set(read, [...(readers.get(read) ?? []), one]);
  return reached(start, (one) => readers.get(one) ?? []);
}

function reached(
  start: Variable,
  next: (one: Variable) => Iterable<Variable>,
): ReadonlySet<Variable> {
  const found = new Set<Variable>();
  const todo = [...next(start)];
  for (let one = todo.pop(); one !== undefined; one = todo.pop()) {
    if (found.has(one)) continue;
    found.add(one);
    todo.push(...next(one));
  }
  return found;
}
