// What in a function gives a pass something to do. The triggers of a function are found in one walk
// and cached. Most functions have few, so most runs of passes are saved. Invariant: a pass without
// all of its triggers would return the function unchanged; with them it may change it.

import type { ScalarOp } from "../ir/ops.ts";
import type { Body, Expr, For, Func, Let, Stmt } from "../ir/types.ts";
import { stmtBodies, unreachable } from "../ir/visit.ts";
import { atomKey, isValue } from "./atoms.ts";
import { isRaw } from "./stmts.ts";
import { writtenPlace } from "./memory/local-accumulators.ts";

type Trigger =
  /** `let x = alloc …` or `zeros …`. */
  | "zeros"
  /** `let x = …` of an aggregate. */
  | "object"
  /** `length x` or `zeros x` of an array allocated here. */
  | "own length"
  /** A load of a cotangent, or a store into an object allocated here. */
  | "read or stored"
  | "loop"
  | "while"
  /** `for … >= … step -1`. */
  | "downward loop"
  /** Two counted loops in one body. */
  | "loops side by side"
  /** A counted loop that accumulates into a place, other than that of its own index. */
  | "summing loop"
  /** Two branches on one condition in one body. */
  | "branches alike"
  /** An accumulation of cotangents into memory. */
  | "sum"
  /** Two writes of cotangents to one place in one body. */
  | "place written twice"
  /** A push and a pop of one tape in one body. */
  | "push and pop"
  /** The primal's `1 / y`, or a square root. */
  | "reciprocal"
  /** A cotangent `x / y`. */
  | "quotient"
  /** A cotangent product, quotient, sum, difference or negation. */
  | "cotangent arithmetic";

/** By pass: the triggers that it needs. A pass that is missing here always runs. */
const NEEDS: ReadonlyMap<string, readonly Trigger[]> = new Map<string, readonly Trigger[]>([
  ["lengths", ["own length"]],
  ["scalarReplace", ["object"]],
  ["neverWritten", ["zeros", "read or stored"]],
  ["hoist", ["loop"]],
  ["firstWrites", ["object", "sum"]],
  ["sumWrites", ["place written twice"]],
  ["carrySums", ["summing loop"]],
  ["mergeIfs", ["branches alike"]],
  ["countedWhiles", ["while"]],
  ["direction", ["downward loop"]],
  ["fuseElements", ["loops side by side"]],
  ["fuseLoops", ["loops side by side"]],
  ["cancelTape", ["push and pop"]],
  ["reciprocals", ["reciprocal", "quotient"]],
  ["factors", ["cotangent arithmetic"]],
]);

/** Whether the pass may have something to do. */
export function isTriggered(pass: string, func: Func): boolean {
  const needs = NEEDS.get(pass);
  if (needs === undefined) return true;
  const found = triggersOf(func);
  return needs.every((one) => found.has(one));
}

const KNOWN = new WeakMap<Func, ReadonlySet<Trigger>>();

function triggersOf(func: Func): ReadonlySet<Trigger> {
  const known = KNOWN.get(func);
  if (known !== undefined) return known;
  const notes: Notes = {
    found: new Set(),
    allocated: new Set(),
    measured: new Set(),
    stored: new Set(),
  };
  noteBody(func.body, notes);
  if ([...notes.measured].some((name) => notes.allocated.has(name))) notes.found.add("own length");
  if ([...notes.stored].some((name) => notes.allocated.has(name)))
    notes.found.add("read or stored");
  KNOWN.set(func, notes.found);
  return notes.found;
}

interface Notes {
  readonly found: Set<Trigger>;
  /** Names of arrays that are allocated, whose length is read, and that are stored into. */
  readonly allocated: Set<string>;
  readonly measured: Set<string>;
  readonly stored: Set<string>;
}

function noteBody(body: Body, notes: Notes): void {
  /** Keys of what this body has had so far. */
  const seen = new Set<string>();
  for (const stmt of body.stmts) {
    noteStmt(stmt, seen, notes);
    const place = writtenPlace(stmt);
    if (place !== null) noteTwice(`place ${place}`, "place written twice", seen, notes);
    for (const nested of stmtBodies(stmt)) noteBody(nested, notes);
  }
}

function noteTwice(key: string, twice: Trigger, seen: Set<string>, { found }: Notes): void {
  if (seen.has(key)) found.add(twice);
  seen.add(key);
}

function noteStmt(stmt: Stmt, seen: Set<string>, notes: Notes): void {
  switch (stmt.kind) {
    case "let":
      return noteLet(stmt, seen, notes);
    case "if":
      return noteTwice(`if ${atomKey(stmt.cond)}`, "branches alike", seen, notes);
    case "while":
      notes.found.add("loop").add("while");
      return;
    case "for":
      return noteFor(stmt, seen, notes);
    case "store":
      if (stmt.object.kind === "var") notes.stored.add(stmt.object.name);
      return;
    case "accum":
      if (stmt.adjoint === true) notes.found.add("sum");
      return;
    case "push":
      seen.add(`push ${atomKey(stmt.tape)}`);
      return;
    case "append":
    case "fill":
    case "reserve":
    case "throw":
      return;
    default:
      if (!isRaw(stmt)) unreachable(stmt);
  }
}

function noteFor(stmt: For, seen: Set<string>, notes: Notes): void {
  noteTwice("for", "loops side by side", seen, notes);
  notes.found.add("loop");
  if (stmt.test === ">=" && stmt.step === -1) notes.found.add("downward loop");
  if (stmt.body.stmts.some((inner) => isSumInto(inner, stmt.index.name)))
    notes.found.add("summing loop");
}

function noteLet({ bind, expr, adjoint }: Let, seen: Set<string>, notes: Notes): void {
  const { found, allocated, measured } = notes;
  if (isObject(expr)) found.add("object");
  if (expr.kind === "alloc" || expr.kind === "zeros") {
    found.add("zeros");
    allocated.add(bind.name);
    if (expr.kind === "zeros" && expr.like.kind === "var") measured.add(expr.like.name);
  } else if (expr.kind === "slice") allocated.add(bind.name);
  else if (expr.kind === "length" && expr.object.kind === "var") measured.add(expr.object.name);
  else if (expr.kind === "load" && adjoint === true) found.add("read or stored");
  else if (expr.kind === "pop" && seen.has(`push ${atomKey(expr.tape)}`)) found.add("push and pop");
  else if (expr.kind === "op") noteOperator(expr, adjoint === true, found);
}

function noteOperator(expr: Operator, adjoint: boolean, found: Set<Trigger>): void {
  if (adjoint && ARITHMETIC.has(expr.op)) found.add("cotangent arithmetic");
  if (expr.op === "sqrt") found.add("reciprocal");
  if (expr.op !== "div") return;
  if (adjoint) found.add("quotient");
  else if (isOneOver(expr)) found.add("reciprocal");
}

type Operator = Expr & { readonly kind: "op" };

const ARITHMETIC: ReadonlySet<ScalarOp> = new Set<ScalarOp>(["mul", "div", "neg", "add", "sub"]);

const isObject = (expr: Expr): boolean =>
  expr.kind === "alloc" ||
  expr.kind === "zeros" ||
  expr.kind === "record" ||
  expr.kind === "tuple" ||
  expr.kind === "array";

const isOneOver = ({ args: [x] }: Operator): boolean => x !== undefined && isValue(x, 1);

const isSumInto = (stmt: Stmt, index: string): boolean =>
  stmt.kind === "accum" &&
  stmt.adjoint === true &&
  !(stmt.key.kind === "index" && stmt.key.at.kind === "var" && stmt.key.at.name === index);
