// Finds declarations in loops whose types TypeScript would infer from themselves:
// `const kids = here!.children; here = kids[0]`. They need annotations.
// The type of a variable is that of its initialiser. The type of a read of a union is that of the
// values that the loop assigns to the place. Invariant: errs on the side of an annotation.

import { resolve, type Types } from "../../ir/shadow.ts";
import type { Atom, Key, Type, Var } from "../../ir/types.ts";
import { keyAtoms } from "../../ir/visit.ts";
import {
  type Block,
  type Code,
  type ForLine,
  type Line,
  lineAtoms,
  lineBlocks,
  type Nested,
  type Value,
  valueAtoms,
  type WhileLine,
} from "../code.ts";
import type { Variable, Variables } from "../names/variables.ts";
import { hasUndefinedInType } from "../place-text.ts";
import { isEquality } from "../places.ts";

type Loop = ForLine | WhileLine;

/** The loop that a read is in, and by reference, what it was compared with above the read. */
interface Around {
  readonly loop: Loop;
  readonly compared: ReadonlyMap<string, readonly string[]>;
}

interface Scope {
  readonly types: Types;
  readonly noUncheckedIndexedAccess: boolean;
  /** Whether the declaration of the variable with this value has an annotation anyway. */
  readonly saysType: (value: Value, bind: Var) => boolean;
}

export function circular(
  { block, nested }: Code,
  { of }: Pick<Variables, "of">,
  scope: Scope,
): ReadonlySet<Variable> {
  const references = new References(nested, of, scope);
  const loops: Loop[] = [];
  const before: Line[] = [];
  outermostLoops(block, loops, before);
  if (loops.length === 0) return new Set();
  for (const line of before) {
    references.noteWrite(line, OUTSIDE);
    for (const atom of lineAtoms(line)) references.noteTests(atom);
  }
  for (const loop of loops)
    for (const inner of lineBlocks(loop)) noteWrites(inner, { loop, isNested: false }, references);
  return new Set(loops.flatMap((loop) => new Inference(references, scope, loop).circular()));
}

/** Where a place is narrowed: in which outermost loop, and whether in a loop within it. */
interface Where {
  readonly loop: Loop | null;
  readonly isNested: boolean;
}
const OUTSIDE: Where = { loop: null, isNested: false };

function noteWrites(block: Block, where: Where, references: References): void {
  for (const line of block.lines) {
    references.noteWrite(line, where);
    const isLoop = line.kind === "for" || line.kind === "while";
    for (const inner of lineBlocks(line))
      noteWrites(inner, isLoop ? { ...where, isNested: true } : where, references);
  }
}

/** `others`: the lines outside every loop. */
function outermostLoops(block: Block, found: Loop[], others: Line[]): void {
  for (const line of block.lines) {
    if (line.kind === "for" || line.kind === "while") found.push(line);
    else {
      others.push(line);
      for (const inner of lineBlocks(line)) outermostLoops(inner, found, others);
    }
  }
}

/** What a type is inferred from: `declared x`, or `x`, `x.f`, `x[0]` as of the last assignment. */
class References {
  readonly #nested: Nested;
  readonly #of: Variables["of"];
  readonly #scope: Scope;
  readonly #ids = new Map<Variable, number>();
  /** Writes to a place, and tests of it outside loops. */
  readonly #narrowings = new Map<string, Where[]>();

  constructor(nested: Nested, of: Variables["of"], scope: Scope) {
    this.#nested = nested;
    this.#of = of;
    this.#scope = scope;
  }

  variable({ name }: Var): Variable | undefined {
    return this.#of.get(name);
  }

  noteWrite(line: Line, where: Where): void {
    if (line.kind === "store" || line.kind === "accum") this.#note(line.object, line.key, where);
  }

