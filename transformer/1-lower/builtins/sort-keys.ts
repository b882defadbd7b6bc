// Finds the order that a comparison puts elements into. What it computes of one element becomes
// a key, computed once per element; the rest of the comparison runs on keys.
// Input: elements and comparison. Output: positions in order, as an extern.
// Keys are pure, and are total unless every comparison computes them.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { index, NUM } from "../../ir/build.ts";
import type { Atom, Type } from "../../ir/types.ts";
import { effectsIn } from "../effects.ts";
import { isStringType, STRING, externWith } from "../coerce.ts";
import { emitFor } from "../control/emit-loop.ts";
import { lowerExpr } from "../lowering.ts";
import { type Frame } from "../frame.ts";
import { Env } from "../function-values.ts";
import { bindName } from "../objects/patterns.ts";
import { isSafeLeaf } from "../objects/places.ts";
import { resolveFn } from "../resolve.ts";
import { builtinPath } from "../names/library-names.ts";
import { initial } from "./iterate.ts";
import { isPure } from "./purity.ts";
import { isTotal } from "./totality.ts";
import { isPlainParameter } from "../functions/constructed-functions.ts";

/** Source text, or a value that is spliced into it. */
type Piece = string | Atom;

interface Comparison {
  readonly parameters: readonly [ts.ParameterDeclaration, ts.ParameterDeclaration];
  /** The `const` declarations of its body, in order. */
  readonly locals: readonly ts.VariableDeclaration[];
  readonly statements: readonly ts.Statement[];
  readonly result: ts.Expression | null;
  readonly env: Env;
}

/**
 * The positions in order; null where the comparison does not consist of keys.
 * Without a comparison, strings and the numbers of a typed array have their natural order.
 */
export function orderByKeys(
  f: Frame,
  array: Atom,
  comparison: ts.Expression | null,
  place: Type,
): Atom | null {
  if (comparison === null)
    return orderOf(f, place, isTypedArray(f, array) ? numericOrder(array) : ownOrder(array));
  const compared = comparisonOf(f, comparison);
  if (compared === null) return null;
  const keys = new Keys(f, array, compared);
  const pieces =
    compared.result === null
      ? keys.ofStatements(compared.statements)
      : keys.of(compared.result, true);
  return pieces === null || keys.first === null
    ? null
    : orderOf(f, place, { first: keys.first, pieces }, isTypedArray(f, array));
}

export function isTypedArray(f: Frame, array: Atom): boolean {
  const shape = f.shape(array.type);
  return shape.kind === "array" && shape.store !== "Array";
}

/** `xs.sort()` of strings. */
function ownOrder(array: Atom): Order {
  return {
    first: array,
    pieces: [array, "[i$]! < ", array, "[j$]! ? -1 : ", array, "[i$]! > ", array, "[j$]! ? 1 : 0"],
  };
}

/** `xs.sort()` of a typed array: NaN comes last, and -0 before 0. */
function numericOrder(array: Atom): Order {
  const [a, b] = ["[i$]!", "[j$]!"];
  const nan = ["+Number.isNaN(", array, `${a}) - +Number.isNaN(`, array, `${b}) || `];
  const difference = [array, `${a} - `, array, `${b} || 1 / `, array, `${a} - 1 / `, array, b];
  return { first: array, pieces: [...nan, ...difference] };
}

/** The comparison of the elements at `i$` and `j$`, and an array of their number. */
interface Order {
  readonly first: Atom;
  readonly pieces: readonly Piece[];
}

/**
 * Emits the sort. `asTyped` sorts a typed array as the user's code does, because an inconsistent
 * comparison, such as one of NaN, must compare the same pairs.
 */
function orderOf(f: Frame, place: Type, { first, pieces }: Order, asTyped = false): Atom {
  const text = [asTyped ? "Array.from(Float64Array.from(" : "Array.from("];
  const args: Atom[] = [first];
  text.push(".keys()).sort((i$, j$) => ");
  for (const piece of pieces) {
    // eslint-disable-next-line @typescript-eslint/restrict-plus-operands -- the array is not empty
    if (typeof piece === "string") text[text.length - 1] += piece;
    else {
      args.push(piece);
      text.push("");
    }
  }
  // eslint-disable-next-line @typescript-eslint/restrict-plus-operands -- the array is not empty
  text[text.length - 1] += asTyped ? "))" : ")";
  return externWith(
    f,
    "order",
    { kind: "array", store: "Array", elem: place },
    { text: text, args: args, effect: "reads" },
  );
}

