// Loops that are swept as a whole. In: a `for` loop. Out: its steps: elements of lists that are written, loops, what functions that it calls do; null where it does anything else.
// Invariants: nothing but elements is written and nothing unknown is called; each place is arithmetic of what stays as it is, of the loops' own counters and of `at++`;
// what stays is looked at before the loop, under a name that nobody writes.

import type ts from "typescript";
import type { Variable } from "../binding.ts";
import { capturesOf, functionOf as functionAround } from "../captures.ts";
import { isData } from "../inert.ts";
import { isDoubles, isListOfNumbers, isNumber } from "../leaves.ts";
import { functionOf, isInside, isPlain } from "../run/call.ts";
import { numberOf, operation, operationOf, plainly, placeOf, valueOf } from "../run/expression.ts";
import type { Num } from "../run/graph.ts";
import { Run, type Callee } from "../run/state.ts";
import type { List, Place, Value } from "../run/values.ts";
import { freshName, unwrapped, type Work } from "../work.ts";
import { insideOf } from "./inside.ts";
import { fused, type Strip } from "./strip.ts";

/** `a[i] = e` */
export interface Write {
  readonly kind: "write";
  readonly place: Place;
  readonly value: Num;
  /** Counters that the statement moves on. */
  readonly counted: readonly string[];
}

/** `for (let i = from; i < below; i++)` */
export interface Loop {
  readonly kind: "loop";
  readonly counter: string;
  readonly from: string;
  readonly below: string;
  /** No more rounds than this, whichever those of the loops around are; null where that is not known. */
  readonly most: string | null;
  readonly range: { readonly from: Num; readonly below: Num };
  readonly steps: readonly Step[];
}

export type Step = Write | Loop | Strip;

/** A loop and what it is made of. */
export interface Swept {
  readonly run: Run;
  readonly steps: readonly Step[];
  readonly lists: readonly List[];
  readonly written: ReadonlySet<List>;
  /** Those of them that are made before the loop, and that nothing reads but the loop. */
  readonly scratch: ReadonlyMap<List, Variable>;
  /** What stays: a name, and what it is before the loop. */
  readonly kept: ReadonlyMap<string, string>;
  /** Locals that `at++` moves. */
  readonly counters: ReadonlySet<string>;
  /** Elements that are read: where they stand. */
  readonly places: ReadonlyMap<Num, Place>;
  /** Lists of doubles, by their types. */
  readonly doubles: ReadonlySet<List>;
  /** Of what stays, by name: numbers for which it says the same are equal, as far as declarations tell. */
  readonly bounds: ReadonlyMap<string, string>;
  /** What is asked before the loop. */
  readonly guards: readonly string[];
  /** Whether it goes beyond no list's end, when it is over. */
  readonly inside: string;
}

class Reader {
  readonly run: Run;
  readonly #work: Work;
  readonly written: Set<List> = new Set();
  readonly kept: Map<string, string> = new Map();
  readonly lengths: Map<List, Num> = new Map();
  readonly counters: Set<string> = new Set();
  readonly variables: Map<List, Variable> = new Map();
  readonly places: Map<Num, Place> = new Map();
  readonly bounds: Map<string, string> = new Map();
  /** Where counters of the loops around begin, and where they end; null where that is not known. */
  readonly #first: Map<string, string | null> = new Map();
  readonly #last: Map<string, string | null> = new Map();
  #counted: string[] = [];

  constructor(work: Work, first: ts.Node) {
    this.#work = work;
    this.run = new Run(work, first);
  }

  /** What the loop's names mean that it does not declare. */
  outside(node: ts.ForStatement): Callee | null {
    const { api, bindings } = this.#work, names = new Map<string, Value>();
    let isKnown = true;
    const visit = (at: ts.Node): void => {
      const variable = api.isIdentifier(at) && !(api.isPropertyAccessExpression(at.parent) && at.parent.name === at) ? bindings.find(at) : null;
      const isOwn = variable !== null && variable.declaration.pos >= node.pos && variable.declaration.end <= node.end;
      if (variable !== null && api.isIdentifier(at) && !isOwn && !names.has(at.text)) {
        const value = this.#meant(variable, at, node);
        if (value === null) isKnown = false;
        else names.set(at.text, value);
      }
      api.forEachChild(at, visit);
    };
    visit(node);
    return isKnown ? this.#callee(node, names, null) : null;
  }

