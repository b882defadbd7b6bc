// Makes the context in which one function is lowered: what its body may ask of the program.
// Functions, members and derivatives that the body requests are registered with the worklist.
// Invariant: an error, or a callee without a home, fails the function.

import type ts from "typescript";
import { Sink } from "../diagnostics/sink.ts";
import { type Code, REGISTRY } from "../diagnostics/registry.ts";
import type { ChainLink, Diagnostic } from "../diagnostics/report.ts";
import type { Derivation } from "../ir/facts.ts";
import { member } from "../ir/names.ts";
import type { Func, Home, Origin, Type } from "../ir/types.ts";
import type { Classes } from "./classes/classes.ts";
import {
  classNameOf,
  type ClassNode,
  declarationOf as declarationOfClass,
  type MemberNode,
} from "./classes/class-declarations.ts";
import { contains } from "./names/library-names.ts";
import { blockAround } from "./blocks.ts";
import { NO_TYPE_ARGUMENTS, type TypeArguments } from "./types/type-arguments.ts";
import { Rejected, type LowerContext, type MemberUse } from "./context.ts";
import type { LiftedLoop } from "./lifted-loop.ts";
import type { Lowering } from "./lowering.ts";
import type { TypeScript } from "./typescript.ts";
import type { ModuleGraph } from "./sites/module-graph.ts";
import { type FunctionNode, type Target, type TargetNode, type Targets } from "./sites/targets.ts";
import { shorten } from "./sites/quoted-code.ts";
import type { Shipped } from "./sites/shipped.ts";
import type { CopiedCode, JavaScript } from "./services.ts";
import type { TypeTable } from "./types/types.ts";
import { originOf } from "../syntax/places.ts";

/** Lowers one function's body; `use` is the class member that the function is. */
export type LowerBody = (
  ctx: LowerContext,
  declaration: ts.FunctionLikeDeclaration | ClassNode | MadeNode,
  name: string,
  home: string,
  use: MemberUse | null,
) => Func;

/** What names a function value that code of the program constructs. */
export type ValueNode = ts.Identifier | ts.PropertyAccessExpression;

/** An expression that is lowered as a function: `grad(f)`, or a function value. */
export type MadeNode = ts.CallExpression | ValueNode;

export const isMadeNode = (node: ts.Node, api: TypeScript): node is MadeNode =>
  api.isCallExpression(node) || api.isIdentifier(node) || api.isPropertyAccessExpression(node);

/** A function on the worklist. */
export interface Entry {
  readonly name: string;
  readonly node: FunctionNode | MemberNode | ClassNode | MadeNode | ts.IterationStatement;
  /** The loop that it is. */
  readonly loop?: LiftedLoop;
  readonly use: MemberUse | null;
  readonly shipped?: Shipped;
  /** The shipped function that this one only calls. */
  readonly calls?: string;
  readonly chain: readonly ChainLink[];
  readonly callees: Set<string>;
  readonly errors: Diagnostic[];
  /** Functions lifted out of its closures. */
  readonly lifted: Map<string, Func>;
  /** Derivatives that it calls. */
  readonly derivations: Map<string, Derivation>;
  func: Func | null;
  failed: boolean;
}

/** The tables of the program that functions are lowered with. */
export interface FunctionServices {
  readonly api: TypeScript;
  readonly lowering: Lowering;
  readonly program: ts.Program;
  readonly checker: ts.TypeChecker;
  readonly graph: ModuleGraph;
  readonly targets: Targets;
  readonly types: TypeTable;
  readonly classes: Classes;
  readonly sink: Sink;
  readonly packageCode: CopiedCode | undefined;
  readonly javascript: JavaScript | undefined;
  /** Functions on which an earlier run failed by an internal error. */
  readonly failures: Map<ts.Node, unknown>;
}

/** What a context needs of the worklist. A name is null where the function has no home. */
interface Registry {
  readonly homes: Map<string, Home>;
  readonly homeless: ReadonlyMap<ts.Node, Diagnostic>;
  register(node: TargetNode, chain: readonly ChainLink[], shipped?: Shipped): string | null;
  registerMade(call: ts.CallExpression, chain: readonly ChainLink[]): string | null;
  registerMember(use: MemberUse, chain: readonly ChainLink[]): string;
  freeName(wanted: string): string;
}

