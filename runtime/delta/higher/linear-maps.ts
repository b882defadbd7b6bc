// Linear maps in rewritten code. A map there is a pair of functions of a tangent and its id. In:
// calls of `linearize`, and of the operators of runtime/linear-map.ts. Out: values whose numbers
// have ids. Invariant: a map that is applied by other code gives no number with an id.

import { both, componentOf, FORWARD, insideOf, LinearMap } from "../../linear-map.ts";
import { numbersOf } from "../../tree/numbers.ts";
import type { Layout } from "../../tree/parts.ts";
import { combined, oneHot, zeroOf } from "../../tree/space.ts";
import { applied, handle, handleNew } from "../dispatch.ts";
import { planOf, type Places } from "../inputs.ts";
import { idAt } from "../natives/elements.ts";
import { id, ret } from "../register.ts";
import { isPromise, reading, type Spec } from "../run.ts";
import { isActive } from "../shadows.ts";
import { resume, run } from "../store.ts";
import { derivativeInside } from "../tape.ts";
import type { Id, Value } from "../value.ts";
import {
  idTree,
  plus,
  times,
  type Pair,
  pairsAlong,
  pairsOf,
  withIdsOf,
  withPairs,
} from "./id-trees.ts";
import { listOf, seedsWithIds } from "./nested.ts";

/** One direction of a map. The id of a number is in the register. */
type Side = (x: Value, own: Id) => Value;

/** The space of the values like one. */
interface Space {
  readonly like: () => Value;
  readonly layout: Layout;
  /** Of cotangents: the numbers of a shared object are the sums over its places. */
  readonly isDual: boolean;
}

/** A map, with its spaces. */
interface Sides {
  readonly apply: Side;
  readonly pull: Side;
  readonly from: Space;
  readonly to: Space;
}

const dualOf = (space: Space): Space => ({ ...space, isDual: !space.isDual });

/** The numbers of a result in the space. */
const pairsIn = ({ like, layout, isDual }: Space, x: Value, own: Id): Pair[] =>
  pairsAlong(like(), [x, own], layout, isDual);

/** The numbers of an argument in the space. A cotangent adds up by places, as a seed. */
function pairsGiven({ like, layout, isDual }: Space, x: Value, own: Id): Pair[] {
  const pairs: Pair[] = [];
  const places = combined(idTree(like(), 0), () => pairs.push([0, 0]), layout);
  const plan = planOf(places, 1, PLACES, new Map());
  for (const [k, ...pair] of seedsWithIds(plan, x, own, isDual ? "" : "tangent", layout.tags))
    pairs[k - 1] = plus(pairs[k - 1] ?? [0, 0], pair);
  return pairs;
}

const PLACES: Places = {
  number: () => 1,
  at: (o, key, kind) => (kind === "entry" ? o.get(key) : o[key]),
};

/** The basis vectors of a space. */
function basisOf({ like, layout, isDual }: Space): Value[] {
  const shape: Value = like();
  return numbersOf(shape, layout).map((_, i): Value =>
    oneHot(shape, i, { ...layout, isApart: isDual }),
  );
}

const known = new WeakMap<object, Sides>();

function mapOf(sides: Sides): Value {
  const plain =
    (side: Side) =>
    (x: Value): Value => {
      const y: Value = side(x, 0);
      if (typeof y === "number" ? id !== 0 : isActive(y)) throw derivativeInside();
      return y;
    };
  const { apply, pull, from, to } = sides;
  const map = new LinearMap(
    {
      apply: plain(apply),
      pull: plain(pull),
      from: () => zeroOf(from.like(), from.layout),
      to: () => zeroOf(to.like(), to.layout),
      seeds: { from: from.isDual, to: !to.isDual },
    },
    both(from.layout, to.layout),
  );
  known.set(map, sides);
  return ret(map, 0);
}

/** A map that does not depend on the inputs has a constant transpose. */
function sidesOf(map: Value): Sides {
  const own = known.get(map);
  if (own !== undefined) return own;
  const inside = insideOf(map);
  if (inside === undefined) throw derivativeInside();
  const { parts, layout } = inside;
  const { from: isFrom, to: isTo } = parts.seeds ?? FORWARD;
  const from: Space = { like: () => parts.from(), layout, isDual: isFrom };
  const to: Space = { like: () => parts.to(), layout, isDual: !isTo };
  const side =
    (
      of: (x: Value) => Value,
      reverse: (x: Value) => Value,
      spaces: readonly [Space, Space],
    ): Side =>
    (x, at) => {
      const y: Value = of(x);
      if (typeof x === "number" ? at === 0 : !isActive(x)) return ret(y, 0);
      return withIdsOf(
        y,
        dotsOf((bar) => ret(reverse(bar), 0), spaces, [x, at]),
        layout,
      );
    };
  const apply = (x: Value): Value => parts.apply(x);
  const reverse = (x: Value): Value => parts.pull(x);
  return {
    apply: side(apply, reverse, [from, to]),
    pull: side(reverse, apply, [dualOf(to), dualOf(from)]),
    from,
    to,
  };
}

