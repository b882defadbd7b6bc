// What a CommonJS module imports and exports. In: a parsed file without ES imports and exports.
// Out: its names in the terms of ES modules; `export=` stands for `module.exports`. Invariant:
// null where `exports`, `module` or an export may be anything else than the file's top level says.

import type ts from "typescript";
import { isAssignment } from "../../syntax/assignments.ts";
import type { Binding } from "../../delta/packages/surface.ts";

type Api = typeof ts;

/** The exported name of `module.exports` itself. */
export const WHOLE = "export=";

interface CommonJs {
  /** By local name. */
  readonly imports: Map<string, Binding>;
  /** Local names by exported name. */
  readonly exports: Map<string, string>;
  readonly forwarded: Map<string, Binding>;
  readonly stars: string[];
  /** Values of exports without a local name, by names that no identifier equals. */
  readonly values: Map<string, ts.Expression>;
  /** Whether it was an ES module, so that `exports.default` may be its default. */
  isFlagged: boolean;
}

export function commonJsOf(api: Api, source: ts.SourceFile): CommonJs | null {
  const reader = new Reader(api);
  return source.statements.every((node) => reader.reads(node)) ? reader.found : null;
}

/** They make of what is required an object with its `default`. */
const INTEROP =
  /^(?:__importDefault|__importStar|_interopRequire(?:Default|Wildcard)|_interopDefaultLegacy|_interopNamespace(?:Default)?)$/;

class Reader {
  readonly found: CommonJs = {
    imports: new Map(),
    exports: new Map(),
    forwarded: new Map(),
    stars: [],
    values: new Map(),
    isFlagged: false,
  };
  readonly #api: Api;
  /** Exports of `__export(name, { … })`, until `module.exports` is made of them. */
  readonly #getters = new Map<string, ReadonlyMap<string, ts.Expression>>();

  constructor(api: Api) {
    this.#api = api;
  }

  /** Whether it is known what a statement at the top does to the exports. */
  reads(node: ts.Statement): boolean {
    const api = this.#api;
    if (api.isVariableStatement(node))
      return node.declarationList.declarations.every((each) => this.#declares(each));
    if (!api.isExpressionStatement(node)) return this.#isApart(node);
    const { expression } = node;
    if (api.isBinaryExpression(expression)) return this.#assigns(expression);
    return (api.isCallExpression(expression) && this.#calls(expression)) || this.#isApart(node);
  }

  #declares({ name, initializer }: ts.VariableDeclaration): boolean {
    const api = this.#api;
    if (initializer === undefined) return true;
    const required = this.#required(initializer);
    if (required === null || api.isArrayBindingPattern(name)) {
      const { targets, value } = this.#chain(initializer);
      if (targets.length === 0 || !api.isIdentifier(name)) return this.#isApart(initializer);
      return targets.every((target) => this.#exports(target, name.text)) && this.#isApart(value);
    }
    if (api.isIdentifier(name)) this.found.imports.set(name.text, required);
    else if (required.imported === WHOLE)
      for (const each of name.elements)
        if (api.isIdentifier(each.name))
          this.found.imports.set(each.name.text, {
            ...required,
            imported: (each.propertyName ?? each.name).getText(),
          });
    return true;
  }

  /** `exports.a = exports.b = value`, `module.exports = { a, b: value }` */
  #assigns(node: ts.BinaryExpression): boolean {
    const api = this.#api;
    const { targets, value } = this.#chain(node);
    if (targets.length === 0) return this.#isApart(node);
    if (api.isVoidExpression(value)) return true;
    if (targets.includes("__esModule")) {
      this.found.isFlagged = true;
      return true;
    }
    if (targets.includes(WHOLE)) {
      const made = this.#madeOf(value);
      if (made !== null) return this.#getterExports(made);
      if (api.isObjectLiteralExpression(value)) return this.#literal(value);
    }
    const isApart = this.#required(value) !== null || this.#isApart(value);
    return isApart && targets.every((target) => this.#exportsValue(target, value));
  }

  /** Names that a chain of assignments exports, and the value of all. */
  #chain(node: ts.Expression): {
    readonly targets: readonly string[];
    readonly value: ts.Expression;
  } {
    const api = this.#api;
    const targets: string[] = [];
    let value = node;
    while (
      api.isBinaryExpression(value) &&
      value.operatorToken.kind === api.SyntaxKind.EqualsToken
    ) {
      const target = this.#target(value.left);
      if (target === null) break;
      targets.push(target);
      value = value.right;
    }
    return { targets, value };
  }

  /** The exported name that `exports.a` or `module.exports` sets. */
  #target(node: ts.Expression): string | null {
    const api = this.#api;
    if (isNamed(api, node, "exports") || isModuleExports(api, node)) return WHOLE;
    return api.isPropertyAccessExpression(node) && isExports(api, node.expression)
      ? node.name.text
      : null;
  }

