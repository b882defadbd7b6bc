// Inlines calls before differentiation and optimises the result. Input: an SSA program and its call
// sites. Output: the program after inlining, and the same prepared for differentiation.

import { activeCalls, isWritten, memoryOf, overlap } from "../2-analyse/index.ts";
import { inline, inlinedAway } from "../4-optimise/calls/inline.ts";
import { withGuards } from "../3-differentiate/finite.ts";
import { prepare } from "../4-optimise/index.ts";
import { indexAppends } from "../4-optimise/loops/index-appends.ts";
import { liftGlobals } from "../4-optimise/memory/lift-globals.ts";
import { type JoinContext, withJoinedFields } from "../4-optimise/records/join-fields.ts";
import type { Group } from "./groups.ts";
import { isSweepable } from "../ir/derivation.ts";
import { bogType, revf } from "../ir/names.ts";
import { shadowType } from "../ir/shadow.ts";
import type { Derived } from "../ir/facts.ts";
import type { Func, NamedType, Program, Type } from "../ir/types.ts";

/** Statements up to which a callee is inlined: a little more than V8 inlines. */
const INLINE_SIZE = 60;

/**
 * Statements that all inlined calls of one function may add up to. A call that is not inlined
 * leaves a BOG on the heap; inlined, its residuals are locals or go to the tape.
 */
const INLINE_TOTAL = 400;

/** The same of emitted code, which runs whether its calls are inlined or not. */
const EMITTED_TOTAL = 120;

/** `flat`: calls are inlined. `inlined`: its functions are also prepared for differentiation. */
export function inlineCalls(
  program: Program,
  { sites, marked }: Group,
): { readonly flat: Program; readonly inlined: Program } {
  const lifted = liftWrittenGlobals(program);
  const active = activeCalls(lifted, sites, marked);
  const flat = joined(
    inline(lifted, {
      maxSize: INLINE_SIZE,
      maxTotal: INLINE_TOTAL,
      isWanted: (caller, bind) => active.has(`${caller} ${bind}`),
      isKept: isNeverInlined(lifted),
    }),
  );
  const requested = new Set([...sites.map(({ target }) => target), ...marked]);
  const away = inlinedAway(lifted, flat);
  const isDone = ({ name, shipped, isLifted: made }: Func): boolean =>
    shipped === true || (made !== true && away.has(name) && !requested.has(name));
  const inlined = { ...flat, types: withShippedBogs(flat), funcs: prepared(flat, isDone) };
  return { flat, inlined };
}

/**
 * The functions that are emitted, with the parts of rules and the nested derivatives inlined, which
 * had to stay calls until their callers were differentiated.
 */
export function inlineEmitted(
  items: readonly Derived[],
  program: Program,
  isCalledOutside: (name: string) => boolean,
): readonly Derived[] {
  const funcs = new Map(
    items.flatMap((item) => (item.kind === "func" ? [[item.func.name, item.func] as const] : [])),
  );
  const parts = new Set([...program.funcs.values()].flatMap(partsOfRules));
  const flat = inline(
    { ...program, funcs },
    {
      roots: [...funcs.keys()].filter(isCalledOutside),
      maxSize: 0,
      maxTotal: EMITTED_TOTAL,
      isKept: (callee) => !parts.has(callee),
    },
  );
  return items.map((item) =>
    item.kind === "func" ? { ...item, func: flat.funcs.get(item.func.name) ?? item.func } : item,
  );
}

const partsOfRules = ({ name, rule, onceOf, derivation }: Func): readonly string[] => [
  ...(rule === undefined && onceOf === undefined && derivation === undefined ? [] : [name]),
  ...(rule?.once === undefined ? [] : [rule.once.back]),
];

/** The program of one nested derivative, with its calls inlined. */
export function inlineNested(program: Program): Program {
  const lifted = liftWrittenGlobals(program);
  const flat = joined(inline(lifted, { maxSize: INLINE_SIZE, isKept: isNeverInlined(program) }));
  const isDone = ({ shipped, derivation }: Func): boolean =>
    shipped === true || derivation !== undefined;
  return { ...flat, funcs: prepared(flat, isDone) };
}

const joined = (program: Program): Program =>
  withGuards(withJoinedFields(indexAppends(program), joinContexts));

const prepared = (
  { funcs, types }: Program,
  isDone: (func: Func) => boolean,
): ReadonlyMap<string, Func> =>
  new Map([...funcs].map(([name, func]) => [name, isDone(func) ? func : prepare(func, types)]));

/**
 * Passes globals whose memory is written, directly or by a callee, to the callees as parameters.
 */
function liftWrittenGlobals(program: Program): Program {
  const graphs = memoryOf(program.funcs, program.types);
  return liftGlobals(program, (name) => graphs.get(name)?.writtenGlobals() ?? []);
}

function joinContexts({ funcs, types }: Program): (func: Func) => JoinContext | null {
  const graphs = memoryOf(funcs, types);
  return ({ name }) => {
    const memory = graphs.get(name);
    if (memory === undefined) return null;
    return {
      types,
      isWritten: (object) => isWritten(object, memory),
      overlap: (x, z) => overlap(x, z, memory),
    };
  };
}

/** Whether a callee must stay a call, since reverse code calls its derivative by name. */
function isNeverInlined({ funcs }: Program): (callee: string) => boolean {
  // A loop that is reversed by a checkpoint schedule calls its body as a function.
  const loopBodies = new Set([...funcs.values()].flatMap((func) => func.outlined?.iteration ?? []));
  return (callee) => {
    const func = funcs.get(callee);
    return (
      func !== undefined &&
      (func.isSweep === true ||
        func.rule !== undefined ||
        func.onceOf !== undefined ||
        func.outlined !== undefined ||
        loopBodies.has(callee) ||
        (func.derivation !== undefined && !isSweepable(func, funcs)))
    );
  };
}

/** Adds the BOG types of shipped functions. Only their leading fields are known. */
function withShippedBogs({ funcs, types, homes }: Program): ReadonlyMap<string, NamedType> {
  const all = new Map(types);
  const scope = [...new Set([...homes.values()].map(({ file }) => file))];
  for (const func of funcs.values()) {
    if (func.shipped !== true) continue;
    const { result } = func;
    const forward = revf(homes.get(func.home)?.name ?? func.name, null);
    all.set(bogType(func.name, null), {
      type: { kind: "tuple", elems: leadingFields(result, shadowType(result, types)) },
      text: `ReturnType<typeof ${forward}>`,
      scope,
    });
  }
  return all;
}

function leadingFields(result: Type, shadow: Type | null): readonly Type[] {
  if (result.kind === "void") return [];
  return shadow === null || result.kind === "num" ? [result] : [result, shadow];
}
