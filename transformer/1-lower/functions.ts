// The worklist of functions: those that call sites request, and those that lowered bodies call.
// Output: a Func and a Home for each, or the errors that failed it. Invariant: each function is
// lowered once. A function whose callee failed counts as failed.

import type ts from "typescript";
import { reportInternal } from "../diagnostics/internal.ts";
import type { ChainLink, Diagnostic } from "../diagnostics/report.ts";
import type { Derivation } from "../ir/facts.ts";
import { defined, member } from "../ir/names.ts";
import type { Func, Global, Home } from "../ir/types.ts";
import { walkAtoms } from "../ir/visit.ts";
import { classNameOf, type ClassNode } from "./classes/class-declarations.ts";
import { Rejected, type MemberUse } from "./context.ts";
import type { TypeScript } from "./typescript.ts";
import { isOfNamespace, namespaceOf } from "./names/namespaces.ts";
import { lowerLiftedLoop, type LiftedLoop } from "./lifted-loop.ts";
import {
  namingOf,
  homeOf,
  homeOfLoop,
  homeOfClass,
  homeOfDerived,
  initialisedBy,
  type HomeResult,
} from "./sites/homes.ts";
import { literalParamTypes, paramTexts, withReadonly } from "./sites/param-facts.ts";
import { reportSignature } from "./sites/signature.ts";
import { sealedInSignature } from "./classes/private-instances.ts";
import { nameOf, type FunctionNode, type TargetNode } from "./sites/targets.ts";
import { shippedWrapper, lowerShipped, type Shipped } from "./sites/shipped.ts";

import { Boundaries, checkTogether } from "./function-checks.ts";
import {
  type Entry,
  type FunctionServices,
  type LowerBody,
  receiverOf,
  Requests,
  stricter,
  isMadeNode,
  type ValueNode,
} from "./lowering-context.ts";
import { originOf } from "../syntax/places.ts";

export type { LowerBody } from "./lowering-context.ts";

/** Ends a run in which lowering failed by an internal error. */
export class Incomplete extends Error {
  override readonly name = "Incomplete";
}

