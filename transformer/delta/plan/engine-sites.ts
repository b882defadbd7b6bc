// The Delta engine's entry. In: call sites that are forced, or that the static engine refuses. Out:
// text of accepted sites, problems of others. Invariant: a site needs all that its function needs.

import type ts from "typescript";
import {
  code,
  type Code,
  data,
  id,
  list,
  emitted,
  literal,
  NOTHING,
  ZERO,
  source,
} from "../../code/code.ts";
import { type Form, isOfScalar, isShown, modesOf, takesLayout } from "../../ir/facts.ts";
import type { Insertion } from "../packages/index.ts";
import { ANYTHING, type Given } from "./activity.ts";
import {
  discriminants,
  discriminantsOfBoth,
  discriminantsOfResult,
  type FunctionType,
} from "../types/discriminants.ts";
import { type EditSink, isOutside, placeAll, sourceText, type SiteText } from "./engine-edits.ts";
import { namesText } from "../form-layout.ts";
import { Plan, type PlanHost } from "./engine-plan.ts";
import { outerObjects } from "./outer-objects.ts";
import { codeOf, refusalText } from "./refusal-text.ts";
import { isInPlace, isJavaScript, type Item, Names, withNeeds } from "./items.ts";
import { depthOf } from "../types/data-types.ts";
import { hasAccessors, type Lean, leanOf, ownParameters } from "./lean.ts";
import { isRecursive } from "../types/recursive-types.ts";
import type { RewriteProblem } from "../scope.ts";
import type { StepRequest } from "./steps.ts";

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
    (node) => (api.isFunctionLike(node) || api.isClassLike(node)) && plan.items.has(node),
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
    extensions: () =>
      new Map([...host.packages.extensions()].filter(([file]) => isOutside(file, host))),
    place: (edits) => {
      placeAll(texts, items, names, { ...host, isHigher }, edits);
    },
  };
}

const leanFor = (
  site: DeltaSite,
  node: ts.FunctionLikeDeclaration,
  items: ReadonlySet<Item>,
  host: DeltaHost,
): Lean | null =>
  leanOf(site, node, items, {
    ts: host.ts,
    checker: host.program.getTypeChecker(),
    hasAccessors: () => hasAccessors(host.files, host.ts),
    spec: specOf({ ...site, argnums: [] }, "reverse", host),
  });

const askedOf = ({ argnums }: DeltaSite): readonly number[] =>
  argnums.length === 0 ? [0] : argnums;

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

/** The name of a function value. */
const VALUE: Code = code`$f`;

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

/** The text around the function for each mode: `(...args) => $d.grad(`, `, args, { argnums })`. */
function argumentsOf(
  site: DeltaSite,
  item: Item,
  items: ReadonlySet<Item>,
  host: DeltaHost,
): readonly (readonly [Code, Code])[] {
  if (isShown(site)) return [[literal(emitted(sourceText(item), "$d")), NOTHING]];
  if (site.form === "differentiable") return [[NOTHING, NOTHING]];
  if (site.form === "delta") return [[code`$d.delta(`, code`, ${data(namesOf(site, host))})`]];
  const isUntyped = /\.[cm]?jsx?$/.test(site.call.getSourceFile().fileName);
  const [anys, any] = isUntyped ? [NOTHING, NOTHING] : [code`: any[]`, code`: any`];
  const outer = site.node === null ? null : outerTexts(site, site.node, host);
  // a function in place may capture a user's variable named `args`
  const [args, tangents] =
    isInPlace(item) || outer !== null
      ? [code`$args`, code`$tangents`]
      : [code`args`, code`tangents`];
  const [apart, together] = outer ?? [NOTHING, NOTHING];
  const lean = site.node === null ? null : leanFor(site, site.node, items, host);
  const ofNumbers =
    lean === "numbers" && !isInPlace(item) ? ofNumbersText(site, isUntyped, host) : null;
  if (ofNumbers !== null) return [ofNumbers];
  if (lean !== null)
    return [
      [
        code`(...${args}${anys})${any} => ${apart}$d.${id(site.form)}Of(`,
        code`, ${args}${leanArguments(site, lean, host)})${together}`,
      ],
    ];
  return modesOf(site.form).map((mode, i, modes) => {
    const spec = specOf(site, mode, host);
    const [parameters, name, given] =
      mode !== "reverse"
        ? [
            code`[${args}, ${tangents}]`,
            mode === "forward" ? code`jvp` : code`second`,
            code`${args}, ${tangents}`,
          ]
        : [args, id(reverseOf(site.form)), args];
    const [before, behind] = writtenInto(site, isUntyped ? NOTHING : code`: unknown`);
    const [taken, held] =
      site.node === null && !site.isMade
        ? [code`$d.held((${VALUE}${isUntyped ? NOTHING : code`: any`}) => `, code`)`]
        : [NOTHING, NOTHING];
    return [
      code`${taken}(${before}...${parameters}${anys})${any} => ${behind[0]}${apart}$d.${name}(`,
      code`, ${given}${spec === NOTHING ? NOTHING : code`, ${spec}`})${together}${behind[1]}${held}${i === modes.length - 1 ? layoutOf(site, host) : NOTHING}`,
    ];
  });
}

