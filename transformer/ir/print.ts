// Prints IR for goldens, `explain` and error messages. parse(print(p)) is p, except for origins. A
// variable's type is printed where it is bound; an atom with another type, or without a binder, has
// its own: `(x: num)`. The grammar is Note [IR text] in ir/parse.ts.

import type {
  Atom,
  Body,
  Carried,
  Const,
  Expr,
  For,
  Func,
  Home,
  Key,
  NamedType,
  Program,
  RawStmt,
  RecordPart,
  Stmt,
  Store,
  Type,
  TypeOf,
  Var,
  While,
} from "./types.ts";
import { exprAtoms, unreachable } from "./visit.ts";

export const DEFAULT_FILE = "main.ts";

/** Words that are no names; a name spelt like one is quoted. */
const NO_NAME: ReadonlySet<string> = new Set([
  "true",
  "false",
  "null",
  "undefined",
  "undef",
  "NaN",
  "Infinity",
  "yield",
]);
const NO_TYPE_NAME: ReadonlySet<string> = new Set([
  "num",
  "bool",
  "void",
  "leaf",
  "opaque",
  "tape",
  "cotangent",
  "Map",
  "Dict",
]);
const NAME =
  /^[\p{ID_Start}$_][\p{ID_Continue}$]*(~[\p{ID_Start}$_][\p{ID_Continue}$]*)?(\.\d+)*$/u;
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const DOTTED = /^[\p{ID_Start}$_][\p{ID_Continue}$]*(\.[\p{ID_Start}$_][\p{ID_Continue}$]*)*$/u;

const quoted = (text: string): string => JSON.stringify(text);
const nameText = (name: string, taken = NO_NAME): string =>
  NAME.test(name) && !taken.has(name) ? name : `\`${encodeURI(name)}\``;
const typeName = (name: string): string =>
  nameText(name, /^(Array|\w+Array)$/.test(name) ? new Set([name]) : NO_TYPE_NAME);

// ------------------------------------------------------------------------------------------- types

/** The canonical form: two types are equal if and only if their strings are. */
export function printType(type: Type): string {
  switch (type.kind) {
    case "num":
    case "bool":
    case "void":
      return type.kind;
    case "leaf":
      return leafText(type);
    case "array":
      return arrayText(type);
    case "tuple":
      return tupleText(type);
    case "record":
      return `{${type.fields.map((field) => `${fieldText(field.name)}: ${printType(field.type)}`).join(", ")}}`;
    case "opt":
      return `${bracketed(type.of)}?`;
    case "dict":
      return dictText(type);
    case "union":
      return type.variants.map(bracketed).join(" | ");
    case "named":
      return typeName(type.name);
    case "tape":
      return `tape<${type.of}>`;
    case "func":
      return `(${type.params.map(printType).join(", ")}) => ${printType(type.result)}`;
    case "cotangent":
      return `cotangent<${printType(type.of)}>`;
    default:
      return unreachable(type);
  }
}

const leafText = ({ opaque, text }: TypeOf<"leaf">): string =>
  `${opaque === true ? "opaque" : "leaf"}${quoted(text)}`;

function arrayText({ store, elem }: TypeOf<"array">): string {
  if (store === "Array") return `${bracketed(elem)}[]`;
  return elem.kind === "num" ? store : `${store}<${printType(elem)}>`;
}

function tupleText({ elems, labels }: TypeOf<"tuple">): string {
  const label = (i: number): string =>
    labels === undefined ? "" : `${nameText(labels[i] ?? "")}: `;
  return `[${elems.map((elem, i) => label(i) + printType(elem)).join(", ")}]`;
}

const dictText = ({ store, key, value }: TypeOf<"dict">): string =>
  `${store === "Map" ? "Map" : "Dict"}<${printType(key)}, ${printType(value)}>`;

export function sameType(x: Type, z: Type): boolean {
  if (x === z) return true;
  if (x.kind !== z.kind) return false;
  return (
    x.kind === "num" || x.kind === "bool" || x.kind === "void" || printType(x) === printType(z)
  );
}

/** A function type or union before `[]` or `?` is put in parentheses. */
const bracketed = (type: Type): string =>
  type.kind === "func" || type.kind === "union" ? `(${printType(type)})` : printType(type);
const fieldText = (name: string): string => (IDENTIFIER.test(name) ? name : quoted(name));

// ------------------------------------------------------------------------------------------- atoms

