// Code in JavaScript whose types are not true. In: a program in which JavaScript is checked, and
// the nodes that derivatives reach. Out: nodes that the static engine must not lower. A type error
// is about the code around it, the variable or property that is assigned there, and the function
// that is called there.

import type ts from "typescript";
import { isAssignment } from "../../syntax/assignments.ts";
import { isHarmless } from "../package-code/soundness.ts";
import { isJavaScript } from "./files.ts";

type Api = typeof ts;

/** Arguments that are left out. */
const LEFT_OUT: ReadonlySet<number> = new Set([2554, 2555]);

export function faultsOf(
  api: Api,
  program: ts.Program,
  reached: ReadonlySet<ts.Node>,
): ReadonlySet<ts.Node> {
  const own = program
    .getSourceFiles()
    .filter((file) => !file.isDeclarationFile && !program.isSourceFileFromExternalLibrary(file));
  const faults = new Faults(api, program.getTypeChecker(), reached);
  for (const file of own.filter(isJavaScript))
    for (const diagnostic of [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ])
      if (LEFT_OUT.has(diagnostic.code) || !isHarmless(diagnostic)) faults.add(file, diagnostic);
  faults.addUnknown();
  faults.spread(own);
  return faults.nodes;
}

class Faults {
  readonly nodes = new Set<ts.Node>();
  readonly #api: Api;
  readonly #checker: ts.TypeChecker;
  readonly #reached: ReadonlySet<ts.Node>;
  /** Variables and properties that hold something else than their type says. */
  readonly #symbols = new Map<string, Set<ts.Symbol>>();

  constructor(api: Api, checker: ts.TypeChecker, reached: ReadonlySet<ts.Node>) {
    this.#api = api;
    this.#checker = checker;
    this.#reached = reached;
  }

  add(file: ts.SourceFile, { code, start = 0, length = 0 }: ts.Diagnostic): void {
    const api = this.#api;
    const node = nodeAt(api, file, start, start + length);
    if (LEFT_OUT.has(code) && this.#mayBeLeftOut(node)) return;
    this.#mark(node);
    for (let at = node; !api.isSourceFile(at); at = at.parent) {
      if (isDeclared(api, at) && at.name !== undefined) this.#note(at.name);
      else if (isAssignment(at, api)) this.#noteTarget(at.left);
      else if (api.isCallOrNewExpression(at)) this.#markCalled(at);
      if (api.isStatement(at) || api.isFunctionLike(at)) break;
    }
  }

  /** Whether the types of the parameters say so. */
  #mayBeLeftOut(node: ts.Node): boolean {
    const api = this.#api;
    const call = api.findAncestor(node, api.isCallOrNewExpression);
    const parameters = call && this.#checker.getResolvedSignature(call)?.getParameters();
    if (call === undefined || parameters === undefined) return false;
    return parameters.slice(call.arguments?.length ?? 0).every((each) => {
      const type = this.#checker.getTypeOfSymbol(each);
      return type.isUnion() && type.types.some(({ flags }) => flags & api.TypeFlags.Undefined);
    });
  }

  /** What has no type would count as no number. */
  addUnknown(): void {
    const api = this.#api;
    const javascript = [...this.#reached].filter((node) => isJavaScript(node.getSourceFile()));
    for (const node of javascript)
      if (api.isExpression(node) && !this.nodes.has(node) && !isName(api, node)) {
        const { flags } = this.#checker.getTypeAtLocation(node);
        if (flags & api.TypeFlags.Any) this.#mark(node);
      }
  }

  /** A node and what is around it, within its function. */
  #mark(node: ts.Node): void {
    const api = this.#api;
    for (let at = node; !api.isSourceFile(at); at = at.parent) {
      this.nodes.add(at);
      if (!api.isFunctionLike(at)) continue;
      this.#markBody(at);
      return;
    }
  }

  #markBody(node: ts.Node): void {
    const api = this.#api;
    this.nodes.add(node);
    const body = api.isFunctionLike(node) && "body" in node ? node.body : undefined;
    if (body === undefined) return;
    this.nodes.add(body);
    if (api.isBlock(body)) for (const statement of body.statements) this.nodes.add(statement);
  }

  #markCalled(call: ts.CallExpression | ts.NewExpression): void {
    const declared = this.#checker.getResolvedSignature(call)?.declaration;
    if (declared !== undefined && this.#reached.has(call) && isJavaScript(declared.getSourceFile()))
      this.#markBody(declared);
  }

  #noteTarget(target: ts.Expression): void {
    const api = this.#api;
    if (api.isPropertyAccessExpression(target)) this.#note(target.name);
    else if (api.isElementAccessExpression(target)) this.#noteTarget(target.expression);
    else this.#note(target);
  }

  #note(name: ts.Node): void {
    const api = this.#api;
    if (!api.isIdentifier(name) && !api.isPrivateIdentifier(name)) return;
    const symbol = this.#checker.getSymbolAtLocation(name);
    if (symbol === undefined) return;
    this.#symbols.set(name.text, (this.#symbols.get(name.text) ?? new Set()).add(symbol));
  }

  /** Marks what mentions a variable or a property that was noted. */
  spread(files: readonly ts.SourceFile[]): void {
    if (this.#symbols.size === 0) return;
    const visit = (node: ts.Node): void => {
      if (this.#api.isIdentifier(node) || this.#api.isPrivateIdentifier(node)) {
        const symbols = this.#symbols.get(node.text);
        const symbol = symbols && this.#checker.getSymbolAtLocation(node);
        if (symbol !== undefined && symbols?.has(symbol) === true) this.#mark(node);
      }
      this.#api.forEachChild(node, visit);
    };
    for (const file of files) visit(file);
  }
}

const isDeclared = (
  api: Api,
  node: ts.Node,
): node is ts.VariableDeclaration | ts.PropertyDeclaration | ts.FunctionDeclaration =>
  api.isVariableDeclaration(node) ||
  api.isPropertyDeclaration(node) ||
  api.isFunctionDeclaration(node);

/** The smallest node around a range. */
function nodeAt(api: Api, file: ts.SourceFile, start: number, end: number): ts.Node {
  let found: ts.Node = file;
  const visit = (node: ts.Node): void => {
    if (node.getStart() > start || end > node.end) return;
    found = node;
    api.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Whether it is a name that is declared or assigned, or no value at all. */
function isName(api: Api, node: ts.Expression): boolean {
  const { parent } = node;
  if (api.isPartOfTypeNode(node)) return true;
  if (api.isBinaryExpression(parent) && parent.left === node)
    return parent.operatorToken.kind === api.SyntaxKind.EqualsToken;
  if (!api.isIdentifier(node)) return false;
  return "name" in parent && parent.name === node;
}
