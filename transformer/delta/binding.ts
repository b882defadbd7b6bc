// Finds the names that the rewritten node declares. In: the root node. Out: an identifier's
// variable, or null for an outer one. Invariant: JavaScript's scopes, without a checker, so also in
// untyped sources.

import type ts from "typescript";
import { type Code, id } from "../code/code.ts";
import { keyed } from "../code/own-names.ts";
import { deltaId } from "../ir/names.ts";

type Api = typeof ts;

export interface Variable {
  readonly name: Code;
  readonly how: "var" | "let" | "const" | "parameter" | "function" | "class" | "catch";
  readonly declaration: ts.Node;
  /** Its type excludes numbers. */
  readonly leaf: boolean;
  /** Some value with an id flows to it. Grows from pass to pass. */
  live: boolean;
  /** Some value that may be an object flows to it. Grows from pass to pass. */
  object: boolean;
  /** Some string that a number was converted to flows to it. Grows from pass to pass. */
  text: boolean;
  /** Some object with recorded ids may flow to it. Grows from pass to pass. */
  holds: boolean;
  /** The output of this pass reads its id. */
  idRead: boolean;
  /** The previous pass read its id: only then the id is declared. */
  idWanted: boolean;
  /** Whether this pass reads the value, and whether the previous one did. */
  isRead: boolean;
  wasRead: boolean;
  /** Assigned after its declaration. */
  written: boolean;
  /** The name of the local that holds its id. */
  readonly id: Code;
  /** A `var` declares it, too, beside a function or a parameter. */
  isVar: boolean;
  /** The name of the local that holds the ids of its elements. */
  readonly handle: Code;
  /** Some pass reads the handle. */
  hasHandle: boolean;
  /** The name of the local that holds the ids of its fields. */
  readonly fields: Code;
  hasFields: boolean;
}

type Scope = Map<string, Variable>;

export interface Bindings {
  find(identifier: ts.Identifier): Variable | null;
  readonly all: readonly Variable[];
}

export function bindingsOf(
  api: Api,
  roots: readonly ts.Node[],
  words: ReadonlySet<string>,
  isLeaf: (name: ts.Identifier) => boolean,
): Bindings {
  const all: Variable[] = [];
  const made: Made = { all, words, isLeaf };
  const scopes = new Map<ts.Node, Scope>();
  const rootSet = new Set<ts.Node>(roots);
  const scopeOf = (node: ts.Node): Scope => {
    let scope = scopes.get(node);
    if (scope === undefined) {
      scope = new Map();
      const isRoot = rootSet.has(node);
      // A class expression's own name means the user's class, which has another name outside.
      if (!(isRoot && api.isClassExpression(node))) declare(api, node, scope, made);
      if (!isRoot && api.isFunctionExpression(node) && node.name !== undefined)
        adder(scope, made)(node.name, "function", node);
      scopes.set(node, scope);
    }
    return scope;
  };
  const find = (identifier: ts.Identifier): Variable | null => {
    for (let node: ts.Node = identifier; ; node = node.parent) {
      // The name of a declared function is a variable around it.
      const isName = api.isFunctionDeclaration(node) && node.name === identifier;
      const found = isName ? undefined : scopeOf(node).get(identifier.text);
      if (found !== undefined) return found;
      if (rootSet.has(node)) return null;
      /* eslint-disable-next-line @typescript-eslint/no-unnecessary-condition --
         files have no parent */
      if (node.parent === undefined) return null;
    }
  };
  return { find, all };
}

interface Made {
  readonly all: Variable[];
  /** All identifiers of the roots, which generated names give way to. */
  readonly words: ReadonlySet<string>;
  readonly isLeaf: (name: ts.Identifier) => boolean;
}

function handleName(name: string, suffix: string, { all, words }: Made): Code {
  let number = all.filter((variable) => variable.name === name).length;
  const named = (): string => `${name}${suffix}${number === 0 ? "" : number}`;
  while (words.has(named())) number++;
  return id(named());
}

/** `x$id`, also of two variables `x`, whose scopes differ as those of the user's do. */
function idName(name: string, { all, words }: Made): Code {
  let number = 0;
  const named = (): string => `${deltaId(name)}${number === 0 ? "" : number}`;
  while (words.has(named())) number++;
  return keyed(named(), all.length);
}

type Add = (name: ts.Identifier, how: Variable["how"], declaration: ts.Node) => void;

