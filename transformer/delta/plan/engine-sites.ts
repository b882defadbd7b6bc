// The Delta engine's entry. In: call sites that are forced, or that the static engine refuses. Out:
// text of accepted sites, problems of others. Invariant: a site needs all that its function needs.

import type ts from "typescript";
import { NOTHING } from "../../code/code.ts";
import { type Form, modesOf } from "../../ir/facts.ts";
import type { Insertion } from "../packages/index.ts";
import { ANYTHING, type Given } from "./activity.ts";
import { type EditSink, isOutside, placeAll, type SiteText } from "./engine-edits.ts";
import { Plan } from "./engine-plan.ts";
import type { PlanHost } from "./plan-state.ts";
import { codeOf, refusalText } from "./refusal-text.ts";
import { isInPlace, isJavaScript, type Item, Names, withNeeds } from "./items.ts";
import type { RewriteProblem } from "../scope.ts";
import type { StepRequest } from "./steps.ts";

import { argumentsOf, VALUE } from "./site-arguments.ts";

export interface DeltaSite {
  readonly form: Form;
  readonly call: ts.CallExpression;
  readonly target: ts.Expression;
  /** Null: the argument is a function value. */
  readonly node: ts.FunctionLikeDeclaration | null;
  /** Whether a form or a rule makes the value. */
  readonly isMade: boolean;
  /** The named declaration; null for a function in place, or a value. */
  readonly named: { readonly node: ts.Node; readonly name: string } | null;
  /** Empty: the form's default. */
  readonly argnums: readonly number[];
  readonly tuple: boolean;
  readonly hasAux: boolean;
  readonly into: boolean;
  /** The call requests this engine: all is recorded. */
  readonly isForced: boolean;
  /** See CallSite in ir/facts.ts. */
  readonly asText?: true;
}

export interface DeltaHost extends PlanHost {
  /** Module specifier for importing from `to` in `from`. */
  readonly specifier: (from: string, to: string) => string;
  /** Whether derivatives are differentiated: `$d` has other operators. */
  readonly isHigher?: boolean;
}

export type DeltaResult =
  | { readonly kind: "accepted"; readonly item: Item; readonly items: ReadonlySet<Item> }
  | { readonly kind: "refused"; readonly problems: readonly RewriteProblem[] };

/** A function that may be a single step: its name, rewritten form and derivative. */
export interface CalledStep {
  readonly name: string;
  readonly rewritten: string;
  readonly derivative: string;
}

export interface DeltaPlanned<S extends DeltaSite> {
  readonly results: ReadonlyMap<S, DeltaResult>;
  /** Functions that the engine requests as single steps. */
  readonly wishes: readonly StepRequest[];
  /** Of the granted functions, those that are called outside of other granted ones. */
  readonly foremost: (granted: ReadonlySet<ts.Node>) => ReadonlySet<ts.Node>;
  readonly steps: readonly CalledStep[];
  /** Branches at equality in the functions of accepted calls (TSG8006). */
  readonly equalities: readonly ts.Node[];
  /** What modules of packages get, by file. */
  extensions(): ReadonlyMap<string, readonly Insertion[]>;
  place(edits: EditSink): void;
}

export function deltaFor<S extends DeltaSite>(
  sites: readonly S[],
  host: DeltaHost,
): DeltaPlanned<S> {
  const names = new Names();
  const isHigher = host.isHigher ?? sites.some(({ form }) => isSecondOrder(form));
  const plan = new Plan(host, names, isHigher || sites.some(({ form }) => form === "delta"));
  const results = new Map<S, DeltaResult>();
  const roots = new Map(sites.map((site) => [site, rootOf(asValue(site), plan)]));
  plan.settle();
  if (plan.usesForms && !isHigher) return deltaFor(sites, { ...host, isHigher: true });
  const { ts: api } = host;
  host.packages.rewriting(
    (node) => (api.isFunctionLike(node) || api.isClassLike(node)) && plan.has(node),
    isHigher,
  );
  for (const [site, root] of roots) results.set(site, resultOf(site, root));
  for (const [site, result] of results) {
    const problems =
      result.kind === "accepted"
        ? [...packageProblems(site, result.items, host), ...exportProblems(site, result, host)]
        : [];
    if (problems.length > 0) results.set(site, { kind: "refused", problems });
  }
  const accepted = [...results].flatMap(([site, result]) =>
    result.kind === "accepted" ? [{ site: asValue(site), result }] : [],
  );
  const items = new Set(accepted.flatMap(({ result }) => [...result.items]));
  const wishes = [...plan.wishes(chosen(accepted)), ...plan.loops(items)];
  const texts = accepted.map(({ site, result: { item, items } }): SiteText => ({
    site,
    item,
    texts: argumentsOf(site, item, items, host),
    name: isInPlace(item) ? NOTHING : names.inOther(item, site.call.getSourceFile()),
  }));
  return {
    results,
    wishes,
    foremost: (granted) =>
      foremost(
        accepted.map(({ result }) => result.item),
        granted,
      ),
    steps: plan.steps(items),
    equalities: [...items].flatMap(({ equalities = [] }) => equalities),
    extensions: () =>
      new Map([...host.packages.extensions()].filter(([file]) => isOutside(file, host))),
    place: (edits) => {
      placeAll(texts, items, names, { ...host, isHigher }, edits);
    },
  };
}

