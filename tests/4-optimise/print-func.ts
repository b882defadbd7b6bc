// One function as IR text. In: a function. Out: text, without types and homes.

import { print } from "../../transformer/ir/print.ts";
import type { Func } from "../../transformer/ir/types.ts";

export const printFunc = (func: Func): string =>
  print({
    stage: "ssa",
    types: new Map(),
    homes: new Map(),
    funcs: new Map([[func.name, func]]),
  }).replace(/^program ssa\n+/, "");
