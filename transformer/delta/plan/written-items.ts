// Writes the items of a plan: functions, classes, literals, links. In: a declaration. Out: its
// item, whose lines the rewriter writes, again when more is known of what it is given.
// Invariant: what an item's text names is an item too, or needs no rewriting.

import type ts from "typescript";
import { outermost } from "../../syntax/wrappers.ts";
import { code, type Code, id, list, NOTHING } from "../../code/code.ts";
import { DEFAULT_VALUE, delta, deltaCell, deltaOnce } from "../../ir/names.ts";
import { rewriteClass, rewriteExpression, rewriteFunction } from "../rewrite.ts";
import type {
  Beside,
  PrivateFunction,
  Resolution,
  RewriteContext,
  Rewritten,
  RewrittenLine,
} from "../scope.ts";
import { classesMentioned, classNameOf } from "./class-index.ts";
import type { FunctionValue, Met } from "./function-index.ts";
import {
  classLines,
  constLines,
  isInPlace,
  isJavaScript,
  type Item,
  linkLines,
  reachOf,
} from "./items.ts";
import type { KeptFunction } from "./kept-functions.ts";
import { holdsPlaces, linksAt, type LinksHost } from "./literal-links.ts";
import { ahead, behind, blockOf, memberEnd, placeIn, seesThis } from "./places.ts";
import type { PlanHost, PlanState } from "./plan-state.ts";
import { Rewritings } from "./rewritings.ts";
import { note, takesFunctions } from "../seen-objects.ts";
import { originOf } from "../../syntax/places.ts";

/** What a name means, and so what the item that has it needs. */
export type Resolve = (item: Item, identifier: ts.Identifier) => Resolution;

export class WrittenItems {
  readonly #host: PlanHost;
  readonly #state: PlanState;
  readonly #perOperation: boolean;
  readonly #resolve: Resolve;
  readonly #rewritings: Rewritings;
  readonly #fieldsLast: boolean;
  readonly #write = new Map<ts.Node, () => void>();
  #takesFunctions: boolean | null = null;
  /** By package and file: the functions that the package may be given. */
  readonly #given = new Map<string, Met>();

