// Text of one function: from SSA through nested code and variables to lines. Invariant: every
// parameter keeps its position and name, with `_` before it where nothing reads it.

import { identifiersIn } from "../ir/identifiers.ts";
import type { Atom, Func, Member, Type } from "../ir/types.ts";
import { stmtAtoms, stmtBodies, walkStmts } from "../ir/visit.ts";
import { type Code, mentionedNames, type Value, valueAtoms, walkLines } from "./code.ts";
import { printAtom } from "./expression.ts";
import { originsIn } from "./origins.ts";
import { deeper, type TextLine } from "./layout.ts";
import { type Identifiers, identifiers } from "./names/identifiers.ts";
import { nulledFieldsIn } from "./types/nulled-fields.ts";
import type { Library } from "./names/library.ts";
import { declaredLiterals } from "./types/assertions.ts";
import { defineLines } from "./own-keys.ts";
import { nest } from "./shape/nest.ts";
import { statements } from "./statement.ts";
import { readonlyNames } from "./types/readonly.ts";
import { retainedTape } from "../ir/names.ts";
import { type HelperLine, reservedLines, persistentTapes } from "./shape/retained-tapes.ts";
import { packedZeros, zerosLines } from "./shape/packed.ts";
import { tagsIn, withoutAliases } from "./types/tags.ts";
import { type TypeScope, type TypeWriter, typeWriter } from "./types/type-text.ts";
import { type Variable, variables, type Variables } from "./names/variables.ts";
import type { Writing } from "./writing.ts";

type FromProgram =
  | "member"
  | "saysLess"
  | "parameterTypes"
  | "extraArguments"
  | "isStructural"
  | "givesReadonly"
  | "noUncheckedIndexedAccess"
  | "lacksFromEntries";

export interface FunctionScope extends TypeScope, Pick<Writing, FromProgram> {
  /** Identifier of the function itself. */
  readonly identifier: string;
  /** Named types with a readonly field or array. */
  readonly readonlyTypes: Pick<ReadonlySet<string>, "has">;
  readonly readonlyParams: readonly string[];
}

export interface FunctionText {
  readonly lines: readonly TextLine[];
  readonly usesCotangent: boolean;
}

export function functionText(func: Func, scope: FunctionScope): FunctionText {
  const nested = nest(func, scope.types, scope.parameterTypes);
  const found = variables(func, nested);
  const tags = tagsIn(nested, scope.types, (name) => found.of.get(name)?.changes === false);
  const code = withoutAliases(nested, tags);
  const vars = code === nested ? found : variables(func, code);
  const read = mentionedNames([code.block], code.nested);
  const cursors = cursorsIn(code, vars);
  const names = identifiers({
    variables: vars,
    unused: new Set(func.params.map((param) => param.name).filter((name) => !read.has(name))),
    cursors,
    readers: new Set(
      [...code.nested].filter(([, value]) => value.kind === "rewind").map(([name]) => name),
    ),
    taken: mentionedOutside(func, scope),
  });
  const types = typeWriter(scope);
  const template = retainedTape(scope.identifier, "zeros");
  const helpers = new Helpers(names, types, template, scope.library);
  const writing: Writing = {
    ...scope,
    ...tags,
    atom: (atom) => printAtom(atom, writing),
    nested: code.nested,
    identifiers: names,
    typeWriter: types,
    helper: helpers.name,
    readonlyNames: readonlyNames(func, code, vars, scope),
    literalNames: declaredLiterals(func),
    packed: packedZeros(func, code, scope.types),
    zeros: helpers.zeros,
    reserved: helpers.reserved,
    defined: helpers.defined,
    nulledFields: nulledFieldsIn(code),
  };
  const spares = persistentTapes(func, scope.identifier, vars);
  const originOf = originsIn(func, code.nested);
  const context = { writing, variables: vars, read, cursors, func, spares, originOf };
  const body = statements(code.block, context);
  const head = headText(func, scope.identifier, names, types);
  const at = (indent: number, text: string): TextLine => ({ indent, text, origin: func.origin });
  const lines = [
    at(0, head),
    ...helpers.lines.map(({ indent, text }) => at(indent + 1, text)),
    ...deeper(joined(body)),
    at(0, "}"),
    ...spares.map(({ place, type }) => at(0, `var ${place}: ${scope.library(type)} | undefined;`)),
    ...(helpers.usesZeros ? [at(0, `var ${template}: number[] | undefined;`)] : []),
  ];
  return { lines, usesCotangent: types.usesCotangent };
}

