// Turns early exits into nested ifs and exit flags. Input: a raw Program; output: one without
// `break`, `continue`, `return`, `scope` and `loop`. Labels are removed one at a time, inner ones
// first (exits.ts). A loop that is left early tests a flag, and the exit continues after the loop.
// Invariant: effects keep their order, and the size stays linear. Follows goto elimination (Erosa,
// Hendren).

import { bool, Builder } from "../../ir/build.ts";
import { invariant } from "../../ir/invariant.ts";
import { Names } from "../../ir/names.ts";
import type { Types } from "../../ir/shadow.ts";
import type {
  Atom,
  Body,
  For,
  Func,
  If,
  Loop,
  Origin,
  Program,
  Return,
  Scope,
  Stmt,
  Var,
  While,
} from "../../ir/types.ts";
import { definedVars, unreachable, walkStmts } from "../../ir/visit.ts";
import { completes, eliminate, exitKeys, exitTo, flagFor, type Flags } from "./exits.ts";
import { effectOfTest, guardTest, indexStep, isAlways, whileOf } from "../control/loop-test.ts";
import { redirectStoppedWrites } from "./stopped-writes.ts";
import { unset } from "./ssa.ts";

/** The region key of the function; distinct from `break L` and `continue L`, the keys of labels. */
const RETURN = "return";
const breakOf = (label: string): string => `break ${label}`;
const continueOf = (label: string): string => `continue ${label}`;

/** The regions around a construct. */
interface Around {
  readonly flags: Flags;
  /** Scopes by label, with the variable that their `return`s assign. */
  readonly scopes: ReadonlyMap<string, Var | null>;
  /** The variable that the function's own `return`s assign; null where it returns nothing. */
  readonly result: Var | null;
  readonly types: Types;
}

export function structure(program: Program): Program {
  invariant(program.stage === "raw", "structure runs before ssa");
  return {
    ...program,
    funcs: new Map(
      [...program.funcs].map(([name, func]) => [
        name,
        structureFunc(redirectStoppedWrites(func), program.types),
      ]),
    ),
  };
}

function structureFunc(func: Func, types: Types): Func {
  const names = new Names([...func.params, ...definedVars(func.body)].map((v) => v.name));
  const flags: Flags = { names, byKey: new Map(), alreadySet: new Set() };
  const returns = ownReturns(func.body);
  const last = func.body.stmts.at(-1);
  const around = (result: Var | null): Around => ({ flags, scopes: new Map(), result, types });

  // in the usual case, one `return` at the end, no variable is needed
  if (returns.length === 0 || (returns.length === 1 && returns[0] === last)) {
    const value = last?.kind === "return" ? last.value : func.body.result[0];
    const stmts = region(
      convert(returns.length === 0 ? func.body.stmts : func.body.stmts.slice(0, -1), around(null)),
      RETURN,
      flags,
    );
    return {
      ...func,
      body: {
        stmts,
        result: func.result.kind === "void" ? [] : [value ?? unset(func.result, types)],
      },
    };
  }
  if (func.result.kind === "void") {
    return {
      ...func,
      body: { stmts: region(convert(func.body.stmts, around(null)), RETURN, flags), result: [] },
    };
  }
  const result: Var = { kind: "var", name: names.fresh("result"), type: func.result };
  const stmts = convert(withResult(func.body, result, func.origin), around(result));
  return {
    ...func,
    body: {
      stmts: [
        declare(result, unset(func.result, types), func.origin),
        ...region(stmts, RETURN, flags),
      ],
      result: [result],
    },
  };
}

/** The `return`s of the function itself, not of inlined closures. */
function ownReturns(body: Body): readonly Return[] {
  const labels = new Set<string>();
  const returns: Return[] = [];
  walkStmts(body, (stmt) => {
    if (stmt.kind === "scope") labels.add(stmt.label);
    if (stmt.kind === "return") returns.push(stmt);
  });
  return returns.filter((stmt) => !labels.has(stmt.label));
}

