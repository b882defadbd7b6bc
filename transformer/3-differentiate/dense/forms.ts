// Dense derivatives in one function: `f$jacrev`, `f$jacfwd` and `f$hessian`. Input: a function and
// a call site. Output: the function, or null where the form has to walk objects at run time.

import { num } from "../../ir/build.ts";
import { calleesIn } from "../../ir/calls.ts";
import type { CallSite, FunctionFacts } from "../../ir/facts.ts";
import * as names from "../../ir/names.ts";
import { isScalarType, resolve, type Types } from "../../ir/shadow.ts";
import type { Func, Program, Type } from "../../ir/types.ts";
import { isWritable } from "../../ir/writable.ts";
import { forwardOf } from "../forward/derivative.ts";
import { type ForwardSignature, forwardSignatureOf } from "../forward/signature.ts";
import type { Nested } from "../nested.ts";
import { gradientOf } from "../reverse/gradient.ts";
import type { Residual } from "../reverse/residuals.ts";
import type { Signature } from "../reverse/signature.ts";
import { columnsOf } from "./columns.ts";
import { barTypes, rowsOf } from "./rows.ts";
import { placesOf } from "./shape.ts";

export interface DenseRequest {
  readonly func: Func;
  readonly factsFor: () => FunctionFacts;
  readonly types: Types;
  readonly site: CallSite;
  /** The name of the dense derivative. */
  readonly name: string;
  readonly funcs: Program["funcs"];
  readonly nested: Nested;
  readonly tidied: (func: Func) => Func;
}

export interface Dense {
  readonly func: Func;
  readonly residuals: readonly Residual[];
}

/** The name of a dense derivative, and with `into` of the version that writes a given array. */
export const denseName = (own: string, { into }: CallSite): string =>
  into ? names.into(own) : own;

/** The first of two results where the function also returns an aux value. */
const differentiated = (type: Type, { hasAux }: CallSite, types: Types): Type => {
  const shape = resolve(type, types);
  return hasAux && shape.kind === "tuple" ? (shape.elems[0] ?? type) : type;
};

/** Where an argument is requested twice, or an array to write is impossible, there is none. */
function finished(request: DenseRequest, made: Dense | null): Dense | null {
  const { site, types } = request;
  const { into, hasAux } = site;
  if (made === null) return null;
  if (!into) return made;
  return isWritable(differentiated(made.func.result, site, types), types)
    ? { ...made, func: { ...made.func, into: hasAux ? "0" : "whole" } }
    : null;
}

/** Whether all callees exist: a half of a pair may still be unwritten. */
const callsKnown = (func: Func, funcs: Program["funcs"]): boolean =>
  [...calleesIn(func.body)].every((callee) => funcs.has(callee));

const hasDuplicates = ({ argnums }: CallSite): boolean => new Set(argnums).size < argnums.length;

/** `f$jacrev`, where the result has a known number of numbers. */
export function denseRows(
  request: DenseRequest,
  signatureOf: (callee: string, active: readonly number[]) => Signature,
): Dense | null {
  const { func, types, site, name, nested } = request;
  const { argnums, tuple, hasAux } = site;
  const value = differentiated(func.result, site, types);
  if (hasDuplicates(site) || placesOf(value, types) === null) return null;
  const made = gradientOf({
    func,
    name,
    facts: request.factsFor(),
    types,
    asked: argnums,
    tuple: true,
    hasAux,
    withValue: false,
    seeded: "caller", // constants: what they leave out is folded
    signatureOf,
    nested,
  });
  if (made.problems.length > 0 || !callsKnown(made.func, request.funcs)) return null;
  const pull = request.tidied(made.func);
  const bars = barTypes(func.params, argnums, types);
  const whole = rowsOf({ pull, name, value, hasAux, bars, tuple, types });
  return finished(request, whole === null ? null : { func: whole, residuals: made.residuals });
}

/** `f$jacfwd` or, of a gradient, `f$hessian`, for a known number of argument numbers. */
export function denseColumns(
  request: DenseRequest,
  signatureOf: (callee: string, active: readonly number[]) => ForwardSignature,
): Dense | null {
  const { func, types, site, name, nested } = request;
  const { argnums, tuple, hasAux, form } = site;
  if (hasDuplicates(site)) return null;
  const signature = forwardSignatureOf(func, argnums, types);
  const isWritten = nested.writtenIn(func);
  if (
    !signature.isPair ||
    func.params.some((param) => !isScalarType(param.type) && isWritten(param))
  )
    return null;
  const made = forwardOf({
    func,
    facts: request.factsFor(),
    types,
    name,
    active: argnums,
    isEntry: true,
    signatureOf,
    signature,
    nested,
  });
  if (made.problems.length > 0 || !callsKnown(made.func, request.funcs)) return null;
  const push = request.tidied(made.func);
  const by = argnums.map((i) => func.params[i]?.type ?? num(0).type);
  const value = differentiated(func.result, site, types);
  const isHessian = form === "hessian";
  const whole = columnsOf({ push, name, by, value, hasAux, isHessian, tuple, types });
  return finished(request, whole === null ? null : { func: whole, residuals: [] });
}
