// Writes transformer/LIFE_OF_A_GRAD_CALL.md: one example at every stage of the pipeline. Input: the
// checkout's root. Output: the document. The pipeline prints every block; only sentences stand here.

import { readFileSync } from "node:fs";
import path from "node:path";
import { applyEdits } from "../transformer/hosts/apply.ts";
import { analyse } from "../transformer/analyse.ts";
import { explain } from "../transformer/explain.ts";
import { hostOf } from "./host.ts";
import { type Stage, stagesOf } from "./stages.ts";

export const LIFE = "transformer/LIFE_OF_A_GRAD_CALL.md";
const EXAMPLE = "fixtures/emitted/logistic.ts";
const COLUMNS = 100;

interface Stop {
  readonly title: string;
  readonly says: string;
  /** What the block shows: a stage of `loss`, or something that is made for the document. */
  readonly shows: Stage | "source" | "raw of both" | "explain" | "result";
  readonly language?: "ts" | "json";
}

const STOPS: readonly Stop[] = [
  {
    title: "What the user writes",
    says: `A logistic regression, \`${EXAMPLE}\`. The last line requests the value and the gradient of \`loss\` with respect to its first argument, which is a record.`,
    shows: "source",
    language: "ts",
  },
  {
    title: "The call is found",
    says: "`1-lower/sites/sites.ts` finds calls of tsgrad's forms by symbol, not by name. So it finds an alias or a re-export, and skips a local function that is called `grad`. A call site says which function is meant (`target`), which arguments (`argnums`), and where the derivative goes as a further argument (`insertAt`).",
    shows: "site",
    language: "json",
  },
  {
    title: "Raw IR",
    says: "`1-lower/body.ts` turns each expression into statements whose operands are names or constants. This is A-normal form (ANF). The order is the one in which JavaScript evaluates. Reads of memory are explicit (`load`, `length`). An assigned variable is still a variable (`declare`, `:=`), and a loop may still be left early. `for (const [i, x] of xs.entries())` has become a counted loop.",
    shows: "raw of both",
  },
  {
    title: "Structured",
    says: "`1-lower/ssa/structure.ts` replaces early exits by nested branches, or by flags where branches do not suffice. This example has no early exit, so only the label of the loop disappears.",
    shows: "structured",
  },
  {
    title: "SSA form",
    says: "`1-lower/ssa/ssa.ts` binds each name once. A variable that a loop assigns is *carried*: `total` starts as 0, `total.1` is its value after an iteration, and `total.2` is the last one. From here on nothing is assigned.",
    shows: "ssa",
  },
  {
    title: "Inlined",
    says: "`4-optimise/calls/inline.ts` replaces the call of `predict` by its body, so no residual has to cross a call. Loads that give the same value in each iteration move out of the loop. This code is what is differentiated.",
    shows: "inlined",
  },
  {
    title: "Aliasing",
    says: "`2-analyse/memory/memory.ts` finds which names may refer to the same object. Nothing is written here, so the reverse sweep can repeat every load.",
    shows: "aliasing",
  },
  {
    title: "Activity",
    says: "`2-analyse/activity/activity.ts` finds active values. A number is active if it depends on the requested argument and the result depends on it. An array or record that holds active numbers has a shadow, which stores their cotangents. `xs` and `ys` are passive: they get no shadow.",
    shows: "activity",
  },
  {
    title: "Forward and reverse sweep",
    says: "`3-differentiate/reverse` applies the two rules of each construct, FWD and REV. A statement with `~` is adjoint code, which later passes may simplify; they keep the primal as it is. The outer loop only adds to `total`, so the cotangent of `total` is the same in every iteration. The reverse of an iteration therefore follows it at once, and no value outlives its iteration: there is no tape. `m$bar` is the shadow of `m`. The gradient accumulates there.",
    shows: "reverse",
  },
  {
    title: "Values that the reverse sweep reads",
    says: "Reverse code has three ways to a primal value. The value is still in scope, it is computed again, or it was recorded as a residual. Here all are in scope or loaded again. `tsgrad explain` prints this with the user's names:",
    shows: "explain",
  },
  {
    title: "Optimised",
    says: "`4-optimise` keeps the meaning. The record `m$bar` becomes the locals `w$bar` and `b$bar`, which form a record again at the end. Two negations cancel. The inner reverse loop runs upwards, since its iterations are independent.",
    shows: "optimised",
  },
  {
    title: "Emitted",
    says: "`5-emit` nests expressions again, restores the user's names and prints TypeScript. The primal's arithmetic is the user's, operation by operation, so the value is the same to the last bit.",
    shows: "emitted",
    language: "ts",
  },
  {
    title: "Edits",
    says: "The core returns insertions into the user's file. Each line of the derivative maps to the code that it comes from. Hosts (`hosts/`) apply the edits and compile the result. Code outside the edits keeps every byte.",
    shows: "edits",
  },
  {
    title: "What is compiled",
    says: "The end of the file, as the compiler sees it.",
    shows: "result",
    language: "ts",
  },
];

export function lifeDocument(root: string): string {
  const shown = blocksOf(root);
  const stops = STOPS.map(
    ({ title, says, shows, language = "" }, i) =>
      `## ${i + 1}. ${title}\n\n${wrapped(says)}\n\n\`\`\`${language}\n${shown(shows).trimEnd()}\n\`\`\`\n`,
  );
  return `${HEAD}\n${stops.join("\n")}`;
}

function blocksOf(root: string): (shows: Stop["shows"]) => string {
  const file = path.join(root, EXAMPLE);
  const host = hostOf(file, root);
  const source = readFileSync(file, "utf8");
  const loss = stagesOf(host, { file, fn: "loss" });
  const both = stagesOf(host, { file });
  return (shows) => {
    switch (shows) {
      case "source":
        return source;
      case "raw of both":
        return both.get("raw") ?? "";
      case "explain":
        return explain(host, file, "loss");
      case "result":
        return endOf(applyEdits(file, source, analyse(host).edits.get(file) ?? []).text);
      default:
        return loss.get(shows) ?? "";
    }
  };
}

/** The call site and the first lines of the derivative. */
function endOf(edited: string): string {
  const lines = edited.slice(edited.indexOf("export const step")).split("\n").slice(0, 6);
  return `${lines.join("\n")}\n  …`;
}

function wrapped(text: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line.length + 1 + word.length > COLUMNS) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.join("\n");
}

const HEAD = `# Life of a grad call

One example at every stage of the pipeline. \`npm run life\` generates this document, and a test fails
when it is stale. [ARCHITECTURE.md](ARCHITECTURE.md) is the map of the code; \`ir/parse.ts\`, Note
[IR text], explains the notation. \`npm run show -- <file>#<function> <stage>\` shows another program.
`;
