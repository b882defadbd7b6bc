// Parses atoms and expressions of the IR syntax, for ir/parse.ts. It knows the types of the names
// bound so far, so that reads and lets can omit them.

import { bool, NUM, num } from "./build.ts";
import type { Cursor } from "./lex.ts";
import { isScalarOp } from "./ops.ts";
import { parseTypeAt } from "./parse-type.ts";
import { DEFAULT_FILE } from "./print.ts";
import { typeOf } from "./type-of.ts";
import type {
  ArrayPart,
  Atom,
  Body,
  Expr,
  Func,
  Key,
  NamedType,
  RecordPart,
  Type,
  Var,
} from "./types.ts";
import { unreachable } from "./visit.ts";

const leaf = (text: string): Type => ({ kind: "leaf", text });

/** Words that are atoms. */
const CONSTANTS: ReadonlyMap<string, Atom> = new Map<string, Atom>([
  ["true", bool(true)],
  ["false", bool(false)],
  ["NaN", num(NaN)],
  ["Infinity", num(Infinity)],
  ["null", { kind: "const", type: leaf("null"), value: null }],
  ["undefined", { kind: "const", type: leaf("undefined"), value: undefined }],
  ["undef", { kind: "undef", type: NUM }],
]);

/** Words that begin an expression other than an operator. */
const EXPRS = [
  "copy",
  "load",
  "length",
  "present",
  "unwrap",
  "array",
  "tuple",
  "record",
  "alloc",
  "slice",
  "zeros",
  "clone",
  "call",
  "extern",
  "removeLast",
  "newTape",
  "pop",
  "rewind",
  "lambda",
] as const;

export abstract class ExprParser {
  readonly cursor: Cursor;
  readonly #types: ReadonlyMap<string, NamedType>;
  readonly #funcs: ReadonlyMap<string, Func>;
  readonly #scope = new Map<string, Type>();

  constructor(
    cursor: Cursor,
    types: ReadonlyMap<string, NamedType>,
    funcs: ReadonlyMap<string, Func>,
  ) {
    this.cursor = cursor;
    this.#types = types;
    this.#funcs = funcs;
  }

  /** Parses a lambda's body, `{ … }`. */
  abstract block(): Body;

  bind(name: string, type: Type): Var {
    this.#scope.set(name, type);
    return { kind: "var", name, type };
  }

  typedName(): Var {
    const name = this.cursor.name();
    this.cursor.expect(":");
    return this.bind(name, parseTypeAt(this.cursor));
  }

  // ----------------------------------------------------------------------------------------- atoms

