// Lowers identifiers for their values: locals, global constants, and variables of enclosing scopes.
// Invariant: a captured variable is a `global` atom only if nothing assigns it and the home file of
// the derivative can name it.

import type ts from "typescript";
import { bare } from "../syntax/wrappers.ts";
import { num } from "../ir/build.ts";
import type { Atom, Type } from "../ir/types.ts";
import { asOptional, UNDEFINED } from "./coerce.ts";
import { isFixedInIteration } from "./effects.ts";
import { mayAssign, isReassigned } from "./assignments.ts";
import type { Frame } from "./frame.ts";
import type { Binding } from "./function-values.ts";
import { type Cell, cellOf, isOfModule, readCell } from "./objects/cells.ts";
import { flowsToOptionalPlace } from "./objects/undefined-reads.ts";
import { variableIdentity } from "./names/variable-identity.ts";
import { lowerExpr } from "./lowering.ts";
import { methodOfLiteral } from "./classes/structural-implementers.ts";
import { isOfNamespace, isOpenInNamespace, namespaceOf } from "./names/namespaces.ts";
import { aliasedConstant } from "./names/aliases.ts";
import { constantOfModule, isNumeric, mayBeExported } from "./names/other-modules.ts";

import { narrowed } from "./narrowing.ts";
import { isInScope, isModuleLevel, contains, isLibrary } from "./names/library-names.ts";
const CONSTANTS: ReadonlyMap<string, Atom> = new Map<string, Atom>([
  ["undefined", UNDEFINED],
  ["NaN", num(NaN)],
  ["Infinity", num(Infinity)],
]);

/** `maybe`: the user tests whether the value is defined, so narrowing must not unwrap it. */
export function lowerIdentifier(f: Frame, node: ts.Identifier, hint: string, maybe = false): Atom {
  const symbol = f.symbolOf(node);
  const local = symbol === null ? null : f.env.lookup(symbol);
  if (local !== null) return lowerLocal(f, node, local, hint, maybe);
  const constant = CONSTANTS.get(node.text);
  if (constant !== undefined && isLibrary(f, node, node.text)) return constant;
  if (node.text === "arguments") return f.env.list ?? f.refuse("TSG1105", node, f.name);
  if (symbol === null) return f.refuse("TSG2001", node, node.text);
  return captured(f, node, symbol);
}

function lowerLocal(
  f: Frame,
  node: ts.Identifier,
  local: Binding,
  hint: string,
  maybe: boolean,
): Atom {
  if (local.kind === "fn")
    return local.fn.kind === "held" ? local.fn.value : f.refuse("TSG1124", node, node.text);
  if (local.kind === "cell") return readCell(f, local.cell);
  const atom = local.kind === "value" ? local.atom : readVariable(f, node, local.variable, hint);
  // an assignment does not prove it defined: an element read may have given undefined
  if (f.shape(atom.type).kind === "opt" && (maybe || flowsToOptionalPlace(f, node))) return atom;
  return maybe && isNeverMissing(f, f.symbolOf(node)) ? atom : narrowed(f, atom, node);
}

/** The variable itself if nothing assigns it before its use, else a copy of its present value. */
function readVariable(f: Frame, node: ts.Identifier, variable: Atom, hint: string): Atom {
  // in an inlined body, the caller's expression may assign it: it cannot be searched from here
  if (
    hint === "t" &&
    !isBound(f, node) &&
    f.inlining.length === 0 &&
    !mayAssign(f.api, fullExpression(f, node))
  )
    return variable;
  return f.let(hint, variable.type, { kind: "copy", atom: variable });
}

/** Whether the value is bound to a name, so that it outlives its expression. */
function isBound(f: Frame, node: ts.Expression): boolean {
  const { api } = f;
  const { parent } = node;
  if (api.isExpression(parent) && bare(parent, f.api) === bare(node, f.api))
    return isBound(f, parent);
  return (
    api.isVariableDeclaration(parent) || api.isBindingElement(parent) || api.isParameter(parent)
  );
}

