// Functions marked `/** @differentiable */`, whose derivatives a package ships.
// Input: the user's files. Output: their names in Program.funcs, and the re-exports of derivatives
// next to each re-export of a primal. A mark without effect is reported.

import type ts from "typescript";
import type { Code } from "../../diagnostics/registry.ts";
import type { ReExport } from "../../ir/facts.ts";
import type { TypeScript } from "../typescript.ts";
import { endOf } from "../checker.ts";
import { type Functions } from "../functions.ts";
import { originOf } from "../../syntax/places.ts";

type Report = (code: Code, at: ts.Node, ...args: readonly string[]) => void;

export interface Marked {
  readonly name: string;
  readonly node: ts.FunctionDeclaration;
}

/** A text search: compilers do not parse the comments of TypeScript sources. */
export const mayBeMarked = (file: ts.SourceFile): boolean => file.text.includes("@differentiable");

/** Registers the marked functions, to be lowered with the rest. */
export function markedFunctions(
  files: readonly ts.SourceFile[],
  functions: Functions,
  { ts: api, checker }: { readonly ts: TypeScript; readonly checker: ts.TypeChecker },
  report: Report,
): readonly Marked[] {
  return files.filter(mayBeMarked).flatMap((file) =>
    file.statements.flatMap((node): Marked[] => {
      if (!isMarked(node, file, api)) return [];
      if (isFollowed(node, api, checker)) return [];
      if (
        !api.isFunctionDeclaration(node) ||
        node.name === undefined ||
        node.body === undefined ||
        !isExported(node, api)
      ) {
        report("TSG1016", node, "this", "it is not an exported function declaration");
        return [];
      }
      const name = functions.register(node, [
        { text: `marked \`@differentiable\``, span: originOf(node.name) },
      ]);
      return name === null ? [] : [{ name, node }];
    }),
  );
}

function isMarked(node: ts.Statement, file: ts.SourceFile, api: TypeScript): boolean {
  const last = api.getLeadingCommentRanges(file.text, node.pos)?.at(-1);
  return (
    last !== undefined && /^\/\*\*[^]*@differentiable\b/.test(file.text.slice(last.pos, last.end))
  );
}

/** Exported functions that take functions or have a rule: programs follow their JavaScript. */
function isFollowed(node: ts.Statement, api: TypeScript, checker: ts.TypeChecker): boolean {
  if (api.isFunctionDeclaration(node))
    return (
      isExported(node, api) &&
      node.parameters.some((one) => checker.getTypeAtLocation(one).getCallSignatures().length > 0)
    );
  return (
    api.isVariableStatement(node) &&
    isExported(node, api) &&
    node.declarationList.declarations.every(
      ({ initializer }) =>
        initializer !== undefined &&
        api.isCallExpression(initializer) &&
        /^custom(?:Vjp|Jvp)$/.test(initializer.expression.getText()),
    )
  );
}

function isExported(
  { modifiers }: { readonly modifiers?: ts.NodeArray<ts.ModifierLike> | undefined },
  api: TypeScript,
): boolean {
  const has = (wanted: ts.SyntaxKind): boolean =>
    modifiers?.some(({ kind }) => kind === wanted) === true;
  return has(api.SyntaxKind.ExportKeyword) && !has(api.SyntaxKind.DefaultKeyword);
}

/** `export { f as g } from "./f.js"` of marked functions. */
export function reExportsOf(
  files: readonly ts.SourceFile[],
  marked: readonly Marked[],
  api: TypeScript,
  checker: ts.TypeChecker,
): readonly ReExport[] {
  if (marked.length === 0) return [];
  const byNode = new Map<ts.Node, string>(marked.map(({ node, name }) => [node, name]));
  return files.flatMap((file) =>
    file.statements.flatMap((statement): ReExport[] => {
      if (
        !api.isExportDeclaration(statement) ||
        statement.isTypeOnly ||
        statement.exportClause === undefined ||
        !api.isNamedExports(statement.exportClause)
      )
        return [];
      const from = statement.moduleSpecifier;
      return statement.exportClause.elements.flatMap((element): ReExport[] => {
        const symbol = element.isTypeOnly
          ? undefined
          : (checker.getExportSpecifierLocalTargetSymbol(element) ??
            checker.getSymbolAtLocation(element.name));
        const declaration =
          symbol === undefined
            ? undefined
            : endOf(symbol, api, checker).declarations?.find((one) => byNode.has(one));
        const target = declaration === undefined ? undefined : byNode.get(declaration);
        if (target === undefined) return [];
        const specifier =
          from !== undefined && api.isStringLiteral(from)
            ? from.text
            : symbol === undefined
              ? null
              : importedFrom(symbol, api);
        const local =
          from !== undefined
            ? (element.propertyName ?? element.name).text
            : symbol === undefined
              ? ""
              : (importedName(symbol, api) ?? element.name.text);
        return [
          {
            file: file.fileName,
            at: statement.end,
            target,
            local,
            exported: element.name.text,
            specifier,
          },
        ];
      });
    }),
  );
}

const importedFrom = (symbol: ts.Symbol, api: TypeScript): string | null => {
  const at = symbol.declarations?.find(api.isImportSpecifier)?.parent.parent.parent.moduleSpecifier;
  return at !== undefined && api.isStringLiteral(at) ? at.text : null;
};

const importedName = (symbol: ts.Symbol, api: TypeScript): string | null => {
  const at = symbol.declarations?.find(api.isImportSpecifier);
  return at === undefined ? symbol.name : (at.propertyName ?? at.name).text;
};
