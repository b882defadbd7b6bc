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

/** The message of a worker whose code is loaded. */
const READY = 0;

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

interface Running {
  readonly worker: Worker;
  /** Resolves when its code is loaded. */
  readonly isReady: Promise<void>;
}

export class WorkerCalls<R extends Named<R>> {
  readonly #start: () => Worker;
  readonly #waiting = new Map<number, Waiting>();
  #running: Running | null = null;
  #id = 0;
  /** Calls of `within` so far. */
  #programs = 0;

  constructor(start: () => Worker) {
    this.#start = start;
  }

  /** Rejects with an `Error` that the worker threw. */
  async call<K extends keyof R & string>(kind: K, ask: R[K]["ask"]): Promise<R[K]["answer"]> {
    const { worker } = (this.#running ??= this.#started());
    this.#id += 1;
    return await this.#answer(this.#id, () => worker.postMessage({ id: this.#id, kind, ask }));
  }

  /**
   * A call of a program: it ends the one before it, and is ended after `limit` milliseconds. The
   * time to load the worker does not count.
   */
  async within<K extends keyof R & string>(
    limit: number,
    kind: K,
    ask: R[K]["ask"],
  ): Promise<R[K]["answer"]> {
    this.#programs += 1;
    const own = this.#programs;
    if (this.#id !== READY && this.#waiting.has(this.#id)) this.#end(new Superseded());
    await (this.#running ??= this.#started()).isReady;
    if (own !== this.#programs) throw new Superseded();
    const timer = setTimeout(() => this.#end(new Stopped(limit)), limit);
    return await this.call(kind, ask).finally(() => clearTimeout(timer));
  }

  close(): void {
    this.#end(new Superseded());
  }

  async #answer(id: number, send: () => void): Promise<unknown> {
    return await new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      send();
    });
  }

  #end(reason: Error): void {
    this.#running?.worker.terminate();
    this.#running = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(reason);
  }

  #started(): Running {
    const worker = this.#start();
    worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (data.error === undefined) waiting?.resolve(data.value);
      else waiting?.reject(new Error(data.error));
    };
    worker.onerror = (event) => this.#end(new Error(event.message || "The worker did not load."));
    const isReady = this.#answer(READY, () => undefined).then(() => undefined);
    isReady.catch(() => undefined); // `within` reports it
    return { worker, isReady };
  }
}

interface Call {
  readonly id: number;
  readonly kind: string;
  readonly ask: never;
}

/** The other side: answers calls in a worker. */
export function answerCalls(handlers: Record<string, (ask: never) => unknown>): void {
  const answer = async ({ data }: MessageEvent<Call>): Promise<void> => {
    const { id, kind, ask } = data;
    try {
      self.postMessage({ id, value: await handlers[kind]?.(ask) });
    } catch (error) {
      self.postMessage({ id, error: String(error instanceof Error ? error.message : error) });
    }
  };
  self.onmessage = (event: MessageEvent<Call>) => void answer(event);
  self.postMessage({ id: READY });
}