  #meant(variable: Variable, at: ts.Identifier, loop: ts.Node): Value | null {
    const { api, context: { checker } } = this.#work, { name, how } = variable;
    if (isListOfNumbers(api, checker, at)) {
      if (variable.written || !(how === "const" || how === "let" || how === "parameter")) return null;
      const list: List = { kind: "list", name, bar: freshName(this.#work, `${name}Bar`), isData: isData(this.#work, variable, at) };
      this.variables.set(list, variable);
      return list;
    }
    if (!isNumber(api, checker, at) || variable.live) return null;
    if (!isMoved(this.#work, variable, loop)) return this.#stays(name, countOf(this.#work, variable));
    if (how !== "let" || capturesOf(api, variable)) return null;
    this.counters.add(name);
    return this.run.graph.leaf(name, "0");
  }

  /** A number that is looked at before the loop. */
  #stays(text: string, count: string): Num {
    const known = [...this.kept].find(([, of]) => of === text)?.[0], name = known ?? freshName(this.#work, "t");
    this.kept.set(name, text);
    this.bounds.set(name, count);
    return this.run.graph.leaf(name, "0");
  }

  #callee(node: ts.Node, names: Map<string, Value>, caller: Callee | null): Callee {
    return { node, names, caller, lists: { counted: (name) => this.#count(name), lengthOf: (list) => this.#length(list), element: (place) => this.#element(place) } };
  }

  #count(name: string): Num | null {
    if (!this.counters.has(name)) return null;
    this.#counted.push(name);
    return this.run.graph.leaf(name, "0");
  }

  #length(list: List): Num {
    const text = `${list.name}.length`, variable = this.variables.get(list), known = this.lengths.get(list) ?? this.#stays(text, variable === undefined ? text : lengthOf(this.#work, variable));
    this.lengths.set(list, known);
    return known;
  }

  #element(place: Place): Num {
    const leaf = this.run.graph.leaf(`${place.list.name}[${place.text}]`, place.list.isData ? "0" : `${place.list.bar}[${place.text}]`);
    this.places.set(leaf, place);
    return leaf;
  }

  /** `for (let i = from; i < below; i++)`, from a whole number. */
  loop(node: ts.ForStatement, callee: Callee): Loop | null {
    const { api } = this.#work, k = api.SyntaxKind, { initializer: first, condition: test, incrementor: step } = node;
    if (first === undefined || !api.isVariableDeclarationList(first) || (first.flags & api.NodeFlags.Let) === 0 || first.declarations.length !== 1 || api.isLabeledStatement(node.parent)) return null;
    const name = first.declarations[0]?.name, initial = first.declarations[0]?.initializer;
    if (name === undefined || initial === undefined || !api.isIdentifier(name) || test === undefined || !api.isBinaryExpression(test) || step === undefined) return null;
    const isName = (one: ts.Node): boolean => api.isIdentifier(one) && one.text === name.text;
    const isStep = (api.isPostfixUnaryExpression(step) || api.isPrefixUnaryExpression(step)) && step.operator === k.PlusPlusToken && isName(step.operand);
    if (!isStep || test.operatorToken.kind !== k.LessThanToken || !isName(test.left)) return null;
    const from = this.#bound(initial, callee), below = this.#bound(test.right, callee), counter = freshName(this.#work, name.text);
    if (from === null || below === null) return null;
    const before = callee.names.get(name.text);
    callee.names.set(name.text, this.run.graph.leaf(counter, "0"));
    const low = extreme(from, this.#first), high = extreme(below, this.#last);
    this.#first.set(counter, low);
    this.#last.set(counter, high);
    const steps = this.#steps(node.statement, callee);
    if (before === undefined) callee.names.delete(name.text);
    else callee.names.set(name.text, before);
    return steps === null || steps.length === 0 ? null : { kind: "loop", counter, from: plainly(from), below: plainly(below), range: { from, below }, most: low === null || high === null ? null : low === "0" ? high : `(${high} - ${low})`, steps };
  }

  /** Arithmetic of what stays and of counters of loops around. */
  #bound(node: ts.Expression, callee: Callee): Num | null {
    const bound = numberOf(this.run, node, callee);
    return bound === null || bound.varies || reads(bound, this.counters) ? null : bound;
  }

  #steps(body: ts.Statement, callee: Callee): readonly Step[] | null {
    const { api } = this.#work, all: Step[] = [];
    for (const node of api.isBlock(body) ? body.statements : [body]) {
      const steps = this.#stepsOf(node, callee);
      if (steps === null) return null;
      all.push(...steps);
    }
    return all;
  }

