// Code between the IR and its text: lines with nested values, as `nest.ts` builds them. Invariant:
// no line binds a name in `Code.nested`; its value is printed where the name is read. An exception
// is the reader of a tape (`rewind`), which is printed as its tape but has its own cursor.

import type {
  Accum,
  Append,
  Atom,
  Carried,
  Expr,
  Fill,
  Origin,
  Push,
  Reserve,
  Store,
  Throw,
  Var,
} from "../ir/types.ts";
import { exprAtoms, keyAtoms, unreachable } from "../ir/visit.ts";

export type Value =
  | Exclude<Expr, { readonly kind: "lambda" }>
  /** `cond ? then : else`: an `if` that binds one value and has no other effect. */
  | { readonly kind: "choose"; readonly cond: Atom; readonly then: Atom; readonly else: Atom }
  | { readonly kind: "closure"; readonly params: readonly Var[]; readonly block: Block };

export interface LetLine {
  readonly kind: "let";
  readonly bind: Var;
  readonly value: Value;
  readonly origin: Origin;
  readonly adjoint?: true;
}
export interface IfLine {
  readonly kind: "if";
  readonly cond: Atom;
  readonly then: Block;
  readonly else: Block;
  readonly binds: readonly Var[];
  readonly origin: Origin;
}
export interface ForLine {
  readonly kind: "for";
  readonly index: Var;
  readonly from: Atom;
  readonly test: "<" | "<=" | ">" | ">=";
  readonly to: Atom;
  readonly step: number;
  readonly carried: readonly Carried[];
  readonly body: Block;
  readonly binds: readonly Var[];
  readonly origin: Origin;
}
/** A variable in a loop's head. */
export interface Counter {
  readonly index: Var;
  readonly from: Atom;
  readonly step: number;
}
/** Tested `first`, or after the body (`do`). With a counter: `for (let i = from; …; i += step)`. */
export interface WhileLine {
  readonly kind: "while";
  readonly first: "test" | "body";
  readonly carried: readonly Carried[];
  readonly test: Block;
  readonly body: Block;
  readonly binds: readonly Var[];
  readonly origin: Origin;
  readonly counter?: Counter;
}
export interface ReturnLine {
  readonly kind: "return";
  readonly value: Atom | null;
  readonly origin: Origin;
}

export type Line =
  | LetLine
  | Store
  | Accum
  | Append
  | Fill
  | Push
  | Reserve
  | Throw
  | IfLine
  | ForLine
  | WhileLine
  | ReturnLine;

export interface Block {
  readonly lines: readonly Line[];
  readonly result: readonly Atom[];
}

export type Nested = ReadonlyMap<string, Value>;

export interface Code {
  readonly block: Block;
  readonly nested: Nested;
}

/** Atoms that a value reads itself, in order of evaluation, but not those of a closure's block. */
export function valueAtoms(value: Value): readonly Atom[] {
  if (value.kind === "choose") return [value.cond, value.then, value.else];
  if (value.kind === "closure") return [];
  return exprAtoms(value);
}

/** Atoms that a line reads itself, in order of evaluation, but not those of nested blocks. */
export function lineAtoms(line: Line): readonly Atom[] {
  switch (line.kind) {
    case "let":
      return valueAtoms(line.value);
    case "store":
    case "accum":
      return [line.object, ...keyAtoms(line.key), line.value];
    case "append":
      return [line.object, line.value];
    case "fill":
      return [line.object, line.value, ...[line.from, line.to].filter((atom) => atom !== null)];
    case "push":
      return [line.tape, line.value];
    case "reserve":
      return [line.tape, line.count];
    case "throw":
      return [line.value];
    case "if":
      return [line.cond];
    case "for":
      return [line.from, line.to, ...line.carried.map((one) => one.init)];
    case "while":
      return [
        ...(line.counter === undefined ? [] : [line.counter.from]),
        ...line.carried.map((one) => one.init),
      ];
    case "return":
      return line.value === null ? [] : [line.value];
    default:
      return unreachable(line);
  }
}

/** The variable in a loop's head. */
export const indexOf = (line: Line): Var | null =>
  line.kind === "for" ? line.index : line.kind === "while" ? (line.counter?.index ?? null) : null;

/** Blocks directly inside a line, in order of execution; a closure's block counts. */
export function lineBlocks(line: Line): readonly Block[] {
  switch (line.kind) {
    case "let":
      return line.value.kind === "closure" ? [line.value.block] : [];
    case "if":
      return [line.then, line.else];
    case "for":
      return [line.body];
    case "while":
      return [line.test, line.body];
    case "store":
    case "accum":
    case "append":
    case "fill":
    case "push":
    case "reserve":
    case "throw":
    case "return":
      return [];
    default:
      return unreachable(line);
  }
}

/** The variables in the text of an atom: itself, or those that its nested value reads. */
export function leafVars(atom: Atom, nested: Nested): readonly Var[] {
  if (atom.kind !== "var") return [];
  const value = nested.get(atom.name);
  if (value === undefined) return [atom];
  const inner = valueAtoms(value).flatMap((one) => leafVars(one, nested));
  return value.kind === "rewind" ? [atom, ...inner] : inner;
}

/** Calls `fn` on every line, outer lines first. */
export function walkLines(block: Block, fn: (line: Line) => void): void {
  for (const line of block.lines) {
    fn(line);
    for (const inner of lineBlocks(line)) walkLines(inner, fn);
  }
}

/** Names in the text of the blocks, at any depth. */
export function mentionedNames(blocks: readonly Block[], nested: Nested): Set<string> {
  const names = new Set<string>();
  const note = (atom: Atom): void => leafVars(atom, nested).forEach((leaf) => names.add(leaf.name));
  const walk = (block: Block): void => {
    for (const line of block.lines) {
      lineAtoms(line).forEach(note);
      lineBlocks(line).forEach(walk);
    }
    block.result.forEach(note);
  };
  blocks.forEach(walk);
  return names;
}

/** Names that the lines define, at any depth. */
export function definedNames(lines: readonly Line[]): readonly string[] {
  const binds: Var[] = [];
  const note = (line: Line): void => {
    if (line.kind === "let") {
      binds.push(line.bind);
      if (line.value.kind === "closure") binds.push(...line.value.params);
    }
    if (line.kind === "if" || line.kind === "for" || line.kind === "while")
      binds.push(...line.binds);
    const index = indexOf(line);
    if (index !== null) binds.push(index);
    if (line.kind === "for" || line.kind === "while")
      binds.push(...line.carried.map((one) => one.param));
    for (const inner of lineBlocks(line)) inner.lines.forEach(note);
  };
  lines.forEach(note);
  return binds.map(({ name }) => name);
}

/** Whether control cannot reach the end of the block. */
export function terminates(block: Block): boolean {
  const last = block.lines.at(-1);
  if (last === undefined) return false;
  if (last.kind === "throw" || last.kind === "return") return true;
  return last.kind === "if" && terminates(last.then) && terminates(last.else);
}