function adder(scope: Scope, made: Made): Add {
  const { all, isLeaf } = made;
  return (name, how, declaration) => {
    const before = scope.get(name.text);
    if (before !== undefined) {
      before.isVar ||= how === "var";
      return;
    }
    const live = false;
    const variable: Variable = {
      name: id(name.text),
      how,
      declaration,
      leaf: isLeaf(name),
      live,
      object: how === "function" || how === "class",
      text: false,
      holds: how === "function" || how === "class",
      idRead: false,
      idWanted: true,
      isRead: false,
      wasRead: true,
      written: false,
      id: idName(name.text, made),
      isVar: how === "var",
      handle: handleName(name.text, "$ids", made),
      hasHandle: false,
      fields: handleName(name.text, "$fields", made),
      hasFields: false,
    };
    scope.set(name.text, variable);
    all.push(variable);
  };
}

/** The names that a node declares for what it contains. */
function declare(api: Api, node: ts.Node, scope: Scope, made: Made): void {
  const add = adder(scope, made);
  if (api.isFunctionLike(node)) declareFunction(api, node, add);
  else if (api.isBlock(node) || api.isModuleBlock(node)) {
    if (!api.isFunctionLike(node.parent)) lexical(api, node.statements, add);
    if (api.isClassStaticBlockDeclaration(node.parent)) vars(api, node, add);
  } else if (api.isCaseBlock(node)) {
    for (const clause of node.clauses) lexical(api, clause.statements, add);
  } else if (api.isForStatement(node) || api.isForOfStatement(node) || api.isForInStatement(node))
    declareHead(api, node, add);
  else if (api.isCatchClause(node)) {
    if (node.variableDeclaration !== undefined) names(api, node.variableDeclaration, "catch", add);
  } else if (api.isClassLike(node) && node.name !== undefined) add(node.name, "class", node);
}

function declareHead(
  api: Api,
  { initializer }: ts.ForStatement | ts.ForInOrOfStatement,
  add: Add,
): void {
  if (initializer !== undefined && api.isVariableDeclarationList(initializer))
    list(api, initializer, add);
}

function declareFunction(api: Api, node: ts.SignatureDeclaration, add: Add): void {
  for (const parameter of node.parameters) names(api, parameter, "parameter", add);
  const body = "body" in node ? node.body : undefined;
  if (body === undefined || !api.isBlock(body)) return;
  lexical(api, body.statements, add);
  vars(api, body, add);
}

function names(
  api: Api,
  declaration: ts.VariableDeclaration | ts.ParameterDeclaration,
  how: Variable["how"],
  add: Add,
): void {
  for (const name of boundNames(api, declaration.name)) add(name, how, declaration);
}

const isBlockScoped = (api: Api, declarations: ts.VariableDeclarationList): boolean =>
  (declarations.flags & api.NodeFlags.BlockScoped) !== 0;

function list(api: Api, declarations: ts.VariableDeclarationList, add: Add): void {
  if (!isBlockScoped(api, declarations)) return;
  const how = (declarations.flags & api.NodeFlags.Const) !== 0 ? "const" : "let";
  for (const declaration of declarations.declarations) names(api, declaration, how, add);
}

function lexical(api: Api, statements: readonly ts.Statement[], add: Add): void {
  for (const statement of statements) {
    let inner = statement;
    while (api.isLabeledStatement(inner)) inner = inner.statement;
    if (api.isVariableStatement(inner)) list(api, inner.declarationList, add);
    else if (api.isFunctionDeclaration(inner) && inner.name !== undefined && inner.body)
      add(inner.name, "function", inner);
    else if (api.isClassDeclaration(inner) && inner.name !== undefined)
      add(inner.name, "class", inner);
  }
}

/** `var`s of a function's body at any depth, but not in nested functions. */
function vars(api: Api, node: ts.Node, add: Add): void {
  if (api.isVariableDeclarationList(node) && !isBlockScoped(api, node)) {
    for (const declaration of node.declarations) names(api, declaration, "var", add);
  }
  api.forEachChild(node, (child) => {
    if (!api.isFunctionLike(child) && !api.isClassLike(child)) vars(api, child, add);
  });
}

/** The names that a pattern binds. */
export const boundNames = (api: Api, name: ts.BindingName): readonly ts.Identifier[] =>
  api.isIdentifier(name)
    ? [name]
    : name.elements.flatMap((element) =>
        api.isBindingElement(element) ? boundNames(api, element.name) : [],
      );
