// The transpose of a function that is linear. Out: its pullback, which throws TSG0026 where it is
// another one at two other points; all numbers have the other sign at one of them.

import { copied } from "../tree/build.ts";
import { numbersOf } from "../tree/numbers.ts";
import { isPromise, listed, mayShare, type Spec } from "./run.ts";
import { failure, type DeltaFunction, type Value } from "./value.ts";

type Vjp = (f: DeltaFunction, args: Value[], spec?: Spec) => Value;

/** `vjp`, whose pullback is compared. Runs the function three times. */
export const comparing =
  (vjp: Vjp): Vjp =>
  (f, args, spec) => {
    const asked = listed(spec?.argnums, [...args.keys()]);
    const elsewhere = [1, -1].map((sign) =>
      args.map((arg, k) => (asked.includes(k) ? moved(arg, sign) : arg)),
    );
    const here = vjp(f, args, spec);
    if (!isPromise(here))
      return compared(
        here,
        elsewhere.map((point) => vjp(f, point, spec)),
      );
    return (async (): Promise<Value> => {
      const own: Value = await here;
      const others: Value[] = [];
      for (const point of elsewhere) others.push(await vjp(f, point, spec));
      return compared(own, others);
    })();
  };

/** Each number by another distance, which is larger than itself. */
function moved(arg: Value, sign: number): Value {
  const by = (i: number, own: number): number =>
    own + sign * (1 + Math.abs(own)) * (1.5 + ((i * 0.618) % 1));
  return typeof arg === "number" ? by(0, arg) : mayShare(arg) ? copied(arg, by) : arg;
}

function compared([value, pullback]: Value, others: Value[]): Value {
  return [
    value,
    (cotangent: Value): Value => {
      const own: Value = pullback(cotangent);
      const numbers = numbersOf(own);
      for (const [, pull] of others) {
        const other = numbersOf(pull(cotangent));
        if (other.length !== numbers.length || other.some((x, i) => !isSame(x, numbers[i])))
          throw failure(
            "TSG0026",
            "the function is not linear: its transpose is another one at other arguments; name by `argnums` the arguments that it is linear in",
          );
      }
      return own;
    },
  ];
}

/** A linear function computes the same products at all points, so nothing is rounded otherwise. */
const isSame = (x: number, z: number | undefined): boolean => x === z || (x !== x && z !== z);
