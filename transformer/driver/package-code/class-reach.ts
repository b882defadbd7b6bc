// Which modules of packages may know a class, and what of them the program can reach. In: a module
// with classes. Out: modules, reachable code, and whether a class can have instances. Invariant: a
// package counts if its dependencies say that it may use that of the class.

import type ts from "typescript";
import type { ClassNode } from "./classes.ts";
import { packageFolder } from "./dependents.ts";
import type { Declared, Module, Modules } from "./modules.ts";
import { isMade, type ReachableCode } from "./reachable-code.ts";
import { loadedBy } from "./replaced.ts";

type Api = typeof ts;

/** `isOf`: files of packages that count. */
export type FindReachable = (
  loaded: readonly Module[],
  isOf: (file: string) => boolean,
) => ReachableCode | null;

export class ClassReach {
  readonly #api: Api;
  readonly #modules: Modules;
  readonly #files: readonly ts.SourceFile[];
  readonly #findReachable: FindReachable;
  /** By folder of a package. */
  readonly #reachable = new Map<string | undefined, ReachableCode | null>();
  /** Files of packages that the program imports. */
  #imported: readonly string[] | undefined;

  constructor(
    api: Api,
    modules: Modules,
    files: readonly ts.SourceFile[],
    findReachable: FindReachable,
  ) {
    this.#api = api;
    this.#modules = modules;
    this.#files = files;
    this.#findReachable = findReachable;
  }

  /** Modules that may know a class. Other packages count where they may use it. */
  loadedWith(
    { found: { module }, specifier }: { readonly found: Declared; readonly specifier: string },
    file: ts.SourceFile,
  ): readonly Module[] {
    const entry = this.#modules.at(specifier, file.fileName);
    return this.#loadedFor(module, [module, ...(entry === null ? [] : [entry])]);
  }

  /** The modules of packages that may use that of a module. */
  #loadedFor({ file }: Module, roots: readonly Module[]): readonly Module[] {
    this.#imported ??= this.#files.flatMap(({ fileName, text }) =>
      this.#api.preProcessFile(text, true, true).importedFiles.flatMap((each) => {
        const isOfPackage = !/^\.{0,2}\//.test(each.fileName);
        return (isOfPackage ? this.#modules.fileOf(each.fileName, fileName) : null) ?? [];
      }),
    );
    const mayCall = (by: string): boolean => this.#modules.outside.dependents.mayCall(by, file);
    const others = this.#imported.filter(mayCall).flatMap((by) => this.#modules.opened(by) ?? []);
    return loadedBy(this.#api, this.#modules, [...roots, ...others], mayCall);
  }

  /**
   * What the program can reach of the packages that may use that of a module; null where that is
   * not known. Others do not put members on its instances.
   */
  reachableFor(module: Module): ReachableCode | null {
    const folder = packageFolder(module.file);
    const known = this.#reachable.get(folder);
    if (known !== undefined) return known;
    const { dependents } = this.#modules.outside;
    const found = this.#findReachable(this.#loadedFor(module, []), (by) =>
      dependents.mayCall(by, module.file),
    );
    this.#reachable.set(folder, found);
    return found;
  }

  /** Whether there may be instances of exactly this class. */
  hasInstances(module: Module, node: ClassNode): boolean {
    const code = this.reachableFor(module);
    return code === null || isMade(this.#api, code, node);
  }
}
