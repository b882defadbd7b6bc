// Pullbacks of user-written rules that cannot be linear: they do not read their argument, and
// return something that is not 0. In: the user's files. Out: reports, whichever engine takes the
// calls. What cannot be seen in the syntax is left alone.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import type { TypeScript } from "../typescript.ts";
import type { Report } from "./definitions.ts";
import type { Forms } from "./forms.ts";
import { nameOfRuled } from "./quoted-code.ts";
import { nameOf } from "./targets.ts";
import { nodesIn, returnsIn } from "../../syntax/walk.ts";

const NAMES = ["customVjp", "defineDerivative"] as const;

type Coded = ts.FunctionLikeDeclaration & { readonly body: ts.ConciseBody };

export function reportConstantPullbacks(
  files: readonly ts.SourceFile[],
  forms: Forms,
  api: TypeScript,
  checker: ts.TypeChecker,
  report: Report,
): void {
  const pullbacks = new Pullbacks(forms, api, checker);
  const visit = (node: ts.Node): void => {
    const rule = api.isCallExpression(node) ? pullbacks.ruleOf(node) : undefined;
    if (rule !== undefined && api.isCallExpression(node))
      for (const pullback of pullbacks.constantIn(rule))
        report("TSG1025", pullback, nameOfRuled(node, api));
    api.forEachChild(node, visit);
  };
  for (const file of files) if (NAMES.some((name) => file.text.includes(name))) visit(file);
}

class Pullbacks {
  readonly #forms: Forms;
  readonly #api: TypeScript;
  readonly #checker: ts.TypeChecker;

  constructor(forms: Forms, api: TypeScript, checker: ts.TypeChecker) {
    this.#forms = forms;
    this.#api = api;
    this.#checker = checker;
  }

  /** The rule for reverse mode that a call gives. */
  ruleOf(call: ts.CallExpression): ts.Node | undefined {
    const api = this.#api;
    const callee = bare(call.expression, api);
    if (!api.isIdentifier(callee) && !api.isPropertyAccessExpression(callee)) return undefined;
    const symbol = this.#checker.getSymbolAtLocation(nameOf(callee, api));
    const operator = symbol === undefined ? null : this.#forms.operatorOf(symbol);
    const given = call.arguments[1];
    if (given === undefined || operator === "customVjp") return given;
    const literal = bare(given, api);
    if (operator !== "defineDerivative" || !api.isObjectLiteralExpression(literal))
      return undefined;
    const property = literal.properties.find((each) => each.name?.getText() === "vjp");
    return property !== undefined && api.isPropertyAssignment(property)
      ? property.initializer
      : property;
  }

  constantIn(rule: ts.Node): readonly Coded[] {
    const code = this.#codeOf(rule);
    return returnsIn(this.#api, code?.body).flatMap((returned) => {
      const pair = bare(returned, this.#api);
      const last = this.#api.isArrayLiteralExpression(pair) ? pair.elements[1] : undefined;
      const pullback = last === undefined ? null : this.#codeOf(last);
      return pullback !== null && this.#isConstant(pullback) ? [pullback] : [];
    });
  }

  #isConstant(pullback: Coded): boolean {
    const read = this.#namesIn(pullback.body);
    const names = ["arguments", ...pullback.parameters.flatMap((each) => [...this.#namesIn(each)])];
    return (
      !names.some((name) => read.has(name)) &&
      returnsIn(this.#api, pullback.body).some((returned) => !this.#mayBeZero(returned))
    );
  }

  #namesIn(node: ts.Node): ReadonlySet<string> {
    return new Set(nodesIn(this.#api, node, this.#api.isIdentifier).map(({ text }) => text));
  }

  /** A function that is written there, or that a name means. */
  #codeOf(given: ts.Node): Coded | null {
    const api = this.#api;
    const node = api.isExpression(given) ? bare(given, api) : given;
    if (api.isFunctionLike(node) && "body" in node && node.body !== undefined) return node as Coded;
    if (!api.isIdentifier(node)) return null;
    const declared = this.#checker.getSymbolAtLocation(node)?.valueDeclaration;
    if (declared === undefined) return null;
    if (api.isFunctionDeclaration(declared))
      return declared.body === undefined ? null : (declared as Coded);
    return api.isVariableDeclaration(declared) &&
      declared.initializer !== undefined &&
      !api.isIdentifier(declared.initializer)
      ? this.#codeOf(declared.initializer)
      : null;
  }

  /** Whether an expression is 0 or made of zeros, as far as its syntax and type say. */
  #mayBeZero(given: ts.Expression): boolean {
    const api = this.#api;
    const node = bare(given, api);
    if (api.isArrayLiteralExpression(node))
      return node.elements.every((each) => this.#mayBeZero(each));
    if (api.isObjectLiteralExpression(node))
      return node.properties.every(
        (each) => !api.isPropertyAssignment(each) || this.#mayBeZero(each.initializer),
      );
    if (api.isConditionalExpression(node))
      return this.#mayBeZero(node.whenTrue) && this.#mayBeZero(node.whenFalse);
    const type = this.#checker.getTypeAtLocation(node);
    if (type.flags & api.TypeFlags.NumberLike) return type.isNumberLiteral() && type.value === 0;
    if (!api.isCallExpression(node)) return true;
    const callbacks = node.arguments.flatMap((each) => returnsIn(api, this.#writtenIn(each)?.body));
    return callbacks.every((returned) => this.#mayBeZero(returned));
  }

  #writtenIn(argument: ts.Expression): Coded | null {
    const { isArrowFunction, isFunctionExpression } = this.#api;
    return isArrowFunction(argument) || isFunctionExpression(argument) ? argument : null;
  }
}
