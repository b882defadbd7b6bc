// How much a run of the tests covers. `npm test` takes a fixed sample of the corpus and few random
// programs; `npm run test:long` takes all but the costliest combinations, of which it has a larger
// sample, and `TSGRAD_LONG=all` before it takes those, too. A name chooses the sample: it never varies.

import { createHash } from "node:crypto";

/** Whether this is a long run: scripts/test-long.mjs sets the variable. */
export const isLong = process.env["TSGRAD_LONG"] !== undefined;
const isWhole = process.env["TSGRAD_LONG"] === "all";

/** Test files that only long runs have: they take many seconds, and rarely fail alone. */
export const ONLY_LONG = [
  "tests/1-lower/{programs,replaced-indirectly,switch-trees}.test.ts",
  "tests/4-optimise/fuse-elements.test.ts",
  "tests/4-optimise/random.test.ts",
  "tests/5-emit/random.test.ts",
  "tests/asymptotics/*.test.ts",
  "tests/bench/gradbench.test.ts",
  "tests/code/{imports,keys,names}.test.ts",
  "tests/delta/casts.test.ts",
  "tests/delta/choices.test.ts",
  "tests/delta/derivatives-inside.test.ts",
  "tests/delta/engine.test.ts",
  "tests/delta/javascript.test.ts",
  "tests/delta/{javascript,lean,loops,made-classes,spread-arguments}.test.ts",
  "tests/delta/natives.test.ts",
  "tests/delta/random-stretches.test.ts",
  "tests/delta/random-loops.test.ts",
  "tests/delta/runs.test.ts",
  "tests/delta/second-order{,-async}.test.ts",
  "tests/delta/variables-of-plain-code.test.ts",
  "tests/docs/{pages,playground}.test.ts",
  "tests/driver/deep.test.ts",
  "tests/driver/isolation.test.ts",
  "tests/driver/long-lists.test.ts",
  "tests/examples/examples.test.ts",
  "tests/hosts/build.test.ts",
  "tests/hosts/editor/{lsp,plugin}.test.ts",
  "tests/hosts/javascript.test.ts",
  "tests/hosts/jest.test.ts",
  "tests/hosts/source-map.test.ts",
  "tests/hosts/ts-patch.test.ts",
  "tests/hosts/webpack.test.ts",
  "tests/hosts/workspace.test.ts",
  "tests/incremental/incremental.test.ts",
  "tests/javascript/*.test.ts",
  "tests/nested/{calls-of-ruled-functions,checkpoint,has-aux,random-rules}.test.ts",
  "tests/nested/{rules-of-functions,scan,transpose}.test.ts",
  "tests/nested/implicit.test.ts",
  "tests/nested/table.test.ts",
  "tests/package/compilers.test.ts",
  "tests/package/coverage.test.ts",
  "tests/package/front-door.test.ts",
  "tests/package/hosts.test.ts",
  "tests/package/library.test.ts",
  "tests/package/package.test.ts",
  "tests/package/parity.test.ts",
  "tests/package/strictness.test.ts",
  "tests/package/tree.test.ts",
  "tests/packages/{declared,families,hosts,inherited,served}.test.ts",
  "tests/packages/state.test.ts",
  "tests/papers/papers.test.ts",
  "tests/programs/{declared-types,long-alias-chains}.test.ts",
  "tests/programs/{holes,missing-elements,overflow,places-beside}.test.ts",
  "tests/properties/random-typescript-{2,3,4}.test.ts",
  "tests/rules/{accuracy,accuracy-of-engines}.test.ts",
  "tests/runtime/compile.test.ts",
  "tests/runtime/term.test.ts",
];

/** Test files that ask `sampled` or `isLong`: both runs have them. */
export const SAMPLED = [
  "tests/1-lower/random.test.ts",
  "tests/delta/called-by-the-language.test.ts",
  "tests/delta/corpus.test.ts",
  "tests/delta/kept-memos.test.ts",
  "tests/delta/kept-state.test.ts",
  "tests/delta/semicolons.test.ts",
  "tests/nested/{dense,every-form,nested}.test.ts",
  "tests/package/vector.test.ts",
  "tests/programs/flags.test.ts",
  "tests/programs/modes.test.ts",
  "tests/programs/{programs,zero-cotangents}.test.ts",
  "tests/properties/random-typescript-1.test.ts",
  "tests/rules/adjoint-algebra.test.ts",
];

const isOneIn = (name: string, size: number): boolean =>
  createHash("sha1").update(name).digest().readUInt32BE(0) % size === 0;

/** Whether a name belongs to a sample: of one in `size`, in a long run of one in `long`. */
export const sampled = (name: string, size: number, long = 1): boolean =>
  isWhole || isOneIn(name, isLong ? long : size);
