// Inlines `new C(…)`: allocates the instance and runs its constructors in JavaScript's order.
// Fields are plain values until code needs the object itself. Then the object is allocated at
// once, in the constructor's own statement list, so that later statements find it. A field
// without a value at that point holds `undefined`.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { field } from "../../ir/build.ts";
import { resolve } from "../../ir/shadow.ts";
import type { Atom, Field, Type } from "../../ir/types.ts";
import type { ClassNode } from "./class-declarations.ts";
import { type Arg, Env, type Building } from "../function-values.ts";
import { bindParameters, listOf } from "../functions/parameters.ts";
import { mentionsArguments } from "../functions/specialisation.ts";
import { isWritten } from "./members-as-value.ts";
import { lowerArguments } from "../lowering.ts";
import { str, UNDEFINED } from "../coerce.ts";
import { type Frame } from "../frame.ts";
import { lowerStored } from "../functions/function-tags.ts";
import { memberName } from "../objects/places.ts";
import { lowerStatement, lowerStatements } from "../statement.ts";
import { queryOf } from "../objects/constant-mutation.ts";
import { hasPrototypeDefault } from "./replaced-members.ts";
import { mentionsSuper, returnsWithin } from "../../syntax/walk.ts";

/** Arguments of a constructor. `at`: the call, if one is known. */
interface Given {
  readonly args: readonly Arg[];
  readonly at?: ts.Node | undefined;
}

/** Constructs an instance of `type` in the current statement list. */
export function construct(f: Frame, node: ClassNode, given: Given, type: Type): Atom {
  const tag = f.ctx.classes.tagName(node);
  const building: Building = {
    type,
    values: new Map(tag === null || type.kind !== "named" ? [] : [[tag, str(type.name)]]),
    b: f.b,
    object: null,
  };
  const { env, exits, inlining } = f;
  f.exits = [];
  try {
    runConstructor(f, node, given, building);
    return objectOf(f, building);
  } finally {
    f.env = env;
    f.exits = exits;
    f.inlining = inlining;
  }
}

/** The object; allocates it if that has not happened yet. */
export function objectOf(f: Frame, building: Building): Atom {
  if (building.object !== null) return building.object;
  const fields = fieldsOf(f, building.type);
  const order = f.ctx.classes.definesFields
    ? fields.map(({ name }) => name)
    : [...new Set([...building.values.keys(), ...fields.map(({ name }) => name)])];
  const values = order.flatMap((name) => {
    const known = building.values.get(name);
    if (known !== undefined) return [{ name, value: known }];
    const type = fields.find((each) => each.name === name)?.type;
    if (type !== undefined) refuseInherited(f, building.type, name);
    return type === undefined ? [] : [{ name, value: absent(f, type) }];
  });
  building.object = f.let("self", building.type, { kind: "record", fields: values });
  return building.object;
}

/** Refuses a field that no constructor defines, if the prototype may have a value of it. */
function refuseInherited(f: Frame, type: Type, name: string): void {
  const { api, ctx } = f;
  const node = ctx.classOf(type);
  if (node === null) return;
  const isDefined = (member: ts.ClassElement): boolean =>
    ctx.classes.definesFields &&
    api.isPropertyDeclaration(member) &&
    member.name.getText() === name &&
    (api.getCombinedModifierFlags(member) & api.ModifierFlags.Ambient) === 0;
  const isOwn = (ctx.classes.lineage(node) ?? []).some(({ members }) => members.some(isDefined));
  if (!isOwn && hasPrototypeDefault(queryOf(f), name))
    f.refuse("TSG1201", f.here ?? node, `field \`${name}\`, whose value is in the prototype,`);
}

const absent = (f: Frame, type: Type): Atom =>
  f.shape(type).kind === "opt" || f.shape(type).kind === "leaf"
    ? UNDEFINED
    : { kind: "undef", type };