  #stepsOf(node: ts.Statement, callee: Callee): readonly Step[] | null {
    const { api } = this.#work;
    if (api.isForStatement(node)) {
      const loop = this.loop(node, callee);
      return loop === null ? null : [loop];
    }
    const does = api.isExpressionStatement(node) ? unwrapped(this.#work, node.expression) : null;
    if (does !== null && api.isCallExpression(does)) return this.#called(does, callee);
    const write = does !== null && api.isBinaryExpression(does) ? this.#write(does, callee) : null;
    return write === null ? null : [write];
  }

  /** `a[i] = e`, `a[i] += e`, i being a counter, or one and a number. */
  #write(node: ts.BinaryExpression, callee: Callee): Write | null {
    const { api } = this.#work, target = unwrapped(this.#work, node.left), sign = api.tokenToString(node.operatorToken.kind) ?? "", op = operationOf(sign.slice(0, -1));
    if (!api.isElementAccessExpression(target) || (sign !== "=" && (op === undefined || !sign.endsWith("=")))) return null;
    this.#counted = [];
    const place = placeOf(this.run, target, callee), before = sign === "=" ? null : numberOf(this.run, target, callee), right = numberOf(this.run, node.right, callee);
    if (place === null || right === null || !isWhole(place.index) || (sign !== "=" && before === null)) return null;
    const value = op === undefined || before === null ? right : operation(this.run, op, before, right), counted = this.#counted;
    if (value === null || new Set(counted).size < counted.length || counted.some((name) => reads(place.index, new Set([name])) || occurrences(api, node, name) > 1)) return null;
    this.written.add(place.list);
    return { kind: "write", place, value, counted };
  }

  /** A function of the program that gives nothing. */
  #called(node: ts.CallExpression, caller: Callee): readonly Step[] | null {
    const { api } = this.#work, own = functionOf(this.run, unwrapped(this.#work, node.expression), caller);
    if (own?.body === undefined || !api.isBlock(own.body) || isInside(this.run, own, caller) || own.parameters.length > node.arguments.length || !this.run.mayCall()) return null;
    const names = new Map<string, Value>();
    for (const [k, arg] of node.arguments.entries()) {
      const value = valueOf(this.run, arg, caller), parameter = own.parameters[k];
      if (value === null || !(value.kind === "list" || (value.kind === "num" && !value.varies))) return null;
      if (parameter === undefined) continue;
      if (!isPlain(this.#work, parameter) || !api.isIdentifier(parameter.name) || (value.kind === "num" && reads(value, this.counters))) return null;
      names.set(parameter.name.text, value);
    }
    return this.#steps(own.body, this.#callee(own, names, caller));
  }
}

/** Whether a number reads one of these names. */
export const reads = (number: Num, names: ReadonlySet<string>): boolean => (number.op === null ? names.has(number.text) : number.args.some((arg) => reads(arg, names)));

/** A counter that begins at a whole number, or that and a literal: `i`, `i + 1`, `3`. */
function isWhole({ op, args: [a, b], text, value }: Num): boolean {
  if (op === null) return value === null ? /^[\p{ID_Continue}$]+$/u.test(text) && !text.startsWith("t$") : Number.isInteger(value) && value >= 0;
  return op === "add" && a !== undefined && b !== undefined && isWhole(a) && isWhole(b);
}

/** What a sum of counters and numbers comes to where each counter is at its end `of` the range. */
function extreme(bound: Num, of: ReadonlyMap<string, string | null>): string | null {
  const { op, args: [a, b], text } = bound;
  if (!reads(bound, new Set(of.keys()))) return op === null ? plainly(bound) : `(${plainly(bound)})`;
  if (op === null) return of.get(text) ?? null;
  const parts = op === "add" && a !== undefined && b !== undefined ? [extreme(a, of), extreme(b, of)] : [null];
  return parts.includes(null) ? null : `(${parts.join(" + ")})`;
}

/** Whether something in the loop assigns it. */
function isMoved({ api, bindings }: Work, variable: Variable, loop: ts.Node): boolean {
  const is = (node: ts.Node): boolean => {
    const operand = api.isPostfixUnaryExpression(node) || api.isPrefixUnaryExpression(node) ? node.operand : api.isBinaryExpression(node) ? node.left : null;
    if (operand !== null && api.isIdentifier(operand) && bindings.find(operand) === variable) return true;
    return api.forEachChild(node, (child) => is(child) || undefined) === true;
  };
  return variable.written && is(loop);
}

