// The results of compilation, as types. Group results are joined into one `Compiled`, which
// `explain` and the hosts read.

import type ts from "typescript";
import type { AskedQuestions, DeltaCandidate, JavaScript } from "../1-lower/index.ts";
import type { Differentiated } from "../3-differentiate/index.ts";
import type { EmitInput } from "../5-emit/emit.ts";
import type { ArrayDerivative } from "./arrays.ts";
import type { DeltaPlanned } from "../delta/plan/engine-sites.ts";
import type { LoadedModule, PackageSystem, TwinMemo } from "../delta/packages/index.ts";
import type { Diagnostic } from "../diagnostics/report.ts";
import type { PackageCode } from "./package-code/package-code.ts";
import type { Group } from "./groups.ts";
import type { CallSite, Derived, Edit, FunctionFacts, ReExport, Shipped } from "../ir/facts.ts";
import type { Func, NamedType, Program } from "../ir/types.ts";

export type { LoadedModule, PackageSystem };

/** Facts of a function for its active arguments; `split` for a `revf`/`revr` pair. */
export type FactsOf = (func: Func, active: readonly number[], split: boolean) => FunctionFacts;

export interface Compiled {
  /** The user's functions in SSA form, before any call is inlined. */
  readonly primal: Program;
  /** The same after inlining: the functions that are differentiated. */
  readonly inlined: Program;
  readonly sites: readonly CallSite[];
  readonly made: Differentiated;
  /**
   * Array code by derivative's name, for functions that use tsgrad/vector; or why there is none.
   */
  readonly arrays: ReadonlyMap<string, ArrayDerivative>;
  readonly factsOf: FactsOf;
  /** Optimised derivatives, in the order of emission, and the types they mention. */
  readonly derived: readonly Derived[];
  readonly types: ReadonlyMap<string, NamedType>;
  readonly diagnostics: readonly Diagnostic[];
  readonly dependencies: ReadonlyMap<string, readonly string[]>;
  /** Functions whose derivatives other programs may call. */
  readonly shipped: readonly Shipped[];
  readonly reExports: readonly ReExport[];
  /** The sites of the Delta engine. */
  readonly delta: DeltaPlanned<DeltaCandidate>;
  /** The results of each group. */
  readonly parts: readonly Part[];
  /** Questions that lowering asked about the whole program, by file. */
  readonly asked: ReadonlyMap<string, AskedQuestions>;
  /**
   * Whether the parts say everything: each site is in one, and no diagnostic stands outside them.
   */
  readonly isWhole: boolean;
}

export interface Emitted {
  readonly edits: ReadonlyMap<string, readonly Edit[]>;
  /** The edits of each group. */
  readonly parts: readonly ReadonlyMap<string, readonly Edit[]>[];
  /** Source of a derived function and of what it calls in its file. */
  readonly source: (func: string) => string;
}

export interface CompileHost {
  readonly ts: typeof ts;
  readonly program: ts.Program;
  /** See Host in analyse.ts. */
  readonly system?: PackageSystem;
  readonly packages?: readonly string[];
  readonly engine?: "static";
  /** "nan": derivatives stop at the first number that is not finite. */
  readonly debug?: "nan";
  /** Code of packages that `program` has after the user's code. */
  readonly packageCode?: PackageCode;
  readonly javascript?: JavaScript;
  /** See LowerHost in 1-lower/services.ts. */
  readonly followsShipped?: true;
  /** Twins of earlier programs' packages. */
  readonly twins?: TwinMemo;
}

/** The outside of a group: source texts, import specifiers and options. */
export interface Surroundings {
  /** Text of a file; "" for an unknown one. */
  readonly files: (file: string) => string;
  /** How one file imports another. */
  readonly specifier: (fromFile: string, toFile: string) => string;
  readonly options: EmitInput["options"];
}

/** What a group and the whole program have in common. */
type Shared =
  | "primal"
  | "inlined"
  | "sites"
  | "made"
  | "arrays"
  | "factsOf"
  | "derived"
  | "types"
  | "shipped"
  | "reExports";

/** The result of one group of call sites. */
export interface Part extends Pick<Compiled, Shared> {
  readonly group: Group;
  /** Errors and warnings of this group. */
  readonly diagnostics: readonly Diagnostic[];
  /** Sites with errors that the Delta engine may still answer. */
  readonly failed: readonly DeltaCandidate[];
  /** Errors of sites and functions that only the static engine may answer. */
  readonly standingErrors: readonly Diagnostic[];
}
