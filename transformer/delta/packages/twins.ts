// Puts twins beside the functions of a package's module. In: a parsed module, and which of its
// statements derivatives reach. Out: insertions into its source. Invariant: the module's own code
// keeps its text, order and lines; a function without a twin stays one that nothing is known of.

import type ts from "typescript";
import { outermost, bare } from "../../syntax/wrappers.ts";
import { isAssigned } from "../../syntax/assignments.ts";
import { code, type Code, emitted, id, list, literal, NOTHING } from "../../code/code.ts";
import { isIdentifier } from "../../code/quote.ts";
import { delta } from "../../ir/names.ts";
import { classNameOf } from "../plan/class-index.ts";
import { Names } from "../plan/items.ts";
import { blockOf, memberEnd, seesThis } from "../plan/places.ts";
import { rewriteClass, rewriteFunction, rewriteMember } from "../rewrite.ts";
import type { Resolution, RewriteContext, Rewritten } from "../scope.ts";
import { membersOf } from "../literal-members.ts";
import { isImport, isReference, declarationMeant } from "./module-uses.ts";
import { flatCode } from "./one-line.ts";
import type { Insertion } from "./package-source.ts";
import { shownName } from "./resolve.ts";
import { DEFAULT } from "./surface.ts";
import { isStrict, sloppyUse } from "./sloppy.ts";
import { ModuleCells } from "./twin-cells.ts";
import {
  inferredName,
  isAtTop,
  isCalledAtOnce,
  scopeOf,
  startOf,
  statementsOf,
} from "./twin-places.ts";
import { outerVariable } from "../kept/cells.ts";
import { withUntypedSeen } from "../seen-objects.ts";

type Api = typeof ts;

/** What surrounds a module. */
export interface TwinModule {
  readonly source: ts.SourceFile;
  readonly checker: ts.TypeChecker;
  readonly isEsm: boolean;
  /** Whether derivatives are differentiated, which needs other operators. */
  readonly isHigher: boolean;
  /** Whether a module around gives numbers methods. */
  readonly hasNumberMethods: boolean;
  /** `apart`: the run time's import does not go with the twins. */
  readonly runTime: "needed" | "always" | "apart";
  /** Statements at the top whose functions get twins. */
  readonly statements: readonly ts.Statement[];
  /** Whether other modules may get hold of a name of the top. */
  readonly isExported: (name: string) => boolean;
  /** The cell of an imported variable that its module assigns; null for any other import. */
  readonly importedCell: (name: string) => Code | null;
  /** Whether its module assigns `lib.name`, of an imported namespace; null for any name. */
  readonly isAssignedIn: (namespace: string, name: string | null) => boolean;
  /** The cell of a variable of this module that others import; null where none does. */
  readonly exportedCell: (name: string) => Code | null;
}

/** In the order of what stands at one offset. */
const Rank = { Close: 0, Behind: 1, Hoisted: 2, Start: 3, Open: 4 } as const;
type Rank = (typeof Rank)[keyof typeof Rank];

interface Placed {
  readonly at: number;
  readonly rank: Rank;
  readonly order: number;
  readonly text: Code;
}

/** A declaration that gets a twin once something asks for it. */
interface Candidate {
  readonly node: ts.FunctionLikeDeclaration | ts.ClassLikeDeclaration;
  readonly name: Code;
  readonly put: () => void;
}

export function twinsOf(api: Api, module: TwinModule): readonly Insertion[] {
  const failed = new Set<ts.Node>();
  for (;;) {
    const twins = new Twins(api, module, failed);
    const before = failed.size;
    const made = twins.insertions();
    if (failed.size === before) return made;
  }
}

