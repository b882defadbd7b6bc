// The state of lowering one function: its names, bindings, exits and the open statement list.
// All files that lower bodies pass a Frame along. Invariant: `b` is the innermost open statement
// list, and nothing here outlives the function.

import type ts from "typescript";
import { Builder } from "../ir/build.ts";
import { Env, type Fn, type Recursion, type Made } from "./function-values.ts";
import { Names, UserNames } from "../ir/names.ts";
import { resolve } from "../ir/shadow.ts";
import type { Atom, Body, Expr, Schedule, Type, Var } from "../ir/types.ts";
import { resolvedSymbol } from "./checker.ts";
import type { LowerContext } from "./context.ts";
import type { TypeScript } from "./typescript.ts";
import type { TypeArguments } from "./types/type-arguments.ts";
import type { Code } from "../diagnostics/registry.ts";
import { lacksFields } from "../ir/assignable.ts";

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
  readonly iteration?: { readonly label: string; used: boolean };
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
  readonly names: UserNames;
  b: Builder;
  /** The node that is being lowered. */
  here: ts.Node | null = null;
  env: Env;
  exits: Exitable[] = [];
  returns: ReturnTarget;
  /** Functions that are being inlined, outermost first. */
  inlining: readonly ts.Node[] = [];
  /** Called functions that are being inlined, each with the bindings of its definition. */
  inlinedCalls: readonly { readonly node: ts.Node; readonly env: Env }[] = [];
  /** The bindings around functions of the program. */
  readonly outside = new Env(null);
  /** Values of expressions that were lowered before the expression around them. */
  readonly overrides = new Map<ts.Node, Atom>();
  /** Optional methods that the object's class is known to have: `p.reset` of `p.reset?.()`. */
  readonly definedMembers = new Set<ts.Node>();
  /** Functions that were tested to be defined: `g` of `g?.(x)`. */
  readonly knownFunctions = new Map<ts.Node, Fn>();
  /** Names of integers: indices of counted loops. */
  readonly integers = new Set<string>();
  /** Names of leaves computed from numbers (`x.toFixed(2)`), which lose the derivative. */
  readonly computedFromNumbers = new Set<string>();
  /** Names of variables that are declared without an initial value. */
  readonly uninitialised = new Set<string>();
  /** The union that a narrowed variant came from, by the variant's name. */
  readonly variantOf = new Map<string, Atom>();
  /** The checkpoint schedule for the outermost loops of an inlined function. */
  schedule: { readonly kind: Schedule; readonly of: ts.Node } | null = null;
  /** Functions with rules, by the call that gives the rule and the types of the arguments. */
  readonly ruleFunctions = new Map<string, Made>();
  /** The keys of those that were called while they were being lifted. */
  readonly calledRules = new Set<string>();
  /** The calls that give the rules which are being lifted, outermost first. */
  liftedRules: readonly ts.Node[] = [];
  /** In an inlined generator: lowers what replaces a `yield`. */
  yields: ((yielded: ts.YieldExpression) => void) | null = null;
  /** Recursive functions; and by the node of a function, those that it refers to. */
  readonly recursions: Recursion[] = [];
  readonly named = new Map<ts.Node, readonly Named[]>();
  readonly #labels = new Names();
  readonly #ids = new WeakMap<object, number>();
  #nextId = 0;

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
    this.names = new UserNames();
    this.b = new Builder(this.names, ctx.originOf(root), false);
    this.env = new Env(null);
    this.returns = returns;
  }

  /** A number of an object's own. */
  idOf(object: object): number {
    const id = this.#ids.get(object) ?? this.#nextId++;
    this.#ids.set(object, id);
    return id;
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
    if (this.ctx.isFaulty(node)) this.refuse("TSG1113", node, this.textOf(node));
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
    if (init === null) this.uninitialised.add(variable.name);
    if (init?.kind === "var" && this.computedFromNumbers.has(init.name))
      this.computedFromNumbers.add(variable.name);
    return variable;
  }

  assign(variable: Var, value: Atom): void {
    this.b.emit({ kind: "assign", variable, value });
    if (value.kind === "var" && this.computedFromNumbers.has(value.name))
      this.computedFromNumbers.add(variable.name);
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
    return resolvedSymbol(node, { api: this.api, checker });
  }
}

const isNever = (type: Type): boolean => type.kind === "leaf" && type.text === "never";

/** Gives the missing value after a call that never returns the requested type. */
export const settled = (atom: Atom, type: Type): Atom =>
  atom.kind === "undef" && atom.type.kind === "void" ? { kind: "undef", type } : atom;

/**
 * The value with a type that has fields it lacks: `{ v } as Node`, `nodes[9] ?? { v }`. A literal
 * that was just allocated gets the type itself, so that its shadow has a slot for each number.
 */
export function asserted(f: Frame, atom: Atom, type: Type | null): Atom {
  const to = type === null ? null : inner(f, type);
  if (
    to === null ||
    atom.kind !== "var" ||
    atom.type === to ||
    !lacksFields(atom.type, to, f.ctx.types)
  )
    return atom;
  const made = f.b.stmts.at(-1);
  if (made?.kind !== "let" || made.bind !== atom || made.expr.kind !== "record")
    return f.let("t", to, { kind: "unwrap", value: atom });
  const bind = { ...atom, type: to };
  f.b.stmts[f.b.stmts.length - 1] = { ...made, bind };
  return bind;
}

/** The type without `opt`. */
export function inner(f: Frame, type: Type): Type {
  const shape = f.shape(type);
  return shape.kind === "opt" ? inner(f, shape.of) : type;
}
