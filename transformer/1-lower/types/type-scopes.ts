// Finds the files in which the text of a named type means that type.
// A file counts if every symbol of the text is in scope there under its own name.
// The name of a class does not mean the records that its private instances are lowered to.

import type ts from "typescript";
import type { NamedType } from "../../ir/types.ts";
import type { TypeScript } from "../typescript.ts";
import { sealedIn } from "../classes/private-instances.ts";
import { isReference } from "./type-shapes.ts";

export interface Entry {
  readonly text: string;
  /** The symbols that the text mentions. The text is valid where all are in scope. */
  readonly symbols: readonly ts.Symbol[];
  /** The symbols are values, as in `typeof Vec`. */
  readonly values?: true;
}

/** The symbols that the text of a type mentions. */
export function mentioned(
  api: TypeScript,
  checker: ts.TypeChecker,
  type: ts.Type,
  symbol: ts.Symbol,
): ts.Symbol[] {
  const ofReference = (): readonly ts.Type[] =>
    isReference(api, type) ? checker.getTypeArguments(type) : [];
  const args = type.aliasSymbol === undefined ? ofReference() : (type.aliasTypeArguments ?? []);
  const seen = new Set<ts.Type>();
  return [symbol, ...args.flatMap((arg) => inText(arg, seen))];

  /** The symbols of a type argument; one without a name is written out. */
  function inText(one: ts.Type, seen: Set<ts.Type>): readonly ts.Symbol[] {
    if (seen.has(one)) return [];
    seen.add(one);
    const inner = one.aliasSymbol ?? (one.isClassOrInterface() ? one.symbol : undefined);
    if (inner !== undefined) return mentioned(api, checker, one, inner);
    if (one.isUnionOrIntersection()) return one.types.flatMap((part) => inText(part, seen));
    if (isReference(api, one))
      return checker.getTypeArguments(one).flatMap((part) => inText(part, seen));
    if (!(one.flags & api.TypeFlags.Object)) return [];
    return one
      .getProperties()
      .map((property) => checker.getTypeOfSymbol(property))
      .concat(checker.getIndexInfosOfType(one).map((info) => info.type))
      .flatMap((part) => inText(part, seen));
  }
}

/** Adds to each named type the files where its text is valid. */
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

/** Whether some file can name one of the types without importing it. */
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

/** Whether a script or `declare global` declares it. */
function isAmbient(node: ts.Node, api: TypeScript, program: ts.Program): boolean {
  const file = node.getSourceFile();
  return (
    !program.isSourceFileDefaultLibrary(file) &&
    (!api.isExternalModule(file) || api.findAncestor(node, api.isModuleDeclaration) !== undefined)
  );
}
