// Indexes classes. In: user files. Out: parents, children, and the classes that a function uses.
// Invariant: only classes with a body in user files.

import type ts from "typescript";

type ClassNode = ts.ClassLikeDeclaration;

interface IndexHost {
  readonly ts: typeof ts;
  readonly program: ts.Program;
  readonly files: readonly ts.SourceFile[];
}

export class ClassIndex {
  readonly #checker: ts.TypeChecker;
  readonly #api: typeof ts;
  #parents: ReadonlyMap<ClassNode, ts.Symbol | null> | null = null;
  readonly #implements = new Map<ts.Symbol, ClassNode[]>();
  readonly #files: readonly ts.SourceFile[];

  constructor(host: IndexHost) {
    this.#api = host.ts;
    this.#checker = host.program.getTypeChecker();
    this.#files = host.files;
  }

  parentOf(node: ClassNode): ClassNode | null {
    const symbol = this.#all().get(node);
    return symbol === undefined || symbol === null ? null : classOf(symbol, this.#api, this.#files);
  }

  /** The classes that a class extends by its type: those of `extends mixin(Base)`. */
  basesOf(node: ClassNode): readonly ClassNode[] {
    const type = this.#checker.getTypeAtLocation(node);
    const bases = type.isClassOrInterface() ? this.#checker.getBaseTypes(type) : [];
    return bases
      .flatMap((base): readonly ts.Type[] => (base.isIntersection() ? base.types : [base]))
      .flatMap((base) => {
        const symbol = base.getSymbol();
        return symbol === undefined ? [] : this.meant(symbol);
      });
  }

  childrenOf(node: ClassNode): readonly ClassNode[] {
    return [...this.#all().keys()].filter((other) => this.parentOf(other) === node);
  }

  /** A class itself, or the classes that implement an interface. */
  meant(symbol: ts.Symbol): readonly ClassNode[] {
    this.#all();
    const own = classOf(symbol, this.#api, this.#files);
    return [...(own === null ? [] : [own]), ...(this.#implements.get(symbol) ?? [])];
  }

  #all(): ReadonlyMap<ClassNode, ts.Symbol | null> {
    if (this.#parents !== null) return this.#parents;
    const found = new Map<ClassNode, ts.Symbol | null>();
    const visit = (node: ts.Node): void => {
      if (this.#api.isClassLike(node)) found.set(node, this.#heritage(node));
      this.#api.forEachChild(node, visit);
    };
    this.#files.forEach(visit);
    this.#parents = found;
    return found;
  }

  #heritage(node: ClassNode): ts.Symbol | null {
    let parent: ts.Symbol | null = null;
    for (const clause of node.heritageClauses ?? []) {
      for (const type of clause.types) {
        const alias = this.#checker.getSymbolAtLocation(type.expression);
        if (alias === undefined) continue;
        const symbol =
          alias.flags & this.#api.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(alias) : alias;
        if (clause.token === this.#api.SyntaxKind.ExtendsKeyword) parent = symbol;
        else this.#implements.set(symbol, [...(this.#implements.get(symbol) ?? []), node]);
      }
    }
    return parent;
  }
}

/** The name of a class in the code around it. */
export function classNameOf(node: ts.ClassLikeDeclaration, api: typeof ts): string | null {
  if (api.isClassDeclaration(node)) return node.name?.text ?? null;
  const outer = node.parent;
  return api.isVariableDeclaration(outer) &&
    api.isIdentifier(outer.name) &&
    (api.getCombinedNodeFlags(outer) & api.NodeFlags.Constant) !== 0
    ? outer.name.text
    : null;
}

function classOf(
  symbol: ts.Symbol,
  api: typeof ts,
  files: readonly ts.SourceFile[],
): ClassNode | null {
  const declaration = symbol.valueDeclaration;
  const node =
    declaration !== undefined && api.isVariableDeclaration(declaration)
      ? declaration.initializer
      : declaration;
  return node !== undefined && api.isClassLike(node) && files.includes(node.getSourceFile())
    ? node
    : null;
}

/**
 * The symbols of the types whose members a function reads or calls. The members of a mapped type,
 * such as `Readonly<C>` or `Pick<C, "apply">`, are declared in the class.
 */
export function classesMentioned(
  root: ts.Node,
  api: typeof ts,
  checker: ts.TypeChecker,
): ReadonlySet<ts.Symbol> {
  const found = new Set<ts.Symbol>();
  const met = new Set<ts.Type>();
  const add = (given: ts.Type): void => {
    const type = checker.getApparentType(given);
    if (met.has(type)) return;
    met.add(type);
    if (type.isUnionOrIntersection()) type.types.forEach(add);
    const symbol = type.getSymbol();
    if (symbol !== undefined && symbol.flags & (api.SymbolFlags.Class | api.SymbolFlags.Interface))
      found.add(symbol);
    else if ((type.flags & api.TypeFlags.Object) !== 0)
      for (const { declarations = [] } of type.getProperties())
        for (const { parent } of declarations)
          if (api.isClassLike(parent)) add(checker.getTypeAtLocation(parent));
  };
  const visit = (node: ts.Node): void => {
    if (api.isTypeNode(node)) return;
    if (api.isPropertyAccessExpression(node) || api.isElementAccessExpression(node))
      add(checker.getTypeAtLocation(node.expression));
    if (api.isParameter(node) && !api.isIdentifier(node.name)) add(checker.getTypeAtLocation(node));
    api.forEachChild(node, visit);
  };
  visit(root);
  return found;
}