/** The largest expression or declaration that the node is part of. */
function fullExpression(f: Frame, node: ts.Node): ts.Node {
  let at = node;
  while (
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- a file has no parent
    at.parent !== undefined &&
    ((f.api.isExpression(at.parent) && !f.api.isFunctionLike(at.parent)) ||
      f.api.isSpreadElement(at.parent) ||
      f.api.isTemplateSpan(at.parent) ||
      f.api.isObjectLiteralElement(at.parent) ||
      f.api.isVariableDeclaration(at.parent) ||
      f.api.isVariableDeclarationList(at.parent) ||
      f.api.isBindingElement(at.parent) ||
      f.api.isBindingName(at.parent))
  )
    at = at.parent;
  return at;
}

/** Whether the declared type excludes undefined; an out-of-bounds read may break that promise. */
const isNeverMissing = (f: Frame, symbol: ts.Symbol | null): boolean => {
  const type = symbol === null ? null : f.ctx.checker.getTypeOfSymbol(symbol);
  return type !== null && f.ctx.checker.getNonNullableType(type) === type;
};

/** A variable of an enclosing scope. */
function captured(f: Frame, node: ts.Identifier, symbol: ts.Symbol): Atom {
  const { api } = f;
  const declaration = symbol.valueDeclaration ?? symbol.declarations?.[0];
  if (declaration === undefined) return f.refuse("TSG2001", node, node.text);
  if (symbol.flags & (api.SymbolFlags.Function | api.SymbolFlags.Class | api.SymbolFlags.Method))
    return f.refuse("TSG1124", node, node.text);
  if (!isNameable(f, node, declaration))
    return f.refuse("TSG1209", node, `it uses \`${node.text}\` of another module`);
  if (isLocal(f, declaration))
    return f.refuse("TSG1201", node, `use of \`${node.text}\` before its declaration`);
  if (!isInScope(f, declaration))
    return f.refuse("TSG1209", node, `it uses \`${node.text}\` of a function that has returned`);
  if (
    (isReassigned(f, symbol) || isOpenInNamespace(declaration, api)) &&
    !declaration.getSourceFile().isDeclarationFile &&
    !isFixedInIteration(f, declaration, symbol, f.root)
  ) {
    if (isModuleLevel(f, declaration)) return moduleVariable(f, node, symbol, declaration);
    return f.refuse("TSG1127", node, f.name, node.text);
  }
  const owner = methodOfLiteral(f, declaration);
  if (owner !== null) return f.refuse("TSG1112", node, owner, node.text);
  return capturedConstant(f, node, symbol, declaration);
}

/** Whether code of the root's file can name the variable. */
const isNameable = (f: Frame, node: ts.Identifier, declaration: ts.Declaration): boolean =>
  node.getSourceFile() === f.root.getSourceFile() ||
  (isModuleLevel(f, declaration) && isNumeric(f.ctx.typeOf(node)) && mayBeExported(f, declaration));

function capturedConstant(
  f: Frame,
  node: ts.Identifier,
  symbol: ts.Symbol,
  declaration: ts.Declaration,
): Atom {
  const { api, ctx } = f;
  const file = node.getSourceFile();
  const type = typeOfConstant(f, node, declaration);
  const name = nameOutside(f, node, declaration);
  if (typeof name !== "string") return name;
  const constant = ctx.checker.getTypeAtLocation(node);
  if (constant.flags & (api.TypeFlags.Undefined | api.TypeFlags.Null)) return UNDEFINED;
  if (isView(f, declaration))
    return f.refuse("TSG1206", node, `${node.text}, a view of a buffer that other views may share`);
  const known: Atom = {
    kind: "global",
    name,
    type,
    file: file.fileName,
    ...variableIdentity(aliasedConstant(f, symbol, type), name, file.fileName, api),
  };
  return file === f.root.getSourceFile() ? known : (constantOfModule(f, symbol, type) ?? known);
}

/**
 * The variable's name at the end of the module: `Vec.EPS` for one that a namespace exports. Of an
 * unexported one only a number can be used, as a constant.
 */