/** The items of calls that did not request this engine. */
function chosen(
  accepted: readonly {
    readonly site: DeltaSite;
    readonly result: { readonly items: ReadonlySet<Item> };
  }[],
): ReadonlySet<Item> {
  const itemsOf = (isForced: boolean): Set<Item> =>
    new Set(
      accepted.flatMap(({ site, result }) => (site.isForced === isForced ? [...result.items] : [])),
    );
  const forced = itemsOf(true);
  return new Set([...itemsOf(false)].filter((item) => !forced.has(item)));
}

/** Of the granted functions, those that are called outside of other granted ones. */
function foremost(roots: readonly Item[], granted: ReadonlySet<ts.Node>): ReadonlySet<ts.Node> {
  const met = new Set(roots);
  const found = new Set<ts.Node>();
  for (const { node, needs, soft, loops } of met) {
    if (granted.has(node)) {
      found.add(node);
      continue;
    }
    for (const other of [...needs, ...soft]) met.add(other);
    const own = [...loops.keys()].filter((loop) => granted.has(loop));
    for (const loop of own)
      if (!own.some((each) => each !== loop && each.pos <= loop.pos && loop.end <= each.end))
        found.add(loop);
  }
  return found;
}

/** Code in package sources that cannot be rewritten. */
const packageProblems = (
  site: DeltaSite,
  items: ReadonlySet<Item>,
  host: DeltaHost,
): RewriteProblem[] =>
  [...items].flatMap(({ file, packageUses }) =>
    packageUses === undefined
      ? []
      : host.packages.packageText(file.fileName).refusals.flatMap((refusal) => {
          const node =
            refusal.why === "state"
              ? refusal.exports.map((key) => packageUses.get(key)).find((at) => at !== undefined)
              : site.target;
          return node === undefined
            ? []
            : [{ node, construct: refusalText(refusal), isPackage: true, code: codeOf(refusal) }];
        }),
  );

/** A function of JavaScript has its twin beside it, wherever it is. */
const asValue = <S extends DeltaSite>(site: S): S =>
  site.node !== null && isJavaScript(site.node.getSourceFile())
    ? { ...site, node: null, named: null, isMade: false }
    : site;

/** Names that another module would have to import from a file that cannot export them. */
function exportProblems(
  site: DeltaSite,
  { item: root, items }: { readonly item: Item; readonly items: ReadonlySet<Item> },
  host: DeltaHost,
): RewriteProblem[] {
  const imported = [...items].filter(
    (item) => item.isExported || (item === root && item.file !== site.call.getSourceFile()),
  );
  return imported.flatMap(({ node, file }) => {
    const why = host.closedAs(file);
    return why === null
      ? []
      : [
          {
            node: node === root.node ? site.target : node,
            isPackage: true,
            construct: `code of \`${file.fileName.slice(file.fileName.lastIndexOf("/") + 1)}\`, which ${why}`,
          },
        ];
  });
}

function rootOf(site: DeltaSite, plan: Plan): Item | null {
  if (site.node === null)
    return site.isMade ? plan.made(site.target) : plan.value(site.target, VALUE);
  const item =
    site.named === null
      ? plan.inPlace(site.node)
      : plan.function(site.node, site.named.node, site.named.name);
  if (item !== null) plan.given(item, givenBy(site));
  return item;
}

/** What a derivative passes to the function; null: anything. */
function givenBy({ form, argnums }: DeltaSite): readonly Given[] | null {
  const isByNumber = form === "grad" || form === "valueAndGrad";
  const isOfOthers = form === "differentiable" || form === "derivativeSource" || form === "delta";
  if (isOfOthers || (argnums.length === 0 && !isByNumber)) return null;
  const all: Given[] = [];
  for (const place of argnums.length === 0 ? [0] : argnums) all[place] = ANYTHING;
  return all;
}

function resultOf(site: DeltaSite, item: Item | null): DeltaResult {
  if (item === null)
    return {
      kind: "refused",
      problems: [{ node: site.target, construct: "function, which has no block around it" }],
    };
  const { items, problems } = withNeeds([item]);
  return problems.length > 0 ? { kind: "refused", problems } : { kind: "accepted", item, items };
}

const isSecondOrder = (form: Form): boolean => modesOf(form).includes("second");
