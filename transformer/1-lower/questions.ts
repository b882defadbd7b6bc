// Records the questions that lowering asks about the whole program, by the file that asks.
// Invariant: everything else that a function's output depends on is in the files that its file
// imports. Incremental builds rely on that.

import type ts from "typescript";
import type { FlowingClasses } from "./classes/flowing-classes.ts";
import type { Cell } from "./flow/propagation.ts";
import { type Subject, textOfValues } from "./functions/stored-functions.ts";

export interface AskedQuestions {
  /** What code anywhere may write (`mayBeIn`): names of constants and of members. */
  readonly names: ReadonlySet<string>;
  /** Files of classes whose subclasses matter. */
  readonly bases: ReadonlySet<string>;
  /** Types of places to which instances of classes flow, and places of functions. */
  readonly flows: readonly FlowAnswer[];
}

interface FlowAnswer {
  /** The declaration of the type; null if no single declaration defines it. */
  readonly type: Place | null;
  /** What is asked of a place of functions; null of questions about a type. */
  readonly of: Pick<Subject, "name" | "depth"> | null;
  /** Files of the classes or functions. */
  readonly found: ReadonlySet<string>;
  /** The file that asks. */
  readonly asking: string;
  /** What is equal if the same classes and literals flow there. */
  readonly answer: string;
}

export interface Place {
  readonly file: string;
  readonly pos: number;
  readonly end: number;
  readonly kind: ts.SyntaxKind;
}

interface Draft {
  readonly names: Set<string>;
  readonly bases: Set<string>;
  readonly flows: FlowAnswer[];
  readonly subjects: Map<ts.Node, Set<string>>;
}

/** The suffix of a question whether a member is replaced: `run =`. */
const REPLACED = " =";

/** Whether source text may answer the question: write a constant, or replace a member. */
export function mayBeIn(text: string, asked: string): boolean {
  if (!asked.endsWith(REPLACED)) return text.includes(asked);
  const name = asked.slice(0, -REPLACED.length).replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&");
  return new RegExp(
    `\\.\\s*${name}\\s*(?:\\?\\?|\\|\\||&&)?=[^=]|["'\`]${name}["'\`]|\\bObject\\s*\\.\\s*assign\\b`,
  ).test(text);
}

/** The question whether the member is replaced in an object. */
export const replacementQuestion = (member: string): string => `${member}${REPLACED}`;
/** The text of an answer about flows. */
export const answerOf = ({ classes, hasLiterals }: FlowingClasses): string =>
  [
    ...classes.map((node) => `${node.getSourceFile().fileName} ${node.pos}`).sort(),
    hasLiterals,
  ].join("\n");

export class Questions {
  readonly #byFile = new Map<string, Draft>();

  get byFile(): ReadonlyMap<string, AskedQuestions> {
    return this.#byFile;
  }

  writes(name: string, at: ts.Node): void {
    this.#of(at).names.add(name);
  }

  subclasses(node: ts.Node, at: ts.Node): void {
    this.#of(at).bases.add(node.getSourceFile().fileName);
  }

  flowing(type: ts.Type, found: FlowingClasses, at: ts.Node, checker: ts.TypeChecker): void {
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-assertion -- often absent
    const symbol = type.aliasSymbol ?? (type.symbol as ts.Symbol | undefined);
    const declaration = symbol?.declarations?.find(
      (node) => checker.getTypeAtLocation(node) === type,
    );
    this.#of(at).flows.push({
      type: declaration === undefined ? null : placeOf(declaration),
      of: null,
      found: new Set(found.classes.map((node) => node.getSourceFile().fileName)),
      asking: at.getSourceFile().fileName,
      answer: answerOf(found),
    });
  }

  /** `found`: null of a program that is too large. */
  values({ node, name, depth }: Subject, found: readonly Cell[] | null, at: ts.Node): void {
    const { subjects } = this.#of(at);
    const asked = subjects.get(node) ?? new Set();
    const question = `${depth} ${name ?? ""}`;
    if (asked.has(question)) return;
    subjects.set(node, asked.add(question));
    const files = (found ?? []).flatMap(({ node: made }) => made?.getSourceFile().fileName ?? []);
    this.#of(at).flows.push({
      type: placeOf(node),
      of: { name, depth },
      found: new Set(files),
      asking: at.getSourceFile().fileName,
      answer: textOfValues(found),
    });
  }

  #of(at: ts.Node): Draft {
    const { fileName } = at.getSourceFile();
    const draft = this.#byFile.get(fileName) ?? {
      names: new Set(),
      bases: new Set(),
      flows: [],
      subjects: new Map(),
    };
    this.#byFile.set(fileName, draft);
    return draft;
  }
}

const placeOf = (node: ts.Node): Place => ({
  file: node.getSourceFile().fileName,
  pos: node.pos,
  end: node.end,
  kind: node.kind,
});
