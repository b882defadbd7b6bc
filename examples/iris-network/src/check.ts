// The network classifies flowers that it has not seen, and its gradient agrees with differences.

import assert from "node:assert/strict";
import { checkGrads } from "tsgrad/testing";
import { norm } from "tsgrad/tree";
import { accuracy, initial, loss, test, trained, training } from "./main.js";

assert.ok(accuracy(trained, test) >= 0.94, "many flowers of the test set are taken for others");
assert.ok(accuracy(trained, training) >= 0.97, "many flowers of the training set are");
assert.ok(loss(trained, training) < 0.2 * loss(initial, training), "the loss is not much smaller");
assert.ok(norm(trained) > 1);
checkGrads(loss, [initial, training.slice(0, 5)], { argnums: 0 });
console.log("checked");
