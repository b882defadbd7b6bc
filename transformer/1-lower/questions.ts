// Records the questions that lowering asks about the whole program, by the file that asks.
// Invariant: everything else that a function's output depends on is in the files that its file
// imports. Incremental builds rely on that.

import type ts from "typescript";

export interface AskedQuestions {
  /** What code anywhere may write (`mayBeIn`): names of constants and of members. */
  readonly names: ReadonlySet<string>;
  /** Files of classes whose subclasses matter. */
  readonly bases: ReadonlySet<string>;
  /** Types whose implementing classes matter. */
  readonly implementers: readonly Fitting[];
}

interface Fitting {
  /** The declaration of the type; null if no single declaration defines it. */
  readonly type: Place | null;
  /** Files of the classes that implement it. */
  readonly found: ReadonlySet<string>;
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
  readonly implementers: Fitting[];
}

const STANDING = " :";

/** The suffixes of questions other than plain names: `run =`, `run\nstop :`, `run as`. */
const ENDS: Readonly<Record<string, (name: string) => RegExp>> = {
  " =": (name) =>
    new RegExp(
      `\\.\\s*${name}\\s*(?:\\?\\?|\\|\\||&&)?=[^=]|["'\`]${name}["'\`]|\\bObject\\s*\\.\\s*assign\\b`,
    ),
  [STANDING]: (name) => new RegExp(`(?<![\\w$.])${name}\\s*[:(,}]`),
  " as": (name) => new RegExp(`(?:\\bas\\s+|<\\s*)(?:[\\w$]+\\s*\\.\\s*)*${name}\\b`),
};

/** Whether source text may answer the question: write a constant, or replace a member. */
export function mayBeIn(text: string, asked: string): boolean {
  const end = Object.keys(ENDS).find((each) => asked.endsWith(each));
  if (end === undefined) return text.includes(asked);
  return asked
    .slice(0, -end.length)
    .split("\n")
    .every(
      (name) =>
        (end === " =" || text.includes(name)) &&
        ENDS[end]?.(name.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&")).test(text) === true,
    );
}

/** The question whether the member is replaced in an object. */
export const replacementQuestion = (member: string): string => `${member} =`;
/** The question whether an object literal has members of all these names. */
export const literalQuestion = (members: readonly string[]): string =>
  `${members.join("\n")}${STANDING}`;
/** The names of such a question; null for any other. */
export const namesInLiteralQuestion = (asked: string): readonly string[] | null =>
  asked.endsWith(STANDING) ? asked.slice(0, -STANDING.length).split("\n") : null;
/** The question whether something is asserted to be of a class of that name. */
export const assertionQuestion = (called: string): string => `${called} as`;

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

  /** `found`: the classes that implement the type. */
  fitting(type: ts.Type, found: readonly ts.Node[], at: ts.Node, checker: ts.TypeChecker): void {
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-assertion -- often absent
    const symbol = type.aliasSymbol ?? (type.symbol as ts.Symbol | undefined);
    const declaration = symbol?.declarations?.find(
      (node) => checker.getTypeAtLocation(node) === type,
    );
    const place =
      declaration === undefined
        ? null
        : {
            file: declaration.getSourceFile().fileName,
            pos: declaration.pos,
            end: declaration.end,
            kind: declaration.kind,
          };
    this.#of(at).implementers.push({
      type: place,
      found: new Set(found.map((node) => node.getSourceFile().fileName)),
    });
  }

  #of(at: ts.Node): Draft {
    const { fileName } = at.getSourceFile();
    const draft = this.#byFile.get(fileName) ?? {
      names: new Set(),
      bases: new Set(),
      implementers: [],
    };
    this.#byFile.set(fileName, draft);
    return draft;
  }
}
