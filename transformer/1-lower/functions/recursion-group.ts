// Finishes mutually recursive functions as functions of the program.
// Input: bodies whose calls of each other lack captured variables. Output: functions with complete
// calls. Captured variables are further parameters. Variables that a function, or one that it
// calls, assigns outside are further results.

import { field } from "../../ir/build.ts";
import { calleesIn, type CallLet, callsIn, isCall } from "../../ir/calls.ts";
import { baseName } from "../../ir/names.ts";
import { hasNumbers, isScalarType } from "../../ir/shadow.ts";
import type { Body, Func, Stmt, Type, Var } from "../../ir/types.ts";
import { mapBodies } from "../../ir/visit.ts";
import { asOptional, unwrap } from "../coerce.ts";
import type { Frame } from "../frame.ts";
import { surroundingsOf, withDistinctNames } from "./lambda-lifting.ts";
import type { Recursion, Surroundings } from "../function-values.ts";

/** A function that has a body. */
export type Member = Recursion & { readonly body: Body };

/** Adds the group to the program. */
export function finish(f: Frame, group: readonly Member[]): void {
  for (const [member, surroundings] of surroundingsOfAll(group)) member.surroundings = surroundings;
  for (const member of group)
    f.ctx.addLifted({
      name: member.name,
      home: member.name,
      ...functionOf(f, member, group),
      origin: f.ctx.originOf(member.node),
    });
}

/** Whether a derivative that a body requests calls one of them: such calls cannot be completed. */
export const isCalledElsewhere = (group: readonly Member[]): boolean =>
  group.some(
    (member) =>
      group.flatMap(({ body }) => callsIn(body)).filter(({ expr }) => expr.callee === member.name)
        .length < member.calls,
  );

interface Captured {
  readonly seen: Map<string, Var>;
  readonly assigned: Map<string, Var>;
  readonly own: ReadonlySet<string>;
  readonly callees: ReadonlySet<string>;
}

/** The captured variables of each function and of its callees, as a fixed point. */
function surroundingsOfAll(group: readonly Member[]): ReadonlyMap<Member, Surroundings> {
  const found = new Map(
    group.map((member): [Member, Captured] => {
      const { read, assigned, own } = surroundingsOf(member.body, member.params);
      const seen = new Map([...read, ...assigned]);
      const callees = calleesIn(member.body);
      return [member, { seen, assigned: new Map(assigned), own, callees }];
    }),
  );
  const size = (): number =>
    [...found.values()].reduce((sum, { seen, assigned }) => sum + seen.size + assigned.size, 0);
  for (let before = -1; before < size();) {
    before = size();
    for (const caller of found.values())
      for (const [callee, captured] of found)
        if (caller.callees.has(callee.name)) addCaptured(caller, captured);
  }
  return new Map(
    [...found].map(([member, { seen, assigned }]) => [
      member,
      { seen: [...seen.values()], assigned: [...assigned.values()] },
    ]),
  );
}

function addCaptured({ seen, assigned, own }: Captured, callee: Captured): void {
  for (const [name, variable] of callee.seen) if (!own.has(name)) seen.set(name, variable);
  for (const [name, variable] of callee.assigned) if (!own.has(name)) assigned.set(name, variable);
}

/** The function with complete calls. A captured variable that it assigns starts as a parameter. */
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

/** Whether a variable may be unassigned yet and holds an aggregate, which then has no shadow. */
const mayBeUnset = (f: Frame, { name, type }: Var): boolean =>
  f.uninitialised.has(name) && hasNumbers(type, f.ctx.types) && !isScalarType(type);

const passedType = (f: Frame, variable: Var): Type =>
  mayBeUnset(f, variable) ? { kind: "opt", of: variable.type } : variable.type;

const surroundingsIn = ({ surroundings }: Recursion): Surroundings =>
  surroundings ?? { seen: [], assigned: [] };

/** The lifted function's result: its own, or a tuple of that and the variables it assigns. */
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

/** The call with captured variables as arguments; assigned ones are updated from the result. */
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
      const results = f.let("t", resultOf(f, recursion), { ...expr, args });
      const first = recursion.result.kind === "void" ? 0 : 1;
      if (first > 0)
        b.emit({ kind: "let", bind, expr: { kind: "load", object: results, key: field("0") } });
      for (const [i, variable] of assigned.entries()) {
        const name = baseName(variable.name);
        const key = field(String(first + i));
        const value = b.load(name, passedType(f, variable), results, key);
        f.assign(variable, unwrap(f, value, name));
      }
    }
    return b.stmts;
  } finally {
    f.b = outer;
  }
}
