// Rewrites classes. In: a class. Out: a class whose constructor and methods take ids first.
// Invariant: it is linked before its static members are evaluated; only an original has static
// fields.

import type ts from "typescript";
import { type Code, code, id, list, literal, NOTHING, source, ZERO } from "../code/code.ts";
import { beginsWith } from "../code/lines.ts";
import { expression } from "./expression.ts";
import { frameOf, functionText, hasModifier, type Shape } from "./function.ts";
import { keyOf } from "./literals.ts";
import { asArgument, flat } from "./pair.ts";
import { fieldAccess, getter, privateName, setter } from "./private-names.ts";
import { statements } from "./statement.ts";
import {
  block,
  declaredTemporaries,
  idOf,
  problem,
  within,
  type Frame,
  type Work,
} from "./work.ts";
import { mentionsSuper } from "../syntax/walk.ts";

export interface ClassNaming {
  readonly name: Code;
  /** The class is rewritten in place: no original coexists. */
  readonly own: boolean;
  /** The name of the original that coexists. */
  readonly plain?: Code;
}

export function classText(work: Work, node: ts.ClassLikeDeclaration, naming: ClassNaming): Code {
  refuseDecorators(work, node);
  if (!naming.own) work.beside.set(node, naming.name);
  const heritage = heritageOf(work, node, naming.plain);
  const shape: Shape = { typedThis: true, parent: heritage.parent };
  const lines = naming.own ? [code`static { $d.linkClass(this, this); }`] : [];
  const outer: Frame = { ...work.frame, typedThis: true, parent: heritage.parent };
  within(work, outer, () => {
    for (const member of node.members) lines.push(...memberLines(work, member, shape, naming));
  });
  if (naming.plain !== undefined)
    lines.unshift(...fieldAccess(work, node, naming.name, naming.plain, lines));
  return block(
    code`class${naming.name === NOTHING ? NOTHING : code` ${naming.name}`}${heritage.text}`,
    lines,
  );
}

/** A class inside of a function, which is rewritten in place. */
export function ownClass(work: Work, node: ts.ClassLikeDeclaration): Code {
  const name = node.name === undefined ? NOTHING : id(node.name.text);
  return classText(work, node, { name, own: true });
}

/** Whether a class runs code where it stands: what it extends, keys of members, static members. */
export const runsAtOnce = (api: typeof ts, node: ts.ClassLikeDeclaration): boolean =>
  (node.heritageClauses ?? []).some(({ types }) =>
    types.some((of) => !api.isIdentifier(of.expression)),
  ) ||
  node.members.some(
    (member) =>
      api.isClassStaticBlockDeclaration(member) ||
      (member.name !== undefined && api.isComputedPropertyName(member.name)) ||
      (api.isPropertyDeclaration(member) &&
        (member.modifiers ?? []).some(({ kind }) => kind === api.SyntaxKind.StaticKeyword)),
  );

function heritageOf(
  work: Work,
  node: ts.ClassLikeDeclaration,
  plain: Code | undefined,
): { readonly text: Code; readonly parent: Frame["parent"] } {
  const { api } = work;
  const base = (node.heritageClauses ?? []).find(
    (clause) => clause.token === api.SyntaxKind.ExtendsKeyword,
  )?.types[0]?.expression;
  if (base === undefined) return { text: NOTHING, parent: "none" };
  const any = (text: Code): Code => (work.any === NOTHING ? text : code`(${text} as any)`);
  if (api.isIdentifier(base) && work.bindings.find(base) === null) {
    const found = work.context.resolver.resolve(base);
    if (found.kind === "class" && found.delta !== null)
      return { text: code` extends ${any(found.delta)}`, parent: "rewritten" };
  }
  // evaluated again, `mixin(Base)` would be another class
  if (plain !== undefined && !api.isIdentifier(base))
    return {
      text: code` extends ${any(code`$d.parent(Object.getPrototypeOf(${plain}))`)}`,
      parent: "value",
    };
  return {
    text: code` extends ${any(code`$d.parent(${asArgument(expression(work, base))})`)}`,
    parent: "value",
  };
}

function refuseDecorators(work: Work, node: ts.Node): void {
  const { api } = work;
  if (api.canHaveDecorators(node) && (api.getDecorators(node) ?? []).length > 0)
    problem(work, node, "a decorator");
}