export class Functions {
  readonly homes = new Map<string, Home>();
  /** Why a function has no home. */
  readonly homeless = new Map<ts.Node, Diagnostic>();
  /** Why a function that sites request cannot be called by them. */
  readonly #closed = new Map<string, Diagnostic>();
  readonly #entries = new Map<string, Entry>();
  readonly #byNode = new Map<ts.Node, string | null>();
  readonly #members: {
    readonly node: ts.Node;
    readonly wanted: string;
    readonly receiver: ClassNode | null;
    readonly name: string;
  }[] = [];
  readonly #waiting: Entry[] = [];
  readonly #boundaries: Boundaries;
  readonly #services: FunctionServices;

  constructor(services: FunctionServices) {
    this.#services = services;
    this.#boundaries = new Boundaries(services);
  }

  /** Classes with `#x`, and fields with functions, whose objects are exchanged with other code. */
  get boundaryNodes(): ReadonlySet<ts.Node> {
    return this.#boundaries.left;
  }

  /** Registers a function and gives its name in Program.funcs; null where it has no home. */
  register(node: TargetNode, chain: readonly ChainLink[], shipped?: Shipped): string | null {
    const { api, checker } = this.#services;
    if (api.isMethodDeclaration(node) && api.isClassLike(node.parent))
      return this.registerMember({ kind: "static", found: { node, owner: node.parent } }, chain);
    const known = this.#byNode.get(node);
    if (known !== undefined) return known;
    const result: HomeResult =
      shipped !== undefined
        ? { kind: "home", home: shipped.home }
        : homeOf(node, [...this.homes.values()], api, checker);
    if (result.kind === "homeless") return this.#refuseHome(node, result.captured, chain);
    const { home } = result;
    const wanted = home.owner === undefined ? home.name : member(...home.name.split("."));
    return this.#add(wanted, home, {
      node,
      use: null,
      chain,
      ...(shipped === undefined ? {} : { shipped }),
    });
  }

  /** Registers `grad(f)` as a function that is differentiated itself. */
  registerMade(call: ts.CallExpression, chain: readonly ChainLink[]): string | null {
    const { api, checker, targets } = this.#services;
    const known = this.#byNode.get(call);
    if (known !== undefined) return known;
    const definition = targets.definitions.at(call);
    const wanted =
      definition !== null
        ? defined(nameOf(definition.target, api).getText())
        : (initialisedBy(call, api)?.text ?? "made");
    const result = homeOfDerived(call, wanted, api, checker);
    return result.kind === "homeless"
      ? this.#refuseHome(call, result.captured, chain)
      : this.#add(wanted, result.home, { node: call, use: null, chain });
  }

  /** Registers a function value that code of the program constructs. */
  registerValue(node: ValueNode, chain: readonly ChainLink[]): string | null {
    const { api, checker } = this.#services;
    const known = this.#byNode.get(node);
    if (known !== undefined) return known;
    const wanted = api.isIdentifier(node) ? node.text : node.name.text;
    const result = homeOfDerived(node, wanted, api, checker);
    return result.kind === "homeless"
      ? this.#refuseHome(node, result.captured, chain)
      : this.#add(wanted, result.home, { node, use: null, chain });
  }

  #refuseHome(node: ts.Node, variable: string, chain: readonly ChainLink[]): null {
    const error = this.#services.sink.report("TSG1008", originOf(node), chain, variable);
    this.homeless.set(node, error);
    this.#byNode.set(node, null);
    return null;
  }

  /** Registers a loop of a function as a function of its own. */
  registerLoop(loop: LiftedLoop, chain: readonly ChainLink[]): string {
    const { node } = loop;
    const known = this.#byNode.get(node);
    if (known !== undefined && known !== null) return known;
    const home = homeOfLoop(node, [...this.homes.values()], this.#services.api);
    return this.#add(home.name, home, { node, use: null, loop, chain });
  }

  /** Registers a function of the requesting file that only calls a shipped one. */
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
    const { name, origin } = shipped.home;
    const home: Home = {
      file: file.fileName,
      // the package's own derivatives are imported by their names
      name: `${name}$here`,
      at: file.end,
      scope: "module",
      indent: "",
      origin,
    };
    return this.#add(home.name, home, { node, use: null, calls, chain });
  }

  /** Registers a class member: one function for each class of receivers. */
  registerMember(use: MemberUse, chain: readonly ChainLink[]): string {
    const { api, checker, packageCode } = this.#services;
    const wanted = memberName(use, api);
    const receiver = receiverOf(use);
    const isNew = use.kind === "new";
    const node = isNew ? use.receiver : use.found.node;
    const known = this.#members.find(
      (each) => each.node === node && each.wanted === wanted && each.receiver === receiver,
    );
    if (known !== undefined) return known.name;
    const owner = isNew ? use.receiver : use.found.owner;
    const own = isNew ? "constructor" : (node.name?.getText() ?? "");
    const of = homeOfClass(owner, own, api, checker);
    const home = { ...of, owner: { name: of.name, ...of.owner, ...packageCode?.importOf(owner) } };
    const name = this.#add(wanted, home, { node, use, chain });
    this.#members.push({ node, wanted, receiver, name });
    return name;
  }

  #add(
    wanted: string,
    home: Home,
    parts: Pick<Entry, "node" | "use" | "chain" | "shipped" | "calls" | "loop">,
  ): string {
    const name = this.freeName(wanted);
    const entry: Entry = {
      ...parts,
      name,
      callees: new Set(parts.calls === undefined ? [] : [parts.calls]),
      errors: [],
      lifted: new Map(),
      derivations: new Map(),
      func: null,
      failed: false,
    };
    this.homes.set(name, home);
    this.#entries.set(name, entry);
    if (parts.use === null && parts.calls === undefined) this.#byNode.set(parts.node, name);
    this.#waiting.push(entry);
    return name;
  }

  /** `wanted`, or with a number where another function has that name. */
  freeName(wanted: string): string {
    let name = wanted;
    for (let copy = 2; this.homes.has(name); copy++) name = `${wanted}.${copy}`;
    return name;
  }

  /** Lowers all waiting functions and those that they call, then checks them together. */
  run(lowerBody: LowerBody): void {
    for (let entry = this.#waiting.shift(); entry !== undefined; entry = this.#waiting.shift()) {
      if (entry.calls !== undefined) {
        const func = this.#entries.get(entry.calls)?.func;
        if (func !== null && func !== undefined) entry.func = shippedWrapper(func, entry.name);
        continue;
      }
      try {
        this.#lower(entry, lowerBody);
      } catch (error) {
        if (error instanceof Rejected) continue;
        // tables of the run may be incomplete, so it is repeated without the function
        this.#services.failures.set(entry.node, error);
        throw new Incomplete("lowering failed on a function", { cause: error });
      }
    }
    checkTogether(
      [...this.#entries.values()],
      this.derivationsOf(this.#entries.keys()),
      (entry) => this.#shown(entry),
      this.#boundaries,
      this.#services,
    );
  }

  #lower(entry: Entry, lowerBody: LowerBody): void {
    const { api, checker, sink, failures } = this.#services;
    const { node, name, use, shipped } = entry;
    if (failures.has(node)) {
      const concerned = { name: this.#shown(entry), span: originOf(node), chain: entry.chain };
      entry.errors.push(reportInternal(sink, failures.get(node), concerned));
      entry.failed = true;
      return;
    }
    const ctx = new Requests(entry, this, this.#services).context();
    if (api.isIterationStatement(node, false)) {
      if (entry.loop !== undefined) entry.func = lowerLiftedLoop(ctx, entry.loop, name);
      return;
    }
    const head = use?.kind === "new" ? this.#constructorOf(use.receiver) : node;
    if (head !== null && !api.isClassLike(head) && !isMadeNode(head, api))
      reportSignature(head, ctx);
    if (entry.failed) return;
    if (shipped !== undefined && api.isFunctionDeclaration(node))
      entry.func = lowerShipped(ctx, node, name, shipped);
    else
      entry.func = this.#apart(
        {
          ...lowerBody(ctx, node, name, name, use),
          ...this.#inNamespace(node),
          ...this.#paramTexts(entry, node),
          ...literalParamTypes(node, api, checker),
          ...(this.#isDefinition(node) || this.#isCopied(node) ? { isLifted: true } : {}),
        },
        node,
      );
  }

  #paramTexts(
    { name, use }: Entry,
    node: Exclude<Entry["node"], ts.IterationStatement>,
  ): Pick<Func, "paramText"> {
    const { api, checker, types } = this.#services;
    if (isMadeNode(node, api) || api.isClassLike(node)) return {};
    const home = this.homes.get(name);
    if (home !== undefined)
      this.homes.set(
        name,
        withReadonly(home, node, { api, checker, isReadonly: types.isReadonly }),
      );
    return use !== null || isOfNamespace(node, api) ? {} : { paramText: paramTexts(node, api) };
  }

  /** How code calls a namespace's function: as `Vec.dot(…)`, or not at all if it is unexported. */
  #inNamespace(node: ts.Node): Pick<Func, "member" | "isLifted"> {
    const { api } = this.#services;
    if (!isOfNamespace(node, api)) return {};
    const naming = namingOf(node as FunctionNode, api); // only functions are of a namespace
    const known = naming === null ? null : namespaceOf(naming, api);
    if (known === null || naming === null) return {};
    const name =
      naming.kind === api.SyntaxKind.ExportAssignment ? "" : (naming.name?.getText() ?? "");
    return known.path !== null && known.isDirect
      ? { member: { kind: "static", name, hidden: false } }
      : { isLifted: true };
  }

  /** A function that takes or gives records for instances is only called by derived code. */
  #apart(func: Func, node: ts.Node): Func {
    const isOfCopy = this.#services.packageCode?.isOnlyInCopy(node) === true;
    if (!isOfCopy && sealedInSignature(func, this.#services.types.types) === null) return func;
    const { member: _, paramText: __, ...own } = func;
    return { ...own, isLifted: true };
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

  /** Whether sites can call the function: they pass instances, not the records for them. */
  #isOpen(entry: Entry, func: Func): boolean {
    const { types, sink } = this.#services;
    const of = sealedInSignature(func, types.types);
    if (of === null) return true;
    const [code, ...args] = this.#boundaries.leave(of, this.#shown(entry));
    if (!this.#closed.has(entry.name))
      this.#closed.set(entry.name, sink.report(code, func.origin, entry.chain, ...args));
    return false;
  }

  #shown({ name }: Entry): string {
    return this.homes.get(name)?.name ?? name;
  }

  /** The derivatives that the bodies of these functions call. */
  derivationsOf(names: Iterable<string>): ReadonlyMap<string, Derivation> {
    const found = new Map<string, Derivation>();
    for (const name of names)
      for (const [of, derivation] of this.#entries.get(name)?.derivations ?? [])
        found.set(of, stricter(found.get(of), derivation));
    return found;
  }

  /** Files of the function and of all that it is known to call, and of variables that they read. */
  filesOf(name: string): ReadonlySet<string> {
    const files = new Set<string>();
    for (const next of this.#withCallees(name)) {
      const home = this.homes.get(next);
      if (home !== undefined) files.add(home.file);
      const func = this.#entries.get(next)?.func;
      if (func === undefined || func === null) continue;
      walkAtoms(func.body, (atom) => {
        if (atom.kind === "global") for (const file of filesOfGlobal(atom)) files.add(file);
      });
    }
    return files;
  }

  /** Errors of the function and of all that it is known to call. */
  errorsOf(name: string): readonly Diagnostic[] {
    const closed = this.#closed.get(name);
    return [
      ...(closed === undefined ? [] : [closed]),
      ...[...this.#withCallees(name)].flatMap((next) => this.#entries.get(next)?.errors ?? []),
    ];
  }

  #withCallees(name: string): ReadonlySet<string> {
    const names = new Set([name]);
    for (const next of names)
      for (const callee of this.#entries.get(next)?.callees ?? []) names.add(callee);
    return names;
  }

  /** Whether the node is a `defineDerivative` call, whose function has no declaration. */
  #isDefinition(node: ts.Node): boolean {
    const { api, targets } = this.#services;
    return api.isCallExpression(node) && targets.definitions.at(node) !== null;
  }

  /** Whether the user's files have it only in a package. */
  #isCopied(node: ts.Node): boolean {
    const { api, packageCode } = this.#services;
    // emitted code has the package's own classes
    return (
      !api.isClassLike(node) && !api.isClassElement(node) && packageCode?.isCopied(node) === true
    );
  }

  #constructorOf(node: ClassNode): ts.ConstructorDeclaration | null {
    const { classes } = this.#services;
    for (const each of classes.lineage(node) ?? []) {
      const own = classes.constructorOf(each);
      if (own !== null) return own;
    }
    return null;
  }
}

function memberName(use: MemberUse, api: TypeScript): string {
  if (use.kind === "new") return member(classNameOf(use.receiver, api));
  const own = use.found.node.name.getText();
  const owner = classNameOf(use.found.owner, api);
  if (use.kind === "static") return member(owner, own);
  const name = use.kind === "method" ? own : `${use.kind === "getter" ? "get" : "set"}_${own}`;
  const receiver = classNameOf(use.receiver, api);
  return use.isSuper ? member(receiver, owner, name) : member(receiver, name);
}

/** Where a variable is declared, and the function that captures it. */
const filesOfGlobal = ({ file, captured }: Global): readonly string[] =>
  captured === undefined ? [file] : [captured.place.file, ...filesOfGlobal(captured.of)];
