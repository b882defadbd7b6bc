// Joins the results of all groups into those of the program, and chooses the engine of each site.

import { specifierFor, withCachedChecker, type Lowered } from "../1-lower/index.ts";
import { whyClosed } from "./closed-modules.ts";
import { type Packages, packagesOf } from "../delta/packages/index.ts";
import { rewriteModule } from "../delta/packages/rewrite-module.ts";
import { deltaFor } from "../delta/plan/engine-sites.ts";
import type { Rewritings } from "../delta/plan/rewritings.ts";
import type { Steps } from "../delta/plan/steps.ts";
import {
  assertAnswered,
  chooseEngines,
  equalityBranchesIn,
  functionsFromText,
  unresolvedTypes,
} from "./engines.ts";
import type { Group } from "./groups.ts";
import { invariant } from "../ir/invariant.ts";
import type { Program } from "../ir/types.ts";
import { apiOfUser } from "./package-code/walks.ts";
import type { Compiled, CompileHost, Part } from "./compiled.ts";

/** A request, lowered, with what the static engine makes of each group. */
export interface StaticResult {
  readonly lowered: Lowered;
  readonly parts: readonly Part[];
}

/** A part of an earlier program whose group is alike. Generated code may go to another place. */
export function relocated(part: Part, group: Group): Part {
  const { homes } = group.program;
  return { ...part, group, primal: { ...part.primal, homes }, inlined: { ...part.inlined, homes } };
}

/**
 * Asks the Delta engine for the sites that the static one refuses. Every site has an answer or an
 * error.
 */
export function answerSites(
  { lowered, parts }: StaticResult,
  host: CompileHost,
  steps: Steps,
  rewritings: Rewritings,
): Compiled {
  const packages = packagesOf({
    ts: host.ts,
    program: host.program,
    ...(host.system === undefined ? {} : { system: host.system }),
    untyped: host.packages ?? [],
    rewrite: rewriteModule,
    runtime: "$d",
    ...(host.twins === undefined ? {} : { twins: host.twins }),
  });
  const engines = chooseEngines(
    [...lowered.refused, ...parts.flatMap(({ failed }) => failed)],
    [...lowered.diagnostics, ...parts.flatMap(({ diagnostics }) => diagnostics)],
    new Set([lowered, ...parts].flatMap((one) => one.standingErrors)),
    (candidates) =>
      deltaFor(candidates, {
        ts: apiOfUser(host),
        program: withCachedChecker(host.program, host.ts),
        files: lowered.files,
        ruleOf: lowered.ruleOf,
        isReplaced: lowered.isReplaced,
        steps,
        rewritings,
        packages,
        closedAs: (file) => whyClosed(file, host.ts, host.program.getTypeChecker()),
        specifier: (from, to) => specifierFor(host.ts, host.program, from, to),
      }),
    (span) =>
      host.packageCode?.holds(span) === true ||
      (host.javascript !== undefined && /\.[cm]?jsx?$/.test(span.file)),
  );
  const joined = joinParts(parts, lowered.program);
  const origins = joined.sites.map(({ origin }) => origin);
  assertAnswered(lowered.calls, origins, engines);
  return {
    ...joined,
    parts,
    diagnostics: [
      ...engines.diagnostics,
      ...unresolvedTypes(engines, host),
      ...equalityBranchesIn(engines),
      ...functionsFromText(engines, host),
    ],
    dependencies: withPackageFiles(lowered.dependencies, packages),
    delta: engines.planned,
    asked: lowered.questions,
    isWhole: isWhole(lowered, parts),
  };
}

/** Adds the package files whose code stands in the generated text. */
const withPackageFiles = (
  dependencies: Compiled["dependencies"],
  packages: Packages,
): Compiled["dependencies"] =>
  new Map(
    [...dependencies].map(([file, others]) => {
      const copied = [file, ...others].flatMap((each) => packages.packageText(each).dependencies);
      return [file, [...new Set([...others, ...copied])]];
    }),
  );

const isWhole = (
  { diagnostics, refused, marked, reExports, isShared }: Lowered,
  parts: readonly Part[],
): boolean =>
  diagnostics.length + refused.length + marked.length + reExports.length === 0 &&
  !isShared &&
  parts.every(
    ({ failed, diagnostics: own }) =>
      failed.length === 0 && own.every(({ severity }) => severity !== "error"),
  );

function joinParts(
  parts: readonly Part[],
  raw: Program,
): Omit<Part, "diagnostics" | "failed" | "standingErrors" | "group"> {
  const whole = (of: (part: Part) => Program): Program => ({
    stage: "ssa",
    homes: raw.homes,
    funcs: new Map(parts.flatMap((part) => [...of(part).funcs])),
    types: new Map([...raw.types, ...parts.flatMap((part) => [...of(part).types])]),
  });
  const union = <V>(of: (part: Part) => ReadonlyMap<string, V>): ReadonlyMap<string, V> =>
    new Map(parts.flatMap((part) => [...of(part)]));
  return {
    primal: whole(({ primal }) => primal),
    inlined: whole(({ inlined }) => inlined),
    sites: parts.flatMap(({ sites }) => sites),
    made: {
      derived: parts.flatMap(({ made }) => made.derived),
      derivativesOf: new Map(parts.flatMap(({ made }) => [...made.derivativesOf])),
      pairs: union(({ made }) => made.pairs),
      whole: new Set(parts.flatMap(({ made }) => [...made.whole])),
      problems: union(({ made }) => made.problems),
      residuals: union(({ made }) => made.residuals),
      activeOf: union(({ made }) => made.activeOf),
    },
    factsOf: (func, active, split) => {
      const part = parts.find(({ inlined }) => inlined.funcs.has(func.name));
      invariant(part !== undefined, `no function ${func.name}`);
      return part.factsOf(func, active, split);
    },
    arrays: union(({ arrays }) => arrays),
    derived: parts.flatMap(({ derived }) => derived),
    types: union(({ types }) => types),
    shipped: parts.flatMap(({ shipped }) => shipped),
    reExports: parts.flatMap((part) => part.reExports),
  };
}
