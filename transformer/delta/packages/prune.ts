// Finds the parts of modules that are needed. In: requested exports. Out: per file, in order of
// discovery, the parts, names and exports to retain. Invariant: with a part its mentions stay, and
// what may change these; with a module its effects on others and on the language, declarations only
// where `sideEffects` admits them. CommonJS stays whole unless flat.

import type ts from "typescript";
import { givesNumberMethods } from "../rewrite.ts";
import type { Resolved, Resolver } from "./resolve.ts";
import { marksEsModule } from "./flat-commonjs.ts";
import { addMentioning, byName } from "./load-effects.ts";
import { parsedModule } from "./parsed-modules.ts";
import { SideEffects } from "./side-effects.ts";
import { requiresOf, type Binding, type Part, type Surface } from "./surface.ts";

export interface Kept {
  readonly file: string;
  readonly source: ts.SourceFile;
  readonly surface: Surface;
  readonly parts: Set<Part>;
  readonly names: Set<string>;
  /** Exported names that are requested. */
  readonly exports: Set<string>;
  /** By specifier of `export * from`: names requested through it; null is all. */
  readonly stars: Map<string, Set<string> | null>;
  /** Specifiers of modules that are evaluated for their effects on others. */
  readonly evaluated: Set<string>;
  readonly requires: Map<string, Resolved>;
  /** Parts by the names that they have. */
  readonly by: Readonly<Record<PartNames, ReadonlyMap<string, readonly Part[]>>>;
  /** Parts whose code may change what is retained. */
  readonly changing: Set<Part>;
}

type PartNames = "declares" | "mentions" | "changes" | "laterChanges";

/** Whether some module may give numbers methods, which any other may call. */
export function giveNumberMethods(all: Iterable<Kept>): boolean {
  return [...all].some(({ source }) => givesNumberMethods(source.text));
}

export interface Pruner {
  /** False where the module has no such export. */
  want(file: string, name: string): boolean;
  /** Retains all parts of a module. */
  whole(file: string): void;
  readonly files: ReadonlyMap<string, Kept>;
}

export function prunerOf(
  api: typeof ts,
  resolver: Resolver,
  read: (file: string) => string | undefined,
): Pruner {
  const pruning = new Pruning(api, resolver, read);
  return {
    want: (file, name) => pruning.want(file, name),
    whole: (file) => {
      pruning.whole(file);
    },
    files: pruning.files,
  };
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
    if (!kept.surface.isPrunable) return this.#keepWhole(kept); // exports are known at run time
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

  whole(file: string): void {
    const kept = this.#open(file);
    for (const part of kept.surface.parts) this.#keepPart(kept, part);
    for (const name of kept.surface.exports.keys()) kept.exports.add(name);
  }

  /** A module's effects on others are retained once anything of it is requested. */
  #keepOutward(kept: Kept): void {
    if (this.#outward.has(kept)) return;
    this.#outward.add(kept);
    for (const part of kept.surface.parts)
      if (part.reachesOut && (part.isEffect || this.#effects.has(kept.file)))
        this.#keepPart(kept, part);
    if (!kept.surface.isEsm) {
      for (const part of kept.surface.parts)
        if (requiresOf(this.#api, part.node).some((one) => this.#keepEffectsBehind(kept, one)))
          this.#keepPart(kept, part);
      return;
    }
    const { imports, forwarded, stars } = kept.surface;
    for (const specifier of new Set([
      ...[...imports.values(), ...forwarded.values()].map((binding) => binding.specifier),
      ...stars,
    ])) {
      if (!this.#keepEffectsBehind(kept, specifier)) continue;
      this.#target(kept, specifier);
      kept.evaluated.add(specifier);
    }
  }

  /** Retains what evaluating an imported module does to others. Whether it does anything. */
  #keepEffectsBehind(kept: Kept, specifier: string): boolean {
    const { file, requires, surface } = kept;
    const target =
      requires.get(specifier) ?? this.#resolver.resolve(specifier, file, !surface.isEsm);
    return (
      target.kind === "source" &&
      this.#effects.has(target.file) &&
      this.#keepEffectsOf(target.file, surface.isEsm)
    );
  }

  /** The same for a file. `isEsm`: it is imported, not required. */
  #keepEffectsOf(file: string, isEsm: boolean): boolean {
    const kept = this.#open(file);
    if (kept.surface.isPrunable) this.#keepOutward(kept);
    else if (isEsm || kept.surface.parts.some(({ reachesOut }) => reachesOut))
      this.#keepWhole(kept);
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
    // An opaque module may have the name; one with known exports has priority.
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
    const { by, changing } = kept;
    for (const part of by.declares.get(name) ?? []) this.#keepPart(kept, part);
    for (const part of by.changes.get(name) ?? []) this.#keepPart(kept, part);
    const more = addMentioning(changing, by.laterChanges.get(name) ?? [], by.mentions);
    for (const part of more) if (part.runs) this.#keepPart(kept, part);
  }

  #keepPart(kept: Kept, part: Part): void {
    if (kept.parts.has(part)) return;
    kept.parts.add(part);
    if (!kept.surface.isEsm)
      for (const specifier of requiresOf(this.#api, part.node))
        this.#wantBinding(kept, { specifier, imported: "*" });
    for (const name of [...part.declares, ...part.mentions])
      if (kept.surface.imports.has(name) || kept.by.declares.has(name)) this.#keepName(kept, name);
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
    const { source, surface } = parsedModule(this.#api, this.#read, file);
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
      by: {
        declares: byName(surface.parts, (part) => part.declares),
        mentions: byName(surface.parts, (part) => part.mentions),
        changes: byName(surface.parts, (part) => part.changes),
        laterChanges: byName(surface.parts, (part) => part.laterChanges),
      },
      changing: new Set(),
    };
    this.files.set(file, kept);
    // `require("./augment.js");`
    if (surface.isPrunable && !surface.isEsm)
      for (const part of surface.parts)
        if (part.isEffect && (part.concerns.has("require") || marksEsModule(this.#api, part.node)))
          this.#keepPart(kept, part);
    for (const specifier of surface.bareImports) {
      const target = this.#target(kept, specifier);
      if (target.kind === "source") this.#wantEffects(target.file);
    }
    return kept;
  }

  #keepWhole(kept: Kept): true {
    if (kept.parts.size > 0) return true;
    for (const part of kept.surface.parts) kept.parts.add(part);
    for (const specifier of kept.surface.requires)
      this.#wantBinding(kept, { specifier, imported: "*" });
    return true;
  }

  /** `import "./augment.js"`: all its effects at evaluation. */
  #wantEffects(file: string): void {
    const kept = this.#open(file);
    if (!kept.surface.isPrunable) this.#keepWhole(kept);
    else for (const part of kept.surface.parts) if (part.isEffect) this.#keepPart(kept, part);
  }
}

/** A module that was only searched for a name has nothing to evaluate. */
export const isNeeded = (kept: Kept): boolean =>
  kept.parts.size > 0 ||
  kept.evaluated.size > 0 ||
  kept.exports.size > 0 ||
  kept.stars.size > 0 ||
  kept.surface.bareImports.length > 0;

/** Requests of a module only grow, so its sizes identify its state. */
export const versionOf = (kept: Kept): string =>
  [
    kept.parts.size,
    kept.names.size,
    kept.exports.size,
    kept.requires.size,
    kept.evaluated.size,
    ...[...kept.stars.values()].map((names) => names?.size ?? "all"),
  ].join();