const DEFAULT_TYPES = {
  number: "num",
  boolean: "bool",
  string: 'leaf"string"',
  undefined: 'leaf"undefined"',
  null: 'leaf"null"',
} as const;

function constType(value: Const["value"]): string {
  if (value === null) return DEFAULT_TYPES.null;
  const kind = typeof value;
  return kind === "number" || kind === "boolean" || kind === "string" || kind === "undefined"
    ? DEFAULT_TYPES[kind]
    : "";
}

const constText = (value: Const["value"]): string =>
  typeof value === "string" ? quoted(value) : Object.is(value, -0) ? "-0" : String(value);

/** Prints one atom outside any function, with its type. */
export const printAtom = (atom: Atom): string => new Printer().atom(atom);

// -------------------------------------------------------------------------------------- statements

/** Prints one function. It knows the types of the names bound so far. */
class Printer {
  readonly #types = new Map<string, string>();
  #indent = "";

  /** `name: type`. The name is known afterwards. */
  bind(variable: Var): string {
    const type = printType(variable.type);
    this.#types.set(variable.name, type);
    return `${nameText(variable.name)}: ${type}`;
  }

  /** The name alone if the parser can infer its type. */
  bindAs(variable: Var, expected: Type | undefined): string {
    const full = this.bind(variable);
    return expected !== undefined && sameType(variable.type, expected)
      ? nameText(variable.name)
      : full;
  }

  atom(atom: Atom): string {
    const type = printType(atom.type);
    switch (atom.kind) {
      case "var":
        return this.#types.get(atom.name) === type
          ? nameText(atom.name)
          : `(${nameText(atom.name)}: ${type})`;
      case "const":
        return constType(atom.value) === type
          ? constText(atom.value)
          : `(${constText(atom.value)}: ${type})`;
      case "undef":
        return type === "num" ? "undef" : `(undef: ${type})`;
      case "global": {
        const name = `@${DOTTED.test(atom.name) ? atom.name : quoted(atom.name)}`;
        const is = atom.variable === undefined ? "" : ` is ${quoted(atom.variable)}`;
        const less = atom.isNarrowlyDeclared === true ? " less" : "";
        if (atom.file === DEFAULT_FILE && is + less === "")
          return type === "num" ? name : `(${name}: ${type})`;
        return `(${name}: ${type} from ${quoted(atom.file)}${is}${less})`;
      }
      default:
        return unreachable(atom);
    }
  }

  atoms(atoms: readonly Atom[], separator: string): string {
    return atoms.map((atom) => this.atom(atom)).join(separator);
  }

  /** `a[i]`, `m.w`, `t["0"]`. A string index has parentheses, to discriminate it from a field. */
  place(object: Atom, key: Key): string {
    const objectText =
      object.kind === "global"
        ? this.atom(object).replace(/^@.*$/su, "($&: num)")
        : this.atom(object);
    if (key.kind === "field")
      return IDENTIFIER.test(key.name)
        ? `${objectText}.${key.name}`
        : `${objectText}[${quoted(key.name)}]`;
    const at = this.atom(key.at);
    return `${objectText}[${at.startsWith('"') ? `(${at}: ${printType(key.at.type)})` : at}]`;
  }

  // eslint-disable-next-line complexity -- flat exhaustive switch over Expr kinds
  expr(expr: Expr): string {
    switch (expr.kind) {
      case "copy":
        return `copy ${this.atom(expr.atom)}`;
      case "op":
        return expr.args.length === 0 ? expr.op : `${expr.op} ${this.atoms(expr.args, " ")}`;
      case "load":
        return `load ${expr.own === true ? "own " : ""}${this.place(expr.object, expr.key)}`;
      case "length":
      case "clone":
      case "removeLast":
        return `${expr.kind} ${this.atom(expr.object)}`;
      case "present":
      case "unwrap":
        return `${expr.kind} ${this.atom(expr.value)}`;
      case "array":
        return `array [${expr.parts.map((part) => (part.spread ? "..." : "") + this.atom(part.atom)).join(", ")}]`;
      case "tuple":
        return `tuple [${this.atoms(expr.elems, ", ")}]`;
      case "record":
        return `record ${expr.bare === true ? "bare " : ""}{${expr.fields.map((part) => this.#recordPart(part)).join(", ")}}`;
      case "alloc":
        return `alloc ${this.atom(expr.length)}${expr.fill === null ? "" : ` fill ${this.atom(expr.fill)}`}`;
      case "slice":
        return `slice ${expr.view === true ? "view " : ""}${this.atoms(exprAtoms(expr), " ")}`;
      case "zeros":
        return `zeros ${this.atom(expr.like)}`;
      case "call":
        return `call ${nameText(expr.callee)}(${this.atoms(expr.args, ", ")})`;
      case "extern":
        return this.#extern(expr);
      case "newTape":
        return "newTape";
      case "pop":
      case "rewind":
        return `${expr.kind} ${this.atom(expr.tape)}`;
      case "lambda": {
        const params = expr.params.map((param) => this.bind(param)).join(", ");
        return `lambda (${params}) ${this.block(expr.body)}`;
      }
      default:
        return unreachable(expr);
    }
  }

