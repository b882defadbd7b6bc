// What a function has in it that gives a pass something to do. In: an ssa function. Out: its occasions, found in one walk and remembered.
// Invariant: a pass without all of its occasions would give the function back as it is; with them it may. Most functions have few, so most runs of passes are saved.

import type { Body, Expr, Func, ScalarOp, Stmt } from "../ir/types.ts";
import { stmtBodies, unreachable } from "../ir/visit.ts";
import { atomKey, isValue } from "./atoms.ts";
import { writtenPlace } from "./memory/local-accumulators.ts";

export type Occasion =
  /** `let x = alloc …` or `zeros …` */
  | "zeros"
  /** `let x = …` of any object with places in it */
  | "object"
  /** `length x` of an array made here */
  | "own length"
  /** A cotangent is read from memory, or something is stored into an object made here. */
  | "read or stored"
  | "loop"
  /** `for … >= … step -1` */
  | "downward loop"
  /** Two counted loops in one body. */
  | "loops side by side"
  /** A counted loop that sums, by itself, into a place other than that of its own index. */
  | "summing loop"
  /** Two branches on one condition in one body. */
  | "branches alike"
  /** A sum of cotangents into memory. */
  | "sum"
  /** Two writes of cotangents to one place in one body. */
  | "place written twice"
  /** A push and a pop of one tape in one body. */
  | "push and pop"
  /** The primal's `1 / y`, or a square root. */
  | "reciprocal"
  /** A cotangent's `x / y`. */
  | "quotient"
  /** A cotangent that is a product, a quotient, a sum, a difference or the opposite of something. */
  | "cotangent arithmetic";

/** By pass: what it needs. A pass that is not here always has something to look at. */
const NEEDS: ReadonlyMap<string, readonly Occasion[]> = new Map<string, readonly Occasion[]>([
  ["lengths", ["own length"]],
  ["scalarReplace", ["object"]],
  ["neverWritten", ["zeros", "read or stored"]],
  ["hoist", ["loop"]],
  ["firstWrites", ["object", "sum"]],
  ["sumWrites", ["place written twice"]],
  ["carrySums", ["summing loop"]],
  ["mergeIfs", ["branches alike"]],
  ["direction", ["downward loop"]],
  ["fuseElements", ["loops side by side"]],
  ["fuseLoops", ["loops side by side"]],
  ["cancelTape", ["push and pop"]],
  ["reciprocals", ["reciprocal", "quotient"]],
  ["factors", ["cotangent arithmetic"]],
]);

/** Whether the pass may have something to do. */
export function hasOccasion(pass: string, func: Func): boolean {
  const needs = NEEDS.get(pass);
  if (needs === undefined) return true;
  const found = occasionsOf(func);
  return needs.every((one) => found.has(one));
}

const KNOWN = new WeakMap<Func, ReadonlySet<Occasion>>();

function occasionsOf(func: Func): ReadonlySet<Occasion> {
  const known = KNOWN.get(func);
  if (known !== undefined) return known;
  const notes: Notes = {
    found: new Set(),
    made: new Set(),
    measured: new Set(),
    stored: new Set(),
  };
  noteBody(func.body, notes);
  if ([...notes.measured].some((name) => notes.made.has(name))) notes.found.add("own length");
  if ([...notes.stored].some((name) => notes.made.has(name))) notes.found.add("read or stored");
  KNOWN.set(func, notes.found);
  return notes.found;
}

interface Notes {
  readonly found: Set<Occasion>;
  /** Names of what `alloc`, `zeros` and `slice` make, of arrays whose length is read, of objects stored into. */
  readonly made: Set<string>;
  readonly measured: Set<string>;
  readonly stored: Set<string>;
}

function noteBody(body: Body, notes: Notes): void {
  const { found } = notes;
  /** What this body has itself, each as a text. */
  const own = new Set<string>();
  const note = (text: string, twice: Occasion): void => {
    if (own.has(text)) found.add(twice);
    own.add(text);
  };
  for (const stmt of body.stmts) {
    switch (stmt.kind) {
      case "let":
        noteLet(stmt, notes);
        break;
      case "if":
        note(`if ${atomKey(stmt.cond)}`, "branches alike");
        break;
      case "while":
        found.add("loop");
        break;
      case "for":
        note("for", "loops side by side");
        found.add("loop");
        if (stmt.test === ">=" && stmt.step === -1) found.add("downward loop");
        if (stmt.body.stmts.some((inner) => isSumInto(inner, stmt.index.name)))
          found.add("summing loop");
        break;
      case "store":
        if (stmt.object.kind === "var") notes.stored.add(stmt.object.name);
        break;
      case "accum":
        if (stmt.adjoint === true) found.add("sum");
        break;
      case "push":
        own.add(`push ${atomKey(stmt.tape)}`);
        break;
      case "append":
      case "fill":
      case "reserve":
      case "throw":
      case "declare":
      case "assign":
      case "break":
      case "continue":
      case "return":
      case "scope":
      case "loop":
        break;
      default:
        unreachable(stmt);
    }
    const place = writtenPlace(stmt);
    if (place !== null) note(`place ${place}`, "place written twice");
    if (
      stmt.kind === "let" &&
      stmt.expr.kind === "pop" &&
      own.has(`push ${atomKey(stmt.expr.tape)}`)
    )
      found.add("push and pop");
    for (const nested of stmtBodies(stmt)) noteBody(nested, notes);
  }
}

function noteLet(
  { bind, expr, adjoint }: Stmt & { readonly kind: "let" },
  { found, made, measured }: Notes,
): void {
  if (isObject(expr)) found.add("object");
  if (expr.kind === "alloc" || expr.kind === "zeros") {
    found.add("zeros");
    made.add(bind.name);
  } else if (expr.kind === "slice") made.add(bind.name);
  else if (expr.kind === "length" && expr.object.kind === "var") measured.add(expr.object.name);
  else if (expr.kind === "load" && adjoint === true) found.add("read or stored");
  else if (expr.kind === "op" && expr.op === "div") {
    if (adjoint === true) found.add("quotient");
    else if (isOneOver(expr)) found.add("reciprocal");
  } else if (expr.kind === "op" && expr.op === "sqrt") found.add("reciprocal");
  if (adjoint === true && expr.kind === "op" && ARITHMETIC.has(expr.op))
    found.add("cotangent arithmetic");
}

const ARITHMETIC: ReadonlySet<ScalarOp> = new Set<ScalarOp>(["mul", "div", "neg", "add", "sub"]);

const isObject = (expr: Expr): boolean =>
  expr.kind === "alloc" ||
  expr.kind === "zeros" ||
  expr.kind === "record" ||
  expr.kind === "tuple" ||
  expr.kind === "array";

const isOneOver = ({ args: [x] }: Expr & { readonly kind: "op" }): boolean =>
  x !== undefined && isValue(x, 1);

const isSumInto = (stmt: Stmt, index: string): boolean =>
  stmt.kind === "accum" &&
  stmt.adjoint === true &&
  !(stmt.key.kind === "index" && stmt.key.at.kind === "var" && stmt.key.at.name === index);
