// Translates types of class instances. A class with subclasses, or with structural subtypes among
// the program's classes, is the union of all concrete ones.
// It is an opaque leaf where one of them, or its type arguments, are not known.

import type ts from "typescript";
import type { Field, Type } from "../../ir/types.ts";
import { VOID } from "../../ir/build.ts";
import { resolve } from "../../ir/shadow.ts";
import type { ClassNode } from "../classes/class-declarations.ts";
import { standInsFor } from "../classes/structural-subtypes.ts";
import type { InstanceType } from "./instance-types.ts";
import type { NamedTypes } from "./named-types.ts";

/** Instances of a class and of its structural subtypes. */
export function classType(t: NamedTypes, type: ts.Type, node: ClassNode, at: ts.Node): Type {
  const classes = t.classTable;
  if (classes.isError(type)) return t.leaf(type);
  const { classes: others, others: isOpen } = standInsFor(node, type, at, classes);
  if (others.length === 0 && !isOpen && !classes.isAbstract(node))
    return classes.isKnown(node) ? exactType(t, node, at, t.argumentsOf(type, at)) : t.opaque(type);
  const args = t.argumentsOf(type, at);
  // a base may be among those that are only alike
  const hasBases = (classes.lineage(node) ?? []).some((each) => others.includes(each));
  const made = anyOf(t, type, classes.inOrder([...others, node]), at, (each) =>
    t.instances.argumentsAs(each, node, args, {
      struct: (one) => resolve(one, t.types),
      from: (one) => t.from(one, at),
    }),
  );
  if (isOpen && made.kind === "named") t.open.add(made.name);
  if (hasBases && made.kind === "named") t.withBases.add(made.name);
  return made;
}

/** An interface with methods that these classes fit. */
export function interfaceType(
  t: NamedTypes,
  type: ts.Type,
  fitting: readonly ClassNode[],
  at: ts.Node,
): Type {
  const made = anyOf(t, type, fitting, at, (node) =>
    node.typeParameters === undefined ? [] : null,
  );
  if (made.kind === "named") t.open.add(made.name);
  return made;
}

/** `argumentsOf`: the class's type arguments; null if unknown, "never" if impossible. */
function anyOf(
  t: NamedTypes,
  type: ts.Type,
  nodes: readonly ClassNode[],
  at: ts.Node,
  argumentsOf: (node: ClassNode) => readonly Type[] | null | "never",
): Type {
  const concrete = nodes.filter((node) => !t.classTable.isAbstract(node));
  const variants = concrete.flatMap((node) => {
    const args = argumentsOf(node);
    return args === "never" ? [] : [{ node, args }];
  });
  const isKnown = variants.every(({ node, args }) => args !== null && t.classTable.isKnown(node));
  if (variants.length === 0 || !isKnown) return t.opaque(type);
  return t.name(type, type.aliasSymbol ?? type.symbol, at, () => ({
    kind: "union",
    variants: variants.map(({ node, args }) => exactType(t, node, at, args ?? [])),
  }));
}

/** Instances of exactly this class. */
export function exactType(
  t: NamedTypes,
  node: ClassNode,
  at: ts.Node,
  args: readonly Type[] = [],
): Type {
  const name = t.instances.nameOf(node, args);
  if (name !== null) return { kind: "named", name };
  const made = t.instances.make(node, args, t.entries);
  return t.amongInstances(node, () => t.among(made.given, () => instance(t, made, at)));
}

function instance(t: NamedTypes, made: InstanceType, at: ts.Node): Type {
  const { node, name, entry } = made;
  const { text } = entry;
  const classes = t.classTable;
  const reference = { kind: "named", name } as const;
  t.entries.set(name, entry);
  const fields = classes.fields(node) ?? [];
  const about = classes.isSealed(node)
    ? { sealed: true as const }
    : { instance: t.instances.about(made, fields) };
  t.types.set(name, { type: VOID, text, scope: [], ...about });
  t.nested(() => {
    const tag = classes.tagName(node);
    const tags: readonly Field[] =
      tag === null ? [] : [{ name: tag, type: { kind: "leaf", text: JSON.stringify(name) } }];
    const own = fields.map((each) => ({ ...t.field(each.symbol, at), name: each.name }));
    const tagged = tag === null ? {} : { tagged: true as const };
    const type: Type = { kind: "record", ...tagged, fields: [...tags, ...own] };
    t.define(reference, { type, text, scope: [], ...about });
  });
  return reference;
}
