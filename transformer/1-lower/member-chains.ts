// Types inside deep chains of members, `a.b.c.d`. TypeScript checks all of a chain for each query
// and narrows each link, so queries for all links are cubic. Nothing narrows a link whose path
// occurs once in its file: it has the declared type of its property. Input: a link, and the type of
// its object.

import type ts from "typescript";
import { memoised } from "../ir/visit.ts";
import type { TypeScript } from "./typescript.ts";

/** TypeScript answers for the first links of a chain. */
const SHALLOW = 16;

type Link = ts.PropertyAccessExpression | ts.ElementAccessExpression;

/** A node that a pass made has no parent. */
const isLink = (node: ts.Node | undefined, api: TypeScript): node is Link =>
  node !== undefined &&
  (api.isPropertyAccessExpression(node) || api.isElementAccessExpression(node));

export class MemberChains {
  readonly #own: ts.TypeChecker;
  readonly #api: TypeScript;
  readonly #linksOf: (file: ts.SourceFile) => ReadonlySet<ts.Node>;

  constructor(own: ts.TypeChecker, api: TypeScript) {
    this.#own = own;
    this.#api = api;
    this.#linksOf = memoised((file: ts.SourceFile) => linksWithOwnPath(file, api));
  }

  /** The object of a deep link whose type nothing narrows. */
  objectOf(node: ts.Node): ts.Expression | null {
    const api = this.#api;
    if (!api.isPropertyAccessExpression(node) || !isLink(node.parent, api)) return null;
    if (node.parent.expression !== node || (node.flags & api.NodeFlags.JavaScriptFile) !== 0)
      return null;
    let inner: ts.Node = node;
    for (let i = 0; i < SHALLOW; i++) {
      if (!isLink(inner, api)) return null;
      inner = inner.expression;
    }
    return this.#linksOf(node.getSourceFile()).has(node) ? node.expression : null;
  }

  /** The type of a link from that of its object; null: TypeScript has to be asked. */
  typeOf({ name, flags }: ts.PropertyAccessExpression, object: ts.Type): ts.Type | null {
    const { TypeFlags, SymbolFlags, NodeFlags } = this.#api;
    const whole = this.#own.getNonNullableType(object);
    if ((whole.flags & TypeFlags.Object) === 0) return null;
    const property = this.#own.getPropertyOfType(whole, name.text);
    if (property === undefined || (property.flags & SymbolFlags.Property) === 0) return null;
    const type = this.#own.getTypeOfSymbol(property);
    if ((type.flags & (TypeFlags.Object | TypeFlags.Union)) === 0) return null;
    // of `a?.b` with an `a` that may be undefined, so is the value
    const mayEnd = (flags & NodeFlags.OptionalChain) !== 0 && whole !== object;
    const isDefined = (part: ts.Type): boolean => (part.flags & TypeFlags.Undefined) === 0;
    if (!mayEnd || !membersOf(type).every(isDefined)) return type;
    const others = membersOf(object).filter(isDefined);
    const isAlike = others.length === membersOf(type).length;
    return isAlike && membersOf(type).every((one) => others.includes(one)) ? object : null;
  }

  /** The whole of a deep chain, whose check finds the symbols of all names in it. */
  outermost(name: ts.Node): ts.Node | null {
    let top = name.parent;
    if (!isLink(top, this.#api) || this.objectOf(top) === null) return null;
    while (isLink(top.parent, this.#api) && top.parent.expression === top) top = top.parent;
    return top;
  }
}

const membersOf = (type: ts.Type): readonly ts.Type[] => (type.isUnion() ? type.types : [type]);

/** Links that are the only reference of their variable, depth and name in the file. */
function linksWithOwnPath(file: ts.SourceFile, api: TypeScript): ReadonlySet<ts.Node> {
  const links = new Map<string, ts.Node | null>();
  const waiting: ts.Node[] = [file];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const chain: Link[] = [];
    let inner: ts.Node = node;
    while (
      isLink(inner, api) ||
      api.isNonNullExpression(inner) ||
      api.isParenthesizedExpression(inner)
    ) {
      if (isLink(inner, api)) {
        chain.push(inner);
        if (api.isElementAccessExpression(inner)) waiting.push(inner.argumentExpression);
      }
      inner = inner.expression;
    }
    const root = api.isIdentifier(inner) ? inner.text : "";
    for (const [depth, link] of chain.reverse().entries()) {
      const key = `${root} ${depth} ${api.isPropertyAccessExpression(link) ? link.name.text : ""}`;
      links.set(key, links.has(key) || root === "" ? null : link);
    }
    api.forEachChild(inner, (child) => void waiting.push(child));
  }
  return new Set([...links.values()].filter((link) => link !== null));
}
