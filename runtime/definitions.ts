// What `defineDerivative` has said while the program runs, for the engine that looks at functions while they run. In: functions with their rules. Out: the same,
// to whoever listens. Invariant: none is lost, whether it was said before or after there was a listener; without that engine this does nothing.

export interface Definition {
  readonly f: unknown;
  readonly mode: "vjp" | "jvp";
  readonly rule: unknown;
}

const waiting: Definition[] = [];
let listener: ((definition: Definition) => void) | null = null;

export function define(definition: Definition): void {
  if (listener === null) waiting.push(definition);
  else listener(definition);
}

export function listen(to: (definition: Definition) => void): void {
  listener = to;
  waiting.splice(0).forEach(to);
}
