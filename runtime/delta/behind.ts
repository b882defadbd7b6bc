// The objects behind proxies, which have the ids of what is read and written through them. Proxies
// that plain code makes are not known. natives/proxies.ts sets this with the first one.

import type { Id, Value } from "./value.ts";

export interface Behind {
  /** The target of a proxy, and undefined for another object. */
  readonly target: (o: object) => object | undefined;
  /** `o[key]` and `o[key] = value`, by the traps or by the target. */
  readonly get: (o: object, key: Value, receiver: Value) => Value;
  readonly set: (o: object, key: Value, value: Value, valueId: Id, receiver: Value) => void;
  /** Defines a property; the field `value` of the descriptor has its id. */
  readonly define: (o: object, key: Value, descriptor: PropertyDescriptor) => boolean;
}

export let behind: Behind | null = null;

export function lookBehind(by: Behind): void {
  behind = by;
}

export const targetOf = (o: Value): object | undefined =>
  behind === null || Object(o) !== o ? undefined : behind.target(o);
