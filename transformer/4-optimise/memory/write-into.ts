// `{ into: true }`: a derivative writes its result into an object that the caller passes as a new
// first parameter. Array literals that only were that result are not allocated.
//   ~ s = [x, y]; ~ r = [s, z]; return r
//     ->   t = into[0]; if (length t != 2) throw; t[0] = x; t[1] = y; into[1] = z; return into
// An array that accumulates sums is the given one itself, unless that shares memory with an
// argument:
//   ~ s = zeros a; …
//     ->   if (into is a) s = zeros a else { fill into 0; s = into }; …; if (s is not into) copy
// Invariant: whatever is read is read before it is overwritten, even if the object is an argument.
// An object of another shape is an error.

import { BOOL, Builder, field, index, num, NUM } from "../../ir/build.ts";
import { invariant } from "../../ir/invariant.ts";
import type { Names } from "../../ir/names.ts";
import { areOneObject, isTypedArray } from "../../ir/overlap.ts";
import { sameType } from "../../ir/print.ts";
import { hasNumbers, holdsOpaque, resolve, type Types } from "../../ir/shadow.ts";
import type { Atom, Expr, For, Func, Key, Stmt, Type, Var } from "../../ir/types.ts";
import { mapBodies, namesOf, walkAtoms, walkStmts } from "../../ir/visit.ts";
import { isWritable } from "../../ir/writable.ts";
import { isNumber } from "../atoms.ts";
import { dce } from "../dce.ts";

export function writeInto(func: Func, types: Types): Func {
  const { into: part, ...rest } = func;
  const [returned] = func.body.result;
  if (part === undefined || returned === undefined) return func;
  const names = namesOf(func);
  const writing = new Writing(func, types, names);
  const pair = part === "whole" ? null : writing.pairOf(returned);
  const from = pair === null ? returned : pair.elems[Number(part)];
  invariant(from !== undefined, () => `${func.name} returns no pair`);
  const into: Var = { kind: "var", name: names.fresh("into"), type: from.type };
  writing.whole(from, into, writing.last);
  const stmts = writing
    .statements()
    .filter((stmt) => pair === null || stmt.kind !== "let" || stmt.bind !== returned);
  const result = pair === null || returned.kind !== "var" ? into : returned;
  if (pair !== null && returned.kind === "var")
    stmts.push({
      kind: "let",
      bind: returned,
      expr: { ...pair, elems: pair.elems.map((elem) => (elem === from ? into : elem)) },
      origin: func.origin,
      adjoint: true,
    });
  return dce(
    {
      ...rest,
      params: [into, ...func.params],
      body: { stmts, result: [result] },
      ...(func.paramText === undefined ? {} : { paramText: [null, ...func.paramText] }),
    },
    types,
  );
}

/** Where statements go: loads of the objects to write, comparisons of lengths, and writes. */
interface Places {
  readonly targets: Builder;
  readonly before: Builder;
  readonly writes: Builder;
}

type Pair = Expr & { readonly kind: "tuple" };

/** An array literal of numbers, and the loop that appends zeros to it. */
interface Listed {
  readonly elems: readonly Atom[];
  readonly padding: For | null;
}

class Writing {
  /** After all else. */
  readonly last: Places;
  readonly #func: Func;
  readonly #types: Types;
  readonly #defs: ReadonlyMap<string, Expr>;
  readonly #uses = new Map<string, number>();
  /** By name of a literal that need not be allocated: where its numbers go. */
  readonly #moved = new Map<string, Atom>();
  readonly #paddings = new Set<Stmt>();
  /** Whether lengths differ: known after all else, before anything is written. */
  readonly #misfits: Atom[] = [];
  /** Whether one object is at two places. */
  readonly #twice: Atom[] = [];
  /** The objects that are written, except rows of an array. */
  readonly #targets = new Map<Places, readonly Atom[]>();
  /** For arrays that accumulate sums: runs before all else. */
  readonly #early: Builder;
  readonly #earlyMisfits: Atom[] = [];
  /** By name of an array that accumulates sums: the statements that allocate or alias it. */
  readonly #gathered = new Map<string, readonly Stmt[]>();

