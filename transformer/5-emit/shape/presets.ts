// Chooses initial values at declarations, for variables that an `if` assigns. Branches that assign
// the initial value become empty.
// `let x: number; if (c) x = 0; else { … x = v; }  ->  let x = 0; if (!c) { … x = v; }`
// Invariant: nothing else assigns the variable before a branch that relies on its initial value.

import type { Const } from "../../ir/types.ts";
import { type Block, definedNames, type IfLine, terminates } from "../code.ts";
import type { Variable, Variables } from "../names/variables.ts";

/** A branch that assigns a constant to a variable. */
interface Given {
  readonly block: Block;
  readonly value: Const;
}

export class Presets {
  readonly #variables: Variables;
  /** By branch: variables whose initial value the branch need not assign. */
  readonly #held = new Map<Block, Set<Variable>>();

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  holds(variable: Variable, block: Block): boolean {
    return this.#held.get(block)?.has(variable) === true;
  }

  /** The initial value of a variable that is declared before the line, or null. */
  of(variable: Variable, line: IfLine): Const | null {
    const at = line.binds.findIndex(({ name }) => this.#variables.of.get(name) === variable);
    const given =
      at < 0 || variable.maybeUnset
        ? []
        : [line.else, line.then].flatMap((block) => this.#constantsOf(variable, block, at));
    const [first] = given;
    if (first === undefined) return null;
    const like = ({ value }: Given): readonly Given[] =>
      given.filter((other) => Object.is(other.value.value, value.value));
    const most = given.reduce(
      (best, one) => (like(one).length > like(best).length ? one : best),
      first,
    );
    for (const block of [
      ...like(most).map((one) => one.block),
      ...[line.else, line.then].flatMap((branch) =>
        this.#startingWith(variable, branch, most.value),
      ),
    ])
      this.#held.set(block, (this.#held.get(block) ?? new Set()).add(variable));
    return most.value;
  }

  /** Blocks where only a loop assigns the variable, and starts it with the initial value. */
  #startingWith(variable: Variable, block: Block, { value }: Const): readonly Block[] {
    const [only, ...others] = block.lines.filter((line) =>
      definedNames([line]).some((name) => this.#variables.of.get(name) === variable),
    );
    if (only === undefined || others.length > 0) return [];
    if (only.kind === "if")
      return [only.else, only.then].flatMap((branch) =>
        this.#startingWith(variable, branch, { kind: "const", type: variable.type, value }),
      );
    if (only.kind !== "for" && only.kind !== "while") return [];
    const inits = only.carried
      .filter(({ param }) => this.#variables.of.get(param.name) === variable)
      .map(({ init }) => init);
    return inits.length > 0 &&
      inits.every((init) => init.kind === "const" && Object.is(init.value, value))
      ? [block]
      : [];
  }

  /** Constants that the branch, or the branches of an `if` at its end, assign to the variable. */
  #constantsOf(variable: Variable, block: Block, at: number): readonly Given[] {
    const value = block.result[at];
    if (value === undefined || terminates(block)) return [];
    const deciding =
      value.kind === "var"
        ? block.lines.find(
            (line): line is IfLine =>
              line.kind === "if" && line.binds.some(({ name }) => name === value.name),
          )
        : undefined;
    const others = block.lines.filter((line) => line !== deciding);
    if (definedNames(others).some((name) => this.#variables.of.get(name) === variable)) return [];
    if (value.kind === "const") return [{ block, value }];
    const inner =
      deciding?.binds.findIndex(({ name }) => value.kind === "var" && name === value.name) ?? -1;
    return deciding === undefined ||
      this.#variables.of.get(deciding.binds[inner]?.name ?? "") !== variable
      ? []
      : [deciding.else, deciding.then].flatMap((branch) =>
          this.#constantsOf(variable, branch, inner),
        );
  }
}
