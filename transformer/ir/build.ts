// The only constructor of IR: appends statements to a growing body. Every bound name is fresh, and
// every node has the origin that is current at its construction.

import { OPS, type ScalarOp } from "./ops.ts";
import type { Atom, Body, Const, Expr, Key, Origin, Stmt, Type, Var } from "./types.ts";
import { baseName, type Names } from "./names.ts";

export const NUM: Type = { kind: "num" };
export const BOOL: Type = { kind: "bool" };
export const VOID: Type = { kind: "void" };

export const num = (value: number): Const => ({ kind: "const", type: NUM, value });

/** The integer that a constant is; null for any other atom. */
export const integerOf = (atom: Atom | undefined): number | null =>
  atom?.kind === "const" && Number.isSafeInteger(atom.value) ? Number(atom.value) : null;
export const bool = (value: boolean): Const => ({ kind: "const", type: BOOL, value });
export const index = (at: Atom): Key => ({ kind: "index", at });
export const field = (name: string): Key => ({ kind: "field", name });

/** The type of a result; `second`: that of the second operand. */
export function opType(op: ScalarOp, second: Type | undefined): Type {
  const { result } = OPS[op];
  return result === "bool" ? BOOL : result === "num" ? NUM : (second ?? NUM);
}

export class Builder {
  readonly stmts: Stmt[] = [];
  readonly names: Names;
  /** Source span of the next nodes; set it before each construct. */
  origin: Origin;
  /** Whether the nodes are cotangent code, which may be simplified. */
  readonly adjoint: boolean;

  constructor(names: Names, origin: Origin, adjoint: boolean) {
    this.names = names;
    this.origin = origin;
    this.adjoint = adjoint;
  }

  /** A builder for a nested body, with the same names, origin and kind. */
  nested(): Builder {
    return new Builder(this.names, this.origin, this.adjoint);
  }

  body(result: readonly Atom[] = []): Body {
    return { stmts: this.stmts, result };
  }

  /** Appends a statement, with its `origin` and `adjoint`. */
  emit(stmt: DistributiveOmit<Stmt, "origin" | "adjoint">): void {
    this.stmts.push({
      ...stmt,
      origin: this.origin,
      ...(this.adjoint ? { adjoint: true } : {}),
    });
  }

  let(preferred: string, type: Type, expr: Expr): Var {
    const bind: Var = { kind: "var", name: this.names.fresh(preferred), type };
    this.emit({ kind: "let", bind, expr });
    return bind;
  }

  op(op: ScalarOp, ...args: readonly Atom[]): Atom {
    const type = opType(op, args[1]?.type);
    return this.let("t", type, { kind: "op", op, args });
  }

  add(x: Atom, z: Atom): Atom {
    return this.op("add", x, z);
  }
  sub(x: Atom, z: Atom): Atom {
    return this.op("sub", x, z);
  }
  mul(x: Atom, z: Atom): Atom {
    return this.op("mul", x, z);
  }
  div(x: Atom, z: Atom): Atom {
    return this.op("div", x, z);
  }
  neg(x: Atom): Atom {
    return this.op("neg", x);
  }
  /** `cond ? x : z`. Both are atoms, so no work is wasted. */
  select(cond: Atom, x: Atom, z: Atom): Atom {
    return this.op("select", cond, x, z);
  }
  /** `slope`, which is a multiple of a number, or 0 if that number vanishes. */
  masked(vanishes: Atom, slope: Atom): Atom {
    return this.let("t", NUM, {
      kind: "op",
      op: "select",
      args: [vanishes, num(0), slope],
      masks: true,
    });
  }
  load(preferred: string, type: Type, object: Atom, key: Key): Var {
    return this.let(preferred, type, { kind: "load", object, key });
  }
  length(object: Atom, preferred = "t"): Var {
    return this.let(preferred, NUM, { kind: "length", object });
  }
  /** A read of a dict; undefined where the key is not its own. */
  loadOwn(type: Type, object: Atom, key: Key): Var {
    return this.let("t", { kind: "opt", of: type }, { kind: "load", object, key, own: true });
  }
  /** `throw new RangeError("…");`; an error of tsgrad has its code as `code`, too. */
  raise(error: "Error" | "RangeError", message: string | Atom, of?: string): void {
    const value: Atom =
      typeof message === "string"
        ? { kind: "const", type: { kind: "leaf", text: "string" }, value: message }
        : message;
    const code = typeof message === "string" ? /^TSG\d{4}/.exec(message)?.[0] : of;
    const text =
      code === undefined
        ? [`new ${error}(`, ")"]
        : [`Object.assign(new ${error}(`, `), { code: "${code}" })`];
    this.emit({
      kind: "throw",
      value: this.let(
        "t",
        { kind: "leaf", text: error },
        { kind: "extern", text, args: [value], effect: "pure" },
      ),
    });
  }
  store(object: Atom, key: Key, value: Atom): void {
    this.emit({ kind: "store", object, key, value });
  }
  /** A store that makes the key the dict's own, as literals and spreads do. */
  define(object: Atom, key: Key, value: Atom): void {
    this.emit({ kind: "store", object, key, value, defines: true });
  }
  accum(object: Atom, key: Key, value: Atom): void {
    this.emit({ kind: "accum", object, key, value });
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** Renames a temporary that was just bound. */
export function renameLast(b: Builder, atom: Atom, preferred: string): Atom {
  const last = b.stmts.at(-1);
  if (
    atom.kind !== "var" ||
    baseName(atom.name) !== "t" ||
    last?.kind !== "let" ||
    last.bind.name !== atom.name
  )
    return atom;
  const bind = { ...last.bind, name: b.names.fresh(preferred) };
  const named: Stmt = { ...last, bind };
  b.stmts[b.stmts.length - 1] = named;
  return bind;
}

export const isConst = (atom: Atom | null | undefined, value: number | boolean): boolean =>
  atom?.kind === "const" && atom.value === value;

export const isSameName = (x: Atom, z: Atom): boolean =>
  x.kind === "var" && z.kind === "var" && x.name === z.name;
