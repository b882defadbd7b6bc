// Declares and assigns variables: `const x = …;`, `let x: T;`, `x = …;`, and the cursors of tapes.
// Invariant: each variable is declared once, before its first use, as `const` unless it changes.
// Parallel copies (binds of an `if`, carried values of a loop) lose no value.

import { PREC } from "../ir/ops.ts";
import { resolve } from "../ir/shadow.ts";
import type { Atom, Const, Origin, Var } from "../ir/types.ts";
import { assigned, lacksTupleType, valueOf } from "./assign.ts";
import {
  type Block,
  definedNames,
  type ForLine,
  type IfLine,
  leafVars,
  type LetLine,
  type Value,
  type WhileLine,
} from "./code.ts";
import { valueText } from "./expression.ts";
import type { TextLine } from "./layout.ts";
import type { Variable } from "./names/variables.ts";
import { isUndefined, negated } from "./operators.ts";
import { removal } from "./place-text.ts";
import { type Copy, sequentialize, type Step } from "./shape/parallel.ts";
import { Presets } from "./shape/presets.ts";
import type { PersistentTape } from "./shape/retained-tapes.ts";
import { isComparedLiteral, needsAnnotation } from "./types/annotations.ts";
import { circular } from "./types/circular.ts";
import {
  atomText,
  definition,
  type FunctionWriting,
  operandText,
  variableNamed,
  type Writing,
} from "./writing.ts";

export class Declarations {
  readonly #context: FunctionWriting;
  readonly #writing: Writing;
  readonly #presets: Presets;
  /** Variables whose types TypeScript would infer from each other. */
  readonly #circular: ReadonlySet<Variable>;
  readonly #declared = new Set<Variable>();
  readonly #cursorsDeclared = new Set<Variable>();
  /** Constants that hold the values of cyclic copies. */
  readonly #saved = new Map<Copy, string>();

