// The value of an expression, with types for the values of variables (abstract interpretation;
// Cousot and Cousot). In: an expression of a package. Out: its value, its type, or null where
// neither is known. Invariant: nothing is evaluated that has an effect.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { type FunctionCode, functionOf } from "./functions.ts";
import { classOf, type ClassNode } from "./classes.ts";
import {
  type Found,
  initialiserOf,
  isTopLevel,
  type Module,
  type Modules,
  symbolAt,
} from "./modules.ts";
import type { Types } from "./type-text.ts";

type Api = typeof ts;

export type Value =
  | { readonly kind: "constant"; readonly value: Primitive }
  /** Any value that counts as this in a condition. */
  | { readonly kind: "truth"; readonly isTrue: boolean }
  /** Any value of a type. */
  | { readonly kind: "typed"; readonly type: ts.Type }
  /** `Object.prototype.toString` */
  | { readonly kind: "builtin"; readonly path: string }
  | ClassValue
  | null;

interface ClassValue {
  readonly kind: "class";
  readonly node: ClassNode;
  readonly module: Module;
}

export interface Setting {
  readonly types: Types;
  readonly modules: Modules;
  /** Whether a class may have another static member of a name than its code says. */
  readonly isReplaced: (node: ClassNode, name: string) => boolean;
  /** What all instances of a class have under a name; null where that is not known. */
  readonly dataOf: (declaration: ts.Declaration, name: string) => string | null;
}

/** Code that is evaluated. */
export interface Scope {
  readonly module: Module;
  /** The value of a variable of the code around. */
  readonly named: (name: ts.Identifier) => Value;
  readonly known: ReadonlyMap<ts.Symbol, Value>;
  readonly depth: number;
}

export class Evaluation {
  readonly #setting: Setting;
  readonly #scope: Scope;

  constructor(setting: Setting, scope: Scope) {
    this.#setting = setting;
    this.#scope = scope;
  }

  of(wrapped: ts.Expression): Value {
    const { api } = this.#setting.types;
    const node = bare(wrapped, api);
    const literal = literalOf(api, node);
    if (literal !== undefined) return constant(literal);
    if (api.isIdentifier(node)) return this.#named(node);
    if (api.isPropertyAccessExpression(node) && node.questionDotToken === undefined)
      return this.#member(this.of(node.expression), node.name.text);
    if (api.isTypeOfExpression(node)) return this.#typeName(this.of(node.expression));
    if (api.isPrefixUnaryExpression(node)) return this.#negated(node);
    if (api.isConditionalExpression(node)) {
      const truth = truthOf(this.of(node.condition));
      return truth === null ? null : this.of(truth ? node.whenTrue : node.whenFalse);
    }
    if (api.isBinaryExpression(node)) return this.#binary(node);
    return api.isCallExpression(node) ? this.#call(node) : null;
  }

