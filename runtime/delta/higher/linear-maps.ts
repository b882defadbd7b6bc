// Linear maps in rewritten code. A map there is a pair of functions of a tangent and its id. In:
// calls of `linearize`, and of the operators of runtime/linear-map.ts. Out: values whose numbers
// have ids. Invariant: a map that is applied by other code gives no number with an id.

import { LinearMap } from "../../linear-map.ts";
import { numbersAlong, numbersOf } from "../../tree/numbers.ts";
import type { Layout } from "../../tree/parts.ts";
import { combined, oneHot, plus, times, zeroOf } from "../../tree/space.ts";
import { applied, handle } from "../dispatch.ts";
import { idAt } from "../natives/elements.ts";
import { id, ret } from "../register.ts";
import { isPromise, reading, type Spec } from "../run.ts";
import { isActive } from "../shadows.ts";
import { resume, run } from "../store.ts";
import { derivativeInside } from "../tape.ts";
import type { Id, Value } from "../value.ts";
import { idTree, withIds } from "./id-trees.ts";
import { listOf } from "./nested.ts";
import { higher2 } from "./nodes.ts";

/** One direction of a map. The id of a number is in the register. */
type Side = (x: Value, own: Id) => Value;

/** A map, with values of both spaces. */
interface Sides {
  readonly apply: Side;
  readonly pull: Side;
  readonly from: () => Value;
  readonly to: () => Value;
  readonly layout: Layout;
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
  const { apply, pull, from, to, layout } = sides;
  const map = new LinearMap(
    { apply: plain(apply), pull: plain(pull), from: () => zeroOf(from()), to: () => zeroOf(to()) },
    layout,
  );
  known.set(map, sides);
  return ret(map, 0);
}

/** A map that does not depend on the inputs has a constant transpose. */
function sidesOf(map: Value): Sides {
  const own = known.get(map);
  if (own !== undefined) return own;
  const unknown = (): never => {
    throw derivativeInside();
  };
  const side =
    (of: (x: Value) => Value, reverse: (x: Value) => Value): Side =>
    (x, at) => {
      const y: Value = of(x);
      if (typeof x === "number" ? at === 0 : !isActive(x)) return ret(y, 0);
      const pull: Side = (bar) => ret(reverse(bar), 0);
      return byPullback({ pull, from: unknown, to: () => y, layout: {} }, x, at);
    };
  const apply = (x: Value): Value => map.apply(x);
  const reverse = (x: Value): Value => map.applyReverse(x);
  return {
    apply: side(apply, reverse),
    pull: side(reverse, apply),
    from: unknown,
    to: unknown,
    layout: {},
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
  const sides = {
    pull: (bar: Value, own: Id): Value => applied(pullback, undefined, [bar], [own]),
    from: (): Value =>
      isSingle ? args[argnums] : argnums === undefined ? args : argnums.map((k) => args[k]),
    to: (): Value => value,
    layout,
  };
  const apply: Side = (x, own) => {
    if (pushed === null) return byPullback(sides, x, own);
    const ids = isSingle ? [own] : x.map((each: Value, k: number) => idAt(x, k, each));
    const both: Value = pushed(at, [isSingle ? [x] : x, ids]);
    // `[value, tangent]`, or `[value, [tangent, undefined]]` where the value is a pair itself
    const [holder, key]: [Value, number] = hasAux === true ? [both[1], 0] : [both, 1];
    return ret(holder[key], idAt(holder, key, holder[key]));
  };
  const map = mapOf({ ...sides, apply });
  const ofAux = aux.map((each, k): [Value, Id] => [each, reading.at(pair, k + 2, "key")]);
  return listOf([[value, reading.at(pair, 0, "key")], [map, 0], ...ofAux]);
}

/** `(m ⊙ s)[i] = (e_i ⊙R m) • s` */
function byPullback({ pull, to, layout }: Omit<Sides, "apply">, x: Value, own: Id): Value {
  const [numbers, ids] = [numbersOf(x, layout), numbersOf(idTree(x, own), layout)];
  const like: Value = to();
  const dots = numbersOf(like, layout).map((_, i): readonly [number, Id] => {
    const bar: Value = pull(oneHot(like, i, layout), 0);
    const [bars, barIds] = [
      numbersAlong(x, bar, layout),
      numbersAlong(idTree(x, 0), idTree(bar, id), layout),
    ];
    let [total, totalId] = [0, 0];
    bars.forEach((b, k) => {
      const [bId, n, nId] = [barIds[k] ?? 0, numbers[k] ?? 0, ids[k] ?? 0];
      total += b * n;
      totalId = higher2(totalId, 1, 0, higher2(bId, n, nId, nId, b, bId), 1, 0);
    });
    return [total, totalId];
  });
  const part = (of: 0 | 1): Value => combined(like, (i) => dots[i]?.[of] ?? 0, layout);
  return withIds(part(0), part(1));
}

const transposed = ({ apply, pull, from, to, layout }: Sides): Sides => ({
  apply: pull,
  pull: apply,
  from: to,
  to: from,
  layout,
});

/** `a + b`, with ids. */
function sum(a: Value, aId: Id, b: Value, bId: Id, layout: Layout): Value {
  if (typeof a === "number") return ret(a + b, higher2(aId, 1, 0, bId, 1, 0));
  const tree: Value = idTree(a, 0);
  const [left, right] = [numbersOf(tree, layout), numbersAlong(tree, idTree(b, 0), layout)];
  const ids: Value = combined(
    tree,
    (i) => higher2(left[i] ?? 0, 1, 0, right[i] ?? 0, 1, 0),
    layout,
  );
  return withIds(plus(a, b, layout), ids);
}

/** `k a`, with ids. */
function product(k: number, kId: Id, a: Value, aId: Id, layout: Layout): Value {
  if (typeof a === "number") return ret(k * a, higher2(aId, k, kId, kId, a, aId));
  const tree: Value = idTree(a, 0);
  const [numbers, ids] = [numbersOf(a, layout), numbersOf(tree, layout)];
  const made: Value = combined(
    tree,
    (i) => higher2(ids[i] ?? 0, k, kId, kId, numbers[i] ?? 0, ids[i] ?? 0),
    layout,
  );
  return withIds(times(k, a, layout), made);
}

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
    layout: both(m.layout, n.layout),
  };
}

