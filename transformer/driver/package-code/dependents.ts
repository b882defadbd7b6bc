// Whether packages that the user imports may call one of them. In: their names, a file of that one.
// Out: by what each package.json beside it depends on. One that cannot be read counts as a caller.

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Answers for files of packages. `read`: undefined where there is no such file. */
export function dependentsTest(
  packages: Iterable<string>,
  read: (file: string) => string | undefined,
): (file: string) => boolean {
  const known = new Map<string, boolean>();
  const all = [...packages];
  return (file) => {
    const [folder, root, own] = /^(.*\/node_modules\/)((?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
    if (folder === undefined || root === undefined) return true;
    const answer = known.get(folder) ?? hasDependents(all, { root, own }, read);
    known.set(folder, answer);
    return answer;
  };
}

function hasDependents(
  packages: readonly string[],
  { root, own }: { readonly root: string; readonly own: string | undefined },
  read: (file: string) => string | undefined,
): boolean {
  const met = new Set<string | undefined>([own]);
  const open = [...packages];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (met.has(name)) continue;
    met.add(name);
    const text = read(`${root}${name}/package.json`);
    if (text === undefined) return true;
    const { dependencies, peerDependencies } = JSON.parse(text) as Manifest; // npm checks it
    const needed = Object.keys({ ...dependencies, ...peerDependencies });
    if (own !== undefined && needed.includes(own)) return true;
    open.push(...needed);
  }
  return false;
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