  constructor(host: PlanHost, state: PlanState, perOperation: boolean, resolve: Resolve) {
    this.#host = host;
    this.#state = state;
    this.#perOperation = perOperation;
    this.#resolve = resolve;
    this.#rewritings = host.rewritings ?? new Rewritings();
    const { useDefineForClassFields, target } = host.program.getCompilerOptions();
    this.#fieldsLast = !(
      useDefineForClassFields ?? (target ?? host.ts.ScriptTarget.ES5) >= host.ts.ScriptTarget.ES2022
    );
  }

  /** Rewrites functions until their activity has reached a fixed point. */
  settle(roots: ReadonlySet<Item>): void {
    const { activity } = this.#state;
    while (activity.stale.size > 0) {
      for (const node of activity.stale) {
        activity.stale.delete(node);
        this.#write.get(node)?.();
      }
      for (const root of roots) activity.meet(reachOf(root).map(({ node }) => node));
    }
  }

  // ---------------------------------------------------------------- functions

  /** A hoisted function: a declaration, or one that a const names. */
  function(node: ts.FunctionLikeDeclaration, named: ts.Node, name: string): Item | null {
    const { api, items, names } = this.#state;
    const known = items.get(node);
    // what is written beside the function itself has no name; the run time finds it by the value
    if (known !== undefined) return known.beside !== undefined && isInPlace(known) ? null : known;
    const block = blockOf(named, api);
    if (block === null) return null;
    const file = node.getSourceFile();
    const isArrow = block !== file && seesThis(node, api);
    return this.#later(
      node,
      this.#state.item(
        node,
        names.claim(file, delta(name)),
        isArrow ? { behind: behind(named, api) } : { place: placeIn(block, node, api) },
      ),
    );
  }

  /** A function in place at the call: its lines are an expression. */
  inPlace(node: ts.FunctionLikeDeclaration): Item {
    return this.#state.items.get(node) ?? this.#later(node, this.#unnamed(node));
  }

  /** A function that a form or a rule makes: its lines are an expression. */
  made(node: ts.Expression): Item {
    const item = this.#unnamed(node);
    this.#rewrite(item, (context) => {
      const { lines, ...rest } = rewriteExpression(node, context);
      return { ...rest, lines: surrounded(lines, code`$d.deltaFrom(() => `, code`)`) };
    });
    return item;
  }

  #unnamed(node: ts.Node): Item {
    return this.#state.item(node, this.#state.names.claim(node.getSourceFile(), delta("f")), {});
  }

  /** A function that `settle` writes; an arrow function after its statement is a const there. */
  #later(node: ts.FunctionLikeDeclaration, item: Item): Item {
    this.#write.set(node, () => {
      this.#rewrite(item, (context) => {
        const written = this.#rewritings.of(node, [item.name], context, (recorded) =>
          rewriteFunction(node, item.name, recorded),
        );
        const seen = item.beside === undefined ? null : this.noteOf(node, node);
        const lines = seen === null ? written.lines : surrounded(written.lines, ...seen);
        return { ...written, lines: item.behind === null ? lines : constLines(lines, item.name) };
      });
    });
    this.#state.activity.enter(node);
    return item;
  }

  /** The rewritten form of `#k(x) { … }`, which functions in its class can call. */
  #privateFunction(item: Item, node: ts.MethodDeclaration): PrivateFunction | null {
    const { api, items, names, activity } = this.#state;
    const of = api.isClassLike(node.parent) ? classNameOf(node.parent, api) : null;
    if (of === null) return null;
    const own =
      items.get(node) ??
      this.#later(
        node,
        this.#state.item(node, names.claim(item.file, delta(node.name.getText().slice(1))), {}),
      );
    own.isMember = true;
    activity.escapes(node);
    item.needs.add(own);
    return { of: id(of), name: `#${own.name}` };
  }

  /** `const h = compose(f, g)` of a package: called again, once, with rewritten functions. */
  once(item: Item, node: ts.CallExpression, name: string): Resolution {
    const { api, items, names } = this.#state;
    const known = items.get(node);
    const file = node.getSourceFile();
    const own =
      known ??
      this.#state.item(node, names.claim(file, deltaOnce(name)), {
        place: placeIn(file, node, api),
      });
    item.needs.add(own);
    if (known === undefined) {
      const cell = names.claim(own.file, deltaCell(name));
      const any = isJavaScript(own.file) ? NOTHING : code`: any`;
      const origin = originOf(node);
      this.#rewrite(own, (context) => {
        const { lines, ...rest } = rewriteExpression(node, context);
        const body = surrounded(lines, code`return ${cell} ??= `, code`;`);
        return {
          ...rest,
          lines: [
            { indent: 0, text: code`var ${cell}${any};`, origin },
            { indent: 0, text: code`function ${own.name}()${any} {`, origin },
            ...body.map((line) => ({ ...line, indent: line.indent + 1 })),
            { indent: 0, text: code`}`, origin },
          ],
        };
      });
    }
    return { kind: "text", value: code`${names.inFile(own, item)}()` };
  }

  // ---------------------------------------------------------------- classes

  class(node: ts.ClassLikeDeclaration): Item | null {
    const { api, items, classes, names } = this.#state;
    if (this.#state.isExtended(node)) return this.#state.extended(node);
    const known = items.get(node);
    if (known !== undefined) return known;
    const named = classNameOf(node, api);
    if (!this.#hasPlace(node, named)) return null;
    const file = node.getSourceFile();
    const own = named ?? node.name?.text;
    const plain = own === undefined ? names.claim(file, "C$plain") : id(own);
    const item = this.#state.item(
      node,
      names.claim(file, delta(own ?? "C")),
      named === null ? {} : { behind: behind(node, api) },
    );
    if (named === null) item.beside = { kind: "class", plain };
    const parent = classes.parentOf(node);
    const base = parent === null ? null : this.class(parent);
    if (base !== null) item.needs.add(base);
    this.#rewrite(item, (context) => {
      const { lines, handing, ...rest } = this.#rewritings.of(
        node,
        [item.name, plain],
        context,
        (recorded) => rewriteClass(node, item.name, plain, recorded),
      );
      if (handing !== null && lines.some(({ text }) => text.includes("$d.handedBy(")))
        item.inside = { at: node.end - 1, lead: memberEnd(node, api), text: handing };
      return {
        ...rest,
        lines: named === null ? lines : classLines(lines, plain, item.name, originOf(node)),
      };
    });
    for (const child of classes.childrenOf(node)) this.#state.soft(item, this.class(child));
    for (const other of classes.basesOf(node)) this.#state.soft(item, this.class(other));
    return item;
  }

  /** Not `declare class`: it is the host's, and may not be there. */
  #hasPlace(node: ts.ClassLikeDeclaration, named: string | null): boolean {
    const { api } = this.#state;
    return (
      (named !== null || api.isClassExpression(node)) &&
      (api.getCombinedModifierFlags(node) & api.ModifierFlags.Ambient) === 0
    );
  }

  // ---------------------------------------------------------------- values that are linked

  /** `const square = …;  ->  const square = …; $d.link(square, square$delta);` */
  value({ node, named, name }: FunctionValue): Item | null {
    const { api, items, activity } = this.#state;
    if (this.#state.isExtended(node)) return this.#state.extended(node);
    if (holdsPlaces(node, api)) return this.literal(node, name.text);
    const known = items.get(name);
    if (known !== undefined) return known;
    const found = this.function(node, named, name.text);
    if (found === null) return null;
    activity.escapes(node);
    const own = this.#state.item(name, id(name.text), {
      // a function is there before its block begins
      behind: api.isFunctionDeclaration(named) ? ahead(named, api) : behind(named, api),
    });
    own.needs.add(found);
    const [before, after] = this.noteOf(node, named) ?? [NOTHING, NOTHING];
    const of = code`${before}${found.name}${after}`;
    own.lines = linkLines([{ path: id(name.text), delta: of }], originOf(name));
    return own;
  }

  /** Links a function that escapes without a name where it is written. */
  #beside({ node, how }: KeptFunction): Item {
    const { api, items, activity } = this.#state;
    if (this.#state.isExtended(node)) return this.#state.extended(node);
    const known = items.get(node);
    if (known !== undefined) return known;
    const item = api.isCallExpression(node)
      ? this.#state.item(node, code`bound`, {})
      : this.inPlace(node);
    item.beside = how;
    if (!api.isCallExpression(node)) activity.escapes(node);
    if (how.kind === "bound") this.#linkBound(item, how.fn);
    return item;
  }

  /** Links the function or method of `fn.bind(o)`. */
  #linkBound(item: Item, fn: ts.Expression): void {
    const { api, checker, functions, own } = this.#state;
    const symbol = checker.getSymbolAtLocation(api.isPropertyAccessExpression(fn) ? fn.name : fn);
    const bound = symbol === undefined ? null : functions.heldBy(symbol);
    if (bound !== null) this.#state.soft(item, this.value(bound));
    for (const method of symbol?.declarations ?? [])
      if (
        api.isMethodDeclaration(method) &&
        api.isClassLike(method.parent) &&
        own.has(method.getSourceFile())
      )
        this.#state.soft(item, this.class(method.parent));
  }

  /** `const ops = { add: … };  ->  const ops = { add: … }; $d.link(ops.add, ops$add$delta);` */
  literal(node: ts.Expression, name: string): Item {
    const { api, items, names } = this.#state;
    if (this.#state.isExtended(node)) return this.#state.extended(node);
    const known = items.get(node);
    if (known !== undefined) return known;
    const isDefault = api.isExportAssignment(outermost(node, api).parent);
    const path = isDefault ? names.claim(node.getSourceFile(), DEFAULT_VALUE) : id(name);
    const own = this.#state.item(node, path, isDefault ? {} : { behind: behind(node, api) });
    if (isDefault) own.beside = { kind: "default" };
    const links = linksAt(this.#linksHost(own, node), node, path, name);
    own.lines = linkLines(
      links.map((link) => ({ ...link, delta: names.inFile(link.to, own) })),
      originOf(node),
    );
    return own;
  }

  /** How the functions in a literal become items. */
  #linksHost(own: Item, literal: ts.Node): LinksHost {
    const { api, checker, activity } = this.#state;
    const written = (fn: ts.FunctionLikeDeclaration, label: string): Item | null => {
      const found = this.function(fn, literal, label);
      if (found === null) return null;
      activity.escapes(found.node);
      own.needs.add(found);
      return found;
    };
    const named = (value: ts.Identifier): Item | null => {
      const meant = this.#resolve(own, value);
      if (meant.kind !== "function") return null;
      activity.escapes(meant.node);
      return (
        [...own.needs].find((one) => one.file === own.file && one.name === meant.delta) ?? {
          ...own,
          name: meant.delta,
        }
      );
    };
    return { ts: api, checker, written, named };
  }

  // ---------------------------------------------------------------- rewriting

  #rewrite(item: Item, write: (context: RewriteContext) => Rewritten): void {
    item.loops.clear();
    const { lines, problems, beyond, equalities } = write(this.#contextOf(item));
    item.lines = lines;
    item.problems = problems;
    item.equalities = equalities ?? [];
    if (beyond === true) item.beyond = true;
    this.#forget(item);
    this.meet(item);
  }

  #contextOf(item: Item): RewriteContext {
    const { api, checker, activity } = this.#state;
    const { program } = this.#host;
    const steps = this.#perOperation ? undefined : this.#host.steps;
    const step = steps?.get(item.node);
    const hasLoops = !this.#perOperation && item.packageUses === undefined && step === undefined;
    return {
      ts: api,
      checker,
      isLibrary: (file) => program.isSourceFileDefaultLibrary(file),
      javascript: isJavaScript(item.file),
      perOperation: this.#perOperation,
      fieldsLast: this.#fieldsLast,
      takesFunctions: () => this.#mayBeOfForm(),
      resolver: {
        resolve: (identifier) => this.#resolve(item, identifier),
        privateFunction: (node) => this.#privateFunction(item, node),
        keyAt: (operand) => this.#keyAt(item, operand),
      },
      ...(this.#perOperation ? {} : { activity: activity.of(item.node) }),
      ...(step === undefined ? {} : { step }),
      ...(hasLoops
        ? {
            loopFor: (wish) => {
              item.loops.set(wish.node, wish);
              return steps?.get(wish.node) ?? null;
            },
          }
        : {}),
    };
  }

  /** What notes the objects that a function sees, where it may be that of a form. */
  noteOf(node: ts.FunctionLikeDeclaration, at: ts.Node): readonly [Code, Code] | null {
    const { api: ts, checker } = this.#state;
    return this.#mayBeOfForm() ? note(node, at, { ts, checker }) : null;
  }

  #mayBeOfForm(): boolean {
    const { api, checker, own } = this.#state;
    return (this.#takesFunctions ??= takesFunctions([...own], api, checker));
  }

  /** Drops needs that the item's text does not mention: inlined functions, unused cells. */
  #forget(item: Item): void {
    const { cells, names } = this.#state;
    const words = new Set(item.lines.flatMap(({ text }) => text.split(/[^\p{ID_Continue}$]+/u)));
    for (const other of item.needs)
      if (
        (this.#write.has(other.node) || cells.has(other)) &&
        !words.has(names.inOther(other, item.file))
      )
        item.needs.delete(other);
    names.keep(item, words);
  }

  /** Links classes and functions whose instances and values its code may read. */
  meet(item: Item): void {
    const { api, checker, classes, functions } = this.#state;
    for (const mentioned of classesMentioned(item.node, api, checker)) {
      for (const found of classes.meant(mentioned)) this.#state.soft(item, this.class(found));
    }
    const { named, kept } = functions.metBy(item.node);
    // functions that do not escape from a rewritten function are rewritten with it
    const isInside = (value: FunctionValue): boolean =>
      !value.isKept &&
      api.findAncestor(value.named.parent, (at) => this.#write.has(at)) !== undefined;
    this.#link(item, { named: named.filter((each) => !isInside(each)), kept });
  }

  /** Links all functions that code of a package may be given, also by another package. */
  linkGiven(item: Item, specifier: string): void {
    const { functions, packages } = this.#state;
    const { fileName } = item.file;
    const key = `${specifier}\n${fileName}`;
    const met = this.#given.get(key) ?? functions.given(packages.mayShare(specifier, fileName));
    this.#given.set(key, met);
    this.#link(item, met);
  }

  #link(item: Item, all: Met): void {
    for (const each of all.named) this.#state.soft(item, this.value(each));
    for (const each of all.kept) this.#state.soft(item, this.#beside(each));
  }

  /** What may be kept beside the key that an operand reads. */
  #keyAt(item: Item, operand: ts.Expression): Beside | null {
    const { assigned, cells, checker, keys } = this.#state;
    const key = keys.at(operand);
    if (key === null || key.kind === "field") return key;
    const all = key.siblings.filter((each) => each.getSourceFile() === item.file);
    const variables = all.map((declaration) => {
      const name = declaration.name.getText();
      const symbol = checker.getSymbolAtLocation(declaration.name);
      const isAssigned = symbol !== undefined && assigned.has(symbol);
      const cell = isAssigned ? cells.of(item, declaration, name) : null;
      return code`[${cell ?? code`null`}, ${id(name)}]`;
    });
    return { variables: list(variables) };
  }
}

const surrounded = (
  lines: readonly RewrittenLine[],
  before: Code,
  after: Code,
): readonly RewrittenLine[] =>
  lines.map((line, i) => ({
    ...line,
    text: code`${i === 0 ? before : NOTHING}${line.text}${i === lines.length - 1 ? after : NOTHING}`,
  }));
