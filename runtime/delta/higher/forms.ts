// The forms in rewritten code whose derivatives are differentiated. In: a call of what a form
// returned, with active numbers. Out: its result, whose numbers have ids. Forms assemble dense
// derivatives without knowing of ids; they do it twice, once from numbers and once from ids.

import { hessian, hvp } from "../../index.ts";
import { apartFor } from "../apart.ts";
import { note, promiseId } from "../async.ts";
import { applied, deltaOf, handle, link } from "../dispatch.ts";
import type { Family } from "../families.ts";
import { mathematics } from "../natives/scalars.ts";
import { derivative, FORMS, layoutFor, specOf, type Mode } from "../natives/tsgrad.ts";
import { id, ret } from "../register.ts";
import { rulesWithin } from "../rule.ts";
import { isPromise, reading, type Spec } from "../run.ts";
import { isActive } from "../shadows.ts";
import { isRecording, resume, run, type Run } from "../store.ts";
import { derivativeInside } from "../tape.ts";
import { failure, type DeltaFunction, type Id, type Value } from "../value.ts";
import { idTree, withIds } from "./id-trees.ts";
import { linearized, linearMaps } from "./linear-maps.ts";
import * as runs from "./nested.ts";
import * as operators from "./operators.ts";
import { byRule } from "./rule.ts";

/** `second`: forward mode of the gradient. */
type OwnMode = Mode | "second";

type Row = readonly [name: string, of: Value, modes: readonly OwnMode[]];
const ofHessian: Value = hessian;
const ofProduct: Value = hvp;
const SECOND: readonly Row[] = [
  ["hessian", ofHessian, ["second"]],
  ["hvp", ofProduct, ["second"]],
];

interface Target {
  readonly f: Value;
  readonly spec: Spec;
}

type Reverse = (f: DeltaFunction, args: Value[], ids: readonly Id[], spec: Spec) => Value;
const REVERSE: Readonly<Record<string, Reverse>> = {
  grad: runs.grad,
  valueAndGrad: runs.valueAndGrad,
  vjp: runs.vjp,
};

const rewritten = (f: Value): DeltaFunction =>
  deltaOf(f) ?? ((ids, ...args) => applied(f, undefined, args, ids));

/** Copies what the function also sees through variables, with ids. */
const apart = (
  { f, spec }: Target,
  args: Value[],
  mode: OwnMode,
  derive: (args: Value[]) => Value,
): Value =>
  apartFor(
    f,
    args,
    spec.argnums ?? (mode === "vjp" || mode === "jvp" ? undefined : 0),
    derive,
    (values) => runs.copiedWithIds(values, []),
  );

function reverse(of: Target, mode: OwnMode, args: Value[], ids: readonly Id[]): Value {
  const derive = REVERSE[mode];
  if (derive === undefined) throw derivativeInside();
  return apart(of, args, mode, (own) => derive(rewritten(of.f), own, ids, of.spec));
}

function forward(
  of: Target,
  mode: OwnMode,
  [args, ids]: readonly [Value[], readonly Id[]],
  tangents: readonly [Value[], readonly Id[]],
): Value {
  const { f, spec } = of;
  return apart(of, args, mode, (own) => {
    if (mode === "jvp") return runs.pushed(rewritten(f), own, ids, tangents, spec);
    const argnums = spec.argnums ?? 0;
    return runs.pushed(
      (inner, ...all) => runs.grad(rewritten(f), all, inner, spec),
      own,
      ids,
      tangents,
      {
        ...spec,
        argnums: typeof argnums === "number" ? [argnums] : argnums,
        // the result is a cotangent of the arguments
        result: { leaves: spec.leaves ?? [], tags: spec.tags ?? [] },
      },
    );
  });
}

/** The ids of the numbers in a list. */
const idsIn = (list: Value): readonly Id[] =>
  Array.isArray(list)
    ? list.map((each, k) => (typeof each === "number" ? reading.at(list, k, "key") : 0))
    : [];

/** What a form of forward mode was called with: `[primals, tangent or tangents]`, or arguments. */
interface Given {
  readonly primals: readonly Id[];
  readonly tangents: readonly [Value[], readonly Id[]];
}

function givenTo(name: string, { spec }: Target, args: Value[], ids: readonly Id[]): Given {
  if (name !== "jvp" && name !== "hvp") return { primals: ids, tangents: [[], []] };
  const isList = name === "jvp" ? typeof spec.argnums !== "number" : Array.isArray(spec.argnums);
  return {
    primals: idsIn(args[0]),
    tangents: isList ? [args[1], idsIn(args[1])] : [[args[1]], [ids[1] ?? 0]],
  };
}