function memberLines(
  work: Work,
  member: ts.ClassElement,
  shape: Shape,
  naming: ClassNaming,
): readonly Code[] {
  const { api } = work;
  refuseDecorators(work, member);
  const isStatic = hasModifier(work, member, api.SyntaxKind.StaticKeyword);
  if (api.isPropertyDeclaration(member)) return fieldLines(work, member, isStatic, naming);
  if (api.isConstructorDeclaration(member))
    return member.body === undefined ? [] : [constructorText(work, member, shape, naming)];
  if (isMethod(work, member))
    return member.body === undefined
      ? []
      : !isStatic && !naming.own && api.isPrivateIdentifier(member.name)
        ? [privateFunction(work, member, member.body, id(member.name.text), shape)]
        : [methodText(work, member, isStatic, shape)];
  if (api.isClassStaticBlockDeclaration(member))
    return naming.own ? [staticBlock(work, member, shape)] : [];
  return api.isSemicolonClassElement(member) || api.isIndexSignatureDeclaration(member)
    ? []
    : (problem(work, member, "this member"), []);
}

type Method = ts.MethodDeclaration | ts.AccessorDeclaration;

const isMethod = ({ api }: Work, member: ts.ClassElement): member is Method =>
  api.isMethodDeclaration(member) || api.isAccessor(member);

function methodText(work: Work, member: Method, isStatic: boolean, shape: Shape): Code {
  const accessor = accessorOf(work, member);
  const text = functionText(work, member, { ...shape, ...accessor });
  const words = [
    ...(isStatic ? [code`static `] : []),
    ...(accessor.accessor === undefined ? [] : [code`${id(accessor.accessor)} `]),
    ...(text.isGenerator ? [code`*`] : []),
  ];
  const type = accessor.accessor === "set" ? NOTHING : work.any;
  return block(
    code`${list(words, "")}${nameText(work, member.name)}(${text.parameters})${type}`,
    text.lines,
  );
}

const accessorOf = ({ api }: Work, member: Method): { readonly accessor?: "get" | "set" } =>
  api.isMethodDeclaration(member)
    ? {}
    : { accessor: api.isGetAccessorDeclaration(member) ? "get" : "set" };

const staticBlock = (work: Work, { body }: ts.ClassStaticBlockDeclaration, shape: Shape): Code =>
  block(
    code`static`,
    within(work, { ...frameOf(shape, false) }, () =>
      temporaries(work, statements(work, body.statements)),
    ),
  );

/** A private member becomes a static function, called on an object of either of the two classes. */
function privateFunction(
  work: Work,
  member: Method,
  body: ts.Block,
  name: Code,
  shape: Shape,
): Code {
  if (mentionsSuper(work.api, body))
    problem(work, member, `\`super\` in \`${name}\` (\`private\` is accepted)`);
  const { accessor } = accessorOf(work, member);
  const text = functionText(work, member, {
    ...shape,
    typedThis: false,
    parent: "none",
    ...(accessor === undefined ? {} : { accessor }),
  });
  const hasThis = text.usesThis && work.any !== NOTHING;
  const parameters = [
    ...(hasThis ? [code`this: any`] : []),
    ...(text.parameters === NOTHING ? [] : [text.parameters]),
  ];
  const own = accessor === undefined ? name : accessor === "get" ? getter(name) : setter(name);
  const type = accessor === "set" ? NOTHING : work.any;
  return block(
    code`static ${text.isGenerator ? code`*` : NOTHING}${own}(${list(parameters)})${type}`,
    text.lines,
  );
}

const temporaries = (work: Work, lines: readonly Code[]): Code[] => [
  declaredTemporaries(work, work.frame),
  ...lines,
];

/** `constructor(readonly k) { super(); this.k = k; this.field = …; … }`, only what is needed. */
function constructorText(
  work: Work,
  node: ts.ConstructorDeclaration,
  shape: Shape,
  naming: ClassNaming,
): Code {
  const { api } = work;
  const text = functionText(work, node, { ...shape, isConstructor: true });
  const own = node.parameters.filter(
    (parameter) =>
      api.isParameterPropertyDeclaration(parameter, node) && api.isIdentifier(parameter.name),
  );
  const sets = own.map((parameter) => {
    const name = source(parameter.name.getText());
    return code`$d.set(this, ${literal(parameter.name.getText())}, ${name}, ${propertyId(work, parameter, node.parameters.indexOf(parameter), text.ids)});`;
  });
  const fields = node.parent.members.flatMap((member) =>
    startsInConstructor(work, member) ? fieldLines(work, member, false, naming, true) : [],
  );
  const afterSuper = text.lines.findIndex((line) => beginsWith(line, "super(")) + 1;
  const at = Math.max(afterSuper, text.bodyAt);
  return block(code`constructor(${text.parameters})`, [
    ...text.lines.slice(0, at),
    ...sets,
    ...fields,
    ...text.lines.slice(at),
  ]);
}

