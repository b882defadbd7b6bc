// Types by use, of what JavaScript leaves without a type. In: a program, and the nodes that
// derivatives reach. Out: for parameters the types of the arguments, for lists made by `new Array`
// those of what is stored in them. Invariant: what any reached call leaves unknown stays so.

import type ts from "typescript";
import { typeText, type Types } from "../package-code/type-text.ts";
import { isJavaScript } from "./files.ts";
import { returnsIn } from "../../syntax/walk.ts";

/** What a type can be written at. */
export type Untyped = ts.ParameterDeclaration | ts.VariableDeclaration | FunctionNode;

/** Types as text, which TypeScript takes in `@type`. */
type Found = ReadonlyMap<Untyped, string>;

type Typed = readonly [type: ts.Type, isOfElement: boolean];
type FunctionNode = ts.FunctionLikeDeclaration;

interface UseTypes extends Types {
  /** Whether types say what may be missing. */
  readonly isStrict: boolean;
}

export function typesByUse(types: UseTypes, reached: Iterable<ts.Node>): Found {
  const uses = new Uses(types);
  for (const node of reached) uses.add(node);
  return uses.found();
}

class Uses {
  readonly #types: UseTypes;
  /** By what has no type: the types that come there. */
  readonly #coming = new Map<Untyped, Typed[]>();
  /** By parameter: its calls. */
  readonly #calls = new Map<ts.Symbol, ts.CallExpression[]>();
  /** By parameter: functions, and parameters with functions, that are given for it. */
  readonly #given = new Map<ts.Symbol, Set<FunctionNode | ts.Symbol>>();

  constructor(types: UseTypes) {
    this.#types = types;
  }

  add(node: ts.Node): void {
    const { api } = this.#types;
    if (api.isCallExpression(node)) {
      const called = api.isIdentifier(node.expression) ? this.#parameter(node.expression) : null;
      if (called !== null) this.#calls.set(called, [...(this.#calls.get(called) ?? []), node]);
      this.#addPush(node);
    }
    if (api.isCallExpression(node) || api.isNewExpression(node)) this.#addCall(node);
    if (api.isBinaryExpression(node) && node.operatorToken.kind === api.SyntaxKind.EqualsToken) {
      const { left, right } = node;
      if (api.isElementAccessExpression(left)) this.#store(left.expression, [right], true);
      else this.#store(left, [right], false);
    }
    if (isCode(api, node)) this.#addResult(node);
  }

