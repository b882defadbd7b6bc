// Variables, patterns and targets of assignments: where a value is bound. In: names, patterns,
// places. Out: edges to the variables and fields that get the value or its parts.

import type ts from "typescript";
import { resolvedSymbol } from "../checker.ts";
import { accessedName } from "../objects/property-names.ts";
import { ELEMENT } from "./heap.ts";
import { Members } from "./members.ts";
import { Place } from "./propagation.ts";

export abstract class Patterns extends Members {
  readonly places = new Map<ts.Node, Place>();
  /** The copy of a package's function that an expression means. */
  protected abstract readonly copyOf: (node: ts.Node) => ts.Symbol | null;

  /** The place of an expression. */
  of(node: ts.Expression): Place {
    const known = this.places.get(node);
    if (known !== undefined) return known;
    const place = new Place(node);
    this.places.set(node, place);
    const { api } = this;
    const copy = this.copyOf(node);
    const copied = copy && this.ofSymbol(copy);
    if (copied !== null) this.flow(copied, place);
    else if (api.isIdentifier(node)) this.#name(node, place);
    else if (node.kind === api.SyntaxKind.ThisKeyword) this.flow(this.selfAt(node), place);
    return place;
  }

  // -------------------------------------------------------------- names and patterns

  #name(node: ts.Identifier, place: Place): void {
    if (node.text === "undefined") return;
    const symbol = resolvedSymbol(node, this);
    if (symbol === null) return this.add(place, this.outside);
    if (node.text === "arguments" && this.argumentsAt(node, place)) return;
    const from = this.ofSymbol(symbol);
    if (from !== null) this.flow(from, place);
    else if (this.isEnvironment(symbol)) this.add(place, this.native(node.text));
    else this.add(place, this.outside);
  }

  protected bindName(name: ts.BindingName, from: Place): void {
    const { api } = this;
    if (api.isIdentifier(name)) {
      const symbol = this.checker.getSymbolAtLocation(name);
      const to = symbol === undefined ? null : this.ofSymbol(symbol);
      if (to !== null) this.flow(from, to);
      return;
    }
    const isList = api.isArrayBindingPattern(name);
    for (const element of name.elements) {
      if (api.isOmittedExpression(element)) continue;
      const part = new Place();
      if (isList) this.iterate(from, part);
      else if (element.dotDotDotToken === undefined)
        this.load(from, this.keyOf(element.propertyName ?? element.name), part);
      if (element.initializer !== undefined) this.flow(this.of(element.initializer), part);
      this.bindName(
        element.name,
        element.dotDotDotToken === undefined ? part : this.rest(element, isList, from, part),
      );
    }
  }

  protected rest(node: ts.Node, isList: boolean, from: Place, elements: Place): Place {
    const place = new Place();
    const made = this.cell(isList ? "list" : "object", node);
    if (isList) this.flow(elements, this.field(made, ELEMENT));
    else this.copy(from, made);
    this.add(place, made);
    return place;
  }

  /** Flows into the target of an assignment. */
  protected assign(target: ts.Expression, from: Place): void {
    const { api } = this;
    if (api.isIdentifier(target)) {
      const symbol = resolvedSymbol(target, this);
      const to = symbol === null ? null : this.ofSymbol(symbol);
      this.flow(from, to ?? this.escaped);
    } else if (api.isPropertyAccessExpression(target) || api.isElementAccessExpression(target)) {
      this.#storeAt(target, from);
    } else if (api.isArrayLiteralExpression(target)) {
      const elements = new Place();
      this.iterate(from, elements);
      for (const each of target.elements)
        if (api.isSpreadElement(each))
          this.assign(each.expression, this.rest(each, true, from, elements));
        else this.assign(each, elements);
    } else if (api.isObjectLiteralExpression(target)) {
      for (const each of target.properties) this.#assignProperty(each, from);
    } else if (api.isBinaryExpression(target)) {
      this.flow(this.of(target.right), from);
      this.assign(target.left, from);
    } else if ("expression" in target) this.assign(target.expression as ts.Expression, from); // `(x)`, `x!`, `x as T`
  }

  #storeAt(target: ts.AccessExpression, from: Place): void {
    const symbol = this.api.isPropertyAccessExpression(target)
      ? this.moduleSymbol(target.name)
      : null;
    if (symbol !== null) this.flow(from, symbol);
    else this.store(this.of(target.expression), this.keyAt(target), from);
  }

  #assignProperty(property: ts.ObjectLiteralElementLike, from: Place): void {
    const { api } = this;
    const part = new Place();
    if (api.isSpreadAssignment(property))
      return this.assign(property.expression, this.rest(property, false, from, part));
    this.load(from, this.keyOf(property.name), part);
    if (api.isPropertyAssignment(property)) this.assign(property.initializer, part);
    if (!api.isShorthandPropertyAssignment(property)) return;
    const symbol = this.checker.getShorthandAssignmentValueSymbol(property);
    if (property.objectAssignmentInitializer !== undefined)
      this.flow(this.of(property.objectAssignmentInitializer), part);
    const to = symbol === undefined ? null : this.ofSymbol(symbol);
    if (to !== null) this.flow(part, to);
  }

  protected keyAt(node: ts.AccessExpression): string | null {
    const { api } = this;
    if (api.isPropertyAccessExpression(node)) return node.name.text;
    const key = node.argumentExpression;
    if (key.getText() === "Symbol.iterator") return "[Symbol.iterator]";
    return api.isNumericLiteral(key) ? key.text : accessedName(api, node);
  }
}
