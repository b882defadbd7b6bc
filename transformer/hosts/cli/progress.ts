// The progress line of a build that takes over two seconds: on the error stream, if that is a
// terminal. The build is synchronous, so a worker writes the line. Invariant: the line is gone
// before anything else is printed.

import { writeSync } from "node:fs";
import { Worker } from "node:worker_threads";

export const STEPS = ["reading files", "writing derivatives", "checking types", "writing files"];

/** Cells of the memory that both threads share. */
const STEP = 0;
const STATE = 1;
/** Values of STATE. */
const FREE = 0;
const ENDED = 2;

const ERRORS = 2;
const CLEAR = "\r\u001b[2K";

/** Writes directly: the main thread's event loop stands still. 1 is the state of being written. */
const WORKER = `
const { workerData: { memory, steps, start, delay } } = require("node:worker_threads");
const { writeSync } = require("node:fs");
const cells = new Int32Array(memory);
const tick = () => {
  if (Atomics.compareExchange(cells, 1, 0, 1) !== 0) return process.exit();
  if (Date.now() - start > delay) {
    const seconds = Math.round((Date.now() - start) / 1000);
    writeSync(2, "\\r\\u001b[2Ktsgrad: " + steps[cells[0]] + ", " + seconds + " s");
  }
  Atomics.store(cells, 1, 0);
};
setInterval(tick, 200);
`;

export interface Progress {
  /** Names the step that begins: an index of STEPS. */
  readonly begin: (step: number) => void;
  readonly end: () => void;
}

const NONE: Progress = { begin: () => undefined, end: () => undefined };

export function startProgress(isTerminal = process.stderr.isTTY, delay = 2000): Progress {
  if (!isTerminal) return NONE;
  const memory = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
  const cells = new Int32Array(memory);
  const worker = new Worker(WORKER, {
    eval: true,
    workerData: { memory, steps: STEPS, start: Date.now(), delay },
  });
  worker.unref();
  let hasEnded = false;
  return {
    begin: (step) => void Atomics.store(cells, STEP, step),
    end() {
      if (hasEnded) return;
      hasEnded = true;
      while (Atomics.compareExchange(cells, STATE, FREE, ENDED) !== FREE);
      writeSync(ERRORS, CLEAR);
    },
  };
}
