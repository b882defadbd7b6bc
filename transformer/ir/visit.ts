// Walks and maps over expressions, statements and bodies. Nothing is mutated: a map returns the
// same node if nothing changes (rebuilt.ts). A node's own atoms are those that it reads itself,
// without its nested bodies.

import { InvariantError } from "./invariant.ts";
import { Names } from "./names.ts";
import { mapList, rebuilt, withParts, withStmts } from "./rebuilt.ts";
import type { Atom, Body, Expr, For, Func, Key, RecordPart, Stmt, Var, While } from "./types.ts";

/** Ends an exhaustive switch over `kind`. */
export function unreachable(node: never): never {
  throw new InvariantError(`unexpected node ${JSON.stringify(node)}`);
}

/**
 * Memoises a function of nodes, which are immutable and mostly pass unchanged from pass to pass.
 */
export function memoised<N extends object, R>(of: (node: N) => R): (node: N) => R {
  const known = new WeakMap<N, R>();
  return (node) => {
    const before = known.get(node);
    if (before !== undefined) return before;
    const found = of(node);
    known.set(node, found);
    return found;
  };
}

// ----------------------------------------------------------------------------------------- reading

/** Shared, since walks of whole programs ask often and most statements have no body. */
const NONE: readonly never[] = [];

const optional = (atom: Atom | null): readonly Atom[] => (atom === null ? NONE : [atom]);
export const keyAtoms = (key: Key): readonly Atom[] => (key.kind === "index" ? [key.at] : NONE);

/** Atoms that an expression reads, in order of evaluation, without those of a lambda's body. */
// eslint-disable-next-line complexity -- flat exhaustive switch over Expr kinds
export function exprAtoms(expr: Expr): readonly Atom[] {
  switch (expr.kind) {
    case "copy":
      return [expr.atom];
    case "op":
    case "call":
    case "extern":
      return expr.args;
    case "load":
      return expr.key.kind === "index" ? [expr.object, expr.key.at] : [expr.object];
    case "length":
    case "clone":
    case "removeLast":
      return [expr.object];
    case "present":
    case "unwrap":
      return [expr.value];
    case "array":
      return expr.parts.map((part) => part.atom);
    case "tuple":
      return expr.elems;
    case "record":
      return expr.fields.flatMap((field) => [...optional(field.presentIf ?? null), field.value]);
    case "alloc":
      return [expr.length, ...optional(expr.fill)];
    case "slice":
      return [expr.object, expr.from, ...optional(expr.to)];
    case "zeros":
      return [expr.like];
    case "pop":
    case "rewind":
      return [expr.tape];
    case "newTape":
    case "lambda":
      return NONE;
    default:
      return unreachable(expr);
  }
}

/** Atoms that a statement reads, in order of evaluation, without its nested bodies. */
// eslint-disable-next-line complexity -- flat exhaustive switch over Stmt kinds
export function stmtAtoms(stmt: Stmt): readonly Atom[] {
  switch (stmt.kind) {
    case "let":
      return exprAtoms(stmt.expr);
    case "store":
    case "accum":
      return stmt.key.kind === "index"
        ? [stmt.object, stmt.key.at, stmt.value]
        : [stmt.object, stmt.value];
    case "append":
      return [stmt.object, stmt.value];
    case "fill":
      return [stmt.object, stmt.value, ...optional(stmt.from), ...optional(stmt.to)];
    case "push":
      return [stmt.tape, stmt.value];
    case "reserve":
      return [stmt.tape, stmt.count];
    case "if":
      return [stmt.cond];
    case "for":
      return [stmt.from, stmt.to, ...stmt.carried.map((carried) => carried.init)];
    case "while":
      return stmt.carried.map((carried) => carried.init);
    case "throw":
    case "assign":
      return [stmt.value];
    case "declare":
      return optional(stmt.init);
    case "return":
      return optional(stmt.value);
    case "loop":
      return stmtAtoms(stmt.loop);
    case "break":
    case "continue":
    case "scope":
      return [];
    default:
      return unreachable(stmt);
  }
}

