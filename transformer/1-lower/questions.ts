// What lowering asks of the whole program. In: each such question, and where it is asked. Out: by file, what was asked in it. Invariant: all
// else that decides about a function is in the files that its file imports; whoever keeps results relies on that (transformer/kept).

import type ts from "typescript";

export interface Asked {
  /** What code writes, anywhere (`mayBeIn`): names of constants, into which something may be written, and of members that may be replaced. */
  readonly names: ReadonlySet<string>;
  /** Files of classes: which classes derive from them. */
  readonly bases: ReadonlySet<string>;
  /** Types: which classes fit them. */
  readonly fitting: readonly Fitting[];
}

export interface Fitting {
  /** Where the type is declared; null where no declaration says all of it. */
  readonly type: Place | null;
  /** Files of the classes that fit it. */
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
  readonly fitting: Fitting[];
}

const STANDING = " :";

/** Ends what stands for the member of a name: `run =`, `run\nstop :`, `run as`. No other name has it. */
const ENDS: Readonly<Record<string, (name: string) => RegExp>> = {
  " =": (name) =>
    new RegExp(
      `\\.\\s*${name}\\s*(?:\\?\\?|\\|\\||&&)?=[^=]|["'\`]${name}["'\`]|\\bObject\\s*\\.\\s*assign\\b`,
    ),
  [STANDING]: (name) => new RegExp(`(?<![\\w$.])${name}\\s*[:(,}]`),
  " as": (name) => new RegExp(`(?:\\bas\\s+|<\\s*)(?:[\\w$]+\\s*\\.\\s*)*${name}\\b`),
};

/** Whether a text may write what stands for a constant or, where it is that of a member, replace it. */
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

/** What asks whether the member of that name is replaced in an object. */
export const replacing = (member: string): string => `${member} =`;
/** What asks whether an object literal has members of all these names. */
export const standing = (members: readonly string[]): string => `${members.join("\n")}${STANDING}`;
/** The names that such a question asks about; null for any other. */
export const standingIn = (asked: string): readonly string[] | null =>
  asked.endsWith(STANDING) ? asked.slice(0, -STANDING.length).split("\n") : null;
/** What asks whether something is said to be of a class of that name. */
export const asserting = (called: string): string => `${called} as`;

export class Questions {
  readonly #byFile = new Map<string, Draft>();

  get byFile(): ReadonlyMap<string, Asked> {
    return this.#byFile;
  }

  writes(name: string, at: ts.Node): void {
    this.#of(at).names.add(name);
  }

  subclasses(node: ts.Node, at: ts.Node): void {
    this.#of(at).bases.add(node.getSourceFile().fileName);
  }

  /** `found`: the classes that fit. */
  fitting(type: ts.Type, found: readonly ts.Node[], at: ts.Node, checker: ts.TypeChecker): void {
    const declaration = (
      type.aliasSymbol ?? (type.symbol as ts.Symbol | undefined)
    )?.declarations?.find((node) => checker.getTypeAtLocation(node) === type); // absent for many kinds of types
    const place =
      declaration === undefined
        ? null
        : {
            file: declaration.getSourceFile().fileName,
            pos: declaration.pos,
            end: declaration.end,
            kind: declaration.kind,
          };
    this.#of(at).fitting.push({
      type: place,
      found: new Set(found.map((node) => node.getSourceFile().fileName)),
    });
  }

  #of(at: ts.Node): Draft {
    const { fileName } = at.getSourceFile();
    const draft = this.#byFile.get(fileName) ?? { names: new Set(), bases: new Set(), fitting: [] };
    this.#byFile.set(fileName, draft);
    return draft;
  }
}
