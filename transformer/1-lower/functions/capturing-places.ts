// Where code marks a function that captures variables, and the name of its source text. In: the
// function, in the program or in a copy of a package's code. Out: a place in the module that runs;
// null where the host cannot change that. Invariant: functions with other source text have other
// names.

import type ts from "typescript";
import { outermost } from "../../syntax/wrappers.ts";
import type { CapturingPlace } from "../../ir/types.ts";
import type { CopiedCode } from "../services.ts";
import { relative } from "../sites/specifier.ts";
import type { TypeScript } from "../typescript.ts";

export type Literal =
  ts.ArrowFunction | ts.FunctionExpression | ts.FunctionDeclaration | ts.MethodDeclaration;

interface Asking {
  readonly api: TypeScript;
  readonly program: ts.Program;
  readonly packageCode: CopiedCode | undefined;
}

/** A place, and what names the source text there. */
export interface Marked extends CapturingPlace {
  readonly code: string;
}

export function markedPlace(node: Literal, { api, program, packageCode }: Asking): Marked | null {
  const { start, end, ...others } = placeIn(node, api);
  const { fileName: file } = node.getSourceFile();
  if (packageCode?.isCopied(node) !== true)
    return {
      file,
      start,
      end,
      ...others,
      code: `${codeName(node, api)} of ${nameOf(program, file)}`,
    };
  const place = packageCode.changeable({ file, start, end });
  const own = packageCode.changeable({ file, start: node.getStart(), end: node.end });
  if (place === null || own === null) return null;
  // copies differ in the names and the number of functions
  return { ...place, ...others, code: `${own.start} of ${nameOf(program, place.file)}` };
}

/** The same for each machine. */
function nameOf(program: ts.Program, file: string): string {
  const { configFilePath } = program.getCompilerOptions();
  const base = typeof configFilePath === "string" ? configFilePath : undefined;
  const from = base ?? `${program.getCurrentDirectory()}/tsconfig.json`;
  return relative(from, file, "source").replace(/^\.\//, "");
}

function placeIn(node: Literal, api: TypeScript): Omit<CapturingPlace, "file"> {
  const name = node.name !== undefined && api.isIdentifier(node.name) ? node.name.text : "";
  if (api.isFunctionDeclaration(node)) {
    const block = node.parent;
    const statements =
      "statements" in block ? (block.statements as ts.NodeArray<ts.Statement>) : [];
    const at = statements.find((each) => !isDirective(each, api))?.getStart() ?? node.getStart();
    return { start: at, end: at, kind: "declaration", name };
  }
  if (api.isMethodDeclaration(node)) {
    const { parent } = node;
    return { start: parent.getStart(), end: parent.end, kind: "method", name };
  }
  return {
    start: node.getStart(),
    end: node.end,
    kind: "expression",
    name: node.name === undefined ? nameByPlace(node, api) : "",
  };
}

const isDirective = (node: ts.Statement, api: TypeScript): boolean =>
  api.isExpressionStatement(node) && api.isStringLiteral(node.expression);

/** The name that an unnamed function gets from its place. */
function nameByPlace(node: ts.Node, api: TypeScript): string {
  const { parent } = outermost(node, api);
  const name =
    api.isVariableDeclaration(parent) ||
    api.isPropertyAssignment(parent) ||
    api.isPropertyDeclaration(parent) ||
    api.isParameter(parent) ||
    api.isBindingElement(parent)
      ? parent.name
      : api.isBinaryExpression(parent)
        ? parent.left
        : undefined;
  return name !== undefined &&
    (api.isIdentifier(name) || api.isStringLiteral(name) || api.isNumericLiteral(name))
    ? name.text
    : "";
}

/** `createNoise/2`: the declaration at the top of the module, and the function's number in it. */
function codeName(node: ts.Node, api: TypeScript): string {
  let top = node;
  while (!api.isSourceFile(top.parent)) top = top.parent;
  let count = 0;
  let own = 0;
  const visit = (each: ts.Node): void => {
    if (api.isFunctionLike(each)) count++;
    if (each === node) own = count;
    api.forEachChild(each, visit);
  };
  visit(top);
  const [declared] = api.isVariableStatement(top) ? top.declarationList.declarations : [];
  const named =
    declared ?? (api.isFunctionDeclaration(top) || api.isClassDeclaration(top) ? top : undefined);
  const name =
    named?.name !== undefined && api.isIdentifier(named.name) ? named.name.text : "module";
  return `${name}/${own}`;
}
