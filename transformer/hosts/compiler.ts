// The content of compiler.cjs, which transform.ts, tsgrad.ts, plugin.ts, lsp.ts and register.ts
// load. The first two share one core with its cache on disk. The build adds one export for each
// plugin of scripts/entries.mjs.

import { fileURLToPath } from "node:url";
import { analyse } from "../analyse.ts";
import { main, type Process } from "./cli.ts";
import { withAnalysisCache } from "./analysis-cache.ts";
import {
  type LanguageServicePlugin,
  type Modules,
  languageServicePlugin,
} from "./editor/plugin.ts";
import { Session } from "./editor/session.ts";
import type { NewSession } from "./editor/workspace.ts";
import { moduleLoader, type NewModuleLoader } from "./module-loader.ts";
import { programTransformer, type ProgramTransformer } from "./ts-patch.ts";

/** The exports of compiler.cjs. */
export interface Compiler {
  readonly transformProgram: ProgramTransformer;
  readonly command: (
    args: readonly string[],
    process: Omit<Process, "core">,
  ) => Promise<number | null>;
  readonly languageServicePlugin: (modules: Modules) => LanguageServicePlugin;
  readonly newSession: NewSession;
  readonly newModuleLoader: NewModuleLoader;
}

export { languageServicePlugin };
export const newSession: NewSession = (api) => new Session(api);

const core = withAnalysisCache(analyse, fileURLToPath(import.meta.url));
export const transformProgram: Compiler["transformProgram"] = programTransformer(core);
export const command: Compiler["command"] = (args, process) => main(args, { ...process, core });
export const newModuleLoader: NewModuleLoader = () => moduleLoader(core);
