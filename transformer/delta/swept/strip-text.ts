// Emits a strip. In: a strip. Out: its tape size, forward lines, reverse lines. Invariants: an
// iteration reads adjoints of arrays before it writes them; the tape has each value once, in order.

import { partialsOf } from "../run/adjoints.ts";
import type { Graph, Num } from "../run/graph.ts";
import { Text } from "../run/text.ts";
import {} from "../work.ts";
import { block } from "../unchecked.ts";
import type { Carry, Def, Round, Strip } from "./strip.ts";

/** What the strip needs of the sweep that it is part of. */
export interface Sweeping {
  readonly graph: Graph;
  readonly any: string;
  readonly tape: string;
  readonly at: string;
  fresh(wanted: string): string;
  /** Whether it can be recomputed in the reverse loop as cheaply as read. */
  stays(partial: Num): boolean;
  /** The source text that recomputes it. */
  again(partial: Num): string;
  /** The last iteration below a bound. */
  lastOf(below: string): string;
  /** The source text of an adjoint. */
  placeOf(id: string): string;
}

/** The partials of an iteration's definitions. */
interface Slopes {
  readonly of: ReadonlyMap<Def, ReadonlyMap<string, Num>>;
  /** The partials on the tape, in order. */
  readonly kept: readonly Num[];
}

export class StripText {
  readonly #strip: Strip;
  readonly #sweeping: Sweeping;
  readonly #first: Slopes | null;
  readonly #rest: Slopes;
  /** Names without derivatives. */
  readonly #constant: ReadonlySet<string>;

  constructor(strip: Strip, sweeping: Sweeping) {
    this.#strip = strip;
    this.#sweeping = sweeping;
    this.#first = strip.first === null ? null : this.#slopesOf(strip.first);
    this.#rest = this.#slopesOf(strip.rest);
    this.#constant = constantIn([...(this.#first?.of ?? []), ...this.#rest.of], strip.carries);
  }

