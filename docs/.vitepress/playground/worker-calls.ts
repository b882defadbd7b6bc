// Calls of a worker, as promises. A call that takes too long ends the worker, and the next call
// starts another: that is the only way to stop a program in an endless loop.

/** By the type of their keys alone: interfaces have no index signature. */
type Named<R> = { readonly [K in keyof R]: { readonly ask: unknown; readonly answer: unknown } };

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The worker did not answer in time. */
export class Stopped extends Error {
  readonly milliseconds: number;

  constructor(milliseconds: number) {
    super(`stopped after ${milliseconds / 1000} s`);
    this.milliseconds = milliseconds;
  }
}

/** A later call has taken the worker's place. */
export class Superseded extends Error {}

export class WorkerCalls<R extends Named<R>> {
  readonly #start: () => Worker;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #id = 0;

  constructor(start: () => Worker) {
    this.#start = start;
  }

  /** Rejects with an `Error` that the worker threw. */
  async call<K extends keyof R & string>(kind: K, ask: R[K]["ask"]): Promise<R[K]["answer"]> {
    const worker = (this.#worker ??= this.#started());
    this.#id += 1;
    const id = this.#id;
    return await new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.postMessage({ id, kind, ask });
    });
  }

  /** A call of a program: it ends the one before it, and is ended after `limit` milliseconds. */
  async within<K extends keyof R & string>(
    limit: number,
    kind: K,
    ask: R[K]["ask"],
  ): Promise<R[K]["answer"]> {
    if (this.#waiting.size > 0) this.#end(new Superseded());
    let timer: ReturnType<typeof setTimeout> | undefined;
    const answer = this.call(kind, ask);
    timer = setTimeout(() => this.#end(new Stopped(limit)), limit);
    return await answer.finally(() => clearTimeout(timer));
  }

  close(): void {
    this.#end(new Superseded());
  }

  #end(reason: Error): void {
    this.#worker?.terminate();
    this.#worker = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(reason);
  }

  #started(): Worker {
    const worker = this.#start();
    worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (data.error === undefined) waiting?.resolve(data.value);
      else waiting?.reject(new Error(data.error));
    };
    worker.onerror = (event) => this.#end(new Error(event.message));
    return worker;
  }
}

/** The other side: answers calls in a worker. */
export function answerCalls(handlers: Record<string, (ask: never) => unknown>): void {
  const answer = ({ data }: MessageEvent<{ id: number; kind: string; ask: never }>): void => {
    const { id, kind, ask } = data;
    try {
      self.postMessage({ id, value: handlers[kind]?.(ask) });
    } catch (error) {
      self.postMessage({ id, error: String(error instanceof Error ? error.message : error) });
    }
  };
  self.onmessage = answer;
}
