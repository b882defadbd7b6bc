// A file of the package that Vite's plugin puts into processes that Node loads packages in: these
// get the twins that the plugin makes. In: the folder where it writes them.

import { leaveProgram } from "./module-hooks.ts";
import { hookModules } from "./node-hooks.ts";

export function start(folder: string): void {
  leaveProgram();
  hookModules(folder);
}
