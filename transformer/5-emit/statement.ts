// Prints blocks as lines of TypeScript, each with the user code that it comes from.

import { PREC } from "../ir/ops.ts";
import type { Atom, Origin, Type, Var } from "../ir/types.ts";
import { unreachable } from "../ir/visit.ts";
import { assertedText } from "./casts.ts";
import {
  type Block,
  type Counter,
  type ForLine,
  type IfLine,
  type Line,
  terminates,
  type Value,
  type WhileLine,
} from "./code.ts";
import { Declarations } from "./declarations.ts";
import { type Arm, braced, deeper, ifElse, isOneIf, type TextLine } from "./layout.ts";
import {
  type AccumLine,
  accumText,
  appendText,
  fillText,
  guardedSum,
  pushText,
  reserveText,
  storeText,
} from "./memory.ts";
import { negated } from "./operators.ts";
import { atLeast, atomText, type FunctionWriting, operandText, type Text } from "./writing.ts";

export function statements(block: Block, context: FunctionWriting): readonly TextLine[] {
  const declarations = new Declarations(context, block);
  return [...declarations.params(), ...new Printer(context, declarations).block(block)];
}

class Printer {
  readonly #context: FunctionWriting;
  readonly #declarations: Declarations;
  /** Result type of the innermost function or closure; null where its text is the user's. */
  #result: Type | null;

  constructor(context: FunctionWriting, declarations: Declarations) {
    this.#context = context;
    this.#declarations = declarations;
    this.#result = (context.func.resultText ?? null) === null ? context.func.result : null;
  }

  block(block: Block): TextLine[] {
    return block.lines.flatMap((line) => this.#line(line, block));
  }

  #line(line: Line, block: Block): TextLine[] {
    const { writing } = this.#context;
    const at = (text: string): TextLine[] => [{ indent: 0, text, origin: line.origin }];
    switch (line.kind) {
      case "let":
        return line.value.kind === "closure"
          ? this.#closure(line.bind, line.value, block, line.origin)
          : this.#declarations.define(line, block);
      case "store":
        return at(`${storeText(line, writing)};`);
      case "accum":
        return this.#accum(line);
      case "append":
        return at(`${appendText(line, writing)};`);
      case "fill":
        return at(`${fillText(line, writing)};`);
      case "push":
        return at(`${pushText(line, writing)};`);
      case "reserve":
        return at(`${reserveText(line, this.#isEmptyTape(line.tape), writing)};`);
      case "throw":
        return at(`throw ${this.#atom(line.value).text};`);
      case "return":
        return [
          ...this.#declarations.returnTapes(line.origin),
          {
            indent: 0,
            text: this.#returnText(line.value),
            origin: this.#context.originOf(line.value, line.origin),
          },
        ];
      case "if":
        return this.#if(line, block);
      case "for":
        return this.#for(line, block);
      case "while":
        return this.#while(line, block);
      default:
        return unreachable(line);
    }
  }

  #atom(atom: Atom): Text {
    return atomText(atom, this.#context.writing);
  }

  #negated(cond: Atom): Text {
    return negated(cond, this.#context.writing);
  }

  #returnText(value: Atom | null): string {
    if (value === null) return "return;";
    const asserted = assertedText(value, this.#result, this.#context.writing);
    return `return ${asserted ?? this.#atom(value).text};`;
  }

