// The interface between the rewriter of one function and its surroundings. In: a name that the
// rewritten code does not declare. Out: its definition in emitted code. Invariant: the resolver
// collects the requests (the engine's worklist); the rewriter never looks outside its node.

import type ts from "typescript";
import type { Code } from "../code/code.ts";
import type { ActivityOf } from "./plan/activity.ts";
import type { LiftedLoop } from "./plan/lifted-loops.ts";
import type { Step, StepRequest } from "./plan/steps.ts";

export type Resolution =
  /** Never written after its initialiser, or never a number: its id is 0. */
  | { readonly kind: "constant" }
  /** Written somewhere: a pseudo object holds its id. `id` reads it, `setId` surrounds a new id. */
  | {
      readonly kind: "outer-variable";
      readonly id: Code;
      readonly setId: readonly [Code, Code];
      readonly value: Code;
    }
  /** `delta` is called with the ids first; `value` is the function itself. */
  | {
      readonly kind: "function";
      readonly node: ts.FunctionLikeDeclaration;
      readonly delta: Code;
      readonly value: Code;
    }
  /** `delta` is the base of a rewritten class; null for a class without a rewritten form. */
  | { readonly kind: "class"; readonly value: Code; readonly delta: Code | null }
  /** A global of the language or the host: `Math`, `Object`, `parseFloat`. */
  | { readonly kind: "native" }
  /** Any other source text for the value; its id is 0. */
  | { readonly kind: "text"; readonly value: Code };

/** The object that has the key of a memo, or the text of a list of variables. */
export type Beside = { readonly owner: ts.Expression } | { readonly variables: Code };

/** `of`: the class whose static member it is. */
export interface PrivateFunction {
  readonly of: Code;
  readonly name: string;
}

export interface Resolver {
  resolve(identifier: ts.Identifier): Resolution;
  /** The rewritten form of an enclosing class's private function: `Net.#predict$delta`, if any. */
  privateFunction?(node: ts.MethodDeclaration): PrivateFunction | null;
  /** What may be kept beside the key of a memo that an operand reads; null where it is none. */
  keyAt?(operand: ts.Expression): Beside | null;
}

export interface RewriteContext {
  readonly ts: typeof ts;
  /** Absent for untyped sources. It is believed only in TypeScript sources. */
  readonly checker: ts.TypeChecker | null;
  /** Whether it is TypeScript's own library. Absent: no call counts as a package's. */
  readonly isLibrary?: (file: ts.SourceFile) => boolean;
  readonly resolver: Resolver;
  /** The emitted code is in a JavaScript file: no annotations. */
  readonly javascript: boolean;
  /** Absent: any argument may be active, and anything is written. */
  readonly activity?: ActivityOf;
  /** As `useDefineForClassFields: false`: fields start after parameter properties. */
  readonly fieldsLast?: boolean;
  /** One node per operation, as `delta(f)` prints them. */
  readonly perOperation?: boolean;
  /** Its calls may be one step of the tape. */
  readonly step?: Step;
  /** Requests a loop as a node of the tape; null: it has not been granted. */
  readonly loopFor?: (wish: LiftedLoop & Pick<StepRequest, "argnums">) => Step | null;
  /** The original is in the same module: a class takes its base from there. */
  readonly isInPlace?: true;
  /** Whether a module of a package gives numbers methods; absent: as its own file says. */
  readonly hasNumberMethods?: boolean;
  /** Whether the program has forms of functions that only run time knows. */
  readonly takesFunctions?: () => boolean;
  /** In packages: the message where such code runs; null where it must be known at build time. */
  readonly deferred?: (node: ts.Node, construct: string) => string | null;
  /** In packages that are not strict: why `this` or `arguments` means something else in a copy. */
  readonly sloppy?: (node: ts.Node) => string | null;
}

/** A line of emitted code; the indent counts levels. */
export interface RewrittenLine {
  readonly indent: number;
  readonly text: Code;
  readonly origin: { readonly file: string; readonly start: number; readonly end: number };
}

/** A construct that cannot be rewritten, worded for `cannot differentiate X`. */
export interface RewriteProblem {
  readonly node: ts.Node;
  readonly construct: string;
  /** It concerns a package that the code calls. */
  readonly isPackage?: boolean;
  /** Default: TSG1301. */
  readonly code?: "TSG1301" | "TSG1303";
}

export interface Rewritten {
  readonly lines: readonly RewrittenLine[];
  /** An operator that needs ids may get a value that is no number. */
  readonly beyond?: boolean;
  readonly problems: readonly RewriteProblem[];
  /** Branches at equality (TSG8006). */
  readonly equalities?: readonly ts.Node[];
}