/** The statements, followed by the assignment of the body's result, if it has one. */
function withResult(body: Body, result: Var | null, origin: Origin): readonly Stmt[] {
  const value = body.result[0];
  return result === null || value === undefined
    ? body.stmts
    : [...body.stmts, assign(result, value, origin)];
}

const declare = (variable: Var, init: Atom | null, origin: Origin): Stmt => ({
  kind: "declare",
  variable,
  init,
  origin,
});
const assign = (variable: Var, value: Atom, origin: Origin): Stmt => ({
  kind: "assign",
  variable,
  value,
  origin,
});

/** Removes the exits to `key`; its flag is declared first, if one is needed. */
function region(stmts: readonly Stmt[], key: string, flags: Flags): Stmt[] {
  const out = eliminate(stmts, key, false, flags);
  const flag = flags.byKey.get(key);
  flags.byKey.delete(key);
  const origin = stmts[0]?.origin;
  return flag === undefined || origin === undefined
    ? out
    : [declare(flag, bool(false), origin), ...out];
}

/** Rewrites all constructs. Exits of the regions around `stmts` remain, outside of loops. */
function convert(stmts: readonly Stmt[], around: Around): Stmt[] {
  return stmts.flatMap((stmt) => convertStmt(stmt, around));
}

// eslint-disable-next-line complexity -- flat exhaustive switch over Stmt kinds
function convertStmt(stmt: Stmt, around: Around): readonly Stmt[] {
  switch (stmt.kind) {
    case "let":
    case "store":
    case "accum":
    case "append":
    case "fill":
    case "push":
    case "reserve":
    case "throw":
    case "declare":
    case "assign":
      return [stmt];
    case "break":
      return [exitTo(breakOf(stmt.label), stmt.origin)];
    case "continue":
      return [exitTo(continueOf(stmt.label), stmt.origin)];
    case "return":
      return convertReturn(stmt, around);
    case "scope":
      return convertScope(stmt, around);
    case "if":
      return convertIf(stmt, around);
    case "for":
    case "while":
      return convertLoop(
        { kind: "loop", label: "", loop: stmt, update: null, origin: stmt.origin },
        around,
      );
    case "loop":
      return convertLoop(stmt, around);
    default:
      return unreachable(stmt);
  }
}

// return x  ->  result = x ; exit
function convertReturn(stmt: Return, around: Around): readonly Stmt[] {
  const inScope = around.scopes.has(stmt.label);
  const result = inScope ? (around.scopes.get(stmt.label) ?? null) : around.result;
  const exit = exitTo(inScope ? breakOf(stmt.label) : RETURN, stmt.origin);
  return result === null
    ? [exit]
    : [assign(result, stmt.value ?? unset(result.type, around.types), stmt.origin), exit];
}

// scope L -> (x) { p }  ->  x ; p without exits of L
function convertScope(stmt: Scope, around: Around): readonly Stmt[] {
  const inner: Around = { ...around, scopes: new Map([...around.scopes, [stmt.label, stmt.bind]]) };
  const stmts = region(
    convert(withResult(stmt.body, stmt.bind, stmt.origin), inner),
    breakOf(stmt.label),
    around.flags,
  );
  return stmt.bind === null ? stmts : [declare(stmt.bind, null, stmt.origin), ...stmts];
}

function convertIf(stmt: If, around: Around): readonly Stmt[] {
  const onThen = convert(stmt.then.stmts, around);
  const onElse = convert(stmt.else.stmts, around);
  if (stmt.binds.length === 0 || exitKeys([...onThen, ...onElse]).size === 0) {
    return [
      { ...stmt, then: { ...stmt.then, stmts: onThen }, else: { ...stmt.else, stmts: onElse } },
    ];
  }
  // later statements may move into the branches, so the results become variables
  const finish = (stmts: readonly Stmt[], body: Body): Body => ({
    stmts: completes(stmts)
      ? [
          ...stmts,
          ...stmt.binds.map((bind, at) =>
            assign(bind, body.result[at] ?? unset(bind.type, around.types), stmt.origin),
          ),
        ]
      : stmts,
    result: [],
  });
  return [
    ...stmt.binds.map((bind) => declare(bind, null, stmt.origin)),
    { ...stmt, binds: [], then: finish(onThen, stmt.then), else: finish(onElse, stmt.else) },
  ];
}

