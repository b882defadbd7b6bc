// Prints how easy the documents and messages are to read, hardest first: `node scripts/reading-ease.mjs`.

import { load, root } from "./load.mjs";

const ease = await load("scripts/reading-ease.ts");
const groups = {
  README: ease.readmeEase(root),
  guide: ease.guideEase(root),
  reference: ease.referenceEase(root),
  messages: ease.messageEase(),
  "pages of diagnostics": ease.diagnosticPageEase(),
};
for (const [group, scores] of Object.entries(groups)) {
  console.log(`${group}: ${ease.meanOf(scores).toFixed(1)} (mean of ${scores.length})`);
  for (const { name, score } of scores.toSorted((a, b) => a.score - b.score))
    console.log(`  ${score.toFixed(0).padStart(4)}  ${name}`);
}
