// What the names of types mean where. In: names with the symbols that they mention. Out: the files in which each one's text means it.
// Invariant: a file counts only if every symbol of the text is in scope there, under its own name; a class does not mean the records that stand for its instances.

import type ts from "typescript";
import type { NamedType } from "../../ir/types.ts";
import type { TypeScript } from "../context.ts";
import { sealedIn } from "../classes/private-instances.ts";
import { isReference } from "./type-shapes.ts";

export interface Entry {
  readonly text: string;
  /** Every symbol that the text mentions; all must be in scope for the text to hold. */
  readonly symbols: readonly ts.Symbol[];
  /** They are values: `typeof Vec`. */
  readonly values?: true;
}

/** The symbols that the text of a type mentions. */
export function mentioned(
  api: TypeScript,
  checker: ts.TypeChecker,
  type: ts.Type,
  symbol: ts.Symbol,
): ts.Symbol[] {
  const args =
    type.aliasSymbol !== undefined
      ? (type.aliasTypeArguments ?? [])
      : isReference(api, type)
        ? checker.getTypeArguments(type)
        : [];
  const symbols = [symbol];
  for (const arg of args) {
    const inner = arg.aliasSymbol ?? (arg.isClassOrInterface() ? arg.symbol : undefined);
    if (inner !== undefined) symbols.push(...mentioned(api, checker, arg, inner));
  }
  return symbols;
}

export function withScopes(
  api: TypeScript,
  checker: ts.TypeChecker,
  {
    types,
    entries,
  }: {
    readonly types: ReadonlyMap<string, NamedType>;
    readonly entries: ReadonlyMap<string, Entry>;
  },
  files: readonly ts.SourceFile[],
): ReadonlyMap<string, NamedType> {
  const resolved = (symbol: ts.Symbol): ts.Symbol =>
    symbol.flags & api.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const means = (symbol: ts.Symbol, file: ts.SourceFile, values: boolean): boolean => {
    const found = checker.resolveName(
      symbol.name,
      file,
      values ? api.SymbolFlags.Value : api.SymbolFlags.Type,
      false,
    );
    return found !== undefined && resolved(found) === resolved(symbol);
  };
  return new Map(
    [...types].map(([name, named]): [string, NamedType] => {
      if (sealedIn({ kind: "named", name }, types) !== null) return [name, named];
      const { symbols = [], values = false } = entries.get(name) ?? {};
      return [
        name,
        {
          ...named,
          scope: files
            .filter((file) => symbols.every((symbol) => means(symbol, file, values)))
            .map((file) => file.fileName),
        },
      ];
    }),
  );
}

/** Whether some file names one of them without importing it. */
export const hasAmbient = (
  api: TypeScript,
  program: ts.Program,
  entries: Iterable<Entry>,
): boolean =>
  [...entries].some(
    ({ symbols }) =>
      symbols.some((symbol) => isIn(symbol, (node) => isAmbient(node, api, program))) ||
      symbols.every((symbol) =>
        isIn(symbol, (node) => program.isSourceFileDefaultLibrary(node.getSourceFile())),
      ),
  );

const isIn = (symbol: ts.Symbol, test: (node: ts.Node) => boolean): boolean =>
  symbol.declarations?.some(test) === true;

/** Declared by a script, or by `declare global`. */
function isAmbient(node: ts.Node, api: TypeScript, program: ts.Program): boolean {
  const file = node.getSourceFile();
  return (
    !program.isSourceFileDefaultLibrary(file) &&
    (!api.isExternalModule(file) || api.findAncestor(node, api.isModuleDeclaration) !== undefined)
  );
}
