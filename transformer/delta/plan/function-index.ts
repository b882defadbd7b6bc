// Functions of the program that others may meet as values: `{ act: square }`, `run([square])`, `const net = [{ act: (x) => x * x }]`. In: user files, and a function that is rewritten.
// Out: those whose type fits a function value that it reads from a field, a list or an argument, or that a call gives it: those that a name, or the path of a literal with a name, leads to, and the others.

import type ts from "typescript";
import { connectedFiles } from "./connected.ts";
import { type Asked, isOfPackage, keptAs } from "./escapes.ts";
import { type KeptFunction, keptFunctions } from "./kept-functions.ts";
import { holdsPlaces, type Places } from "./literal-links.ts";
import { bare } from "./places.ts";

/** A function with a name of its own, or a literal with functions in it; `named` is its declaration. */
export interface FunctionValue {
  readonly node: ts.FunctionLikeDeclaration | Places;
  readonly named: ts.FunctionDeclaration | ts.VariableDeclaration;
  readonly name: ts.Identifier;
  readonly types: ts.Type[];
  /** Whether code has it that knows no name of it: what its own function returns, or keeps in an object. */
  readonly isKept: boolean;
}

export class FunctionIndex {
  readonly #api: typeof ts;
  readonly #checker: ts.TypeChecker;
  readonly #files: readonly ts.SourceFile[];
  readonly #asked: Asked;
  #groups: ReturnType<typeof connectedFiles> | null = null;
  #values: ReadonlyMap<ts.Node, FunctionValue> | null = null;
  #kept: readonly KeptFunction[] | null = null;

