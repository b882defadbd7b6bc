// The state of lowering one function: its names, bindings, exits and the open statement list.
// All files that lower bodies pass a Frame along. Invariant: `b` is the innermost open statement
// list, and nothing here outlives the function.

import type ts from "typescript";
import { Builder } from "../ir/build.ts";
import type { Form } from "../ir/facts.ts";
import type { Definition } from "./sites/definitions.ts";
import type { Solver, VectorOp } from "./sites/forms.ts";
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
import type { LowerContext } from "./context.ts";
import type { TypeScript } from "./typescript.ts";
import type { Source } from "./functions/function-flow.ts";
import { NO_TYPE_ARGUMENTS, type TypeArguments } from "./types/type-arguments.ts";
import type { Code } from "../diagnostics/registry.ts";

/** A function value that is known at build time. */
export type Fn =
  | {
      readonly kind: "closure";
      readonly node: ts.FunctionLikeDeclaration;
      readonly env: Env;
      /** For a method of a literal: its scope when it is called as a method. */
      readonly asMethod?: Env;
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
  /** `ops[k]`: one of several functions, selected by name or (of an array) by position. */
  | {
      readonly kind: "table";
      readonly at: Atom;
      readonly isList: boolean;
      readonly cases: readonly { readonly name: string; readonly fn: Fn }[];
    }
  /** A field's function: one of `sources`, selected by the tag `value`. `shown`: source text. */
  | {
      readonly kind: "held";
      readonly value: Atom;
      readonly sources: readonly Source[];
      readonly shown: string;
    }
  /** `grad(g)` */
  | { readonly kind: "derived"; readonly form: Form; readonly fn: Fn; readonly options: Options }
  /** A function with a user's rule, or one that is recomputed. `shown`: its source text. */
  | {
      readonly kind: "custom";
      readonly mode: "vjp" | "jvp" | "checkpoint";
      readonly fn: Fn;
      readonly rule: Fn | null;
      /** For `checkpoint` of loops alone. */
      readonly schedule?: Schedule;
      readonly shown: string;
      readonly at: ts.Node;
    }
  /** `stopGradient`, `addCotangents`, `scaleCotangent`, functions of `tsgrad/vector` */
  | {
      readonly kind: "operator";
      readonly operator: "stopGradient" | "addCotangents" | "scaleCotangent" | VectorOp;
    }
  /** A function with a `defineDerivative` rule, and the package's function itself. */
  | { readonly kind: "defined"; readonly definition: Definition }
  | { readonly kind: "outside"; readonly target: ts.Expression }
  /** A function of `tsgrad/implicit` */
  | { readonly kind: "solver"; readonly solver: Solver }
  /** A function argument of a rule. `outside`: the captured variables, for its cotangent. */
  | { readonly kind: "given"; readonly fn: Fn; readonly outside: readonly Var[] }
  /** `f.vjp` of a function argument of a rule */
  | { readonly kind: "givenVjp"; readonly fn: Fn; readonly outside: readonly Var[] }
  /** `linearize(g)(…)[1]`, and maps derived from it */
  | { readonly kind: "linear"; readonly map: LinearFn }
  /**
   * The pullback of `vjp(g)(…)`. `asked`: positions of the requested cotangents; `position`: that
   * of a user's argument among `args`.
   */
  | {
      readonly kind: "pullback";
      readonly form: Fn & { readonly kind: "derived" };
      readonly of: string;
      readonly params: readonly Var[];
      readonly result: Type;
      readonly args: readonly Atom[];
      readonly asked: readonly number[];
      readonly position: (argument: number) => number | undefined;
      /** See `given`. */
      readonly outside?: readonly Var[];
    }
  /** `...xs` among arguments, for a rest parameter; nothing writes the array before it is bound. */
  | { readonly kind: "spread"; readonly list: Atom; readonly node: ts.SpreadElement }
  /**
   * An object or array literal with functions; it has no run-time value, only its parts do.
   * `variables`: parts that are assigned, whose initial values are in `parts`.
   */
  | {
      readonly kind: "members";
      readonly parts: ReadonlyMap<string, Atom | Fn>;
      readonly variables?: ReadonlyMap<string, Var>;
      readonly isList: boolean;
      /** Whether `parts` is complete. */
      readonly isWhole: boolean;
      /** The module constant that holds the literal. */
      readonly constant?: ts.Identifier;
    }
  /** `get area() { … }` of such a literal; it runs at each read. */
  | { readonly kind: "getter"; readonly node: ts.GetAccessorDeclaration; readonly env: Env };

/** The meaning of an identifier inside the function. */
export type Binding =
  | { readonly kind: "value"; readonly atom: Atom }
  /** An assigned variable; a read copies it if the rest of the expression may assign it. */
  | { readonly kind: "variable"; readonly variable: Var }
  | { readonly kind: "fn"; readonly fn: Fn };

/** The meaning of `this`. */
export type Self =
  | { readonly kind: "value"; readonly atom: Atom }
  /** In a static member: the class itself. */
  | { readonly kind: "class"; readonly node: ClassNode }
  /** In a function that is not called as a method. */
  | { readonly kind: "none" }
  /** In a method or getter of a literal without a run-time value. */
  | { readonly kind: "members"; readonly members: Fn & { readonly kind: "members" } }
  /** In a constructor: the object may not be allocated yet. */
  | { readonly kind: "building"; readonly building: Building };

/** An instance under construction: values first, an object once something needs one. */
export interface Building {
  readonly type: Type;
  readonly values: Map<string, Atom>;
  /** The constructor's own statement list, where the object is allocated. */
  readonly b: Builder;
  object: Var | null;
}

/** The bindings of one inlined body; a closure retains those of its definition. */
export class Env {
  readonly #parent: Env | null;
  readonly #self: Self | null;
  readonly #bindings = new Map<ts.Symbol, Binding>();
  /** The value of `arguments`, in a function that uses it. */
  arguments: Atom | null = null;

  readonly #types: TypeArguments | null;

  /** `self`: null if `this` means what it means outside; `types`: type arguments bound here. */
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

  /** The type arguments in scope. */
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
  /** The user's labels. */
  readonly userLabels: readonly string[];
  /** A plain `break` leaves a loop or switch, `continue` a loop; a block needs its label. */
  readonly kind: "loop" | "switch" | "block";
  /** Set once an exit uses it; an unused scope is not emitted. */
  used: boolean;
  /** For a loop over a generator: the block of an iteration, which `continue` leaves. */
  readonly round?: { readonly label: string; used: boolean };
}

/** The target of `return`. */
interface ReturnTarget {
  readonly label: string;
  readonly type: Type;
  used: boolean;
  /** Collects the types of returned values, if the function's type is unknown. */
  readonly types?: Type[];
  /** Lowers a returned expression that is no plain value. */
  readonly read?: (returned: ts.Expression) => Atom;
}

/** A function that code refers to by name. */
export interface Named {
  readonly node: ts.Node;
  /** Whether the name is not declared at the top of a module. */
  readonly isLocal: boolean;
}

export class Frame {
  readonly ctx: LowerContext;
  readonly api: TypeScript;
  /** The function, class or (for a nested derivative) call that is lowered. */
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
  /** Functions that are being inlined, outermost first. */
  inlining: readonly ts.Node[] = [];
  /** Called functions that are being inlined, each with the bindings of its definition. */
  entered: readonly { readonly node: ts.Node; readonly env: Env }[] = [];
  /** The bindings around functions of the program. */
  readonly outside = new Env(null);
  /** Values of expressions that were lowered before the expression around them. */
  readonly overrides = new Map<ts.Node, Atom>();
  /** Optional methods that the object's class is known to have: `p.reset` of `p.reset?.()`. */
  readonly present = new Set<ts.Node>();
  /** Functions that were tested to be defined: `g` of `g?.(x)`. */
  readonly functions = new Map<ts.Node, Fn>();
  /** Names of integers: indices of counted loops. */
  readonly integers = new Set<string>();
  /** Names of leaves computed from numbers (`x.toFixed(2)`), which lose the derivative. */
  readonly madeOfNumbers = new Set<string>();
  /** Names of variables that are declared without an initial value. */
  readonly unset = new Set<string>();
  /** The union that a narrowed variant came from, by the variant's name. */
  readonly variantOf = new Map<string, Atom>();
  /** The checkpoint schedule for the outermost loops of an inlined function. */
  schedule: { readonly kind: Schedule; readonly of: ts.Node } | null = null;
  /** Functions with rules, by the call that gives the rule and the types of the arguments. */
  readonly customs = new Map<string, Made>();
  /** In an inlined generator: lowers what replaces a `yield`. */
  yields: ((yielded: ts.YieldExpression) => void) | null = null;
  /** Recursive functions; and by the node of a function, those that it refers to. */
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

  /** The structure of a type, through type names. */
  shape(type: Type): Type {
    return resolve(type, this.ctx.types);
  }

  /** Runs `fill` with a fresh statement list; `fill` returns the body's result. */
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

  /** Runs `make` with the origin of `node`. */
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
      // code that the checker regards as unreachable has the type never
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

  /** The source text of a node, cut to one line for messages. */
  textOf(node: ts.Node): string {
    const text = node.getText().replace(/\s+/g, " ");
    return text.length > 40 ? `${text.slice(0, 37)}...` : text;
  }

  /** The symbol of an identifier, through import aliases. */
  symbolOf(node: ts.Node): ts.Symbol | null {
    const { checker } = this.ctx;
    const parent = node.parent;
    // the name in `constructor(readonly x: number)` has a second symbol, for the field
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

/** Gives the missing value after a call that never returns the requested type. */
export const settled = (atom: Atom, type: Type): Atom =>
  atom.kind === "undef" && atom.type.kind === "void" ? { kind: "undef", type } : atom;