function added(m: Sides, n: Sides): Sides {
  const layout = both(m.layout, n.layout);
  const total =
    (one: Side, other: Side): Side =>
    (x, own) => {
      const a: Value = one(x, own);
      const aId = id;
      const b: Value = other(x, own);
      return sum(a, aId, b, id, layout);
    };
  return { ...m, apply: total(m.apply, n.apply), pull: total(m.pull, n.pull), layout };
}

function scaled(k: number, kId: Id, m: Sides): Sides {
  const multiple =
    (side: Side): Side =>
    (x, own) => {
      const y: Value = side(x, own);
      return product(k, kId, y, id, m.layout);
    };
  return { ...m, apply: multiple(m.apply), pull: multiple(m.pull) };
}

/** `V(m) : S ⊸ Vec T`; `like`: a value of S, for no maps. */
function juxtaposed(maps: readonly Sides[], like: () => Value): Sides {
  const layout = maps.map((m) => m.layout).reduce(both, {});
  return {
    apply: (x, own) => listOf(maps.map((m): [Value, Id] => [m.apply(x, own), id])),
    pull: (bar) =>
      maps.reduce(
        (before: Value, m, k): Value => {
          const beforeId = id;
          const y: Value = m.pull(bar[k], idAt(bar, k, bar[k]));
          return k === 0 ? y : sum(before, beforeId, y, id, layout);
        },
        ret(maps.length === 0 ? zeroOf(like()) : undefined, 0),
      ),
    from: maps[0]?.from ?? like,
    to: () => maps.map((m): Value => m.to()),
    layout,
  };
}

const both = (a: Layout, b: Layout): Layout =>
  b.tags === undefined ? a : { tags: [...(a.tags ?? []), ...b.tags] };

/** The matrix, by rows. */
function matrixOf({ pull, from, to, layout }: Sides): Value {
  const [like, rows]: [Value, Value] = [from(), to()];
  const width = numbersOf(like, layout).length;
  const matrix = numbersOf(rows, layout).map((_, r): Value => {
    const bar: Value = pull(oneHot(rows, r, layout), 0);
    const at = id;
    const ids = numbersAlong(idTree(like, 0), idTree(bar, at), layout);
    const numbers = numbersAlong(like, bar, layout);
    return listOf(Array.from({ length: width }, (__, k) => [numbers[k] ?? 0, ids[k] ?? 0]));
  });
  return ret(matrix, 0);
}

const constant = (value: Value) => (): Value => value;
const same: Side = (x, own) => ret(x, own);

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
  const unit = (like: Value): Sides => ({
    apply: same,
    pull: same,
    from: constant(like),
    to: constant(like),
    layout: {},
  });
  handle(LinearMap.identity, (_self, [like]) => mapOf(unit(like)));
  handle(LinearMap.scale, (_self, [k, like], [own]) => mapOf(scaled(k, own ?? 0, unit(like))));
  handle(LinearMap.zero, (_self, [from, to]) =>
    mapOf({
      apply: () => ret(zeroOf(to), 0),
      pull: () => ret(zeroOf(from), 0),
      from: constant(from),
      to: constant(to),
      layout: {},
    }),
  );
  const vertical = (maps: Value[], like?: Value): Sides =>
    juxtaposed(maps.map(sidesOf), constant(like));
  const horizontal = (maps: Value[], like?: Value): Sides =>
    transposed(
      juxtaposed(
        maps.map((m) => transposed(sidesOf(m))),
        constant(like),
      ),
    );
  handle(LinearMap.vert, (_self, maps) => mapOf(vertical(maps)));
  handle(LinearMap.hori, (_self, maps) => mapOf(horizontal(maps)));
  handle(LinearMap.vertAll, (_self, [maps, like]) => mapOf(vertical(maps, like)));
  handle(LinearMap.horiAll, (_self, [maps, like]) => mapOf(horizontal(maps, like)));
}
