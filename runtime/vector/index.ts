// `tsgrad/vector`: array programs. The functions work without a build step. Differentiated code
// recognises them by name and uses their own derivatives.

export { dot, foldl, prod, reduce, scanl, scanr, sum } from "./fold.ts";
export { type Items, type Like, type Nested, type Numbers, sameSize } from "./lists.ts";
export { ccl, nTimes } from "./loop.ts";
export { build, map, map2, onesLike, shift1L, shift1R, size, zerosLike } from "./map.ts";
export { add, mul } from "./scalar.ts";
