// The interface between the engine and packages. In: an import that leads into a package. Out: a
// value linked with an instrumented copy, or why there is none. Invariant: `packageValue` only
// records a request; `packageText` gives the code of all requests of a file.

import type ts from "typescript";
import type { TwinMemo } from "./twin-memo.ts";
import type { Code } from "../../code/code.ts";

/** Reads files outside the program, as `ts.sys`. The core itself touches no file system. */
export interface PackageSystem extends ts.ModuleResolutionHost {
  /** In a host that loads modules itself: what it loads. `usual`: what TypeScript finds. */
  readonly loaded?: (
    specifier: string,
    fromFile: string,
    isRequired: boolean,
    usual: string,
  ) => LoadedModule;
}

/** `inPlace`: the host passes its source through edits. `file` is null where there is none. */
export interface LoadedModule {
  readonly file: string | null;
  readonly inPlace: boolean;
}

export interface PackageImport {
  /** As the user wrote it: `d3-array`, `three/src/math/Vector3.js`. */
  readonly specifier: string;
  /** `default` for a default import, `*` for the namespace. */
  readonly exportName: string;
  /** Its name in the user's file, which is the source text of the value. */
  readonly local: string;
  readonly fromFile: string;
  /** The JavaScript file of the program that it is in. */
  readonly ownFile?: string;
}

/** What a JavaScript file of the program imports. */
export interface OwnImports {
  /** Other such files. */
  readonly files: readonly string[];
  readonly packages: readonly PackageImport[];
}

/** Why a package's code cannot be followed. It is reported where the import is used. */
export type Refusal =
  /** No readable JavaScript: native, wasm, or not installed. */
  | { readonly kind: "refused"; readonly why: "no-source"; readonly specifier: string }
  /** It has no types, and the option `packages` does not name it. */
  | { readonly kind: "refused"; readonly why: "untyped"; readonly specifier: string }
  /** A referenced project compiles it. A change there alone would leave the copy outdated. */
  | {
      readonly kind: "refused";
      readonly why: "referred";
      readonly specifier: string;
      readonly exportName: string;
    }
  | {
      readonly kind: "refused";
      readonly why: "no-export";
      readonly specifier: string;
      readonly exportName: string;
    }
  /** A construct that Delta code cannot express. */
  | {
      readonly kind: "refused";
      readonly why: "construct";
      readonly specifier: string;
      readonly message: string;
    }
  /** State that plain code may change, which a copy does not see. */
  | {
      readonly kind: "refused";
      readonly why: "state";
      /** The module. */
      readonly specifier: string;
      readonly variable: string;
      readonly message: string;
      /** Exports that reach it. */
      readonly exports: readonly string[];
    };

/** An export by the specifier of its module. */
export const exportKey = (specifier: string, exportName: string): string =>
  `${specifier}\n${exportName}`;

/** Text that a module gets, at an offset of its source. */
export interface Insertion {
  readonly at: number;
  readonly text: Code;
}

export type PackageValue =
  /**
   * Use `local` unchanged: its own module links it, or it is linked with the copy when the first
   * execution begins. `cell`: of a variable that its module assigns.
   */
  | { readonly kind: "linked"; readonly cell: Code | null }
  /** It has no derivative: a module of Node, JSON. Use `local` unchanged. */
  | { readonly kind: "inert" }
  | Refusal;

export interface PackageText {
  /** Imports of Node modules that copies need, for the top of the file. */
  readonly imports: readonly string[];
  /** The copies, then the links: statements for the end of the file. */
  readonly statements: readonly string[];
  readonly refusals: readonly Refusal[];
  /** Files of packages that the code depends on, for watch mode. */
  readonly dependencies: readonly string[];
}

export interface Packages {
  packageValue(wanted: PackageImport): PackageValue;
  /** Whether a declaration file is the output of a referenced project. */
  isReferred(file: string): boolean;
  packageText(fromFile: string): PackageText;
  /** Whether a function that makes functions gives like ones at each call. */
  isRepeatable(specifier: string, exportName: string, fromFile: string, given: number): boolean;
  /** Whether the host extends the package's own module, so that no copy is made. */
  isInPlace(specifier: string, fromFile: string): boolean;
  /** Tells of another package whether what it is given may reach code of this one. */
  mayShare(specifier: string, fromFile: string): (other: string, fromFile: string) => boolean;
  /** The program's JavaScript file that a specifier names: it is extended in every host. */
  ownModule(specifier: string, fromFile: string): ts.SourceFile | null;
  /** Extends a whole JavaScript file of the program. */
  extendOwn(file: string): void;
  /** What is reached from such a file. */
  ownImports(file: string): OwnImports;
  /** Edits of modules that are extended, by file. */
  extensions(): ReadonlyMap<string, readonly Insertion[]>;
  /** Says which functions and classes are rewritten; all other code is plain. */
  /** `isHigher`: derivatives are differentiated. */
  rewriting(isRewritten: (node: ts.Node) => boolean, isHigher: boolean): void;
}

/**
 * Rewrites a module's wrapper without a checker. `original`: source text of the package's file.
 * `hasNumberMethods`: some module gives numbers methods.
 */
export type RewriteModule = (
  api: typeof ts,
  source: ts.SourceFile,
  wrapper: ts.FunctionExpression,
  original: string,
  hasNumberMethods: boolean,
) => { readonly text: string; readonly problems: readonly string[] };

export interface PackagesHost {
  readonly ts: typeof ts;
  readonly program: ts.Program;
  /** Absent in an editor without a file system: no package can be read. */
  readonly system?: PackageSystem;
  /** The plugin option `packages`: untyped packages that may be followed. */
  readonly untyped?: readonly string[];
  readonly rewrite: RewriteModule;
  /** Emitted import of `$d`: `import("tsgrad/delta")`. */
  readonly runtime: string;
  /** Twins of earlier analyses. */
  readonly twins?: TwinMemo;
}