type Report = LowerContext["report"];

/** The requests of one function. */
export class Requests {
  readonly #entry: Entry;
  readonly #registry: Registry;
  readonly #services: FunctionServices;

  constructor(entry: Entry, registry: Registry, services: FunctionServices) {
    this.#entry = entry;
    this.#registry = registry;
    this.#services = services;
  }

  context(): LowerContext {
    const entry = this.#entry;
    const { api, checker, program, targets, types, classes, lowering, packageCode } =
      this.#services;
    const { forms, definitions } = targets;
    const report: Report = (code, at, ...args) => this.#report(code, at, args);
    const typeFrom: LowerContext["typeFrom"] = (type, at, given = NO_TYPE_ARGUMENTS) =>
      this.#typeFrom(type, at, given);
    return {
      lowering,
      ts: api,
      checker,
      program,
      hasStrictNulls: saysMissing(program, api),
      types: types.types,
      originOf,
      isFaulty: (node) => this.#services.javascript?.faults.has(node) === true,
      report,
      typeOf: (node) => typeFrom(checker.getTypeAtLocation(node), node),
      typeFrom,
      packageCode,
      copied: (node) => targets.copied(node),
      callee: (symbol, at) => this.#callee(symbol, at),
      formOf: (symbol) => forms.formOf(symbol),
      derive: (name, derivation) =>
        void entry.derivations.set(name, stricter(entry.derivations.get(name), derivation)),
      operatorOf: (symbol) => forms.operatorOf(symbol),
      solverOf: (symbol) => forms.solverOf(symbol),
      reserveName: (wanted) => this.#reserve(wanted),
      addLifted: (func) => void entry.lifted.set(func.name, { ...func, isLifted: true }),
      definitionOf: (symbol, at) => definitions.of(symbol, at),
      definitionAt: (call) => definitions.at(call),
      addDefined: (call, at) => this.#defined(call, at),
      addExternal: (text, func, at) =>
        this.#external(member(text), { name: text }, func, originOf(at)),
      addImport: (exported, specifier, func, at) =>
        this.#external(
          exported,
          { file: specifier, specifier, name: exported, exportName: exported },
          func,
          originOf(at),
        ),
      classes,
      exact: types.exact,
      givenIn: types.givenIn,
      homeOf: types.homeOf,
      tagsType: types.tagsType,
      classOf: types.classOf,
      isOpen: types.isOpen,
      hasBases: types.hasBases,
      member: (use, at) => this.#member(use, at),
      bodyOf: (symbol) => bodyOf(targets.ofSymbol(symbol, symbol.name, entry.node)),
      declarationOf: (symbol, at) => declarationOf(targets.ofSymbol(symbol, symbol.name, at)),
      reject: (code, at, ...args): never => {
        report(code, at, ...args);
        throw new Rejected(code);
      },
    };
  }

  #report(code: Code, at: ts.Node, args: readonly string[]): void {
    const entry = this.#entry;
    const diagnostic = this.#services.sink.report(code, originOf(at), entry.chain, ...args);
    if (REGISTRY[code].severity !== "error") return;
    entry.failed = true;
    entry.errors.push(diagnostic);
  }

  /** In a member, `this` as a type is the exact type of the receiver. */
  #typeFrom(type: ts.Type, at: ts.Node, given: TypeArguments): Type {
    const { api, types } = this.#services;
    const receiver = this.#entry.use === null ? null : receiverOf(this.#entry.use);
    return receiver !== null &&
      type.isTypeParameter() &&
      type.symbol.flags & api.SymbolFlags.Class &&
      !given.has(type)
      ? types.exact(receiver, at)
      : types.from(type, at, given);
  }

  /** A name for a lifted function: `f_1`, `f_2`, … unless another one is wanted. */
  #reserve(wanted?: string): string {
    const { homes } = this.#registry;
    const { name: own } = this.#entry;
    const home = homes.get(own);
    let name = wanted === undefined ? `${own}_1` : this.#registry.freeName(wanted);
    for (let copy = 2; homes.has(name); copy++) name = `${own}_${copy}`;
    if (home !== undefined) homes.set(name, { ...home, name });
    return name;
  }

  /** A function whose code the build does not see. */
  #external(
    wanted: string,
    home: Partial<Home> & Pick<Home, "name">,
    func: Pick<Func, "params" | "result" | "body" | "rule">,
    origin: Origin,
  ): string {
    const name = this.#reserve(wanted);
    const place = { file: origin.file, at: 0, scope: "module", indent: "", origin } as const;
    this.#registry.homes.set(name, { ...place, ...home });
    this.#entry.lifted.set(name, { ...func, name, home: name, origin, shipped: true });
    return name;
  }

  #member(use: MemberUse, at: ts.Node): string | null {
    const { api } = this.#services;
    const owner = use.kind === "new" ? use.receiver : use.found.owner;
    const block = blockAround(declarationOfClass(owner, api) ?? owner, api);
    if (!api.isSourceFile(block) && !contains(block, this.#entry.node)) {
      this.#report("TSG1107", at, [this.#entry.name, classNameOf(owner, api)]);
      return null;
    }
    const name = this.#registry.registerMember(use, this.#chain(at));
    this.#entry.callees.add(name);
    return name;
  }

  /** A call of a function with a rule by `defineDerivative`. */
  #defined(call: ts.CallExpression, at: ts.Node): string | null {
    return this.#called(call, this.#registry.registerMade(call, this.#chain(at)));
  }

  #callee(symbol: ts.Symbol, at: ts.Node): string | null {
    const { program, targets } = this.#services;
    const text = shorten(at.getText());
    const called = /^[\w$.]+/.exec(text)?.[0] ?? text;
    const target = targets.ofSymbol(symbol, called, at);
    if (target.kind === "problem") {
      // calls of the standard library and of untyped values have their own errors
      const isUntyped =
        target.code === "TSG2001" ||
        (target.code === "TSG1001" && (symbol.declarations ?? []).length === 0);
      const isLibrary =
        target.code === "TSG1002" &&
        (symbol.declarations ?? []).some((node) =>
          program.isSourceFileDefaultLibrary(node.getSourceFile()),
        );
      this.#report(isUntyped ? "TSG1113" : isLibrary ? "TSG1203" : target.code, at, target.args);
      return null;
    }
    if (target.kind === "made") {
      if (targets.definitions.at(target.call) !== null) return this.#defined(target.call, at);
      this.#report("TSG1124", at, [called]);
      return null;
    }
    const shipped = target.kind === "shipped" ? target.shipped : undefined;
    return this.#called(
      target.node,
      this.#registry.register(target.node, this.#chain(at), shipped),
    );
  }

  /** Records a callee; one without a home fails the caller. */
  #called(callee: ts.Node, name: string | null): string | null {
    const entry = this.#entry;
    if (name !== null) entry.callees.add(name);
    else {
      const why = this.#registry.homeless.get(callee);
      if (why !== undefined) entry.errors.push(why);
      entry.failed = true;
    }
    return name;
  }

  #chain(at: ts.Node): readonly ChainLink[] {
    const { name, chain } = this.#entry;
    const shown = this.#registry.homes.get(name)?.name ?? name;
    return [...chain, { text: `called by \`${shown}\``, span: originOf(at) }];
  }
}

/** The class of a member's receivers; a static member has none. */
export const receiverOf = (use: MemberUse): ClassNode | null =>
  use.kind === "static" ? null : use.receiver;

/** The function's node, if the program has its body. */
const bodyOf = (target: Target): TargetNode | null =>
  target.kind === "function" ? target.node : null;
const declarationOf = (target: Target): TargetNode | null =>
  target.kind === "problem" || target.kind === "made" ? null : target.node;

/** Merges two requests for one derivative. */
export const stricter = (known: Derivation | undefined, derivation: Derivation): Derivation => ({
  ...derivation,
  ...(known?.pure === true ? { pure: true } : {}),
  ...(known?.preservesTangents === true ? { preservesTangents: true } : {}),
});

/** Whether types include `null` and `undefined`; TypeScript 6 is strict by default. */
function saysMissing(program: ts.Program, api: TypeScript): boolean {
  const { strictNullChecks, strict } = program.getCompilerOptions();
  return strictNullChecks ?? strict ?? Number(api.versionMajorMinor.split(".")[0]) >= 6;
}