  #exportsValue(name: string, value: ts.Expression): boolean {
    const api = this.#api;
    const required = this.#required(value);
    if (required !== null) {
      this.found.forwarded.set(name, required);
      return !this.found.exports.has(name);
    }
    if (api.isIdentifier(value)) return this.#exports(name, value.text);
    this.found.values.set(`exports.${name}`, value);
    return this.#exports(name, `exports.${name}`);
  }

  /** Whether nothing else was exported by that name before. */
  #exports(name: string, local: string): boolean {
    const { exports, forwarded } = this.found;
    const before = exports.get(name);
    exports.set(name, local);
    return (before === undefined || before === local) && !forwarded.has(name);
  }

  #literal(node: ts.ObjectLiteralExpression): boolean {
    const api = this.#api;
    return node.properties.every((each) => {
      if (api.isShorthandPropertyAssignment(each))
        return this.#exports(each.name.text, each.name.text);
      if (!api.isPropertyAssignment(each) || api.isComputedPropertyName(each.name)) return false;
      const isApart = this.#required(each.initializer) !== null || this.#isApart(each.initializer);
      return (
        isApart &&
        this.#exportsValue(each.name.getText().replace(/^["']|["']$/g, ""), each.initializer)
      );
    });
  }

  #calls(node: ts.CallExpression): boolean {
    const api = this.#api;
    const [first, second, third] = node.arguments;
    const called = lastName(api, node.expression);
    if (called === "__exportStar" && first !== undefined) {
      const required = this.#required(first);
      if (required === null) return false;
      this.found.stars.push(required.specifier);
      return true;
    }
    if (called === "__export" && first !== undefined && second !== undefined)
      return this.#gathers(first, second);
    if (called !== "defineProperty" || first === undefined || !isExports(api, first)) return false;
    if (second === undefined || !api.isStringLiteralLike(second)) return false;
    if (second.text === "__esModule") {
      this.found.isFlagged = true;
      return true;
    }
    const value = third === undefined ? null : describedValue(api, third);
    return value !== null && this.#exportsValue(second.text, value);
  }

  /** `__export(name, { a: () => a })` of bundlers */
  #gathers(to: ts.Expression, from: ts.Expression): boolean {
    const api = this.#api;
    if (!api.isIdentifier(to) || !api.isObjectLiteralExpression(from)) return false;
    const getters = from.properties.flatMap((each): [string, ts.Expression][] => {
      const value = api.isPropertyAssignment(each) ? returnedBy(api, each.initializer) : null;
      return value === null ? [] : [[each.name?.getText() ?? "", value]];
    });
    this.#getters.set(to.text, new Map(getters));
    return getters.length === from.properties.length;
  }

  /** The name in `__toCommonJS(name)`. */
  #madeOf(node: ts.Expression): string | null {
    const api = this.#api;
    const [first] = api.isCallExpression(node) ? node.arguments : [];
    return api.isCallExpression(node) &&
      lastName(api, node.expression) === "__toCommonJS" &&
      first !== undefined &&
      api.isIdentifier(first)
      ? first.text
      : null;
  }

  #getterExports(from: string): boolean {
    const getters = this.#getters.get(from);
    this.found.isFlagged = true;
    return (
      getters !== undefined &&
      [...getters].every(([name, value]) => this.#exportsValue(name, value))
    );
  }

  /** `require("x")`, `require("x").a`, `__importDefault(require("x"))` */
  #required(node: ts.Expression): Binding | null {
    const api = this.#api;
    if (api.isPropertyAccessExpression(node)) {
      const inner = this.#required(node.expression);
      return inner === null || !(inner.imported === WHOLE || inner.imported === "*")
        ? null
        : { ...inner, imported: node.name.text };
    }
    if (!api.isCallExpression(node)) return null;
    const [first] = node.arguments;
    if (first === undefined) return null;
    if (isNamed(api, node.expression, "require"))
      return api.isStringLiteralLike(first) ? { specifier: first.text, imported: WHOLE } : null;
    const inner = INTEROP.test(lastName(api, node.expression)) ? this.#required(first) : null;
    return inner?.imported === WHOLE ? { ...inner, imported: "*" } : null;
  }

  /** Whether code only reads exports by their names. */
  #isApart(root: ts.Node): boolean {
    const api = this.#api;
    const visit = (node: ts.Node): boolean => {
      if (api.isExpression(node) && isExports(api, node)) {
        const { parent } = node;
        if (!api.isPropertyAccessExpression(parent) || parent.expression !== node) return true;
        // who may call the function is asked where the export is read (`modules.ts`)
        if (api.isFunctionDeclaration(root) && assignedExport(api, node) !== null) return false;
        const whole = parent.parent;
        return (
          assignedExport(api, node) !== null ||
          api.isDeleteExpression(whole) ||
          api.isPrefixUnaryExpression(whole) ||
          api.isPostfixUnaryExpression(whole)
        );
      }
      if (isNamed(api, node, "module") && !isKeyOf(api, node)) return true;
      return api.forEachChild(node, (child) => visit(child) || undefined) === true;
    };
    return !visit(root);
  }
}

