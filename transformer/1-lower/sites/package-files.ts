// Which files of a program belong to packages, so that a build step must not change them.
// TypeScript takes whatever an import of a package finds for such a file, and does not emit it. A
// bundler compiles TypeScript that a workspace links like any file of the program: it goes by the
// file's real path. Such programs emit nothing themselves.

import type ts from "typescript";
import { memoised } from "../../ir/visit.ts";

export const isPackageFile = (program: ts.Program, file: ts.SourceFile): boolean =>
  (program.isSourceFileFromExternalLibrary(file) &&
    !(program.getCompilerOptions().noEmit === true && isLinkedSource(file))) ||
  isOfTsgrad(program, file);

const isLinkedSource = ({ fileName, isDeclarationFile }: ts.SourceFile): boolean =>
  !isDeclarationFile && /\.[cm]?tsx?$/.test(fileName) && !fileName.includes("/node_modules/");

/** Whether it is a source of tsgrad itself, which its tests link. */
function isOfTsgrad(program: ts.Program, file: ts.SourceFile): boolean {
  const folder = program.isSourceFileFromExternalLibrary(file) ? folderOf(program) : null;
  return folder !== null && file.fileName.startsWith(folder);
}

const folderOf: (program: ts.Program) => string | null = memoised((program: ts.Program) => {
  const entry = program
    .getSourceFiles()
    .find(
      ({ fileName, text }) => /\/runtime\/index\.ts$/.test(fileName) && text.includes("`TSG0001`"),
    );
  return entry === undefined ? null : entry.fileName.slice(0, -"index.ts".length);
});