  #note(object: Atom, key: Key, where: Where): void {
    const place = this.place(object, key);
    if (place === null) return;
    const known = this.#narrowings.get(place);
    if (known === undefined) this.#narrowings.set(place, [where]);
    else known.push(where);
  }

  /** Notes `o.f != null` and `o.f === x` in the text of the atom. */
  noteTests(atom: Atom): void {
    const value = atom.kind === "var" ? this.#nested.get(atom.name) : undefined;
    if (value === undefined) return;
    for (const part of valueAtoms(value)) {
      const read = part.kind === "var" ? this.#nested.get(part.name) : undefined;
      if ((value.kind === "present" || value.kind === "op") && read?.kind === "load")
        this.#note(read.object, read.key, OUTSIDE);
      this.noteTests(part);
    }
  }

  declared(variable: Variable): string {
    return `declared ${this.assigned(variable)}`;
  }

  assigned(variable: Variable): string {
    const known = this.#ids.get(variable) ?? this.#ids.size;
    this.#ids.set(variable, known);
    return `#${known}`;
  }

  /** Whether TypeScript narrows the variable by its assignments. */
  isNarrowed({ changes, type }: Variable): boolean {
    return changes && this.#isUnion(type);
  }

  /** References that the type of the value depends on. `isWhole`: it is all of a right side. */
  inValue(value: Value, type: Type, isWhole: boolean, around: Around): readonly string[] {
    // the type of such a call is that of its signature, whatever the arguments are
    if (isWhole && (value.kind === "call" || value.kind === "pop")) return [];
    const inner = valueAtoms(value).flatMap((atom) => this.inAtom(atom, around));
    const place = value.kind === "load" ? this.place(value.object, value.key) : null;
    return value.kind === "load" &&
      place !== null &&
      this.#isUnionRead(value, type) &&
      this.#isNarrowedBefore(place, around.loop)
      ? [place, ...inner]
      : inner;
  }

  inAtom(atom: Atom, around: Around): readonly string[] {
    if (atom.kind !== "var") return [];
    const value = this.#nested.get(atom.name);
    if (value !== undefined) return this.inValue(value, atom.type, false, around);
    const variable = this.variable(atom);
    if (variable === undefined) return [];
    const own = this.assigned(variable);
    return [own, ...(around.compared.get(own) ?? [])];
  }

  nestedAt(atom: Atom): Value | undefined {
    return atom.kind === "var" ? this.#nested.get(atom.name) : undefined;
  }

  /** Whether a test below may narrow a read above it, in the next iteration. */
  isUnionAt(atom: Atom): boolean {
    const variable =
      atom.kind === "var" && !this.#nested.has(atom.name) ? this.variable(atom) : undefined;
    return variable === undefined || this.isNarrowed(variable);
  }

  /** The variable or place that the atom is, as TypeScript recognises it; null for others. */
  reference(atom: Atom): string | null {
    return atom.kind === "var" ? this.#base(atom) : null;
  }

  /** The place as TypeScript recognises it; null where the key is computed. */
  place(object: Atom, key: Key): string | null {
    const base = this.#base(object);
    const name = key.kind === "field" ? key.name : this.#keyName(key.at);
    return base === null || name === null ? null : `${base}.${name}`;
  }

  #base(atom: Atom): string | null {
    if (atom.kind === "global") return atom.name;
    if (atom.kind !== "var") return null;
    const value = this.#nested.get(atom.name);
    if (value?.kind === "load") return this.place(value.object, value.key);
    if (value?.kind === "copy") return this.#base(value.atom);
    if (value?.kind === "unwrap") return this.#base(value.value);
    const variable = value === undefined ? this.variable(atom) : undefined;
    return variable === undefined ? null : this.assigned(variable);
  }

  #keyName(at: Atom): string | null {
    if (at.kind === "const") return String(at.value);
    const variable = at.kind === "var" && !this.#nested.has(at.name) ? this.variable(at) : null;
    return variable?.changes === false ? this.assigned(variable) : null;
  }

  #isUnionRead({ object, key }: Extract<Value, { kind: "load" }>, type: Type): boolean {
    return this.#isUnion(type) || hasUndefinedInType(object, key, this.#scope);
  }

  /** Whether a loop begins with a narrowed type; else TypeScript takes the declared one. */
  #isNarrowedBefore(place: string, loop: Loop): boolean {
    const known = this.#narrowings.get(place) ?? [];
    return (
      known.some((one) => one.loop !== loop) ||
      (known.length > 1 && known.some(({ isNested }) => isNested))
    );
  }

  /** Whether TypeScript may write the type as a union; `boolean` is `true | false`. */
  #isUnion(type: Type): boolean {
    const shape = resolve(type, this.#scope.types);
    if (shape.kind === "leaf") return shape.text !== "string";
    if (shape.kind === "num") return shape.literal !== undefined;
    return shape.kind === "opt" || shape.kind === "union" || shape.kind === "bool";
  }
}

/** From which references TypeScript infers the types of those that one loop assigns. */
class Inference {
  readonly #references: References;
  readonly #scope: Scope;
  readonly #inputs = new Map<string, Set<string>>();
  readonly #met = new Set<Variable>();
  /** Variables of the loop that are declared by their first value. */
  readonly #inferred: Variable[] = [];
  readonly #loop: Loop;
  readonly #compared = new Map<string, string[]>();
  readonly #around: Around;