/** The name in `exports.a = …`, of which the node is `exports`. */
export function assignedExport(api: Api, node: ts.Node): string | null {
  const { parent } = node;
  if (!isExports(api, node) || !api.isPropertyAccessExpression(parent)) return null;
  const whole = parent.parent;
  return isAssignment(whole, api) && whole.left === parent ? parent.name.text : null;
}

const isNamed = (api: Api, node: ts.Node, name: string): boolean =>
  api.isIdentifier(node) && node.text === name && !isKeyOf(api, node);

const isKeyOf = (api: Api, node: ts.Node): boolean =>
  (api.isPropertyAccessExpression(node.parent) && node.parent.name === node) ||
  (api.isPropertyAssignment(node.parent) && node.parent.name === node);

const isModuleExports = (api: Api, node: ts.Node): boolean =>
  api.isPropertyAccessExpression(node) &&
  node.name.text === "exports" &&
  isNamed(api, node.expression, "module");

const isExports = (api: Api, node: ts.Node): boolean =>
  isNamed(api, node, "exports") || isModuleExports(api, node);

/** `f` of `f`, `a.f` and `(0, a.f)`. */
function lastName(api: Api, node: ts.Expression): string {
  if (api.isIdentifier(node)) return node.text;
  if (api.isPropertyAccessExpression(node)) return node.name.text;
  if (api.isParenthesizedExpression(node)) return lastName(api, node.expression);
  return api.isBinaryExpression(node) ? lastName(api, node.right) : "";
}

/** The value of a property descriptor. */
function describedValue(api: Api, node: ts.Expression): ts.Expression | null {
  if (!api.isObjectLiteralExpression(node)) return null;
  for (const each of node.properties) {
    const name = each.name?.getText();
    if (name === "value" && api.isPropertyAssignment(each)) return each.initializer;
    if (name !== "get") continue;
    return api.isMethodDeclaration(each)
      ? returned(api, each.body)
      : api.isPropertyAssignment(each)
        ? returnedBy(api, each.initializer)
        : null;
  }
  return null;
}

const returnedBy = (api: Api, node: ts.Expression): ts.Expression | null =>
  api.isArrowFunction(node) && !api.isBlock(node.body)
    ? node.body
    : api.isArrowFunction(node) || api.isFunctionExpression(node)
      ? returned(api, api.isBlock(node.body) ? node.body : undefined)
      : null;

function returned(api: Api, body: ts.Block | undefined): ts.Expression | null {
  const [first] = body?.statements ?? [];
  return first !== undefined && api.isReturnStatement(first) ? (first.expression ?? null) : null;
}
