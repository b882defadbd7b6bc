// Packages whose modules the host extends. In: exports that derivatives reach. Out: insertions into
// the modules that have them, and into those that they import. Invariant: one instance of each
// module; no other code of it changes.

import type ts from "typescript";
import { isAssigned } from "../../syntax/assignments.ts";
import { code, type Code, literal } from "../../code/code.ts";
import { loneChecker } from "./module-uses.ts";
import type { OpenedModules } from "./opened.ts";
import type { Insertion, OwnImports } from "./package-source.ts";
import { giveNumberMethods, prunerOf, type Kept, type Pruner } from "./prune.ts";
import { isModuleByName, shownName, type Resolver } from "./resolve.ts";
import { TwinMemo } from "./twin-memo.ts";

export class InPlace {
  /** Whether derivatives are differentiated. */
  isHigher = false;
  readonly #api: typeof ts;
  readonly #modules: OpenedModules;
  readonly #read: (file: string) => string | undefined;
  readonly #pruner: Pruner;
  readonly #entries = new Set<string>();
  readonly #twins: TwinMemo;

  constructor(
    resolver: Resolver,
    read: (file: string) => string | undefined,
    modules: OpenedModules,
    twins = new TwinMemo(),
  ) {
    this.#api = modules.api;
    this.#twins = twins;
    this.#modules = modules;
    this.#read = read;
    this.#pruner = prunerOf(modules.api, resolver, read);
  }

  /** False where the module has no such export. */
  want(file: string, name: string): boolean {
    this.#entries.add(file);
    return this.#pruner.want(file, name);
  }

  /** The cell of an exported variable that its module assigns; null for any other export. */
  cell(file: string, name: string): Code | null {
    const origin = this.#modules.origin(this.#modules.open(file), name);
    return origin?.kind === "variable" &&
      origin.of.surface.isEsm &&
      origin.variable.uses.some(({ node }) => isAssigned(node, this.#api))
      ? cellOf(origin.of.file, origin.variable.name)
      : null;
  }

  /** All of a module. */
  extend(file: string): void {
    this.#entries.add(file);
    this.#pruner.whole(file);
  }

  /** What a module imports that its twins may need. */
  imports(file: string): OwnImports {
    const kept = this.#pruner.files.get(file);
    if (kept === undefined) return { files: [], packages: [] };
    const { surface, names, requires } = kept;
    const inPlace = (specifier: string): string | null => {
      const target = requires.get(specifier);
      return target?.kind === "source" && target.inPlace ? target.file : null;
    };
    return {
      files: [...requires.keys()].flatMap((specifier) => inPlace(specifier) ?? []),
      packages: [...surface.imports].flatMap(([local, { specifier, imported }]) =>
        names.has(local) && inPlace(specifier) === null
          ? [{ specifier, exportName: imported, local, fromFile: file }]
          : [],
      ),
    };
  }

  /** `isOwn`: a file of the program, whose imports its edits have already. */
  extensions(isOwn: (file: string) => boolean): ReadonlyMap<string, readonly Insertion[]> {
    const own = this.#extended();
    const hasMethods = giveNumberMethods(this.#pruner.files.values());
    return new Map(
      [...this.#pruner.files.values()].flatMap((kept): [string, readonly Insertion[]][] => {
        const made = own.has(kept.file) ? this.#twinsIn(kept, isOwn(kept.file), hasMethods) : [];
        return made.length === 0 ? [] : [[kept.file, made]];
      }),
    );
  }

  /** What the host passes through edits: what it does not, has no twins. */
  #extended(): ReadonlySet<string> {
    const found = new Set(this.#entries);
    for (const { requires } of this.#pruner.files.values())
      for (const target of requires.values())
        if (target.kind === "source" && target.inPlace) found.add(target.file);
    return found;
  }

  #exportsOf(file: string): readonly string[] {
    return [...(this.#pruner.files.get(file)?.surface.exports.keys() ?? [])];
  }

  /** `Number.prototype.f = …;` and no more, in a package of ES modules. */
  #isEffectAlone({ fileName, text }: ts.SourceFile): boolean {
    return !OF_COMMON_JS.test(text) && isModuleByName(fileName, this.#read);
  }

  #twinsIn(kept: Kept, isOwn: boolean, hasNumberMethods: boolean): readonly Insertion[] {
    const { file, source, surface } = kept;
    const target = (specifier: string): string | null => {
      const found = kept.requires.get(specifier);
      return found?.kind === "source" ? found.file : null;
    };
    const wanted = new Set(
      [...surface.exports].flatMap(([name, local]) => (kept.exports.has(name) ? [local] : [])),
    );
    const exported = new Set(surface.exports.values());
    const api = this.#api;
    return this.#twins.twinsOf(api, {
      source,
      get checker() {
        return loneChecker(api, source);
      },
      isEsm: surface.isEsm || this.#isEffectAlone(source),
      isHigher: this.isHigher,
      hasNumberMethods,
      runTime: !isOwn ? "needed" : surface.isEsm ? "apart" : "always",
      statements: surface.parts.flatMap((part) => (kept.parts.has(part) ? [part.node] : [])),
      isExported: (name) => wanted.has(name),
      importedCell: (local) => {
        const binding = surface.imports.get(local);
        const from = binding === undefined ? null : target(binding.specifier);
        return binding === undefined || from === null || binding.imported === "*"
          ? null
          : this.cell(from, binding.imported);
      },
      isAssignedIn: (namespace, name) => {
        const binding = surface.imports.get(namespace);
        const from = binding?.imported === "*" ? target(binding.specifier) : null;
        if (from === null) return false;
        const names = name === null ? this.#exportsOf(from) : [name];
        return names.some((each) => this.cell(from, each) !== null);
      },
      exportedCell: (name) => (surface.isEsm && exported.has(name) ? cellOf(file, name) : null),
    });
  }
}

/** Names of CommonJS. */
const OF_COMMON_JS = /\b(?:require|module|exports)\b/;

/** The run time keeps cells of variables that several modules name. */
const cellOf = (file: string, name: string): Code =>
  code`$d.cell(${literal(`${shownName(file)} ${name}`)})`;
