// What a member of a class does first. In: a method, an accessor, or a function that a field holds. Out: statements by which it asks whether an earlier run has left something in the fields that it meets
// (kept-fields.ts). Invariant: they stand in front of all that it writes there.

import type ts from "typescript";
import type { Field } from "./kept-fields.ts";
import { keyText } from "./kept-objects.ts";
import { privateName, readText } from "./private-names.ts";
import type { Work } from "./work.ts";

export function keptLines(work: Work, node: ts.FunctionLikeDeclaration): string[] {
  const { api, beside, context: { resolver } } = work, member: ts.Node = api.isArrowFunction(node) ? node.parent : node, { parent } = member;
  // instances of a class that is all rewritten are made in runs
  if (parent === undefined || !api.isClassLike(parent) || !(beside.has(parent) || api.findAncestor(work.root.parent, (at) => at === parent) !== undefined)) return [];
  return (resolver.keptFields?.(parent) ?? []).flatMap(({ cell, isStatic, of, fields, places, members }) => {
    const o = isStatic ? parent.name?.text : "this";
    if (o === undefined || ![...members].some((each) => each === member)) return [];
    if (of !== null) return [`$d.kept(${[cell, fieldText(work, of, o), ...places.map(keyText)].join(", ")});`];
    const literal = (all: readonly Field[]): string => `{ ${all.map((field) => `${keyOfField(work, field)}: ${fieldText(work, field, o)}`).join(", ")} }`;
    const left = fields.filter(({ name }) => places.includes(name.text)), asked = fields.filter((field) => !left.includes(field));
    return [`if ($d.unseen(${cell}, ${o})) $d.keptFields(${[cell, o, literal(left), ...(asked.length > 0 ? [literal(asked)] : [])].join(", ")});`];
  });
}

const fieldText = (work: Work, { name }: Field, o: string): string =>
  (work.api.isPrivateIdentifier(name) ? readText(privateName(work, name), o) : o === "this" ? `this.${name.text}` : `${o}[${JSON.stringify(name.text)}]`);
const keyOfField = (work: Work, { name }: Field): string => (work.api.isPrivateIdentifier(name) ? privateName(work, name).key : name.text);
