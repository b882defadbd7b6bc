// What an identifier means: a local value or variable, a function, a name of an enclosing scope. In: an identifier. Out: an atom, or a Fn.
// Invariant: a captured name is a `global` only if nothing assigns it and the home file can name it.

import type ts from "typescript";
import { assignable } from "../ir/assignable.ts";
import { num } from "../ir/build.ts";
import type { Atom, Type } from "../ir/types.ts";
import { asOptional, extern, isNullish, UNDEFINED, unwrap } from "./coerce.ts";
import { isFixedInRound, isReassigned, mayAssign } from "./effects.ts";
import { isVectorOp } from "./sites/forms.ts";
import type { TypeScript } from "./context.ts";
import type { Definition } from "./sites/definitions.ts";
import { isOfEnvironment } from "./names/shadowed-globals.ts";
import { Env, type Fn, type Frame } from "./frame.ts";
import { isFn, returnedFn } from "./functions/closures.ts";
import { goesWhereNothingMay } from "./objects/undefined-reads.ts";
import { variableMeant } from "./names/variables.ts";
import { customFn } from "./derivatives/rules-of-users.ts";
import { derivedFn } from "./derivatives/nested.ts";
import { isLinearMap, linearOf } from "./derivatives/linear-maps.ts";
import { heldFn } from "./functions/held-functions.ts";
import { staticFn } from "./classes/static-members.ts";
import { firstThere } from "./functions/definedness.ts";
import {
  boundFn,
  constantCall,
  entryOf,
  givenVjp,
  memberAt,
  membersOf,
  returnsMembers,
} from "./functions/known-functions.ts";
import { unwrap as withoutTypes } from "./unwrap.ts";
import { staysAsGiven } from "./objects/overridden-properties.ts";
import { askingOf, isWrittenInto } from "./objects/constant-mutation.ts";
import { lowerExpr } from "./expression.ts";
import { madeAgain } from "./functions/rematerialised-closures.ts";
import { methodOfLiteral } from "./classes/structural-implementers.ts";
import { isOfNamespace, isOpenInNamespace, namespaceOf } from "./names/namespaces.ts";
import { firstNamed } from "./names/aliases.ts";
import { chosenFn } from "./functions/constructed-functions.ts";
import { constantOfModule, isOfNumbers, mayBeExported } from "./names/other-modules.ts";

/** `maybe`: whether it holds anything is asked, though its type may say that it does. */
export function lowerIdentifier(
  f: Frame,
  node: ts.Identifier,
  wanted: string,
  maybe = false,
): Atom {
  const symbol = f.symbolOf(node);
  const local = symbol === null ? null : f.env.lookup(symbol);
  if (local !== null) {
    if (local.kind === "fn")
      return local.fn.kind === "held" ? local.fn.value : f.refuse("TSG1124", node, node.text);
    const atom =
      local.kind === "value" ? local.atom : readVariable(f, node, local.variable, wanted);
    // that something was assigned to it, says nothing: an element read may have given nothing
    if (f.shape(atom.type).kind === "opt" && (maybe || goesWhereNothingMay(f, node))) return atom;
    return maybe && isNeverMissing(f, symbol) ? atom : narrowed(f, atom, node);
  }
  const constant = CONSTANTS.get(node.text);
  if (constant !== undefined && isLibrary(f, node, node.text)) return constant;
  if (node.text === "arguments") return f.env.list ?? f.refuse("TSG1105", node, f.name);
  if (symbol === null) return f.refuse("TSG2001", node, node.text);
  return captured(f, node, symbol);
}

/** The variable itself where nothing assigns it before its use, else a copy of what it holds now. */
function readVariable(f: Frame, node: ts.Identifier, variable: Atom, wanted: string): Atom {
  // the expression that an inlined body is part of is not to be seen from here
  if (
    wanted === "t" &&
    !isBound(f, node) &&
    f.inlining.length === 0 &&
    !mayAssign(f.api, fullExpression(f, node))
  )
    return variable;
  return f.let(wanted, variable.type, { kind: "copy", atom: variable });
}

