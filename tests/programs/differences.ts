// Derivatives of plain JavaScript by finite differences. In: a function of one number. Out: its slope and how sure that is.
// Invariant: nothing of the compiler or its rules is used. Blind where f has a kink within every step, and below about 1e-9 relative.

export interface Slope {
  readonly value: number;
  /** Estimated error: infinite where no two steps agree. */
  readonly error: number;
}

/**
 * Steps from which the extrapolation starts: large ones beat rounding, small ones stay on one side of a branch. Powers of two, so that
 * arguments of few digits can be moved by them without rounding, in a Float32Array too.
 */
const STARTS = [2 ** -3, 2 ** -6, 2 ** -9, 2 ** -13];
const SHRINK = 2;
const ROUNDS = 6;

/** Central differences, extrapolated to step 0 (Ridders 1982): order 2 per column, best estimate by agreement of neighbours. */
export function slopeOf(f: (t: number) => number, at: number): Slope {
  let best: Slope = { value: NaN, error: Infinity };
  for (const start of STARTS) {
    const found = extrapolated(f, start * 2 ** Math.floor(Math.log2(Math.max(Math.abs(at), 0.5))));
    if (found.error < best.error) best = found;
  }
  return best;
}

function extrapolated(f: (t: number) => number, start: number): Slope {
  let best: Slope = { value: NaN, error: Infinity };
  let previous: number[] = [];
  for (let round = 0, h = start; round < ROUNDS; round++, h /= SHRINK) {
    const row = [(f(h) - f(-h)) / (2 * h)];
    for (let k = 1, factor = SHRINK * SHRINK; k <= round; k++, factor *= SHRINK * SHRINK) {
      const [fine, coarse] = [row[k - 1] ?? NaN, previous[k - 1] ?? NaN];
      const value = (fine * factor - coarse) / (factor - 1);
      const error = Math.max(Math.abs(value - fine), Math.abs(value - coarse));
      if (error < best.error) best = { value, error };
      row.push(value);
    }
    previous = row;
  }
  return best;
}
