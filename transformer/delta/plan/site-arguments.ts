// The text around the function of a site. In: the site and its item. Out: for each mode the text
// before it, `(...args) => $d.grad(`, and behind it, `, args, { argnums: 1 })`.

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
import {
  discriminants,
  discriminantsOfBoth,
  discriminantsOfResult,
  type FunctionType,
} from "../types/discriminants.ts";
import { sourceText } from "./engine-edits.ts";
import { namesText } from "../form-layout.ts";
import { outerObjects } from "./outer-objects.ts";
import { isInPlace, type Item } from "./items.ts";
import { depthOf } from "../types/data-types.ts";
import { hasAccessors, type Lean, leanOf, ownParameters } from "./lean.ts";
import { isRecursive } from "../types/recursive-types.ts";

import type { DeltaHost, DeltaSite } from "./engine-sites.ts";

/** The name of a function value. */
export const VALUE: Code = code`$f`;

/** The text around the function for each mode: `(...args) => $d.grad(`, `, args, { argnums })`. */
export function argumentsOf(
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
        ? [
            code`$d.held((${VALUE}${isUntyped ? NOTHING : code`: any`}) => `,
            code`${heldPlaces(site, mode)})`,
          ]
        : [NOTHING, NOTHING];
    return [
      code`${taken}(${before}...${parameters}${anys})${any} => ${behind[0]}${apart}$d.${name}(`,
      code`, ${given}${spec === NOTHING ? NOTHING : code`, ${spec}`})${together}${behind[1]}${held}${i === modes.length - 1 ? layoutOf(site, host) : NOTHING}`,
    ];
  });
}

/** Which arguments may be objects that the function sees elsewhere; absent: all. */
function heldPlaces(site: DeltaSite, mode: "reverse" | "forward" | "second"): Code {
  if (mode !== "reverse") return code`, [0]`;
  const { argnums, into, form } = site;
  const first = into ? 1 : 0;
  if (argnums.length > 0) return code`, [${list(argnums.map((place) => code`${place + first}`))}]`;
  return isOfScalar(form) ? code`, [${first}]` : NOTHING;
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