  constructor(context: FunctionWriting, block: Block) {
    this.#context = context;
    this.#writing = context.writing;
    this.#presets = new Presets(context.variables);
    this.#circular = circular({ block, nested: this.#writing.nested }, context.variables, {
      types: this.#writing.types,
      noUncheckedIndexedAccess: this.#writing.noUncheckedIndexedAccess,
      saysType: (value, bind) => {
        const variable = variableNamed(context, bind);
        return variable !== undefined && needsAnnotation(value, bind, variable, context);
      },
    });
  }

  /** The parameters, whose tapes get cursors at their ends. */
  params(): TextLine[] {
    const lines: TextLine[] = [];
    for (const variable of this.#context.variables.all) {
      if (variable.param === null) continue;
      this.#declared.add(variable);
      if (this.#context.cursors.has(variable))
        lines.push(this.#cursorAtEnd(variable, this.#context.func.origin));
    }
    return lines;
  }

  /** `: number` for a loop's index whose type TypeScript would infer from itself. */
  indexType(index: Var): string {
    const variable = this.declare(index);
    return variable !== undefined && this.#circular.has(variable) ? ": number" : "";
  }

  /** A variable whose declaration the caller prints. */
  declare(bind: Var): Variable | undefined {
    const variable = variableNamed(this.#context, bind);
    if (variable !== undefined) this.#declared.add(variable);
    return variable;
  }

  define(line: LetLine, block: Block): TextLine[] {
    const { bind, value, origin } = line;
    const variable = variableNamed(this.#context, bind);
    if (variable === undefined) return [];
    if (!this.#isRead(variable) && value.kind !== "newTape")
      return [{ indent: 0, text: `${this.#effectText(value, bind)};`, origin }];
    const hasCursor = this.#context.cursors.has(variable);
    if (value.kind === "rewind") return hasCursor ? [this.#cursorAtEnd(variable, origin)] : [];
    const cursor = hasCursor ? [this.#cursor(variable, value, origin)] : [];
    const spare =
      value.kind === "newTape"
        ? this.#context.spares.find(({ tape }) => tape === variable)
        : undefined;
    if (spare !== undefined) return [...this.#takeTape(spare, bind, origin), ...cursor];
    return [{ indent: 0, text: this.#set(variable, value, bind, block), origin }, ...cursor];
  }

  /** A value without uses, for its effect: `p--` for `tape[--p]`. */
  #effectText(value: Value, { type }: Var): string {
    if (value.kind === "pop" && value.tape.kind === "var")
      return `${this.#writing.identifiers.cursorOf(value.tape.name)}--`;
    if (value.kind === "removeLast") return removal(value.object, this.#writing);
    const { text } = valueText(value, type, this.#writing);
    // a statement must not begin with an object literal, a function or an array literal
    return /^(?:\{|function\b|\[)/.test(text) ? `void ${text}` : text;
  }

  /** `const x = …`, `let x: T = …`, `x = …` or `x += …` */
  #set(variable: Variable, value: Value, bind: Var, block: Block): string {
    const identifier = this.#writing.identifiers.of(bind.name);
    if (this.#declared.has(variable)) return this.#assign(variable, value, bind, identifier);
    this.#declared.add(variable);
    const isHere = variable.scope === block;
    const isUnset = value.kind === "copy" && isUndefined(value.atom);
    // let last: Node | undefined;
    if (isHere && variable.changes && variable.type.kind === "opt" && isUnset)
      return `let ${identifier}: ${this.#writing.typeWriter.text(variable.type)};`;
    const isAnnotated =
      needsAnnotation(value, bind, variable, this.#context) ||
      this.#circular.has(variable) ||
      isComparedLiteral(value, bind, this.#context);
    const type = isAnnotated ? `: ${this.#writing.typeWriter.text(variable.type)}` : "";
    const text =
      isAnnotated || lacksTupleType(value, bind.type, this.#writing)
        ? valueOf(value, bind.type, this.#writing)
        : valueText(value, bind.type, this.#writing).text;
    return `${variable.changes || !isHere ? "let" : "const"} ${identifier}${type} = ${text};`;
  }

  /** `x = c ? v : x  ->  if (c) x = v` */
  #assign(variable: Variable, value: Value, bind: Var, identifier: string): string {
    if (value.kind === "choose" && this.#isVariable(value.else, variable)) {
      const cond = atomText(value.cond, this.#writing).text;
      return `if (${cond}) ${assigned(identifier, value.then, this.#writing)};`;
    }
    if (value.kind === "choose" && this.#isVariable(value.then, variable)) {
      const cond = negated(value.cond, this.#writing).text;
      return `if (${cond}) ${assigned(identifier, value.else, this.#writing)};`;
    }
    return `${assigned(identifier, { value, type: bind.type }, this.#writing)};`;
  }

  #isVariable(atom: Atom, variable: Variable): boolean {
    return (
      atom.kind === "var" &&
      !this.#writing.nested.has(atom.name) &&
      variableNamed(this.#context, atom) === variable
    );
  }

  #isRead(variable: Variable): boolean {
    return variable.names.some((name) => this.#context.read.has(name));
  }

  /** Variables that inner blocks define and outer code reads: `let y: number;` */
  hoisted(line: IfLine | ForLine | WhileLine, block: Block): TextLine[] {
    const due = new Set<Variable>();
    for (const name of definedNames([line])) {
      const variable = this.#context.variables.of.get(name);
      if (variable?.scope !== block || this.#declared.has(variable)) continue;
      if (this.#isRead(variable)) due.add(variable);
    }
    return [...due].flatMap((variable) => {
      const mayPreset = line.kind === "if" && !this.#context.cursors.has(variable);
      const preset = mayPreset ? this.#presets.of(variable, line) : null;
      return this.#bare(variable, preset, line.origin);
    });
  }

  /** `let x: T;`, or `let x = 0;` for a variable with a preset. */
  #bare(variable: Variable, preset: Const | null, origin: Origin): TextLine[] {
    this.#declared.add(variable);
    const name = variable.names[0] ?? "";
    const isNull = variable.type.kind === "opt" && variable.type.nil === "null";
    const isPresetNull = preset !== null && preset.value === undefined && isNull;
    // TypeScript cannot see that no line reads it on a path that does not assign it
    const mark = variable.maybeUnset || isPresetNull ? "!" : "";
    const type = this.#writing.typeWriter.text(variable.type);
    const annotation = type === "number" || type === "boolean" ? "" : `: ${type}`;
    const rest =
      preset !== null && preset.value !== undefined
        ? `${annotation} = ${atomText(preset, this.#writing).text}`
        : `${mark}: ${type}`;
    const text = `let ${this.#writing.identifiers.of(name)}${rest};`;
    if (!this.#context.cursors.has(variable)) return [{ indent: 0, text, origin }];
    return [{ indent: 0, text, origin }, this.#cursorLine(variable, name, "0", origin)];
  }

  // -------------------------------------------------------------------------------------- copies

  /** Assigns the values `from` to the variables of `to` in parallel. */
  copies(to: readonly Var[], from: readonly Atom[], block: Block, origin: Origin): TextLine[] {
    const copies: Copy[] = [];
    to.forEach((bind, i) => {
      const value = from[i];
      const variable = variableNamed(this.#context, bind);
      if (value === undefined || value.kind === "undef" || variable === undefined) return;
      if (!this.#isRead(variable) || this.#presets.holds(variable, block)) return;
      if (this.#isVariable(value, variable)) return;
      const reads = leafVars(value, this.#writing.nested)
        .map((leaf) => variableNamed(this.#context, leaf))
        .filter((one) => one !== undefined);
      copies.push({ bind, variable, value, reads });
    });
    return sequentialize(copies).flatMap((step) => this.#copy(step, block, origin));
  }

  #copy({ kind, copy }: Step, block: Block, around: Origin): TextLine[] {
    const { bind, variable, value } = copy;
    const origin = this.#context.originOf(value, around);
    const { identifiers } = this.#writing;
    if (kind === "save") {
      const name = identifiers.fresh(`next${capital(identifiers.of(bind.name))}`);
      this.#saved.set(copy, name);
      const type = this.#typeOfSaved(variable, value);
      const text = `const ${name}${type} = ${atomText(value, this.#writing).text};`;
      return [{ indent: 0, text, origin }];
    }
    const saved = this.#saved.get(copy);
    if (saved !== undefined)
      return [{ indent: 0, text: `${identifiers.of(bind.name)} = ${saved};`, origin }];
    const whole = this.#nestedValue(value) ?? { kind: "copy", atom: value };
    const text = this.#set(variable, whole, bind, block);
    if (!this.#context.cursors.has(variable) || value.kind !== "var")
      return [{ indent: 0, text, origin }];
    const cursor = this.#cursorLine(variable, bind.name, this.#cursorOf(value), origin);
    return [{ indent: 0, text, origin }, cursor];
  }

  /** A copy has the type of its variable: that of the value may be narrower, or circular. */
  #typeOfSaved({ type }: Variable, value: Atom): string {
    const { kind } = resolve(type, this.#writing.types);
    const isSure = kind === "num" || (kind === "array" && value.kind !== "global");
    return isSure ? "" : `: ${this.#writing.typeWriter.text(type)}`;
  }

  /** The value nested at the atom; not an instance, which is printed by its own class. */
  #nestedValue(atom: Atom): Value | undefined {
    const value = definition(atom, this.#writing);
    const isInstance =
      value?.kind === "record" &&
      atom.type.kind === "named" &&
      this.#writing.types.get(atom.type.name)?.instance !== undefined;
    return isInstance ? undefined : value;
  }

  // --------------------------------------------------------------------------- tapes and cursors

  /** Takes the persistent tape. A call from within finds none and allocates its own. */
  #takeTape({ tape, place, type }: PersistentTape, bind: Var, origin: Origin): TextLine[] {
    this.#declared.add(tape);
    const name = this.#writing.identifiers.of(bind.name);
    const [word, fresh] =
      type === "Float64Array"
        ? ["let", `new ${this.#writing.library("Float64Array")}(0)`]
        : ["const", "[]"];
    return [
      { indent: 0, text: `${word} ${name} = ${place} ?? ${fresh};`, origin },
      { indent: 0, text: `${place} = undefined;`, origin },
    ];
  }

  /** Gives persistent tapes back before `return`, if they have been taken by then. */
  returnTapes(origin: Origin): TextLine[] {
    return this.#context.spares
      .filter(({ tape }) => this.#declared.has(tape))
      .flatMap(({ tape, place, type }) => {
        const name = this.#writing.identifiers.of(tape.names[0] ?? "");
        const back = { indent: 0, text: `${place} = ${name};`, origin };
        return type === "unknown[]"
          ? [{ indent: 0, text: `${name}.fill(undefined);`, origin }, back]
          : [back];
      });
  }

  #cursor(variable: Variable, value: Value, origin: Origin): TextLine {
    return value.kind === "newTape"
      ? this.#cursorLine(variable, variable.names[0] ?? "", "0", origin)
      : this.#cursorAtEnd(variable, origin);
  }

  #cursorAtEnd(variable: Variable, origin: Origin): TextLine {
    const name = variable.names[0] ?? "";
    const tape = operandText(PREC.call, { kind: "var", name, type: variable.type }, this.#writing);
    return this.#cursorLine(variable, name, `${tape}.length`, origin);
  }

  #cursorLine(variable: Variable, name: string, value: string, origin: Origin): TextLine {
    const word = this.#cursorsDeclared.has(variable) ? "" : "let ";
    this.#cursorsDeclared.add(variable);
    const cursor = this.#writing.identifiers.cursorOf(name);
    return { indent: 0, text: `${word}${cursor} = ${value};`, origin };
  }

  #cursorOf(tape: Var): string {
    const variable = variableNamed(this.#context, tape);
    return variable !== undefined && this.#context.cursors.has(variable)
      ? this.#writing.identifiers.cursorOf(tape.name)
      : `${atomText(tape, this.#writing).text}.length`;
  }
}

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
