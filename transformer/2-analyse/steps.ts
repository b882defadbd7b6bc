// Functions whose call may be one step of another program's tape: a value, and how it depends on what came in. In: a function, the arguments that may be active, all functions that it calls. Out: the lists and records of its module that it reads, or
// that it may not be one.
// Invariants: unsure means no. Such a function does nothing but give a number that depends on its arguments and on constants. Its loops go through all lists that a gradient would be made of, and of some more often
// than once: then what a call takes beside the function is little (measured: of a product of lists, as much as three times the recording of it).

import { hasNumbers, resolve, type Types } from "../ir/shadow.ts";
import type { Body, Func, Global, Program, Stmt, Type } from "../ir/types.ts";
import { walkAtoms, walkStmts } from "../ir/visit.ts";
import { Coverage, dimensionsOf, listsIn } from "./elements/coverage.ts";
import type { Memory } from "./memory/memory.ts";
import { isAggregate } from "./memory/region.ts";
import { contractOf } from "./shippable.ts";

/** Names that the module of the function has for them; null: it may be none. */
export function constantsOfStep(
  func: Func,
  active: readonly number[],
  program: Program,
  graphs: ReadonlyMap<string, Memory>,
): readonly string[] | null {
  const { funcs, types, homes } = program;
  const contract = contractOf(func, funcs, graphs, types);
  if (contract.kind === "problem" || contract.writes.length > 0 || func.result.kind !== "num")
    return null;
  const all = reachedFrom(func, funcs);
  const file = homes.get(func.home)?.file;
  if (
    all === null ||
    !all.every(({ body }) => isQuiet(body, types)) ||
    !isWorthIt(func, active, program)
  )
    return null;
  const read = all.flatMap(({ body }) => readIn(body));
  const isNamed = (atom: Global): boolean =>
    atom.file === file &&
    atom.variable === undefined &&
    atom.block === undefined &&
    atom.home === undefined &&
    /^[\p{ID_Continue}$]+$/u.test(atom.name) &&
    isFlat(atom.type, types);
  return read.every((atom) => isNamed(atom) && !func.params.some(({ name }) => name === atom.name))
    ? [...new Set(read.map(({ name }) => name))]
    : null;
}

function isWorthIt(func: Func, active: readonly number[], { funcs, types }: Program): boolean {
  const { lists, depth } = new Coverage(funcs).of(func);
  const asked = active.flatMap((place) => {
    const param = func.params[place];
    return param === undefined ? [] : listsIn(param.type, String(place), types);
  });
  if (asked.length === 0) return depth > 1;
  return (
    asked.every((list) => lists.has(list)) &&
    asked.some((list) => (lists.get(list) ?? 0) > dimensionsOf(list))
  );
}

/** The function and all that it calls; null where one is not known. */
function reachedFrom(func: Func, funcs: Program["funcs"]): readonly Func[] | null {
  const found = new Set([func]);
  let isKnown = true;
  for (const one of found)
    walkStmts(one.body, (stmt) => {
      if (stmt.kind !== "let" || stmt.expr.kind !== "call") return;
      const callee = funcs.get(stmt.expr.callee);
      if (callee === undefined || callee.shipped === true || callee.rule !== undefined)
        isKnown = false;
      else found.add(callee);
    });
  return isKnown ? [...found] : null;
}

/** Nobody sees that it ran but by its value: what it throws is made of no numbers. */
function isQuiet(body: Body, types: Types): boolean {
  let isSo = true;
  walkStmts(body, (stmt) => {
    isSo &&= isQuietStatement(stmt, types);
  });
  return isSo;
}

function isQuietStatement(stmt: Stmt, types: Types): boolean {
  if (stmt.kind === "throw") return isText(stmt.value.type);
  if (stmt.kind !== "let" || stmt.expr.kind !== "extern") return true;
  return (
    stmt.expr.effect === "pure" &&
    stmt.expr.args.every(({ type }) => !hasNumbers(type, types) && isText(type))
  );
}

const isText = (type: Type): boolean => type.kind === "leaf" && !isAggregate(type);

/** Objects of enclosing scopes. */
function readIn(body: Body): readonly Global[] {
  const found: Global[] = [];
  walkAtoms(body, (atom) => {
    if (
      atom.kind === "global" &&
      atom.type.kind !== "num" &&
      atom.type.kind !== "bool" &&
      !isText(atom.type)
    )
      found.push(atom);
  });
  return found;
}

/** A list of numbers, or a record of numbers and such lists: no list of objects, which would have to be gone through each time. */
function isFlat(type: Type, types: Types): boolean {
  const shape =
    type.kind === "named" && types.get(type.name)?.instance !== undefined
      ? type
      : resolve(type, types);
  if (shape.kind === "record")
    return shape.fields.every(
      (field) =>
        field.type.kind === "num" ||
        field.type.kind === "bool" ||
        isText(field.type) ||
        isFlat(field.type, types),
    );
  return shape.kind === "array"
    ? shape.elem.kind === "num"
    : shape.kind === "tuple" && shape.elems.every(({ kind }) => kind === "num");
}
