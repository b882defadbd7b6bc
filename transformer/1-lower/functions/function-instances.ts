// Functions that code of the program constructs and a variable or field holds:
// `const noise = createNoise(7)`. In: an expression that names such a value. Out: the function as a
// closure, whose captured variables are read from the value at run time; null where value flow
// finds another function, too. Invariant: each instance has its own variables.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { BOOL, field } from "../../ir/build.ts";
import type { Atom, CapturedBy, CapturingPlace, Global, Type } from "../../ir/types.ts";
import { isAssigned } from "../assignments.ts";
import { type Names, resolvedSymbol } from "../checker.ts";
import { extern } from "../coerce.ts";
import type { Cell } from "../flow/propagation.ts";
import type { Frame } from "../frame.ts";
import { Env, type Fn } from "../function-values.ts";
import { namespaceOf } from "../names/namespaces.ts";
import { variableIdentity } from "../names/variable-identity.ts";
import { isPrimitive } from "../objects/cells.ts";
import { exportNameOf } from "../sites/homes.ts";
import type { TypeScript } from "../typescript.ts";
import { type Literal, type Marked, markedPlace } from "./capturing-places.ts";
import { outerNames, type OuterNames, scopeOf } from "./captures.ts";
import { writesOuterObjects } from "./closure-captures.ts";
import { nameOfFunction } from "./function-flow.ts";
import { mentionsThis } from "./specialisation.ts";
import { type Subject, valuesAt } from "./stored-functions.ts";

/** Where a function value is at run time. */
type Held = Pick<CapturedBy, "of" | "member">;

interface Asking extends Names {
  readonly program: ts.Program;
}

/** The variable of a module, and the members of it that an expression reads: `model.loss`. */
interface HeldPlace {
  readonly declaration: ts.VariableDeclaration | ts.BindingElement;
  readonly symbol: ts.Symbol;
  readonly subject: Subject;
}

/** The function that a constructed value is, if its source text is known. */
export function functionInstance(f: Frame, expression: ts.Expression): Fn | null {
  const { api, ctx } = f;
  const place = heldPlace(expression, { api, ...ctx });
  if (
    place === null ||
    f.env.lookup(place.symbol) !== null ||
    !holdsInstances(place.subject, { api, program: ctx.program })
  )
    return null;
  return instanceAt(f, place.subject, { of: holderOf(f, place, expression) });
}

/** One of the functions that a value may be, and the test for it. */
interface Alternative {
  readonly fn: Fn;
  readonly test: () => Atom;
}

/** The function at a place, or a choice between all that may be there. */
function instanceAt(f: Frame, subject: Subject, held: Held): Fn | null {
  const { api, ctx, root } = f;
  const { program } = ctx;
  ctx.classes.questions.values(subject, valuesAt(subject, { api, program }), root);
  const values = valuesKnown(subject, { api, program }) ?? [];
  const found = values.map((each) => alternativeOf(f, each, held, values.length > 1));
  const [last, ...others] = found.toReversed();
  return others.reduce<Fn | null>(
    (otherwise, each) =>
      each === null || otherwise === null
        ? null
        : { kind: "choice", cond: each.test(), then: each.fn, otherwise },
    last?.fn ?? null,
  );
}

/** `isLate`: its variables are read where it is called, since it may be another function. */
function alternativeOf(
  f: Frame,
  { node, path }: Cell,
  held: Held,
  isLate: boolean,
): Alternative | null {
  const { api } = f;
  const isSame = (text: string): Atom =>
    extern(f, "t", BOOL, ["", ` === ${text}`], [valueOf(f, held)]);
  if (node === null) return { fn: { kind: "builtin", path }, test: () => isSame(path) };
  if (api.isFunctionDeclaration(node) && node.name !== undefined && isAtTop(node, api)) {
    const symbol = f.symbolOf(node.name);
    const name = symbol === null ? null : nameOfFunction(f, symbol);
    return symbol === null || name === null
      ? null
      : {
          fn: { kind: "program", symbol },
          test: () => extern(f, "t", BOOL, ["", " === ", ""], [valueOf(f, held), name]),
        };
  }
  return isLiteral(node, api) ? closureOf(f, node, held, isLate) : null;
}

const valueOf = (f: Frame, { of, member }: Held): Atom =>
  member === undefined
    ? of
    : f.let(member, FUNCTION, { kind: "load", object: of, key: field(member) });

