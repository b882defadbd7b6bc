// Rejects standard library functions that the program replaces, such as `Math.sin = …`.
// Input: a path, such as `Array.prototype.map`. A library object that is more than read escapes;
// then a write counts wherever the written object may be that one, by its type. Polyfills, which
// only define missing functions, are no replacements.

import type ts from "typescript";
import { bare, isWrapper } from "../../syntax/wrappers.ts";
import { forEachTarget, isAssigned } from "../assignments.ts";
import { checkerOf, resolvedSymbol } from "../checker.ts";
import type { Frame } from "../frame.ts";
import { accessedName, destructuredProperty } from "../objects/property-names.ts";
import { replacementQuestion } from "../questions.ts";
import { isLibrary, LIBRARY_OBJECTS } from "./library-names.ts";
import { TYPED_ARRAYS } from "../../ir/typed-arrays.ts";
import { isPackageFile } from "../sites/package-files.ts";
import type { TypeScript } from "../typescript.ts";

const REPLACED = new WeakMap<ts.Program, ReadonlySet<string>>();
const OWNERS: ReadonlySet<string> = new Set([
  ...LIBRARY_OBJECTS,
  ...TYPED_ARRAYS,
  "Map",
  "Set",
  "globalThis",
]);
const MAY_REPLACE = new RegExp(
  `\\b(?:${[...OWNERS].join("|")})\\b(?!\\s*[.(<])|\\bprototype\\b|PrototypeOf|\\bReflect\\b|\\bdefinePropert|\\bObject\\s*\\.\\s*assign\\b|\\b(?:${[...OWNERS].join("|")})\\b[^;\\n]*(?<![<>=!])=(?![=>])`,
);
/** Any member of an owner. */
const ANY = "*";

/** `path`: of a member, or a global such as `Float64Array`. */
export function rejectReplacedBuiltin(f: Frame, path: string, at: ts.Node): void {
  const end = path.lastIndexOf(".");
  const member = path.slice(end + 1);
  if (end !== -1) f.ctx.classes.questions.writes(replacementQuestion(member), f.root);
  if (isReplacedIn(replacedIn(f), path)) f.refuse("TSG1213", at, path);
}

/** Whether a path, or the global that it begins with, is among replaced ones. */
export function isReplacedIn(replaced: ReadonlySet<string>, path: string): boolean {
  const owner = path.slice(0, Math.max(path.lastIndexOf("."), 0));
  return (
    replaced.size > 0 &&
    [`globalThis.${path.split(".")[0] ?? ""}`, path, `${owner}.${ANY}`].some((each) =>
      replaced.has(each),
    )
  );
}

/** Refuses a loop over keys where the program puts members on `Object.prototype`. */
export function rejectInheritedKeys(f: Frame, at: ts.Node): void {
  for (const path of replacedIn(f))
    if (path.startsWith("Object.prototype.")) f.refuse("TSG1213", at, path);
}

/** Refuses an iteration where the program replaces an iterator of the library's. */
export function rejectReplacedIterator(f: Frame, at: ts.Node): void {
  for (const path of replacedIn(f))
    if (path.endsWith(".Symbol.iterator")) f.refuse("TSG1213", at, path);
}

const replacedIn = ({ api, ctx: { program } }: Frame): ReadonlySet<string> =>
  replacedBuiltins(program, api);

/** The paths of all functions that a program replaces; `Math.*` for unknown ones. */
export function replacedBuiltins(program: ts.Program, api: TypeScript): ReadonlySet<string> {
  const known = REPLACED.get(program);
  if (known !== undefined) return known;
  const checker = checkerOf(program, api);
  const found = new Search({
    api,
    ctx: { checker, program },
    symbolOf: (node) => resolvedSymbol(node, { api, checker }),
  }).found();
  REPLACED.set(program, found);
  return found;
}

