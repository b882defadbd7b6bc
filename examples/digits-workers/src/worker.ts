// What a worker thread does: the loss and its gradient for its share of a batch.

import { type Cotangent, valueAndGrad } from "tsgrad";
import { loss, type Network, training } from "./model.js";

export interface Share {
  readonly net: Network;
  readonly from: number;
  readonly to: number;
}

const slope = valueAndGrad(loss);

export default function work({ net, from, to }: Share): [number, Cotangent<Network>] {
  return slope(net, training.slice(from, to));
}
