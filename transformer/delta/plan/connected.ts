// Groups files that may share values. In: the program's files. Out: a representative for each file.
// Invariant: files joined by imports are together, and so are scripts and files with `import()`.

import type ts from "typescript";

export function connectedFiles(
  files: readonly ts.SourceFile[],
  api: typeof ts,
  checker: ts.TypeChecker,
): (file: ts.SourceFile) => ts.SourceFile | undefined {
  const above = new Map(files.map((file) => [file, file]));
  const top = (file: ts.SourceFile): ts.SourceFile => {
    const next = above.get(file);
    return next === undefined || next === file ? file : top(next);
  };
  const join = (x: ts.SourceFile, z: ts.SourceFile): void => void above.set(top(x), top(z));
  const open = files.filter(
    (file) => !api.isExternalModule(file) || /\b(?:import|require)\s*\(/.test(file.text),
  );
  for (const file of files) {
    for (const statement of file.statements) {
      const specifier =
        api.isImportDeclaration(statement) || api.isExportDeclaration(statement)
          ? statement.moduleSpecifier
          : undefined;
      for (const declaration of (specifier === undefined
        ? undefined
        : checker.getSymbolAtLocation(specifier)
      )?.declarations ?? []) {
        const other = declaration.getSourceFile();
        if (above.has(other)) join(file, other);
      }
    }
    const [first] = open;
    if (first !== undefined && open.includes(file)) join(file, first);
  }
  return (file) => (above.has(file) ? top(file) : undefined);
}
