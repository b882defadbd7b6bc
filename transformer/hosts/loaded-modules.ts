// What a bundler loads for imports of packages. In: questions of an analysis, which cannot wait.
// Out: what is usual, until the bundler has been asked. Invariant: an analysis with an answer that
// turned out otherwise is made again.

import type { LoadedModule } from "../analyse.ts";

/** An import or `require` of a package's module. */
interface LoadedQuestion {
  readonly specifier: string;
  readonly fromFile: string;
  readonly isRequired: boolean;
}

export type AskHost = (question: LoadedQuestion) => Promise<LoadedModule>;
/** `usual`: what TypeScript finds. */
export type Loaded = (
  specifier: string,
  fromFile: string,
  isRequired: boolean,
  usual: string,
) => LoadedModule;

export class LoadedModules {
  /** Another function after each answer that is not as usual. */
  loaded: Loaded = this.#reader();
  readonly #answers = new Map<string, LoadedModule>();
  readonly #outside = new Set<string>();
  readonly #open = new Map<string, LoadedQuestion & { readonly usual: string }>();

  /** What the host turned out to leave outside: whether an answer that was given is wrong. */
  leave(specifiers: Iterable<string>): boolean {
    let isOther = false;
    for (const specifier of specifiers) {
      if (this.#outside.has(specifier)) continue;
      this.#outside.add(specifier);
      isOther ||= [...this.#answers.keys()].some((key) => specifierOf(key) === specifier);
    }
    if (isOther) this.loaded = this.#reader();
    return isOther;
  }

  /** Whether an answer that was given is wrong. */
  async settle(ask: AskHost): Promise<boolean> {
    const all = [...this.#open];
    this.#open.clear();
    const answers = await Promise.all(all.map(([, question]) => ask(question)));
    const others = all.filter(([key, { usual }], i) => {
      const answer = answers[i] ?? { file: usual, inPlace: true };
      this.#answers.set(key, answer);
      return answer.file !== usual || !answer.inPlace;
    });
    const isOther = others.length > 0;
    if (isOther) this.loaded = this.#reader();
    return isOther;
  }

  get isSettled(): boolean {
    return this.#open.size === 0;
  }

  #reader(): Loaded {
    return (specifier, fromFile, isRequired, usual) => {
      if (this.#outside.has(specifier)) return { file: null, inPlace: false };
      const key = JSON.stringify([specifier, fromFile, isRequired, usual]);
      const known = this.#answers.get(key);
      if (known !== undefined) return known;
      this.#open.set(key, { specifier, fromFile, isRequired, usual });
      return { file: usual, inPlace: true };
    };
  }
}

/** `#reader` has written the key. */
const specifierOf = (key: string): unknown => (JSON.parse(key) as readonly unknown[])[0];
