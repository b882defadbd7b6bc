// The state of packages that a copy would not share. In: what derivatives reach, and what plain
// code mentions. Out: exported objects that the copy takes from the real module, and variables for
// which there is no way. Invariant: what plain code may change is shared or refused, never copied.

import type ts from "typescript";
import { memoised } from "../../ir/visit.ts";
import { wholePath, type Effect } from "./effects.ts";
import { isImport, type ModuleVariable, type Unit, type Use } from "./module-uses.ts";
import type { Opened, OpenedModules } from "./opened.ts";
import { Reach } from "./reach.ts";
import { replacedProblems } from "./replaced-methods.ts";
import { shownName } from "./resolve.ts";
import { drawsOn, isKeptToItself, methodChanges } from "./transient.ts";
import { someNode } from "../../syntax/walk.ts";

/** An export that code mentions; `effect`: what that does to it. */
export interface Mention {
  readonly file: string;
  readonly exportName: string;
  readonly effect: Effect;
  /** Of an effect `replaced`: the members; null for any. */
  readonly names?: readonly string[] | null;
}

export interface StateProblem {
  readonly file: string;
  readonly variable: string;
  /** In the words of `its derivative would not see …`. */
  readonly why: string;
  /** The copied exports that reach it. */
  readonly reachedBy: readonly Mention[];
}

interface SharedUse {
  readonly node: ts.Identifier;
  readonly variable: ModuleVariable;
}

export interface PackageState {
  readonly problems: readonly StateProblem[];
  /** Exports of `entry` that copies take from the real module. */
  readonly shared: ReadonlyMap<ModuleVariable, string>;
  /** The places in copied code that read them, by file. */
  readonly sharedUses: ReadonlyMap<string, readonly SharedUse[]>;
}

type Located = { readonly use: Use; readonly of: Opened };

export function stateOf(
  modules: OpenedModules,
  copied: readonly Mention[],
  plain: readonly Mention[],
  isCopied: (file: string) => boolean,
): PackageState {
  const inCopy = reachOf(modules, copied);
  const outside = plainCode(modules, plain, isCopied);
  const exported = exportedOf(modules, new Set(copied.map(({ file }) => modules.open(file))));
  const reachAlone = memoised((one: Mention) => reachOf(modules, [one]));
  const problems: StateProblem[] = [];
  const shared = new Map<ModuleVariable, string>();
  const sharedUses = new Map<string, SharedUse[]>();
  for (const from of candidatesOf(modules, inCopy, outside, isCopied)) {
    const { variable, of } = from;
    const why = reasonOf(modules, from, inCopy, outside.called);
    const entry = hasPrivateFields(modules.api, variable) ? undefined : exported.get(variable);
    const reads = entry === undefined ? null : sharedReads(modules, from);
    if (entry !== undefined && reads !== null && (why !== null || isHolder(modules, variable))) {
      if (reads.length > 0) shared.set(variable, entry);
      for (const { use, of: at } of reads)
        sharedUses.set(at.file, [...(sharedUses.get(at.file) ?? []), { node: use.node, variable }]);
    } else if (why !== null) {
      const reachedBy = copied.filter((one) => reachAlone(one).variables.has(variable));
      problems.push({ file: of.file, variable: variable.name, why, reachedBy });
    }
  }
  return {
    problems: [
      ...problems,
      ...namedProblems(modules, copied, plain, isCopied),
      ...replacedProblems(modules, plain, copied, reachAlone),
    ],
    shared,
    sharedUses,
  };
}

function reachOf(modules: OpenedModules, all: readonly Mention[]): Reach {
  const found = new Reach(modules, () => false);
  for (const { file, exportName } of all) found.want(modules.open(file), exportName);
  return found;
}

/** What code that is not copied does with the modules. */
interface PlainCode {
  readonly reach: Reach;
  /** What the program does to exported variables. */
  readonly effects: ReadonlyMap<ModuleVariable, readonly Effect[]>;
  /** The declarations and statements that make what the program calls. */
  readonly called: ReadonlySet<Unit>;
}

function plainCode(
  modules: OpenedModules,
  plain: readonly Mention[],
  isCopied: (file: string) => boolean,
): PlainCode {
  const reach = new Reach(modules, (file) => !isCopied(file));
  const effects = new Map<ModuleVariable, Effect[]>();
  const called = new Set<Unit>();
  for (const { file, exportName, effect } of plain) {
    const of = modules.open(file);
    reach.want(of, exportName);
    const found = modules.origin(of, exportName);
    for (const unit of callableUnits(modules, of, exportName)) called.add(unit);
    if (found?.kind === "variable")
      effects.set(found.variable, [...(effects.get(found.variable) ?? []), effect]);
  }
  return { reach, effects, called };
}

