// Text of lines. In: blocks with their variables and identifiers. Out: lines of TypeScript, each with the user code it comes from.
// Invariant: every variable is declared once, before its first use, `const` unless it changes; parallel copies lose no value.

import { PREC } from "../ir/ops.ts";
import { printType } from "../ir/print.ts";
import { resolve } from "../ir/shadow.ts";
import type { Atom, Const, Func, Key, Origin, Reserve, Type, Var } from "../ir/types.ts";
import { keyAtoms, unreachable, walkStmts } from "../ir/visit.ts";
import {
  assigned,
  entryText,
  isLooserValue,
  mayLack,
  mutates,
  needsType,
  pops,
  valueOf,
} from "./assign.ts";
import { circular } from "./types/circular.ts";
import {
  type Block,
  type Counter,
  type ForLine,
  type IfLine,
  leafVars,
  type LetLine,
  type Line,
  lineBlocks,
  terminates,
  type Value,
  valueAtoms,
  type WhileLine,
} from "./code.ts";
import {
  assertedText,
  atLeast,
  atomText,
  isMap,
  isUndefined,
  keyText,
  mayMiss,
  mutable,
  negated,
  removal,
  type Text,
  valueText,
  type Writing,
} from "./expression.ts";
import { isOneOf } from "./types/fit.ts";
import { saidType } from "./types/narrow.ts";
import { inOrder, type Copy } from "./shape/parallel.ts";
import { placeText } from "./place-text.ts";
import { isEquality } from "./places.ts";
import { definitions, Presets } from "./shape/presets.ts";
import type { SpareTape } from "./shape/retained-tapes.ts";
import type { Variable, Variables } from "./names/variables.ts";

export interface TextLine {
  readonly indent: number;
  readonly text: string;
  readonly origin: Origin;
}

export interface Drawn {
  readonly writing: Writing;
  readonly variables: Variables;
  /** Names that some line reads. */
  readonly read: ReadonlySet<string>;
  /** Tapes that are pushed to or popped from by a cursor. */
  readonly cursors: ReadonlySet<Variable>;
  readonly func: Func;
  /** The tape that is kept for the next call, and the name of where. */
  readonly spares: readonly SpareTape[];
}

const held = (type: Type): Type => (type.kind === "opt" ? type.of : type);
const isAggregate = (type: Type): boolean =>
  type.kind === "named" ||
  type.kind === "cotangent" ||
  type.kind === "record" ||
  type.kind === "union";

/** A statement short enough stands on the line of its `if` or `for`. */
const ONE_LINE = 100;

export function statements(block: Block, drawn: Drawn): readonly TextLine[] {
  const printer = new Printer(drawn);
  return printer.function(block);
}

class Printer {
  readonly #drawn: Drawn;
  readonly #writing: Writing;
  readonly #declared = new Set<Variable>();
  readonly #presets: Presets;
  /** What TypeScript would look for the type of in itself. */
  #circular: ReadonlySet<Variable> = new Set();

  /** Of the function, or of the closure in it, that is being written; null where it says another one. */
  #result: Type | null;

  constructor(drawn: Drawn) {
    this.#drawn = drawn;
    this.#writing = drawn.writing;
    this.#result = (drawn.func.resultText ?? null) === null ? drawn.func.result : null;
    this.#presets = new Presets(drawn.variables);
  }

