// The hooks of `tsgrad/register` in a Node that has only asynchronous ones: Node loads this file in
// the thread of its module hooks.

export { load, resolve } from "./module-hooks.ts";
