// A file of the package that Vite's plugin puts into processes that Node loads packages in: these
// get the twins that the plugin makes. In: the folder where it writes them.

import fs from "node:fs";
import path from "node:path";
import { leaveProgram } from "./module-hooks.ts";
import { hookModules } from "./node-hooks.ts";
import { requiredRunTime } from "./run-time.ts";
import { twinReader } from "./twin-files.ts";

export function start(folder: string): void {
  leaveProgram();
  hookModules(folder);
}

/** The same where vitest's vm pools load modules: by the functions of `fs` that these call. */
export function startReading(folder: string): void {
  start(folder);
  const reader = twinReader(folder);
  const twinOf = (args: readonly unknown[]): string | null => {
    const [name, encoding] = args;
    const isModule = typeof name === "string" && encoding === "utf-8" && /\.[cm]?js$/.test(name);
    return isModule ? (reader(name.split(path.sep).join("/"))?.source ?? null) : null;
  };
  const { readFileSync } = fs;
  const { readFile } = fs.promises;
  Object.assign(fs, {
    readFileSync: (...args: Parameters<typeof readFileSync>) =>
      twinOf(args)?.replaceAll(REQUIRED, (_, name: string) => {
        return `require(${JSON.stringify(requiredRunTime(folder, name))})`;
      }) ?? readFileSync(...args),
  });
  Object.assign(fs.promises, {
    readFile: async (...args: Parameters<typeof readFile>) =>
      twinOf(args) ?? (await readFile(...args)),
  });
}

const REQUIRED = /\brequire\("tsgrad\/(delta(?:-higher)?|captured)"\)/g;