/** What makes an export that can be called; a class is constructed. */
function callableUnits(modules: OpenedModules, of: Opened, exportName: string): Iterable<Unit> {
  const found = modules.origin(of, exportName);
  if (found?.kind === "export")
    return of.uses.units.filter(({ exports }) => exports.has(exportName));
  const isClass =
    found?.kind === "variable" && modules.api.isClassDeclaration(found.variable.declaration);
  return found?.kind === "variable" && !isClass ? found.variable.units : [];
}

/** Variables that copied functions use and that plain code reaches, too. */
const candidatesOf = (
  modules: OpenedModules,
  inCopy: Reach,
  outside: PlainCode,
  isCopied: (file: string) => boolean,
): readonly Candidate[] =>
  [...inCopy.variables].flatMap((variable) => {
    const of = ownerOf(variable, modules);
    if (of === null || !isCopied(of.file)) return [];
    const uses = (inCopy.uses.get(variable) ?? []).filter(({ use }) => use.isLater);
    const byUser = outside.effects.get(variable) ?? [];
    const isUsed = uses.length > 0 || hasPrivateFields(modules.api, variable);
    const isReached = outside.reach.variables.has(variable) || byUser.length > 0;
    const plain = outside.reach.uses.get(variable) ?? [];
    return isUsed && isReached ? [{ variable, of, uses, plain, byUser }] : [];
  });

/** Objects that CommonJS has under no name but `exports.options`. */
function namedProblems(
  modules: OpenedModules,
  copied: readonly Mention[],
  plain: readonly Mention[],
  isCopied: (file: string) => boolean,
): readonly StateProblem[] {
  return plain.flatMap(({ file, exportName, effect }) => {
    if ((effect !== "changed" && effect !== "called") || !isCopied(file)) return [];
    const of = modules.open(file);
    if (modules.origin(of, exportName)?.kind !== "export" || of.surface.isEsm) return [];
    const times = of.source.text.split(new RegExp(`\\bexports\\.${exportName}\\b`)).length - 1;
    return times < 2
      ? []
      : [
          {
            file,
            variable: exportName,
            why: `what the program does to \`${exportName}\` of the module \`${shownName(file)}\``,
            reachedBy: copied.filter((one) => one.file === file),
          },
        ];
  });
}

/** Whether nothing that an export reaches draws lots, or keeps from call to call what it counts. */
export function isRepeatable(
  modules: OpenedModules,
  of: Opened,
  exportName: string,
  given: number,
): boolean {
  const { api } = modules;
  const reach = new Reach(modules, () => false);
  reach.want(of, exportName);
  const found = modules.origin(of, exportName);
  const own = found?.kind === "variable" ? found.variable.units : new Set<Unit>();
  for (const unit of reach.units.keys()) {
    const skipped = own.has(unit) ? defaultsOf(api, unit.node).slice(0, given) : [];
    const isSkipped = (at: ts.Node): boolean => skipped.includes(at);
    const asks = (at: ts.Node): boolean =>
      api.isPropertyAccessExpression(at) && RANDOM.test(at.getText());
    if (someNode(api, unit.node, asks, isSkipped)) return false;
  }
  for (const all of reach.uses.values()) {
    const uses = all.map(({ use }) => use).filter(({ isLater }) => isLater);
    if (uses.some((use) => use.effect === "counted" || drawsOn(api, use))) return false;
  }
  return true;
}

/** The default values of a function's parameters, by place. */
function defaultsOf(api: typeof ts, node: ts.Node): readonly (ts.Node | undefined)[] {
  const fn = api.isVariableDeclaration(node) ? node.initializer : node;
  return fn !== undefined && api.isFunctionLike(fn)
    ? fn.parameters.map(({ initializer }) => initializer)
    : [];
}

interface Candidate {
  readonly variable: ModuleVariable;
  readonly of: Opened;
  /** In copied functions, after load. */
  readonly uses: readonly Located[];
  /** In what plain code reaches. */
  readonly plain: readonly Located[];
  /** What the program itself does to it. */
  readonly byUser: readonly Effect[];
}