function occurrences(api: typeof ts, node: ts.Node, name: string): number {
  let count = api.isIdentifier(node) && node.text === name ? 1 : 0;
  api.forEachChild(node, (child) => { count += occurrences(api, child, name); });
  return count;
}

export function sweptOf(work: Work, node: ts.ForStatement): Swept | null {
  const reader = new Reader(work, node), callee = reader.outside(node), loop = callee === null ? null : reader.loop(node, callee), { run, written, kept } = reader;
  if (callee === null || loop === null || run.looks.length > 0 || run.conditions.size > 0) return null;
  // what is written may grow
  if ([...reader.lengths.keys()].some((list) => written.has(list))) return null;
  const lists = [...callee.names.values()].filter((value) => value.kind === "list"), doubles = new Set([...reader.variables].filter(([, { declaration }]) => isDoubles(work.context.checker, declaration)).map(([list]) => list));
  const own = [...reader.variables].filter(([list, variable]) => written.has(list) && isScratch(work, variable, node)), scratch = new Map(own.length < written.size ? own : []);
  // what is written holds ids from then on
  if ([...written].some(({ isData: isOfData }) => isOfData)) return null;
  const swept: Swept = { run, steps: [loop], lists: [...written, ...lists.filter((list) => !written.has(list))], written, scratch, kept, counters: reader.counters, places: reader.places, doubles, bounds: reader.bounds, guards: [...reader.counters].map((name) => `${name} >= 0`), inside: "" };
  const { steps, gone, guards } = fused(swept.steps, swept, (wanted) => freshName(work, wanted)), without = (all: Iterable<List>): List[] => [...all].filter((list) => !gone.has(list));
  return { ...swept, steps, lists: without(swept.lists), written: new Set(without(written)), guards: [...swept.guards, ...guards], inside: insideOf(swept.steps, swept, new Set(without(swept.lists))) };
}

/** What a number is the number of, as far as its declaration tells: of the elements of a list, or itself. */
function countOf({ api, bindings, context }: Work, { name, how, declaration }: Variable): string {
  const initial = how === "const" && api.isVariableDeclaration(declaration) ? declaration.initializer : undefined;
  if (initial === undefined || !api.isPropertyAccessExpression(initial) || initial.name.text !== "length" || !api.isIdentifier(initial.expression)) return name;
  const list = isListOfNumbers(api, context.checker, initial.expression) ? bindings.find(initial.expression) : null;
  return list === null ? name : `${list.name}.length`;
}

/** The same of a list's length: it was made with so many elements. */
function lengthOf(work: Work, { name, how, declaration }: Variable): string {
  const { api, bindings } = work, made = how === "const" && api.isVariableDeclaration(declaration) && declaration.initializer !== undefined ? declaration.initializer : null;
  const size = made !== null && api.isNewExpression(made) && made.arguments?.length === 1 ? made.arguments[0] : undefined, variable = size !== undefined && api.isIdentifier(size) ? bindings.find(size) : null;
  return variable === null ? `${name}.length` : countOf(work, variable);
}

/** `const a = new Float64Array(n);` in the block of the loop, `a` being named nowhere else than there and in the loop. */
function isScratch(work: Work, { name, declaration }: Variable, loop: ts.ForStatement): boolean {
  const { api, bindings, context: { checker, resolver } } = work;
  if (!api.isVariableDeclaration(declaration) || declaration.initializer === undefined || declaration.parent.parent.parent !== loop.parent) return false;
  const made = unwrapped(work, declaration.initializer), size = api.isNewExpression(made) && made.arguments?.length === 1 ? made.arguments[0] : undefined;
  if (size === undefined || !api.isNewExpression(made) || !api.isIdentifier(made.expression) || made.expression.text !== "Float64Array" || bindings.find(made.expression) !== null) return false;
  if (resolver.resolve(made.expression).kind !== "native" || !isNumber(api, checker, size)) return false;
  const isNamed = (node: ts.Node): boolean => {
    if (node === loop || node === declaration.name) return false;
    return (api.isIdentifier(node) && node.text === name) || api.forEachChild(node, (child) => isNamed(child) || undefined) === true;
  };
  return !isNamed(functionAround(api, loop));
}
