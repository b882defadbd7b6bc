// The worklist of functions. In: functions that call sites ask for, and those that lowered bodies call. Out: a Func and a Home for
// each, or the mark that it failed. Invariant: each function is lowered once and its errors are reported once, with the chain of
// calls that first asked for it; a function whose callee failed counts as failed.

import type ts from "typescript";
import { Sink } from "../diagnostics/sink.ts";
import type { Code } from "../diagnostics/registry.ts";
import { REGISTRY } from "../diagnostics/registry.ts";
import type { ChainLink, Diagnostic } from "../diagnostics/report.ts";
import type { Derivation } from "../ir/facts.ts";
import { defined, member } from "../ir/names.ts";
import type { Func, Home, Origin, Type } from "../ir/types.ts";
import { givenOtherwise } from "./types/asserted.ts";
import { checkerOf } from "./checker.ts";
import { classNameOf, type Classes, type ClassNode, type MemberNode } from "./classes/classes.ts";
import type { ClosureField } from "./functions/closure-fields.ts";
import { NO_TYPE_ARGUMENTS, type TypeArguments } from "./types/type-arguments.ts";
import { Rejected, type LowerContext, type MemberUse, type TypeScript } from "./context.ts";
import { isOfNamespace, namespaceOf } from "./names/namespaces.ts";
import {
  namingOf,
  homeOf,
  homeOfClass,
  homeOfMade,
  initialisedBy,
  type HomeResult,
} from "./sites/homes.ts";
import type { ModuleGraph } from "./sites/module-graph.ts";
import { overheard } from "./functions/host-callbacks.ts";
import { ownDerivatives } from "./derivatives/own-derivatives.ts";
import { listedIn, paramTexts, withReadonly } from "./sites/param-texts.ts";
import { reportSignature } from "./sites/signature.ts";
import { lostAccessors } from "./classes/lost-accessors.ts";
import { hasSealed, leaksOf, sealedAtEnds } from "./classes/private-instances.ts";
import {
  nameOf,
  shorten,
  type FunctionNode,
  type TargetNode,
  type Targets,
} from "./sites/targets.ts";
import { calling, lowerShipped, type Shipped } from "./sites/shipped.ts";
import type { TypeTable } from "./types/types.ts";

/** Lowers one function's body; the other half of this phase. `use`: the member of a class that it is. */
export type LowerBody = (
  ctx: LowerContext,
  declaration: ts.FunctionLikeDeclaration | ClassNode | ts.CallExpression,
  name: string,
  home: string,
  use: MemberUse | null,
) => Func;

interface Entry {
  readonly name: string;
  readonly node: FunctionNode | MemberNode | ClassNode | ts.CallExpression;
  readonly use: MemberUse | null;
  readonly shipped?: Shipped;
  /** It stands for a shipped function, which it calls. */
  readonly calls?: string;
  readonly chain: readonly ChainLink[];
  readonly callees: Set<string>;
  readonly errors: Diagnostic[];
  /** Functions that it has made of closures, and the derivatives that it calls. */
  readonly lifted: Map<string, Func>;
  readonly derivations: Map<string, Derivation>;
  func: Func | null;
  failed: boolean;
}

