// Replaces joins of records by joins of their fields. A record carried around a loop becomes
// carried numbers, and its cotangent is numbers, too, instead of an object per iteration. Runs
// before differentiation.
//   s = loop carrying { mean, variance }   ->   mean, variance = loop carrying them
// Invariant: nothing writes the objects or compares their identity. Fields of an object from
// elsewhere are loaded where it joins.

import { Builder, field } from "../../ir/build.ts";
import { isCall } from "../../ir/calls.ts";
import type { Names } from "../../ir/names.ts";
import { resolve, type Types } from "../../ir/shadow.ts";
import type {
  Atom,
  Body,
  Carried,
  Expr,
  Field,
  For,
  Func,
  If,
  Let,
  Program,
  Stmt,
  Type,
  Var,
  While,
} from "../../ir/types.ts";
import { copiesIntoContainers } from "../memory/copies-into-containers.ts";
import { usedOnce, type Join } from "./used-once.ts";
import { mapStmt, namesOf, stmtAtoms, stmtBodies, walkStmts } from "../../ir/visit.ts";
import { someStmt } from "../stmts.ts";

export interface JoinContext {
  readonly types: Types;
  /** Whether anything writes the object. */
  readonly isWritten: (object: Atom) => boolean;
  /** Whether two objects may share one. */
  readonly overlap: (x: Atom, z: Atom) => boolean;
}

/** Fields of fields take another iteration each. */
const MAX_ITERATIONS = 3;

/** `contextsOf` analyses memory, which takes time. It runs only if there is something to join. */
export function withJoinedFields(
  program: Program,
  contextsOf: (program: Program) => (func: Func) => JoinContext | null,
): Program {
  let current = program;
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    const { funcs, types } = current;
    const joining = [...funcs.values()].filter(
      (func) => func.shipped !== true && joinsObjects(func, types),
    );
    const contextOf = joining.length === 0 ? null : contextsOf(current);
    const changed = joining.flatMap((func): [string, Func][] => {
      const context = contextOf?.(func) ?? null;
      const joined = context === null ? func : joinFields(func, context);
      return joined === func ? [] : [[func.name, joined]];
    });
    if (changed.length === 0) break;
    current = { ...current, funcs: new Map([...funcs, ...changed]) };
  }
  return current;
}

// s = loop carrying { mean, variance }   ->   mean, variance = loop carrying them
export function joinFields(func: Func, context: JoinContext): Func {
  const joins = new Joins(func, context);
  return joins.chosen.size === 0 ? func : new Rewriting(func, joins, context).func();
}

/** Whether the function joins objects; most join only numbers. */
const joinsObjects = ({ body }: Func, types: Types): boolean =>
  someStmt(body, (stmt) => joinsOf(stmt).some(({ to }) => fieldsOf(to, types) !== null));

/** The fields of a record or tuple without optional ones; null for anything else. */
function fieldsOf({ type }: Atom, types: Types): readonly Field[] | null {
  const shape = resolve(type, types);
  const fields =
    shape.kind === "record"
      ? shape.fields
      : shape.kind === "tuple"
        ? shape.elems.map((elem, i) => ({ name: String(i), type: elem }))
        : [];
  return fields.length === 0 || fields.some((one) => mayLack(one.type)) ? null : fields;
}

const mayLack = (type: Type): boolean =>
  type.kind === "opt" || (type.kind === "leaf" && /\bundefined\b/.test(type.text));

/** The joins of a statement. A copy joins one value; the bind of a loop joins its parameter. */
function joinsOf(stmt: Stmt): readonly Join[] {
  if (stmt.kind === "if")
    return stmt.binds.map((to, i) => ({
      to,
      from: present([stmt.then.result[i], stmt.else.result[i]]),
    }));
  if (stmt.kind === "let" && stmt.expr.kind === "copy")
    return [{ to: stmt.bind, from: [stmt.expr.atom] }];
  if (stmt.kind !== "for" && stmt.kind !== "while") return [];
  return stmt.carried.flatMap(({ param, init }, i) => {
    const bind = stmt.binds[i];
    const from = present([init, stmt.body.result[i]]);
    return bind === undefined
      ? []
      : [
          { to: param, from },
          { to: bind, from: [param] },
        ];
  });
}