  function(block: Block): readonly TextLine[] {
    const saysType = ({ value, bind }: LetLine): boolean => {
      const variable = this.#variable(bind.name);
      return variable !== undefined && this.#saysType(value, bind, variable);
    };
    this.#circular = circular(
      { block, nested: this.#writing.nested },
      this.#drawn.variables,
      this.#writing.types,
      saysType,
    );
    const start: TextLine[] = [];
    for (const variable of this.#drawn.variables.all) {
      if (variable.param === null) continue;
      this.#declared.add(variable);
      if (this.#drawn.cursors.has(variable))
        start.push(this.#cursorAtEnd(variable, this.#drawn.func.origin));
    }
    return [...start, ...this.#block(block)];
  }

  #store({ object, key, value }: Extract<Line, { kind: "store" }>): string {
    const place = placeText(object, key, value.type, this.#writing);
    const literal = assertedText(
      value,
      saidType(object.type, key, this.#writing.types),
      this.#writing,
    );
    return literal === null
      ? assigned(place, value, this.#writing, mayMiss(object, key, this.#writing))
      : `${place} = ${literal}`;
  }

  #appended({ object, value }: Extract<Line, { kind: "append" }>): string {
    const type = resolve(object.type, this.#writing.types);
    return (
      (type.kind === "array" ? assertedText(value, type.elem, this.#writing) : null) ??
      mutable(value, PREC.conditional, this.#writing)
    );
  }

  #block(block: Block): TextLine[] {
    return block.lines.flatMap((line) => this.#line(line, block));
  }

  #line(line: Line, block: Block): TextLine[] {
    const at = (text: string): TextLine[] => [{ indent: 0, text, origin: line.origin }];
    const whole = (atom: Atom): string => atLeast(PREC.conditional, this.#atom(atom));
    switch (line.kind) {
      case "let":
        return this.#let(line, block);
      case "store":
        if (line.removed === true) return at(this.#removed(line));
        if (isMap(line.object, this.#writing))
          return at(`${this.#put(line.object, line.key, entryText(line, this.#writing))};`);
        if (mayLack(line, this.#writing))
          return at(
            `${placeText(line.object, line.key, line.value.type, this.#writing)} = ${entryText(line, this.#writing)};`,
          );
        return at(`${this.#store(line)};`);
      case "accum":
        return this.#added(line);
      case "append":
        return at(`${atLeast(PREC.call, this.#atom(line.object))}.push(${this.#appended(line)});`);
      case "fill": {
        const bounds = [
          line.value,
          ...(line.from === null ? [] : [line.from]),
          ...(line.to === null ? [] : [line.to]),
        ].map(whole);
        return at(`${atLeast(PREC.call, this.#atom(line.object))}.fill(${bounds.join(", ")});`);
      }
      case "push":
        return at(`${this.#pushed(line.tape, line.value)};`);
      case "reserve":
        return at(`${this.#reserved(line)};`);
      case "throw":
        return at(`throw ${this.#atom(line.value).text};`);
      case "return":
        return [
          ...this.#givenBack(line.origin),
          ...at(
            line.value === null
              ? "return;"
              : `return ${assertedText(line.value, this.#result, this.#writing) ?? this.#atom(line.value).text};`,
          ),
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

  #removed({ object, key, value }: Line & { readonly kind: "store" }): string {
    const entry = key.kind === "index" && isMap(object, this.#writing) ? key.at : null;
    return entry === null
      ? `delete ${placeText(object, key, value.type, this.#writing)};`
      : `${atLeast(PREC.call, this.#atom(object))}.delete(${this.#atom(entry).text});`;
  }

  #atom(atom: Atom): Text {
    return atomText(atom, this.#writing);
  }

  #variable(name: string): Variable | undefined {
    return this.#drawn.variables.of.get(name);
  }

  #isRead(variable: Variable): boolean {
    return variable.names.some((name) => this.#drawn.read.has(name));
  }

  // ------------------------------------------------------------------------------------------------ definitions

  #let(line: LetLine, block: Block): TextLine[] {
    const { bind, value, origin } = line;
    if (value.kind === "closure") return this.#closure(bind, value, block, origin);
    const variable = this.#variable(bind.name);
    if (variable === undefined) return [];
    if (!this.#isRead(variable) && value.kind !== "newTape")
      return [{ indent: 0, text: `${this.#effectText(value, bind.type)};`, origin }];
    if (value.kind === "rewind")
      return this.#drawn.cursors.has(variable) ? [this.#cursorAtEnd(variable, origin)] : [];
    const cursor = this.#drawn.cursors.has(variable) ? [this.#cursor(variable, value, origin)] : [];
    const kept =
      value.kind === "newTape"
        ? this.#drawn.spares.find(({ tape }) => tape === variable)
        : undefined;
    if (kept !== undefined) return [...this.#taken(kept, bind, origin), ...cursor];
    return [{ indent: 0, text: this.#set(variable, value, bind, block), origin }, ...cursor];
  }

  /** What a value that nobody reads does: `p--` for `tape[--p]`. */
  #effectText(value: Value, type: Type): string {
    if (value.kind === "pop" && value.tape.kind === "var")
      return `${this.#writing.identifiers.cursorOf(value.tape.name)}--`;
    return value.kind === "removeLast"
      ? removal(value.object, this.#writing)
      : statementText(valueText(value, type, this.#writing).text);
  }

  #taken({ tape, place, type }: SpareTape, bind: Var, origin: Origin): TextLine[] {
    this.#declared.add(tape);
    const [word, first] =
      type === "Float64Array"
        ? ["let", `new ${this.#writing.library("Float64Array")}()`]
        : ["const", "[]"];
    return [
      `${word} ${this.#writing.identifiers.of(bind.name)} = ${place} ?? ${first};`,
      `${place} = undefined;`,
    ].map((text) => ({ indent: 0, text, origin }));
  }

  /** Before `return`; an early one may stand above where the tape is taken. */
  #givenBack(origin: Origin): TextLine[] {
    return this.#drawn.spares
      .filter(({ tape }) => this.#declared.has(tape))
      .flatMap(({ tape, place, type }) => {
        const name = this.#writing.identifiers.of(tape.names[0] ?? "");
        return [
          ...(type === "unknown[]" ? [`${name}.fill(undefined);`] : []),
          `${place} = ${name};`,
        ].map((text) => ({ indent: 0, text, origin }));
      });
  }

  /** `const x = …;`, `let x = …;` or `x = …;`, whichever is due. */
  #set(variable: Variable, value: Value, bind: Var, block: Block): string {
    const identifier = this.#writing.identifiers.of(bind.name);
    if (this.#declared.has(variable)) {
      const keeps = (atom: Atom): boolean =>
        atom.kind === "var" &&
        !this.#writing.nested.has(atom.name) &&
        this.#variable(atom.name) === variable;
      // x = c ? v : x  ->  if (c) x = v
      if (value.kind === "choose" && keeps(value.else))
        return `if (${this.#atom(value.cond).text}) ${assigned(identifier, value.then, this.#writing)};`;
      if (value.kind === "choose" && keeps(value.then))
        return `if (${negated(value.cond, this.#writing).text}) ${assigned(identifier, value.else, this.#writing)};`;
      return `${assigned(identifier, { value, type: bind.type }, this.#writing)};`;
    }
    this.#declared.add(variable);
    const isHere = variable.scope === block;
    // let last: Node | undefined;
    if (
      isHere &&
      variable.changes &&
      variable.type.kind === "opt" &&
      value.kind === "copy" &&
      isUndefined(value.atom)
    )
      return `let ${identifier}: ${this.#writing.typeWriter.text(variable.type)};`;
    const type =
      this.#saysType(value, bind, variable) ||
      this.#circular.has(variable) ||
      (isOneOf(value, this.#writing.nested) && this.#isCompared(bind))
        ? `: ${this.#writing.typeWriter.text(variable.type)}`
        : "";
    return `${variable.changes || !isHere ? "let" : "const"} ${identifier}${type} = ${type === "" && !isLooserValue(value, bind.type, this.#writing) ? valueText(value, bind.type, this.#writing).text : valueOf(value, bind.type, this.#writing)};`;
  }

  #isCompared({ name }: Var): boolean {
    let found = false;
    walkStmts(this.#drawn.func.body, (stmt) => {
      found ||=
        stmt.kind === "let" &&
        stmt.expr.kind === "op" &&
        isEquality(stmt.expr.op) &&
        stmt.expr.args.some((arg) => arg.kind === "var" && arg.name === name);
    });
    return found;
  }

  #saysType(value: Value, bind: Var, { changes }: Variable): boolean {
    return (
      needsType(value, bind.type, changes, this.#drawn.func, this.#writing) ||
      this.#isCircular(value, bind)
    );
  }

  /** `const t = n!; n = t.next`: TypeScript would look for the type of each in the other. */
  #isCircular(value: Value, bind: Var): boolean {
    // const t = (last ?? x) > 0; last = t ? x : undefined          const t = either.x * 2; either = { x: t }
    if (
      (value.kind === "choose" ||
        value.kind === "op" ||
        value.kind === "present" ||
        value.kind === "load") &&
      (bind.type.kind === "bool" || bind.type.kind === "num")
    )
      return valueAtoms(value).some((atom) =>
        leafVars(atom, this.#writing.nested).some((leaf) => this.#narrows(leaf)),
      );
    // const next = n!.next; n = next          const next = n!.next!; n = next          const next = n!; n = next.next
    const isSame = (leaf: Var): boolean =>
      this.#narrows(leaf) && printType(held(leaf.type)) === printType(held(bind.type));
    // const t = last!; last = key
    if (value.kind === "unwrap" && bind.type.kind === "leaf")
      return leafVars(value.value, this.#writing.nested).some(
        ({ name }) => this.#variable(name)?.changes === true,
      );
    const isPart = value.kind === "load" || value.kind === "choose" || value.kind === "unwrap";
    return (
      isPart &&
      isAggregate(held(bind.type)) &&
      valueAtoms(value).some((atom) => leafVars(atom, this.#writing.nested).some(isSame))
    );
  }

  /** Whether an assignment in a loop says what type a variable has from there on. */
  #narrows({ name, type }: Var): boolean {
    const variable = this.#variable(name);
    return (
      variable?.changes === true &&
      (type.kind === "opt" || resolve(variable.type, this.#writing.types).kind === "union")
    );
  }

  #closure(
    bind: Var,
    value: Extract<Value, { kind: "closure" }>,
    block: Block,
    origin: Origin,
  ): TextLine[] {
    const variable = this.#variable(bind.name);
    if (variable !== undefined) this.#declared.add(variable);
    const types = this.#writing.typeWriter;
    for (const param of value.params) {
      const own = this.#variable(param.name);
      if (own !== undefined) this.#declared.add(own);
    }
    const params = value.params
      .map((param) => `${this.#writing.identifiers.of(param.name)}: ${types.text(param.type)}`)
      .join(", ");
    const result = bind.type.kind === "func" ? `: ${types.text(bind.type.result)}` : "";
    const head = `${variable?.scope === block && !variable.changes ? "const" : "let"} ${this.#writing.identifiers.of(bind.name)} = (${params})${result} => {`;
    const outside = this.#result;
    this.#result = bind.type.kind === "func" ? bind.type.result : null;
    const lines = deeper(this.#block(value.block));
    this.#result = outside;
    return [{ indent: 0, text: head, origin }, ...lines, { indent: 0, text: "};", origin }];
  }

  #cursor(variable: Variable, value: Value, origin: Origin): TextLine {
    if (value.kind !== "newTape") return this.#cursorAtEnd(variable, origin);
    return {
      indent: 0,
      text: `${this.#cursorWord(variable)}${this.#writing.identifiers.cursorOf(variable.names[0] ?? "")} = 0;`,
      origin,
    };
  }

  #cursorAtEnd(variable: Variable, origin: Origin): TextLine {
    const name = variable.names[0] ?? "";
    const tape = atLeast(PREC.call, this.#atom({ kind: "var", name, type: variable.type }));
    return {
      indent: 0,
      text: `${this.#cursorWord(variable)}${this.#writing.identifiers.cursorOf(name)} = ${tape}.length;`,
      origin,
    };
  }

  readonly #cursorsDeclared = new Set<Variable>();
  #cursorWord(variable: Variable): string {
    if (this.#cursorsDeclared.has(variable)) return "";
    this.#cursorsDeclared.add(variable);
    return "let ";
  }

  /** Declares what the blocks of a line define and code outside them reads: `let y: number;`. */
  #hoisted(line: IfLine | ForLine | WhileLine, block: Block): TextLine[] {
    const due = new Set<Variable>();
    for (const name of [
      ...line.binds.map((bind) => bind.name),
      ...lineBlocks(line).flatMap(definitions),
    ]) {
      const variable = this.#variable(name);
      if (
        variable !== undefined &&
        variable.scope === block &&
        !this.#declared.has(variable) &&
        this.#isRead(variable)
      )
        due.add(variable);
    }
    return [...due].flatMap((variable) =>
      this.#bare(
        variable,
        line.kind === "if" && !this.#drawn.cursors.has(variable)
          ? this.#presets.of(variable, line)
          : null,
        line.origin,
      ),
    );
  }

  #bare(variable: Variable, preset: Const | null, origin: Origin): TextLine[] {
    this.#declared.add(variable);
    const identifier = this.#writing.identifiers.of(variable.names[0] ?? "");
    // on some path nothing is assigned, and nothing reads it either, which TypeScript cannot see
    const isNull = variable.type.kind === "opt" && variable.type.nil === "null";
    const mark =
      variable.maybeUnset || (preset?.value === undefined && preset !== null && isNull) ? "!" : "";
    const type = this.#writing.typeWriter.text(variable.type);
    const declared =
      preset !== null && preset.value !== undefined
        ? `${type === "number" || type === "boolean" ? "" : `: ${type}`} = ${this.#atom(preset).text}`
        : `${mark}: ${type}`;
    const lines: TextLine[] = [{ indent: 0, text: `let ${identifier}${declared};`, origin }];
    if (!this.#drawn.cursors.has(variable)) return lines;
    return [
      ...lines,
      {
        indent: 0,
        text: `${this.#cursorWord(variable)}${this.#writing.identifiers.cursorOf(variable.names[0] ?? "")} = 0;`,
        origin,
      },
    ];
  }

  // ------------------------------------------------------------------------------------------------ copies

  /** Gives the variables of `to` the values `from`, as if all at once. */
  #copies(to: readonly Var[], from: readonly Atom[], block: Block, origin: Origin): TextLine[] {
    const copies: Copy[] = [];
    to.forEach((bind, i) => {
      const value = from[i];
      const variable = this.#variable(bind.name);
      if (
        value === undefined ||
        value.kind === "undef" ||
        variable === undefined ||
        !this.#isRead(variable) ||
        this.#presets.holds(variable, block)
      )
        return;
      const reads = leafVars(value, this.#writing.nested)
        .map((leaf) => this.#variable(leaf.name))
        .filter((one) => one !== undefined);
      const isSame =
        value.kind === "var" &&
        !this.#writing.nested.has(value.name) &&
        this.#variable(value.name) === variable;
      if (!isSame) copies.push({ bind, variable, value, reads });
    });
    return inOrder(copies).flatMap((step) => this.#copy(step, block, origin));
  }

  #copy(step: ReturnType<typeof inOrder>[number], block: Block, origin: Origin): TextLine[] {
    if (step.kind === "save") {
      const name = this.#writing.identifiers.fresh(
        `next${capital(this.#writing.identifiers.of(step.copy.bind.name))}`,
      );
      this.#saved.set(step.copy, name);
      return [{ indent: 0, text: `const ${name} = ${this.#atom(step.copy.value).text};`, origin }];
    }
    const { bind, variable, value } = step.copy;
    const saved = this.#saved.get(step.copy);
    if (saved !== undefined)
      return [
        { indent: 0, text: `${this.#writing.identifiers.of(bind.name)} = ${saved};`, origin },
      ];
    const inside = value.kind === "var" ? this.#writing.nested.get(value.name) : undefined;
    // an instance is made as what it is, whatever the variable may hold
    const nested =
      inside?.kind === "record" &&
      value.type.kind === "named" &&
      this.#writing.types.get(value.type.name)?.instance !== undefined
        ? undefined
        : inside;
    const text = this.#set(variable, nested ?? { kind: "copy", atom: value }, bind, block);
    if (!this.#drawn.cursors.has(variable) || value.kind !== "var")
      return [{ indent: 0, text, origin }];
    const cursor = this.#writing.identifiers.cursorOf(bind.name);
    return [
      { indent: 0, text, origin },
      {
        indent: 0,
        text: `${this.#cursorWord(variable)}${cursor} = ${this.#cursorOf(value)};`,
        origin,
      },
    ];
  }

  #cursorOf(tape: Var): string {
    const variable = this.#variable(tape.name);
    const hasCursor = variable !== undefined && this.#drawn.cursors.has(variable);
    return hasCursor
      ? this.#writing.identifiers.cursorOf(tape.name)
      : `${this.#atom(tape).text}.length`;
  }

  readonly #saved = new Map<Copy, string>();

  // ------------------------------------------------------------------------------------------------ memory

  #put(object: Atom, key: Key, value: string): string {
    return `${atLeast(PREC.call, this.#atom(object))}.set(${keyText(object, key, this.#writing)}, ${value})`;
  }

  /** A key that is not there counts as 0. */
  #accumByKey(line: AccumLine): string {
    const value = atLeast(PREC.additive + 1, this.#atom(line.value));
    if (isMap(line.object, this.#writing)) {
      const former = `${atLeast(PREC.call, this.#atom(line.object))}.get(${keyText(line.object, line.key, this.#writing)})`;
      return this.#put(line.object, line.key, `(${former} ?? 0) + ${value}`);
    }
    const place = placeText(line.object, line.key, line.value.type, this.#writing);
    return `${place} = (${place} ?? 0) + ${value}`;
  }

  // a[i] += c ? x : 0  ->  if (c) a[i] += x
  #added(line: AccumLine): TextLine[] {
    const masked = this.#masked(line);
    const one = (value: Atom): TextLine => ({
      indent: 0,
      text: `${this.#accum({ ...line, value })};`,
      origin: line.origin,
    });
    return masked === null
      ? [one(line.value)]
      : braced(`if (${masked.cond.text})`, [one(masked.value)], line.origin);
  }

  /** What is added where a condition holds, and nothing else; null where the place would be looked up at another time. */
  #masked({ object, key, value }: AccumLine): { readonly cond: Text; readonly value: Atom } | null {
    const { nested } = this.#writing;
    const choice = value.kind === "var" ? nested.get(value.name) : undefined;
    if (
      choice?.kind !== "choose" ||
      mutates(choice.cond, nested) ||
      [object, ...keyAtoms(key)].some((atom) => mutates(atom, nested) || pops(atom, nested))
    )
      return null;
    if (isZero(choice.else)) return { cond: this.#atom(choice.cond), value: choice.then };
    return isZero(choice.then)
      ? { cond: negated(choice.cond, this.#writing), value: choice.else }
      : null;
  }

  #accum(line: AccumLine): string {
    if (resolve(line.object.type, this.#writing.types).kind === "dict")
      return this.#accumByKey(line);
    const place = `${placeText(line.object, line.key, line.value.type, this.#writing)}${mayMiss(line.object, line.key, this.#writing) ? "!" : ""}`;
    const value = line.value.kind === "var" ? this.#writing.nested.get(line.value.name) : undefined;
    const negative = value?.kind === "op" && value.op === "neg" ? value.args[0] : undefined;
    if (negative !== undefined)
      return `${place} -= ${atLeast(PREC.conditional, this.#atom(negative))}`;
    if (line.value.kind === "const" && typeof line.value.value === "number" && line.value.value < 0)
      return `${place} -= ${-line.value.value}`;
    return `${place} += ${atLeast(PREC.conditional, this.#atom(line.value))}`;
  }

  #pushed(tape: Atom, value: Atom): string {
    if (tape.kind !== "var") return "";
    const place = `${this.#atom(tape).text}[${this.#writing.identifiers.cursorOf(tape.name)}++]`;
    if (value.type.kind !== "bool" || (tape.type.kind === "tape" && tape.type.of === "ref"))
      return `${place} = ${this.#atom(value).text}`;
    return `${place} = ${atLeast(PREC.conditional + 0.5, this.#atom(value))} ? 1 : 0`;
  }

  /** tape = reserved(tape, p + 2 * n), or, where it is empty, if (tape.length < 2 * n) tape = new Float64Array(2 * n) */
  #reserved({ tape, count }: Reserve): string {
    if (tape.kind !== "var") return "";
    const name = this.#atom(tape).text;
    const variable = this.#variable(tape.name);
    if (this.#drawn.spares.some((spare) => spare.tape === variable && spare.isSetOnce))
      return `if (${name}.length < ${atLeast(PREC.shift, this.#atom(count))}) ${name} = new ${this.#writing.library("Float64Array")}(${this.#atom(count).text})`;
    return `${name} = ${this.#writing.reserved(name, `${this.#writing.identifiers.cursorOf(tape.name)} + ${atLeast(PREC.additive, this.#atom(count))}`)}`;
  }

  // ------------------------------------------------------------------------------------------------ control

  #if(line: IfLine, block: Block): TextLine[] {
    const before = this.#hoisted(line, block);
    const then: Arm = { block: line.then, lines: this.#branch(line.then, line) };
    const other: Arm = { block: line.else, lines: this.#branch(line.else, line) };
    const [cond, opposite] = [this.#atom(line.cond), negated(line.cond, this.#writing)];
    if (other.lines.length === 0)
      return [...before, ...(then.lines.length === 0 ? [] : this.#oneArm(cond, then, line.origin))];
    if (then.lines.length === 0) return [...before, ...this.#oneArm(opposite, other, line.origin)];
    // if (!c) a; else b  ->  if (c) b; else a
    const isTurned = cond.text.startsWith("!") && !opposite.text.startsWith("!") && !isOneIf(other);
    return [
      ...before,
      ...(isTurned
        ? twoArms(opposite, other, then, line.origin)
        : twoArms(cond, then, other, line.origin)),
    ];
  }

  #oneArm(cond: Text, arm: Arm, origin: Origin): readonly TextLine[] {
    return this.#both(cond, arm) ?? braced(`if (${cond.text})`, arm.lines, origin);
  }

  /** `if (a) { if (b) s; }  ->  if (a && b) s;`, where nothing else stands in the branch. */
  #both(cond: Text, { block, lines }: Arm): readonly TextLine[] | null {
    const [inner, ...others] = block.lines;
    const [first, ...rest] = lines;
    if (
      others.length > 0 ||
      first === undefined ||
      rest.some(({ indent, text }) => indent === 0 && text !== "}")
    )
      return null;
    const masked = inner?.kind === "accum" ? this.#masked(inner) : null;
    const tests =
      inner?.kind === "if"
        ? [this.#atom(inner.cond), negated(inner.cond, this.#writing)]
        : masked === null
          ? []
          : [masked.cond];
    const asked = tests.find(({ text }) => first.text.startsWith(`if (${text}) `));
    if (asked === undefined) return null;
    const whole = `${atLeast(PREC.and, cond)} && ${atLeast(PREC.and, asked)}`;
    return [
      { ...first, text: `if (${whole})${first.text.slice(`if (${asked.text})`.length)}` },
      ...rest,
    ];
  }

  #branch(block: Block, line: IfLine): TextLine[] {
    const lines = this.#block(block);
    return terminates(block)
      ? lines
      : [...lines, ...this.#copies(line.binds, block.result, block, line.origin)];
  }

  #entered(line: ForLine | WhileLine, block: Block): TextLine[] {
    const inits = this.#copies(
      line.carried.map((one) => one.param),
      line.carried.map((one) => one.init),
      block,
      line.origin,
    );
    return [...inits, ...this.#hoisted(line, block)];
  }

  #round(line: ForLine | WhileLine): TextLine[] {
    const lines = this.#block(line.body);
    return terminates(line.body)
      ? lines
      : [
          ...lines,
          ...this.#copies(
            line.carried.map((one) => one.param),
            line.body.result,
            line.body,
            line.origin,
          ),
        ];
  }

  #for(line: ForLine, block: Block): TextLine[] {
    const before = this.#entered(line, block);
    const to = atLeast(PREC.shift, this.#atom(line.to));
    const test = `${this.#writing.identifiers.of(line.index.name)} ${line.test} ${to}`;
    return [...before, ...braced(this.#head(line, test), this.#round(line), line.origin)];
  }

  /** `for (let i = from; test; i += step)`. */
  #head({ index, from, step }: Counter, test: string): string {
    const own = this.#variable(index.name);
    const i = this.#writing.identifiers.of(index.name);
    if (own !== undefined) this.#declared.add(own);
    const update =
      step === 1
        ? `${i}++`
        : step === -1
          ? `${i}--`
          : step < 0
            ? `${i} -= ${-step}`
            : `${i} += ${step}`;
    return `for (let ${i} = ${atLeast(PREC.conditional, this.#atom(from))}; ${test}; ${update})`;
  }

  #while(line: WhileLine, block: Block): TextLine[] {
    const before = this.#entered(line, block);
    const test = this.#block(line.test);
    const [cond] = line.test.result;
    if (cond === undefined) return before;
    if (line.first === "body") {
      const round = deeper(this.#round(line));
      return [
        ...before,
        { indent: 0, text: "do {", origin: line.origin },
        ...round,
        { indent: 0, text: `} while (${this.#atom(cond).text});`, origin: line.origin },
      ];
    }
    if (test.length === 0) {
      const head =
        line.counter === undefined
          ? `while (${this.#atom(cond).text})`
          : this.#head(line.counter, this.#atom(cond).text);
      return [...before, ...braced(head, this.#round(line), line.origin)];
    }
    const leave: TextLine = {
      indent: 0,
      text: `if (${negated(cond, this.#writing).text}) break;`,
      origin: line.origin,
    };
    return [
      ...before,
      ...braced("while (true)", [...test, leave, ...this.#round(line)], line.origin),
    ];
  }
}

type AccumLine = Extract<Line, { kind: "accum" }>;

const isZero = (atom: Atom): boolean => atom.kind === "const" && atom.value === 0;

/** A branch, and the text of it. */
interface Arm {
  readonly block: Block;
  readonly lines: readonly TextLine[];
}

/** Whether it can stand behind `else` as it is. */
const isOneIf = ({ block, lines: [first, ...rest] }: Arm): boolean =>
  block.lines.length === 1 &&
  first?.text.startsWith("if (") === true &&
  rest.every((one) => one.indent > 0 || one.text.startsWith("}"));

function twoArms(cond: Text, then: Arm, other: Arm, origin: Origin): readonly TextLine[] {
  const head = braced(`if (${cond.text})`, then.lines, origin, false).slice(0, -1);
  if (isOneIf(other))
    return [
      ...head,
      ...other.lines.map((one, i) => (i === 0 ? { ...one, text: `} else ${one.text}` } : one)),
    ];
  return [
    ...head,
    { indent: 0, text: "} else {", origin },
    ...deeper(other.lines),
    { indent: 0, text: "}", origin },
  ];
}

/** `if (c) x = 1;` where it fits, else a block. */
function braced(
  head: string,
  body: readonly TextLine[],
  origin: Origin,
  mayFit = true,
): TextLine[] {
  const [only] = body;
  const isPlain =
    only !== undefined &&
    body.length === 1 &&
    !/^(?:let|const|if|for|while) /.test(only.text.replace("(", " "));
  if (mayFit && isPlain && head.length + only.text.length < ONE_LINE)
    return [{ indent: 0, text: `${head} ${only.text}`, origin }];
  if (body.length === 0) return [{ indent: 0, text: `${head} {}`, origin }];
  return [
    { indent: 0, text: `${head} {`, origin },
    ...deeper(body),
    { indent: 0, text: "}", origin },
  ];
}

const deeper = (lines: readonly TextLine[]): TextLine[] =>
  lines.map((line) => ({ ...line, indent: line.indent + 1 }));

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** An object literal or function at the start of a statement would be read as something else. */
const statementText = (text: string): string =>
  /^(?:\{|function\b|\[)/.test(text) ? `void ${text}` : text;