  #negated({ operator, operand }: ts.PrefixUnaryExpression): Value {
    const isNot = operator === this.#setting.types.api.SyntaxKind.ExclamationToken;
    const truth = isNot ? truthOf(this.of(operand)) : null;
    return truth === null ? null : constant(!truth);
  }

  #named(node: ts.Identifier): Value {
    const { types, modules } = this.#setting;
    const { module, known, named } = this.#scope;
    if (node.text === "undefined") return constant(undefined);
    const symbol = symbolAt(types.api, module.checker, node);
    if (symbol !== undefined && known.has(symbol)) return known.get(symbol) ?? null;
    if (symbol === undefined || isTopLevel(types.api, symbol))
      return this.#found(modules.local(module, node.text));
    return named(node);
  }

  #found(found: Found | null): Value {
    const { types } = this.#setting;
    if (found?.kind === "global") return { kind: "builtin", path: found.name };
    if (found?.kind !== "declared") return null;
    const node = classOf(types.api, found);
    if (node !== null) return { kind: "class", node, module: found.module };
    const value = initialiserOf(types.api, found.node);
    const isConstant = value !== undefined && !found.module.assigned.has(found.name);
    if (!isConstant || !types.api.isPropertyAccessExpression(value)) return null;
    const { module } = found;
    return new Evaluation(this.#setting, { ...UNTYPED, module }).of(value);
  }

  #member(of: Value, name: string): Value {
    if (of === null) return null;
    if (of.kind === "builtin") return { kind: "builtin", path: `${of.path}.${name}` };
    if (of.kind !== "typed") return null;
    const { types, dataOf } = this.#setting;
    const results = partsOf(of.type).map((part): Value => {
      const property = types.checker.getApparentType(part).getProperty(name);
      if (property === undefined && isClosed(types, part)) return constant(undefined);
      const declared = part.getSymbol()?.valueDeclaration;
      const data = declared === undefined ? null : dataOf(declared, name);
      return data === null ? null : constantIn(data);
    });
    return common(results);
  }

  #typeName(of: Value): Value {
    if (of === null || of.kind === "builtin" || of.kind === "truth") return null;
    if (of.kind === "constant") return constant(typeof of.value);
    if (of.kind === "class") return constant("function");
    return common(
      partsOf(of.type).map((part) => constantOr(typeNameOf(this.#setting.types, part))),
    );
  }

  #binary({ left, right, operatorToken }: ts.BinaryExpression): Value {
    const operator = operatorToken.getText();
    if (operator === "&&" || operator === "||") {
      const first = this.of(left);
      const truth = truthOf(first);
      if (truth === (operator === "||")) return first;
      const second = this.of(right);
      if (truth !== null) return second;
      // where the second one decides, the truth is known, but not which of the two is the value
      const isTrue = operator === "||";
      return truthOf(second) === isTrue ? { kind: "truth", isTrue } : null;
    }
    if (operator === "instanceof") return this.#isInstance(this.of(left), this.of(right));
    const equality = /^([!=])==?$/.exec(operator);
    if (equality === null) return null;
    const isLoose = operator.length === 2;
    const isSame = this.#isSame(this.of(left), this.of(right), isLoose);
    return isSame === null ? null : constant((equality[1] === "=") === isSame);
  }

  /** Numbers, strings and lists are instances of no class of a package that does not say so. */
  #isInstance(value: Value, of: Value): Value {
    const { types } = this.#setting;
    if (of?.kind !== "class" || of.node.heritageClauses !== undefined || value === null)
      return null;
    if (of.node.members.some(({ name }) => name?.getText().includes("hasInstance") === true))
      return null;
    const isOther =
      value.kind === "constant" ||
      (value.kind === "typed" && partsOf(value.type).every((part) => isClosed(types, part)));
    return isOther ? constant(false) : null;
  }

  #isSame(one: Value, other: Value, isLoose: boolean): boolean | null {
    if (one === null || other === null) return null;
    if (one.kind === "constant" && other.kind === "constant")
      return isSame(one.value, other.value, isLoose);
    const [known, type] = one.kind === "constant" ? [one, other] : [other, one];
    const isMissing = known.kind === "constant" && known.value == null;
    if (!isMissing || type.kind !== "typed") return null;
    const { Any, Unknown, Undefined, Null, Void, TypeParameter } =
      this.#setting.types.api.TypeFlags;
    const missing = Any | Unknown | Undefined | Null | Void | TypeParameter;
    return partsOf(type.type).some(({ flags }) => flags & missing) ? null : false;
  }

  #call(node: ts.CallExpression): Value {
    const { api } = this.#setting.types;
    if (node.arguments.some((each) => api.isSpreadElement(each))) return null;
    const callee = bare(node.expression, api);
    const args = node.arguments.map((each) => this.of(each));
    if (api.isIdentifier(callee)) return this.#run(callee, args);
    if (!api.isPropertyAccessExpression(callee)) return null;
    const of = this.of(callee.expression);
    if (of?.kind === "constant" && typeof of.value === "string")
      return calledOnText(of.value, callee.name.text, args);
    if (of?.kind === "class") return this.#runStatic(of, callee.name.text, args);
    if (of?.kind !== "builtin") return null;
    const [first = null] = args;
    if (of.path === "Object.prototype.toString" && callee.name.text === "call")
      return this.#tagOf(first);
    return this.#tested(`${of.path}.${callee.name.text}`, first);
  }

  /** Tests of the library. */
  #tested(path: string, value: Value): Value {
    const { types } = this.#setting;
    if (value?.kind === "constant")
      return LIBRARY_TESTS.test(path) && value.value == null ? constant(false) : null;
    if (value?.kind !== "typed") return null;
    const parts = partsOf(value.type);
    if (path.startsWith("Number.") && LIBRARY_TESTS.test(path))
      return parts.every((part) => isNoNumber(types, part)) ? constant(false) : null;
    return path === "Array.isArray"
      ? common(
          parts.map((part) =>
            isList(types, part) ? constant(true) : isClosed(types, part) ? constant(false) : null,
          ),
        )
      : null;
  }

  /** `Object.prototype.toString.call(value)` */
  #tagOf(value: Value): Value {
    const { types } = this.#setting;
    if (value?.kind === "constant" && value.value == null)
      return constant(value.value === null ? "[object Null]" : "[object Undefined]");
    if (value?.kind !== "typed") return null;
    return common(
      partsOf(value.type).map((part): Value => {
        const name = typeNameOf(types, part);
        if (isList(types, part)) return constant("[object Array]");
        const typed = typedArrayOf(types, part);
        if (typed !== null) return constant(`[object ${typed}]`);
        return name === "number" || name === "string" || name === "boolean"
          ? constant(`[object ${name[0]?.toUpperCase() ?? ""}${name.slice(1)}]`)
          : null;
      }),
    );
  }

  #run(callee: ts.Identifier, args: readonly Value[]): Value {
    const { types, modules } = this.#setting;
    const { module } = this.#scope;
    const symbol = symbolAt(types.api, module.checker, callee);
    if (symbol === undefined || !isTopLevel(types.api, symbol)) return null;
    const found = modules.local(module, callee.text);
    const code = found === null ? null : functionOf(types.api, found);
    return code === null || found?.kind !== "declared"
      ? null
      : this.#result(code.node, found.module, args);
  }

  #runStatic({ node, module }: ClassValue, name: string, args: readonly Value[]): Value {
    const { types, modules, isReplaced } = this.#setting;
    const { api } = types;
    if (isReplaced(node, name)) return null;
    const found = node.members.find((each) => each.name?.getText() === name);
    if (found === undefined) {
      // an inherited one
      const base = node.heritageClauses?.[0]?.types[0]?.expression;
      const of =
        base && api.isIdentifier(base) ? this.#found(modules.local(module, base.text)) : null;
      return of?.kind === "class" ? this.#runStatic(of, name, args) : null;
    }
    const isStatic = (api.getCombinedModifierFlags(found) & api.ModifierFlags.Static) !== 0;
    return api.isMethodDeclaration(found) && isStatic ? this.#result(found, module, args) : null;
  }

  /** What a function returns that consists of constants and one `return`. */
  #result(code: FunctionCode, module: Module, args: readonly Value[]): Value {
    const { api } = this.#setting.types;
    const { depth } = this.#scope;
    const { body } = code;
    if (body === undefined || depth > MOST_CALLS || code.asteriskToken !== undefined) return null;
    const known = new Map<ts.Symbol, Value>();
    const evaluation = new Evaluation(this.#setting, {
      ...UNTYPED,
      module,
      known,
      depth: depth + 1,
    });
    const bind = (name: ts.Node, value: Value): boolean => {
      const symbol = api.isIdentifier(name) ? symbolAt(api, module.checker, name) : undefined;
      if (symbol !== undefined) known.set(symbol, value);
      return symbol !== undefined;
    };
    const isPlain = code.parameters.every(
      ({ name, initializer, dotDotDotToken }, i) =>
        initializer === undefined &&
        dotDotDotToken === undefined &&
        bind(name, i < args.length ? (args[i] ?? null) : constant(undefined)),
    );
    if (!isPlain) return null;
    if (!api.isBlock(body)) return evaluation.of(body);
    for (const statement of body.statements) {
      if (api.isReturnStatement(statement))
        return statement.expression === undefined ? null : evaluation.of(statement.expression);
      if (!api.isVariableStatement(statement)) return null;
      const isConst = (statement.declarationList.flags & api.NodeFlags.Const) !== 0;
      for (const { name, initializer } of statement.declarationList.declarations)
        if (!isConst || initializer === undefined || !bind(name, evaluation.of(initializer)))
          return null;
    }
    return null;
  }
}