  /** Whether room on the tape is reserved only once, before the first push. */
  #isEmptyTape(tape: Atom): boolean {
    const variable = tape.kind === "var" ? this.#context.variables.of.get(tape.name) : undefined;
    return this.#context.spares.some((spare) => spare.tape === variable && spare.isSetOnce);
  }

  /** `const g = (x: number): number => { … };` */
  #closure(
    bind: Var,
    value: Extract<Value, { kind: "closure" }>,
    block: Block,
    origin: Origin,
  ): TextLine[] {
    const { identifiers, typeWriter: types } = this.#context.writing;
    const variable = this.#declarations.declare(bind);
    for (const param of value.params) this.#declarations.declare(param);
    const params = value.params
      .map((param) => `${identifiers.of(param.name)}: ${types.text(param.type)}`)
      .join(", ");
    const result = bind.type.kind === "func" ? `: ${types.text(bind.type.result)}` : "";
    const word = variable?.scope === block && !variable.changes ? "const" : "let";
    const head = `${word} ${identifiers.of(bind.name)} = (${params})${result} => {`;
    const outside = this.#result;
    this.#result = bind.type.kind === "func" ? bind.type.result : null;
    const lines = deeper(this.block(value.block));
    this.#result = outside;
    return [{ indent: 0, text: head, origin }, ...lines, { indent: 0, text: "};", origin }];
  }

  /** `a[i] += c ? x : 0  ->  if (c) a[i] += x` */
  #accum(line: AccumLine): TextLine[] {
    const { origin } = line;
    const { writing } = this.#context;
    const guarded = guardedSum(line, writing);
    if (guarded === null) return [{ indent: 0, text: `${accumText(line, writing)};`, origin }];
    const text = `${accumText({ ...line, value: guarded.value }, writing)};`;
    return braced(`if (${guarded.cond.text})`, [{ indent: 0, text, origin }], origin);
  }

  // ------------------------------------------------------------------------------------ branches

  #if(line: IfLine, block: Block): TextLine[] {
    const { origin } = line;
    const before = this.#declarations.hoisted(line, block);
    const then: Arm = { block: line.then, lines: this.#branch(line.then, line) };
    const other: Arm = { block: line.else, lines: this.#branch(line.else, line) };
    const [cond, opposite] = [this.#atom(line.cond), this.#negated(line.cond)];
    if (other.lines.length === 0)
      return [...before, ...(then.lines.length === 0 ? [] : this.#oneArm(cond, then, origin))];
    if (then.lines.length === 0) return [...before, ...this.#oneArm(opposite, other, origin)];
    // if (!c) a; else b  ->  if (c) b; else a
    const isTurned = cond.text.startsWith("!") && !opposite.text.startsWith("!") && !isOneIf(other);
    return [
      ...before,
      ...(isTurned
        ? ifElse(opposite.text, other, then, origin)
        : ifElse(cond.text, then, other, origin)),
    ];
  }

  #branch(block: Block, { binds, origin }: IfLine): TextLine[] {
    const lines = this.block(block);
    return terminates(block)
      ? lines
      : [...lines, ...this.#declarations.copies(binds, block.result, block, origin)];
  }

  #oneArm(cond: Text, arm: Arm, origin: Origin): readonly TextLine[] {
    return this.#conjunction(cond, arm) ?? braced(`if (${cond.text})`, arm.lines, origin);
  }

  /** `if (a) { if (b) s; }  ->  if (a && b) s;` where the branch is one `if`; else null. */
  #conjunction(cond: Text, { block, lines }: Arm): readonly TextLine[] | null {
    const [inner, ...others] = block.lines;
    const [first, ...rest] = lines;
    if (others.length > 0 || first === undefined) return null;
    if (rest.some(({ indent, text }) => indent === 0 && text !== "}")) return null;
    const test = this.#testsOf(inner).find(({ text }) => first.text.startsWith(`if (${text}) `));
    if (test === undefined) return null;
    const whole = `${atLeast(PREC.and, cond)} && ${atLeast(PREC.and, test)}`;
    const head = `if (${whole})${first.text.slice(`if (${test.text})`.length)}`;
    return [{ ...first, text: head }, ...rest];
  }

  /** The conditions that the text of a line may begin with. */
  #testsOf(line: Line | undefined): readonly Text[] {
    if (line?.kind === "if") return [this.#atom(line.cond), this.#negated(line.cond)];
    const guarded = line?.kind === "accum" ? guardedSum(line, this.#context.writing) : null;
    return guarded === null ? [] : [guarded.cond];
  }

  // --------------------------------------------------------------------------------------- loops

  #for(line: ForLine, block: Block): TextLine[] {
    const before = this.#entered(line, block);
    const to = operandText(PREC.shift, line.to, this.#context.writing);
    const index = this.#context.writing.identifiers.of(line.index.name);
    const head = this.#head(line, `${index} ${line.test} ${to}`);
    return [...before, ...braced(head, this.#iteration(line), line.origin)];
  }

  #while(line: WhileLine, block: Block): TextLine[] {
    const { origin } = line;
    const before = this.#entered(line, block);
    const test = this.block(line.test);
    const [cond] = line.test.result;
    if (cond === undefined) return before;
    if (line.first === "body") {
      const body = deeper(this.#iteration(line));
      const end = `} while (${this.#atom(cond).text});`;
      const head: TextLine = { indent: 0, text: "do {", origin };
      return [...before, head, ...body, { indent: 0, text: end, origin }];
    }
    if (test.length === 0) {
      const { text } = this.#atom(cond);
      const head = line.counter === undefined ? `while (${text})` : this.#head(line.counter, text);
      return [...before, ...braced(head, this.#iteration(line), origin)];
    }
    const leave = { indent: 0, text: `if (${this.#negated(cond).text}) break;`, origin };
    const body = [...test, leave, ...this.#iteration(line)];
    return [...before, ...braced("while (true)", body, origin)];
  }

  /** Lines before a loop: initial values and hoisted declarations. */
  #entered(line: ForLine | WhileLine, block: Block): TextLine[] {
    const params = line.carried.map((one) => one.param);
    const inits = line.carried.map((one) => one.init);
    const copies = this.#declarations.copies(params, inits, block, line.origin);
    return [...copies, ...this.#declarations.hoisted(line, block)];
  }

  /** The loop's body and the copies to the next iteration's values. */
  #iteration({ body, carried, origin }: ForLine | WhileLine): TextLine[] {
    const lines = this.block(body);
    if (terminates(body)) return lines;
    const params = carried.map((one) => one.param);
    return [...lines, ...this.#declarations.copies(params, body.result, body, origin)];
  }

  /** `for (let i = from; test; i += step)` */
  #head({ index, from, step }: Counter, test: string): string {
    const { writing } = this.#context;
    const i = writing.identifiers.of(index.name);
    const type = this.#declarations.indexType(index);
    const start = operandText(PREC.conditional, from, writing);
    return `for (let ${i}${type} = ${start}; ${test}; ${stepText(i, step)})`;
  }
}

function stepText(i: string, step: number): string {
  if (step === 1) return `${i}++`;
  if (step === -1) return `${i}--`;
  return step < 0 ? `${i} -= ${-step}` : `${i} += ${step}`;
}