  /** Results of functions that call themselves, whose type TypeScript does not find. */
  #addResult(node: FunctionNode): void {
    const { api, checker } = this.#types;
    const signature = checker.getSignatureFromDeclaration(node);
    if (!isJavaScript(node.getSourceFile()) || signature === undefined) return;
    if (!(signature.getReturnType().flags & api.TypeFlags.Any)) return;
    if (anchorOf(api, node) === null) return;
    const returned = returnsIn(api, node.body);
    this.#come(
      node,
      returned.flatMap((each) => this.#typesIn(each).map((type): Typed => [type, false])),
    );
  }

  /** Types of a value, as far as they are known: without those of what is still unknown. */
  #typesIn(node: ts.Expression): readonly ts.Type[] {
    const { api, checker } = this.#types;
    const type = checker.getTypeAtLocation(node);
    if (!(type.flags & api.TypeFlags.Any)) return [type];
    if (api.isParenthesizedExpression(node)) return this.#typesIn(node.expression);
    if (api.isConditionalExpression(node))
      return [...this.#typesIn(node.whenTrue), ...this.#typesIn(node.whenFalse)];
    return api.isBinaryExpression(node) && isOfBoth(api, node.operatorToken.kind)
      ? [...this.#typesIn(node.left), ...this.#typesIn(node.right)]
      : [];
  }

  found(): Found {
    for (const [parameter, given] of this.#given)
      for (const one of this.#functionsOf(given, new Set([parameter])))
        for (const call of this.#calls.get(parameter) ?? [])
          this.#arguments(one.parameters, call.arguments);
    const found = new Map<Untyped, string>();
    for (const [place, coming] of this.#coming) {
      const text = this.#union(place, coming);
      if (text !== null) found.set(place, text);
    }
    return found;
  }

  #union(place: Untyped, coming: readonly Typed[]): string | null {
    const { api } = this.#types;
    const texts = new Set<string>();
    for (const one of coming) {
      if (one[0].flags & api.TypeFlags.Any) continue;
      const text = typeText(this.#types, one[0], place);
      if (text === null) return null;
      texts.add(one[1] ? listOf(text) : text);
    }
    const known = [...texts].filter((text) => text !== "undefined" && text !== "null");
    if (known.length === 0) return null;
    // what may be missing would be typed as if it were there
    if (!this.#types.isStrict && known.length < texts.size) return null;
    const isOptional = texts.delete("undefined");
    const all = [...texts].map((text) => (texts.size > 1 ? inUnion(text) : text)).join(" | ");
    return isOptional ? `(${all})=` : all;
  }

  #addCall(call: ts.CallExpression | ts.NewExpression): void {
    const { api, checker } = this.#types;
    const declaration = checker.getResolvedSignature(call)?.declaration;
    if (declaration === undefined || !isCode(api, declaration)) return;
    this.#arguments(declaration.parameters, call.arguments ?? []);
  }

  #arguments(
    parameters: readonly ts.ParameterDeclaration[],
    given: readonly ts.Expression[],
  ): void {
    const { checker, api } = this.#types;
    const undefinedType = checker.getUndefinedType();
    const isSpread = given.some((each) => api.isSpreadElement(each));
    for (const [i, parameter] of parameters.entries()) {
      const isRest = parameter.dotDotDotToken !== undefined;
      const own = isRest ? given.slice(i) : given.slice(i, i + 1);
      for (const each of own) this.#give(parameter, each);
      if (!this.#isOpen(parameter)) continue;
      const coming = own.flatMap((each): readonly Typed[] =>
        api.isSpreadElement(each)
          ? isRest
            ? [[checker.getTypeAtLocation(each.expression), false]]
            : []
          : this.#typesIn(each).map((type): Typed => [type, isRest]),
      );
      if (own.length === 0 && !isRest && !isSpread) coming.push([undefinedType, false]);
      this.#come(parameter, coming);
    }
  }

  #come(place: Untyped, coming: readonly Typed[]): void {
    this.#coming.set(place, [...(this.#coming.get(place) ?? []), ...coming]);
  }

  /** Notes which function is given for a parameter. */
  #give(parameter: ts.ParameterDeclaration, argument: ts.Expression): void {
    const { api, checker } = this.#types;
    if (!api.isIdentifier(parameter.name)) return;
    const symbol = checker.getSymbolAtLocation(parameter.name);
    const given = this.#functionOf(argument);
    if (symbol === undefined || given === null) return;
    this.#given.set(symbol, (this.#given.get(symbol) ?? new Set()).add(given));
  }

  #functionOf(node: ts.Expression): FunctionNode | ts.Symbol | null {
    const { api, checker } = this.#types;
    if (api.isArrowFunction(node) || api.isFunctionExpression(node)) return node;
    if (!api.isIdentifier(node)) return null;
    const parameter = this.#parameter(node);
    if (parameter !== null) return parameter;
    const declared = checker.getSymbolAtLocation(node)?.valueDeclaration;
    const value =
      declared !== undefined && api.isVariableDeclaration(declared)
        ? declared.initializer
        : declared;
    return value !== undefined && isCode(api, value) ? value : null;
  }

  *#functionsOf(
    given: Iterable<FunctionNode | ts.Symbol>,
    met: Set<ts.Symbol>,
  ): Iterable<FunctionNode> {
    for (const one of given) {
      if ("parameters" in one) yield one;
      else if (!met.has(one)) {
        // functions of the caller's parameter
        met.add(one);
        yield* this.#functionsOf(this.#given.get(one) ?? [], met);
      }
    }
  }

  #parameter(name: ts.Identifier): ts.Symbol | null {
    const { api, checker } = this.#types;
    const symbol = checker.getSymbolAtLocation(name);
    const declared = symbol?.valueDeclaration;
    return symbol !== undefined && declared !== undefined && api.isParameter(declared)
      ? symbol
      : null;
  }

  #addPush(call: ts.CallExpression): void {
    const { api } = this.#types;
    if (!api.isPropertyAccessExpression(call.expression)) return;
    const { name, expression } = call.expression;
    if (name.text === "push" || name.text === "unshift" || name.text === "fill")
      this.#store(
        expression,
        name.text === "fill" ? call.arguments.slice(0, 1) : call.arguments,
        true,
      );
  }

  /** Notes what is stored in a list that has no type of elements, or in its variable. */
  #store(list: ts.Expression, values: readonly ts.Expression[], isOfElement: boolean): void {
    const { api, checker } = this.#types;
    if (!api.isIdentifier(list)) return;
    const declared = checker.getSymbolAtLocation(list)?.valueDeclaration;
    if (declared === undefined || !this.#isOpenList(declared)) return;
    this.#come(
      declared,
      values.flatMap((value) =>
        api.isSpreadElement(value)
          ? [[checker.getTypeAtLocation(value.expression), false] as const]
          : this.#typesIn(value).map((type): Typed => [type, isOfElement]),
      ),
    );
  }

  /** `const xs = new Array(n)`, `const xs = []` */
  #isOpenList(node: ts.Node): node is ts.VariableDeclaration {
    const { api, checker } = this.#types;
    return (
      api.isVariableDeclaration(node) &&
      isJavaScript(node.getSourceFile()) &&
      api.isIdentifier(node.name) &&
      node.initializer !== undefined &&
      (api.isNewExpression(node.initializer) ||
        api.isCallExpression(node.initializer) ||
        api.isArrayLiteralExpression(node.initializer)) &&
      api.getJSDocType(node) === undefined &&
      checker.typeToString(checker.getTypeAtLocation(node)) === "any[]"
    );
  }

  /** Whether it is a parameter without a type, whose type can be written. */
  #isOpen(parameter: ts.ParameterDeclaration): boolean {
    const { api, checker } = this.#types;
    return (
      isJavaScript(parameter.getSourceFile()) &&
      parameter.initializer === undefined &&
      api.getJSDocType(parameter) === undefined &&
      /\bany\b/.test(checker.typeToString(checker.getTypeAtLocation(parameter)))
    );
  }
}

