// What of each module is needed. In: exports that are wanted. Out: per file, the parts, names and exports to keep, across packages.
// Invariant: a kept part's mentions are kept; an effect is kept as soon as a name that it concerns is, or, where it concerns what
// another module has, as soon as its module is imported by one that is kept, unless its package says that it has no side effects; CommonJS files are kept whole, with everything
// they require, unless they are flat. Files are in the order in which they were first reached.

import type ts from "typescript";
import type { Resolved, Resolver } from "./resolve.ts";
import { marksEsModule } from "./flat-commonjs.ts";
import { SideEffects } from "./side-effects.ts";
import { requiresOf, surfaceOf, type Binding, type Part, type Surface } from "./surface.ts";

export interface Kept {
  readonly file: string;
  readonly source: ts.SourceFile;
  readonly surface: Surface;
  readonly parts: Set<Part>;
  readonly names: Set<string>;
  /** Exported names that somebody wants. */
  readonly exports: Set<string>;
  /** By specifier of `export * from`: the names wanted through it; null is all of them. */
  readonly stars: Map<string, Set<string> | null>;
  /** Specifiers of modules that are evaluated for what they do to others. */
  readonly evaluated: Set<string>;
  /** By specifier: what it means. */
  readonly requires: Map<string, Resolved>;
}

export interface Pruner {
  /** False where the module has no such export. */
  want(file: string, name: string): boolean;
  readonly files: ReadonlyMap<string, Kept>;
}

export function prunerOf(
  api: typeof ts,
  resolver: Resolver,
  read: (file: string) => string | undefined,
): Pruner {
  const pruning = new Pruning(api, resolver, read);
  return { want: (file, name) => pruning.want(file, name), files: pruning.files };
}

class Pruning {
  readonly files = new Map<string, Kept>();
  readonly #outward = new Set<Kept>();
  readonly #api: typeof ts;
  readonly #resolver: Resolver;
  readonly #read: (file: string) => string | undefined;
  readonly #effects: SideEffects;

  constructor(api: typeof ts, resolver: Resolver, read: (file: string) => string | undefined) {
    this.#api = api;
    this.#resolver = resolver;
    this.#read = read;
    this.#effects = new SideEffects(read);
  }

  want(file: string, name: string): boolean {
    const kept = this.#open(file);
    if (!kept.surface.isPrunable) return true; // kept whole; what it exports is known when it runs
    this.#keepOutward(kept);
    if (name === "*" || (name === "default" && !kept.surface.isEsm)) {
      this.#wantAll(kept);
      return true;
    }
    if (kept.exports.has(name)) return true;
    const { surface } = kept;
    const local = surface.exports.get(name);
    const forwarded = surface.forwarded.get(name);
    if (local === undefined && forwarded === undefined)
      return name !== "default" && this.#wantThroughStars(kept, name);
    kept.exports.add(name);
    if (local !== undefined) this.#keepName(kept, local);
    else if (forwarded !== undefined) this.#wantBinding(kept, forwarded);
    return true;
  }

  /** What a module does to others is done as soon as anything is wanted of it. */
  #keepOutward(kept: Kept): void {
    if (this.#outward.has(kept)) return;
    this.#outward.add(kept);
    for (const part of kept.surface.parts)
      if (part.reachesOut && (part.isEffect || this.#effects.has(kept.file)))
        this.#keepPart(kept, part);
    if (!kept.surface.isEsm) return;
    const { imports, forwarded, stars } = kept.surface;
    for (const specifier of new Set([
      ...[...imports.values(), ...forwarded.values()].map((binding) => binding.specifier),
      ...stars,
    ])) {
      const target =
        kept.requires.get(specifier) ?? this.#resolver.resolve(specifier, kept.file, false);
      if (
        target.kind !== "source" ||
        !this.#effects.has(target.file) ||
        !this.#evaluate(target.file)
      )
        continue;
      kept.requires.set(specifier, target);
      kept.evaluated.add(specifier);
    }
  }

  /** False where nothing of the module is kept for it. */
  #evaluate(file: string): boolean {
    const kept = this.#open(file);
    if (kept.surface.isPrunable) this.#keepOutward(kept);
    return kept.parts.size > 0 || kept.evaluated.size > 0;
  }

  #wantAll(kept: Kept): void {
    if (kept.exports.has("*")) return;
    kept.exports.add("*");
    for (const name of [...kept.surface.exports.keys(), ...kept.surface.forwarded.keys()])
      this.want(kept.file, name);
    for (const specifier of kept.surface.stars) {
      kept.stars.set(specifier, null);
      this.#wantBinding(kept, { specifier, imported: "*" });
    }
  }

