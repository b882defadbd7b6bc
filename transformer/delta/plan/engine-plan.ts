// The Delta engine's worklist. In: a target. Out: all declarations that must be rewritten for it.
// Invariants: each is rewritten once; what an item names is an item too, or needs no rewriting.

import type ts from "typescript";
import { outermost, bare } from "../../syntax/wrappers.ts";
import { code, type Code, id, list, literal, NOTHING } from "../../code/code.ts";
import { DEFAULT_VALUE, delta, deltaCell, deltaOnce } from "../../ir/names.ts";
import { Activity, type Given } from "./activity.ts";
import { AssignedVariables } from "../assigned.ts";
import { Cells } from "../kept/cells.ts";
import { Keys } from "../kept/keys.ts";
import { ClassIndex, classesMentioned, classNameOf } from "./class-index.ts";
import { FunctionIndex, type FunctionValue } from "./function-index.ts";
import {
  classLines,
  constLines,
  isInPlace,
  isJavaScript,
  type Item,
  linkLines,
  madeItem,
  type Names,
  reachOf,
} from "./items.ts";
import { hasAccessors } from "./lean.ts";
import type { KeptFunction } from "./kept-functions.ts";
import { holdsPlaces, linksAt, type LinksHost } from "./literal-links.ts";
import { isBeyondNamespace, isNamespace, membersMeant } from "../namespaces.ts";
import { whyNotAgain } from "./made-once.ts";
import {
  type FromPackage,
  type Importing,
  packageImport,
  tsgradImport,
} from "./package-imports.ts";
import { exportKey, type Packages, type Refusal } from "../packages/index.ts";
import { refusalText } from "./refusal-text.ts";
import { behind, blockOf, memberEnd, originOf, placeIn, seesThis } from "./places.ts";
import { rewriteClass, rewriteExpression, rewriteFunction } from "../rewrite.ts";
import { FormUses } from "./form-uses.ts";
import { hindrance, isForm, solverAt } from "./tsgrad-calls.ts";
import { nameOf, type Steps, type StepRequest, wishOf } from "./steps.ts";
import type { Beside, Resolution, RewriteContext, RewriteProblem, Rewritten } from "../scope.ts";

export interface PlanHost {
  readonly ts: typeof ts;
  readonly program: ts.Program;
  readonly files: readonly ts.SourceFile[];
  /** Resolves calls into packages. */
  readonly packages: Packages;
  /** Functions whose calls may be a single step of the tape. */
  readonly steps?: Steps;
  /** The rule that a function has by `defineDerivative`; the runtime applies it. */
  readonly ruleOf: (symbol: ts.Symbol, at: ts.Node) => "vjp" | "jvp" | null;
  /** Whether the program replaces a function of the standard library, such as `Math.sin`. */
  readonly isReplaced: (path: string) => boolean;
  /** Why no export can be added to a file; null where one can. */
  readonly closedAs: (file: ts.SourceFile) => string | null;
}

/** Whether a name stands for a value in an expression: no key, no type. */
const isValueName = (node: ts.Identifier, api: typeof ts): boolean =>
  !(api.isPropertyAccessExpression(node.parent) && node.parent.name === node) &&
  !api.isTypeNode(node.parent);

const idOrNull = (name: string | null): Code | null => (name === null ? null : id(name));

export class Plan {
  readonly items = new Map<ts.Node, Item>();
  readonly #perOperation: boolean;
  /** Whether rewritten code takes derivatives itself. */
  usesForms = false;
  readonly #fieldsLast: boolean;
  readonly #api: typeof ts;
  readonly #checker: ts.TypeChecker;
  readonly #isLibrary: (file: ts.SourceFile) => boolean;
  readonly #names: Names;
  readonly #keys: Keys;
  readonly #index: ClassIndex;
  readonly #functions: FunctionIndex;
  readonly #own: ReadonlySet<ts.SourceFile>;
  readonly #assigned: AssignedVariables;
  readonly #packages: Packages;
  readonly #ruleOf: PlanHost["ruleOf"];
  readonly #isReplaced: PlanHost["isReplaced"];
  readonly #activity: Activity;
  readonly #steps: Steps | undefined;
  readonly #importing: Importing;
  readonly #formUses: FormUses;
  readonly #write = new Map<ts.Node, () => void>();
  /** The cells of assigned variables. */
  readonly #cells: Cells;
  readonly #roots = new Set<Item>();

