// The hooks of node-hooks.ts in a Node that has only asynchronous ones: Node loads this file in the
// thread of its module hooks.

import { leaveProgram, readTwins, writeTwins } from "./module-hooks.ts";
import type { HookData } from "./node-hooks.ts";

export { load, resolve } from "./module-hooks.ts";

export function initialize({ folder, isReader }: HookData): void {
  if (isReader) {
    readTwins(folder);
    leaveProgram();
  } else writeTwins(folder);
}
