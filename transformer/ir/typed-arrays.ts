// Typed arrays of the IR, by the names of their constructors in JavaScript. Bigint arrays are no
// arrays of numbers: they are leaves.

export const TYPED_ARRAYS = [
  "Float64Array",
  "Float32Array",
  "Int8Array",
  "Uint8Array",
  "Uint8ClampedArray",
  "Int16Array",
  "Uint16Array",
  "Int32Array",
  "Uint32Array",
] as const;