// loop L { while test { p ; break L } update }
//   ->  done = false ; while !done && test { p ; done = true }
// loop L { p ; return x }
//   ->  while !done && test { p ; result = x ; done = true } ; if done { exit }
function convertLoop(stmt: Loop, around: Around): readonly Stmt[] {
  const { flags } = around;
  const { origin } = stmt;
  const own = breakOf(stmt.label);
  const update = convert(stmt.update?.stmts ?? [], around);
  let loop = stmt.loop;
  let body = [
    ...region(convert(loop.body.stmts, around), continueOf(stmt.label), flags),
    ...update,
  ];
  if (loop.kind === "while") {
    const test: Body = { ...loop.test, stmts: convert(loop.test.stmts, around) };
    invariant(exitKeys(test.stmts).size === 0, "an exit out of a loop's test");
    loop = { ...loop, test };
    if (effectOfTest(test)) {
      body = [...testFirst(test, own, origin), ...body];
      loop = { ...loop, test: { stmts: [], result: [bool(true)] } };
    }
  }

  const keys = [...exitKeys(body)];
  if (keys.length === 0) return [withBody(loop, body)];
  invariant(loop.carried.length === 0, "a raw loop with exits and carried values");
  for (const key of keys) {
    flagFor(key, flags);
    body = eliminate(body, key, true, flags);
  }
  const tested = keys.map((key) => flagFor(key, flags));
  // the test implies that no flag is set; assigning false lets a flag equal the exit's condition
  body.unshift(...tested.map((flag) => assign(flag, bool(false), origin)));
  const outer = keys.filter((key) => key !== own);
  const before: Stmt[] = keys.includes(own)
    ? [declare(flagFor(own, flags), bool(false), origin)]
    : [];
  flags.byKey.delete(own);

  const always = loop.kind === "while" && isAlways(loop.test);
  if (loop.kind === "for") {
    before.push(declare(loop.index, loop.from, origin));
    body.push(...indexStep(loop, flags.names));
  }
  const test = guardTest(
    whileOf(loop, flags.names).test,
    tested,
    new Builder(flags.names, origin, false),
  );
  const left: While = {
    kind: "while",
    origin,
    carried: [],
    binds: [],
    test,
    body: { stmts: body, result: [] },
    ...(loop.schedule === undefined ? {} : { schedule: loop.schedule }),
  };
  return [
    ...before,
    left,
    ...exitsAfter(outer, always && outer.length === keys.length, origin, flags),
  ];
}

/** The exits after a loop to regions further out. `certain`: nothing else ends the loop. */
function exitsAfter(
  keys: readonly string[],
  certain: boolean,
  origin: Origin,
  flags: Flags,
): Stmt[] {
  return keys.map((key, at) => {
    const exit = exitTo(key, origin);
    flags.alreadySet.add(exit);
    if (certain && at === keys.length - 1) return exit;
    return {
      kind: "if",
      cond: flagFor(key, flags),
      then: { stmts: [exit], result: [] },
      else: { stmts: [], result: [] },
      binds: [],
      origin,
    };
  });
}

/** A test with effects becomes the first part of the body: `if test {} else { break }`. */
function testFirst(test: Body, own: string, origin: Origin): Stmt[] {
  const cond = test.result[0];
  invariant(cond !== undefined, "a loop's test without a result");
  const nothing: Body = { stmts: [], result: [] };
  return [
    ...test.stmts,
    {
      kind: "if",
      cond,
      then: nothing,
      else: { stmts: [exitTo(own, origin)], result: [] },
      binds: [],
      origin,
    },
  ];
}

function withBody(loop: For | While, stmts: readonly Stmt[]): For | While {
  return { ...loop, body: { ...loop.body, stmts } };
}