class Twins {
  readonly #api: Api;
  readonly #module: TwinModule;
  /** What cannot be rewritten. */
  readonly #failed: Set<ts.Node>;
  readonly #names = new Names();
  readonly #cells: ModuleCells;
  readonly #placed: Placed[] = [];
  readonly #candidates = new Map<ts.Node, Candidate>();
  readonly #escaping = new Set<ts.Node>();
  readonly #asked = new Set<Candidate>();
  /** The twins of class expressions that have no variable. */
  readonly #plain = new Map<ts.Node, Code>();
  /** What is written in any case, once all declarations are known. */
  readonly #always: (() => void)[] = [];
  /** By function expression: the names of its twin and of itself, as the twin sees them. */
  readonly #own = new Map<ts.Node, { readonly delta: Code; readonly value: Code }>();

  constructor(api: Api, module: TwinModule, failed: Set<ts.Node>) {
    this.#api = api;
    this.#module = module;
    this.#failed = failed;
    this.#cells = new ModuleCells(api, module, {
      claim: (wanted) => this.#claim(wanted),
      hoist: (block, text) => {
        this.#hoist(block, text);
      },
    });
  }

  insertions(): readonly Insertion[] {
    const { source, statements, isEsm } = this.#module;
    for (const statement of statements) this.#mention(statement);
    for (const statement of statements) this.#visit(statement);
    for (const node of this.#escaping) this.#ask(node);
    for (const put of this.#always) put();
    for (const candidate of this.#asked) candidate.put();
    const { runTime, isHigher } = this.#module;
    if (this.#placed.length === 0 && runTime !== "always") return [];
    const end = isHigher ? code`-higher` : NOTHING;
    const imported = isEsm
      ? code`import * as $d from "tsgrad/delta${end}"; `
      : code`const $d = ((d) => d.asObject(d))(require("tsgrad/delta${end}")); `;
    if (runTime !== "apart")
      this.#put(startOf(this.#api, source.statements, source.end), Rank.Start, -1, imported);
    const name = this.#names.runTime(source);
    const byOffset = new Map<number, Code[]>();
    for (const { at, text } of this.#placed.sort(
      (a, b) => a.at - b.at || a.rank - b.rank || a.order - b.order,
    ))
      byOffset.set(at, [...(byOffset.get(at) ?? []), text]);
    return [...byOffset].map(([at, texts]) => ({ at, text: emitted(list(texts, ""), name) }));
  }

  #put(at: number, rank: Rank, order: number, text: Code): void {
    this.#placed.push({ at, rank, order, text });
  }

  /** Functions that are mentioned other than by a call may be called by anyone. */
  #mention(node: ts.Node): void {
    const api = this.#api;
    if (api.isIdentifier(node)) {
      const { parent } = node;
      const isCallee = api.isCallExpression(parent) && parent.expression === node;
      const declaration =
        isReference(api, node) && !isAssigned(node, api)
          ? declarationMeant(this.#api, this.#module.checker, node)
          : undefined;
      // a function expression that calls itself is found by its value
      if (declaration !== undefined && (!isCallee || api.isFunctionExpression(declaration)))
        this.#escaping.add(declaration);
    }
    api.forEachChild(node, (child) => {
      this.#mention(child);
    });
  }

  /** Code that stays as it is. */
  #visit(node: ts.Node): void {
    const api = this.#api;
    if (api.isTypeNode(node)) return;
    if (api.isFunctionDeclaration(node) && node.body !== undefined) this.#declared(node);
    else if (api.isFunctionExpression(node) || api.isArrowFunction(node)) this.#written(node);
    else if (api.isClassLike(node)) this.#class(node);
    else if (api.isObjectLiteralExpression(node)) this.#literal(node);
    api.forEachChild(node, (child) => {
      this.#visit(child);
    });
  }

  /** `function f(x) { … }  ->  $d.link(f, f$delta); … function f$delta($, x) { … }` */
  #declared(node: ts.FunctionDeclaration): void {
    const block = blockOf(node, this.#api);
    if (block === null) return;
    const written = node.name?.text ?? DEFAULT;
    const own = node.name === undefined ? this.#named(node) : id(written);
    const name = this.#claim(delta(node.name?.text ?? "default"));
    if (isAtTop(this.#api, node) && this.#module.isExported(written)) this.#escaping.add(node);
    this.#candidates.set(node, {
      node,
      name,
      put: () => {
        const text = this.#function(node, name, false);
        if (text === null) return;
        this.#hoist(block, text);
        const twin = withUntypedSeen(this.#api, node, name);
        const given = node.name === undefined ? code`${twin}, "default"` : twin;
        if (this.#escaping.has(node)) this.#first(block, code`$d.link(${own}, ${given}); `);
      },
    });
  }

  /** `export default function (x) { … }  ->  export default function default$f(x) { … }` */
  #named(node: ts.FunctionDeclaration): Code {
    const own = this.#claim("default$f");
    const before =
      node.asteriskToken ??
      node.getChildren().find(({ kind }) => kind === this.#api.SyntaxKind.FunctionKeyword);
    this.#put(before?.end ?? node.end, Rank.Open, 0, code` ${own}`);
    return own;
  }

  /** `(x) => …  ->  $d.link((x) => …, function f$delta($, x) { … }, "f")` */
  #written(node: ts.FunctionExpression | ts.ArrowFunction): void {
    const api = this.#api;
    if (isCalledAtOnce(api, node) && !this.#escaping.has(node)) return;
    const { parent } = outermost(node, api);
    const inferred = inferredName(api, node);
    const named = api.isVariableDeclaration(parent) ? this.#hoistable(parent, node) : null;
    const name = this.#claim(delta(isIdentifier(inferred) ? inferred : "f"));
    const self = node.name === undefined ? null : id(node.name.text);
    const variable = named === null ? null : id(named.declaration.name.getText());
    this.#own.set(node, { delta: name, value: variable ?? self ?? NOTHING });
    const around = (text: Code): void => {
      const given =
        inferred === "" || node.name !== undefined ? NOTHING : code`, ${literal(inferred)}`;
      const twin = code`, ${withUntypedSeen(api, node, text)}${given})`;
      this.#around(node, code`/* @__PURE__ */ $d.link(`, twin);
    };
    if (named === null) {
      this.#always.push(() => {
        const text = this.#function(node, name, true);
        if (text === null) return;
        const twin = withUntypedSeen(api, node, text);
        if (self === null) around(text);
        else this.#around(node, code`/* @__PURE__ */ $d.linkWith(`, code`, (${self}) => ${twin})`);
      });
      return;
    }
    const { declaration, block } = named;
    if (isAtTop(api, declaration) && this.#module.isExported(declaration.name.getText()))
      this.#escaping.add(declaration);
    this.#candidates.set(declaration, {
      node,
      name,
      put: () => {
        const text = this.#function(node, name, false);
        if (text === null) return;
        this.#hoist(block, text);
        if (this.#escaping.has(declaration)) around(name);
      },
    });
  }

  /** `const f = (x) => …`, whose twin may be a function of the same block. */
  #hoistable(
    declaration: ts.VariableDeclaration,
    node: ts.FunctionExpression | ts.ArrowFunction,
  ): { readonly declaration: ts.VariableDeclaration; readonly block: ts.Node } | null {
    const api = this.#api;
    if (!api.isIdentifier(declaration.name) || !api.isVariableStatement(declaration.parent.parent))
      return null;
    if (declaration.initializer === undefined || bare(declaration.initializer, api) !== node)
      return null;
    const block = blockOf(declaration, api);
    const isOfBlock = block === scopeOf(api, declaration);
    const isFixed =
      this.#cells.symbolOf(declaration)?.declarations?.length === 1 &&
      !this.#cells.isAssigned(declaration);
    return block === null || !isOfBlock || !isFixed || seesThis(node, api)
      ? null
      : { declaration, block };
  }

  /** `class C { … }  ->  class C { … } class C$delta { … } $d.linkClass(C, C$delta);` */
  #class(node: ts.ClassLikeDeclaration): void {
    const api = this.#api;
    const { parent } = outermost(node, api);
    const isDeclared = api.isClassDeclaration(node);
    const variable =
      !isDeclared &&
      api.isVariableDeclaration(parent) &&
      api.isVariableStatement(parent.parent.parent)
        ? parent
        : null;
    const own = isDeclared || variable !== null ? classNameOf(node, api) : null;
    const name = this.#claim(delta(own ?? node.name?.text ?? "C"));
    if (own === null) {
      if (isDeclared) return;
      this.#plain.set(node, name);
      this.#always.push(() => {
        const self = node.name?.text ?? this.#claim("C$plain");
        const text = this.#classText(node, name, self, true);
        if (text !== null)
          this.#around(
            node,
            code`/* @__PURE__ */ $d.linkClassWith(`,
            code`, (${id(self)}) => ${text})`,
          );
      });
      return;
    }
    const candidate: Candidate = {
      node,
      name,
      put: () => {
        const text = this.#classText(node, name, own, false);
        let at: ts.Node = node;
        while (!api.isStatement(at)) at = at.parent;
        if (text !== null)
          this.#put(
            at.end,
            Rank.Behind,
            at.pos,
            code`; ${text} $d.linkClass(${id(own)}, ${name});`,
          );
      },
    };
    this.#candidates.set(node, candidate);
    if (variable !== null) this.#candidates.set(variable, candidate);
    this.#asked.add(candidate);
  }

  #function(node: ts.FunctionLikeDeclaration, name: Code, isExpression: boolean): Code | null {
    return this.#rewritten(node, isExpression, (context) => rewriteFunction(node, name, context));
  }

  #classText(
    node: ts.ClassLikeDeclaration,
    name: Code,
    own: string,
    isExpression: boolean,
  ): Code | null {
    const handing: Code[] = [];
    const text = this.#rewritten(node, isExpression, (context) => {
      const written = rewriteClass(node, name, own, context);
      if (written.lines.some((line) => line.text.includes("$d.handedBy(")))
        handing.push(...(written.handing === null ? [] : [written.handing]));
      return written;
    });
    for (const each of text === null ? [] : handing)
      this.#put(node.end - 1, Rank.Hoisted, 0, code`${memberEnd(node, this.#api)}${each} `);
    return text;
  }

  /** `{ m(x) { … } }  ->  $d.linkObject({ m(x) { … } }, ["m", "value", function m$delta …])` */
  #literal(node: ts.ObjectLiteralExpression): void {
    const members = membersOf(this.#api, node);
    if (members.length === 0) return;
    this.#always.push(() => {
      const twins = members.flatMap(({ member, key, kind }) => {
        const text = this.#rewritten(member, true, (context) => rewriteMember(member, context));
        return text === null ? [] : [code`[${key}, ${literal(kind)}, ${text}]`];
      });
      if (twins.length > 0)
        this.#around(node, code`/* @__PURE__ */ $d.linkObject(`, code`, ${list(twins)})`);
    });
  }

  #around(node: ts.Node, before: Code, after: Code): void {
    // at one offset, what is longer opens first and closes last
    this.#put(node.getStart(), Rank.Open, -node.end, before);
    this.#put(node.end, Rank.Close, -node.getStart(), after);
  }

  #hoist(block: ts.Node, text: Code): void {
    const isFile = this.#api.isSourceFile(block);
    const last = isFile ? block.statements.at(-1) : undefined;
    this.#put(last?.end ?? block.end - (isFile ? 0 : 1), Rank.Hoisted, 0, code`; ${text}`);
  }

  #first(block: ts.Node, text: Code): void {
    const statements = statementsOf(this.#api, block);
    if (statements !== null)
      this.#put(startOf(this.#api, statements, block.end), Rank.Start, 0, text);
  }

  #claim(wanted: string): Code {
    return this.#names.claim(this.#module.source, wanted);
  }

  /** Null where it cannot be rewritten. */
  #rewritten(
    node: ts.Node,
    isExpression: boolean,
    write: (context: RewriteContext) => Rewritten,
  ): Code | null {
    if (this.#failed.has(node)) return null;
    const { source } = this.#module;
    const { lines, problems } = write({
      ts: this.#api,
      checker: null,
      javascript: true,
      isInPlace: true,
      hasNumberMethods: this.#module.hasNumberMethods,
      resolver: {
        resolve: (identifier) => this.#resolve(node, identifier),
        keyAt: (operand) => this.#cells.keyAt(operand),
      },
      deferred: (at, construct) =>
        `${shownName(source.fileName)} contains ${construct}, line ${source.getLineAndCharacterOfPosition(at.getStart()).line + 1}`,
      ...(isStrict(this.#api, source) ? {} : { sloppy: (at: ts.Node) => sloppyUse(this.#api, at) }),
    });
    if (problems.length > 0) this.#failed.add(node);
    return this.#failed.has(node) ? null : flatCode(this.#api, lines, isExpression);
  }

  #ask(declaration: ts.Node): Candidate | null {
    const found = this.#candidates.get(declaration);
    if (found === undefined || this.#failed.has(found.node)) return null;
    this.#asked.add(found);
    return found;
  }

  #resolve(root: ts.Node, node: ts.Identifier): Resolution {
    const api = this.#api;
    const declaration = declarationMeant(this.#api, this.#module.checker, node);
    if (declaration === undefined) return OF_LOADER.test(node.text) ? CONSTANT : NATIVE;
    if (api.isFunctionExpression(declaration)) {
      const own = declaration === root ? this.#own.get(root) : undefined;
      return own === undefined ? CONSTANT : { kind: "function", node: declaration, ...own };
    }
    if (isImport(api, declaration)) return this.#imported(root, node);
    const isAssigned = this.#cells.isAssigned(declaration);
    if (isAssigned && isVariable(api, declaration))
      return this.#cells.variable(declaration, node.text);
    const all = this.#cells.symbolOf(declaration)?.declarations ?? [];
    const isConstant = isAssigned || all.filter(api.isFunctionDeclaration).length > 1;
    return isConstant ? CONSTANT : this.#twinOf(declaration, id(node.text));
  }

  #twinOf(declaration: ts.Declaration, value: Code): Resolution {
    const found = this.#ask(declaration);
    if (found === null)
      return this.#api.isClassLike(declaration)
        ? { kind: "class", value, delta: this.#plain.get(declaration) ?? null }
        : CONSTANT;
    const { node, name: delta } = found;
    if (!this.#api.isClassLike(node)) return { kind: "function", node, delta, value };
    const own = classNameOf(node, this.#api);
    return { kind: "class", value: own === null ? value : id(own), delta };
  }

  #imported(root: ts.Node, node: ts.Identifier): Resolution {
    const { parent } = node;
    const isMember = this.#api.isPropertyAccessExpression(parent) && parent.expression === node;
    const member = isMember ? parent.name.text : null;
    // cells are found by a variable's own name, and whoever gets the namespace reads any of them
    if (this.#module.isAssignedIn(node.text, member)) this.#failed.add(root);
    const cell = this.#module.importedCell(node.text);
    return cell === null ? CONSTANT : outerVariable(cell, id(node.text));
  }
}

const CONSTANT: Resolution = { kind: "constant" };
const NATIVE: Resolution = { kind: "native" };

/** What a script has of its loader. */
const OF_LOADER = /^(?:exports|module|require)$/;

const isVariable = (api: Api, node: ts.Node): boolean =>
  api.isVariableDeclaration(node) || api.isParameter(node) || api.isBindingElement(node);