/** The id of a parameter property's value. A default has its own. */
function propertyId(work: Work, parameter: ts.ParameterDeclaration, at: number, ids: Code): Code {
  const variable =
    parameter.initializer !== undefined && work.api.isIdentifier(parameter.name)
      ? work.bindings.find(parameter.name)
      : null;
  return variable === null ? code`${ids}[${at}] ?? 0` : idOf(variable);
}

/** Whether a field's initialiser may read a parameter property, which is set before it. */
function startsInConstructor(
  work: Work,
  member: ts.ClassElement,
): member is ts.PropertyDeclaration {
  const { api, context } = work;
  if (
    context.fieldsLast !== true ||
    !api.isPropertyDeclaration(member) ||
    member.initializer === undefined ||
    api.isComputedPropertyName(member.name) ||
    hasModifier(work, member, api.SyntaxKind.StaticKeyword)
  )
    return false;
  const own = member.parent.members.find(
    (each): each is ts.ConstructorDeclaration =>
      api.isConstructorDeclaration(each) && each.body !== undefined,
  );
  return (
    own !== undefined &&
    own.parameters.some((parameter) => api.isParameterPropertyDeclaration(parameter, own))
  );
}

function nameText(work: Work, name: ts.PropertyName): Code {
  const { api } = work;
  if (api.isPrivateIdentifier(name) || api.isIdentifier(name)) return id(name.text);
  return code`[${keyOf(work, name).key}]`;
}

/** Whether an assignment of the field calls a setter, which would get no id. */
function isOverAccessor(
  { api, context: { checker } }: Work,
  { name, parent }: ts.PropertyDeclaration,
): boolean {
  const type = checker?.getTypeAtLocation(parent);
  return (
    type?.isClassOrInterface() === true &&
    !api.isPrivateIdentifier(name) &&
    (checker?.getBaseTypes(type) ?? []).some((base) => {
      const inherited = checker?.getPropertyOfType(base, name.getText());
      return inherited !== undefined && (inherited.flags & api.SymbolFlags.Accessor) !== 0;
    })
  );
}

/** `inConstructor`: a statement that writes the field there. */
function fieldLines(
  work: Work,
  node: ts.PropertyDeclaration,
  isStatic: boolean,
  naming: ClassNaming,
  inConstructor = false,
): readonly Code[] {
  if ((isStatic && !naming.own) || isOnlyType(work, node)) return [];
  const construct = refusedField(work, node, isStatic || naming.own);
  if (construct !== null) return (problem(work, node, construct), []);
  const name = nameText(work, node.name);
  const declared = code`${isStatic ? code`static ` : NOTHING}${name}${work.any}`;
  // Without an initialiser, the program's options say whether the field starts undefined.
  if (node.initializer === undefined || (!inConstructor && startsInConstructor(work, node)))
    return [code`${declared};`];
  const head = inConstructor
    ? code`this${name.startsWith("[") ? NOTHING : code`.`}${name}`
    : declared;
  return [code`${head} = ${fieldValue(work, node.name, node.initializer)};`];
}

/** `declare x: T`, `abstract x: T` */
const isOnlyType = (work: Work, node: ts.PropertyDeclaration): boolean =>
  hasModifier(work, node, work.api.SyntaxKind.DeclareKeyword) ||
  hasModifier(work, node, work.api.SyntaxKind.AbstractKeyword);

function refusedField(work: Work, node: ts.PropertyDeclaration, isDefined: boolean): string | null {
  if (hasModifier(work, node, work.api.SyntaxKind.AccessorKeyword)) return "an auto-accessor";
  return work.context.fieldsLast === true && !isDefined && isOverAccessor(work, node)
    ? "a field over an accessor of the base class"
    : null;
}

function fieldValue(work: Work, name: ts.PropertyName, initializer: ts.Expression): Code {
  const frame = frameOf({ typedThis: true, parent: work.frame.parent }, false);
  const pair = within(work, frame, () => expression(work, initializer));
  const value =
    pair.i === ZERO
      ? asArgument(pair)
      : code`$d.field(this, ${fieldKey(work, name)}, ${flat(pair)})`;
  return frame.temporaries.length === 0
    ? value
    : code`(() => { ${declaredTemporaries(work, frame)} return ${value}; })()`;
}

function fieldKey(work: Work, name: ts.PropertyName): Code {
  if (work.api.isPrivateIdentifier(name)) return privateName(work, name).key;
  return work.api.isIdentifier(name) ? literal(name.text) : keyOf(work, name).key;
}