/** Local functions: for recursive types, packed zeros, and tapes of fixed length. */
class Helpers {
  readonly lines: HelperLine[] = [];
  readonly name: Writing["helper"];
  readonly zeros: Writing["zeros"];
  readonly defined: Writing["defined"];
  readonly reserved: Writing["reserved"];
  usesZeros = false;

  constructor(names: Identifiers, types: TypeWriter, template: string, library: Library) {
    let zeros: string | null = null;
    this.zeros = (length) => {
      if (zeros === null) {
        this.usesZeros = true;
        zeros = names.fresh("zeros");
        this.lines.unshift(
          ...zerosLines(names.fresh("packed"), zeros, template, library).map((text) => ({
            indent: 0,
            text,
          })),
        );
      }
      return `${zeros}(${length})`;
    };
    const define = this.#once(names, "define", (name) => defineLines(name, library));
    this.defined = (object, key, value) => `${define()}(${object}, ${key}, ${value})`;
    const reserve = this.#once(names, "reserved", (name) => reservedLines(name, library));
    this.reserved = (tape, length) => `${reserve()}(${tape}, ${length})`;
    const known = new Map<string, string>();
    this.name = ({ verb, type, result, body, rest }) => {
      const key = `${verb} ${JSON.stringify(type)}`;
      const former = known.get(key);
      if (former !== undefined) return former;
      const base = type.kind === "cotangent" ? type.of : type;
      const of =
        base.kind === "named"
          ? base.name.replace(/\.\d+$/, "").replaceAll(/[^\p{ID_Continue}$]/gu, "")
          : "";
      const name = names.fresh(`${verb}${of}`);
      known.set(key, name);
      const [text, from, to] = [body("x"), types.text(type), types.text(result)];
      const head = `const ${name} = (x: ${from}):`;
      if (rest === null) {
        const value = text.startsWith("{") ? `(${text})` : text;
        this.lines.push({ indent: 0, text: `${head} ${types.listed(result)} => ${value};` });
        return name;
      }
      const [made, late] = [names.fresh(`made${of}`), names.fresh(`late${of}`)];
      const statements = rest("x", "shadow");
      this.lines.push(
        { indent: 0, text: `const ${made} = new ${library("Map")}<${from}, ${to}>();` },
        { indent: 0, text: `const ${late}: [${from}, ${to}][] = [];` },
        { indent: 0, text: `${head} ${to} => {` },
        { indent: 1, text: `const known = ${made}.get(x);` },
        { indent: 1, text: "if (known !== undefined) return known;" },
        { indent: 1, text: `const made: ${types.listed(result)} = ${text};` },
        { indent: 1, text: `${made}.set(x, made);` },
        { indent: 1, text: `if (${late}.push([x, made]) > 1) return made;` },
        { indent: 1, text: `for (const [x, shadow] of ${late}) {` },
        ...statements.map((line) => ({ indent: 2, text: line })),
        { indent: 1, text: "}" },
        { indent: 1, text: `${late}.length = 0;` },
        // an object has one shadow, but a copy for each call
        ...(verb === "copy" ? [{ indent: 1, text: `${made}.clear();` }] : []),
        { indent: 1, text: "return made;" },
        { indent: 0, text: "};" },
      );
      return name;
    };
  }

  /** The name of a local function, which is written at its first use. */
  #once(
    names: Identifiers,
    wanted: string,
    lines: (name: string) => readonly HelperLine[],
  ): () => string {
    let made: string | null = null;
    return () => {
      if (made === null) this.lines.push(...lines((made = names.fresh(wanted))));
      return made;
    };
  }
}

/** `function f(x: number, m: Model): number {` */
function headText(func: Func, identifier: string, names: Identifiers, types: TypeWriter): string {
  const params = func.params.map((param, i) =>
    parameter(names.of(param.name), func.paramText?.[i] ?? null, types.text(param.type)),
  );
  const result = func.resultText ?? types.text(func.result);
  return `function ${identifier}(${params.join(", ")}): ${result} {`;
}

