// Checks that need all lowered functions together: leaks of private instances, derivatives of
// themselves, host callbacks, mixed representations and lost accessors. Each failed check adds an
// error to the function's entry.

import type ts from "typescript";
import type { Code } from "../diagnostics/registry.ts";
import type { Derivation } from "../ir/facts.ts";
import type { Func, Origin, Type } from "../ir/types.ts";
import { confusedFlows } from "./types/confused-types.ts";
import { hostCallbackWrites } from "./functions/host-callbacks.ts";
import { ownDerivatives } from "./derivatives/own-derivatives.ts";
import { changingConversions } from "./classes/changing-conversions.ts";
import { lostAccessors } from "./classes/lost-accessors.ts";
import { hasSealed, leaksOf } from "./classes/private-instances.ts";

import type { Entry, FunctionServices } from "./lowering-context.ts";

/** The classes and fields whose records must not leave the lowered functions. */
export class Boundaries {
  /** Classes with `#x`, and fields with functions, whose objects are exchanged with other code. */
  readonly left = new Set<ts.Node>();
  readonly #services: FunctionServices;

  constructor(services: FunctionServices) {
    this.#services = services;
  }

  /** Records that objects of the type leave, and gives the code and arguments of the error. */
  leave(of: string, shown: string): readonly [Code, ...string[]] {
    const { types, classes } = this.#services;
    const node = types.classOf({ kind: "named", name: of });
    if (node !== null) this.left.add(node);
    const fields = [
      ...classes.closures.standingFor(of),
      ...(node === null ? [] : classes.closuresOf(node)),
    ];
    for (const { declaration } of fields) this.left.add(declaration);
    const [field] = fields;
    return field === undefined ? ["TSG1107", shown, of] : ["TSG1129", field.type, field.unnamed];
  }
}

/** Runs all checks; `refuse` fails the entry of a function. */
export function checkTogether(
  entries: readonly Entry[],
  derivations: ReadonlyMap<string, Derivation>,
  shown: (entry: Entry) => string,
  boundaries: Boundaries,
  services: FunctionServices,
): void {
  const { types, classes, sink } = services;
  const owners = new Map<string, Entry>();
  const funcs = new Map<string, Func>();
  for (const entry of entries) {
    const own = entry.func === null ? [] : [[entry.name, entry.func] as const];
    for (const [name, func] of [...own, ...entry.lifted]) {
      owners.set(name, entry);
      funcs.set(name, func);
    }
  }
  const refuse = (
    func: string,
    origin: Origin,
    why: (entry: Entry) => readonly [Code, ...string[]],
  ): void => {
    const entry = owners.get(func);
    if (entry === undefined) return;
    const [code, ...args] = why(entry);
    entry.errors.push(sink.report(code, origin, entry.chain, ...args));
    entry.failed = true;
  };
  for (const { func, origin } of ownDerivatives(funcs, derivations))
    refuse(func, origin, (entry) => ["TSG3008", shown(entry)]);
  if (hasSealed(types.types))
    for (const { func, origin, of } of leaksOf(funcs, types.types)) {
      const entry = owners.get(func);
      const why = boundaries.leave(of, entry === undefined ? "" : shown(entry));
      refuse(func, origin, () => why);
    }
  for (const { func, origin, name } of hostCallbackWrites(funcs, {
    ts: services.api,
    checker: services.checker,
    graph: services.graph,
  }))
    refuse(func, origin, (entry) => ["TSG1115", shown(entry), name]);
  for (const { func, origin, of } of conversionsIn(funcs, services))
    refuse(func, origin, () => ["TSG1130", of]);
  for (const { func, origin } of confusedFlows(funcs, types.types))
    refuse(func, origin, () => [
      "TSG1201",
      "object where a number is declared, or number where an object is",
    ]);
  if (![...types.classes.values()].some((node) => classes.hasAccessors(node))) return;
  const isAccessor = (of: Type, name: string): boolean => {
    const node = types.classOf(of);
    return node !== null && classes.isAccessor(node, name);
  };
  for (const { func, origin, accessor } of lostAccessors(funcs, types.types, isAccessor))
    refuse(func, origin, () => ["TSG1116", accessor]);
}

function conversionsIn(
  funcs: ReadonlyMap<string, Func>,
  { types, classes, api, checker, program }: FunctionServices,
): ReturnType<typeof changingConversions> {
  const familyOf = (name: string): readonly ts.ClassLikeDeclaration[] => {
    const node = types.classOf({ kind: "named", name });
    return node === null
      ? []
      : [...(classes.lineage(node) ?? [node]), ...classes.subclasses(node, node)];
  };
  return changingConversions(funcs, types.types, familyOf, { api, checker, program });
}
