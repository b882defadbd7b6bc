// What a call site is for the Delta engine. In: a written site, its function, and why the static engine refuses it. Out: a candidate, or
// null where only the static engine may answer. Invariant: a candidate's function can be named at the call, or stands in it.

import type ts from "typescript";
import type { Code } from "../../diagnostics/registry.ts";
import type { Diagnostic } from "../../diagnostics/report.ts";
import { asksForAll, type Form, isDeltaForm, isOfScalar, modesOf } from "../../ir/facts.ts";
import type { TypeScript } from "../context.ts";
import { namingOf } from "./homes.ts";
import type { WrittenSite } from "./sites.ts";
import { shorten, type TargetNode } from "./targets.ts";

export interface DeltaCandidate {
  readonly form: Form;
  readonly call: ts.CallExpression;
  readonly target: ts.Expression;
  /** Null: it is a value, and which function that is, is known when it runs. */
  readonly node: TargetNode | null;
  readonly named: { readonly node: ts.Node; readonly name: string } | null;
  readonly argnums: readonly number[];
  readonly tuple: boolean;
  readonly hasAux: boolean;
  readonly into: boolean;
  /** The call asks for this engine. */
  readonly isForced: boolean;
  /** What the static engine says; empty where it was not asked. */
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
  // a second derivative is the static engine's alone, whose errors say what is in the way
  if (options.engine !== "delta" && errors.length > 0 && modesOf(site.form).includes("second"))
    return null;
  const naming = namingOf(node, api);
  const isInPlace =
    node.getSourceFile() === call.getSourceFile() && node.pos >= call.pos && node.end <= call.end;
  if (naming === null ? !isInPlace : isBeyondNamespace(naming, call, api)) return null;
  const name =
    naming === null
      ? "f"
      : api.isExportAssignment(naming) ||
          naming.name === undefined ||
          !api.isIdentifier(naming.name)
        ? "default"
        : naming.name.text;
  return candidateOf(
    site,
    { node, named: naming === null ? null : { node: naming, name } },
    errors,
  );
}

/** A site whose function is known when it runs: `grad(gaussian(mu))`. */
export function valueCandidate(
  site: WrittenSite,
  errors: readonly Diagnostic[],
  engine: "static" | undefined,
  checker: ts.TypeChecker,
): DeltaCandidate | null {
  if (
    (site.options.engine ?? engine) === "static" ||
    isDeltaForm(site.form) ||
    site.form === "derivativeSource" ||
    modesOf(site.form).includes("second")
  )
    return null;
  const signatures = checker.getTypeAtLocation(site.target).getCallSignatures();
  return signatures.length === 1 && signatures[0]?.typeParameters === undefined
    ? candidateOf(site, { node: null, named: null }, errors)
    : null;
}

function candidateOf(
  { form, call, target, options }: WrittenSite,
  of: Pick<DeltaCandidate, "node" | "named">,
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
  };
}

/** Whether a namespace declares it and the call stands outside: its rewritten form has no name there. */
export function isBeyondNamespace(naming: ts.Node, call: ts.Node, api: TypeScript): boolean {
  const block = api.findAncestor(naming, api.isModuleBlock);
  return block !== undefined && api.findAncestor(call, (each) => each === block) === undefined;
}

type Report = (code: Code, at: ts.Node, ...args: readonly string[]) => void;

/** Whether the call asks for what the function has, as its types say. Reports what it does not. */
export function isCandidateAnswerable(
  { form, target, node, argnums, hasAux }: DeltaCandidate,
  api: TypeScript,
  checker: ts.TypeChecker,
  report: Report,
): boolean {
  if (isDeltaForm(form)) return true;
  const name = shorten(target.getText());
  if (modesOf(form).includes("second")) {
    report("TSG1302", target, form, name);
    return false;
  }
  const signature =
    node === null
      ? checker.getTypeAtLocation(target).getCallSignatures()[0]
      : checker.getSignatureFromDeclaration(node);
  const parameters =
    node?.parameters ?? signature?.parameters.map(({ valueDeclaration }) => valueDeclaration) ?? [];
  const last = parameters.at(-1);
  const count = parameters.length;
  const isOpen = last !== undefined && api.isParameter(last) && last.dotDotDotToken !== undefined;
  const asked =
    argnums.length === 0 && !asksForAll(form) && form !== "derivativeSource" ? [0] : argnums;
  const wrong = asked.find((position) => position < 0 || (position >= count && !isOpen));
  if (wrong !== undefined && !(node !== null && usesArguments(node, api))) {
    report(
      "TSG1004",
      target,
      String(wrong),
      name,
      count === 1 ? "1 argument" : `${count} arguments`,
      count === 0 ? "missing" : String(count - 1),
    );
    return false;
  }
  if (signature === undefined || !isOfScalar(form) || hasAux) return true;
  const returned = checker.getReturnTypeOfSignature(signature);
  const result = checker.getAwaitedType(returned) ?? returned;
  if (
    (result.flags &
      (api.TypeFlags.NumberLike |
        api.TypeFlags.Any |
        api.TypeFlags.Unknown |
        api.TypeFlags.TypeParameter)) !==
    0
  )
    return true;
  if (
    result.isUnion() &&
    result.types.every((type) => (type.flags & api.TypeFlags.NumberLike) !== 0)
  )
    return true;
  report("TSG2003", target, form, name, checker.typeToString(returned));
  return false;
}

function usesArguments(node: ts.Node, api: TypeScript): boolean {
  if (api.isIdentifier(node) && node.text === "arguments") return true;
  return api.forEachChild(node, (child) => usesArguments(child, api) || undefined) ?? false;
}
