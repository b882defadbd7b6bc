// Inlines calls of small known functions; the functions themselves stay. Not inlined: recursive
// functions, large ones, and calls in the test of a loop, which must stay cheap to judge.
// Invariant: a body moves only where its outer names mean the same, and no local name shadows one
// of them.

import { calleesIn, callsIn, isRecursive } from "../../ir/calls.ts";
import { invariant } from "../../ir/invariant.ts";
import { baseName, withHint, Names, preferredName } from "../../ir/names.ts";
import { sameType } from "../../ir/print.ts";
import { identifiersIn } from "../../ir/identifiers.ts";
import { isScalarType, resolve } from "../../ir/shadow.ts";
import type { Atom, Body, Func, Let, Program, Stmt, Type, Var } from "../../ir/types.ts";
import { renameVars, substitute } from "../../ir/rename.ts";
import {
  definedVars,
  mapAtoms,
  mapBodies,
  stmtBinds,
  walkAtoms,
  walkStmts,
} from "../../ir/visit.ts";

export interface InlineOptions {
  /** Functions to start from; those that they call are visited, too; others stay. Absent: all. */
  readonly roots?: Iterable<string>;
  /** Limit on the statements, nested ones included, of an inlined body. */
  readonly maxSize: number;
  /** Limit on the statements of all copies of one function; `maxSize` is always allowed. */
  readonly maxTotal?: number;
  /** Whether a call is worth inlining, by the caller's name and the bound name; absent: all. */
  readonly isWanted?: (caller: string, bind: string) => boolean;
  /** Functions whose calls stay calls. */
  readonly isKept?: (callee: string) => boolean;
}

/** A body this small is no longer than its call. */
const TINY = 4;

/** Limits for a body that computes from the fields of small objects. */
const SHORT = 16;
const FEW = 4;

export function inline(program: Program, options: InlineOptions): Program {
  invariant(program.stage === "ssa", "inlining needs single assignment");
  const recursive = recursiveOf(program.funcs);
  const calls = callsOf(usedOf(program.funcs, options.roots));
  const sizes = (callee: string): number =>
    Math.max(options.maxSize, (options.maxTotal ?? 0) / (calls.get(callee) ?? 1));
  const done = new Map<string, Func>();
  const visit = (name: string): void => {
    const func = program.funcs.get(name);
    if (func === undefined || done.has(name)) return;
    done.set(name, func);
    // Callees first, so that calls in an inlined body are inlined already.
    for (const callee of calleesIn(func.body)) visit(callee);
    done.set(
      name,
      new Inliner({ program, done, recursive, caller: func, options, maxSize: sizes }).func(),
    );
  };
  for (const name of options.roots ?? program.funcs.keys()) visit(name);
  return {
    ...program,
    funcs: new Map([...program.funcs].map(([name, func]) => [name, done.get(name) ?? func])),
  };
}

/**
 * Functions that `before` calls and `after` does not. Empty if a rule, a derivation or the
 * iterations of a loop refer to functions, too.
 */
export function inlinedAway(before: Program, after: Program): ReadonlySet<string> {
  const isNamed = ({ rule, derivation, outlined: iterations, onceOf, original }: Func): boolean =>
    [rule, derivation, iterations, onceOf, original].some((way) => way !== undefined);
  if ([...after.funcs.values()].some(isNamed)) return new Set();
  const remaining = callsOf(after.funcs.values());
  return new Set([...callsOf(before.funcs.values()).keys()].filter((name) => !remaining.has(name)));
}

/** The roots and what they call; all functions without roots. */
function usedOf(
  funcs: ReadonlyMap<string, Func>,
  roots: Iterable<string> | undefined,
): Iterable<Func> {
  const used = new Set(roots ?? funcs.keys());
  // A set that grows is walked to its end.
  for (const name of used) {
    const func = funcs.get(name);
    if (func !== undefined) for (const callee of calleesIn(func.body)) used.add(callee);
  }
  return [...funcs.values()].filter(({ name }) => used.has(name));
}

/** The number of calls of each function. */
function callsOf(funcs: Iterable<Func>): ReadonlyMap<string, number> {
  const calls = new Map<string, number>();
  for (const { body } of funcs)
    for (const { expr } of callsIn(body)) calls.set(expr.callee, (calls.get(expr.callee) ?? 0) + 1);
  return calls;
}