  constructor(host: {
    readonly ts: typeof ts;
    readonly program: ts.Program;
    readonly files: readonly ts.SourceFile[];
  }) {
    this.#api = host.ts;
    this.#checker = host.program.getTypeChecker();
    this.#files = host.files;
    this.#asked = {
      ts: host.ts,
      checker: this.#checker,
      files: host.files,
      isLibrary: (file) => host.program.isSourceFileDefaultLibrary(file),
      isIsolated: host.program.getCompilerOptions().isolatedDeclarations === true,
    };
  }

  /** What the code of a function may find in what it reads: functions with names, and others. */
  metBy(root: ts.Node): {
    readonly named: readonly FunctionValue[];
    readonly kept: readonly KeptFunction[];
  } {
    const read = this.#typesRead(root);
    if (read.length === 0) return { named: [], kept: [] };
    const group = this.#groupOf(root.getSourceFile());
    const isNear = (node: ts.Node): boolean => this.#groupOf(node.getSourceFile()) === group;
    const fits = (type: ts.Type): boolean =>
      this.#isOpen(type) ||
      read.some((other) => this.#checker.isTypeAssignableTo(type, other) || this.#isOpen(other));
    return {
      named: [...this.#all().values()].filter(
        ({ node, types }) => isNear(node) && types.some(fits),
      ),
      kept: (this.#kept ??= keptFunctions(this.#asked)).filter(
        ({ node, type }) => isNear(node) && fits(type),
      ),
    };
  }

  #groupOf(file: ts.SourceFile): ts.SourceFile | undefined {
    return (this.#groups ??= connectedFiles(this.#files, this.#api, this.#checker))(file);
  }

  /** Whether type parameters stand in it, for types that only calls know. */
  #isOpen(type: ts.Type): boolean {
    const isParameter = (each: ts.Type): boolean =>
      (each.flags & this.#api.TypeFlags.TypeParameter) !== 0;
    return (
      isParameter(type) ||
      type
        .getCallSignatures()
        .some(
          (signature) =>
            isParameter(signature.getReturnType()) ||
            signature.parameters.some((one) => isParameter(this.#checker.getTypeOfSymbol(one))),
        )
    );
  }

  /** What a call gives, or a variable that was given it, or that others assign. */
  #isGiven(node: ts.Node): boolean {
    const api = this.#api;
    if (!api.isIdentifier(node)) return api.isCallExpression(node);
    const declaration = this.#checker.getSymbolAtLocation(node)?.valueDeclaration;
    if (
      declaration === undefined ||
      !api.isVariableDeclaration(declaration) ||
      !this.#files.includes(declaration.getSourceFile())
    )
      return false;
    const value =
      declaration.initializer === undefined ? undefined : bare(declaration.initializer, api);
    const isKnown =
      value !== undefined &&
      (api.isArrowFunction(value) || api.isFunctionExpression(value) || api.isIdentifier(value));
    return !isKnown || (api.getCombinedNodeFlags(declaration) & api.NodeFlags.Constant) === 0;
  }

  /** Types of function values that come from fields, elements, arguments and calls. */
  #typesRead(root: ts.Node): readonly ts.Type[] {
    const api = this.#api;
    const found = new Set<ts.Type>();
    const visit = (node: ts.Node): void => {
      if (
        ((api.isPropertyAccessExpression(node) ||
          api.isElementAccessExpression(node) ||
          api.isIdentifier(node)) &&
          this.#isRead(node)) ||
        this.#isGiven(node)
      ) {
        const type = this.#checker.getNonNullableType(this.#checker.getTypeAtLocation(node));
        if (type.getCallSignatures().length > 0) found.add(type);
      }
      if (!api.isTypeNode(node)) api.forEachChild(node, visit);
    };
    visit(root);
    return [...found];
  }

  #isRead(node: ts.PropertyAccessExpression | ts.ElementAccessExpression | ts.Identifier): boolean {
    const api = this.#api;
    const symbol = this.#checker.getSymbolAtLocation(
      api.isPropertyAccessExpression(node) ? node.name : node,
    );
    const isOwn = (each: ts.Declaration): boolean => this.#files.includes(each.getSourceFile());
    if (api.isElementAccessExpression(node)) return true;
    if (symbol === undefined || !(symbol.declarations ?? []).some(isOwn)) return false;
    if (api.isPropertyAccessExpression(node))
      return (symbol.flags & (api.SymbolFlags.Property | api.SymbolFlags.Method)) !== 0;
    const declaration = symbol.valueDeclaration;
    return (
      declaration !== undefined &&
      (api.isParameter(declaration) ||
        api.isBindingElement(declaration) ||
        (api.isVariableDeclaration(declaration) && api.isForOfStatement(declaration.parent.parent)))
    );
  }

  #all(): ReadonlyMap<ts.Node, FunctionValue> {
    if (this.#values !== null) return this.#values;
    const values = new Map<ts.Node, FunctionValue>();
    const visit = (node: ts.Node): void => {
      const used = this.#usedByName(node);
      const found = this.#literalOf(node) ?? used;
      const known = found === null ? undefined : values.get(found.node);
      const isKept =
        known?.isKept === true ||
        (used !== null && keptAs(node as ts.Identifier, this.#asked) !== null); // what is used by name is a name
      if (found !== null && (known === undefined || isKept))
        values.set(found.node, { ...found, isKept });
      if (!this.#api.isTypeNode(node)) this.#api.forEachChild(node, visit);
    };
    this.#files.forEach(visit);
    this.#values = values;
    return values;
  }

  /** `const net = [{ act: (x) => x * x }];` */
  #literalOf(node: ts.Node): FunctionValue | null {
    const api = this.#api;
    if (
      !api.isVariableDeclaration(node) ||
      !api.isIdentifier(node.name) ||
      node.initializer === undefined ||
      !api.isVariableStatement(node.parent.parent)
    )
      return null;
    const literal = bare(node.initializer, api);
    if (!holdsPlaces(literal, api)) return null;
    const types: ts.Type[] = [];
    const visit = (inner: ts.Node): void => {
      if (
        api.isArrowFunction(inner) ||
        api.isFunctionExpression(inner) ||
        api.isMethodDeclaration(inner)
      )
        types.push(this.#checker.getTypeAtLocation(inner));
      else if (!api.isFunctionLike(inner)) api.forEachChild(inner, visit);
    };
    visit(literal);
    return types.length === 0
      ? null
      : { node: literal, named: node, name: node.name, types, isKept: false };
  }

  /** A name that stands for a function, but where it is called, exported or given to a package. */
  #usedByName(node: ts.Node): FunctionValue | null {
    const api = this.#api;
    if (
      !api.isIdentifier(node) ||
      (!api.isExpression(node.parent) &&
        !api.isObjectLiteralElement(node.parent) &&
        !api.isVariableDeclaration(node.parent) &&
        !api.isReturnStatement(node.parent))
    )
      return null;
    const { parent } = node;
    if (
      api.isPropertyAccessExpression(parent) ||
      (api.isVariableDeclaration(parent) && parent.initializer !== node) ||
      (api.isPropertyAssignment(parent) && parent.name === node)
    )
      return null;
    if (
      api.isCallExpression(parent) &&
      (parent.expression === node || this.#isOutside(parent.expression))
    )
      return null;
    const found = api.isShorthandPropertyAssignment(parent)
      ? this.#checker.getShorthandAssignmentValueSymbol(parent)
      : this.#checker.getSymbolAtLocation(node);
    const symbol =
      found !== undefined && (found.flags & api.SymbolFlags.Alias) !== 0
        ? this.#checker.getAliasedSymbol(found)
        : found;
    return symbol === undefined ? null : this.heldBy(symbol);
  }

  /** Whether a call of a function of a package gives it. */
  isOfPackage(call: ts.CallExpression): boolean {
    return isOfPackage(call, this.#asked);
  }

  /** Whether a call goes into a package, as of `grad(f)`. */
  #isOutside(callee: ts.Expression): boolean {
    const symbol = this.#api.isIdentifier(callee)
      ? this.#checker.getSymbolAtLocation(callee)
      : undefined;
    const meant =
      symbol !== undefined && (symbol.flags & this.#api.SymbolFlags.Alias) !== 0
        ? this.#checker.getAliasedSymbol(symbol)
        : symbol;
    return (
      meant !== undefined &&
      !(meant.declarations ?? []).some((each) => this.#files.includes(each.getSourceFile()))
    );
  }

  /** The function that a symbol stands for, or the literal with functions in it. */
  heldBy(symbol: ts.Symbol): FunctionValue | null {
    return (
      this.#functionOf(symbol) ??
      (symbol.valueDeclaration === undefined ? null : this.#literalOf(symbol.valueDeclaration))
    );
  }

  #functionOf({ declarations = [] }: ts.Symbol): FunctionValue | null {
    const api = this.#api;
    const [named] = declarations.filter(
      (each) =>
        this.#files.includes(each.getSourceFile()) &&
        !(api.isFunctionDeclaration(each) && each.body === undefined),
    );
    if (named === undefined) return null;
    if (api.isFunctionDeclaration(named))
      return named.name === undefined
        ? null
        : {
            node: named,
            named,
            name: named.name,
            types: [this.#checker.getTypeAtLocation(named.name)],
            isKept: false,
          };
    if (
      !api.isVariableDeclaration(named) ||
      !api.isIdentifier(named.name) ||
      named.initializer === undefined ||
      !api.isVariableStatement(named.parent.parent)
    )
      return null;
    const node = bare(named.initializer, api);
    const isConstant = (api.getCombinedNodeFlags(named) & api.NodeFlags.Constant) !== 0;
    return isConstant && (api.isArrowFunction(node) || api.isFunctionExpression(node))
      ? {
          node,
          named,
          name: named.name,
          types: [this.#checker.getTypeAtLocation(named.name)],
          isKept: false,
        }
      : null;
  }
}
