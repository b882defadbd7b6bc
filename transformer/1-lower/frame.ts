// The state of lowering one function: names, the open statement list, what identifiers mean, where exits go.
// In: a LowerContext and the function's declaration. Out: a Frame that the files of bodies pass around.
// Invariant: nothing here outlives the function; `b` is the innermost open statement list.

import type ts from "typescript";
import { Builder } from "../ir/build.ts";
import type { Form } from "../ir/facts.ts";
import type { Definition } from "./sites/definitions.ts";
import type { Solver } from "./sites/forms.ts";
import type { LinearFn } from "./derivatives/linear-maps.ts";
import type { Options } from "./sites/options.ts";
import type { Recursion } from "./functions/recursion-group.ts";
import type { Made } from "./derivatives/rules-of-users.ts";
import { Names } from "../ir/names.ts";
import { resolve } from "../ir/shadow.ts";
import type { Atom, Body, Expr, Schedule, Type, Var } from "../ir/types.ts";
import { symbolMeant } from "./checker.ts";
import { asserted } from "./coerce.ts";
import type { ClassNode } from "./classes/classes.ts";
import type { LowerContext, TypeScript } from "./context.ts";
import type { Source } from "./functions/function-flow.ts";
import type { VectorOp } from "./sites/forms.ts";
import { NO_TYPE_ARGUMENTS, type TypeArguments } from "./types/type-arguments.ts";
import type { Code } from "../diagnostics/registry.ts";

/** What a local function value is known to be. */
export type Fn =
  | {
      readonly kind: "closure";
      readonly node: ts.FunctionLikeDeclaration;
      readonly env: Env;
      /** Of a method of a literal: where it is called as one. */ readonly asMethod?: Env;
    }
  | { readonly kind: "program"; readonly symbol: ts.Symbol }
  /** A function of the standard library, by its path: `Math.sqrt`, `Number`. */
  | { readonly kind: "builtin"; readonly path: string }
  /** `g.bind(o, x)` */
  | {
      readonly kind: "bound";
      readonly fn: Fn;
      readonly self: Self;
      readonly args: readonly (Atom | Fn)[];
    }
  /** `c ? g : h` */
  | { readonly kind: "choice"; readonly cond: Atom; readonly then: Fn; readonly otherwise: Fn }
  /** `ops[k]`: the one of that name, or (of a list) at that position. */
  | {
      readonly kind: "table";
      readonly at: Atom;
      readonly isList: boolean;
      readonly cases: readonly { readonly name: string; readonly fn: Fn }[];
    }
  /** What a field holds: one of those that the program puts there, told by which one it is. `shown`: how the code reads it. */
  | {
      readonly kind: "held";
      readonly value: Atom;
      readonly sources: readonly Source[];
      readonly shown: string;
    }
  /** `grad(g)` */
  | { readonly kind: "derived"; readonly form: Form; readonly fn: Fn; readonly options: Options }
  /** A function with a rule of the user's, or one that is computed again. `shown`: how the function is written. */
  | {
      readonly kind: "custom";
      readonly mode: "vjp" | "jvp" | "checkpoint";
      readonly fn: Fn;
      readonly rule: Fn | null;
      /** Of `checkpoint`: of the loops alone. */ readonly schedule?: Schedule;
      readonly shown: string;
      readonly at: ts.Node;
    }
  /** `stopGradient`, `addCotangents`, `scaleCotangent`, functions of `tsgrad/vector` */
  | {
      readonly kind: "operator";
      readonly operator: "stopGradient" | "addCotangents" | "scaleCotangent" | VectorOp;
    }
  /** A function of a package that `defineDerivative` gives a rule, and that function itself. */
  | { readonly kind: "defined"; readonly definition: Definition }
  | { readonly kind: "outside"; readonly target: ts.Expression }
  /** A function of `tsgrad/implicit` */
  | { readonly kind: "solver"; readonly solver: Solver }
  /** A function that a rule is given. `outside`: what such functions see of their surroundings, of which their cotangents are. */
  | { readonly kind: "given"; readonly fn: Fn; readonly outside: readonly Var[] }
  /** `f.vjp` of such a function */
  | { readonly kind: "givenVjp"; readonly fn: Fn; readonly outside: readonly Var[] }
  /** `linearize(g)(…)[1]`, and what is made of it */
  | { readonly kind: "linear"; readonly map: LinearFn }
  /** What `vjp(g)(…)` gives beside the value. `asked`: positions of the cotangents; `position`: of a user's argument among `args`. */
  | {
      readonly kind: "pullback";
      readonly form: Fn & { readonly kind: "derived" };
      readonly of: string;
      readonly params: readonly Var[];
      readonly result: Type;
      readonly args: readonly Atom[];
      readonly asked: readonly number[];
      readonly position: (argument: number) => number | undefined;
      /** Of a function that a rule is given: see there. */
      readonly outside?: readonly Var[];
    }
  /** `...xs` among the arguments of a call: no function, and nobody but a rest parameter takes it. Nothing writes the list before it is taken. */
  | { readonly kind: "spread"; readonly list: Atom; readonly node: ts.SpreadElement }
  /** An object or array literal that holds functions: no value, only its parts are. `variables`: those that somebody writes, with what they began with among the parts. */
  | {
      readonly kind: "members";
      readonly parts: ReadonlyMap<string, Atom | Fn>;
      readonly variables?: ReadonlyMap<string, Var>;
      readonly isList: boolean;
      /** All parts are listed. */ readonly isWhole: boolean;
      /** The constant of a module that the literal is. */ readonly constant?: ts.Identifier;
    }
  /** `get area() { … }` of such a literal: it runs where the part is read. */
  | { readonly kind: "getter"; readonly node: ts.GetAccessorDeclaration; readonly env: Env };

