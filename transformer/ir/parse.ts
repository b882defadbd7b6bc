// Parses the IR syntax, as ir/print.ts writes it or by hand (Note [IR text]). It is the inverse of
// print, except for origins, which are empty. It checks syntax only; ir/check.ts does the rest.

import { NUM, VOID } from "./build.ts";
import { Cursor } from "./lex.ts";
import { ExprParser } from "./parse-expr.ts";
import { parseTypeAt } from "./parse-type.ts";
import { DEFAULT_FILE, defaultHome } from "./print.ts";
import type {
  Body,
  Carried,
  For,
  Func,
  Home,
  NamedType,
  Origin,
  Program,
  Stmt,
  Type,
  Var,
  While,
} from "./types.ts";

const ORIGIN: Origin = { file: "", start: 0, end: 0 };

export function parse(text: string): Program {
  const cursor = new Cursor(text);
  const types = new Map<string, NamedType>();
  const homes = new Map<string, Home>();
  const funcs = new Map<string, Func>();
  const stage = cursor.take("program") ? parseStage(cursor) : "ssa";
  while (cursor.peek().kind !== "end") {
    if (cursor.take("type")) types.set(...parseNamed(cursor));
    else if (cursor.take("home")) homes.set(...parseHome(cursor));
    else {
      const func = new FuncParser(cursor, types, funcs).func();
      funcs.set(func.name, func);
      if (!homes.has(func.home)) homes.set(func.home, defaultHome(func.home));
    }
  }
  return { stage, funcs, types, homes };
}

const parseStage = (cursor: Cursor): Program["stage"] =>
  cursor.take("raw") ? "raw" : cursor.take("ssa") ? "ssa" : cursor.fail("expected raw or ssa");

function parseNamed(cursor: Cursor): [string, NamedType] {
  const name = cursor.name();
  cursor.expect("=");
  const type = parseTypeAt(cursor);
  const text = cursor.take("text") ? cursor.string() : name;
  const scope: string[] = [];
  if (cursor.take("scope")) {
    while (cursor.peek().kind === "string") scope.push(cursor.string());
  } else scope.push(DEFAULT_FILE);
  return [name, { type, text, scope }];
}

function parseHome(cursor: Cursor): [string, Home] {
  const key = cursor.string();
  cursor.expect("file");
  const file = cursor.string();
  cursor.expect("name");
  const name = cursor.string();
  cursor.expect("at");
  const at = cursor.number();
  const scope = cursor.name() === "block" ? "block" : "module";
  cursor.expect("indent");
  return [key, { file, name, at, scope, indent: cursor.string(), origin: ORIGIN }];
}

class FuncParser extends ExprParser {
  func(): Func {
    const cursor = this.cursor;
    cursor.expect("func");
    const name = cursor.name();
    cursor.expect("(");
    const texts: (string | null)[] = [];
    let given = false;
    const params = cursor.list(")", () => {
      const param = this.typedName();
      const text = this.#optionalText();
      given ||= text !== undefined;
      texts.push(text ?? null);
      return param;
    });
    const result = cursor.take("->") ? parseTypeAt(cursor) : null;
    const resultText = this.#optionalText();
    const home = cursor.take("home") ? cursor.string() : name;
    const body = this.block();
    return {
      name,
      home,
      params,
      result: result ?? body.result[0]?.type ?? VOID,
      body,
      origin: ORIGIN,
      /* eslint-disable-next-line @typescript-eslint/no-unnecessary-condition --
         the callback above assigns it */
      ...(given ? { paramText: texts } : {}),
      ...(resultText === undefined ? {} : { resultText }),
    };
  }

