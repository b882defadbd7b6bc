// The functions that fields, variables and arrays may hold, by value flow.
// Output: the functions, each with its discriminator, or null where one is unknown.
// A function counts if it has a name that emitted code can compare with, or if its code and its
// captures can stand behind a tag.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import type { Global, Origin, Type } from "../../ir/types.ts";
import { isConstant, isReassigned } from "../assignments.ts";
import { resolvedSymbol } from "../checker.ts";
import type { Asking, LowerContext } from "../context.ts";
import type { Cell, CellKind } from "../flow/propagation.ts";
import { valueFlowOf } from "../flow/value-flow.ts";
import { Frame } from "../frame.ts";
import { Env, type HeldField, type Source } from "../function-values.ts";
import { queryOf } from "../objects/constant-mutation.ts";
import { declaredName } from "../objects/property-names.ts";
import type { TypeScript } from "../typescript.ts";
import { capturedBy } from "./closure-captures.ts";
import { partNamed } from "./constant-parts.ts";
import { fieldsLike, type Subject, valuesAt } from "./stored-functions.ts";

/** The field that `layer.act`, or the `act` of `const { act } = layer`, reads. */
export function fieldRead(f: Frame, callee: ts.Expression): HeldField | null {
  const { api } = f;
  const node = bare(callee, f.api);
  if (!api.isPropertyAccessExpression(node) && !api.isIdentifier(node)) return null;
  const symbol = f.symbolOf(api.isIdentifier(node) ? node : node.name);
  const declaration = symbol?.valueDeclaration;
  if (symbol === null || declaration === undefined || declaration.getSourceFile().isDeclarationFile)
    return null;
  if (api.isPropertyAccessExpression(node))
    return (symbol.flags & api.SymbolFlags.Property) !== 0
      ? { name: symbol.name, at: node.expression }
      : null;
  if (api.isBindingElement(declaration))
    return isReassigned(f, symbol) ? null : fieldDestructured(f, declaration);
  return isConstant(declaration, api) &&
    api.isPropertyAccessExpression(bare(declaration.initializer, f.api))
    ? fieldRead(f, declaration.initializer)
    : null;
}

/** The field of an element of an object pattern; null for a rest. */
function fieldDestructured(
  { api, ctx: { checker } }: Frame,
  { parent, propertyName, name, initializer, dotDotDotToken }: ts.BindingElement,
): HeldField | null {
  if (!api.isObjectBindingPattern(parent) || dotDotDotToken !== undefined) return null;
  const taken = declaredName(api, propertyName ?? name, checker);
  const initial = initializer === undefined ? {} : { initial: initializer };
  return taken === null ? null : { name: taken, at: parent, ...initial };
}

/** A top-level function of a module as a value; null of other functions. */
export function nameOfFunction({ api }: Frame, symbol: ts.Symbol): Global | null {
  const declaration = symbol.valueDeclaration;
  if (
    declaration === undefined ||
    !(api.isFunctionDeclaration(declaration) || api.isVariableDeclaration(declaration)) ||
    declaration.name === undefined ||
    !api.isIdentifier(declaration.name)
  )
    return null;
  const file = declaration.getSourceFile();
  const around = api.isVariableDeclaration(declaration)
    ? declaration.parent.parent.parent
    : declaration.parent;
  const { text: name } = declaration.name;
  return around !== file || file.isDeclarationFile
    ? null
    : {
        kind: "global",
        name,
        type: { kind: "leaf", text: `typeof ${name}` },
        file: file.fileName,
        isFunction: true,
      };
}

/** A frame with the bindings of a module. */
function frameOf({ api, checker, program, classes, at }: Asking): Frame {
  const bodyOf = ({ valueDeclaration: node }: ts.Symbol): ts.FunctionLikeDeclaration | null => {
    const held =
      node !== undefined && api.isVariableDeclaration(node) && node.initializer !== undefined
        ? bare(node.initializer, api)
        : node;
    return held !== undefined &&
      (api.isFunctionDeclaration(held) ||
        api.isArrowFunction(held) ||
        api.isFunctionExpression(held)) &&
      held.body !== undefined
      ? held
      : null;
  };
  const originOf = (node: ts.Node): Origin => ({
    file: node.getSourceFile().fileName,
    start: node.pos,
    end: node.end,
  });
  // Nothing is lowered in this frame.
  const { lowering } = classes;
  const ctx = {
    ts: api,
    checker,
    program,
    classes,
    lowering,
    originOf,
    bodyOf,
  } as unknown as LowerContext;
  return new Frame(ctx, at, "", { label: "", type: { kind: "void" }, used: false });
}

/** The functions that an expression may be, which are compared by name. */
export function functionsOf(f: Frame, expression: ts.Expression): readonly Source[] | null {
  return new Sources(f, expression).of(valuesRead(f, expression));
}

