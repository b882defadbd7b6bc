// What the other thread of a build runs; the build makes side.cjs of it, beside compiler.cjs. In: what thread.ts hands over. Out: its answers. Invariant: the code is that of compiler.cjs, loaded
// as the first thread loads it.

import path from "node:path";
import { workerData } from "node:worker_threads";
import { cacheFolder, loadThrough } from "./code-cache.ts";
import type { Compiler } from "./compiler.ts";
import type { ThreadData } from "./thread.ts";

const { serve } = loadThrough(cacheFolder(process.cwd()), path.join(__dirname, "compiler.cjs")).exports as Compiler; // the file that the build makes of compiler.ts
serve(workerData as ThreadData); // what thread.ts gives
