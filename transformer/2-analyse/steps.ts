// Decides whether a call can be one step on another program's tape: a value with its dependence on
// the arguments. Such a function is pure and returns numbers that depend on arguments and constants
// only, in fresh objects. Its loops visit all arrays of the gradient, one of the largest more than
// once, which pays for the call (measured: three times the cost of recording a product of arrays).
// A loop of a function visits all arrays that it reads. Unsure means no.

import { hasNumbers, resolve, type Types } from "../ir/shadow.ts";
import type { Body, Func, Global, Program, Stmt, Type } from "../ir/types.ts";
import { walkAtoms, walkStmts } from "../ir/visit.ts";
import { Coverage, dimensionsOf, arraysIn } from "./elements/coverage.ts";
import type { Memory } from "./memory/memory.ts";
import { isAggregate } from "./memory/region.ts";
import { contractOf } from "./shippable.ts";

/** The module's constants that the function reads; null if it cannot be a step. */
export function constantsOfStep(
  func: Func,
  active: readonly number[],
  program: Program,
  graphs: ReadonlyMap<string, Memory>,
  /** For a loop of a function. */
  isLoop: boolean,
): readonly string[] | null {
  const { funcs, types, homes } = program;
  const contract = contractOf(func, funcs, graphs, types);
  if (contract.kind === "problem" || contract.writes.length > 0) return null;
  const all = reachedFrom(func, funcs);
  const file = homes.get(func.home)?.file;
  if (
    all === null ||
    !all.every(({ body }) => isPure(body, types)) ||
    !(isLoop ? isCovered(func, program) : isWorthIt(func, active, program))
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

/** Whether a loop visits all arrays that it is given, which a call copies or tests. */
function isCovered(func: Func, { funcs, types }: Program): boolean {
  const { arrays } = new Coverage(funcs).of(func);
  return func.params.every(({ type }, place) =>
    arraysIn(type, String(place), types).every((array) => arrays.has(array)),
  );
}

function isWorthIt(func: Func, active: readonly number[], { funcs, types }: Program): boolean {
  const { arrays, depth } = new Coverage(funcs).of(func);
  const requested = active.flatMap((place) => {
    const param = func.params[place];
    return param === undefined ? [] : arraysIn(param.type, String(place), types);
  });
  if (requested.length === 0) return depth > 1 || isDense(func, active, types);
  // a call copies what is largest, and a product of a matrix and a vector has rows that are nodes
  const most = Math.max(...requested.map(dimensionsOf));
  return (
    requested.every((array) => arrays.has(array)) &&
    requested.some((array) => dimensionsOf(array) === most && (arrays.get(array) ?? 0) > most)
  );
}

/** Operations for each number that goes in or comes out, at least. */
const DENSE = 6;
/** The same where numbers need no objects. */
const DENSE_OF_NUMBERS = 1.5;

/** Whether it saves more nodes than its call costs. */
function isDense({ body, params, result }: Func, active: readonly number[], types: Types): boolean {
  const given = [result, ...active.flatMap((place) => params[place]?.type ?? [])];
  const numbers = given.reduce((sum, type) => sum + numbersOf(type, types), 0);
  let operations = 0;
  walkStmts(body, (stmt) => {
    if (stmt.kind === "let" && stmt.expr.kind === "op") operations++;
  });
  const least = given.every(({ kind }) => kind === "num") ? DENSE_OF_NUMBERS : DENSE;
  return operations >= least * numbers;
}

/** How many numbers a value of a type holds; infinite where that is not known. */
function numbersOf(type: Type, types: Types): number {
  const shape = resolve(type, types);
  const parts =
    shape.kind === "record"
      ? shape.fields.map((field) => field.type)
      : shape.kind === "tuple"
        ? shape.elems
        : null;
  if (parts !== null) return parts.reduce((sum, part) => sum + numbersOf(part, types), 0);
  return shape.kind === "num" ? 1 : shape.kind === "bool" || isText(shape) ? 0 : Infinity;
}

/** The function and all its callees; null if one is unknown. */
function reachedFrom(func: Func, funcs: Program["funcs"]): readonly Func[] | null {
  const found = new Set([func]);
  let unknown = 0;
  for (const one of found)
    walkStmts(one.body, (stmt) => {
      if (stmt.kind !== "let" || stmt.expr.kind !== "call") return;
      const callee = funcs.get(stmt.expr.callee);
      if (callee === undefined || callee.shipped === true || callee.rule !== undefined) unknown++;
      else found.add(callee);
    });
  return unknown === 0 ? [...found] : null;
}

/** Whether a body is pure; what it throws contains no numbers. */
function isPure(body: Body, types: Types): boolean {
  let pure = true;
  walkStmts(body, (stmt) => {
    pure &&= isPureStatement(stmt, types);
  });
  return pure;
}

function isPureStatement(stmt: Stmt, types: Types): boolean {
  if (stmt.kind === "throw") return isText(stmt.value.type);
  if (stmt.kind !== "let" || stmt.expr.kind !== "extern") return true;
  return (
    stmt.expr.effect === "pure" &&
    stmt.expr.args.every(({ type }) => !hasNumbers(type, types) && isText(type))
  );
}

const isText = (type: Type): boolean => type.kind === "leaf" && !isAggregate(type);

/** Variables of enclosing scopes that hold objects. */
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

/** Whether it is an array of numbers, or a record of numbers and such arrays. */
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