/** Whether the value gets a name, which may be `t`, and so outlives its expression. */
function isBound(f: Frame, node: ts.Expression): boolean {
  const { api } = f;
  const { parent } = node;
  if (api.isExpression(parent) && opened(f, parent) === opened(f, node)) return isBound(f, parent);
  return (
    api.isVariableDeclaration(parent) || api.isBindingElement(parent) || api.isParameter(parent)
  );
}

function fullExpression(f: Frame, node: ts.Node): ts.Node {
  let at = node;
  while (
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

/** Takes the value out of an optional one, and the variant out of a union, where the user's checks have shown what it is. */
export function narrowed(f: Frame, atom: Atom, node: ts.Node): Atom {
  return asVariant(f, withoutMissing(f, atom, node), node);
}

/** `x as Circle`, where the checker knows that a union is one of fewer variants here. */
function asVariant(f: Frame, atom: Atom, node: ts.Node): Atom {
  const shape = f.shape(atom.type);
  if (shape.kind !== "union" || atom.kind === "const") return atom;
  const { checker } = f.ctx;
  const type = checker.getTypeAtLocation(node);
  if (type.flags & f.api.TypeFlags.Never)
    return f.let(
      "t",
      { kind: "leaf", text: "never" },
      { kind: "extern", text: ["", " as never"], args: [atom], effect: "pure", verbatim: true },
    );
  const here = f.ctx.typeFrom(checker.getNonNullableType(type), node);
  const fewer = f.shape(here);
  const isFewer =
    fewer.kind === "union"
      ? fewer.variants.length < shape.variants.length
      : shape.variants.some((variant) => assignable(here, variant, f.ctx.types));
  if (!isFewer || !assignable(here, atom.type, f.ctx.types)) return atom;
  const variant = f.let("t", here, { kind: "unwrap", value: atom });
  f.variantOf.set(variant.name, atom);
  return variant;
}

/** Whether a variable's declared type promises a value; an element read may have broken that. */
const isNeverMissing = (f: Frame, symbol: ts.Symbol | null): boolean => {
  const type = symbol === null ? null : f.ctx.checker.getTypeOfSymbol(symbol);
  return type !== null && f.ctx.checker.getNonNullableType(type) === type;
};

function withoutMissing(f: Frame, atom: Atom, node: ts.Node): Atom {
  if (f.shape(atom.type).kind === "leaf") return textThere(f, atom, node);
  if (f.shape(atom.type).kind !== "opt" || isNullish(atom)) return atom;
  const { api, ctx } = f;
  const here = ctx.checker.getTypeAtLocation(node);
  const missing =
    api.TypeFlags.Undefined |
    api.TypeFlags.Null |
    api.TypeFlags.Void |
    api.TypeFlags.Any |
    api.TypeFlags.Unknown |
    api.TypeFlags.Never;
  const parts = here.isUnion() ? here.types : [here];
  return parts.some((part) => part.flags & missing || standsForMissing(f, part, node))
    ? atom
    : unwrap(f, atom);
}

/** `T`, where the call says that it is `number | undefined`. */
const standsForMissing = (f: Frame, part: ts.Type, node: ts.Node): boolean =>
  (part.flags & f.api.TypeFlags.TypeParameter) !== 0 &&
  f.shape(f.ctx.typeFrom(part, node)).kind === "opt";

/** A text that may be missing by its type, where it is not: early exits become conditions behind which TypeScript does not know that. */
function textThere(f: Frame, atom: Atom, node: ts.Node): Atom {
  if (
    atom.kind !== "var" ||
    atom.type.kind !== "leaf" ||
    atom.type.opaque === true ||
    !/\b(?:null|undefined)\b/.test(atom.type.text)
  )
    return atom;
  const { checker } = f.ctx;
  const type = checker.getTypeAtLocation(node);
  if (
    checker.getNonNullableType(type) !== type ||
    (type.flags & (f.api.TypeFlags.Never | f.api.TypeFlags.Any | f.api.TypeFlags.Unknown)) !== 0
  )
    return atom;
  const here = f.ctx.typeFrom(type, node);
  return here.kind === "leaf" && here.opaque !== true
    ? f.let("t", here, { kind: "unwrap", value: atom })
    : atom;
}

/** A name of an enclosing scope. */
function captured(f: Frame, node: ts.Identifier, symbol: ts.Symbol): Atom {
  const { api, ctx } = f;
  const declaration = symbol.valueDeclaration ?? symbol.declarations?.[0];
  const file = node.getSourceFile();
  if (declaration === undefined) return f.refuse("TSG2001", node, node.text);
  if (symbol.flags & (api.SymbolFlags.Function | api.SymbolFlags.Class | api.SymbolFlags.Method))
    return f.refuse("TSG1124", node, node.text);
  if (
    file !== f.root.getSourceFile() &&
    !(
      isModuleLevel(f, declaration) &&
      isOfNumbers(f.ctx.typeOf(node)) &&
      mayBeExported(f, declaration)
    )
  )
    return f.refuse("TSG1209", node, `it uses \`${node.text}\` of another module`);
  if (isLocal(f, declaration))
    return f.refuse("TSG1201", node, `use of \`${node.text}\` before its declaration`);
  if (
    (isReassigned(f, symbol) || isOpenInNamespace(declaration, api)) &&
    !declaration.getSourceFile().isDeclarationFile &&
    !isFixedInRound(f, declaration, symbol, f.root)
  ) {
    if (isModuleLevel(f, declaration)) return moduleVariable(f, node, declaration);
    return f.refuse("TSG1127", node, f.name, node.text);
  }
  const stranger = methodOfLiteral(f, declaration);
  if (stranger !== null) return f.refuse("TSG1112", node, stranger, node.text);
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
    ...variableMeant(firstNamed(f, symbol, type), name, file.fileName, api),
  };
  return file === f.root.getSourceFile() ? known : (constantOfModule(f, symbol, type) ?? known);
}

/** What code at the end of the module calls the variable: one that a namespace exports `Vec.EPS`. Of one that it keeps to itself only a number is known. */
function nameOutside(f: Frame, node: ts.Identifier, declaration: ts.Declaration): string | Atom {
  const { api, root } = f;
  const inNamespace = namespaceOf(declaration, api);
  if (inNamespace === null) return node.text;
  if (inNamespace.path !== null) return inNamespace.path;
  // what is no declaration of a namespace has its derivative in the block around it
  if (contains(inNamespace.outermost, root) && !isOfNamespace(root, api)) return node.text;
  const value =
    api.isVariableDeclaration(declaration) && declaration.initializer !== undefined
      ? opened(f, declaration.initializer)
      : null;
  return value !== null &&
    api.isNumericLiteral(value) &&
    !isReassigned(f, f.symbolOf(node) ?? f.refuse("TSG2001", node, node.text))
    ? num(Number(value.text))
    : f.refuse("TSG1011", node, node.text, "its namespace does not export it");
}

/** `const model = new Model()` is of no class that derives from `Model`. */
function typeOfConstant(f: Frame, node: ts.Identifier, declaration: ts.Declaration): Type {
  const { api, ctx } = f;
  const type = ctx.typeOf(node);
  const shape = f.shape(type);
  const made =
    api.isVariableDeclaration(declaration) && declaration.initializer !== undefined
      ? opened(f, declaration.initializer)
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

/** A number or leaf that code outside assigns: read when it is asked for. Code that is differentiated may not assign it, which `lowerPlace` refuses. */
function moduleVariable(f: Frame, node: ts.Identifier, declaration: ts.Declaration): Atom {
  const name = nameOutside(f, node, declaration);
  if (typeof name !== "string") return name;
  const type = f.ctx.typeOf(node);
  const shape = f.shape(type);
  if (
    shape.kind !== "num" &&
    shape.kind !== "bool" &&
    !(shape.kind === "leaf" && shape.opaque !== true)
  )
    return f.refuse("TSG1115", node, f.name, node.text);
  return extern(
    f,
    "t",
    type,
    ["", ""],
    [{ kind: "global", name, type, file: node.getSourceFile().fileName }],
    "reads",
  );
}

/** `const words = new Uint32Array(buffer)`: what is written through another view of the buffer would go unseen. */
function isView(f: Frame, declaration: ts.Declaration): boolean {
  const { api, ctx } = f;
  if (!api.isVariableDeclaration(declaration) || declaration.initializer === undefined)
    return false;
  const made = opened(f, declaration.initializer);
  const first = api.isNewExpression(made) ? made.arguments?.[0] : undefined;
  if (first === undefined || f.shape(ctx.typeOf(declaration)).kind !== "array") return false;
  const kind = f.shape(ctx.typeOf(first)).kind;
  return kind !== "num" && kind !== "array" && kind !== "tuple";
}

/** Whether a declaration belongs to the function that is being lowered. */
export const isLocal = (f: Frame, declaration: ts.Node): boolean =>
  [f.root, ...f.inlining].some((body) => contains(body, declaration) && declaration !== body);

export function contains(outer: ts.Node, node: ts.Node): boolean {
  for (let at: ts.Node | undefined = node; at !== undefined; at = at.parent)
    if (at === outer) return true;
  return false;
}

const isModuleLevel = (f: Frame, declaration: ts.Node): boolean => {
  for (let at: ts.Node | undefined = declaration.parent; at !== undefined; at = at.parent)
    if (f.api.isFunctionLike(at)) return false;
  return true;
};

/** An `x as T`, `x!`, `(x)` and the like, opened. */
export const opened = ({ api }: Frame, node: ts.Expression): ts.Expression =>
  withoutTypes(node, api);

/** Whether an identifier, or `globalThis.name`, is that name of the standard library, and not a user's own. */
export function isLibrary(f: Frame, node: ts.Node, name: string): boolean {
  const { api } = f;
  const identifier = api.isPropertyAccessExpression(node) ? node.name : node;
  if (!api.isIdentifier(identifier) || identifier.text !== name) return false;
  if (
    identifier !== node &&
    (!api.isPropertyAccessExpression(node) || !isLibrary(f, node.expression, "globalThis"))
  )
    return false;
  const declarations = f.symbolOf(identifier)?.declarations ?? [];
  return declarations.every((each) =>
    OF_HOSTS.has(name) ? each.getSourceFile().isDeclarationFile : isOfEnvironment(each, api),
  );
}

const CONSTANTS: ReadonlyMap<string, Atom> = new Map<string, Atom>([
  ["undefined", UNDEFINED],
  ["NaN", num(NaN)],
  ["Infinity", num(Infinity)],
]);

/** What hosts also give as the export of a module. */
const OF_HOSTS: ReadonlySet<string> = new Set(["console", "performance"]);

/** The standard objects whose members `builtinPath` knows. */
const LIBRARY_OBJECTS = [
  "Math",
  "Number",
  "Object",
  "Array",
  "JSON",
  "console",
  "String",
  "Date",
  "performance",
] as const;

/** `Math.sqrt`, also through `const { sqrt } = Math` and `const sqrt = Math.sqrt`; null for anything else. */
export function builtinPath(f: Frame, expression: ts.Expression): string | null {
  const { api } = f;
  const node = opened(f, expression);
  if (api.isPropertyAccessExpression(node)) {
    const object = opened(f, node.expression);
    if (isLibrary(f, node, node.name.text)) return node.name.text;
    const found =
      LIBRARY_OBJECTS.find((name) => isLibrary(f, object, name)) ??
      TYPED_ARRAYS.find((name) => isLibrary(f, object, name)) ??
      libraryAlias(f, object);
    return found === undefined ? null : `${found}.${node.name.text}`;
  }
  if (!api.isIdentifier(node)) return null;
  const symbol = f.symbolOf(node);
  if (symbol === null) return node.text;
  const bound = f.env.lookup(symbol);
  if (bound !== null)
    return bound.kind === "fn" && bound.fn.kind === "builtin" ? bound.fn.path : null;
  const declaration = symbol.valueDeclaration;
  if (declaration === undefined || isReassigned(f, symbol)) return null;
  if (api.isBindingElement(declaration)) return memberOfLibrary(f, declaration);
  if (
    api.isVariableDeclaration(declaration) &&
    declaration.initializer !== undefined &&
    !declaration.getSourceFile().isDeclarationFile
  ) {
    const alias = opened(f, declaration.initializer);
    return api.isPropertyAccessExpression(alias) || api.isIdentifier(alias)
      ? functionPath(f, alias)
      : null;
  }
  return isLibrary(f, node, node.text) ? node.text : null;
}

/** `const M = Math` */
function libraryAlias(f: Frame, node: ts.Expression): string | undefined {
  if (!f.api.isIdentifier(node)) return undefined;
  const symbol = f.symbolOf(node);
  const declaration = symbol?.valueDeclaration;
  if (
    symbol === null ||
    declaration === undefined ||
    !f.api.isVariableDeclaration(declaration) ||
    declaration.initializer === undefined
  )
    return undefined;
  if (declaration.getSourceFile().isDeclarationFile || isReassigned(f, symbol)) return undefined;
  const aliased = opened(f, declaration.initializer);
  const known = ["Math", "Number"].find((name) => isLibrary(f, aliased, name));
  return known ?? (f.symbolOf(aliased) !== symbol ? libraryAlias(f, aliased) : undefined);
}

/** A path only if it names a function: `const x = Math.PI` is no alias of a function. */
const functionPath = (f: Frame, node: ts.Expression): string | null =>
  f.ctx.checker.getTypeAtLocation(node).getCallSignatures().length > 0
    ? builtinPath(f, node)
    : null;

/** `const { sqrt, abs: magnitude } = Math` */
function memberOfLibrary(f: Frame, element: ts.BindingElement): string | null {
  const { api } = f;
  const declaration = element.parent.parent;
  if (
    !api.isObjectBindingPattern(element.parent) ||
    !api.isVariableDeclaration(declaration) ||
    declaration.initializer === undefined
  )
    return null;
  const taken = opened(f, declaration.initializer);
  const owner = ["Math", "Number"].find((name) => isLibrary(f, taken, name));
  const member = element.propertyName ?? element.name;
  return owner !== undefined && api.isIdentifier(member) ? `${owner}.${member.text}` : null;
}

export const TYPED_ARRAYS = [
  "Float64Array",
  "Float32Array",
  "Int8Array",
  "Uint8Array",
  "Uint8ClampedArray",
  "Int16Array",
  "Uint16Array",
  "Int32Array",
  "Uint32Array",
] as const;

/** The function that an expression stands for, if that is known here, or one of those that a field may hold; null otherwise. */
export const resolveFn = (f: Frame, expression: ts.Expression): Fn | null =>
  functionOf(f, expression) ?? heldFn(f, expression);

/** The function that an expression stands for, if that is known here; null otherwise. */
export function functionOf(f: Frame, expression: ts.Expression): Fn | null {
  const { api } = f;
  const node = opened(f, expression);
  const found = f.functions.get(node);
  if (found !== undefined) return found;
  if (api.isArrowFunction(node) || api.isFunctionExpression(node)) return closureOf(f, node);
  const definition = definitionOf(f, node);
  if (definition !== null) return { kind: "defined", definition };
  if (isLinearMap(f, node)) return linearOf(f, node);
  const path = builtinPath(f, node);
  if (path !== null) return { kind: "builtin", path };
  if (api.isConditionalExpression(node)) return chosenFn(f, node);
  if (isAlternative(node, api)) return firstThere(f, node);
  if (api.isObjectLiteralExpression(node) || api.isArrayLiteralExpression(node))
    return membersOf(f, node);
  if (
    api.isCallExpression(node) &&
    api.isPropertyAccessExpression(node.expression) &&
    node.expression.name.text === "bind"
  )
    return boundFn(f, node);
  const entry = api.isCallExpression(node) ? entryOf(f, node) : null;
  if (entry !== null) return entry;
  if (api.isCallExpression(node))
    return f.ctx.checker.getTypeAtLocation(node).getCallSignatures().length > 0 ||
      returnsMembers(f, node)
      ? returnedFn(f, node)
      : null;
  const given = api.isPropertyAccessExpression(node) ? givenVjp(f, node) : null;
  if (given !== null) return given;
  if (api.isPropertyAccessExpression(node) || api.isElementAccessExpression(node)) {
    const part = memberAt(f, node);
    if (part !== null) return isFn(part) ? part : null;
  }
  if (!api.isIdentifier(node) && !api.isPropertyAccessExpression(node)) return null;
  const symbol = f.symbolOf(api.isIdentifier(node) ? node : node.name);
  if (symbol === null) return null;
  const bound = f.env.lookup(symbol);
  if (bound !== null) return bound.kind === "fn" ? bound.fn : null;
  const isMember = api.isPropertyAccessExpression(node) && !isNamespace(f, node.expression);
  if (isMember) return staticFn(f, node) ?? methodOfConstant(f, node, symbol);
  const call = constantCall(f, symbol);
  const nested = call === null ? null : (derivedFn(f, call) ?? customFn(f, call));
  if (nested !== null) return nested;
  if (call !== null && madeAgain(f, call) !== null) return returnedFn(f, call);
  const operator = f.ctx.operatorOf(symbol);
  if (
    isVectorOp(operator) ||
    operator === "stopGradient" ||
    operator === "addCotangents" ||
    operator === "scaleCotangent"
  )
    return { kind: "operator", operator };
  const solver = f.ctx.solverOf(symbol);
  if (solver !== null) return { kind: "solver", solver };
  const declared = constantOf(f, symbol);
  return isFunctionSymbol(f, declared) ? { kind: "program", symbol: declared } : null;
}

/** A function expression with a name sees itself by it. */
function closureOf(f: Frame, node: ts.ArrowFunction | ts.FunctionExpression): Fn {
  // as code inside means it: the name itself may stand for the variable that holds the function, too
  const symbol =
    node.name === undefined
      ? undefined
      : f.ctx.checker.resolveName(node.name.text, node.name, f.api.SymbolFlags.Value, true);
  if (symbol === undefined) return { kind: "closure", node, env: f.env };
  const env = new Env(f.env);
  const fn: Fn = { kind: "closure", node, env };
  // the checker has two symbols of some: its own, and one that it has merged with that of the variable
  const merged = node.name === undefined ? null : f.symbolOf(node.name);
  for (const each of [symbol, merged])
    if (each !== null && each.name === symbol.name) env.bind(each, { kind: "fn", fn });
  return fn;
}

/** The constant of a module that holds a function expression, by the name that this has for itself. */
function constantOf(f: Frame, symbol: ts.Symbol): ts.Symbol {
  const { api } = f;
  const own = symbol.valueDeclaration;
  if (own === undefined || !api.isFunctionExpression(own)) return symbol;
  const holder = api.findAncestor(own.parent, (node) => !api.isExpression(node));
  const isHeld =
    holder !== undefined &&
    api.isVariableDeclaration(holder) &&
    holder.initializer !== undefined &&
    opened(f, holder.initializer) === own;
  return (isHeld && f.symbolOf(holder.name)) || symbol;
}

/** `g ?? h`, `g || h` */
export const isAlternative = (node: ts.Node, api: TypeScript): node is ts.BinaryExpression =>
  api.isBinaryExpression(node) &&
  (node.operatorToken.kind === api.SyntaxKind.QuestionQuestionToken ||
    node.operatorToken.kind === api.SyntaxKind.BarBarToken);

/** The rule that `defineDerivative` gives the function of this name. */
function definitionOf(f: Frame, node: ts.Expression): Definition | null {
  const name = f.api.isPropertyAccessExpression(node) ? node.name : node;
  const symbol = f.api.isIdentifier(name) ? f.symbolOf(name) : null;
  return symbol === null ? null : f.ctx.definitionOf(symbol, node);
}

/** `ops.square` of a module's `const ops = { square(x) { … } }`, if nothing assigns it. */
function methodOfConstant(
  f: Frame,
  node: ts.PropertyAccessExpression,
  symbol: ts.Symbol,
): Fn | null {
  const { api } = f;
  const object = opened(f, node.expression);
  const holder = api.isIdentifier(object) ? f.symbolOf(object) : null;
  const declaration = symbol.valueDeclaration;
  if (
    holder === null ||
    declaration === undefined ||
    isReassigned(f, holder) ||
    isReassigned(f, symbol)
  )
    return null;
  const literal = declaration.parent;
  const constant = holder.valueDeclaration;
  if (
    constant === undefined ||
    !api.isVariableDeclaration(constant) ||
    constant.initializer === undefined ||
    opened(f, constant.initializer) !== literal
  )
    return null;
  if (
    !isModuleLevel(f, constant) ||
    isWrittenInto(askingOf(f), constant, holder) ||
    !staysAsGiven(declaration, api)
  )
    return null;
  const env = new Env(null);
  if (api.isMethodDeclaration(declaration)) return { kind: "closure", node: declaration, env };
  if (!api.isPropertyAssignment(declaration)) return null;
  const initializer = opened(f, declaration.initializer);
  if (api.isArrowFunction(initializer) || api.isFunctionExpression(initializer))
    return { kind: "closure", node: initializer, env };
  const path = builtinPath(f, initializer);
  return path !== null ? { kind: "builtin", path } : null;
}

/** Whether an expression names a module (`import * as m`) or a namespace, so that its members are declarations. */
export function isNamespace(f: Frame, node: ts.Expression): boolean {
  const { api } = f;
  const { SymbolFlags } = api;
  if (api.isPropertyAccessExpression(node))
    return (
      isNamespace(f, node.expression) &&
      ((f.symbolOf(node.name)?.flags ?? 0) & SymbolFlags.ValueModule) !== 0
    );
  const symbol = api.isIdentifier(node) ? f.symbolOf(node) : null;
  return (
    symbol !== null &&
    (symbol.flags & (SymbolFlags.ValueModule | SymbolFlags.NamespaceModule)) !== 0
  );
}

/** Whether a symbol is a function that no assignment replaces. */
function isFunctionSymbol(f: Frame, symbol: ts.Symbol): boolean {
  const { api } = f;
  const declaration = symbol.valueDeclaration;
  if (declaration === undefined) return false;
  if (api.isFunctionDeclaration(declaration)) return true;
  if (api.isExportAssignment(declaration) || api.isBindingElement(declaration))
    return f.ctx.bodyOf(symbol) !== null;
  if (!api.isVariableDeclaration(declaration) || isReassigned(f, symbol)) return false;
  return (
    f.ctx.bodyOf(symbol) !== null ||
    declaration.getSourceFile().isDeclarationFile ||
    f.ctx.checker.getTypeOfSymbol(symbol).getCallSignatures().length > 0
  );
}

/** Lowers an expression whose value the user tests for absence: an element read keeps what a miss gives. */
export function lowerMaybe(f: Frame, node: ts.Expression): Atom {
  const target = opened(f, node);
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