const LIBRARY_TESTS = /^(?:Number\.is(?:Integer|Finite|NaN|SafeInteger)|Array\.isArray)$/;
const MOST_CALLS = 4;
const UNTYPED = { named: () => null, known: new Map<ts.Symbol, Value>(), depth: 0 };

export const constant = (value: Primitive): Value => ({
  kind: "constant",
  value,
});
function literalOf(api: Api, node: ts.Expression): Primitive {
  if (api.isStringLiteralLike(node)) return node.text;
  if (api.isNumericLiteral(node)) return Number(node.text);
  if (node.kind === api.SyntaxKind.TrueKeyword) return true;
  if (node.kind === api.SyntaxKind.FalseKeyword) return false;
  return node.kind === api.SyntaxKind.NullKeyword ? null : undefined;
}

const constantOr = (value: string | null): Value => (value === null ? null : constant(value));
/** A value of a type; of `false`, there is one. */
export const valueOf = ({ api, checker }: Types, type: ts.Type): Value =>
  type.flags & api.TypeFlags.BooleanLiteral
    ? constant(checker.typeToString(type) === "true")
    : { kind: "typed", type };

const partsOf = (type: ts.Type): readonly ts.Type[] => (type.isUnion() ? type.types : [type]);

/** The value that all have. */
function common(values: readonly Value[]): Value {
  const [first = null, ...others] = values;
  return first?.kind === "constant" &&
    others.every((each) => each?.kind === "constant" && each.value === first.value)
    ? first
    : null;
}

