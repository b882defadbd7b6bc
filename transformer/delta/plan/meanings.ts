// What a name means in rewritten code. In: an identifier of an item. Out: how its text is written;
// what it names becomes an item that the item needs, or a problem.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { code, type Code, id, literal } from "../../code/code.ts";
import { isNamespace } from "../namespaces.ts";
import type { Refusal } from "../packages/index.ts";
import { outerVariable } from "../kept/cells.ts";
import type { Resolution } from "../scope.ts";
import { classNameOf } from "./class-index.ts";
import { ForeignNames } from "./foreign-names.ts";
import type { Item } from "./items.ts";
import { holdsPlaces } from "./literal-links.ts";
import { NamespaceNames } from "./namespace-names.ts";
import { blockOf } from "./places.ts";
import type { PlanHost, PlanState } from "./plan-state.ts";
import { refusalText } from "./refusal-text.ts";
import { derives, hindrance, solverAt } from "./tsgrad-calls.ts";
import type { WrittenItems } from "./written-items.ts";
import { isBeyondNamespace } from "../../syntax/places.ts";

/** A name at a place of an item's source. */
export interface Use {
  readonly item: Item;
  readonly at: ts.Identifier;
  /** The user's source text in the item's file. */
  readonly value: Code;
  /** How many names of names led here. */
  readonly depth: number;
}

/** A bound for constants that name each other in a ring. */
const DEEPEST = 20;

const CONSTANT: Resolution = { kind: "constant" };

export class Meanings {
  readonly foreign: ForeignNames;
  readonly #host: PlanHost;
  readonly #state: PlanState;
  readonly #written: WrittenItems;
  readonly #namespaces: NamespaceNames;

  constructor(host: PlanHost, state: PlanState, written: WrittenItems) {
    this.#host = host;
    this.#state = state;
    this.#written = written;
    this.foreign = new ForeignNames(state, written);
    this.#namespaces = new NamespaceNames(state, written, (alias, use) => this.#of(alias, use));
  }

  resolve(item: Item, identifier: ts.Identifier): Resolution {
    const { api, checker } = this.#state;
    const alias = api.isShorthandPropertyAssignment(identifier.parent)
      ? checker.getShorthandAssignmentValueSymbol(identifier.parent)
      : checker.getSymbolAtLocation(identifier);
    if (alias === undefined) return { kind: "native" };
    return this.#of(alias, { item, at: identifier, value: id(identifier.text), depth: 0 });
  }

