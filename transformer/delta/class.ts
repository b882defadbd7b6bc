// Classes. In: a class. Out: a class whose constructor and methods take ids first. Invariant: a class of rewritten code is linked
// with itself before its static members are evaluated; the rewritten form of a class that stays has no static fields.

import type ts from "typescript";
import { expression } from "./expression.ts";
import { frameOf, functionText, hasModifier, type Shape } from "./function.ts";
import { keyOf } from "./literals.ts";
import { asArgument, flat, plain } from "./pair.ts";
import { statements } from "./statement.ts";
import { block, declaredTemporaries, problem, within, type Frame, type Work } from "./work.ts";

export interface ClassNaming { readonly name: string; /** The class stands for itself: there is no other one. */ readonly own: boolean }

export function classText(work: Work, node: ts.ClassLikeDeclaration, naming: ClassNaming): string {
  const { api } = work;
  if (api.canHaveDecorators(node) && (api.getDecorators(node) ?? []).length > 0) problem(work, node, "a decorator");
  const heritage = heritageOf(work, node);
  const shape: Shape = { typedThis: true, parent: heritage.parent };
  const lines = naming.own ? ["static { $d.linkClass(this, this); }"] : [];
  const outer: Frame = { ...work.frame, typedThis: true, parent: heritage.parent };
  within(work, outer, () => {
    for (const member of node.members) lines.push(...memberLines(work, member, shape, naming));
  });
  return block(`class${naming.name === "" ? "" : ` ${naming.name}`}${heritage.text}`, lines);
}

function heritageOf(work: Work, node: ts.ClassLikeDeclaration): { readonly text: string; readonly parent: Frame["parent"] } {
  const { api } = work;
  const base = (node.heritageClauses ?? []).find((clause) => clause.token === api.SyntaxKind.ExtendsKeyword)?.types[0]?.expression;
  if (base === undefined) return { text: "", parent: "none" };
  const any = (text: string): string => (work.any === "" ? text : `(${text} as any)`);
  if (api.isIdentifier(base) && work.bindings.find(base) === null) {
    const found = work.context.resolver.resolve(base);
    if (found.kind === "class" && found.delta !== null) return { text: ` extends ${any(found.delta)}`, parent: "rewritten" };
  }
  return { text: ` extends ${any(`$d.parent(${asArgument(expression(work, base))})`)}`, parent: "value" };
}

function memberLines(work: Work, member: ts.ClassElement, shape: Shape, naming: ClassNaming): string[] {
  const { api, any } = work;
  if (api.canHaveDecorators(member) && (api.getDecorators(member) ?? []).length > 0) problem(work, member, "a decorator");
  const isStatic = hasModifier(work, member, api.SyntaxKind.StaticKeyword);
  const head = isStatic ? "static " : "";
  if (api.isConstructorDeclaration(member)) return member.body === undefined ? [] : [constructorText(work, member, shape)];
  if (api.isMethodDeclaration(member)) {
    if (member.body === undefined) return [];
    const text = functionText(work, member, { ...shape });
    return [block(`${head}${text.isGenerator ? "*" : ""}${nameText(work, member.name)}(${text.parameters})${any}`, text.lines)];
  }
  if (api.isGetAccessor(member) || api.isSetAccessor(member)) {
    if (member.body === undefined) return [];
    const isGetter = api.isGetAccessor(member);
    const text = functionText(work, member, { ...shape, accessor: isGetter ? "get" : "set" });
    return [block(`${head}${isGetter ? "get" : "set"} ${nameText(work, member.name)}(${text.parameters})${isGetter ? any : ""}`, text.lines)];
  }
  if (api.isClassStaticBlockDeclaration(member)) {
    return naming.own ? [block("static", within(work, { ...frameOf(shape, false) }, () => temporaries(work, statements(work, member.body.statements))))] : [];
  }
  if (api.isPropertyDeclaration(member)) return fieldLines(work, member, isStatic, naming);
  return api.isSemicolonClassElement(member) || api.isIndexSignatureDeclaration(member) ? [] : (problem(work, member, "this member"), []);
}

const temporaries = (work: Work, lines: readonly string[]): string[] => [declaredTemporaries(work, work.frame), ...lines];

function constructorText(work: Work, node: ts.ConstructorDeclaration, shape: Shape): string {
  const { api } = work;
  const text = functionText(work, node, { ...shape, isConstructor: true });
  const own = node.parameters.filter((parameter) => api.isParameterPropertyDeclaration(parameter, node) && api.isIdentifier(parameter.name));
  const sets = own.map((parameter) => {
    const name = parameter.name.getText();
    return `$d.set(this, ${JSON.stringify(name)}, ${name}, ${work.ids}[${node.parameters.indexOf(parameter)}] ?? 0);`;
  });
  for (const parameter of own) if (parameter.initializer !== undefined) problem(work, parameter, "a parameter property with a default");
  const at = text.lines.findIndex((line) => /(^|\u0002)super\(/.test(line));
  return block(`constructor(${text.parameters})`, [...text.lines.slice(0, at + 1), ...sets, ...text.lines.slice(at + 1)]);
}

function nameText(work: Work, name: ts.PropertyName): string {
  const { api } = work;
  if (api.isPrivateIdentifier(name) || api.isIdentifier(name)) return name.text;
  return `[${keyOf(work, name).text}]`;
}

function fieldLines(work: Work, node: ts.PropertyDeclaration, isStatic: boolean, naming: ClassNaming): string[] {
  const { api, any } = work;
  if ((isStatic && !naming.own) || hasModifier(work, node, api.SyntaxKind.DeclareKeyword) || hasModifier(work, node, api.SyntaxKind.AbstractKeyword)) return [];
  if (hasModifier(work, node, api.SyntaxKind.AccessorKeyword)) { problem(work, node, "an auto-accessor"); return []; }
  const frame = { ...frameOf({ typedThis: true, parent: work.frame.parent }, false) };
  const pair = within(work, frame, () => (node.initializer === undefined ? plain("undefined") : expression(work, node.initializer)));
  const name = nameText(work, node.name), head = `${isStatic ? "static " : ""}${name}${any}`;
  const needsTemporaries = frame.temporaries.length > 0;
  const around = (text: string): string => (needsTemporaries ? `(() => { ${declaredTemporaries(work, frame)} return ${text}; })()` : text);
  if (api.isPrivateIdentifier(node.name)) {
    const lines = [`${head} = ${around(asArgument(pair))};`];
    if (pair.i !== "0") problem(work, node, "a private field that starts with a derivative");
    return lines;
  }
  if (pair.i === "0") return [`${head} = ${around(asArgument(pair))};`];
  const key = api.isIdentifier(node.name) ? JSON.stringify(node.name.text) : keyOf(work, node.name).text;
  return [`${head} = ${around(`$d.field(this, ${key}, ${flat(pair)})`)};`];
}
