// What statements of a module do while it is loaded, by names alone. In: a statement. Out: the
// names in it, those that its evaluation may change, and those that functions in it may change.
// Invariant: in doubt a name is changed; a call that is marked as pure changes nothing.

import type ts from "typescript";
import { isAssigned, isAssignment, isUpdate } from "../../syntax/assignments.ts";
import { boundNames } from "../binding.ts";
import { isExport } from "./flat-commonjs.ts";
import { effectOf, wholePath, type Effect } from "./effects.ts";
import { isReference } from "./module-uses.ts";

type Api = typeof ts;

export interface LoadEffects {
  /** All names in it, of values or types. */
  readonly mentions: Set<string>;
  /** Names outside of functions that run later. */
  readonly concerns: Set<string>;
  /** Whether its evaluation assigns, deletes or calls. */
  changes: boolean;
  /** Whether its evaluation may run functions: by calls, accessors, iterators or conversions. */
  runs: boolean;
  /** Of `concerns`: names that are called, changed or handed on. */
  readonly uses: Set<string>;
  /** Of `concerns`: names in any other place than that of the function that a call runs. */
  readonly touches: Set<string>;
  /** In functions that run later: names from outside that are called, changed or handed on. */
  readonly laterUses: Set<string>;
  /** Of `laterUses`: names that are assigned, or whose object a statement of its own changes. */
  readonly laterChanges: Set<string>;
  /** Of `laterUses`: the other names that are handed on, or whose method may change them. */
  readonly laterPasses: Set<string>;
}

export function loadEffects(api: Api, node: ts.Statement): LoadEffects {
  const reader = new Reader(api);
  reader.visit(node, null);
  return reader.found;
}

/** The names that functions around a node bind. */
interface Scope {
  readonly names: ReadonlySet<string>;
  readonly outer: Scope | null;
}

const binds = (scope: Scope | null, name: string): boolean =>
  scope !== null && (scope.names.has(name) || binds(scope.outer, name));

class Reader {
  readonly found: LoadEffects = {
    mentions: new Set(),
    concerns: new Set(),
    changes: false,
    runs: false,
    uses: new Set(),
    touches: new Set(),
    laterUses: new Set(),
    laterChanges: new Set(),
    laterPasses: new Set(),
  };
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** `later`: the scope of code that runs with a function; null for code that runs at once. */
  visit(node: ts.Node, later: Scope | null): void {
    const api = this.#api;
    if (api.isIdentifier(node)) return this.#meet(node, later);
    if (later === null) this.#run(node);
    const inner = this.#isLater(node) ? { names: namesOf(api, node), outer: later } : later;
    api.forEachChild(node, (child) => {
      this.visit(child, api.isComputedPropertyName(child) ? later : inner);
    });
  }