/** Bodies directly inside a statement, a lambda's included, in order of execution. */
// eslint-disable-next-line complexity -- flat exhaustive switch over Stmt kinds
export function stmtBodies(stmt: Stmt): readonly Body[] {
  switch (stmt.kind) {
    case "let":
      return stmt.expr.kind === "lambda" ? [stmt.expr.body] : NONE;
    case "if":
      return [stmt.then, stmt.else];
    case "for":
      return [stmt.body];
    case "while":
      return [stmt.test, stmt.body];
    case "scope":
      return [stmt.body];
    case "loop":
      return stmt.update === null ? stmtBodies(stmt.loop) : [...stmtBodies(stmt.loop), stmt.update];
    case "store":
    case "accum":
    case "append":
    case "fill":
    case "push":
    case "reserve":
    case "throw":
    case "declare":
    case "assign":
    case "break":
    case "continue":
    case "return":
      return NONE;
    default:
      return unreachable(stmt);
  }
}

/** Names that a statement binds for the statements after it. */
// eslint-disable-next-line complexity -- flat exhaustive switch over Stmt kinds
export function stmtBinds(stmt: Stmt): readonly Var[] {
  switch (stmt.kind) {
    case "let":
      return [stmt.bind];
    case "if":
    case "for":
    case "while":
      return stmt.binds;
    case "declare":
      return [stmt.variable];
    case "scope":
      return stmt.bind === null ? [] : [stmt.bind];
    case "store":
    case "accum":
    case "append":
    case "fill":
    case "push":
    case "reserve":
    case "throw":
    case "assign":
    case "break":
    case "continue":
    case "return":
    case "loop":
      return [];
    default:
      return unreachable(stmt);
  }
}

/** Names that a statement binds for its nested bodies: index, carried and lambda parameters. */
// eslint-disable-next-line complexity -- flat exhaustive switch over Stmt kinds
export function innerBinds(stmt: Stmt): readonly Var[] {
  switch (stmt.kind) {
    case "let":
      return stmt.expr.kind === "lambda" ? stmt.expr.params : [];
    case "for":
      return [stmt.index, ...stmt.carried.map((carried) => carried.param)];
    case "while":
      return stmt.carried.map((carried) => carried.param);
    case "loop":
      return innerBinds(stmt.loop);
    case "store":
    case "accum":
    case "append":
    case "fill":
    case "push":
    case "reserve":
    case "throw":
    case "if":
    case "scope":
    case "declare":
    case "assign":
    case "break":
    case "continue":
    case "return":
      return [];
    default:
      return unreachable(stmt);
  }
}

/** Calls `fn` on every statement, outer before inner, in order of execution. */
export function walkStmts(body: Body, fn: (stmt: Stmt) => void): void {
  for (const stmt of body.stmts) {
    fn(stmt);
    const bodies = stmtBodies(stmt);
    if (bodies.length > 0) for (const inner of bodies) walkStmts(inner, fn);
  }
}

/** Calls `fn` on every atom read in a body, nested bodies and results included. */
export function walkAtoms(body: Body, fn: (atom: Atom) => void): void {
  for (const stmt of body.stmts) {
    for (const atom of stmtAtoms(stmt)) fn(atom);
    const bodies = stmtBodies(stmt);
    if (bodies.length > 0) for (const inner of bodies) walkAtoms(inner, fn);
  }
  for (const atom of body.result) fn(atom);
}

/** A generator of names that the function does not have. */
export function namesOf(func: Func): Names {
  return new Names([
    ...func.params.map(({ name }) => name),
    ...definedVars(func.body).map(({ name }) => name),
  ]);
}

/** Every name bound anywhere in a body. */
export const definedVars: (body: Body) => readonly Var[] = memoised(({ stmts }) =>
  definedIn(stmts),
);

