// Emits the checks of class members for stale fields (kept-fields.ts). In: a method, accessor or
// function. Out: statements before all its writes. The runtime reads the fields: reads by name in
// a hot function make V8 deoptimise it whenever an instance has another shape.

import type ts from "typescript";
import {
  type Code,
  code,
  entry,
  id,
  list,
  literal,
  member,
  NOTHING,
  source,
  unchecked,
} from "../../code/code.ts";
import type { KeptCell } from "./cells.ts";
import type { Field } from "./kept-fields.ts";
import { pathOf } from "./kept-memos.ts";
import { keyText } from "./puts.ts";
import { bare } from "../plan/places.ts";
import { privateName, readText } from "../private-names.ts";
import type { Work } from "../work.ts";

/** The cells of a class. Instances of one inside rewritten code never outlive an execution. */
function cellsOf(work: Work, node: ts.ClassLikeDeclaration): readonly KeptCell[] {
  const { api, beside, context, root } = work;
  return beside.has(node) || api.findAncestor(root.parent, (at) => at === node) !== undefined
    ? (context.resolver.keptFields?.(node) ?? [])
    : [];
}

/** In a constructor: what it begins is of the execution that calls it. */
export function begunLines(work: Work, node: ts.ClassLikeDeclaration): Code[] {
  const { keptFields } = work.context.resolver;
  const parents = work.beside.has(node) ? parentsOf(work, node) : [];
  const inherited = parents.flatMap((parent) => keptFields?.(parent) ?? []);
  return [...cellsOf(work, node), ...inherited.filter(({ of }) => of === null)].flatMap(
    ({ cell, isStatic, of }) =>
      isStatic
        ? []
        : [
            code`$d.unseen(${cell}, ${of === null ? code`this` : fieldText(work, of, code`this`)});`,
          ],
  );
}

/** The classes that a class inherits from, up to one with a constructor of its own. */
function parentsOf(work: Work, node: ts.ClassLikeDeclaration): readonly ts.ClassLikeDeclaration[] {
  const { api } = work;
  const { checker } = work.context;
  const type = checker?.getTypeAtLocation(node);
  if (checker === null || type?.isClassOrInterface() !== true) return [];
  const parent = checker.getBaseTypes(type)[0]?.getSymbol()?.valueDeclaration;
  return parent === undefined ||
    !api.isClassDeclaration(parent) ||
    parent.getSourceFile().isDeclarationFile ||
    parent.members.some(api.isConstructorDeclaration)
    ? []
    : [parent, ...parentsOf(work, parent)];
}

export function keptLines(work: Work, node: ts.FunctionLikeDeclaration): Code[] {
  const { api } = work;
  const own: ts.Node = api.isArrowFunction(node) ? node.parent : node;
  const { parent } = own;
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- made nodes have none
  if (parent === undefined || !api.isClassLike(parent)) return [];
  return cellsOf(work, parent).flatMap(({ cell, isStatic, of, fields, places, members }) => {
    const name = parent.name === undefined ? undefined : id(parent.name.text);
    const o = isStatic ? name : code`this`;
    if (o === undefined || !members.has(own)) return [];
    // the runtime cannot see private names: read them here
    if (of !== null || !fields.some(({ name }) => api.isPrivateIdentifier(name))) {
      const owner = of === null ? o : fieldText(work, of, o);
      const instance = of === null || isStatic ? NOTHING : code`, this`;
      return [
        code`if ($d.unseen(${cell}, ${owner}${instance})) $d.keptIn(${list([cell, owner, ...places.map((place) => source(keyText(place)))])});`,
      ];
    }
    const fieldsOf = (all: readonly Field[]): Code =>
      code`{ ${list(all.map((field) => fieldEntry(work, field, fieldText(work, field, o))))} }`;
    const left = fields.filter(({ name }) => places.includes(name.text));
    const asked = fields.filter((field) => !left.includes(field));
    return [
      code`if ($d.unseen(${cell}, ${o})) $d.keptFields(${list([cell, o, fieldsOf(left), ...(asked.length > 0 ? [fieldsOf(asked)] : [])])});`,
    ];
  });
}

/** Checks before statements or an expression body. `isMade`: whether these declare a name. */
export function lookLines(
  work: Work,
  nodes: readonly ts.Node[],
  isMade: (name: ts.Node) => boolean = () => false,
): Code[] {
  const {
    api,
    context: { resolver },
  } = work;
  return nodes.flatMap((node) =>
    (resolver.looksAt?.(node) ?? []).flatMap(({ cell, look }) => {
      const root = rootOf(look.object, api);
      const object = objectText(work, look.object);
      if (isMade(root)) return [];
      if (root.kind === api.SyntaxKind.ThisKeyword) work.frame.usesThis = true;
      if (look.beside !== undefined)
        return [
          code`if ($d.unseen(${cell}, ${object})) $d.keptBeside(${list([cell, look.beside.owner === null ? code`null` : objectText(work, look.beside.owner), object, ...(look.places ?? []).map((place) => source(keyText(place)))])});`,
        ];
      if (look.places !== null)
        return [
          code`if ($d.unseen(${cell}, ${object})) $d.keptIn(${list([cell, object, ...look.places.map((place) => source(keyText(place)))])});`,
        ];
      if (look.key === null)
        return [code`if ($d.unseen(${cell}, ${object})) $d.keptContent(${cell}, ${object});`];
      const key = unchecked(pathOf(look.key, api));
      return key === ""
        ? []
        : [code`if ($d.unseen(${cell}, ${key})) $d.keptEntry(${cell}, ${object}, ${key});`];
    }),
  );
}

/** The object's source text in rewritten code. */
function objectText(work: Work, object: ts.Expression): Code {
  const text = unchecked(pathOf(object, work.api));
  return isDeclared(work, rootOf(object, work.api))
    ? text
    : unchecked(text.replace("this", "(this as any)"));
}

/** Whether TypeScript knows the field: rewritten classes do not declare parameter properties. */
function isDeclared({ any, api, context: { checker } }: Work, root: ts.Expression): boolean {
  const { parent } = root;
  const declaration =
    any !== NOTHING &&
    root.kind === api.SyntaxKind.ThisKeyword &&
    api.isPropertyAccessExpression(parent)
      ? checker?.getSymbolAtLocation(parent.name)?.valueDeclaration
      : undefined;
  return declaration === undefined || !api.isParameter(declaration);
}

function rootOf(object: ts.Expression, api: typeof ts): ts.Expression {
  return api.isPropertyAccessExpression(object)
    ? rootOf(bare(object.expression, api), api)
    : object;
}

const fieldText = (work: Work, { name }: Field, o: Code): Code =>
  work.api.isPrivateIdentifier(name)
    ? readText(privateName(work, name), o)
    : o === "this"
      ? member(o, name.text)
      : code`${o}[${literal(name.text)}]`;
const fieldEntry = (work: Work, { name }: Field, value: Code): Code =>
  work.api.isPrivateIdentifier(name)
    ? code`${privateName(work, name).key}: ${value}`
    : entry(name.text, value);