  #isLater(node: ts.Node): boolean {
    const api = this.#api;
    if (api.isPropertyDeclaration(node))
      return !(api.getModifiers(node) ?? []).some(
        ({ kind }) => kind === api.SyntaxKind.StaticKeyword,
      );
    // A function that is called immediately is evaluated with the statement.
    return api.isFunctionLike(node) && !isCalledOnTheSpot(api, node);
  }

  #run(node: ts.Node): void {
    const api = this.#api;
    const calls = isCall(api, node) && !isPure(node);
    this.found.runs ||= calls || mayRunMembers(api, node);
    this.found.changes ||=
      calls ||
      (isAssignment(node, api) && !isExport(api, node.left)) ||
      isUpdate(node, api) ||
      api.isDeleteExpression(node);
  }

  #meet(node: ts.Identifier, later: Scope | null): void {
    const { found } = this;
    if (isKey(this.#api, node)) return;
    const { text } = node;
    found.mentions.add(text);
    if (later === null) found.concerns.add(text);
    if (!isReference(this.#api, node) || binds(later, text)) return;
    const whole = wholePath(this.#api, node);
    const effect = effectOf(this.#api, node);
    const isIdle = effect === "read" || effect === "tested";
    if (!isIdle || isOfCall(this.#api, whole))
      (later === null ? found.uses : found.laterUses).add(text);
    if (later === null) {
      if (whole !== node || !isCallee(this.#api, node)) found.touches.add(text);
    } else if (CHANGES.has(effect)) found.laterChanges.add(text);
    else if (!isIdle) found.laterPasses.add(text);
  }
}

const CHANGES: ReadonlySet<Effect> = new Set(["assigned", "counted", "changed", "replaced"]);

const isCall = (
  api: Api,
  node: ts.Node,
): node is ts.CallExpression | ts.NewExpression | ts.TaggedTemplateExpression =>
  api.isCallOrNewExpression(node) || api.isTaggedTemplateExpression(node);

/** Marked as pure, or `Object.freeze({ … })`. */
const isPure = (
  node: ts.CallExpression | ts.NewExpression | ts.TaggedTemplateExpression,
): boolean =>
  /[@#]__PURE__/.test(node.getFullText().slice(0, node.getLeadingTriviaWidth())) ||
  /^Object\.freeze\(\s*[[{]/.test(node.getText());

const isCallee = (api: Api, node: ts.Node): boolean => {
  const { parent } = node;
  return api.isTaggedTemplateExpression(parent)
    ? parent.tag === node
    : api.isCallOrNewExpression(parent) && parent.expression === node;
};

/** The callee, or an argument. */
const isOfCall = (api: Api, { parent }: ts.Node): boolean =>
  api.isCallOrNewExpression(parent) || api.isTaggedTemplateExpression(parent);

const isMember = (api: Api, node: ts.Node): node is ts.AccessExpression =>
  api.isPropertyAccessExpression(node) || api.isElementAccessExpression(node);

/** Whether it may run code that no call names: accessors, iterators, conversions, traps. */
function mayRunMembers(api: Api, node: ts.Node): boolean {
  if (api.isArrayLiteralExpression(node) || api.isObjectLiteralExpression(node))
    return isAssigned(node, api);
  if (api.isPrefixUnaryExpression(node)) return node.operator !== api.SyntaxKind.ExclamationToken;
  if (api.isBinaryExpression(node)) return !KEEPING.has(node.operatorToken.getText());
  if (isMember(api, node)) return !isExport(api, node) && !isCallee(api, node);
  return RUNNING.has(api.SyntaxKind[node.kind]);
}

const RUNNING = new Set(
  (
    "TemplateExpression PostfixUnaryExpression SpreadElement SpreadAssignment ArrayBindingPattern " +
    "ObjectBindingPattern ComputedPropertyName ForInStatement ForOfStatement YieldExpression " +
    "AwaitExpression Decorator"
  ).split(" "),
);

/** Operators that take their operands as they are. */
const KEEPING = new Set(["=", "&&=", "||=", "??=", "&&", "||", "??", ",", "===", "!=="]);

const isKey = (api: Api, node: ts.Identifier): boolean => {
  const { parent } = node;
  const isNamed =
    api.isPropertyAccessExpression(parent) ||
    api.isPropertyAssignment(parent) ||
    api.isMethodDeclaration(parent);
  return isNamed && parent.name === node;
};

function isCalledOnTheSpot(api: Api, node: ts.Node): boolean {
  let child = node;
  while (api.isParenthesizedExpression(child.parent)) child = child.parent;
  const { parent } = child;
  return api.isCallExpression(parent) && parent.expression === child && !isPure(parent);
}

/** Names that a function binds in its whole body. */
function namesOf(api: Api, node: ts.Node): ReadonlySet<string> {
  const names = new Set<string>();
  const body = "body" in node ? node.body : undefined;
  const add = (name: ts.BindingName | undefined): void => {
    for (const { text } of name === undefined ? [] : boundNames(api, name)) names.add(text);
  };
  const visit = (at: ts.Node): void => {
    const isDirect = api.isVariableStatement(at.parent) && at.parent.parent === body;
    const isBlock =
      api.isVariableDeclarationList(at) && (at.flags & api.NodeFlags.BlockScoped) !== 0;
    if (api.isVariableDeclarationList(at) && (isDirect || !isBlock))
      for (const { name } of at.declarations) add(name);
    if (api.isFunctionDeclaration(at) || api.isClassDeclaration(at)) {
      if (at.parent === body) add(at.name);
    } else if (api.isParameter(at)) add(at.name);
    if (!api.isFunctionLike(at)) api.forEachChild(at, visit);
  };
  api.forEachChild(node, visit);
  return names;
}

export interface Runner {
  readonly declares: readonly string[];
  readonly mentions: ReadonlySet<string>;
}

/** Statements by the names that they have, whichever of them. */
export function byName<T>(
  all: readonly T[],
  namesIn: (one: T) => Iterable<string>,
): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const one of all)
    for (const name of namesIn(one)) {
      const known = found.get(name);
      if (known === undefined) found.set(name, [one]);
      else known.push(one);
    }
  return found;
}

/** Adds statements, and all that mention what they declare, however far. Out: what is new. */
export function addMentioning<T extends Runner>(
  found: Set<T>,
  some: Iterable<T>,
  byMention: ReadonlyMap<string, readonly T[]>,
): readonly T[] {
  const added: T[] = [];
  const add = (one: T): void => {
    if (found.has(one)) return;
    found.add(one);
    added.push(one);
  };
  for (const one of some) add(one);
  for (const { declares } of added)
    for (const name of declares) for (const other of byMention.get(name) ?? []) add(other);
  return added;
}
