// Reads loops that may become one tape node. In: `for` loops and `map` calls. Out: steps with calls
// inlined, or null. Invariants: they write array elements only and call no unknown code.

import type ts from "typescript";
import type { Variable } from "../binding.ts";
import { capturesOf } from "../captures.ts";
import { isData } from "../types/inert.ts";
import { isListOfNumbers, isNumber } from "../types/leaves.ts";
import { functionOf, isInside, isPlain } from "../run/call.ts";
import { numberOf, operationOf, plainly, placeOf, valueOf } from "../run/expression.ts";
import type { Num } from "../run/graph.ts";
import { Run, type Callee } from "../run/state.ts";
import type { List, Place, Value } from "../run/values.ts";
import { freshName, unwrapped, type Work } from "../work.ts";
import { extreme, isWhole, reads, type Loop, type Made, type Step, type Write } from "./loop.ts";
import { isMoved, mapOf } from "./stretch.ts";

export class Reader {
  readonly run: Run;
  readonly #work: Work;
  readonly written: Set<List> = new Set();
  readonly kept: Map<string, string> = new Map();
  readonly lengths: Map<List, Num> = new Map();
  readonly counters: Set<string> = new Set();
  readonly variables: Map<List, Variable> = new Map();
  readonly made: Map<List, Omit<Made, "isSeen">> = new Map();
  /** Arrays whose length is used. */
  readonly asked: Set<List> = new Set();
  /** Arrays that are mapped, which must have no holes. */
  readonly dense: Set<List> = new Set();
  readonly places: Map<Num, Place> = new Map();
  readonly bounds: Map<string, string> = new Map();
  /** The bounds of the outer loops' counters; null where they are unknown. */
  readonly #first: Map<string, string | null> = new Map();
  readonly #last: Map<string, string | null> = new Map();
  #counted: string[] = [];

  constructor(work: Work, first: ts.Node) {
    this.#work = work;
    this.run = new Run(work, first);
  }

  /** The meaning of names that are declared outside of the loops. */
  outside(nodes: readonly ts.Node[]): Callee | null {
    const [first] = nodes;
    const names = new Map<string, Value>();
    return first !== undefined && nodes.every((node) => this.#named(node, nodes, names))
      ? this.#callee(first, names, null)
      : null;
  }

  #named(node: ts.Node, nodes: readonly ts.Node[], names: Map<string, Value>): boolean {
    const { api, bindings } = this.#work;
    const isIn = ({ declaration }: Variable, one: ts.Node): boolean =>
      declaration.pos >= one.pos && declaration.end <= one.end;
    const visit = (at: ts.Node): boolean => {
      const variable =
        api.isIdentifier(at) &&
        !(api.isPropertyAccessExpression(at.parent) && at.parent.name === at)
          ? bindings.find(at)
          : null;
      if (
        variable !== null &&
        api.isIdentifier(at) &&
        !nodes.some((one) => isIn(variable, one)) &&
        !names.has(at.text)
      ) {
        const value = this.#meant(variable, at, nodes);
        if (value === null) return false;
        names.set(at.text, value);
      }
      return api.forEachChild(at, (child) => !visit(child) || undefined) === undefined;
    };
    return visit(node);
  }

  #meant(variable: Variable, at: ts.Identifier, nodes: readonly ts.Node[]): Value | null {
    const {
      api,
      context: { checker },
    } = this.#work;
    const { name, how } = variable;
    if (isListOfNumbers(api, checker, at)) {
      if (variable.written || !(how === "const" || how === "let" || how === "parameter"))
        return null;
      const list: List = {
        kind: "list",
        name,
        bar: freshName(this.#work, `${name}Bar`),
        isData: isData(this.#work, variable, at),
      };
      this.variables.set(list, variable);
      return list;
    }
    if (!isNumber(api, checker, at) || variable.live) return null;
    if (!nodes.some((node) => isMoved(this.#work, variable, node)))
      return this.#stays(name, countOf(this.#work, variable));
    if (how !== "let" || capturesOf(api, variable)) return null;
    this.counters.add(name);
    return this.run.graph.leaf(name, "0");
  }

  /** A number that is read before the loop. */
  #stays(text: string, count: string): Num {
    const known = [...this.kept].find(([, of]) => of === text)?.[0];
    const name = known ?? freshName(this.#work, "t");
    this.kept.set(name, text);
    this.bounds.set(name, count);
    return this.run.graph.leaf(name, "0");
  }

  #callee(node: ts.Node, names: Map<string, Value>, caller: Callee | null): Callee {
    return {
      node,
      names,
      caller,
      lists: {
        counted: (name) => this.#count(name),
        lengthOf: (list) => this.#asked(list),
        element: (place) => this.#element(place),
      },
    };
  }

  #count(name: string): Num | null {
    if (!this.counters.has(name)) return null;
    this.#counted.push(name);
    return this.run.graph.leaf(name, "0");
  }

  #asked(list: List): Num {
    this.asked.add(list);
    return this.#length(list);
  }

  #length(list: List): Num {
    const text = `${list.name}.length`;
    const variable = this.variables.get(list);
    const known =
      this.lengths.get(list) ??
      this.#stays(text, variable === undefined ? text : lengthOf(this.#work, variable));
    this.lengths.set(list, known);
    return known;
  }