/** What an identifier means inside the function. */
export type Binding =
  | { readonly kind: "value"; readonly atom: Atom }
  /** Changed by assignments: reads copy it where something later in the same expression may assign. */
  | { readonly kind: "variable"; readonly variable: Var }
  | { readonly kind: "fn"; readonly fn: Fn };

/** What `this` means. */
export type Self =
  | { readonly kind: "value"; readonly atom: Atom }
  /** In a static member: the class itself. */
  | { readonly kind: "class"; readonly node: ClassNode }
  /** In a function that is called by its name. */
  | { readonly kind: "none" }
  /** In a method or a getter of a literal of which only the parts are asked for, called as one. */
  | { readonly kind: "members"; readonly members: Fn & { readonly kind: "members" } }
  /** In a constructor: the object may not be there yet. */
  | { readonly kind: "building"; readonly building: Building };

/** An instance that a constructor is making: a set of values first, an object once something needs one. */
export interface Building {
  readonly type: Type;
  readonly values: Map<string, Atom>;
  /** The statement list that the constructor's own statements go to: the object is made there. */
  readonly b: Builder;
  object: Var | null;
}

/** Bindings of one inlined body; a closure keeps the one it was made in. */
export class Env {
  readonly #parent: Env | null;
  readonly #self: Self | null;
  readonly #bindings = new Map<ts.Symbol, Binding>();
  /** What `arguments` is, in a function that asks. */
  arguments: Atom | null = null;

  readonly #types: TypeArguments | null;

  /** `self`: what `this` means here; absent: what it means outside. `types`: what type parameters stand for that are bound here. */
  constructor(
    parent: Env | null,
    self: Self | null = null,
    types: TypeArguments = NO_TYPE_ARGUMENTS,
  ) {
    this.#parent = parent;
    this.#self = self;
    this.#types =
      types.size === 0 ? null : parent === null ? types : new Map([...parent.types, ...types]);
  }

  /** What type parameters stand for. */
  get types(): TypeArguments {
    return this.#types ?? this.#parent?.types ?? NO_TYPE_ARGUMENTS;
  }

  get self(): Self | null {
    return this.#self ?? this.#parent?.self ?? null;
  }

  get list(): Atom | null {
    return this.arguments ?? this.#parent?.list ?? null;
  }

  lookup(symbol: ts.Symbol): Binding | null {
    return this.#bindings.get(symbol) ?? this.#parent?.lookup(symbol) ?? null;
  }

  bind(symbol: ts.Symbol, binding: Binding): void {
    this.#bindings.set(symbol, binding);
  }
}

