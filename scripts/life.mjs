// Writes the generated documents anew: `npm run life`. In: the checkout. Out: transformer/LIFE_OF_A_GRAD_CALL.md and README.md's generated parts.

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { load, root } from "./load.mjs";

const { LIFE, lifeDocument } = await load("scripts/life.ts");
writeFileSync(path.join(root, LIFE), lifeDocument(root));
const { DOCUMENT, regenerated } = await load("scripts/documents.ts");
const document = path.join(root, DOCUMENT);
writeFileSync(document, regenerated(readFileSync(document, "utf8"), root));