  #atomAhead(): boolean {
    const { kind, text, first } = this.cursor.peek();
    return (
      !first &&
      (kind === "name" ||
        kind === "quoted" ||
        kind === "number" ||
        kind === "string" ||
        text === "(" ||
        text === "@")
    );
  }

  atoms(): readonly Atom[] {
    const atoms: Atom[] = [];
    while (this.#atomAhead()) atoms.push(this.atom());
    return atoms;
  }

  optionalAtom(): Atom | null {
    return this.#atomAhead() ? this.atom() : null;
  }

  atom(): Atom {
    const cursor = this.cursor;
    if (cursor.take("(")) {
      const inner = this.#plainAtom(true);
      cursor.expect(":");
      const type = parseTypeAt(cursor);
      const file = cursor.take("from") ? cursor.string() : null;
      const variable = cursor.take("is") ? { variable: cursor.string() } : {};
      const less = cursor.take("less") ? { isNarrowlyDeclared: true as const } : {};
      cursor.expect(")");
      return inner.kind === "global" && file !== null
        ? { ...inner, type, file, ...variable, ...less }
        : { ...inner, type };
    }
    return this.#plainAtom(false);
  }

  /** `typed`: a type follows, so the name need not be bound. */
  #plainAtom(typed: boolean): Atom {
    const cursor = this.cursor;
    if (cursor.take("@")) return this.#global();
    const token = cursor.next();
    if (token.kind === "number") return { kind: "const", type: NUM, value: Number(token.text) };
    if (token.kind === "string") return { kind: "const", type: leaf("string"), value: token.text };
    const constant = token.kind === "name" ? CONSTANTS.get(token.text) : undefined;
    if (constant !== undefined) return constant;
    if (token.kind !== "name" && token.kind !== "quoted")
      cursor.fail(`expected an atom, found ${token.text}`);
    const type = this.#scope.get(token.text);
    if (type === undefined && !typed)
      cursor.fail(`${token.text} is not bound here (write its type: \`(${token.text}: num)\`)`);
    return { kind: "var", name: token.text, type: type ?? NUM };
  }

  /** Parses a global's name; `@` is taken. */
  #global(): Atom {
    const cursor = this.cursor;
    const isQuoted = cursor.peek().kind === "string";
    let name = isQuoted ? cursor.string() : cursor.name();
    while (!isQuoted && cursor.take(".")) name += `.${cursor.name()}`;
    return { kind: "global", name, type: NUM, file: DEFAULT_FILE };
  }

  keyIn(): Key {
    const cursor = this.cursor;
    if (cursor.take(".")) return { kind: "field", name: cursor.name() };
    cursor.expect("[");
    const key: Key =
      cursor.peek().kind === "string"
        ? { kind: "field", name: cursor.string() }
        : { kind: "index", at: this.atom() };
    cursor.expect("]");
    return key;
  }

  // ----------------------------------------------------------------------------------- expressions

  expr(): Expr {
    const word = this.cursor.name();
    const kind = EXPRS.find((one) => one === word);
    if (kind !== undefined) return this.#special(kind);
    if (!isScalarOp(word))
      return this.cursor.fail(`${word} is neither an operator nor an expression`);
    return { kind: "op", op: word, args: this.atoms() };
  }

  // eslint-disable-next-line complexity -- flat exhaustive switch over Expr kinds
  #special(kind: (typeof EXPRS)[number]): Expr {
    const cursor = this.cursor;
    switch (kind) {
      case "copy":
        return { kind, atom: this.atom() };
      case "load": {
        const own = this.#takes("own") ? { own: true as const } : {};
        const object = this.atom();
        return { kind, object, key: this.keyIn(), ...own };
      }
      case "length":
      case "clone":
      case "removeLast":
        return { kind, object: this.atom() };
      case "present":
      case "unwrap":
        return { kind, value: this.atom() };
      case "array":
        cursor.expect("[");
        return { kind, parts: cursor.list("]", () => this.#arrayPart()) };
      case "tuple":
        cursor.expect("[");
        return { kind, elems: cursor.list("]", () => this.atom()) };
      case "record": {
        const bare = cursor.take("bare") ? { bare: true as const } : {};
        cursor.expect("{");
        return { kind, fields: cursor.list("}", () => this.#recordPart()), ...bare };
      }
      case "alloc": {
        const length = this.atom();
        return { kind, length, fill: cursor.take("fill") ? this.atom() : null };
      }
      case "slice": {
        const view = cursor.take("view") ? { view: true as const } : {};
        return { kind, object: this.atom(), from: this.atom(), to: this.optionalAtom(), ...view };
      }
      case "zeros":
        return { kind, like: this.atom() };
      case "call": {
        const callee = cursor.name();
        cursor.expect("(");
        return { kind, callee, args: cursor.list(")", () => this.atom()) };
      }
      case "extern":
        return this.#extern();
      case "newTape":
        return { kind };
      case "pop":
      case "rewind":
        return { kind, tape: this.atom() };
      case "lambda": {
        cursor.expect("(");
        const params = cursor.list(")", () => this.typedName());
        return { kind, params, body: this.block() };
      }
      default:
        return unreachable(kind);
    }
  }

  /** The word before an atom; a variable may have the name, too. */
  #takes(word: string): boolean {
    const after = this.cursor.peek(1);
    return after.kind !== "punct" && !after.first && this.cursor.take(word);
  }

  #arrayPart(): ArrayPart {
    return { spread: this.cursor.take("..."), atom: this.atom() };
  }

  #recordPart(): RecordPart {
    const cursor = this.cursor;
    const name = cursor.peek().kind === "string" ? cursor.string() : cursor.name();
    const mayLack = cursor.take("?") ? { omitIfUndefined: true as const } : {};
    const there = cursor.take("if") ? { presentIf: this.atom() } : {};
    cursor.expect(":");
    return { name, value: this.atom(), ...mayLack, ...there };
  }

  #extern(): Expr {
    const effects = ["pure", "reads", "io"] as const;
    const word = this.cursor.name();
    const effect =
      effects.find((one) => one === word) ??
      this.cursor.fail(`expected pure, reads or io, found ${word}`);
    const inert = this.cursor.take("inert");
    const verbatim = this.cursor.take("verbatim");
    const text = [this.cursor.string()];
    const args: Atom[] = [];
    while (this.#atomAhead()) {
      args.push(this.atom());
      text.push(this.cursor.string());
    }
    return {
      kind: "extern",
      text,
      args,
      effect,
      ...(inert ? { inert: true } : {}),
      ...(verbatim ? { verbatim: true } : {}),
    };
  }

  typeOf(name: string, expr: Expr): Type {
    return (
      typeOf(expr, this.#types, this.#funcs) ??
      this.cursor.fail(`write the type of ${name}: it cannot be told`)
    );
  }
}
