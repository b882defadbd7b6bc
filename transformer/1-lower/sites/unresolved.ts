// Why the types of a function are unknown: modules and types that TypeScript does not find.
// Bundlers do not report them. In: a function that the static engine refused, with its errors. Out:
// the names that are missing, in what the function names, and in the declarations of that.

import type ts from "typescript";
import type { DeltaCandidate } from "./delta-candidate.ts";
import type { TypeScript } from "../typescript.ts";

export interface Unresolved {
  /** The module's specifier, or the type's name. */
  readonly node: ts.Node;
  readonly text: string;
}

export function unresolvedIn(
  { node, target, errors }: DeltaCandidate,
  program: ts.Program,
  api: TypeScript,
): readonly Unresolved[] {
  const checker = program.getTypeChecker();
  const found = new Map<ts.Node, Unresolved>();
  const seen = new Set<ts.Node>([node ?? target]);
  for (const { span } of errors) {
    const file = program.getSourceFile(span.file);
    if (file !== undefined) seen.add(functionAround(file, span.start, api));
  }
  const note = (at: ts.Node, text: string): void => void found.set(at, { node: at, text });
  const names = (at: ts.Identifier): void => {
    const symbol = checker.getSymbolAtLocation(at);
    if (symbol === undefined) return;
    const isAlias = (symbol.flags & api.SymbolFlags.Alias) !== 0;
    const { declarations } = isAlias ? checker.getAliasedSymbol(symbol) : symbol;
    if (declarations === undefined && !isAlias && isUnknownType(at, api, checker))
      note(at, `the type \`${at.text}\``);
    const missing = declarations === undefined ? missingOf(symbol, at, api, checker) : null;
    if (missing !== null) note(missing.node, missing.text);
    for (const declaration of declarations ?? [])
      if (isFollowed(declaration, program, api)) seen.add(declaration);
  };
  // a set grows while it is gone through
  for (const start of seen) {
    const todo: ts.Node[] = [start];
    for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
      if (api.isIdentifier(at)) names(at);
      const specifier = importedType(at, api);
      if (specifier !== undefined && checker.getSymbolAtLocation(specifier) === undefined)
        note(specifier, `the module \`${specifier.text}\``);
      api.forEachChild(at, (child) => void todo.push(child));
    }
  }
  return [...found.values()];
}

function functionAround(file: ts.SourceFile, position: number, api: TypeScript): ts.Node {
  let found: ts.Node = file;
  const inner = (at: ts.Node): ts.Node | undefined =>
    api.forEachChild(at, (child) =>
      child.pos <= position && position < child.end ? child : undefined,
    );
  for (let at = inner(file); at !== undefined; at = inner(at)) {
    if (found === file || api.isFunctionLike(at)) found = at;
  }
  return found;
}

/** Whether a declaration says what a value is: one of a name around it says more. */
const isFollowed = (node: ts.Declaration, program: ts.Program, api: TypeScript): boolean =>
  !node.getSourceFile().isDeclarationFile &&
  !program.isSourceFileDefaultLibrary(node.getSourceFile()) &&
  (api.isInterfaceDeclaration(node) ||
    api.isTypeAliasDeclaration(node) ||
    api.isClassLike(node) ||
    api.isFunctionDeclaration(node) ||
    api.isVariableDeclaration(node));

/** Whether no type has that name, nor an import. */
const isUnknownType = (at: ts.Identifier, api: TypeScript, checker: ts.TypeChecker): boolean =>
  // `as const` reads as a type of that name
  at.text !== "const" &&
  api.isTypeReferenceNode(at.parent) &&
  !checker.getSymbolsInScope(at, api.SymbolFlags.Alias).some(({ name }) => name === at.text);

/** Why an imported name has no declaration: the module is not found, or lacks it. */
function missingOf(
  symbol: ts.Symbol,
  at: ts.Identifier,
  api: TypeScript,
  checker: ts.TypeChecker,
): Unresolved | null {
  let module: ts.Symbol | undefined;
  const seen = new Set<ts.Symbol>();
  let next: ts.Symbol | undefined = symbol;
  for (; next !== undefined && !seen.has(next); next = checker.getImmediateAliasedSymbol(next)) {
    seen.add(next);
    if ((next.flags & api.SymbolFlags.Alias) === 0) return null;
    const specifier = specifierOf(next, api);
    if (specifier === undefined) continue;
    module = checker.getSymbolAtLocation(specifier);
    if (module === undefined) return { node: specifier, text: `the module \`${specifier.text}\`` };
  }
  // `declare module "*.txt";` says that nothing is known of it
  const isOpen = module?.declarations?.some((node) => api.isModuleDeclaration(node) && !node.body);
  return module === undefined || isOpen === true
    ? null
    : { node: at, text: `\`${at.text}\` in ${module.name}` };
}

function specifierOf(alias: ts.Symbol, api: TypeScript): ts.StringLiteralLike | undefined {
  for (const declaration of alias.declarations ?? []) {
    const from = api.findAncestor(
      declaration,
      (at): at is ts.ImportDeclaration | ts.ExportDeclaration =>
        api.isImportDeclaration(at) || api.isExportDeclaration(at),
    )?.moduleSpecifier;
    if (from !== undefined && api.isStringLiteralLike(from)) return from;
  }
  return undefined;
}

/** `"./types"` of `import("./types").P` in a type. */
const importedType = (node: ts.Node, api: TypeScript): ts.StringLiteralLike | undefined =>
  api.isImportTypeNode(node) &&
  api.isLiteralTypeNode(node.argument) &&
  api.isStringLiteralLike(node.argument.literal)
    ? node.argument.literal
    : undefined;
