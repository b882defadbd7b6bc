// What the classes below an abstract class give all its instances. In: its copy. Out: fields that
// their constructors define, and signatures of methods that each of them has. Invariant: a method
// of the base that all instances override is not run, unless code calls it by `super`.

import type ts from "typescript";
import { definedFields, type ClassNode, type ClassShape, listedAs } from "./classes.ts";
import { typeText, type Types } from "./type-text.ts";

/** A class that has instances, with its bases below the abstract one, and its declaration. */
export interface Heir {
  readonly lineage: readonly ClassNode[];
  readonly declared: ts.Symbol;
}

/** Whether each instance of an abstract class has a field that the class itself does not define. */
export const isOfHeirs = (
  { api }: Types,
  { isAbstract, heirs }: ClassShape,
  name: string,
): boolean =>
  isAbstract &&
  heirs.length > 0 &&
  heirs.every(({ lineage }) =>
    lineage.some(
      (node) =>
        definedFields(api, node).has(name) ||
        node.members.some(
          (each) => api.isPropertyDeclaration(each) && each.name.getText() === name,
        ),
    ),
  );

/** Adds methods that all instances have of other classes; whether there was a new one. */
export function addAbstract(
  types: Types,
  { isAbstract, heirs, abstracts }: ClassShape,
  names: ReadonlySet<string>,
  at: ts.Node,
): boolean {
  const { api } = types;
  const before = abstracts.size;
  const [first] = heirs;
  for (const member of isAbstract ? (first?.lineage[0]?.members ?? []) : []) {
    const name = member.name?.getText() ?? "";
    if (!api.isMethodDeclaration(member) || !names.has(name) || abstracts.has(name)) continue;
    const calls = new RegExp(`\\bsuper\\s*\\.\\s*${name.replaceAll("$", "\\$")}\\b`);
    const isCommon = heirs.every(({ lineage }) => {
      const [node] = lineage;
      return (
        node?.members.some((each) => isMethod(api, each, name)) === true &&
        !lineage.some((each) => calls.test(each.getText()))
      );
    });
    const text = isCommon ? signatureText(types, heirs, name, at) : null;
    if (text !== null) abstracts.set(name, text);
  }
  return abstracts.size > before;
}

const isMethod = (api: typeof ts, member: ts.ClassElement, name: string): boolean =>
  api.isMethodDeclaration(member) &&
  member.name.getText() === name &&
  (api.getCombinedModifierFlags(member) & api.ModifierFlags.Static) === 0;

/** Null where their declarations differ, or do not say enough. */
function signatureText(
  types: Types,
  heirs: readonly Heir[],
  name: string,
  at: ts.Node,
): string | null {
  const { checker } = types;
  const texts = heirs.map(({ declared }) => {
    const symbol = listedAs(types, declared, name, false);
    const signatures =
      symbol === undefined ? [] : checker.getTypeOfSymbol(symbol).getCallSignatures();
    const [signature, ...others] = signatures;
    if (signature === undefined || others.length > 0) return null;
    const parameters = signature.parameters.map((each) => {
      const text = typeText(types, checker.getTypeOfSymbolAtLocation(each, at), at);
      return text === null ? null : `${each.name}: ${text}`;
    });
    const result = typeText(types, signature.getReturnType(), at);
    return result === null || parameters.includes(null)
      ? null
      : `${name}(${parameters.join(", ")}): ${result}`;
  });
  const [only, ...others] = new Set(texts);
  return only === undefined || others.length > 0 ? null : only;
}