/** Why the copy's own variable would not do; null where it does. */
function reasonOf(
  modules: OpenedModules,
  from: Candidate,
  inCopy: Reach,
  called: ReadonlySet<Unit>,
): string | null {
  const { api } = modules;
  const { variable, uses, plain, byUser } = from;
  const initial = initialOf(api, variable);
  const named = (what: string): string =>
    `${what} \`${variable.name}\` of the module \`${shownName(from.of.file)}\``;
  const known = `${named("the same")}, which is known by its identity`;
  if (byUser.some((effect) => effect === "changed" || effect === "called"))
    return named("what the program does to");
  if (initial !== undefined && isRandom(api, initial))
    return `${named("the same")}, which differs at each evaluation`;
  if (initial !== undefined && isSymbol(initial)) return known;
  if (hasPrivateFields(api, variable)) return named("the private fields of instances of");
  const isTested = uses.some(({ use }) => use.effect === "tested");
  const isHanded = plain.some(({ use }) => ["argument", "returned"].includes(use.effect));
  if (isTested && isObject(api, initial) && isHanded) return known;
  // another name that is given at load may be used later
  const isLater = ({ isLater: is, effect }: Use): boolean =>
    is || effect === "held" || effect === "part";
  const changing = plain.filter(({ use, of }) => isLater(use) && changes(modules, from, use, of));
  const [first] = changing;
  if (first === undefined) return null;
  const isCount = ({ use: { effect } }: Located): boolean => effect === "counted";
  // numbers that are given out: nothing else depends on them
  if (changing.every(isCount) && uses.every(isCount)) return null;
  const changed = {
    uses: uses.map(({ use }) => use),
    plain: changing.map(({ use }) => use),
    isCopied: (use: Use) => inCopy.units.has(use.unit),
    isCalled: (use: Use) => !inCopy.units.has(use.unit) || called.has(use.unit),
  };
  if (isKeptToItself(api, changed, initial)) return null;
  return named(`what ${placeOf(api, first.use)} does to`);
}

/** Whether a use in plain code may change what a variable holds. */
function changes(modules: OpenedModules, from: Candidate, use: Use, of: Opened): boolean {
  const { api } = modules;
  const initial = initialOf(api, from.variable);
  switch (use.effect) {
    case "assigned":
    case "counted":
    case "replaced":
    case "changed":
      return true;
    case "called":
      return calledChanges(api, from, use, initial);
    case "returned":
    case "held":
      return isObject(api, initial);
    case "part":
      return initial !== undefined && holdsObjects(api, initial);
    case "argument":
      return isObject(api, initial) && argumentChanges(modules, use, of);
    case "tested":
    case "read":
      return false;
  }
}

function calledChanges(
  api: typeof ts,
  { variable, of }: Candidate,
  use: Use,
  initial: ts.Expression | undefined,
): boolean {
  const { declaration } = variable;
  if (!api.isVariableDeclaration(declaration) || initial === undefined) return false;
  if (api.isArrowFunction(initial) || api.isFunctionExpression(initial)) return false;
  const whole = wholePath(api, use.node);
  const name = api.isPropertyAccessExpression(whole) ? whole.name.text : "";
  if (api.isObjectLiteralExpression(initial) || api.isNewExpression(initial))
    return methodChanges(api, initial, name, of.source);
  return true;
}

/** Whether the called function changes that parameter. */
function argumentChanges({ api }: OpenedModules, { node }: Use, of: Opened): boolean {
  const call = node.parent;
  if (!api.isCallExpression(call) || !api.isIdentifier(call.expression)) return false;
  const callee = of.uses.top(call.expression.text)?.declaration;
  const place = call.arguments.indexOf(node);
  const fn =
    callee !== undefined && api.isVariableDeclaration(callee) ? callee.initializer : callee;
  if (fn === undefined || !api.isFunctionLike(fn)) return callee !== undefined;
  const name = fn.parameters[place]?.name.getText();
  const body = "body" in fn ? fn.body?.getText() : undefined;
  if (name === undefined || body === undefined) return false;
  const escaped = name.replaceAll("$", "\\$");
  return new RegExp(
    `(?<![\\w$.])${escaped}(?:\\.[\\w$]+|\\[[^\\]]*\\])+\\s*(?:[-+*/%&|^]?=(?!=)|\\+\\+|--)|(?<![\\w$.])${escaped}\\.(?:push|pop|set|add|delete|clear|splice|sort|fill|shift|unshift|reverse)\\(|(?:assign|defineProperty)\\(\\s*${escaped}\\b`,
  ).test(body);
}

/** The reads in copied code that take the real value; null where copied code changes it. */
function sharedReads(
  { api }: OpenedModules,
  { variable, uses }: Candidate,
): readonly Located[] | null {
  const isCode = !isValue(api, variable);
  if (
    uses.some(
      ({ use }) =>
        use.effect === "assigned" || use.effect === "counted" || use.effect === "changed",
    )
  )
    return null;
  return isCode ? uses.filter(({ use }) => isDataOfClass(api, use, variable)) : uses;
}

