// Whether a module's constant keeps the contents of its literal.
// Input: a constant. Output: whether code of the program may write into it. The constant is known
// under each name that imports and exports give it. Any other code that receives it may write.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { resolvedSymbol, type Names } from "../checker.ts";
import type { TypeScript } from "../typescript.ts";
import { forEachTarget } from "../assignments.ts";
import type { Frame } from "../frame.ts";
import type { Asking } from "../context.ts";

const WRITTEN = new WeakMap<
  ts.VariableDeclaration,
  {
    readonly checker: ts.TypeChecker;
    readonly written: boolean;
    readonly names: ReadonlySet<string>;
  }
>();

export const queryOf = ({ api, ctx, root }: Frame): Asking => ({
  api,
  checker: ctx.checker,
  program: ctx.program,
  classes: ctx.classes,
  at: root,
});

/** Whether code of the program writes a part of the constant, or passes it to code that may. */
export function isConstantMutated(
  asking: Asking,
  declaration: ts.VariableDeclaration,
  symbol: ts.Symbol,
): boolean {
  const before = WRITTEN.get(declaration);
  const known =
    before?.checker === asking.checker
      ? before
      : { checker: asking.checker, ...writtenInto(asking, declaration, symbol) };
  WRITTEN.set(declaration, known);
  // a default export may be imported under any name
  for (const name of known.names)
    asking.classes.questions.writes(name === DEFAULT ? "import" : name, asking.at);
  return known.written;
}

function writtenInto(
  asking: Asking,
  declaration: ts.VariableDeclaration,
  symbol: ts.Symbol,
): { readonly written: boolean; readonly names: ReadonlySet<string> } {
  const { api } = asking;
  const own = declaration.getSourceFile();
  const files = asking.program
    .getSourceFiles()
    .filter((file) => file === own || !file.isDeclarationFile);
  const names = constantNames(asking, symbol, files);
  const literal = declaration.initializer === undefined ? null : bare(declaration.initializer, api);
  const walk = (node: ts.Node): boolean => {
    if (
      api.isIdentifier(node) &&
      node !== declaration.name &&
      names.has(node.text) &&
      resolvedSymbol(node, asking) === symbol &&
      !isReadWithin(api, node, literal)
    )
      return true;
    return api.forEachChild(node, (child) => walk(child) || undefined) === true;
  };
  const written =
    writesItself(asking, declaration) ||
    files.some((file) => [...names].some((name) => file.text.includes(name)) && walk(file));
  return { written, names };
}

/** Whether a function in the literal may write into it through `this`. */
function writesItself({ api, checker }: Asking, { initializer }: ts.VariableDeclaration): boolean {
  if (initializer === undefined) return false;
  const takesThis = (node: ts.Node): boolean =>
    api.isExpression(node) &&
    checker
      .getTypeAtLocation(node)
      .getCallSignatures()
      .some(({ declaration }) => declaration?.parameters[0]?.name.getText() === "this");
  const inner = namesWithin(bare(initializer, api), api);
  const isPathRead = (node: ts.Expression): boolean => {
    const { parent: access } = node;
    return (
      isOnlyRead(api, node) &&
      (inner.size === 0 ||
        !api.isPropertyAccessExpression(access) ||
        !inner.has(access.name.text) ||
        (api.isPropertyAccessExpression(access.parent) &&
          access.parent.expression === access &&
          isPathRead(access)))
    );
  };
  const walk = (node: ts.Node): boolean => {
    if (node.kind === api.SyntaxKind.ThisKeyword && api.isExpression(node) && !isPathRead(node))
      return true;
    if (
      (api.isIdentifier(node) || api.isPropertyAccessExpression(node)) &&
      isValueOfPart(node, api) &&
      takesThis(node)
    )
      return true;
    return api.forEachChild(node, (child) => walk(child) || undefined) === true;
  };
  return walk(bare(initializer, api));
}

const isValueOfPart = (node: ts.Expression, api: TypeScript): boolean =>
  api.isShorthandPropertyAssignment(node.parent) ||
  api.isArrayLiteralExpression(node.parent) ||
  (api.isPropertyAssignment(node.parent) && node.parent.initializer === node);

const DEFAULT = "default";

/** The renamings in import and export declarations. */
function renamings(
  statement: ts.Statement,
  api: TypeScript,
): readonly (readonly [from: string, to: ts.ModuleExportName])[] {
  if (api.isImportEqualsDeclaration(statement)) {
    const { moduleReference: meant, name } = statement;
    return api.isExternalModuleReference(meant)
      ? []
      : [[api.isQualifiedName(meant) ? meant.right.text : meant.text, name]];
  }
  const clause = api.isImportDeclaration(statement) ? statement.importClause : undefined;
  const own = api.isExportDeclaration(statement) ? statement.exportClause : clause?.namedBindings;
  const named =
    own !== undefined && (api.isNamedImports(own) || api.isNamedExports(own))
      ? [...own.elements]
      : [];
  const renamed = named.flatMap(({ propertyName, name }) =>
    propertyName === undefined ? [] : [[propertyName.text, name] as const],
  );
  return clause?.name === undefined ? renamed : [[DEFAULT, clause.name], ...renamed];
}

/** Whether the file exports the constant by default. */
const isDefaultOf = (file: ts.SourceFile, name: string, symbol: ts.Symbol, names: Names): boolean =>
  file.statements.some(
    (statement) =>
      names.api.isExportAssignment(statement) &&
      names.api.isIdentifier(statement.expression) &&
      statement.expression.text === name &&
      resolvedSymbol(statement.expression, names) === symbol,
  );