  #recordPart({ name, value, omitIfUndefined: mayLack, presentIf: there }: RecordPart): string {
    const condition = there === undefined ? "" : ` if ${this.atom(there)}`;
    return `${fieldText(name)}${mayLack === true ? "?" : condition}: ${this.atom(value)}`;
  }

  #extern({ text, args, effect, inert, verbatim }: Expr & { readonly kind: "extern" }): string {
    const words = ["extern", effect];
    if (inert === true) words.push("inert");
    if (verbatim === true) words.push("verbatim");
    text.forEach((piece, i) => {
      const arg = args[i];
      words.push(quoted(piece));
      if (arg !== undefined) words.push(this.atom(arg));
    });
    return words.join(" ");
  }

  /** `{ … }` with indented lines, without a final newline. */
  block(body: Body): string {
    if (body.stmts.length === 0)
      return body.result.length === 0 ? "{}" : `{ yield ${this.atoms(body.result, " ")} }`;
    const outer = this.#indent;
    const lines = ["{"];
    this.#indent += "  ";
    for (const stmt of body.stmts) lines.push(this.#indent + this.stmt(stmt));
    if (body.result.length > 0) lines.push(`${this.#indent}yield ${this.atoms(body.result, " ")}`);
    this.#indent = outer;
    lines.push(`${outer}}`);
    return lines.join("\n");
  }

  stmt(stmt: Stmt): string {
    return (stmt.adjoint === true ? "~ " : "") + this.#unmarked(stmt);
  }

  #unmarked(stmt: Stmt): string {
    switch (stmt.kind) {
      case "let": {
        const expr = this.expr(stmt.expr);
        return `${this.bind(stmt.bind)} = ${expr}`;
      }
      case "store":
        return this.#store(stmt);
      case "accum":
        return `${this.place(stmt.object, stmt.key)} += ${this.atom(stmt.value)}`;
      case "append":
        return `append ${this.atom(stmt.object)} ${this.atom(stmt.value)}`;
      case "fill": {
        const from = stmt.from === null ? "" : ` from ${this.atom(stmt.from)}`;
        const to = stmt.to === null ? "" : ` to ${this.atom(stmt.to)}`;
        return `fill ${this.atom(stmt.object)} ${this.atom(stmt.value)}${from}${to}`;
      }
      case "push":
        return `push ${this.atom(stmt.tape)} ${this.atom(stmt.value)}`;
      case "reserve":
        return `reserve ${this.atom(stmt.tape)} ${this.atom(stmt.count)}`;
      case "if":
        return this.#if(stmt);
      case "for":
      case "while":
        return this.#loop(stmt, null);
      case "throw":
        return `throw ${this.atom(stmt.value)}`;
      default:
        return this.#raw(stmt);
    }
  }

  #store({ object, key, value, initial, removed, defines }: Store): string {
    if (removed === true) return `delete ${this.place(object, key)}`;
    const how = initial === true ? "init " : defines === true ? "define " : "";
    return `${how}${this.place(object, key)} = ${this.atom(value)}`;
  }

  #raw(stmt: RawStmt): string {
    switch (stmt.kind) {
      case "declare": {
        const init = stmt.init === null ? "" : ` = ${this.atom(stmt.init)}`;
        return `declare ${this.bind(stmt.variable)}${init}`;
      }
      case "assign":
        return `${this.atom(stmt.variable)} := ${this.atom(stmt.value)}`;
      case "break":
      case "continue":
        return `${stmt.kind} ${nameText(stmt.label)}`;
      case "return":
        return ["return", nameText(stmt.label), ...this.#optional(stmt.value)].join(" ");
      case "scope": {
        const body = this.block(stmt.body);
        const bind = stmt.bind === null ? "" : `-> (${this.bind(stmt.bind)}) `;
        return `scope ${nameText(stmt.label)} ${bind}${body}`;
      }
      case "loop":
        return `loop ${nameText(stmt.label)} ${this.#loop(stmt.loop, stmt.update)}`;
      default:
        return unreachable(stmt);
    }
  }

  #optional(atom: Atom | null): readonly string[] {
    return atom === null ? [] : [this.atom(atom)];
  }

  #if(stmt: Stmt & { readonly kind: "if" }): string {
    const cond = this.atom(stmt.cond);
    const then = this.block(stmt.then);
    const otherwise =
      stmt.else.stmts.length === 0 && stmt.else.result.length === 0
        ? ""
        : ` else ${this.block(stmt.else)}`;
    return `if ${cond}${this.#joins(stmt.binds, stmt.then.result)} ${then}${otherwise}`;
  }

  #loop(loop: For | While, update: Body | null): string {
    const head = loop.kind === "for" ? this.#range(loop) : "while";
    const carry = this.#carry(loop.carried);
    const body =
      loop.kind === "for"
        ? this.block(loop.body)
        : `${this.block(loop.test)} do ${this.block(loop.body)}`;
    const after = update === null ? "" : ` update ${this.block(update)}`;
    return `${head}${carry}${this.#joins(
      loop.binds,
      loop.carried.map((carried) => carried.param),
    )} ${body}${after}`;
  }

  #range({ index, from, test, to, step, vector }: For): string {
    const name = this.bindAs(index, { kind: "num" });
    const range = `${this.atom(from)} ${test} ${this.atom(to)} step ${step}`;
    return `for ${name} = ${range}${vector === true ? " vector" : ""}`;
  }

  #carry(carried: readonly Carried[]): string {
    if (carried.length === 0) return "";
    const inits = carried.map(({ init }) => this.atom(init));
    return ` carry (${carried.map(({ param }, i) => `${this.bind(param)} = ${inits[i] ?? ""}`).join(", ")})`;
  }

  #joins(binds: readonly Var[], values: readonly Atom[]): string {
    return binds.length === 0
      ? ""
      : ` -> (${binds.map((bind, i) => this.bindAs(bind, values[i]?.type)).join(", ")})`;
  }
}

