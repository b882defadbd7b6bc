// Calls of functions with a rule from `defineDerivative`. Input: the definition and arguments.
// Output: a call of a wrapper in the definition's module, which calls the real function.
// The result is fresh, and no argument is written.
import type ts from "typescript";
import { Builder, num } from "../../ir/build.ts";
import { Names } from "../../ir/names.ts";
import { isPlain } from "../../ir/shadow.ts";
import type { Atom, Type, Var } from "../../ir/types.ts";
import { isFn, type Arg, type Definition } from "../function-values.ts";
import { UNDEFINED } from "../coerce.ts";
import { Rejected } from "../context.ts";
import type { Frame } from "../frame.ts";
import { filledValue } from "../sites/shipped.ts";

export function applyDefined(
  f: Frame,
  { call, target }: Definition,
  args: readonly Arg[],
  at: ts.Node,
  wanted: string,
): Atom {
  // a callback may receive more arguments than its parameters
  const count = signatureOf(f, target)?.parameters.length ?? 0;
  const passed = Array.from({ length: count }, (_, i): Atom => {
    const arg = args[i] ?? UNDEFINED;
    return isFn(arg) ? f.refuse("TSG1124", at, f.textOf(at)) : arg;
  });
  const callee = f.ctx.addDefined(call, at);
  if (callee === null) throw new Rejected();
  return f.let(wanted, resultOf(f, target), { kind: "call", callee, args: passed });
}

/** Calls the real function, in the module that defines its derivative. */
export function applyOutside(
  f: Frame,
  target: ts.Expression,
  args: readonly Arg[],
  at: ts.Node,
): Atom {
  const atoms = args.map((arg) => (isFn(arg) ? f.refuse("TSG1124", at, f.textOf(at)) : arg));
  const result = resultOf(f, target);
  const params = atoms.map((atom, i): Var => ({ kind: "var", name: `arg${i}`, type: atom.type }));
  const b = new Builder(new Names(params.map(({ name }) => name)), f.ctx.originOf(target), false);
  const value = filledValue(b, result, num(0), f.ctx);
  const callee = f.ctx.addExternal(
    target.getText(),
    { params, result, body: b.body([value]) },
    target,
  );
  return f.let("t", result, { kind: "call", callee, args: atoms });
}

const signatureOf = (f: Frame, target: ts.Expression): ts.Signature | undefined =>
  f.ctx.checker.getTypeAtLocation(target).getCallSignatures()[0];

function resultOf(f: Frame, target: ts.Expression): Type {
  const type = signatureOf(f, target)?.getReturnType();
  const result = type === undefined ? null : f.ctx.typeFrom(type, target);
  return result === null || !isPlain(result, f.ctx.types)
    ? f.refuse(
        "TSG1020",
        target,
        f.textOf(target),
        "its result is not made of numbers, arrays and records alone",
      )
    : result;
}
