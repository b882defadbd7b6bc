// The memory that a value or line reads and writes, as sets of cells, so that no read moves past a
// write to its cell. Invariant: two accesses that may alias have a cell in common; "*" meets every
// cell. Types alone tell cells apart.

import { resolve, type Types } from "../../ir/shadow.ts";
import type { Key, Type } from "../../ir/types.ts";
import { unreachable } from "../../ir/visit.ts";
import {
  lineAtoms,
  lineBlocks,
  type Block,
  type Line,
  type Nested,
  type Value,
  valueAtoms,
} from "../code.ts";

export interface Effect {
  readonly reads: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
}

const NO: ReadonlySet<string> = new Set();
const ALL: ReadonlySet<string> = new Set(["*"]);
const TAPE: ReadonlySet<string> = new Set(["tape"]);
export const NONE: Effect = { reads: NO, writes: NO };

const meets = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size > 0 && b.size > 0 && (a.has("*") || b.has("*") || [...a].some((cell) => b.has(cell)));

/** Whether exchanging the two is observable. */
export const conflict = (a: Effect, b: Effect): boolean =>
  meets(a.writes, b.writes) || meets(a.writes, b.reads) || meets(a.reads, b.writes);

export const isFree = (effect: Effect): boolean =>
  effect.reads.size === 0 && effect.writes.size === 0;

export function union(...effects: readonly Effect[]): Effect {
  const busy = effects.filter((effect) => !isFree(effect));
  if (busy.length === 0) return NONE;
  const [only] = busy;
  if (busy.length === 1 && only !== undefined) return only;
  return {
    reads: new Set(busy.flatMap((one) => [...one.reads])),
    writes: new Set(busy.flatMap((one) => [...one.writes])),
  };
}

/** Cells of an array's elements. A tuple may alias an array. */
function elementCells(elem: Type, types: Types): readonly string[] {
  const type = resolve(elem, types);
  switch (type.kind) {
    case "num":
      return ["num[]"];
    case "bool":
    case "array":
    case "tuple":
    case "record":
    case "dict":
    case "union":
    case "tape":
    case "func":
      return ["ref[]"];
    case "opt":
      return elementCells(type.of, types);
    // may be a union that contains numbers
    case "leaf":
    case "named":
    case "cotangent":
    case "void":
      return ["num[]", "ref[]"];
    default:
      return unreachable(type);
  }
}

/** Cells of the place at `key`, or of all places of the object where `key` is null. */
// eslint-disable-next-line complexity -- flat exhaustive switch over Type kinds
function placeCells(object: Type, key: Key | null, types: Types): ReadonlySet<string> {
  const type = resolve(object, types);
  switch (type.kind) {
    case "array":
      return new Set(type.store === "Array" ? elementCells(type.elem, types) : ["typed"]);
    case "tuple": {
      const elem = key?.kind === "field" ? type.elems[Number(key.name)] : undefined;
      return new Set(elem === undefined ? ["num[]", "ref[]"] : elementCells(elem, types));
    }
    case "dict":
      return new Set(["{}"]);
    case "record":
    case "union":
      return key?.kind === "field" ? new Set([`.${key.name}`]) : ALL;
    case "opt":
      return placeCells(type.of, key, types);
    case "num":
    case "bool":
    case "leaf":
    case "named":
    case "tape":
    case "func":
    case "cotangent":
    case "void":
      return ALL;
    default:
      return unreachable(type);
  }
}

function lengthCells(object: Type, types: Types): ReadonlySet<string> {
  const type = resolve(object, types);
  if (type.kind === "array" && type.store !== "Array") return NO;
  if (type.kind === "tuple" || (type.kind === "leaf" && type.text === "string")) return NO;
  return new Set(["length"]);
}

/** Cells of an array's length and, on request, elements; "*" for other aggregates. */
function deepCells(object: Type, elements: boolean, types: Types): ReadonlySet<string> {
  const type = resolve(object, types);
  if (type.kind !== "array" || resolve(type.elem, types).kind !== "num")
    return type.kind === "num" ? NO : ALL;
  const length = lengthCells(type, types);
  return elements ? new Set([...placeCells(type, null, types), ...length]) : length;
}

