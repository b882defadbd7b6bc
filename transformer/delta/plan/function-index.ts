// Indexes functions that are used as values: `{ act: square }`, `run([square])`. In: user files.
// Out: for a rewritten function, those of a type that it reads from a field, array, argument, call.

import type ts from "typescript";
import { someNode } from "../../syntax/walk.ts";
import { bare } from "../../syntax/wrappers.ts";
import type { AssignedVariables } from "../assigned.ts";
import { isPutForTheLanguage } from "../conversions.ts";
import { connectedFiles } from "./connected.ts";
import { type Asked, isOfPackage, keptAs } from "./escapes.ts";
import { type KeptFunction, keptFunctions } from "./kept-functions.ts";
import { holdsPlaces, type Places } from "./literal-links.ts";

/** A named function or a literal with functions. `named`: its declaration. */
export interface FunctionValue {
  readonly node: ts.FunctionLikeDeclaration | Places;
  readonly named: ts.FunctionDeclaration | ts.VariableDeclaration;
  readonly name: ts.Identifier;
  readonly types: ts.Type[];
  /** Of a literal: names of its accessors. */
  readonly accessors?: ReadonlySet<string>;
  /** Whether it escapes from its function by a return value or an object. */
  readonly isKept: boolean;
  /** Whether the language may call it as a method. */
  readonly isImplicit?: boolean;
}

export interface Met {
  readonly named: readonly FunctionValue[];
  readonly kept: readonly KeptFunction[];
}

export class FunctionIndex {
  readonly #api: typeof ts;
  readonly #checker: ts.TypeChecker;
  readonly #files: readonly ts.SourceFile[];
  readonly #asked: Asked;
  readonly #assigned: AssignedVariables;
  #groups: ReturnType<typeof connectedFiles> | null = null;
  #values: ReadonlyMap<ts.Node, FunctionValue> | null = null;
  #kept: readonly KeptFunction[] | null = null;
  #given: ReadonlyMap<ts.Node, readonly string[]> | null = null;