const isCode = (api: Types["api"], node: ts.Node): node is FunctionNode =>
  api.isFunctionLike(node) && "body" in node && node.body !== undefined;

const listOf = (text: string): string => (/^[\w.]+$/.test(text) ? `${text}[]` : `(${text})[]`);
const inUnion = (text: string): string => (text.includes("=>") ? `(${text})` : text);

/** Operators whose value is one of their operands, or has the type of both. */
const isOfBoth = ({ SyntaxKind }: Types["api"], kind: ts.SyntaxKind): boolean =>
  kind === SyntaxKind.PlusToken ||
  kind === SyntaxKind.BarBarToken ||
  kind === SyntaxKind.QuestionQuestionToken;

/** Where a comment says what a function returns; null where there is none, or one already. */
export function anchorOf(api: Types["api"], node: FunctionNode): ts.Node | null {
  const isSimple =
    node.asteriskToken === undefined &&
    node.modifiers?.some(({ kind }) => kind === api.SyntaxKind.AsyncKeyword) !== true;
  if (!isSimple || api.getJSDocCommentsAndTags(node).length > 0) return null;
  if (api.isFunctionDeclaration(node) || api.isMethodDeclaration(node)) return node;
  const list = api.isVariableDeclaration(node.parent) ? node.parent.parent : null;
  if (list === null || !api.isVariableDeclarationList(list)) return null;
  return list.declarations.length === 1 && api.isVariableStatement(list.parent)
    ? list.parent
    : null;
}