/** A value that the program stores in the field and that has no name; null if there is none. */
export function unknownIn(f: Frame, callee: ts.Expression): ts.Node | null {
  const field = fieldRead(f, callee);
  const sources = new Sources(f, callee);
  if (field === null || sources.of(valuesRead(f, callee)) !== null) return null;
  const { unknown } = sources;
  const { api, ctx } = f;
  const places = fieldsLike(field.at, field.name, { api, program: ctx.program });
  return unknown === null
    ? null
    : (unknown.node ?? valueFlowOf(api, ctx.program).wayOf(unknown, places));
}

/** The values of an expression; of a field, those of all objects that may have it. */
function valuesRead(f: Frame, expression: ts.Expression): readonly Cell[] | null {
  const node = bare(expression, f.api);
  const field = fieldRead(f, node);
  if (f.api.isConditionalExpression(node)) {
    const parts = [node.whenTrue, node.whenFalse].map((each) => valuesRead(f, each));
    return parts.every((each) => each !== null) ? parts.flat() : null;
  }
  if (field === null) return asked(f, { node, name: null, depth: 0 });
  const stored = asked(f, { node: field.at, name: field.name, depth: 0 });
  const initial = field.initial === undefined ? [] : valuesRead(f, field.initial);
  return stored === null || initial === null ? null : [...stored, ...initial];
}

/** The code that a callee may be; null of functions of the library, and where some is unknown. */
export function bodiesOf(f: Frame, callee: ts.Expression): readonly (ts.Node | null)[] | null {
  const here = asked(f, { node: bare(callee, f.api), name: null, depth: 0 }) ?? [];
  const isKnown = here.length > 0 && here.every(({ kind }) => kind !== "outside");
  const values = isKnown || fieldRead(f, callee) === null ? here : valuesRead(f, callee);
  const found = (values ?? []).filter(({ kind }) => MAYBE_FUNCTIONS.has(kind));
  const isCode = ({ kind, path }: Cell): boolean =>
    kind === "function" || (kind === "native" && !path.includes("?"));
  return found.length > 0 && found.every(isCode) ? found.map(({ node }) => node) : null;
}

/** The functions that a subject may hold, unnamed ones among them. `called`: what it is called. */
export function functionsAt(
  asking: Asking,
  subject: Subject,
  called: string,
): readonly Source[] | null {
  const f = frameOf(asking);
  return new Sources(f, null, called).of(asked(f, subject));
}

function asked({ api, ctx, root }: Frame, subject: Subject): readonly Cell[] | null {
  const values = valuesAt(subject, { api, program: ctx.program });
  ctx.classes.questions.values(subject, values, root);
  return values;
}

const MAYBE_FUNCTIONS: ReadonlySet<CellKind> = new Set([
  "function",
  "native",
  "derived",
  "outside",
]);

/** Values as functions of the program. */
class Sources {
  /** A value that is none of them. */
  unknown: Cell | null = null;
  readonly #f: Frame;
  /** The type of the place; null if functions have tags, unnamed ones included. */
  readonly #wanted: ts.Type | null;
  readonly #called: string;
  #loaded: ReadonlySet<ts.SourceFile> | null = null;

  constructor(f: Frame, at: ts.Expression | null, called = "") {
    const { checker } = f.ctx;
    this.#f = f;
    this.#wanted =
      at === null ? null : checker.getNonNullableType(checker.getTypeAtLocation(bare(at, f.api)));
    this.#called = called;
  }