/** What `linearize` is made of: `[value, pullback]`, and `[value, tangent]` at the arguments. */
interface Made {
  readonly pair: Value;
  /** Null where the function waits. */
  readonly pushed:
    | ((
        at: readonly [Value[], readonly Id[]],
        tangents: readonly [Value[], readonly Id[]],
      ) => Value)
    | null;
  readonly at: readonly [Value[], readonly Id[]];
}

/** `[value, map]` */
export function linearized(spec: Spec, layout: Layout, made: Made): Value {
  const own = run;
  if (!isPromise(made.pair)) return withMap(spec, layout, made);
  return made.pair.then((pair: Value): Value => {
    resume(own);
    return withMap(spec, layout, { ...made, pair, pushed: null });
  });
}

function withMap({ argnums, hasAux }: Spec, layout: Layout, { pair, pushed, at }: Made): Value {
  const [value, pullback, ...aux]: Value[] = pair;
  const isSingle = typeof argnums === "number";
  const [args] = at;
  const space = (like: () => Value): Space => ({ like, layout, isDual: false });
  const from = space(() =>
    isSingle ? args[argnums] : argnums === undefined ? args : argnums.map((k) => args[k]),
  );
  const to = space(() => value);
  const pull: Side = (bar, own) => applied(pullback, undefined, [bar], [own]);
  const apply: Side = (x, own) => {
    if (pushed === null) return withPairs(value, dotsOf(pull, [from, to], [x, own]), layout);
    const ids = isSingle ? [own] : x.map((each: Value, k: number) => idAt(x, k, each));
    const both: Value = pushed(at, [isSingle ? [x] : x, ids]);
    // `[value, tangent]`, or `[value, [tangent, undefined]]` where the value is a pair itself
    const [holder, key]: [Value, number] = hasAux === true ? [both[1], 0] : [both, 1];
    return ret(holder[key], idAt(holder, key, holder[key]));
  };
  const map = mapOf({ apply, pull, from, to });
  const ofAux = aux.map((each, k): [Value, Id] => [each, reading.at(pair, k + 2, "key")]);
  return listOf([[value, reading.at(pair, 0, "key")], [map, 0], ...ofAux]);
}

/** The numbers of a result: `(m ⊙ s)[i] = (e_i ⊙R m) • s`. */
function dotsOf(
  pull: Side,
  [from, to]: readonly [Space, Space],
  [x, own]: readonly [Value, Id],
): Pair[] {
  const pairs = pairsGiven(from, x, own);
  return basisOf(dualOf(to)).map((seed): Pair => {
    const bar: Value = pull(seed, 0);
    return pairsIn(dualOf(from), bar, id).reduce<Pair>(
      (total, each, k) => plus(total, times(each, pairs[k] ?? [0, 0])),
      [0, 0],
    );
  });
}

const transposed = ({ apply, pull, from, to }: Sides): Sides => ({
  apply: pull,
  pull: apply,
  from: dualOf(to),
  to: dualOf(from),
});

/** `a + b`, with ids. */
function sum(
  [a, aId]: readonly [Value, Id],
  b: readonly [Value, Id],
  { layout, isDual }: Space,
): Value {
  const others = pairsAlong(a, b, layout, isDual);
  const sums = pairsOf(a, aId, layout).map((each, k) => plus(each, others[k] ?? [0, 0]));
  return withPairs(a, sums, layout);
}

/** `k a`, with ids. */
const product = (k: Pair, [a, aId]: readonly [Value, Id], { layout }: Space): Value =>
  withPairs(
    a,
    pairsOf(a, aId, layout).map((each) => times(k, each)),
    layout,
  );

function composed(m: Sides, n: Sides): Sides {
  const after =
    (second: Side, first: Side): Side =>
    (x, own) => {
      const y: Value = first(x, own);
      return second(y, id);
    };
  return {
    apply: after(m.apply, n.apply),
    pull: after(n.pull, m.pull),
    from: n.from,
    to: m.to,
  };
}

function added(m: Sides, n: Sides): Sides {
  const total =
    (one: Side, other: Side, space: Space): Side =>
    (x, own) => {
      const a: Value = one(x, own);
      const aId = id;
      const b: Value = other(x, own);
      return sum([a, aId], [b, id], space);
    };
  return {
    ...m,
    apply: total(m.apply, n.apply, m.to),
    pull: total(m.pull, n.pull, dualOf(m.from)),
  };
}

