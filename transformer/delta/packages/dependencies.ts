// Of which packages a package may run code. In: one of its files. Out: its name and those that its
// package.json depends on, however far. Invariant: a dependency is the one that Node finds; of one
// that is optional and not installed, the name alone counts.

import type { Packages, PackageSystem } from "./package-source.ts";

type FileSystem = Pick<PackageSystem, "readFile" | "realpath">;

export class Dependencies {
  readonly #system: FileSystem;
  readonly #known = new Map<string, ReadonlySet<string> | null>();

  constructor(system: FileSystem) {
    this.#system = system;
  }

  /** Null for a file that is in no package, and where a manifest that is needed is not found. */
  of(file: string): ReadonlySet<string> | null {
    const folder = this.#folderOf(file);
    if (folder === null) return null;
    const known = this.#known.get(folder);
    if (known !== undefined) return known;
    const found = this.#behind(this.#system.realpath?.(folder) ?? folder);
    this.#known.set(folder, found);
    return found;
  }

  #behind(start: string): ReadonlySet<string> | null {
    if (this.#manifestOf(start) === null) return null;
    const names = new Set<string>();
    const met = new Set<string>();
    const open = [start];
    for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
      if (met.has(folder)) continue;
      met.add(folder);
      const manifest = this.#manifestOf(folder);
      // an alias has another name
      const installed = /\/node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(folder)?.[1];
      for (const name of [manifest?.name, installed]) if (name !== undefined) names.add(name);
      for (const name of neededBy(manifest ?? {})) {
        names.add(name);
        const next = this.#installed(folder, name);
        if (next !== null) open.push(next);
        else if (manifest?.dependencies?.[name] !== undefined) return null;
      }
    }
    return names;
  }

  /** The installed package, or else the nearest folder whose package.json has a name. */
  #folderOf(file: string): string | null {
    const installed = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
    if (installed !== undefined) return installed;
    for (let end = file.lastIndexOf("/"); end > 0; end = file.lastIndexOf("/", end - 1)) {
      const folder = file.slice(0, end);
      if (this.#manifestOf(folder)?.name !== undefined) return folder;
    }
    return null;
  }

  #installed(from: string, name: string): string | null {
    for (let end = from.length; end > 0; end = from.lastIndexOf("/", end - 1)) {
      const folder = `${from.slice(0, end)}/node_modules/${name}`;
      if (this.#manifestOf(folder) !== null) return this.#system.realpath?.(folder) ?? folder;
    }
    return null;
  }

  #manifestOf(folder: string): Manifest | null {
    const text = this.#system.readFile(`${folder}/package.json`);
    return text === undefined ? null : manifestIn(text);
  }
}

/**
 * Tells of two packages whether what one is given may reach code of the other: what both depend on
 * may have it. `fileOf`: what an import loads.
 */
export function sharing(
  system: FileSystem = { readFile: () => undefined },
  fileOf: (specifier: string, fromFile: string) => string | null,
): Packages["mayShare"] {
  const dependencies = new Dependencies(system);
  const known = new Map<string, ReadonlySet<string> | null>();
  const namesOf = (specifier: string, fromFile: string): ReadonlySet<string> | null => {
    const key = `${specifier}\n${fromFile}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const file = fileOf(specifier, fromFile);
    const names = file === null ? null : dependencies.of(file);
    known.set(key, names);
    return names;
  };
  return (specifier, fromFile) => {
    const own = namesOf(specifier, fromFile);
    return (other, from) => {
      const others = namesOf(other, from);
      return own === null || others === null || [...others].some((name) => own.has(name));
    };
  };
}

interface Manifest {
  readonly name?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const neededBy = (manifest: Manifest): readonly string[] =>
  Object.keys({
    ...manifest.dependencies,
    ...manifest.peerDependencies,
    ...manifest.optionalDependencies,
  });

function manifestIn(text: string): Manifest | null {
  try {
    return JSON.parse(text) as Manifest; // npm checks it
  } catch {
    return null; // an unreadable package.json
  }
}
