// In what position each operand of a line or value is written. In: a line or value. Out: its reads, in order of evaluation.
// Invariant: a value nested into a "whole" place needs no brackets and keeps its identity (a fresh object may stand there).

import { resolve, type Types } from "../ir/shadow.ts";
import { elementType, placeType } from "../ir/type-of.ts";
import type { Atom, Key, Throw, Type } from "../ir/types.ts";
import { unreachable } from "../ir/visit.ts";
import type { Line, Value } from "./code.ts";

/** "whole": all of a right-hand side, argument or element. "operand": part of an expression. "object": before `.` or `[`. "maybe": an operand that its operator may skip. "compared": one that TypeScript must not know to be other than what it is compared with. "never": a name only. */
export type Place = "whole" | "operand" | "object" | "maybe" | "compared" | "never";

export interface Read {
  readonly atom: Atom;
  readonly place: Place;
}

const all = (atoms: readonly Atom[], place: Place): readonly Read[] =>
  atoms.map((atom) => ({ atom, place }));
const some = (atom: Atom | null): readonly Atom[] => (atom === null ? [] : [atom]);

function placed(object: Atom, key: Key): readonly Read[] {
  return [
    { atom: object, place: "object" },
    ...(key.kind === "index" ? all([key.at], "operand") : []),
  ];
}

/** The types of what a function takes; empty where they are not known. */
export type Takes = (callee: string) => readonly Type[];

/** `made`: the type of a literal, which its parts have to fit, as arguments have to fit what a callee takes. */
export function valueReads(
  value: Value,
  types: Types,
  made: Type | null = null,
  takes: Takes = () => [],
): readonly Read[] {
  const part = (atom: Atom, type: Type | null): Read => ({
    atom,
    place: literalPlace(atom, type, types),
  });
  const whole = made === null ? null : held(made, types);
  switch (value.kind) {
    case "copy":
      return [part(value.atom, made)];
    case "op": {
      const isLazy = value.op === "and" || value.op === "or" || value.op === "select";
      return value.args.map((atom, i) => ({
        atom,
        place: isLazy && i > 0 ? "maybe" : isEquality(value.op) ? "compared" : "operand",
      }));
    }
    case "choose":
      return all([value.cond, value.then, value.else], "operand");
    case "load":
      return placed(value.object, value.key);
    case "length":
    case "removeLast":
      return all([value.object], "object");
    case "present":
      return all([value.value], "operand");
    case "unwrap":
      return all([value.value], "object");
    case "array":
      return value.parts.map(({ atom, spread }) =>
        spread
          ? { atom, place: "operand" }
          : part(atom, whole === null ? null : elementType(whole, types)),
      );
    case "tuple":
      return value.elems.map((elem, i) =>
        part(elem, whole?.kind === "tuple" ? (whole.elems[i] ?? null) : null),
      );
    // the text of one that may be left out mentions it twice
    case "record":
      return value.fields.flatMap((field): Read[] =>
        field.there !== undefined
          ? [
              { atom: field.there, place: "operand" },
              { atom: field.value, place: "maybe" },
            ]
          : [
              field.mayLack === true
                ? { atom: field.value, place: "never" }
                : part(
                    field.value,
                    whole === null
                      ? null
                      : placeType(whole, { kind: "field", name: field.name }, types),
                  ),
            ],
      );
    case "alloc":
      return [
        ...all([value.length], "operand"),
        ...some(value.fill).map((fill) =>
          part(fill, whole === null ? null : elementType(whole, types)),
        ),
      ];
    case "slice":
      return [...all([value.object], "object"), ...all([value.from, ...some(value.to)], "operand")];
    case "zeros":
      return [{ atom: value.like, place: isFlat(value.like.type, types) ? "object" : "never" }];
    case "clone":
      return [{ atom: value.object, place: isFlat(value.object.type, types) ? "object" : "never" }];
    case "call":
      return value.args.map((arg, i) => part(arg, takes(value.callee)[i] ?? null));
    case "extern":
      return all(value.args, "operand");
    case "pop":
    case "rewind":
      return all([value.tape], "never");
    case "newTape":
    case "closure":
      return [];
    default:
      return unreachable(value);
  }
}

const EQUALITIES: ReadonlySet<string> = new Set(["eq", "ne", "looseEq", "looseNe"]);
export const isEquality = (op: string): boolean => EQUALITIES.has(op);

/** Whether the text of its zeros or clone mentions the value once only. */
function isFlat(type: Type, types: Types): boolean {
  return resolve(type, types).kind === "array";
}

/** A literal with fields that the place does not know of needs a name: TypeScript takes them for mistakes. */
function literalPlace({ type }: Atom, to: Type | null, types: Types): Place {
  if (to === null || to === type) return "whole";
  const [from, place] = [held(type, types), held(to, types)];
  const isSurplus =
    from.kind === "record" &&
    place.kind === "record" &&
    from.fields.some(({ name }) => !place.fields.some((field) => field.name === name));
  return isSurplus ? "never" : "whole";
}

const held = (type: Type, types: Types): Type => {
  const shape = resolve(type, types);
  return shape.kind === "opt" ? resolve(shape.of, types) : shape;
};

/** What a block gives, to names or a function's result of these types. */
export const resultReads = (
  result: readonly Atom[],
  to: readonly Type[],
  types: Types,
): readonly Read[] =>
  result.map((atom, i) => ({ atom, place: literalPlace(atom, to[i] ?? null, types) }));

type Plain = Exclude<Line, { kind: "let" | "if" | "for" | "while" | "return" }> | Throw;

export function lineReads(
  line: Exclude<Plain, never> | Extract<Line, { kind: "let" }>,
  types: Types,
): readonly Read[] {
  switch (line.kind) {
    case "let":
      return [];
    case "store":
    case "accum": {
      // the text of a sum in a dict has its place twice
      const isTwice = line.kind === "accum" && line.object.type.kind === "dict";
      const place = placed(line.object, line.key);
      return [
        ...(isTwice ? place.map((read): Read => ({ ...read, place: "never" })) : place),
        ...all(
          [line.value],
          literalPlace(line.value, placeType(line.object.type, line.key, types), types),
        ),
      ];
    }
    case "append":
      return [
        ...all([line.object], "object"),
        ...all([line.value], literalPlace(line.value, elementType(line.object.type, types), types)),
      ];
    case "fill":
      return [
        ...all([line.object], "object"),
        ...all([line.value], "whole"),
        ...all([...some(line.from), ...some(line.to)], "operand"),
      ];
    case "push":
      return [...all([line.tape], "never"), ...all([line.value], "whole")];
    case "reserve":
      return [...all([line.tape], "never"), ...all([line.count], "operand")];
    case "throw":
      return all([line.value], "whole");
    default:
      return unreachable(line);
  }
}
