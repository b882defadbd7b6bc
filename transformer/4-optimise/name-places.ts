// Names temporaries after the places that they are loaded from and the operators that compute them.
//   t~aIK = load aI[k]   ->   aIK = load aI[k]
// Residuals, tapes and cotangents inherit the names: the reverse sweep has `aIK = tape[--p]` and
// `aIK$bar`. Invariant: a renamed temporary still counts as one; names of the user stay.

import { withHint, isTemporary, preferredName } from "../ir/names.ts";
import { withBody } from "../ir/rebuilt.ts";
import { functionName, hasVariableIndex, placeName } from "../ir/place-names.ts";
import type { Atom, Body, Func, Let, Var } from "../ir/types.ts";
import { namesOf, walkStmts } from "../ir/visit.ts";
import { mapNames } from "./atoms.ts";

export function namePlaces(func: Func): Func {
  const lets: Let[] = [];
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "let") lets.push(stmt);
  });
  const fresh = namesOf(func);
  const better = new Map<string, string>();
  for (const { bind, expr } of lets) {
    const name = isTemporary(bind.name) ? nameFor(bind, expr, better) : null;
    if (name !== null) better.set(bind.name, fresh.fresh(withHint(bind.name, name)));
  }
  return better.size === 0 ? func : withBody(func, renamed(func.body, better));
}

function nameFor(
  { name }: Var,
  expr: Let["expr"],
  better: ReadonlyMap<string, string>,
): string | null {
  const isNamed = preferredName(name) !== "t";
  switch (expr.kind) {
    case "length":
      return isNamed ? null : "n";
    case "load": {
      if (isNamed && hasVariableIndex(expr.key)) return null;
      const word = placeName(expr, (object) => {
        const own = better.get(object);
        return own === undefined ? undefined : preferredName(own);
      });
      return word === null ||
        word === preferredName(name) ||
        !/^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(word)
        ? null
        : word;
    }
    case "op":
      return isNamed ? null : functionName(expr.op);
    default:
      return null;
  }
}

function renamed(body: Body, better: ReadonlyMap<string, string>): Body {
  const named = (bind: Var): Var => {
    const name = better.get(bind.name);
    return name === undefined ? bind : { ...bind, name };
  };
  const onAtom = (atom: Atom): Atom => (atom.kind === "var" ? named(atom) : atom);
  return mapNames(body, onAtom, named);
}
