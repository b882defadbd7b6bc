// Replaces calls of small known functions by their bodies. In: an ssa Program. Out: the same with fewer calls; the functions stay.
// Invariant: same meaning; a body moves only to where its outer names mean what they meant, and no local name hides one of them.
// Not inlined: recursive functions, large ones, calls in the test of a loop (which must stay cheap to judge).

import { calleesIn, callsIn, isRecursive } from "../../ir/calls.ts";
import { invariant } from "../../ir/invariant.ts";
import { baseName, hinted, Names, spoken } from "../../ir/names.ts";
import { sameType } from "../../ir/print.ts";
import { wordsOf } from "../../ir/syntax.ts";
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
  /** Functions whose calls, and those of all they call, are looked at; absent: all functions. */
  readonly roots?: Iterable<string>;
  /** The most statements, nested ones counted, that an inlined body may have. */
  readonly maxSize: number;
  /** The most statements that all calls of one function may come to; a body of `maxSize` is inlined however often it is called. */
  readonly maxTotal?: number;
  /** Whether a call is worth inlining at all, by the caller's name and the name the call binds; absent: all are. */
  readonly isWanted?: (caller: string, bind: string) => boolean;
  /** Functions whose calls stay calls. */
  readonly isKept?: (callee: string) => boolean;
}

/** A body this small is no longer than its call, whatever it does. */
const TINY = 4;

/** A body that computes from the fields of objects of at most so many fields. */
const SHORT = 16;
const FEW = 4;

export function inline(program: Program, options: InlineOptions): Program {
  invariant(program.stage === "ssa", "inlining needs single assignment");
  const recursive = recursiveOf(program.funcs);
  const calls = callsOf(program.funcs);
  const sizes = (callee: string): number =>
    Math.max(options.maxSize, (options.maxTotal ?? 0) / (calls.get(callee) ?? 1));
  const done = new Map<string, Func>();
  const visit = (name: string): void => {
    const func = program.funcs.get(name);
    if (func === undefined || done.has(name)) return;
    done.set(name, func);
    // callees first, so that what is inlined has been inlined into
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
 * Functions that calls led to, and none does any more. Where more than calls leads to functions (a rule, a derivation, the rounds of a loop), none is taken
 * to be one of them.
 */
export function inlinedAway(before: Program, after: Program): ReadonlySet<string> {
  const isNamed = ({ rule, derivation, rounds, onceOf, original }: Func): boolean =>
    [rule, derivation, rounds, onceOf, original].some((way) => way !== undefined);
  if ([...after.funcs.values()].some(isNamed)) return new Set();
  const left = callsOf(after.funcs);
  return new Set([...callsOf(before.funcs).keys()].filter((name) => !left.has(name)));
}

/** How many calls of each function the program has. */
function callsOf(funcs: ReadonlyMap<string, Func>): ReadonlyMap<string, number> {
  const calls = new Map<string, number>();
  for (const { body } of funcs.values())
    for (const { expr } of callsIn(body)) calls.set(expr.callee, (calls.get(expr.callee) ?? 0) + 1);
  return calls;
}

/** Functions from which a chain of calls leads back to them. */
const recursiveOf = (funcs: ReadonlyMap<string, Func>): ReadonlySet<string> =>
  new Set([...funcs.keys()].filter((name) => isRecursive(name, (callee) => funcs.get(callee))));

function sizeOf(body: Body): number {
  let size = 0;
  walkStmts(body, () => {
    size++;
  });
  return size;
}

/** Identifiers of the user's scope that a body's text will contain: globals, called functions, every word of an extern's text. */
function outerNames(body: Body): ReadonlySet<string> {
  const names = new Set<string>();
  const words = (text: string): void => {
    for (const word of wordsOf(text)) names.add(word);
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
/** Whether the body can read the argument itself. */
const standsFor = (arg: Atom, param: Var): boolean => sameType(arg.type, param.type);
/** Base names that an inlined body brings with it. */
const keptNames = (callee: Func, args: readonly Atom[]): readonly string[] =>
  localNames(
    callee,
    callee.params.filter((param, at) => !standsFor(argumentOf(param, at, args), param)),
  );

const meets = (names: Iterable<string>, others: ReadonlySet<string>): boolean =>
  [...names].some((name) => others.has(name));

interface Inlining {
  readonly program: Program;
  /** Functions as inlining has left them so far. */
  readonly done: ReadonlyMap<string, Func>;
  readonly recursive: ReadonlySet<string>;
  readonly caller: Func;
  readonly options: InlineOptions;
  /** By callee: the most statements that its body may have. */
  readonly maxSize: (callee: string) => number;
}

/** Inlines into one function. */
class Inliner {
  readonly #given: Inlining;
  readonly #names: Names;
  /** Base names of the caller's locals and its outer names; both grow with what is inlined. */
  readonly #locals: Set<string>;
  readonly #outer: Set<string>;
  /** Results of inlined calls that have a name already. */
  readonly #results = new Map<string, Atom>();
  /** Names for the caller's temporaries. */
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

  /** Whether a body does nothing but compute from the fields of small objects: inlined, it may be given the fields alone, and nobody makes the objects. */
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

  /** Whether code of both functions is emitted at one place, where outer names mean the same. */
  #sameScope(callee: Func): boolean {
    const { caller, program } = this.#given;
    const here = program.homes.get(caller.home);
    const there = program.homes.get(callee.home);
    return (
      here !== undefined && there !== undefined && here.file === there.file && here.at === there.at
    );
  }

  // z = call g(x)  ->  body of g, its result named z
  #inlined(stmt: Let, callee: Func, args: readonly Atom[]): readonly Stmt[] {
    for (const name of outerNames(callee.body)) this.#outer.add(name);
    for (const name of keptNames(callee, args)) this.#locals.add(name);
    // parameters are renamed too: one that kept its name could be taken for a fresh one
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

  /** What has no name of its own is called as the first parameter that it is given to. */
  #nameAfter({ name }: Var, arg: Atom): void {
    if (
      arg.kind !== "var" ||
      spoken(arg.name) !== "t" ||
      spoken(name) === "t" ||
      this.#better.has(arg.name) ||
      this.#given.caller.params.some((param) => param.name === arg.name)
    )
      return;
    this.#better.set(arg.name, this.#names.fresh(hinted("t", spoken(name))));
  }

  /** The statements of an inlined body, what it yields bound to the call's name. */
  #named(stmt: Let, body: Body): readonly Stmt[] {
    const result: Atom = body.result[0] ?? {
      kind: "const",
      type: stmt.bind.type,
      value: undefined,
    };
    if (!sameType(result.type, stmt.bind.type)) {
      return [...body.stmts, { ...stmt, expr: { kind: "copy", atom: result } }];
    }
    // a result that the body computes at its top takes the call's name; a parameter or constant is used as it is
    const own = body.stmts.some((one) =>
      stmtBinds(one).some((bind) => result.kind === "var" && bind.name === result.name),
    );
    if (result.kind === "var" && own)
      return renameVars(body, new Map([[result.name, stmt.bind.name]])).stmts;
    this.#results.set(stmt.bind.name, result);
    return body.stmts;
  }
}
