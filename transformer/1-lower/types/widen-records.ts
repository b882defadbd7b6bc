// Objects that are made without numbers which are written later: `{ b, c: null }`, which becomes an element of a list whose `c` is a number or null, and `{ b }` where `c?` is optional.
// In: a raw program. Out: one in which such values have all places of what they become, so that their shadows have them; and where that cannot be.
// Invariant: the statements stay as they are, types alone change, and of variables, parameters and results of the program only, not of what users call.

import { assignable } from "../../ir/assignable.ts";
import { hasNumbers, resolve, type Types } from "../../ir/shadow.ts";
import { variableOf } from "../../ir/names.ts";
import { placeType, typeOf } from "../../ir/type-of.ts";
import type { Atom, Expr, Func, Key, Origin, Program, Stmt, Type, Var } from "../../ir/types.ts";
import { mapVars } from "../../ir/rename.ts";
import { mapAtoms, stmtBinds, walkStmts } from "../../ir/visit.ts";
import { ANY_KEY, completed, isNothing, lackingIn } from "./record-join.ts";
import { type Flow, flowsOf, type Into } from "../flows.ts";

/** A value that lacks a number which somebody writes. */
export interface Lacking {
  readonly func: string;
  readonly origin: Origin;
  readonly field: string;
}

export interface Completed {
  readonly program: Program;
  readonly lacking: readonly Lacking[];
  /** What comes from outside and is taken for more than its type lists, where the program reads a number that it may have all the same. */
  readonly taken: readonly Lacking[];
}

/** `asked`: functions that others call, whose types are what they are. */
export function withAllPlaces(program: Program, asked: ReadonlySet<string>): Completed {
  const { types } = program;
  const isComplete = [...program.funcs.values()].every((func) =>
    flowsOf(func, types, program.funcs).every(
      ({ value, to }) => completed(value.type, to, types) === value.type,
    ),
  );
  if (isComplete)
    return {
      program,
      lacking: [...program.funcs.values()].flatMap((func) => unknownIn(func, types)),
      taken: [],
    };
  const places = new Places(program, asked);
  places.complete();
  const lacking = places.lacking();
  const isTold = ({ origin }: Lacking): boolean =>
    lacking.some((each) => each.origin.file === origin.file && each.origin.start === origin.start);
  return {
    program: { ...program, funcs: places.funcs },
    lacking,
    taken: places.taken().filter((one) => !isTold(one)),
  };
}

/** More rounds than that say that types grow without end. */
const ROUNDS = 20;

class Places {
  readonly funcs: Map<string, Func>;
  readonly #types: Types;
  readonly #asked: ReadonlySet<string>;

  constructor({ funcs, types }: Program, asked: ReadonlySet<string>) {
    this.funcs = new Map(funcs);
    this.#types = types;
    this.#asked = asked;
  }

  complete(): void {
    for (let round = 0; round < ROUNDS; round++) {
      const changes = new Changes();
      for (const func of this.funcs.values()) this.#completeIn(func, changes);
      if (changes.size === 0) return;
      for (const [name, own] of changes.byFunc) {
        const func = this.funcs.get(name);
        if (func !== undefined) this.funcs.set(name, retyped(func, own));
      }
      if (changes.globals.size > 0)
        for (const [name, func] of this.funcs)
          this.funcs.set(name, withGlobals(func, changes.globals));
    }
  }