/** The comparison where it is a known function of two parameters; null otherwise. */
function comparisonOf(f: Frame, expression: ts.Expression): Comparison | null {
  const { api } = f;
  const found = functionAt(f, expression);
  if (found === null) return null;
  const { node, env } = found;
  const [one, other, ...more] = node.parameters;
  const body = "body" in node ? node.body : undefined;
  if (one === undefined || other === undefined || more.length > 0 || body === undefined)
    return null;
  if (!isPlainParameter(one) || !isPlainParameter(other)) return null;
  if (!api.isBlock(body))
    return { parameters: [one, other], locals: [], statements: [], result: body, env };
  const isConst = (each: ts.Statement): each is ts.VariableStatement =>
    api.isVariableStatement(each) && (each.declarationList.flags & api.NodeFlags.Const) !== 0;
  const locals = body.statements
    .filter(isConst)
    .flatMap(({ declarationList }) => [...declarationList.declarations]);
  const statements = body.statements.filter((each) => !isConst(each));
  return { parameters: [one, other], locals, statements, result: null, env };
}

/** The function that an expression is, with the bindings around it. */
function functionAt(
  f: Frame,
  expression: ts.Expression,
): { readonly node: ts.FunctionLikeDeclaration; readonly env: Env } | null {
  const inPlace = bare(expression, f.api);
  if (f.api.isArrowFunction(inPlace) || f.api.isFunctionExpression(inPlace))
    return { node: inPlace, env: f.env };
  const fn = resolveFn(f, expression);
  if (fn?.kind === "closure") return { node: fn.node, env: fn.env };
  const node = fn?.kind === "program" ? f.ctx.bodyOf(fn.symbol) : null;
  return node === null ? null : { node, env: f.outside };
}

/** Which elements an expression depends on: the first, the second, both or neither. */
type Of = "neither" | 0 | 1 | "both";

/** Operators that a comparison on keys may have. */
const OPERATORS: ReadonlySet<string> = new Set(
  "+ - * / % < <= > >= === !== == != && || ??".split(" "),
);
/** Operators that may skip their right operand. */
const SHORT_CIRCUIT: ReadonlySet<string> = new Set(["&&", "||", "??"]);

/** Builds the key arrays of one comparison, and its text on keys. */
class Keys {
  /** The first array of keys, which has as many elements as the sorted array. */
  first: Atom | null = null;
  readonly #f: Frame;
  readonly #array: Atom;
  readonly #comparison: Comparison;
  readonly #names = new Map<ts.Symbol, Of>();
  readonly #places = new Map<ts.Symbol, string>();
  readonly #arrays = new Map<string, Atom>();

  constructor(f: Frame, array: Atom, comparison: Comparison) {
    this.#f = f;
    this.#array = array;
    this.#comparison = comparison;
    for (const [at, { name }] of comparison.parameters.entries()) {
      this.#noteSide(name, at === 0 ? 0 : 1);
      this.#notePlace(name, "#");
    }
    for (const { name, initializer } of comparison.locals) {
      if (initializer === undefined) continue;
      this.#noteSide(name, this.#sideOf(initializer));
      this.#notePlace(name, `(${this.#plain(initializer)})`);
    }
  }