  #optionalText(): string | null | undefined {
    if (!this.cursor.take("text")) return undefined;
    return this.cursor.take("null") ? null : this.cursor.string();
  }

  // ------------------------------------------------------------------------------------ statements

  override block(): Body {
    const cursor = this.cursor;
    cursor.expect("{");
    const stmts: Stmt[] = [];
    while (!cursor.is("}") && !cursor.is("yield")) stmts.push(this.#stmt());
    const result = cursor.take("yield") ? this.atoms() : [];
    cursor.expect("}");
    return { stmts, result };
  }

  #stmt(): Stmt {
    const cursor = this.cursor;
    const node = cursor.take("~") ? { origin: ORIGIN, adjoint: true as const } : { origin: ORIGIN };
    const after = cursor.peek(1);
    // A variable may have the name of a statement.
    const named =
      after.kind === "punct" &&
      !after.first &&
      [":", "=", ":=", "[", ".", "+="].includes(after.text);
    return (named ? null : this.#keyword(node)) ?? this.#nameFirst(node);
  }

  #keyword(node: NodeHead): Stmt | null {
    const cursor = this.cursor;
    if (cursor.take("init")) return { ...this.#place(node), initial: true };
    if (cursor.take("define")) return { ...this.#place(node), defines: true };
    if (cursor.take("delete")) return this.#delete(node);
    if (cursor.take("append"))
      return { ...node, kind: "append", object: this.atom(), value: this.atom() };
    if (cursor.take("push"))
      return { ...node, kind: "push", tape: this.atom(), value: this.atom() };
    if (cursor.take("reserve"))
      return { ...node, kind: "reserve", tape: this.atom(), count: this.atom() };
    if (cursor.take("throw")) return { ...node, kind: "throw", value: this.atom() };
    if (cursor.take("fill")) return this.#fill(node);
    if (cursor.take("if")) return this.#if(node);
    if (cursor.is("for") || cursor.is("while")) return this.#loop(node);
    return this.#rawKeyword(node);
  }

  #rawKeyword(node: NodeHead): Stmt | null {
    const cursor = this.cursor;
    if (cursor.take("declare")) {
      const variable = this.typedName();
      return { ...node, kind: "declare", variable, init: cursor.take("=") ? this.atom() : null };
    }
    if (cursor.is("break") || cursor.is("continue")) {
      const kind = cursor.name() === "break" ? "break" : "continue";
      return { ...node, kind, label: cursor.name() };
    }
    if (cursor.take("return"))
      return { ...node, kind: "return", label: cursor.name(), value: this.optionalAtom() };
    if (cursor.take("scope")) return this.#scopeStmt(node);
    if (cursor.take("loop")) {
      const label = cursor.name();
      const loop = this.#loop(node);
      return {
        ...node,
        kind: "loop",
        label,
        loop,
        update: cursor.take("update") ? this.block() : null,
      };
    }
    return null;
  }

  #delete(node: NodeHead): Stmt {
    return {
      ...node,
      kind: "store",
      object: this.atom(),
      key: this.keyIn(),
      value: { kind: "const", type: { kind: "leaf", text: "undefined" }, value: undefined },
      removed: true,
    };
  }

  #fill(node: NodeHead): Stmt {
    const { cursor } = this;
    const [object, value] = [this.atom(), this.atom()];
    const from = cursor.take("from") ? this.atom() : null;
    return {
      ...node,
      kind: "fill",
      object,
      value,
      from,
      to: cursor.take("to") ? this.atom() : null,
    };
  }

  #place(node: NodeHead): Stmt & { readonly kind: "store" } {
    const object = this.atom();
    const key = this.keyIn();
    this.cursor.expect("=");
    return { ...node, kind: "store", object, key, value: this.atom() };
  }

  /** A `let`, an assignment, a store or an accumulation, which all begin with a name or an atom. */
  #nameFirst(node: NodeHead): Stmt {
    const cursor = this.cursor;
    if (cursor.is(":", 1) || cursor.is("=", 1)) {
      const name = cursor.name();
      const type = cursor.take(":") ? parseTypeAt(cursor) : null;
      cursor.expect("=");
      const expr = this.expr();
      return { ...node, kind: "let", bind: this.bind(name, type ?? this.typeOf(name, expr)), expr };
    }
    const object = this.atom();
    if (cursor.take(":=")) {
      if (object.kind !== "var") return cursor.fail("only a variable can be assigned");
      return { ...node, kind: "assign", variable: object, value: this.atom() };
    }
    const key = this.keyIn();
    if (cursor.take("+=")) return { ...node, kind: "accum", object, key, value: this.atom() };
    cursor.expect("=");
    return { ...node, kind: "store", object, key, value: this.atom() };
  }

  #if(node: NodeHead): Stmt {
    const cond = this.atom();
    const joins = this.#joins();
    const then = this.block();
    const otherwise = this.cursor.take("else") ? this.block() : { stmts: [], result: [] };
    const types = then.result.map(
      (atom, i) => (atom.kind === "undef" ? (otherwise.result[i] ?? atom) : atom).type,
    );
    return { ...node, kind: "if", cond, then, else: otherwise, binds: this.#bindAll(joins, types) };
  }

  /** `-> (s.2, x: num)`, optional. The names are bound after the bodies. */
  #joins(): readonly Join[] {
    if (!this.cursor.take("->")) return [];
    this.cursor.expect("(");
    return this.cursor.list(")", () => ({
      name: this.cursor.name(),
      type: this.cursor.take(":") ? parseTypeAt(this.cursor) : null,
    }));
  }

  #bindAll(joins: readonly Join[], types: readonly Type[]): readonly Var[] {
    return joins.map(({ name, type }, i) =>
      this.bind(name, type ?? types[i] ?? this.cursor.fail(`write the type of ${name}`)),
    );
  }

  #scopeStmt(node: NodeHead): Stmt {
    const label = this.cursor.name();
    const joins = this.#joins();
    const body = this.block();
    return { ...node, kind: "scope", label, body, bind: this.#bindAll(joins, [])[0] ?? null };
  }

  #loop(node: NodeHead): For | While {
    const cursor = this.cursor;
    if (cursor.take("while")) {
      const carried = this.#carry();
      const joins = this.#joins();
      const test = this.block();
      cursor.expect("do");
      const body = this.block();
      return { ...node, kind: "while", carried, test, body, binds: this.#lastOf(carried, joins) };
    }
    cursor.expect("for");
    const name = cursor.name();
    const index = this.bind(name, cursor.take(":") ? parseTypeAt(cursor) : NUM);
    cursor.expect("=");
    const from = this.atom();
    const test =
      (["<", "<=", ">", ">="] as const).find((one) => cursor.take(one)) ??
      cursor.fail("expected < <= > or >=");
    const to = this.atom();
    const step = cursor.take("step") ? cursor.number() : test.startsWith("<") ? 1 : -1;
    const vector = cursor.take("vector") ? { vector: true as const } : {};
    const carried = this.#carry();
    const joins = this.#joins();
    const body = this.block();
    const binds = this.#lastOf(carried, joins);
    return { ...node, ...vector, kind: "for", index, from, test, to, step, carried, body, binds };
  }

  /** The names of a loop's last carried values. */
  #lastOf(carried: readonly Carried[], joins: readonly Join[]): readonly Var[] {
    const types = carried.map(({ param }) => param.type);
    return this.#bindAll(joins, types);
  }

  #carry(): readonly Carried[] {
    const cursor = this.cursor;
    if (!cursor.take("carry")) return [];
    cursor.expect("(");
    const heads = cursor.list(")", () => {
      const name = cursor.name();
      const type = cursor.take(":") ? parseTypeAt(cursor) : null;
      cursor.expect("=");
      const init = this.atom();
      return { name, type: type ?? init.type, init };
    });
    return heads.map(({ name, type, init }) => ({ param: this.bind(name, type), init }));
  }
}