function definedIn(stmts: readonly Stmt[]): readonly Var[] {
  const vars: Var[] = [];
  for (const stmt of stmts) {
    vars.push(...stmtBinds(stmt), ...innerBinds(stmt));
    for (const inner of stmtBodies(stmt)) vars.push(...definedVars(inner));
  }
  return vars;
}

/** Variables that a body reads or assigns and does not bind, by name. */
export const freeVars: (body: Body) => ReadonlyMap<string, Var> = memoised((body) =>
  freeIn(body, definedVars(body)),
);

/** Variables that a statement and its nested bodies need from outside. */
export const stmtFreeVars: (stmt: Stmt) => ReadonlyMap<string, Var> = memoised((stmt) => {
  const stmts = [stmt];
  return freeIn({ stmts, result: NONE }, definedIn(stmts));
});

function freeIn({ stmts, result }: Body, defined: readonly Var[]): ReadonlyMap<string, Var> {
  const bound = new Set<string>();
  for (const { name } of defined) bound.add(name);
  const free = new Map<string, Var>();
  const note = (atom: Atom): void => {
    if (atom.kind === "var" && !bound.has(atom.name)) free.set(atom.name, atom);
  };
  for (const stmt of stmts) {
    for (const atom of stmtAtoms(stmt)) note(atom);
    for (const inner of stmtBodies(stmt)) for (const atom of freeVars(inner).values()) note(atom);
  }
  for (const atom of result) note(atom);
  for (const stmt of stmts) if (stmt.kind === "assign") note(stmt.variable);
  return free;
}

// -------------------------------------------------------------------------------------- rebuilding

export type AtomMap = (atom: Atom) => Atom;

const mapOptional = (atom: Atom | null, fn: AtomMap): Atom | null => atom && fn(atom);

export function mapKey(key: Key, fn: AtomMap): Key {
  if (key.kind !== "index") return key;
  const at = fn(key.at);
  return at === key.at ? key : withParts(key, { at });
}

/** Replaces every atom that an expression reads, those of a lambda's body included. */
// eslint-disable-next-line complexity -- flat exhaustive switch over Expr kinds
export function mapExpr(expr: Expr, fn: AtomMap): Expr {
  switch (expr.kind) {
    case "copy": {
      const atom = fn(expr.atom);
      return atom === expr.atom ? expr : withParts(expr, { atom });
    }
    case "op":
    case "call":
    case "extern": {
      const args = mapList(expr.args, fn);
      return args === expr.args ? expr : withParts(expr, { args });
    }
    case "load": {
      const object = fn(expr.object);
      const key = mapKey(expr.key, fn);
      return object === expr.object && key === expr.key ? expr : withParts(expr, { object, key });
    }
    case "length":
    case "clone":
    case "removeLast": {
      const object = fn(expr.object);
      return object === expr.object ? expr : withParts(expr, { object });
    }
    case "present":
    case "unwrap":
      return rebuilt(expr, { value: fn(expr.value) });
    case "array":
      return rebuilt(expr, {
        parts: mapList(expr.parts, (part) => rebuilt(part, { atom: fn(part.atom) })),
      });
    case "tuple":
      return rebuilt(expr, { elems: mapList(expr.elems, fn) });
    case "record":
      return rebuilt(expr, { fields: mapList(expr.fields, (part) => mapRecordPart(part, fn)) });
    case "alloc":
      return rebuilt(expr, { length: fn(expr.length), fill: mapOptional(expr.fill, fn) });
    case "slice":
      return rebuilt(expr, {
        object: fn(expr.object),
        from: fn(expr.from),
        to: mapOptional(expr.to, fn),
      });
    case "zeros":
      return rebuilt(expr, { like: fn(expr.like) });
    case "pop":
    case "rewind":
      return rebuilt(expr, { tape: fn(expr.tape) });
    case "newTape":
      return expr;
    case "lambda":
      return rebuilt(expr, { body: mapAtoms(expr.body, fn) });
    default:
      return unreachable(expr);
  }
}

