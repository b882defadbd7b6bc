// Which files of a program belong to packages, so that a build step must not change them.
// TypeScript takes whatever an import of a package finds for such a file, and does not emit it. A
// bundler compiles TypeScript that a workspace links like any file of the program: it goes by the
// file's real path. Such programs emit nothing themselves.

import type ts from "typescript";

export const isPackageFile = (program: ts.Program, file: ts.SourceFile): boolean =>
  program.isSourceFileFromExternalLibrary(file) &&
  !(program.getCompilerOptions().noEmit === true && isLinkedSource(file));

const isLinkedSource = ({ fileName, isDeclarationFile }: ts.SourceFile): boolean =>
  !isDeclarationFile && /\.[cm]?tsx?$/.test(fileName) && !fileName.includes("/node_modules/");
