// Writes the generated documents anew: `npm run life`. In: the checkout. Out:
// transformer/LIFE_OF_A_GRAD_CALL.md, and the generated parts of README.md and docs/.

import { writeFileSync } from "node:fs";
import path from "node:path";
import { load, root } from "./load.mjs";

const { LIFE, lifeDocument } = await load("scripts/life.ts");
writeFileSync(path.join(root, LIFE), lifeDocument(root));
const { regenerateAll } = await load("scripts/documents.ts");
regenerateAll(root);
