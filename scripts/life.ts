// Writes LIFE_OF_A_GRAD_CALL.md. In: the checkout's root. Out: the document's text: one example at every stop of the pipeline.
// Invariant: every block is what the pipeline gives; only the sentences stand here.

import { readFileSync } from "node:fs";
import path from "node:path";
import { applyEdits } from "../transformer/hosts/apply.ts";
import { analyse } from "../transformer/analyse.ts";
import { explain } from "../transformer/explain.ts";
import { hostOf } from "./host.ts";
import { type Stage, stagesOf } from "./stages.ts";

export const LIFE = "transformer/LIFE_OF_A_GRAD_CALL.md";
const EXAMPLE = "fixtures/emitted/logistic.ts";

export function lifeDocument(root: string): string {
  const file = path.join(root, EXAMPLE);
  const host = hostOf(file, root);
  const source = readFileSync(file, "utf8");
  const loss = stagesOf(host, { file, fn: "loss" });
  const both = stagesOf(host, { file });
  const edited = applyEdits(file, source, analyse(host).edits.get(file) ?? []).text;
  const of = (stage: Stage): string => loss.get(stage) ?? "";
  const stops = [
    stop(
      "What the user writes",
      `\`${EXAMPLE}\`: a logistic regression. The last line asks for the value and the gradient of \`loss\` with respect to its first argument, a record.`,
      "ts",
      source,
    ),
    stop(
      "The call is found",
      "`1-lower/sites/sites.ts` looks for calls of tsgrad's forms by symbol, not by name, so an alias or a re-export is found and a local function called `grad` is not. The site says which function is meant (`target`), which arguments (`argnums`) and where the second argument will go (`insertAt`).",
      "json",
      of("site"),
    ),
    stop(
      "Raw IR",
      "`1-lower/body.ts` writes every expression out as statements with atoms as operands, in the order in which JavaScript evaluates them. Memory is explicit (`load`, `length`). A variable that is assigned is still a variable (`declare`, `:=`), a loop may still be left anywhere, and `for (const [i, x] of xs.entries())` has become a counted loop.",
      "",
      both.get("raw") ?? "",
    ),
    stop(
      "Structured",
      "`1-lower/ssa/structure.ts` turns early exits into nested branches, and into flags where that does not suffice. Nothing leaves a loop early here, so only the raw loop's label goes.",
      "",
      of("structured"),
    ),
    stop(
      "SSA",
      '`1-lower/ssa/ssa.ts` binds every name once. What a loop changes is *carried*: `total` starts as 0, `total.1` is the next one, `total.2` the last. What a branch changes would be joined by its binds, as `?:` already is. From here on, stage "ssa", nothing is assigned.',
      "",
      of("ssa"),
    ),
    stop(
      "Inlined",
      "`4-optimise/calls/inline.ts` puts the body of `predict` in place of its call, so that no residuals have to cross a call. Reads that do not change are moved out of loops. Everything after this differentiates what you see here.",
      "",
      of("inlined"),
    ),
    stop(
      "Aliasing",
      "`2-analyse/memory/memory.ts` says which names may mean the same object. Nothing is written here, so every read of memory can be repeated in the reverse sweep.",
      "",
      of("aliasing"),
    ),
    stop(
      "Activity",
      "`2-analyse/activity/activity.ts`: a number is active if it depends on an argument that is asked for and reaches the result; an aggregate is shadowed if it holds active numbers. `x` and `ys` are data: nothing is written for them.",
      "",
      of("activity"),
    ),
    stop(
      "Forward and reverse sweep",
      "`3-differentiate/reverse`: each construct's FWD and REV line, applied. Statements with `~` are adjoint code: they may be simplified, the primal may not. The outer loop only adds to `total`, so its cotangent is the same in every round, and the sweeps of a round stand together (reverse/merge.ts, Note [Merging]): no residual outlives its round, there is no stack. `m$bar` is the shadow of `m`, into which the gradient is accumulated.",
      "",
      of("reverse"),
    ),
    stop(
      "What the reverse sweep reads",
      "Each primal value that reverse code reads is either still in scope, computed again, or a residual. Here all are in scope or read again. `tsgrad explain` prints it in the user's words:",
      "",
      explain(host, file, "loss"),
    ),
    stop(
      "Optimised",
      "`4-optimise` keeps the meaning: `m$bar` is taken apart into the locals `w$bar` and `b$bar` and put together at the end; two negations cancel; the reverse loop over `i` runs upwards, because its rounds do not depend on each other.",
      "",
      of("optimised"),
    ),
    stop(
      "Emitted",
      "`5-emit` nests expressions again, gives names back, and writes TypeScript. The primal's arithmetic is what the user wrote, operation by operation, so that the value is the same to the last bit.",
      "ts",
      of("emitted"),
    ),
    stop(
      "Edits",
      "What the core returns: insertions into the user's file, with a mapping from each line of the derivative to the code it comes from. Hosts (`hosts/`) apply them and compile the result; user code outside keeps every byte.",
      "",
      of("edits"),
    ),
    stop(
      "What is compiled",
      "The end of the file as the compiler sees it.",
      "ts",
      edited.slice(edited.indexOf("export const step")).split("\n").slice(0, 6).join("\n") +
        "\n  …",
    ),
  ];
  return `${HEAD}\n${stops.map((text, i) => text.replace("## ", `## ${i + 1}. `)).join("\n")}`;
}

const HEAD = `# Life of a grad call

One example through every stop of the pipeline. Generated by \`npm run life\`; a house test fails when it is stale. The map of the
code is [ARCHITECTURE.md](ARCHITECTURE.md). How to read IR text: ir/parse.ts, Note [IR text]. To see another file: \`npm run show <file>[#fn] [stage]\`.
`;

const stop = (title: string, says: string, language: string, block: string): string =>
  `## ${title}\n\n${says}\n\n\`\`\`${language}\n${block.trimEnd()}\n\`\`\`\n`;
