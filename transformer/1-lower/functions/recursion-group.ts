// Functions that call each other, as functions of the program. In: their bodies, whose calls of each other lack what these see of their surroundings. Out: functions, and calls
// that have it. Invariant: what a function sees of its surroundings are further parameters; what it or one that it calls assigns there are further results.

import type ts from "typescript";
import { field } from "../../ir/build.ts";
import { calleesIn, type CallLet, callsIn, isCall } from "../../ir/calls.ts";
import { baseName } from "../../ir/names.ts";
import { hasNumbers, isScalarType } from "../../ir/shadow.ts";
import type { Body, Func, Stmt, Type, Var } from "../../ir/types.ts";
import { mapBodies } from "../../ir/visit.ts";
import { asOptional, unwrap } from "../coerce.ts";
import type { Env, Fn, Frame } from "../frame.ts";
import { surroundingsOf, withDistinctNames } from "./lambda-lifting.ts";

/** A function for what a call has fixed, as one of the program. */
export interface Recursion {
  readonly node: ts.FunctionLikeDeclaration;
  readonly env: Env;
  /** The functions that it is handed, by position. */
  readonly fns: ReadonlyMap<number, Fn>;
  readonly name: string;
  readonly params: readonly Var[];
  /** Which of the arguments these are, or the object that a method is called on. */
  readonly places: readonly (number | "self")[];
  readonly result: Type;
  /** Its own place among the frame's recursions. */
  readonly place: number;
  /** Null while it is being lowered. */
  body: Body | null;
  /** The place of the outermost function that it calls of those that are being made, itself included. */
  outermost: number;
  /** Null until all that call each other have bodies. */
  surroundings: Surroundings | null;
  /** How often functions that are being made call it. */
  calls: number;
}

interface Surroundings {
  /** What it reads, or assigns. */
  readonly seen: readonly Var[];
  /** What of it it assigns. */
  readonly assigned: readonly Var[];
}

/** A function that has a body. */
export type Member = Recursion & { readonly body: Body };

/** Makes them functions of the program. */
export function finish(f: Frame, group: readonly Member[]): void {
  for (const [member, surroundings] of surroundingsOfAll(group)) member.surroundings = surroundings;
  for (const member of group)
    f.ctx.lifted({
      name: member.name,
      home: member.name,
      ...functionOf(f, member, group),
      origin: f.ctx.originOf(member.node),
    });
}

/** Whether a body asks for a derivative that calls one of them: that is a function of its own, whose calls stay incomplete. */
export const isCalledElsewhere = (group: readonly Member[]): boolean =>
  group.some(
    (member) =>
      group.flatMap(({ body }) => callsIn(body)).filter(({ expr }) => expr.callee === member.name)
        .length < member.calls,
  );

/** A function sees what its body names, and what those see that it calls, but for what it makes itself. */
function surroundingsOfAll(group: readonly Member[]): ReadonlyMap<Member, Surroundings> {
  const found = new Map(
    group.map((member) => {
      const { read, assigned, own } = surroundingsOf(member.body, member.params);
      return [
        member,
        {
          seen: new Map([...read, ...assigned]),
          assigned: new Map(assigned),
          own,
          callees: calleesIn(member.body),
        },
      ];
    }),
  );
  const size = (): number =>
    [...found.values()].reduce((sum, { seen, assigned }) => sum + seen.size + assigned.size, 0);
  for (let before = -1; before < size();) {
    before = size();
    for (const { seen, assigned, own, callees } of found.values()) {
      for (const [callee, beyond] of found) {
        if (!callees.has(callee.name)) continue;
        for (const [name, variable] of beyond.seen) if (!own.has(name)) seen.set(name, variable);
        for (const [name, variable] of beyond.assigned)
          if (!own.has(name)) assigned.set(name, variable);
      }
    }
  }
  return new Map(
    [...found].map(([member, { seen, assigned }]) => [
      member,
      { seen: [...seen.values()], assigned: [...assigned.values()] },
    ]),
  );
}

