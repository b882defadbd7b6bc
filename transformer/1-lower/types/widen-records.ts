// Widens record types. A literal such as `{ b, c: null }` gets the type of the array it is pushed
// to, so that its shadow has a slot for `c`.
// Input: a raw program. Output: the program with wider types, and where widening is impossible.
// Statements stay as they are; parameters and results of functions that users call do too.

import { assignable } from "../../ir/assignable.ts";
import { hasNumbers, resolve, type Types } from "../../ir/shadow.ts";
import { variableOf } from "../../ir/names.ts";
import { placeType, typeOf } from "../../ir/type-of.ts";
import type { Atom, Expr, Func, Key, Origin, Program, Stmt, Type, Var } from "../../ir/types.ts";
import { mapVars } from "../../ir/rename.ts";
import { mapAtoms, stmtBinds, walkStmts } from "../../ir/visit.ts";
import { ANY_KEY, joinTypes, isAlwaysNullish, lackingFields } from "./record-join.ts";
import { type Flow, flowsOf, type Destination } from "../flows.ts";

/** A place where a value lacks a field with numbers that the program writes or reads. */
export interface LackingField {
  readonly func: string;
  readonly origin: Origin;
  readonly field: string;
}

export interface WidenedRecords {
  readonly program: Program;
  readonly lacking: readonly LackingField[];
  /** Arguments of users that are cast to a wider type of which the program reads a number. */
  readonly taken: readonly LackingField[];
}