const mapRecordPart = (part: RecordPart, fn: AtomMap): RecordPart =>
  rebuilt(part, {
    ...(part.presentIf === undefined ? {} : { presentIf: fn(part.presentIf) }),
    value: fn(part.value),
  });

/** Replaces a statement's own atoms by `fn` and its nested bodies by `onBody`. */
// eslint-disable-next-line complexity -- flat exhaustive switch over Stmt kinds
export function mapStmt(stmt: Stmt, fn: AtomMap, onBody: (body: Body) => Body): Stmt {
  switch (stmt.kind) {
    case "let":
      return mapLet(stmt, fn, onBody);
    case "store":
    case "accum":
      return mapPlaceWrite(stmt, fn);
    case "append":
      return rebuilt(stmt, { object: fn(stmt.object), value: fn(stmt.value) });
    case "fill":
      return rebuilt(stmt, {
        object: fn(stmt.object),
        value: fn(stmt.value),
        from: mapOptional(stmt.from, fn),
        to: mapOptional(stmt.to, fn),
      });
    case "push":
      return rebuilt(stmt, { tape: fn(stmt.tape), value: fn(stmt.value) });
    case "reserve":
      return rebuilt(stmt, { tape: fn(stmt.tape), count: fn(stmt.count) });
    case "if":
      return rebuilt(stmt, {
        cond: fn(stmt.cond),
        then: onBody(stmt.then),
        else: onBody(stmt.else),
      });
    case "for":
    case "while":
      return mapLoop(stmt, fn, onBody);
    case "throw":
    case "assign":
      return rebuilt(stmt, { value: fn(stmt.value) });
    case "declare":
      return rebuilt(stmt, { init: mapOptional(stmt.init, fn) });
    case "return":
      return rebuilt(stmt, { value: mapOptional(stmt.value, fn) });
    case "scope":
      return rebuilt(stmt, { body: onBody(stmt.body) });
    case "loop":
      return rebuilt(stmt, {
        loop: mapLoop(stmt.loop, fn, onBody),
        update: stmt.update === null ? null : onBody(stmt.update),
      });
    case "break":
    case "continue":
      return stmt;
    default:
      return unreachable(stmt);
  }
}

function mapLet(
  stmt: Stmt & { readonly kind: "let" },
  fn: AtomMap,
  onBody: (body: Body) => Body,
): Stmt {
  const expr =
    stmt.expr.kind === "lambda"
      ? rebuilt(stmt.expr, { body: onBody(stmt.expr.body) })
      : mapExpr(stmt.expr, fn);
  return expr === stmt.expr ? stmt : withParts(stmt, { expr });
}

function mapPlaceWrite(stmt: Stmt & { readonly kind: "store" | "accum" }, fn: AtomMap): Stmt {
  const object = fn(stmt.object);
  const key = mapKey(stmt.key, fn);
  const value = fn(stmt.value);
  return object === stmt.object && key === stmt.key && value === stmt.value
    ? stmt
    : withParts(stmt, { object, key, value });
}

function mapLoop(loop: For | While, fn: AtomMap, onBody: (body: Body) => Body): For | While {
  const carried = mapList(loop.carried, (one) => rebuilt(one, { init: fn(one.init) }));
  if (loop.kind === "while")
    return rebuilt(loop, { carried, test: onBody(loop.test), body: onBody(loop.body) });
  return rebuilt(loop, { from: fn(loop.from), to: fn(loop.to), carried, body: onBody(loop.body) });
}

/** The statement with its direct nested bodies replaced. */
export const mapBodies = (stmt: Stmt, onBody: (body: Body) => Body): Stmt =>
  mapStmt(stmt, (atom) => atom, onBody);

/** The body with every atom replaced by `fn`, nested bodies included. */
export function mapAtoms(body: Body, fn: AtomMap): Body {
  return withStmts(
    body,
    mapList(body.stmts, (stmt) => mapStmt(stmt, fn, (nested) => mapAtoms(nested, fn))),
    mapList(body.result, fn),
  );
}
