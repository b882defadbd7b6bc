// Finds the function that an expression or a symbol denotes. Input: the argument of a form, or a
// callee. Output: a function with a body in the program, or the diagnostic that says why not.
// It reports nothing itself. A name that may hold another function at run time is never resolved.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import type { Code } from "../../diagnostics/registry.ts";
import { checkerOf, resolvedSymbol, endOf } from "../checker.ts";
import type { CopiedCode, JavaScript } from "../services.ts";
import type { Classes } from "../classes/classes.ts";
import { nameTaken, partNamed } from "../functions/constant-parts.ts";
import type { TypeScript } from "../typescript.ts";
import type { Definitions } from "./definitions.ts";
import { type Forms, isMaking } from "./forms.ts";
import { namingOf } from "./homes.ts";
import { namespaceOf } from "../names/namespaces.ts";
import { isAssigned } from "../assignments.ts";
import { isReplaced } from "../classes/replaced-members.ts";
import { isPackageFile } from "./package-files.ts";
import { type Shipped, shippedOf } from "./shipped.ts";
import { destructuredProperty } from "../objects/property-names.ts";
import type { Asking } from "../context.ts";
import { shorten } from "./quoted-code.ts";

/** Methods are static, or those of object literals that do not use `this`. */
export type FunctionNode =
  ts.FunctionDeclaration | ts.FunctionExpression | ts.ArrowFunction | ts.MethodDeclaration;

/** The argument of a form. */
export type TargetNode = FunctionNode;

export type Target =
  | { readonly kind: "function"; readonly node: TargetNode }
  | { readonly kind: "shipped"; readonly node: ts.FunctionDeclaration; readonly shipped: Shipped }
  /** A derivative, or a function with a user-written rule. */
  | { readonly kind: "made"; readonly call: ts.CallExpression }
  | {
      readonly kind: "problem";
      readonly code: Code;
      readonly args: readonly string[];
      /** The function that the Delta engine may still rewrite. */
      readonly node?: TargetNode;
    };

const problem = (code: Code, ...args: readonly string[]): Target => ({
  kind: "problem",
  code,
  args,
});

/** Limits chains of constants that are initialised with each other; more is a cycle. */
const LONGEST_CHAIN = 20;

interface TargetServices {
  readonly api: TypeScript;
  readonly program: ts.Program;
  readonly forms: Forms;
  readonly definitions: Definitions;
  readonly classes: Classes;
  readonly packageCode: CopiedCode | undefined;
  readonly javascript: JavaScript | undefined;
  /** Whether shipped derivatives are ignored, so that source is followed. */
  readonly follows: boolean;
}

export class Targets {
  readonly #api: TypeScript;
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  readonly #classes: Classes;
  readonly forms: Forms;
  readonly definitions: Definitions;

  readonly #packageCode: CopiedCode | undefined;
  readonly #javascript: JavaScript | undefined;
  readonly #follows: boolean;

  constructor(services: TargetServices) {
    const { api, program, forms, definitions, classes, packageCode, javascript } = services;
    this.#follows = services.follows;
    this.#packageCode = packageCode;
    this.#javascript = javascript;
    this.#classes = classes;
    this.definitions = definitions;
    this.#api = api;
    this.#program = program;
    this.#checker = checkerOf(program, api);
    this.forms = forms;
  }