  /** Values that go where more is expected are made with that; and who else has them learns of it. */
  #completeIn(func: Func, changes: Changes): void {
    const definitions = definitionsIn(func);
    for (const { value, to, into } of flowsOf(func, this.#types, this.funcs)) {
      const up = completed(value.type, to, this.#types);
      if (up !== value.type) this.#widen(func, value, up, definitions, changes);
      const down = completed(to, value.type, this.#types);
      if (down !== to) this.#widenPlace(func, into, down, definitions, changes);
    }
    walkStmts(func.body, (stmt) => {
      if (stmt.kind !== "let" || !/^(?:load|slice|unwrap|removeLast|call)$/.test(stmt.expr.kind))
        return;
      const given = typeOf(stmt.expr, this.#types, this.funcs);
      const type = given === null ? stmt.bind.type : completed(stmt.bind.type, given, this.#types);
      if (type !== stmt.bind.type) changes.set(func.name, stmt.bind.name, type);
    });
  }

  /** Whether the value can have the type: that is what it is made with, wherever that is. A constant of the module is what it is, but its shadow is made where it is used. */
  #widen(func: Func, value: Atom, type: Type, definitions: Definitions, changes: Changes): boolean {
    if (value.kind === "global") {
      changes.globals.set(variableOf(value), type);
      return true;
    }
    const definition = value.kind === "var" ? definitions.get(value.name) : undefined;
    if (
      value.kind !== "var" ||
      definition === undefined ||
      !this.#isFree(func, value, type, definition, definitions, changes)
    )
      return false;
    changes.set(func.name, value.name, type);
    return true;
  }

  #isFree(
    func: Func,
    { name }: Var,
    type: Type,
    definition: Definition,
    definitions: Definitions,
    changes: Changes,
  ): boolean {
    if (definition === "param") return this.#isOwn(func);
    if (definition === "joined") return true;
    const from = (object: Atom, whole: Type | null): boolean =>
      object.kind === "const" ||
      (whole !== null && this.#widen(func, object, whole, definitions, changes));
    switch (definition.kind) {
      case "record":
      case "array":
      case "tuple":
      case "alloc":
        return true;
      case "copy":
        return from(definition.atom, type);
      case "load":
        return from(
          definition.object,
          this.#withPlace(definition.object.type, definition.key, type),
        );
      case "removeLast":
        return from(definition.object, this.#withPlace(definition.object.type, "elements", type));
      case "slice":
        return from(definition.object, type);
      case "unwrap":
        return (
          definition.value.type.kind === "opt" &&
          from(definition.value, { ...definition.value.type, of: type })
        );
      case "call": {
        const callee = this.funcs.get(definition.callee);
        if (callee === undefined || !this.#isOwn(callee) || callee.name === name) return false;
        changes.set(callee.name, RESULT, type);
        return true;
      }
      case "op":
      case "length":
      case "present":
      case "zeros":
      case "clone":
      case "extern":
      case "newTape":
      case "pop":
      case "rewind":
      case "lambda":
        return false;
    }
  }

  #widenPlace(
    func: Func,
    into: Into,
    type: Type,
    definitions: Definitions,
    changes: Changes,
  ): void {
    if (into.kind === "name") return void this.#widen(func, into.of, type, definitions, changes);
    if (into.kind === "place") {
      const whole = this.#withPlace(into.of.type, into.key, type);
      return void (whole !== null && this.#widen(func, into.of, whole, definitions, changes));
    }
    const target = this.funcs.get(into.func);
    if (target === undefined || !this.#isOwn(target)) return;
    const param = into.kind === "result" ? RESULT : target.params[into.at]?.name;
    if (param !== undefined) changes.set(into.func, param, type);
  }

  /** Nobody but the program calls it, and its body is all there is to know. */
  readonly #isOwn = ({ name, shipped, ships, rule, derivation }: Func): boolean =>
    !this.#asked.has(name) &&
    shipped !== true &&
    ships !== true &&
    rule === undefined &&
    derivation === undefined;

  /** The type of an object in which a place has another type; null where it is a class's, or has no such place. */
  #withPlace(object: Type, key: Key | "elements", type: Type): Type | null {
    if (object.kind === "named" && this.#types.get(object.name)?.instance !== undefined)
      return null;
    const shape = resolve(object, this.#types);
    switch (shape.kind) {
      case "array":
        return { ...shape, elem: type };
      case "dict":
        return { ...shape, value: type };
      case "opt": {
        const of = this.#withPlace(shape.of, key, type);
        return of === null ? null : { ...shape, of };
      }
      case "record":
        return key === "elements" || key.kind !== "field"
          ? null
          : {
              ...shape,
              fields: shape.fields.map((field) =>
                field.name === key.name ? { name: field.name, type } : field,
              ),
            };
      case "tuple": {
        const at =
          key === "elements"
            ? null
            : key.kind === "field"
              ? Number(key.name)
              : key.at.kind === "const"
                ? Number(key.at.value)
                : null;
        return at === null
          ? null
          : { ...shape, elems: shape.elems.map((elem, i) => (i === at ? type : elem)) };
      }
      case "num":
      case "bool":
      case "leaf":
      case "union":
      case "named":
      case "tape":
      case "func":
      case "cotangent":
      case "void":
        return null;
    }
  }

  /** What users hand in under a type without a number that a statement of the program reads. */
  taken(): readonly Lacking[] {
    const read = [...this.funcs.values()].flatMap(readIn);
    return [...this.funcs.values()]
      .filter(({ name }) => this.#asked.has(name))
      .flatMap((func) => {
        const definitions = definitionsIn(func);
        return flowsOf(func, this.#types, this.funcs).flatMap(
          ({ value, to, origin }: Flow): Lacking[] => {
            const field = isGiven(value, definitions)
              ? lackingIn(value.type, to, this.#types).find((name) =>
                  read.some(
                    ({ field: each, of }) =>
                      each === name && assignable(value.type, of, this.#types),
                  ),
                )
              : undefined;
            return field === undefined ? [] : [{ func: func.name, origin, field }];
          },
        );
      });
  }

  /** What still lacks a number that a statement of the program writes. */
  lacking(): readonly Lacking[] {
    const written = new Set<string>();
    for (const { body } of this.funcs.values())
      walkStmts(body, (stmt) => {
        if (stmt.kind === "store" || stmt.kind === "append")
          written.add(stmt.kind === "store" && stmt.key.kind === "field" ? stmt.key.name : ANY_KEY);
      });
    return [...this.funcs.values()].flatMap((func) => [
      ...unknownIn(func, this.#types),
      ...flowsOf(func, this.#types, this.funcs).flatMap(
        ({ value, to, origin }: Flow): Lacking[] => {
          const field = lackingIn(value.type, to, this.#types).find((name) => written.has(name));
          return field === undefined ? [] : [{ func: func.name, origin, field }];
        },
      ),
    ]);
  }
}

interface Read {
  readonly field: string;
  readonly of: Type;
}

/** The fields that statements read. */
function readIn({ body }: Func): readonly Read[] {
  const found: Read[] = [];
  walkStmts(body, (stmt) => {
    if (stmt.kind === "let" && stmt.expr.kind === "load" && stmt.expr.key.kind === "field")
      found.push({ field: stmt.expr.key.name, of: stmt.expr.object.type });
  });
  return found;
}

/** Whether a value is an argument, or a part of one. */
function isGiven(value: Atom, definitions: Definitions): boolean {
  const definition = value.kind === "var" ? definitions.get(value.name) : undefined;
  if (definition === undefined || definition === "joined") return false;
  if (definition === "param") return true;
  return definition.kind === "load"
    ? isGiven(definition.object, definitions)
    : definition.kind === "copy"
      ? isGiven(definition.atom, definitions)
      : definition.kind === "unwrap" && isGiven(definition.value, definitions);
}

/** Numbers that are written where the object's type says that there is nothing. */
function unknownIn(func: Func, types: Types): readonly Lacking[] {
  const found: Lacking[] = [];
  walkStmts(func.body, (stmt) => {
    if (
      stmt.kind !== "store" ||
      stmt.key.kind !== "field" ||
      resolve(stmt.object.type, types).kind !== "record" ||
      !hasNumbers(stmt.value.type, types)
    )
      return;
    const place = placeType(stmt.object.type, stmt.key, types);
    if (place === null || isNothing(place))
      found.push({ func: func.name, origin: stmt.origin, field: stmt.key.name });
  });
  return found;
}

/** Stands for a function's result among the names whose types change. */
const RESULT = "=";

class Changes {
  readonly byFunc = new Map<string, Map<string, Type>>();

  readonly globals = new Map<string, Type>();

  get size(): number {
    return this.byFunc.size + this.globals.size;
  }

  set(func: string, name: string, type: Type): void {
    const own = this.byFunc.get(func) ?? new Map<string, Type>();
    this.byFunc.set(func, own.set(name, type));
  }
}

/** What gives a name its value: an expression; a parameter; what is assigned to it or comes from branches. */
type Definition = Expr | "param" | "joined";
type Definitions = ReadonlyMap<string, Definition>;

function definitionsIn({ params, body }: Func): Definitions {
  const found = new Map<string, Definition>(params.map(({ name }) => [name, "param"]));
  walkStmts(body, (stmt: Stmt) => {
    if (stmt.kind === "let") found.set(stmt.bind.name, stmt.expr);
    else for (const { name } of stmtBinds(stmt)) found.set(name, "joined");
  });
  return found;
}

function withGlobals(func: Func, own: ReadonlyMap<string, Type>): Func {
  const body = mapAtoms(func.body, (atom) => {
    const type = atom.kind === "global" ? own.get(variableOf(atom)) : undefined;
    return type === undefined ? atom : { ...atom, type, saysLess: true };
  });
  return body === func.body ? func : { ...func, body };
}

function retyped(func: Func, own: ReadonlyMap<string, Type>): Func {
  const variable = (one: Var): Var => {
    const type = own.get(one.name);
    return type === undefined ? one : { ...one, type };
  };
  const result = own.get(RESULT);
  const text = func.paramText;
  return {
    ...func,
    params: func.params.map(variable),
    body: mapVars(func.body, variable),
    result: result ?? func.result,
    ...(text === undefined
      ? {}
      : { paramText: text.map((one, i) => (own.has(func.params[i]?.name ?? "") ? null : one)) }),
    ...(result === undefined ? {} : { resultText: null }),
  };
}
