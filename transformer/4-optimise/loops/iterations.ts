// Whether the rounds of a counted loop may run in another order, and its bounds the other way round. In: a loop and what is
// known of the function. Out: answers. Invariant: a loop is said to commute only if no round reads what another writes,
// nothing flows from round to round but sums of cotangents, and none may throw or act.

import { num } from "../../ir/build.ts";
import type { Atom, Body, Carried, Expr, For, Func, Stmt } from "../../ir/types.ts";
import type { Types } from "../../ir/shadow.ts";
import {
  definedVars,
  remembered,
  stmtBodies,
  unreachable,
  walkAtoms,
  walkStmts,
} from "../../ir/visit.ts";
import { interfere, ownAccesses } from "../memory/access.ts";
import type { Access } from "../memory/access.ts";
import { isNumber, sameAtom } from "../atoms.ts";
import { Memory } from "../memory/memory.ts";

/** What is known of the numbers of a function. */
export interface Numbers {
  readonly definitions: ReadonlyMap<string, Expr>;
  /** Names that hold integers, whatever they are computed from. */
  readonly integers: ReadonlySet<string>;
}

export interface Knowledge extends Numbers {
  readonly memory: Memory;
}

export const knowledgeOf = (func: Func, types: Types): Knowledge => ({
  memory: Memory.of(func, types),
  ...numbersOf(func),
});

export function numbersOf(func: Func): Numbers {
  const definitions = new Map<string, Expr>();
  const integers = new Set<string>();
  const noteInteger = (atom: Atom): void => {
    if (atom.kind === "var") integers.add(atom.name);
  };
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "let") {
      definitions.set(stmt.bind.name, stmt.expr);
      if (stmt.expr.kind === "length") noteInteger(stmt.bind);
    }
    if (stmt.kind === "for") [stmt.index, stmt.from].forEach(noteInteger);
  });
  return { definitions, integers };
}

// bounds ---------------------------------------------------------------------------------------------------------

/** for i = hi - 1 >= lo step -1   ->   for i = lo < hi step 1; null where the bounds do not allow it. */
export function upwards(loop: For, known: Knowledge): For | null {
  if (loop.test !== ">=" || loop.step !== -1 || !isInteger(loop.to, known)) return null;
  return { ...loop, from: loop.to, step: 1, ...upperBound(loop.from, known) };
}

/** `from` is an integer by contract, so `hi` in `from = hi - 1` is one too. */
function upperBound(
  from: Atom,
  known: Knowledge,
): { readonly test: "<" | "<="; readonly to: Atom } {
  if (isNumber(from)) return { test: "<", to: num(from.value + 1) };
  const made = from.kind === "var" ? known.definitions.get(from.name) : undefined;
  const [hi, one] = made?.kind === "op" && made.op === "sub" ? made.args : [];
  return hi !== undefined && one !== undefined && isNumber(one) && one.value === 1
    ? { test: "<", to: hi }
    : { test: "<=", to: from };
}

export function isInteger(atom: Atom, known: Numbers): boolean {
  if (isNumber(atom)) return Number.isInteger(atom.value);
  if (atom.kind !== "var") return false;
  if (known.integers.has(atom.name)) return true;
  const made = known.definitions.get(atom.name);
  return (
    made?.kind === "op" &&
    (made.op === "add" || made.op === "sub" || made.op === "mul") &&
    made.args.every((arg) => isInteger(arg, known))
  );
}

// order ----------------------------------------------------------------------------------------------------------

/** An access, and whether it only adds a cotangent. */
export interface Done {
  readonly access: Access;
  readonly sums: boolean;
}

/** All that a body reads and writes. */
export const doneIn: (body: Body) => readonly Done[] = remembered((body) => {
  const done: Done[] = [];
  walkStmts(body, (stmt) => {
    const sums = stmt.kind === "accum" && stmt.adjoint === true;
    for (const access of ownAccesses(stmt)) done.push({ access, sums });
  });
  return done;
});