function nameOutside(f: Frame, node: ts.Identifier, declaration: ts.Declaration): string | Atom {
  const { api, root } = f;
  const inNamespace = namespaceOf(declaration, api);
  if (inNamespace === null) return node.text;
  if (inNamespace.path !== null) return inNamespace.path;
  // the derivative of an inner function stands in the same block and can use the plain name
  if (contains(inNamespace.outermost, root) && !isOfNamespace(root, api)) return node.text;
  const value =
    api.isVariableDeclaration(declaration) && declaration.initializer !== undefined
      ? bare(declaration.initializer, f.api)
      : null;
  return value !== null &&
    api.isNumericLiteral(value) &&
    !isReassigned(f, f.symbolOf(node) ?? f.refuse("TSG2001", node, node.text))
    ? num(Number(value.text))
    : f.refuse("TSG1011", node, node.text, "its namespace does not export it");
}

/** The type of a constant; `const model = new Model()` holds no instance of a subclass. */
function typeOfConstant(f: Frame, node: ts.Identifier, declaration: ts.Declaration): Type {
  const { api, ctx } = f;
  const type = ctx.typeOf(node);
  const shape = f.shape(type);
  const made =
    api.isVariableDeclaration(declaration) && declaration.initializer !== undefined
      ? bare(declaration.initializer, f.api)
      : null;
  if (
    made === null ||
    !api.isNewExpression(made) ||
    !api.isIdentifier(made.expression) ||
    shape.kind !== "union"
  )
    return type;
  const symbol = f.symbolOf(made.expression);
  const owner = symbol === null ? null : ctx.classes.ofSymbol(symbol);
  return shape.variants.find((variant) => owner !== null && ctx.classOf(variant) === owner) ?? type;
}

/** Reads a number or leaf that code assigns. */
function moduleVariable(
  f: Frame,
  node: ts.Identifier,
  symbol: ts.Symbol,
  declaration: ts.Declaration,
): Atom {
  const name = nameOutside(f, node, declaration);
  if (typeof name !== "string") return name;
  const cell = cellOf(f, name, { node, symbol }, f.ctx.typeOf(node));
  return cell === null ? f.refuse("TSG1115", node, f.name, node.text) : readCell(f, cell);
}

/** The place of a variable of the module that code of the same file writes; else null. */
export function writtenVariable(f: Frame, node: ts.Identifier): Cell | null {
  const { api } = f;
  const symbol = f.symbolOf(node);
  const declaration = symbol?.valueDeclaration;
  if (
    symbol === null ||
    declaration === undefined ||
    !api.isVariableDeclaration(declaration) ||
    declaration.getSourceFile() !== f.root.getSourceFile() ||
    node.getSourceFile() !== f.root.getSourceFile() ||
    !isModuleLevel(f, declaration) ||
    !isInScope(f, declaration) ||
    !isOfModule(f, node)
  )
    return null;
  const name = nameOutside(f, node, declaration);
  return typeof name === "string" ? cellOf(f, name, { node, symbol }) : null;
}

/** A view such as `new Uint32Array(buffer)`: writes through other views are invisible. */
function isView(f: Frame, declaration: ts.Declaration): boolean {
  const { api, ctx } = f;
  if (!api.isVariableDeclaration(declaration) || declaration.initializer === undefined)
    return false;
  const made = bare(declaration.initializer, f.api);
  const first = api.isNewExpression(made) ? made.arguments?.[0] : undefined;
  if (first === undefined || f.shape(ctx.typeOf(declaration)).kind !== "array") return false;
  const kind = f.shape(ctx.typeOf(first)).kind;
  return kind !== "num" && kind !== "array" && kind !== "tuple";
}

/** Whether a declaration belongs to the function that is being lowered. */
const isLocal = (f: Frame, declaration: ts.Node): boolean =>
  [f.root, ...f.inlining].some((body) => contains(body, declaration) && declaration !== body);

/** Lowers an expression that the user tests for undefined: an out-of-bounds read stays optional. */
export function lowerOptional(f: Frame, node: ts.Expression): Atom {
  const target = bare(node, f.api);
  if (f.api.isIdentifier(target) || f.api.isConditionalExpression(target))
    return lowerExpr(f, target, "t", true);
  const isKey =
    f.api.isPropertyAccessExpression(target) &&
    f.shape(f.ctx.typeOf(target.expression)).kind === "dict" &&
    target.name.text !== "size";
  if ((!f.api.isElementAccessExpression(target) && !isKey) || f.overrides.has(target))
    return lowerExpr(f, node);
  return asOptional(f, lowerExpr(f, target, "t", true));
}