/** What `$d` has for a form of reverse mode. */
const reverseOf = (form: Form): string =>
  isOfScalar(form) ? form : form === "transpose" ? "linear" : "vjp";

/** `$d.apart($args, [0], () => [xs], ($args) => ` and its end; null where nothing is shared. */
function outerTexts(
  site: DeltaSite,
  node: ts.FunctionLikeDeclaration,
  { ts: api, program }: DeltaHost,
): readonly [Code, Code] | null {
  const places =
    site.argnums.length > 0
      ? site.argnums
      : isOfScalar(site.form)
        ? [0]
        : [...ownParameters(node, api).keys()];
  const { names, byIdentity } = outerObjects(node, site.call, places, {
    ts: api,
    checker: program.getTypeChecker(),
  });
  return names.length === 0
    ? null
    : [
        code`$d.apart($args, [${list(places.map((place) => code`${place}`))}], () => [${list(names.map(source))}], ($args) => `,
        byIdentity ? code`, true)` : code`)`,
      ];
}

/**
 * For numbers alone, without argument arrays: `(x, y) => $d.gradOfNumbers([x], (i) => ` and
 * `([i, 0], x, y), (bar) => bar[0])`.
 */
function ofNumbersText(
  site: DeltaSite,
  isUntyped: boolean,
  { ts: api }: DeltaHost,
): readonly [Code, Code] | null {
  const all = site.node === null ? [] : ownParameters(site.node, api);
  if (
    all.some(
      ({ initializer, dotDotDotToken, questionToken }) =>
        initializer !== undefined || dotDotDotToken !== undefined || questionToken !== undefined,
    )
  )
    return null;
  const names = all.map(({ name }, i) =>
    id(
      api.isIdentifier(name) && name.text !== "i" && name.text !== "bar"
        ? name.text
        : `argument${i}`,
    ),
  );
  const asked = askedOf(site);
  if (new Set(names).size < names.length) return null;
  const ids = names.map((_, place) => {
    const k = asked.indexOf(place);
    return k < 0 ? ZERO : k === 0 ? code`i` : code`i + ${k}`;
  });
  const bars = asked.map((_, k) => code`bar[${k}]`);
  const any = isUntyped ? NOTHING : code`: any`;
  const index = isUntyped ? NOTHING : code`: number`;
  const adjoints = isUntyped ? NOTHING : code`: Float64Array`;
  const parameters = list(names.map((name) => code`${name}${any}`));
  return [
    code`(${parameters})${any} => $d.${id(site.form)}OfNumbers([${list(asked.map((place) => names[place] ?? NOTHING))}], (i${index}) => `,
    code`([${list(ids)}], ${list(names)}), (bar${adjoints}) => ${site.tuple ? code`[${list(bars)}]` : (bars[0] ?? NOTHING)})`,
  ];
}

