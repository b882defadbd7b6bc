// Whether the iterations of a counted loop commute, and its bounds in the other direction.
// Invariant: a loop is said to commute only if no iteration reads what another one writes, only
// sums of cotangents are carried, and no iteration throws or has other effects.

import { num } from "../../ir/build.ts";
import { OPS } from "../../ir/ops.ts";
import type { Atom, Body, Carried, Expr, For, Func, Stmt } from "../../ir/types.ts";
import type { Types } from "../../ir/shadow.ts";
import { isPure } from "../../ir/effects.ts";
import { definedVars, memoised, stmtBodies, unreachable, walkStmts } from "../../ir/visit.ts";
import { interfere, ownAccesses, type Access } from "../memory/access.ts";
import { countReads, isNumber, sameAtom } from "../atoms.ts";
import { isRaw } from "../stmts.ts";
import { Memory } from "../memory/memory.ts";

/** Definitions of names, and what is known of their numbers. */
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

export const OPERATOR_OF = { "<": "lt", "<=": "le", ">": "gt", ">=": "ge" } as const;

/** Whether the test of a counted loop holds. */
export const holds = (x: number, test: For["test"], z: number): boolean =>
  OPS[OPERATOR_OF[test]].eval([x, z]) === true;

// bounds ------------------------------------------------------------------------------------------

// for i = hi - 1 >= lo step -1   ->   for i = lo < hi step 1; null where the bounds do not allow it
export function upwards(loop: For, known: Knowledge): For | null {
  if (loop.test !== ">=" || loop.step !== -1 || !isInteger(loop.to, known)) return null;
  return { ...loop, from: loop.to, step: 1, ...upperBound(loop.from, known) };
}

/** `from` is an integer by the definition of `for`, so `hi` in `from = hi - 1` is one, too. */
function upperBound(
  from: Atom,
  known: Knowledge,
): { readonly test: "<" | "<="; readonly to: Atom } {
  if (isNumber(from)) return { test: "<", to: num(from.value + 1) };
  const def = from.kind === "var" ? known.definitions.get(from.name) : undefined;
  const [hi, one] = def?.kind === "op" && def.op === "sub" ? def.args : [];
  return hi !== undefined && one !== undefined && isNumber(one) && one.value === 1
    ? { test: "<", to: hi }
    : { test: "<=", to: from };
}

export function isInteger(atom: Atom, known: Numbers): boolean {
  if (isNumber(atom)) return Number.isInteger(atom.value);
  if (atom.kind !== "var") return false;
  if (known.integers.has(atom.name)) return true;
  const def = known.definitions.get(atom.name);
  return (
    def?.kind === "op" &&
    (def.op === "add" || def.op === "sub" || def.op === "mul") &&
    def.args.every((arg) => isInteger(arg, known))
  );
}

// order -------------------------------------------------------------------------------------------

/** An access, and whether it only accumulates a cotangent. */
export interface OrderedAccess {
  readonly access: Access;
  readonly sums: boolean;
}

/** All that a body reads and writes. */
export const orderedAccesses: (body: Body) => readonly OrderedAccess[] = memoised((body) => {
  const done: OrderedAccess[] = [];
  walkStmts(body, (stmt) => {
    const sums = stmt.kind === "accum" && stmt.adjoint === true;
    for (const access of ownAccesses(stmt)) done.push({ access, sums });
  });
  return done;
});

/** `own`: sites of objects that each iteration has for itself. */
export function commutes(
  loop: For,
  known: Knowledge,
  own: ReadonlySet<string> = new Set(),
): boolean {
  if (!loop.carried.every((one, k) => isSum(one, loop.body.result[k], loop.body))) return false;
  if (!isReorderableBody(loop.body)) return false;
  const inside = namesIn(loop);
  const done = orderedAccesses(loop.body).filter(({ access }) => !isOwn(access, own, known));
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

/** Whether an access can only hit objects of the iteration itself. */
export function isOwn(access: Access, own: ReadonlySet<string>, { memory }: Knowledge): boolean {
  if (access.object === null || own.size === 0) return false;
  const sites =
    access.part.kind === "deep"
      ? memory.reach(memory.sites(access.object))
      : memory.sites(access.object);
  return sites.size > 0 && [...sites].every((site) => own.has(site));
}

const namesOf = memoised(
  (body: Body): ReadonlySet<string> => new Set(definedVars(body).map(({ name }) => name)),
);
export const namesIn = ({ body }: For): ReadonlySet<string> => namesOf(body);

/** Whether both accesses hit `a[i]` of a loop-invariant array, which no other iteration touches. */
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

export const isReorderableBody: (body: Body) => boolean = memoised((body) =>
  body.stmts.every((stmt) => isTame(stmt) && stmtBodies(stmt).every(isReorderableBody)),
);

/** Whether only memory shows the order of two executions of the statement. */
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
    default:
      return !isRaw(stmt) && unreachable(stmt);
  }
}

const isTameExpr = (expr: Expr): boolean =>
  expr.kind === "call"
    ? expr.pure === true
    : isPure(expr) && expr.kind !== "rewind" && expr.kind !== "lambda";

/** Whether iterations only add cotangents to the carried value: s, s + x, s + x + z, s - x. */
function isSum(one: Carried, next: Atom | undefined, body: Body): boolean {
  const uses = countReads(body);
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
