// Call sites that the Delta engine may answer. Input: a site, its function, and the static engine's
// errors. Output: a candidate, or null where only the static engine may answer.
// A candidate's function has a name at the call, or is written in the call.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import type { Code } from "../../diagnostics/registry.ts";
import type { Diagnostic } from "../../diagnostics/report.ts";
import {
  defaultsToAllArguments,
  type Form,
  isDeltaForm,
  isOfScalar,
  isShown,
} from "../../ir/facts.ts";
import type { TypeScript } from "../typescript.ts";
import { formsFor, mapWrittenInto } from "./form-preconditions.ts";
import { type Naming, namingOf } from "./homes.ts";
import type { WrittenSite } from "./sites.ts";
import { type TargetNode } from "./targets.ts";
import { resolvedSymbol } from "../checker.ts";
import { shorten } from "./quoted-code.ts";
import { mentionsName } from "../../syntax/walk.ts";
import { isBeyondNamespace } from "../../syntax/places.ts";

export interface DeltaCandidate {
  readonly form: Form;
  readonly call: ts.CallExpression;
  readonly target: ts.Expression;
  /** Null for a function value. */
  readonly node: TargetNode | null;
  /** Whether a form or a rule makes the value: `customVjp(f, rule)`, or a constant with it. */
  readonly isMade: boolean;
  readonly named: { readonly node: ts.Node; readonly name: string } | null;
  readonly argnums: readonly number[];
  readonly tuple: boolean;
  readonly hasAux: boolean;
  readonly into: boolean;
  /** Whether the call requires this engine. */
  readonly isForced: boolean;
  /** See CallSite in ir/facts.ts. */
  readonly asText?: true;
  /** The static engine's errors; empty where it was not tried. */
  readonly errors: readonly Diagnostic[];
}

export function deltaCandidate(
  site: WrittenSite,
  node: TargetNode,
  errors: readonly Diagnostic[],
  engine: "static" | undefined,
  api: TypeScript,
): DeltaCandidate | null {
  const { call, options } = site;
  if (
    (options.engine ?? engine) === "static" ||
    api.isMethodDeclaration(node) ||
    node.body === undefined
  )
    return null;
  const naming = namingOf(node, api);
  const isInPlace =
    node.getSourceFile() === call.getSourceFile() && node.pos >= call.pos && node.end <= call.end;
  if (naming === null ? !isInPlace : isBeyondNamespace(naming, call, api)) return null;
  const named = naming === null ? null : { node: naming, name: nameOf(naming, api) };
  return candidateOf(site, { node, named, isMade: false }, errors);
}

const nameOf = (naming: Naming, api: TypeScript): string =>
  api.isExportAssignment(naming) || naming.name === undefined || !api.isIdentifier(naming.name)
    ? "default"
    : naming.name.text;

/** A site whose function is known only at run time: `grad(gaussian(mu))`. */
export function valueCandidate(
  site: WrittenSite,
  errors: readonly Diagnostic[],
  engine: "static" | undefined,
  checker: ts.TypeChecker,
): DeltaCandidate | null {
  if ((site.options.engine ?? engine) === "static" || isDeltaForm(site.form) || isShown(site))
    return null;
  const signatures = checker.getTypeAtLocation(site.target).getCallSignatures();
  return signatures.length === 1 && signatures[0]?.typeParameters === undefined
    ? candidateOf(site, { node: null, named: null, isMade: false }, errors)
    : null;
}

/**
 * A site whose function a form or a rule makes: `grad(customVjp(f, rule))`, or a constant of a
 * module. Delta evaluates it again.
 */
export function madeCandidate(
  site: WrittenSite,
  errors: readonly Diagnostic[],
  engine: "static" | undefined,
  { api, checker }: { readonly api: TypeScript; readonly checker: ts.TypeChecker },
): DeltaCandidate | null {
  const target = bare(site.target, api);
  if ((site.options.engine ?? engine) === "static" || isShown(site)) return null;
  const symbol = api.isIdentifier(target) ? resolvedSymbol(target, { api, checker }) : null;
  const declared = symbol?.valueDeclaration;
  const isOfModule =
    declared !== undefined &&
    api.isVariableDeclaration(declared) &&
    api.isSourceFile(declared.parent.parent.parent);
  return isOfModule || api.isCallExpression(target)
    ? candidateOf(site, { node: null, named: null, isMade: true }, errors)
    : null;
}

function candidateOf(
  { form, call, target, options, asText }: WrittenSite,
  of: Pick<DeltaCandidate, "node" | "named" | "isMade">,
  errors: readonly Diagnostic[],
): DeltaCandidate {
  return {
    form,
    call,
    target,
    ...of,
    errors,
    argnums: form === "derivativeSource" ? [] : options.argnums,
    tuple: options.tuple,
    hasAux: options.hasAux,
    into: options.into,
    isForced: options.engine === "delta" || isDeltaForm(form),
    ...(asText === true ? { asText } : {}),
  };
}

type Report = (code: Code, at: ts.Node, ...args: readonly string[]) => void;

/** Whether the function has the requested arguments and result, by its types. Reports if not. */
export function isCandidateApplicable(
  candidate: DeltaCandidate,
  api: TypeScript,
  checker: ts.TypeChecker,
  report: Report,
): boolean {
  const { form, target, node, hasAux } = candidate;
  if (isDeltaForm(form)) return true;
  const name = shorten(target.getText());
  const signature =
    node === null
      ? checker.getTypeAtLocation(target).getCallSignatures()[0]
      : checker.getSignatureFromDeclaration(node);
  if (!hasArguments(candidate, signature, api, report)) return false;
  const held = node === null ? null : mapWrittenInto(candidate, node, { api, checker });
  if (held !== null) {
    report("TSG1022", target, `${form}(${name})`, held);
    return false;
  }
  if (signature === undefined || !isOfScalar(form) || hasAux) return true;
  const returned = checker.getReturnTypeOfSignature(signature);
  if (mayBeNumber(checker.getAwaitedType(returned) ?? returned, api)) return true;
  const hasParts = (returned.flags & api.TypeFlags.Object) !== 0;
  const type = checker.typeToString(returned);
  report("TSG2003", target, form, name, type, formsFor(name, hasParts));
  return false;
}

function hasArguments(
  { form, target, node, argnums }: DeltaCandidate,
  signature: ts.Signature | undefined,
  api: TypeScript,
  report: Report,
): boolean {
  const parameters =
    node?.parameters ?? signature?.parameters.map(({ valueDeclaration }) => valueDeclaration) ?? [];
  const last = parameters.at(-1);
  const count = parameters.length;
  const isOpen = last !== undefined && api.isParameter(last) && last.dotDotDotToken !== undefined;
  const isDefault =
    argnums.length === 0 && !defaultsToAllArguments(form) && form !== "derivativeSource";
  const wrong = (isDefault ? [0] : argnums).find(
    (position) => position < 0 || (position >= count && !isOpen),
  );
  if (wrong === undefined || (node !== null && mentionsName(api, node, "arguments"))) return true;
  report(
    "TSG1004",
    target,
    String(wrong),
    shorten(target.getText()),
    count === 1 ? "1 argument" : `${count} arguments`,
    count === 0 ? "missing" : String(count - 1),
  );
  return false;
}

function mayBeNumber(type: ts.Type, api: TypeScript): boolean {
  const { NumberLike, Any, Unknown, TypeParameter } = api.TypeFlags;
  return (
    (type.flags & (NumberLike | Any | Unknown | TypeParameter)) !== 0 ||
    (type.isUnion() && type.types.every(({ flags }) => (flags & NumberLike) !== 0))
  );
}