  #wantThroughStars(kept: Kept, name: string): boolean {
    const provides = (specifier: string, isSure: boolean): boolean => {
      const target = this.#target(kept, specifier);
      return target.kind === "source" && this.#provides(target.file, name, isSure, new Set());
    };
    // a module that is kept whole may have the name; one whose exports are known and has it comes first
    for (const specifier of [true, false].flatMap((isSure) =>
      kept.surface.stars.filter((one) => provides(one, isSure)),
    )) {
      const target = this.#target(kept, specifier);
      if (target.kind !== "source") continue;
      this.want(target.file, name);
      const names = kept.stars.get(specifier);
      if (names === undefined) kept.stars.set(specifier, new Set([name]));
      else names?.add(name);
      return true;
    }
    return false;
  }

  #provides(file: string, name: string, isSure: boolean, seen: Set<string>): boolean {
    if (seen.has(file)) return false;
    seen.add(file);
    const kept = this.#open(file);
    if (!kept.surface.isPrunable) return !isSure;
    if (kept.surface.exports.has(name) || kept.surface.forwarded.has(name)) return true;
    return kept.surface.stars.some((specifier) => {
      const target = this.#target(kept, specifier);
      return target.kind === "source" && this.#provides(target.file, name, isSure, seen);
    });
  }

  #wantBinding(kept: Kept, binding: Binding): void {
    const target = this.#target(kept, binding.specifier);
    if (target.kind === "source") this.want(target.file, binding.imported);
  }

  #keepName(kept: Kept, name: string): void {
    if (kept.names.has(name)) return;
    kept.names.add(name);
    const binding = kept.surface.imports.get(name);
    if (binding !== undefined) this.#wantBinding(kept, binding);
    for (const part of kept.surface.parts) {
      if (
        part.declares.includes(name) ||
        ((part.isEffect || part.changes) && part.concerns.has(name))
      )
        this.#keepPart(kept, part);
    }
  }

  #keepPart(kept: Kept, part: Part): void {
    if (kept.parts.has(part)) return;
    kept.parts.add(part);
    if (!kept.surface.isEsm)
      for (const specifier of requiresOf(this.#api, part.node))
        this.#wantBinding(kept, { specifier, imported: "*" });
    for (const name of [...part.declares, ...part.mentions])
      if (isTopLevel(kept.surface, name)) this.#keepName(kept, name);
  }

  #target(kept: Kept, specifier: string): Resolved {
    const known = kept.requires.get(specifier);
    if (known !== undefined) return known;
    const target = this.#resolver.resolve(specifier, kept.file, !kept.surface.isEsm);
    kept.requires.set(specifier, target);
    return target;
  }

  #open(file: string): Kept {
    const known = this.files.get(file);
    if (known !== undefined) return known;
    const source = this.#api.createSourceFile(
      file,
      this.#read(file) ?? "",
      this.#api.ScriptTarget.ESNext,
      true,
    );
    const surface = surfaceOf(this.#api, source);
    const kept: Kept = {
      file,
      source,
      surface,
      parts: new Set(),
      names: new Set(),
      exports: new Set(),
      stars: new Map(),
      evaluated: new Set(),
      requires: new Map(),
    };
    this.files.set(file, kept);
    if (!surface.isPrunable) this.#openWhole(kept);
    // `require("./augment.js");`
    else if (!surface.isEsm)
      for (const part of surface.parts)
        if (part.isEffect && (part.concerns.has("require") || marksEsModule(this.#api, part.node)))
          this.#keepPart(kept, part);
    for (const specifier of surface.bareImports) {
      const target = this.#target(kept, specifier);
      if (target.kind === "source") this.#wantEffects(target.file);
    }
    return kept;
  }

  #openWhole(kept: Kept): void {
    for (const part of kept.surface.parts) kept.parts.add(part);
    for (const specifier of kept.surface.requires)
      this.#wantBinding(kept, { specifier, imported: "*" });
  }

  /** `import "./augment.js"`: everything that it does when it is evaluated. */
  #wantEffects(file: string): void {
    const kept = this.#open(file);
    for (const part of kept.surface.parts) if (part.isEffect) this.#keepPart(kept, part);
  }
}

const isTopLevel = (surface: Surface, name: string): boolean =>
  surface.imports.has(name) || surface.parts.some((part) => part.declares.includes(name));
