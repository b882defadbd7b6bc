// What the Delta engine asks of packages, and what it gets. In: an import of a user's file that leads into a package. Out: a
// value that may be used as it stands (its functions are linked with an instrumented copy), or why there is none.
// Invariant: `packageValue` only takes note; `packageText` gives the text of everything that was noted for a file.

import type ts from "typescript";

/** How files outside the program are read: `ts.sys` has it; the core itself touches no file system. */
export type PackageSystem = ts.ModuleResolutionHost;

/** One import of a user's file. */
export interface PackageImport {
  /** As the user wrote it: `d3-array`, `three/src/math/Vector3.js`. */
  readonly specifier: string;
  /** `default` for a default import, `*` for the namespace. */
  readonly exportName: string;
  /** The name it has in the user's file: the text that stands for the value. */
  readonly local: string;
  readonly fromFile: string;
}

/** Why a package's code cannot be followed. The engine reports it at the import's use, under the code of the same meaning. */
export type Refusal =
  /** No JavaScript that could be read: native, wasm, or not installed. */
  | { readonly kind: "refused"; readonly why: "no-source"; readonly specifier: string }
  /** There is source but no types, and the option `packages` does not name the package. */
  | { readonly kind: "refused"; readonly why: "untyped"; readonly specifier: string }
  /** It is compiled from a project that the user's refers to, which is not built again where only code in that one changes: a copy would be an old one. */
  | {
      readonly kind: "refused";
      readonly why: "referred";
      readonly specifier: string;
      readonly exportName: string;
    }
  /** The module has no export of that name. */
  | {
      readonly kind: "refused";
      readonly why: "no-export";
      readonly specifier: string;
      readonly exportName: string;
    }
  /** A construct in the package's source that Delta code cannot express. */
  | {
      readonly kind: "refused";
      readonly why: "construct";
      readonly specifier: string;
      readonly message: string;
    };

export type PackageValue =
  /** Use `local` as it stands: what is behind it is linked with the copy when the first run begins. */
  | { readonly kind: "linked" }
  /** Nothing in it has a derivative: a module of Node, JSON. Use `local` as it stands. */
  | { readonly kind: "inert" }
  | Refusal;

export interface PackageText {
  /** Import declarations of Node modules that copies need, to stand with the file's imports. */
  readonly imports: readonly string[];
  /** The copies, then the links: statements, to stand at the end of the file. */
  readonly statements: readonly string[];
  readonly refusals: readonly Refusal[];
  /** Files of packages that the text was made from, for watch mode. */
  readonly dependencies: readonly string[];
}

export interface Packages {
  packageValue(wanted: PackageImport): PackageValue;
  /** Whether a declaration file is what another project of the solution has written. */
  isReferred(file: string): boolean;
  packageText(fromFile: string): PackageText;
}

/** A function expression of a module's form -> its text with ids. The rewriter, without a checker. `original`: the text of the package's file. */
export type RewriteModule = (
  api: typeof ts,
  source: ts.SourceFile,
  wrapper: ts.FunctionExpression,
  original: string,
) => { readonly text: string; readonly problems: readonly string[] };

export interface PackagesHost {
  readonly ts: typeof ts;
  readonly program: ts.Program;
  /** Absent in an editor without a file system: then no package can be read. */
  readonly system?: PackageSystem;
  /** The plugin option `packages`: names of packages without types that may be followed. */
  readonly untyped?: readonly string[];
  readonly rewrite: RewriteModule;
  /** `import("tsgrad/delta")` of emitted text: `$d`. */
  readonly runtime: string;
}