  #of(alias: ts.Symbol, use: Use): Resolution {
    const symbol = this.#state.meant(alias);
    return (
      this.#ofDerivatives(alias, use) ??
      this.#inJavaScript(alias, symbol, use) ??
      this.#ofOthers(alias, symbol, use) ??
      this.#ofDeclaration(symbol, use)
    );
  }

  /** Forms of tsgrad, and functions that have rules. */
  #ofDerivatives(alias: ts.Symbol, { item, at, value }: Use): Resolution | null {
    const { api, checker } = this.#state;
    this.#state.usesForms ||= derives(alias, at, api, checker);
    const hindered = hindrance(alias, at, api, checker);
    if (hindered !== null) return this.#state.problem(item, at, hindered);
    const solver = solverAt(alias, at, api, checker);
    if (solver !== null) {
      const { name, isMember } = solver;
      const linked = (f: Code): Code => code`$d.solver(${f}, ${literal(name)})`;
      return isMember
        ? { kind: "text", value: code`(${linked(code`${value}.${id(name)}`)}, ${value})` }
        : { kind: "text", value: linked(value) };
    }
    const rule = this.#ruleAt(alias, at);
    if (rule === "jvp")
      return this.#state.problem(
        item,
        at,
        `a call of \`${value}\`, whose rule by \`jvp\` it cannot transpose; define it by \`vjp\``,
      );
    return rule === "vjp" ? CONSTANT : null;
  }

  /** The rule of `f`, or of `f` in `lib.f`. */
  #ruleAt(alias: ts.Symbol, at: ts.Identifier): "vjp" | "jvp" | null {
    const { api, checker } = this.#state;
    const { ruleOf } = this.#host;
    const { parent } = at;
    const member =
      api.isPropertyAccessExpression(parent) && parent.expression === at
        ? checker.getSymbolAtLocation(parent.name)
        : undefined;
    return ruleOf(alias, at) ?? (member === undefined ? null : ruleOf(member, parent));
  }

  /** What JavaScript declares keeps its name: it is linked beside itself. */
  #inJavaScript(alias: ts.Symbol, symbol: ts.Symbol, use: Use): Resolution | null {
    const foreign = this.#state.exportOf(alias);
    if (foreign?.ownFile !== undefined) return this.foreign.resolve(foreign, use);
    const [declaration] = symbol.declarations ?? [];
    if (declaration === undefined || this.#state.api.isSourceFile(declaration)) return null;
    if (!this.#state.isExtended(declaration)) return null;
    use.item.needs.add(this.#state.extended(declaration));
    return CONSTANT;
  }

  /** Names of packages, other projects, namespaces, and the host. */
  #ofOthers(alias: ts.Symbol, symbol: ts.Symbol, use: Use): Resolution | null {
    const { api, own } = this.#state;
    const { item, at } = use;
    if (isNamespace(symbol, api)) this.#namespaces.linkMembers(symbol, use);
    const declaration = this.#declarationOf(symbol);
    const isOwn = declaration !== undefined && own.has(declaration.getSourceFile());
    const foreign = isOwn ? null : this.#state.exportOf(alias);
    if (foreign !== null) return this.foreign.resolve(foreign, use);
    const other = declaration === undefined ? null : this.#otherProject(declaration, symbol, at);
    if (other !== null) return this.#state.problem(item, at, refusalText(other), true);
    if (declaration !== undefined && api.isSourceFile(declaration))
      return this.#namespaces.member(use);
    if (declaration !== undefined && at.text === "Math" && this.#isReplacedAt(at))
      return this.#state.problem(
        item,
        at,
        `\`${at.parent.getText()}\`, which the program replaces`,
      );
    if (!isOwn) return alias.flags & api.SymbolFlags.Alias ? CONSTANT : { kind: "native" };
    if (!isBeyondNamespace(declaration, at, api)) return null;
    this.#namespaces.linkMember(item, symbol, declaration);
    return CONSTANT;
  }

  #declarationOf({ declarations, valueDeclaration }: ts.Symbol): ts.Declaration | undefined {
    const { api } = this.#state;
    return (
      declarations?.find((node) => api.isFunctionDeclaration(node) && node.body !== undefined) ??
      valueDeclaration ??
      declarations?.[0]
    );
  }

  /** A function or class of a referenced project, of which only the types are known. */
  #otherProject(declaration: ts.Declaration, symbol: ts.Symbol, at: ts.Identifier): Refusal | null {
    const { fileName: specifier, isDeclarationFile } = declaration.getSourceFile();
    const type = this.#state.checker.getTypeOfSymbolAtLocation(symbol, at);
    if (
      !isDeclarationFile ||
      type.getCallSignatures().length + type.getConstructSignatures().length === 0 ||
      !this.#state.packages.isReferred(specifier)
    )
      return null;
    return {
      kind: "refused",
      why: "referred",
      specifier: specifier.slice(specifier.lastIndexOf("/") + 1),
      exportName: symbol.name,
    };
  }

  #otherProjectsMember(node: ts.PropertyAccessExpression, at: ts.Identifier): Refusal | null {
    const member = this.#state.checker.getSymbolAtLocation(node.name);
    const [held] = member?.declarations ?? [];
    return member === undefined || held === undefined ? null : this.#otherProject(held, member, at);
  }

  #isReplacedAt({ parent }: ts.Identifier): boolean {
    return (
      this.#state.api.isPropertyAccessExpression(parent) &&
      this.#host.isReplaced(`Math.${parent.name.text}`)
    );
  }

  // ---------------------------------------------------------------- declarations of the program

  #ofDeclaration(symbol: ts.Symbol, use: Use): Resolution {
    const { api } = this.#state;
    const node = this.#declarationOf(symbol);
    if (node === undefined) return CONSTANT;
    if (api.isFunctionDeclaration(node)) return this.#ofFunction(node, symbol, use);
    if (api.isFunctionExpression(node)) return this.#ownName(node, use);
    if (api.isClassDeclaration(node)) return this.#ofClass(node, use);
    if (api.isClassExpression(node)) {
      const name = classNameOf(node, api);
      return this.#ofClass(node, name === null ? use : { ...use, value: id(name) });
    }
    if (api.isExportAssignment(node))
      return this.#ofValue(node.expression, node, { ...use, name: "default" });
    if (api.isVariableDeclaration(node) && api.isIdentifier(node.name))
      return this.#ofVariable(node, symbol, { ...use, name: node.name.text });
    if (api.isBindingElement(node)) this.foreign.linkMade(use.item, node);
    if (api.isVariableDeclaration(node) || api.isParameter(node) || api.isBindingElement(node))
      return this.#assigned(node, symbol, use);
    return CONSTANT;
  }

  #ofFunction(node: ts.FunctionDeclaration, symbol: ts.Symbol, use: Use): Resolution {
    const { item, at, value } = use;
    if (this.#state.assigned.has(symbol)) return CONSTANT;
    return node.body === undefined
      ? this.#state.problem(item, at, `a use of \`${value}\`, which has no body`)
      : this.#named(node, node, { ...use, name: node.name?.text ?? "default" });
  }

  #named(
    node: ts.FunctionLikeDeclaration,
    named: ts.Node,
    { item, at, name, value }: Use & { readonly name: string },
  ): Resolution {
    const found = this.#written.function(node, named, name);
    if (found === null) return CONSTANT;
    item.needs.add(found);
    const text = this.#state.names.inFile(found, item);
    const note = this.#written.noteOf(node, at);
    const noted = note === null ? text : code`${note[0]}${text}${note[1]}`;
    return { kind: "function", node, delta: text, value: code`$d.link(${value}, ${noted})` };
  }

  /** The `g` of a function expression `function g(x) { … g(x - 1) … }`, a name of its own scope. */
  #ownName(node: ts.FunctionExpression, { item }: Use): Resolution {
    const found = this.#state.items.get(node);
    if (found === undefined) return CONSTANT;
    const delta = this.#state.names.inFile(found, item);
    return { kind: "function", node, delta, value: code`$d.fn(${delta})` };
  }

  #ofClass(node: ts.ClassLikeDeclaration, { item, value }: Use): Resolution {
    const found = this.#state.isExtended(node) ? null : this.#written.class(node);
    if (found === null) return { kind: "class", value, delta: null };
    if (found.beside !== undefined) {
      this.#state.soft(item, found);
      return { kind: "class", value, delta: null };
    }
    item.needs.add(found);
    return { kind: "class", value, delta: this.#state.names.inFile(found, item) };
  }

  #ofVariable(
    declaration: ts.VariableDeclaration,
    symbol: ts.Symbol,
    use: Use & { readonly name: string },
  ): Resolution {
    const { api, assigned } = this.#state;
    const isConstant = (api.getCombinedNodeFlags(declaration) & api.NodeFlags.Constant) !== 0;
    if (!isConstant && assigned.has(symbol)) return this.#assigned(declaration, symbol, use);
    if (declaration.initializer === undefined) return CONSTANT;
    const found = this.#ofValue(declaration.initializer, declaration, use);
    if (found.kind === "constant") this.foreign.linkMade(use.item, declaration);
    return found;
  }

  #ofValue(
    wrapped: ts.Expression,
    declaration: ts.VariableDeclaration | ts.ExportAssignment,
    use: Use & { readonly name: string },
  ): Resolution {
    const { api, checker } = this.#state;
    const { item, at, depth, name } = use;
    const node = bare(wrapped, api);
    if (api.isArrowFunction(node) || api.isFunctionExpression(node))
      return this.#named(node, declaration, use);
    if (api.isClassExpression(node)) return this.#ofClass(node, use);
    if (holdsPlaces(node, api)) {
      item.needs.add(this.#written.literal(node, name));
      return CONSTANT;
    }
    if (api.isIdentifier(node) && depth < DEEPEST) {
      const alias = checker.getSymbolAtLocation(node);
      return alias === undefined ? CONSTANT : this.#of(alias, { ...use, depth: depth + 1 });
    }
    const other = api.isPropertyAccessExpression(node) ? this.#otherProjectsMember(node, at) : null;
    if (other !== null) return this.#state.problem(item, at, refusalText(other), true);
    if (!this.#isMadeByPackage(node, declaration)) return CONSTANT;
    const why = this.foreign.whyNotAgain(node, declaration);
    return why === null
      ? this.#written.once(item, node, name)
      : this.#state.problem(item, at, why, "TSG1303");
  }

  /** A function that a package makes for the module, in a copy of the package. */
  #isMadeByPackage(
    node: ts.Expression,
    declaration: ts.VariableDeclaration | ts.ExportAssignment,
  ): node is ts.CallExpression {
    const { api, checker, functions } = this.#state;
    return (
      checker.getTypeAtLocation(declaration).getCallSignatures().length > 0 &&
      api.isCallExpression(node) &&
      blockOf(declaration, api) === node.getSourceFile() &&
      functions.isOfPackage(node) &&
      !this.#state.isMadeInPlace(node)
    );
  }

  #assigned(
    declaration: ts.VariableDeclaration | ts.ParameterDeclaration | ts.BindingElement,
    symbol: ts.Symbol,
    { item, value }: Use,
  ): Resolution {
    if (!this.#state.assigned.has(symbol)) return CONSTANT;
    const cell = this.#state.cells.of(item, declaration, value);
    return cell === null
      ? this.#state.problem(
          item,
          declaration,
          `captured parameter \`${value}\` that is assigned to`,
        )
      : outerVariable(cell, value);
  }
}
