// Starts Node's own cache of compiled code (Node 22.1 and later), so that later processes start
// sooner. Invariant: it lies in the user's own cache folder. Code is executed, so it is never read
// from a project, which may come with files of others.

import * as module from "node:module";
import { homedir } from "node:os";
import path from "node:path";
import { isOwnFolder } from "./cache-folder.ts";

/** Returns the folder, or null if no cache is started. One that the user has started stays. */
export function startCompileCache(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string | null {
  const { enableCompileCache: start } = module as {
    readonly enableCompileCache?: (folder: string) => unknown;
  }; // absent in Node 20
  const { TSGRAD_CACHE, TSGRAD_CODE_CACHE, XDG_CACHE_HOME } = environment;
  if (start === undefined || TSGRAD_CACHE === "off" || TSGRAD_CODE_CACHE === "off") return null;
  const folder = path.join(XDG_CACHE_HOME ?? path.join(homedir(), ".cache"), "tsgrad");
  if (!path.isAbsolute(folder) || !isOwnFolder(folder)) return null;
  start(path.join(folder, "code"));
  return folder;
}