/** `own`: sites of objects that each round has for itself. */
export function commutes(
  loop: For,
  known: Knowledge,
  own: ReadonlySet<string> = new Set(),
): boolean {
  if (!loop.carried.every((one, k) => isSum(one, loop.body.result[k], loop.body))) return false;
  if (!isTameBody(loop.body)) return false;
  const inside = namesIn(loop);
  const done = doneIn(loop.body).filter(({ access }) => !isOwn(access, own, known));
  return done.every((x, at) =>
    done
      .slice(at)
      .every(
        (z) =>
          (x.sums && z.sums) ||
          !interfere(x.access, z.access, known.memory) ||
          isOwnPlace(x.access, loop.index, z.access, loop.index, inside),
      ),
  );
}

/** Whether an access can only be to objects of the round. */
export function isOwn(access: Access, own: ReadonlySet<string>, { memory }: Knowledge): boolean {
  if (access.object === null || own.size === 0) return false;
  const sites =
    access.part.kind === "deep"
      ? memory.reach(memory.sites(access.object))
      : memory.sites(access.object);
  return sites.size > 0 && [...sites].every((site) => own.has(site));
}

const namesOf = remembered(
  (body: Body): ReadonlySet<string> => new Set(definedVars(body).map(({ name }) => name)),
);
export const namesIn = ({ body }: For): ReadonlySet<string> => namesOf(body);

/** Whether the two touch one place only, which no other round touches: `a[i]` of an array that the loop does not choose. */
export function isOwnPlace(
  x: Access,
  indexX: Atom,
  z: Access,
  indexZ: Atom,
  inside: ReadonlySet<string>,
): boolean {
  const isAt = (one: Access, at: Atom): boolean =>
    one.object?.kind === "var" &&
    !inside.has(one.object.name) &&
    one.part.kind === "index" &&
    sameAtom(one.part.at, at);
  return (
    isAt(x, indexX) &&
    isAt(z, indexZ) &&
    x.object !== null &&
    z.object !== null &&
    sameAtom(x.object, z.object)
  );
}

export const isTameBody: (body: Body) => boolean = remembered((body) =>
  body.stmts.every((stmt) => isTame(stmt) && stmtBodies(stmt).every(isTameBody)),
);

/** Whether the order of two runs of the statement can only be seen in memory. */
function isTame(stmt: Stmt): boolean {
  switch (stmt.kind) {
    case "let":
      return isTameExpr(stmt.expr);
    case "store":
    case "accum":
    case "if":
    case "for":
    case "while":
      return true;
    case "append":
    case "fill":
    case "push":
    case "reserve":
    case "throw":
      return false;
    case "declare":
    case "assign":
    case "break":
    case "continue":
    case "return":
    case "scope":
    case "loop":
      return false;
    default:
      return unreachable(stmt);
  }
}

function isTameExpr(expr: Expr): boolean {
  switch (expr.kind) {
    case "call":
      return expr.pure === true;
    case "extern":
      return expr.effect !== "io";
    case "removeLast":
    case "pop":
    case "rewind":
    case "lambda":
      return false;
    case "copy":
    case "op":
    case "load":
    case "length":
    case "present":
    case "unwrap":
    case "array":
    case "tuple":
    case "record":
    case "alloc":
    case "slice":
    case "zeros":
    case "clone":
    case "newTape":
      return true;
    default:
      return unreachable(expr);
  }
}

/** Whether the rounds only add cotangents to the carried value: s, s + x, s + x + z, s - x. */
function isSum(one: Carried, next: Atom | undefined, body: Body): boolean {
  const uses = new Map<string, number>();
  walkAtoms(body, (atom) => {
    if (atom.kind === "var") uses.set(atom.name, (uses.get(atom.name) ?? 0) + 1);
  });
  let current = one.param.name;
  for (;;) {
    if (uses.get(current) !== 1) return false;
    if (next?.kind === "var" && next.name === current) return true;
    const step = body.stmts.find(
      (stmt) =>
        stmtBodies(stmt).length === 0 &&
        stmt.kind === "let" &&
        stmt.adjoint === true &&
        isTerm(stmt.expr, current),
    );
    if (step?.kind !== "let") return false;
    current = step.bind.name;
  }
}

function isTerm(expr: Expr, name: string): boolean {
  if (expr.kind !== "op") return false;
  const at = expr.args.findIndex((arg) => arg.kind === "var" && arg.name === name);
  return expr.op === "add" ? at >= 0 : expr.op === "sub" && at === 0;
}
