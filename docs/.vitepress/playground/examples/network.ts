import { valueAndGrad } from "tsgrad";

// A network with one hidden layer learns "exclusive or".
interface Network {
  hidden: number[][]; // for each unit: two weights and a bias
  out: number[]; // for each unit a weight, then a bias
}

function answer(net: Network, a: number, b: number): number {
  const { hidden, out } = net;
  let sum = out[hidden.length];
  for (let i = 0; i < hidden.length; i++) {
    const unit = hidden[i];
    sum += out[i] * Math.tanh(unit[0] * a + unit[1] * b + unit[2]);
  }
  return sum;
}

function loss(net: Network, table: number[][]): number {
  let total = 0;
  for (const row of table) total += (answer(net, row[0], row[1]) - row[2]) ** 2;
  return total;
}

const step = valueAndGrad(loss);
const table = [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]];

// Random numbers that are the same each time.
let seed = 7;
const random = (): number => {
  seed = (seed * 16807) % 2147483647;
  return (seed / 2147483647) * 2 - 1;
};
const net: Network = {
  hidden: Array.from({ length: 4 }, () => [random(), random(), random()]),
  out: Array.from({ length: 5 }, random),
};

for (let i = 0; i <= 2000; i++) {
  const [value, slope] = step(net, table);
  if (i % 400 === 0) console.log(`step ${i}: loss ${value.toExponential(2)}`);
  net.hidden.forEach((unit, k) => unit.forEach((_, j) => (unit[j] -= 0.1 * slope.hidden[k][j])));
  net.out.forEach((_, j) => (net.out[j] -= 0.1 * slope.out[j]));
}

for (const [a, b] of table) console.log(`${a} xor ${b} = ${answer(net, a, b).toFixed(3)}`);