/** Functions that reach themselves by calls. */
const recursiveOf = (funcs: ReadonlyMap<string, Func>): ReadonlySet<string> =>
  new Set([...funcs.keys()].filter((name) => isRecursive(name, (callee) => funcs.get(callee))));

function sizeOf(body: Body): number {
  let size = 0;
  walkStmts(body, () => {
    size++;
  });
  return size;
}

/** Identifiers of outer scopes in a body's source: globals, called functions, words of externs. */
function outerNames(body: Body): ReadonlySet<string> {
  const names = new Set<string>();
  const words = (source: string): void => {
    for (const word of identifiersIn(source)) names.add(word);
  };
  walkAtoms(body, (atom) => {
    if (atom.kind === "global") words(atom.name);
  });
  walkStmts(body, (stmt) => {
    if (stmt.kind !== "let") return;
    if (stmt.expr.kind === "extern") stmt.expr.text.forEach(words);
    if (stmt.expr.kind === "call") words(stmt.expr.callee);
  });
  return names;
}

const localNames = (func: Func, params: readonly Var[] = func.params): readonly string[] =>
  [...params, ...definedVars(func.body)].map((v) => baseName(v.name));

const argumentOf = (param: Var, at: number, args: readonly Atom[]): Atom =>
  args[at] ?? { kind: "const", type: param.type, value: undefined };
/** Whether a parameter can be replaced by its argument. */
const standsFor = (arg: Atom, param: Var): boolean => sameType(arg.type, param.type);
/** Base names of the locals that an inlined body adds. */
const keptNames = (callee: Func, args: readonly Atom[]): readonly string[] =>
  localNames(
    callee,
    callee.params.filter((param, at) => !standsFor(argumentOf(param, at, args), param)),
  );

const meets = (names: Iterable<string>, others: ReadonlySet<string>): boolean =>
  [...names].some((name) => others.has(name));

interface Inlining {
  readonly program: Program;
  /** Functions as inlined so far. */
  readonly done: ReadonlyMap<string, Func>;
  readonly recursive: ReadonlySet<string>;
  readonly caller: Func;
  readonly options: InlineOptions;
  /** By callee: the limit on the statements of its body. */
  readonly maxSize: (callee: string) => number;
}

/** Inlines calls in one function. */
class Inliner {
  readonly #given: Inlining;
  readonly #names: Names;
  /** Base names of the caller's locals and its outer names; both grow with each inlined body. */
  readonly #locals: Set<string>;
  readonly #outer: Set<string>;
  /** Results of inlined calls that have names of their own. */
  readonly #results = new Map<string, Atom>();
  /** Better names for the caller's temporaries. */
  readonly #better = new Map<string, string>();

  constructor(given: Inlining) {
    const { caller } = given;
    this.#given = given;
    this.#names = new Names([...caller.params, ...definedVars(caller.body)].map((v) => v.name));
    this.#locals = new Set(localNames(caller));
    this.#outer = new Set(outerNames(caller.body));
  }

  func(): Func {
    const body = this.#body(this.#given.caller.body);
    return {
      ...this.#given.caller,
      body: renameVars(
        mapAtoms(body, (atom) => this.#resolve(atom)),
        this.#better,
      ),
    };
  }

  #resolve(atom: Atom): Atom {
    let at = atom;
    for (let next = this.#resultOf(at); next !== undefined; next = this.#resultOf(at)) at = next;
    return at;
  }

  #resultOf(atom: Atom): Atom | undefined {
    return atom.kind === "var" ? this.#results.get(atom.name) : undefined;
  }

