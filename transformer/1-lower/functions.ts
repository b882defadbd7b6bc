// The worklist of functions. In: functions that call sites ask for, and those that lowered bodies call. Out: a Func and a Home for
// each, or the mark that it failed. Invariant: each function is lowered once and its errors are reported once, with the chain of
// calls that first asked for it; a function whose callee failed counts as failed.

import type ts from "typescript";
import { Sink } from "../diagnostics/sink.ts";
import type { Code } from "../diagnostics/registry.ts";
import { REGISTRY } from "../diagnostics/registry.ts";
import type { ChainLink } from "../diagnostics/report.ts";
import type { Func, Home, Origin } from "../ir/types.ts";
import { Rejected, type LowerContext, type TypeScript } from "./context.ts";
import { homeOf } from "./homes.ts";
import { reportSignature } from "./signature.ts";
import { shorten, type FunctionNode, type Targets } from "./targets.ts";
import type { TypeTable } from "./types.ts";

/** Lowers one function's body; the other half of this phase. */
export type LowerBody = (ctx: LowerContext, declaration: ts.FunctionLikeDeclaration, name: string, home: string) => Func;

interface Entry {
  readonly name: string;
  readonly node: FunctionNode;
  readonly chain: readonly ChainLink[];
  readonly callees: Set<string>;
  func: Func | null;
  failed: boolean;
}

export class Functions {
  readonly homes = new Map<string, Home>();
  readonly #entries = new Map<string, Entry>();
  readonly #byNode = new Map<FunctionNode, string | null>();
  readonly #waiting: Entry[] = [];
  readonly #api: TypeScript;
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  readonly #targets: Targets;
  readonly #types: TypeTable;
  readonly #sink: Sink;

  constructor(api: TypeScript, program: ts.Program, targets: Targets, types: TypeTable, sink: Sink) {
    this.#api = api;
    this.#program = program;
    this.#checker = program.getTypeChecker();
    this.#targets = targets;
    this.#types = types;
    this.#sink = sink;
  }

  /** The name of a function in Program.funcs; it is lowered later. Null where it has no home, which is reported. */
  register(node: FunctionNode, chain: readonly ChainLink[]): string | null {
    const known = this.#byNode.get(node);
    if (known !== undefined) return known;
    const result = homeOf(node, [...this.homes.values()], this.#api, this.#checker);
    if (result.kind === "homeless") {
      this.#sink.report("TSG1008", originOf(node), chain, result.captured);
      this.#byNode.set(node, null);
      return null;
    }
    let name = result.home.name;
    for (let copy = 2; this.homes.has(name); copy++) name = `${result.home.name}.${copy}`;
    const entry: Entry = { name, node, chain, callees: new Set(), func: null, failed: false };
    this.homes.set(name, result.home);
    this.#entries.set(name, entry);
    this.#byNode.set(node, name);
    this.#waiting.push(entry);
    return name;
  }

  /** Lowers all that waits, and what that calls. */
  run(lowerBody: LowerBody): void {
    for (let entry = this.#waiting.shift(); entry !== undefined; entry = this.#waiting.shift()) {
      const ctx = this.#context(entry);
      try {
        reportSignature(entry.node, ctx);
        if (!entry.failed) entry.func = { ...lowerBody(ctx, entry.node, entry.name, entry.name), paramText: paramTexts(entry.node, this.#api) };
      } catch (error) {
        if (!(error instanceof Rejected)) throw error;
      }
    }
  }

  /** The function and all it calls, or null where one of them failed. */
  reachable(name: string): ReadonlyMap<string, Func> | null {
    const found = new Map<string, Func>();
    const names = new Set([name]);
    for (const next of names) {
      const entry = this.#entries.get(next);
      if (entry === undefined || entry.failed || entry.func === null) return null;
      found.set(next, entry.func);
      for (const callee of entry.callees) names.add(callee);
    }
    return found;
  }

  /** Files of the function and of all it calls, as far as they were found. */
  filesOf(name: string): ReadonlySet<string> {
    const names = new Set([name]);
    for (const next of names) for (const callee of this.#entries.get(next)?.callees ?? []) names.add(callee);
    return new Set([...names].flatMap((next) => this.homes.get(next)?.file ?? []));
  }

  #context(entry: Entry): LowerContext {
    const report = (code: Code, at: ts.Node, ...args: readonly string[]): void => {
      this.#sink.report(code, originOf(at), entry.chain, ...args);
      if (REGISTRY[code].severity === "error") entry.failed = true;
    };
    return {
      ts: this.#api, checker: this.#checker, program: this.#program, types: this.#types.types, originOf, report,
      typeOf: (node) => this.#types.from(this.#checker.getTypeAtLocation(node), node),
      typeFrom: (type, at) => this.#types.from(type, at),
      callee: (symbol, at) => this.#callee(entry, symbol, at, report),
      bodyOf: (symbol) => {
        const target = this.#targets.ofSymbol(symbol, symbol.name, entry.node);
        return target.kind === "function" ? target.node : null;
      },
      reject: (code, at, ...args): never => {
        report(code, at, ...args);
        throw new Rejected(code);
      },
    };
  }

  #callee(caller: Entry, symbol: ts.Symbol, at: ts.Node, report: LowerContext["report"]): string | null {
    const text = shorten(at.getText());
    const called = /^[\w$.]+/.exec(text)?.[0] ?? text;
    const target = this.#targets.ofSymbol(symbol, called, at);
    if (target.kind === "problem") {
      // calls into the standard library and into something untyped have their own words
      const untyped = target.code === "TSG2001" || (target.code === "TSG1001" && (symbol.declarations ?? []).length === 0);
      const library = target.code === "TSG1002" && (symbol.declarations ?? []).some((node) => this.#program.isSourceFileDefaultLibrary(node.getSourceFile()));
      report(untyped ? "TSG1113" : library ? "TSG1203" : target.code, at, ...target.args);
      return null;
    }
    const name = this.register(target.node, [...caller.chain, { text: `called by \`${this.homes.get(caller.name)?.name ?? caller.name}\``, span: originOf(at) }]);
    if (name === null) caller.failed = true;
    else caller.callees.add(name);
    return name;
  }
}

/**
 * `m: Model`, where derived functions can use it as it stands. Not what can be left out: a derived function may have required
 * parameters behind it, and is called with all arguments.
 */
const paramTexts = (node: FunctionNode, api: TypeScript): (string | null)[] => node.parameters.map((parameter) => {
  const { name, type, questionToken, initializer, dotDotDotToken } = parameter;
  if (type === undefined || questionToken !== undefined || initializer !== undefined || dotDotDotToken !== undefined) return null;
  const text = type.getText();
  return text.includes("\n") ? null : `${api.isIdentifier(name) ? name.text : "argument"}: ${text}`;
});

export const originOf = (node: ts.Node): Origin => ({ file: node.getSourceFile().fileName, start: node.getStart(), end: node.end });