const FUNCTION: Type = { kind: "leaf", text: "Function" };

/** What names the function for derivatives of the value; null where it is not known. */
export function instanceNamed(
  expression: ts.Expression,
  asking: Asking,
): ts.Identifier | ts.PropertyAccessExpression | null {
  const { api } = asking;
  const place = heldPlace(expression, asking);
  if (place === null || !holdsInstances(place.subject, asking)) return null;
  const node = bare(expression, api);
  if (api.isPropertyAccessExpression(node)) return node;
  return api.isIdentifier(place.declaration.name) ? place.declaration.name : null;
}

/** A variable at the top of a module, or a member of an object that one holds. */
function heldPlace(expression: ts.Expression, asking: Asking): HeldPlace | null {
  const { api } = asking;
  const node = bare(expression, api);
  let root: ts.Expression = node;
  while (
    api.isPropertyAccessExpression(root) &&
    root.questionDotToken === undefined &&
    api.isIdentifier(root.name)
  )
    root = bare(root.expression, api);
  const symbol = api.isIdentifier(root) ? resolvedSymbol(root, asking) : null;
  const declaration = symbol?.valueDeclaration;
  if (
    symbol === null ||
    declaration === undefined ||
    !(api.isVariableDeclaration(declaration) || api.isBindingElement(declaration)) ||
    !api.isIdentifier(declaration.name) ||
    !isOpenModule(declaration, asking) ||
    !api.isSourceFile(scopeOf(declaration, api)) ||
    namespaceOf(declaration, api) !== null
  )
    return null;
  const subject = { node: root === node ? declaration : node, name: null, depth: 0 } as const;
  return { declaration, symbol, subject };
}

/** Whether code can be imported into the file, and from it. */
function isOpenModule(node: ts.Node, { api, checker }: Asking): boolean {
  const file = node.getSourceFile();
  return (
    !file.isDeclarationFile &&
    api.isExternalModule(file) &&
    checker.getSymbolAtLocation(file)?.exports?.has(api.InternalSymbolName.ExportEquals) !== true
  );
}

function holderOf(
  { api, ctx }: Frame,
  { declaration, symbol }: HeldPlace,
  expression: ts.Expression,
): Global {
  const file = declaration.getSourceFile().fileName;
  const node = bare(expression, api);
  const own = symbol.name;
  const name = api.isPropertyAccessExpression(node) ? own + membersOf(node, api) : own;
  const naming = api.isVariableDeclaration(declaration) ? declaration : null;
  const exportName = naming === null ? undefined : exportNameOf(naming, api, ctx.checker);
  return {
    kind: "global",
    name,
    type: FUNCTION,
    file,
    ...(exportName === undefined ? {} : { exportName }),
    ...variableIdentity(symbol, name, file, api),
  };
}

/** `.layer.act` of `net.layer.act` */
function membersOf(node: ts.PropertyAccessExpression, api: TypeScript): string {
  const object = bare(node.expression, api);
  const before = api.isPropertyAccessExpression(object) ? membersOf(object, api) : "";
  return `${before}.${node.name.text}`;
}

/** More alternatives are not worth their code. */
const MOST_ALTERNATIVES = 8;

type Program = Pick<Asking, "api" | "program">;

/** All functions that a place may hold; null where it may hold others. */
function valuesKnown(subject: Subject, of: Program): readonly Cell[] | null {
  const values = valuesAt(subject, of) ?? [];
  const isKnown = ({ kind, node, path }: Cell): boolean =>
    kind === "function"
      ? node !== null && isLiteral(node, of.api)
      : kind === "native" && !path.includes("?");
  return values.length <= MOST_ALTERNATIVES && values.every(isKnown) ? values : null;
}

/** Whether a function that another one constructs is there, and all are known. */
const holdsInstances = (subject: Subject, of: Program): boolean =>
  (valuesKnown(subject, of) ?? []).some(({ node }) => node !== null && !isAtTop(node, of.api));

const isAtTop = (node: ts.Node, api: TypeScript): boolean =>
  api.findAncestor(node.parent, api.isFunctionLike) === undefined;

const isLiteral = (node: ts.Node, api: TypeScript): node is Literal =>
  api.isArrowFunction(node) ||
  api.isFunctionExpression(node) ||
  (api.isFunctionDeclaration(node) && node.body !== undefined) ||
  (api.isMethodDeclaration(node) && api.isObjectLiteralExpression(node.parent));