  constructor(references: References, scope: Scope, loop: Loop) {
    this.#references = references;
    this.#scope = scope;
    this.#loop = loop;
    this.#around = { loop, compared: this.#compared };
  }

  circular(): readonly Variable[] {
    this.#iteration(this.#loop);
    return this.#inferred.filter((one) => this.#reachesItself(this.#references.declared(one)));
  }

  #block(block: Block): void {
    for (const line of block.lines) this.#line(line, block);
  }

  #line(line: Line, block: Block): void {
    if (line.kind === "let") this.#compare(line.value);
    else this.#compareIn(lineAtoms(line));
    if (line.kind === "let" && line.value.kind === "closure") this.#block(line.value.block);
    else if (line.kind === "let") this.#assign(line.bind, line.value, block);
    // `x += v` has the type of `x`, but the sum of a dict is an assignment
    if (line.kind === "store" || (line.kind === "accum" && line.object.type.kind === "dict")) {
      const place = this.#references.place(line.object, line.key);
      const atoms = [line.value, line.object, ...keyAtoms(line.key)];
      if (place !== null)
        this.#note(
          place,
          atoms.flatMap((atom) => this.#references.inAtom(atom, this.#around)),
        );
    }
    if (line.kind === "if")
      for (const arm of [line.then, line.else]) {
        this.#block(arm);
        this.#copies(line.binds, arm.result, arm);
      }
    if (line.kind !== "for" && line.kind !== "while") return;
    const params = line.carried.map(({ param }) => param);
    this.#copies(
      params,
      line.carried.map(({ init }) => init),
      block,
    );
    this.#iteration(line);
  }

  #iteration(loop: Loop): void {
    if (loop.kind === "for") this.#copies([loop.index], [loop.from], loop.body);
    else {
      if (loop.counter !== undefined)
        this.#copies([loop.counter.index], [loop.counter.from], loop.test);
      this.#block(loop.test);
      this.#compareIn(loop.test.result);
    }
    this.#block(loop.body);
    this.#copies(
      loop.carried.map(({ param }) => param),
      loop.body.result,
      loop.body,
    );
  }

  #compareIn(atoms: readonly Atom[]): void {
    for (const atom of atoms) {
      const value = this.#references.nestedAt(atom);
      if (value !== undefined) this.#compare(value);
    }
  }

  /** `x === y` narrows both: the type of each depends on the other. */
  #compare(value: Value): void {
    const atoms = valueAtoms(value);
    this.#compareIn(atoms);
    const [x, y] = atoms;
    if (value.kind !== "op" || !isEquality(value.op) || x === undefined || y === undefined) return;
    for (const [one, other] of [
      [x, y],
      [y, x],
    ] as const) {
      const own = this.#references.reference(one);
      if (own === null) continue;
      const inputs = this.#references.inAtom(other, this.#around);
      if (this.#references.isUnionAt(one)) this.#note(own, inputs);
      this.#compared.set(own, [...(this.#compared.get(own) ?? []), ...inputs]);
    }
  }

  #copies(to: readonly Var[], from: readonly Atom[], block: Block): void {
    to.forEach((bind, i) => {
      const atom = from[i];
      if (atom !== undefined && atom.kind !== "undef")
        this.#assign(bind, { kind: "copy", atom }, block);
    });
  }

  #assign(bind: Var, value: Value, block: Block): void {
    const references = this.#references;
    const variable = references.variable(bind);
    if (variable === undefined) return;
    const inputs = references.inValue(value, bind.type, true, this.#around);
    if (!this.#met.has(variable)) {
      this.#met.add(variable);
      if (variable.scope === block && !this.#scope.saysType(value, bind)) {
        this.#inferred.push(variable);
        this.#note(references.declared(variable), inputs);
      }
    }
    this.#note(references.assigned(variable), [
      references.declared(variable),
      ...(references.isNarrowed(variable) ? inputs : []),
    ]);
  }

  #note(what: string, inputs: readonly string[]): void {
    const known = this.#inputs.get(what) ?? new Set();
    for (const input of inputs) known.add(input);
    this.#inputs.set(what, known);
  }

  #reachesItself(start: string): boolean {
    const found = new Set<string>();
    const todo = [...(this.#inputs.get(start) ?? [])];
    for (let one = todo.pop(); one !== undefined && !found.has(start); one = todo.pop()) {
      if (found.has(one)) continue;
      found.add(one);
      todo.push(...(this.#inputs.get(one) ?? []));
    }
    return found.has(start);
  }
}
