// The items of a plan. In: rewritten lines. Out: items with their text, and names in each file.
// Invariant: an item is emitted with all it needs, or not at all.

import type ts from "typescript";
import { code, type Code, id, list, literal, NOTHING } from "../../code/code.ts";
import type { LiteralMember } from "../literal-members.ts";
import type { Beside } from "./kept-functions.ts";
import type { Behind, Place } from "./places.ts";
import type { StepRequest } from "./steps.ts";
import type { RewriteProblem, RewrittenLine } from "../scope.ts";

export interface Item {
  readonly node: ts.Node;
  /** Its name in its own file. */
  readonly name: Code;
  readonly file: ts.SourceFile;
  /** Where it is hoisted to; null where it follows a statement, or is in place. */
  readonly place: Place | null;
  readonly behind: Behind | null;
  readonly needs: Set<Item>;
  /** Items emitted if possible: without one, the runtime refuses the call. */
  readonly soft: Set<Item>;
  lines: readonly RewrittenLine[];
  problems: readonly RewriteProblem[];
  /** Branches at equality in it (TSG8006). */
  equalities?: readonly ts.Node[];
  /** An operator in it may have an operand that is no number. */
  beyond?: boolean;
  /** Loops in it that may be nodes of the tape. */
  readonly loops: Map<ts.Node, StepRequest>;
  /** Problems of its surroundings. */
  blocked?: readonly RewriteProblem[];
  isExported: boolean;
  /** A member that is added to the user's class. */
  inside?: { readonly at: number; readonly lead: Code; readonly text: Code };
  /** It is a static member of the class whose private method it rewrites. */
  isMember?: true;
  /** It is an argument next to the function: `$d.link((x) => …, function f$delta …)`. */
  beside?: Beside;
  /** Where it names exports of packages, by specifier and name. */
  packageUses?: Map<string, ts.Node>;
}

export const isJavaScript = (file: ts.SourceFile): boolean => /\.[cm]?jsx?$/.test(file.fileName);

export const madeItem = (
  node: ts.Node,
  name: Code,
  where: Partial<Pick<Item, "place" | "behind">>,
): Item => ({
  node,
  name,
  file: node.getSourceFile(),
  place: where.place ?? null,
  behind: where.behind ?? null,
  needs: new Set(),
  soft: new Set(),
  loops: new Map(),
  lines: [],
  problems: [],
  isExported: false,
});

/** Whether its lines are an expression in the call itself. */
export const isInPlace = ({ place, behind }: Item): boolean => place === null && behind === null;

/** A name of one file that another file's generated code imports. */
export interface NamedImport {
  readonly file: string;
  readonly from: string;
  readonly name: string;
  readonly local: string;
}

export class Names {
  /** By the item whose text mentions them. */
  readonly imports = new Map<Item, NamedImport[]>();
  readonly #words = new Map<ts.SourceFile, Set<string>>();
  readonly #locals = new Map<string, Code>();

  /** The run time's name in a file: the first that the user does not have. */
  runTime(file: ts.SourceFile): string {
    const taken = this.#wordsOf(file);
    return ["$d", "$e", "$g", "$h", "$k"].find((name) => !taken.has(name)) ?? "$d$d";
  }

  #wordsOf(file: ts.SourceFile): Set<string> {
    const taken =
      this.#words.get(file) ??
      new Set(
        Array.from(file.text.matchAll(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu), ([word]) => word),
      );
    this.#words.set(file, taken);
    return taken;
  }

  claim(file: ts.SourceFile, wanted: string): Code {
    const taken = this.#wordsOf(file);
    let name = wanted;
    for (let number = 1; taken.has(name); number++) name = `${wanted}${number}`;
    taken.add(name);
    return id(name);
  }

  /** An item's name in the text of another item. */
  inFile(item: Item, by: Item): Code {
    if (item.file === by.file) return item.name;
    const local = this.inOther(item, by.file);
    this.imports.set(by, [
      ...(this.imports.get(by) ?? []),
      { file: by.file.fileName, from: item.file.fileName, name: item.name, local },
    ]);
    return local;
  }

  /** Retains only those imports that the item's text mentions. */
  keep(by: Item, words: ReadonlySet<string>): void {
    const all = this.imports.get(by);
    if (all !== undefined)
      this.imports.set(
        by,
        all.filter(({ local }) => words.has(local)),
      );
  }

  inOther(item: Item, file: ts.SourceFile): Code {
    if (item.file === file) return item.name;
    item.isExported = true;
    const key = `${file.fileName}\n${item.file.fileName}\n${item.name}`;
    const local = this.#locals.get(key) ?? this.claim(file, item.name);
    this.#locals.set(key, local);
    return local;
  }
}

/** Items and all that they need, without optional items that have problems. */
export function withNeeds(roots: readonly Item[]): {
  readonly items: ReadonlySet<Item>;
  readonly problems: readonly RewriteProblem[];
} {
  const items = new Set<Item>();
  const hard = closure(roots);
  for (const item of hard) items.add(item);
  for (const item of items) {
    for (const other of item.soft) {
      const all = closure([other]);
      if (problemsOf(all).length === 0) for (const one of all) items.add(one);
    }
  }
  return { items, problems: problemsOf(hard) };
}

/** All items that may execute when this one does. */
export function reachOf(root: Item): readonly Item[] {
  const found = new Set([root]);
  for (const item of found) for (const other of [...item.needs, ...item.soft]) found.add(other);
  return [...found];
}

function closure(roots: readonly Item[]): ReadonlySet<Item> {
  const found = new Set(roots);
  for (const item of found) for (const other of item.needs) found.add(other);
  return found;
}

const problemsOf = (items: ReadonlySet<Item>): readonly RewriteProblem[] =>
  [...items].flatMap((item) => [...item.problems, ...(item.blocked ?? [])]);

type Origin = RewrittenLine["origin"];

export const classLines = (
  lines: readonly RewrittenLine[],
  name: Code,
  deltaName: Code,
  origin: Origin,
): readonly RewrittenLine[] => [
  ...lines,
  { indent: 0, text: code`$d.linkClass(${name}, ${deltaName});`, origin },
];

/** Turns an expression's lines into `const name = …;`. */
export const constLines = (lines: readonly RewrittenLine[], name: Code): readonly RewrittenLine[] =>
  lines.map((line, i) => ({
    ...line,
    text: code`${i === 0 ? code`const ${name} = ` : NOTHING}${line.text}${i === lines.length - 1 ? code`;` : NOTHING}`,
  }));

/** A member that its object has to be given for. */
export interface Member extends LiteralMember {
  readonly object: Code;
}

export const linkLines = (
  links: readonly {
    readonly path: Code;
    readonly member?: Member;
    readonly delta: Code;
  }[],
  origin: Origin,
): readonly RewrittenLine[] =>
  links.map(({ path, member, delta }) => ({
    indent: 0,
    text:
      member === undefined
        ? code`$d.link(${path}, ${delta});`
        : code`$d.linkObject(${member.object}, [${list([member.key, literal(member.kind), delta])}]);`,
    origin,
  }));
