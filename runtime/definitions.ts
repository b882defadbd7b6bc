// Passes the rules of `defineDerivative` to the Delta engine, whether they are declared before or
// after the engine loads. Without that engine it does nothing.

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