function scaled(k: number, kId: Id, m: Sides): Sides {
  const multiple =
    (side: Side, space: Space): Side =>
    (x, own) => {
      const y: Value = side(x, own);
      return product([k, kId], [y, id], space);
    };
  return { ...m, apply: multiple(m.apply, m.to), pull: multiple(m.pull, dualOf(m.from)) };
}

/** `V(m) : S ⊸ Vec T`; `like`: a value of S, for no maps. */
function juxtaposed(maps: readonly Sides[], like: Value): Sides {
  const [first] = maps;
  if (first === undefined) return sidesOf(LinearMap.vertAll([], like));
  const { from, to } = first;
  return {
    apply: (x, own) => listOf(maps.map((m): [Value, Id] => [m.apply(x, own), id])),
    pull: (bar) =>
      maps.reduce((before: Value, m, k): Value => {
        const beforeId = id;
        const part: Value = componentOf(bar, k, maps.length);
        const y: Value = m.pull(part, idAt(bar, k, part));
        return k === 0 ? y : sum([before, beforeId], [y, id], dualOf(from));
      }, undefined),
    from,
    to: {
      // a value for each map, though maps may be the same
      like: () => maps.map((m): Value => zeroOf(m.to.like(), m.to.layout)),
      layout: maps.map((m) => m.to.layout).reduce(both, {}),
      isDual: to.isDual,
    },
  };
}

/** The matrix, by rows. */
const matrixOf = ({ pull, from, to }: Sides): Value =>
  ret(
    basisOf(dualOf(to)).map((seed): Value => {
      const bar: Value = pull(seed, 0);
      return listOf(pairsIn(dualOf(from), bar, id));
    }),
    0,
  );

const constant = (value: Value) => (): Value => value;
const same: Side = (x, own) => ret(x, own);

/** `new LinearMap(parts, layout)`, with rewritten functions */
function constructedMap(self: Value, [parts, layout = {}]: Value[]): Value {
  if (self !== LinearMap) return Reflect.construct(LinearMap, [parts, layout], self);
  const side =
    (name: "apply" | "pull"): Side =>
    (x, own) =>
      applied(parts[name], parts, [x], [own]);
  const space = (name: "from" | "to", isDual: boolean): Space => ({
    like: (): Value => applied(parts[name], parts, [], []),
    layout,
    isDual,
  });
  const { from, to } = parts.seeds ?? FORWARD;
  return mapOf({
    apply: side("apply"),
    pull: side("pull"),
    from: space("from", from),
    to: space("to", !to),
  });
}

export function linearMaps(): void {
  const { prototype } = LinearMap;
  const method = (
    name: keyof typeof prototype,
    of: (m: Sides, args: Value[], ids: Id[]) => Value,
  ) => {
    handle(prototype[name], (self, args, ids) => of(sidesOf(self), args, ids));
  };
  method("apply", (m, [x], [own]) => m.apply(x, own ?? 0));
  method("applyReverse", (m, [x], [own]) => m.pull(x, own ?? 0));
  method("transpose", (m) => mapOf(transposed(m)));
  method("compose", (m, [n]) => mapOf(composed(m, sidesOf(n))));
  method("add", (m, [n]) => mapOf(added(m, sidesOf(n))));
  method("scale", (m, [k], [own]) => mapOf(scaled(k, own ?? 0, m)));
  handle(prototype.toMatrix, (self: Value) =>
    known.has(self) ? matrixOf(sidesOf(self)) : ret(self.toMatrix(), 0),
  );
  const space = (like: Value): Space => ({ like: constant(like), layout: {}, isDual: false });
  const unit = (like: Value): Sides => ({
    apply: same,
    pull: same,
    from: space(like),
    to: space(like),
  });
  handleNew(LinearMap, constructedMap);
  handle(LinearMap.identity, (_self, [like]) => mapOf(unit(like)));
  handle(LinearMap.scale, (_self, [k, like], [own]) => mapOf(scaled(k, own ?? 0, unit(like))));
  handle(LinearMap.zero, (_self, [from, to]) =>
    mapOf({
      apply: () => ret(zeroOf(to), 0),
      pull: () => ret(zeroOf(from), 0),
      from: space(from),
      to: space(to),
    }),
  );
  const vertical = (maps: Value[], like?: Value): Sides => juxtaposed(maps.map(sidesOf), like);
  const horizontal = (maps: Value[], like?: Value): Sides =>
    transposed(
      juxtaposed(
        maps.map((m) => transposed(sidesOf(m))),
        like,
      ),
    );
  handle(LinearMap.vert, (_self, maps) => mapOf(vertical(maps)));
  handle(LinearMap.hori, (_self, maps) => mapOf(horizontal(maps)));
  handle(LinearMap.vertAll, (_self, [maps, like]) => mapOf(vertical(maps, like)));
  handle(LinearMap.horiAll, (_self, [maps, like]) => mapOf(horizontal(maps, like)));
}
