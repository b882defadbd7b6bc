// Fragments of derivative code that several constructs share: fresh variables, guards, counting
// loops, tuples. Each function appends to a builder or returns one statement. Invariant: names are
// made in the order in which the code is written.

import { BOOL, type Builder, NUM, num } from "../ir/build.ts";
import type { Names } from "../ir/names.ts";
import type { Atom, Body, Expr, For, Func, Let, Origin, Type, Var } from "../ir/types.ts";

export const UNDEFINED: Atom = {
  kind: "const",
  type: { kind: "leaf", text: "undefined" },
  value: undefined,
};

export const freshNumber = (names: Names, wanted: string): Var => ({
  kind: "var",
  name: names.fresh(wanted),
  type: NUM,
});

/** A statement of cotangent or tangent code. */
export const adjointLet = (bind: Var, expr: Expr, origin: Origin): Let => ({
  kind: "let",
  bind,
  expr,
  origin,
  adjoint: true,
});

/** `for (let index = 0; index < to; index++) body` */
export const countTo = (index: Var, to: Atom, body: Body): Omit<For, "origin" | "adjoint"> => ({
  kind: "for",
  index,
  from: num(0),
  test: "<",
  to,
  step: 1,
  carried: [],
  body,
  binds: [],
});

/** `if (cond) { write }` */
export function when(b: Builder, cond: Atom, write: (then: Builder) => void): void {
  const then = b.nested();
  write(then);
  b.emit({ kind: "if", cond, then: then.body(), else: b.nested().body(), binds: [] });
}

/** `if (value !== undefined) { write }` */
export function whenDefined(b: Builder, value: Atom, write: (then: Builder) => void): void {
  when(b, b.let("t", BOOL, { kind: "present", value }), write);
}

export function tuple(b: Builder, elems: readonly Atom[], labels?: readonly string[]): Var {
  const type: Type = {
    kind: "tuple",
    elems: elems.map((elem) => elem.type),
    ...(labels === undefined ? {} : { labels }),
  };
  return b.let("t", type, { kind: "tuple", elems });
}

export function record(
  b: Builder,
  fields: readonly { readonly name: string; readonly value: Atom }[],
): Var {
  const types = fields.map(({ name, value }) => ({ name, type: value.type }));
  return b.let("t", { kind: "record", fields: types }, { kind: "record", fields });
}

/** The type of a tuple's element; a number where the type is no tuple. */
export const elementType = (type: Type, i: number): Type =>
  type.kind === "tuple" ? (type.elems[i] ?? NUM) : NUM;

/** What a derived function with `added` more parameters takes over of its primal's signature. */
export const signatureText = (
  { listed, paramText }: Func,
  added: number,
): Pick<Func, "listed" | "paramText"> => ({
  ...(listed === undefined ? {} : { listed }),
  ...(paramText === undefined
    ? {}
    : { paramText: [...paramText, ...Array.from({ length: added }, () => null)] }),
});
