// The gradient of two threads is that of one; it agrees with differences; and the network reads
// digits that it has not seen.

import assert from "node:assert/strict";
import { grad } from "tsgrad";
import { checkGrads } from "tsgrad/testing";
import { axpy, map, norm } from "tsgrad/tree";
import { accuracy, initial, shared, trained } from "./main.js";
import { loss, training } from "./model.js";

const alone = map((x) => x / 250, grad(loss)(trained, training.slice(0, 250)));
assert.ok(norm(axpy(-1, alone, shared)) < 1e-12 * norm(alone), "threads change the gradient");
assert.ok(accuracy(trained) >= 0.85, "the network reads badly");
assert.ok(accuracy(initial) < 0.4);
checkGrads(loss, [trained, training.slice(0, 3)], { argnums: 0 });
console.log("checked");
