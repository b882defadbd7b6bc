// The order into which a comparison puts elements, found from keys: what it computes of one element alone is computed once for each, and only what it asks of two runs as it
// stands. In: the elements and the comparison. Out: their positions in order. Invariant: keys do nothing but give their values, and throw only where the comparison does.

import type ts from "typescript";
import { index, NUM } from "../../ir/build.ts";
import type { Atom, Type } from "../../ir/types.ts";
import { effectsIn } from "../effects.ts";
import { extern, isOfTexts, STRING } from "../coerce.ts";
import { emitFor } from "../control/emit-loop.ts";
import { lowerExpr } from "../expression.ts";
import { Env, type Frame } from "../frame.ts";
import { bindName } from "../objects/patterns.ts";
import { isSafeLeaf } from "../objects/places.ts";
import { builtinPath, opened, resolveFn } from "../resolve.ts";
import { initial } from "./iterate.ts";
import { isQuiet } from "./purity.ts";
import { isTotal } from "./totality.ts";

/** Text, and values that stand in it. */
type Piece = string | Atom;

interface Comparison {
  readonly parameters: readonly [ts.ParameterDeclaration, ts.ParameterDeclaration];
  /** Constants of its body, in order. */
  readonly locals: readonly ts.VariableDeclaration[];
  readonly statements: readonly ts.Statement[];
  readonly result: ts.Expression | null;
  readonly env: Env;
}

/** Null where the comparison is not made of keys; `comparison` null: texts, or numbers of a typed array, in their own order. `place`: the type of a position. */
export function orderByKeys(
  f: Frame,
  array: Atom,
  comparison: ts.Expression | null,
  place: Type,
): Atom | null {
  if (comparison === null)
    return orderOf(f, place, isTyped(f, array) ? numericOrder(array) : ownOrder(array));
  const compared = comparisonOf(f, comparison);
  if (compared === null) return null;
  const keys = new Keys(f, array, compared);
  const pieces =
    compared.result === null
      ? keys.ofStatements(compared.statements)
      : keys.of(compared.result, true);
  return pieces === null || keys.first === null
    ? null
    : orderOf(f, place, { first: keys.first, pieces }, isTyped(f, array));
}

export function isTyped(f: Frame, array: Atom): boolean {
  const shape = f.shape(array.type);
  return shape.kind === "array" && shape.store !== "Array";
}

/** `xs.sort()` of texts. */
function ownOrder(array: Atom): { readonly first: Atom; readonly pieces: readonly Piece[] } {
  return {
    first: array,
    pieces: [array, "[i$]! < ", array, "[j$]! ? -1 : ", array, "[i$]! > ", array, "[j$]! ? 1 : 0"],
  };
}

/** `xs.sort()` of a typed array: NaN stands at the end, -0 in front of 0. */
function numericOrder(array: Atom): { readonly first: Atom; readonly pieces: readonly Piece[] } {
  const [a, b] = [
    [array, "[i$]!"],
    [array, "[j$]!"],
  ];
  return {
    first: array,
    pieces: [
      "+Number.isNaN(",
      ...a,
      ") - +Number.isNaN(",
      ...b,
      ") || ",
      ...a,
      " - ",
      ...b,
      " || 1 / ",
      ...a,
      " - 1 / ",
      ...b,
    ].flat(),
  };
}

/** `asTyped`: by the pairs that the `sort` of a typed array compares, which shows where a comparison contradicts itself, as one of NaN does. */
function orderOf(
  f: Frame,
  place: Type,
  { first, pieces }: { readonly first: Atom; readonly pieces: readonly Piece[] },
  asTyped = false,
): Atom {
  const text = [asTyped ? "Array.from(Float64Array.from(" : "Array.from("];
  const args: Atom[] = [first];
  text.push(".keys()).sort((i$, j$) => ");
  for (const piece of pieces) {
    if (typeof piece === "string") text[text.length - 1] += piece;
    else {
      args.push(piece);
      text.push("");
    }
  }
  text[text.length - 1] += asTyped ? "))" : ")";
  return extern(f, "order", { kind: "array", store: "Array", elem: place }, text, args, "reads");
}

/** A function that is known, of two elements, whose body does nothing but choose what it returns. */
function comparisonOf(f: Frame, expression: ts.Expression): Comparison | null {
  const { api } = f;
  const inPlace = opened(f, expression);
  const fn =
    api.isArrowFunction(inPlace) || api.isFunctionExpression(inPlace)
      ? { kind: "closure" as const, node: inPlace, env: f.env }
      : resolveFn(f, expression);
  const node =
    fn?.kind === "closure" ? fn.node : fn?.kind === "program" ? f.ctx.bodyOf(fn.symbol) : null;
  const [one, other, ...more] = node?.parameters ?? [];
  const body = node !== null && "body" in node ? node.body : undefined;
  if (
    node === null ||
    one === undefined ||
    other === undefined ||
    more.length > 0 ||
    body === undefined
  )
    return null;
  if (
    [one, other].some(
      ({ initializer, dotDotDotToken }) =>
        initializer !== undefined || dotDotDotToken !== undefined,
    )
  )
    return null;
  const env = fn?.kind === "closure" ? fn.env : f.outside;
  if (!api.isBlock(body))
    return { parameters: [one, other], locals: [], statements: [], result: body, env };
  const isConst = (each: ts.Statement): each is ts.VariableStatement =>
    api.isVariableStatement(each) && (each.declarationList.flags & api.NodeFlags.Const) !== 0;
  const locals = body.statements
    .filter(isConst)
    .flatMap(({ declarationList }) => [...declarationList.declarations]);
  return {
    parameters: [one, other],
    locals,
    statements: body.statements.filter((each) => !isConst(each)),
    result: null,
    env,
  };
}