  #noteSide(name: ts.BindingName, of: Of): void {
    const { api } = this.#f;
    const symbol = api.isIdentifier(name) ? this.#f.symbolOf(name) : null;
    if (symbol !== null) this.#names.set(symbol, of);
    else if (!api.isIdentifier(name))
      for (const element of name.elements)
        if (api.isBindingElement(element)) this.#noteSide(element.name, of);
  }

  /** `if (…) return …;` statements, then `return …;`. */
  ofStatements([first, ...rest]: readonly ts.Statement[], isSure = true): readonly Piece[] | null {
    const { api } = this.#f;
    if (first === undefined) return null;
    if (api.isReturnStatement(first))
      return first.expression === undefined ? null : this.of(first.expression, isSure);
    if (!api.isIfStatement(first)) return null;
    const taken = (branch: ts.Statement): readonly ts.Statement[] =>
      api.isBlock(branch) ? branch.statements : [branch];
    return joined(
      this.of(first.expression, isSure),
      " ? ",
      this.ofStatements(taken(first.thenStatement), false),
      " : ",
      this.ofStatements(
        first.elseStatement === undefined ? rest : taken(first.elseStatement),
        false,
      ),
    );
  }

  /** The expression on keys. `isSure`: every comparison evaluates it. */
  of(expression: ts.Expression, isSure: boolean): readonly Piece[] | null {
    const { api } = this.#f;
    const node = bare(expression, this.#f.api);
    const side = this.#sideOf(node);
    if (side === "neither")
      return api.isLiteralExpression(node) ? [node.getText()] : this.#fixed(node);
    // With its assertions: `rank.get(a.id)!` is a number, `rank.get(a.id)` may be undefined.
    if (side !== "both") return this.#key(expression, side, isSure);
    if (api.isIdentifier(node)) return this.#local(node, isSure);
    if (api.isPrefixUnaryExpression(node))
      return joined(
        api.tokenToString(node.operator) ?? "",
        "(",
        this.of(node.operand, isSure),
        ")",
      );
    if (api.isConditionalExpression(node))
      return joined(
        "(",
        this.of(node.condition, isSure),
        " ? ",
        this.of(node.whenTrue, false),
        " : ",
        this.of(node.whenFalse, false),
        ")",
      );
    if (api.isBinaryExpression(node)) {
      const operator = node.operatorToken.getText();
      return OPERATORS.has(operator)
        ? joined(
            "(",
            this.of(node.left, isSure),
            ` ${operator} `,
            this.of(node.right, isSure && !SHORT_CIRCUIT.has(operator)),
            ")",
          )
        : null;
    }
    return api.isCallExpression(node) ? this.#called(node, isSure) : null;
  }

  /** `Math.sign(a - b)`, `a.localeCompare(b)` */
  #called(node: ts.CallExpression, isSure: boolean): readonly Piece[] | null {
    const { api } = this.#f;
    const callee = bare(node.expression, this.#f.api);
    const given = node.arguments.flatMap((argument, i) => [
      ...(i === 0 ? [] : [", "]),
      this.of(argument, isSure),
    ]);
    const path = builtinPath(this.#f, callee);
    if (path !== null)
      return path.startsWith("Math.") && path !== "Math.random"
        ? joined(`${path}(`, ...given, ")")
        : null;
    if (
      !api.isPropertyAccessExpression(callee) ||
      callee.name.text !== "localeCompare" ||
      !isSafeLeaf(this.#f, this.#f.ctx.checker.getTypeAtLocation(callee.expression))
    )
      return null;
    return joined(this.of(callee.expression, isSure), ".localeCompare(", ...given, ")");
  }

  #local(node: ts.Identifier, isSure: boolean): readonly Piece[] | null {
    const symbol = this.#f.symbolOf(node);
    const found = this.#comparison.locals.find(
      ({ name }) => this.#f.api.isIdentifier(name) && this.#f.symbolOf(name) === symbol,
    );
    return found?.initializer === undefined ? null : this.of(found.initializer, isSure);
  }

  #sideOf(node: ts.Node): Of {
    const { api } = this.#f;
    let side: Of = "neither";
    const walk = (inner: ts.Node): void => {
      const symbol = api.isIdentifier(inner) ? this.#f.symbolOf(inner) : null;
      const of = (symbol === null ? undefined : this.#names.get(symbol)) ?? "neither";
      if (of !== "neither") side = side === "neither" || side === of ? of : "both";
      api.forEachChild(inner, walk);
    };
    walk(node);
    return side;
  }

  /** A value that depends on no element. */
  #fixed(node: ts.Expression): readonly Piece[] | null {
    return this.#isPure(node) && isTotal(this.#f, node)
      ? [this.#inside(() => lowerExpr(this.#f, node))]
      : null;
  }

  #key(node: ts.Expression, side: 0 | 1, isSure: boolean): readonly Piece[] | null {
    const type = this.#keyType(node);
    if (type === null || !this.#isPure(node) || !(isSure || isTotal(this.#f, node))) return null;
    const text = this.#plain(node);
    const keys = this.#arrays.get(text) ?? this.#keysOf(node, side, type);
    this.#arrays.set(text, keys);
    this.first ??= keys;
    return [keys, `[${side === 0 ? "i$" : "j$"}]!`];
  }

  /** Emits a loop that computes the key of each element. */
  #keysOf(node: ts.Expression, side: 0 | 1, type: Type): Atom {
    const f = this.#f;
    const length = f.b.length(this.#array);
    const list = f.let(
      "keys",
      { kind: "array", store: "Array", elem: type },
      { kind: "alloc", length, fill: null },
    );
    const elem = f.shape(this.#array.type);
    emitFor(f, f.label("loop"), length, (at) => {
      const value = f.let("t", elem.kind === "array" ? elem.elem : NUM, {
        kind: "load",
        object: this.#array,
        key: index(at),
      });
      initial(
        f,
        list,
        at,
        this.#inside(() => {
          bindName(f, this.#comparison.parameters[side].name, value);
          for (const { name, initializer } of this.#comparison.locals)
            if (initializer !== undefined && this.#sideOf(initializer) === side)
              bindName(f, name, lowerExpr(f, initializer));
          return lowerExpr(f, node);
        }),
      );
    });
    return list;
  }

  #inside(make: () => Atom): Atom {
    const f = this.#f;
    const { env } = f;
    f.env = new Env(this.#comparison.env);
    try {
      return make();
    } finally {
      f.env = env;
    }
  }

  #keyType(node: ts.Expression): Type | null {
    const f = this.#f;
    const { kind } = f.shape(f.ctx.typeOf(node));
    if (kind === "num" || kind === "bool") return { kind };
    return kind === "leaf" && isStringType(f, f.ctx.checker.getTypeAtLocation(node))
      ? STRING
      : null;
  }

  /** A normal form that is the same for the key of either element. */
  #plain(node: ts.Node): string {
    const { api } = this.#f;
    const symbol = api.isIdentifier(node) ? this.#f.symbolOf(node) : null;
    const known = symbol === null ? undefined : this.#places.get(symbol);
    if (known !== undefined) return known;
    const parts: string[] = api.isPrefixUnaryExpression(node)
      ? [api.tokenToString(node.operator) ?? ""]
      : [];
    api.forEachChild(node, (child) => void parts.push(this.#plain(child)));
    return parts.length === 0 ? node.getText() : `${node.kind}(${parts.join(",")})`;
  }

  /** Records the normal form of each name that a parameter or constant binds. */
  #notePlace(name: ts.BindingName, place: string): void {
    const { api } = this.#f;
    const symbol = api.isIdentifier(name) ? this.#f.symbolOf(name) : null;
    if (symbol !== null) this.#places.set(symbol, place);
    else if (!api.isIdentifier(name))
      for (const [at, element] of name.elements.entries())
        if (api.isBindingElement(element)) {
          const isPlain = element.dotDotDotToken === undefined && element.initializer === undefined;
          const key = api.isArrayBindingPattern(name)
            ? at
            : (element.propertyName ?? element.name).getText();
          this.#notePlace(element.name, `${place}.${key}${isPlain ? "" : ` ${element.getText()}`}`);
        }
  }

  #isPure(node: ts.Node): boolean {
    const effects = effectsIn(this.#f, this.#comparison.env, node);
    return !effects.unknown && isPure(this.#f, node);
  }
}

const joined = (...parts: readonly (string | readonly Piece[] | null)[]): readonly Piece[] | null =>
  parts.reduce<readonly Piece[] | null>(
    (all, part) =>
      all === null || part === null
        ? null
        : [...all, ...(typeof part === "string" ? [part] : part)],
    [],
  );