export const truthOf = (value: Value): boolean | null =>
  value?.kind === "constant"
    ? Boolean(value.value)
    : value?.kind === "truth"
      ? value.isTrue
      : value?.kind === "class"
        ? true
        : null;

/** What `typeof` gives; null where that is not known. */
function typeNameOf(types: Types, type: ts.Type): string | null {
  const { api } = types;
  const { flags } = type;
  const { TypeFlags } = api;
  if (flags & TypeFlags.NumberLike) return "number";
  if (flags & TypeFlags.StringLike) return "string";
  if (flags & TypeFlags.BooleanLike) return "boolean";
  if (flags & TypeFlags.Undefined) return "undefined";
  const isInstance = type.isClass() && type.getCallSignatures().length === 0;
  return isInstance || isList(types, type) || typedArrayOf(types, type) !== null ? "object" : null;
}

/** Whether it is an object, or another primitive. */
const isNoNumber = ({ api }: Types, { flags }: ts.Type): boolean =>
  (flags &
    (api.TypeFlags.Object |
      api.TypeFlags.StringLike |
      api.TypeFlags.BooleanLike |
      api.TypeFlags.Undefined |
      api.TypeFlags.Null)) !==
  0;

const isList = ({ checker }: Types, type: ts.Type): boolean =>
  checker.isArrayType(type) || checker.isTupleType(type);

function typedArrayOf({ checker }: Types, type: ts.Type): string | null {
  const [, name] =
    /^((?:Float64|Float32|(?:Int|Uint)(?:8|16|32))Array)(?:<|$)/.exec(checker.typeToString(type)) ??
    [];
  return name ?? null;
}

/** Whether values of a type have no other members than it says: numbers, strings, lists. */
const isClosed = (types: Types, type: ts.Type): boolean =>
  !type.isClass() && typeNameOf(types, type) !== null;

type Primitive = string | number | boolean | null | undefined;

/** The value of the source text of a literal; null for a string with escapes. */
const constantIn = (text: string): Value => {
  if (text === "true" || text === "false") return constant(text === "true");
  if (text.includes("\\")) return null;
  return constant(text.startsWith('"') ? text.slice(1, -1) : Number(text));
};

/** `==` or `===` of constants; null where a conversion decides. */
function isSame(one: Primitive, other: Primitive, isLoose: boolean): boolean | null {
  const isMissing = one == null || other == null;
  if (isLoose && isMissing) return one == null && other == null;
  return isLoose && typeof one !== typeof other ? null : one === other;
}

/** A method of a string. */
function calledOnText(text: string, name: string, args: readonly Value[]): Value {
  const [first] = args;
  if (args.length !== 1 || first?.kind !== "constant" || typeof first.value !== "string")
    return null;
  if (name === "endsWith") return constant(text.endsWith(first.value));
  if (name === "startsWith") return constant(text.startsWith(first.value));
  return name === "includes" ? constant(text.includes(first.value)) : null;
}