  #body(body: Body): Body {
    return { ...body, stmts: body.stmts.flatMap((stmt) => this.#stmt(stmt)) };
  }

  #stmt(stmt: Stmt): readonly Stmt[] {
    if (stmt.kind === "while") return [{ ...stmt, body: this.#body(stmt.body) }];
    if (stmt.kind !== "let" || stmt.expr.kind !== "call")
      return [mapBodies(stmt, (body) => this.#body(body))];
    const callee = this.#given.done.get(stmt.expr.callee);
    return callee !== undefined && this.#fits(callee, stmt.bind.name, stmt.expr.args)
      ? this.#inlined(stmt, callee, stmt.expr.args)
      : [stmt];
  }

  #fits(callee: Func, bind: string, args: readonly Atom[]): boolean {
    if (callee.shipped === true) return false;
    const { caller, maxSize, options, recursive } = this.#given;
    const size = sizeOf(callee.body);
    if (callee.name === caller.name || size > maxSize(callee.name)) return false;
    if (
      size > TINY &&
      options.isWanted?.(caller.name, bind) === false &&
      !(size <= SHORT && this.#takesFields(callee))
    )
      return false;
    if (recursive.has(callee.name) || options.isKept?.(callee.name) === true) return false;
    const outer = outerNames(callee.body);
    if (outer.size > 0 && !this.#sameScope(callee)) return false;
    return !meets(outer, this.#locals) && !meets(keptNames(callee, args), this.#outer);
  }

  /** Whether a body only computes from fields of small objects, which inlining can remove. */
  #takesFields({ params, body }: Func): boolean {
    const { types } = this.#given.program;
    const isOfScalars = (type: Type): boolean => {
      const shape = resolve(type, types);
      const parts =
        shape.kind === "record"
          ? shape.fields.map((each) => each.type)
          : shape.kind === "tuple"
            ? shape.elems
            : [];
      return parts.length > 0 && parts.length <= FEW && parts.every(isScalarType);
    };
    return (
      params.some(({ type }) => isOfScalars(type)) &&
      body.stmts.every(
        (stmt) =>
          stmt.kind === "let" &&
          (stmt.expr.kind === "op" || stmt.expr.kind === "load" || stmt.expr.kind === "copy"),
      )
    );
  }

  /** Whether both functions are emitted in one scope, where outer names mean the same. */
  #sameScope(callee: Func): boolean {
    const { caller, program } = this.#given;
    const here = program.homes.get(caller.home);
    const there = program.homes.get(callee.home);
    return (
      here !== undefined && there !== undefined && here.file === there.file && here.at === there.at
    );
  }

  // z = call g(x)   ->   the body of g, with its result named z
  #inlined(stmt: Let, callee: Func, args: readonly Atom[]): readonly Stmt[] {
    for (const name of outerNames(callee.body)) this.#outer.add(name);
    for (const name of keptNames(callee, args)) this.#locals.add(name);
    // Parameters are renamed, too: an old name could equal a fresh one.
    const fresh = new Map(
      [...callee.params, ...definedVars(callee.body)].map(({ name }) => [
        name,
        this.#names.fresh(name),
      ]),
    );
    const copies: Stmt[] = [];
    const given = new Map<string, Atom>();
    for (const [at, param] of callee.params.entries()) {
      const bind: Var = { ...param, name: fresh.get(param.name) ?? param.name };
      const arg = argumentOf(param, at, args);
      this.#nameAfter(param, arg);
      if (standsFor(arg, param)) given.set(bind.name, arg);
      else
        copies.push({ kind: "let", bind, expr: { kind: "copy", atom: arg }, origin: stmt.origin });
    }
    return [...copies, ...this.#named(stmt, substitute(renameVars(callee.body, fresh), given))];
  }

  /** Names an unnamed argument after the first parameter that it is passed to. */
  #nameAfter({ name }: Var, arg: Atom): void {
    if (
      arg.kind !== "var" ||
      preferredName(arg.name) !== "t" ||
      preferredName(name) === "t" ||
      this.#better.has(arg.name) ||
      this.#given.caller.params.some((param) => param.name === arg.name)
    )
      return;
    this.#better.set(arg.name, this.#names.fresh(withHint("t", preferredName(name))));
  }

  /** The statements of an inlined body, with its result bound to the call's name. */
  #named(stmt: Let, body: Body): readonly Stmt[] {
    const result: Atom = body.result[0] ?? {
      kind: "const",
      type: stmt.bind.type,
      value: undefined,
    };
    if (!sameType(result.type, stmt.bind.type)) {
      return [...body.stmts, { ...stmt, expr: { kind: "copy", atom: result } }];
    }
    // A result bound at the top level takes the call's name. Others are used as they are.
    const own = body.stmts.some((one) =>
      stmtBinds(one).some((bind) => result.kind === "var" && bind.name === result.name),
    );
    if (result.kind === "var" && own)
      return renameVars(body, new Map([[result.name, stmt.bind.name]])).stmts;
    this.#results.set(stmt.bind.name, result);
    return body.stmts;
  }
}