export class Functions {
  readonly homes = new Map<string, Home>();
  /** Why a function has no home. */
  readonly homeless = new Map<ts.Node, Diagnostic>();
  /** Classes with `#x`, and fields with functions, whose objects come from outside or go there. */
  readonly left = new Set<ts.Node>();
  /** Why a function that others would call cannot be called by them. */
  readonly #closed = new Map<string, Diagnostic>();
  readonly #entries = new Map<string, Entry>();
  readonly #byNode = new Map<FunctionNode, string | null>();
  readonly #members: {
    readonly node: ts.Node;
    readonly wanted: string;
    readonly receiver: ClassNode | null;
    readonly name: string;
  }[] = [];
  readonly #made = new Map<ts.CallExpression, string | null>();
  readonly #waiting: Entry[] = [];
  readonly #api: TypeScript;
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  readonly #targets: Targets;
  readonly #types: TypeTable;
  readonly #classes: Classes;
  readonly #sink: Sink;
  readonly #graph: ModuleGraph;

  constructor(
    api: TypeScript,
    program: ts.Program,
    graph: ModuleGraph,
    targets: Targets,
    types: TypeTable,
    classes: Classes,
    sink: Sink,
  ) {
    this.#graph = graph;
    this.#classes = classes;
    this.#api = api;
    this.#program = program;
    this.#checker = checkerOf(program);
    this.#targets = targets;
    this.#types = types;
    this.#sink = sink;
  }

  /** The name of a function in Program.funcs; it is lowered later. Null where it has no home, which is reported. */
  register(node: TargetNode, chain: readonly ChainLink[], shipped?: Shipped): string | null {
    if (this.#api.isMethodDeclaration(node) && this.#api.isClassLike(node.parent))
      return this.registerMember({ kind: "static", found: { node, owner: node.parent } }, chain);
    const known = this.#byNode.get(node);
    if (known !== undefined) return known;
    const result: HomeResult =
      shipped !== undefined
        ? { kind: "home", home: shipped.home }
        : homeOf(node, [...this.homes.values()], this.#api, this.#checker);
    if (result.kind === "homeless") {
      this.homeless.set(node, this.#sink.report("TSG1008", originOf(node), chain, result.captured));
      this.#byNode.set(node, null);
      return null;
    }
    const wanted =
      result.home.owner === undefined ? result.home.name : member(...result.home.name.split("."));
    let name = wanted;
    for (let copy = 2; this.homes.has(name); copy++) name = `${wanted}.${copy}`;
    const entry: Entry = {
      name,
      node,
      use: null,
      chain,
      callees: new Set(),
      errors: [],
      lifted: new Map(),
      derivations: new Map(),
      func: null,
      failed: false,
      ...(shipped === undefined ? {} : { shipped }),
    };
    this.homes.set(name, result.home);
    this.#entries.set(name, entry);
    this.#byNode.set(node, name);
    this.#waiting.push(entry);
    return name;
  }

  /** `grad(f)` as a function that is differentiated itself. Null where it has no home, which is reported. */
  registerMade(call: ts.CallExpression, chain: readonly ChainLink[]): string | null {
    const known = this.#made.get(call);
    if (known !== undefined) return known;
    const definition = this.#targets.definitions.at(call);
    const own =
      definition !== null
        ? defined(nameOf(definition.target, this.#api).getText())
        : (initialisedBy(call, this.#api)?.text ?? "made");
    const result = homeOfMade(call, own, this.#api, this.#checker);
    if (result.kind === "homeless") {
      this.homeless.set(call, this.#sink.report("TSG1008", originOf(call), chain, result.captured));
      this.#made.set(call, null);
      return null;
    }
    let name = own;
    for (let copy = 2; this.homes.has(name); copy++) name = `${own}.${copy}`;
    this.homes.set(name, result.home);
    const entry: Entry = {
      name,
      node: call,
      use: null,
      chain,
      callees: new Set(),
      errors: [],
      lifted: new Map(),
      derivations: new Map(),
      func: null,
      failed: false,
    };
    this.#made.set(call, name);
    this.#entries.set(name, entry);
    this.#waiting.push(entry);
    return name;
  }

  /** A call of a function that has a rule by `defineDerivative`. */
  #defined(caller: Entry, call: ts.CallExpression, at: ts.Node): string | null {
    return this.#called(
      caller,
      call,
      this.registerMade(call, [
        ...caller.chain,
        {
          text: `called by \`${this.homes.get(caller.name)?.name ?? caller.name}\``,
          span: originOf(at),
        },
      ]),
    );
  }

  /** Null, which fails the caller, where the callee has no home. */
  #called(caller: Entry, callee: ts.Node, name: string | null): string | null {
    if (name !== null) caller.callees.add(name);
    else {
      const why = this.homeless.get(callee);
      if (why !== undefined) caller.errors.push(why);
      caller.failed = true;
    }
    return name;
  }

  /** A function of the asking file that does nothing but call a shipped one. */
  registerCaller(
    node: ts.FunctionDeclaration,
    shipped: Shipped,
    file: ts.SourceFile,
    chain: readonly ChainLink[],
  ): string | null {
    const calls = this.register(node, chain, shipped);
    if (calls === null) return null;
    const known = [...this.#entries.values()].find(
      (entry) => entry.calls === calls && this.homes.get(entry.name)?.file === file.fileName,
    );
    if (known !== undefined) return known.name;
    let name = shipped.home.name;
    for (let copy = 2; this.homes.has(name); copy++) name = `${shipped.home.name}.${copy}`;
    this.homes.set(name, {
      file: file.fileName,
      name: shipped.home.name,
      at: file.end,
      scope: "module",
      indent: "",
      origin: shipped.home.origin,
    });
    const entry: Entry = {
      name,
      node,
      use: null,
      calls,
      chain,
      callees: new Set([calls]),
      errors: [],
      lifted: new Map(),
      derivations: new Map(),
      func: null,
      failed: false,
    };
    this.#entries.set(name, entry);
    this.#waiting.push(entry);
    return name;
  }

  /** The same for a member of a class: one function for each class of receivers. */
  registerMember(use: MemberUse, chain: readonly ChainLink[]): string {
    const wanted = memberName(use, this.#api);
    const node = use.kind === "new" ? use.receiver : use.found.node;
    const known = this.#members.find(
      (each) => each.node === node && each.wanted === wanted && each.receiver === receiverOf(use),
    );
    if (known !== undefined) return known.name;
    const owner = use.kind === "new" ? use.receiver : use.found.owner;
    let name = wanted;
    for (let copy = 2; this.homes.has(name); copy++) name = `${wanted}.${copy}`;
    this.#members.push({ node, wanted, receiver: receiverOf(use), name });
    const entry: Entry = {
      name,
      node,
      use,
      chain,
      callees: new Set(),
      errors: [],
      lifted: new Map(),
      derivations: new Map(),
      func: null,
      failed: false,
    };
    this.homes.set(
      name,
      homeOfClass(
        owner,
        use.kind === "new" ? "constructor" : (node.name?.getText() ?? ""),
        this.#api,
        this.#checker,
      ),
    );
    this.#entries.set(name, entry);
    this.#waiting.push(entry);
    return name;
  }

  /** Lowers all that waits, and what that calls. */
  run(lowerBody: LowerBody): void {
    for (let entry = this.#waiting.shift(); entry !== undefined; entry = this.#waiting.shift()) {
      if (entry.calls !== undefined) {
        const func = this.#entries.get(entry.calls)?.func;
        if (func !== null && func !== undefined) entry.func = calling(func, entry.name);
        continue;
      }
      const ctx = this.#context(entry);
      try {
        const head =
          entry.use?.kind === "new" ? this.#constructorOf(entry.use.receiver) : entry.node;
        if (head !== null && !this.#api.isClassLike(head) && !this.#api.isCallExpression(head))
          reportSignature(head, ctx);
        if (
          !entry.failed &&
          entry.shipped !== undefined &&
          this.#api.isFunctionDeclaration(entry.node)
        )
          entry.func = lowerShipped(ctx, entry.node, entry.name, entry.shipped);
        else if (!entry.failed)
          entry.func = this.#apart({
            ...lowerBody(ctx, entry.node, entry.name, entry.name, entry.use),
            ...this.#inNamespace(entry.node),
            ...this.#paramTexts(entry),
            ...listedIn(entry.node, this.#api, this.#checker),
            ...(this.#isDefinition(entry.node) ? { made: true } : {}),
          });
      } catch (error) {
        if (!(error instanceof Rejected)) throw error;
      }
    }
    this.#refuseMore();
  }

  #paramTexts({ name, node, use }: Entry): Pick<Func, "paramText"> {
    if (this.#api.isCallExpression(node) || this.#api.isClassLike(node)) return {};
    const home = this.homes.get(name);
    if (home !== undefined)
      this.homes.set(
        name,
        withReadonly(home, node, {
          api: this.#api,
          checker: this.#checker,
          isReadonly: this.#types.isReadonly,
        }),
      );
    return use !== null || isOfNamespace(node, this.#api)
      ? {}
      : { paramText: paramTexts(node, this.#api) };
  }

  /** How a function that a namespace declares is called: `Vec.dot(…)`; as a function of its own where code outside cannot name it. */
  #inNamespace(node: ts.Node): Pick<Func, "member" | "made"> {
    const naming = isOfNamespace(node, this.#api)
      ? namingOf(node as FunctionNode, this.#api)
      : null; // it is a function
    const known = naming === null ? null : namespaceOf(naming, this.#api);
    if (known === null || naming === null) return {};
    const name =
      naming.kind === this.#api.SyntaxKind.ExportAssignment
        ? ""
        : ((naming as ts.FunctionDeclaration | ts.VariableDeclaration).name?.getText() ?? "");
    return known.path !== null && known.isDirect
      ? { member: { kind: "static", name, hidden: false } }
      : { made: true };
  }

  /** What is handed records in place of instances, or gives them, is called in no other way than as a function of its own. */
  #apart(func: Func): Func {
    if (sealedAtEnds(func, this.#types.types) === null) return func;
    const { member: _, paramText: __, ...own } = func;
    return { ...own, made: true };
  }

  /** What only all functions together show. */
  #refuseMore(): void {
    const entries = [...this.#entries.values()];
    const owners = new Map<string, Entry>();
    const funcs = new Map(
      entries.flatMap((entry): [string, Func][] =>
        [...(entry.func === null ? [] : [[entry.name, entry.func] as const]), ...entry.lifted].map(
          ([name, func]) => {
            owners.set(name, entry);
            return [name, func];
          },
        ),
      ),
    );
    const refuse = (
      func: string,
      code: Code,
      origin: Origin,
      ...what: readonly ((entry: Entry) => string)[]
    ): void => {
      const entry = owners.get(func);
      if (entry === undefined) return;
      entry.errors.push(
        this.#sink.report(code, origin, entry.chain, ...what.map((each) => each(entry))),
      );
      entry.failed = true;
    };
    const shown = ({ name }: Entry): string => this.homes.get(name)?.name ?? name;
    for (const { func, origin } of ownDerivatives(funcs, this.derivationsOf(this.#entries.keys())))
      refuse(func, "TSG3008", origin, shown);
    for (const { func, origin, of } of hasSealed(this.#types.types)
      ? leaksOf(funcs, this.#types.types)
      : []) {
      this.#leave(of);
      const field = this.#closuresIn(of);
      if (field === null) refuse(func, "TSG1107", origin, shown, () => of);
      else
        refuse(
          func,
          "TSG1129",
          origin,
          () => field.type,
          () => field.unnamed,
        );
    }
    for (const { func, origin, name } of overheard(funcs, {
      ts: this.#api,
      checker: this.#checker,
      graph: this.#graph,
    }))
      refuse(func, "TSG1115", origin, shown, () => name);
    const { types, classes, classOf } = this.#types;
    for (const { func, origin } of givenOtherwise(funcs, types))
      refuse(
        func,
        "TSG1201",
        origin,
        () => "object where a number is declared, or number where an object is",
      );
    const isAccessor = (of: Type, name: string): boolean => {
      const node = classOf(of);
      return node !== null && this.#classes.isAccessor(node, name);
    };
    if (![...classes.values()].some((node) => this.#classes.hasAccessors(node))) return;
    for (const { func, origin, accessor } of lostAccessors(funcs, types, isAccessor))
      refuse(func, "TSG1116", origin, () => accessor);
  }

  /** The function and all it calls, or null where one of them failed. */
  reachable(name: string): ReadonlyMap<string, Func> | null {
    const found = new Map<string, Func>();
    const names = new Set([name]);
    for (const next of names) {
      const entry = this.#entries.get(next);
      if (
        entry === undefined ||
        entry.failed ||
        entry.func === null ||
        (next === name && !this.#isOpen(entry, entry.func))
      )
        return null;
      found.set(next, entry.func);
      for (const [own, func] of entry.lifted) found.set(own, func);
      for (const callee of entry.callees) names.add(callee);
    }
    return found;
  }

  /** Whether others can call the function: they have instances where it has records. */
  #isOpen(entry: Entry, func: Func): boolean {
    const of = sealedAtEnds(func, this.#types.types);
    if (of === null) return true;
    this.#leave(of);
    const field = this.#closuresIn(of);
    const report = (code: Code, ...args: readonly string[]): Diagnostic =>
      this.#sink.report(code, func.origin, entry.chain, ...args);
    if (!this.#closed.has(entry.name))
      this.#closed.set(
        entry.name,
        field === null
          ? report("TSG1107", this.homes.get(entry.name)?.name ?? entry.name, of)
          : report("TSG1129", field.type, field.unnamed),
      );
    return false;
  }

  /** The field with functions for which a type is sealed; null of a class with `#x`. */
  #closuresIn(of: string): ClosureField | null {
    const node = this.#types.classOf({ kind: "named", name: of });
    return (
      this.#classes.closures.standingFor(of)[0] ??
      (node === null ? undefined : this.#classes.closuresOf(node)[0]) ??
      null
    );
  }

  #leave(of: string): void {
    const node = this.#types.classOf({ kind: "named", name: of });
    if (node !== null) this.left.add(node);
    for (const { declaration } of [
      ...this.#classes.closures.standingFor(of),
      ...(node === null ? [] : this.#classes.closuresOf(node)),
    ])
      this.left.add(declaration);
  }

  /** Derivatives that the bodies of these functions call. */
  derivationsOf(names: Iterable<string>): ReadonlyMap<string, Derivation> {
    const found = new Map<string, Derivation>();
    for (const name of names)
      for (const [of, derivation] of this.#entries.get(name)?.derivations ?? [])
        found.set(of, stricter(found.get(of), derivation));
    return found;
  }

  /** Files of the function and of all it calls, as far as they were found. */
  filesOf(name: string): ReadonlySet<string> {
    const names = new Set([name]);
    for (const next of names)
      for (const callee of this.#entries.get(next)?.callees ?? []) names.add(callee);
    return new Set([...names].flatMap((next) => this.homes.get(next)?.file ?? []));
  }

  /** Errors of the function and of all it calls, as far as they were found. */
  errorsOf(name: string): readonly Diagnostic[] {
    const names = new Set([name]);
    for (const next of names)
      for (const callee of this.#entries.get(next)?.callees ?? []) names.add(callee);
    const closed = this.#closed.get(name);
    return [
      ...(closed === undefined ? [] : [closed]),
      ...[...names].flatMap((next) => this.#entries.get(next)?.errors ?? []),
    ];
  }

  #context(entry: Entry): LowerContext {
    const report = (code: Code, at: ts.Node, ...args: readonly string[]): void => {
      const diagnostic = this.#sink.report(code, originOf(at), entry.chain, ...args);
      if (REGISTRY[code].severity !== "error") return;
      entry.failed = true;
      entry.errors.push(diagnostic);
    };
    const receiver = entry.use === null ? null : receiverOf(entry.use);
    // `this` as a type: what the receiver is
    const typeFrom = (
      type: ts.Type,
      at: ts.Node,
      given: TypeArguments = NO_TYPE_ARGUMENTS,
    ): Type =>
      receiver !== null &&
      type.isTypeParameter() &&
      type.symbol.flags & this.#api.SymbolFlags.Class &&
      !given.has(type)
        ? this.#types.exact(receiver, at)
        : this.#types.from(type, at, given);
    return {
      ts: this.#api,
      checker: this.#checker,
      program: this.#program,
      saysMissing: saysMissing(this.#program, this.#api),
      types: this.#types.types,
      originOf,
      report,
      typeOf: (node) => typeFrom(this.#checker.getTypeAtLocation(node), node),
      typeFrom,
      callee: (symbol, at) => this.#callee(entry, symbol, at, report),
      formOf: (symbol) => this.#targets.forms.formOf(symbol),
      derive: (name, derivation) =>
        void entry.derivations.set(name, stricter(entry.derivations.get(name), derivation)),
      operatorOf: (symbol) => this.#targets.forms.operatorOf(symbol),
      solverOf: (symbol) => this.#targets.forms.solverOf(symbol),
      reserve: (wanted) => this.#reserve(entry, wanted),
      lifted: (func) => void entry.lifted.set(func.name, { ...func, made: true }),
      definitionOf: (symbol, at) => this.#targets.definitions.of(symbol, at),
      definitionAt: (call) => this.#targets.definitions.at(call),
      defined: (call, at) => this.#defined(entry, call, at),
      outside: (text, func, at) => this.#outside(entry, text, func, originOf(at)),
      imported: (exported, specifier, func, at) =>
        this.#imported(entry, exported, specifier, func, originOf(at)),
      classes: this.#classes,
      exact: this.#types.exact,
      givenIn: this.#types.givenIn,
      homeOf: this.#types.homeOf,
      tagsType: this.#types.tagsType,
      classOf: this.#types.classOf,
      isOpen: this.#types.isOpen,
      member: (use, at) => this.#member(entry, use, at),
      bodyOf: (symbol) => {
        const target = this.#targets.ofSymbol(symbol, symbol.name, entry.node);
        return target.kind === "function" ? target.node : null;
      },
      headOf: (symbol, at) => {
        const target = this.#targets.ofSymbol(symbol, symbol.name, at);
        return target.kind === "problem" || target.kind === "made" ? null : target.node;
      },
      reject: (code, at, ...args): never => {
        report(code, at, ...args);
        throw new Rejected(code);
      },
    };
  }

  /** `f_1`, `f_2`, … unless another one is wanted: a name that no function has. */
  #reserve(entry: Entry, wanted?: string): string {
    const home = this.homes.get(entry.name);
    let name = wanted ?? `${entry.name}_1`;
    for (let copy = 2; this.homes.has(name); copy++)
      name = wanted === undefined ? `${entry.name}_${copy}` : `${wanted}.${copy}`;
    if (home !== undefined) this.homes.set(name, { ...home, name });
    return name;
  }

  #imported(
    entry: Entry,
    exported: string,
    specifier: string,
    func: Pick<Func, "params" | "result" | "body" | "rule">,
    origin: Origin,
  ): string {
    const name = this.#reserve(entry, exported);
    this.homes.set(name, {
      file: specifier,
      specifier,
      name: exported,
      exportName: exported,
      at: 0,
      scope: "module",
      indent: "",
      origin,
    });
    entry.lifted.set(name, { ...func, name, home: name, origin, shipped: true });
    return name;
  }

  #outside(
    entry: Entry,
    text: string,
    func: Pick<Func, "params" | "result" | "body">,
    origin: Origin,
  ): string {
    const name = this.#reserve(entry, member(text));
    this.homes.set(name, {
      file: origin.file,
      name: text,
      at: 0,
      scope: "module",
      indent: "",
      origin,
    });
    entry.lifted.set(name, { ...func, name, home: name, origin, shipped: true });
    return name;
  }

  #member(caller: Entry, use: MemberUse, at: ts.Node): string {
    const name = this.registerMember(use, [
      ...caller.chain,
      {
        text: `called by \`${this.homes.get(caller.name)?.name ?? caller.name}\``,
        span: originOf(at),
      },
    ]);
    caller.callees.add(name);
    return name;
  }

  /** The user's files have no function of that name. */
  #isDefinition(node: ts.Node): boolean {
    return this.#api.isCallExpression(node) && this.#targets.definitions.at(node) !== null;
  }

  #constructorOf(node: ClassNode): ts.ConstructorDeclaration | null {
    for (const each of this.#classes.lineage(node) ?? []) {
      const own = this.#classes.constructorOf(each);
      if (own !== null) return own;
    }
    return null;
  }

  #callee(
    caller: Entry,
    symbol: ts.Symbol,
    at: ts.Node,
    report: LowerContext["report"],
  ): string | null {
    const text = shorten(at.getText());
    const called = /^[\w$.]+/.exec(text)?.[0] ?? text;
    const target = this.#targets.ofSymbol(symbol, called, at);
    if (target.kind === "problem") {
      // calls into the standard library and into something untyped have their own words
      const untyped =
        target.code === "TSG2001" ||
        (target.code === "TSG1001" && (symbol.declarations ?? []).length === 0);
      const library =
        target.code === "TSG1002" &&
        (symbol.declarations ?? []).some((node) =>
          this.#program.isSourceFileDefaultLibrary(node.getSourceFile()),
        );
      report(untyped ? "TSG1113" : library ? "TSG1203" : target.code, at, ...target.args);
      return null;
    }
    if (target.kind === "made") {
      if (this.#targets.definitions.at(target.call) !== null)
        return this.#defined(caller, target.call, at);
      report("TSG1124", at, called);
      return null;
    }
    const name = this.register(
      target.node,
      [
        ...caller.chain,
        {
          text: `called by \`${this.homes.get(caller.name)?.name ?? caller.name}\``,
          span: originOf(at),
        },
      ],
      target.kind === "shipped" ? target.shipped : undefined,
    );
    return this.#called(caller, target.node, name);
  }
}

const receiverOf = (use: MemberUse): ClassNode | null =>
  use.kind === "static" ? null : use.receiver;

function memberName(use: MemberUse, api: TypeScript): string {
  if (use.kind === "new") return member(classNameOf(use.receiver, api));
  const own = use.found.node.name.getText();
  const owner = classNameOf(use.found.owner, api);
  if (use.kind === "static") return member(owner, own);
  const name = use.kind === "method" ? own : `${use.kind === "getter" ? "get" : "set"}_${own}`;
  const receiver = classNameOf(use.receiver, api);
  return use.isSuper ? member(receiver, owner, name) : member(receiver, name);
}

export const originOf = (node: ts.Node): Origin => ({
  file: node.getSourceFile().fileName,
  start: node.getStart(),
  end: node.end,
});

/** One derivative, asked for twice. */
const stricter = (known: Derivation | undefined, derivation: Derivation): Derivation => ({
  ...derivation,
  ...(known?.pure === true ? { pure: true } : {}),
  ...(known?.keepsTangents === true ? { keepsTangents: true } : {}),
});

/** TypeScript 6 is strict unless it is told otherwise. */
function saysMissing(program: ts.Program, api: TypeScript): boolean {
  const { strictNullChecks, strict } = program.getCompilerOptions();
  return strictNullChecks ?? strict ?? Number(api.versionMajorMinor.split(".")[0]) >= 6;
}