  constructor(func: Func, types: Types, names: Names) {
    this.#func = func;
    this.#types = types;
    const place = (): Builder => new Builder(names, func.origin, true);
    this.last = { targets: place(), before: place(), writes: place() };
    this.#early = place();
    this.#defs = new Map(
      func.body.stmts.flatMap((stmt) => (stmt.kind === "let" ? [[stmt.bind.name, stmt.expr]] : [])),
    );
    walkAtoms(func.body, (atom) => {
      if (atom.kind === "var") this.#uses.set(atom.name, this.#usesOf(atom) + 1);
    });
  }

  /** The literal that an object comes from, if it has one use and so is not changed in between. */
  literalOf(atom: Atom): Expr | null {
    return atom.kind === "var" && this.#usesOf(atom) === 1
      ? (this.#defs.get(atom.name) ?? null)
      : null;
  }

  pairOf(atom: Atom): Pair {
    const literal = this.literalOf(atom);
    invariant(literal?.kind === "tuple", () => `${this.#func.name} returns no pair`);
    return literal;
  }

  whole(from: Atom, into: Atom, places: Places): void {
    const shape = resolve(from.type, this.#types);
    const literal = this.literalOf(from);
    if (shape.kind === "array") return this.#array(from, into, shape.elem, places);
    const fields =
      shape.kind === "tuple"
        ? shape.elems.map((type, i) => ({ name: String(i), type }))
        : shape.kind === "record"
          ? shape.fields
          : [];
    for (const [i, { name, type }] of fields.entries()) {
      const known =
        literal?.kind === "tuple"
          ? literal.elems[i]
          : literal?.kind === "record"
            ? literal.fields.find((one) => one.name === name)?.value
            : undefined;
      const part = known ?? places.before.load("t", type, from, field(name));
      this.#part(part, into, field(name), type, places);
    }
  }

  /** The statements of the function, and those that write. */
  statements(): readonly Stmt[] {
    const { targets, before, writes } = this.last;
    const body = this.#func.body.stmts.flatMap((stmt): readonly Stmt[] =>
      this.#paddings.has(stmt) || (stmt.kind === "let" && this.#moved.has(stmt.bind.name))
        ? []
        : stmt.kind === "let"
          ? (this.#gathered.get(stmt.bind.name) ?? [stmt])
          : [stmt],
    );
    const isGathered = this.#gathered.size > 0;
    refuse(before, isGathered ? this.#misfits : [...this.#twice, ...this.#misfits]);
    refuse(this.#early, isGathered ? [...this.#twice, ...this.#earlyMisfits] : []);
    const found = isGathered
      ? [...targets.stmts, ...this.#early.stmts, ...body]
      : [...body, ...targets.stmts];
    return [
      ...found,
      ...before.stmts,
      ...writes.stmts,
      ...[...this.#paddings].map((stmt) => this.#stored(stmt)),
    ];
  }

  #part(part: Atom, into: Atom, key: Key, type: Type, places: Places): void {
    if (isWritable(type, this.#types)) {
      const target = places.targets.load("t", type, into, key);
      this.#onceOnly(target, places);
      this.whole(part, target, places);
    } else {
      places.writes.store(into, key, part);
    }
  }

  /** Checks that the object differs from those at other places of the same object. */
  #onceOnly(target: Atom, places: Places): void {
    const others = this.#targets.get(places) ?? [];
    for (const other of others)
      if (sameType(target.type, other.type) || isTypedArray(target.type))
        this.#misfit(areOneObject(places.targets, other, target), places, this.#twice);
    this.#targets.set(places, [...others, target]);
  }

  #array(from: Atom, into: Atom, elem: Type, places: Places): void {
    const { before, writes } = places;
    const listed = this.#listed(from);
    if (listed !== null) {
      this.#moved.set(nameOf(from), into);
      if (listed.padding !== null) this.#paddings.add(listed.padding);
      this.#sameLength(into, listed.padding?.to ?? num(listed.elems.length), places);
      listed.elems.forEach((value, i) => {
        writes.store(into, index(num(i)), value);
      });
      return;
    }
    if (this.#isGathered(from, elem)) return this.#gather(from, into, places);
    const length = before.length(from, "n");
    this.#sameLength(into, length, places);
    this.#copy(from, into, elem, length, writes);
  }

  #copy(from: Atom, into: Atom, elem: Type, length: Atom, b: Builder): void {
    const i: Var = { kind: "var", name: b.names.fresh("i"), type: NUM };
    const inner = b.nested();
    const value = inner.load("t", elem, from, index(i));
    if (isWritable(elem, this.#types)) {
      const target = inner.load("t", elem, into, index(i));
      // `new Array(n).fill(row)` has one row at all places. The first has no predecessor.
      refuse(inner, [
        inner.let("t", BOOL, {
          kind: "extern",
          text: ["", " === ", "[", " - 1]"],
          args: [target, into, i],
          effect: "pure",
        }),
      ]);
      this.whole(value, target, { targets: inner, before: inner, writes: inner });
    } else {
      inner.store(into, index(i), value);
    }
    b.emit({
      kind: "for",
      index: i,
      from: num(0),
      test: "<",
      to: length,
      step: 1,
      carried: [],
      body: inner.body(),
      binds: [],
    });
  }

  /**
   * Whether an array is allocated at the top level, as long as an argument, in a function that
   * reads no memory except arrays of numbers among its arguments.
   */
  #isGathered(atom: Atom, elem: Type): atom is Var {
    const expr = this.#defs.get(nameOf(atom));
    return (
      elem.kind === "num" &&
      expr !== undefined &&
      this.#likeOf(expr) !== null &&
      seesArraysAlone(this.#func, this.#types)
    );
  }

  /** The argument of the same length. */
  #likeOf(expr: Expr): Atom | null {
    const length = expr.kind === "alloc" ? this.#defs.get(nameOf(expr.length)) : undefined;
    const like =
      expr.kind === "zeros" ? expr.like : length?.kind === "length" ? length.object : null;
    return like !== null && this.#func.params.some(({ name }) => name === nameOf(like))
      ? like
      : null;
  }

  #gather(from: Var, into: Atom, { writes }: Places): void {
    const expr = this.#defs.get(from.name);
    if (expr?.kind !== "zeros" && expr?.kind !== "alloc") return;
    const b = new Builder(writes.names, this.#func.origin, true);
    const given = b.nested();
    const like = this.#likeOf(expr);
    if (like === null) return;
    const length = this.#early.length(like, "n");
    this.#earlyMisfits.push(this.#early.op("ne", this.#early.length(into), length));
    if (expr.kind === "zeros" || expr.fill !== null)
      given.emit({ kind: "fill", object: into, value: num(0), from: null, to: null });
    const sharing = this.#sharing(into);
    if (sharing === null) {
      b.stmts.push(...given.stmts, {
        kind: "let",
        bind: from,
        expr: { kind: "copy", atom: into },
        origin: this.#func.origin,
        adjoint: true,
      });
    } else {
      const shares = b.let("shares", BOOL, sharing);
      const own = b.nested();
      const copy = writes.nested();
      b.emit({
        kind: "if",
        cond: shares,
        then: own.body([own.let(from.name, from.type, expr)]),
        else: given.body([into]),
        binds: [from],
      });
      this.#copy(from, into, NUM, length, copy);
      writes.emit({
        kind: "if",
        cond: shares,
        then: copy.body(),
        else: writes.nested().body(),
        binds: [],
      });
    }
    this.#gathered.set(from.name, b.stmts);
  }

  /** `into === a || into.buffer === b.buffer`; null if no argument can share its memory. */
  #sharing(into: Atom): Expr | null {
    const isTyped = ({ type }: Atom): boolean => {
      const shape = resolve(type, this.#types);
      return shape.kind === "array" && shape.store !== "Array";
    };
    const others = this.#func.params.filter(
      (param) =>
        resolve(param.type, this.#types).kind === "array" && isTyped(param) === isTyped(into),
    );
    const [between, after] = isTyped(into) ? [".buffer === ", ".buffer"] : [" === ", ""];
    return others.length === 0
      ? null
      : {
          kind: "extern",
          text: [
            "",
            ...others.flatMap((_, i) => [
              between,
              i === others.length - 1 ? after : `${after} || `,
            ]),
          ],
          args: others.flatMap((other) => [into, other]),
          effect: "pure",
        };
  }

  /** Checks of arrays within arrays run in the loop over the outer array. */
  #sameLength(into: Atom, length: Atom, places: Places): void {
    this.#misfit(places.before.op("ne", places.before.length(into), length), places);
  }

  #misfit(misfit: Atom, places: Places, known = this.#misfits): void {
    if (places === this.last) known.push(misfit);
    else refuse(places.before, [misfit]);
  }

  /** The elements of an array literal that only gets zeros appended before it is returned. */
  #listed(atom: Atom): Listed | null {
    const expr = this.#defs.get(nameOf(atom));
    if (expr?.kind !== "array" || expr.parts.some(({ spread }) => spread)) return null;
    const elems = expr.parts.map((part) => part.atom);
    const isAppended = (stmt: Stmt): boolean =>
      stmt.kind === "append" && nameOf(stmt.object) === nameOf(atom);
    const padding =
      this.#func.body.stmts.find(
        (stmt): stmt is For => stmt.kind === "for" && stmt.body.stmts.some(isAppended),
      ) ?? null;
    const isFine =
      padding === null ||
      (padding.carried.length === 0 &&
        padding.step === 1 &&
        padding.test === "<" &&
        isNumber(padding.from) &&
        padding.from.value === elems.length &&
        padding.body.stmts.every((stmt) => stmt.kind === "append" && stmt.value.kind === "const"));
    return isFine && this.#usesOf(atom) === (padding === null ? 1 : 2) ? { elems, padding } : null;
  }

  /** The appends of zeros as stores. The loop counts the places. */
  #stored(loop: Stmt): Stmt {
    if (loop.kind !== "for") return loop;
    return mapBodies(loop, (body) => ({
      ...body,
      stmts: body.stmts.map((stmt): Stmt => {
        const into = stmt.kind === "append" ? this.#moved.get(nameOf(stmt.object)) : undefined;
        return stmt.kind !== "append" || into === undefined
          ? stmt
          : {
              kind: "store",
              object: into,
              key: index(loop.index),
              value: stmt.value,
              origin: stmt.origin,
              adjoint: true,
            };
      }),
    }));
  }

  #usesOf(atom: Atom): number {
    return this.#uses.get(nameOf(atom)) ?? 0;
  }
}

