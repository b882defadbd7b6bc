// Another thread that compiles groups of a program. In: the file that it runs (side.cjs, beside the bundle of compiler.ts), and what this thread does meanwhile. Out: what the groups come to.
// Invariant: whatever becomes of the thread, every group that is not answered for is null, and nobody waits for ever.

import { availableParallelism } from "node:os";
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import type ts from "typescript";
import { type Beside, FEWEST, type Job, type Outcome, outcomeOf } from "../analyse.ts";
import { type Analyse, mentionsTsgrad } from "./core.ts";

/** What the thread is given to begin with. */
export interface ThreadData {
  readonly port: MessagePort;
  /** Counts the thread's answers. */
  readonly answers: Int32Array;
}

export interface Jobs {
  readonly jobs: readonly Job[];
  /** By job: whether somebody has begun it. */
  readonly begun: Int32Array;
}

export interface Answer {
  readonly job: number;
  readonly outcome: Outcome | null;
}

/** How long a thread that says nothing is waited for; a group takes some ten milliseconds, and one that takes longer than this is rare. */
const PATIENCE_MS = 20_000;

/** Groups that are left to the thread when this one has nothing else to do: code that runs here for the first time is slower than there. */
const LEFT_TO_IT = 8;

const claimed = (begun: Int32Array, job: number): boolean => Atomics.compareExchange(begun, job, 0, 1) === 0;

const shared = (length: number): Int32Array => new Int32Array(new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT));

export class Thread implements Beside {
  readonly #port: MessagePort;
  readonly #answers = shared(1);
  readonly #meanwhile: (edited: ReadonlySet<string>) => void;
  readonly #patience: number;

  /** `patience`: in milliseconds. */
  constructor(file: string, meanwhile: (edited: ReadonlySet<string>) => void, patience: number = PATIENCE_MS) {
    const { port1, port2 } = new MessageChannel();
    const data: ThreadData = { port: port2, answers: this.#answers };
    // flags of this process, such as scripts to load first, are not for the thread
    const worker = new Worker(file, { workerData: data, transferList: [port2], execArgv: [] });
    // a build ends when it is done; a thread that fails has not answered
    worker.unref();
    worker.on("error", () => {});
    port1.unref();
    this.#port = port1;
    this.#meanwhile = meanwhile;
    this.#patience = patience;
  }

  take(jobs: readonly Job[], edited: ReadonlySet<string>): readonly (Outcome | null)[] {
    const begun = shared(jobs.length), message: Jobs = { jobs, begun };
    this.#port.postMessage(message);
    this.#meanwhile(edited);
    const outcomes = new Map<number, Outcome | null>();
    for (let last = jobs.length - 1; last >= LEFT_TO_IT && Atomics.load(begun, last - LEFT_TO_IT) === 0 && claimed(begun, last); last--) outcomes.set(last, outcomeOf(jobs[last] as Job)); // below the length
    while (outcomes.size < jobs.length) {
      const seen = Atomics.load(this.#answers, 0);
      for (let next = receiveMessageOnPort(this.#port); next !== undefined; next = receiveMessageOnPort(this.#port)) {
        const { job, outcome } = next.message as Answer; // what the thread sends
        outcomes.set(job, outcome);
      }
      if (outcomes.size < jobs.length && Atomics.wait(this.#answers, 0, seen, this.#patience) === "timed-out") break;
    }
    return jobs.map((_, job) => outcomes.get(job) ?? null);
  }

  /** The thread ends when it has done what it was given. */
  end(): void {
    this.#port.close();
  }
}

/** What the thread does. A group that cannot be compiled here is left to who has the program. */
export function serve({ port, answers }: ThreadData): void {
  port.once("message", ({ jobs, begun }: Jobs) => {
    for (const [job, one] of jobs.entries()) {
      if (!claimed(begun, job)) continue;
      const answer: Answer = { job, outcome: attempted(one) };
      port.postMessage(answer);
      Atomics.add(answers, 0, 1);
      Atomics.notify(answers, 0);
    }
    port.close();
  });
}

function attempted(job: Job): Outcome | null {
  try {
    return outcomeOf(job);
  } catch {
    return null; // the thread that has the program finds it again, and says so
  }
}

/** A core that has another thread compile, where there is something else to do, and a core of the processor to do it. `file`: what the thread runs; null where there is none. */
export function analysedBeside(core: Analyse, file: () => string | null): Analyse {
  return (host, request) => {
    const runs = file(), { kept, meanwhile } = host;
    if (runs === null || request !== undefined || kept?.isNew !== true || meanwhile === undefined || availableParallelism() < 2 || filesWithCalls(host.program) < FEWEST) return core(host, request);
    const thread = new Thread(runs, meanwhile);
    try {
      return core({ ...host, beside: thread });
    } finally {
      thread.end();
    }
  };
}

const filesWithCalls = (program: ts.Program): number => program.getSourceFiles().filter(({ fileName, isDeclarationFile, text }) => !isDeclarationFile && !fileName.includes("/node_modules/") && mentionsTsgrad(text)).length;