  of(values: readonly Cell[] | null): readonly Source[] | null {
    const found = (values ?? []).filter((value) => this.#mayBe(value));
    const sources = found.map((value) => {
      const source = this.#sourceOf(value);
      if (source === null) this.unknown ??= value;
      return source;
    });
    const known = sources.filter((each) => each !== null);
    return values === null || known.length < sources.length
      ? null
      : [...new Map(known.map((each) => [each.key, each])).values()];
  }

  #mayBe({ kind, node }: Cell): boolean {
    const { checker } = this.#f.ctx;
    return (
      MAYBE_FUNCTIONS.has(kind) &&
      (kind !== "function" ||
        node === null ||
        this.#wanted === null ||
        checker.isTypeAssignableTo(checker.getTypeAtLocation(node), this.#wanted))
    );
  }

  #sourceOf({ kind, node, path }: Cell): Source | null {
    const { api } = this.#f;
    if (kind === "native" && !path.includes("?"))
      return { fn: { kind: "builtin", path }, atom: null, shown: path, key: path };
    if (kind !== "function" || node === null) return null;
    const isLiteral = api.isArrowFunction(node) || api.isFunctionExpression(node);
    return (
      this.#named(node) ??
      (isLiteral || api.isMethodDeclaration(node) ? this.#ofTable(node) : null) ??
      (isLiteral && this.#wanted === null ? this.#literal(node) : null)
    );
  }

  /** A top-level function of a module. */
  #named(node: ts.Node): Source | null {
    const { api, ctx } = this.#f;
    const declaration = api.isFunctionDeclaration(node) ? node : constantOf(node, api);
    const symbol =
      declaration?.name === undefined ? null : resolvedSymbol(declaration.name, queryOf(this.#f));
    const atom = symbol === null ? null : nameOfFunction(this.#f, symbol);
    return symbol === null ||
      atom === null ||
      isReassigned(this.#f, symbol) ||
      !this.#isLoaded(node.getSourceFile()) ||
      ctx.bodyOf(symbol) === null
      ? null
      : {
          fn: { kind: "program", symbol },
          atom,
          shown: atom.name,
          key: `${atom.file} ${atom.name}`,
        };
  }

  /** `activations.relu` of a constant's literal. */
  #ofTable(node: Literal | ts.MethodDeclaration): Source | null {
    const { api, ctx } = this.#f;
    const property = api.isMethodDeclaration(node) ? node : outermost(node, api).parent;
    const around = property.parent;
    if (
      !(api.isMethodDeclaration(property) || api.isPropertyAssignment(property)) ||
      !api.isObjectLiteralExpression(around)
    )
      return null;
    const table = constantOf(around, api);
    const name = declaredName(api, property.name, ctx.checker);
    const file = node.getSourceFile();
    if (
      table?.parent.parent.parent !== file ||
      name === null ||
      !/^[\w$]+$/.test(name) ||
      !this.#isLoaded(file)
    )
      return null;
    const part = partNamed(table.name, name, queryOf(this.#f));
    if (part === null || (api.isExpression(part) ? bare(part, api) : part) !== node) return null;
    const shown = `${table.name.text}.${name}`;
    const type: Type = { kind: "leaf", text: `typeof ${shown}` };
    return {
      fn: { kind: "closure", node, env: new Env(null, { kind: "none" }) },
      atom: { kind: "global", name: shown, type, file: file.fileName, isFunction: true },
      shown,
      key: `${file.fileName} ${shown}`,
    };
  }

  /** An unnamed function. */
  #literal(node: Literal): Source | null {
    const file = node.getSourceFile();
    const captures = capturedBy(this.#f, node);
    return captures === null || (captures.ofModule && !this.#isLoaded(file))
      ? null
      : {
          fn: { kind: "closure", node, env: new Env(null, { kind: "none" }) },
          atom: null,
          shown: calledAfter(node, this.#f.api) ?? this.#called,
          key: `${file.fileName} ${node.pos}`,
          captures,
        };
  }

  /** Whether the module is loaded before the lowered code, so that importing it has no effect. */
  #isLoaded(file: ts.SourceFile): boolean {
    const { api, ctx, root } = this.#f;
    return (this.#loaded ??= loadedBy(root.getSourceFile(), api, ctx.checker)).has(file);
  }
}

type Literal = ts.ArrowFunction | ts.FunctionExpression;

/** The expression with brackets and types around it. */
const outermost = (node: ts.Node, api: TypeScript): ts.Node =>
  api.isExpression(node.parent) && bare(node.parent, api) === node
    ? outermost(node.parent, api)
    : node;

/** The constant that a value is the initialiser of. */
function constantOf(
  node: ts.Node,
  api: TypeScript,
): (ts.VariableDeclaration & { readonly name: ts.Identifier }) | null {
  const { parent } = outermost(node, api);
  return api.isVariableDeclaration(parent) &&
    (api.getCombinedNodeFlags(parent) & api.NodeFlags.Constant) !== 0 &&
    hasName(parent, api)
    ? parent
    : null;
}

const hasName = (
  node: ts.VariableDeclaration,
  api: TypeScript,
): node is ts.VariableDeclaration & { readonly name: ts.Identifier } => api.isIdentifier(node.name);

/** The constant that holds a function, or the function that returns it. */
function calledAfter(node: Literal, api: TypeScript): string | null {
  const constant = constantOf(node, api);
  if (constant !== null) return constant.name.text;
  const at = outermost(node, api).parent;
  const maker = api.isReturnStatement(at)
    ? api.findAncestor(at, api.isFunctionLike)
    : api.isArrowFunction(at)
      ? at
      : undefined;
  if (maker === undefined) return null;
  return api.isFunctionDeclaration(maker)
    ? (maker.name?.text ?? null)
    : (constantOf(maker, api)?.name.text ?? null);
}

/** The modules that a file imports, transitively. */
function loadedBy(
  file: ts.SourceFile,
  api: TypeScript,
  checker: ts.TypeChecker,
): ReadonlySet<ts.SourceFile> {
  const found = new Set([file]);
  for (const each of found)
    for (const module of importedBy(each, api, checker, true)) found.add(module);
  return found;
}

/** `loaded`: without type-only imports. */
const importedBy = (
  file: ts.SourceFile,
  api: TypeScript,
  checker: ts.TypeChecker,
  loaded = false,
): readonly ts.SourceFile[] =>
  file.statements.flatMap((statement) => {
    const isImport =
      (api.isImportDeclaration(statement) &&
        !(loaded && statement.importClause?.isTypeOnly === true)) ||
      (api.isExportDeclaration(statement) && !(loaded && statement.isTypeOnly));
    const module =
      isImport && statement.moduleSpecifier !== undefined
        ? checker.getSymbolAtLocation(statement.moduleSpecifier)?.valueDeclaration
        : undefined;
    return module !== undefined && api.isSourceFile(module) && !module.isDeclarationFile
      ? [module]
      : [];
  });