/** `Conv.factor`, but no static method. */
function isDataOfClass(api: typeof ts, { node }: Use, { declaration }: ModuleVariable): boolean {
  const { parent } = node;
  if (!api.isPropertyAccessExpression(parent) || parent.expression !== node) return false;
  if (parent.name.text === "prototype") return false;
  if (!api.isClassDeclaration(declaration))
    return !(api.isCallExpression(parent.parent) && parent.parent.expression === parent);
  return !declaration.members.some(
    (member) =>
      (api.isMethodDeclaration(member) || api.isAccessor(member)) &&
      member.name.getText() === parent.name.text,
  );
}

/** A class or function whose fields may be state, or an object. */
const isHolder = ({ api }: OpenedModules, variable: ModuleVariable): boolean =>
  !isValue(api, variable) || isObject(api, initialOf(api, variable));

function isValue(api: typeof ts, variable: ModuleVariable): boolean {
  const initial = initialOf(api, variable);
  return (
    api.isVariableDeclaration(variable.declaration) &&
    !(
      initial !== undefined &&
      (api.isFunctionExpression(initial) ||
        api.isArrowFunction(initial) ||
        api.isClassExpression(initial))
    )
  );
}

function initialOf(api: typeof ts, { declaration }: ModuleVariable): ts.Expression | undefined {
  if (!api.isVariableDeclaration(declaration)) return undefined;
  let at = declaration.initializer;
  while (at !== undefined && api.isParenthesizedExpression(at)) at = at.expression;
  return at;
}

function isObject(api: typeof ts, initial: ts.Expression | undefined): boolean {
  return (
    initial !== undefined &&
    (api.isObjectLiteralExpression(initial) ||
      api.isArrayLiteralExpression(initial) ||
      api.isNewExpression(initial) ||
      (api.isCallExpression(initial) && initial.expression.getText() === "Object.create"))
  );
}

/** Whether a literal has more than numbers and texts in it; what is no literal may. */
function holdsObjects(api: typeof ts, initial: ts.Expression): boolean {
  const isPlain = (one: ts.Node): boolean =>
    api.isLiteralExpression(one) || api.isPrefixUnaryExpression(one) || api.isBinaryExpression(one);
  if (api.isArrayLiteralExpression(initial)) return !initial.elements.every(isPlain);
  if (api.isObjectLiteralExpression(initial))
    return !initial.properties.every(
      (one) => api.isPropertyAssignment(one) && isPlain(one.initializer),
    );
  return isObject(api, initial) && !/^new \w*(?:\d+|Clamped)Array\b/.test(initial.getText());
}

const hasPrivateFields = (api: typeof ts, { declaration }: ModuleVariable): boolean =>
  api.isClassDeclaration(declaration) &&
  declaration.members.some(({ name }) => name !== undefined && api.isPrivateIdentifier(name));

const isSymbol = (initial: ts.Expression): boolean => /^Symbol\(/.test(initial.getText());

const RANDOM = /^(?:Math\.random|Date\.now|performance\.now|crypto\.\w+)$/;

/** Whether its evaluation asks for chance or the time. */
export function isRandom(api: typeof ts, node: ts.Node): boolean {
  if (api.isFunctionLike(node)) return false;
  if (api.isCallExpression(node) && RANDOM.test(node.expression.getText())) return true;
  if (api.isNewExpression(node) && node.expression.getText() === "Date")
    return (node.arguments ?? []).length === 0;
  return api.forEachChild(node, (child) => isRandom(api, child) || undefined) ?? false;
}

function placeOf(api: typeof ts, { unit: { node } }: Use): string {
  const name =
    (api.isFunctionDeclaration(node) ||
      api.isClassDeclaration(node) ||
      api.isVariableDeclaration(node)) &&
    node.name !== undefined
      ? node.name.getText()
      : node.getText().split("\n", 1)[0]?.slice(0, 40);
  return `\`${name ?? ""}\``;
}

/** Exported variables by a name of one of the entries. */
function exportedOf(
  modules: OpenedModules,
  entries: Iterable<Opened>,
): ReadonlyMap<ModuleVariable, string> {
  const found = new Map<ModuleVariable, string>();
  for (const entry of entries)
    for (const name of modules.names(entry)) {
      const origin = name === "*" ? null : modules.origin(entry, name);
      if (origin?.kind === "variable" && !found.has(origin.variable))
        found.set(origin.variable, `${entry.file}\n${name}`);
    }
  return found;
}

const ownerOf = (variable: ModuleVariable, modules: OpenedModules): Opened | null => {
  const { fileName } = variable.declaration.getSourceFile();
  const { api } = modules;
  return isImport(api, variable.declaration) ? null : modules.open(fileName);
};