/** A statement that `break` (and, for loops, `continue`) can name. */
export interface Exitable {
  readonly label: string;
  /** The user's labels of it. */
  readonly userLabels: readonly string[];
  /** What a plain `break` (loop, switch) or `continue` (loop) means; a labelled block is left by its name only. */
  readonly kind: "loop" | "switch" | "block";
  /** Set once something leaves it, so that a scope nobody leaves is not made. */
  used: boolean;
  /** Of a loop over a generator: the block of a round, which `continue` leaves. */
  readonly round?: { readonly label: string; used: boolean };
}

/** Where `return` goes. */
export interface ReturnTarget {
  readonly label: string;
  readonly type: Type;
  used: boolean;
  /** Types of what is returned, where the function's own type says nothing of it. */
  readonly types?: Type[];
  /** What an expression that is returned stands for, where it is no plain value. */
  readonly read?: (returned: ts.Expression) => Atom;
}

/** A function that code names. */
export interface Named {
  readonly node: ts.Node;
  /** Its name is not one of its module. */
  readonly isLocal: boolean;
}

export class Frame {
  readonly ctx: LowerContext;
  readonly api: TypeScript;
  /** The function, class or (of a derivative that is differentiated) call that is lowered. */
  readonly root: ts.Node;
  /** The function's name, for messages. */
  readonly name: string;
  readonly names: Names;
  b: Builder;
  /** The node that is being lowered. */
  here: ts.Node | null = null;
  env: Env;
  exits: Exitable[] = [];
  returns: ReturnTarget;
  /** Functions whose bodies are being inlined, outermost first. */
  inlining: readonly ts.Node[] = [];
  /** The same of functions that are called, each with the bindings that it was made in. */
  entered: readonly { readonly node: ts.Node; readonly env: Env }[] = [];
  /** The bindings around functions of the program. */
  readonly outside = new Env(null);
  /** Expressions already lowered, by node: operands that a caller has evaluated before it asks for the whole. */
  readonly overrides = new Map<ts.Node, Atom>();
  /** Methods that classes need not have, where the class of the object has them: `p.reset` of `p.reset?.()`. */
  readonly present = new Set<ts.Node>();
  /** The same of functions that have been found to be there: `g` of `g?.(x)`. */
  readonly functions = new Map<ts.Node, Fn>();
  /** Names of values that are integers: indices of counted loops. */
  readonly integers = new Set<string>();
  /** Leaves that were made of numbers (`x.toFixed(2)`), by name: turned back to numbers, they would lose a derivative. */
  readonly madeOfNumbers = new Set<string>();
  /** Names of variables that are declared without a value. */
  readonly unset = new Set<string>();
  /** By the name of a variant taken out of a union: the union. */
  readonly variantOf = new Map<string, Atom>();
  /** How the outermost loops of a function that is written out are reversed, where `checkpoint` says so. */
  schedule: { readonly kind: Schedule; readonly of: ts.Node } | null = null;
  /** Functions with rules that have been made here, by the call that gives them their rule and the types of their arguments. */
  readonly customs = new Map<string, Made>();
  /** Of a generator that is written out: what stands where it yields. */
  yields: ((yielded: ts.YieldExpression) => void) | null = null;
  /** Functions that call themselves, and by the node of a function those that it names. */
  readonly recursions: Recursion[] = [];
  readonly named = new Map<ts.Node, readonly Named[]>();
  readonly #labels = new Names();

  constructor(ctx: LowerContext, root: ts.Node, name: string, returns: ReturnTarget) {
    const typeFrom = (type: ts.Type, at: ts.Node, given: TypeArguments = this.env.types): Type =>
      ctx.typeFrom(type, at, given);
    this.ctx = {
      ...ctx,
      typeFrom,
      typeOf: (node) => typeFrom(ctx.checker.getTypeAtLocation(node), node),
    };
    this.api = ctx.ts;
    this.root = root;
    this.name = name;
    this.names = new Names();
    this.b = new Builder(this.names, ctx.originOf(root), false);
    this.env = new Env(null);
    this.returns = returns;
  }

  /** Follows named types to a structure. */
  shape(type: Type): Type {
    return resolve(type, this.ctx.types);
  }