/** `asked`: functions that users call. */
export function widenRecords(program: Program, asked: ReadonlySet<string>): WidenedRecords {
  const { types } = program;
  const isComplete = [...program.funcs.values()].every((func) =>
    flowsOf(func, types, program.funcs).every(
      ({ value, to }) => joinTypes(value.type, to, types) === value.type,
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
  const isReported = ({ origin }: LackingField): boolean =>
    lacking.some((each) => each.origin.file === origin.file && each.origin.start === origin.start);
  return {
    program: { ...program, funcs: places.funcs },
    lacking,
    taken: places.taken().filter((one) => !isReported(one)),
  };
}

/** A bound on iterations, in case types grow without end. */
const MAX_ITERATIONS = 20;

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
    for (let i = 0; i < MAX_ITERATIONS; i++) {
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

  /** Widens values that flow to a wider type, and narrower destinations. */
  #completeIn(func: Func, changes: Changes): void {
    const scope: Scope = { func, definitions: definitionsIn(func), changes };
    for (const { value, to, destination: into } of flowsOf(func, this.#types, this.funcs)) {
      const up = joinTypes(value.type, to, this.#types);
      if (up !== value.type) this.#widen(value, up, scope);
      const down = joinTypes(to, value.type, this.#types);
      if (down !== to) this.#widenPlace(into, down, scope);
    }
    walkStmts(func.body, (stmt) => {
      if (stmt.kind !== "let" || !/^(?:load|slice|unwrap|removeLast|call)$/.test(stmt.expr.kind))
        return;
      const given = typeOf(stmt.expr, this.#types, this.funcs);
      const type = given === null ? stmt.bind.type : joinTypes(stmt.bind.type, given, this.#types);
      if (type !== stmt.bind.type) changes.set(func.name, stmt.bind.name, type);
    });
  }

  /** Widens where the value is defined; false where that is impossible. */
  #widen(value: Atom, type: Type, scope: Scope): boolean {
    if (value.kind === "global") {
      // A module's constant itself stays, but its shadow is allocated where it is used.
      scope.changes.globals.set(variableOf(value), type);
      return true;
    }
    const definition = value.kind === "var" ? scope.definitions.get(value.name) : undefined;
    if (value.kind !== "var" || definition === undefined) return false;
    if (!this.#canWiden(value, type, definition, scope)) return false;
    scope.changes.set(scope.func.name, value.name, type);
    return true;
  }

  // eslint-disable-next-line complexity -- flat exhaustive switch over Expr kinds
  #canWiden({ name }: Var, type: Type, definition: Definition, scope: Scope): boolean {
    if (definition === "param") return this.#isOwn(scope.func);
    if (definition === "joined") return true;
    switch (definition.kind) {
      case "record":
      case "array":
      case "tuple":
      case "alloc":
        return true;
      case "copy":
        return this.#widenWhole(definition.atom, type, scope);
      case "load": {
        const { object, key } = definition;
        return this.#widenWhole(object, this.#withPlace(object.type, key, type), scope);
      }
      case "removeLast": {
        const { object } = definition;
        return this.#widenWhole(object, this.#withPlace(object.type, "elements", type), scope);
      }
      case "slice":
        return this.#widenWhole(definition.object, type, scope);
      case "unwrap": {
        const { value } = definition;
        return (
          value.type.kind === "opt" && this.#widenWhole(value, { ...value.type, of: type }, scope)
        );
      }
      case "call":
        return this.#widenResult(definition.callee, name, type, scope);
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

  /** Widens what a value is read from. */
  #widenWhole(object: Atom, whole: Type | null, scope: Scope): boolean {
    return object.kind === "const" || (whole !== null && this.#widen(object, whole, scope));
  }

  #widenResult(name: string, bind: string, type: Type, { changes }: Scope): boolean {
    const callee = this.funcs.get(name);
    if (callee === undefined || !this.#isOwn(callee) || callee.name === bind) return false;
    changes.set(callee.name, RESULT, type);
    return true;
  }

  /** Widens the destination of a flow. */
  #widenPlace(into: Destination, type: Type, scope: Scope): void {
    if (into.kind === "name") return void this.#widen(into.of, type, scope);
    if (into.kind === "place") {
      const whole = this.#withPlace(into.of.type, into.key, type);
      // eslint-disable-next-line @typescript-eslint/no-meaningless-void-operator -- a call
      return void (whole !== null && this.#widen(into.of, whole, scope));
    }
    const target = this.funcs.get(into.func);
    if (target === undefined || !this.#isOwn(target)) return;
    const param = into.kind === "result" ? RESULT : target.params[into.at]?.name;
    if (param !== undefined) scope.changes.set(into.func, param, type);
  }

  /** Whether only the program calls the function, and its derivative follows from its body. */
  readonly #isOwn = ({ name, shipped, ships, rule, derivation }: Func): boolean =>
    !this.#asked.has(name) &&
    shipped !== true &&
    ships !== true &&
    rule === undefined &&
    derivation === undefined;

  /** The object's type with another type for a place; null for a class, or without such a place. */
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
        return withField(shape, key, type);
      case "tuple":
        return withElement(shape, key, type);
      default:
        return null;
    }
  }

  /** Arguments of users that are cast to a type with a number that the program reads. */
  taken(): readonly LackingField[] {
    const read = [...this.funcs.values()].flatMap(readIn);
    return [...this.funcs.values()]
      .filter(({ name }) => this.#asked.has(name))
      .flatMap((func) => {
        const definitions = definitionsIn(func);
        return flowsOf(func, this.#types, this.funcs).flatMap(
          ({ value, to, origin }: Flow): LackingField[] => {
            const field = isGiven(value, definitions)
              ? lackingFields(value.type, to, this.#types).find((name) =>
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

  /** Values that still lack a number that the program writes. */
  lacking(): readonly LackingField[] {
    const written = new Set<string>();
    for (const { body } of this.funcs.values())
      walkStmts(body, (stmt) => {
        if (stmt.kind === "store" || stmt.kind === "append")
          written.add(stmt.kind === "store" && stmt.key.kind === "field" ? stmt.key.name : ANY_KEY);
      });
    return [...this.funcs.values()].flatMap((func) => [
      ...unknownIn(func, this.#types),
      ...flowsOf(func, this.#types, this.funcs).flatMap(
        ({ value, to, origin }: Flow): LackingField[] => {
          const field = lackingFields(value.type, to, this.#types).find((name) =>
            written.has(name),
          );
          return field === undefined ? [] : [{ func: func.name, origin, field }];
        },
      ),
    ]);
  }
}

/** The function at hand, its definitions, and the changes so far. */
interface Scope {
  readonly func: Func;
  readonly definitions: Definitions;
  readonly changes: Changes;
}

type Of<K extends Type["kind"]> = Type & { readonly kind: K };

function withField(shape: Of<"record">, key: Key | "elements", type: Type): Type | null {
  if (key === "elements" || key.kind !== "field") return null;
  const fields = shape.fields.map((field) =>
    field.name === key.name ? { name: field.name, type } : field,
  );
  return { ...shape, fields };
}

function withElement(shape: Of<"tuple">, key: Key | "elements", type: Type): Type | null {
  const at = key === "elements" ? null : positionOf(key);
  if (at === null) return null;
  return { ...shape, elems: shape.elems.map((elem, i) => (i === at ? type : elem)) };
}

function positionOf(key: Key): number | null {
  if (key.kind === "field") return Number(key.name);
  return key.at.kind === "const" ? Number(key.at.value) : null;
}

interface Read {
  readonly field: string;
  readonly of: Type;
}

/** The fields that a function loads. */
function readIn({ body }: Func): readonly Read[] {
  const found: Read[] = [];
  walkStmts(body, (stmt) => {
    if (stmt.kind === "let" && stmt.expr.kind === "load" && stmt.expr.key.kind === "field")
      found.push({ field: stmt.expr.key.name, of: stmt.expr.object.type });
  });
  return found;
}

/** Whether a value is a parameter, or part of one. */
function isGiven(value: Atom, definitions: Definitions): boolean {
  const definition = value.kind === "var" ? definitions.get(value.name) : undefined;
  if (definition === undefined || definition === "joined") return false;
  if (definition === "param") return true;
  if (definition.kind === "load") return isGiven(definition.object, definitions);
  if (definition.kind === "copy") return isGiven(definition.atom, definitions);
  return definition.kind === "unwrap" && isGiven(definition.value, definitions);
}

/** Stores of numbers to a field that the object's type omits or types as undefined. */
function unknownIn(func: Func, types: Types): readonly LackingField[] {
  const found: LackingField[] = [];
  walkStmts(func.body, (stmt) => {
    if (
      stmt.kind !== "store" ||
      stmt.key.kind !== "field" ||
      resolve(stmt.object.type, types).kind !== "record" ||
      !hasNumbers(stmt.value.type, types)
    )
      return;
    const place = placeType(stmt.object.type, stmt.key, types);
    if (place === null || isAlwaysNullish(place))
      found.push({ func: func.name, origin: stmt.origin, field: stmt.key.name });
  });
  return found;
}

/** Stands for a function's result among variable names. */
const RESULT = "=";

/** New types of variables by function, and of globals. */
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

/** How a name is defined: by an expression, as a parameter, or by assignments and joins. */
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
    return type === undefined ? atom : { ...atom, type, isNarrowlyDeclared: true };
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