/** The body, its calls completed. What it assigns outside starts as a parameter. */
function functionOf(
  f: Frame,
  member: Member,
  group: readonly Member[],
): Pick<Func, "params" | "body" | "result"> {
  const { body, params } = member;
  const { seen, assigned } = surroundingsIn(member);
  const complete = (inner: Body): Body => ({
    ...inner,
    stmts: inner.stmts.flatMap((stmt) => {
      const called = isCall(stmt) ? group.find(({ name }) => stmt.expr.callee === name) : undefined;
      return isCall(stmt) && called !== undefined
        ? completed(f, called, stmt)
        : [mapBodies(stmt, complete)];
    }),
  });
  const given = seen.map((variable): Var =>
    assigned.includes(variable) || mayBeUnset(f, variable)
      ? { ...variable, name: f.names.fresh(baseName(variable.name)), type: passedType(f, variable) }
      : variable,
  );
  const whole = f.nested(() => {
    for (const [i, param] of given.entries()) {
      const variable = seen[i];
      if (variable === undefined || param === variable) continue;
      if (assigned.includes(variable))
        f.b.emit({ kind: "declare", variable, init: unwrap(f, param) });
      else f.b.emit({ kind: "let", bind: variable, expr: { kind: "unwrap", value: param } });
    }
    f.b.stmts.push(...complete(body).stmts);
    return assigned.length === 0
      ? body.result
      : [
          f.let("t", resultOf(f, member), {
            kind: "tuple",
            elems: [
              ...body.result,
              ...assigned.map((variable) =>
                f.let("t", passedType(f, variable), { kind: "copy", atom: variable }),
              ),
            ],
          }),
        ];
  });
  return { ...withDistinctNames([...params, ...given], whole), result: resultOf(f, member) };
}

/** Whether an object is in a variable that may have none yet: there is no shadow of what is not there. */
const mayBeUnset = (f: Frame, { name, type }: Var): boolean =>
  f.unset.has(name) && hasNumbers(type, f.ctx.types) && !isScalarType(type);

const passedType = (f: Frame, variable: Var): Type =>
  mayBeUnset(f, variable) ? { kind: "opt", of: variable.type } : variable.type;

const surroundingsIn = ({ surroundings }: Recursion): Surroundings =>
  surroundings ?? { seen: [], assigned: [] };

/** What the function gives: its result, or a tuple of that and of what it assigns outside. */
function resultOf(f: Frame, recursion: Recursion): Type {
  const { result } = recursion;
  const { assigned } = surroundingsIn(recursion);
  return assigned.length === 0
    ? result
    : {
        kind: "tuple",
        elems: [
          ...(result.kind === "void" ? [] : [result]),
          ...assigned.map((variable) => passedType(f, variable)),
        ],
      };
}

/** The call with what the function sees; what it assigns outside is taken from its result. */
export function completed(
  f: Frame,
  recursion: Recursion,
  { bind, expr, origin }: CallLet,
): readonly Stmt[] {
  const { seen, assigned } = surroundingsIn(recursion);
  const outer = f.b;
  const b = outer.nested();
  b.origin = origin;
  f.b = b;
  try {
    const args = [
      ...expr.args,
      ...seen.map((variable) => (mayBeUnset(f, variable) ? asOptional(f, variable) : variable)),
    ];
    if (assigned.length === 0) b.emit({ kind: "let", bind, expr: { ...expr, args } });
    else {
      const list = f.let("t", resultOf(f, recursion), { ...expr, args });
      const first = recursion.result.kind === "void" ? 0 : 1;
      if (first > 0)
        b.emit({ kind: "let", bind, expr: { kind: "load", object: list, key: field("0") } });
      for (const [i, variable] of assigned.entries())
        f.assign(
          variable,
          unwrap(
            f,
            b.load(
              baseName(variable.name),
              passedType(f, variable),
              list,
              field(String(first + i)),
            ),
            baseName(variable.name),
          ),
        );
    }
    return b.stmts;
  } finally {
    f.b = outer;
  }
}
