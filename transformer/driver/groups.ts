// Splits a program into groups of call sites and functions that share a file, a call or a module
// variable. No two groups share a function, a written variable or an edited file. So each is
// compiled alone, and compile time is linear in the number of groups.

import { deepEqual } from "../ir/deep-equal.ts";
import { wrapperName } from "../ir/derivation.ts";
import { calleesIn } from "../ir/calls.ts";
import type { CallSite } from "../ir/facts.ts";
import { fwd, pull, variableOf } from "../ir/names.ts";
import type { Func, Global, Program } from "../ir/types.ts";
import { walkAtoms } from "../ir/visit.ts";

export interface Group {
  readonly program: Program;
  readonly sites: readonly CallSite[];
  /** Functions whose derivatives are shipped. */
  readonly marked: readonly string[];
  /** The files of its functions and sites, and the module variables (`global x`) that they name. */
  readonly ties: ReadonlySet<string>;
}

/** What reads captured variables of one file is in one group, which marks what captures them. */
const globalTies = (atom: Global): readonly string[] =>
  atom.captured === undefined
    ? [`global ${variableOf(atom)}`]
    : [`file ${atom.captured.place.file}`, ...globalTies(atom.captured.of)];

export function groupsOf(
  program: Program,
  sites: readonly CallSite[],
  marked: readonly string[],
): readonly Group[] {
  const ties = new Ties();
  for (const func of program.funcs.values()) tie(func, program, ties);
  for (const [name, { of }] of program.derivations ?? [])
    ties.join(`function ${name}`, `function ${of}`);
  for (const site of sites) ties.join(`file ${site.origin.file}`, `function ${site.target}`);
  const groups = new Map<
    string,
    {
      funcs: Map<string, Func>;
      derivations: Map<string, NonNullable<ReturnType<NonNullable<Program["derivations"]>["get"]>>>;
      sites: CallSite[];
      marked: string[];
    }
  >();
  const groupOf = (name: string): NonNullable<ReturnType<typeof groups.get>> => {
    const root = ties.root(`function ${name}`);
    const group = groups.get(root) ?? {
      funcs: new Map(),
      derivations: new Map(),
      sites: [],
      marked: [],
    };
    groups.set(root, group);
    return group;
  };
  for (const site of sites) groupOf(site.target).sites.push(site);
  for (const name of marked) groupOf(name).marked.push(name);
  for (const [name, func] of program.funcs) groupOf(name).funcs.set(name, func);
  for (const [name, derivation] of program.derivations ?? [])
    groupOf(name).derivations.set(name, derivation);
  return [...groups.values()].map(({ funcs, derivations, ...others }) => ({
    ...others,
    program: { ...program, funcs, derivations },
    ties: tiesOf(funcs, others.sites, program),
  }));
}

/** Whether two groups of programs that were lowered together have the same content. */
export function isSame(one: Group, other: Group): boolean {
  const isEach = <T>(xs: readonly T[], zs: readonly T[]): boolean =>
    xs.length === zs.length && xs.every((x, k) => x === zs[k]);
  return (
    isEach(one.sites, other.sites) &&
    isEach(one.marked, other.marked) &&
    one.program.funcs.size === other.program.funcs.size &&
    [...one.program.funcs].every(([name, func]) => other.program.funcs.get(name) === func)
  );
}

/** Whether two groups of any programs are equal, up to the position where generated code goes. */
export function isAlike(one: Group, other: Group): boolean {
  if (
    one.sites.length !== other.sites.length ||
    one.program.funcs.size !== other.program.funcs.size
  )
    return false;
  const settled = ({ program, ...others }: Group): unknown => ({
    ...others,
    program: {
      ...program,
      homes: [...program.homes].map(([name, home]) => [name, { ...home, at: 0 }]),
    },
  });
  return deepEqual(settled(one), settled(other));
}

function tiesOf(
  funcs: ReadonlyMap<string, Func>,
  sites: readonly CallSite[],
  { homes }: Program,
): ReadonlySet<string> {
  const found = new Set(sites.map(({ origin }) => origin.file));
  for (const { home, body } of funcs.values()) {
    found.add(homes.get(home)?.file ?? "");
    walkAtoms(body, (atom) => {
      for (const each of atom.kind === "global" ? globalTies(atom) : []) found.add(each);
    });
  }
  return found;
}

function tie(func: Func, program: Program, ties: Ties): void {
  const own = `function ${func.name}`;
  const file = program.homes.get(func.home)?.file;
  if (file !== undefined) ties.join(own, `file ${file}`);
  // its derivatives are found by name
  for (const name of [
    pull(func.name, { names: null, tuple: false }),
    fwd(func.name, null),
    wrapperName(func.name),
  ])
    if (program.funcs.has(name)) ties.join(own, `function ${name}`);
  for (const callee of calleesIn(func.body)) ties.join(own, `function ${callee}`);
  walkAtoms(func.body, (atom) => {
    for (const each of atom.kind === "global" ? globalTies(atom) : []) ties.join(own, each);
  });
}

/** Disjoint sets of names (union-find). */
class Ties {
  readonly #above = new Map<string, string>();

  root(name: string): string {
    let top = name;
    for (let next = this.#above.get(top); next !== undefined; next = this.#above.get(top))
      top = next;
    if (top !== name) this.#above.set(name, top);
    return top;
  }

  join(a: string, b: string): void {
    const [from, to] = [this.root(a), this.root(b)];
    if (from !== to) this.#above.set(from, to);
  }
}