const present = (atoms: readonly (Atom | undefined)[]): readonly Atom[] =>
  atoms.filter((atom) => atom !== undefined);

/** Chooses the joins that are split into fields. */
class Joins {
  readonly chosen = new Map<string, readonly Field[]>();
  /** Record and tuple literals, by name. */
  readonly literals = new Map<string, Let>();
  /** Objects that statements write after their allocation. */
  readonly filled = new Set<string>();
  readonly #func: Func;
  readonly #context: JoinContext;
  readonly #joins = new Map<string, Join>();
  /** Statements for which a copy of an object will do. */
  readonly #copies: ReadonlySet<Stmt>;
  /** Names of new objects that are used at one place only, where they can be constructed. */
  readonly #single: ReadonlySet<string>;

  constructor(func: Func, context: JoinContext) {
    this.#func = func;
    this.#context = context;
    const copies = new Map<string, string>();
    walkStmts(func.body, (stmt) => {
      if (stmt.kind === "let" && (stmt.expr.kind === "record" || stmt.expr.kind === "tuple"))
        this.literals.set(stmt.bind.name, stmt);
      if (stmt.kind === "let" && stmt.expr.kind === "copy" && stmt.expr.atom.kind === "var")
        copies.set(stmt.bind.name, stmt.expr.atom.name);
      if ((stmt.kind === "store" || stmt.kind === "accum") && stmt.object.kind === "var")
        for (
          let name: string | undefined = stmt.object.name;
          name !== undefined;
          name = copies.get(name)
        )
          this.filled.add(name);
      for (const join of joinsOf(stmt)) {
        this.#joins.set(join.to.name, join);
        const fields = fieldsOf(join.to, context.types);
        if (fields !== null && !context.isWritten(join.to)) this.chosen.set(join.to.name, fields);
      }
    });
    this.#copies =
      this.chosen.size === 0
        ? new Set()
        : copiesIntoContainers(func, (name) => this.chosen.has(name), context.overlap);
    this.#single =
      this.chosen.size === 0
        ? new Set()
        : usedOnce(
            func,
            [...this.#joins.values()],
            (name) => this.literals.has(name) && !this.filled.has(name),
            (stmt) => this.#objects(stmt),
          );
    for (const name of this.chosen.keys())
      if (!this.#comesFromLiteral(name, new Set())) this.chosen.delete(name);
    while (this.#refuse());
  }

  /** Whether a literal reaches the join. A reference to existing data costs no more than fields. */
  #comesFromLiteral(name: string, seen: Set<string>): boolean {
    if (seen.has(name)) return false;
    seen.add(name);
    return (
      this.literals.has(name) ||
      (this.#joins.get(name)?.from ?? []).some(
        (atom) => atom.kind === "var" && this.#comesFromLiteral(atom.name, seen),
      )
    );
  }

  /** Removes joins that are used as objects; whether there were any. */
  #refuse(): boolean {
    const before = this.chosen.size;
    const drop = (atom: Atom): void => {
      if (atom.kind === "var") this.chosen.delete(atom.name);
    };
    const refuse = (atom: Atom): void => {
      if (atom.kind === "var" && !this.#single.has(atom.name)) drop(atom);
    };
    const visit = (body: Body): void => {
      for (const stmt of body.stmts) {
        for (const atom of this.#objects(stmt)) refuse(atom);
        for (const { to, from } of joinsOf(stmt)) {
          // What reaches a join that stays is an object there.
          if (!this.chosen.has(to.name)) from.forEach(drop);
          else if (
            !from.every((atom) =>
              this.#fits(atom, to, stmt.kind !== "let" && stmt.kind !== "if" && from.length === 1),
            )
          )
            drop(to);
        }
        stmtBodies(stmt).forEach(visit);
      }
    };
    visit(this.#func.body);
    this.#func.body.result.forEach(refuse);
    return this.chosen.size < before;
  }

  /** Whether an atom has the fields of `to`. `isSame`: both are names of one loop value. */
  #fits(atom: Atom, to: Var, isSame: boolean): boolean {
    if (atom.kind === "undef") return true;
    if (atom.kind !== "var") return false;
    const own = this.chosen.get(atom.name) ?? fieldsOf(atom, this.#context.types);
    return (
      (!isSame || this.chosen.has(atom.name)) &&
      own !== null &&
      (this.chosen.get(to.name) ?? []).every(({ name }) => own.some((one) => one.name === name))
    );
  }

  /** The objects that a statement uses as a whole. */
  #objects(stmt: Stmt): readonly Atom[] {
    if (stmt.kind === "for" || stmt.kind === "while") return [];
    if (
      stmt.kind === "let" &&
      (stmt.expr.kind === "copy" || (stmt.expr.kind === "load" && stmt.expr.key.kind === "field"))
    )
      return [];
    if (isCall(stmt)) {
      const { bind } = stmt;
      const { args } = stmt.expr;
      return args.filter(
        (arg, i) =>
          this.#context.overlap(bind, arg) ||
          args.some((other, k) => k !== i && this.#context.overlap(other, arg)),
      );
    }
    return this.#copies.has(stmt) ? intoWhat(stmt) : stmtAtoms(stmt);
  }
}

const intoWhat = (stmt: Stmt): readonly Atom[] =>
  stmt.kind === "store" || stmt.kind === "append" ? [stmt.object] : [];

class Rewriting {
  readonly #func: Func;
  readonly #joins: Joins;
  readonly #types: Types;
  readonly #names: Names;
  /** By join: the variables of its fields. */
  readonly #fields = new Map<string, ReadonlyMap<string, Var>>();
  /** Replacements of removed loads. */
  readonly #values = new Map<string, Atom>();

  constructor(func: Func, joins: Joins, { types }: JoinContext) {
    this.#func = func;
    this.#joins = joins;
    this.#types = types;
    this.#names = namesOf(func);
    for (const [name, fields] of joins.chosen) {
      this.#fields.set(
        name,
        new Map(
          fields.map((one) => [
            one.name,
            {
              kind: "var",
              name: this.#names.fresh(/^[A-Za-z_$]/.test(one.name) ? one.name : name),
              type: one.type,
            },
          ]),
        ),
      );
    }
  }

  func(): Func {
    return { ...this.#func, body: this.#body(this.#func.body, []) };
  }

  readonly #resolve = (atom: Atom): Atom => {
    let at = atom;
    for (
      let next = at.kind === "var" ? this.#values.get(at.name) : undefined;
      next !== undefined;
      next = at.kind === "var" ? this.#values.get(at.name) : undefined
    )
      at = next;
    return at;
  };

  /** `binds`: the joins that the body's results flow to. */
  #body(body: Body, binds: readonly Var[]): Body {
    const stmts = body.stmts.flatMap((stmt) => this.#stmt(stmt));
    const b = new Builder(this.#names, body.stmts.at(-1)?.origin ?? this.#func.origin, false);
    const result = body.result.flatMap((atom, i) => this.#parts(atom, binds[i], b));
    return { stmts: [...stmts, ...b.stmts], result };
  }

  /** An atom, or its fields if it flows to a join that is split. */
  #parts(atom: Atom, to: Var | undefined, b: Builder): readonly Atom[] {
    const fields = to === undefined ? undefined : this.#fields.get(to.name);
    return fields === undefined
      ? [this.#object(atom, b) ?? this.#resolve(atom)]
      : [...fields].map(([name, { type }]) => this.#field(atom, name, type, b));
  }

  #field(object: Atom, name: string, type: Var["type"], b: Builder): Atom {
    if (object.kind === "undef") return { kind: "undef", type };
    const known = object.kind === "var" ? this.#fields.get(object.name)?.get(name) : undefined;
    if (known !== undefined) return this.#resolve(known);
    const def =
      object.kind === "var" && !this.#joins.filled.has(object.name)
        ? this.#joins.literals.get(object.name)?.expr
        : undefined;
    const written = def === undefined ? undefined : partOf(def, name);
    return written !== undefined
      ? this.#resolve(written)
      : b.load(/^[A-Za-z_$]/.test(name) ? name : "t", type, this.#resolve(object), field(name));
  }

  #stmt(stmt: Stmt): readonly Stmt[] {
    if (stmt.kind === "if") return [this.#if(stmt)];
    if (stmt.kind === "for" || stmt.kind === "while") return this.#loop(stmt);
    if (stmt.kind === "let" && stmt.expr.kind === "copy") {
      const fields = this.#fields.get(stmt.bind.name);
      const b = new Builder(this.#names, stmt.origin, false);
      for (const [name, one] of fields ?? [])
        this.#values.set(one.name, this.#field(stmt.expr.atom, name, one.type, b));
      if (fields !== undefined) return b.stmts;
    }
    const { before, atom } = this.#whole(stmt);
    if (
      stmt.kind === "let" &&
      stmt.expr.kind === "load" &&
      stmt.expr.object.kind === "var" &&
      stmt.expr.key.kind === "field"
    ) {
      const known = this.#fields.get(stmt.expr.object.name)?.get(stmt.expr.key.name);
      // A copy, so that the field's variable inherits the user's name.
      if (known !== undefined)
        return [{ ...stmt, expr: { kind: "copy", atom: this.#resolve(known) } }];
    }
    return [...before, mapStmt(stmt, atom, (inner) => this.#body(inner, []))];
  }

  /** The objects that a statement needs as a whole, constructed before it. */
  #whole(stmt: Stmt): { readonly before: readonly Stmt[]; readonly atom: (atom: Atom) => Atom } {
    const b = new Builder(this.#names, stmt.origin, false);
    const objects = new Map<string, Atom>();
    for (const atom of isCall(stmt)
      ? stmt.expr.args
      : stmt.kind === "let" && stmt.expr.kind === "load"
        ? []
        : stmtAtoms(stmt)) {
      const object = atom.kind === "var" && !objects.has(atom.name) ? this.#object(atom, b) : null;
      if (object !== null && atom.kind === "var") objects.set(atom.name, object);
    }
    return {
      before: b.stmts,
      atom: (atom) =>
        (atom.kind === "var" ? objects.get(atom.name) : undefined) ?? this.#resolve(atom),
    };
  }

  /** Constructs the object of a join that is split; null for any other atom. */
  #object(atom: Atom, b: Builder): Atom | null {
    const fields = atom.kind === "var" ? this.#fields.get(atom.name) : undefined;
    if (atom.kind !== "var" || fields === undefined) return null;
    const expr: Expr =
      resolve(atom.type, this.#types).kind === "tuple"
        ? { kind: "tuple", elems: [...fields.values()].map(this.#resolve) }
        : {
            kind: "record",
            fields: [...fields].map(([name, value]) => ({ name, value: this.#resolve(value) })),
          };
    return b.let(atom.name, atom.type, expr);
  }

  #binds(binds: readonly Var[]): readonly Var[] {
    return binds.flatMap((bind) => {
      const fields = this.#fields.get(bind.name);
      return fields === undefined ? [bind] : [...fields.values()];
    });
  }

  #if(stmt: If): Stmt {
    return {
      ...stmt,
      cond: this.#resolve(stmt.cond),
      then: this.#body(stmt.then, stmt.binds),
      else: this.#body(stmt.else, stmt.binds),
      binds: this.#binds(stmt.binds),
    };
  }

  #loop(loop: For | While): readonly Stmt[] {
    const b = new Builder(this.#names, loop.origin, false);
    const params = loop.carried.map(({ param }) => param);
    const carried = loop.carried.flatMap(({ param, init }): readonly Carried[] => {
      const inits = this.#parts(init, param, b);
      return this.#binds([param]).flatMap((one, i) => {
        const at = inits[i];
        return at === undefined ? [] : [{ param: one, init: at }];
      });
    });
    const changed = {
      carried,
      binds: this.#binds(loop.binds),
      body: this.#body(loop.body, params),
    };
    return [
      ...b.stmts,
      loop.kind === "for"
        ? { ...loop, ...changed, from: this.#resolve(loop.from), to: this.#resolve(loop.to) }
        : { ...loop, ...changed, test: this.#body(loop.test, []) },
    ];
  }
}

function partOf(expr: Expr, name: string): Atom | undefined {
  if (expr.kind === "tuple") return expr.elems[Number(name)];
  return expr.kind === "record" ? expr.fields.find((one) => one.name === name)?.value : undefined;
}