  ofExpression(wrapped: ts.Expression, depth = 0): Target {
    const api = this.#api;
    const node = bare(wrapped, api);
    const name = shorten(node.getText());
    if (api.isArrowFunction(node) || api.isFunctionExpression(node))
      return this.#checked(node, name);
    if (api.isCallExpression(node) && this.#isOfForm(node)) return { kind: "made", call: node };
    const part =
      api.isPropertyAccessExpression(node) || api.isElementAccessExpression(node)
        ? this.#partOf(node, name, depth)
        : null;
    if (part !== null) return part;
    const copied = this.copied(node);
    if (copied !== null) return this.ofSymbol(copied, name, node, depth);
    if (api.isIdentifier(node) || api.isPropertyAccessExpression(node)) {
      const symbol = resolvedSymbol(nameOf(node, api), { api, checker: this.#checker });
      if (symbol !== null) return this.ofSymbol(symbol, name, node, depth);
    }
    return this.#isAny(node)
      ? problem("TSG2001", name)
      : problem(this.#isCallable(node) ? "TSG1013" : "TSG1001", name);
  }

  /** The copy of a package's function, unless the program or the package has a derivative of it. */
  copied(node: ts.Expression): ts.Symbol | null {
    const copy = this.#packageCode?.functionAt(node) ?? null;
    if (copy === null) return null;
    const own = resolvedSymbol(nameOf(node, this.#api), { api: this.#api, checker: this.#checker });
    const target = own === null ? null : this.ofSymbol(own, "", node);
    return target?.kind === "shipped" || target?.kind === "made" ? null : copy;
  }

  /** Whether a call is `grad(f)`, `customVjp(f, rule)` and the like, which give functions. */
  #isOfForm(call: ts.CallExpression): boolean {
    const symbol = this.#checker.getSymbolAtLocation(nameOf(call.expression, this.#api));
    return (
      symbol !== undefined &&
      (this.forms.formOf(symbol) !== null || isMaking(this.forms.operatorOf(symbol)))
    );
  }

  #partOf(node: ts.AccessExpression, name: string, depth: number): Target | null {
    const taken = nameTaken(node, this.#api);
    return taken === null ? null : this.#part(node.expression, taken, name, depth);
  }

  /** `f` of `const { f } = table`. */
  #destructured(declaration: ts.Declaration, name: string, depth: number): Target | null {
    const api = this.#api;
    const from = api.isBindingElement(declaration) ? destructuredProperty(declaration, api) : null;
    return from === null ? null : this.#part(from.object, from.name, name, depth);
  }

  /** The function in a constant's literal, under the name `taken`; null without one. */
  #part(object: ts.Expression, taken: string, name: string, depth: number): Target | null {
    const part = depth > LONGEST_CHAIN ? null : partNamed(object, taken, this.#asking(object));
    return part === null
      ? null
      : this.#api.isMethodDeclaration(part)
        ? this.#checked(part, name)
        : this.ofExpression(part, depth + 1);
  }

  #asking(at: ts.Node): Asking {
    return {
      api: this.#api,
      checker: this.#checker,
      program: this.#program,
      classes: this.#classes,
      at,
    };
  }

  /** `name`: how the user writes the function at `at`. */
  ofSymbol(alias: ts.Symbol, name: string, at: ts.Node, depth = 0): Target {
    const api = this.#api;
    const symbol = endOf(alias, api, this.#checker);
    const definition = this.definitions.of(symbol, at);
    if (definition !== null) return { kind: "made", call: definition.call };
    const declarations = symbol.declarations ?? [];
    const withBody = declarations.find(
      (node): node is ts.FunctionDeclaration =>
        api.isFunctionDeclaration(node) && node.body !== undefined,
    );
    if (withBody !== undefined)
      return isAssigned(symbol, this.#checker, api)
        ? problem("TSG1012", name)
        : this.#checked(withBody, name);
    const declaration = symbol.valueDeclaration ?? declarations[0];
    if (declaration === undefined || depth > LONGEST_CHAIN)
      return problem(this.#isAny(at) ? "TSG2001" : "TSG1001", name);
    if (api.isFunctionDeclaration(declaration)) return this.#shipped(alias, declaration, name, at);
    const part = this.#destructured(declaration, name, depth);
    if (part !== null) return part;
    if (api.isVariableDeclaration(declaration)) return this.#ofVariable(declaration, name, depth);
    if (api.isExportAssignment(declaration))
      return this.ofExpression(declaration.expression, depth + 1);
    return this.#staticMethod(declarations, name, at) ?? this.#unresolved(declaration, name, at);
  }

  /** A function without a body in the program: its package may ship derivatives. */
  #shipped(
    alias: ts.Symbol,
    declaration: ts.FunctionDeclaration,
    name: string,
    at: ts.Node,
  ): Target {
    if (this.#follows) return problem("TSG1002", name, fileName(declaration));
    const found = shippedOf(alias, declaration, at, this.#api, this.#checker);
    if (found.kind === "shipped")
      return { kind: "shipped", node: declaration, shipped: found.shipped };
    return found.kind === "stale"
      ? problem(
          "TSG1017",
          name,
          `its derivatives have the format \`${found.format}\`, which is another version's`,
        )
      : problem("TSG1002", name, fileName(declaration));
  }

  #staticMethod(declarations: readonly ts.Declaration[], name: string, at: ts.Node): Target | null {
    const api = this.#api;
    const method = declarations.find(
      (node): node is ts.MethodDeclaration =>
        api.isMethodDeclaration(node) && node.body !== undefined,
    );
    if (
      method === undefined ||
      !api.isClassLike(method.parent) ||
      (api.getCombinedModifierFlags(method) & api.ModifierFlags.Static) === 0
    )
      return null;
    return isReplaced(this.#asking(at), { node: method, owner: method.parent }, method.parent)
      ? problem("TSG1012", name)
      : this.#checked(method, name);
  }

  #unresolved(declaration: ts.Declaration, name: string, at: ts.Node): Target {
    const api = this.#api;
    const isOfLiteral =
      /* eslint-disable-next-line @typescript-eslint/no-unnecessary-condition --
         a file has no parent */
      declaration.parent !== undefined && api.isObjectLiteralExpression(declaration.parent);
    if (
      !isOfLiteral &&
      (api.isMethodDeclaration(declaration) || api.isMethodSignature(declaration))
    )
      return problem("TSG1010", name);
    const isValue =
      isOfLiteral ||
      api.isParameter(declaration) ||
      api.isBindingElement(declaration) ||
      api.isPropertySignature(declaration) ||
      api.isPropertyDeclaration(declaration);
    if (!isValue) return problem("TSG1001", name);
    return problem(this.#isAny(at) ? "TSG2001" : "TSG1013", name);
  }

  #ofVariable(declaration: ts.VariableDeclaration, name: string, depth: number): Target {
    const api = this.#api;
    const { initializer } = declaration;
    if (
      declaration.getSourceFile().isDeclarationFile ||
      (api.getCombinedModifierFlags(declaration) & api.ModifierFlags.Ambient) !== 0
    )
      return problem("TSG1002", name, fileName(declaration));
    if ((this.#checker.getTypeAtLocation(declaration).flags & api.TypeFlags.Any) !== 0)
      return problem("TSG2001", name);
    if (initializer === undefined) return problem("TSG1013", name);
    if ((api.getCombinedNodeFlags(declaration) & api.NodeFlags.Constant) === 0)
      return problem("TSG1012", name);
    const target = this.ofExpression(initializer, depth + 1);
    return target.kind === "problem" && (target.code === "TSG1001" || target.code === "TSG1013")
      ? problem(this.#isCallable(declaration) ? "TSG1013" : "TSG1001", name)
      : target;
  }

  /** The build must be able to edit the file of a function with a body. */
  #checked(node: TargetNode, name: string): Target {
    const file = node.getSourceFile();
    if (file.isDeclarationFile) return problem("TSG1002", name, fileName(node));
    if (isPackageFile(this.#program, file) || file.fileName.includes("/node_modules/"))
      return problem("TSG1014", name, packageOf(file.fileName, this.#api));
    if (
      /\.[cm]?jsx?$/.test(file.fileName) &&
      (this.#javascript === undefined || this.#javascript.faults.has(node))
    )
      return { kind: "problem", code: "TSG1113", args: [name], node };
    if (!this.#api.isExternalModule(file))
      return problem("TSG1015", name, fileName(node), "is a script, not a module");
    const naming = namingOf(node, this.#api);
    const isDeclared = naming !== null && namespaceOf(naming, this.#api) !== null;
    for (
      let at: ts.Node = node.parent;
      !isDeclared && !this.#api.isSourceFile(at);
      at = at.parent
    ) {
      if (this.#api.isModuleDeclaration(at))
        return problem("TSG1011", name, "it is no function that the namespace declares");
    }
    return { kind: "function", node };
  }

  #isAny(node: ts.Node): boolean {
    return (this.#checker.getTypeAtLocation(node).flags & this.#api.TypeFlags.Any) !== 0;
  }

  #isCallable(node: ts.Node): boolean {
    return this.#checker.getTypeAtLocation(node).getCallSignatures().length > 0;
  }
}

/** `g` of `g` and of `ns.g`. */
export function nameOf(wrapped: ts.Expression, api: TypeScript): ts.Node {
  const node = bare(wrapped, api);
  return api.isPropertyAccessExpression(node) ? node.name : node;
}

const fileName = (node: ts.Node): string => node.getSourceFile().fileName.split("/").at(-1) ?? "";

function packageOf(fileName: string, { findConfigFile, sys }: TypeScript): string {
  const [, ...inside] = fileName.split("/node_modules/");
  const parts = inside.at(-1)?.split("/");
  if (parts !== undefined)
    return parts[0]?.startsWith("@") === true
      ? parts.slice(0, 2).join("/")
      : (parts[0] ?? fileName);
  // a linked package of the same repository
  const manifest = findConfigFile(
    fileName.slice(0, fileName.lastIndexOf("/")),
    (file) => sys.fileExists(file),
    "package.json",
  );
  return manifest === undefined
    ? fileName
    : (/"name"\s*:\s*"([^"]+)"/.exec(sys.readFile(manifest) ?? "")?.[1] ?? manifest);
}
