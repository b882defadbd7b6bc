// `tsgrad/vector`: array programs. In: arrays of numbers, records or arrays, and functions of their elements. Out: fresh arrays, or one value.
// Invariant: plain functions without a build step; in differentiated functions they are known by name and keep their own derivatives.

export { dot, foldl, prod, reduce, scanl, scanr, sum } from "./fold.ts";
export { type Items, type Like, type Nested, type Numbers, sameSize } from "./lists.ts";
export { ccl, nTimes } from "./loop.ts";
export { build, map, map2, onesLike, shift1L, shift1R, size, zerosLike } from "./map.ts";
export { add, mul } from "./scalar.ts";