/** With `into: true`, the gradient's first parameter and the call that writes there. */
function writtenInto(
  { form, hasAux, into }: DeltaSite,
  type: Code,
): readonly [parameter: Code, call: readonly [Code, Code]] {
  if (!into || (form !== "grad" && form !== "valueAndGrad")) return [NOTHING, [NOTHING, NOTHING]];
  const part = form === "valueAndGrad" ? code`, 1` : hasAux ? code`, 0` : NOTHING;
  return [code`$into${type}, `, [code`$d.written($into, `, code`${part})`]];
}

const isDefault = ({ form, argnums, tuple }: DeltaSite): boolean =>
  argnums.length === 0 || (isOfScalar(form) && !tuple && argnums[0] === 0);
const argnumsText = ({ argnums, tuple }: DeltaSite): Code =>
  tuple ? code`[${list(argnums.map((place) => code`${place}`))}]` : code`${argnums[0] ?? 0}`;
function leanArguments(site: DeltaSite, lean: Lean, { ts: api, program }: DeltaHost): Code {
  if (lean === "numbers") return isDefault(site) ? NOTHING : code`, ${argnumsText(site)}`;
  const checker = program.getTypeChecker();
  const asked = askedOf(site);
  const own = site.node === null ? [] : ownParameters(site.node, api);
  const depths = own.map((parameter, k) =>
    asked.includes(k) ? 0 : depthOf(checker.getTypeAtLocation(parameter), parameter, api, checker),
  );
  return code`, ${isDefault(site) ? ZERO : argnumsText(site)}, $d.aggregates${depths.every((depth) => depth === 0) ? NOTHING : code`, [${list(depths.map((depth) => code`${depth}`))}]`}`;
}

/** Dense derivatives have no entries for discriminants: `, { tags: ["kind"] }`. */
function layoutOf({ form, target, node, hasAux }: DeltaSite, host: DeltaHost): Code {
  const of = typeOf(node ?? target, host);
  const found =
    takesLayout(form) && of !== null
      ? namesText(discriminantsOfBoth(of, hasAux, host.ts, host.program.getTypeChecker()))
      : [];
  return found.length === 0 ? NOTHING : code`, { ${list(found)} }`;
}

/** The variable names of a printed term: the user's, or a position. */
const parameterNames = (node: ts.FunctionLikeDeclaration, api: typeof ts): string[] =>
  ownParameters(node, api).map(
    ({ name, dotDotDotToken }, i) =>
      code`${dotDotDotToken === undefined ? NOTHING : code`...`}${api.isIdentifier(name) ? id(name.text) : code`argument${i}`}`,
  );

function namesOf(site: DeltaSite, host: DeltaHost): string[] {
  if (site.node !== null) return parameterNames(site.node, host.ts);
  const signature = typeOf(site.target, host)?.signature;
  return (signature?.parameters ?? []).map(({ name }) => name);
}

/** The type of a function, or of a function value. */
function typeOf(
  at: ts.FunctionLikeDeclaration | ts.Expression,
  { ts: api, program }: DeltaHost,
): FunctionType | null {
  const checker = program.getTypeChecker();
  const signature = api.isFunctionLike(at)
    ? checker.getSignatureFromDeclaration(at)
    : checker.getTypeAtLocation(at).getCallSignatures()[0];
  return signature === undefined ? null : { signature, at };
}

function specOf(site: DeltaSite, mode: string, host: DeltaHost): Code {
  const { hasAux } = site;
  const of = typeOf(site.node ?? site.target, host);
  const checker = host.program.getTypeChecker();
  const { leaves, tags } =
    of === null ? { leaves: [], tags: [] } : discriminants(of, host.ts, checker);
  const result =
    mode === "forward" && of !== null
      ? namesText(discriminantsOfResult(of, hasAux, host.ts, checker))
      : [];
  const parts = [
    ...(isDefault(site) ? [] : [code`argnums: ${argnumsText(site)}`]),
    ...(hasAux ? [code`hasAux: true`] : []),
    ...(of === null || isRecursive(of, host.ts, checker) ? [code`isShared: true`] : []),
    ...namesText({ leaves: mode === "forward" ? [] : leaves, tags }),
    ...(result.length === 0 ? [] : [code`result: { ${list(result)} }`]),
  ];
  return parts.length === 0 ? NOTHING : code`{ ${list(parts)} }`;
}
