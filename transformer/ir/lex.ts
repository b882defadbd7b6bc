// The tokens of the IR syntax, for ir/parse.ts. A token knows whether it begins a line, since the
// end of a line ends a sequence of atoms.

export interface Token {
  readonly kind: "name" | "quoted" | "string" | "number" | "punct" | "end";
  /** A name or string without its quotes. */
  readonly text: string;
  readonly line: number;
  /** First on its line, or after a `;`. */
  readonly first: boolean;
}

/** A syntax error of hand-written IR. The output of ir/print.ts always parses. */
export class IrSyntaxError extends Error {
  constructor(line: number, message: string) {
    super(`IR text, line ${line}: ${message}`);
    this.name = "IrSyntaxError";
  }
}

const TOKEN = new RegExp(
  [
    "(?<space>[ \\t\\r]+|//[^\\n]*)",
    "(?<line>\\n|;)",
    "(?<name>[\\p{ID_Start}$_][\\p{ID_Continue}$]*(?:~[\\p{ID_Start}$_][\\p{ID_Continue}$]*)?(?:\\.\\d+(?![\\p{ID_Continue}$]))*)",
    "(?<quoted>`[^`\\n]*`)",
    '(?<string>"(?:[^"\\\\\\n]|\\\\.)*")',
    "(?<number>-?(?:\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?|Infinity))",
    "(?<punct>\\.\\.\\.|:=|\\+=|->|=>|<=|>=|[{}\\[\\]():=<>,.?~@|])",
  ].join("|"),
  "uy",
);

export function lex(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let line = 1;
  let first = true;
  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined)
      throw new IrSyntaxError(line, `unexpected ${JSON.stringify(text.slice(at, at + 10))}`);
    at = TOKEN.lastIndex;
    if (groups["space"] !== undefined) continue;
    if (groups["line"] !== undefined) {
      first = true;
      if (groups["line"] === "\n") line++;
      continue;
    }
    tokens.push({ ...classify(groups), line, first });
    first = false;
  }
  tokens.push({ kind: "end", text: "the end", line, first: true });
  return tokens;
}

function classify(
  groups: Readonly<Record<string, string | undefined>>,
): Pick<Token, "kind" | "text"> {
  const { name, quoted, string, number, punct } = groups;
  if (name !== undefined) return { kind: "name", text: name };
  if (quoted !== undefined) return { kind: "quoted", text: decodeURI(quoted.slice(1, -1)) };
  if (string !== undefined) return { kind: "string", text: String(JSON.parse(string)) };
  if (number !== undefined) return { kind: "number", text: number };
  return { kind: "punct", text: punct ?? "" };
}

/** A position in an array of tokens. */
export class Cursor {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = lex(text);
  }

  peek(ahead = 0): Token {
    return (
      this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)] ?? {
        kind: "end",
        text: "the end",
        line: 0,
        first: true,
      }
    );
  }

  next(): Token {
    const token = this.peek();
    this.#at++;
    return token;
  }

  fail(message: string): never {
    throw new IrSyntaxError(this.peek().line, message);
  }

  /** Whether the next token is this word or punctuation. */
  is(text: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return (token.kind === "punct" || token.kind === "name") && token.text === text;
  }

  take(text: string): boolean {
    if (!this.is(text)) return false;
    this.#at++;
    return true;
  }

  expect(text: string): void {
    if (!this.take(text)) this.fail(`expected ${text}, found ${this.peek().text}`);
  }

  name(): string {
    const token = this.next();
    if (token.kind !== "name" && token.kind !== "quoted")
      throw new IrSyntaxError(token.line, `expected a name, found ${token.text}`);
    return token.text;
  }

  string(): string {
    const token = this.next();
    if (token.kind !== "string")
      throw new IrSyntaxError(token.line, `expected a string, found ${token.text}`);
    return token.text;
  }

  number(): number {
    const token = this.next();
    if (token.kind !== "number")
      throw new IrSyntaxError(token.line, `expected a number, found ${token.text}`);
    return Number(token.text);
  }

  /** `item, item close`; the opening token is already taken. */
  list<T>(close: string, item: () => T): readonly T[] {
    const items: T[] = [];
    while (!this.take(close)) {
      items.push(item());
      if (!this.is(close)) this.expect(",");
    }
    return items;
  }
}
