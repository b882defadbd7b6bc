// Out-of-SSA: groups names into variables by union-find on the interference graph. Invariant: the
// names of a variable never hold two live values. A captured name has a variable of its own.

import { invariant } from "../../ir/invariant.ts";
import { baseName } from "../../ir/names.ts";
import type { Atom, Func, Type, Var } from "../../ir/types.ts";
import {
  type Block,
  type Code,
  leafVars,
  type Line,
  lineAtoms,
  lineBlocks,
  type Nested,
  valueAtoms,
  walkLines,
} from "../code.ts";
import { type Hint, hintsOf, wantedName } from "./hints.ts";
import { type Edges, interference } from "./interference.ts";

export interface Variable {
  /** The names in order of definition. */
  readonly names: readonly string[];
  readonly type: Type;
  /** Preferred identifier: the user's name, if a member has one. */
  readonly wanted: string;
  /** Innermost block that contains all definitions and uses. */
  readonly scope: Block;
  /** Blocks that mention it. */
  readonly mentions: ReadonlySet<Block>;
  /** Index of the parameter, or null. */
  readonly param: number | null;
  /** Whether it is assigned more than once, or not at its declaration. */
  readonly changes: boolean;
  /** Whether some path does not assign it. */
  readonly maybeUnset: boolean;
}

export interface Variables {
  readonly of: ReadonlyMap<string, Variable>;
  readonly all: readonly Variable[];
  readonly parents: ReadonlyMap<Block, Block>;
}

export function variables(func: Func, code: Code): Variables {
  const facts = gather(func, code);
  const joined = new Set([...facts.mustShare, ...facts.mayShare].flat());
  const edges = interference(code, func.params, joined);
  const classes = new Classes(edges, facts);
  for (const [a, b] of facts.mustShare) classes.join(a, b, true);
  for (const [a, b] of facts.mayShare) classes.join(a, b, false);
  const all: Variable[] = [];
  const of = new Map<string, Variable>();
  for (const members of classes.groups(facts.defs.keys())) {
    const variable = variableOf(members, facts);
    all.push(variable);
    for (const name of members) of.set(name, variable);
  }
  return { of, all, parents: facts.parents };
}

interface Definition {
  readonly variable: Var;
  readonly block: Block;
  readonly how: "param" | "let" | "bind" | "carried" | "index" | "closure";
}

interface Facts {
  readonly defs: Map<string, Definition>;
  readonly mentions: Map<string, Set<Block>>;
  readonly parents: Map<Block, Block>;
  readonly captured: Set<string>;
  readonly unset: Set<string>;
  readonly mustShare: [string, string][];
  readonly mayShare: [string, string][];
  readonly params: readonly string[];
  /** Names for temporaries. */
  readonly hints: ReadonlyMap<string, Hint>;
}

function gather(func: Func, code: Code): Facts {
  const facts: Facts = {
    defs: new Map(),
    mentions: new Map(),
    parents: new Map(),
    captured: new Set(),
    unset: new Set(),
    mustShare: [],
    mayShare: [],
    hints: hintsOf(code),
    params: func.params.map((param) => param.name),
  };
  for (const param of func.params) define(facts, param, code.block, "param");
  new Gatherer(facts, code.nested).block(code.block);
  return facts;
}

function define(facts: Facts, variable: Var, block: Block, how: Definition["how"]): void {
  facts.defs.set(variable.name, { variable, block, how });
  mention(facts, variable.name, block);
}

function mention(facts: Facts, name: string, block: Block): void {
  const known = facts.mentions.get(name);
  if (known === undefined) facts.mentions.set(name, new Set([block]));
  else known.add(block);
}

class Gatherer {
  readonly #facts: Facts;
  readonly #nested: Nested;

  constructor(facts: Facts, nested: Nested) {
    this.#facts = facts;
    this.#nested = nested;
  }

