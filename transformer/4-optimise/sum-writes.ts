// One write per place in straight-line cotangent code. In: an ssa function. Out: the same meaning.
//   a$bar.x += u; …; a$bar.x += v   ->   …; a$bar.x += u + v
//   a$bar[i] = u; …; a$bar[i] += v  ->   …; a$bar[i] = u + v
//   a$bar[i] = u; …; a$bar[i] = v   ->   …; a$bar[i] = v
// Invariant: nothing between the two writes reads the place, and nothing but sums of cotangents may write it.

import { Builder } from "../ir/build.ts";
import { Names } from "../ir/names.ts";
import type { Types } from "../ir/shadow.ts";
import type { Accum, Body, Func, Key, Stmt, Store } from "../ir/types.ts";
import { definedVars, mapBodies } from "../ir/visit.ts";
import { accesses, interfere, ownAccesses } from "./access.ts";
import { atomKey, isValue } from "./atoms.ts";
import { Memory } from "./memory.ts";

type Write = Store | Accum;

export function sumWrites(func: Func, types: Types): Func {
  const names = new Names([...func.params, ...definedVars(func.body)].map((bind) => bind.name));
  return { ...func, body: sumBody(func.body, Memory.of(func, types), names) };
}

function sumBody(body: Body, memory: Memory, names: Names): Body {
  const stmts: Stmt[] = [];
  /** Writes that a later one may take over, by place; nothing since has read the place. */
  const open = new Map<string, Write>();
  for (const stmt of body.stmts) {
    if (!isWrite(stmt)) {
      close(open, stmt, memory);
      stmts.push(mapBodies(stmt, (nested) => sumBody(nested, memory, names)));
      continue;
    }
    const place = placeKey(stmt);
    const earlier = open.get(place);
    open.delete(place);
    close(open, stmt, memory);
    const taken = earlier === undefined ? [stmt] : takeOver(earlier, stmt, names);
    if (earlier !== undefined) stmts.splice(stmts.lastIndexOf(earlier), 1);
    stmts.push(...taken);
    const last = taken.at(-1);
    if (last !== undefined && isWrite(last)) open.set(place, last);
  }
  return { ...body, stmts };
}

const isWrite = (stmt: Stmt): stmt is Write => (stmt.kind === "store" || stmt.kind === "accum") && stmt.adjoint === true && stmt.object.kind === "var";

const keyText = (key: Key): string => (key.kind === "field" ? `.${key.name}` : `[${atomKey(key.at)}]`);
const placeKey = (stmt: Write): string => `${atomKey(stmt.object)}${keyText(stmt.key)}`;

/** Writes that the statement reads or may change must stay before it; two sums commute. */
function close(open: Map<string, Write>, stmt: Stmt, memory: Memory): void {
  if (stmt.kind === "throw") open.clear();
  const done = accesses(stmt);
  if (done.length === 0) return;
  for (const [place, write] of open) {
    const commutes = stmt.kind === "accum" && stmt.adjoint === true && write.kind === "accum";
    if (!commutes && ownAccesses(write).some((own) => done.some((one) => interfere(own, one, memory)))) open.delete(place);
  }
}

/** The later write with what the earlier one wrote in it. */
function takeOver(earlier: Write, later: Write, names: Names): readonly Stmt[] {
  if (later.kind === "store") return [later];
  const kind = earlier.kind;
  const initial = earlier.kind === "store" && earlier.initial === true ? { initial: true as const } : {};
  const write = (value: Write["value"]): Stmt => (kind === "store"
    ? { kind, object: later.object, key: later.key, value, origin: later.origin, adjoint: true, ...initial }
    : { ...later, value });
  if (isValue(earlier.value, 0)) return [write(later.value)];
  const builder = new Builder(names, later.origin, true);
  const sum = builder.add(earlier.value, later.value);
  return [...builder.stmts, write(sum)];
}