  constructor(host: {
    readonly ts: typeof ts;
    readonly program: ts.Program;
    readonly files: readonly ts.SourceFile[];
    readonly assigned: AssignedVariables;
    readonly keepers: Asked["keepers"];
  }) {
    this.#api = host.ts;
    this.#assigned = host.assigned;
    this.#checker = host.program.getTypeChecker();
    this.#files = host.files;
    this.#asked = {
      ts: host.ts,
      checker: this.#checker,
      files: host.files,
      isLibrary: (file) => host.program.isSourceFileDefaultLibrary(file),
      isIsolated: host.program.getCompilerOptions().isolatedDeclarations === true,
      keepers: host.keepers,
    };
  }

  /** What the program gives to packages. `mayCall`: whether one of a file is asked about. */
  given(mayCall: (specifier: string, fromFile: string) => boolean): Met {
    const given = (this.#given ??= this.#findGiven());
    const isMet = (node: ts.Node): boolean => {
      const { fileName } = node.getSourceFile();
      return given.get(node)?.some((specifier) => mayCall(specifier, fileName)) === true;
    };
    const named = new Set<FunctionValue>();
    for (const node of given.keys()) {
      const isName = this.#api.isIdentifier(node) && isMet(node);
      const symbol = isName ? this.#checker.getSymbolAtLocation(node) : undefined;
      const value = symbol === undefined ? null : this.heldBy(symbol);
      if (value !== null) named.add(value);
    }
    const kept = (this.#kept ??= keptFunctions(this.#asked)).filter(({ node }) => isMet(node));
    return { named: [...named], kept };
  }

  /** Code in calls of packages that may keep what they are given, with their specifiers. */
  #findGiven(): ReadonlyMap<ts.Node, readonly string[]> {
    const api = this.#api;
    const found = new Map<ts.Node, readonly string[]>();
    const visit = (node: ts.Node, within: readonly string[]): void => {
      if (api.isTypeNode(node)) return;
      if (within.length > 0) found.set(node, within);
      const isCall = api.isCallExpression(node) || api.isNewExpression(node);
      const packages = isCall ? [...within, ...this.#asked.keepers(node)] : within;
      api.forEachChild(node, (child) => {
        visit(child, packages);
      });
    };
    for (const file of this.#files) visit(file, []);
    return found;
  }

  /** What a function may read: functions with names, and others. */
  metBy(root: ts.Node): Met {
    const read = this.#typesRead(root);
    const isNamed = (name: string): boolean =>
      someNode(
        this.#api,
        root,
        (at) =>
          (this.#api.isIdentifier(at) || this.#api.isStringLiteralLike(at)) && at.text === name,
      );
    const group = this.#groupOf(root.getSourceFile());
    const isNear = (node: ts.Node): boolean => this.#groupOf(node.getSourceFile()) === group;
    const fits = (type: ts.Type): boolean =>
      read.length > 0 &&
      (this.#isOpen(type) ||
        read.some((other) => this.#checker.isTypeAssignableTo(type, other) || this.#isOpen(other)));
    return {
      named: [...this.#all().values()].filter(
        ({ node, types, accessors = [], isImplicit }) =>
          isNear(node) && (isImplicit === true || types.some(fits) || [...accessors].some(isNamed)),
      ),
      kept: (this.#kept ??= keptFunctions(this.#asked)).filter(
        ({ node, how, type }) =>
          isNear(node) &&
          (isPutForTheLanguage(node, this.#api) ||
            (this.#api.isAccessor(node) && how.kind === "member"
              ? isNamed(propertyText(node.name))
              : fits(type))),
      ),
    };
  }

  #groupOf(file: ts.SourceFile): ts.SourceFile | undefined {
    return (this.#groups ??= connectedFiles(this.#files, this.#api, this.#checker))(file);
  }

  /** Whether it mentions type parameters, whose types only calls know. */
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

  /** Whether it is a call's result, or a variable that holds one or is assigned. */
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

  /** The types of function values from fields, elements, arguments and calls. */
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
        (used !== null && keptAs(node as ts.Identifier, this.#asked) !== null); // an identifier
      const isImplicit =
        known?.isImplicit === true || (used !== null && isPutForTheLanguage(node, this.#api));
      if (found !== null && (known === undefined || isKept || isImplicit))
        values.set(found.node, { ...found, isKept, isImplicit });
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
    const accessors = new Set<string>();
    const visit = (inner: ts.Node): void => {
      if (
        api.isArrowFunction(inner) ||
        api.isFunctionExpression(inner) ||
        api.isMethodDeclaration(inner)
      )
        types.push(this.#checker.getTypeAtLocation(inner));
      else if (api.isAccessor(inner)) accessors.add(propertyText(inner.name));
      else if (!api.isFunctionLike(inner)) api.forEachChild(inner, visit);
    };
    visit(literal);
    return types.length + accessors.size === 0
      ? null
      : { node: literal, named: node, name: node.name, types, accessors, isKept: false };
  }

  /** A function whose name is used other than to call it, export it, or pass it to a package. */
  #usedByName(node: ts.Node): FunctionValue | null {
    const api = this.#api;
    if (!api.isIdentifier(node) || !mayBeValue(node, api)) return null;
    const { parent } = node;
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

  /** Whether the callee is a function of a package. */
  isOfPackage(call: ts.CallExpression): boolean {
    return isOfPackage(call, this.#asked);
  }

  /** Whether a call is into a package, such as `grad(f)`. */
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

  /** The function, or literal with functions, that a symbol denotes. */
  heldBy(symbol: ts.Symbol): FunctionValue | null {
    return (
      this.#functionOf(symbol) ??
      (symbol.valueDeclaration === undefined ? null : this.#literalOf(symbol.valueDeclaration))
    );
  }

  #functionOf(symbol: ts.Symbol): FunctionValue | null {
    const api = this.#api;
    const [named] = (symbol.declarations ?? []).filter(
      (each) =>
        this.#files.includes(each.getSourceFile()) &&
        !(api.isFunctionDeclaration(each) && each.body === undefined),
    );
    if (named === undefined) return null;
    if (api.isFunctionDeclaration(named))
      return named.name === undefined || this.#assigned.has(symbol)
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

const propertyText = (name: ts.PropertyName): string => {
  const spelt = "expression" in name ? name.expression : name;
  return "text" in spelt ? String(spelt.text) : spelt.getText();
};

/** Whether the name may be read as a value: it declares nothing, and is no object of a member. */
function mayBeValue(node: ts.Identifier, api: typeof ts): boolean {
  const { parent } = node;
  if (api.isVariableDeclaration(parent)) return parent.initializer === node;
  if (api.isPropertyAssignment(parent)) return parent.name !== node;
  return (
    !api.isPropertyAccessExpression(parent) &&
    (api.isExpression(parent) ||
      api.isObjectLiteralElement(parent) ||
      api.isReturnStatement(parent))
  );
}
