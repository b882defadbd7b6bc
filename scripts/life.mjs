// Writes transformer/LIFE_OF_A_GRAD_CALL.md anew: `npm run life`.

import { writeFileSync } from "node:fs";
import path from "node:path";
import { load, root } from "./load.mjs";

const { LIFE, lifeDocument } = await load("scripts/life.ts");
writeFileSync(path.join(root, LIFE), lifeDocument(root));