  block(block: Block): void {
    for (const line of block.lines) {
      this.#read(lineAtoms(line), block);
      // a loop's head is in the scope of the loop
      if (line.kind === "for") this.#read([line.from, line.to], line.body);
      if (line.kind === "while" && line.counter !== undefined)
        this.#read([line.counter.from], line.test);
      this.#define(line, block);
      this.#inner(line, block);
      this.#share(line);
    }
    this.#read(block.result, block);
  }

  #read(atoms: readonly Atom[], block: Block): void {
    for (const atom of atoms)
      for (const leaf of leafVars(atom, this.#nested)) mention(this.#facts, leaf.name, block);
  }

  #define(line: Line, block: Block): void {
    const isLoop = line.kind === "for" || line.kind === "while";
    if (line.kind === "let") define(this.#facts, line.bind, block, "let");
    if (line.kind === "if" || isLoop)
      for (const bind of line.binds) define(this.#facts, bind, block, "bind");
    if (line.kind === "for") define(this.#facts, line.index, line.body, "index");
    if (line.kind === "while" && line.counter !== undefined)
      define(this.#facts, line.counter.index, line.test, "index");
    if (isLoop) for (const one of line.carried) define(this.#facts, one.param, block, "carried");
    // binds and carried values are assigned at the end of a branch or iteration
    if (line.kind === "if") this.#mentionAll(line.binds, [line.then, line.else]);
    if (isLoop)
      this.#mentionAll(
        line.carried.map((one) => one.param),
        [line.body],
      );
  }

  #mentionAll(variables: readonly Var[], blocks: readonly Block[]): void {
    for (const block of blocks) for (const one of variables) mention(this.#facts, one.name, block);
  }

  #inner(line: Line, block: Block): void {
    if (line.kind === "let" && line.value.kind === "closure")
      for (const param of line.value.params)
        define(this.#facts, param, line.value.block, "closure");
    for (const inner of lineBlocks(line)) this.#facts.parents.set(inner, block);
    // printed as one block if the test has lines
    if (line.kind === "while") this.#facts.parents.set(line.body, line.test);
    for (const inner of lineBlocks(line)) this.block(inner);
    if (line.kind === "while" && line.test.lines.length > 0)
      this.#mentionAlso(line.test, line.body);
    if (line.kind === "let" && line.value.kind === "closure") {
      const capture = (atom: Atom): void =>
        leafVars(atom, this.#nested).forEach((leaf) => this.#facts.captured.add(leaf.name));
      const closure = line.value.block;
      closure.result.forEach(capture);
      walkLines(closure, (inner) => lineAtoms(inner).forEach(capture));
    }
  }

  /** In `while (true) { test; body }` the body's declarations are in scope of the test. */
  #mentionAlso(test: Block, body: Block): void {
    for (const blocks of this.#facts.mentions.values()) {
      if ([...blocks].some((block) => [...enclosing(block, this.#facts.parents)].includes(test)))
        blocks.add(body);
    }
  }

  #share(line: Line): void {
    // the user's s = s * s + 1, but not a cotangent: as a constant that is faster
    if (
      line.kind === "let" &&
      !line.bind.name.includes("$") &&
      baseName(line.bind.name) !== "t" &&
      line.value.kind === "op"
    ) {
      for (const leaf of valueAtoms(line.value).flatMap((atom) => leafVars(atom, this.#nested))) {
        if (baseName(leaf.name) === baseName(line.bind.name))
          this.#facts.mayShare.push([line.bind.name, leaf.name]);
      }
    }
    if (line.kind === "if") {
      line.binds.forEach((bind, i) =>
        [line.then.result[i], line.else.result[i]].forEach((result) =>
          this.#flow(bind.name, result),
        ),
      );
    }
    if (line.kind !== "for" && line.kind !== "while") return;
    line.carried.forEach((one, i) => {
      const bind = line.binds[i];
      if (bind !== undefined) this.#facts.mustShare.push([one.param.name, bind.name]);
      this.#flow(one.param.name, line.body.result[i]);
      this.#flow(one.param.name, one.init);
    });
  }

  /** Records that `to` gets the value of `from`. */
  #flow(to: string, from: Atom | undefined): void {
    if (from?.kind === "undef") this.#facts.unset.add(to);
    if (from?.kind === "var" && !this.#nested.has(from.name))
      this.#facts.mayShare.push([to, from.name]);
  }
}

/** A key for the declared type. All kinds of `T | undefined` are declared alike. */
function declaredAs(type: Type): string {
  const mayBeUndefined =
    type.kind === "opt" &&
    (type.nil === undefined || type.nil === "undefined" || type.nil === "unset");
  return JSON.stringify(mayBeUndefined ? { ...type, nil: "undefined" } : type);
}

/** Union-find over names, with interference between the groups. */
class Classes {
  readonly #group = new Map<string, Set<string>>();
  readonly #edges: Edges;
  readonly #facts: Facts;

  constructor(edges: Edges, facts: Facts) {
    this.#edges = edges;
    this.#facts = facts;
  }

  #of(name: string): Set<string> {
    const known = this.#group.get(name);
    if (known !== undefined) return known;
    const made = new Set([name]);
    this.#group.set(name, made);
    return made;
  }

  join(a: string, b: string, must: boolean): void {
    const [left, right] = [this.#of(a), this.#of(b)];
    if (left === right || (!must && !this.#may(left, right))) return;
    for (const name of right) {
      left.add(name);
      this.#group.set(name, left);
    }
  }

  #may(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
    const all = [...left, ...right];
    if (all.some((name) => this.#facts.captured.has(name))) return false;
    const defs = all.map((name) => this.#facts.defs.get(name));
    if (defs.some((def) => def === undefined || def.how === "index" || def.how === "closure"))
      return false;
    const types = new Set(
      defs.map((def) => (def === undefined ? "" : declaredAs(def.variable.type))),
    );
    const bases = new Set(all.map(baseName).filter((base) => base !== "t"));
    if (types.size > 1 || bases.size > 1) return false;
    return ![...left].some((one) =>
      [...right].some((other) => this.#edges.get(one)?.has(other) === true),
    );
  }

  groups(names: Iterable<string>): readonly (readonly string[])[] {
    const order = [...names];
    const seen = new Set<ReadonlySet<string>>();
    const groups: (readonly string[])[] = [];
    const position = new Map(order.map((name, i) => [name, i]));
    for (const name of order) {
      const group = this.#of(name);
      if (seen.has(group)) continue;
      seen.add(group);
      groups.push([...group].toSorted((a, b) => (position.get(a) ?? 0) - (position.get(b) ?? 0)));
    }
    return groups;
  }
}

function variableOf(names: readonly string[], facts: Facts): Variable {
  const defs = names.map((name) => facts.defs.get(name)).filter((def) => def !== undefined);
  const [first] = defs;
  invariant(first !== undefined, "a variable without a definition");
  const mentions = new Set(names.flatMap((name) => [...(facts.mentions.get(name) ?? [])]));
  const param = names.map((name) => facts.params.indexOf(name)).find((at) => at >= 0) ?? null;
  const scope = commonBlock(
    defs.map((def) => def.block),
    facts.parents,
  );
  const wanted = wantedName(names, facts.hints.get(first.variable.name));
  const changes =
    defs.length > 1 ||
    defs.some((def) => def.how !== "let" && def.how !== "param" && def.how !== "closure");
  return {
    names,
    type: first.variable.type,
    wanted,
    scope,
    mentions,
    param,
    changes,
    maybeUnset: names.some((name) => facts.unset.has(name)),
  };
}

/** The block and its enclosing blocks, innermost first. */
export function* enclosing(block: Block, parents: ReadonlyMap<Block, Block>): Generator<Block> {
  for (let at: Block | undefined = block; at !== undefined; at = parents.get(at)) yield at;
}

function commonBlock(blocks: readonly Block[], parents: ReadonlyMap<Block, Block>): Block {
  const [first, ...rest] = blocks;
  invariant(first !== undefined, "a definition outside every block");
  let common = [...enclosing(first, parents)];
  for (const block of rest) {
    const around = new Set(enclosing(block, parents));
    common = common.filter((one) => around.has(one));
  }
  return common[0] ?? first;
}