/** `m: Model` as in the user's code, with the parameter's identifier. */
function parameter(identifier: string, userText: string | null, type: string): string {
  const rest =
    userText === null
      ? null
      : /^[\p{ID_Start}$_][\p{ID_Continue}$]*\s*(\??\s*[:=].*)$/su.exec(userText)?.[1];
  return rest === null || rest === undefined
    ? `${identifier}: ${type}`
    : `${identifier}${rest.startsWith("=") ? " " : ""}${rest}`;
}

/** Variables of tapes that are pushed to or popped from. */
function cursorsIn({ block, nested }: Code, vars: Variables): ReadonlySet<Variable> {
  const found = new Set<Variable>();
  const note = (tape: Atom): void => {
    const variable = tape.kind === "var" ? vars.of.get(tape.name) : undefined;
    if (variable !== undefined) found.add(variable);
  };
  const noteValue = (value: Value): void => {
    if (value.kind === "pop") note(value.tape);
  };
  nested.forEach(noteValue);
  walkLines(block, (line) => {
    if (line.kind === "let") noteValue(line.value);
    if (line.kind === "push") note(line.tape);
  });
  return found;
}

/** Names of enclosing scopes that the text mentions and no local may shadow. */
function mentionedOutside(func: Func, scope: FunctionScope): ReadonlySet<string> {
  const names = new Set<string>([scope.identifier]);
  // the fields in `captured<{ k: number }>(f, …)` are no names of a scope
  const note = (text: string): void => {
    for (const word of identifiersIn(text.replaceAll(/(?<=\bcaptured\d*)<\{.*?\}>/gs, "")))
      names.add(word);
  };
  const noteValue = (value: Value): void => {
    for (const atom of valueAtoms(value)) if (atom.kind === "global") note(atom.name);
    if (value.kind === "extern") value.text.forEach(note);
    if (value.kind === "call" && isCalledByName(scope.member(value.callee)))
      names.add(scope.callee(value.callee));
  };
  const noteClass = (type: Type): void => {
    const instance = type.kind === "named" ? scope.types.get(type.name)?.instance : undefined;
    if (instance !== undefined) names.add(scope.callee(instance.home));
  };
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "let" && stmt.expr.kind === "record") noteClass(stmt.bind.type);
    if (stmt.kind === "let" && stmt.expr.kind !== "lambda") noteValue(stmt.expr);
    else if (stmt.kind !== "let") for (const atom of statementGlobals(stmt)) note(atom);
  });
  for (const atom of func.body.result) if (atom.kind === "global") note(atom.name);
  for (const text of func.paramText ?? [])
    if (text?.includes("=") === true) note(text.slice(text.indexOf("=")));
  return names;
}

function statementGlobals(
  stmt: Exclude<Func["body"]["stmts"][number], { kind: "let" }>,
): readonly string[] {
  const atoms = [...stmtAtoms(stmt), ...stmtBodies(stmt).flatMap((body) => body.result)];
  return atoms.filter((atom) => atom.kind === "global").map((atom) => atom.name);
}

/** Whether the text of a call contains the name of the function or its class. */
const isCalledByName = (member: Member | null): boolean =>
  member === null || member.kind === "static" || member.kind === "super" || member.kind === "new";

/** `const a = bog[1];` `const x = bog[2];`  ->  `const a = bog[1], x = bog[2];` */
function joined(lines: readonly TextLine[]): readonly TextLine[] {
  const out: TextLine[] = [];
  const unpacks = /^const ([\p{ID_Continue}$]+ = ([\p{ID_Continue}$]+)\[\d+\]);$/u;
  let open: string | null = null;
  for (const line of lines) {
    const found = unpacks.exec(line.text);
    const last = out.at(-1);
    if (
      found !== null &&
      last !== undefined &&
      open === found[2] &&
      last.indent === line.indent &&
      last.text.length + line.text.length < JOINED
    ) {
      out[out.length - 1] = { ...last, text: `${last.text.slice(0, -1)}, ${found[1] ?? ""};` };
    } else out.push(line);
    open = found?.[2] ?? null;
  }
  return out;
}

const JOINED = 100;