/** What the search asks. */
type Asking = Pick<Frame, "api" | "symbolOf"> & {
  readonly ctx: Pick<Frame["ctx"], "checker" | "program">;
};

/** A write of some members of an object; `members` null: unknown. */
interface Write {
  readonly object: ts.Expression;
  readonly members: readonly string[] | null;
}

class Search {
  readonly #f: Asking;
  readonly #found = new Set<string>();
  readonly #writes: Write[] = [];
  /** The library's objects, and names that may be aliases of them. */
  readonly #names = new Set<string>(OWNERS);
  /** Library objects that may be anywhere, with their types. */
  readonly #escaped = new Map<string, ts.Type>();

  constructor(f: Asking) {
    this.#f = f;
  }

  /** The paths of all replaced functions. */
  found(): ReadonlySet<string> {
    const files = this.#f.ctx.program
      .getSourceFiles()
      .filter(({ isDeclarationFile }) => !isDeclarationFile);
    const asked = files.filter(({ text }) => MAY_REPLACE.test(text));
    // an alias of an alias may come first
    for (let before = -1; before !== this.#names.size;) {
      before = this.#names.size;
      for (const file of asked) this.#noteAliases(file);
    }
    for (const file of asked) this.#visit(file, false);
    if (this.#escaped.size > 0)
      for (const file of files) if (!MAY_REPLACE.test(file.text)) this.#visit(file, true);
    for (const { object, members } of this.#writes)
      for (const owner of this.#ownersOf(object))
        for (const member of members ?? [ANY]) this.#found.add(`${owner}.${member}`);
    return this.#found;
  }

  /** `const M = Math`, `const { prototype: p } = Array`, `import { M as N } from "./m"` */
  #noteAliases(node: ts.Node): void {
    const { api } = this.#f;
    if (api.isTypeNode(node)) return;
    const value =
      api.isVariableDeclaration(node) && node.initializer !== undefined
        ? bare(node.initializer, this.#f.api)
        : undefined;
    const isAlias =
      value !== undefined &&
      (api.isIdentifier(value)
        ? this.#names.has(value.text)
        : accessedName(api, value) === "prototype" || /^globalThis\b/.test(value.getText()));
    const from =
      api.isBindingElement(node) || api.isImportSpecifier(node) || api.isExportSpecifier(node)
        ? (node.propertyName ?? node.name).getText()
        : "";
    if (isAlias || from === "prototype" || this.#names.has(from))
      if ("name" in node) this.#names.add((node.name as ts.Node).getText()); // one of the above
    api.forEachChild(node, (child) => {
      this.#noteAliases(child);
    });
  }

  #visit(node: ts.Node, writesAlone: boolean): void {
    const { api } = this.#f;
    if (api.isTypeNode(node)) return;
    forEachTarget(api, node, (target) => {
      this.#noteTarget(target);
    });
    if (api.isCallExpression(node)) this.#noteCall(node);
    if (!writesAlone && api.isExpression(node)) this.#noteUse(node);
    api.forEachChild(node, (child) => {
      this.#visit(child, writesAlone);
    });
  }

  #noteTarget(target: ts.Expression): void {
    const { api } = this.#f;
    if (isOnlyIfMissing(this.#f, target)) return;
    if (
      api.isIdentifier(target) &&
      OWNERS.has(target.text) &&
      isLibrary(this.#f, target, target.text)
    )
      this.#found.add(`globalThis.${target.text}`);
    if (api.isPropertyAccessExpression(target) || api.isElementAccessExpression(target))
      this.#writes.push({ object: target.expression, members: membersAt(this.#f, target) });
  }

  /** `Object.defineProperty(Math, "sin", …)`, `Object.assign(Math, { sin })` */
  #noteCall({ expression, arguments: [object, what] }: ts.CallExpression): void {
    const { api, ctx } = this.#f;
    const called = expression.getText();
    if (object === undefined || what === undefined) return;
    if (/^(?:Object\.defineProperty|Reflect\.(?:set|defineProperty))$/.test(called))
      this.#writes.push({ object, members: keysIn(this.#f, what) });
    else if (/^Object\.(?:assign|defineProperties)$/.test(called))
      this.#writes.push({
        object,
        members: ctx.checker
          .getTypeAtLocation(what)
          .getProperties()
          .map(({ name }) => name),
      });
    // `spyOn(Math, "random")`
    else if (api.isStringLiteralLike(what) && !/^(?:Object|Reflect)\./.test(called))
      this.#writes.push({ object, members: [what.text] });
  }

  /** Notes a library object that is used as a value, unless it is only read. */
  #noteUse(node: ts.Expression): void {
    if (isWrapper(node, this.#f.api)) return;
    const path = this.#pathOf(node);
    if (path !== null && OWNERS.has(path.split(".")[0] ?? "") && !this.#isRead(node))
      this.#escaped.set(path, this.#f.ctx.checker.getTypeAtLocation(node));
  }

  /** The library objects that an expression may be. */
  #ownersOf(object: ts.Expression): readonly string[] {
    const { api, ctx } = this.#f;
    const path = this.#pathOf(object);
    if (path !== null) return [path];
    // packages are taken to write objects of their own
    if (this.#escaped.size === 0 || isPackageFile(ctx.program, object.getSourceFile())) return [];
    const node = bare(object, this.#f.api);
    const type = ctx.checker.getTypeAtLocation(object);
    const direct = [...this.#escaped].flatMap(([owner, own]) =>
      mayBe(this.#f, own, type) ? [owner] : [],
    );
    // `C.prototype` of an escaped class
    const of =
      api.isPropertyAccessExpression(node) && node.name.text === "prototype"
        ? this.#ownersOf(node.expression).map((owner) => `${owner}.prototype`)
        : [];
    return [...direct, ...of];
  }

  /** `Math`, `globalThis.Math`, `Array.prototype`, names for them; null of any other object. */
  #pathOf(expression: ts.Expression): string | null {
    const f = this.#f;
    const { api } = f;
    const node = bare(expression, f.api);
    if (api.isIdentifier(node) && !this.#names.has(node.text)) return null;
    if (api.isIdentifier(node))
      return isLibrary(f, node, node.text) ? node.text : this.#aliasedPath(node);
    const member = accessedName(api, node);
    if (
      member === null ||
      !(api.isPropertyAccessExpression(node) || api.isElementAccessExpression(node))
    )
      return null;
    const owner = this.#pathOf(node.expression);
    if (owner === "globalThis") return member;
    return owner !== null && member === "prototype" ? `${owner}.prototype` : null;
  }

  /** The library object that a constant names: `const M = Math`, `const { prototype } = Array`. */
  #aliasedPath(node: ts.Identifier): string | null {
    const f = this.#f;
    const { api } = f;
    const symbol = f.symbolOf(node);
    const declaration = symbol?.valueDeclaration;
    if (symbol === null || declaration === undefined || isAssigned(symbol, f.ctx.checker, api))
      return null;
    if (declaration.getSourceFile().isDeclarationFile) return null;
    if (api.isVariableDeclaration(declaration) && declaration.initializer !== undefined)
      return api.isIdentifier(declaration.name) ? this.#pathOf(declaration.initializer) : null;
    const from = api.isBindingElement(declaration) ? destructuredProperty(declaration, api) : null;
    const owner = from === null ? null : this.#pathOf(from.object);
    return owner !== null && from?.name === "prototype" ? `${owner}.prototype` : null;
  }

  /** `xs.map(Number)`: a function that the library calls. */
  #isCallback(call: ts.CallExpression | ts.NewExpression, node: ts.Expression): boolean {
    const { checker } = this.#f.ctx;
    const declared = checker.getResolvedSignature(call)?.declaration?.getSourceFile();
    return (
      declared?.isDeclarationFile === true &&
      checker.getTypeAtLocation(node).getCallSignatures().length > 0
    );
  }

  /** Whether the place of a library object only reads, calls or names it. */
  #isRead(node: ts.Expression): boolean {
    const f = this.#f;
    const { api } = f;
    let at: ts.Node = node;
    while (isWrapper(at.parent, api)) at = at.parent;
    const { parent } = at;
    if (api.isPropertyAccessExpression(parent) || api.isElementAccessExpression(parent))
      return true;
    if (api.isCallExpression(parent) || api.isNewExpression(parent))
      return (
        parent.expression === at ||
        READERS.test(parent.expression.getText()) ||
        this.#isCallback(parent, node)
      );
    // what a file exports may be written in any file, under any name
    if (api.isVariableDeclaration(parent))
      return (
        !api.isIdentifier(parent.name) ||
        (this.#pathOf(parent.name) !== null &&
          (api.getCombinedModifierFlags(parent) & api.ModifierFlags.Export) === 0)
      );
    return (
      (api.isBinaryExpression(parent) &&
        /^(?:instanceof|in|[!=]==?|&&|\|\||\?\?)$/.test(parent.operatorToken.getText())) ||
      isNamedOnly(f, parent)
    );
  }
}

/** Whether a library object fits a type, which may be anything. */
const mayBe = ({ api, ctx }: Asking, own: ts.Type, type: ts.Type): boolean =>
  (type.flags & (api.TypeFlags.Any | api.TypeFlags.Unknown)) !== 0 ||
  ctx.checker.isTypeAssignableTo(own, type);

/** The members that an access may name; null if unknown. */
function membersAt(f: Asking, target: ts.AccessExpression): readonly string[] | null {
  const name = accessedName(f.api, target);
  return name !== null
    ? [name]
    : f.api.isElementAccessExpression(target)
      ? keysIn(f, target.argumentExpression)
      : null;
}

/** The keys that an expression may be: those of its type, or a well-known symbol. */
function keysIn(f: Asking, key: ts.Expression): readonly string[] | null {
  const node = bare(key, f.api);
  if (f.api.isPropertyAccessExpression(node) && node.expression.getText() === "Symbol")
    return [node.getText()];
  const type = f.ctx.checker.getTypeAtLocation(node);
  if ((type.flags & f.api.TypeFlags.NumberLike) !== 0) return [];
  const parts = type.isUnion() ? type.types : [type];
  const names = parts.flatMap((part) => {
    if (part.isStringLiteral()) return [part.value];
    return part.isNumberLiteral() ? [String(part.value)] : [];
  });
  return names.length === parts.length ? names : null;
}

const isNamedOnly = ({ api }: Asking, parent: ts.Node): boolean =>
  api.isTypeOfExpression(parent) ||
  api.isHeritageClause(parent) ||
  api.isSpreadAssignment(parent) ||
  api.isForInStatement(parent) ||
  api.isIfStatement(parent) ||
  api.isExpressionStatement(parent);

const READERS =
  /^(?:Object\.(?:keys|values|entries|getOwn\w+|freeze|isFrozen|hasOwn|create|is|assign|defineProperty|defineProperties)|Reflect\.\w+|JSON\.stringify|console\.\w+|String|Boolean)$/;

/** `Math.sinh ??= …`, `if (!Array.prototype.at) Array.prototype.at = …` */
function isOnlyIfMissing({ api }: Asking, target: ts.Expression): boolean {
  const { parent } = target;
  const text = target.getText();
  if (
    api.isBinaryExpression(parent) &&
    (parent.operatorToken.kind === api.SyntaxKind.QuestionQuestionEqualsToken ||
      parent.operatorToken.kind === api.SyntaxKind.BarBarEqualsToken)
  )
    return true;
  return (
    api.findAncestor(
      target,
      (node) => api.isIfStatement(node) && node.expression.getText().includes(text),
    ) !== undefined
  );
}