function closureOf(f: Frame, node: Literal, held: Held, isLate: boolean): Alternative | null {
  const { api, ctx } = f;
  const isFixed = (symbol: ts.Symbol): boolean => !isAssigned(symbol, ctx.checker, api);
  const place = markedPlace(node, { api, ...ctx });
  const outer = outerNames(node, isFixed, api, ctx.checker);
  if (
    outer === null ||
    place === null ||
    !isOpenModule(node, { api, ...ctx }) ||
    f.inlining.includes(node) ||
    isWithin(place, held) ||
    [node, ...outer.functions.values()].some((fn) => mentionsThis(f, fn)) ||
    // what a call remembers for later ones is recorded at run time
    writesOuterObjects(f, [node, ...outer.functions.values()]) ||
    !isVisible(f, node, outer)
  )
    return null;
  const captured = capturedBy(f, place, outer, held);
  const env = new Env(null, { kind: "none" });
  for (const [symbol, code] of outer.functions)
    env.bind(symbol, { kind: "fn", fn: { kind: "closure", node: code, env: new Env(env) } });
  const bind = (): void => {
    for (const [symbol, declaration] of outer.variables)
      bindVariable(f, env, symbol, declaration, captured);
  };
  if (isLate) env.onEntry = bind;
  else bind();
  return {
    fn: { kind: "closure", node, env },
    test: () => ({ ...recordOf({ ...captured, isTest: true }, "", BOOL), type: BOOL }),
  };
}

/** Whether the place captures an instance of its own source text. */
const isWithin = ({ file, start }: CapturingPlace, { of }: Held): boolean =>
  capturingPlaces(of).some((each) => each.file === file && each.start === start);

const capturingPlaces = ({ captured }: Global): readonly CapturingPlace[] =>
  captured === undefined ? [] : [captured.place, ...capturingPlaces(captured.of)];

/** Whether all variables have their names where the function stands. */
function isVisible({ api, ctx }: Frame, node: Literal, { variables }: OuterNames): boolean {
  return [...variables.keys()].every(
    (symbol) =>
      symbol.name !== "__proto__" &&
      ctx.checker.resolveName(symbol.name, node.parent, api.SymbolFlags.Value, true) === symbol,
  );
}

function bindVariable(
  f: Frame,
  env: Env,
  symbol: ts.Symbol,
  declaration: ts.Declaration,
  captured: CapturedBy,
): void {
  const { api, ctx } = f;
  const { name } = symbol;
  const declared = ctx.checker.getTypeOfSymbol(symbol);
  const isFunction = ctx.checker.getNonNullableType(declared).getCallSignatures().length > 0;
  const type: Type = isFunction ? FUNCTION : f.ctx.typeFrom(declared, declaration);
  const record = recordOf(captured, name, type);
  const subject = { node: declaration, name: null, depth: 0 } as const;
  const fn = isFunction ? instanceAt(f, subject, { of: record, member: name }) : null;
  if (fn !== null) env.bind(symbol, { kind: "fn", fn });
  if (isFunction) return;
  if (!isAssigned(symbol, ctx.checker, api))
    env.bind(symbol, {
      kind: "value",
      atom: f.let(name, type, { kind: "load", object: record, key: field(name) }),
    });
  else if (isPrimitive(f, type))
    env.bind(symbol, {
      kind: "cell",
      cell: {
        kind: "cell",
        cell: { ...record, type, captured: { ...captured, field: name } },
        type,
      },
    });
}

/** The record of a function value, with the variable `name` alone. */
function recordOf(captured: CapturedBy, name: string, type: Type): Global {
  const { of, member, place } = captured;
  const value = member === undefined ? of.name : `${of.name}.${member}`;
  return {
    kind: "global",
    name: `captured(${value})`,
    type: { kind: "record", fields: [{ name, type }] },
    file: of.file,
    variable: `${captured.isTest === true ? "?" : name} of ${place.file} ${place.start} in ${of.variable ?? `${of.file} ${of.name}`} ${value}`,
    captured,
  };
}

function capturedBy(
  { api, ctx }: Frame,
  { code, ...place }: Marked,
  { variables }: OuterNames,
  held: Held,
): CapturedBy {
  return {
    ...held,
    code,
    place,
    variables: [...variables.keys()].map((symbol) => ({
      name: symbol.name,
      isAssigned: isAssigned(symbol, ctx.checker, api),
    })),
  };
}