interface NodeHead {
  readonly origin: Origin;
  readonly adjoint?: true;
}
interface Join {
  readonly name: string;
  readonly type: Type | null;
}

// Note [IR text]
//
//   program ssa                                         // or raw; optional
//   type Model = {w: num[], b: num} text "Model" scope "main.ts"      // text and scope: optional
//   home "f" file "main.ts" name "f" at 0 module indent ""            // optional
//   func f(x: num, a: Float64Array, m: Model) -> num {
//     n = length a                                      // types of lets: optional if inferable
//     for i = 0 < n step 1 carry (s: num = 0) -> (s.2) {
//       t: num = load a[i]
//       s.1: num = add s t
//       yield s.1
//     }
//     if c -> (y: num) { yield x } else { yield s.2 }
//     while carry (k: num = 0) -> (k.2) { c = lt k n; yield c } do { k.1 = add k 1; yield k.1 }
//     a[i] = x ; init a[i] = x ; a[i] += x ; m.b = x ; t["0"] = x ; append a x
//     fill a x from 0 to n ; push tape x ; throw x
//     ~ d: num = mul x x                                // adjoint
//     yield y
//   }
//
// Raw only: declare x: num = 0 ; x := v ; break L ; continue L ; return L v
//           scope L -> (r: num) { … } ; loop L for … { … }
//           loop L while { … } do { … } update { … }
// Atoms: names, numbers, strings, true, false, null, undefined, undef, @global.
//        `(atom: type)` gives its type, `(@g: T from "file")` its file.
// Types: num, bool, void, leaf"text", opaque"text", T[], Float64Array, [T, U], [x: T, y: U],
//        {a: T}, T?, Name, tape<num>, (T) => U, cotangent<T>.
// A statement is a line; `;` counts as the end of a line; `//` begins a comment.
