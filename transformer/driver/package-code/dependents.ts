// Whether packages that the user imports may call one of them. In: their names, a file of that one.
// Out: by what their dependencies say. One that cannot be read counts as a caller.

import { Dependencies } from "../../delta/packages/index.ts";
import type { PackageSystem } from "../../delta/packages/index.ts";

export interface Dependents {
  /** Whether a package that the user imports may call the one of a file. */
  readonly has: (file: string) => boolean;
  /** Whether code of one file may call that of another, also in the same package. */
  readonly mayCall: (by: string, file: string) => boolean;
}

export function dependentsOf(
  packages: Iterable<string>,
  system: Pick<PackageSystem, "readFile" | "realpath">,
): Dependents {
  const known = new Map<string, boolean>();
  const dependencies = new Dependencies(system);
  const all = [...packages];
  const dependsOn = (by: string, name: string): boolean => dependencies.of(by)?.has(name) !== false;
  return {
    has: (file) => {
      const parts = partsOf(file);
      if (parts === null) return true;
      const { folder, root, name: own } = parts;
      const mayCall = (name: string): boolean => {
        const manifest = `${root}${name}/package.json`;
        return system.readFile(manifest) === undefined || dependsOn(manifest, own);
      };
      const answer = known.get(folder) ?? all.some((name) => name !== own && mayCall(name));
      known.set(folder, answer);
      return answer;
    },
    mayCall: (by, file) => {
      const name = partsOf(file)?.name;
      return name === undefined || packageFolder(by) === packageFolder(file) || dependsOn(by, name);
    },
  };
}

/** The folder of the package that a file is of. */
export const packageFolder = (file: string): string | undefined => partsOf(file)?.folder;

interface Parts {
  readonly folder: string;
  readonly root: string;
  readonly name: string;
}

function partsOf(file: string): Parts | null {
  const [folder, root, name] = /^(.*\/node_modules\/)((?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
  return folder === undefined || root === undefined || name === undefined
    ? null
    : { folder, root, name };
}

/** `three` of `three/addons/x.js` */
export const packageOf = (specifier: string): string =>
  specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");

/** The names of the packages that a text imports, but tsgrad and those of Node. */
export const packagesIn = (text: string): readonly string[] =>
  [...text.matchAll(IMPORTED)]
    .flatMap(([, name]) => name ?? [])
    .filter((name) => name !== "tsgrad" && !name.startsWith("node:"));

const IMPORTED =
  /(?:from|import|require)\s*\(?\s*["']((?:@[^/"']+\/)?[^./"'][^/"']*)(?:\/[^"']*)?["']/g;
