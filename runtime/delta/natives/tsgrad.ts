// tsgrad's forms and rules in rewritten code. A derivative within a recorded function is a constant
// there, or throws TSG0014.

import {
  differentiable,
  grad,
  jacfwd,
  jacrev,
  jvp,
  linearize,
  transpose,
  valueAndGrad,
  vjp,
} from "../../index.ts";
import {
  addCotangents,
  checkpoint,
  customJvp,
  customVjp,
  inspect,
  scaleCotangent,
} from "../../operators.ts";
import { scan } from "../../scan.ts";
import { overExamples, vmap } from "../../vmap.ts";
import { listen } from "../../definitions.ts";
import { apartFor } from "../apart.ts";
import { applied, deltaOf, handle, link } from "../dispatch.ts";
import type { Family } from "../families.ts";
import { inspected } from "../inspected.ts";
import { fix } from "../links.ts";
import { id, ret, setId } from "../register.ts";
import { ruled } from "../rule.ts";
import * as run from "../run.ts";
import { isActive } from "../shadows.ts";
import { isRecording } from "../store.ts";
import { derivativeInside } from "../tape.ts";
import { idAt, setIds } from "./elements.ts";
import { failure, type DeltaFunction, type Id, type Value } from "../value.ts";

type Form =
  "grad" | "valueAndGrad" | "vjp" | "transpose" | "jvp" | "linearize" | "jacfwd" | "jacrev";
export type Mode = "grad" | "valueAndGrad" | "vjp" | "jvp";

/** A record, so that a bundle without it contains none of them. */
const REVERSE: Readonly<
  Record<Exclude<Mode, "jvp">, (f: DeltaFunction, args: Value[], spec: run.Spec) => Value>
> = { grad: run.grad, valueAndGrad: run.valueAndGrad, vjp: run.vjp };

/** Each form with the derivatives that it receives. */
export const FORMS: readonly (readonly [Form, Value, readonly Mode[]])[] = [
  ["grad", grad, ["grad"]],
  ["valueAndGrad", valueAndGrad, ["valueAndGrad"]],
  ["vjp", vjp, ["vjp"]],
  ["transpose", transpose, ["vjp"]],
  ["jvp", jvp, ["jvp"]],
  ["linearize", linearize, ["jvp", "vjp"]],
  ["jacfwd", jacfwd, ["jvp"]],
  ["jacrev", jacrev, ["vjp"]],
];
const DENSE = /* @__PURE__ */ new Set(["jacfwd", "jacrev", "hessian", "linearize"]);

/** Dense derivatives of one argument are by the first. */
export function specOf(form: string, options: Value, layout: run.Spec = {}): run.Spec {
  const argnums = options?.argnums ?? (form === "jacfwd" || form === "jacrev" ? 0 : undefined);
  return {
    ...layout,
    ...(argnums === undefined ? {} : { argnums }),
    ...(options?.hasAux === true ? { hasAux: true } : {}),
  };
}

/** What a dense form gets behind its derivatives. */
export const layoutFor = (form: string, layout: Value): readonly Value[] =>
  layout?.layout !== undefined && DENSE.has(form) ? [layout.layout] : [];

export function derivative(mode: Mode, f: Value, spec: run.Spec): Value {
  const delta: DeltaFunction = deltaOf(f) ?? ((ids, ...args) => applied(f, undefined, args, ids));
  const own = (): run.Spec => ({ ...spec, isInner: isRecording() });
  // Without declared parameters, as the callers expect of this engine.
  if (mode === "jvp")
    return (...[primals, tangents]: Value[]): Value =>
      apartFor(f, primals, spec.argnums, (args) => run.jvp(delta, args, tangents, own()));
  const derived = REVERSE[mode];
  const argnums = spec.argnums ?? (mode === "vjp" ? undefined : 0);
  return (...all: Value[]): Value =>
    apartFor(f, all, argnums, (args) => derived(delta, args, own()));
}

function rules(): void {
  handle(customVjp, (_self, [f, rule, captures]) =>
    ret(ruled(customVjp(f, rule), f, rule, "vjp", captures), 0),
  );
  handle(customJvp, (_self, [f, rule]) => ret(ruled(customJvp(f, rule), f, rule, "jvp"), 0));
  listen(({ f, mode, rule }) => {
    if (typeof f !== "function") return;
    const plain = Object.defineProperty(
      (...args: Value[]): Value => Reflect.apply(f, undefined, args),
      "name",
      { value: f.name },
    );
    ruled(f, plain, rule, mode);
    fix(f);
  });
  // The gradient is that of the function itself.
  handle(checkpoint, (_self, [f]) => ret(f, 0));
  handle(differentiable, (_self, [f]) => ret(f, 0));
  handle(inspect, (_self, [x, show], [parent]) => inspected(x, show, parent ?? 0));
  handle(addCotangents, (_self, [x, z]) => ret(z.times(1, 0, x), 0));
  handle(scaleCotangent, (_self, [by, x], [byId]) => ret(x.times(by, byId ?? 0), 0));
}

/** `vmap(f)`: each call of `f` gets the ids of its elements. */
function examples(): void {
  handle(vmap, (_self, [f, options]) =>
    ret(
      link(vmap(f, options), (ids: Id[], ...args: Value[]) => {
        const own: Id[] = [];
        const isSame = (k: number): boolean => options?.axes?.[k] === null;
        const made: Value[] = overExamples(args, options ?? {}, (example: Value[], i) => {
          const given = example.map((value, k) =>
            isSame(k) ? (ids[k] ?? 0) : idAt(args[k], i, value),
          );
          setId(0);
          const result = applied(f, undefined, example, given);
          own[i] = typeof result === "number" ? id : 0;
          return result;
        });
        setIds(made, own);
        return ret(made, 0);
      }),
      0,
    ),
  );
}

/** `scan(step, init, xs)`: the carried value and its id go from call to call. */
function scanned(): void {
  handle(scan, (_self, [step, init, xs], [, initId]) => {
    const isList: boolean = Array.isArray(xs) || ArrayBuffer.isView(xs);
    let [carry, carryId] = [init, initId ?? 0];
    const own: Id[] = [];
    const ys = Array.from({ length: xs.length }, (_, i): Value => {
      const item = isList ? [xs[i]] : [];
      setId(0);
      const pair: Value = applied(
        step,
        undefined,
        [carry, ...item],
        [carryId, isList ? idAt(xs, i, xs[i]) : 0],
      );
      [carry, carryId] = [pair[0], idAt(pair, 0, pair[0])];
      own[i] = idAt(pair, 1, pair[1]);
      return pair[1];
    });
    setIds(ys, own);
    const result = [carry, ys];
    setIds(result, [carryId, 0]);
    return ret(result, 0);
  });
}

function forms(): void {
  for (const [form, of, modes] of FORMS) {
    handle(of, (_self, [f, options, layout]) => {
      if (options?.into === true)
        throw failure(
          "TSG0010",
          "a derivative that is written into an object that is given, inside of what is differentiated",
        );
      const derived = of(
        f,
        ...(options === undefined ? [] : [options]),
        ...modes.map((mode) => derivative(mode, f, specOf(form, options, layout))),
        ...layoutFor(form, layout),
      );
      return ret(
        link(derived, (ids: Id[], ...args: Value[]) => {
          if (
            args.some((arg, k) =>
              typeof arg === "number" ? ids[k] !== undefined && ids[k] !== 0 : isActive(arg),
            )
          )
            throw derivativeInside();
          return ret(derived(...args), 0);
        }),
        0,
      );
    });
  }
}

export const tsgrad: Family = () => {
  rules();
  examples();
  scanned();
  forms();
};
