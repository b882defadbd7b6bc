// Differentiates the derivatives that bodies call, innermost first, so that the functions around
// them call ordinary functions. Input: an ssa program with derivations, and how one is
// differentiated. Output: the program with the derivatives, and what to emit. A derivation comes
// after all that it calls.

import { bogTypes, wrapperOf, wrapperName } from "../ir/derivation.ts";
import { fwd, pull } from "../ir/names.ts";
import { calleesIn } from "../ir/calls.ts";
import type { Derivation, Derived } from "../ir/facts.ts";
import type { Func, NamedType, Program } from "../ir/types.ts";

export interface Made<P> {
  readonly derived: readonly Derived[];
  /** By function: what cannot be differentiated. */
  readonly problems: ReadonlyMap<string, readonly P[]>;
}

interface Realised<P> extends Made<P> {
  readonly program: Program;
}

/** `make` gets a program with only what the derivation needs. */
export function deriveNested<P>(
  program: Program,
  make: (program: Program, name: string, derivation: Derivation) => Made<P>,
): Realised<P> {
  const derivations = program.derivations ?? new Map<string, Derivation>();
  const state = { funcs: new Map(program.funcs), types: new Map<string, NamedType>(program.types) };
  const derived: Derived[] = [];
  const problems = new Map<string, readonly P[]>();
  const open = new Set<string>();
  const ensure = (name: string): void => {
    const derivation = derivations.get(name);
    if (derivation === undefined || state.funcs.has(name) || open.has(name)) return;
    open.add(name);
    for (const each of reachableFrom(derivation.of, state.funcs, ensure)) ensure(each);
    const needed = [...reachableFrom(derivation.of, state.funcs, ensure)];
    const made = make(
      {
        ...program,
        funcs: new Map(
          needed.flatMap((each): [string, Func][] => {
            const func = state.funcs.get(each);
            return func === undefined ? [] : [[each, func]];
          }),
        ),
        types: state.types,
      },
      name,
      derivation,
    );
    // callers of a derivative that cannot be computed fail with its problems
    if (made.problems.size > 0) problems.set(name, [...made.problems.values()].flat());
    for (const [type, named] of bogTypes(made.derived, program.homes)) state.types.set(type, named);
    for (const item of made.derived) {
      if (item.kind === "func" && !state.funcs.has(item.func.name))
        add(
          item.func.name === name
            ? { ...item.func, derivation }
            : item.func.derivation !== undefined
              ? item.func
              : { ...item.func, isSweep: true },
          state.funcs,
        );
    }
    derived.push(
      ...made.derived.filter(
        (item) => !derived.some((other) => itemName(other) === itemName(item)),
      ),
    );
  };
  for (const name of derivations.keys()) ensure(name);
  const { derivations: _, ...rest } = program;
  return { program: { ...rest, funcs: state.funcs, types: state.types }, derived, problems };
}

const itemName = (item: Derived): string => (item.kind === "type" ? item.name : item.func.name);

function add(func: Func, funcs: Map<string, Func>): void {
  funcs.set(func.name, func);
  if (func.derivation !== undefined)
    funcs.set(wrapperName(func.name), wrapperOf(func, wrapperName(func.name)));
}

/** The function, what it calls, and the functions that those are derivatives of. */
function reachableFrom(
  root: string,
  funcs: ReadonlyMap<string, Func>,
  ensure: (name: string) => void,
): ReadonlySet<string> {
  const found = new Set([root]);
  for (const name of found) {
    ensure(name);
    const func = funcs.get(name);
    if (func === undefined) continue;
    // either may be missing
    if (func.rule !== undefined) {
      found.add(pull(name, { names: null, tuple: false }));
      found.add(fwd(name, null));
    }
    if (func.rule?.once !== undefined) {
      found.add(func.rule.once.back);
      if (func.rule.once.rule !== null) found.add(func.rule.once.rule);
    }
    if (func.onceOf !== undefined) found.add(func.onceOf);
    if (func.derivation !== undefined) {
      found.add(func.derivation.of);
      found.add(wrapperName(name));
    }
    for (const callee of calleesIn(func.body)) found.add(callee);
  }
  return found;
}