/** The constant's names: `table`, and `other` of `import { table as other }` or of a default. */
export function constantNames(
  asking: Names,
  symbol: ts.Symbol,
  files: readonly ts.SourceFile[],
): ReadonlySet<string> {
  const names = new Set([symbol.name]);
  for (const name of names) {
    for (const file of files) {
      if (name !== DEFAULT && !file.text.includes(name)) continue;
      for (const [from, to] of file.statements.flatMap((statement) =>
        renamings(statement, asking.api),
      ))
        if (from === name && resolvedSymbol(to, asking) === symbol) names.add(to.text);
      if (isDefaultOf(file, name, symbol, asking)) names.add(DEFAULT);
    }
  }
  return names;
}

/** Nested object literals that hold functions: `air` of `{ air: { drag: (v) => … } }`. */
export function literalsWithin(
  literal: ts.Expression | null,
  api: TypeScript,
): ReadonlyMap<string, ts.ObjectLiteralExpression> {
  const isOfFunctions = (each: ts.ObjectLiteralExpression): boolean =>
    each.properties.some(
      (part) =>
        api.isMethodDeclaration(part) ||
        (api.isPropertyAssignment(part) &&
          (api.isArrowFunction(part.initializer) || api.isFunctionExpression(part.initializer))),
    ) || literalsWithin(each, api).size > 0;
  return new Map(
    (literal !== null && api.isObjectLiteralExpression(literal) ? literal.properties : []).flatMap(
      (part) => {
        const value =
          api.isPropertyAssignment(part) && api.isIdentifier(part.name)
            ? bare(part.initializer, api)
            : null;
        return api.isPropertyAssignment(part) &&
          value !== null &&
          api.isObjectLiteralExpression(value) &&
          isOfFunctions(value)
          ? [[part.name.getText(), value] as const]
          : [];
      },
    ),
  );
}

function namesWithin(literal: ts.Expression, api: TypeScript): ReadonlySet<string> {
  const within = literalsWithin(literal, api);
  return new Set([...within].flatMap(([name, each]) => [name, ...namesWithin(each, api)]));
}

/** Like `isOnlyRead`, for nested literals as well: they are used only to read a part. */
function isReadWithin(
  api: TypeScript,
  node: ts.Expression,
  literal: ts.Expression | null,
): boolean {
  const within = literalsWithin(literal, api);
  const access = node.parent;
  if (within.size === 0 || !isOnlyRead(api, node)) return isOnlyRead(api, node);
  if (api.isPropertyAccessExpression(access) && access.name === node)
    return isReadWithin(api, access, literal);
  if (isModuleReference(api, access)) return true;
  const inner = api.isPropertyAccessExpression(access) ? within.get(access.name.text) : undefined;
  return (
    api.isPropertyAccessExpression(access) &&
    access.expression === node &&
    (inner === undefined ||
      (api.isPropertyAccessExpression(access.parent) &&
        access.parent.expression === access &&
        isReadWithin(api, access, inner)))
  );
}

/** Whether a use of a constant only reads it. */
function isOnlyRead(api: TypeScript, node: ts.Expression): boolean {
  const access = node.parent;
  if (api.isPropertyAccessExpression(access) && access.name === node)
    return isOnlyRead(api, access);
  if (api.isCallExpression(access) && READERS.test(access.expression.getText())) return true;
  if (isModuleReference(api, access)) return true;
  if (api.isForOfStatement(access) || api.isSpreadElement(access)) return true;
  if (api.isVariableDeclaration(access) && access.initializer === node)
    return !api.isIdentifier(access.name);
  if (!isAccessOf(api, access, node)) return false;
  const around = access.parent;
  if (
    api.isCallExpression(around) &&
    around.expression === access &&
    api.isPropertyAccessExpression(access)
  )
    return !MUTATORS.has(access.name.text);
  return !isTarget(api, access);
}

/** Imports, exports and type queries, which do not read the value. */
const isModuleReference = (api: TypeScript, node: ts.Node): boolean =>
  api.isExportSpecifier(node) ||
  api.isExportAssignment(node) ||
  api.isImportSpecifier(node) ||
  api.isImportClause(node) ||
  api.isTypeQueryNode(node);

const isAccessOf = (
  api: TypeScript,
  access: ts.Node,
  object: ts.Node,
): access is ts.AccessExpression =>
  (api.isPropertyAccessExpression(access) || api.isElementAccessExpression(access)) &&
  access.expression === object;

/** Whether a place is assigned: by `=`, `++` or `delete`, in a pattern, or in a loop head. */
function isTarget(api: TypeScript, place: ts.Expression): boolean {
  let found = false;
  for (let at: ts.Node = place.parent; ; at = at.parent) {
    forEachTarget(api, at, (target) => {
      found ||= target === place;
    });
    if (api.isStatement(at) || api.isFunctionLike(at)) return found;
  }
}

/** Library functions that only read their argument. */
const READERS = /^(Object\.(keys|values|entries|freeze)|console\.\w+)$/;
const MUTATORS: ReadonlySet<string> = new Set([
  "push",
  "pop",
  "shift",
  "unshift",
  "splice",
  "sort",
  "reverse",
  "fill",
  "copyWithin",
  "set",
  "delete",
  "clear",
]);