/** Prints one statement for messages: names from outside have types. */
export const printStmt = (stmt: Stmt): string => new Printer().stmt(stmt);

// --------------------------------------------------------------------------------------- functions

export function printFunc(func: Func): string {
  const printer = new Printer();
  const text = (given: string | null | undefined): string =>
    given === undefined ? "" : ` text ${given === null ? "null" : quoted(given)}`;
  const params = func.params.map(
    (param, i) =>
      printer.bind(param) + (func.paramText === undefined ? "" : text(func.paramText[i] ?? null)),
  );
  const home = func.home === func.name ? "" : ` home ${quoted(func.home)}`;
  return `func ${nameText(func.name)}(${params.join(", ")}) -> ${printType(func.result)}${text(func.resultText)}${home} ${printer.block(func.body)}`;
}

const printNamed = (name: string, named: NamedType): string =>
  [
    `type ${typeName(name)} = ${printType(named.type)} text ${quoted(named.text)} scope`,
    ...named.scope.map(quoted),
  ].join(" ");

/** The home of a function without a home line. */
export const defaultHome = (name: string): Home => ({
  file: DEFAULT_FILE,
  name,
  at: 0,
  scope: "module",
  indent: "",
  origin: { file: "", start: 0, end: 0 },
});

const printHome = (key: string, home: Home): string =>
  `home ${quoted(key)} file ${quoted(home.file)} name ${quoted(home.name)} at ${home.at} ${home.scope} indent ${quoted(home.indent)}`;

export function print(program: Program): string {
  const head = [`program ${program.stage}`];
  for (const [name, named] of program.types) head.push(printNamed(name, named));
  const keys = new Set([...program.funcs.values()].map((func) => func.home));
  for (const [key, home] of program.homes) {
    if (!keys.has(key) || printHome(key, home) !== printHome(key, defaultHome(key)))
      head.push(printHome(key, home));
  }
  return `${[head.join("\n"), ...[...program.funcs.values()].map(printFunc)].join("\n\n")}\n`;
}
