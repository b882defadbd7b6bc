// The Heston model: prices of calls by one integral (Lewis 2000), with the characteristic function
// in the form that has no jumps (Albrecher et al. 2007). Plain functions of complex numbers.

export interface Heston {
  /** Variance now, and what it tends to. */
  readonly now: number;
  readonly later: number;
  /** How fast it does. */
  readonly speed: number;
  /** The volatility of the variance, and its correlation with the price. */
  readonly wild: number;
  readonly rho: number;
}

export interface Option {
  readonly strike: number;
  readonly years: number;
}

type Complex = readonly [re: number, im: number];
const times = ([a, b]: Complex, [c, d]: Complex): Complex => [a * c - b * d, a * d + b * c];
const over = ([a, b]: Complex, [c, d]: Complex): Complex => {
  const size = c * c + d * d;
  return [(a * c + b * d) / size, (b * c - a * d) / size];
};
const minus = ([a, b]: Complex, [c, d]: Complex): Complex => [a - c, b - d];
const plus = ([a, b]: Complex, [c, d]: Complex): Complex => [a + c, b + d];
const scaled = (k: number, [a, b]: Complex): Complex => [k * a, k * b];
const exp = ([a, b]: Complex): Complex => [Math.exp(a) * Math.cos(b), Math.exp(a) * Math.sin(b)];
const log = ([a, b]: Complex): Complex => [Math.log(a * a + b * b) / 2, Math.atan2(b, a)];
const sqrt = ([a, b]: Complex): Complex => {
  const size = Math.sqrt(a * a + b * b);
  const re = Math.sqrt((size + a) / 2);
  return [re, b / (2 * re)];
};
const ONE: Complex = [1, 0];

/** The characteristic function of the logarithm of the price at `u - i/2`. */
function characteristic(h: Heston, u: number, years: number): Complex {
  const { wild, speed } = h;
  const pull: Complex = [speed - (h.rho * wild) / 2, -h.rho * wild * u];
  const d = sqrt(plus(times(pull, pull), [wild * wild * (u * u + 0.25), 0]));
  const lower = minus(pull, d);
  const g = over(lower, plus(pull, d));
  const fall = exp(scaled(-years, d));
  const rest = minus(ONE, times(g, fall));
  const byNow = scaled(1 / (wild * wild), over(times(lower, minus(ONE, fall)), rest));
  const byLater = minus(scaled(years, lower), scaled(2, log(over(rest, minus(ONE, g)))));
  const factor = (speed * h.later) / (wild * wild);
  return exp(plus(scaled(factor, byLater), scaled(h.now, byNow)));
}

/** The price of a call on a share of price 1, without interest. */
export function price(h: Heston, { strike, years }: Option): number {
  const k = -Math.log(strike);
  const du = 0.15;
  let integral = 0;
  for (let i = 0; i < 500; i++) {
    const u = (i + 0.5) * du;
    const [re] = times([Math.cos(u * k), Math.sin(u * k)], characteristic(h, u, years));
    integral += (re / (u * u + 0.25)) * du;
  }
  return 1 - (Math.sqrt(strike) / Math.PI) * integral;
}

export function prices(h: Heston, options: readonly Option[]): number[] {
  return options.map((option) => price(h, option));
}
