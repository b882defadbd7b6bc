// Whether a module's constant keeps the parts that its literal gives it. In: a constant. Out: whether some code of the program may write into it.
// Invariant: a constant is known under each name that imports and exports give it; whatever else it is handed to may write.

import type ts from "typescript";
import { symbolMeant, type Names } from "../checker.ts";
import type { Classes } from "../classes/classes.ts";
import type { TypeScript } from "../context.ts";
import { forEachTarget } from "../effects.ts";
import type { Frame } from "../frame.ts";
import { unwrap } from "../unwrap.ts";

const WRITTEN = new WeakMap<
  ts.VariableDeclaration,
  {
    readonly checker: ts.TypeChecker;
    readonly written: boolean;
    readonly names: ReadonlySet<string>;
  }
>();

/** Who asks, and of what program. */
export interface Asking extends Names {
  readonly program: ts.Program;
  readonly classes: Classes;
  /** Where it is asked. */
  readonly at: ts.Node;
}

export const askingOf = ({ api, ctx, root }: Frame): Asking => ({
  api,
  checker: ctx.checker,
  program: ctx.program,
  classes: ctx.classes,
  at: root,
});

/** Whether some code of the program writes a part of the constant, or hands it to code that may. */
export function isWrittenInto(
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
  // a default may be imported under any name
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
  const names = namesOf(asking, symbol, files);
  const literal =
    declaration.initializer === undefined ? null : unwrap(declaration.initializer, api);
  const walk = (node: ts.Node): boolean => {
    if (
      api.isIdentifier(node) &&
      node !== declaration.name &&
      names.has(node.text) &&
      symbolMeant(node, asking) === symbol &&
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

/** Whether a function in the literal may write into it by `this`, which a call of it as a method hands over. */
function writesItself({ api, checker }: Asking, { initializer }: ts.VariableDeclaration): boolean {
  if (initializer === undefined) return false;
  const takesThis = (node: ts.Node): boolean =>
    api.isExpression(node) &&
    checker
      .getTypeAtLocation(node)
      .getCallSignatures()
      .some(({ declaration }) => declaration?.parameters[0]?.name.getText() === "this");
  const inner = namesWithin(unwrap(initializer, api), api);
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
  return walk(unwrap(initializer, api));
}

const isValueOfPart = (node: ts.Expression, api: TypeScript): boolean =>
  api.isShorthandPropertyAssignment(node.parent) ||
  api.isArrayLiteralExpression(node.parent) ||
  (api.isPropertyAssignment(node.parent) && node.parent.initializer === node);

const DEFAULT = "default";

/** Names in import and export declarations that call something otherwise. */
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
      symbolMeant(statement.expression, names) === symbol,
  );

/** What the constant is called: `table`, and `other` of `import { table as other }`, `export { table as other }` or of what its module exports by default. */
export function namesOf(
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
        if (from === name && symbolMeant(to, asking) === symbol) names.add(to.text);
      if (isDefaultOf(file, name, symbol, asking)) names.add(DEFAULT);
    }
  }
  return names;
}

/** Object literals with functions of their own that stand in a literal: `air` of `{ air: { drag: (v) => … } }`. */
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
            ? unwrap(part.initializer, api)
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

/** The same of what stands within: nobody gets hold of it but to read a part. */
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
  if (
    api.isExportSpecifier(access) ||
    api.isExportAssignment(access) ||
    api.isImportSpecifier(access) ||
    api.isImportClause(access) ||
    api.isTypeQueryNode(access)
  )
    return true;
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

function isOnlyRead(api: TypeScript, node: ts.Expression): boolean {
  const access = node.parent;
  if (api.isPropertyAccessExpression(access) && access.name === node)
    return isOnlyRead(api, access);
  if (api.isCallExpression(access) && READERS.test(access.expression.getText())) return true;
  if (
    api.isExportSpecifier(access) ||
    api.isExportAssignment(access) ||
    api.isImportSpecifier(access) ||
    api.isImportClause(access) ||
    api.isTypeQueryNode(access) ||
    api.isForOfStatement(access) ||
    api.isSpreadElement(access)
  )
    return true;
  if (api.isVariableDeclaration(access) && access.initializer === node)
    return !api.isIdentifier(access.name);
  if (
    !(api.isPropertyAccessExpression(access) || api.isElementAccessExpression(access)) ||
    access.expression !== node
  )
    return false;
  const around = access.parent;
  if (
    api.isCallExpression(around) &&
    around.expression === access &&
    api.isPropertyAccessExpression(access)
  )
    return !CHANGES.has(access.name.text);
  return !isTarget(api, access);
}

/** Whether it is assigned: by `=`, `++` or `delete`, as part of a pattern, or by the head of a loop. */
function isTarget(api: TypeScript, place: ts.Expression): boolean {
  let found = false;
  for (let at: ts.Node = place.parent; ; at = at.parent) {
    forEachTarget(api, at, (target) => {
      found ||= target === place;
    });
    if (api.isStatement(at) || api.isFunctionLike(at)) return found;
  }
}

/** Library functions that only look. */
const READERS = /^(Object\.(keys|values|entries|freeze)|console\.\w+)$/;
const CHANGES: ReadonlySet<string> = new Set([
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