const isConstant = (type: Type, types: Types): boolean =>
  type.kind === "named" && types.get(type.name)?.constant === true;

const reading = (cells: ReadonlySet<string>): Effect =>
  cells.size === 0 ? NONE : { reads: cells, writes: NO };
const writing = (cells: ReadonlySet<string>): Effect => ({ reads: NO, writes: cells });

/** The effect of a value itself, without its operands' values. */
// eslint-disable-next-line complexity -- flat exhaustive switch over Value kinds
export function ownEffect(value: Value, types: Types): Effect {
  switch (value.kind) {
    case "copy":
    case "op":
    case "present":
    case "unwrap":
    case "tuple":
    case "record":
    case "alloc":
    case "newTape":
    case "choose":
    case "closure":
      return NONE;
    case "load":
      return isConstant(value.object.type, types)
        ? NONE
        : reading(placeCells(value.object.type, value.key, types));
    case "length":
      return reading(lengthCells(value.object.type, types));
    case "array":
      return value.parts.some((part) => part.spread) ? reading(ALL) : NONE;
    case "slice":
      return reading(
        new Set([
          ...placeCells(value.object.type, null, types),
          ...lengthCells(value.object.type, types),
        ]),
      );
    case "zeros":
      return reading(deepCells(value.like.type, false, types));
    case "clone":
      return reading(deepCells(value.object.type, true, types));
    case "call":
      return { reads: ALL, writes: ALL };
    case "extern":
      if (value.effect === "pure") return NONE;
      return value.effect === "reads" ? reading(ALL) : { reads: ALL, writes: ALL };
    case "removeLast":
      return writing(new Set([...placeCells(value.object.type, null, types), "length"]));
    case "pop":
      return writing(TAPE);
    case "rewind":
      return reading(TAPE);
    default:
      return unreachable(value);
  }
}

/** A store of the user may be beyond the end, and lengthen the array. */
function storeCells(
  { object, key, adjoint, initial }: Extract<Line, { kind: "store" }>,
  types: Types,
): ReadonlySet<string> {
  const own = placeCells(object.type, key, types);
  return key.kind === "index" && adjoint !== true && initial !== true
    ? new Set([...own, ...lengthCells(object.type, types)])
    : own;
}

/** The effect of a line itself, without its operands' values and nested blocks. */
export function lineEffect(line: Line, types: Types): Effect {
  switch (line.kind) {
    case "let":
      return ownEffect(line.value, types);
    case "store":
      return writing(storeCells(line, types));
    case "accum":
      return writing(placeCells(line.object.type, line.key, types));
    case "append":
      return writing(new Set([...placeCells(line.object.type, null, types), "length"]));
    case "fill":
      return writing(placeCells(line.object.type, null, types));
    case "push":
    case "reserve":
      return writing(TAPE);
    // earlier effects must have happened
    case "throw":
    case "return":
      return { reads: ALL, writes: ALL };
    case "if":
    case "for":
    case "while":
      return NONE;
    default:
      return unreachable(line);
  }
}

function treeEffect(value: Value, nested: Nested, types: Types): Effect {
  const inner = valueAtoms(value).map((atom) => {
    const deeper = atom.kind === "var" ? nested.get(atom.name) : undefined;
    return deeper === undefined ? NONE : treeEffect(deeper, nested, types);
  });
  return union(ownEffect(value, types), ...inner);
}

/** The effect of all lines and nested blocks, but not of closures, which act when called. */
export function blockEffect(block: Block, nested: Nested, types: Types): Effect {
  const atoms = [...block.lines.flatMap(lineAtoms), ...block.result];
  const values = atoms
    .map((atom) => (atom.kind === "var" ? nested.get(atom.name) : undefined))
    .filter((value) => value !== undefined);
  const inner = block.lines.filter((line) => line.kind !== "let").flatMap(lineBlocks);
  return union(
    ...block.lines.map((line) => lineEffect(line, types)),
    ...values.map((value) => treeEffect(value, nested, types)),
    ...inner.map((one) => blockEffect(one, nested, types)),
  );
}
