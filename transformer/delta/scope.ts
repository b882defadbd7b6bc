// What the rewriter of one function asks of its surroundings, and what it gives back. In: a name that the rewritten code does not
// declare itself. Out: what the name stands for in emitted text. Invariant: the resolver collects what was asked for (the
// engine's worklist); the rewriter itself never looks outside the node it was given.

import type ts from "typescript";
import type { ActivityOf } from "./plan/activity.ts";
import type { KeptCell, LookCell } from "./kept/cells.ts";
import type { Step } from "./plan/steps.ts";

export type Resolution =
  /** A variable of code around the rewritten node that is rewritten too, and so has its companion id. */
  | { readonly kind: "local" }
  /** Never written after its initialiser, or holds no number: its id is 0. */
  | { readonly kind: "constant" }
  /** Written somewhere: its id is kept under a pseudo object. `id`: what reads it; `setId`: what stands before and behind the one that it gets. `value`: how it is read. */
  | {
      readonly kind: "outer-variable";
      readonly id: string;
      readonly setId: readonly [string, string];
      readonly value: string;
    }
  /** `delta` is what a call calls, with the ids first; `value` is the function itself. */
  | {
      readonly kind: "function";
      readonly node: ts.FunctionLikeDeclaration;
      readonly delta: string;
      readonly value: string;
    }
  /** `delta` is what a rewritten class extends; null for a class that stays as it is. */
  | { readonly kind: "class"; readonly value: string; readonly delta: string | null }
  /** A global of the language or the host: `Math`, `Object`, `parseFloat`. */
  | { readonly kind: "native" }
  /** Any other text that stands for the value; its id is 0. */
  | { readonly kind: "text"; readonly value: string };

export interface Resolver {
  resolve(identifier: ts.Identifier): Resolution;
  /** The rewritten form of a private function of the class around the code: `Net.#predict$delta`. Absent, or null: it has none. */
  privateFunction?(
    node: ts.MethodDeclaration,
  ): { readonly of: string; readonly name: string } | null;
  /** Fields of a class that an earlier run may have left, each with what knows. Absent: none. */
  keptFields?(node: ts.ClassLikeDeclaration): readonly KeptCell[];
  /** The same of places of other objects: what is asked in front of a statement or a body. Absent: nothing. */
  looksAt?(node: ts.Node): readonly LookCell[];
}

export interface RewriteContext {
  readonly ts: typeof ts;
  /** Absent for sources without types. It is believed only in TypeScript sources. */
  readonly checker: ts.TypeChecker | null;
  /** Files of TypeScript's own library, whose types are right. Absent: no function is taken for a package's. */
  readonly isLibrary?: (file: ts.SourceFile) => boolean;
  readonly resolver: Resolver;
  /** The emitted text stands in a JavaScript file: no annotations. */
  readonly javascript: boolean;
  /** Absent: anything may be given to the function, and anything is written. */
  readonly activity?: ActivityOf;
  /** Fields of a class begin behind its parameter properties, as `useDefineForClassFields: false` has it: in a class that has both, the constructor writes them. */
  readonly fieldsLast?: boolean;
  /** A node for each operation, as `delta(f)` prints them. */
  readonly perOperation?: boolean;
  /** Its calls may be one step of the tape. */
  readonly step?: Step;
  /** In packages: what is said where code that cannot be rewritten is reached at run time; null where that must be known before. */
  readonly deferred?: (node: ts.Node, construct: string) => string | null;
}

/** A line of emitted code; the indent counts levels. */
export interface RewrittenLine {
  readonly indent: number;
  readonly text: string;
  readonly origin: { readonly file: string; readonly start: number; readonly end: number };
}

/** A function that computes one number from numbers, and meets nothing on the way that depends on them: its partials are known with its value. */
export interface Preaccumulated {
  /** Statements. */
  readonly lines: readonly string[];
  readonly value: string;
  /** By the text of an id. */
  readonly partials: ReadonlyMap<string, string>;
}

/** What cannot be rewritten: the construct in words, for a message `cannot differentiate X`. */
export interface RewriteProblem {
  readonly node: ts.Node;
  readonly construct: string;
  /** It is about a package that the code calls. */
  readonly isPackage?: boolean;
}

export interface Rewritten {
  readonly lines: readonly RewrittenLine[];
  /** An operator that needs ids may meet what is no number. */
  readonly beyond?: boolean;
  readonly problems: readonly RewriteProblem[];
  readonly preaccumulated?: Preaccumulated | null;
}
