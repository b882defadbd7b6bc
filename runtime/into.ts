// `{ into: true }` for derivatives assembled at run time: dense derivatives and those of the Delta
// engine. An object of another shape is an error, and is then not written at all.

import { codedError } from "./coded-error.ts";
import { later } from "./pushforward.ts";
import { inside, isView, pathTo } from "./tree/parts.ts";

/**
 * The result of a derivative, with `into` in place of the part that is the derivative.
 * @param part the position of that part in the result; absent: the whole result.
 * @throws RangeError `TSG0020` if `into` has another shape.
 * @example
 * const kept = [0, 0];
 * written(kept, [1, 2]); // kept, now [1, 2]
 */
export function written(into: unknown, result: unknown, part?: number): unknown {
  return later(result, (value: unknown) => {
    const from: unknown = part === undefined ? value : inside(value, part);
    compare(into, from, "", new Set());
    write(into, from);
    return part === undefined || !Array.isArray(value)
      ? into
      : value.map((one: unknown, i) => (i === part ? into : one));
  });
}

type List = ArrayLike<unknown> & { [i: number]: unknown };
const isList = (value: unknown): value is List => Array.isArray(value) || isView(value);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

function compare(into: unknown, from: unknown, path: string, met: Set<unknown>): void {
  const misfit = (what: string): RangeError =>
    codedError(
      `TSG0020: what the derivative is to be written into ${what}${path === "" ? "" : ` at \`into${path}\``}`,
      RangeError,
    );
  if (isList(from) || isRecord(from)) {
    if (isTaken(into, met)) throw misfit("has one object at two places, the second");
    met.add(into);
  }
  if (isList(from)) {
    if (!isList(into)) throw misfit("has no array");
    if (into.length !== from.length)
      throw misfit(`has an array of ${into.length} where the derivative has ${from.length}`);
    for (let i = 0; i < from.length; i++) compare(into[i], from[i], pathTo(path, i, from), met);
  } else if (isRecord(from)) {
    if (!isRecord(into)) throw misfit("has no plain object");
    for (const key of Object.keys(from))
      compare(inside(into, key), inside(from, key), pathTo(path, key, from), met);
  } else if (path === "" || (typeof from === "object" && from !== null)) {
    throw misfit("has a part that cannot be written in place");
  }
}

/** Whether an object is one of these, or shares bytes with one. */
function isTaken(into: unknown, met: ReadonlySet<unknown>): boolean {
  if (met.has(into) || !ArrayBuffer.isView(into)) return met.has(into);
  for (const other of met)
    if (
      ArrayBuffer.isView(other) &&
      other.buffer === into.buffer &&
      other.byteOffset < into.byteOffset + into.byteLength &&
      into.byteOffset < other.byteOffset + other.byteLength
    )
      return true;
  return false;
}

function write(into: unknown, from: unknown): void {
  const isPart = (value: unknown): boolean => isList(value) || isRecord(value);
  if (isList(from) && isList(into)) {
    for (let i = 0; i < from.length; i++)
      if (isPart(from[i])) write(into[i], from[i]);
      else into[i] = from[i];
  } else if (isRecord(from) && isRecord(into)) {
    for (const key of Object.keys(from))
      if (isPart(from[key])) write(into[key], from[key]);
      else into[key] = from[key];
  }
}
