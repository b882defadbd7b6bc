// Medians and quartiles of what the bench measured. In: samples by round, as `fixtures/bench/harness/run.ts` prints them, of several processes. Out: rows of
// docs/bench.json. Invariant: a ratio is taken within rounds, where both ran under the same conditions, and is the median of the processes' medians.

export type Samples = readonly (number | null | undefined)[];

/** What one process measured of one size of a workload; times in nanoseconds a call. */
export interface Measured {
  readonly workload: string;
  readonly size: string;
  readonly note: string;
  readonly isDense: boolean;
  readonly samples: Readonly<Record<string, Samples>>;
  readonly peers: Readonly<Record<string, string>>;
}

export interface Spread {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

export interface Row {
  readonly workload: string;
  readonly size: string;
  readonly note: string;
  readonly isDense: boolean;
  /** Of a call of the primal. */
  readonly nanoseconds: number;
  /** Time of a variant over the time of the derivative by hand. */
  readonly overHand: Readonly<Record<string, Spread>>;
  /** Time of a variant over the time of tsgrad's derivative. */
  readonly overTsgrad: Readonly<Record<string, Spread>>;
  /** Time of tsgrad's derivative and of the one by hand over the time of the primal. */
  readonly overPrimal: Readonly<Record<string, Spread>>;
  readonly peers: Readonly<Record<string, string>>;
}

export interface Results {
  /** Node's version, the processor. */
  readonly machine: string;
  readonly rows: readonly Row[];
}

export function rowOf(processes: readonly Measured[]): Row {
  const [first] = processes;
  if (first === undefined) throw new Error("nothing was measured");
  const variants = Object.keys(first.samples);
  const over = (under: string, of: readonly string[]): Record<string, Spread> =>
    Object.fromEntries(of.map((variant) => [variant, ratioOf(processes, variant, under)]));
  const nanoseconds = processes.map(
    ({ samples }) => spreadOf(taken(samples["primal"] ?? [])).median,
  );
  const { workload, size, note, isDense, peers } = first;
  return {
    workload,
    size,
    note,
    isDense,
    peers,
    nanoseconds: rounded(spreadOf(nanoseconds).median),
    overHand: over(
      "hand",
      variants.filter((variant) => variant !== "hand"),
    ),
    overTsgrad: over(
      "tsgrad",
      variants.filter((variant) => variant === "delta" || variant in peers),
    ),
    overPrimal: over("primal", ["tsgrad", "hand"]),
  };
}

function ratioOf(processes: readonly Measured[], over: string, under: string): Spread {
  const each = processes
    .map(({ samples }) => ratios(samples[over] ?? [], samples[under] ?? []))
    .filter((list) => list.length > 0);
  const medians = each.map((list) => spreadOf(list).median);
  const { low, high } = spreadOf(each.flat());
  return { low: rounded(low), median: rounded(spreadOf(medians).median), high: rounded(high) };
}

export function spreadOf(numbers: readonly number[]): Spread {
  const sorted = [...numbers].sort((one, other) => one - other);
  const at = (part: number): number => {
    const place = part * (sorted.length - 1);
    const [below, above] = [sorted[Math.floor(place)] ?? NaN, sorted[Math.ceil(place)] ?? NaN];
    return below + (above - below) * (place - Math.floor(place));
  };
  return { low: at(0.25), median: at(0.5), high: at(0.75) };
}

const taken = (samples: Samples): number[] =>
  samples.filter((sample) => typeof sample === "number");

const ratios = (over: Samples, under: Samples): number[] =>
  over.flatMap((sample, round) => {
    const other = under[round];
    return typeof sample === "number" && typeof other === "number" ? [sample / other] : [];
  });

/** Four digits: more are noise. */
const rounded = (number: number): number => Number(number.toPrecision(4));

export const geometricMean = (numbers: readonly number[]): number =>
  Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length);
