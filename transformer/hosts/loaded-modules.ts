// What a bundler loads for imports of packages. In: questions of an analysis, which cannot wait.
// Out: what is expected, until the bundler has been asked. Invariant: an analysis with an answer
// that turned out otherwise is made again.

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
  readonly #open = new Map<string, LoadedQuestion & { readonly given: LoadedModule }>();
  /** By specifier: what the host loads for one of the files that import it. */
  #expected: Promise<void> | null = null;
  readonly #entries = new Map<string, string>();

  /** Asks for imports before the first analysis, which need not be made again then. */
  expect(ask: AskHost, imports: () => ReadonlyMap<string, string>): Promise<void> {
    return (this.#expected ??= this.#expect(ask, imports()));
  }

  async #expect(ask: AskHost, imports: ReadonlyMap<string, string>): Promise<void> {
    const asked = [...imports].map(async ([specifier, fromFile]) => {
      const { file, inPlace } = await ask({ specifier, fromFile, isRequired: false });
      if (file !== null && inPlace) this.#entries.set(specifier, file);
    });
    await Promise.all(asked);
  }

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
    const others = all.filter(([key, { given }], i) => {
      const answer = answers[i] ?? given;
      this.#answers.set(key, answer);
      return answer.file !== given.file || answer.inPlace !== given.inPlace;
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
      const entry = isRequired ? undefined : this.#entries.get(specifier);
      const given = { file: entry ?? usual, inPlace: true };
      this.#open.set(key, { specifier, fromFile, isRequired, given });
      return given;
    };
  }
}

/** `#reader` has written the key. */
const specifierOf = (key: string): unknown => (JSON.parse(key) as readonly unknown[])[0];
