// Recognises `stopGradient(x)`: its value is the operand, without derivative.

import type { Let } from "./types.ts";

export const isStopGradient = ({ expr }: Let): boolean =>
  expr.kind === "extern" &&
  expr.inert === true &&
  expr.effect === "pure" &&
  expr.args.length === 1 &&
  expr.text.length === 2 &&
  expr.text.every((text) => text === "");