const fieldsOf = (f: Frame, type: Type): readonly Field[] => {
  const shape = resolve(type, f.ctx.types);
  return shape.kind === "record" ? shape.fields : [];
};

function runConstructor(f: Frame, node: ClassNode, given: Given, building: Building): void {
  const { classes } = f.ctx;
  const base = classes.baseOf(node);
  if (base === "unknown") return f.refuse("TSG1107", node, f.name, node.name?.text ?? "class");
  f.inlining = [...f.inlining, node];
  const own = classes.constructorOf(node, given.at);
  if (own !== null) return runOwnConstructor(f, node, { ...given, own, base }, building);
  if (classes.constructorsOf(node).length > 0)
    return f.refuse("TSG1107", given.at ?? node, f.name, node.name?.text ?? "class");
  if (base !== null) runConstructor(f, base, given, building);
  initialise(f, node, building);
}

/** A constructor that the class itself declares. */
interface Call extends Given {
  readonly own: ts.ConstructorDeclaration;
  readonly base: ClassNode | null;
}

function runOwnConstructor(
  f: Frame,
  node: ClassNode,
  { own, base, args }: Call,
  building: Building,
): void {
  f.env = new Env(null, { kind: "building", building }, f.ctx.givenIn(building.type, node));
  if (mentionsArguments(f, own)) f.env.arguments = listOf(f, args, f.here ?? own);
  bindParameters(f, own.parameters, args);
  const { env } = f;
  const start = (): void => {
    takeParameters(f, own, building);
    initialise(f, node, building);
    f.env = env;
  };
  if (base === null) start();
  const statements = own.body?.statements ?? [];
  if (base === null && statements.some((statement) => returnsWithin(f.api, statement).length > 0))
    return withReturns(f, statements, building);
  let isStarted = base === null;
  for (const statement of statements) {
    const call = superCall(f, statement);
    if (call !== null && base !== null) {
      runConstructor(f, base, { args: lowerArguments(f, call), at: call }, building);
      f.env = env;
      start();
      isStarted = true;
      continue;
    }
    if (
      returnsWithin(f.api, statement).length > 0 ||
      (!isStarted && mentionsSuper(f.api, statement))
    )
      return f.refuse("TSG1201", statement, "statement of this constructor");
    f.at(statement, () => runStatement(f, statement, building));
  }
}

/** `super(…)` as a statement. */
function superCall(f: Frame, statement: ts.Statement): ts.CallExpression | null {
  const node = f.api.isExpressionStatement(statement) ? bare(statement.expression, f.api) : null;
  return node !== null &&
    f.api.isCallExpression(node) &&
    node.expression.kind === f.api.SyntaxKind.SuperKeyword
    ? node
    : null;
}

/** Lowers a constructor with early returns. Returning another object is refused. */
function withReturns(f: Frame, statements: readonly ts.Statement[], building: Building): void {
  const other = statements.find((statement) =>
    returnsWithin(f.api, statement).some(({ expression }) => expression !== undefined),
  );
  if (other !== undefined) return f.refuse("TSG1201", other, "statement of this constructor");
  objectOf(f, building);
  const label = f.label("constructed");
  const { returns } = f;
  f.returns = { label, type: { kind: "void" }, used: false };
  const body = f.nested(() => (lowerStatements(f, statements), []));
  f.b.emit({ kind: "scope", label, body, bind: null });
  f.returns = returns;
}

/** Parameter properties: `constructor(readonly x: number)`. */
function takeParameters(f: Frame, own: ts.ConstructorDeclaration, building: Building): void {
  for (const parameter of own.parameters) {
    if (
      !f.api.isParameterPropertyDeclaration(parameter, own) ||
      !f.api.isIdentifier(parameter.name)
    )
      continue;
    const name = parameter.name;
    f.at(parameter, () =>
      setField(
        f,
        building,
        name.text,
        lowerStored(f, name, "t", fieldType(f, building, name.text)),
        parameter,
      ),
    );
  }
}

