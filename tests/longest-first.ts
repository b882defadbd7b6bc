// Which files a run begins with. In: the files, as vitest sorts them. Out: those that take longest first, or one core waits at the end. Without a cache of earlier runs, as in CI, vitest knows their sizes only.

import { BaseSequencer, type TestSpecification } from "vitest/node";

/** A third of the tests' time. */
const LONGEST = ["programs/programs", "programs/modes", "package/package", "delta/corpus"].map(
  (name) => `/tests/${name}.test.ts`,
);

function rank({ moduleId }: TestSpecification): number {
  const at = LONGEST.findIndex((name) => moduleId.endsWith(name));
  return at === -1 ? LONGEST.length : at;
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
