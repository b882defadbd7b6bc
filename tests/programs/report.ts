// Behind scripts/corpus.mjs. In: which programs. Out: their edited files as text, or what is wrong with them.

import { corpusOf } from "./corpus.ts";
import { problemsOf } from "./run.ts";
import { corpusSources } from "./sources.ts";
import { newProblems } from "./strict.ts";

export function report(wanted: (name: string) => boolean, code: boolean): string {
  const corpus = corpusOf(corpusSources(wanted));
  const lines = [...corpus.programs.values()].flatMap((built) => {
    if (!code) return problemsOf(built).map((problem) => `${built.source.name}: ${problem}`);
    const failure = "failure" in built.derived ? [built.derived.failure] : [];
    return [
      ...failure,
      ...[...built.edited]
        .filter(([file]) => !file.endsWith(".caller.ts"))
        .map(([file, text]) => `// ${file}\n${text}`),
    ];
  });
  return [...lines, ...newProblems(corpus)].join("\n");
}