  /** The tape values per iteration, at least one per definition. */
  get places(): { readonly first: number; readonly rest: number } {
    const of = (slopes: Slopes | null): number =>
      slopes === null ? 0 : Math.max(slopes.kept.length, slopes.of.size);
    return { first: of(this.#first), rest: of(this.#rest) };
  }

  #slopesOf({ loads, defs }: Round): Slopes {
    const { graph, stays } = this.#sweeping;
    const of = new Map([...loads, ...defs].map((def) => [def, partialsOf(graph, def.value)]));
    const kept = defs.flatMap((def) =>
      [...(of.get(def)?.values() ?? [])].filter((partial) => !stays(partial)),
    );
    return { of, kept: [...new Set(kept)] };
  }

  forward(): readonly string[] {
    const { counter, below, first, rest, carries } = this.#strip;
    const { any } = this.#sweeping;
    return [
      ...(first === null || this.#first === null ? [] : this.#run(first, this.#first)),
      ...carries.map((carry) => `let ${carry.name}${any} = ${carry.first.name};`),
      block(
        `for (let ${counter} = ${first === null ? 0 : 1}; ${counter} < ${below}; ${counter}++)`,
        [...this.#run(rest, this.#rest), ...this.#handedOn(carries)],
      ),
    ];
  }

  /** Updates the carries, all from values of the same iteration. */
  #handedOn(carries: readonly Carry[]): readonly string[] {
    return carries.map(({ name, next }) => `${name} = ${next.name};`);
  }

  // FWD{ a[i] = e }  =  a1 = e; tape <- partials of e; at the end of the iteration a[i] = a1
  #run({ index, loads, defs, stores }: Round, { of, kept }: Slopes): readonly string[] {
    const { any, tape, at, fresh } = this.#sweeping;
    const text = new Text(() => fresh("t"), new Set());
    const lines = text.lines;
    const left = new Set(kept);
    lines.push(...loads.map(({ list, name }) => `const ${name}${any} = ${list.name}[${index}];`));
    text.define(repeated([...defs.map(({ value }) => value), ...kept]));
    for (const def of defs) {
      const own = [...(of.get(def)?.values() ?? [])].filter((partial) => left.delete(partial));
      text.want(def.value, def.name, `const ${def.name}${any}`);
      text.define([def.value, ...own]);
      const value = text.named(def.value);
      if (value !== def.name) lines.push(`const ${def.name}${any} = ${value};`);
      lines.push(...own.map((partial) => `${tape}[${at}++] = ${text.of(partial)};`));
    }
    return [...lines, ...stores.map(({ list, name }) => `${list.name}[${index}] = ${name};`)];
  }

  backward(): readonly string[] {
    const { counter, below, first, rest, carries } = this.#strip;
    const { any } = this.#sweeping;
    const last = this.#sweeping.lastOf(below);
    const bars = carries.flatMap(({ bar }) =>
      this.#constant.has(bar) ? [] : [`let ${bar}${any} = 0;`],
    );
    return [
      ...bars,
      block(
        `for (let ${counter} = ${last}; ${counter} >= ${first === null ? 0 : 1}; ${counter}--)`,
        this.#reversed(rest, this.#rest, (carry) => carry.next, true),
      ),
      ...(first === null || this.#first === null
        ? []
        : this.#reversed(first, this.#first, (carry) => carry.first, false)),
    ];
  }

  // REV{ a1 = e; …; a[i] = a1 }  =  a1$bar = a$bar[i] + carried$bar; …; x$bar += a1$bar e'(x)
  #reversed(
    { index, loads, defs, stores }: Round,
    { of, kept }: Slopes,
    end: (carry: Carry) => Def,
    goesOn: boolean,
  ): readonly string[] {
    const { any, tape, at } = this.#sweeping;
    const own = [...loads, ...defs].filter(({ bar }) => !this.#constant.has(bar));
    const carries = this.#strip.carries.filter(({ bar }) => !this.#constant.has(bar));
    const place = (def: Def): string => this.#sweeping.placeOf(`${def.list.bar}[${index}]`);
    const begun = own.map((def) => {
      const parts = [
        ...(stores.includes(def) ? [place(def)] : []),
        ...carries.filter((carry) => end(carry) === def).map(({ bar }) => bar),
      ];
      return `let ${def.bar}${any} = ${parts.length === 0 ? "0" : parts.join(" + ")};`;
    });
    // the adjoints of loaded elements are assigned below
    const emptied = stores
      .filter(({ list }) => !loads.some((load) => load.list === list && own.includes(load)))
      .map((def) => `${place(def)} = 0;`);
    const factor = (partial: Num): string =>
      kept.includes(partial)
        ? `${tape}[${at}${kept.indexOf(partial) === 0 ? "" : ` + ${kept.indexOf(partial)}`}]`
        : this.#sweeping.again(partial);
    const passed = [...defs].reverse().flatMap((def) => {
      const lines = [...(of.get(def) ?? [])]
        .filter(([bar]) => !this.#constant.has(bar))
        .map(
          ([bar, partial]) =>
            `${this.#sweeping.placeOf(bar)} += ${def.bar}${partial.value === 1 ? "" : ` * ${factor(partial)}`};`,
        );
      return lines.length === 0 ? [] : [block(`if (${def.bar} !== 0)`, lines)];
    });
    const loaded = loads
      .filter((load) => own.includes(load))
      .map(
        (load) =>
          `${place(load)} ${stores.some(({ list }) => list === load.list) ? "=" : "+="} ${load.bar};`,
      );
    return [
      ...(kept.length === 0 ? [] : [`${at} -= ${kept.length};`]),
      ...begun,
      ...(goesOn ? carries.map(({ bar }) => `${bar} = 0;`) : []),
      ...emptied,
      ...passed,
      ...loaded,
    ];
  }
}

/** Adjoints of names that do not depend on active values. */
function constantIn(
  defs: readonly (readonly [Def, ReadonlyMap<string, Num>])[],
  carries: readonly Carry[],
): ReadonlySet<string> {
  const constant = new Set([...defs.map(([{ bar }]) => bar), ...carries.map(({ bar }) => bar)]);
  for (let before = 0; before !== constant.size;) {
    before = constant.size;
    for (const [{ bar }, slopes] of defs)
      if ([...slopes.keys()].some((of) => !constant.has(of))) constant.delete(bar);
    for (const { bar, first, next } of carries)
      if (!constant.has(first.bar) || !constant.has(next.bar)) constant.delete(bar);
  }
  return constant;
}

/** Elements that are read more than once. */
function repeated(numbers: readonly Num[]): readonly Num[] {
  const reads = new Map<Num, number>();
  const met = new Set<Num>();
  const visit = (node: Num): void => {
    if (node.op === null && node.text.includes("[")) reads.set(node, (reads.get(node) ?? 0) + 1);
    if (!met.has(node)) node.args.forEach(visit);
    met.add(node);
  };
  numbers.forEach(visit);
  return [...reads].flatMap(([node, count]) => (count > 1 ? [node, node] : []));
}