  #element(place: Place): Num {
    const leaf = this.run.graph.leaf(
      `${place.list.name}[${place.text}]`,
      place.list.isData ? "0" : `${place.list.bar}[${place.text}]`,
    );
    this.places.set(leaf, place);
    return leaf;
  }

  /** `for (let i = from; i < below; i++)` from an integer. */
  loop(node: ts.ForStatement, callee: Callee): Loop | null {
    const { api } = this.#work;
    const k = api.SyntaxKind;
    const { initializer: first, condition: test, incrementor: step } = node;
    if (
      first === undefined ||
      !api.isVariableDeclarationList(first) ||
      (first.flags & api.NodeFlags.Let) === 0 ||
      first.declarations.length !== 1 ||
      api.isLabeledStatement(node.parent)
    )
      return null;
    const name = first.declarations[0]?.name;
    const initial = first.declarations[0]?.initializer;
    if (
      name === undefined ||
      initial === undefined ||
      !api.isIdentifier(name) ||
      test === undefined ||
      !api.isBinaryExpression(test) ||
      step === undefined
    )
      return null;
    const isName = (one: ts.Node): boolean => api.isIdentifier(one) && one.text === name.text;
    const isStep =
      (api.isPostfixUnaryExpression(step) || api.isPrefixUnaryExpression(step)) &&
      step.operator === k.PlusPlusToken &&
      isName(step.operand);
    if (!isStep || test.operatorToken.kind !== k.LessThanToken || !isName(test.left)) return null;
    const from = this.#bound(initial, callee);
    const below = this.#bound(test.right, callee);
    const counter = freshName(this.#work, name.text);
    if (from === null || below === null) return null;
    const before = callee.names.get(name.text);
    callee.names.set(name.text, this.run.graph.leaf(counter, "0"));
    const low = extreme(from, this.#first);
    const high = extreme(below, this.#last);
    this.#first.set(counter, low);
    this.#last.set(counter, high);
    const steps = this.#steps(node.statement, callee);
    if (before === undefined) callee.names.delete(name.text);
    else callee.names.set(name.text, before);
    return steps === null || steps.length === 0
      ? null
      : {
          kind: "loop",
          counter,
          from: plainly(from),
          below: plainly(below),
          range: { from, below },
          low,
          high,
          steps,
        };
  }

  /** `const a = xs.map((x, i) => e);` of an array of numbers, as a loop. */
  make(node: ts.VariableStatement, callee: Callee): Loop | null {
    const {
      api,
      bindings,
      context: { checker },
    } = this.#work;
    const parts = mapOf(this.#work, node);
    const source = parts === null ? undefined : callee.names.get(parts.source.text);
    const variable = parts === null ? null : bindings.find(parts.name);
    if (
      parts === null ||
      source?.kind !== "list" ||
      variable === null ||
      variable.written ||
      !isNumber(api, checker, parts.body)
    )
      return null;
    const { graph } = this.run;
    const counter = freshName(this.#work, parts.index?.text ?? "k");
    const index = graph.leaf(counter, "0");
    const length = this.#length(source);
    const element = this.#element({ list: source, index, text: counter });
    const inner = new Map(callee.names);
    if (parts.value !== undefined) inner.set(parts.value.text, element);
    if (parts.index !== undefined) inner.set(parts.index.text, index);
    this.#counted = [];
    const value = numberOf(this.run, parts.body, this.#callee(parts.body, inner, callee.caller));
    if (value === null || this.#counted.length > 0 || reads(value, this.counters)) return null;
    const list: List = {
      kind: "list",
      name: variable.name,
      bar: freshName(this.#work, `${variable.name}Bar`),
      isData: false,
    };
    const below = plainly(length);
    if (!this.made.has(source)) this.dense.add(source);
    this.lengths.set(list, length);
    this.variables.set(list, variable);
    this.made.set(list, { variable, length: below });
    callee.names.set(variable.name, list);
    return {
      kind: "loop",
      counter,
      from: "0",
      below,
      range: { from: graph.literal(0), below: length },
      low: "0",
      high: below,
      steps: [
        {
          kind: "write",
          place: { list, index, text: counter },
          value,
          counted: [],
          isPushed: true,
        },
      ],
    };
  }

  /** A bound of unchanged values and outer counters. */
  #bound(node: ts.Expression, callee: Callee): Num | null {
    const bound = numberOf(this.run, node, callee);
    return bound === null || bound.varies || reads(bound, this.counters) ? null : bound;
  }

  #steps(body: ts.Statement, callee: Callee): readonly Step[] | null {
    const { api } = this.#work;
    const all: Step[] = [];
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

  /** `a[i] = e`, `a[i] += e`, where `i` is a counter, perhaps plus a number. */
  #write(node: ts.BinaryExpression, callee: Callee): Write | null {
    const { api } = this.#work;
    const target = unwrapped(this.#work, node.left);
    const sign = api.tokenToString(node.operatorToken.kind) ?? "";
    const op = operationOf(sign.slice(0, -1));
    if (
      !api.isElementAccessExpression(target) ||
      (sign !== "=" && (op === undefined || !sign.endsWith("=")))
    )
      return null;
    this.#counted = [];
    const place = placeOf(this.run, target, callee);
    const before = sign === "=" ? null : numberOf(this.run, target, callee);
    const right = numberOf(this.run, node.right, callee);
    if (
      place === null ||
      right === null ||
      !isWhole(place.index) ||
      (sign !== "=" && before === null)
    )
      return null;
    const value =
      op === undefined || before === null ? right : this.run.graph.primal(op, [before, right]);
    const counted = this.#counted;
    if (
      new Set(counted).size < counted.length ||
      counted.some(
        (name) => reads(place.index, new Set([name])) || occurrences(api, node, name) > 1,
      )
    )
      return null;
    this.written.add(place.list);
    return { kind: "write", place, value, counted, isPushed: false };
  }

  /** The steps of a call to a user function without a result. */
  #called(node: ts.CallExpression, caller: Callee): readonly Step[] | null {
    const { api } = this.#work;
    const own = functionOf(this.run, unwrapped(this.#work, node.expression), caller);
    if (
      own?.body === undefined ||
      !api.isBlock(own.body) ||
      isInside(this.run, own, caller) ||
      own.parameters.length > node.arguments.length ||
      !this.run.mayCall()
    )
      return null;
    const names = new Map<string, Value>();
    for (const [k, arg] of node.arguments.entries()) {
      const value = valueOf(this.run, arg, caller);
      const parameter = own.parameters[k];
      if (value === null || !(value.kind === "list" || (value.kind === "num" && !value.varies)))
        return null;
      if (parameter === undefined) continue;
      if (
        !isPlain(this.#work, parameter) ||
        !api.isIdentifier(parameter.name) ||
        (value.kind === "num" && reads(value, this.counters))
      )
        return null;
      names.set(parameter.name.text, value);
    }
    return this.#steps(own.body, this.#callee(own, names, caller));
  }
}

function occurrences(api: typeof ts, node: ts.Node, name: string): number {
  let count = api.isIdentifier(node) && node.text === name ? 1 : 0;
  api.forEachChild(node, (child) => {
    count += occurrences(api, child, name);
  });
  return count;
}

/** The array whose length a const is, or the number itself. */
function countOf({ api, bindings, context }: Work, { name, how, declaration }: Variable): string {
  const initial =
    how === "const" && api.isVariableDeclaration(declaration) ? declaration.initializer : undefined;
  if (
    initial === undefined ||
    !api.isPropertyAccessExpression(initial) ||
    initial.name.text !== "length" ||
    !api.isIdentifier(initial.expression)
  )
    return name;
  const list = isListOfNumbers(api, context.checker, initial.expression)
    ? bindings.find(initial.expression)
    : null;
  return list === null ? name : `${list.name}.length`;
}

/** The same for an array's length, if the array was allocated with a known size. */
function lengthOf(work: Work, { name, how, declaration }: Variable): string {
  const { api, bindings } = work;
  const made =
    how === "const" &&
    api.isVariableDeclaration(declaration) &&
    declaration.initializer !== undefined
      ? declaration.initializer
      : null;
  const size =
    made !== null && api.isNewExpression(made) && made.arguments?.length === 1
      ? made.arguments[0]
      : undefined;
  const variable = size !== undefined && api.isIdentifier(size) ? bindings.find(size) : null;
  return variable === null ? `${name}.length` : countOf(work, variable);
}
