// Finds variables in loops whose types TypeScript would infer from each other:
// `const kids = here!.children; here = kids[0]`. They need annotations.
// Invariant: errs on the side of an annotation.

import { resolve, type Types } from "../../ir/shadow.ts";
import type { Atom, Var } from "../../ir/types.ts";
import { type Code, leafVars, type LetLine, lineAtoms, type Value, walkLines } from "../code.ts";
import type { Variable, Variables } from "../names/variables.ts";

/** `saysType`: whether the line's variable has an annotation anyway. */
export function circular(
  { block, nested }: Code,
  { of }: Variables,
  types: Types,
  saysType: (line: LetLine) => boolean,
): ReadonlySet<Variable> {
  const reads = new Map<Variable, Set<Variable>>();
  const note = ({ name }: Var, atoms: readonly Atom[]): void => {
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
      if (atom !== undefined) note(bind, [atom]);
    });
  };
  walkLines(block, (line) => {
    if (
      line.kind === "let" &&
      !(hasFixedType(line.bind, types) && saysType(line)) &&
      !isKnown(line.value, types)
    )
      note(line.bind, lineAtoms(line));
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
    if (variable.changes && hasFixedType(variable, types)) reads.delete(variable);
  return new Set(
    [...reads.keys()].flatMap((variable) =>
      variable.changes ? [...cycleThrough(reads, variable)] : [],
    ),
  );
}

/** Whether TypeScript knows the type of the value from a signature or a cast. */
function isKnown(value: Value, types: Types): boolean {
  if (value.kind !== "unwrap") return value.kind === "call" || value.kind === "pop";
  const from = resolve(value.value.type, types).kind;
  return from !== "opt" && from !== "leaf";
}

/** Whether no assignment narrows the type of the variable. */
function hasFixedType({ type }: Pick<Var, "type">, types: Types): boolean {
  const shape = resolve(type, types);
  return shape.kind !== "opt" && shape.kind !== "union";
}

/** The variables on a cycle of reads through `start`. */
function cycleThrough(
  reads: ReadonlyMap<Variable, ReadonlySet<Variable>>,
  start: Variable,
): ReadonlySet<Variable> {
  const inputs = reached(start, (one) => reads.get(one) ?? []);
  const readers = new Map<Variable, Variable[]>();
  for (const one of inputs)
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
