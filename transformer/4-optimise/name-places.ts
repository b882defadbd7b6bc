// Calls temporaries after the places that they are read from, and after the functions of the library that give them, so that residuals, tapes and cotangents
// have these names, too: `t~aIK = load aI[k]` is `aIK = tape[--p]` in the reverse sweep, and its cotangent `aIK$bar`. In: an ssa function. Out: the same under other names.
// Invariant: a temporary stays one for whoever asks; names of the user's stay what they are.

import { hinted, isTemporary, Names, spoken } from "../ir/names.ts";
import { mapList, withBody, withStmts } from "../ir/rebuilt.ts";
import { functionName, isOneAmongOthers, placeName } from "../ir/place-names.ts";
import type { Atom, Body, Func, Let, Var } from "../ir/types.ts";
import { definedVars, mapStmt, walkStmts } from "../ir/visit.ts";
import { renameBinders } from "./atoms.ts";

export function namePlaces(func: Func): Func {
  const lets: Let[] = [];
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "let") lets.push(stmt);
  });
  const fresh = new Names([...func.params, ...definedVars(func.body)].map(({ name }) => name));
  const better = new Map<string, string>();
  for (const { bind, expr } of lets) {
    const name = isTemporary(bind.name) ? nameFor(bind, expr, better) : null;
    if (name !== null) better.set(bind.name, fresh.fresh(hinted(bind.name, name)));
  }
  return better.size === 0 ? func : withBody(func, renamed(func.body, better));
}

function nameFor(
  { name }: Var,
  expr: Let["expr"],
  better: ReadonlyMap<string, string>,
): string | null {
  const isCalled = spoken(name) !== "t";
  switch (expr.kind) {
    case "length":
      return isCalled ? null : "n";
    case "load": {
      if (isCalled && isOneAmongOthers(expr.key)) return null;
      const word = placeName(expr, (object) => {
        const own = better.get(object);
        return own === undefined ? undefined : spoken(own);
      });
      return word === null ||
        word === spoken(name) ||
        !/^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(word)
        ? null
        : word;
    }
    case "op":
      return isCalled ? null : functionName(expr.op);
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
  const onBody = (inner: Body): Body =>
    withStmts(
      inner,
      mapList(inner.stmts, (stmt) => renameBinders(mapStmt(stmt, onAtom, onBody), named)),
      mapList(inner.result, onAtom),
    );
  return onBody(body);
}