/** Field initializers: `x = 1;` in the class body. */
function initialise(f: Frame, node: ClassNode, building: Building): void {
  f.env = new Env(null, { kind: "building", building }, f.ctx.givenIn(building.type, node));
  for (const member of node.members) {
    if (
      !f.api.isPropertyDeclaration(member) ||
      f.ctx.classes.isStatic(member) ||
      member.initializer === undefined
    )
      continue;
    const { initializer, name } = member;
    if (!f.api.isIdentifier(name) && !f.api.isPrivateIdentifier(name))
      return f.refuse("TSG1202", member, name.getText());
    if (needsObject(f, initializer, building)) objectOf(f, building);
    const called = memberName(f, name);
    f.at(member, () =>
      setField(
        f,
        building,
        called,
        lowerStored(f, initializer, called, fieldType(f, building, called)),
        member,
      ),
    );
  }
}

const fieldType = (f: Frame, building: Building, name: string): Type | null =>
  fieldsOf(f, building.type).find((each) => each.name === name)?.type ?? null;

function setField(f: Frame, building: Building, name: string, value: Atom, at: ts.Node): void {
  if (!fieldsOf(f, building.type).some((each) => each.name === name))
    return f.refuse("TSG1205", at, name);
  if (building.object === null) building.values.set(name, value);
  else f.b.store(building.object, field(name), value);
}

function runStatement(f: Frame, statement: ts.Statement, building: Building): void {
  const { api } = f;
  const node = api.isExpressionStatement(statement) ? bare(statement.expression, f.api) : null;
  const isPlain =
    node !== null &&
    api.isBinaryExpression(node) &&
    node.operatorToken.kind === api.SyntaxKind.EqualsToken;
  const target = isPlain ? bare(node.left, f.api) : null;
  const called =
    isPlain &&
    target !== null &&
    api.isPropertyAccessExpression(target) &&
    isThis(f, target.expression)
      ? memberName(f, target.name)
      : null;
  if (isPlain && called !== null && isField(f, building, called)) {
    if (needsObject(f, node.right, building)) objectOf(f, building);
    return setField(
      f,
      building,
      called,
      lowerStored(f, node.right, called, fieldType(f, building, called)),
      statement,
    );
  }
  if (needsObject(f, statement, building)) objectOf(f, building);
  lowerStatement(f, statement, []);
}

const isThis = (f: Frame, node: ts.Expression): boolean =>
  bare(node, f.api).kind === f.api.SyntaxKind.ThisKeyword;
const isField = (f: Frame, building: Building, name: string): boolean =>
  fieldsOf(f, building.type).some((each) => each.name === name);

/** Whether code uses `this` other than to read fields that already have values. */
function needsObject(f: Frame, node: ts.Node, building: Building): boolean {
  const { api } = f;
  if (building.object !== null) return false;
  if (api.isFunctionExpression(node) || api.isFunctionDeclaration(node) || api.isClassLike(node))
    return false;
  if (node.kind === api.SyntaxKind.ThisKeyword || node.kind === api.SyntaxKind.SuperKeyword)
    return !isRead(f, node, building);
  return api.forEachChild(node, (child) => needsObject(f, child, building) || undefined) === true;
}

function isRead(f: Frame, node: ts.Node, building: Building): boolean {
  const { api } = f;
  const access = node.parent;
  if (
    !api.isPropertyAccessExpression(access) ||
    access.expression !== node ||
    !building.values.has(memberName(f, access.name))
  )
    return false;
  const { parent } = access;
  const isCalled = api.isCallExpression(parent) && parent.expression === access;
  const isInPattern =
    api.findAncestor(
      access,
      (at) => api.isArrayLiteralExpression(at) || api.isObjectLiteralExpression(at),
    ) !== undefined &&
    api.findAncestor(
      access,
      (at) => api.isBinaryExpression(at) && api.isArrayLiteralExpression(bare(at.left, f.api)),
    ) !== undefined;
  return !isWritten(f, access) && !isCalled && !isInPattern;
}
