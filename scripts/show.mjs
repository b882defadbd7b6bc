// Prints a file at any stop of the pipeline: `npm run show <file>[#fn] [stage]`. In: a TypeScript file. Out: the IR, facts or code of its functions;
// without a stage, all of them. A function nobody asks about is treated as if grad of it were called.

import { existsSync } from "node:fs";
import path from "node:path";
import { load, root } from "./load.mjs";

const { STAGES, stagesOf } = await load("scripts/stages.ts");
const { hostOf } = await load("scripts/host.ts");
const [target, stage] = process.argv.slice(2);
const [name = "", fn] = (target ?? "").split("#");
const file = path.resolve(name);
if (target === undefined || !existsSync(file) || (stage !== undefined && !STAGES.includes(stage))) {
  console.error(`npm run show <file>[#fn] [${STAGES.join(" | ")}]`);
  process.exit(1);
}
for (const [title, text] of stagesOf(
  hostOf(file, root),
  fn === undefined ? { file } : { file, fn },
)) {
  if (stage === undefined) console.log(`──── ${title}\n${text}\n`);
  else if (stage === title) console.log(text);
}