  /** Runs `fill` with a fresh statement list and gives it as a body; `fill` returns the body's result. */
  nested(fill: () => readonly Atom[]): Body {
    const outer = this.b;
    const inner = outer.nested();
    this.b = inner;
    try {
      const result = fill();
      return inner.body(result);
    } finally {
      this.b = outer;
    }
  }

  /** Runs `make` with the origin of `node`, and puts the former one back. */
  at<T>(node: ts.Node, make: () => T): T {
    const [former, above] = [this.b.origin, this.here];
    this.b.origin = this.ctx.originOf(node);
    this.here = node;
    try {
      return make();
    } finally {
      this.b.origin = former;
      this.here = above;
    }
  }

  let(hint: string, type: Type, expr: Expr): Var {
    return this.b.let(hint, type, expr);
  }

  /** `cond ? then : otherwise` as an `if` that binds its value. */
  choose(hint: string, type: Type, cond: Atom, then: () => Atom, otherwise: () => Atom): Atom {
    if (cond.kind === "const" && typeof cond.value === "boolean")
      return cond.value ? then() : otherwise();
    let made = type;
    const settle = (atom: Atom): readonly Atom[] => {
      // code that the checker takes for unreachable has no type of its own
      if (isNever(made) && !isNever(atom.type)) made = atom.type;
      return [asserted(this, settled(atom, made), made)];
    };
    const thenBody = this.nested(() => settle(then()));
    const elseBody = this.nested(() => settle(otherwise()));
    const bind: Var = { kind: "var", name: this.names.fresh(hint), type: made };
    this.b.emit({ kind: "if", cond, then: thenBody, else: elseBody, binds: [bind] });
    return bind;
  }

  /** An `if` for its effects. */
  when(cond: Atom, then: () => void, otherwise: () => void = () => {}): void {
    if (cond.kind === "const" && typeof cond.value === "boolean") {
      if (cond.value) then();
      else otherwise();
      return;
    }
    const thenBody = this.nested(() => (then(), []));
    const elseBody = this.nested(() => (otherwise(), []));
    this.b.emit({ kind: "if", cond, then: thenBody, else: elseBody, binds: [] });
  }

  declare(hint: string, type: Type, init: Atom | null): Var {
    const variable: Var = { kind: "var", name: this.names.fresh(hint), type };
    this.b.emit({ kind: "declare", variable, init });
    if (init === null) this.unset.add(variable.name);
    if (init?.kind === "var" && this.madeOfNumbers.has(init.name))
      this.madeOfNumbers.add(variable.name);
    return variable;
  }

  assign(variable: Var, value: Atom): void {
    this.b.emit({ kind: "assign", variable, value });
    if (value.kind === "var" && this.madeOfNumbers.has(value.name))
      this.madeOfNumbers.add(variable.name);
  }

  label(hint: string): string {
    return this.#labels.fresh(hint);
  }

  /** Reports and abandons the function. */
  refuse(code: Code, node: ts.Node, ...args: readonly string[]): never {
    return this.ctx.reject(code, node, ...args);
  }

  /** Source text of a node, cut to one line for messages. */
  textOf(node: ts.Node): string {
    const text = node.getText().replace(/\s+/g, " ");
    return text.length > 40 ? `${text.slice(0, 37)}...` : text;
  }

  /** The symbol an identifier stands for, aliases followed. */
  symbolOf(node: ts.Node): ts.Symbol | null {
    const { checker } = this.ctx;
    const parent = node.parent;
    // the name of `constructor(readonly x: number)` stands for the field, too
    if (
      this.api.isParameter(parent) &&
      parent.name === node &&
      this.api.isParameterPropertyDeclaration(parent, parent.parent) &&
      this.api.isIdentifier(node)
    ) {
      return checker.getSymbolsOfParameterPropertyDeclaration(parent, node.text)[0] ?? null;
    }
    return symbolMeant(node, { api: this.api, checker });
  }
}

const isNever = (type: Type): boolean => type.kind === "leaf" && type.text === "never";

/** Behind a call that never returns there is no value: any type will do. */
export const settled = (atom: Atom, type: Type): Atom =>
  atom.kind === "undef" && atom.type.kind === "void" ? { kind: "undef", type } : atom;