const nameOf = (atom: Atom): string => (atom.kind === "var" ? atom.name : "");

// refuse(b, [misfit, …])   ->   if (misfit || …) throw new RangeError("TSG0020: …")
function refuse(b: Builder, [first, ...others]: readonly Atom[]): void {
  if (first === undefined) return;
  const misfit = others.reduce((sum, other) => b.op("or", sum, other), first);
  const then = b.nested();
  then.raise("RangeError", MISFIT);
  b.emit({ kind: "if", cond: misfit, then: then.body(), else: b.nested().body(), binds: [] });
}

/** Whether a function reads no memory except argument arrays of numbers, of fixed lengths. */
function seesArraysAlone(func: Func, types: Types): boolean {
  const isFlat = (type: Type): boolean => {
    const shape = resolve(type, types);
    return (
      !hasNumbers(type, types) ||
      shape.kind === "num" ||
      (shape.kind === "array" && shape.elem.kind === "num")
    );
  };
  let isAlone = func.params.every(({ type }) => isFlat(type) && !holdsOpaque(type, types));
  walkAtoms(func.body, (atom) => {
    if (atom.kind === "global" && atom.type.kind !== "num") isAlone = false;
  });
  const isParam = (atom: Atom): boolean => func.params.some(({ name }) => name === nameOf(atom));
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "append" && isParam(stmt.object)) isAlone = false;
    if (
      stmt.kind === "let" &&
      (stmt.expr.kind === "lambda" ||
        (stmt.expr.kind === "call" && stmt.expr.pure !== true) ||
        (stmt.expr.kind === "extern" && stmt.expr.effect !== "pure") ||
        stmt.expr.kind === "removeLast")
    )
      isAlone = false;
  });
  return isAlone;
}

const MISFIT =
  "TSG0020: what the derivative is to be written into has an array of another length, or one array at two places";