  /** `perOperation`: one node per operation, for readers of the tape. */
  constructor(host: PlanHost, names: Names, perOperation: boolean) {
    this.#perOperation = perOperation;
    const { useDefineForClassFields, target } = host.program.getCompilerOptions();
    this.#fieldsLast = !(
      useDefineForClassFields ?? (target ?? host.ts.ScriptTarget.ES5) >= host.ts.ScriptTarget.ES2022
    );
    this.#api = host.ts;
    this.#checker = host.program.getTypeChecker();
    this.#isLibrary = (file) => host.program.isSourceFileDefaultLibrary(file);
    this.#assigned = new AssignedVariables(host.ts, this.#checker);
    this.#keys = new Keys({ ...host, checker: this.#checker, assigned: this.#assigned });
    this.#names = names;
    this.#cells = new Cells({
      ts: host.ts,
      names,
      items: this.items,
      item: (node, name, where) => this.#item(node, name, where),
    });
    this.#index = new ClassIndex(host);
    this.#functions = new FunctionIndex({
      ...host,
      // functions of JavaScript are linked beside themselves
      files: host.files.filter((file) => !isJavaScript(file)),
      assigned: this.#assigned,
      isKeeping: (call) => this.#isMadeInPlace(call.expression),
    });
    this.#own = new Set(host.files);
    this.#packages = host.packages;
    this.#importing = {
      api: host.ts,
      checker: this.#checker,
      own: this.#own,
      ownModule: (specifier, fromFile) => host.packages.ownModule(specifier, fromFile),
    };
    this.#formUses = new FormUses(this.#importing);
    this.#ruleOf = host.ruleOf;
    this.#isReplaced = host.isReplaced;
    this.#steps = perOperation ? undefined : host.steps;
    let isPlain: boolean | undefined;
    this.#activity = new Activity(() => (isPlain ??= !hasAccessors(host.files, host.ts)));
  }

  /** Records what a call site passes; null: anything. */
  given(item: Item, all: readonly Given[] | null): void {
    const { node } = item;
    this.#roots.add(item);
    if (all === null) this.#activity.escapes(node);
    else this.#activity.calls(node, all);
  }

  /** Rewrites functions until their activity has reached a fixed point. */
  settle(): void {
    const { stale } = this.#activity;
    while (stale.size > 0) {
      for (const node of stale) {
        stale.delete(node);
        this.#write.get(node)?.();
      }
      for (const root of this.#roots) this.#activity.meet(reachOf(root).map(({ node }) => node));
    }
    this.#followExtended();
  }

  /** Requests for single steps among these items. */
  wishes(items: ReadonlySet<Item>): readonly StepRequest[] {
    if (this.#perOperation) return [];
    const given = (node: ts.Node, place: number): Given => this.#activity.of(node).given(place);
    return [...items]
      .filter(({ node }) => !this.#api.isSourceFile(node))
      .flatMap((item) => wishOf(item, { ts: this.#api, checker: this.#checker, given }) ?? []);
  }

  /** Requests for loops of these items. */
  loops(items: ReadonlySet<Item>): readonly StepRequest[] {
    return [...items].flatMap(({ loops }) => [...loops.values()]);
  }

  /** The single steps among these items. */
  steps(
    items: ReadonlySet<Item>,
  ): { readonly name: string; readonly rewritten: string; readonly derivative: string }[] {
    return [...items].flatMap((item) => {
      const step = this.#steps?.get(item.node);
      const name = step === undefined ? null : nameOf(item.node, this.#api);
      return step === undefined || name === null
        ? []
        : [{ name, rewritten: item.name, derivative: step.derivative }];
    });
  }

  /** A hoisted function: a declaration, or one that a const names. */
  function(node: ts.FunctionLikeDeclaration, named: ts.Node, name: string): Item | null {
    const known = this.items.get(node);
    // what is written beside the function itself has no name; the run time finds it by the value
    if (known !== undefined) return known.beside !== undefined && isInPlace(known) ? null : known;
    const block = blockOf(named, this.#api);
    if (block === null) return null;
    const file = node.getSourceFile();
    const isArrow = block !== file && seesThis(node, this.#api);
    return this.#later(
      node,
      this.#item(
        node,
        this.#names.claim(file, delta(name)),
        isArrow ? { behind: behind(named, this.#api) } : { place: placeIn(block, node, this.#api) },
      ),
    );
  }

  /** A function in place at the call: its lines are an expression. */
  inPlace(node: ts.FunctionLikeDeclaration): Item {
    const known = this.items.get(node);
    if (known !== undefined) return known;
    return this.#later(
      node,
      this.#item(node, this.#names.claim(node.getSourceFile(), delta("f")), {}),
    );
  }

  /** A function that a form or a rule makes: its lines are an expression. */
  made(node: ts.Expression): Item {
    const item = this.#item(node, this.#names.claim(node.getSourceFile(), delta("f")), {});
    this.#rewrite(item, (context) => {
      const { lines, ...rest } = rewriteExpression(node, context);
      const last = lines.length - 1;
      const text = lines.map((line, i) => ({
        ...line,
        text: code`${i === 0 ? code`$d.deltaFrom(() => ` : NOTHING}${line.text}${i === last ? code`)` : NOTHING}`,
      }));
      return { ...rest, lines: text };
    });
    return item;
  }

  /** A function value, called `name` at its call; the functions that it may be are linked. */
  value(node: ts.Expression, name: Code): Item {
    const item: Item = {
      ...madeItem(node, name, {}),
      lines: [{ indent: 0, text: name, origin: originOf(node) }],
    };
    if (this.#isExtended(node)) item.needs.add(this.#extended(node));
    else this.#meet(item);
    this.#linkPackageOf(item, node);
    return item;
  }

  /** JavaScript: its functions have twins beside them, so that nothing of it is an item. */
  #isExtended(node: ts.Node): boolean {
    const file = node.getSourceFile();
    return isJavaScript(file) && this.#own.has(file);
  }

  /** The item of a JavaScript file, which has no lines of its own. */
  #extendedFile(file: ts.SourceFile): Item {
    return this.items.get(file) ?? this.#item(file, NOTHING, {});
  }

  /** The same for the file of a node that a run may reach: all of it is extended. */
  #extended(node: ts.Node): Item {
    const file = node.getSourceFile();
    this.#packages.extendOwn(file.fileName);
    this.usesForms ||= this.#formUses.addsForm(node);
    return this.#extendedFile(file);
  }

  /** Adds what JavaScript files import: files like them, and packages. */
  #followExtended(): void {
    for (const [node, item] of this.items) {
      if (!this.#api.isSourceFile(node)) continue;
      const { files, packages } = this.#packages.ownImports(node.fileName);
      for (const name of files) {
        const file = [...this.#own].find(({ fileName }) => fileName === name);
        if (file !== undefined) item.needs.add(this.#extendedFile(file));
      }
      for (const wanted of packages)
        if (this.#packages.packageValue(wanted).kind === "linked")
          (item.packageUses ??= new Map()).set(
            exportKey(wanted.specifier, wanted.exportName),
            node,
          );
    }
  }

  /** Of `f` and of `lib.f`. */
  #linkPackageOf(item: Item, node: ts.Expression): void {
    if (this.#api.isPropertyAccessExpression(node))
      return this.#linkPackageOf(item, node.expression);
    const alias = this.#api.isIdentifier(node)
      ? this.#checker.getSymbolAtLocation(node)
      : undefined;
    if (alias === undefined || !this.#api.isIdentifier(node)) return;
    const foreign = packageImport(alias, this.#importing);
    if (foreign !== null) this.#ofPackage(item, foreign, node, id(node.text));
  }

  /** A function that `settle` writes; an arrow function after its statement is a const there. */
  #later(node: ts.FunctionLikeDeclaration, item: Item): Item {
    this.#write.set(node, () => {
      this.#rewrite(item, (context) => {
        const written = rewriteFunction(node, item.name, context);
        return item.behind === null
          ? written
          : { ...written, lines: constLines(written.lines, item.name) };
      });
    });
    this.#activity.enter(node);
    return item;
  }

  class(node: ts.ClassLikeDeclaration): Item | null {
    if (this.#isExtended(node)) return this.#extended(node);
    const known = this.items.get(node);
    if (known !== undefined) return known;
    const named = classNameOf(node, this.#api);
    if (named === null && !this.#api.isClassExpression(node)) return null;
    const file = node.getSourceFile();
    const own = named ?? node.name?.text;
    const plain = own === undefined ? this.#names.claim(file, "C$plain") : id(own);
    const item = this.#item(
      node,
      this.#names.claim(file, delta(own ?? "C")),
      named === null ? {} : { behind: behind(node, this.#api) },
    );
    if (named === null) item.beside = { kind: "class", plain };
    const parent = this.#index.parentOf(node);
    const base = parent === null ? null : this.class(parent);
    if (base !== null) item.needs.add(base);
    this.#rewrite(item, (context) => {
      const written = rewriteClass(node, item.name, plain, context);
      if (
        written.handing !== null &&
        written.lines.some(({ text }) => text.includes("$d.handedBy("))
      )
        item.inside = { at: node.end - 1, lead: memberEnd(node, this.#api), text: written.handing };
      return {
        ...written,
        lines:
          named === null
            ? written.lines
            : classLines(written.lines, plain, item.name, originOf(node)),
      };
    });
    for (const child of this.#index.childrenOf(node)) this.#soft(item, this.class(child));
    for (const base of this.#index.basesOf(node)) this.#soft(item, this.class(base));
    return item;
  }

  /** Classes whose instances a function may use are linked if possible. */
  #soft(item: Item, other: Item | null): void {
    if (other !== null && other !== item) item.soft.add(other);
  }

  #item(node: ts.Node, name: Code, where: Partial<Pick<Item, "place" | "behind">>): Item {
    const item = madeItem(node, name, where);
    this.items.set(node, item);
    return item;
  }

  #rewrite(item: Item, write: (context: RewriteContext) => Rewritten): void {
    const step = this.#steps?.get(item.node);
    const context: RewriteContext = {
      ts: this.#api,
      checker: this.#checker,
      isLibrary: this.#isLibrary,
      javascript: isJavaScript(item.file),
      perOperation: this.#perOperation,
      fieldsLast: this.#fieldsLast,
      resolver: {
        resolve: (identifier) => this.#resolve(item, identifier),
        privateFunction: (node) => this.#privateFunction(item, node),
        keyAt: (operand) => this.#keyAt(item, operand),
      },
      ...(this.#perOperation ? {} : { activity: this.#activity.of(item.node) }),
      ...(step === undefined ? {} : { step }),
      ...(this.#perOperation || item.packageUses !== undefined || step !== undefined
        ? {}
        : {
            loopFor: (wish) => {
              item.loops.set(wish.node, wish);
              return this.#steps?.get(wish.node) ?? null;
            },
          }),
    };
    item.loops.clear();
    const { lines, problems, beyond } = write(context);
    item.lines = lines;
    item.problems = problems;
    if (beyond === true) item.beyond = true;
    this.#forget(item);
    this.#meet(item);
  }

  /** Links classes and functions whose instances and values its code may read. */
  #meet(item: Item): void {
    for (const mentioned of classesMentioned(item.node, this.#api, this.#checker)) {
      for (const found of this.#index.meant(mentioned)) this.#soft(item, this.class(found));
    }
    const { named, kept } = this.#functions.metBy(item.node);
    // functions that do not escape from a rewritten function are rewritten with it
    const isInside = (value: FunctionValue): boolean =>
      !value.isKept &&
      this.#api.findAncestor(value.named.parent, (at) => this.#write.has(at)) !== undefined;
    for (const each of named) if (!isInside(each)) this.#soft(item, this.#valueOf(each));
    for (const each of kept) this.#soft(item, this.#beside(each));
  }

  /** Drops needs that the item's text does not mention: inlined functions, unused cells. */
  #forget(item: Item): void {
    const words = new Set(item.lines.flatMap(({ text }) => text.split(/[^\p{ID_Continue}$]+/u)));
    for (const other of item.needs)
      if (
        (this.#write.has(other.node) || this.#cells.has(other)) &&
        !words.has(this.#names.inOther(other, item.file))
      )
        item.needs.delete(other);
    this.#names.keep(item, words);
  }

  /** What may be kept beside the key that an operand reads. */
  #keyAt(item: Item, operand: ts.Expression): Beside | null {
    const key = this.#keys.at(operand);
    if (key === null || key.kind === "field") return key;
    const all = key.siblings.filter((each) => each.getSourceFile() === item.file);
    const variables = all.map((declaration) => {
      const name = declaration.name.getText();
      const symbol = this.#checker.getSymbolAtLocation(declaration.name);
      const isAssigned = symbol !== undefined && this.#assigned.has(symbol);
      const cell = isAssigned ? this.#cells.of(item, declaration, name) : null;
      return code`[${cell ?? code`null`}, ${id(name)}]`;
    });
    return { variables: list(variables) };
  }

  #resolve(item: Item, identifier: ts.Identifier): Resolution {
    const api = this.#api;
    const alias = api.isShorthandPropertyAssignment(identifier.parent)
      ? this.#checker.getShorthandAssignmentValueSymbol(identifier.parent)
      : this.#checker.getSymbolAtLocation(identifier);
    if (alias === undefined) return { kind: "native" };
    return this.#meaning(item, alias, identifier, id(identifier.text), 0);
  }

  /** `value`: the user's source text in the item's file. */
  #meaning(
    item: Item,
    alias: ts.Symbol,
    at: ts.Identifier,
    value: Code,
    depth: number,
  ): Resolution {
    const api = this.#api;
    this.usesForms ||= isForm(alias, at, api, this.#checker);
    const hindered = hindrance(alias, at, api, this.#checker);
    if (hindered !== null) return this.#problem(item, at, hindered);
    const solver = solverAt(alias, at, api, this.#checker);
    if (solver !== null)
      return { kind: "text", value: code`$d.solver(${value}, ${literal(solver)})` };
    const rule = this.#ruleAt(alias, at);
    if (rule === "jvp")
      return this.#problem(
        item,
        at,
        `a call of \`${value}\`, whose rule by \`jvp\` it cannot transpose; define it by \`vjp\``,
      );
    if (rule === "vjp") return { kind: "constant" };
    const symbol =
      alias.flags & api.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(alias) : alias;
    const inJavaScript = this.#inJavaScript(item, alias, symbol, at, value);
    if (inJavaScript !== null) return inJavaScript;
    if (isNamespace(symbol, api)) this.#linkMembers(item, at, symbol, value);
    const declaration =
      (symbol.declarations ?? []).find(
        (node) => api.isFunctionDeclaration(node) && node.body !== undefined,
      ) ??
      symbol.valueDeclaration ??
      symbol.declarations?.[0];
    if (declaration === undefined || !this.#own.has(declaration.getSourceFile())) {
      const foreign = packageImport(alias, this.#importing);
      if (foreign !== null) return this.#ofPackage(item, foreign, at, value);
    }
    const other = declaration === undefined ? null : this.#otherProject(declaration, symbol, at);
    if (other !== null) return this.#problem(item, at, refusalText(other), true);
    if (declaration === undefined)
      return alias.flags & api.SymbolFlags.Alias ? { kind: "constant" } : { kind: "native" };
    if (api.isSourceFile(declaration)) return this.#namespaceMember(item, at, value);
    if (at.text === "Math" && this.#isReplacedAt(at))
      return this.#problem(item, at, `\`${at.parent.getText()}\`, which the program replaces`);
    if (!this.#own.has(declaration.getSourceFile()))
      return alias.flags & api.SymbolFlags.Alias ? { kind: "constant" } : { kind: "native" };
    if (isBeyondNamespace(declaration, at, api)) {
      this.#linkMember(item, symbol, declaration);
      return { kind: "constant" };
    }
    if (api.isFunctionDeclaration(declaration) && this.#assigned.has(symbol))
      return { kind: "constant" };
    if (api.isFunctionDeclaration(declaration))
      return declaration.body === undefined
        ? this.#problem(item, at, `a use of \`${value}\`, which has no body`)
        : this.#named(item, declaration, declaration, declaration.name?.text ?? "default", value);
    if (api.isFunctionExpression(declaration)) return this.#ownName(item, declaration);
    if (api.isClassDeclaration(declaration)) return this.#classMeaning(item, declaration, value);
    if (api.isClassExpression(declaration))
      return this.#classMeaning(
        item,
        declaration,
        idOrNull(classNameOf(declaration, this.#api)) ?? value,
      );
    if (api.isExportAssignment(declaration))
      return this.#ofValue(item, declaration.expression, declaration, "default", at, value, depth);
    if (api.isVariableDeclaration(declaration) && api.isIdentifier(declaration.name))
      return this.#ofVariable(item, declaration, symbol, at, value, depth);
    if (
      api.isVariableDeclaration(declaration) ||
      api.isParameter(declaration) ||
      api.isBindingElement(declaration)
    )
      return this.#variable(item, declaration, symbol, value);
    return { kind: "constant" };
  }

  /** What JavaScript declares keeps its name: it is linked beside itself. */
  #inJavaScript(
    item: Item,
    alias: ts.Symbol,
    symbol: ts.Symbol,
    at: ts.Identifier,
    value: Code,
  ): Resolution | null {
    const foreign = packageImport(alias, this.#importing);
    if (foreign?.ownFile !== undefined) return this.#ofPackage(item, foreign, at, value);
    const [declaration] = symbol.declarations ?? [];
    if (declaration === undefined || this.#api.isSourceFile(declaration)) return null;
    if (!this.#isExtended(declaration)) return null;
    item.needs.add(this.#extended(declaration));
    return { kind: "constant" };
  }

  /** A function or class of a referenced project, of which only the types are known. */
  #otherProject(declaration: ts.Declaration, symbol: ts.Symbol, at: ts.Identifier): Refusal | null {
    const { fileName: specifier, isDeclarationFile } = declaration.getSourceFile();
    const type = this.#checker.getTypeOfSymbolAtLocation(symbol, at);
    if (
      !isDeclarationFile ||
      type.getCallSignatures().length + type.getConstructSignatures().length === 0 ||
      !this.#packages.isReferred(specifier)
    )
      return null;
    return {
      kind: "refused",
      why: "referred",
      specifier: specifier.slice(specifier.lastIndexOf("/") + 1),
      exportName: symbol.name,
    };
  }

  #isReplacedAt({ parent }: ts.Identifier): boolean {
    return (
      this.#api.isPropertyAccessExpression(parent) && this.#isReplaced(`Math.${parent.name.text}`)
    );
  }

  /** The rule of `f`, or of `f` in `lib.f`. */
  #ruleAt(alias: ts.Symbol, at: ts.Identifier): "vjp" | "jvp" | null {
    const { parent } = at;
    const member =
      this.#api.isPropertyAccessExpression(parent) && parent.expression === at
        ? this.#checker.getSymbolAtLocation(parent.name)
        : undefined;
    return this.#ruleOf(alias, at) ?? (member === undefined ? null : this.#ruleOf(member, parent));
  }

  /** The value stays: its functions are linked with those of an instrumented copy. */
  #ofPackage(
    item: Item,
    { specifier, exportName, ownFile }: FromPackage,
    at: ts.Identifier,
    local: Code,
  ): Resolution {
    // of a namespace, the member that is read
    const { parent } = at;
    const isMember =
      exportName === "*" &&
      this.#api.isPropertyAccessExpression(parent) &&
      parent.expression === at &&
      parent.name.text !== "default";
    const name = isMember ? parent.name.text : exportName;
    const found = this.#packages.packageValue({
      specifier,
      exportName: name,
      local: isMember ? `${local}.${name}` : local,
      fromFile: item.file.fileName,
      ...(ownFile === undefined ? {} : { ownFile: ownFile.fileName }),
    });
    if (ownFile !== undefined) {
      item.needs.add(this.#extendedFile(ownFile));
      // of CommonJS types do not always say what a name is
      this.usesForms ||= this.#formUses.addsForm(
        !this.#api.isExternalModule(ownFile) ? ownFile : isMember ? parent : at,
      );
    }
    if (ownFile === undefined && found.kind === "refused")
      this.#problem(item, at, refusalText(found), true);
    if (ownFile === undefined && found.kind === "linked")
      (item.packageUses ??= new Map()).set(exportKey(specifier, name), at);
    if (found.kind === "linked" && this.#packages.isInPlace(specifier, item.file.fileName)) {
      const { named, kept } = this.#functions.given();
      for (const each of named) this.#soft(item, this.#valueOf(each));
      for (const each of kept) this.#soft(item, this.#beside(each));
    }
    const cell = found.kind === "linked" ? found.cell : null;
    if (cell === null) return { kind: "constant" };
    if (isMember)
      return this.#problem(
        item,
        at,
        `\`${local}.${name}\`, a variable that is assigned to (import it by its name)`,
      );
    return {
      kind: "outer-variable",
      id: code`$d.letId(${cell}, ${local})`,
      setId: [code`$d.setLet(${cell}, `, code`, ${local})`],
      value: local,
    };
  }

  #ofVariable(
    item: Item,
    declaration: ts.VariableDeclaration,
    symbol: ts.Symbol,
    at: ts.Identifier,
    value: Code,
    depth: number,
  ): Resolution {
    const api = this.#api;
    const name = api.isIdentifier(declaration.name) ? declaration.name.text : "value";
    if (
      (api.getCombinedNodeFlags(declaration) & api.NodeFlags.Constant) === 0 &&
      this.#assigned.has(symbol)
    )
      return this.#variable(item, declaration, symbol, value);
    if (declaration.initializer === undefined) return { kind: "constant" };
    const found = this.#ofValue(item, declaration.initializer, declaration, name, at, value, depth);
    if (found.kind === "constant") this.#linkClasses(item, declaration.initializer);
    return found;
  }

  #ofValue(
    item: Item,
    wrapped: ts.Expression,
    declaration: ts.VariableDeclaration | ts.ExportAssignment,
    name: string,
    at: ts.Identifier,
    value: Code,
    depth: number,
  ): Resolution {
    const api = this.#api;
    const node = bare(wrapped, api);
    if (api.isArrowFunction(node) || api.isFunctionExpression(node))
      return this.#named(item, node, declaration, name, value);
    if (api.isClassExpression(node)) return this.#classMeaning(item, node, value);
    if (holdsPlaces(node, api)) return this.#literal(item, node, name);
    if (api.isIdentifier(node) && depth < 20) {
      const alias = this.#checker.getSymbolAtLocation(node);
      return alias === undefined
        ? { kind: "constant" }
        : this.#meaning(item, alias, at, value, depth + 1);
    }
    const member = api.isPropertyAccessExpression(node)
      ? this.#checker.getSymbolAtLocation(node.name)
      : undefined;
    const held = member?.declarations?.[0];
    const other =
      member === undefined || held === undefined ? null : this.#otherProject(held, member, at);
    if (other !== null) return this.#problem(item, at, refusalText(other), true);
    const isFunction = this.#checker.getTypeAtLocation(declaration).getCallSignatures().length > 0;
    if (
      !isFunction ||
      !api.isCallExpression(node) ||
      blockOf(declaration, api) !== node.getSourceFile() ||
      !this.#functions.isOfPackage(node) ||
      this.#isMadeInPlace(node)
    )
      return { kind: "constant" };
    const why = this.#whyNotAgain(node, declaration);
    return why === null ? this.#once(item, node, name) : this.#problem(item, at, why, "TSG1303");
  }

  /** Whether a package's own function makes it, with what it has beside it. */
  #isMadeInPlace(node: ts.Node): boolean {
    const api = this.#api;
    const alias = api.isIdentifier(node) ? this.#checker.getSymbolAtLocation(node) : undefined;
    const foreign = alias === undefined ? null : packageImport(alias, this.#importing);
    return (
      (foreign !== null &&
        this.#packages.isInPlace(foreign.specifier, node.getSourceFile().fileName)) ||
      (api.forEachChild(node, (child) => this.#isMadeInPlace(child) || undefined) ?? false)
    );
  }

  #whyNotAgain(
    node: ts.CallExpression,
    { name }: ts.VariableDeclaration | ts.ExportAssignment,
  ): string | null {
    const variable = name === undefined ? undefined : this.#checker.getSymbolAtLocation(name);
    const callee = this.#api.isPropertyAccessExpression(node.expression)
      ? node.expression.expression
      : node.expression;
    const called = this.#checker.getSymbolAtLocation(callee);
    // `customVjp(f, rule)` is the same function each time
    if (called && tsgradImport(called, callee, this.#api, this.#checker) !== null) return null;
    return whyNotAgain(node, variable, {
      ts: this.#api,
      checker: this.#checker,
      files: [...this.#own],
      isRepeatable: (callee, given) => {
        const alias = this.#checker.getSymbolAtLocation(callee);
        const foreign = alias === undefined ? null : packageImport(alias, this.#importing);
        return (
          foreign === null ||
          this.#packages.isRepeatable(
            foreign.specifier,
            foreign.exportName,
            callee.getSourceFile().fileName,
            given,
          )
        );
      },
    });
  }

  /** `const noise = new Noise()` of a package: its methods are linked by its class. */
  #linkClasses(item: Item, initializer: ts.Expression): void {
    const api = this.#api;
    const known = this.items.get(initializer);
    if (known !== undefined) return void item.needs.add(known);
    const classes: (readonly [FromPackage, ts.Identifier])[] = [];
    const visit = (node: ts.Node): void => {
      if (api.isFunctionLike(node)) return;
      const alias = api.isIdentifier(node) ? this.#checker.getSymbolAtLocation(node) : undefined;
      if (alias !== undefined && api.isIdentifier(node) && isValueName(node, api)) {
        const foreign = packageImport(alias, this.#importing);
        const of = foreign?.exportName === "*" ? node.parent : node;
        const isLinked =
          foreign !== null &&
          (this.#packages.isInPlace(foreign.specifier, item.file.fileName) ||
            this.#checker.getTypeAtLocation(of).getConstructSignatures().length > 0);
        if (isLinked) classes.push([foreign, node]);
      }
      api.forEachChild(node, visit);
    };
    visit(initializer);
    if (classes.length === 0) return;
    const own = this.#item(initializer, NOTHING, {});
    item.needs.add(own);
    for (const [foreign, node] of classes) this.#ofPackage(own, foreign, node, id(node.text));
  }

  #named(
    item: Item,
    node: ts.FunctionLikeDeclaration,
    named: ts.Node,
    name: string,
    value: Code,
  ): Resolution {
    const found = this.function(node, named, name);
    if (found === null) return { kind: "constant" };
    item.needs.add(found);
    const text = this.#names.inFile(found, item);
    return { kind: "function", node, delta: text, value: code`$d.link(${value}, ${text})` };
  }

  /** The rewritten form of `#k(x) { … }`, which functions in its class can call. */
  #privateFunction(
    item: Item,
    node: ts.MethodDeclaration,
  ): { readonly of: Code; readonly name: string } | null {
    const of = this.#api.isClassLike(node.parent) ? classNameOf(node.parent, this.#api) : null;
    if (of === null) return null;
    const own =
      this.items.get(node) ??
      this.#later(
        node,
        this.#item(node, this.#names.claim(item.file, delta(node.name.getText().slice(1))), {}),
      );
    own.isMember = true;
    this.#activity.escapes(node);
    item.needs.add(own);
    return { of: id(of), name: `#${own.name}` };
  }

  /** The `g` of a function expression `function g(x) { … g(x - 1) … }`, a name of its own scope. */
  #ownName(item: Item, node: ts.FunctionExpression): Resolution {
    const found = this.items.get(node);
    if (found === undefined) return { kind: "constant" };
    const delta = this.#names.inFile(found, item);
    return { kind: "function", node, delta, value: code`$d.fn(${delta})` };
  }

  #classMeaning(item: Item, node: ts.ClassLikeDeclaration, value: Code): Resolution {
    if (this.#isExtended(node)) return { kind: "class", value, delta: null };
    const found = this.class(node);
    if (found === null) return { kind: "class", value, delta: null };
    if (found.beside !== undefined) {
      this.#soft(item, found);
      return { kind: "class", value, delta: null };
    }
    item.needs.add(found);
    return { kind: "class", value, delta: this.#names.inFile(found, item) };
  }

  /** `ns.f` of `import * as ns`, or `ns.inner.f` with a namespace `inner`. */
  #namespaceMember(item: Item, at: ts.Identifier, value: Code): Resolution {
    const api = this.#api;
    let owner: ts.Expression = at;
    let shown = value;
    for (;;) {
      const { parent } = owner;
      const alias =
        api.isPropertyAccessExpression(parent) && parent.expression === owner
          ? this.#checker.getSymbolAtLocation(parent.name)
          : undefined;
      if (alias === undefined || !api.isPropertyAccessExpression(parent))
        return { kind: "constant" };
      shown = code`${shown}.${id(parent.name.text)}`;
      if (!this.#isModule(alias)) return this.#memberMeaning(item, alias, at, value, shown);
      owner = parent;
    }
  }

  /** Links the members of a namespace, as `Geo.area(x)` looks up what is linked. */
  #linkMembers(item: Item, at: ts.Identifier, namespace: ts.Symbol, value: Code): void {
    for (const { symbol, at: place, isWritten } of membersMeant(
      at,
      namespace,
      this.#api,
      this.#checker,
    )) {
      const declaration = symbol.declarations?.find((node) => !this.#api.isModuleDeclaration(node));
      if (declaration === undefined || !this.#own.has(declaration.getSourceFile())) continue;
      const isVariable =
        this.#api.isVariableDeclaration(declaration) &&
        (this.#api.getCombinedNodeFlags(declaration) & this.#api.NodeFlags.Constant) === 0;
      if (isVariable && (isWritten || this.#assigned.has(symbol)))
        this.#problem(
          item,
          place,
          `\`${value}.${symbol.name}\`, a variable of a namespace that is assigned to`,
        );
      this.#linkMember(item, symbol, declaration);
    }
  }

  #linkMember(item: Item, symbol: ts.Symbol, declaration: ts.Declaration): void {
    const held = this.#functions.heldBy(symbol);
    const own = this.#api.isClassDeclaration(declaration)
      ? this.class(declaration)
      : held === null
        ? null
        : this.#valueOf(held);
    if (own !== null) item.needs.add(own);
  }

  #isModule(alias: ts.Symbol): boolean {
    const symbol =
      alias.flags & this.#api.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(alias) : alias;
    return symbol.declarations?.[0] !== undefined && this.#api.isSourceFile(symbol.declarations[0]);
  }

  #memberMeaning(
    item: Item,
    alias: ts.Symbol,
    at: ts.Identifier,
    value: Code,
    shown: Code,
  ): Resolution {
    const meant = this.#ownerOf(alias);
    // cells are found by a variable's own name: what was assigned would have no derivative
    if (meant !== null && this.#assigned.has(meant))
      return this.#problem(
        item,
        at,
        `\`${shown}\`, a variable that is assigned to (import it by its name)`,
      );
    const member = this.#meaning(item, alias, at, shown, 0);
    if (member.kind === "function") this.#activity.escapes(member.node);
    return member.kind === "function"
      ? { kind: "text", value: code`(${member.value}, ${value})` }
      : { kind: "constant" };
  }

  /** The variable that a module's name denotes. */
  #ownerOf(alias: ts.Symbol): ts.Symbol | null {
    const api = this.#api;
    const symbol =
      (alias.flags & api.SymbolFlags.Alias) === 0 ? alias : this.#checker.getAliasedSymbol(alias);
    const declaration = symbol.valueDeclaration;
    const isVariable =
      declaration !== undefined &&
      (api.isVariableDeclaration(declaration) || api.isBindingElement(declaration));
    return isVariable && (api.getCombinedNodeFlags(declaration) & api.NodeFlags.Constant) === 0
      ? symbol
      : null;
  }

  /** `const square = …;  ->  const square = …; $d.link(square, square$delta);` */
  #valueOf({ node, named, name }: FunctionValue): Item | null {
    const api = this.#api;
    if (this.#isExtended(node)) return this.#extended(node);
    if (holdsPlaces(node, api)) return this.#literalItem(node, name.text);
    const known = this.items.get(name);
    if (known !== undefined) return known;
    const found = this.function(node, named, name.text);
    if (found === null) return null;
    this.#activity.escapes(node);
    const own = this.#item(name, id(name.text), { behind: behind(named, api) });
    own.needs.add(found);
    own.lines = linkLines([{ path: id(name.text), delta: found.name }], originOf(name));
    return own;
  }

  /** Links a function that escapes without a name where it is written. */
  #beside({ node, how }: KeptFunction): Item {
    if (this.#isExtended(node)) return this.#extended(node);
    const known = this.items.get(node);
    if (known !== undefined) return known;
    const item = this.#api.isCallExpression(node)
      ? this.#item(node, code`bound`, {})
      : this.inPlace(node);
    item.beside = how;
    if (!this.#api.isCallExpression(node)) this.#activity.escapes(node);
    const symbol =
      how.kind === "bound"
        ? this.#checker.getSymbolAtLocation(
            this.#api.isPropertyAccessExpression(how.fn) ? how.fn.name : how.fn,
          )
        : undefined;
    const bound = symbol === undefined ? null : this.#functions.heldBy(symbol);
    if (bound !== null) this.#soft(item, this.#valueOf(bound));
    for (const method of symbol?.declarations ?? [])
      if (
        this.#api.isMethodDeclaration(method) &&
        this.#api.isClassLike(method.parent) &&
        this.#own.has(method.getSourceFile())
      )
        this.#soft(item, this.class(method.parent));
    return item;
  }

  /** `const ops = { add: … };  ->  const ops = { add: … }; $d.link(ops.add, ops$add$delta);` */
  #literal(item: Item, node: ts.Expression, name: string): Resolution {
    item.needs.add(this.#literalItem(node, name));
    return { kind: "constant" };
  }

  #literalItem(node: ts.Expression, name: string): Item {
    if (this.#isExtended(node)) return this.#extended(node);
    const known = this.items.get(node);
    if (known !== undefined) return known;
    const isDefault = this.#api.isExportAssignment(outermost(node, this.#api).parent);
    const path = isDefault ? this.#names.claim(node.getSourceFile(), DEFAULT_VALUE) : id(name);
    const own = this.#item(node, path, isDefault ? {} : { behind: behind(node, this.#api) });
    if (isDefault) own.beside = { kind: "default" };
    const links = linksAt(this.#linksHost(own, node), node, path, name);
    own.lines = linkLines(
      links.map(({ path, to }) => ({ path, delta: this.#names.inFile(to, own) })),
      originOf(node),
    );
    return own;
  }

  /** How the functions in a literal become items. */
  #linksHost(own: Item, named: ts.Node): LinksHost {
    const written = (fn: ts.FunctionLikeDeclaration, label: string): Item | null => {
      const found = this.function(fn, named, label);
      if (found === null) return null;
      this.#activity.escapes(found.node);
      own.needs.add(found);
      return found;
    };
    const meantBy = (value: ts.Identifier): Item | null => {
      const meant = this.#resolve(own, value);
      if (meant.kind !== "function") return null;
      this.#activity.escapes(meant.node);
      return (
        [...own.needs].find((one) => one.file === own.file && one.name === meant.delta) ?? {
          ...own,
          name: meant.delta,
        }
      );
    };
    return { ts: this.#api, checker: this.#checker, written, named: meantBy };
  }

  /** `const h = compose(f, g)` of a package: called again, once, with rewritten functions. */
  #once(item: Item, node: ts.CallExpression, name: string): Resolution {
    const known = this.items.get(node);
    const own =
      known ??
      this.#item(node, this.#names.claim(node.getSourceFile(), deltaOnce(name)), {
        place: placeIn(node.getSourceFile(), node, this.#api),
      });
    item.needs.add(own);
    if (known === undefined) {
      const cell = this.#names.claim(own.file, deltaCell(name));
      const any = isJavaScript(own.file) ? NOTHING : code`: any`;
      this.#rewrite(own, (context) => {
        const { lines, ...rest } = rewriteExpression(node, context);
        const text = lines.map((line, i) => ({
          ...line,
          indent: line.indent + 1,
          text: code`${i === 0 ? code`return ${cell} ??= ` : NOTHING}${line.text}${i === lines.length - 1 ? code`;` : NOTHING}`,
        }));
        const origin = originOf(node);
        return {
          ...rest,
          lines: [
            { indent: 0, text: code`var ${cell}${any};`, origin },
            { indent: 0, text: code`function ${own.name}()${any} {`, origin },
            ...text,
            { indent: 0, text: code`}`, origin },
          ],
        };
      });
    }
    return { kind: "text", value: code`${this.#names.inFile(own, item)}()` };
  }

  #variable(
    item: Item,
    declaration: ts.VariableDeclaration | ts.ParameterDeclaration | ts.BindingElement,
    symbol: ts.Symbol,
    value: Code,
  ): Resolution {
    if (!this.#assigned.has(symbol)) return { kind: "constant" };
    const cell = this.#cells.of(item, declaration, value);
    if (cell === null)
      return this.#problem(
        item,
        declaration,
        `captured parameter \`${value}\` that is assigned to`,
      );
    return {
      kind: "outer-variable",
      id: code`$d.letId(${cell}, ${value})`,
      setId: [code`$d.setLet(${cell}, `, code`, ${value})`],
      value,
    };
  }

  /** `why`: it concerns a package, or has a code of its own. */
  #problem(
    item: Item,
    node: ts.Node,
    construct: string,
    why: boolean | "TSG1303" = false,
  ): Resolution {
    const problem: RewriteProblem = {
      node,
      construct,
      ...(why === false ? {} : { isPackage: true }),
      ...(why === "TSG1303" ? { code: why } : {}),
    };
    item.blocked = [...(item.blocked ?? []), problem];
    return { kind: "constant" };
  }
}
