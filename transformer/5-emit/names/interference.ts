// Liveness: finds names that are live at the same time and must not share a variable (Chaitin's
// interference graph). Binds of a branch and carried values are assigned in parallel, so they
// interfere. Only names that may be joined with others are looked at.

import type { Atom, Carried, Var } from "../../ir/types.ts";
import { unreachable } from "../../ir/visit.ts";
import {
  type Block,
  type Code,
  definedNames,
  indexOf,
  leafVars,
  type Line,
  lineAtoms,
  lineBlocks,
  mentionedNames,
  type Nested,
  type Value,
  valueAtoms,
} from "../code.ts";

export type Edges = Map<string, Set<string>>;
type Live = Set<string>;

export function interference(
  code: Code,
  params: readonly Var[],
  joined: ReadonlySet<string>,
): Edges {
  const walk = new Walk(code.nested, joined);
  const live = walk.block(code.block, new Set());
  for (const param of params) {
    walk.define(param.name, live);
    // all parameters are live at entry, also unused ones
    for (const other of params) walk.edge(param.name, other.name);
  }
  return walk.edges;
}

class Walk {
  readonly edges: Edges = new Map();
  readonly #nested: Nested;
  readonly #joined: ReadonlySet<string>;

  constructor(nested: Nested, joined: ReadonlySet<string>) {
    this.#nested = nested;
    this.#joined = joined;
  }

  edge(a: string, b: string): void {
    if (a === b || !this.#joined.has(a) || !this.#joined.has(b)) return;
    this.#of(a).add(b);
    this.#of(b).add(a);
  }

  #of(name: string): Set<string> {
    const known = this.edges.get(name);
    if (known !== undefined) return known;
    const made = new Set<string>();
    this.edges.set(name, made);
    return made;
  }

  /** Records that `name` is defined where the names `live` are live. */
  define(name: string, live: ReadonlySet<string>, except: string | null = null): void {
    if (!this.#joined.has(name)) return;
    for (const other of live) if (other !== except) this.edge(name, other);
  }

  #read(atoms: readonly Atom[], live: Live): void {
    for (const atom of atoms)
      for (const { name } of leafVars(atom, this.#nested))
        if (this.#joined.has(name)) live.add(name);
  }

  /** Computes the names live before a block from those live after it. */
  block(block: Block, after: ReadonlySet<string>): Live {
    let live: Live = new Set(after);
    this.#read(block.result, live);
    for (const line of block.lines.toReversed()) live = this.#line(line, live);
    return live;
  }

  #line(line: Line, live: Live): Live {
    switch (line.kind) {
      case "let": {
        live.delete(line.bind.name);
        this.define(
          line.bind.name,
          live,
          line.value.kind === "copy" && line.value.atom.kind === "var"
            ? line.value.atom.name
            : null,
        );
        this.#readValue(line.value, live);
        return live;
      }
      case "store":
      case "accum":
      case "append":
      case "fill":
      case "push":
      case "reserve":
        this.#read(lineAtoms(line), live);
        return live;
      case "throw":
      case "return": {
        const only: Live = new Set();
        this.#read(lineAtoms(line), only);
        return only;
      }
      case "if":
        return this.#if(line, live);
      case "for":
      case "while":
        return this.#loop(line, live);
      default:
        return unreachable(line);
    }
  }

  #readValue(value: Value, live: Live): void {
    this.#read(valueAtoms(value), live);
    if (value.kind !== "closure") return;
    const inside = this.block(value.block, new Set());
    for (const param of value.params) {
      this.define(param.name, inside);
      inside.delete(param.name);
    }
    for (const name of inside) live.add(name);
  }

  #if(line: Extract<Line, { kind: "if" }>, live: Live): Live {
    this.#bind(line.binds, live);
    const before = this.block(line.then, live);
    for (const name of this.block(line.else, live)) before.add(name);
    this.#read([line.cond], before);
    return before;
  }

  /** The binds are defined together, just before `live`. */
  #bind(binds: readonly Var[], live: Live): void {
    for (const bind of binds)
      this.define(bind.name, new Set([...live, ...binds.map((one) => one.name)]));
    for (const bind of binds) live.delete(bind.name);
  }

  #loop(line: Extract<Line, { kind: "for" | "while" }>, live: Live): Live {
    this.#bind(line.binds, live);
    const blocks = lineBlocks(line);
    const params = line.carried.map((one) => one.param.name);
    const index = indexOf(line);
    const own = new Set(index === null ? params : [...params, index.name]);
    // an iteration's inputs from outside stay live until the last one
    const through = new Set(
      [...live, ...mentionedNames(blocks, this.#nested)].filter(
        (name) => this.#joined.has(name) && !own.has(name),
      ),
    );
    for (const inner of definedNames(blocks.flatMap(({ lines }) => lines))) through.delete(inner);
    if (line.kind === "for") this.#read([line.to], through);
    const head = new Set([...through, ...own]);
    for (const name of own) this.define(name, head);
    if (line.kind === "for") {
      this.block(line.body, new Set([...through, line.index.name]));
      this.#read([line.from], through);
    } else {
      const intoBody = this.block(line.body, through);
      this.block(line.test, new Set([...intoBody, ...head]));
    }
    this.#read(
      line.carried.map((one: Carried) => one.init),
      through,
    );
    return through;
  }
}
