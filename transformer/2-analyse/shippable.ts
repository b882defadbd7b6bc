// Decides whether a function's derivatives can be shipped to programs that see only its signature.
// Output: the parameters that it writes, or why it cannot be shipped. Its types and that contract
// describe all its effects.

import { hasNumbers, isPlain, type Types } from "../ir/shadow.ts";
import type { Func } from "../ir/types.ts";
import { walkStmts } from "../ir/visit.ts";
import type { Memory } from "./memory/memory.ts";
import { isAggregate } from "./memory/region.ts";
import { rearrangedIn } from "./memory/rearranged.ts";

export type Contract =
  | { readonly kind: "contract"; readonly writes: readonly string[] }
  | { readonly kind: "problem"; readonly text: string };

const problem = (text: string): Contract => ({ kind: "problem", text });

export function contractOf(
  func: Func,
  funcs: ReadonlyMap<string, Func>,
  graphs: ReadonlyMap<string, Memory>,
  types: Types,
): Contract {
  const memory = graphs.get(func.name);
  if (memory === undefined) return problem("nothing is known of its memory");
  const odd = func.params.find((param) => !isPlain(param.type, types));
  if (odd !== undefined)
    return problem(
      `its parameter \`${odd.name}\` is not made of numbers, arrays and records alone`,
    );
  if (!isPlain(func.result, types))
    return problem("its result is not made of numbers, arrays and records alone");
  if (
    !func.params.some((param) => hasNumbers(param.type, types)) ||
    (!hasNumbers(func.result, types) && func.result.kind !== "void")
  )
    return problem("no derivative passes through it");
  if (memory.writtenGlobals().length > 0) return problem("it writes objects of its module");
  if (
    memory.result !== null &&
    [...memory.reachable(memory.result)].some((region) => region.external)
  )
    return problem("its result is, or holds, an object that came in");
  const inputs = func.params
    .flatMap((param) => (isAggregate(param.type) ? [memory.region(param)] : []))
    .filter((region) => region !== null);
  const all = inputs.flatMap((region) =>
    [...memory.reachable(region)].filter(({ places }) => places.size > 0),
  );
  if (new Set(all).size < all.length)
    return problem("it puts an object of one argument into another");
  if (func.params.some((param) => rearrangedIn(func, graphs, types)(param) !== "none"))
    return problem("it puts other objects into one that came in");
  if (resizes(func, funcs, graphs))
    return problem(
      "it, or a function that it calls, may take elements off an array or append to one that came in",
    );
  const written = func.params.filter((param) => memory.reachesWritten(param));
  return { kind: "contract", writes: written.map(({ name }) => name) };
}

/** Whether an array from outside may have another length after the call. */
function resizes(
  func: Func,
  funcs: ReadonlyMap<string, Func>,
  graphs: ReadonlyMap<string, Memory>,
): boolean {
  const names = new Set([func.name]);
  let found = false;
  for (const name of names) {
    const at = funcs.get(name);
    const memory = graphs.get(name);
    if (at === undefined || memory === undefined) return true;
    walkStmts(at.body, (stmt) => {
      if (stmt.kind === "append") found ||= memory.region(stmt.object)?.find().external !== false;
      if (stmt.kind !== "let") return;
      if (stmt.expr.kind === "removeLast") found = true;
      if (stmt.expr.kind === "call") names.add(stmt.expr.callee);
    });
  }
  return found;
}