/** What is computed of the first element, of the second, of both or of neither. */
type Of = "neither" | 0 | 1 | "both";

/** They stand between two values. */
const OPERATORS: ReadonlySet<string> = new Set([
  "+",
  "-",
  "*",
  "/",
  "%",
  "<",
  "<=",
  ">",
  ">=",
  "===",
  "!==",
  "==",
  "!=",
  "&&",
  "||",
  "??",
]);
const CHOOSING: ReadonlySet<string> = new Set(["&&", "||", "??"]);

class Keys {
  /** The first list of keys: it is as long as the elements. */
  first: Atom | null = null;
  readonly #f: Frame;
  readonly #array: Atom;
  readonly #comparison: Comparison;
  readonly #names = new Map<ts.Symbol, Of>();
  readonly #places = new Map<ts.Symbol, string>();
  readonly #lists = new Map<string, Atom>();

  constructor(f: Frame, array: Atom, comparison: Comparison) {
    this.#f = f;
    this.#array = array;
    this.#comparison = comparison;
    for (const [at, { name }] of comparison.parameters.entries()) {
      this.#note(name, at === 0 ? 0 : 1);
      this.#placed(name, "#");
    }
    for (const { name, initializer } of comparison.locals) {
      if (initializer === undefined) continue;
      this.#note(name, this.#sideOf(initializer));
      this.#placed(name, `(${this.#plain(initializer)})`);
    }
  }

  #note(name: ts.BindingName, of: Of): void {
    const { api } = this.#f;
    const symbol = api.isIdentifier(name) ? this.#f.symbolOf(name) : null;
    if (symbol !== null) this.#names.set(symbol, of);
    else if (!api.isIdentifier(name))
      for (const element of name.elements)
        if (api.isBindingElement(element)) this.#note(element.name, of);
  }

  /** `if (…) return …;` and at last `return …;` */
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

  /** `isSure`: it is computed whenever two elements are compared. */
  of(expression: ts.Expression, isSure: boolean): readonly Piece[] | null {
    const { api } = this.#f;
    const node = opened(this.#f, expression);
    const side = this.#sideOf(node);
    if (side === "neither")
      return api.isLiteralExpression(node) ? [node.getText()] : this.#fixed(node);
    // `rank.get(a.id)!` is a number, what stands inside may be none
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
            this.of(node.right, isSure && !CHOOSING.has(operator)),
            ")",
          )
        : null;
    }
    return api.isCallExpression(node) ? this.#called(node, isSure) : null;
  }

  /** `Math.sign(a - b)`, `a.localeCompare(b)` */
  #called(node: ts.CallExpression, isSure: boolean): readonly Piece[] | null {
    const { api } = this.#f;
    const callee = opened(this.#f, node.expression);
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

  /** What no element decides about. */
  #fixed(node: ts.Expression): readonly Piece[] | null {
    return this.#isQuiet(node) && isTotal(this.#f, node)
      ? [this.#inside(() => lowerExpr(this.#f, node))]
      : null;
  }

  #key(node: ts.Expression, side: 0 | 1, isSure: boolean): readonly Piece[] | null {
    const type = this.#keyType(node);
    if (type === null || !this.#isQuiet(node) || !(isSure || isTotal(this.#f, node))) return null;
    const text = this.#plain(node);
    const list = this.#lists.get(text) ?? this.#listOf(node, side, type);
    this.#lists.set(text, list);
    this.first ??= list;
    return [list, `[${side === 0 ? "i$" : "j$"}]!`];
  }

  /** The key of each element. */
  #listOf(node: ts.Expression, side: 0 | 1, type: Type): Atom {
    const f = this.#f;
    const length = f.let("t", NUM, { kind: "length", object: this.#array });
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
    return kind === "leaf" && isOfTexts(f, f.ctx.checker.getTypeAtLocation(node)) ? STRING : null;
  }

  /** What the key is computed as, the same of either element. */
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

  /** Where in its element each name of a parameter stands; a constant is what it is computed as. */
  #placed(name: ts.BindingName, place: string): void {
    const { api } = this.#f;
    const symbol = api.isIdentifier(name) ? this.#f.symbolOf(name) : null;
    if (symbol !== null) this.#places.set(symbol, place);
    else if (!api.isIdentifier(name))
      for (const [at, element] of name.elements.entries())
        if (api.isBindingElement(element))
          this.#placed(
            element.name,
            `${place}.${api.isArrayBindingPattern(name) ? at : (element.propertyName ?? element.name).getText()}${element.dotDotDotToken === undefined && element.initializer === undefined ? "" : ` ${element.getText()}`}`,
          );
  }

  #isQuiet(node: ts.Node): boolean {
    const effects = effectsIn(this.#f, this.#comparison.env, node);
    return !effects.unknown && isQuiet(this.#f, node);
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