/** A tangent that the form copied has no ids any more. */
function refuseLost(before: Value[], now: Value[]): void {
  if (now.some((one, k) => one !== before[k] && before[k] !== undefined && isActive(before[k])))
    throw derivativeInside();
}

/** Runs a form twice: the derivatives that it asks for are numbers first, and then their ids. */
function twice(
  name: string,
  of: (...derivatives: Value[]) => Value,
  modes: readonly OwnMode[],
  target: Target,
  [args, ids]: readonly [Value[], readonly Id[]],
): Value {
  const found: Value[] = [];
  const own = run;
  const given = givenTo(name, target, args, ids);
  const noted = (value: Value): Value => {
    // in the order of the calls, whichever ends first
    const at = found.push(undefined) - 1;
    if (!isPromise(value)) {
      found[at] = idTree(value, id);
      return value;
    }
    return value.then((result: Value): Value => {
      resume(own);
      found[at] = idTree(result, promiseId(value));
      return result;
    });
  };
  const pulling = (result: Value): Value => {
    const pullback: Value = result[1];
    const pair = [...result];
    pair[1] = (bar: Value): Value => {
      resume(own);
      return noted(applied(pullback, undefined, [bar], [0]));
    };
    return pair;
  };
  const derived = modes.map((mode) => (...all: Value[]): Value => {
    // a form that waits asks for the next row whenever the last one is there
    resume(own);
    if (mode === "jvp" || mode === "second") {
      refuseLost(given.tangents[0], all[1]);
      return noted(forward(target, mode, [all[0], given.primals], [all[1], given.tangents[1]]));
    }
    const result: Value = noted(reverse(target, mode, all, ids));
    return isPromise(result) ? result.then(pulling) : pulling(result);
  });
  const value = of(...derived)(...args);
  const asIds = (): Value => {
    let k = 0;
    const again = modes.map((mode) => (): Value => {
      const tree: Value = found[k++];
      if (mode !== "vjp") return tree;
      return [tree[0], (): Value => found[k++], ...tree.slice(2)];
    });
    return of(...again)(...args);
  };
  const { tags = [], result = {} } = target.spec;
  const done = (made: Value, tree: Value): Value =>
    withIds(made, tree, [...tags, ...(result.tags ?? [])]);
  return isPromise(value) ? laterWithIds(value, asIds, done, own) : done(value, asIds());
}

/** `own`: the run that goes on. */
function laterWithIds(
  value: Promise<Value>,
  asIds: () => Value,
  done: (made: Value, tree: Value) => Value,
  own: Run,
): Value {
  const later = async (): Promise<Value> => {
    const made: Value = await value;
    const ids: Value = asIds();
    resume(own);
    const result: Value = done(made, ids);
    note(own, promise, result, id);
    return result;
  };
  const promise = later();
  return promise;
}

function forms(): void {
  for (const [name, of, modes] of [...FORMS, ...SECOND]) {
    handle(of, (_self, [f, options, layout]) => {
      if (options?.into === true)
        throw failure(
          "TSG0010",
          "a derivative that is written into an object that is given, inside of what is differentiated",
        );
      const target: Target = { f, spec: specOf(name, options, layout) };
      const made = (...derivatives: Value[]): Value =>
        of(
          f,
          ...(options === undefined ? [] : [options]),
          ...derivatives,
          ...layoutFor(name, layout),
        );
      const [only] = modes;
      const outside = made(
        ...modes.map((mode) =>
          mode === "second" ? unrecorded(target) : derivative(mode, f, target.spec),
        ),
      );
      const within = (ids: Id[], ...args: Value[]): Value => {
        if (name === "linearize")
          return linearized(target.spec, layout?.layout ?? {}, {
            pair: reverse(target, "vjp", args, ids),
            pushed: (own, tangents) => forward(target, "jvp", own, tangents),
            at: [runs.copiedWithIds(args, ids), ids],
          });
        if (name === "transpose") return pullbackAlone(reverse(target, "vjp", args, ids));
        return only !== undefined && only === name && only !== "jvp"
          ? reverse(target, only, args, ids)
          : twice(name, made, modes, target, [args, ids]);
      };
      return ret(
        link(outside, (ids: Id[], ...args: Value[]) =>
          isRecording() ? within(ids, ...args) : ret(outside(...args), 0),
        ),
        0,
      );
    });
  }
}

const pullbackAlone = (pair: Value): Value =>
  ret(isPromise(pair) ? pair.then(([, pullback]: Value): Value => pullback) : pair[1], 0);

/** Forward mode of the gradient outside of every derivative. */
const unrecorded =
  ({ f, spec }: Target): Value =>
  (...[primals, tangents]: Value[]): Value =>
    runs.second(rewritten(f), primals, tangents, spec);

export const nested: Family = () => {
  mathematics(operators);
  rulesWithin(byRule);
  forms();
  linearMaps();
};
